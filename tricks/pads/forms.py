"""What the forms of a scorepad send, read and checked."""

import re
import unicodedata
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _

from ouroboros_site.play.services import Refused
from tricks.rules.ochs_esel import MOST_ROUNDS, OPTIONS, SEATS, TEXTS

from .counting import HELD, LAID, Counted, write
from .models import Pad

LONGEST = 20
"""Characters of a name."""
MOST_POINTS = 999
CLIENT = re.compile(r"[0-9a-f]{32}")
FEW = 20
"""So many unanswered lines of its own can a page name at most."""
BENT = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Signs that turn the direction of all that follows."""


class Setup(NamedTuple):
    """How a new pad is set up."""

    names: list[str]
    rounds: int
    ox: bool


class Written(NamedTuple):
    """What is to be written into a cell, see ``models.Line``.

    ``mine`` are the clients of earlier lines of the same writer whose answers never came.
    """

    points: int | None
    counted: dict[str, str] | None
    client: str
    base: int
    mine: frozenset[str] = frozenset()


def read_setup(posted: QueryDict) -> Setup:
    """The pad that a form describes; empty names are left out.

    :raises Refused: 400
    """
    names = [name for text in posted.getlist("name") if (name := clean_name(text))]
    if len(names) not in SEATS:
        raise Refused(400, "players", _("Ochs & Esel is for 3 to 12 players: give each a name."))
    if len({name.casefold() for name in names}) < len(names):
        raise Refused(400, "names", _("Two players have the same name."))
    rounds = _number(posted, "rounds", 2, OPTIONS["rounds"])
    if not 1 <= rounds <= MOST_ROUNDS:
        raise Refused(400, "rounds", _("A game has 1 to 20 rounds."))
    return Setup(names, rounds, bool(posted.get("ox")))


def clean_name(text: str) -> str:
    """A name as it is kept: composed (NFKC), without spaces around; empty if nothing is left.

    :raises Refused: 400 if it is too long or holds signs that are no text
    """
    name = " ".join(unicodedata.normalize("NFKC", text[: 10 * LONGEST]).split())
    if len(name) > LONGEST:
        raise Refused(400, "name", _("A name has 1 to 20 characters."))
    kinds = {unicodedata.category(character) for character in name}
    unseen = all(kind[0] in "CMZ" for kind in kinds)
    if name and (unseen or kinds & {"Cc", "Cs", "Cn", "Co"} or BENT.search(name)):
        raise Refused(400, "name", _("A name is made of characters that can be seen."))
    return name


def read_points(posted: QueryDict, pad: Pad) -> Written:
    """The points that a form gives: typed (``how`` is "type"), counted ("count") or none ("empty").

    Counts come as ``h-7`` for cards of the hand and ``l-7`` for laid ones; if the page added them
    up, its ``sum`` must be ours.

    :raises Refused: 400
    """
    how = posted.get("how", "type")
    if how == "empty":
        return Written(None, None, *_sent(posted))
    if how == "type":
        points = _number(posted, "points", len(str(MOST_POINTS)), None)
        if points is None:
            raise Refused(400, "points", _("Please give the points as a number from 0 to 999."))
        return Written(points, None, *_sent(posted))
    if how != "count":
        raise Refused(
            400, "how", _("The page did not say whether the points are typed or counted.")
        )
    counted = Counted(_cards(posted, "h", HELD, pad), _cards(posted, "l", LAID, pad))
    if counted.laid and not pad.ox:
        raise Refused(400, "laid", _("Cards are laid down only in games with the ox."))
    if (points := _number(posted, "sum", 6, None)) not in (None, counted.points):
        raise Refused(
            400,
            "sum",
            _("These cards make %(points)d points, not %(sent)d. Nothing was written.")
            % {"points": counted.points, "sent": points},
        )
    cards = {"hand": write(counted.hand), "laid": write(counted.laid)}
    return Written(counted.points, cards, *_sent(posted))


def read_start(posted: QueryDict) -> tuple[int, Written]:
    """Who starts a round, and the line about it.

    :raises Refused: 400
    """
    player = _number(posted, "player", 2, None)
    if player is None:
        raise Refused(400, "player", _("The page did not say who starts."))
    return player, Written(None, None, *_sent(posted))


def read_client(posted: QueryDict) -> str:
    """What tells this form from every other one.

    :raises Refused: 400
    """
    client = posted.get("client", "")
    if not CLIENT.fullmatch(client):
        raise Refused(400, "client", _("This form is not whole. Please open the page again."))
    return client


def _sent(posted: QueryDict) -> tuple[str, int, frozenset[str]]:
    mine = posted.get("mine", "").split(maxsplit=FEW)[:FEW]
    return read_client(posted), _number(posted, "base", 9, 0), frozenset(mine)


def _cards(posted: QueryDict, where: str, cards: tuple[int, ...], pad: Pad) -> tuple[int, ...]:
    found: list[int] = []
    for card in cards:
        number = _number(posted, f"{where}-{TEXTS[card]}", 2, 0)
        if number and TEXTS[card] == "O" and not pad.ox:
            raise Refused(400, "ox", _("The ox is not in this game."))
        found += [card] * number
    return tuple(found)


def _number[Default](posted: QueryDict, name: str, digits: int, default: Default) -> int | Default:
    """The number in a field; the default if it is empty.

    :raises Refused: 400 for anything else
    """
    text = posted.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= digits):
        raise Refused(
            400, name, _("“%(text)s” is not a number that can be here.") % {"text": text[:20]}
        )
    return int(text)
