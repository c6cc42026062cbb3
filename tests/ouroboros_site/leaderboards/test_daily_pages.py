"""The pages of daily deals: what is shown before and after one's own try, past days, midnight."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from time_machine import travel

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.services import name_guest, suspend_user
from ouroboros_site.engine.shuffle import commitment
from ouroboros_site.leaderboards import services
from ouroboros_site.leaderboards.models import Best, Score
from ouroboros_site.play import daily
from ouroboros_site.play import services as play
from ouroboros_site.play.models import DailyDeal, Game, Try

from ..play.helpers import EDITIONS, Browser, finish, guest, page_of, table
from .helpers import NOON, finished, named
from .pages import at_most, rows_of, tables_of

pytestmark = pytest.mark.django_db

DAY = NOON.date()
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def clock():
    """Stands still at noon of a Wednesday, until a test moves it."""
    with travel(NOON, tick=False) as clock:
        yield clock


@pytest.fixture(params=EDITIONS)
def slug(request) -> str:
    return request.param


def begin(user: User, slug: str = "laws") -> Game:
    """Today's try of a person."""
    game, _user = play.start_game(user=user, slug=slug, day=daily.today())
    return game


def form_fields(response, slug: str = r"\w+") -> dict[str, str]:
    """What the page's one form that starts a game sends, but for Django's own token."""
    html = response.content.decode()
    (form,) = re.findall(f'<form method="post" action="/{slug}/start".*?</form>', html, re.DOTALL)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    del fields["csrfmiddlewaretoken"]
    return fields


def has_form(response) -> bool:
    return any(
        (form["action"] or "").endswith("/start")
        for form in page_of(response).all("form", method="post")
    )


