"""What the tests of scorepads share: pads, what is written on them, and how it is sent."""

from itertools import count
from typing import Any

from ouroboros_site.accounts.models import User
from tests.ouroboros_site.play.helpers import Browser
from tricks.pads import services
from tricks.pads.board import Board
from tricks.pads.forms import Setup, Written
from tricks.pads.models import Line, Pad

NAMES = ["Anna", "Ben", "Çelik"]
numbers = count(1)


def client() -> str:
    """What the form of a page sends, another one each time."""
    return f"{next(numbers):032x}"


def new_pad(
    owner: User,
    *,
    names: list[str] | None = None,
    rounds: int = 2,
    ox: bool = False,
    shared: bool = False,
) -> Pad:
    setup = Setup(names or NAMES, rounds, ox)
    pad, _owner = services.make_pad(user=owner, setup=setup, token=client())
    return services.share_pad(user=owner, key=pad.key, shared=shared)


def write(
    pad: Pad,
    round: int,
    player: int,
    points: int | None = None,
    *,
    user: Any = None,
    base: int | None = None,
    cards: tuple[str, str] | None = None,
    starts: bool = False,
    sent: str = "",
    mine: tuple[str, ...] = (),
) -> Line:
    """Write into a cell, having seen what it says; without ``user`` it is the owner."""
    if base is None:
        cell = board(pad).rounds[round - 1]
        base = cell.base if starts else cell.cells[player].base
    counted = dict(zip(("hand", "laid"), cards, strict=True)) if cards else None
    written = Written(points, counted, sent or client(), base, frozenset(mine))
    return services.write_line(
        user=user or pad.owner,
        key=pad.key,
        round=round,
        player=player,
        starts=starts,
        written=written,
    )


def board(pad: Pad) -> Board:
    return Board(Pad.objects.get(pk=pad.pk), pad.owner)


def points(pad: Pad) -> list[list[int | None]]:
    """What stands on the pad, by round."""
    return [[cell.points for cell in each.cells] for each in board(pad).rounds]


def address(pad: Pad, what: str = "") -> str:
    return f"/pads/{pad.key}/{what}"


def send(browser: Browser, pad: Pad, what: str, *, json: bool = False, **fields: Any) -> Any:
    """Send a form of a pad, as the browser does it or as the page's script."""
    fields = {"client": client(), "base": "0", **fields}
    fields["csrfmiddlewaretoken"] = browser.cookies["csrftoken"].value
    headers = {"Accept": "application/json"} if json else {}
    fields = {name.replace("_", "-"): value for name, value in fields.items()}
    return browser.post(address(pad, what), fields, headers=headers)
