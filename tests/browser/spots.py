"""Positions at tables of several seats that a test wants to see, each reached by chance moves.

The numbers were found by search. ``lay()`` makes the games, with the site's own services, for one
account at their first seats; it is run in the server's data by ``manage.py shell``, and prints
their addresses and the account's session as JSON.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

OWNER = "Sitter"
ROUND = {"rounds": 5, "ox": False}
OX = {"rounds": 5, "ox": True}


def is_mine(at):
    return at["turn"] == 0


def may_choose(at):
    """Whether it is the first seat's turn, with cards on the table that it has to answer."""
    return is_mine(at) and bool(at["trick"] if "trick" in at else at["count"])


def is_over(at):
    return at["phase"] == "over"


@dataclass(frozen=True)
class Spot:
    """A position: the first that ``until`` likes when all seats play by the chance of ``number``.

    With ``hoards`` the first seat does what brings it many cards, and the others help.
    """

    slug: str
    players: int
    number: int
    until: Callable[[dict[str, Any]], bool]
    options: dict[str, Any] = field(default_factory=dict)
    hoards: bool = False
    pace: str = "normal"


SPOTS = {
    # The trick comes round: another is to play, then the person, who holds the suit led and others.
    "trick, last but one": Spot(
        "trick",
        4,
        340,
        lambda at: at["turn"] == 3 and len(at["trick"]) == 2 and len(at["pools"][0]) > 3,
    ),
    "trick, to follow": Spot(
        "trick", 4, 19, lambda at: may_choose(at) and len(at["pools"][0]) > 3, pace="instant"
    ),
    "trick, to discard": Spot(
        "trick",
        5,
        10,
        lambda at: is_mine(at) and at["owed"] > 2 and len(at["hands"][0]) > at["owed"] + 2,
    ),
    "trick, 25 cards": Spot(
        "trick", 5, 148, lambda at: is_mine(at) and len(at["hands"][0]) == 25, hoards=True
    ),
    "trick, lost": Spot("trick", 3, 2845, lambda at: is_over(at) and 0 in at["losers"]),
    "trick, survived": Spot("trick", 5, 915, lambda at: is_over(at) and 0 not in at["losers"]),
    "animals, others": Spot(
        "ochs-esel",
        3,
        0,
        lambda at: at["turn"] == 2 and at["count"] == 1 and at["turn_round"] > 1,
        ROUND,
    ),
    "animals, to top two": Spot(
        "ochs-esel",
        4,
        8,
        lambda at: may_choose(at) and at["count"] == 2 and "J" in at["hands"][0],
        ROUND,
    ),
    "animals, to lead the donkey": Spot(
        "ochs-esel",
        5,
        20,
        lambda at: (
            is_mine(at)
            and not at["count"]
            and at["turn_round"] > 1
            and "E" in at["hands"][0]
            and not at["barred"]
        ),
        ROUND,
    ),
    "animals, the donkey is out": Spot(
        "ochs-esel",
        5,
        248,
        lambda at: is_mine(at) and at["kind"] == "donkey" and len(at["table"]) > 2,
        ROUND,
    ),
    "animals, only to pass": Spot(
        "ochs-esel", 3, 37, lambda at: may_choose(at) and len(at["table"]) == 1, ROUND
    ),
    "animals, 12 seats": Spot(
        "ochs-esel",
        12,
        13,
        lambda at: is_mine(at) and at["kind"] == "donkey" and len(at["table"]) > 7,
        OX,
        hoards=True,
    ),
    "animals, 12 seats and 25 cards": Spot(
        "ochs-esel",
        12,
        499,
        lambda at: is_mine(at) and len(at["hands"][0]) > 24 and len(at["table"]) > 7,
        ROUND,
        hoards=True,
    ),
    "animals, 8 seats and 25 cards": Spot(
        "ochs-esel", 8, 6, lambda at: is_mine(at) and len(at["hands"][0]) == 25, ROUND, hoards=True
    ),
    "animals, a round has ended": Spot(
        "ochs-esel", 8, 264, lambda at: is_mine(at) and len(at["tallies"]) == 1, OX
    ),
    "animals, over": Spot("ochs-esel", 8, 53, is_over, OX),
}


# -- in the server's data ---------------------------------------------------------------------


def lay():
    """Make a game of each spot."""
    from django.test import Client

    from ouroboros_site.accounts.models import User

    user = User.objects.filter(username=OWNER).first() or User.objects.create_user(OWNER)
    browser = Client()
    browser.force_login(user)
    laid = {name: _table(spot, user) for name, spot in SPOTS.items()}
    json.dump({"session": browser.cookies["sessionid"].value, "laid": laid}, sys.stdout)


def _table(spot, user):
    """The address of a table at this spot."""
    from django.utils import timezone

    from ouroboros_site.leaderboards import services as leaderboards
    from tests.ouroboros_site.play.shared import new_table, play_on

    game = new_table(
        spot.slug,
        user,
        players=spot.players,
        options=spot.options,
        pace=spot.pace,
        seed=f"{spot.number:064x}",
    )
    random = Random(spot.number)
    choose = _hoard(game.rules, random) if spot.hoards else None
    assert play_on(game, random, spot.until, most=1000, choose=choose)
    if outcome := game.rules.outcome(game.load()):
        game.result = {
            "termination": outcome.termination.value,
            "scores": list(outcome.scores),
            "winners": list(outcome.winners),
        }
        game.finished = timezone.now()
        game.save()
        leaderboards.enter_results(game=game)
    return f"/{game.slug}/{game.pk}/"


def _hoard(rules, random):
    """How a first seat that takes what it can, and others who let it, choose among legal moves."""

    def trick(state, legal):
        if state.phase == "discard":
            return random.choice(legal)
        if rules.turn(state):
            return min(legal, key=lambda move: rules.NUMBER[move[1]])
        led = rules.SUIT[state.trick[0]] if state.trick else None
        return max(
            legal,
            key=lambda move: (
                led is not None and rules.SUIT[move[1]] != led,
                rules.NUMBER[move[1]],
            ),
        )

    def animals(state, legal):
        if not state.number and (rules.DONKEY,) in legal:
            return (rules.DONKEY,)
        if state.kind != rules.DONKEY:
            return random.choice(legal)
        best = min if rules.turn(state) else max
        return best(legal, key=lambda move: rules.ANIMAL_WORTH[move[0]] if move else 0)

    return trick if rules.SLUG == "trick" else animals
