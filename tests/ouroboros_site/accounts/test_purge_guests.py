"""``manage.py purge_guests``: guests who left go; whoever finished a game, or has a name, stays."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from ouroboros_site.accounts.management.commands import purge_guests
from ouroboros_site.accounts.models import User
from ouroboros_site.play import daily, seating, services, verify
from ouroboros_site.play.models import Game, Move, Seat, Try
from ouroboros_site.play.registry import Setup
from tests.ouroboros_site.play.helpers import finish, guest, legal, new_game, submit
from tests.ouroboros_site.play.shared import new_table

pytestmark = pytest.mark.django_db

LONG_AGO = timezone.now() - timedelta(days=91)


def purge(*words: str) -> str:
    out = StringIO()
    call_command("purge_guests", *words, stdout=out)
    return out.getvalue()


def aged(user: User, *, at=LONG_AGO) -> User:
    """The user and all their games as they would be after not having come back."""
    Game.objects.filter(seats__user=user).update(updated=at, created=at)
    User.objects.filter(pk=user.pk).update(date_joined=at, last_login=at)
    return user


def gone(user: User) -> bool:
    return not User.objects.filter(pk=user.pk).exists()


class TestWho:
    def test_a_guest_who_left_goes_with_their_games(self):
        left = guest()
        game = new_game("laws", left)
        submit(game, left, legal(game)[0])
        services.start_game(user=left, slug="market", day=daily.today())
        aged(left)
        assert purge() == "Guests deleted: 1. Games deleted: 2.\n"
        assert gone(left)
        for model in (Game, Seat, Move, Try):
            assert not model.objects.exists(), model

    def test_a_guest_who_never_played_or_logged_in(self):
        nobody = guest()
        User.objects.filter(pk=nobody.pk).update(date_joined=LONG_AGO)
        assert nobody.last_login is None
        assert purge() == "Guests deleted: 1. Games deleted: 0.\n"

    def test_who_finished_a_game_stays_with_all_of_them(self):
        for ranked in (True, False):
            player = guest()
            finish(new_game("laws", player, ranked=ranked), player)
            new_game("laws", player)
            aged(player)
        assert purge() == "Guests deleted: 0. Games deleted: 0.\n"
        assert Game.objects.count() == 4

    def test_tables_with_bots_go_as_games_for_one_do(self):
        left, over = guest(), guest()
        new_table("trick", left)
        new_table("ochs-esel", left)
        kept = finish(new_table("trick", over), over)
        for player in (left, over):
            aged(player)
        assert purge() == "Guests deleted: 1. Games deleted: 2.\n"
        assert gone(left) and list(Game.objects.all()) == [kept]
        assert Seat.objects.count() == kept.players

    def test_named_accounts_stay(self):
        ada = User.objects.create_user("Ada")
        new_game("laws", ada)
        aged(ada)
        assert purge().startswith("Guests deleted: 0.") and Game.objects.exists()

    @pytest.mark.parametrize("what", ["date_joined", "last_login", "updated"])
    def test_one_sign_of_life_is_enough(self, what):
        player = guest()
        game = new_game("laws", player)
        aged(player)
        lately = timezone.now() - timedelta(days=89)
        if what == "updated":
            Game.objects.filter(pk=game.pk).update(updated=lately)
        else:
            User.objects.filter(pk=player.pk).update(**{what: lately})
        assert purge().startswith("Guests deleted: 0.")
        assert purge("--days", "88").startswith("Guests deleted: 1.")

    def test_a_game_with_somebody_else_stays_and_a_bot_has_the_seat(self):
        left, other = guest(), User.objects.create_user("Ada")
        game = new_table("trick", left)
        Seat.objects.filter(game=game, index=1).update(user=other, bot="", name="")
        Seat.objects.filter(game=game, index=0).update(name="Lefty")
        aged(left)
        assert purge() == "Guests deleted: 1. Games deleted: 0.\n"
        seat = game.seats.get(index=0)
        assert seat.user is None and seat.bot == "steady" and seat.name not in ("", "Lefty")
        assert game.seats.get(index=1).user == other
        game.refresh_from_db()
        assert not game.is_over and not verify.verify(game)

    def test_a_table_that_waits_for_them_goes_or_gets_another_host(self):
        for others in (False, True):
            left = guest()
            setup = Setup(3, bots=("", ""))
            game, _user = services.start_game(user=left, slug="trick", setup=setup)
            if others:
                ada = User.objects.create_user("Ada")
                seating.sit_down(user=ada, key=game.key)
            aged(left)
            assert purge() == f"Guests deleted: 1. Games deleted: {int(not others)}.\n"
        game = Game.objects.get()
        assert game.host == 1 and game.seats.get(user=ada).index == 1
        assert len(game.seats.filter(user=None)) == 2 and not verify.verify(game)


class TestCommand:
    def test_a_dry_run_only_counts(self):
        for _ in range(2):
            player = guest()
            new_game("market", player)
            aged(player)
        stays = guest()
        assert purge("--dry-run") == "Guests to delete: 2. Games to delete: 2.\n"
        assert User.objects.count() == 3 and Game.objects.count() == 2
        assert purge() == "Guests deleted: 2. Games deleted: 2.\n"
        assert list(User.objects.all()) == [stays]

    def test_in_batches(self, monkeypatch):
        monkeypatch.setattr(purge_guests, "BATCH", 2)
        for _ in range(5):
            player = guest()
            new_game("laws", player)
            aged(player)
        assert purge() == "Guests deleted: 5. Games deleted: 5.\n"
        assert not User.objects.exists() and not Game.objects.exists()

    @pytest.mark.parametrize("days", ["-1", "x", "", "36501", "9" * 30, "²"])
    def test_days_that_are_none(self, days):
        with pytest.raises(CommandError, match="no number of days"):
            purge(f"--days={days}")

    def test_no_days_at_all_takes_everyone_without_a_finished_game(self):
        guest()
        assert purge("--days", "0").startswith("Guests deleted: 1.")

    def test_help(self, capsys):
        with pytest.raises(SystemExit) as caught:
            call_command("purge_guests", "--help")
        assert caught.value.code == 0 and "--dry-run" in capsys.readouterr().out
