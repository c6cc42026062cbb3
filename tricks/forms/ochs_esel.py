"""Reads the controls of an Ochs & Esel table into one move text; the rules say whether it is legal.

``set`` says how many cards of a number are chosen, counted from the left ("9x2"), or names the one
card that is ("J", "E", "O"); ``joker`` comes once for each joker that is added.
"""

import re
from dataclasses import replace

from django.http import QueryDict
from django.utils.translation import gettext as _

from ouroboros_site.play.registry import Selection, Setup
from ouroboros_site.play.services import Refused

from ..rules import ochs_esel
from . import number, read_table

LOOK = "look"
"""The action of the button that only asks what the selected cards would do."""

SET = re.compile(r"([1-9]|1[0-3])x([1-8])", re.ASCII)
SINGLES = ("J", "E", "O")
JOKERS = 4
ACTIONS = {"pass": "pass", "donkey": "play E", "ox": "play O"}
"""Buttons that say the whole move."""

PLAYERS = 5
"""How many play where nothing else is asked for."""
LEVELS = ("steady", "easy")
"""The levels of bots, the usual one first."""
OX = {"": False, "1": True, "on": True}
"""What the box of the ox sends: nothing as long as it is empty."""


def read_ochs_esel(data: QueryDict) -> Selection:
    """The controls of a table: ``action``, ``set``, ``joker``; or ``text``, a typed move."""
    cards = _cards(data)
    action = data.get("action", "")
    if text := data.get("text", ""):
        return Selection(texts=(typed(text),), cards=cards)
    if action == LOOK:
        return Selection(cards=cards, looks=True)
    if action in ACTIONS:
        return Selection(texts=(ACTIONS[action],), cards=cards)
    if action != "play":
        return Selection(problem=_("That is no move of this game."), cards=cards)
    if not cards:
        return Selection(problem=_("Choose the cards to play first."))
    return Selection(texts=(f"play {' '.join(cards)}",), cards=cards)


def typed(text: str) -> str:
    """A move as a person types it, brought into the notation: one space between words, any case.

    >>> typed(" Play 9  9 j"), typed("PASS")
    ('play 9 9 J', 'pass')
    """
    verb, *words = text.split() or [""]
    cards = [word.upper() if word.upper() in SINGLES else word for word in words]
    return " ".join([verb.lower(), *cards])


def _cards(data: QueryDict) -> tuple[str, ...]:
    """The chosen cards, in the order of a move's text."""
    jokers = ("J",) * min(len(data.getlist("joker")), JOKERS)
    chosen = data.get("set", "")
    if found := SET.fullmatch(chosen):
        return (found[1],) * int(found[2]) + jokers
    if chosen in SINGLES:
        return tuple(sorted([chosen, *jokers], key=SINGLES.index))
    return jokers


def read_setup(data: QueryDict) -> Setup:
    """The form of a new table: ``players``, ``rounds``, ``ox``, the bots and their pace.

    :raises Refused: 400 for what no table of the game can have
    """
    setup = read_table(data, ochs_esel.SEATS, PLAYERS, LEVELS)
    rounds = number(
        data,
        "rounds",
        ochs_esel.OPTIONS["rounds"],
        range(1, ochs_esel.MOST_ROUNDS + 1),
        _("A game has 1 to 20 rounds."),
    )
    ox = OX.get(data.get("ox", ""))
    if ox is None:
        raise Refused(400, "ox", _("A game is played with the ox or without it."))
    return replace(setup, options={"rounds": rounds, "ox": ox})
