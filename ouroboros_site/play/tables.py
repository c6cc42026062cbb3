"""A table as its page gets it: everything a presenter may know, and no secret."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from .models import Game, Move
from .registry import Selection
from .services import Seated, recent_moves, retired

LOG = 30
"""How many moves the page's log goes back; the whole log is in the game's record."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What may be told of a game beside its view.

    ``daily`` is the day whose deal it has; ``counts`` whether its score does, now that it is over;
    ``seed`` is None until then.
    """

    id: int
    slug: str
    ranked: bool
    daily: date | None
    ply: int
    version: int
    commitment: str
    created: datetime
    updated: datetime
    is_over: bool
    counts: bool
    retired: bool
    score: int | None
    seed: str | None
    can_undo: bool
    can_redo: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: the move's text, and its report (facts, nothing hidden)."""

    ply: int
    text: str
    report: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Replay:
    """Where in a game the table is shown, to be looked at only: after ``ply`` of ``last`` moves."""

    ply: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a presenter makes a page from.

    ``log`` is newest first; ``message`` is why a request was refused; ``confirm`` is the text of a
    move that can end the game and is asked for once more; ``why_not`` tells for any move text the
    reason against it; with ``replay`` nothing can be played.
    """

    game: GameInfo
    view: dict[str, Any]
    why_not: Callable[[str], str | None]
    log: list[Entry]
    selection: Selection = field(default_factory=Selection)
    preview: dict[str, Any] | None = None
    confirm: str | None = None
    message: str | None = None
    replay: Replay | None = None


def game_info(game: Game, seat: int) -> GameInfo:
    """What may be told of ``game`` to the person on ``seat``."""
    return GameInfo(
        id=game.pk,
        slug=game.slug,
        ranked=game.ranked,
        daily=game.daily.date if game.daily else None,
        ply=game.ply,
        version=game.version,
        commitment=game.commitment,
        created=game.created,
        updated=game.updated,
        is_over=game.is_over,
        counts=game.counts,
        retired=retired(game),
        score=game.result["scores"][seat] if game.result else None,
        seed=game.seed if game.is_over else None,
        can_undo=not game.ranked and game.ply > 0 and not retired(game),
        can_redo=not game.ranked and bool(game.redo) and not game.is_over,
    )


def entries(moves: list[Move]) -> list[Entry]:
    """Log entries of stored moves, in their order."""
    return [Entry(move.ply, move.text, move.report) for move in moves]


def table(seated: Seated, **more: Any) -> Table:
    """The table of a seated person, with the last moves unless ``log`` is given."""
    if "log" not in more:
        more["log"] = entries(recent_moves(seated.game, LOG))
    return Table(
        game=game_info(seated.game, seated.seat),
        view=seated.view,
        why_not=seated.why_not,
        **more,
    )