class TestToday:
    def test_a_visitor_sees_the_commitment_and_not_the_seed(self, slug):
        response = Browser().look(f"/daily/{slug}/")
        deal = DailyDeal.objects.get()
        assert (deal.slug, deal.date) == (slug, DAY)
        page = page_of(response)
        assert commitment(deal.seed) in page.words
        assert deal.seed not in response.content.decode()
        assert "The deal of 2 December 2026" in page.words

    def test_its_form_starts_the_one_try(self, slug):
        browser = Browser()
        fields = form_fields(browser.look(f"/daily/{slug}/"))
        assert fields["day"] == "2026-12-02" and re.fullmatch("[0-9a-f]{32}", fields["once"])
        response = browser.send(f"/{slug}/start", **fields)
        game = Game.objects.get()
        assert response["Location"] == table(game)
        assert game.ranked and game.daily == DailyDeal.objects.get()
        assert game.seed == game.daily.seed
        # The same form again, from a tab that stayed open, goes on with it.
        assert browser.send(f"/{slug}/start", **fields)["Location"] == table(game)
        assert Try.objects.count() == 1

    def test_a_begun_try_is_gone_on_with(self, slug):
        ada = named("Ada")
        game = begin(ada, slug)
        response = Browser(ada).look(f"/daily/{slug}/")
        page = page_of(response)
        assert "Your try is not finished. It counts if it ends by 3 December, 12:00 UTC" in (
            page.words
        )
        assert table(game) in page.links()
        assert not has_form(response)
        assert game.seed not in response.content.decode()

    def test_after_the_try_result_rank_and_seed(self, slug):
        ada = named("Ada")
        finished(named("Bea"), 9, slug=slug, day=DAY)
        finished(named("Cleo"), 9, slug=slug, day=DAY)
        game = finished(ada, 4, slug=slug, day=DAY)
        response = Browser(ada).look(f"/daily/{slug}/")
        page = page_of(response)
        assert "Your score: 4" in page.words
        assert "Your rank on this day is 3 ." in page.words
        assert game.seed in page.words
        assert f"/games/{game.pk}/replay/" in page.links()
        proof = f"/verify/?game={slug}&seed={game.seed}&commitment={game.commitment}"
        assert proof in page.links()
        assert rows_of(response) == [(1, "Bea", 9), (1, "Cleo", 9), (3, "Ada", 4)]

    def test_after_the_try_the_same_deal_for_practice(self, slug):
        ada = named("Ada")
        game = begin(ada, slug)
        finish(game, ada)
        browser = Browser(ada)
        fields = form_fields(browser.look(f"/daily/{slug}/"))
        assert (fields["practice"], fields["seed"]) == ("1", game.seed)
        response = browser.send(f"/{slug}/start", **fields)
        practice = Game.objects.exclude(pk=game.pk).get()
        assert response["Location"] == table(practice)
        assert (practice.ranked, practice.daily, practice.seed) == (False, game.daily, game.seed)
        assert browser.look(table(practice)).status_code == 200

    def test_a_guest_is_told_how_to_get_on_the_board(self):
        user = guest()
        finished(user, 4, day=DAY)
        page = page_of(Browser(user).look("/daily/laws/"))
        assert "Your score: 4" in page.words and "Only named accounts" in page.words
        assert any(link.startswith("/account/sign-up") for link in page.links())
        assert "Your rank" not in page.words
        name_guest(guest=user, name="Ada", password="long enough, 17")
        assert "Your rank on this day is 1" in page_of(Browser(user).look("/daily/laws/")).words

    def test_a_struck_result(self):
        ada = named("Ada")
        score = finished(ada, 40, day=DAY).score
        services.strike_score(score=score, by=named("Judge"), reason="why")
        response = Browser(ada).look("/daily/laws/")
        page = page_of(response)
        assert "A reviewer has struck it from the boards" in page.words
        assert "Your rank" not in page.words and "Nobody is on this day’s board" in page.words

    def test_a_suspended_account_is_not_invited(self):
        ada = named("Ada")
        suspend_user(user=ada, reason="why")
        for path in ("/daily/laws/", "/daily/"):
            response = Browser(ada).look(path)
            assert not has_form(response)
            assert "suspended" in page_of(response).words

    def test_nobody_sees_the_seed_by_playing_the_other_edition(self):
        ada = named("Ada")
        finished(ada, 4, slug="market", day=DAY)
        response = Browser(ada).look("/daily/laws/")
        deal = DailyDeal.objects.get(slug="laws")
        assert deal.seed not in response.content.decode() and has_form(response)

    def test_ten_rows_of_the_board_and_the_way_to_all(self):
        for i in range(12):
            finished(named(f"p{i:02}"), i, day=DAY)
        response = Browser().look("/daily/laws/")
        assert len(rows_of(response)) == 10
        assert f"/boards/laws/daily/{DAY}/" in page_of(response).links()

    @pytest.mark.parametrize("path", ["/daily/", "/daily/laws/", f"/daily/laws/{DAY}/"])
    def test_pages_are_only_read(self, path):
        assert Browser().send(path).status_code == 405

    def test_a_game_that_is_none(self):
        for path in ("/daily/patience/", f"/daily/patience/{DAY}/"):
            response = Browser().look(path)
            assert response.status_code == 404
            assert "no such game" in page_of(response).words


class TestShare:
    def text(self, response) -> str:
        html = response.content.decode()
        (text,) = re.findall(r"<textarea[^>]*>(.*?)</textarea>", html, re.DOTALL)
        return text

    def test_it_betrays_nothing_of_the_deal(self, slug):
        ada = named("Ada")
        game = begin(ada, slug)
        finish(game, ada)
        browser = Browser(ada)
        at_the_table = self.text(browser.look(table(game)))
        assert self.text(browser.look(f"/daily/{slug}/")) == at_the_table
        assert "daily deal of 2026-12-02" in at_the_table
        edition = {"laws": "the Laws edition", "market": "the Market edition"}[slug]
        assert edition in at_the_table and "loop 1" in at_the_table and "○○" in at_the_table
        assert not re.search("[♥♦♠♣★]|[0-9a-f]{8}", at_the_table.replace("2026-12-02", ""))

    def test_nor_does_that_of_practice_with_it(self, slug):
        ada = named("Ada")
        game = begin(ada, slug)
        finish(game, ada)
        practice, _user = play.start_game(user=ada, slug=slug, ranked=False, seed=game.seed)
        finish(practice, ada)
        text = self.text(Browser(ada).look(table(practice)))
        assert "daily deal of 2026-12-02, practice" in text
        assert game.seed not in text

    def test_there_is_none_before_the_end(self):
        ada = named("Ada")
        begin(ada)
        assert "<textarea" not in Browser(ada).look("/daily/laws/").content.decode()


