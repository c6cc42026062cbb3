"""Template tags that draw the snake, icons and backs from the sprite ``img/cards.svg``.

Every game has them; its card faces come from a library of its own, with ``symbol`` of this one.
"""

from functools import lru_cache

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ouroboros_site.play.registry import Kind

register = template.Library()


@register.simple_tag
def back(kind: str = "") -> SafeString:
    """The back of a card; ``{% back "threat" %}`` for the threat deck."""
    return _back(kind)


@lru_cache(maxsize=16)
def _back(kind: str) -> SafeString:
    return format_html(
        '<span class="card back{}"><svg aria-hidden="true"><use href="{}"/></svg></span>',
        f" {kind}" if kind else "",
        symbol("back"),
    )


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the sprite, beside a text that says the same."""
    return _icon(name)


@lru_cache(maxsize=64)
def _icon(name: str) -> SafeString:
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}"/></svg>', symbol(f"i-{name}")
    )


@register.simple_tag
def drawing(name: str, classes: str = "") -> SafeString:
    """Any other symbol of the sprite: a number ``v9``, a suit ``sh``, the sign ``mark``."""
    return _drawing(name, classes)


@lru_cache(maxsize=64)
def _drawing(name: str, classes: str) -> SafeString:
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="{}"/></svg>', classes, symbol(name)
    )


@register.simple_tag
def ring(count: int, classes: str = "", ident: str = "") -> SafeString:
    """The ouroboros with ``count`` of its 26 scales grown."""
    return _ring(count, classes, ident)


@lru_cache(maxsize=256)
def _ring(count: int, classes: str, ident: str) -> SafeString:
    return format_html(
        '<svg{} class="ring n-{}{}" aria-hidden="true"><use href="{}"/></svg>',
        format_html(' id="{}"', ident) if ident else "",
        count,
        f" {classes}" if classes else "",
        symbol("ring"),
    )


@register.filter
def drawn(card: str, kind: Kind) -> SafeString:
    """A card of any game as it is drawn in a list: ``{{ card|drawn:kind }}``."""
    return kind.chip(card)


@lru_cache(maxsize=1)
def _sprite() -> str:
    return static("img/cards.svg")


def symbol(name: str) -> str:
    """The address of a symbol of the sprite."""
    return f"{_sprite()}#{name}"
