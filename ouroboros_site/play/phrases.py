"""What can be said at a table: ready-made phrases, so that nobody has to read what hurts."""

from django.utils.translation import gettext_lazy as _

PHRASES = {
    "hello": _("Hello!"),
    "luck": _("Good luck"),
    "well-played": _("Well played"),
    "thanks": _("Thanks"),
    "oops": _("Oops"),
    "ouch": _("Ouch"),
    "your-turn": _("Your turn!"),
    "moment": _("One moment, please"),
    "good-game": _("Good game"),
    "party": "🎉",
    "laugh": "😂",
    "wow": "😮",
    "snake": "🐍",
}
