"""What the tests of the admin share: people behind the counter, and what they send."""

import csv
from io import StringIO
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.messages import get_messages

from ouroboros_site.accounts.models import User
from ouroboros_site.play.models import Game

from .play.helpers import WHOLE_GAMES, Browser, Page, guest, new_game, record, submit

GAMES, SCORES, USERS = "/admin/play/game/", "/admin/leaderboards/score/", "/admin/accounts/user/"


def staff(name: str = "Stan", *may: str) -> User:
    """Somebody who may enter the admin, with some permissions or none."""
    user = User.objects.create_user(name, is_staff=True)
    for permission in may:
        label, codename = permission.split(".")
        user.user_permissions.add(
            Permission.objects.get(content_type__app_label=label, codename=codename)
        )
    return user


def reviewer(name: str = "Rey") -> User:
    user = staff(name)
    user.groups.add(Group.objects.get(name="Reviewer"))
    return user


def root() -> User:
    return User.objects.create_superuser("Root")


EVERYBODY = {
    "nobody": lambda: None,
    "guest": guest,
    "named": lambda: User.objects.create_user("Nan"),
    "staff": staff,
    "reviewer": reviewer,
    "superuser": root,
}


def whole(slug: str, user: User, *, ranked: bool = True) -> Game:
    """A game of the user that was played to its end."""
    data = record(WHOLE_GAMES[slug])
    game = new_game(slug, user, ranked=ranked, seed=data["seed"])
    submit(game, user, *data["moves"])
    game.refresh_from_db()
    return game


def act(browser: Browser, where: str, action: str, *keys: object, **fields: Any) -> Any:
    """Choose an action, in a list or on the page of a row."""
    name = "CHANGE_FORM-action" if where.endswith("/change/") else "action"
    return browser.send(where, **{name: action}, _selected_action=list(keys), **fields)


def told(response: Any) -> str:
    """What the next page will say because of this answer."""
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


def page(response: Any, status: int = 200) -> Page:
    """A page of the admin, which keeps to the strict policy."""
    assert response.status_code == status, response.content
    page = Page(response.content.decode())
    assert not page.inline
    policy = response.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy and "style-src 'self'" in policy
    assert "unsafe" not in policy and "nonce" not in policy
    return page


def numbers(response: Any) -> list[int]:
    """The keys of the rows that a list shows."""
    boxes = page(response).all("input", name="_selected_action")
    return [int(box["value"] or "") for box in boxes]


def table_of(response: Any) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    assert response.status_code == 200 and response.streaming
    assert response.headers["Content-Type"].startswith("text/csv; charset=utf-8")
    text = b"".join(response).decode()
    assert text.count("\n") == text.count("\r\n")
    return list(csv.DictReader(StringIO(text, newline="")))


def logged() -> list[tuple[str, str, str]]:
    """Who did what, as the admin keeps it: name, thing, words."""
    entries = LogEntry.objects.order_by("pk").select_related("user")
    return [(each.user.username, each.object_repr, each.change_message) for each in entries]
