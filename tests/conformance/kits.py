"""What the conformance suite must know about each game, and cannot ask its rules.

A game without a kit here, or without counts in ``tests/data/counts.json``, fails the suite.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

Encoded = dict[str, Any]
Position = dict[str, Any]


def no_preview(rules: Any, state: Any, move: Any) -> Any:
    """For games in which nothing is shown beforehand."""


def goes_on(report: dict[str, Any]) -> tuple[Any, ...]:
    """For games that everything but their end prolongs alike."""
    return (not report["over"],)


@dataclass(frozen=True, slots=True)
class Kit:
    """How one game is tested.

    :param card: what the text of a card looks like
    :param key: a move text -> the text that every spelling of the same move shares; texts whose
        key is that of no legal move must be refused
    :param redeal: an encoded state, a seat and chance -> another one that looks the same to it:
        the cards that the page's section "What the player sees" hides lie elsewhere
    :param preview: rules, state, move -> what the site may show of it beforehand, or None
    :param announced: a position, a move text and the position after it -> the cards that
        everybody is told of, whether or not they are still to be seen
    :param worth: a report -> how much it seems to prolong the game, for comparison
    :param options: the sets of options to play with
    """

    card: re.Pattern[str]
    key: Callable[[str], str]
    redeal: Callable[[Encoded, int | None, Random], Encoded]
    preview: Callable[[Any, Any, Any], Any] = no_preview
    announced: Callable[[Position, str, Position], list[str]] = lambda before, text, after: []
    worth: Callable[[dict[str, Any]], tuple[Any, ...]] = goes_on
    options: tuple[dict[str, Any], ...] = ({},)


def other_seed(data: Encoded, random: Random) -> str:
    """Another seed; the seed is no secret any more when the game is over."""
    if data["position"]["turn"] is None:
        return str(data["seed"])
    return random.randbytes(32).hex()


# --- The solitaires ------------------------------------------------------------------------------

CARD = r"(?:[A2-9TJQK][hdsc]|\*)"
LAWS_ANY_ORDER = re.compile(rf"(play [123]|reorganize {CARD}:)((?: {CARD})+)")
MARKET_ANY_ORDER = re.compile(rf"(play)((?: {CARD})+)")


def _in_any_order(form: re.Pattern[str]) -> Callable[[str], str]:
    def key(text: str) -> str:
        if match := form.fullmatch(text):
            return f"{match[1]} {' '.join(sorted(match[2].split()))}"
        return text

    return key


def _worth(report: dict[str, Any]) -> tuple[Any, ...]:
    """Not over, then more cards gained than lost, then a match, then anything but a mismatch."""
    match, gained = report.get("match"), report.get("reflux", 0) - len(report.get("lost", []))
    return (not report["over"], gained, bool(match), match is None)


# --- The Laws edition ----------------------------------------------------------------------------


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


# --- Ouroboros Trick -----------------------------------------------------------------------------


def _redeal_trick(data: Encoded, seat: int | None, random: Random) -> Encoded:
    """Other hands, other pools and the discard pile under its top are dealt anew.

    Numbers of cards stay, and so does what everybody has seen: who did not follow holds no card of
    the suit led, and the trick just won lies in the pool of the winner who still discards.
    """
    position = data["position"]
    hands, pools, trick = position["hands"], position["pools"], position["trick"]
    seats = range(len(hands))
    void = {player for player, card in trick if card[0] != trick[0][1][0]}
    open_cards = [len(seats) * (position["phase"] == "discard" and other == position["leader"])
                  for other in seats]  # fmt: skip
    others = [other for other in seats if other != seat]
    hidden = [card for other in others for card in hands[other]]
    hidden += [card for other in others for card in _under(pools[other], open_cards[other])]
    hidden += _under(position["discard"], 1)
    random.shuffle(hidden)

    def deal(number: int, without: str = "") -> list[str]:
        dealt = [card for card in hidden if card[0] != without][:number]
        for card in dealt:
            hidden.remove(card)
        return dealt

    new_hands, new_pools = [*hands], [*pools]
    # First those who can take least.
    for other in sorted(others, key=lambda other: other not in void):
        dealt = deal(len(hands[other]), trick[0][1][0] if other in void else "")
        new_hands[other] = sorted(dealt, key=lambda card: ("RYGB".index(card[0]), int(card[1:])))
    for other in others:
        shown = pools[other][len(_under(pools[other], open_cards[other])) :]
        new_pools[other] = deal(len(pools[other]) - len(shown)) + shown
    discard = hidden + position["discard"][-1:]
    new = {"hands": new_hands, "pools": new_pools, "discard": discard}
    return {**data, "seed": other_seed(data, random), "position": {**position, **new}}


def _under(pile: list[str], top: int) -> list[str]:
    """The cards of a pile, bottom first, under its top ones."""
    return pile[: max(0, len(pile) - top)]


def _announced_trick(before: Position, text: str, after: Position) -> list[str]:
    """The card that is played, and whatever goes to the discard pile."""
    return [text.split(" ")[1], *after["discard"][len(before["discard"]) :]]


# --- Ochs & Esel ---------------------------------------------------------------------------------

OCHS_ESEL_CARD = r"(?:[1-9]|1[0-3]|[JEO])"
OCHS_ESEL_ANY_ORDER = re.compile(rf"(play)((?: {OCHS_ESEL_CARD})+)")


def _redeal_ochs_esel(data: Encoded, seat: int | None, random: Random) -> Encoded:
    """Other hands, what anybody laid down, and what is gone or aside are dealt anew.

    Donkey and ox stay: who has them is seen. At the end the last tally says what hands and laid
    cards are worth, so that only gone and aside are left to deal.
    """
    position = data["position"]
    over = position["phase"] == "over"
    hands, laid = position["hands"], position["laid"]
    places: dict[tuple[str, int | None], list[str]] = {
        ("gone", None): position["gone"],
        ("aside", None): position["aside"],
    }
    if not over:
        for other, (hand, cards) in enumerate(zip(hands, laid, strict=True)):
            if other != seat:
                places["hands", other] = hand
            places["laid", other] = cards
    hidden = [card for place in places.values() for card in place if card not in ("E", "O")]
    random.shuffle(hidden)
    new: dict[str, Any] = {"hands": [*hands], "laid": [*laid]}
    for (key, other), place in places.items():
        dealt = [card if card in ("E", "O") else hidden.pop() for card in place]
        dealt.sort(key=[*map(str, range(1, 14)), "J", "E", "O"].index)
        if other is None:
            new[key] = dealt
        else:
            new[key][other] = dealt
    return {**data, "seed": other_seed(data, random), "position": {**position, **new}}


def _announced_ochs_esel(before: Position, text: str, after: Position) -> list[str]:
    """The cards that are played; when a round ends, also how much the laid cards count."""
    cards = text.split(" ")[1:]
    if len(after["tallies"]) > len(before["tallies"]):
        worth = {"J": 1, "O": 0}
        return cards + [
            f"laid {sum(worth[card] if card in worth else int(card) for card in laid)}"
            for laid in before["laid"]
        ]
    return cards


KITS: dict[str, Kit] = {
    "laws": Kit(
        card=re.compile(CARD),
        key=_in_any_order(LAWS_ANY_ORDER),
        redeal=_redeal_laws,
        preview=_preview_laws,
        worth=_worth,
    ),
    "market": Kit(
        card=re.compile(CARD),
        key=_in_any_order(MARKET_ANY_ORDER),
        redeal=_redeal_market,
        preview=_preview_market,
        worth=_worth,
    ),
    "trick": Kit(
        card=re.compile(r"[RYGB](?:[1-9]|1[0-5])"),
        key=lambda text: text,
        redeal=_redeal_trick,
        announced=_announced_trick,
    ),
    "ochs-esel": Kit(
        card=re.compile(OCHS_ESEL_CARD),
        key=_in_any_order(OCHS_ESEL_ANY_ORDER),
        redeal=_redeal_ochs_esel,
        announced=_announced_ochs_esel,
        options=({}, {"ox": True, "rounds": 2}),
    ),
}
