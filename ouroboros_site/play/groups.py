"""The group of those who review games, made whenever the database is brought up to date."""

from typing import Any

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions

REVIEWER = "Reviewer"
MAY = {
    "play": (
        "view_game",
        "view_seat",
        "view_move",
        "review_game",
        "verify_game",
        "strike_game",
        "delete_game",
        "change_seat",
    ),
    "leaderboards": ("view_score", "view_decision"),
}
"""All that a reviewer may do, by app. Of people they see names, on games and scores."""


def make_reviewers(*, using: str, apps: Any = installed, **more: Any) -> None:
    """Make the group, with these permissions and no others; for the signal ``post_migrate``."""
    try:
        groups = apps.get_model("auth", "Group").objects.using(using)
        permissions = apps.get_model("auth", "Permission").objects.using(using)
    except LookupError:
        return  # migrated back to before there were groups
    wanted = []
    for label, codenames in MAY.items():
        # The signal's own handler may not have come to this app yet.
        create_permissions(installed.get_app_config(label), verbosity=0, using=using, apps=apps)
        wanted += permissions.filter(content_type__app_label=label, codename__in=codenames)
    group, _created = groups.get_or_create(name=REVIEWER)
    group.permissions.set(wanted)
