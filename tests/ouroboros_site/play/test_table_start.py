"""Tables of several seats from the first click: who sits there, and what cannot be set up."""

import re

import pytest

from ouroboros_site.accounts import names
from ouroboros_site.accounts.models import User
from ouroboros_site.play import bots, registry, services
from ouroboros_site.play.models import Game
from ouroboros_site.play.registry import Setup

from .helpers import (
    SEED,
    TOKEN,
    Browser,
    assert_whole,
    finish,
    page_of,
    stored,
    table,
)
from .played import play_out
from .shared import each_table, new_table

pytestmark = pytest.mark.django_db
slug = each_table

USUAL = {
    "trick": (4, {}),
    "ochs-esel": (5, {"rounds": 5, "ox": False}),
}


def start(browser: Browser, slug: str, **fields):
    fields.setdefault("once", "")
    if "friends" in fields.values() or "open" in fields.values():
        fields.setdefault("name", "Mo")
    return browser.send(f"/{slug}/start", **fields)


def game_of(response) -> Game:
    assert response.status_code == 302, response.content.decode()
    return Game.objects.get(pk=int(response.headers["Location"].split("/")[2]))


def levels(game: Game) -> list[str]:
    return list(game.seats.order_by("index").values_list("bot", flat=True))


class TestPlayNow:
    def test_is_one_click_to_the_usual_table(self, slug):
        browser = Browser()
        game = game_of(start(browser, slug))
        players, options = USUAL[slug]
        usual = next(iter(registry.get(slug).levels))
        assert (game.players, game.options, game.pace) == (players, options, "normal")
        assert game.ranked and game.daily is None and game.tallies == [] and game.lease is None
        assert levels(game) == ["", *[usual] * (players - 1)]
        seats = list(game.seats.order_by("index"))
        assert [seat.index for seat in seats] == list(range(players))
        assert seats[0].user == User.objects.get() and seats[0].user.is_guest
        assert not seats[0].name and all(seat.user is None for seat in seats[1:])
        assert_whole(game)
        page = page_of(browser.look(table(game)))
        for seat in seats[1:]:
            assert seat.name in page.words

    def test_is_the_table_of_the_service_too(self, owner, slug):
        game, _user = services.start_game(user=owner, slug=slug)
        assert (game.players, game.options) == USUAL[slug]
        assert game.seed != services.start_game(user=owner, slug=slug)[0].seed

    def test_two_clicks_are_one(self, slug, owner):
        first, second = Browser(owner), Browser(owner)
        games = [game_of(start(browser, slug, once=TOKEN)) for browser in (first, second)]
        assert games[0] == games[1] == Game.objects.get()
        other = game_of(start(first, slug, once=TOKEN, players="3"))
        assert other != games[0], "another form of the page"


