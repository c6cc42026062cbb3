"""The boards of games of several seats: order and ranks, paging, one's own rank, cost."""

from datetime import timedelta

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from time_machine import travel

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.services import delete_account, name_guest
from ouroboros_site.leaderboards import standings
from ouroboros_site.leaderboards.models import Standing

from ..play.helpers import Browser, guest, page_of
from .helpers import NOON, named, sat
from .pages import at_most, plan, steps, tables_of, whole_scans

pytestmark = pytest.mark.django_db

BOTS, PEOPLE = "/boards/ochs-esel/", "/boards/ochs-esel/people/"
PATHS = (BOTS, PEOPLE, "/boards/trick/", "/boards/trick/people/")


@pytest.fixture(autouse=True)
def noon():
    with travel(NOON, tick=False):
        yield


@pytest.fixture
def visitor() -> Browser:
    return Browser()


def history(user: User, won: int, lost: int, **more) -> None:
    """So many games won and not won, one round each."""
    for number in range(won + lost):
        winners = (0,) if number < won else (1,)
        sat(user, [10 + number, 0, 0], winners=winners, at=NOON + timedelta(hours=number), **more)


def rows_of(response) -> list[tuple[int, str, int, int]]:
    """Rank, name, games won and games of every row, in order."""
    tables = tables_of(response).tables
    if not tables:
        return []
    _head, *rows = tables[0]
    return [(int(row[0]), row[1].removesuffix(" you"), int(row[2]), int(row[3])) for row in rows]


def fill(number: int, slug: str = "ochs-esel", *, people: bool = False, values: int = 90) -> None:
    """Put many accounts on a board at once."""
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
            "INSERT INTO leaderboards_standing (slug, people, user_id, games, won, rounds, points) "
            "SELECT %s, %s, id, %s + id %% 3, 1 + id * 7919 %% %s, 5, id %% 500 "
            "FROM accounts_user WHERE id > %s",
            [slug, people, values, values, first],
        )


class TestOrder:
    def test_more_games_won_then_fewer_games(self, visitor):
        history(named("Ada"), 2, 1)
        history(named("Bea"), 3, 9)
        history(named("Cleo"), 2, 0)
        history(named("Dora"), 2, 0)
        history(named("Eve"), 0, 1)
        shown = rows_of(visitor.look(BOTS))
        assert shown == [
            (1, "Bea", 3, 12),
            (2, "Cleo", 2, 2),
            (2, "Dora", 2, 2),
            (4, "Ada", 2, 3),
            (5, "Eve", 0, 1),
        ]

    def test_leaving_never_lifts(self, visitor):
        for name in ("Ada", "Bea"):
            history(named(name), 1, 0)
        sat(User.objects.get(username="Ada"), left=True)
        assert rows_of(visitor.look(BOTS)) == [(1, "Bea", 1, 1), (2, "Ada", 1, 2)]

    def test_minus_points_are_shown_and_change_nothing(self, visitor):
        history(named("Ada"), 1, 0)
        sat(named("Bea"), [1, 0, 0], [2, 0, 0], winners=(0,))
        response = visitor.look(BOTS)
        assert rows_of(response) == [(1, "Ada", 1, 1), (1, "Bea", 1, 1)]
        head, ada, bea = tables_of(response).tables[0]
        assert head[4] == "Minus points a round"
        assert (ada[4], bea[4]) == ("10.0", "1.5")
        assert "do not change the order" in page_of(response).words

    def test_without_a_finished_round_there_is_no_mean(self, visitor):
        sat(named("Ada"), left=True)
        assert tables_of(visitor.look(BOTS)).tables[0][1][4] == "–"

    def test_trick_tells_who_survived_and_no_points(self, visitor):
        sat(named("Ada"), slug="trick", winners=(0, 2))
        response = visitor.look("/boards/trick/")
        head, row = tables_of(response).tables[0]
        assert head == ["Rank", "Player", "Survived", "Games"] and row == ["1", "Ada", "1", "1"]
        assert "more games survived stands higher" in page_of(response).words

    def test_each_game_and_each_kind_of_table_has_its_own(self, visitor):
        ada = named("Ada")
        for slug, others, path in (
            ("ochs-esel", (), BOTS),
            ("ochs-esel", (guest(),), PEOPLE),
            ("trick", (), "/boards/trick/"),
            ("trick", (guest(),), "/boards/trick/people/"),
        ):
            assert rows_of(visitor.look(path)) == []
            sat(ada, slug=slug, winners=(0,), others=others)
            assert rows_of(visitor.look(path)) == [(1, "Ada", 1, 1)]

    def test_names_lead_to_profiles(self, visitor):
        history(named("Ada"), 1, 0)
        assert tables_of(visitor.look(BOTS)).links[0][1] == ["/people/Ada/"]

    def test_guests_and_practice_are_on_none(self, visitor):
        sat(guest(), winners=(0,))
        sat(named("Ada"), winners=(0,), ranked=False)
        for path in PATHS:
            response = visitor.look(path)
            assert rows_of(response) == []
            assert "Nobody is on this board yet" in page_of(response).words

    def test_a_guest_who_signs_up_is_and_a_deleted_account_is_no_more(self, visitor):
        player = guest()
        history(player, 2, 0)
        name_guest(guest=player, name="Ada", password="x")
        assert rows_of(visitor.look(BOTS)) == [(1, "Ada", 2, 2)]
        delete_account(player)
        assert rows_of(visitor.look(BOTS)) == []


