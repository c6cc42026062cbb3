"""The 52 cards and the joker, as both editions of Ouroboros Solitaire use them.

Inside the rules a card is a small integer: ``13 * suit + value - 1`` with the suits in the order
hearts, diamonds, spades, clubs, and 52 for the joker. Text is for the edge: ``Ah`` … ``Kc``, ``*``.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ouroboros_site.engine.errors import InvalidMove, InvalidRecord, gettext_noop

RANKS = "A23456789TJQK"
SUITS = "hdsc"
SIGNS = {"h": "♥", "d": "♦", "s": "♠", "c": "♣"}

JOKER = 52
TEXTS = tuple(rank + suit for suit in SUITS for rank in RANKS) + ("*",)
CARDS = {text: card for card, text in enumerate(TEXTS)}
LABELS = tuple(("10" if text[0] == "T" else text[0]) + SIGNS[text[1]] for text in TEXTS[:JOKER]) + (
    "★",
)

VALUES = tuple(card % 13 + 1 for card in range(52)) + (0,)
"""Value of each card, 1 … 13; the joker has none, which is 0 here."""

SUIT = tuple(card // 13 for card in range(52)) + (-1,)

RED = tuple(range(26))
"""``Ah…Kh Ad…Kd``"""
BLACK = tuple(range(26, 52))
"""``As…Ks Ac…Kc``"""

MOST = 10**9
"""More than any play reaches of anything that is counted."""

Cards = tuple[int, ...]


def circular(total: int) -> int:
    """A sum of at least 1, brought into 1 … 13 by subtracting 13 as often as needed.

    >>> circular(14), circular(26), circular(39)
    (1, 13, 13)
    """
    return (total - 1) % 13 + 1


def texts(cards: Iterable[int]) -> list[str]:
    """The texts of some cards, in their order."""
    return [TEXTS[card] for card in cards]


def label(text: str) -> str:
    """A card text as a player reads it.

    >>> label("Th"), label("*")
    ('10♥', '★')
    """
    return LABELS[CARDS[text]]


def parse_cards(words: Iterable[str]) -> Cards:
    """The cards of a move text.

    :raises InvalidMove: if a word is no card, or a card comes twice
    """
    cards = []
    for word in words:
        card = CARDS.get(word)
        if card is None:
            raise InvalidMove("card", gettext_noop("There is no card “%(card)s”."), card=word[:12])
        if card in cards:
            raise InvalidMove(
                "card-twice",
                gettext_noop("%(card)s is named twice; a card can be used once only."),
                card=LABELS[card],
            )
        cards.append(card)
    return tuple(cards)


def decode_cards(position: Mapping[str, Any], key: str) -> Cards:
    """The list of card texts under ``key`` of a position.

    :raises InvalidRecord: if it is missing or is no list of cards
    """
    try:
        return tuple([CARDS[text] for text in position[key]])
    except (KeyError, TypeError):
        raise InvalidRecord(
            "position-cards", gettext_noop("The position needs a list of cards “%(key)s”."), key=key
        ) from None


def decode_count(position: Mapping[str, Any], key: str) -> int:
    """The whole number under ``key`` of a position, 0 … ``MOST``.

    :raises InvalidRecord: if it is missing or is no such number
    """
    value = position.get(key)
    if type(value) is not int or not 0 <= value <= MOST:
        raise InvalidRecord(
            "position-count", gettext_noop("The position needs a number “%(key)s”."), key=key
        )
    return value
