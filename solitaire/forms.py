"""Reads the controls of a table into one move text. Whether the move is legal, the rules say."""

from collections.abc import Callable

from django.http import QueryDict
from django.utils.translation import gettext as _

from ouroboros_site.play.registry import Selection

from .rules.cards import CARDS, SIGNS, SUITS

LOOK = "look"
"""The action of the button that only asks what the selected cards would do."""

Compose = Callable[[str, str, tuple[str, ...], int | None], tuple[str, str]]
"""(verb, its card, selected cards, pile) -> (move text, what is missing); one of the two is ""."""


def read_laws(data: QueryDict) -> Selection:
    """The controls of a Laws table: ``action``, ``pile``, ``card`` in the order of choosing, or
    ``text``, a move typed as text."""
    return _read(data, _compose_laws)


def read_market(data: QueryDict) -> Selection:
    """The controls of a Market table: ``action``, ``card`` in the order of choosing, ``text``."""
    return _read(data, _compose_market)


def typed(text: str) -> str:
    """A move as a person types it, brought into the notation: one space between words; suit signs,
    10 for T and any case allowed.

    >>> typed(" Play 2  10♥ 5D ")
    'play 2 Th 5d'
    """
    text = text.replace("10", "T").replace("★", "*").replace("\N{VARIATION SELECTOR-15}", "")
    for suit in SUITS:
        text = text.replace(SIGNS[suit], suit)
    verb, *words = text.split() or [""]
    return " ".join([verb.lower(), *[_cased(word) for word in words]])


def _cased(word: str) -> str:
    """A card in the case of the notation, ``3H`` as ``3h``; anything else as it is."""
    card = word[:1].upper() + word[1:2].lower()
    return card + word[2:] if card in CARDS and word[2:] in ("", ":") else word


def _read(data: QueryDict, compose: Compose) -> Selection:
    cards, pile = _cards(data), _pile(data)
    action = data.get("action", "")
    if text := data.get("text", ""):
        return Selection(texts=(typed(text),), cards=cards, pile=pile)
    if action == LOOK:
        return Selection(cards=cards, pile=pile, looks=True)
    verb, _space, special = action.partition(" ")
    text, problem = compose(verb, special, cards, pile)
    return Selection(texts=(text,) if text else (), problem=problem, cards=cards, pile=pile)


def _cards(data: QueryDict) -> tuple[str, ...]:
    """The chosen cards: as the script counted them, else from left to right."""
    chosen = [card for card in data.getlist("card") if card in CARDS]
    order = data.get("order", "").split(" ")
    return tuple(order if sorted(order) == sorted(chosen) else chosen)


def _pile(data: QueryDict) -> int | None:
    pile = data.get("pile", "")
    return int(pile) if pile in ("1", "2", "3") else None


def _compose_laws(
    verb: str, special: str, cards: tuple[str, ...], pile: int | None
) -> tuple[str, str]:
    match verb:
        case "play" | "bribe" | "flash" | "concede" | "capture" if pile is None:
            return "", _("Choose a pile first.")
        case "play" if not cards:
            return "", _("Choose one to three cards first.")
        case "play":
            return f"play {pile} {' '.join(cards)}", ""
        case "bribe" | "flash" | "concede" | "capture":
            return f"{verb} {pile}", ""
        case "enforce" if not special:
            return "", _("There is no King in your hand.")
        case "enforce":
            return f"enforce {special}", ""
        case "scout" if not special:
            return "", _("There is no Jack in your hand.")
        case "scout" if pile is None:
            return "", _("Choose the pile to look into first.")
        case "scout":
            return f"scout {special} {pile}", ""
        case "reorganize" if not special:
            return "", _("There is no Queen in your hand.")
        case "reorganize":
            others = [card for card in cards if card != special]
            if not others:
                return "", _("Choose the cards to change first, beside the Queen.")
            return f"reorganize {special}: {' '.join(others)}", ""
    return "", _("That is no move of this game.")


def _compose_market(
    verb: str, special: str, cards: tuple[str, ...], pile: int | None
) -> tuple[str, str]:
    match verb:
        case "play" if not cards:
            return "", _("Choose one to three cards first.")
        case "play":
            return f"play {' '.join(cards)}", ""
        case "stock" if len(cards) != 1:
            return "", _("Choose one card of your hand for the stock slot first.")
        case "swap" if len(cards) != 1:
            return "", _("Choose the card to trade first.")
        case "stock" | "swap":
            return f"{verb} {cards[0]}", ""
    return "", _("That is no move of this game.")
