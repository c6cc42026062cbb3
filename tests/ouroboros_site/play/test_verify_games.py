"""Stored games against their logs: every kind of corruption is found, and mended from the log
where it can be; nothing else changes."""

from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db.models import F
from django.utils import timezone

from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services as leaderboards
from ouroboros_site.leaderboards.models import Best, Decision, Score
from ouroboros_site.play import daily, services, verify
from ouroboros_site.play.management.commands import verify_games
from ouroboros_site.play.models import DailyDeal, Game, Move, Seat

from .helpers import EDITIONS, WHOLE_GAMES, finish, guest, legal, new_game, record, stored, submit

pytestmark = pytest.mark.django_db


def whole(slug: str, user: User, *, ranked: bool = True) -> Game:
    """A game played to its end, with its score."""
    data = record(WHOLE_GAMES[slug])
    game = new_game(slug, user, ranked=ranked, seed=data["seed"])
    submit(game, user, *data["moves"])
    game.refresh_from_db()
    assert game.is_over and Score.objects.filter(game=game).exists() == ranked
    return game


def halfway(slug: str, user: User, *, ranked: bool = True) -> Game:
    """A game that goes on."""
    data = record(WHOLE_GAMES[slug])
    game = new_game(slug, user, ranked=ranked, seed=data["seed"])
    submit(game, user, data["moves"][0])
    game.refresh_from_db()
    assert not game.is_over
    return game


def given_up(slug: str, user: User) -> Game:
    """A game that its player retired from."""
    return finish(halfway(slug, user), user)


def faults(game: Game) -> list[str]:
    return verify.verify(Game.objects.get(pk=game.pk))


def everything() -> dict[str, object]:
    """All rows that a repair could touch."""
    rows: dict[str, object] = dict(stored())
    for model in (Score, Decision):
        rows[model.__name__] = list(model.objects.order_by("pk").values())
    boards = Best.objects.order_by("board", "user").values("board", "user", "score", "value")
    return rows | {"Best": list(boards)}


def run(*words: object, status: int = 0) -> str:
    """What the command prints."""
    out = StringIO()
    if status:
        with pytest.raises(SystemExit) as caught:
            call_command("verify_games", *map(str, words), stdout=out)
        assert caught.value.code == status
    else:
        call_command("verify_games", *map(str, words), stdout=out)
    return out.getvalue()


def row(**fields: object):
    """A corruption of the game's row."""
    return lambda game: Game.objects.filter(pk=game.pk).update(**fields)


def score_row(**fields: object):
    return lambda game: Score.objects.filter(game=game).update(**fields)


def another() -> User:
    return User.objects.create_user("Bob")


def best(game: Game):
    """The game's row on the board of all time."""
    return Best.objects.filter(board=f"{game.slug}/all", score=game.pk)


def foreign_score(game: Game) -> None:
    """The score goes to somebody else, rows on boards and all."""
    bob = another()
    Score.objects.filter(game=game).update(user=bob)
    Best.objects.filter(score=game.pk).update(user=bob)


# What of a finished, ranked game is spoilt, and a word of what is said about it.
MENDED = {
    "position": (lambda game: row(state=game.state | {"loop": 7, "turn": 1})(game), "loop, turn."),
    "position of nothing": (row(state=[]), "everything"),
    "position with less": (
        lambda game: row(state={k: v for k, v in game.state.items() if k != "turn"})(game),
        "turn",
    ),
    "position with more": (lambda game: row(state=game.state | {"lamp": 1})(game), "lamp"),
    "ply": (row(ply=F("ply") + 1), "stands at move"),
    "ply of nothing": (row(ply=0), "stands at move 0"),
    "result": (row(result={"termination": "retired", "scores": [99]}), "retired [99]"),
    "scores": (
        lambda game: row(result=game.result | {"scores": [99]})(game),
        "[99]",
    ),
    "no result": (row(result=None), "result is none"),
    "result of nothing": (row(result={"won": True}), "won"),
    "result of words": (row(result="lost"), "lost"),
    "never finished": (row(finished=None), "no time at which"),
    "goes on": (row(finished=None, result=None), "result is none"),
    "no score": (lambda game: Score.objects.filter(game=game).delete(), "is missing"),
    "score": (score_row(value=F("value") + 1), "Its score has value"),
    "score of another day": (score_row(daily="2026-01-01"), "Its score has daily"),
    "score of another time": (
        lambda game: score_row(finished=game.finished + timedelta(days=7))(game),
        "Its score has finished",
    ),
    "score of another game": (score_row(slug="patience"), "Its score has slug"),
    "score of another person": (foreign_score, "Its score has user"),
    "no row on a board": (
        lambda game: best(game).delete(),
        "missing on the board",
    ),
    "row on a board too high": (
        lambda game: best(game).update(value=99),
        "shows it wrongly",
    ),
    "row on a board of another day": (
        lambda game: best(game).update(board="laws/week/1"),
        "shows it wrongly",
    ),
    "row of another person": (
        lambda game: best(game).update(user=another()),
        "shows it wrongly",
    ),
}


