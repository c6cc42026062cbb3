"""Draws an address as a QR code, for the camera of a phone."""

import segno
from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag
def qr(address: str, words: str) -> SafeString:
    """A drawing of ``address``; ``words`` say what it is to those who cannot see it."""
    drawing = segno.make(address, error="m", micro=False).svg_inline(
        omitsize=True, dark="#000", light="#fff", svgclass=None, lineclass=None
    )
    return format_html(
        '<span class="qr" role="img" aria-label="{}">{}</span>',
        words,
        mark_safe(drawing),  # noqa: S308 - made by segno of dots: no text of the address is in it
    )
