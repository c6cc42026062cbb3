"""The app of Ouroboros Trick and Ochs & Esel."""

from django.apps import AppConfig


class TricksConfig(AppConfig):
    """Registers both games."""

    name = "tricks"

    def ready(self) -> None:
        """Tell the registry of both games."""
        from ouroboros_site.play import registry

        from . import kinds

        for kind in kinds.KINDS:
            registry.register(kind)
