"""Stored tables of several seats against their logs: tallies, winners, seats, results, boards."""

import copy
from datetime import timedelta
from random import Random

import pytest
from django.db.models import F
from django.utils import timezone

from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Result, Score, Standing
from ouroboros_site.play import seating, services
from ouroboros_site.play.models import Game, Move, Seat, SeatChange
from ouroboros_site.play.registry import Setup

from .helpers import finish, guest, submit
from .played import play_out, played
from .shared import OPTIONS, each_table, legal_texts, new_table, some_move, turn
from .test_verify_games import everything, faults, row, run

pytestmark = pytest.mark.django_db
slug = each_table


def all_rows() -> dict[str, object]:
    """All rows that a repair could touch, without the keys of those that it makes anew."""
    rows = everything()
    results = list(Result.objects.order_by("game", "user").values())
    standings = list(Standing.objects.order_by("user", "slug", "people").values())
    for each in results + standings:
        each.pop("id")
    rows["User"] = [user for user in rows["User"] if user["username"] != "Bob"]
    return rows | {"Result": results, "Standing": standings}


def another() -> User:
    return User.objects.create_user("Bob")


def result_row(**fields: object):
    return lambda game: Result.objects.filter(game=game).update(**fields)


def standing_row(**fields: object):
    """A corruption of where the person of the game stands in it."""
    return lambda game: Standing.objects.filter(user=game.seats.get(index=0).user).update(**fields)


def other_scores(game: Game) -> None:
    scores = [99, *game.result["scores"][1:]]
    row(result=game.result | {"scores": scores})(game)


def other_tally(game: Game) -> None:
    tallies = copy.deepcopy(game.tallies)
    tallies[0]["points"][0] += 1
    row(tallies=tallies)(game)


MENDED = {
    "position": (lambda game: row(state=game.state | {"turn": 1})(game), "not the one of the log"),
    "scores": (other_scores, "[99,"),
    "no winners": (
        lambda game: row(result={name: game.result[name] for name in ("termination", "scores")})(
            game
        ),
        "won by",
    ),
    "other winners": (lambda game: row(result=game.result | {"winners": [2]})(game), "won by [2]"),
    "winners of words": (
        lambda game: row(result=game.result | {"winners": "me"})(game),
        'won by "me"',
    ),
    "never finished": (row(finished=None), "no time at which"),
    "no result row": (lambda game: Result.objects.filter(game=game).delete(), "is missing"),
    "result won": (lambda game: result_row(won=0 not in game.result["winners"])(game), "has won"),
    "result left": (result_row(retired=True), "has retired True instead of False"),
    "result points": (result_row(points=F("points") + 1), "has points"),
    "result rounds": (result_row(rounds=9), "has rounds 9"),
    "result best": (result_row(best=99), "has best 99"),
    "result worst": (result_row(worst=99), "has worst 99"),
    "result with people": (result_row(people=True), "has people True"),
    "result of another seat": (result_row(seat=2), "has seat 2"),
    "result of another game": (result_row(slug="laws"), "has slug laws"),
    "result of another time": (result_row(finished="2026-01-01T00:00:00Z"), "has finished"),
    "result of another person": (
        lambda game: Result.objects.filter(game=game).update(user=another()),
        "which is not its",
    ),
    "no standing": (
        lambda game: Standing.objects.filter(user__seats__game=game).delete(),
        "seat 0 stands",
    ),
    "standing games": (standing_row(games=F("games") + 1), "seat 0 stands"),
    "standing won": (standing_row(won=9), "seat 0 stands"),
    "standing points": (standing_row(points=-1), "seat 0 stands"),
    "standing with people": (standing_row(people=True), "seat 0 stands"),
}
MENDED_TALLIES = {
    "no tallies": (row(tallies=[]), "tallies are not those"),
    "other tallies": (other_tally, "tallies are not those"),
    "a tally more": (
        lambda game: row(tallies=[*game.tallies, game.tallies[0]])(game),
        "tallies are not those",
    ),
    "tallies of words": (row(tallies="none"), "tallies are not those"),
}


