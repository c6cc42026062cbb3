"""Positions from a short description, for the rules tests.

Cards are written as in a record, with spaces between: ``"Ad 2d Th *"``. ``...`` stands in one
place of the friendly and one of the threat cards for all that the description does not mention,
so that the cards are always exactly the game's deck; scores and counts follow from the piles.
"""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from ouroboros_site.engine.errors import RulesError
from solitaire.rules import laws, market

SEED = "5e" * 32
RANKS = "A23456789TJQK"
RED = [rank + suit for suit in "hd" for rank in RANKS] + ["*"]
BLACK = [rank + suit for suit in "sc" for rank in RANKS]
STARTING_DECK = [rank + suit for suit in "hd" for rank in "A2345"]
REST = "..."


def value(card: str) -> int:
    """The value of a card that is no joker."""
    return RANKS.index(card[0]) + 1


def fill(places: dict[str, list[str]], default: str, cards: Iterable[str]) -> None:
    """Put ``cards`` where ``...`` stands among ``places``, or at the start of ``default``."""
    holders = [name for name, place in places.items() if REST in place]
    assert len(holders) <= 1, f"more than one place takes the rest: {holders}"
    if holders:
        place = places[holders[0]]
        at = place.index(REST)
        place[at : at + 1] = cards
    else:
        places[default][:0] = cards


def laws_position(
    hand: str,
    deck: str = REST,
    discard: str = "",
    piles: tuple[str, str, str] = ("As 2s 5c", "Ts 3s", "Ks 4s"),
    navigated: str = REST,
    resting: str = "",
    laws: str = "",
    **other: Any,
) -> dict[str, Any]:
    """A position of the Laws edition.

    Friendly cards not mentioned go under the discard pile unless ``deck`` (as by default) or
    ``discard`` holds ``...``; a King whose law is in force lies in the resting area unless it is
    mentioned elsewhere; threat cards not mentioned are navigated. ``other`` sets any key.
    """
    places = {
        "hand": hand.split(),
        "deck": deck.split(),
        "discard": discard.split(),
        "resting": resting.split(),
        "navigated": navigated.split(),
    }
    heaps = [pile.split() for pile in piles]

    def unmentioned(cards: Iterable[str]) -> list[str]:
        mentioned = {card for place in [*places.values(), *heaps] for card in place}
        return [card for card in cards if card not in mentioned]

    places["resting"] += unmentioned(laws.split())
    friends = {name: places[name] for name in ("deck", "discard")}
    fill(friends, "discard", unmentioned(RED))
    fill({"navigated": places["navigated"]}, "navigated", unmentioned(BLACK))

    loop = other.get("loop", 1)
    position: dict[str, Any] = {
        **places,
        "piles": heaps,
        "laws": laws.split(),
        "loop": loop,
        "score": 26 * loop - sum(map(len, heaps)),
        "phase": "encounter",
        "known": [0, 0, 0],
        "locked": None,
        "successes": 0,
        "turn": 0,
        **other,
    }
    return position


def market_position(
    hand: str,
    target: str,
    deck: str = REST,
    discard: str = "",
    stock: str | None = None,
    market: str = "",
    threat: str = "",
    finished: str = "",
    played: str = "",
    **other: Any,
) -> dict[str, Any]:
    """A position of the Market edition.

    The player's cards are made up to ten where ``...`` stands in ``deck`` or ``discard`` (else
    under the discard pile), from the starting deck first; the other red cards follow those that
    ``market`` names. Threat cards not mentioned are still to come unless ``finished`` holds
    ``...``. Score, swaps and value follow from the rest. ``other`` sets any key.
    """
    mine = {
        "hand": hand.split(),
        "deck": deck.split(),
        "discard": discard.split(),
        "played": played.split(),
        "stock": [stock] if stock else [],
    }
    shop = market.split()
    taken = {card for place in [*mine.values(), shop] for card in place}
    rest = [card for card in [*STARTING_DECK, *RED[5:13], *RED[18:]] if card not in taken]
    wanted = 10 - sum(card != REST for place in mine.values() for card in place)
    fill({name: mine[name] for name in ("deck", "discard")}, "discard", rest[:wanted])
    shop += rest[wanted:]

    threats = {"threat": threat.split(), "finished": finished.split()}
    seen = {target, *threats["threat"], *threats["finished"]}
    default = [card for card in BLACK if card not in seen]
    fill(threats, "threat", default)

    loop = other.get("loop", 1)
    encounter = other.get("encounter", 1)
    lives = other.get("lives", 3)
    lost = 3 - lives
    missed = other.get("missed", False)
    done = len(threats["finished"])
    earlier = 26 * sum(range(1, loop)) + done * loop + encounter - 1
    position: dict[str, Any] = {
        "hand": mine["hand"],
        "deck": mine["deck"],
        "discard": mine["discard"],
        "played": mine["played"],
        "stock": stock,
        "market": shop,
        "target": target,
        **threats,
        "loop": loop,
        "lives": lives,
        "encounter": encounter,
        "value": (value(target) + encounter - 2) % 13 + 1,
        "missed": missed,
        "score": 26 * (loop - 1) + done - max(0, lost - missed),
        "swaps": earlier - lost + (lives == 0),
        "reshuffles": 0,
        "phase": "swap" if played else "play",
        "turn": 0,
        **other,
    }
    return position


def state_at(rules: Any, position: dict[str, Any], seed: str = SEED) -> Any:
    """The state of ``position``, which must be one that the rules accept."""
    state = rules.decode({"seed": seed, "players": 1, "options": {}, "position": position})
    rules.check(state)
    return state


def laws_state(hand: str, seed: str = SEED, **description: Any) -> Any:
    """The state that ``laws_position`` describes."""
    return state_at(laws, laws_position(hand, **description), seed)


def market_state(hand: str, target: str, seed: str = SEED, **description: Any) -> Any:
    """The state that ``market_position`` describes."""
    return state_at(market, market_position(hand, target, **description), seed)


def after(rules: Any, state: Any, *texts: str) -> Any:
    """The state after the moves of ``texts``."""
    for text in texts:
        state = rules.apply(state, rules.parse_move(text))
    return state


def legal_texts(rules: Any, state: Any, verb: str = "") -> list[str]:
    """The legal moves as sorted texts, or those of them that begin with ``verb``."""
    texts = sorted(map(rules.format_move, rules.legal_moves(state)))
    return [text for text in texts if not verb or text.split(" ")[0] == verb]


def refused(rules: Any, state: Any, text: str) -> str:
    """Assert that ``text`` is refused and changes nothing; the message, which a player reads."""
    before = json.dumps(rules.encode(state))
    with pytest.raises(RulesError) as caught:
        rules.apply(state, rules.parse_move(text))
    assert json.dumps(rules.encode(state)) == before
    error = caught.value
    assert error.code and error.message and "%(" not in error.message
    assert "\n" not in error.message
    return error.message


def show(rules: Any, state: Any, keys: str) -> list[Any]:
    """The values of some position keys; a list of cards is written as the descriptions are."""

    def text(item: Any) -> Any:
        if isinstance(item, list) and all(isinstance(card, str) for card in item):
            return " ".join(item)
        return [text(part) for part in item] if isinstance(item, list) else item

    position = rules.position(state)
    return [text(position[key]) for key in keys.split()]
