"""The app of Ouroboros Trick and Ochs & Esel."""

from django.apps import AppConfig


class TricksConfig(AppConfig):
    """Registers both games, and the scorepads."""

    name = "tricks"

    def ready(self) -> None:
        """Tell the registry of both games, and accounts what becomes of a person's scorepads."""
        from ouroboros_site.accounts import belongings
        from ouroboros_site.play import registry

        from . import kinds
        from .pads import services

        for kind in kinds.KINDS:
            registry.register(kind)
        pads = belongings.Belonging("scorepads", services.move_pads, services.tell_pads)
        belongings.register(pads)
