"""All of one's own data as JSON: complete, and with nothing of others and nothing secret."""

import json
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ouroboros_site.accounts.export import SECRET
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Result, Score
from ouroboros_site.leaderboards.services import restore_score, strike_score
from ouroboros_site.play import daily, seating, services
from ouroboros_site.play.models import Seat
from ouroboros_site.play.registry import Setup
from tests.ouroboros_site.play.helpers import (
    Browser,
    finish,
    guest,
    legal,
    new_game,
    submit,
)
from tests.ouroboros_site.play.played import played
from tests.ouroboros_site.play.shared import TABLES

from .people import logged_in, named

pytestmark = pytest.mark.django_db


def text(user: User) -> str:
    response = Browser(user).look("/account/export.json")
    assert response.status_code == 200 and response.streaming
    return b"".join(response.streaming_content).decode()


def data(user: User) -> dict:
    return json.loads(text(user))


def test_is_a_file():
    response = Browser(named()).look("/account/export.json")
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == 'attachment; filename="ouroboros.json"'
    assert response["Cache-Control"] == "no-store"


def test_holds_the_account():
    user = named("Zoë", email="zoe@example.com", preferences={"theme": "dark"})
    user.suspended, user.suspension = timezone.now(), "Why?"
    user.save()
    account = data(user)["account"]
    assert account["username"] == "Zoë" and account["email"] == "zoe@example.com"
    assert account["preferences"] == {"theme": "dark"} and account["suspension"] == "Why?"
    # A column that is added later is in it too, unless somebody says that it is secret.
    columns = {field.name for field in User._meta.concrete_fields}
    assert set(account) == columns - SECRET | {"groups"}
    assert user.password not in text(user)


def test_of_somebody_new_is_empty_but_whole():
    found = data(guest())
    assert all(
        found[name] == [] for name in ("tries", "scores", "results", "seat_changes", "games")
    )
    assert found["account"]["is_guest"] is True


@pytest.mark.parametrize("make", [guest, lambda: named(suspended=timezone.now())])
def test_guests_and_suspended_accounts_get_theirs_too(make):
    user = guest()
    game = finish(new_game("laws", user), user)
    owner = make()
    game.seats.update(user=owner)
    assert [each["id"] for each in data(owner)["games"]] == [game.pk]


def test_holds_games_with_moves_and_times():
    user = named()
    game = new_game("laws", user, ranked=False, seed="ab" * 32)
    texts = [legal(game)[0]]
    submit(game, user, texts[0])
    services.undo_move(user=user, slug="laws", game_id=game.pk, version=1)
    texts.append(legal(game)[-1])
    submit(game, user, texts[1])
    finish(game, user)
    (found,) = data(user)["games"]
    assert (found["id"], found["slug"], found["ranked"]) == (game.pk, "laws", False)
    assert [move["move"] for move in found["moves"]] == texts
    assert [move["undone"] for move in found["moves"]] == [True, False]
    assert all(move["created"].startswith("20") for move in found["moves"])
    assert found["seed"] == "ab" * 32
    assert (found["termination"], found["score"]) == ("retired", game.result["scores"][0])
    assert found["finished"]


@pytest.mark.parametrize("slug", ["laws", "market"])
@pytest.mark.parametrize("ranked", [True, False])
def test_of_a_game_that_goes_on_tells_neither_seed_nor_position(slug, ranked):
    user = named()
    game = new_game(slug, user, ranked=ranked, seed="ab" * 32)
    submit(game, user, legal(game)[0])
    (found,) = data(user)["games"]
    assert len(found["moves"]) == 1
    assert not {"seed", "state", "score", "termination"} & set(found)
    assert "ab" * 32 not in text(user)
    assert json.dumps(game.state) not in text(user)


def test_holds_scores_with_what_was_decided_about_them():
    user, reviewer = named(), named("Rey")
    game = finish(new_game("laws", user), user)
    score = Score.objects.get()
    strike_score(score=score, by=reviewer, reason="Too quick.")
    restore_score(score=score, by=reviewer, reason="A mistake of ours.")
    (found,) = data(user)["scores"]
    assert (found["game"], found["score"], found["struck"]) == (game.pk, score.value, False)
    decided = [(each["struck"], each["reason"]) for each in found["decisions"]]
    assert decided == [(True, "Too quick."), (False, "A mistake of ours.")]
    assert "Rey" not in text(user)


