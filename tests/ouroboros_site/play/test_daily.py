"""The daily deal: one for everyone, one try each, and what is told of it to whom and when."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.services import merge_guest
from ouroboros_site.engine.shuffle import check_seed
from ouroboros_site.leaderboards.models import Best, Score
from ouroboros_site.leaderboards.services import strike_score
from ouroboros_site.play import daily, services
from ouroboros_site.play.models import DailyDeal, Game, Seat, Try
from ouroboros_site.play.services import Refused

from .helpers import TOKEN, at_once, finish, guest, legal, new_game, stored, submit

pytestmark = pytest.mark.django_db

DAY = date(2026, 12, 2)
MORNING = datetime(2026, 12, 2, 9, tzinfo=UTC)
EVE = datetime(2026, 12, 2, 23, 59, tzinfo=UTC)


def begin(user, slug="laws", day=DAY, token=None) -> Game:
    game, _user = services.start_game(user=user, slug=slug, day=day, token=token)
    return game


def retire(game: Game, user: User) -> Game:
    return finish(game, user)


@pytest.fixture
def clock():
    with time_machine.travel(MORNING, tick=False) as clock:
        yield clock


@pytest.mark.usefixtures("clock")
class TestDeal:
    def test_the_same_for_everyone_another_one_each_day_and_edition(self, slug):
        one, two = begin(guest(), slug), begin(User.objects.create_user("Ada"), slug)
        assert one.seed == two.seed and one.state == two.state and one.pk != two.pk
        assert one.ranked and one.daily == two.daily and one.daily.date == DAY
        others = {
            daily.deal_of(name, day).seed
            for name in ("laws", "market")
            for day in (DAY, DAY + timedelta(days=1), DAY - timedelta(days=1))
        }
        assert len(others) == 6 and one.seed in others

    def test_its_seed_follows_from_the_secret_and_the_date(self, settings):
        seed = check_seed(daily.deal_of("laws", DAY).seed)
        DailyDeal.objects.all().delete()
        assert daily.deal_of("laws", DAY).seed == seed
        DailyDeal.objects.all().delete()
        settings.SECRET_KEY = "another secret of another server, just as long as it must be"
        assert daily.deal_of("laws", DAY).seed != seed

    def test_a_new_secret_changes_no_deal_that_was_seen(self, settings):
        seed = daily.deal_of("laws", DAY).seed
        settings.SECRET_KEY = "another secret of another server, just as long as it must be"
        assert daily.deal_of("laws", DAY).seed == seed

    @pytest.mark.parametrize(
        "zone", ["America/Los_Angeles", "Europe/Budapest", "Pacific/Kiritimati"]
    )
    @pytest.mark.parametrize(
        ("at", "day"),
        [
            ("2026-12-02T23:59:59.999+00:00", date(2026, 12, 2)),
            ("2026-12-03T00:00:00+00:00", date(2026, 12, 3)),
            ("2026-12-31T23:59:59+00:00", date(2026, 12, 31)),
            ("2027-01-01T00:00:00+00:00", date(2027, 1, 1)),
            ("2028-02-29T12:00:00+00:00", date(2028, 2, 29)),
            # The clocks of Europe and of America go forward and back; the day is UTC's.
            ("2027-03-28T00:59:59+00:00", date(2027, 3, 28)),
            ("2027-03-28T01:00:00+00:00", date(2027, 3, 28)),
            ("2026-10-25T00:30:00+00:00", date(2026, 10, 25)),
            ("2026-11-01T08:59:59+00:00", date(2026, 11, 1)),
        ],
    )
    def test_the_day_is_utc_wherever_the_server_stands(self, clock, at, day, zone):
        from django.utils import timezone

        clock.move_to(datetime.fromisoformat(at))
        with timezone.override(zone):
            assert daily.today() == day
            deal = daily.deal_of("laws", daily.today())
            assert deal.ends <= deal.closes == deal.ends + timedelta(hours=24)
            assert deal.ends - timedelta(days=1) <= datetime.fromisoformat(at) < deal.ends


@pytest.mark.usefixtures("clock")
class TestOneTry:
    def test_whoever_has_begun_goes_on(self, slug):
        user = guest()
        game = begin(user, slug)
        submit(game, user, legal(game)[0])
        assert begin(user, slug) == game
        retire(game, user)
        assert begin(user, slug, token=TOKEN) == game
        assert Try.objects.count() == Game.objects.count() == 1

    def test_each_day_has_its_own(self, clock):
        user = guest()
        first = begin(user)
        clock.shift(timedelta(days=1))
        assert begin(user, day=DAY + timedelta(days=1)) != first
        assert Try.objects.count() == 2

    @pytest.mark.parametrize("days", [-1, 1, -400])
    def test_only_todays_can_be_begun(self, days):
        with pytest.raises(Refused) as refused:
            begin(guest(), day=DAY + timedelta(days=days))
        assert (refused.value.status, refused.value.code) == (409, "new-day")
        assert not DailyDeal.objects.exists() and not Game.objects.exists()

    def test_a_page_of_yesterday_leads_to_todays_deal(self, client, clock):
        answer = client.post("/laws/start", {"day": "2026-12-01"}, follow=True)
        assert answer.redirect_chain == [("/daily/laws/", 302)]
        assert "A new day has begun" in answer.content.decode()
        assert not Game.objects.exists()

    @pytest.mark.parametrize("day", ["x", "2026-13-01", "9999-99-99", "2026-12-02\0"])
    def test_what_is_no_day_starts_nothing(self, client, day):
        assert client.post("/laws/start", {"day": day}).status_code == 400
        assert not Game.objects.exists()

    def test_through_the_page(self, client):
        answer = client.post("/laws/start", {"day": "2026-12-02"})
        game = Game.objects.get()
        assert answer.headers["Location"] == f"/laws/{game.pk}/"
        assert game.try_of.deal == game.daily and game.try_of.user.is_guest

    def test_there_is_no_practice_of_it_by_its_day(self, client):
        answer = client.post("/laws/start", {"day": "2026-12-02", "practice": "1"})
        assert answer.status_code == 400
        assert not Game.objects.exists()

    def test_a_suspended_account_has_none(self):
        user = User.objects.create_user("Ada", suspended=MORNING)
        with pytest.raises(Refused) as refused:
            begin(user)
        assert refused.value.status == 403


@pytest.mark.usefixtures("clock")
class TestTwoAtOnce:
    @pytest.mark.django_db(transaction=True)
    def test_two_tries_at_once_are_one_game(self, slug):
        user, day = guest(), daily.today()
        deal = daily.deal_of(slug, day)
        calls = [lambda: services.start_game(user=user, slug=slug, day=day)] * 4
        games = {game.pk for game, _user in at_once(*calls)}
        assert len(games) == 1 == Try.objects.filter(deal=deal).count()
        assert Game.objects.count() == 1

    @pytest.mark.django_db(transaction=True)
    def test_the_first_two_of_a_day(self, slug):
        # Neither finds the deal stored.
        users, day = [guest(), guest(), guest()], daily.today()
        calls = [
            lambda user=user: services.start_game(user=user, slug=slug, day=day) for user in users
        ]
        assert len({game.pk for game, _user in at_once(*calls)}) == 3
        assert DailyDeal.objects.count() == 1

    @pytest.mark.django_db(transaction=True)
    def test_a_double_click_of_a_new_visitor(self, slug):
        from django.contrib.auth.models import AnonymousUser

        day = daily.today()
        calls = [
            lambda: services.start_game(user=AnonymousUser(), slug=slug, day=day, token=TOKEN)
        ] * 3
        assert len({(game.pk, user.pk) for game, user in at_once(*calls)}) == 1
        assert Game.objects.count() == User.objects.count() == 1


@pytest.mark.usefixtures("clock")
class TestInTime:
    @pytest.mark.parametrize(
        ("after", "counts"),
        [
            (timedelta(minutes=2), True),
            (timedelta(hours=24), True),
            (timedelta(hours=24, seconds=1), False),
            (timedelta(days=400), False),
        ],
    )
    def test_a_try_begun_before_midnight(self, clock, after, counts):
        ada = User.objects.create_user("Ada")
        clock.move_to(EVE)
        game = begin(ada)
        clock.move_to(EVE + after)
        retire(game, ada)
        assert game.counts == counts
        assert list(Score.objects.values_list("daily", flat=True)) == [DAY] * counts

    def test_another_ranked_game_may_take_as_long_as_it_likes(self, clock):
        ada = User.objects.create_user("Ada")
        game = new_game("laws", ada)
        clock.shift(timedelta(days=400))
        retire(game, ada)
        assert Score.objects.get().daily is None


@pytest.mark.usefixtures("clock")
class TestWhoMayKnow:
    def test_after_ones_own_try(self):
        user, other = guest(), guest()
        game = begin(user)
        assert not daily.may_know(user, game.daily)
        retire(game, user)
        assert daily.may_know(user, game.daily)
        assert not daily.may_know(other, game.daily)

    def test_when_ones_own_time_is_up(self, clock):
        user = guest()
        game = begin(user)
        clock.shift(timedelta(hours=24))
        assert not daily.may_know(user, game.daily)
        clock.shift(timedelta(seconds=1))
        assert daily.may_know(user, game.daily)

    def test_all_once_no_try_can_be_open(self, clock):
        from django.contrib.auth.models import AnonymousUser

        deal = daily.deal_of("laws", DAY)
        clock.move_to(datetime(2026, 12, 3, 23, 59, 59, tzinfo=UTC))
        assert not daily.may_know(AnonymousUser(), deal)
        clock.move_to(datetime(2026, 12, 4, tzinfo=UTC))
        assert daily.may_know(AnonymousUser(), deal)

    def test_one_try_opens_one_deal(self):
        user = guest()
        retire(begin(user, "laws"), user)
        assert not daily.may_know(user, daily.deal_of("market", DAY))


@pytest.mark.usefixtures("clock")
class TestPractice:
    def test_with_the_same_deal_after_ones_own_try(self, slug):
        user = guest()
        game = retire(begin(user, slug), user)
        again, _user = services.start_game(user=user, slug=slug, ranked=False, seed=game.seed)
        assert again.daily == game.daily and not again.ranked
        retire(again, user)
        assert Score.objects.count() == Try.objects.count() == 1

    def test_before_it_a_seed_that_leaked_opens_nothing(self):
        early, late = guest(), guest()
        seed = retire(begin(early), early).seed
        before = stored()
        with pytest.raises(Refused) as refused:
            services.start_game(user=late, slug="laws", ranked=False, seed=seed)
        assert (refused.value.status, refused.value.code) == (409, "own-try-first")
        assert stored() == before

    def test_once_all_may_know(self, clock):
        seed = daily.deal_of("laws", DAY).seed
        clock.shift(timedelta(days=3))
        game, _user = services.start_game(user=guest(), slug="laws", ranked=False, seed=seed)
        assert game.daily.date == DAY


@pytest.mark.usefixtures("clock")
class TestMerging:
    """A guest's games move to an account; of two tries at one deal the earlier one counts."""

    def both(self, clock, first, second) -> tuple[Game, Game]:
        one = begin(first)
        clock.shift(timedelta(minutes=5))
        return one, begin(second)

    def test_games_scores_and_tries_move(self, clock):
        ada, visitor = User.objects.create_user("Ada"), guest()
        won = retire(new_game("laws", visitor), visitor)
        attempt = retire(begin(visitor, "market"), visitor)
        running = new_game("market", visitor)
        assert merge_guest(guest=visitor, account=ada) == 3
        assert set(Game.objects.of(ada)) == {won, attempt, running}
        assert set(Score.objects.values_list("user", "game")) == {
            (ada.pk, won.pk),
            (ada.pk, attempt.pk),
        }
        assert begin(ada, "market") == attempt
        assert not User.objects.filter(pk=visitor.pk).exists()

    @pytest.mark.parametrize("over", [False, True])
    def test_the_guests_try_was_earlier(self, clock, over):
        ada, visitor = User.objects.create_user("Ada"), guest()
        earlier, later = self.both(clock, visitor, ada)
        retire(later, ada)
        if over:
            retire(earlier, visitor)
        merge_guest(guest=visitor, account=ada)
        assert begin(ada) == earlier
        later.refresh_from_db()
        assert not later.ranked
        assert [score.game for score in Score.objects.all()] == [earlier] * over

    def test_the_accounts_try_was_earlier(self, clock):
        ada, visitor = User.objects.create_user("Ada"), guest()
        earlier, later = self.both(clock, ada, visitor)
        retire(later, visitor)
        merge_guest(guest=visitor, account=ada)
        assert begin(ada) == earlier
        later.refresh_from_db()
        assert not later.ranked and not Score.objects.exists()
        # It is practice with a deal that is still being tried: it opens when the try is over.
        with pytest.raises(Refused) as refused:
            services.take_seat(user=ada, slug="laws", game_id=later.pk)
        assert refused.value.code == "own-try-first"
        retire(earlier, ada)
        assert services.take_seat(user=ada, slug="laws", game_id=later.pk).game == later

    @pytest.mark.parametrize("over", [False, True])
    def test_a_struck_try_stays_the_try(self, clock, over):
        ada, visitor, chief = User.objects.create_user("Ada"), guest(), guest()
        earlier, later = self.both(clock, visitor, ada)
        retire(later, ada)
        if over:
            retire(earlier, visitor)
        strike_score(score=later.score, by=chief, reason="too good")
        merge_guest(guest=visitor, account=ada)
        assert begin(ada) == later
        assert list(Score.objects.values_list("game", "struck")) == [(later.pk, True)]
        assert later.score.decisions.count() == 1
        earlier.refresh_from_db()
        assert not earlier.ranked and not Best.objects.exists()

    def test_nobody_but_a_guest_is_merged(self):
        ada, bob = User.objects.create_user("Ada"), User.objects.create_user("Bob")
        game = new_game("laws", ada)
        assert merge_guest(guest=ada, account=bob) == 0
        assert merge_guest(guest=ada, account=ada) == 0
        assert list(Game.objects.of(ada)) == [game]

    @pytest.mark.django_db(transaction=True)
    def test_twice_at_once(self):
        ada, visitor = User.objects.create_user("Ada"), guest()
        new_game("laws", visitor)
        calls = [lambda: merge_guest(guest=visitor, account=ada)] * 3
        assert sorted(at_once(*calls)) == [0, 0, 1]

    @pytest.mark.django_db(transaction=True)
    def test_while_the_guest_starts_and_ends_games(self):
        # Whoever comes first: no game is without its player, no score without its game.
        ada, visitor = User.objects.create_user("Ada"), guest()
        game = new_game("laws", visitor)
        # Each request has found its own row of the guest.
        one, two, three = [User.objects.get(pk=visitor.pk) for _request in range(3)]

        def attempt(call):
            try:
                return call()
            except Refused as refused:
                return refused.code

        answers = at_once(
            lambda: attempt(lambda: merge_guest(guest=one, account=ada)),
            lambda: attempt(lambda: services.start_game(user=two, slug="laws")),
            lambda: attempt(lambda: retire(game, three)),
        )
        assert answers[1] == "gone" or isinstance(answers[1], tuple)
        assert not User.objects.filter(pk=visitor.pk).exists()
        assert all(seat.user == ada for seat in Seat.objects.all())
        game.refresh_from_db()
        assert Score.objects.filter(user=ada).count() == game.is_over
        assert Best.objects.filter(user=ada).exists() == game.is_over