class TestMended:
    @pytest.mark.parametrize("what", MENDED)
    def test_is_found_and_made_anew_from_the_log(self, ada, slug, what):
        # A game ends with its last move; here in the same moment.
        with time_machine.travel(timezone.now(), tick=False):
            game = whole(slug, ada)
        bystander = whole(slug, User.objects.create_user("Cleo"))
        before = everything()
        spoil, words = MENDED[what]
        spoil(game)
        spoilt = everything()
        assert spoilt != before
        found = faults(game)
        assert any(words in fault for fault in found), found
        assert everything() == spoilt, "verifying changes nothing"

        output = run(status=1)
        assert all(f"{game}: {fault}" in output for fault in found)
        assert "2 verified, 1 of them disagree" in output
        assert everything() == spoilt

        output = run("--repair")
        assert f"{game}: repaired" in output and "1 repaired" in output
        assert f"{bystander}:" not in output
        after = everything()
        if what == "no score":
            # How fast it was and whether it looked unlikely is only looked at when a game ends.
            for rows in (before, after):
                for score in rows["Score"]:
                    score.pop("seconds"), score.pop("flags")
        for rows in (before, after):
            rows["User"] = [user for user in rows["User"] if user["username"] != "Bob"]
        assert after == before
        assert not faults(game) and "2 verified, 0 of them" in run()

    @pytest.mark.parametrize(
        ("spoil", "retired"),
        [
            (row(result=None), True),
            (row(finished=None), True),
            (row(result={"termination": "deck-empty", "scores": [1]}), True),
            (row(result={"termination": "retired", "scores": [41]}), True),
            (row(finished=None, result={"termination": "retired", "scores": [41]}), True),
        ],
        ids=["no result", "no time", "another end", "another score", "neither"],
    )
    def test_a_game_its_player_retired_from(self, ada, slug, spoil, retired):
        game = given_up(slug, ada)
        assert not faults(game)
        spoil(game)
        assert faults(game)
        run("--repair", game.pk)
        mended = Game.objects.get(pk=game.pk)
        assert mended.result == game.result
        assert abs(mended.finished - game.finished) < timedelta(seconds=1)
        assert mended.score.value == game.result["scores"][0]

    @pytest.mark.parametrize(
        "spoil",
        [
            row(result={"termination": "retired", "scores": [41]}),
            row(finished=timezone.now()),
            row(result={"won": True}, finished=timezone.now()),
        ],
        ids=["result", "time", "neither"],
    )
    def test_a_game_that_goes_on(self, ada, slug, spoil):
        game = halfway(slug, ada)
        assert not faults(game)
        spoil(game)
        assert faults(game)
        run("--repair", game.pk)
        mended = Game.objects.get(pk=game.pk)
        assert (mended.result, mended.finished) == (None, None)
        submit(mended, ada, legal(mended)[0])

    def test_a_score_that_counts_nowhere(self, ada, slug):
        game = whole(slug, ada, ranked=False)
        Score.objects.create(game=game, user=ada, slug=slug, value=3, finished=game.finished)
        leaderboards.rebuild(ada)
        assert ada.bests.exists()
        found = faults(game)
        assert any("counts nowhere" in fault for fault in found), found
        run("--repair")
        assert not Score.objects.exists() and not Best.objects.exists()

    def test_a_struck_score_on_a_board(self, ada, slug):
        game = whole(slug, ada)
        best = Best.objects.filter(board=f"{slug}/all").values().get()
        leaderboards.strike_score(score=game.score, by=ada, reason="Too fast.")
        assert not faults(game)
        Best.objects.create(**best)
        assert any("shows it wrongly" in fault for fault in faults(game))
        run("--repair")
        assert not Best.objects.exists()
        assert Score.objects.get().struck and Decision.objects.count() == 1

    def test_a_guest_on_a_board(self, slug):
        player = guest()
        game = whole(slug, player)
        assert not faults(game)
        score = game.score
        Best.objects.create(
            board=f"{slug}/all", user=player, score=score, value=1, finished=score.finished
        )
        assert any("shows it wrongly" in fault for fault in faults(game))
        run("--repair")
        assert not Best.objects.exists() and Score.objects.get() == score

    def test_a_board_that_shows_a_worse_game(self, ada, slug):
        worse, better = given_up(slug, ada), whole(slug, ada)
        assert better.score.value > worse.score.value
        best = Best.objects.get(board=f"{slug}/all")
        assert best.score == better.score
        worse_row = {"score": worse.score, "value": worse.score.value}
        Best.objects.filter(pk=best.pk).update(**worse_row, finished=worse.finished)
        assert not faults(worse) and faults(better)
        run("--repair")
        assert Best.objects.get(board=f"{slug}/all").score == better.score

    def test_a_daily_deal_that_was_finished_too_late(self, ada, slug):
        with time_machine.travel(timezone.now(), tick=False) as clock:
            game, _user = services.start_game(user=ada, slug=slug, day=daily.today())
            clock.shift(timedelta(hours=25))
            late = finish(game, ada)
        assert late.ranked and not late.counts and not faults(late)
        Score.objects.create(game=late, user=ada, slug=slug, value=0, finished=late.finished)
        assert any("counts nowhere" in fault for fault in faults(late))

    def test_time_of_the_last_play_stays(self, ada, slug):
        game = whole(slug, ada)
        Game.objects.filter(pk=game.pk).update(state={}, updated=game.created)
        run("--repair")
        mended = Game.objects.get(pk=game.pk)
        assert mended.updated == game.created and mended.version == game.version