class TestNewTable:
    def test_every_size(self, owner, slug):
        for players in registry.get(slug).rules.SEATS:
            game = game_of(start(Browser(owner), slug, players=players))
            assert game.players == players == game.seats.count()
            called = [names.key(seat.name) for seat in game.seats.filter(user=None)]
            assert len(set(called)) == players - 1 and all(called)
            assert_whole(game)

    def test_levels_of_each_bot_and_pace(self, browser, slug):
        usual, other = list(registry.get(slug).levels)[:2]
        fields = {"players": "4", "level": other, "level-2": usual, "pace": "slow"}
        game = game_of(start(browser, slug, **fields))
        assert levels(game) == ["", other, usual, other]
        assert game.pace == "slow"

    def test_options(self, browser):
        game = game_of(start(browser, "ochs-esel", rounds="20", ox="on", players="12"))
        assert game.options == {"rounds": 20, "ox": True}

    @pytest.mark.parametrize(("box", "ox"), [("", False), ("1", True), ("on", True)])
    def test_the_box_of_the_ox(self, browser, box, ox):
        game = game_of(start(browser, "ochs-esel", players="5", ox=box))
        assert game.options["ox"] is ox

    @pytest.mark.parametrize("box", ["0", "maybe", "off", "false", "True", "1 ", "\0"])
    def test_what_that_box_never_sends(self, browser, box):
        response = start(browser, "ochs-esel", players="5", ox=box)
        assert response.status_code == 400
        assert "with the ox or without it" in page_of(response).words
        assert not Game.objects.exists()

    def test_practice_with_a_deal(self, browser, slug):
        fields = {"practice": "1", "seed": SEED, "players": "3"}
        game = game_of(start(browser, slug, **fields))
        assert (game.ranked, game.seed, game.players) == (False, SEED, 3)
        again = game_of(start(browser, slug, **fields))
        assert again.state == game.state and again != game

    @pytest.mark.parametrize(
        ("fields", "word"),
        [
            ({"players": "2"}, "played by"),
            ({"players": "13"}, "played by"),
            ({"players": "0"}, "played by"),
            ({"players": "-4"}, "played by"),
            ({"players": "4.0"}, "played by"),
            ({"players": "four"}, "played by"),
            ({"players": "٤"}, "played by"),
            ({"players": "4" * 5000}, "played by"),
            ({"players": "4", "level": "unbeatable"}, "level"),
            ({"players": "4", "level-3": "\0"}, "level"),
            ({"players": "4", "level-1": "strong "}, "level"),
            ({"players": "4", "pace": "breakneck"}, "slow"),
            ({"players": "4", "practice": "1", "seed": "x"}, "64"),
        ],
    )
    def test_what_cannot_be_set_up(self, slug, fields, word):
        response = start(Browser(), slug, **fields)
        assert response.status_code == 400
        page = page_of(response)
        assert word in page.words
        assert f"/{slug}/start" in {form["action"] for form in page.all("form")}, "to try again"
        assert not Game.objects.exists() and not User.objects.exists()

    def test_a_seed_is_for_practice_only(self, slug):
        fields = {"players": "3", "pace": "slow", "seed": SEED}
        response = start(Browser(), slug, **fields)
        assert response.status_code == 400
        page = page_of(response)
        assert "A seed can be given for practice only." in page.words
        # All that was filled in is still there, and what it is about is not folded away.
        checked = [names["value"] for names in page.all("input") if "checked" in names]
        assert {"3", "slow"} <= set(checked)
        assert [names["value"] for names in page.all("input", name="seed")] == [SEED]
        assert re.search(r"<details open>\s*<summary>Practise", response.content.decode())
        assert not Game.objects.exists() and not User.objects.exists()

    @pytest.mark.parametrize("rounds", ["0", "21", "-1", "x", "1.5", "9" * 400])
    def test_rounds(self, rounds):
        response = start(Browser(), "ochs-esel", players="5", rounds=rounds)
        assert response.status_code == 400
        assert "1 to 20 rounds" in page_of(response).words
        assert not Game.objects.exists()

    def test_the_page(self, slug):
        browser = Browser()
        response = browser.look(f"/{slug}/new/")
        assert response.status_code == 200
        page = page_of(response)
        assert page.all("form", action=f"/{slug}/start")
        assert browser.look(f"/{slug}/new/", htmx=True).status_code == 200

    @pytest.mark.parametrize("slug", ["laws", "market", "patience"])
    def test_there_is_none_for_solitaires(self, slug, db):
        response = Browser().look(f"/{slug}/new/")
        assert response.status_code == 404
        page_of(response)

    def test_no_daily_deal(self, browser, slug):
        response = start(browser, slug, day="2026-12-01")
        assert response.status_code == 400 and not Game.objects.exists()


