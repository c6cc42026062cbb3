"""A scorepad as it is shown: cells with their corrections, sums, doubts, who starts, who won."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from ouroboros_site.accounts.models import Visitor
from tricks import tally
from tricks.rules.ochs_esel import DONKEY, OX

from .counting import LAID, Counted, Doubt, doubts, holder, read
from .models import Line, Pad


@dataclass(frozen=True, slots=True)
class Cell:
    """A player's points in a round; ``lines`` are all that were written there, the newest last."""

    round: int
    player: int
    lines: tuple[Line, ...] = ()

    @property
    def line(self) -> Line | None:
        """What the cell says now."""
        return self.lines[-1] if self.lines else None

    @property
    def base(self) -> int:
        """The number of that line, 0 if there is none."""
        return self.line.number if self.line else 0

    @property
    def points(self) -> int | None:
        """The minus points; None where nothing is written, or no longer."""
        return self.line.points if self.line else None

    @property
    def before(self) -> tuple[Line, ...]:
        """What the cell said earlier."""
        return self.lines[:-1]

    @property
    def counted(self) -> Counted | None:
        """The cards that the points were counted from."""
        cards = self.line.counted if self.line else None
        return Counted(read(cards["hand"]), read(cards["laid"], LAID)) if cards else None

    @property
    def out(self) -> bool:
        """Whether the hand was empty, as far as this is known."""
        counted = self.counted
        return not counted.hand if counted else self.points == 0

    @property
    def donkey(self) -> bool:
        """Whether the donkey was counted in this hand."""
        return bool(self.counted) and DONKEY in self.counted.hand

    @property
    def ox(self) -> bool:
        """Whether the ox was counted in this hand."""
        return bool(self.counted) and OX in self.counted.hand