class TestOver:
    """The panel at the end of a table."""

    def page(self, game: Game, user: User):
        return page_of(Browser(user).look(table(game)))

    def test_a_daily_game_leads_to_its_deal_and_board(self, slug):
        ada = named("Ada")
        game = begin(ada, slug)
        finish(game, ada)
        page = self.page(game, ada)
        assert {
            f"/daily/{slug}/{DAY}/",
            f"/boards/{slug}/daily/{DAY}/",
            f"/games/{game.pk}/replay/",
        } <= set(page.links())
        assert "daily deal of 2 December 2026" in page.words
        assert "Only named accounts" not in page.words

    def test_a_ranked_game_leads_to_the_board_and_a_guest_to_signing_up(self, slug):
        user = guest()
        game, _user = play.start_game(user=user, slug=slug)
        assert "Only named accounts" not in self.page(game, user).words
        finish(game, user)
        page = self.page(game, user)
        assert {f"/boards/{slug}/", f"/games/{game.pk}/replay/"} <= set(page.links())
        assert "Only named accounts are on the boards. Sign up, and this score" in page.words
        assert any(link.startswith("/account/sign-up") for link in page.links())

    def test_practice_promises_no_board(self, slug):
        user = guest()
        game, _user = play.start_game(user=user, slug=slug, ranked=False)
        finish(game, user)
        page = self.page(game, user)
        assert f"/games/{game.pk}/replay/" in page.links()
        assert "on the boards" not in page.words and "counts on no board" not in page.words

    def test_a_late_game_says_so(self, clock):
        user = guest()
        game = begin(user)
        clock.shift(timedelta(hours=24, seconds=1))
        finish(game, user)
        page = self.page(game, user)
        assert "so it counts on no board" in page.words
        assert "Sign up, and this score" not in page.words


