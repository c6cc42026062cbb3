"""Where Django looks for the models of this app: the scorepads are all that it stores."""

from .pads.models import Line, Pad

__all__ = ["Line", "Pad"]