def test_holds_nothing_of_others():
    user, other = named(), named("Bob", email="bob@example.com")
    mine = finish(new_game("laws", user, seed="ab" * 32), user)
    theirs = finish(new_game("laws", other, seed="cd" * 32), other)
    found = text(user)
    assert "Bob" not in found and "bob@example" not in found and "cd" * 32 not in found
    assert [each["id"] for each in json.loads(found)["games"]] == [mine.pk]
    assert theirs.pk not in [each["game"] for each in json.loads(found)["scores"]]


def test_at_a_table_of_several_holds_the_moves_of_the_own_seat():
    user, other = named(), named("Bob")
    game = new_game("laws", user)
    game.seats.create(index=1, user=other)
    submit(game, user, legal(game)[0])
    assert len(data(user)["games"][0]["moves"]) == 1
    assert data(other)["games"][0]["moves"] == []


class TestTables:
    @pytest.mark.parametrize("slug", TABLES)
    def test_hold_seat_bots_result_and_tallies(self, slug):
        user = named()
        game = played(slug, user)
        found = data(user)
        (table,) = found["games"]
        assert (table["seat"], table["players"], table["pace"]) == (0, 3, "normal")
        assert table["bots"] == [
            {"seat": 1, "name": "Basil", "level": "steady"},
            {"seat": 2, "name": "Chidi", "level": "easy"},
        ]
        assert table["tallies"] == game.tallies and len(game.tallies) == 2 * (slug != "trick")
        assert table["scores"] == game.result["scores"]
        assert table["winners"] == game.result["winners"]
        assert table["score"] == game.result["scores"][0] and table["seed"] == game.seed
        own = list(game.moves.filter(seat=0).order_by("version").values_list("text", flat=True))
        assert [move["move"] for move in table["moves"]] == own
        (result,) = found["results"]
        stored = Result.objects.values(*result.keys() - {"finished", "game"}).get()
        assert {name: result[name] for name in stored} == stored
        assert result["game"] == game.pk and set(result) == {
            *("game", "slug", "seat", "people", "won", "retired"),
            *("rounds", "points", "best", "worst", "finished"),
        }

    @pytest.mark.parametrize("slug", TABLES)
    def test_of_one_that_goes_on_tell_neither_seed_nor_position(self, slug):
        user = named()
        game = played(slug, user, moves=7)
        (table,) = data(user)["games"]
        assert not {"seed", "scores", "winners", "score", "state"} & set(table)
        assert game.seed not in text(user)
        assert json.dumps(game.state) not in text(user)
        assert all(json.dumps(hand) not in text(user) for hand in game.state["hands"])
        assert data(user)["results"] == []

    def test_of_people_hold_the_own_seat_and_what_happened_to_it(self):
        user, other = named(), named("Bob")
        setup = Setup(3, bots=("", ""), listed=True, turn_time=45)
        game, _user = services.start_game(user=other, slug="trick", setup=setup)
        at = {"slug": "trick", "game_id": game.pk}
        seating.sit_down(user=user, key=game.key)
        (found,) = data(user)["games"]
        assert (found["started"], found["host"], found["seat"]) == (None, False, 1)
        assert data(other)["games"][0]["host"] is True
        seating.fill(user=other, level="easy", **at)
        seating.mute(user=user, index=0, muted=True, **at)
        seating.offer(user=user, **at)
        assert Seat.objects.get(user=user).hand_over not in text(user)
        seating.leave(user=user, **at)
        (found,) = data(user)["games"]
        assert found["started"] and found["seen"] and found["left"]
        assert (found["listed"], found["turn_time"]) == (True, 45)
        assert (found["stand_in"], found["muted"], found["name"]) == ("steady", [0], "")
        # Who stands in for another person is no bot of the table's own.
        assert [bot["seat"] for bot in data(other)["games"][0]["bots"]] == [2]
        changes = data(user)["seat_changes"]
        assert [(each["game"], each["seat"], each["what"]) for each in changes] == [
            (game.pk, 1, "sat"),
            (game.pk, 1, "left"),
        ]
        assert all(set(each) == {"game", "seat", "what", "created"} for each in changes)
        for each in (user, other):
            assert game.seed not in text(each) and game.key not in text(each)
        assert "Bob" not in text(user) and "Ada" not in text(other)

    def test_a_guest_s_name_at_the_table_and_tables_that_were_left(self):
        host, visitor = named(), guest()
        setup = Setup(3, bots=("", ""))
        stays, goes = (
            services.start_game(user=host, slug="trick", setup=setup)[0] for _ in range(2)
        )
        for game in (stays, goes):
            seating.sit_down(user=visitor, key=game.key, name="Pip")
        seating.remove(user=host, slug="trick", game_id=goes.pk, version=1, index=1)
        found = data(visitor)
        assert [(each["id"], each["name"]) for each in found["games"]] == [(stays.pk, "Pip")]
        assert [(each["game"], each["what"]) for each in found["seat_changes"]] == [
            (stays.pk, "sat"),
            (goes.pk, "sat"),
            (goes.pk, "removed"),
        ]
        assert "Pip" not in text(host) and "Ada" not in text(visitor)

    def test_hold_no_name_of_another_person(self):
        user, other = named(), named("Bob")
        game = played("ochs-esel", user)
        game.seats.filter(index=1).update(user=other, bot="", name="")
        assert "Bob" not in text(user) and "Ada" not in text(other)
        assert [bot["seat"] for bot in data(other)["games"][0]["bots"]] == [2]