class TestAddresses:
    def test_every_board_leads_to_every_other(self, visitor):
        for path in PATHS:
            links = page_of(visitor.look(path)).links()
            slug = path.split("/")[2]
            assert {f"/boards/{slug}/", f"/boards/{slug}/people/"} <= set(links)
            assert {"/boards/laws/", "/boards/market/"} <= set(links)
            other = {"trick": "ochs-esel", "ochs-esel": "trick"}[slug]
            assert path.replace(slug, other) in links
        assert {"/boards/trick/", BOTS} <= set(page_of(visitor.look("/boards/laws/week/")).links())

    @pytest.mark.parametrize(
        "path",
        [
            "/boards/laws/people/",
            "/boards/patience/people/",
            "/boards/trick/week/",
            "/boards/trick/today/",
            "/boards/ochs-esel/daily/2026-12-02/",
            "/daily/trick/",
        ],
    )
    def test_boards_that_there_are_not(self, visitor, path):
        response = visitor.look(path)
        assert response.status_code == 404
        assert "no such game" in page_of(response).words

    def test_they_are_only_read(self, visitor):
        for path in PATHS:
            assert visitor.send(path).status_code == 405


class TestPages:
    def test_fifty_rows_each(self, visitor):
        fill(120, values=7)
        seen = []
        for number, rows, prev, following in ((1, 50, 0, 1), (2, 50, 1, 1), (3, 20, 1, 0)):
            response = visitor.look(f"{BOTS}?page={number}")
            seen += rows_of(response)
            page = page_of(response)
            assert len(rows_of(response)) == rows
            assert len(page.all("a", rel="prev")) == prev
            assert len(page.all("a", rel="next")) == following
        assert len({name for _rank, name, _won, _games in seen}) == 120
        levels = [(-won, games) for _rank, _name, won, games in seen]
        assert levels == sorted(levels)
        # Few levels on 120 rows: ties lie across the ends of both pages.
        assert levels[49] == levels[50] and levels[99] == levels[100]
        ranks = [rank for rank, *_row in seen]
        assert ranks == [1 + sum(other < level for other in levels) for level in levels]

    @pytest.mark.parametrize("number", ["0", "2", "-1", "", "x", "%00", "999999", "1" * 5000])
    def test_numbers_that_are_no_page(self, visitor, number):
        history(named("Ada"), 1, 0)
        response = visitor.look(f"{BOTS}?page={number}")
        assert response.status_code == 404
        assert "no such page" in page_of(response).words