class TestWhole:
    def test_agrees_however_it_was_played(self, ada, slug):
        for game in (
            play_out(slug, ada),
            played(slug, ada),
            played(slug, guest()),
            played(slug, ada, ranked=False),
            played(slug, ada, moves=9),
            played(slug, ada, moves=9, left=True),
            finish(new_table(slug, ada), ada),
            finish(new_table(slug, ada, ranked=False), ada),
        ):
            assert not faults(game)
        assert "8 verified, 0 of them" in run()

    def test_who_deletes_the_account_leaves_a_whole_game(self, ada, slug):
        game = played(slug, ada)
        accounts.delete_account(ada)
        assert not faults(game) and "1 verified, 0 of them" in run()

    def test_two_people_and_a_bot(self, ada, slug):
        bob = another()
        game = played(slug, ada, moves=9, left=True)
        game.seats.filter(index=2).update(user=bob, bot="", name="")
        assert any("result of seat 2 is missing" in fault for fault in faults(game))
        run("--repair")
        assert not faults(game)
        assert set(Result.objects.values_list("user", "seat", "people")) == {
            (ada.pk, 0, True),
            (bob.pk, 2, True),
        }
        assert set(Standing.objects.values_list("user", "people", "games")) == {
            (ada.pk, True, 1),
            (bob.pk, True, 1),
        }


class TestMended:
    @pytest.mark.parametrize("what", MENDED)
    def test_is_found_and_made_anew_from_the_log(self, ada, slug, what):
        self.check(slug, ada, *MENDED[what])

    @pytest.mark.parametrize("what", MENDED_TALLIES)
    def test_tallies_too(self, ada, what):
        self.check("ochs-esel", ada, *MENDED_TALLIES[what])

    def check(self, slug: str, ada: User, spoil, words: str) -> None:
        game = played(slug, ada)
        bystander = played(slug, User.objects.create_user("Cleo"))
        before = all_rows()
        spoil(game)
        spoilt = all_rows()
        assert spoilt != before
        found = faults(game)
        assert any(words in fault for fault in found), found
        assert all_rows() == spoilt, "verifying changes nothing"
        output = run("--repair")
        assert f"{game}: repaired" in output and f"{bystander}:" not in output
        assert all_rows() == before
        assert "2 verified, 0 of them" in run()

    def test_a_table_that_was_left(self, ada, slug):
        game = played(slug, ada, moves=9, left=True)
        for spoil in (
            row(result=None),
            row(result=game.result | {"winners": [0]}),
            row(result={"termination": "rounds-played", "scores": [0, 0, 0], "winners": [0]}),
        ):
            spoil(game)
            assert faults(game)
            run("--repair")
            assert Game.objects.get(pk=game.pk).result == game.result
            assert not faults(game)

    def test_practice_with_a_result(self, ada, slug):
        game = played(slug, ada, ranked=False)
        Result.objects.create(
            game=game, user=ada, seat=0, slug=slug, people=False, won=True, retired=False,
            finished=game.finished,
        )  # fmt: skip
        assert any("which is not its" in fault for fault in faults(game))
        run("--repair")
        assert not Result.objects.exists() and not Standing.objects.exists()

    def test_a_table_with_a_score(self, ada, slug):
        game = played(slug, ada)
        Score.objects.create(game=game, user=ada, slug=slug, value=3, finished=game.finished)
        assert any("counts nowhere" in fault for fault in faults(game))
        run("--repair")
        assert not Score.objects.exists() and not faults(game)

    def test_a_guest_who_stands_on_a_board(self, slug):
        player = guest()
        game = played(slug, player)
        assert not faults(game)
        Standing.objects.create(user=player, slug=slug, people=False, games=1)
        assert any("seat 0 stands" in fault for fault in faults(game))
        run("--repair")
        assert not Standing.objects.exists()


class TestBeyondRepair:
    def spoilt(self, game: Game, words: str) -> None:
        found = faults(game)
        assert any(words in fault for fault in found), found
        log = list(Move.objects.order_by("pk").values())
        assert "not repaired" in run("--repair", status=1)
        assert list(Move.objects.order_by("pk").values()) == log

    def test_a_seat_that_nobody_plays(self, ada, slug):
        game = played(slug, ada, moves=9)
        Seat.objects.filter(game=game, index=2).update(bot="")
        self.spoilt(game, "Nobody plays seat 2, and it goes on")

    def test_a_seat_too_few(self, ada, slug):
        game = played(slug, ada)
        Seat.objects.filter(game=game, index=1).delete()
        self.spoilt(game, "The seats are 0, 2, and 3 play")

    def test_a_seat_too_many(self, ada, slug):
        game = played(slug, ada)
        Seat.objects.create(game=game, index=3, user=another())
        self.spoilt(game, "The seats are 0, 1, 2, 3")
        assert Result.objects.get().user == ada

    def test_a_move_of_another_seat(self, ada, slug):
        game = played(slug, ada)
        Move.objects.filter(game=game, ply=2).update(seat=F("seat") + 1)
        self.spoilt(game, "another seat's at move 2")

    def test_a_report_with_another_tally(self, ada):
        game = played("ochs-esel", ada)
        move = game.moves.filter(report__has_key="tally").first()
        move.report["tally"]["points"][0] += 5
        move.save()
        self.spoilt(game, f"stored of move {move.ply}")
        assert Game.objects.get(pk=game.pk).tallies == game.tallies

    def test_a_game_that_cannot_be_replayed_is_left_alone(self, ada, slug):
        game = played(slug, ada)
        Move.objects.filter(game=game, ply=2).delete()
        Result.objects.update(points=7)
        before = all_rows()
        self.spoilt(game, "move 3 follows move 1")
        assert all_rows() == before


