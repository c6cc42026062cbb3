"""``manage.py bench``: measurements, for people and (``--json``) for programs."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ouroboros_site.engine.errors import InvalidRecord
from ouroboros_site.play import registry
from ouroboros_site.play.bench import bots, rules, web
from ouroboros_site.play.registry import Kind


class Command(BaseCommand):
    """Speed of the rules, or of the pages, or strength of the bots."""

    help = (
        "Measures: 'rules' plays random moves, 'web' asks a real server for pages and moves, "
        "'bots' lets two levels play each other."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what to measure, and how long."""
        parts = parser.add_subparsers(dest="part", required=True)
        for name in ("rules", "web", "bots"):
            part = parts.add_parser(name)
            part.add_argument("--json", action="store_true", help="one object as the last line")
            if name == "rules":
                part.add_argument("--seconds", type=float, default=2.0, help="for each rule set")
            elif name == "web":
                part.add_argument("--requests", type=int, default=300, help="of each kind")
            else:
                self._add_bots(part)

    def _add_bots(self, part: CommandParser) -> None:
        part.add_argument("game", help="its slug")
        part.add_argument("--players", type=int, help="by default the fewest")
        part.add_argument("--option", action="append", default=[], help="name=value")
        part.add_argument("--levels", help="two, with a comma; by default the first two there are")
        part.add_argument("--games", type=int, default=200, help="two of each deal")
        part.add_argument("--seed", type=int, default=1, help="of deals and bots")

    def handle(self, *, part: str, **options: Any) -> None:
        """Measure and print."""
        measure = {"rules": self._rules, "web": self._web, "bots": self._bots}[part]
        figures = measure(**options)
        if options["json"]:
            self.stdout.write(json.dumps(figures))

    def _rules(self, *, seconds: float, **_: Any) -> dict[str, Any]:
        figures = {}
        for slug, moves in rules.measure(seconds):
            figures[slug] = moves
            self.stdout.write(f"{slug:12} {moves:10,} random moves a second")
        return figures

    def _web(self, *, requests: int, **_: Any) -> dict[str, Any]:
        figures = web.measure(requests)
        for name, row in figures.items():
            cells = "  ".join(f"{key} {value:g}" for key, value in row.items())
            self.stdout.write(f"{name:6} {cells}")
        return figures

    def _bots(
        self,
        *,
        game: str,
        players: int | None,
        option: list[str],
        levels: str | None,
        games: int,
        seed: int,
        **_: Any,
    ) -> dict[str, Any]:
        kind = _kind(game)
        names = levels.split(",") if levels else list(kind.levels)[:2]
        if len(names) != 2 or not set(names) <= set(kind.levels):
            raise CommandError(f"Name two of these levels: {', '.join(kind.levels)}.")
        try:
            figures = bots.measure(
                kind,
                (names[0], names[1]),
                games,
                players=kind.rules.SEATS[0] if players is None else players,
                options=_options(kind, option),
                seed=seed,
            )
        except InvalidRecord as error:
            raise CommandError(str(error)) from None
        for name, row in [*figures["levels"].items(), ("difference", figures["difference"])]:
            cells = "  ".join(
                f"{key} {row[key][0]:7.3f} ± {row[key][1]:.3f}" for key in row if key != "ms"
            )
            self.stdout.write(f"{name:12} {cells}" + (f"  {row['ms']:g} ms" if "ms" in row else ""))
        return figures


def _kind(slug: str) -> Kind:
    """The game of a slug, which must be one that bots play."""
    playable = {kind.rules.SLUG: kind for kind in registry.all_kinds() if kind.bot is not None}
    try:
        return playable[slug]
    except KeyError:
        raise CommandError(f"Bots play these games: {', '.join(playable)}.") from None


def _options(kind: Kind, pairs: list[str]) -> dict[str, Any]:
    """The options of a game from texts like ``ox=1``, each of the type of its default."""
    defaults = kind.rules.encode(kind.rules.start("0" * 64))["options"]
    options = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in defaults or not value.isascii() or not value.isdigit():
            raise CommandError(f"Options are numbers, as in name=1, of: {', '.join(defaults)}.")
        options[name] = type(defaults[name])(int(value))
    return options
