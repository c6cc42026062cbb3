"""Positions of Ouroboros Trick from a short description, for the rules tests.

Cards are written as in a record, with spaces between: ``"R7 B15"``.
"""

import json
from itertools import count
from typing import Any

from ouroboros_site.engine.errors import InvalidRecord
from tricks.rules import trick

SEED = "5e" * 32
SUITS = "RYGB"


def number(card: str) -> int:
    """The number of a card."""
    return int(card[1:])


def in_order(cards: list[str]) -> list[str]:
    """Sorted as hands are: by suit, then number."""
    return sorted(cards, key=lambda card: (SUITS.index(card[0]), number(card)))


def deck(players: int) -> list[str]:
    """The cards of a game of so many."""
    return [f"{suit}{number}" for suit in SUITS for number in range(1, 3 * players + 1)]


def trick_position(
    *hands: str,
    leader: int = 0,
    on_table: str = "",
    pools: dict[int, str] | None = None,
    discard: str = "",
    **other: Any,
) -> dict[str, Any]:
    """A position with these hands; cards not mentioned were discarded before those of ``discard``.

    :param on_table: the cards of the trick as it lies, the leader's first
    :param pools: seat -> its pool
    :param other: any key; without ``tricks`` the fewest that lead to such numbers of cards
    """
    players = len(hands)
    held = [in_order(hand.split()) for hand in hands]
    taken = [(pools or {}).get(seat, "").split() for seat in range(players)]
    lying = on_table.split()
    last = discard.split()
    mentioned = {card for place in (*held, *taken, lying, last) for card in place}
    position: dict[str, Any] = {
        "phase": "play",
        "turn": (leader + len(lying)) % players,
        "leader": leader,
        "trick": [[(leader + at) % players, card] for at, card in enumerate(lying)],
        "owed": 0,
        "hands": held,
        "pools": taken,
        "discard": [card for card in deck(players) if card not in mentioned] + last,
        "tricks": 0,
        "losers": [],
        **other,
    }
    if "tricks" not in other:
        for position["tricks"] in count():
            try:
                trick.check(decoded(position))
            except InvalidRecord:
                assert position["tricks"] <= len(position["discard"]), "no number of tricks fits"
            else:
                break
    return position


def decoded(position: dict[str, Any], seed: str = SEED) -> Any:
    """The state of a position, whether or not the rules accept it."""
    return trick.decode(
        {"seed": seed, "players": len(position["hands"]), "options": {}, "position": position}
    )


def trick_state(*hands: str, seed: str = SEED, **description: Any) -> Any:
    """The state that ``trick_position`` describes, which must be one that the rules accept."""
    position = trick_position(*hands, **description)
    state = decoded(position, seed)
    trick.check(state)
    assert json.dumps(trick.position(state)) == json.dumps(position)
    return state
