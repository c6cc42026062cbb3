"""What people have beside their games, of which this app knows nothing.

An app that keeps such things registers them in its ``AppConfig.ready()``: how they move from a
guest to an account, and what of them is in a person's export. They are deleted with their owner by
the database (``CASCADE``).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .models import User


class Belonging(NamedTuple):
    """One sort of things.

    ``move(guest, account)`` gives a guest's things to an account; ``tell(user)`` gives them as data
    for the export, where they stand under ``name``.
    """

    name: str
    move: Callable[[User, User], None]
    tell: Callable[[User], list[dict[str, Any]]]


_registered: dict[str, Belonging] = {}


def register(belonging: Belonging) -> None:
    """Have these things move and be told from now on."""
    _registered[belonging.name] = belonging


def move_all(guest: User, account: User) -> None:
    """Give an account all that a guest has beside games."""
    for belonging in _registered.values():
        belonging.move(guest, account)


def tell_all(user: User) -> dict[str, list[dict[str, Any]]]:
    """All that a person has beside games, by name."""
    return {name: belonging.tell(user) for name, belonging in _registered.items()}
