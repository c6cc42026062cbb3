"""Stored tables of several seats against their logs: tallies, winners, seats, results, boards."""

import copy

import pytest
from django.db.models import F

from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Result, Score, Standing
from ouroboros_site.play.models import Game, Move, Seat

from .helpers import finish, guest
from .played import play_out, played
from .shared import each_table, new_table
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
