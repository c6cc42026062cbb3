"""``manage.py verify_games``: do the stored games agree with their logs?"""

import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet

from ouroboros_site.play import registry, services, verify
from ouroboros_site.play.models import Game

BATCH = 100
REFUSED = 2


def day(text: str) -> datetime:
    """The beginning (UTC) of a day such as 2026-03-31."""
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        raise ArgumentTypeError(f"“{text}” is no date; write it as 2026-03-31") from None


class Command(BaseCommand):
    """Replay stored games and compare."""

    help = (
        "Replays stored games and prints a line for each thing that disagrees with the log of its "
        "game: position, ply, tallies, result, what the moves did, score or results of people, "
        "rows on boards. Nothing is changed without --repair. Ends with status 1 if something "
        "disagrees and was not repaired."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take which games, and whether to mend them."""
        parser.add_argument(
            "ids", nargs="*", type=int, metavar="ID", help="numbers of games; all games if none"
        )
        parser.add_argument("--slug", help="games of this kind only, such as laws")
        parser.add_argument(
            "--since",
            type=day,
            metavar="DATE",
            help="games played at since this day (UTC) only, such as 2026-03-31",
        )
        parser.add_argument(
            "--repair",
            action="store_true",
            help="make position, ply, tallies, result, score and results anew from the log, which "
            "itself is never changed; a game whose log cannot be replayed is left as it is",
        )

    def handle(
        self,
        *,
        ids: list[int],
        slug: str | None,
        since: datetime | None,
        repair: bool,
        **options: Any,
    ) -> None:
        """Do it.

        :raises CommandError: status 2 for a game or a kind of game that there is not
        :raises SystemExit: status 1 if something disagrees and was not repaired
        """
        games = self._chosen(ids, slug, since)
        verified = disagreeing = repaired = 0
        for game in batches(games):
            verified += 1
            faults = verify.verify(game)
            if not faults:
                continue
            disagreeing += 1
            for fault in faults:
                self.stdout.write(f"{game}: {fault}")
            if repair:
                repaired += self._repair(game)
        summary = f"{verified} verified, {disagreeing} of them disagree with their logs"
        if repair:
            summary += f", {repaired} repaired"
        self.stdout.write(f"{summary}.")
        if disagreeing > repaired:
            sys.exit(1)

    def _chosen(
        self, ids: list[int], slug: str | None, since: datetime | None
    ) -> QuerySet[Game, Game]:
        games = Game.objects.select_related("daily", "rematch_of")
        if ids:
            # Larger numbers than a key are no games, and no database takes them.
            possible = [number for number in ids if 0 < number <= services.BIGGEST_ID]
            games = games.filter(pk__in=possible)
            there = set(games.values_list("pk", flat=True))
            if missing := [str(number) for number in ids if number not in there]:
                raise CommandError(f"There is no game {', '.join(missing)}.", returncode=REFUSED)
        if slug is not None:
            kinds = [rules.SLUG for rules in registry.all_rules()]
            if slug not in kinds:
                raise CommandError(
                    f"There is no game “{slug}”, but {', '.join(kinds)}.", returncode=REFUSED
                )
            games = games.filter(slug=slug)
        if since is not None:
            games = games.filter(updated__gte=since)
        return games

    def _repair(self, game: Game) -> bool:
        left = verify.repair(game)
        for fault in left:
            self.stdout.write(f"{game}: not repaired: {fault}")
        if not left:
            self.stdout.write(f"{game}: repaired")
        return not left


def batches(games: QuerySet[Game, Game]) -> Iterator[Game]:
    """All of the games, a few at a time: no query stays open while games are mended."""
    last = 0
    while batch := list(games.filter(pk__gt=last).order_by("pk")[:BATCH]):
        yield from batch
        last = batch[-1].pk
