"""Template tags that draw the cards of the two games from the sprite ``img/cards.svg``.

As with the solitaires a card's drawing is a symbol, its name is text beside it, and what a tag
returns is cached for each language.
"""

from functools import lru_cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from ouroboros_site.play.templatetags.art import symbol
from tricks.presenters.trick import card_name, card_words

register = template.Library()


@register.simple_tag
def tcard(text: str, named: bool = True) -> SafeString:
    """A card of Ouroboros Trick: ``{% tcard "R7" %}``.

    ``named=False`` leaves its name out, for a picture beside a text that says the same.
    """
    return _tcard(text, named, get_language())


@lru_cache(maxsize=256)
def _tcard(text: str, named: bool, language: str | None) -> SafeString:
    return format_html(
        '{}<span class="card t{} c-{}"><svg aria-hidden="true"><use href="{}"/></svg></span>',
        format_html('<span class="sr">{}</span>', card_name(text)) if named else "",
        text[0].lower(),
        text,
        symbol(f"f-{text}"),
    )


@register.simple_tag
def tchip(text: str) -> SafeString:
    """A card of Ouroboros Trick in a list: a slip of paper in its colour, with its sign."""
    return trick_chip(text)


def trick_chip(text: str) -> SafeString:
    """The slip of paper for those who are no template."""
    return _tchip(text, get_language())


@lru_cache(maxsize=256)
def _tchip(text: str, language: str | None) -> SafeString:
    return format_html(
        '<b class="chip t{}"><svg aria-hidden="true"><use href="{}"/></svg>'
        '<span class="sr">{}</span><span aria-hidden="true">{}</span></b>',
        text[0].lower(),
        symbol(f"t{text[0]}"),
        card_words(text),
        text[1:],
    )


@register.simple_tag
def card_text(text: str) -> str:
    """A card of Ouroboros Trick as words in a sentence: "red 7"."""
    return card_words(text)