class TestDailyDeal:
    def start(self, user, slug="laws"):
        return services.start_game(user=user, slug=slug, day=daily.today())[0]

    @time_machine.travel("2026-12-01 10:00Z")
    def test_the_seed_comes_with_the_end_of_the_try(self):
        user = named()
        game = self.start(user)
        assert data(user)["tries"] == [{"slug": "laws", "day": "2026-12-01", "game": game.pk}]
        assert game.seed not in text(user)
        finish(game, user)
        (found,) = data(user)["games"]
        assert (found["daily"], found["seed"]) == ("2026-12-01", game.seed)

    def test_a_second_try_that_came_with_a_guest_gives_nothing_away(self):
        account, user = named(), guest()
        with time_machine.travel("2026-12-01 10:00Z"):
            first = self.start(account)
        with time_machine.travel("2026-12-01 11:00Z"):
            second = self.start(user)
            submit(second, user, legal(second)[0])
            finish(second, user)
            browser = Browser(user)
            browser.send("/account/log-in", username="Ada", password="the snake bites")
            assert second.seed not in text(account)
            found = {each["id"]: each for each in data(account)["games"]}
            assert set(found) == {first.pk, second.pk}
            assert not {"moves", "seed", "score"} & set(found[second.pk])
            finish(first, account)
            found = {each["id"]: each for each in data(account)["games"]}
            assert found[second.pk]["seed"] == second.seed and found[second.pk]["moves"]


def test_many_games_cost_few_queries():
    user = named()
    browser = logged_in(user)
    numbers = []
    for wanted in (1, 10, 49):
        while user.seats.count() < wanted:
            game = new_game("laws", user)
            submit(game, user, legal(game)[0])
            finish(game, user)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            response = browser.look("/account/export.json")
            found = json.loads(b"".join(response.streaming_content))
        assert len(found["games"]) == len(found["scores"]) == wanted
        numbers.append(len(queries))
    assert len(set(numbers)) == 1 and numbers[0] <= 12, numbers


def test_comes_in_pieces():
    user = named()
    for _game in range(3):
        new_game("laws", user)
    response = Browser(user).look("/account/export.json")
    assert len(list(response.streaming_content)) > 5


@time_machine.travel("2026-12-01 10:00Z", tick=False)
def test_times_are_utc():
    user = named()
    new_game("laws", user)
    (found,) = data(user)["games"]
    assert found["created"] == "2026-12-01T10:00:00Z"
    assert timezone.now() - user.date_joined < timedelta(minutes=1)
