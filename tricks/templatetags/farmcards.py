"""Template tags that draw the cards of Ochs & Esel from the sprite ``img/cards.svg``.

As with the other games a card's drawing is a symbol, its name is text beside it, and what a tag
returns is cached for each language.
"""

from functools import lru_cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy

from ouroboros_site.play.templatetags.art import symbol

register = template.Library()

NAMES = {"J": gettext_lazy("Joker"), "E": gettext_lazy("Donkey"), "O": gettext_lazy("Ox")}
CAPTIONS = {
    "J": gettext_lazy("Joker"),
    "E": gettext_lazy("Esel"),
    "O": gettext_lazy("Ochs"),
}
"""What is printed on the cards that are no numbers."""


@register.simple_tag
def ecard(text: str, named: bool = True) -> SafeString:
    """A card face: ``{% ecard "13" %}``, ``{% ecard "J" %}``, ``{% ecard "E" %}``.

    ``named=False`` leaves its name out, for a picture beside a text that says the same.
    """
    return _ecard(text, named, get_language())


@lru_cache(maxsize=128)
def _ecard(text: str, named: bool, language: str | None) -> SafeString:
    number = text not in NAMES
    return format_html(
        '{}<span class="card {}"><svg aria-hidden="true"><use href="{}"/></svg>{}</span>',
        format_html('<span class="sr">{}</span>', NAMES.get(text, text)) if named else "",
        f"hay n-{text}" if number else f"farm-{text.lower()}",
        symbol(f"f-o{text}"),
        "" if number else format_html('<b class="cap" aria-hidden="true">{}</b>', CAPTIONS[text]),
    )


@register.simple_tag
def echip(text: str) -> SafeString:
    """A card in a list: a slip of paper that says ``9`` or "joker"."""
    return _echip(text, get_language())


@lru_cache(maxsize=128)
def _echip(text: str, language: str | None) -> SafeString:
    return format_html('<b class="chip">{}</b>', NAMES.get(text, text))


@register.simple_tag
def beast(name: str, words: str) -> SafeString:
    """The donkey or the ox as a small picture that says something: "has the donkey"."""
    return format_html(
        '<svg class="beast" role="img" aria-label="{}"><use href="{}"/></svg>', words, symbol(name)
    )
