"""Who this browser is, and how its pages look."""

from collections.abc import Mapping

from django.conf import settings
from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse

from .models import User

BACKEND = "django.contrib.auth.backends.ModelBackend"
YEAR = 365 * 24 * 60 * 60


def remember(request: HttpRequest, user: User) -> None:
    """Make ``user`` the one this browser plays as, until it logs out or in as someone else."""
    if request.user != user:
        enter(request, user)


def enter(request: HttpRequest, user: User) -> None:
    """Log in, with a session key that nobody had before."""
    login(request, user, backend=BACKEND)


def leave(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Log out, and have the browser forget what it keeps: hands for Back, scorepads, all."""
    logout(request)
    response["Clear-Site-Data"] = '"cache", "storage"'
    return response


def keep_look(response: HttpResponse, choices: Mapping[str, str]) -> None:
    """Keep the choices in this browser, as cookies."""
    for name, choice in choices.items():
        response.set_cookie(name, choice, max_age=YEAR, samesite="Lax", secure=settings.HTTPS)
