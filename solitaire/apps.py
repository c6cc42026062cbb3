"""The app of the two editions of Ouroboros Solitaire."""

from django.apps import AppConfig


class SolitaireConfig(AppConfig):
    """Registers both editions."""

    name = "solitaire"

    def ready(self) -> None:
        """Tell the registry of both editions."""
        from ouroboros_site.play import registry

        from . import kinds

        registry.register(kinds.LAWS)
        registry.register(kinds.MARKET)
