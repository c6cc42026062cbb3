"""Positions of Ochs & Esel from a short description, for the rules tests.

Cards are written as in a record, with spaces between: ``"6 6 J E"``.
"""

from typing import Any

from tricks.rules import ochs_esel

SEED = "5e" * 32
PACK = [str(number) for number in range(1, 14) for _ in range(8)] + ["J"] * 4
DEALT = {3: 13, 4: 13, 5: 13, 6: 13, 7: 13, 8: 13, 9: 12, 10: 10, 11: 9, 12: 9}
"""The rulebook's table, and what it leaves out: 12 players have 9 cards each, none is left over."""
ORDER = [*map(str, range(1, 14)), "J", "E", "O"]


def in_order(cards: list[str]) -> list[str]:
    """Sorted as hands are."""
    return sorted(cards, key=ORDER.index)


def position(
    *hands: str,
    leader: int = 0,
    laid: dict[int, str] | None = None,
    ox: bool = False,
    turn_round: int = 9,
    tallies: tuple[tuple[int, ...], ...] = (),
    **other: Any,
) -> dict[str, Any]:
    """A position before the leader plays.

    Of the cards not mentioned so many are aside as that number of players leaves over, the dearest
    first; the rest is gone. ``other`` sets any key.
    """
    players = len(hands)
    held = [in_order(hand.split()) for hand in hands]
    lying = [in_order((laid or {}).get(seat, "").split()) for seat in range(players)]
    rest = list(PACK)
    for card in [card for place in held + lying for card in place if card not in "EO"]:
        rest.remove(card)
    gone = len(rest) - (len(PACK) - players * DEALT[players])
    middle = ["O", "E"][turn_round - 1 :] if ox else []
    return {
        "round": len(tallies) + 1,
        "turn_round": turn_round,
        "phase": "play",
        "turn": leader,
        "leader": leader,
        "kind": "plain",
        "count": 0,
        "value": -1,
        "best": None,
        "table": [],
        "hands": held,
        "laid": lying,
        "middle": middle,
        "barred": [],
        "gone": rest[:gone],
        "aside": rest[gone:],
        "tallies": [list(tally) for tally in tallies],
        "totals": [sum(column) for column in zip(*tallies, strict=True)] or [0] * players,
        "winners": [],
        **other,
    }


def state(*hands: str, ox: bool = False, rounds: int = 5, **description: Any) -> Any:
    """The state that ``position`` describes, which must be one that the rules accept."""
    there = position(*hands, ox=ox, **description)
    options = {"ox": ox, "rounds": rounds}
    result = ochs_esel.decode(
        {"seed": SEED, "players": len(hands), "options": options, "position": there}
    )
    ochs_esel.check(result)
    assert ochs_esel.position(result) == there
    return result
