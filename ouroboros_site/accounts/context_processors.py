"""What every page knows about the visitor's taste."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

CHOICES = {
    "theme": ("auto", "light", "dark"),
    "suits": ("two", "four"),
    "motion": ("auto", "still"),
    "language": ("en",),
}
"""Name of cookie, preference and context -> what it may be, the default first."""


def look(request: HttpRequest) -> dict[str, str]:
    """``theme``, ``suits`` (two or four colours), ``motion`` … from the visitor's cookies."""
    return {name: choices[0] for name, choices in CHOICES.items()} | chosen(request.COOKIES)


def chosen(given: Mapping[str, Any]) -> dict[str, str]:
    """Those of the values that are a choice: from a form, from cookies, from an account."""
    return {name: given[name] for name, choices in CHOICES.items() if given.get(name) in choices}
