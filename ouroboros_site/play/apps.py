"""The app of games as they are stored and played."""

from django.apps import AppConfig


class PlayConfig(AppConfig):
    """Games, seats and moves of every rule set in the registry."""

    name = "ouroboros_site.play"