# --- tables of several people --------------------------------------------------------------------


def open_table(slug: str, host: User, *others: User, **more: object) -> Game:
    """A table of three with open seats, at which others sit down; with two of them it starts."""
    setup = Setup(3, OPTIONS[slug][0], ("", ""), "instant", name="Hosty", **more)
    game, _user = services.start_game(user=host, slug=slug, setup=setup)
    for number, user in enumerate(others):
        seating.sit_down(user=user, key=game.key, name=f"Guest-{number}")
    return fresh(game)


def fresh(game: Game) -> Game:
    return Game.objects.get(pk=game.pk)


def play_some(game: Game, number: int = 400) -> Game:
    """The table after so many moves more, of whoever's turn it is; or its end."""
    random = Random(3)
    for _ in range(number):
        game = fresh(game)
        if game.is_over:
            break
        seat = game.seats.select_related("user").get(index=turn(game))
        if seat.user and not seat.bot:
            submit(game, seat.user, *some_move(game, random))
        else:
            someone = game.seats.exclude(user=None).select_related("user").first().user
            at = {"slug": game.slug, "game_id": game.pk}
            services.advance_game(user=someone, version=game.version, by_hand=True, **at)
    return fresh(game)


class TestPeople:
    """What the life of a table leaves agrees with its log; see ``test_seating_life`` too."""

    def test_whole_at_every_step(self, ada, slug):
        bob, visitor = another(), guest()
        game = open_table(slug, ada)
        at = {"slug": slug, "game_id": game.pk}
        assert not faults(game)
        seating.sit_down(user=visitor, key=game.key, index=2, name="Visitor")
        seating.leave(user=ada, **at)
        assert not faults(fresh(game)) and fresh(game).host == 2
        for user in (ada, bob):
            seating.sit_down(user=user, key=game.key)
            assert not faults(fresh(game))
        game = play_some(game, 4)
        seating.leave(user=bob, **at)
        assert not faults(fresh(game))
        game = play_some(game, 4)
        seating.come_back(user=bob, **at)
        seating.leave(user=visitor, **at)
        game = play_some(game)
        assert game.is_over and game.version == game.ply + game.changes.count() + 1
        assert not faults(game)
        again, _user = seating.rematch(user=ada, **at)
        assert not faults(fresh(again)) and not faults(fresh(game))

    def test_of_whom_a_bot_played_for_the_result_says_so(self, ada, slug):
        bob = another()
        game = open_table(slug, ada, bob, guest())
        seating.leave(user=bob, slug=slug, game_id=game.pk)
        game = play_some(game)
        result = Result.objects.get(user=bob)
        assert (result.people, result.won, result.retired) == (True, False, True)
        assert not faults(game)
        Result.objects.filter(pk=result.pk).update(won=True)
        assert any("has won True instead of False" in fault for fault in faults(game))
        run("--repair")
        assert not faults(game) and not Result.objects.get(user=bob).won

    def test_who_goes_leaves_whole_tables(self, ada, slug):
        bob, visitor = another(), guest()
        waiting = open_table(slug, ada, visitor)
        running = open_table(slug, ada, visitor, bob)
        over = play_some(open_table(slug, visitor, ada, bob))
        accounts.delete_account(User.objects.get(pk=ada.pk))
        accounts.merge_guest(guest=visitor, account=bob)
        for game in (waiting, running, over):
            assert not faults(fresh(game))
        assert "3 verified, 0 of them" in run()

    def test_everyone_left(self, ada, slug):
        bob = another()
        game = open_table(slug, ada, bob, guest())
        for seat in game.seats.select_related("user"):
            seating.leave(user=seat.user, slug=slug, game_id=game.pk)
        game = fresh(game)
        assert game.is_over and not faults(game)
        # That it was ended by hand stands in no log, and the versions tell.
        row(result=None)(game)
        assert faults(fresh(game))
        run("--repair")
        assert fresh(game).result == game.result and not faults(fresh(game))

    def test_changes_of_seats_end_no_game(self, ada, slug):
        game = open_table(slug, ada, another(), guest())
        seating.leave(user=ada, slug=slug, game_id=game.pk)
        row(finished=timezone.now())(game)
        assert faults(fresh(game))
        run("--repair")
        assert not fresh(game).is_over and not faults(fresh(game))