# --- faults of the log ---------------------------------------------------------------------------


def move_row(ply: int, **fields: object):
    return lambda game: Move.objects.filter(game=game, ply=ply).update(**fields)


def other_deal(game: Game) -> None:
    deal = DailyDeal.objects.create(slug=game.slug, date="2026-01-01", seed="ab" * 32)
    Game.objects.filter(pk=game.pk).update(daily=deal)


# Of a game with at least two moves: what is spoilt, a word of it, and whether it can be replayed.
BEYOND_REPAIR = {
    "first move gone": (
        lambda game: Move.objects.filter(game=game, ply=1).delete(),
        "move 2 follows move 0",
        False,
    ),
    "gap": (
        lambda game: Move.objects.filter(game=game, ply=2).delete(),
        "move 3 follows move 1",
        False,
    ),
    "unreadable": (move_row(2, text="dance 1"), "“dance 1”", False),
    "illegal": (move_row(2, text="play As"), "cannot be replayed: move 2", False),
    "no kind of game": (row(slug="patience"), "no game “patience”", False),
    "no seed": (row(seed="x" * 64), "cannot be dealt", False),
    "no options": (row(options=["x"]), "options", False),
    "other options": (row(options={"jokers": 2}), "cannot be dealt", False),
    "too many players": (row(players=2), "cannot be dealt", False),
    "another deal": (row(seed="ab" * 32), "", False),
    "seat": (move_row(2, seat=1), "another seat's at move 2", True),
    "version ahead": (move_row(2, version=9999), "version", True),
    "version of nothing": (move_row(1, version=0), "versions 0 to", True),
    "versions in another order": (
        lambda game: (move_row(1, version=9998)(game), row(version=9999)(game)),
        "no later version",
        True,
    ),
    "report": (move_row(2, report={"do": "dance"}), "stored of move 2", True),
    "nobody's seat": (lambda game: Seat.objects.filter(game=game).delete(), "seats are –", True),
    "one seat too many": (
        lambda game: Seat.objects.create(game=game, index=1),
        "seats are 0, 1",
        True,
    ),
    "not the deal of the day": (other_deal, "daily deal of", True),
}


class TestBeyondRepair:
    @pytest.mark.parametrize("what", BEYOND_REPAIR)
    def test_is_reported_and_left_alone(self, ada, slug, what):
        game = whole(slug, ada)
        spoil, words, replayed = BEYOND_REPAIR[what]
        spoil(game)
        found = faults(game)
        assert found and any(words in fault for fault in found), found
        log = list(Move.objects.order_by("pk").values())
        before = everything()
        output = run("--repair", status=1)
        assert "not repaired" in output and "0 repaired" in output
        assert list(Move.objects.order_by("pk").values()) == log
        if not replayed:
            assert everything() == before

    def test_a_ranked_game_with_a_move_taken_back(self, ada, slug):
        game = halfway(slug, ada)
        Move.objects.create(
            game=game, version=game.version + 1, ply=2, seat=0, text="x", report={}, undone=True
        )
        Game.objects.filter(pk=game.pk).update(version=game.version + 2)
        assert any("taken back" in fault for fault in faults(game))
        Game.objects.filter(pk=game.pk).update(ranked=False)
        assert not faults(game)

    def test_many_faults_of_a_kind_are_one_line(self, ada, slug, monkeypatch):
        monkeypatch.setattr(verify, "FEW", 2)
        game = whole(slug, ada)
        Move.objects.filter(game=game).update(report={})
        (fault,) = faults(game)
        assert f"1, 2 … ({game.ply} in all)" in fault

    def test_the_rest_of_such_a_game_is_mended(self, ada, slug):
        game = whole(slug, ada)
        move_row(1, report={})(game)
        row(state={})(game)
        Score.objects.all().delete()
        assert len(faults(game)) > 2
        output = run("--repair", status=1)
        assert "not repaired: What is stored of move 1" in output
        assert len(faults(game)) == 1
        assert Game.objects.get(pk=game.pk).state == game.state and Score.objects.exists()


