"""``manage.py purge_guests``: forget guests who left without finishing a game."""

from argparse import ArgumentTypeError
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.play import seating
from ouroboros_site.play.models import Game, Seat

BATCH = 500
LONGEST = 36_500


def days(text: str) -> int:
    """A number of days, from none to a hundred years."""
    if not (text.isascii() and text.isdecimal() and int(text[:9]) <= LONGEST):
        raise ArgumentTypeError(f"“{text}” is no number of days")
    return int(text)


class Command(BaseCommand):
    """Delete guests who never finished a game and have not been here for long."""

    help = (
        "Deletes guests who have not finished any game and were not here for a number of days, "
        "together with their unfinished games, and prints how many. Guests with a finished game, "
        "and named accounts, are never touched."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how long ago is long."""
        parser.add_argument(
            "--days",
            type=days,
            default=90,
            metavar="N",
            help="so many days without logging in or playing (default: 90)",
        )
        parser.add_argument("--dry-run", action="store_true", help="only count; nothing is deleted")

    def handle(self, *, days: int, dry_run: bool, **options: Any) -> None:
        """Count, or delete in batches, each a short transaction."""
        before = timezone.now() - timedelta(days=days)
        if dry_run:
            number = gone(before).count()
            games = Game.objects.filter(pk__in=abandoned(gone(before))).count()
            self.stdout.write(f"Guests to delete: {number}. Games to delete: {games}.")
            return
        number = games = 0
        while batch := purge(before):
            number += batch[0]
            games += batch[1]
        self.stdout.write(f"Guests deleted: {number}. Games deleted: {games}.")


def gone(before: datetime) -> QuerySet[User, User]:
    """Guests without a finished game who have not been here since ``before``."""
    seats = Seat.objects.filter(user=OuterRef("pk"))
    return User.objects.filter(
        ~Exists(seats.filter(Q(game__finished__isnull=False) | Q(game__updated__gte=before))),
        Q(last_login=None) | Q(last_login__lt=before),
        is_guest=True,
        date_joined__lt=before,
    )


def abandoned(guests: QuerySet[User, User]) -> QuerySet[Seat, dict[str, Any]]:
    """The keys of games in which nobody sits but these guests."""
    others = Seat.objects.filter(game=OuterRef("game"), user__isnull=False).exclude(user__in=guests)
    return Seat.objects.filter(~Exists(others), user__in=guests).values("game")


@transaction.atomic
def purge(before: datetime) -> tuple[int, int] | None:
    """Delete the next few of these guests; at tables with others they leave their seats for good.

    :returns: how many guests and games went; None if there is nobody left
    """
    found = list(gone(before).order_by("pk").values_list("pk", flat=True)[:BATCH])
    if not found:
        return None
    people = seating.lock_people(*found)
    # Somebody may have come back before the lock.
    keys = list(gone(before).filter(pk__in=people).values_list("pk", flat=True))
    guests = User.objects.filter(pk__in=keys)
    games = Game.objects.filter(pk__in=list(abandoned(guests).values_list("game", flat=True)))
    _rows, deleted = games.delete()
    for user in guests.filter(seats__isnull=False).distinct():
        seating.give_all_up(user=user)
    guests.delete()
    return len(keys), deleted.get("play.Game", 0)
