"""What the conformance suite must know about each game, and cannot ask its rules.

A game without a kit here, or without counts in ``tests/data/counts.json``, fails the suite.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

Encoded = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kit:
    """How one game is tested.

    :param key: a move text -> the text that every spelling of the same move shares; texts whose
        key is that of no legal move must be refused
    :param redeal: an encoded state, a seat and chance -> another one that looks the same to it:
        the cards that the page's section "What the player sees" hides lie elsewhere
    :param preview: rules, state, move -> what the site may show of it beforehand, or None
    """

    key: Callable[[str], str]
    redeal: Callable[[Encoded, int | None, Random], Encoded]
    preview: Callable[[Any, Any, Any], Any]


def other_seed(data: Encoded, random: Random) -> str:
    """Another seed; the seed is no secret any more when the game is over."""
    if data["position"]["turn"] is None:
        return str(data["seed"])
    return random.randbytes(32).hex()


# --- The Laws edition ----------------------------------------------------------------------------

CARD = r"(?:[A2-9TJQK][hdsc]|\*)"
LAWS_ANY_ORDER = re.compile(rf"(play [123]|reorganize {CARD}:)((?: {CARD})+)")
MARKET_ANY_ORDER = re.compile(rf"(play)((?: {CARD})+)")


def _in_any_order(form: re.Pattern[str]) -> Callable[[str], str]:
    def key(text: str) -> str:
        if match := form.fullmatch(text):
            return f"{match[1]} {' '.join(sorted(match[2].split()))}"
        return text

    return key


def _redeal_laws(data: Encoded, seat: int | None, random: Random) -> Encoded:
    """Threat cards under the tops, beyond those seen with Scout, change places."""
    position = data["position"]
    open_cards = [1 + known for known in position["known"]]
    piles = zip(position["piles"], open_cards, strict=True)
    hidden = [card for pile, seen in piles for card in pile[seen:]]
    random.shuffle(hidden)
    dealt = iter(hidden)
    piles = zip(position["piles"], open_cards, strict=True)
    new = [pile[:seen] + [next(dealt) for _ in pile[seen:]] for pile, seen in piles]
    return {**data, "seed": other_seed(data, random), "position": {**position, "piles": new}}


def _preview_laws(rules: Any, state: Any, move: Any) -> Any:
    return rules.preview(state, move[2]) if move[0] == "play" else None


# --- The Market edition --------------------------------------------------------------------------


def _redeal_market(data: Encoded, seat: int | None, random: Random) -> Encoded:
    """Market and threat deck are shuffled."""
    position = data["position"]
    new = {key: random.sample(position[key], len(position[key])) for key in ("market", "threat")}
    return {**data, "seed": other_seed(data, random), "position": {**position, **new}}


def _preview_market(rules: Any, state: Any, move: Any) -> Any:
    return rules.preview(state, move[1]) if move[0] == "play" else None


KITS: dict[str, Kit] = {
    "laws": Kit(_in_any_order(LAWS_ANY_ORDER), _redeal_laws, _preview_laws),
    "market": Kit(_in_any_order(MARKET_ANY_ORDER), _redeal_market, _preview_market),
}