class TestOpenSeats:
    """Tables for others: every field of the form that makes one."""

    def test_friends_have_all_the_others(self, browser, owner, slug):
        game = game_of(start(browser, slug, **{"with": "friends", "name": "Ada", "players": "3"}))
        assert game.is_waiting and game.key and game.host == 0 and not game.listed
        assert game.turn_time is None and levels(game) == ["", "", ""]
        seats = list(game.seats.order_by("index"))
        assert [seat.user for seat in seats] == [owner, None, None]
        assert [seat.name for seat in seats] == ["Ada", "", ""]
        assert game.ranked and not game.seed.startswith("5e5e")

    def test_every_seat_by_itself(self, browser, owner, slug):
        usual, other = list(registry.get(slug).levels)[:2]
        fields = {"players": "5", "level": other, "level-0": "open", "level-3": "me"}
        fields |= {"level-4": usual, "listed": "1", "turn_time": "86400", "pace": "slow"}
        game = game_of(start(browser, slug, **fields))
        assert levels(game) == ["", other, other, "", usual]
        assert game.seats.get(user=owner).index == game.host == 3
        assert game.is_waiting and game.listed and game.turn_time == 86400

    def test_another_seat_among_bots(self, browser, owner, slug):
        game = game_of(start(browser, slug, **{"players": "3", "level-2": "me"}))
        assert not game.is_waiting and game.key is None and game.host is None
        assert game.seats.get(user=owner).index == 2
        assert game.seats.exclude(bot="").exclude(name="").count() == 2

    def test_the_first_seat_of_which_nothing_is_said_is_ones_own(self, browser, owner, slug):
        game = game_of(start(browser, slug, **{"players": "3", "level-0": "open"}))
        assert game.seats.get(user=owner).index == game.host == 1

    def test_two_clicks_are_one_on_any_seat(self, owner, slug):
        fields = {"players": "3", "level-1": "me", "once": TOKEN}
        for more in ({}, {"with": "friends"}):
            games = [game_of(start(Browser(owner), slug, **fields, **more)) for _ in range(2)]
            assert games[0] == games[1]
        assert Game.objects.count() == 2

    def test_clock_and_list_are_for_tables_with_others(self, browser, slug):
        game = game_of(start(browser, slug, players="3", listed="1", turn_time="45"))
        assert not game.listed and game.turn_time is None

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"with": "robots"}, "for bots or for friends"),
            ({"level-0": "me", "level-2": "me"}, "One seat is yours"),
            ({"level-0": "open", "level-1": "easy", "level-2": "open"}, "One seat is yours"),
            ({"level": "open"}, "no such level"),
            ({"level": "me"}, "no such level"),
            ({"with": "friends", "level": "strongest"}, "no such level"),
            ({"level-2": "closed"}, "no such level"),
            ({"with": "friends", "turn_time": "46"}, "45 seconds, one day"),
            ({"with": "friends", "turn_time": "-45"}, "45 seconds, one day"),
            ({"with": "friends", "turn_time": "\0"}, "45 seconds, one day"),
            ({"with": "friends", "name": ""}, "what to call you"),
            ({"level-1": "open", "name": " "}, "what to call you"),
            ({"with": "friends", "name": "x"}, "2 to 20 characters"),
            ({"with": "friends", "name": "staff"}, "kept for the site"),
            ({"with": "friends", "name": "Cleo"}, "belongs to an account"),
            ({"with": "friends", "practice": "1", "seed": SEED}, "knows every card"),
            ({"level-1": "open", "practice": "1", "seed": SEED}, "knows every card"),
        ],
    )
    def test_what_cannot_be_set_up(self, slug, fields, words):
        User.objects.create_user("Cleo")
        fields = {"name": "Mo"} | fields
        response = start(Browser(), slug, players="3", rounds="2", **fields)
        assert response.status_code == 400
        page = page_of(response)
        assert words in page.words and not Game.objects.exists()
        # The form comes again as it was posted.
        shown = {
            names["name"]: names["value"]
            for names in page.all("input", type="radio")
            if "checked" in names
        }
        assert shown["players"] == "3"
        assert shown["with"] == ("friends" if fields.get("with") == "friends" else "bots")
        [name] = page.all("input", name="name")
        assert name["value"] == fields.get("name", "")
        html = response.content.decode()
        for field in ("level-0", "level-1", "level-2"):
            [options] = re.findall(rf'<select name="{field}">(.*?)</select>', html, re.S)
            chosen = re.findall(r'value="([^"]*)" selected', options)
            assert chosen == (
                [fields[field]] if fields.get(field) in ("me", "open", "easy") else []
            )

    def test_practice_with_friends_without_a_seed(self, browser, slug):
        game = game_of(start(browser, slug, **{"with": "friends", "practice": "1"}))
        assert game.is_waiting and not game.ranked

    def test_the_page_for_friends(self, slug):
        page = page_of(Browser().look(f"/{slug}/new/?with=friends"))
        [checked] = [n["value"] for n in page.all("input", name="with") if "checked" in n]
        assert checked == "friends"
        for query in ("", "?with=", "?with=x"):
            page = page_of(Browser().look(f"/{slug}/new/{query}"))
            [checked] = [n["value"] for n in page.all("input", name="with") if "checked" in n]
            assert checked == "bots"

    def test_an_account_is_asked_for_no_name(self, slug):
        page = page_of(Browser(User.objects.create_user("Ada")).look(f"/{slug}/new/"))
        assert not page.all("input", name="name")
        assert [n["value"] for n in page.all("option", value="86400")] == ["86400"]


