"""Template tags for the page of a new table."""

from collections.abc import Mapping
from typing import Any

from django import template

from ouroboros_site.play.registry import Kind
from tricks.forms import fields_of

register = template.Library()


@register.simple_tag
def new_table(kind: Kind, posted: Mapping[str, str], company: str = "") -> dict[str, Any]:
    """What the form of a new table shows: ``{% new_table kind posted company as setup %}``."""
    return fields_of(kind, posted, company)
