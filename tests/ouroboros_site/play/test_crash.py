"""The process dies between any two statements of a service: what it was doing is there whole or
not at all, and the game goes on with the same cards to come.

The process is a real one and is killed for real (SIGKILL); a hook counts its statements.
"""

import itertools
from typing import Any

import pytest
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.play import services
from ouroboros_site.play.models import Game, Move, Seat

from .helpers import (
    SEED,
    TOKEN,
    WHOLE_GAMES,
    Browser,
    assert_whole,
    new_game,
    page_of,
    record,
    standing,
    stored,
    submit,
    table,
    trace,
)
from .shared import TABLES, asks_on, new_table, turn
from .worker import LAST, Worker

pytestmark = pytest.mark.django_db(transaction=True)


def deaths(worker: Worker, call: dict[str, Any]):
    """Make the call die at its first statement, at its second … until it lives; yield in between.

    Yields True once the last crash came after the call had done its work.
    """
    before = stored()
    for die_at in itertools.count(1):
        answer = worker.ask({**call, "die_at": die_at})
        assert answer == "killed", f"at statement {die_at}: {answer}"
        done = stored() != before
        yield done
        if done:
            # Nothing happens between COMMIT and the last count but the commit itself.
            assert die_at > 3
            return


def arguments(game: Game, owner: User, service: str, **more: Any) -> dict[str, Any]:
    version = Game.objects.get(pk=game.pk).version
    call = {"service": service, "user": owner.pk, "slug": game.slug, "game_id": game.pk}
    return call | {"version": version} | more


def test_a_worker_that_is_not_killed_counts_begin_and_commit(worker, owner, slug):
    text = record(WHOLE_GAMES[slug])["moves"][0]
    game = new_game(slug, owner, seed=record(WHOLE_GAMES[slug])["seed"])
    answer = worker.ask(arguments(game, owner, "submit_moves", texts=[text]))
    # (BEGIN,) the game, its log, its row, COMMIT and what comes after.
    assert answer["status"] == 200 and answer["statements"] >= 5
    assert standing(game) == [text]
    assert answer["statements"] < LAST


def test_moves_are_there_whole_or_not_at_all(worker, owner, slug):
    name = WHOLE_GAMES[slug]
    setup, lines = record(name), trace(name)
    game = new_game(slug, owner, seed=setup["seed"])
    browser = Browser(owner)
    # The first move, one in the middle, and the one that ends the game.
    for number in (1, 3, len(setup["moves"])):
        if between := setup["moves"][game.ply : number - 1]:
            submit(game, owner, *between)
        text = setup["moves"][number - 1]
        for done in deaths(worker, arguments(game, owner, "submit_moves", texts=[text])):
            game = assert_whole(game)
            assert game.ply == game.version == (number if done else number - 1)
            assert standing(game) == setup["moves"][: game.ply]
            assert game.state == lines[game.ply]["position"]
            page_of(browser.look(table(game)))
        assert game.ply == number
    assert game.is_over and game.result["scores"] == [lines[-1]["position"]["score"]]


def test_several_moves_are_there_together_or_not_at_all(worker, owner, slug):
    name = WHOLE_GAMES[slug]
    setup, lines = record(name), trace(name)
    game = new_game(slug, owner, seed=setup["seed"])
    texts = setup["moves"][:3]
    for done in deaths(worker, arguments(game, owner, "submit_moves", texts=texts)):
        game = assert_whole(game)
        assert game.ply == (3 if done else 0)
    submit(game, owner, *setup["moves"][3:])
    assert assert_whole(game).state == lines[-1]["position"]


