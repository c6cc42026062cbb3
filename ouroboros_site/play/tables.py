"""A table as its page gets it: everything a presenter may know, and no secret."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.utils.translation import gettext as _

from .models import PACES, Game, Move, Seat
from .registry import Selection
from .services import Seated, is_leased, recent_moves, retired

LOG = 30
"""How many moves the page's log goes back; the whole log is in the game's record."""
LINGER = 2.5
"""So many times the usual pause is made after a move that ended a trick or a turn round."""
SEEN = 800
"""Milliseconds that such an end is shown at least, at an instant pace too."""
BUSY = 500
"""Milliseconds after which to ask again while another request thinks for the bot."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What may be told of a game beside its view.

    ``daily`` is the day whose deal it has; ``counts`` whether its score does, now that it is over;
    ``seed`` is None until then; ``won`` whether this person is among the winners, and None as long
    as there are none to be told, and for a game that is played alone; ``outcome`` what a finished
    game of several seats came to for them, in words.
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
    pace: str
    winners: tuple[int, ...]
    won: bool | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: the seat, the move's text, and its report (facts, nothing hidden)."""

    ply: int
    seat: int
    text: str
    report: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the log in words: a bold head and what came of it."""

    ply: int
    head: str
    text: str

    def __str__(self) -> str:
        return f"{self.head} {self.text}"


@dataclass(frozen=True, slots=True)
class Sitter:
    """Who sits where, as everybody at the table may know it.

    ``bot`` is a level of the game's bots, or "" where a person plays; ``me`` marks the seat of the
    person who looks, if they sit there and look from it: others are called by their names.
    """

    seat: int
    name: str
    bot: str
    me: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """Where in a game the table is shown, to be looked at only: after ``ply`` of ``last`` moves."""

    ply: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a presenter makes a page from.

    ``seat`` is whose view it is; ``log`` is newest first; ``message`` is why a request was refused;
    ``confirm`` is the text of a move that can end the game and is asked for once more; ``why_not``
    tells for any move text the reason against it; with ``replay`` nothing can be played.
    ``tallies`` are what was written down of each finished round. ``advance`` says that the next
    move is made without this person (by a bot, or because there is no choice), and is to be asked
    for after ``wait`` milliseconds.
    """

    game: GameInfo
    seat: int
    people: tuple[Sitter, ...]
    view: dict[str, Any]
    why_not: Callable[[str], str | None]
    log: list[Entry]
    selection: Selection = field(default_factory=Selection)
    preview: dict[str, Any] | None = None
    confirm: str | None = None
    message: str | None = None
    replay: Replay | None = None
    tallies: list[dict[str, Any]] = field(default_factory=list)
    advance: bool = False
    wait: int = 0


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
        can_undo=game.has_undo and game.ply > 0 and not retired(game),
        can_redo=game.has_undo and bool(game.redo) and not game.is_over,
        pace=game.pace,
        winners=tuple(game.result.get("winners", ())) if game.result else (),
        won=seat in game.result["winners"] if "winners" in (game.result or ()) else None,
        outcome=outcome_of(game, seat),
    )


def outcome_of(game: Game, seat: int) -> str:
    """What a finished game of several seats came to for one of them, in words; "" for others."""
    if game.players == 1 or not game.result:
        return ""
    points = sum(tally["points"][seat] for tally in game.tallies) if game.tallies else None
    return game.kind.came_to(seat in game.result.get("winners", ()), retired(game), points)


def entries(moves: list[Move]) -> list[Entry]:
    """Log entries of stored moves, in their order."""
    return [Entry(move.ply, move.seat, move.text, move.report) for move in moves]


def sitters(seats: Iterable[Seat], me: int | None) -> tuple[Sitter, ...]:
    """Who sits where, as ``me`` sees it, or with None somebody who has no seat."""
    return tuple([Sitter(seat.index, name_of(seat), seat.bot, seat.index == me) for seat in seats])


def name_of(seat: Seat) -> str:
    """What the person or the bot on a seat is called."""
    if seat.user:
        return seat.user.display_name
    return seat.name or _("nobody any more")


def table(seated: Seated, **more: Any) -> Table:
    """The table of a seated person, with the last moves unless ``log`` is given."""
    if "log" not in more:
        more["log"] = entries(recent_moves(seated.game, LOG))
    advance = seated.by_itself
    return Table(
        game=game_info(seated.game, seated.seat),
        seat=seated.seat,
        people=sitters(seated.people, seated.seat),
        view=seated.view,
        why_not=seated.why_not,
        tallies=seated.game.tallies,
        advance=advance,
        wait=_wait(seated.game, more["log"]) if advance else 0,
        **more,
    )


def _wait(game: Game, log: list[Entry]) -> int:
    """After how many milliseconds the next move may come by itself."""
    ended = bool(log) and "winner" in log[0].report
    wait = int(1000 * PACES[game.pace])
    if ended:
        wait = max(int(wait * LINGER), SEEN)
    return max(wait, BUSY) if is_leased(game) else wait
