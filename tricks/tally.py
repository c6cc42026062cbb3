"""The tally of Ochs & Esel: what reports say of each round, as the rows of a sheet.

The table, the page of a game's tally and its file all show these rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cell:
    """What one player got in one round.

    ``laid`` is the part of ``points`` that lay before the player from ox turn rounds; ``total`` is
    the sum of the rounds so far; ``out`` marks an empty hand.
    """

    points: int
    laid: int
    total: int
    out: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A round: who started it, who held the animals at its end, and a cell for each player.

    A name is empty where nobody held the animal, or where the tally does not tell.
    """

    round: int
    started: str
    donkey: str
    ox: str
    cells: tuple[Cell, ...]


def sheet(tallies: Iterable[Mapping[str, Any]], names: Sequence[str]) -> list[Row]:
    """The rows of the finished rounds, with running totals.

    The starting player of the first round is told by that round's tally, of a later one by the
    tally before it.

    :param tallies: the ``tally`` of each finished round, the first round first
    :param names: of the players, by seat
    """
    rows: list[Row] = []
    totals = [0] * len(names)
    starts: int | None = None
    for tally in tallies:
        totals = [total + points for total, points in zip(totals, tally["points"], strict=True)]
        laid = tally.get("laid") or [0] * len(names)
        out = tally.get("out", ())
        started = tally.get("started")
        rows.append(
            Row(
                round=tally["round"],
                started=_name(names, starts if started is None else started),
                donkey=_name(names, tally.get("donkey")),
                ox=_name(names, tally.get("ox")),
                cells=tuple(
                    Cell(tally["points"][seat], laid[seat], total, seat in out)
                    for seat, total in enumerate(totals)
                ),
            )
        )
        starts = tally.get("starts")
    return rows


@dataclass(frozen=True, slots=True)
class Sheet:
    """The whole sheet: what the page of a tally shows. ``winners`` are names, once there are some;
    ``ox`` says whether the ox was in the game."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    totals: tuple[int, ...]
    winners: tuple[str, ...]
    ox: bool

    @property
    def lines(self) -> list[list[object]]:
        """The same as lines of a file, the header first: points, what of them was laid, totals.

        The last line tells who won, once somebody has.
        """
        names = self.names
        laid = [f"{name} (laid)" for name in names]
        totals = [f"{name} (total)" for name in names]
        found: list[list[object]] = [["round", "started", "donkey", "ox", *names, *laid, *totals]]
        for row in self.rows:
            points = [cell.points for cell in row.cells]
            piles = [cell.laid for cell in row.cells]
            sums = [cell.total for cell in row.cells]
            found.append([row.round, row.started, row.donkey, row.ox, *points, *piles, *sums])
        if self.winners:
            won = ["yes" if name in self.winners else "no" for name in names]
            found.append(["won", "", "", "", *won, *[""] * 2 * len(names)])
        return found


def whole(
    tallies: Iterable[Mapping[str, Any]],
    names: Sequence[str],
    winners: Sequence[int],
    options: Mapping[str, Any],
) -> Sheet:
    """The sheet of a game, finished or not.

    :param names: of the players, by seat, every one another
    :param winners: the seats that won; none while the game goes on
    :param options: of the game
    """
    rows = tuple(sheet(tallies, names))
    return Sheet(
        names=tuple(names),
        rows=rows,
        totals=tuple([cell.total for cell in rows[-1].cells]) if rows else (0,) * len(names),
        winners=tuple([names[seat] for seat in winners]),
        ox=bool(options.get("ox")),
    )


def _name(names: Sequence[str], seat: int | None) -> str:
    return "" if seat is None else names[seat]
