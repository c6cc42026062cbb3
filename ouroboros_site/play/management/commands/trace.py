"""``manage.py trace``: print, write or verify the traces of records (rules/README, "Records")."""

import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ouroboros_site.engine import record
from ouroboros_site.engine.errors import InvalidRecord, gettext_noop
from ouroboros_site.engine.record import BadPly
from ouroboros_site.play import registry

REFUSED = 2


class Command(BaseCommand):
    """Traces of records: a line of JSON for each position, the same on any machine."""

    help = "Prints the trace of a record; --out writes traces to a folder, --verify checks records."
    # Standard output is for traces alone, and no database is needed.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take records, and what to do with them."""
        parser.add_argument("records", nargs="+", type=Path, metavar="RECORD.json")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--out", type=Path, metavar="FOLDER", help="write FOLDER/NAME.jsonl")
        how.add_argument(
            "--verify",
            action="store_true",
            help="one line for each record: does it hold, and is the trace beside it the same?",
        )

    def handle(
        self, *, records: list[Path], out: Path | None, verify: bool, **options: Any
    ) -> None:
        """Do it.

        :raises CommandError: status 2 for a record that does not hold
        :raises SystemExit: status 1 if ``--verify`` found one
        """
        if verify:
            self._verify(records)
            return
        if out is None and len(records) > 1:
            raise CommandError("Several records need --out FOLDER or --verify.", returncode=REFUSED)
        for path in records:
            lines = []
            try:
                lines = [record.dumps(line) + "\n" for line in self._trace(path)]
            except BadPly as bad_ply:
                raise CommandError(f"{path.name}: {bad_ply}", returncode=REFUSED) from None
            if out is None:
                self.stdout.write("".join(lines), ending="")
            else:
                try:
                    out.mkdir(parents=True, exist_ok=True)
                    (out / f"{path.stem}.jsonl").write_bytes("".join(lines).encode())
                except OSError as error:
                    raise CommandError(f"{out}: {error.strerror}", returncode=REFUSED) from None

    def _verify(self, records: list[Path]) -> None:
        """Print a verdict for each record; status 1 if one does not hold."""
        all_hold = True
        for path in records:
            verdict = self._verdict(path)
            self.stdout.write(f"{path.name}: {verdict or 'ok'}")
            all_hold = all_hold and not verdict
        if not all_hold:
            sys.exit(1)

    def _trace(self, path: Path) -> Any:
        """The lines of a record's trace.

        :raises BadPly: where it does not hold; a file that is no record fails at ply 0
        """
        try:
            try:
                data = record.read(path.read_text("utf-8"))
            except OSError:
                raise InvalidRecord("file", gettext_noop("The file cannot be read.")) from None
            except UnicodeDecodeError:
                raise InvalidRecord("json", gettext_noop("A record is a JSON object.")) from None
            try:
                rules = registry.get(data.game).rules
            except KeyError:
                raise InvalidRecord(
                    "game", gettext_noop("There is no game “%(game)s”."), game=data.game[:40]
                ) from None
        except InvalidRecord as error:
            raise BadPly(0, None, error) from None
        return record.trace(data, rules)

    def _verdict(self, path: Path) -> str | None:
        """What is wrong with a record, or with the trace that lies beside it; None if nothing."""
        try:
            lines = [record.dumps(line).encode() for line in self._trace(path)]
        except BadPly as bad_ply:
            return str(bad_ply)
        there = path.with_suffix(".jsonl")
        if not there.exists():
            return None
        try:
            expected = there.read_bytes().split(b"\n")
        except OSError as error:
            return f"ply 0: the trace beside it cannot be read: {error.strerror}"
        for ply, (line, other) in enumerate(zip_longest([*lines, b""], expected)):
            if line != other:
                return f"ply {ply}: the trace beside it differs from here on"
        return None
