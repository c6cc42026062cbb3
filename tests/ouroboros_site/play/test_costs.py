"""What pages and moves may cost: statements as the database sees them, and bytes over the wire."""

import gzip
import re
from contextlib import contextmanager
from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.utils import timezone

from ouroboros_site.leaderboards.models import Best, Score
from ouroboros_site.play import services
from ouroboros_site.play.models import Game

from .helpers import Browser, finish, guest, legal, new_game, record, submit, table, trace
from .met import here, look, met, stamp_of
from .shared import TABLES, advance, asks_on, new_table, play_on, some_move, turn

pytestmark = pytest.mark.django_db(transaction=True)

MOVE_QUERIES = PAGE_QUERIES = 6
LAST_MOVE_QUERIES = MOVE_QUERIES + 7
"""The one move that ends a ranked game enters its score on the boards."""
MOVE_BYTES = 15 * 1024
TABLE_QUERIES = MOVE_QUERIES + 1
"""Who sits there is one more question, where several do."""
LAST_TABLE_QUERIES = TABLE_QUERIES + 10
"""The one move that ends a game of several seats enters its result."""
ADVANCE_QUERIES = 9
"""A table is looked up, leased, and looked up again when the bot has thought."""
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


class TestTables:
    """Tables of several seats, the largest that there are."""

    @pytest.fixture(params=TABLES)
    def game(self, request, owner):
        players = {"trick": 5, "ochs-esel": 12}[request.param]
        game = new_table(request.param, owner, players=players, pace="instant", level="steady")
        # A long log behind it.
        play_on(game, Random(1), lambda at: False, most=40)
        return game

    def test_moves_and_what_comes_by_itself(self, owner, browser, game):
        sorts, html = set(), browser.look(table(game)).content.decode()
        for _ in range(40):
            game.refresh_from_db()
            if game.is_over:
                break
            before, mine = game.version, not asks_on(html)
            with counted() as statements:
                if mine:
                    fields = {"version": game.version, "text": some_move(game, Random(2))[0]}
                    if game.state["phase"] == "discard":
                        cards = [t.split()[1] for t in some_move(game, Random(2))]
                        fields = {"version": game.version, "action": "discard", "card": cards}
                    response = browser.send(table(game, "move"), htmx=True, **fields)
                else:
                    response = advance(browser, game, version=before)
            assert response.status_code == 200, response.content.decode()
            html = response.content.decode()
            now = Game.objects.get(pk=game.pk)
            plies = now.version - before
            allowed = TABLE_QUERIES if mine else ADVANCE_QUERIES + 5 * (plies - 1)
            allowed += (LAST_TABLE_QUERIES - TABLE_QUERIES) * now.is_over
            assert len(statements) <= allowed, (mine, plies, statements)
            assert len(response.content) <= 2 * MOVE_BYTES
            sorts.add(mine)
        assert sorts == {True, False}

    def test_one_move_at_a_usual_pace(self, owner, browser, game):
        services.set_pace(user=owner, slug=game.slug, game_id=game.pk, pace="normal")
        while turn(game) == 0:
            submit(game, owner, *some_move(game, Random(3)))
            game.refresh_from_db()
        long_ago = timezone.now() - timedelta(minutes=1)
        Game.objects.filter(pk=game.pk).update(updated=long_ago)
        with counted() as statements:
            response = advance(browser, game, version=game.version)
        assert response.status_code == 200
        assert Game.objects.get(pk=game.pk).version == game.version + 1
        assert len(statements) <= ADVANCE_QUERIES, statements

    def test_nothing_to_do(self, owner, browser, game):
        """Asked too early, the table is shown and no more."""
        services.set_pace(user=owner, slug=game.slug, game_id=game.pk, pace="normal")
        Game.objects.filter(pk=game.pk).update(updated=timezone.now())
        with counted() as statements:
            response = advance(browser, game, version=game.version)
        assert response.status_code == 200
        assert len(statements) <= PAGE_QUERIES + 1, statements

    def test_the_table(self, owner, browser, game):
        for end in (False, True):
            if end:
                finish(game, owner)
            with counted() as statements:
                response = browser.look(table(game))
            assert response.status_code == 200
            assert len(statements) <= PAGE_QUERIES, statements
            assert len(gzip.compress(response.content)) <= 15 * 1024
            assert len(response.content) <= 64 * 1024

    def test_a_preview(self, owner, browser, game):
        with counted() as statements:
            response = browser.send(table(game, "preview"), htmx=True, version=game.version)
        assert response.status_code == 200
        assert len(statements) <= 4, statements
        assert len(response.content) <= 4 * 1024

    def test_the_home_page_asks_no_more_for_more_tables(self, owner, browser):
        numbers = []
        for wanted in (1, 6, 12):
            while owner.seats.count() < wanted:
                new_table(TABLES[wanted % 2], owner)
            with counted() as statements:
                assert browser.look("/").status_code == 200
            numbers.append(len(statements))
        assert len(set(numbers)) == 1 and numbers[0] <= 4, numbers


class TestCompany:
    """Tables of several persons, the largest that there are."""

    @pytest.fixture(params=TABLES)
    def game(self, request, owner):
        players = {"trick": 5, "ochs-esel": 12}[request.param]
        others = [guest() for _ in range(players - 1)]
        game = met(request.param, owner, *others, players=players, turn_time=45)

        def found(at) -> bool:
            return game.ply > 30 and at["turn"] == 0 and at["phase"] == "play"

        assert play_on(game, Random(1), found)
        Game.objects.filter(pk=game.pk).update(turn_since=timezone.now())
        return game

    def test_a_move(self, browser, game):
        fields = {"version": game.version, "text": legal(game)[0]}
        with counted() as statements:
            response = browser.send(table(game, "move"), htmx=True, **fields)
        assert response.status_code == 200
        assert len(statements) <= TABLE_QUERIES + 1, statements
        assert len(response.content) <= 2 * MOVE_BYTES

    def test_what_others_did(self, owner, browser, game):
        page = look(browser, game)
        stamp, version = stamp_of(page), game.version
        # Who is there is known: nothing is written.
        with counted() as statements:
            assert here(browser, game, version, stamp).status_code == 204
        assert len(statements) <= 4, statements
        with counted() as statements:
            response = here(browser, game, version - 1, stamp)
        assert response.status_code == 200
        assert len(statements) <= TABLE_QUERIES - 2, statements
        assert len(response.content) <= 2 * MOVE_BYTES

    def test_the_page(self, browser, game):
        with counted() as statements:
            response = browser.look(table(game))
        assert response.status_code == 200
        # One more than with bots: that the person is there.
        assert len(statements) <= PAGE_QUERIES + 1, statements
        assert len(gzip.compress(response.content)) <= 15 * 1024
        assert len(response.content) <= 64 * 1024

    def test_looking_on(self, game):
        with counted() as statements:
            assert Browser().look(f"/watch/{game.key}/").status_code == 200
        assert len(statements) <= 3, statements
