"""Scores: entered at the end of a game and nowhere else, the best of each account on each board."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services
from ouroboros_site.leaderboards.models import Best, Decision, Score, board_key

from ..play.helpers import WHOLE_GAMES, finish, guest, new_game, record, submit
from .helpers import NOON, assert_bests_follow_from_scores, finished, named, on_board

pytestmark = pytest.mark.django_db


class TestScore:
    @pytest.mark.parametrize("slug", ["laws", "market"])
    def test_a_game_played_to_its_end(self, slug):
        ada = named("Ada")
        data = record(WHOLE_GAMES[slug])
        game = new_game(slug, ada, seed=data["seed"])
        *moves, last = data["moves"]
        submit(game, ada, *moves)
        assert not Score.objects.exists()
        submit(game, ada, last)
        game.refresh_from_db()
        score = Score.objects.get()
        assert score.value == game.result["scores"][0] == game.state["score"]
        assert (score.game, score.user, score.slug) == (game, ada, slug)
        assert score.finished == game.finished
        assert on_board(f"{slug}/all") == [("Ada", score.value)]

    def test_a_game_retired_keeps_its_score(self):
        ada = named("Ada")
        finish(new_game("laws", ada), ada)
        assert on_board() == [("Ada", 0)]

    def test_practice_counts_nowhere(self):
        ada = named("Ada")
        finish(new_game("laws", ada, ranked=False), ada)
        assert not Score.objects.exists() and not Best.objects.exists()

    def test_a_guest_has_a_score_but_no_place_on_a_board(self):
        user = guest()
        finish(new_game("laws", user), user)
        assert Score.objects.get().user == user
        assert not Best.objects.exists()

    def test_the_pace_is_the_median_between_moves(self):
        ada = named("Ada")
        game = new_game("laws", ada, seed=record("laws-06-mixed")["seed"])
        moves = record("laws-06-mixed")["moves"][:4]
        submit(game, ada, *moves)
        for seconds, move in zip((0, 3, 5, 60), game.moves.order_by("ply"), strict=True):
            game.moves.filter(pk=move.pk).update(created=NOON + timedelta(seconds=seconds))
        finish(game, ada)
        assert Score.objects.get().seconds == 3


class TestBoards:
    def test_keys(self):
        assert board_key("laws") == "laws/all"
        assert board_key("laws", "week", date(2026, 11, 30)) == "laws/week/2026-11-30"

    @pytest.mark.parametrize(
        ("at", "monday", "day"),
        [
            (datetime(2026, 12, 2, 12, tzinfo=UTC), "2026-11-30", "2026-12-02"),
            (datetime(2026, 12, 6, 23, 59, 59, tzinfo=UTC), "2026-11-30", "2026-12-06"),
            (datetime(2026, 12, 7, 0, 0, 0, tzinfo=UTC), "2026-12-07", "2026-12-07"),
            # The week of a new year begins in the old one.
            (datetime(2027, 1, 1, 0, 0, 0, tzinfo=UTC), "2026-12-28", "2027-01-01"),
            (datetime(2028, 2, 29, 12, tzinfo=UTC), "2028-02-28", "2028-02-29"),
        ],
    )
    def test_day_and_week_are_utc(self, at, monday, day):
        finished(named("Ada"), 5, at=at)
        boards = set(Best.objects.values_list("board", flat=True))
        assert boards == {"laws/all", f"laws/week/{monday}", f"laws/today/{day}"}

    @pytest.mark.parametrize("zone", ["America/New_York", "Europe/Budapest", "Asia/Tokyo"])
    def test_the_zone_in_use_changes_nothing(self, zone, settings):
        from django.utils import timezone

        with timezone.override(zone):
            # In Budapest the clock has just been put back: 01:30 UTC is 02:30 for the second time.
            finished(named("Ada"), 5, at=datetime(2026, 10, 25, 1, 30, tzinfo=UTC))
            finished(named("Bob"), 5, at=datetime(2026, 10, 25, 23, 30, tzinfo=UTC))
        assert len(on_board("laws/today/2026-10-25")) == 2
        assert len(on_board("laws/week/2026-10-19")) == 2

    def test_the_best_of_each_account_counts_and_of_equal_ones_the_earlier(self):
        ada, bob = named("Ada"), named("Bob")
        first = finished(ada, 10)
        finished(ada, 10, at=NOON + timedelta(hours=1))
        finished(bob, 12, at=NOON + timedelta(hours=2))
        finished(ada, 3, at=NOON + timedelta(hours=3))
        assert on_board() == [("Bob", 12), ("Ada", 10)]
        assert Best.objects.get(board="laws/all", user=ada).score_id == first.pk
        assert_bests_follow_from_scores()

    def test_a_clock_put_back(self):
        ada = named("Ada")
        finished(ada, 10)
        earlier = finished(ada, 10, at=NOON - timedelta(seconds=1))
        assert Best.objects.get(board="laws/all").score_id == earlier.pk

    def test_equal_scores_stand_in_the_order_of_finishing(self):
        finished(named("Late"), 7, at=NOON + timedelta(minutes=1))
        finished(named("Early"), 7)
        assert on_board() == [("Early", 7), ("Late", 7)]

    def test_editions_are_apart(self):
        ada = named("Ada")
        finished(ada, 7, slug="laws")
        finished(ada, 9, slug="market")
        assert on_board("laws/all") == [("Ada", 7)] and on_board("market/all") == [("Ada", 9)]

    def test_a_daily_deal_in_time_is_on_its_own_board_too(self):
        day = NOON.date()
        finished(named("Ada"), 7, day=day)
        # Begun shortly before midnight, finished within 24 hours: it counts for its day.
        finished(named("Bob"), 8, day=day, at=NOON + timedelta(hours=35), minutes=23.9 * 60)
        finished(named("Late"), 9, day=day, at=NOON + timedelta(hours=35), minutes=24 * 60 + 0.1)
        assert on_board(board_key("laws", "daily", day)) == [("Bob", 8), ("Ada", 7)]
        assert on_board("laws/today/2026-12-03") == [("Bob", 8)]
        assert [name for name, _value in on_board()] == ["Bob", "Ada"]


class TestStriking:
    def test_struck_from_every_board_at_once_and_restored(self):
        ada, chief = named("Ada"), named("Chief")
        day = NOON.date()
        second = finished(ada, 5)
        game = finished(ada, 50, day=day)
        boards = game.score.boards
        assert len(boards) == 4
        assert all(on_board(board) == [("Ada", 50)] for board in boards)
        assert services.strike_score(score=game.score, by=chief, reason="too good")
        assert on_board("laws/all") == on_board("laws/today/2026-12-02") == [("Ada", 5)]
        assert on_board(board_key("laws", "daily", day)) == []
        assert_bests_follow_from_scores()
        assert services.restore_score(score=game.score, by=chief, reason="seen on video")
        assert all(on_board(board) == [("Ada", 50)] for board in boards)
        assert second.score.bests.count() == 0
        assert_bests_follow_from_scores()
        told = Decision.objects.values_list("struck", "reason", "by__username")
        assert list(told) == [(True, "too good", "Chief"), (False, "seen on video", "Chief")]

    def test_twice_is_once(self):
        ada, chief = named("Ada"), named("Chief")
        score = finished(ada, 5).score
        assert not services.restore_score(score=score, by=chief, reason="it stands")
        assert services.strike_score(score=score, by=chief, reason="first")
        assert not services.strike_score(score=score, by=chief, reason="second")
        assert Decision.objects.get().reason == "first"

    def test_a_struck_score_does_not_come_back_by_itself(self):
        ada, chief = named("Ada"), named("Chief")
        game = finished(ada, 50)
        services.strike_score(score=game.score, by=chief, reason="no")
        services.rescore_game(game=game, user=ada)
        services.rebuild(ada)
        assert on_board() == []
        finished(ada, 4, at=NOON + timedelta(hours=1))
        assert on_board() == [("Ada", 4)]


class TestRescoring:
    def test_changes_nothing_where_all_is_well(self):
        ada = named("Ada")
        game = finished(ada, 50, day=NOON.date())
        before = list(Score.objects.values()), set(Best.objects.values_list("board", "score"))
        services.rescore_game(game=game, user=ada)
        after = list(Score.objects.values()), set(Best.objects.values_list("board", "score"))
        assert before == after

    def test_makes_what_is_missing_and_mends_what_is_wrong(self):
        ada, bob = named("Ada"), named("Bob")
        game = finished(ada, 50)
        Score.objects.update(value=51, user=bob)
        services.rescore_game(game=game, user=ada)
        services.rebuild(bob)
        assert on_board() == [("Ada", 50)]
        Score.objects.all().delete()
        services.rescore_game(game=game, user=ada)
        assert on_board() == [("Ada", 50)]

    def test_takes_away_what_does_not_count(self):
        ada = named("Ada")
        game = finished(ada, 50)
        game.ranked = False
        game.save()
        services.rescore_game(game=game, user=ada)
        assert not Score.objects.exists() and not Best.objects.exists()
        game = finished(ada, 51)
        services.rescore_game(game=game, user=None)
        assert not Score.objects.exists()


class TestLooksUnlikely:
    def test_usual_scores_are_not_flagged(self):
        ada = named("Ada")
        for number in range(60):
            assert finished(ada, 10 + number % 5).score.flags == ""

    def test_far_above_ones_own_and_the_boards(self):
        ada, bob = named("Ada"), named("Bob")
        for number in range(60):
            finished(ada if number % 2 else bob, 10 + number % 7)
        assert finished(ada, 60).score.flags == "above-own above-board"
        assert finished(named("New"), 60).score.flags == "above-board"

    def test_few_scores_say_nothing(self):
        ada = named("Ada")
        for number in range(7):
            finished(ada, number % 2)
        assert finished(ada, 100).score.flags == ""
        # The eighth and later ones are judged; what is far above comes of the others.
        assert finished(ada, 5000).score.flags == "above-own"

    def test_struck_scores_are_not_usual(self):
        ada, chief = named("Ada"), named("Chief")
        games = [finished(ada, 1000 + number % 2) for number in range(10)]
        for game in games:
            services.strike_score(score=game.score, by=chief, reason="no")
        for number in range(10):
            finished(ada, number % 2)
        assert finished(ada, 900).score.flags == "above-own"

    @pytest.mark.parametrize(
        ("gap", "number", "flags"), [(0.3, 20, "fast"), (0.3, 19, ""), (2, 20, "")]
    )
    def test_faster_than_a_person(self, gap, number, flags):
        ada = named("Ada")
        data = record("laws-06-mixed")
        game = new_game("laws", ada, seed=data["seed"])
        submit(game, ada, *data["moves"][:number])
        for move in game.moves.all():
            game.moves.filter(pk=move.pk).update(created=NOON + timedelta(seconds=gap * move.ply))
        finish(game, ada)
        assert Score.objects.get().flags == flags
        assert Score.objects.to_review().exists() == bool(flags)


class TestAnyHistory(TestCase):
    @settings(max_examples=25)
    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["Ada", "Bob", "guest"]),
                st.integers(0, 4),
                st.integers(-40, 40),
                st.sampled_from(["play", "strike", "restore", "practice", "daily"]),
            ),
            max_size=12,
        )
    )
    def test_boards_follow_from_scores(self, steps):
        users = {name: named(name) for name in ("Ada", "Bob")} | {"guest": guest()}
        for who, value, hours, what in steps:
            at = NOON + timedelta(hours=hours)
            if what in ("strike", "restore"):
                score = Score.objects.filter(user=users[who]).order_by("value").last()
                if score:
                    decide = getattr(services, f"{what}_score")
                    decide(score=score, by=users["Ada"], reason="because")
            elif what == "daily" and not users[who].tries.filter(deal__date=at.date()).exists():
                finished(users[who], value, at=at, day=at.date())
            else:
                finished(users[who], value, at=at, ranked=what == "play")
            assert_bests_follow_from_scores()
        assert User.objects.filter(bests__isnull=False, is_guest=True).count() == 0
