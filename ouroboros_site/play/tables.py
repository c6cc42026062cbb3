"""A table as its page gets it: everything a presenter may know, and no secret."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from math import ceil
from typing import Any

from django.utils import timezone

from ouroboros_site.accounts.models import User

from .models import PACES, Game, Move, Seat
from .registry import Selection
from .seating import presence
from .services import Seated, is_leased, name_of, recent_moves, retired

LOG = 30
"""How many moves the page's log goes back; the whole log is in the game's record."""
LINGER = 2.5
"""So many times the usual pause is made after a move that ended a trick or a turn round."""
SEEN = 800
"""Milliseconds that such an end is shown at least, at an instant pace too."""
BUSY = 500
"""Milliseconds after which to ask again while another request thinks for the bot."""
AFTER = 500
"""Milliseconds after the end of somebody's time at which a page asks for the bot to take over."""
STAGGER = 700
"""Milliseconds by which each further person's page asks later; an event renews it before."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What may be told of a game beside its view.

    ``daily`` is the day whose deal it has; ``counts`` whether its score does, now that it is over;
    ``seed`` is None until then; ``won`` whether this person is among the winners, and None as long
    as there are none to be told, for a game that is played alone, and for somebody who looks on;
    ``outcome`` what a finished game of several seats came to for them, in words; ``shared`` whether
    other persons may sit at the table.
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
    shared: bool = False


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
    ``presence`` is "here", "away" or, where a bot stands in, "bot" for the seat of a person at a
    table that goes on, and "" for all others.
    """

    seat: int
    name: str
    bot: str
    me: bool
    presence: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """Where in a game the table is shown, to be looked at only: after ``ply`` of ``last`` moves."""

    ply: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a presenter makes a page from.

    ``seat`` is whose view it is, None for somebody who looks on; ``log`` is newest first;
    ``message`` is why a request was refused; ``confirm`` is the text of a move that can end the
    game and is asked for once more; ``why_not`` tells for any move text the reason against it; with
    ``replay`` nothing can be played. ``tallies`` are what was written down of each finished round.
    ``advance`` says that the next move is made without this person (by a bot, or because there is
    no choice). ``wait`` is after how many milliseconds the page asks for the next move, or for a
    bot instead of a person whose time is out; None if it need not ask. ``clock`` are the seconds
    that are left to whoever's turn it is, None without a turn time.
    """

    game: GameInfo
    seat: int | None
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
    wait: int | None = None
    clock: int | None = None

    @property
    def bottom(self) -> int:
        """The seat in front: one's own, or the first for somebody who looks on."""
        return self.seat or 0


def game_info(game: Game, seat: int | None, *, stand_in: bool = False) -> GameInfo:
    """What may be told of ``game`` to the person on ``seat``, or with None to everybody.

    :param stand_in: whether a bot plays there for the person, who has not won then
    """
    won = None
    if seat is not None and "winners" in (game.result or ()):
        won = seat in game.result["winners"] and not stand_in
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
        score=game.result["scores"][seat] if game.result and seat is not None else None,
        seed=game.seed if game.is_over else None,
        can_undo=game.has_undo and game.ply > 0 and not retired(game),
        can_redo=game.has_undo and bool(game.redo) and not game.is_over,
        pace=game.pace,
        winners=tuple(game.result.get("winners", ())) if game.result else (),
        won=won,
        outcome="" if seat is None else outcome_of(game, seat, stand_in=stand_in),
        shared=game.key is not None,
    )


def outcome_of(game: Game, seat: int, *, stand_in: bool = False) -> str:
    """What a finished game of several seats came to for one of them, in words; "" for others."""
    if game.players == 1 or not game.result:
        return ""
    points = sum(tally["points"][seat] for tally in game.tallies) if game.tallies else None
    won = seat in game.result.get("winners", ())
    return game.kind.came_to(won, stand_in or retired(game), points)


def entries(moves: list[Move]) -> list[Entry]:
    """Log entries of stored moves, in their order."""
    return [Entry(move.ply, move.seat, move.text, move.report) for move in moves]


def sitters(
    seats: Iterable[Seat], me: int | None, now: datetime | None = None
) -> tuple[Sitter, ...]:
    """Who sits where, as ``me`` sees it, or with None somebody who has no seat.

    :param now: for a table that goes on: whoever looks is there
    """
    sitting = []
    for seat in seats:
        there = presence(seat, now) if now and seat.user_id else ""
        if seat.index == me and there == "away":
            there = "here"
        sitting.append(Sitter(seat.index, name_of(seat), seat.bot, seat.index == me, there))
    return tuple(sitting)


def table(seated: Seated, **more: Any) -> Table:
    """The table of a seated person, with the last moves unless ``log`` is given."""
    if "log" not in more:
        more["log"] = entries(recent_moves(seated.game, LOG))
    now = timezone.now()
    people = sitters(seated.people, seated.seat, None if seated.game.is_over else now)
    stand_in = seated.seat is not None and bool(seated.people[seated.seat].bot)
    deadline = seated.deadline
    left = max(0.0, (deadline - now).total_seconds()) if deadline else None
    advance = seated.by_itself
    return Table(
        game=game_info(seated.game, seated.seat, stand_in=stand_in),
        seat=seated.seat,
        people=people,
        view=seated.view,
        why_not=seated.why_not,
        tallies=seated.game.tallies,
        advance=advance,
        wait=_wait(seated, people, more["log"], advance, left),
        clock=None if left is None else ceil(left),
        **more,
    )


def _wait(
    seated: Seated, people: tuple[Sitter, ...], log: list[Entry], advance: bool, left: float | None
) -> int | None:
    """After how many milliseconds the page asks for what comes by itself; None if nothing does."""
    if seated.seat is None or not (advance or left is not None):
        return None
    if isinstance(seated.user, User) and seated.user.suspended:
        return None  # they may not ask
    # A pass of one's own can be asked for by nobody else.
    before = 0 if advance and seated.turn == seated.seat else _before(people, seated.seat)
    waits = []
    if advance:
        waits.append(_pause(seated, log) + before * STAGGER)
    if left is not None:
        waits.append(int(1000 * left) + AFTER + before * STAGGER)
    return min(waits)


def _pause(seated: Seated, log: list[Entry]) -> int:
    """After how many milliseconds the next move may come by itself."""
    game = seated.game
    wait = int(1000 * seated.pause)
    if log and "winner" in log[0].report:
        wait = max(wait, int(1000 * PACES[game.pace] * LINGER), SEEN)
    return max(wait, BUSY) if is_leased(game) else wait


def _before(people: tuple[Sitter, ...], me: int) -> int:
    """How many other persons' pages ask before this one's: of those who are here, in seat order."""
    here = [sitter.seat for sitter in people if sitter.presence == "here"]
    return here.index(me) if me in here else len(here)