# --- what is well --------------------------------------------------------------------------------


class TestClean:
    def test_says_so(self, ada):
        lost = guest()
        for slug in EDITIONS:
            whole(slug, ada)
            halfway(slug, ada)
            given_up(slug, ada)
            practice = halfway(slug, ada, ranked=False)
            versions = {"user": ada, "slug": slug, "game_id": practice.pk}
            services.undo_move(**versions, version=practice.version)
            services.redo_move(**versions, version=practice.version + 1)
            services.undo_move(**versions, version=practice.version + 2)
            finish(practice, ada)
            whole(slug, lost)
            struck = whole(slug, ada).score
            leaderboards.strike_score(score=struck, by=ada, reason="Too fast.")
            restored = whole(slug, ada).score
            leaderboards.strike_score(score=restored, by=ada, reason="Too fast.")
            leaderboards.restore_score(score=restored, by=ada, reason="It was not.")
            for user in (ada, lost):
                attempt, _user = services.start_game(user=user, slug=slug, day=daily.today())
                finish(attempt, user)
        accounts.merge_guest(guest=lost, account=ada)
        gone = User.objects.create_user("Gone")
        whole("laws", gone)
        accounts.delete_account(gone)
        before = everything()
        assert run() == f"{Game.objects.count()} verified, 0 of them disagree with their logs.\n"
        assert run("--repair").endswith("logs, 0 repaired.\n")
        assert everything() == before

    def test_an_empty_site(self, db):
        assert run() == "0 verified, 0 of them disagree with their logs.\n"

    def test_a_move_made_between_two_reads_is_no_fault(self, ada, slug):
        game = halfway(slug, ada)
        stale = Game.objects.get(pk=game.pk)
        submit(game, ada, legal(game)[0])
        assert stale.ply < Game.objects.get(pk=game.pk).ply
        assert verify.verify(stale) == []

    def test_a_game_that_is_gone_has_no_faults(self, ada, slug):
        game = halfway(slug, ada)
        stale = Game.objects.get(pk=game.pk)
        game.delete()
        stale.state = {}
        assert verify.verify(stale) == [] and verify.repair(stale) == []


# --- the command ---------------------------------------------------------------------------------


class TestCommand:
    def test_some_games(self, ada):
        games = [halfway(slug, ada) for slug in (*EDITIONS, *EDITIONS)]
        Game.objects.update(state={})
        assert "4 verified, 4 of them" in run(status=1)
        output = run(games[0].pk, games[3].pk, status=1)
        assert "2 verified" in output and str(games[1]) not in output
        output = run("--slug", "market", status=1)
        assert "2 verified" in output and "laws" not in output
        assert "1 verified" in run(games[0].pk, games[3].pk, "--slug", "laws", status=1)

    def test_since_a_day(self, ada):
        old, new = halfway("laws", ada), halfway("laws", ada)
        today = timezone.now().date()
        Game.objects.filter(pk=old.pk).update(updated=timezone.now() - timedelta(days=1))
        Game.objects.update(state={})
        output = run("--since", today, status=1)
        assert "1 verified" in output and str(new) in output and f"{old}:" not in output
        assert "2 verified" in run("--since", today - timedelta(days=1), status=1)
        assert "0 verified" in run("--since", today + timedelta(days=1))

    def test_in_batches(self, ada, monkeypatch):
        monkeypatch.setattr(verify_games, "BATCH", 2)
        for _ in range(5):
            halfway("laws", ada)
        assert "5 verified" in run()
        Game.objects.update(state={})
        assert "5 verified, 5 of them disagree with their logs, 5 repaired" in run("--repair")
        assert "5 verified, 0 of them" in run()

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["7"], "There is no game 7."),
            (["0"], "There is no game 0."),
            ([str(10**30)], "There is no game 1000"),
            (["--slug", "patience"], "no game “patience”, but laws, market"),
            (["--since", "yesterday"], "“yesterday” is no date"),
            (["x"], "invalid int value"),
        ],
    )
    def test_what_is_not_there(self, db, words, said):
        with pytest.raises(CommandError, match=said):
            call_command("verify_games", *words)

    def test_help(self, capsys):
        with pytest.raises(SystemExit) as caught:
            call_command("verify_games", "--help")
        assert caught.value.code == 0
        output = capsys.readouterr().out
        assert "--repair" in output and "status 1" in " ".join(output.split())
