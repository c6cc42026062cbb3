"""Reads what the pages of the two games send: here the form of a new table, which both have."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from ouroboros_site.play.models import PACES
from ouroboros_site.play.registry import Kind, Setup
from ouroboros_site.play.services import Refused

from ..presenters import PACES as PACE_WORDS

NUMBER = re.compile(r"[0-9]{1,2}", re.ASCII)


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
    """What both games ask for: ``players``, the bots' levels, ``pace``.

    ``level`` holds for every bot whose own field (``level-1`` for the seat after the player's)
    says nothing else. What is not said is as usual: the first level, the normal pace.

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
    common = data.get("level", "") or levels[0]
    bots = tuple([data.get(f"level-{seat}", "") or common for seat in range(1, players)])
    if any(level not in levels for level in bots):
        raise Refused(400, "level", _("There is no such level of bots."))
    pace = data.get("pace", "") or "normal"
    if pace not in PACES:
        raise Refused(400, "pace", _("Bots play slowly, normally or instantly."))
    return Setup(players=players, bots=bots, pace=pace)


def fields_of(kind: Kind, posted: Mapping[str, str]) -> dict[str, Any]:
    """What the form of a new table shows: what was posted last, as far as it can be, or the usual.

    :param posted: the fields as they came, which may hold anything
    """
    usual = kind.read_setup(QueryDict(""))
    players = posted.get("players", "")
    seats = [
        {"index": seat, "number": seat + 1, "level": posted.get(f"level-{seat}", "")}
        for seat in range(1, kind.rules.SEATS[-1])
    ]
    return {
        "players": int(players) if NUMBER.fullmatch(players) else usual.players,
        "options": {
            name: posted.get(name, "") if posted else value for name, value in usual.options.items()
        },
        "level": posted.get("level", ""),
        "seats": seats,
        "mixed": any(seat["level"] for seat in seats),
        "paces": PACE_WORDS.items(),
        "pace": posted.get("pace", usual.pace),
        "practice": bool(posted.get("practice", "")),
        "seed": posted.get("seed", ""),
    }
