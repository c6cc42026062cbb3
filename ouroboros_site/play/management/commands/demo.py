"""``manage.py demo``: fill an empty site with people and games, for trying it."""

from argparse import ArgumentTypeError
from secrets import token_urlsafe
from typing import Any

from django.contrib.auth.hashers import make_password
from django.core.management.base import BaseCommand, CommandError, CommandParser

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services as leaderboards
from ouroboros_site.play import demo
from ouroboros_site.play.models import Game

ADMIN = "admin"
REASON = "Played at the pace of a machine, not of a person."


def number(text: str) -> int:
    """A number of things to make."""
    if not (text.isascii() and text.isdecimal() and int(text[:9]) <= 10_000):
        raise ArgumentTypeError(f"“{text}” is no number from 0 to 10000")
    return int(text)


class Command(BaseCommand):
    """Make accounts, games, boards and an administrator."""

    help = (
        "Fills the site with accounts, games and boards that look alive, and makes an "
        "administrator whose password is printed once. For trying the site: it does not run "
        "where accounts exist already, unless --add says so."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how much of it."""
        parser.add_argument(
            "--accounts", type=number, default=12, metavar="N", help="named accounts (default: 12)"
        )
        parser.add_argument(
            "--games", type=number, default=150, metavar="N", help="games (default: 150)"
        )
        parser.add_argument(
            "--seed",
            type=number,
            default=0,
            metavar="N",
            help="another number gives other games; the same one the same games on the same day",
        )
        parser.add_argument(
            "--add", action="store_true", help="add to the accounts and games that are there"
        )

    def handle(self, *, accounts: int, games: int, seed: int, add: bool, **options: Any) -> None:
        """Make it.

        :raises CommandError: where accounts exist and ``--add`` was not given
        """
        if User.objects.named().exists() and not add:
            raise CommandError(
                "There are accounts on this site already, and nothing was changed. "
                "Use --add if demo accounts should join them."
            )
        if games and not accounts:
            raise CommandError("Games need accounts that play them: --accounts 1 at least.")
        before = Game.objects.count()
        password = token_urlsafe(9)
        scores = demo.make(
            accounts=accounts, games=games, password=make_password(password), seed=seed
        )
        administrator = self._administrator()
        hasty = [score for score in scores if "fast" in score.flags.split()]
        if hasty:
            leaderboards.strike_score(score=hasty[0], by=administrator, reason=REASON)
        made = Game.objects.count() - before
        self.stdout.write(f"{accounts} accounts and {made} games were made.")
        names = sorted({score.user.username for score in scores if not score.user.is_guest})
        if names:
            self.stdout.write(f"Log in as {', '.join(names[:3])} … with the password {password}")

    def _administrator(self) -> User:
        """A superuser, its password printed; the one that is there if there is one."""
        if there := User.objects.filter(is_superuser=True).order_by("pk").first():
            self.stdout.write(f"The administrator {there.username} was there already.")
            return there
        password = token_urlsafe(12)
        administrator = User.objects.create_superuser(ADMIN, password=password)
        self.stdout.write(f"Administrator: {ADMIN}, password: {password} (printed only here)")
        return administrator