class TestMyRank:
    def test_on_the_page_itself(self):
        ada = named("Ada")
        history(named("Bea"), 9, 0)
        history(ada, 4, 1)
        page = page_of(Browser(ada).look(BOTS))
        assert "Your rank is 2 , with 4 of 5 won." in page.words
        assert "#me" in page.links() and len(page.all("tr", id="me")) == 1
        assert "Ada you" in page.words and "Bea you" not in page.words

    def test_far_down(self):
        fill(170)
        ada = named("Ada")
        history(ada, 0, 1)
        browser = Browser(ada)
        for start in ("", "?page=2"):
            page = page_of(browser.look(f"{BOTS}{start}"))
            assert "Your rank is 171 , with 0 of 1 won." in page.words
            assert "?page=4#me" in page.links()
        assert len(page_of(browser.look(f"{BOTS}?page=4")).all("tr", id="me")) == 1

    def test_without_a_game_there(self):
        history(named("Bea"), 1, 0)
        ada = named("Ada")
        sat(ada, winners=(0,), slug="trick")
        assert "You have no game on this board yet" in page_of(Browser(ada).look(BOTS)).words

    @pytest.mark.parametrize("make", [guest, lambda: None], ids=["guest", "visitor"])
    def test_who_has_no_name_is_told_how_to_get_on(self, make):
        history(named("Bea"), 1, 0)
        page = page_of(Browser(make()).look(BOTS))
        assert "Only named accounts are on the boards" in page.words
        assert any(link.startswith("/account/sign-up") for link in page.links())


class TestAnyBoard(TestCase):
    @settings(max_examples=25)
    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=9))
    def test_page_and_place_agree(self, played):
        for number, (won, lost) in enumerate(played):
            user = named(f"Ann{number}")
            Standing.objects.create(
                user=user, slug="trick", people=False, games=won + lost, won=won
            )
        shown = standings.rows("trick", False)
        assert len(shown) == len(played)
        for at, row in enumerate(shown):
            better = [
                (won, lost)
                for won, lost in played
                if (-won, won + lost) < (-row.standing.won, row.standing.games)
            ]
            assert row.rank == 1 + len(better)
            place = standings.place("trick", False, row.standing.user)
            assert (place.rank, place.page) == (row.rank, 1)
            rest = standings.rows("trick", False, at, 3)
            assert [(each.rank, each.standing.pk) for each in rest] == [
                (each.rank, each.standing.pk) for each in shown[at : at + 3]
            ]


class TestCosts:
    @pytest.mark.parametrize("people", [False, True])
    def test_five_queries_at_most(self, people):
        ada = named("Ada")
        history(ada, 0, 1, others=(guest(),) if people else ())
        fill(170, people=people)
        for user in (None, guest(), named("Bea"), ada):
            browser = Browser(user)
            for number in (1, 2, 4):
                with at_most(5):
                    response = browser.look(f"{PEOPLE if people else BOTS}?page={number}")
                assert len(rows_of(response)) == (50 if number < 4 else 21)

    def test_no_query_goes_over_a_whole_table(self):
        ada = named("Ada")
        history(ada, 0, 1)
        for slug in ("ochs-esel", "trick"):
            for people in (False, True):
                fill(20_000, slug, people=people)
        if connection.vendor == "postgresql":
            connection.cursor().execute("ANALYZE")
        browser = Browser(ada)
        plans = {}
        for path in (BOTS, f"{BOTS}?page=40", "/boards/trick/people/"):
            with at_most(5) as queries:
                assert len(rows_of(browser.look(path))) == 50
            for query in queries:
                if "leaderboards_standing" in query["sql"]:
                    plans[query["sql"]] = plan(query["sql"])
        # A page and one's own place for each board; further down the rank of the first row.
        assert len(plans) == 2 * 2 + 2
        for sql, lines in plans.items():
            assert not whole_scans(lines), (sql, lines)
            assert "standings_in_order" in str(lines), (sql, lines)

    @pytest.mark.skipif(
        "connection.vendor != 'sqlite'",
        reason="counts SQLite's own steps; the plans are looked at on both databases",
    )
    def test_a_large_board_costs_no_more_than_a_small_one(self):
        fill(200)
        ada = named("Ada")
        history(ada, 40, 60)
        small = steps(lambda: standings.rows("ochs-esel", False, 0, 51))
        fill(50_000)
        assert steps(lambda: standings.rows("ochs-esel", False, 0, 51)) < 1.2 * small
        assert steps(lambda: standings.rows("ochs-esel", False, 45_000, 51)) < 50_000 * 12
        assert steps(lambda: standings.place("ochs-esel", False, ada)) < 50_000 * 5
