"""Profiles: who has one, at which address, what it tells, and what it costs."""

import re
from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from time_machine import travel

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.services import delete_account
from ouroboros_site.leaderboards import services
from ouroboros_site.leaderboards.models import Score
from ouroboros_site.leaderboards.profiles import streaks
from ouroboros_site.play.models import Game

from ..play.helpers import Browser, guest, page_of
from .helpers import NOON, finished, named
from .pages import at_most, tables_of

pytestmark = pytest.mark.django_db

DAY = NOON.date()


@pytest.fixture(autouse=True)
def clock():
    with travel(NOON, tick=False) as clock:
        yield clock


@pytest.fixture
def visitor() -> Browser:
    return Browser()


def facts(response) -> dict[str, list[str]]:
    """The numbers of the page under their names, in the order in which they stand there."""
    html = response.content.decode()
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"<dt>([^<]*)</dt>\s*<dd>([^<]*)</dd>", html):
        found.setdefault(name, []).append(value)
    return found


class TestAddress:
    def test_of_a_named_account(self, visitor):
        ada = named("Ada")
        assert ada.get_absolute_url() == "/people/Ada/"
        response = visitor.look("/people/Ada/")
        assert response.status_code == 200
        assert "No ranked game finished yet" in page_of(response).words

    @pytest.mark.parametrize("name", ["ada", "ADA", "\u0410da", "Ad\u0430"])
    def test_another_spelling_leads_to_the_canonical_one(self, visitor, name):
        # Case, and letters of another script that look the same.
        named("Ada")
        response = visitor.look(f"/people/{quote(name)}/")
        assert (response.status_code, response["Location"]) == (302, "/people/Ada/")

    @pytest.mark.parametrize("name", ["Zoë", "Олег", "नमस्ते", "小明明", "a-b_c", "Ærøskøbing"])
    def test_names_of_any_script(self, visitor, name):
        named(name)
        for address in (name, name.upper()):
            response = visitor.get(f"/people/{quote(address)}/", follow=True)
            assert response.status_code == 200
            assert name in page_of(response).words

    @pytest.mark.parametrize(
        "name",
        ["Nobody", "%00", "Ada%00", "%0A", "x" * 5000, "%F0%9F%90%8D", "Ad", "..%2F", "%FF",
         "%E2%80%8EAda"],
    )  # fmt: skip
    def test_nobody(self, visitor, name):
        named("Ada")
        response = visitor.look(f"/people/{name}/")
        assert response.status_code == 404
        page_of(response)

    def test_guests_have_none(self, visitor):
        user = guest()
        finished(user, 9)
        for name in (user.username, "Guest", "guest"):
            response = visitor.look(f"/people/{name}/")
            assert response.status_code == 404
            assert "Nobody here has this name" in page_of(response).words

    def test_nor_do_erased_accounts(self, visitor):
        delete_account(named("Ada"))
        assert visitor.look("/people/Ada/").status_code == 404

    def test_only_ones_own_leads_to_the_settings(self, visitor):
        ada = named("Ada")
        sentence = "Your account and its settings"
        assert sentence in page_of(Browser(ada).look("/people/Ada/")).words
        for browser in (visitor, Browser(named("Bea")), Browser(guest())):
            assert sentence not in page_of(browser.look("/people/Ada/")).words

    def test_nothing_private_is_on_it(self, visitor):
        ada = User.objects.create_user("Ada", email="ada@example.org")
        ada.suspended, ada.suspension = NOON, "cheated"
        ada.save()
        html = visitor.look("/people/Ada/").content.decode()
        assert "example.org" not in html and "cheated" not in html

    def test_it_is_only_read(self, visitor):
        named("Ada")
        assert visitor.send("/people/Ada/").status_code == 405


