"""The app of scores: what a finished game was worth, and the boards made of it."""

from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """Scores and boards."""

    name = "ouroboros_site.leaderboards"
