"""Boards as everyone sees them: order and ranks, spans of time, paging, one's own rank, cost."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from time_machine import travel

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.services import delete_account, name_guest
from ouroboros_site.leaderboards import boards, services
from ouroboros_site.leaderboards.models import Best, Score
from ouroboros_site.play.models import DailyDeal

from ..play.helpers import Browser, guest, page_of
from .helpers import NOON, finished, named
from .pages import at_most, plan, rows_of, steps, tables_of, whole_scans

pytestmark = pytest.mark.django_db

DAY = NOON.date()
SPANS = {
    "all": "/boards/laws/",
    "week": "/boards/laws/week/",
    "today": "/boards/laws/today/",
    "daily": f"/boards/laws/daily/{DAY}/",
}


BOARDS = {
    "all": "laws/all",
    "week": "laws/week/2026-11-30",
    "today": f"laws/today/{DAY}",
    "daily": f"laws/daily/{DAY}",
}


@pytest.fixture(autouse=True)
def noon():
    """Wednesday noon, as long as a test does not travel on."""
    with travel(NOON, tick=False):
        yield


@pytest.fixture
def visitor() -> Browser:
    return Browser()


def fill(board: str, number: int, values: int = 90) -> None:
    """Put many accounts on a board at once; all with the same game, which no page here opens."""
    score = Score.objects.first() or finished(guest(), 1).score
    first = 1_000_000 + User.objects.count()
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %s) "
            "INSERT INTO accounts_user (id, username, name_key, password, first_name, last_name, "
            "email, is_superuser, is_staff, is_active, is_guest, suspension, sessions, "
            "preferences, date_joined) SELECT %s + i, 'p' || (%s + i), 'p' || (%s + i), '', '', "
            "'', '', FALSE, FALSE, TRUE, FALSE, '', 0, '{}', %s FROM n",
            [number, first, first, first, NOON],
        )
        cursor.execute(
            "INSERT INTO leaderboards_best (board, user_id, score_id, value, finished) "
            "SELECT %s, id, %s, 1 + id * 7919 %% %s, date_joined FROM accounts_user WHERE id > %s",
            [board, score.pk, values, first],
        )


class TestOrder:
    def test_ties_share_a_rank_in_the_order_of_finishing(self, visitor):
        games = {
            "Ada": finished(named("Ada"), 9, at=NOON),
            "Late": finished(named("Late"), 12, at=NOON),
            "Early": finished(named("Early"), 12, at=NOON - timedelta(minutes=1)),
            "Best": finished(named("Best"), 30, at=NOON),
        }
        response = visitor.look("/boards/laws/")
        names = ["Best", "Early", "Late", "Ada"]
        ranks = [1, 2, 2, 4]
        values = [30, 12, 12, 9]
        assert rows_of(response) == list(zip(ranks, names, values, strict=True))
        _head, *links = tables_of(response).links[0]
        for name, row in zip(names, links, strict=True):
            assert row == [f"/people/{name}/", f"/games/{games[name].pk}/replay/"]

    def test_of_each_account_the_best_game_counts(self, visitor):
        ada = named("Ada")
        for value in (3, 12, 12, 5):
            finished(ada, value)
        assert rows_of(visitor.look("/boards/laws/")) == [(1, "Ada", 12)]

    def test_each_game_has_its_own_boards(self, visitor):
        finished(named("Ada"), 3, slug="laws")
        finished(named("Bea"), 4, slug="market")
        assert rows_of(visitor.look("/boards/laws/")) == [(1, "Ada", 3)]
        response = visitor.look("/boards/market/")
        assert rows_of(response) == [(1, "Bea", 4)]
        assert "targets defeated" in page_of(response).words

    def test_guests_and_practice_are_on_none(self, visitor):
        finished(guest(), 50, day=DAY)
        finished(named("Ada"), 60, ranked=False)
        for path in SPANS.values():
            response = visitor.look(path)
            assert rows_of(response) == []
            assert "Nobody is on this board yet" in page_of(response).words

    def test_a_guest_enters_by_signing_up(self, visitor):
        user = guest()
        finished(user, 50, day=DAY)
        name_guest(guest=user, name="Ada", password="long enough, 17")
        for path in SPANS.values():
            assert rows_of(visitor.look(path)) == [(1, "Ada", 50)]

    def test_an_erased_account_leaves_and_ranks_close(self, visitor):
        erased = named("Erased-2026")
        finished(erased, 9)
        finished(named("Bea"), 4)
        delete_account(erased)
        response = visitor.look("/boards/laws/")
        assert rows_of(response) == [(1, "Bea", 4)]
        assert "Erased-2026" not in response.content.decode()


class TestOrderAsDefined(TestCase):
    @settings(max_examples=30, deadline=None)
    @given(
        scores=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=14),
        size=st.integers(1, 5),
    )
    def test_ranks_pages_and_standing(self, scores, size):
        users = [named(f"p{i}") for i in range(len(scores))]
        for user, (value, minute) in zip(users, scores, strict=True):
            finished(user, value, at=NOON + timedelta(minutes=minute))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(boards, "PAGE", size)
            pages = [
                boards.rows("laws/all", start, size) for start in range(0, len(users) + 1, size)
            ]
            standings = [boards.standing("laws/all", user) for user in users]
        rows = [row for page in pages for row in page]
        in_order = sorted(
            Best.objects.filter(board="laws/all"), key=lambda b: (-b.value, b.finished, b.pk)
        )
        assert [row.best for row in rows] == in_order
        values = [best.value for best in in_order]
        assert [row.rank for row in rows] == [
            1 + sum(other > value for other in values) for value in values
        ]
        for user, standing in zip(users, standings, strict=True):
            (row,) = [row for row in rows if row.best.user_id == user.pk]
            assert standing.rank == row.rank
            assert row in pages[standing.page - 1]


class TestSpans:
    def test_all_time_the_week_and_today(self, visitor):
        finished(named("Today"), 1, at=NOON)
        finished(named("Monday"), 2, at=datetime(2026, 11, 30, tzinfo=UTC))
        finished(named("Sunday"), 3, at=datetime(2026, 11, 29, 23, 59, 59, tzinfo=UTC))
        finished(named("LastYear"), 4, at=datetime(2025, 12, 2, 12, tzinfo=UTC))
        names = {
            span: [name for _rank, name, _value in rows_of(visitor.look(path))]
            for span, path in SPANS.items()
        }
        assert names == {
            "all": ["LastYear", "Sunday", "Monday", "Today"],
            "week": ["Monday", "Today"],
            "today": ["Today"],
            "daily": [],
        }

    @pytest.mark.parametrize(
        ("end", "still", "gone"),
        [
            # Midnight, and the midnight before a Monday.
            ("2026-12-02T23:59:59", "2026-12-02T23:59:59.999999", "2026-12-03T00:00:00"),
            # The last day of a year: the day ends with it, its ISO week (53) does not.
            ("2026-12-31T23:59:59", "2026-12-31T23:59:59.999999", "2027-01-01T00:00:00"),
            ("2028-02-29T23:59:59", "2028-02-29T23:59:59.999999", "2028-03-01T00:00:00"),
            # Clocks that people keep change on these days, UTC does not.
            ("2026-03-29T23:59:59", "2026-03-29T23:59:59", "2026-03-30T00:00:00"),
            ("2026-10-25T00:59:59", "2026-10-25T23:30:00", "2026-10-26T00:00:00"),
        ],
    )
    def test_today_ends_at_midnight_utc(self, visitor, end, still, gone):
        finished(named("Ada"), 5, at=utc(end))
        assert self.shown(visitor, still, "today/")
        assert not self.shown(visitor, gone, "today/")

    @pytest.mark.parametrize(
        ("end", "still", "gone"),
        [
            ("2026-11-30T00:00:00", "2026-12-06T23:59:59", "2026-12-07T00:00:00"),
            # A week over the new year, found from both of its sides.
            ("2026-12-28T00:00:00", "2027-01-03T23:59:59", "2027-01-04T00:00:00"),
            ("2027-01-03T23:59:59", "2026-12-31T00:00:00", "2027-01-04T00:00:00"),
            ("2028-02-28T10:00:00", "2028-03-05T23:59:59", "2028-03-06T00:00:00"),
            ("2026-03-29T23:59:59", "2026-03-29T23:59:59", "2026-03-30T00:00:00"),
        ],
    )
    def test_the_week_goes_from_monday_to_sunday(self, visitor, end, still, gone):
        finished(named("Ada"), 5, at=utc(end))
        assert self.shown(visitor, still, "week/")
        assert not self.shown(visitor, gone, "week/")
        assert self.shown(visitor, gone, "")

    def shown(self, visitor, now: str, span: str) -> bool:
        with travel(utc(now), tick=False):
            return rows_of(visitor.look(f"/boards/laws/{span}")) == [(1, "Ada", 5)]

    def test_the_daily_deal_of_any_day(self, visitor):
        yesterday = DAY - timedelta(days=1)
        finished(named("Ada"), 7, day=DAY)
        finished(named("Bea"), 8, day=yesterday, at=NOON - timedelta(days=1))
        assert rows_of(visitor.look(f"/boards/laws/daily/{DAY}/")) == [(1, "Ada", 7)]
        assert rows_of(visitor.look(f"/boards/laws/daily/{yesterday}/")) == [(1, "Bea", 8)]

    def test_todays_daily_board_is_there_before_its_deal_is(self, visitor):
        assert rows_of(visitor.look(f"/boards/laws/daily/{DAY}/")) == []
        assert not DailyDeal.objects.exists()

    @pytest.mark.parametrize("day", ["2026-12-01", "2026-12-03", "0001-01-01", "9999-12-31"])
    def test_days_without_a_deal(self, visitor, day):
        response = visitor.look(f"/boards/laws/daily/{day}/")
        assert response.status_code == 404
        assert "no daily deal on this day" in page_of(response).words
        assert not DailyDeal.objects.exists()

    @pytest.mark.parametrize("day", ["2026-02-30", "2026-13-01", "0000-01-01", "today", "2026-1-1"])
    def test_days_that_are_none(self, visitor, day):
        response = visitor.look(f"/boards/laws/daily/{day}/")
        assert response.status_code == 404
        page_of(response)

    def test_the_tabs_and_the_switch_lead_to_every_board(self, visitor):
        for path in SPANS.values():
            links = page_of(visitor.look(path)).links()
            assert set(SPANS.values()) <= set(links)
            assert path.replace("laws", "market") in links

    def test_the_way_to_the_boards(self, visitor):
        response = visitor.look("/boards/")
        assert (response.status_code, response["Location"]) == (302, "/boards/laws/")

    @pytest.mark.parametrize("span", ["", "week/", "today/", "daily/2026-12-02/"])
    def test_games_that_are_none(self, visitor, span):
        response = visitor.look(f"/boards/patience/{span}")
        assert response.status_code == 404
        assert "no such game" in page_of(response).words

    def test_they_are_only_read(self, visitor):
        for path in ("/boards/", *SPANS.values()):
            assert visitor.send(path).status_code == 405


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


class TestStruck:
    def test_is_gone_from_every_board_at_once_and_comes_back(self, visitor):
        ada, judge = named("Ada"), named("Judge")
        finished(named("Bea"), 4, day=DAY)
        score = finished(ada, 50, day=DAY).score
        both, one = [(1, "Ada", 50), (2, "Bea", 4)], [(1, "Bea", 4)]
        for decide, shown in (
            (None, both),
            (services.strike_score, one),
            (services.restore_score, both),
        ):
            if decide:
                assert decide(score=score, by=judge, reason="why")
            for path in SPANS.values():
                assert rows_of(visitor.look(path)) == shown

    def test_leaves_the_account_its_next_best(self, visitor):
        ada = named("Ada")
        finished(ada, 7)
        score = finished(ada, 50).score
        services.strike_score(score=score, by=named("Judge"), reason="why")
        assert rows_of(visitor.look("/boards/laws/")) == [(1, "Ada", 7)]


class TestPages:
    def test_fifty_rows_each(self, visitor):
        fill("laws/all", 120, values=7)
        seen = []
        for number, rows, prev, following in ((1, 50, 0, 1), (2, 50, 1, 1), (3, 20, 1, 0)):
            response = visitor.look(f"/boards/laws/?page={number}")
            seen += rows_of(response)
            page = page_of(response)
            assert len(rows_of(response)) == rows
            assert len(page.all("a", rel="prev")) == prev
            assert len(page.all("a", rel="next")) == following
            for link in page.all("a", rel="next"):
                assert link["href"] == f"?page={number + 1}"
        values = [value for _rank, _name, value in seen]
        assert len({name for _rank, name, _value in seen}) == 120
        assert values == sorted(values, reverse=True)
        # Seven values on 120 rows: ties lie across the ends of both pages.
        assert values[49] == values[50] and values[99] == values[100]
        assert [rank for rank, _name, _value in seen] == [
            1 + sum(other > value for other in values) for value in values
        ]
        assert rows_of(visitor.look("/boards/laws/")) == seen[:50]

    def test_a_full_last_page_has_none_after_it(self, visitor):
        fill("laws/all", 50)
        page = page_of(visitor.look("/boards/laws/"))
        assert not page.all("a", rel="next") and not page.all("a", rel="prev")

    @pytest.mark.parametrize(
        "number",
        ["0", "2", "-1", "", "x", "1.5", "1e1", "%00", "%D9%A1", "999999", "1" * 5000, " 1", "0x1"],
    )
    def test_numbers_that_are_no_page(self, visitor, number):
        finished(named("Ada"), 4)
        for path in SPANS.values():
            response = visitor.look(f"{path}?page={number}")
            assert response.status_code == 404
            assert "no such page" in page_of(response).words


class TestMyRank:
    def words(self, user: User | None, path: str = "/boards/laws/") -> str:
        return page_of(Browser(user).look(path)).words

    def test_on_the_page_itself(self):
        ada = named("Ada")
        finished(named("Bea"), 9)
        finished(ada, 4)
        response = Browser(ada).look("/boards/laws/")
        page = page_of(response)
        assert "Your rank is 2 , with 4." in page.words
        assert "#me" in page.links()
        assert len(page.all("tr", id="me")) == 1
        assert "Ada you" in page.words and "Bea you" not in page.words

    def test_far_down(self):
        fill("laws/all", 170)
        ada = named("Ada")
        finished(ada, 1)
        browser = Browser(ada)
        for start in ("", "?page=2"):
            page = page_of(browser.look(f"/boards/laws/{start}"))
            rank = 1 + Best.objects.filter(board="laws/all", value__gt=1).count()
            assert f"Your rank is {rank} , with 1." in page.words
            assert "?page=4#me" in page.links()
        assert len(page_of(browser.look("/boards/laws/?page=4")).all("tr", id="me")) == 1

    def test_without_a_score_there(self):
        finished(named("Bea"), 9)
        ada = named("Ada")
        finished(ada, 9, slug="market")
        assert "You have no score on this board yet" in self.words(ada)

    @pytest.mark.parametrize("make", [guest, lambda: None], ids=["guest", "visitor"])
    def test_who_has_no_name_is_told_how_to_get_on(self, make):
        finished(named("Bea"), 9)
        user = make()
        if user:
            finished(user, 99)
        page = page_of(Browser(user).look("/boards/laws/"))
        assert "Only named accounts are on the boards" in page.words
        assert any(link.startswith("/account/sign-up") for link in page.links())


class TestCosts:
    @pytest.mark.parametrize("span", SPANS)
    def test_five_queries_at_most(self, span):
        ada = named("Ada")
        finished(ada, 1, day=DAY)
        fill(BOARDS[span], 170)
        for user in (None, guest(), named("Bea"), ada):
            browser = Browser(user)
            for number in (1, 2, 4):
                with at_most(5):
                    response = browser.look(f"{SPANS[span]}?page={number}")
                assert len(rows_of(response)) == (50 if number < 4 else 21)

    def test_an_empty_board_and_pages_that_are_none(self):
        browser = Browser(named("Ada"))
        finished(named("Bea"), 1)
        for path in ("/boards/market/", "/boards/laws/?page=9", "/boards/laws/daily/2026-11-01/"):
            with at_most(5):
                browser.look(path)

    def test_no_query_goes_over_a_whole_table(self):
        ada = named("Ada")
        finished(ada, 1, day=DAY)
        for board in BOARDS.values():
            fill(board, 20_000)
        if connection.vendor == "postgresql":
            connection.cursor().execute("ANALYZE")
        browser = Browser(ada)
        plans = {}
        for path in [*SPANS.values(), "/boards/laws/?page=40", f"{SPANS['daily']}?page=7"]:
            with at_most(5) as queries:
                assert len(rows_of(browser.look(path))) == 50
            for query in queries:
                if "leaderboards_best" in query["sql"]:
                    plans[query["sql"]] = plan(query["sql"])
        # A page and one's own standing for each board; further down the rank of the first row.
        assert len(plans) == 4 * 2 + 2 * 2
        for sql, lines in plans.items():
            assert not whole_scans(lines), (sql, lines)
            assert "bests_in_order" in str(lines), (sql, lines)

    def test_a_whole_scan_would_be_found(self):
        for condition in ("value + 0 = 1", "board || '' = 'laws/all'"):
            assert whole_scans(plan(f"SELECT * FROM leaderboards_best WHERE {condition}"))

    @pytest.mark.skipif(
        "connection.vendor != 'sqlite'",
        reason="counts SQLite's own steps; the plans are looked at on both databases",
    )
    def test_a_large_board_costs_no_more_than_a_small_one(self):
        fill("laws/all", 200)
        ada = named("Ada")
        finished(ada, 60)
        small = steps(lambda: boards.rows("laws/all", 0, 51))
        fill("laws/all", 100_000)
        assert Best.objects.filter(board="laws/all").count() > 100_000
        assert steps(lambda: boards.rows("laws/all", 0, 51)) < 1.2 * small
        # Further down every place passed over costs a few steps along the index, and no look-up.
        assert steps(lambda: boards.rows("laws/all", 90_000, 51)) < 90_000 * 8
        assert steps(lambda: boards.standing("laws/all", ada)) < 100_000 * 4
