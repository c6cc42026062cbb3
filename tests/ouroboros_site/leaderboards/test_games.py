"""Games at tables on a profile, and all finished games on the page of the one who played them."""

from datetime import timedelta

import pytest
from time_machine import travel

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services as leaderboards
from ouroboros_site.leaderboards.models import Result
from ouroboros_site.play import daily, services
from ouroboros_site.play.models import Game

from ..play.helpers import Browser, finish, guest, new_game, page_of
from .helpers import NOON, finished, named, sat
from .pages import at_most, tables_of
from .test_profile import facts

pytestmark = pytest.mark.django_db

OWN, PROFILE = "/account/games/", "/people/Ada/"


@pytest.fixture(autouse=True)
def clock():
    with travel(NOON, tick=False) as clock:
        yield clock


@pytest.fixture
def visitor() -> Browser:
    return Browser()


def hours(number: int):
    return NOON - timedelta(hours=number)


def lines_of(response) -> list[list[str]]:
    """The rows of the list of finished games."""
    tables = tables_of(response)
    heads = [table[0][:3] for table in tables.tables]
    return tables.tables[heads.index(["Game", "Result", "Finished"])][1:]


def ways_of(response) -> list[list[str]]:
    tables = tables_of(response)
    heads = [table[0][:3] for table in tables.tables]
    return tables.links[heads.index(["Game", "Result", "Finished"])][1:]


class TestNumbers:
    def history(self, ada: User) -> None:
        sat(ada, [10, 1, 1], [20, 1, 1], winners=(1, 2), at=hours(9))
        sat(ada, [0, 9, 9], winners=(0,), at=hours(8))
        sat(ada, [7, 0, 0], left=True, at=hours(7))
        sat(ada, [40, 0, 0], winners=(1,), others=(guest(),), at=hours(6))
        sat(ada, slug="trick", winners=(0, 1), at=hours(5))
        sat(ada, slug="trick", winners=(1, 2), at=hours(4))
        sat(ada, slug="trick", left=True, at=hours(3))
        sat(named("Bea"), [99, 0, 0], winners=(0,), at=hours(2))
        sat(ada, [99, 0, 0], winners=(0,), ranked=False, at=hours(1))

    @pytest.mark.parametrize("path", [PROFILE, OWN])
    def test_of_each_game_apart_by_who_sat_there(self, path):
        ada = named("Ada")
        self.history(ada)
        response = Browser(ada).look(path)
        shown = facts(response)
        # Trick; Ochs & Esel against bots; Ochs & Esel with people.
        assert shown["Games"] == ["3", "3", "1"]
        assert shown["Survived"] == ["1"] and shown["Lost"] == ["2"]
        assert shown["Won"] == ["1", "0"] and shown["Not won"] == ["2", "1"]
        # The rounds of a table that was left count: (10 + 20 + 0 + 7) / 4.
        assert shown["Minus points a round"] == ["9.3", "40.0"]
        assert shown["Best round"] == ["0", "40"] and shown["Worst round"] == ["20", "40"]
        words = page_of(response).words
        assert words.count("Against bots") == 2 and words.count("With people") == 1

    def test_of_a_guest_too(self):
        player = guest()
        self.history(player)
        shown = facts(Browser(player).look(OWN))
        assert shown["Games"] == ["3", "3", "1"] and shown["Minus points a round"][0] == "9.3"

    def test_pictures_over_time_and_as_tables(self, visitor):
        ada = named("Ada")
        self.history(ada)
        response = visitor.look(PROFILE)
        page = page_of(response)
        images = page.all("svg", role="img")
        # Trick has its share, Ochs & Esel the minus points besides.
        assert len(images) == 3
        idents = {names["id"] for _tag, names in page.elements if "id" in names}
        for image in images:
            assert {image["aria-labelledby"], image["aria-describedby"]} <= idents
        tables = tables_of(response).tables
        survived, won, points = [table for table in tables if table[0][0] == "Finished"]
        assert [row[1] for row in survived[1:]] == ["100", "50", "33"]
        assert [row[1] for row in won[1:]] == ["0", "50", "33", "25"]
        assert [row[1] for row in points[1:]] == ["15.0", "0.0", "7.0", "40.0"]
        assert points[1][0] == "2 Dec 2026, 03:00"

    def test_without_games_it_says_so(self, visitor):
        named("Ada")
        words = page_of(visitor.look(PROFILE)).words
        assert "Ouroboros Trick No ranked game finished yet." in words
        assert "Ochs & Esel No ranked game finished yet." in words

    def test_tables_without_a_round_have_no_picture_of_points(self, visitor):
        sat(named("Ada"), left=True)
        page = page_of(visitor.look(PROFILE))
        assert len(page.all("svg", role="img")) == 1
        assert "Best round" not in page.words


