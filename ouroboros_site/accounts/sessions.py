"""Who this browser is."""

from django.contrib.auth import login
from django.http import HttpRequest

from .models import User


def remember(request: HttpRequest, user: User) -> None:
    """Make ``user`` the one this browser plays as, until it logs out or in as someone else."""
    if request.user != user:
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