class TestScores:
    def test_games_best_mean_and_median_of_each_edition(self, visitor):
        ada = named("Ada")
        for value in (3, 10, 4, 20):
            finished(ada, value)
        finished(ada, 8, slug="market")
        finished(named("Bea"), 99)
        shown = facts(visitor.look("/people/Ada/"))
        assert shown["Ranked games"] == ["4", "1"]
        assert shown["Best"] == ["20", "8"]
        assert shown["Mean"] == ["9.3", "8.0"]
        assert shown["Median"] == ["7", "8"]

    def test_practice_struck_and_late_games_are_not_among_them(self, visitor):
        ada = named("Ada")
        finished(ada, 5)
        finished(ada, 60, ranked=False)
        finished(ada, 70, day=DAY, minutes=24 * 60 + 1)
        score = finished(ada, 80).score
        services.strike_score(score=score, by=named("Judge"), reason="why")
        response = visitor.look("/people/Ada/")
        assert facts(response)["Ranked games"] == ["1"]
        assert facts(response)["Best"] == ["5"]
        services.restore_score(score=score, by=named("Judge2"), reason="why")
        assert facts(visitor.look("/people/Ada/"))["Best"] == ["80"]

    def test_the_last_twenty_games_lead_to_their_replays(self, visitor):
        ada = named("Ada")
        games = [
            finished(ada, i, at=NOON - timedelta(hours=30 - i), slug=("laws", "market")[i % 2])
            for i in range(24)
        ]
        daily = finished(ada, 50, day=DAY)
        tables = tables_of(visitor.look("/people/Ada/"))
        _head, *rows = tables.tables[-1]
        assert [row[1] for row in rows] == ["50", *[str(i) for i in range(23, 4, -1)]]
        _head, first, *links = tables.links[-1]
        assert first == [f"/daily/laws/{DAY}/", f"/games/{daily.pk}/replay/"]
        assert links == [[f"/games/{game.pk}/replay/"] for game in games[:4:-1]]

    def test_charts_are_drawn_and_can_be_read(self, visitor):
        ada = named("Ada")
        for i, value in enumerate((3, 10, 4, 3)):
            finished(ada, value, at=NOON - timedelta(days=4 - i))
        response = visitor.look("/people/Ada/")
        page = page_of(response)
        images = page.all("svg", role="img")
        assert len(images) == 2
        idents = {names["id"] for _tag, names in page.elements if "id" in names}
        for image in images:
            assert {image["aria-labelledby"], image["aria-describedby"]} <= idents
        assert len(page.all("rect")) == 3
        spread, course, _last = tables_of(response).tables
        assert spread[1:] == [["3", "2"], ["4", "1"], ["10", "1"]]
        assert course[1:] == [
            ["28 Nov 2026, 12:00", "3"],
            ["29 Nov 2026, 12:00", "10"],
            ["30 Nov 2026, 12:00", "4"],
            ["1 Dec 2026, 12:00", "3"],
        ]

    def test_thousands_of_games_make_no_larger_page_and_no_more_queries(self, visitor):
        ada = named("Ada")
        model = finished(ada, 5)
        sizes, numbers = [], []
        for number in (400, 4000):
            first = Game.objects.count()
            games = Game.objects.bulk_create(
                Game(slug="laws", seed=f"{first + i:064x}", state=model.state, finished=NOON)
                for i in range(number)
            )
            Score.objects.bulk_create(
                Score(
                    game=game,
                    user=ada,
                    slug="laws",
                    value=i * 7919 % 90,
                    finished=NOON - timedelta(minutes=90 * (number - i)),
                )
                for i, game in enumerate(games)
            )
            with at_most(8) as queries:
                response = Browser.look(visitor, "/people/Ada/")
            numbers.append(len(queries))
            page = page_of(response)
            drawn = [tag for tag, _names in page.elements if tag in ("rect", "path", "text")]
            assert len(drawn) < 60
            sizes.append(len(response.content))
        assert numbers[0] == numbers[1]
        assert sizes[1] < 1.3 * sizes[0]
        assert facts(response)["Ranked games"] == ["4401"]


class TestStreaks:
    def test_shown(self, visitor, clock):
        ada = named("Ada")
        for days in (1, 2, 5, 6, 7):
            at = NOON - timedelta(days=days)
            finished(ada, 3, day=at.date(), at=at, slug=("laws", "market")[days % 2])
        # Neither practice, nor what was finished too late, nor a game of another deal.
        finished(ada, 3, day=DAY, ranked=False)
        finished(ada, 3)
        at = NOON - timedelta(days=3)
        finished(ada, 3, day=at.date(), at=NOON, minutes=72 * 60)
        assert self.of(visitor) == ("2", "3")
        finished(ada, 3, day=DAY)
        assert self.of(visitor) == ("3", "3")
        clock.move_to(datetime(2026, 12, 3, 23, 59, 59, tzinfo=UTC))
        assert self.of(visitor) == ("3", "3")
        clock.move_to(datetime(2026, 12, 4, tzinfo=UTC))
        assert self.of(visitor) == ("0", "3")

    def test_both_editions_on_a_day_are_one_day(self, visitor):
        ada = named("Ada")
        for slug in ("laws", "market"):
            finished(ada, 3, day=DAY, slug=slug)
        assert self.of(visitor) == ("1", "1")

    def test_a_try_counts_for_the_day_of_its_deal(self, visitor):
        ada = named("Ada")
        for day in (1, 2):
            at = datetime(2026, 12, day + 1, 23, tzinfo=UTC)
            finished(ada, 3, day=date(2026, 12, day), at=at, minutes=23 * 60 + 30)
        assert self.of(visitor) == ("2", "2")

    def of(self, visitor) -> tuple[str, str]:
        shown = facts(visitor.look("/people/Ada/"))
        return shown["Days in a row with a daily deal"][0], shown["The longest such streak"][0]

    @pytest.mark.parametrize(
        ("days", "today", "expected"),
        [
            ([], "2026-12-02", (0, 0)),
            (["2026-12-02"], "2026-12-02", (1, 1)),
            (["2026-12-01"], "2026-12-02", (1, 1)),
            (["2026-11-30"], "2026-12-02", (0, 1)),
            (["2026-12-31", "2027-01-01"], "2027-01-02", (2, 2)),
            (["2028-02-28", "2028-02-29", "2028-03-01"], "2028-03-01", (3, 3)),
            (["2027-02-28", "2027-03-01"], "2027-03-01", (2, 2)),
            (["2026-03-28", "2026-03-29", "2026-03-30"], "2026-03-31", (3, 3)),
            (["2026-10-24", "2026-10-25", "2026-10-26"], "2026-10-26", (3, 3)),
            (["2026-11-01", "2026-11-02", "2026-11-03", "2026-12-01"], "2026-12-02", (1, 3)),
        ],
    )
    def test_of_days(self, days, today, expected):
        days = {date.fromisoformat(day) for day in days}
        assert streaks(days, date.fromisoformat(today)) == expected


@given(st.sets(st.integers(-40, 0), max_size=30))
def test_streaks_by_their_definition(played):
    def run(end: int) -> int:
        return 1 + run(end - 1) if end in played else 0

    days = {DAY + timedelta(days=offset) for offset in played}
    expected = (run(0) or run(-1), max([run(end) for end in played], default=0))
    assert streaks(days, DAY) == expected
