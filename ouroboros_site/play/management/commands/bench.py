"""``manage.py bench``: measurements, for people and (``--json``) for programs."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from ouroboros_site.play.bench import rules, web


class Command(BaseCommand):
    """Speed of the rules, or of the pages."""

    help = "Measures: 'rules' plays random moves, 'web' asks a real server for pages and moves."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what to measure, and how long."""
        parts = parser.add_subparsers(dest="part", required=True)
        for name in ("rules", "web"):
            part = parts.add_parser(name)
            part.add_argument("--json", action="store_true", help="one object as the last line")
            if name == "rules":
                part.add_argument("--seconds", type=float, default=2.0, help="for each rule set")
            else:
                part.add_argument("--requests", type=int, default=300, help="of each kind")

    def handle(self, *, part: str, **options: Any) -> None:
        """Measure and print."""
        figures: dict[str, Any] = {}
        if part == "rules":
            for slug, moves in rules.measure(options["seconds"]):
                figures[slug] = moves
                self.stdout.write(f"{slug:12} {moves:10,} random moves a second")
        else:
            figures = web.measure(options["requests"])
            for name, row in figures.items():
                cells = "  ".join(f"{key} {value:g}" for key, value in row.items())
                self.stdout.write(f"{name:6} {cells}")
        if options["json"]:
            self.stdout.write(json.dumps(figures))