@dataclass(frozen=True, slots=True)
class Round:
    """A round: its cells by player, who starts it, what cannot be right about it.

    ``told`` is the line that tells who starts, if there is one; it counts as long as the hands of
    the round before do not say it themselves (``known``).
    """

    number: int
    cells: tuple[Cell, ...]
    told: Line | None
    known: int | None
    doubts: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all points are written."""
        return all(cell.points is not None for cell in self.cells)

    @property
    def begun(self) -> bool:
        """Whether some points are written."""
        return any(cell.points is not None for cell in self.cells)

    @property
    def starts(self) -> int | None:
        """Who starts, if it is known."""
        if self.known is not None:
            return self.known
        return self.told.player if self.told else None

    @property
    def base(self) -> int:
        """The number of the line that tells who starts, 0 if there is none."""
        return self.told.number if self.told else 0

    @property
    def first_empty(self) -> Cell:
        """Where to write next; the first cell if all are full."""
        return next((cell for cell in self.cells if cell.points is None), self.cells[0])


@dataclass(frozen=True, slots=True)
class Player:
    """A row of the pad. ``leads``: nobody has fewer points, and no round is half written."""

    index: int
    name: str
    cells: tuple[Cell, ...]
    total: int
    leads: bool


@dataclass(frozen=True, slots=True)
class Correction:
    """A cell that was written anew."""

    round: int
    name: str
    old: int | None
    new: int | None
    by: str
    when: datetime


class Board:
    """All that the pages of a pad show."""

    def __init__(self, pad: Pad, user: Visitor, lines: Iterable[Line] | None = None) -> None:
        """Show a pad to a visitor.

        :param lines: those of the pad, with who wrote them, if they were read already
        """
        self.pad = pad
        self.user = user
        self.lines = list(pad.lines.select_related("by") if lines is None else lines)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """Every round of the game, played or not."""
        written: dict[tuple[int, int | None], list[Line]] = {}
        for line in self.lines:
            written.setdefault(line.cell, []).append(line)
        rounds: list[Round] = []
        known = None
        for number in range(1, self.pad.rounds + 1):
            cells = tuple(
                [
                    Cell(number, player, tuple(written.get((number, player), ())))
                    for player in range(len(self.pad.names))
                ]
            )
            points = [cell.points for cell in cells]
            counted = [cell.counted for cell in cells]
            found = doubts(points, counted, self.pad.ox)
            told = written.get((number, None), [None])[-1]
            rounds.append(
                Round(number, cells, told, known, tuple([self._words(doubt) for doubt in found]))
            )
            known = holder(counted)
        return tuple(rounds)

    def _words(self, doubt: Doubt) -> str:
        params = dict(doubt.params)
        if "card" in params:
            params["card"] = _(params["card"])
        if "player" in params:
            params["player"] = self.pad.names[params["player"]]
        return _(doubt.template) % params

    @cached_property
    def now(self) -> Round:
        """The round that is to be written next; the last one when all are complete."""
        return next((each for each in self.rounds if not each.complete), self.rounds[-1])

    @property
    def over(self) -> bool:
        """Whether all rounds are complete."""
        return self.now.complete

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """The rows."""
        even = any(each.complete for each in self.rounds) and not any(
            each.begun and not each.complete for each in self.rounds
        )
        totals = [
            sum([each.cells[player].points or 0 for each in self.rounds])
            for player in range(len(self.pad.names))
        ]
        return tuple(
            [
                Player(
                    index=player,
                    name=name,
                    cells=tuple([each.cells[player] for each in self.rounds]),
                    total=totals[player],
                    leads=even and totals[player] == min(totals),
                )
                for player, name in enumerate(self.pad.names)
            ]
        )

    @property
    def winners(self) -> list[int]:
        """Who has the fewest points after the last round; nobody before."""
        return [player.index for player in self.players if self.over and player.leads]

    @property
    def winner_names(self) -> list[str]:
        """Their names."""
        return [self.pad.names[player] for player in self.winners]

    @property
    def starter(self) -> str:
        """The name of who starts the present round, empty if nobody said it."""
        return "" if self.now.starts is None else self.pad.names[self.now.starts]

    @property
    def doubted(self) -> list[Round]:
        """The rounds about which something cannot be right."""
        return [each for each in self.rounds if each.doubts]

    @property
    def corrections(self) -> list[Correction]:
        """What was written anew, the latest first."""
        found = []
        for player in self.players:
            for cell in player.cells:
                for old, new in zip(cell.before, cell.lines[1:], strict=True):
                    who = writer(new, self.user, self.pad)
                    about = (cell.round, player.name, old.points, new.points, who, new.created)
                    found.append((new.number, Correction(*about)))
        return [correction for _number, correction in sorted(found, reverse=True)]

    @property
    def sheet(self) -> tally.Sheet:
        """The complete rounds as a tally, which is printed and sent as a file."""
        tallies = [self._tally(each) for each in self.rounds if each.complete]
        return tally.whole(tallies, self.pad.names, self.winners, {"ox": self.pad.ox})

    def _tally(self, round: Round) -> dict[str, Any]:
        counted = [cell.counted for cell in round.cells]
        donkey = holder(counted)
        # Without the ox, who starts the next round has kept the donkey.
        if donkey is None and not self.pad.ox and round.number < len(self.rounds):
            donkey = self.rounds[round.number].starts
        return {
            "round": round.number,
            "points": [cell.points for cell in round.cells],
            "laid": [Counted((), cards.laid).points if cards else 0 for cards in counted],
            "out": [cell.player for cell in round.cells if cell.out],
            "started": round.starts,
            "donkey": donkey,
            "ox": next((cell.player for cell in round.cells if cell.ox), None),
        }


def writer(line: Line, user: Visitor, pad: Pad) -> str:
    """Who wrote a line, in words for this visitor."""
    if line.by_id and line.by_id == user.pk:
        return _("you")
    if line.by and not line.by.is_guest:
        return line.by.username
    return _("the owner") if line.by_id == pad.owner_id else _("somebody with the link")
