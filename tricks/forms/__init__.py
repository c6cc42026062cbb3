"""Reads what the pages of the two games send: here the form of a new table, which both have."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from ouroboros_site.play import seating
from ouroboros_site.play.models import PACES, TURN_TIMES
from ouroboros_site.play.registry import Kind, Setup
from ouroboros_site.play.services import Refused

from ..presenters import PACES as PACE_WORDS

NUMBER = re.compile(r"[0-9]{1,2}", re.ASCII)
BOTS, FRIENDS = "bots", "friends"
"""Who has the seats about which nothing else is said."""
OPEN, ME = "open", "me"
"""What the field of a seat says where it names no level of bots."""


def number(data: QueryDict, name: str, usual: int, numbers: range, problem: str) -> int:
    """A number of the form, ``usual`` where it says none.

    :raises Refused: 400 with ``problem`` if it is none of ``numbers``
    """
    text = data.get(name, "").strip()
    if not text:
        return usual
    if not NUMBER.fullmatch(text) or int(text) not in numbers:
        raise Refused(400, name, problem)
    return int(text)


def read_table(data: QueryDict, seats: range, usual: int, levels: Sequence[str]) -> Setup:
    """What both games ask for: ``players``, who has the other seats, ``pace``, and for a table that
    waits for others ``listed``, ``turn_time`` and the ``name`` of a guest.

    ``with`` says whether the others are bots of the common ``level`` or open seats for friends; the
    field of each seat (``level-0`` for the first) may say something else: a level, ``open``, or
    ``me``. Where none is ``me``, the first seat that says nothing is the player's own. What is not
    said is as usual: bots of the first level, the normal pace, a private table without a clock.

    :raises Refused: 400 for what no table of the game can have
    """
    players = number(
        data,
        "players",
        usual,
        seats,
        _("This game is played by %(fewest)d to %(most)d people.")
        % {"fewest": seats[0], "most": seats[-1]},
    )
    level = data.get("level", "") or levels[0]
    company = data.get("with", "") or BOTS
    if company not in (BOTS, FRIENDS):
        raise Refused(400, "with", _("The other seats are for bots or for friends."))
    common = OPEN if company == FRIENDS else level
    said = [data.get(f"level-{seat}", "") for seat in range(players)]
    me = _own_seat(said)
    others = [seat or common for seat in said[:me] + said[me + 1 :]]
    if not {level, *others} <= {OPEN, *levels} or level == OPEN:
        raise Refused(400, "level", _("There is no such level of bots."))
    pace = data.get("pace", "") or "normal"
    if pace not in PACES:
        raise Refused(400, "pace", _("Bots play slowly, normally or instantly."))
    return Setup(
        players=players,
        bots=tuple(["" if seat == OPEN else seat for seat in others]),
        pace=pace,
        me=me,
        listed=bool(data.get("listed", "")),
        turn_time=_turn_time(data.get("turn_time", "")),
        name=seating.guest_name(data.get("name", "")) if data.get("name", "").strip() else "",
    )


def _own_seat(said: Sequence[str]) -> int:
    """Which of the seats is the player's own, from what the form says of each.

    :raises Refused: 400 if none can be, or several are
    """
    own = [seat for seat, what in enumerate(said) if what == ME] or [
        seat for seat, what in enumerate(said) if not what
    ][:1]
    if len(own) != 1:
        raise Refused(400, "seats", _("One seat is yours, and only one."))
    return own[0]


def _turn_time(text: str) -> int | None:
    """The seconds that a turn may take; None for any time.

    :raises Refused: 400 for a time that no table has
    """
    times = {str(seconds): seconds for seconds in TURN_TIMES}
    if text and text not in times:
        raise Refused(400, "turn-time", _("A turn has 45 seconds, one day, or any time."))
    return times.get(text)


def fields_of(kind: Kind, posted: Mapping[str, str], company: str = "") -> dict[str, Any]:
    """What the form of a new table shows: what was posted last, as far as it can be, or the usual.

    :param posted: the fields as they came, which may hold anything
    :param company: whom a link to the form offers as the others, if nothing was posted
    """
    usual = kind.read_setup(QueryDict(""))
    players = posted.get("players", "")
    seats = [
        {"index": seat, "number": seat + 1, "level": posted.get(f"level-{seat}", "")}
        for seat in range(kind.rules.SEATS[-1])
    ]
    return {
        "players": int(players) if NUMBER.fullmatch(players) else usual.players,
        "options": {
            name: posted.get(name, "") if posted else value for name, value in usual.options.items()
        },
        "with": FRIENDS if posted.get("with", company) == FRIENDS else BOTS,
        "level": posted.get("level", ""),
        "seats": seats,
        "mixed": any(seat["level"] for seat in seats),
        "paces": PACE_WORDS.items(),
        "pace": posted.get("pace", usual.pace),
        "name": posted.get("name"),
        "listed": bool(posted.get("listed", "")),
        "turn_times": [(str(seconds), words) for seconds, words in TURN_TIMES.items()],
        "turn_time": posted.get("turn_time", ""),
        "practice": bool(posted.get("practice", "")),
        "seed": posted.get("seed", ""),
    }
