"""Rules: what every game here offers to the site, to bots and to tests.

A game is one module that has these constants and functions; the module itself is the object.
A position (``State``) is a value, never changed in place. Nothing here reads a clock or a file,
and there is no chance but the seed in the state.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

State = Any
"""A position: an immutable, hashable value that only its own rules look into."""

Move = Any
"""A move: a small hashable value; ``format_move`` and ``parse_move`` give and read its text."""

View = dict[str, Any]
"""What one seat may see, JSON-ready, its keys as the game's page lists them."""


class Termination(Enum):
    """Why a game is over."""

    DECK_EMPTY = "deck-empty"
    NO_LIVES = "no-lives"
    OUT_OF_CARDS = "out-of-cards"
    ROUNDS_PLAYED = "rounds-played"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: ``scores`` holds one number for each seat.

    ``winners`` are the seats that won, ascending; a game of one seat is not won, and has none.
    """

    termination: Termination
    scores: tuple[int, ...]
    winners: tuple[int, ...] = ()


class Rules(Protocol):
    """The protocol every game implements; the conformance suite holds each game to it."""

    SLUG: str
    NAME: str
    SEATS: range

    def start(
        self, seed: str, players: int = ..., options: Mapping[str, Any] | None = None
    ) -> State:
        """The position after set-up.

        :param seed: 64 lower-case hex digits
        :param players: the number of seats, one of ``SEATS``; by default the fewest
        :param options: only what the game's page lists; those missing take their defaults
        :raises InvalidRecord: if one of the three is not of this game
        """

    def legal_moves(self, state: State) -> tuple[Move, ...]:
        """Every legal move in its canonical form, in a fixed order; empty when the game is over."""

    def refusal(self, state: State, move: Move) -> Exception | None:
        """Why ``move`` may not be played here (an IllegalMove), or None if it may."""

    def apply(self, state: State, move: Move) -> State:
        """The position after ``move``.

        :raises IllegalMove: if it may not be played; ``state`` is as it was in any case
        """

    def report(self, state: State, move: Move) -> dict[str, Any]:
        """What ``move`` does in ``state``, as JSON-ready facts that hold nothing hidden.

        :raises IllegalMove: if it may not be played
        """

    def parse_move(self, text: str) -> Move:
        """Read a move text, whatever the position.

        :raises InvalidMove: if it is no move text of this game
        """

    def format_move(self, move: Move) -> str:
        """The one canonical text of a move; ``parse_move(format_move(m)) == m``."""

    def turn(self, state: State) -> int | None:
        """The seat to move, or None when the game is over."""

    def view(self, state: State, seat: int | None) -> View:
        """What ``seat`` (None: a spectator) may see, and nothing else."""

    def outcome(self, state: State) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def scores(self, state: State) -> tuple[int, ...]:
        """The points of each seat as they stand."""

    def position(self, state: State) -> dict[str, Any]:
        """The position as a trace prints it, with the keys that the game's page fixes."""

    def encode(self, state: State) -> dict[str, Any]:
        """The whole state, JSON-ready: ``seed``, ``players``, ``options`` and ``position``."""

    def decode(self, data: Mapping[str, Any]) -> State:
        """The state that ``encode`` wrote.

        :raises InvalidRecord: if the data do not have the form of this game's position
        """

    def check(self, state: State) -> None:
        """Check a state that comes from outside.

        :raises InvalidRecord: if its cards are not exactly the game's deck, or if no play could
            reach its counts and phases
        """