class TestTime:
    def test_begun_before_midnight_it_counts_for_its_day(self, clock):
        clock.move_to(datetime(2026, 12, 2, 23, 59, tzinfo=UTC))
        ada = named("Ada")
        game = begin(ada)
        clock.move_to(datetime(2026, 12, 3, 0, 0, tzinfo=UTC))
        browser = Browser(ada)
        # The new day has a deal of its own, the old one goes on.
        assert has_form(browser.look("/daily/laws/"))
        assert "not finished" in page_of(browser.look("/daily/laws/2026-12-02/")).words
        clock.move_to(datetime(2026, 12, 3, 23, 58, tzinfo=UTC))
        finish(game, ada)
        response = browser.look("/daily/laws/2026-12-02/")
        assert rows_of(response) == [(1, "Ada", 0)]
        assert "Your rank on this day is 1" in page_of(response).words
        assert rows_of(browser.look("/boards/laws/daily/2026-12-02/")) == [(1, "Ada", 0)]
        assert rows_of(browser.look("/boards/laws/daily/2026-12-03/")) == []
        # Of the other boards those of the day on which it ended.
        assert rows_of(browser.look("/boards/laws/today/")) == [(1, "Ada", 0)]

    def test_at_the_last_moment(self, clock):
        ada = named("Ada")
        game = begin(ada)
        clock.shift(timedelta(hours=24))
        assert "not finished. It counts" in page_of(Browser(ada).look(f"/daily/laws/{DAY}/")).words
        finish(game, ada)
        assert rows_of(Browser().look(f"/boards/laws/daily/{DAY}/")) == [(1, "Ada", 0)]

    def test_a_second_too_late_it_counts_nowhere(self, clock):
        ada = named("Ada")
        game = begin(ada)
        clock.shift(timedelta(hours=24, seconds=1))
        browser = Browser(ada)
        page = page_of(browser.look(f"/daily/laws/{DAY}/"))
        assert "not finished within 24 hours" in page.words and table(game) in page.links()
        finish(game, ada)
        page = page_of(browser.look(f"/daily/laws/{DAY}/"))
        assert "finished too late" in page.words and "Your rank" not in page.words
        assert not Best.objects.exists() and not Score.objects.exists()
        for span in (f"daily/{DAY}/", "", "week/", "today/"):
            assert rows_of(browser.look(f"/boards/laws/{span}")) == []

    def test_the_seed_opens_to_all_when_no_try_can_be_open(self, clock):
        deal = daily.deal_of("laws", DAY)
        path = f"/daily/laws/{DAY}/"
        users = (None, guest(), named("Ada"))
        for moment, opened in (
            (deal.ends - timedelta(seconds=1), False),
            (deal.ends, False),
            (deal.closes - timedelta(seconds=1), False),
            (deal.closes, True),
        ):
            clock.move_to(moment)
            for user in users:
                response = Browser(user).look(path)
                assert (deal.seed in response.content.decode()) is opened
                # The only form there is starts practice with it.
                assert has_form(response) is (opened or moment < deal.ends)
        assert form_fields(Browser().look(path))["practice"] == "1"

    def test_who_did_not_play_is_told_when_it_opens(self, clock):
        daily.deal_of("laws", DAY)
        clock.shift(timedelta(days=1))
        page = page_of(Browser().look(f"/daily/laws/{DAY}/"))
        assert "You did not play this deal on its day" in page.words
        assert "opens to all for practice on 4 December, 00:00 UTC" in page.words

    def test_an_old_form_leads_to_the_new_day(self, clock):
        browser = Browser()
        fields = form_fields(browser.look("/daily/laws/"))
        clock.shift(timedelta(days=1))
        response = browser.send("/laws/start", **fields)
        assert (response.status_code, response["Location"]) == (302, "/daily/laws/")
        assert not Game.objects.exists()
        page = page_of(browser.look("/daily/laws/"))
        assert "A new day has begun" in page.words and "3 December 2026" in page.words

    @pytest.mark.parametrize(
        ("now", "seconds", "following"),
        [
            ("2026-12-02T00:00:00", 86400, "2026-12-03T00:00:00"),
            ("2026-12-02T23:59:59", 1, "2026-12-03T00:00:00"),
            ("2026-12-31T18:30:00", 19800, "2027-01-01T00:00:00"),
            ("2028-02-28T12:00:00", 43200, "2028-02-29T00:00:00"),
            ("2028-02-29T12:00:00", 43200, "2028-03-01T00:00:00"),
            # Europe and America turn their clocks; these days have 24 hours all the same.
            ("2026-03-29T00:00:00", 86400, "2026-03-30T00:00:00"),
            ("2026-10-25T00:00:00", 86400, "2026-10-26T00:00:00"),
            ("2026-11-01T00:00:00", 86400, "2026-11-02T00:00:00"),
        ],
    )
    def test_the_countdown(self, clock, now, seconds, following):
        clock.move_to(datetime.fromisoformat(now).replace(tzinfo=UTC))
        for path in ("/daily/laws/", "/daily/"):
            (timer,) = page_of(Browser().look(path)).all("time", role="timer")
            assert timer["data-seconds"] == str(seconds)
            assert timer["datetime"] == f"{following}+00:00"
        assert DailyDeal.objects.filter(date=now[:10]).count() == 2

    def test_only_today_counts_down(self):
        daily.deal_of("laws", DAY - timedelta(days=3))
        page = page_of(Browser().look("/daily/laws/2026-11-29/"))
        assert not page.all("time", role="timer")
        assert "/daily/laws/" in page.links()


