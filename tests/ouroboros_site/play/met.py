"""What tests of tables with several persons share: people who have met at one, and its pages."""

import re
from datetime import UTC, datetime
from random import Random
from typing import Any

from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.play import seating
from ouroboros_site.play.models import Game

from .helpers import Browser, table
from .shared import play_on, turn, waiting_table

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def met(
    slug: str,
    *people: User,
    players: int = 4,
    starts: int = 0,
    seed: str | None = None,
    **setup: Any,
) -> Game:
    """A table that has begun: the people sit there in their order, bots on the other seats.

    :param starts: whose turn it is
    :param seed: the deal; None for one where ``starts`` begins
    """
    seats = {"players": players, "free": len(people) - 1}
    game = waiting_table(slug, people[0], **seats, **setup)
    for index, user in enumerate(people[1:], 1):
        seating.sit_down(user=user, key=game.key, index=index, name=f"Guest-{index}")
    game.refresh_from_db()
    for number in range(200):
        game.seed = seed or f"{number + 1:064x}"
        start = game.rules.start(game.seed, players, game.options)
        game.state = game.rules.position(start)
        if seed or turn(game) == starts:
            game.save()
            return game
    raise AssertionError("nobody deals such cards")


def play_out(game: Game) -> Game:
    """The game, played to its end by chance."""
    assert play_on(game, Random(1), lambda at: at["phase"] == "over", most=4000)
    outcome = game.rules.outcome(game.load())
    game.result = {
        "termination": outcome.termination.value,
        "scores": list(outcome.scores),
        "winners": list(outcome.winners),
    }
    game.finished = timezone.now()
    game.save()
    return game


def here(browser: Browser, game: Game, version: int | None = None, stamp: str = "") -> Any:
    """Ask what is new, as the page does."""
    version = Game.objects.get(pk=game.pk).version if version is None else version
    return browser.send(table(game, "here"), htmx=True, version=version, stamp=stamp)


def stamp_of(html: str) -> str:
    """What a page, or an answer, shows of the people."""
    [stamp] = re.findall(r'name="stamp" id="stamp" value="([^"]*)"', html)
    return stamp


def look(browser: Browser, game: Game) -> str:
    """The page of the table."""
    response = browser.look(table(game))
    assert response.status_code == 200
    return response.content.decode()
