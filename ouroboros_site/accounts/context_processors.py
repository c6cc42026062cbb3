"""What every page knows about the visitor's taste."""

from django.http import HttpRequest

CHOICES = {"theme": ("auto", "light", "dark"), "suits": ("two", "four")}
"""Cookie and context name -> what it may be, the default first."""


def look(request: HttpRequest) -> dict[str, str]:
    """``theme`` and ``suits`` (two or four colours) from the visitor's cookies."""
    taste = {}
    for name, choices in CHOICES.items():
        choice = request.COOKIES.get(name, "")
        taste[name] = choice if choice in choices else choices[0]
    return taste
