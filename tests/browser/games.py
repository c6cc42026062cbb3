"""Games whose deals hold what a test wants to see: a seed and moves, found by search.

Each is played to its end by the pure rules when this module's moves are; a change of the rules
shows first in `Deal.end`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from solitaire.rules import laws, market


@dataclass(frozen=True)
class Deal:
    """A seed and the moves of a game, as texts."""

    rules: Any
    number: int
    moves: tuple[str, ...]

    @property
    def seed(self):
        return f"{self.number:064x}"

    @cached_property
    def end(self):
        """The position after all moves."""
        return self.after(len(self.moves))

    def after(self, number):
        """The position after the first moves."""
        state = self.rules.start(self.seed)
        for text in self.moves[:number]:
            state = self.rules.apply(state, self.rules.parse_move(text))
        return state


# Every special, a hand that is empty, concede, bribe, every kind of bonus but three of a kind, a
# failure; the draw after the last play empties the deck.
LAWS = Deal(
    laws,
    2404,
    (
        "reorganize Qh: Jd 6h",  # the hand holds them the other way round
        "reorganize Qd: 6d",
        "enforce Kd",
        "enforce Kh",
        "scout Jh 2",
        "concede 2",
        "bribe 1",
        "play 1 9d 9h 2h",
        "scout Jd 3",
        "play 3 Td 3h",
        "play 1 5h 6h 4h",
        "play 1 6d 8h",
        "flash 1",
        "play 1 2h",
        "play 3 9h Td",
    ),
)

# Three of a kind with its capture, and an end by failure.
CAPTURE = Deal(
    laws,
    961038,
    (
        "play 3 Ah 3h",
        "bribe 1",
        "bribe 1",
        "play 3 Td 2d",
        "play 2 Jd Jh Jc",
        "capture 2",
        "play 1 3d",
    ),
)
TO_CAPTURE = 5

# The whole first loop; in the second an enemy needs two successes.
LAWS_LOOP = Deal(
    laws,
    380466,
    (
        *("play 2 8h", "play 3 3d 3h", "play 1 Jd 4d Qh", "play 3 6h 7d", "play 3 5h Jh"),
        *("play 3 5d", "play 1 2h 7h", "play 1 Qd Td", "play 2 Ah", "play 2 4h 9h"),
        *("play 2 8d Th", "play 1 Kh Kd 6d", "play 3 9d 2d", "play 1 Ad 3d 3h", "play 3 4d"),
        *("play 2 Jd", "play 1 8h 6h 7d", "play 3 5h 5d", "play 1 Qh Jh 7h", "play 2 2h Ah"),
        *("play 3 Qd", "flash 2", "play 2 Td Th", "play 2 4h 8d", "play 1 Kd 6d 9d"),
        "play 1 9h Kh Ad",
    ),
)

# Stock, plays of one, two and three cards and one with the stocked card, swaps, the joker, a deck
# made anew; three mismatches.
MARKET = Deal(
    market,
    82944,
    (
        "stock 4d",
        "play 4h 3d 4d",
        "swap 4d",
        "play 5h Ad 5d",
        "swap Ad",
        "play Ah",
        "play 2d 2h",
        "play *",
        "play 3h 5d",
        "play 3d Th",
        "swap 3d",
        "play 4h 5d 3h",
    ),
)
TO_SWAP = 2

# The whole first loop.
MARKET_LOOP = Deal(
    market,
    333756,
    (
        *("play 3h 5h 2h", "swap 3h", "play 3d 5d", "swap 3d", "play 4h", "play 4d", "play 2d"),
        *("play Ah", "play 2h Th", "swap 2h", "play Ad", "play 6d", "play 8d", "play 3h"),
        *("play Kd", "play Kh", "play 5h Td Th", "swap Td", "play 6h", "play 5h", "play Jd"),
        *("play Ad Ah", "swap Ah", "play *", "play 5d", "play Th", "play 7d", "play 7h"),
        *("play Jd", "play Kd", "play Ad"),
    ),
)
