"""Reads the controls of a Trick table into move texts; whether they are legal, the rules say."""

import re

from django.http import QueryDict
from django.utils.translation import gettext as _

from ouroboros_site.play.registry import Selection, Setup

from ..presenters import LEVELS
from ..rules import trick as rules
from . import read_table

LOOK = "look"
"""The action of the button that only asks what the selected card would do."""
SEATS = 4
"""How many play where nothing else is asked for."""

_CARD = re.compile(r"[RYGB][0-9]{1,2}", re.ASCII)


def read_setup(data: QueryDict) -> Setup:
    """The form of a new table.

    :raises Refused: 400 for what no table of the game can have
    """
    return read_table(data, rules.SEATS, SEATS, tuple(LEVELS))


def read_trick(data: QueryDict) -> Selection:
    """The controls of a table: ``action``, ``card`` (several to discard), or ``text``, typed."""
    cards = _cards(data)
    action = data.get("action", "")
    if text := data.get("text", ""):
        return Selection(texts=typed(text), cards=cards)
    if action == LOOK:
        return Selection(cards=cards, looks=True)
    if action not in ("play", "discard"):
        return Selection(problem=_("That is no move of this game."), cards=cards)
    if not cards:
        problem = (
            _("Choose a card to play first.")
            if action == "play"
            else _("Choose the cards to discard first.")
        )
        return Selection(problem=problem)
    if action == "play" and len(cards) > 1:
        return Selection(problem=_("One card is played at a time."), cards=cards)
    return Selection(texts=tuple([f"{action} {card}" for card in cards]), cards=cards)


def _cards(data: QueryDict) -> tuple[str, ...]:
    """The chosen cards: as the script counted them, else from left to right."""
    chosen = [card for card in data.getlist("card") if card in rules.CARDS]
    order = data.get("order", "").split(" ")
    return tuple(order if sorted(order) == sorted(chosen) else chosen)


def typed(text: str) -> tuple[str, ...]:
    """Moves as a person types them: one space between words, any case, several discards at once.

    >>> typed(" Play r7"), typed("discard R5 y3")
    (('play R7',), ('discard R5', 'discard Y3'))
    """
    verb, *words = text.split() or [""]
    verb = verb.lower()
    words = [word.upper() if _CARD.fullmatch(word.upper()) else word for word in words]
    if verb == "discard" and len(words) > 1:
        return tuple([f"{verb} {word}" for word in words])
    return (" ".join([verb, *words]),)