def test_undo_redo_and_retiring_too(worker, owner, slug):
    name = WHOLE_GAMES[slug]
    setup, lines = record(name), trace(name)
    game = new_game(slug, owner, ranked=False, seed=setup["seed"])
    submit(game, owner, *setup["moves"])
    last = len(setup["moves"])
    for done in deaths(worker, arguments(game, owner, "undo_move")):
        game = assert_whole(game)
        assert game.ply == (last - 1 if done else last)
        assert game.is_over is not done
        assert game.redo == (setup["moves"][-1:] if done else [])
        assert game.moves.count() == last
    for done in deaths(worker, arguments(game, owner, "redo_move")):
        game = assert_whole(game)
        assert game.ply == (last if done else last - 1)
        assert game.is_over is done
        assert game.moves.count() == (last + 1 if done else last)
    assert game.state == lines[-1]["position"]
    other = new_game(slug, owner)
    for done in deaths(worker, arguments(other, owner, "retire_game")):
        other = assert_whole(other)
        assert other.is_over is done and other.version == int(done)


def test_a_game_starts_with_its_seat_and_its_guest_or_not_at_all(worker, slug):
    call = {"service": "start_game", "user": None, "slug": slug, "token": TOKEN}
    for done in deaths(worker, call | {"ranked": False, "seed": SEED}):
        counts = [model.objects.count() for model in (Game, Seat, User, Move)]
        assert counts == ([1, 1, 1, 0] if done else [0, 0, 0, 0])
    assert_whole(Game.objects.get())


def test_a_move_made_by_a_process_that_died_is_not_made_again(worker, owner, slug):
    name = WHOLE_GAMES[slug]
    game = new_game(slug, owner, seed=record(name)["seed"])
    call = arguments(game, owner, "submit_moves", texts=record(name)["moves"][:1])
    for done in deaths(worker, call):
        if done:
            # The browser never heard of it and sends it again.
            assert worker.ask(call) == {"status": 409, "code": "stale"}
    assert standing(game) == record(name)["moves"][:1]


def bots_turn(slug: str, owner: User) -> Game:
    """A table at which a bot is to move."""
    seeds = (f"{number:064x}" for number in range(1, 100))
    tables = (new_table(slug, owner, players=4, seed=seed) for seed in seeds)
    return next(game for game in tables if turn(game))


@pytest.mark.parametrize("slug", TABLES)
def test_a_bot_s_move_is_there_whole_or_not_at_all(worker, owner, slug):
    game = bots_turn(slug, owner)
    call = arguments(game, owner, "advance_game")
    for die_at in itertools.count(1):
        # Whoever was killed before had a lease, which has run out.
        Game.objects.filter(pk=game.pk).update(lease=timezone.now())
        answer = worker.ask({**call, "die_at": die_at})
        assert answer == "killed", f"at statement {die_at}: {answer}"
        game = assert_whole(game)
        assert game.version == game.ply == game.moves.count() <= 1
        if game.version:
            assert die_at > 6 and game.lease is None
            break
    assert worker.ask(arguments(game, owner, "advance_game"))["status"] == 200
    assert_whole(game)


@pytest.mark.parametrize("slug", TABLES)
def test_a_process_is_killed_while_a_bot_thinks(worker, owner, slug):
    game = bots_turn(slug, owner)
    call = arguments(game, owner, "advance_game")
    assert worker.ask({**call, "die_thinking": True}) == "killed"
    game = assert_whole(game)
    assert game.version == 0 and game.lease > timezone.now()
    page = Browser(owner).look(table(game))
    assert page.status_code == 200 and asks_on(page.content.decode())
    # As far as anybody knows, somebody thinks.
    assert worker.ask(call)["status"] == 200
    assert assert_whole(game).version == 0
    Game.objects.filter(pk=game.pk).update(lease=game.lease - services.LEASE)
    assert worker.ask(call)["status"] == 200
    game = assert_whole(game)
    assert game.version == game.moves.count() == 1 and game.lease is None


@pytest.mark.parametrize("slug", TABLES)
def test_a_table_is_there_with_all_its_seats_or_not_at_all(worker, slug):
    call = {"service": "start_game", "user": None, "slug": slug, "token": TOKEN}
    for done in deaths(worker, call):
        counts = [model.objects.count() for model in (Game, User, Move)]
        assert counts == ([1, 1, 0] if done else [0, 0, 0])
        assert Seat.objects.count() == (Game.objects.get().players if done else 0)
    assert_whole(Game.objects.get())