class TestPastDays:
    @pytest.mark.parametrize(
        "day", ["2026-12-01", "2026-12-03", "2026-12-05", "2099-01-01", "9999-12-31", "0001-01-01"]
    )
    def test_days_without_a_deal_are_not_found_and_get_none(self, day):
        response = Browser().look(f"/daily/laws/{day}/")
        assert response.status_code == 404
        assert "no daily deal on this day" in page_of(response).words
        assert not DailyDeal.objects.exists()

    def test_a_day_to_come_is_not_found_even_if_its_deal_is_stored(self):
        daily.deal_of("laws", DAY + timedelta(days=1))
        browser = Browser()
        assert browser.look("/daily/laws/2026-12-03/").status_code == 404
        assert browser.look("/boards/laws/daily/2026-12-03/").status_code == 404
        assert "/daily/laws/2026-12-03/" not in page_of(browser.look("/daily/laws/")).links()

    @pytest.mark.parametrize("day", ["2026-02-29", "2026-00-10", "0000-01-01", "yesterday"])
    def test_days_that_are_none(self, day):
        response = Browser().look(f"/daily/laws/{day}/")
        assert response.status_code == 404
        page_of(response)

    def test_today_has_its_lasting_address(self):
        response = Browser().look(f"/daily/laws/{DAY}/")
        assert has_form(response)

    def test_a_past_day_shows_its_own_result_and_board(self):
        day = date(2026, 11, 20)
        ada = named("Ada")
        finished(ada, 6, day=day, at=NOON - timedelta(days=12))
        finished(ada, 3, day=DAY)
        response = Browser(ada).look(f"/daily/laws/{day}/")
        page = page_of(response)
        assert "The deal of 20 November 2026" in page.words and "Your score: 6" in page.words
        assert rows_of(response) == [(1, "Ada", 6)]
        assert daily.deal_of("laws", day).seed in page.words


class TestCalendar:
    def month(self, response) -> dict[str, str]:
        """Day -> what stands there, of the month that is shown."""
        tables = tables_of(response)
        cells = [cell.replace(" ,", ",") for row in tables.tables[-1][1:] for cell in row if cell]
        return {re.split("[ ,]", cell)[0]: cell for cell in cells}

    def links(self, response) -> list[str]:
        return [link for row in tables_of(response).links[-1] for link in row]

    def test_stored_days_are_links_and_no_others(self):
        for day in (29, 30):
            daily.deal_of("laws", date(2026, 11, day))
        daily.deal_of("market", date(2026, 11, 28))
        daily.deal_of("laws", DAY + timedelta(days=1))
        browser = Browser()
        assert self.links(browser.look("/daily/laws/")) == ["/daily/laws/"]
        november = browser.look("/daily/laws/?month=2026-11")
        assert self.links(november) == ["/daily/laws/2026-11-29/", "/daily/laws/2026-11-30/"]
        assert list(self.month(november)) == [str(day) for day in range(1, 31)]

    def test_weeks_begin_on_monday(self):
        rows = tables_of(Browser().look("/daily/laws/")).tables[-1]
        assert rows[0] == ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
        # The first of December 2026 is a Tuesday.
        assert rows[1][:3] == ["", "1", "2"]
        assert all(len(row) == 7 for row in rows)

    def test_leap_day(self, clock):
        clock.move_to(datetime(2028, 2, 29, 12, tzinfo=UTC))
        response = Browser().look("/daily/laws/")
        assert list(self.month(response)) == [str(day) for day in range(1, 30)]
        assert self.links(response) == ["/daily/laws/"]

    def test_ones_own_results_and_nobody_elses(self, clock):
        ada, bea = named("Ada"), named("Bea")
        finished(ada, 17, day=date(2026, 11, 10), at=NOON - timedelta(days=22))
        finished(ada, 18, day=date(2026, 11, 11), at=NOON - timedelta(days=20), minutes=1441)
        struck = finished(ada, 19, day=date(2026, 11, 12), at=NOON - timedelta(days=20)).score
        services.strike_score(score=struck, by=bea, reason="why")
        finished(bea, 23, day=date(2026, 11, 13), at=NOON - timedelta(days=19))
        begin(ada)
        path = "/daily/laws/?month=2026-11"
        month = self.month(Browser(ada).look(path))
        assert month["10"] == "10, your score 17"
        assert month["11"] == "11 –, does not count"
        assert month["12"] == "12 –, does not count"
        assert month["13"] == "13" and month["14"] == "14"
        assert self.month(Browser(ada).look("/daily/laws/"))["2"] == "2 …, not finished"
        for user in (bea, None):
            assert "17" not in self.month(Browser(user).look(path))["10"]
        clock.shift(timedelta(hours=25))
        assert self.month(Browser(ada).look("/daily/laws/"))["2"] == "2 –, does not count"

    def test_turning_the_pages(self):
        for month in (9, 11):
            daily.deal_of("laws", date(2026, month, 15))
        browser = Browser()

        def turns(path: str) -> list[str | None]:
            page = page_of(browser.look(path))
            return [link["href"] for rel in ("prev", "next") for link in page.all("a", rel=rel)]

        assert turns("/daily/laws/") == ["?month=2026-11#h-past"]
        assert turns("/daily/laws/?month=2026-11") == [
            "?month=2026-10#h-past",
            "?month=2026-12#h-past",
        ]
        # A month in which no deal was asked for lies between two.
        assert len(turns("/daily/laws/?month=2026-10")) == 2
        assert turns("/daily/laws/?month=2026-09") == ["?month=2026-10#h-past"]
        assert turns("/daily/laws/2026-09-15/") == ["?month=2026-10#h-past"]

    @pytest.mark.parametrize(
        "month",
        ["2027-01", "2026-11", "9999-12", "0001-01", "0000-12", "2026-13", "2026-00", "2026-1", "x",
         "", "2026-12-01", "%00", "%D9%A2026-12", "2026-12%0A", "1" * 5000],
    )  # fmt: skip
    def test_months_that_cannot_be_looked_at(self, month):
        response = Browser().look(f"/daily/laws/?month={month}")
        assert response.status_code == 404
        assert "month" in page_of(response).words


