"""Whole games with bots from the first click to the last card, through the pages' own forms."""

from random import Random

import pytest

from ouroboros_site.play import registry
from ouroboros_site.play.models import Game
from ouroboros_site.play.verify import verify

from .helpers import Browser, assert_whole, fragment_of, guest, page_of, table
from .shared import OPTIONS, TABLES, asks_on, fields_of, shown_version, some_move

pytestmark = pytest.mark.django_db

GAMES = 100
PARTS = 4
"""The games are split so that they can be played beside each other."""
MANY = 2000
"""More requests than a game needs: beyond that the table has stalled."""


def start(browser: Browser, slug: str, number: int) -> Game:
    """A table of the new table's form: every size, option and level comes up, large ones seldom."""
    seats = registry.get(slug).rules.SEATS
    size = seats[number // 5 % len(seats)] if number % 5 == 0 else seats[number % 3]
    levels = list(registry.get(slug).levels)
    fields = {
        "players": size,
        "level": levels[number % len(levels)],
        "pace": "instant",
    }
    for name, value in OPTIONS[slug][number // 2 % len(OPTIONS[slug])].items():
        fields |= {name: int(value)} if value else {}
    response = browser.send(f"/{slug}/start", once="", **fields)
    assert response.status_code == 302
    return Game.objects.get(pk=int(response["Location"].split("/")[2]))


def play(browser: Browser, game: Game, random: Random, *, htmx: bool = True) -> int:
    """Play to the end as a person does who takes any legal move; how many requests that took."""
    html = browser.look(table(game)).content.decode()
    for request in range(MANY):
        game.refresh_from_db()
        if game.is_over:
            assert not asks_on(html)
            return request
        if asks_on(html):
            what, fields = "advance", {"version": shown_version(html)}
        else:
            assert game.rules.turn(game.load()) == 0, "nobody is asked, and the table stands still"
            fields = fields_of(some_move(game, random), html)
            what, fields = "move", {"version": shown_version(html), "order": "", **fields}
        before = game.version
        response = browser.send(table(game, what), htmx=htmx, **fields)
        assert response.status_code == (200 if htmx else 302), (fields, response.content.decode())
        if not htmx:
            response = browser.look(response["Location"])
        html = response.content.decode()
        assert Game.objects.get(pk=game.pk).version > before
    raise AssertionError("the table has stalled")


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("slug", TABLES)
def test_a_hundred_games(slug, part, caplog):
    browser = Browser(guest())
    for number in range(part, GAMES, PARTS):
        game = start(browser, slug, number)
        play(browser, game, Random(number))
        game = assert_whole(game)
        assert not verify(game)
        outcome = game.rules.outcome(game.load())
        assert game.result == {
            "termination": outcome.termination.value,
            "scores": list(outcome.scores),
            "winners": list(outcome.winners),
        }
        assert len(game.tallies) == game.options.get("rounds", 0)
    assert not caplog.records, "no bot failed"


@pytest.mark.parametrize("slug", TABLES)
def test_a_game_with_plain_forms(slug, owner, browser):
    game = start(browser, slug, 1)
    play(browser, game, Random(5), htmx=False)
    assert assert_whole(game).is_over
    page_of(browser.look(table(game)))


@pytest.mark.parametrize("slug", TABLES)
def test_every_answer_of_a_game_is_a_table(slug, owner, browser, monkeypatch):
    game = start(browser, slug, 2)
    send = browser.send

    def checked(*arguments, **fields):
        response = send(*arguments, **fields)
        fragment_of(response)
        return response

    monkeypatch.setattr(browser, "send", checked)
    play(browser, game, Random(6))
    assert assert_whole(game).is_over