class TestService:
    @pytest.mark.parametrize(
        ("setup", "code"),
        [
            (Setup(2, bots=("easy",)), "players"),
            (Setup(13, bots=("easy",) * 12), "players"),
            (Setup(4, bots=("easy",) * 2), "bots"),
            (Setup(4, bots=("easy",) * 4), "bots"),
            (Setup(4), "bots"),
            (Setup(4, bots=("easy", "easy", "strongest")), "level"),
            (Setup(4, bots=("easy",) * 3, me=4), "bots"),
            (Setup(4, bots=("easy", "easy", ""), turn_time=46), "turn-time"),
            (Setup(4, bots=("easy",) * 3, pace=""), "pace"),
            (Setup(4, {"jokers": 4}, ("easy",) * 3), "options"),
            (Setup(4, {"rounds": "5"}, ("easy",) * 3), "options"),
        ],
    )
    def test_refusals_store_nothing(self, owner, slug, setup, code):
        before = stored()
        with pytest.raises(services.Refused) as caught:
            services.start_game(user=owner, slug=slug, setup=setup)
        assert (caught.value.status, caught.value.code) == (400, code)
        assert str(caught.value.message) and stored() == before

    def test_a_solitaire_has_no_others(self, owner):
        with pytest.raises(services.Refused) as caught:
            services.start_game(user=owner, slug="laws", setup=Setup(2, bots=("easy",)))
        assert caught.value.status == 400
        game, _user = services.start_game(user=owner, slug="laws", setup=Setup(1))
        assert game.players == 1 and game.result is None


class TestNames:
    def test_there_are_enough_and_no_two_alike(self):
        keys = {names.key(name) for name in bots.NAMES} | {names.look_key(n) for n in bots.NAMES}
        assert len({names.key(name) for name in bots.NAMES}) == len(bots.NAMES) >= 12
        assert all(name == names.clean(name) for name in bots.NAMES)
        assert names.key("Guest") not in keys

    @pytest.mark.parametrize("player", ["Basil", "BASIL", "Bаsil", "lnes", "TOMÁS"])
    def test_none_could_be_taken_for_the_player(self, player):
        keys = {names.key(player), names.look_key(player)}
        taken = {n for n in bots.NAMES if keys & {names.key(n), names.look_key(n)}}
        assert len(taken) == 1
        for number in (len(bots.NAMES) - 1, 11):
            for _ in range(20):
                chosen = bots.names_beside([player], number)
                assert len(set(chosen)) == number and not taken & set(chosen)

    def test_they_are_chosen_by_chance(self):
        assert len({tuple(bots.names_beside(["Ada"], 3)) for _ in range(20)}) > 10


class TestSeated:
    def test_who_sits_where(self, slug):
        ada = User.objects.create_user("Ada")
        game = new_table(slug, ada, players=4, level="steady")
        seated = services.take_seat(user=ada, slug=slug, game_id=game.pk)
        from ouroboros_site.play.tables import table as table_of

        shown = table_of(seated)
        assert shown.seat == 0 and [sitter.me for sitter in shown.people] == [True] + [False] * 3
        assert [sitter.name for sitter in shown.people] == [
            "Ada",
            *game.seats.filter(index__gt=0).order_by("index").values_list("name", flat=True),
        ]
        assert [sitter.bot for sitter in shown.people] == ["", "steady", "steady", "steady"]

    def test_a_list_shows_ones_own_seat(self, slug, owner, other):
        game = new_table(slug, owner)
        game.seats.filter(index=2).update(user=other, bot="", name="")
        seen = []
        kind = registry.get(slug)

        def summary(view):
            seen.append(view["hand"])
            return registry.Summary("so it stands")

        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(registry._kinds, slug, replaced(kind, summary=summary))
            for person, seat in ((owner, 0), (other, 2)):
                page = page_of(Browser(person).look("/"))
                assert "so it stands" in page.words and table(game) in page.links()
                assert seen.pop() == kind.rules.view(game.load(), seat)["hand"]
                assert not seen

    def test_finished_games_are_listed_too(self, slug, owner, browser):
        game = finish(new_table(slug, owner), owner)
        page = page_of(browser.look("/"))
        assert table(game) in page.links()
        # The same words as on the page of all one's games, and nothing of where it stood.
        assert "Left before the end · practice" not in page.words
        assert "Left before the end" in page.words and "round 1" not in page.words

    def test_what_a_finished_game_came_to(self, owner, browser):
        play_out("trick", owner)
        words = page_of(browser.look("/")).words
        assert re.search(r"(Survived|Lost) · \d+ tricks? played", words)
        game = play_out("ochs-esel", owner)
        points = sum(tally["points"][0] for tally in game.tallies)
        won = "Won" if 0 in game.result["winners"] else "Not won"
        assert f"{won}, {points} minus points · 2 rounds played" in page_of(browser.look("/")).words


def replaced(kind: registry.Kind, **more) -> registry.Kind:
    from dataclasses import replace

    return replace(kind, **more)