class TestBothEditions:
    def test_side_by_side(self):
        ada = named("Ada")
        finished(named("Bea"), 9, day=DAY)
        game = finished(ada, 4, day=DAY)
        market = begin(ada, "market")
        response = Browser(ada).look("/daily/")
        page = page_of(response)
        assert {
            "/daily/laws/",
            "/daily/market/",
            f"/games/{game.pk}/replay/",
            table(market),
            f"/boards/laws/daily/{DAY}/",
            f"/boards/market/daily/{DAY}/",
            "/people/Bea/",
        } <= set(page.links())
        assert "Your rank on this day is 2" in page.words
        for deal in DailyDeal.objects.all():
            assert deal.commitment in page.words and deal.seed not in page.words

    def test_both_can_be_started(self):
        browser = Browser()
        response = browser.look("/daily/")
        for slug in EDITIONS:
            fields = form_fields(response, slug)
            assert browser.send(f"/{slug}/start", **fields).status_code == 302
        assert {game.slug for game in Game.objects.exclude(daily=None)} == set(EDITIONS)

    def test_the_home_page_leads_to_each(self):
        links = page_of(Browser().look("/")).links()
        assert {"/daily/laws/", "/daily/market/", "/boards/"} <= set(links)


def test_the_number_of_queries_does_not_grow():
    ada = named("Ada")
    for day in range(1, 3):
        finished(ada, 5, day=date(2026, 12, day), at=NOON - timedelta(days=2 - day))
    browser, numbers = Browser(ada), []
    browser.look("/daily/")  # makes the deals of today
    for others in (1, 30):
        for i in range(others):
            finished(named(f"p{others}x{i}"), i, day=DAY)
        for path in ("/daily/laws/", f"/daily/laws/{DAY}/", "/daily/"):
            with at_most(12) as queries:
                browser.look(path)
            numbers.append(len(queries))
    assert numbers[:3] == numbers[3:]
