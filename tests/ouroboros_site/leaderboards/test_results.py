"""Results of tables of several seats: entered at the end and nowhere else, and added up."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.services import delete_account, merge_guest, name_guest
from ouroboros_site.leaderboards import services
from ouroboros_site.leaderboards.models import Result, Score, Standing
from ouroboros_site.play.models import Game, Seat
from ouroboros_site.play.services import Refused

from ..play.helpers import at_once, finish, guest, new_game
from ..play.played import play_out
from .helpers import NOON, assert_standings_follow_from_results, named, sat, standing

pytestmark = pytest.mark.django_db
TABLES = ("trick", "ochs-esel")


def shown(result: Result) -> tuple:
    return (
        *(result.seat, result.people, result.won, result.retired),
        *(result.rounds, result.points, result.best, result.worst),
    )


class TestEntered:
    @pytest.mark.parametrize("slug", TABLES)
    def test_when_the_last_move_is_made(self, slug):
        ada = named("Ada")
        game = play_out(slug, ada)
        result = Result.objects.get()
        assert (result.game, result.user, result.slug, result.seat) == (game, ada, slug, 0)
        assert result.finished == game.finished
        assert result.won == (0 in game.result["winners"]) and not result.retired
        assert not result.people
        points = [tally["points"][0] for tally in game.tallies]
        assert result.rounds == len(points) == (2 if slug == "ochs-esel" else 0)
        assert result.points == sum(points)
        assert (result.best, result.worst) == (min(points, default=None), max(points, default=None))
        if slug == "ochs-esel":
            assert result.points == game.result["scores"][0]
        assert standing(ada, slug)[:2] == (1, result.won)
        assert not Score.objects.exists()

    @pytest.mark.parametrize("slug", TABLES)
    def test_a_table_that_is_left_is_not_won(self, slug):
        ada = named("Ada")
        game = new_game(slug, ada)
        assert not Result.objects.exists()
        finish(game, ada)
        assert shown(Result.objects.get()) == (0, False, False, True, 0, 0, None, None)
        assert standing(ada, slug) == (1, 0, 0, 0, None, None)

    def test_its_finished_rounds_count(self):
        ada = named("Ada")
        sat(ada, [5, 30, 0], [9, 2, 40], left=True)
        assert shown(Result.objects.get()) == (0, False, False, True, 2, 14, 5, 9)
        assert standing(ada) == (1, 0, 2, 14, 5, 9)

    @pytest.mark.parametrize("slug", TABLES)
    def test_practice_counts_nowhere(self, slug):
        ada = named("Ada")
        finish(new_game(slug, ada, ranked=False), ada)
        assert not Result.objects.exists() and not Standing.objects.exists()

    def test_games_for_one_have_none(self):
        ada = named("Ada")
        finish(new_game("laws", ada), ada)
        assert Score.objects.exists() and not Result.objects.exists()

    def test_a_guest_has_a_result_and_stands_nowhere(self):
        player = guest()
        sat(player, [3, 4, 5], winners=(0,))
        assert Result.objects.get().user == player
        assert not Standing.objects.exists()

    def test_each_person_has_a_result_and_bots_have_none(self):
        ada, bob = named("Ada"), named("Bob")
        sat(ada, [7, 0, 30], [1, 2, 3], winners=(1,), others=(bob,))
        assert shown(Result.objects.get(user=ada)) == (0, True, False, False, 2, 8, 1, 7)
        assert shown(Result.objects.get(user=bob)) == (1, True, True, False, 2, 2, 0, 2)
        assert Result.objects.count() == 2
        assert standing(ada, people=True) == (1, 0, 2, 8, 1, 7)
        assert standing(ada) is None

    def test_a_person_who_has_left_the_site_was_one(self):
        ada = named("Ada")
        sat(ada, others=(None,))
        assert Result.objects.get().people

    @pytest.mark.parametrize(
        ("winners", "left", "mine", "hers", "shown_mine", "shown_hers"),
        [
            # winners, everybody left, stand-ins of Ada and Bob; (people, won, retired) of each
            ((0,), False, "", "", (True, True, False), (True, False, False)),
            ((0,), False, "easy", "", (True, False, True), (True, False, False)),
            ((1,), False, "easy", "", (True, False, True), (True, True, False)),
            ((0, 1), False, "", "easy", (True, True, False), (True, False, True)),
            ((0, 1), False, "easy", "easy", (True, False, True), (True, False, True)),
            ((2,), False, "", "steady", (True, False, False), (True, False, True)),
            ((), True, "", "easy", (True, False, True), (True, False, True)),
        ],
    )
    def test_for_whom_a_bot_played_to_the_end_has_not_won(
        self, winners, left, mine, hers, shown_mine, shown_hers
    ):
        ada, bob = named("Ada"), named("Bob")
        game = sat(ada, [1, 2, 3], winners=winners, left=left, others=(bob,))
        for index, level in enumerate((mine, hers)):
            game.seats.filter(index=index).update(bot=level)
        services.reenter_results(game=game)
        for user, expected in ((ada, shown_mine), (bob, shown_hers)):
            result = Result.objects.get(user=user)
            assert (result.people, result.won, result.retired) == expected
            assert standing(user, people=True)[:2] == (1, expected[1])
            # The rounds were played on their seat, and count.
            assert result.points == (1, 2)[result.seat]
        assert_standings_follow_from_results()

    def test_a_seat_that_a_bot_has_for_good_is_nobody_s(self):
        ada, bob = named("Ada"), named("Bob")
        game = sat(ada, [1, 2, 3], winners=(0,), others=(bob,))
        game.seats.filter(index=1).update(user=None, bot="easy", name="Basil")
        services.reenter_results(game=game)
        assert shown(Result.objects.get()) == (0, False, True, False, 1, 1, 1, 1)

    def test_scores_of_games_for_one_know_no_stand_in(self):
        ada = named("Ada")
        game = finish(new_game("laws", ada), ada)
        before = Score.objects.values().get()
        game.seats.update(bot="easy")
        services.rescore_game(game=game, user=ada)
        assert Score.objects.values().get() == before

    def test_with_people_and_against_bots_are_apart(self):
        ada = named("Ada")
        sat(ada, [1, 2, 3], winners=(0,))
        sat(ada, [10, 20, 30], others=(guest(),))
        sat(ada, slug="trick", winners=(0, 1))
        assert standing(ada) == (1, 1, 1, 1, 1, 1)
        assert standing(ada, people=True) == (1, 0, 1, 10, 10, 10)
        assert standing(ada, "trick") == (1, 1, 0, 0, None, None)

    def test_one_by_one_or_all_at_once_is_the_same(self):
        ada = named("Ada")
        for points in ([4, 9, 1], [0, 9, 1], [50, 9, 1]):
            sat(ada, points, [8, 8, 8], winners=(2,))
        sat(ada, left=True)
        assert standing(ada) == (4, 0, 6, 78, 0, 50)
        before = Standing.objects.values_list("user", "games", "won", "points").get()
        services.rebuild(ada)
        assert Standing.objects.values_list("user", "games", "won", "points").get() == before
        assert_standings_follow_from_results()

    def test_twice_is_refused_by_the_database(self):
        game = sat(named("Ada"))
        with pytest.raises(IntegrityError), transaction.atomic():
            services.enter_results(game=game)
        assert Result.objects.count() == 1


class TestAgain:
    def test_changes_nothing_where_all_is_well(self):
        ada, bob = named("Ada"), named("Bob")
        game = sat(ada, [7, 0, 30], winners=(1,), others=(bob,))
        before = list(Result.objects.order_by("user").values("user", "seat", "points", "won"))
        services.reenter_results(game=game)
        after = list(Result.objects.order_by("user").values("user", "seat", "points", "won"))
        assert before == after
        assert_standings_follow_from_results()

    def test_takes_away_what_is_no_longer_so(self):
        ada, bob = named("Ada"), named("Bob")
        game = sat(ada, [7, 0, 30], winners=(0,))
        Result.objects.update(user=bob)
        services.rebuild(bob)
        services.reenter_results(game=game)
        assert standing(ada) == (1, 1, 1, 7, 7, 7) and standing(bob) is None
        Game.objects.filter(pk=game.pk).update(ranked=False)
        game.refresh_from_db()
        services.reenter_results(game=game)
        assert not Result.objects.exists() and not Standing.objects.exists()


class TestAccounts:
    def test_a_guest_who_signs_up_is_on_the_boards(self):
        player = guest()
        sat(player, [1, 2, 3], winners=(0,))
        name_guest(guest=player, name="Ada", password="x")
        assert standing(player) == (1, 1, 1, 1, 1, 1)

    def test_a_guest_who_logs_in_brings_the_results_along(self):
        ada, player = named("Ada"), guest()
        sat(ada, [10, 0, 0])
        sat(player, [2, 3, 4], winners=(0,))
        sat(player, slug="trick", left=True)
        assert merge_guest(guest=player, account=ada) == 2
        assert Result.objects.filter(user=ada).count() == 3
        assert standing(ada) == (2, 1, 2, 12, 2, 10)
        assert standing(ada, "trick") == (1, 0, 0, 0, None, None)
        assert_standings_follow_from_results()

    def test_of_a_table_at_which_both_sat_one_result_is_left(self):
        ada, player = named("Ada"), guest()
        game = sat(player, [2, 30, 4], winners=(0,), others=(ada,))
        merge_guest(guest=player, account=ada)
        # The account keeps its own seat.
        assert shown(Result.objects.get()) == (1, True, False, False, 1, 30, 30, 30)
        assert standing(ada, people=True) == (1, 0, 1, 30, 30, 30)
        assert [seat.user for seat in game.seats.order_by("index")[:2]] == [None, ada]
        services.reenter_results(game=game)
        assert shown(Result.objects.get()) == (1, True, False, False, 1, 30, 30, 30)

    def test_a_deleted_account_takes_them_along_and_leaves_the_log(self):
        ada = named("Ada")
        over = sat(ada, [1, 2, 3], winners=(0,))
        practice = sat(ada, ranked=False)
        going_on = new_game("trick", ada)
        delete_account(ada)
        assert not Result.objects.exists() and not Standing.objects.exists()
        assert list(Game.objects.all()) == [over]
        seat = over.seats.get(index=0)
        assert (seat.user, seat.bot) == (None, "")
        assert not Seat.objects.filter(game__in=[practice.pk, going_on.pk]).exists()

    def test_but_not_the_table_of_somebody_else(self):
        ada, bob = named("Ada"), named("Bob")
        over = sat(ada, [1, 2, 3], others=(bob,))
        going_on = new_game("trick", ada)
        going_on.seats.filter(index=1).update(user=bob, bot="", name="")
        practice = sat(ada, ranked=False, others=(bob,))
        delete_account(User.objects.get(pk=ada.pk))
        assert set(Game.objects.all()) == {over, going_on, practice}
        assert Result.objects.get().user == bob
        assert Result.objects.get().people
        services.reenter_results(game=over)
        assert Result.objects.get().people


rounds = st.lists(st.lists(st.integers(0, 90), min_size=3, max_size=3), max_size=3)
game = st.tuples(
    st.integers(0, 2), rounds, st.sets(st.integers(0, 2)), st.booleans(), st.booleans()
)


class TestAnyHistory(TestCase):
    @settings(max_examples=25)
    @given(st.lists(game, max_size=8), st.integers(0, 2))
    def test_standings_are_the_sum_of_results(self, played, signs_up):
        people = [named("Ada"), named("Bob"), guest()]
        for number, (who, points, winners, with_people, left) in enumerate(played):
            others = (people[(who + 1) % 3],) if with_people else ()
            sat(
                people[who],
                *points,
                winners=() if left else tuple(sorted(winners)),
                left=left,
                others=others,
                at=NOON + timedelta(hours=number),
                slug=("ochs-esel", "trick")[number % 2],
            )
        assert_standings_follow_from_results()
        if signs_up == 1:
            name_guest(guest=people[2], name="Cleo", password="x")
        elif signs_up == 2:
            merge_guest(guest=people[2], account=people[0])
        assert_standings_follow_from_results()
        before = sorted(Standing.objects.values_list("user", "slug", "people", "games", "points"))
        for user in User.objects.all():
            services.rebuild(user)
        after = sorted(Standing.objects.values_list("user", "slug", "people", "games", "points"))
        assert before == after


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_tables_that_end_at_the_same_moment_all_count(self):
        ada = named("Ada")
        games = [new_game(("trick", "ochs-esel")[number % 2], ada) for number in range(4)]
        at_once(*[lambda game=game: finish(game, ada) for game in games])
        assert Result.objects.count() == 4
        assert standing(ada)[:2] == standing(ada, "trick")[:2] == (2, 0)

    def test_a_table_that_ends_while_its_guest_logs_in(self):
        for number in range(4):
            ada, player = named(f"Ada{number}"), guest()
            game = new_game("trick", player)

            def end(game=game, player=player) -> None:
                # Whoever comes second finds that the seat is another's by now.
                with suppress(Refused):
                    finish(game, player)

            at_once(end, lambda ada=ada, player=player: merge_guest(guest=player, account=ada))
            game.refresh_from_db()
            assert game.seats.get(index=0).user == ada
            assert Result.objects.filter(user=ada).count() == game.is_over
        assert_standings_follow_from_results()
