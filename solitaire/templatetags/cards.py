"""Template tags that draw the cards of the solitaires from the sprite ``img/cards.svg``.

A card in a page is tiny: its drawing is a symbol of the sprite, its name is text beside it. Tables
hold dozens of them, so what a tag returns is cached for each language.
"""

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_lazy

from ouroboros_site.play.templatetags.art import symbol
from solitaire.rules.cards import RANKS, label

register = template.Library()

JOKER = "*"
VALUE_NAMES = dict(
    zip(
        RANKS,
        (
            gettext_lazy("Ace"),
            gettext_lazy("Two"),
            gettext_lazy("Three"),
            gettext_lazy("Four"),
            gettext_lazy("Five"),
            gettext_lazy("Six"),
            gettext_lazy("Seven"),
            gettext_lazy("Eight"),
            gettext_lazy("Nine"),
            gettext_lazy("Ten"),
            gettext_lazy("Jack"),
            gettext_lazy("Queen"),
            gettext_lazy("King"),
        ),
        strict=True,
    )
)
SUIT_NAMES = {
    "h": gettext_lazy("hearts"),
    "d": gettext_lazy("diamonds"),
    "s": gettext_lazy("spades"),
    "c": gettext_lazy("clubs"),
}
SPECIAL_NAMES = {
    "J": gettext_lazy("Scout"),
    "Q": gettext_lazy("Reorganize"),
    "K": gettext_lazy("Enforce"),
    JOKER: gettext_lazy("Flash"),
}


def card_name(text: str, edition: str = "") -> str:
    """The name that is read aloud: "Nine of hearts", in the Laws edition "Queen …, Reorganize"."""
    if text == JOKER:
        name = gettext("Joker")
    else:
        name = gettext("%(value)s of %(suit)s") % {
            "value": VALUE_NAMES[text[0]],
            "suit": SUIT_NAMES[text[1]],
        }
    if edition == "laws" and text[0] in SPECIAL_NAMES:
        return f"{name}, {SPECIAL_NAMES[text[0]]}"
    return name


@register.simple_tag
def card(text: str, edition: str = "", named: bool = True) -> SafeString:
    """A card face: ``{% card "9h" %}``; ``edition="laws"`` prints what a special card does.

    ``named=False`` leaves its name out, for a picture beside a text that says the same.
    """
    return _card(text, edition, named, get_language())


@lru_cache(maxsize=512)
def _card(text: str, edition: str, named: bool, language: str | None) -> SafeString:
    suit, face, sign = ("j", "f-joker", "joker") if text == JOKER else (text[1], f"f-{text}", text)
    caption: str | SafeString = ""
    if edition == "laws" and text[0] in SPECIAL_NAMES:
        caption = format_html('<b class="cap" aria-hidden="true">{}</b>', SPECIAL_NAMES[text[0]])
        if text != JOKER:
            face += "-l"
    return format_html(
        '{}<span class="card {} c-{}"><svg aria-hidden="true"><use href="{}"/></svg>{}</span>',
        format_html('<span class="sr">{}</span>', card_name(text, edition)) if named else "",
        suit,
        sign,
        symbol(face),
        caption,
    )


@register.simple_tag
def chip(text: str) -> SafeString:
    """A card in a list: a slip of paper that says ``9♥``."""
    return _chip(text)


@lru_cache(maxsize=64)
def _chip(text: str) -> SafeString:
    suit = "j" if text == JOKER else text[1]
    return format_html('<b class="chip {}">{}</b>', suit, label(text))


@register.simple_tag
def matrix(cards: Iterable[str], suits: str, caption: str) -> SafeString:
    """A sorted list of cards as a table: a row for each suit, a place for each value."""
    held = "".join(cards)
    rows = [_row(suit, "".join([r for r in RANKS if r + suit in held])) for suit in suits]
    return format_html(
        '<table class="matrix"><caption class="sr">{}</caption><tbody>{}{}</tbody></table>',
        caption,
        *rows,
    )


@lru_cache(maxsize=1024)
def _row(suit: str, held: str) -> SafeString:
    cells = [(label(rank + suit)[:-1] if rank in held else "") for rank in RANKS]
    return format_html(
        '<tr><th scope="row"><span class="sr">{}</span>'
        '<svg aria-hidden="true"><use href="{}"/></svg></th>{}</tr>',
        SUIT_NAMES[suit],
        symbol(f"s{suit}"),
        format_html_join("", "<td>{}</td>", ((cell,) for cell in cells)),
    )
