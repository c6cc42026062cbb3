"""What pages and moves may cost: statements as the database sees them, and bytes over the wire."""

import gzip
import re
from contextlib import contextmanager

import pytest
from django.db import connection

from ouroboros_site.leaderboards.models import Best, Score
from ouroboros_site.play.models import Game

from .helpers import Browser, finish, guest, legal, new_game, record, submit, table, trace

pytestmark = pytest.mark.django_db(transaction=True)

MOVE_QUERIES = PAGE_QUERIES = 6
LAST_MOVE_QUERIES = MOVE_QUERIES + 7
"""The one move that ends a ranked game enters its score on the boards."""
MOVE_BYTES = 15 * 1024
LATE = {"laws": ("laws-06-mixed", 110), "market": ("market-06-greedy", 300)}


@contextmanager
def counted():
    """The statements that are sent in the meantime, BEGIN and savepoints included."""
    statements = []

    def count(execute, sql, *rest):
        statements.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(count):
        yield statements


@pytest.fixture
def owner(transactional_db):
    return guest()


@pytest.fixture
def late(owner, slug):
    """A game with a long log: the start of its record is in its position, the rest was played."""
    name, ply = LATE[slug]
    position = trace(name)[ply - 40]["position"]
    game = new_game(slug, owner, seed=record(name)["seed"], position=position)
    submit(game, owner, *record(name)["moves"][ply - 40 : ply])
    game.refresh_from_db()
    assert game.state == trace(name)[ply]["position"] and not game.is_over
    return game


def test_a_move(owner, browser, late):
    name, ply = LATE[late.slug]
    for text in record(name)["moves"][ply : ply + 8]:
        fields = {"version": late.version, "text": text, "confirm": "1"}
        with counted() as statements:
            response = browser.send(table(late, "move"), htmx=True, **fields)
        assert response.status_code == 200
        assert len(statements) <= MOVE_QUERIES, statements
        assert sum(sql.startswith("BEGIN") for sql in statements) == (connection.vendor == "sqlite")
        assert len(response.content) <= MOVE_BYTES
        late.refresh_from_db()


@pytest.mark.parametrize("named", [False, True], ids=["guest", "named"])
def test_a_move_on_a_full_table(owner, browser, slug, named):
    # The widest answers: every pile of the table full.
    if named:
        owner.username, owner.is_guest = "Ada", False
        owner.save()
    game = new_game(slug, owner)
    while choice := legal(game)[:1]:
        fields = {"version": game.version, "text": choice[0], "confirm": "1"}
        with counted() as statements:
            response = browser.send(table(game, "move"), htmx=True, **fields)
        assert response.status_code == 200
        ended = Game.objects.get(pk=game.pk).is_over
        allowed = LAST_MOVE_QUERIES if ended else MOVE_QUERIES
        assert len(statements) <= allowed, statements
        assert len(response.content) <= MOVE_BYTES
    assert Score.objects.get(game=game).value == game.state["score"]
    assert Best.objects.filter(user=owner).count() == (3 if named else 0)


def test_a_move_that_is_refused(owner, browser, late):
    for fields in (
        {"version": late.version, "text": "nonsense"},
        {"version": 0, "text": legal(late)[0]},
    ):
        with counted() as statements:
            response = browser.send(table(late, "move"), htmx=True, **fields)
        assert response.status_code in (400, 409)
        assert len(statements) <= 8, statements
        assert len(response.content) <= MOVE_BYTES


def test_a_preview(owner, browser, late):
    card = late.state["hand"][0]
    with counted() as statements:
        response = browser.send(
            table(late, "preview"), htmx=True, version=late.version, card=card, pile="1"
        )
    assert response.status_code == 200
    assert len(statements) <= 3, statements
    assert len(response.content) <= 4 * 1024


def test_the_table(owner, browser, late):
    for end in (False, True):
        if end:
            finish(late, owner)
        with counted() as statements:
            response = browser.look(table(late))
        assert response.status_code == 200
        assert len(statements) <= PAGE_QUERIES, statements
        assert len(gzip.compress(response.content)) <= 10 * 1024
        assert len(response.content) <= 40 * 1024


def test_the_home_page_asks_no_more_for_more_games(owner, browser):
    numbers = []
    for wanted in (0, 1, 10, 20, 25):
        while owner.seats.count() < wanted:
            slug = ("laws", "market")[wanted % 2]
            game = new_game(slug, owner)
            if owner.seats.count() % 3 == 0:
                finish(game, owner)
        with counted() as statements:
            response = browser.look("/")
        assert response.status_code == 200
        numbers.append(len(statements))
    assert len(set(numbers)) == 1, numbers
    assert numbers[0] <= 4
    assert len(response.content) <= 40 * 1024
    assert len(set(re.findall(r'href="(/(?:laws|market)/\d+/)"', response.content.decode()))) > 20


def test_the_home_page_of_a_new_visitor(transactional_db):
    with counted() as statements:
        response = Browser().look("/")
    assert response.status_code == 200
    assert not statements