def change_row(**fields: object):
    """A corruption of the first change of seats."""
    return lambda game: SeatChange.objects.filter(pk=game.changes.first().pk).update(**fields)


def seat_row(index: int, **fields: object):
    return lambda game: game.seats.filter(index=index).update(**fields)


def same_version(game: Game) -> None:
    SeatChange.objects.filter(pk=game.changes.last().pk).update(
        version=game.moves.order_by("version").last().version
    )


def rematch_of(**fields: object):
    """The table becomes the rematch of another one, at which something is different."""

    def spoil(game: Game) -> None:
        other = played(game.slug, None, moves=None)
        Game.objects.filter(pk=other.pk).update(options=game.options)
        Game.objects.filter(pk=other.pk).update(**fields)
        row(rematch_of=other)(game)

    return spoil


SPOILT_WAITING = {
    "a move before the start": (
        lambda game: Move.objects.create(
            game=game, version=1, ply=1, seat=0, text=legal_texts(game)[0], report={}
        ),
        "It has not started, and has 1 moves",
    ),
    "other cards than those dealt": (
        lambda game: row(state=game.state | {"turn": 1 - game.state["turn"]})(game),
        "not the one of the log",
    ),
    "the host has no seat": (row(host=2), "Nobody sits on seat 2, the host’s"),
    "nobody is the host": (row(host=None), "A table has a link and a host, or neither"),
    "no link": (row(key=None, host=None), "and there is no link for them"),
    "over before the start": (row(finished=timezone.now()), "It is over, and has not started"),
    "all seats taken": (seat_row(2, bot="easy"), "Every seat is taken, and it has not started"),
    "a bot for a person": (seat_row(1, bot="easy"), "A bot stands in on seat 1"),
    "left before the start": (seat_row(1, left=timezone.now()), "Somebody has left seat 1"),
    "alone": (row(players=1), "It is played alone, and others are invited"),
    "a change after the last version": (change_row(version=99), "not in their order"),
    "a change before all versions": (change_row(version=0), "not in their order"),
    "a change of no seat": (change_row(seat=3), "A seat has changed that there is not"),
}
SPOILT_RUNNING = {
    "nobody on a seat": (seat_row(1, user=None), "Nobody plays seat 1"),
    "a bot of no level": (seat_row(1, bot="wild"), "no bot of the level of seat 1"),
    "left without a bot": (seat_row(1, left=timezone.now()), "Somebody has left seat 1"),
    "left by nobody": (
        seat_row(1, left=timezone.now(), user=None, bot="easy", name="Basil"),
        "Somebody has left seat 1",
    ),
    "never started": (row(started=None), "It has not started, and has"),
    "two changes at once": (
        lambda game: change_row(version=F("version") + 1)(game),
        "not in their order",
    ),
    "a change and a move at once": (same_version, "A move and a change of seats have the same"),
    "a version lost": (row(version=2), "not in their order"),
    "the rematch of what goes on": (rematch_of(finished=None), "which goes on"),
    "the rematch of a larger table": (rematch_of(players=4), "and another game"),
    "the rematch of another game": (rematch_of(slug="laws"), "and another game"),
}


class TestSpoiltTables:
    @pytest.mark.parametrize("what", SPOILT_WAITING)
    def test_waiting(self, ada, slug, what):
        game = open_table(slug, ada, another())
        self.check(game, *SPOILT_WAITING[what])

    @pytest.mark.parametrize("what", SPOILT_RUNNING)
    def test_running(self, ada, slug, what):
        game = play_some(open_table(slug, ada, another(), guest()), 4)
        seating.leave(user=ada, slug=slug, game_id=game.pk)
        self.check(fresh(game), *SPOILT_RUNNING[what])

    def check(self, game: Game, spoil, words: str) -> None:
        bystander = open_table(game.slug, guest(), guest())
        assert not faults(game)
        spoil(game)
        before = all_rows()
        found = faults(fresh(game))
        assert any(words in fault for fault in found), found
        assert all_rows() == before and not faults(bystander)

    def test_a_clock_that_runs_spoils_nothing(self, ada, slug):
        game = open_table(slug, ada, another(), guest(), turn_time=45)
        Game.objects.filter(pk=game.pk).update(turn_since=timezone.now() - timedelta(minutes=1))
        services.advance_game(user=ada, slug=slug, game_id=game.pk, version=fresh(game).version)
        assert game.changes.filter(what="late").count() == 1 and not faults(fresh(game))