class TestList:
    def test_on_a_profile_are_results_with_replay_and_tally(self, visitor):
        ada = named("Ada")
        won = sat(ada, [3, 9, 9], [4, 9, 9], winners=(0,), at=hours(9))
        left = sat(ada, left=True, at=hours(8))
        lost = sat(ada, slug="trick", winners=(1,), at=hours(7))
        sat(ada, ranked=False, at=hours(6))
        finished(ada, 5)
        response = visitor.look(PROFILE)
        assert [row[:2] for row in lines_of(response)] == [
            ["Ouroboros Trick", "Lost"],
            ["Ochs & Esel", "Left before the end"],
            ["Ochs & Esel", "Won, 7 minus points"],
        ]
        assert ways_of(response) == [
            [f"/games/{lost.pk}/replay/"],
            [f"/games/{left.pk}/replay/"],
            [f"/games/{won.pk}/tally/", f"/games/{won.pk}/replay/"],
        ]

    def test_on_ones_own_page_is_every_finished_game(self):
        ada = named("Ada")
        tally = sat(ada, [3, 9, 9], winners=(0,), at=hours(9))
        practice = sat(ada, [8, 9, 9], winners=(1,), ranked=False, at=hours(8))
        solitaire = finished(ada, 5, at=hours(7))
        finished(ada, 1, slug="market", ranked=False, at=hours(6))
        new_game("trick", ada)
        sat(named("Bea"), winners=(0,))
        response = Browser(ada).look(OWN)
        assert [row[1] for row in lines_of(response)] == [
            "1 target defeated practice",
            "5 enemies navigated",
            "Not won, 8 minus points practice",
            "Won, 3 minus points",
        ]
        _market, laws, *others = ways_of(response)
        assert laws == [f"/games/{solitaire.pk}/replay/"]
        assert [ways[0] for ways in others] == [
            f"/games/{practice.pk}/tally/",
            f"/games/{tally.pk}/tally/",
        ]

    def test_what_practice_with_a_daily_deal_came_to_is_not_told(self):
        """It may have moved in with a guest, and is closed until one's own try is had."""
        ada = named("Ada")
        services.start_game(user=ada, slug="laws", day=daily.today())
        finished(ada, 7, ranked=False, day=daily.today())
        response = Browser(ada).look(OWN)
        assert [row[1] for row in lines_of(response)] == ["practice"]

    @pytest.mark.parametrize("slug", ["ochs-esel", "trick"])
    def test_a_game_that_a_bot_played_to_its_end_was_left(self, slug):
        ada, bob = named("Ada"), named("Bob")
        game = sat(ada, slug=slug, winners=(0, 1), others=(bob,))
        game.seats.filter(index=0).update(bot="easy")
        leaderboards.reenter_results(game=game)
        for user, left in ((ada, True), (bob, False)):
            for path in (OWN, f"/people/{user.username}/"):
                [line] = lines_of(Browser(user).look(path))
                assert ("Left before the end" in line[1]) == left

    def test_another_seat_of_the_table_is_told_as_its_own(self):
        ada, bob = named("Ada"), named("Bob")
        sat(ada, [3, 44, 9], winners=(0,), others=(bob,))
        (row,) = lines_of(Browser(bob).look(OWN))
        assert row[1] == "Not won, 44 minus points"

    @pytest.mark.parametrize("path", [PROFILE, OWN])
    def test_some_on_a_page(self, path):
        ada = named("Ada")
        for number in range(51):
            sat(ada, [number, 0, 0], winners=(0,), at=hours(200 - number))
        browser = Browser(ada)
        seen = []
        for page, rows, prev, following in ((1, 25, 0, 1), (2, 25, 1, 1), (3, 1, 1, 0)):
            with at_most(8):
                response = browser.look(f"{path}?page={page}")
            lines = lines_of(response)
            assert len(lines) == rows
            seen += [int(row[1].split()[1]) for row in lines]
            assert len(page_of(response).all("a", rel="prev")) == prev
            assert len(page_of(response).all("a", rel="next")) == following
        assert seen == list(range(50, -1, -1))
        for number in ("4", "0", "x", "-1", "9" * 50):
            assert browser.look(f"{path}?page={number}").status_code == 404

    def test_a_page_of_nothing_is_the_first_only(self):
        browser = Browser(named("Ada"))
        assert "No game of yours is finished yet" in page_of(browser.look(OWN)).words
        assert browser.look(f"{OWN}?page=2").status_code == 404

    def test_thousands_of_games_cost_no_more_queries(self, visitor):
        ada = named("Ada")
        model = sat(ada, [3, 9, 9], winners=(0,))
        result = Result.objects.values("seat", "slug", "people", "won", "retired").get()
        numbers = []
        for number in (300, 3000):
            first = Game.objects.count()
            games = Game.objects.bulk_create(
                Game(
                    slug=model.slug,
                    players=3,
                    seed=f"{first + i:064x}",
                    state=model.state,
                    finished=NOON,
                )
                for i in range(number)
            )
            Result.objects.bulk_create(
                Result(
                    game=game,
                    user=ada,
                    rounds=1,
                    points=i % 60,
                    best=i % 60,
                    worst=i % 60,
                    finished=NOON - timedelta(minutes=90 * (number - i)),
                    **result,
                )
                for i, game in enumerate(games)
            )
            with at_most(8) as queries:
                response = Browser.look(visitor, PROFILE)
            numbers.append(len(queries))
            page = page_of(response)
            drawn = [tag for tag, _names in page.elements if tag in ("rect", "path", "text")]
            assert len(drawn) < 60
        assert numbers[0] == numbers[1]
        assert facts(response)["Games"] == ["3301"]


class TestWho:
    def test_a_visitor_is_led_to_the_log_in_page(self, visitor):
        response = visitor.look(OWN)
        assert response.status_code == 302
        assert response["Location"].startswith("/account/log-in")

    def test_a_guest_is_told_how_to_keep_them(self):
        player = guest()
        finish(new_game("trick", player), player)
        page = page_of(Browser(player).look(OWN))
        assert "/account/sign-up" in page.links() and "Left before the end" in page.words

    def test_an_account_finds_it(self):
        ada = named("Ada")
        for path in ("/account/", PROFILE):
            assert OWN in page_of(Browser(ada).look(path)).links()
        assert OWN not in page_of(Browser(named("Bea")).look(PROFILE)).links()
        assert OWN in page_of(Browser(guest()).look("/account/")).links()

    def test_it_is_only_read(self):
        assert Browser(guest()).send(OWN).status_code == 405
