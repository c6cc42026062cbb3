"""The app of games as they are stored and played."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class PlayConfig(AppConfig):
    """Games, seats and moves of every rule set in the registry."""

    name = "ouroboros_site.play"

    def ready(self) -> None:
        """Have the group of reviewers made with the database."""
        from .groups import make_reviewers

        post_migrate.connect(make_reviewers, sender=self)
