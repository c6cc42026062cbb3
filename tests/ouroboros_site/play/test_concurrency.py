"""Requests that meet: by threads through the site, and by processes through the services.

Exactly one of the moves made at one version is played; the others are told that they came late.
"""

import time
from collections import Counter
from dataclasses import replace

import pytest

from ouroboros_site.play import registry
from ouroboros_site.play.models import Game

from .helpers import (
    SEED,
    Answer,
    Browser,
    assert_whole,
    at_once,
    fragment_of,
    guest,
    legal,
    new_game,
    page_of,
    standing,
    submit,
    table,
)
from .shared import TABLES, legal_texts, new_table, turn

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 4
ROUNDS = 2


@pytest.fixture
def owner(transactional_db):
    return guest()


def at_one_version(owner, game: Game, what: str, texts: list[str], *, htmx: bool) -> Counter:
    """Send so many forms of the same table at once; how many got which status."""
    game.refresh_from_db()
    version = game.version
    browsers = [Browser(owner) for _ in texts]
    answers = at_once(
        *[
            lambda browser=browser, text=text: Answer(
                browser, table(game, what), htmx=htmx, version=version, text=text, confirm="1"
            )
            for browser, text in zip(browsers, texts, strict=True)
        ]
    )
    if htmx:
        for answer in answers:
            page = fragment_of(answer)
            shown = {field["value"] for field in page.all("input", name="version")}
            # Whoever lost sees the table as the winner left it.
            assert shown <= {str(version + 1)}
    return Counter(answer.status_code for answer in answers)


@pytest.mark.parametrize("htmx", [False, True], ids=["plain", "htmx"])
def test_the_same_move_is_played_once(owner, slug, htmx):
    game = new_game(slug, owner)
    for round_ in range(1, ROUNDS + 1):
        choice = legal(game)
        if not choice:
            break
        text = choice[-1]
        statuses = at_one_version(owner, game, "move", [text] * THREADS, htmx=htmx)
        assert statuses == {200 if htmx else 302: 1, 409: THREADS - 1}
        game = assert_whole(game)
        assert game.ply == game.version == game.moves.count() == round_
        assert standing(game)[-1] == text


def test_of_different_moves_one_is_played(owner, slug):
    game = new_game(slug, owner)
    for round_ in range(1, ROUNDS + 1):
        texts = legal(game)[-THREADS:]
        if len(texts) < 2:
            break
        statuses = at_one_version(owner, game, "move", texts, htmx=True)
        assert statuses == {200: 1, 409: len(texts) - 1}
        game = assert_whole(game)
        assert game.ply == game.version == game.moves.count() == round_
        assert standing(game)[-1] in texts


@pytest.mark.parametrize("what", ["undo", "redo", "retire"])
def test_other_changes_happen_once(owner, slug, what):
    game = new_game(slug, owner, ranked=False, seed=SEED)
    # A move that leaves the game going on, played and, for redo, taken back.
    submit(game, owner, legal(game)[-1])
    rows = 1
    if what == "redo":
        Browser(owner).send(table(game, "undo"), version=1)
        rows = 2
    game.refresh_from_db()
    before = game.version
    statuses = at_one_version(owner, game, what, [""] * THREADS, htmx=False)
    assert statuses == {302: 1, 409: THREADS - 1}
    game = assert_whole(game)
    assert game.version == before + 1
    assert game.moves.count() == rows


def test_moving_and_retiring_at_once(owner, slug):
    game = new_game(slug, owner)
    text = legal(game)[-1]
    browsers = [Browser(owner) for _ in range(4)]
    whats = ["move", "retire", "move", "retire"]
    answers = at_once(
        *[
            lambda browser=browser, what=what: Answer(
                browser, table(game, what), version=0, text=text, confirm="1"
            )
            for browser, what in zip(browsers, whats, strict=True)
        ]
    )
    assert Counter(answer.status_code for answer in answers) == {302: 1, 409: 3}
    game = assert_whole(game)
    assert game.version == 1 and game.moves.count() + game.is_over == 1


def test_readers_do_not_wait_and_see_a_whole_table(owner, slug):
    game = new_game(slug, owner)
    browsers = [Browser(owner) for _ in range(THREADS)]
    text = legal(game)[-1]

    def read(browser):
        return lambda: Answer(browser, table(game, "preview"), version=0)

    def write(browser):
        return lambda: Answer(browser, table(game, "move"), version=0, text=text, confirm="1")

    answers = at_once(write(browsers[0]), *[read(browser) for browser in browsers[1:]])
    statuses = [answer.status_code for answer in answers]
    # Who asks before the move is answered, who asks after it is shown the table as it is now.
    assert statuses[0] == 302 and set(statuses[1:]) <= {200, 409}
    for answer in answers[1:]:
        page_of(answer)


def test_games_of_many_people_at_once(slug, transactional_db):
    players = [guest() for _ in range(THREADS)]
    games = [new_game(slug, player, seed=f"{i:064x}") for i, player in enumerate(players)]
    browsers = [Browser(player) for player in players]
    texts = [legal(game)[-1] for game in games]
    answers = at_once(
        *[
            lambda game=game, browser=browser, text=text: Answer(
                browser, table(game, "move"), version=0, text=text, confirm="1"
            )
            for game, browser, text in zip(games, browsers, texts, strict=True)
        ]
    )
    assert {answer.status_code for answer in answers} == {302}
    for game, text in zip(games, texts, strict=True):
        assert_whole(game)
        assert standing(game) == [text]


@pytest.mark.parametrize("same", [True, False], ids=["the same move", "different moves"])
def test_processes(owner, slug, workers, same):
    game = new_game(slug, owner)
    for round_ in range(1, ROUNDS + 1):
        choice = legal(game)
        if len(choice) < len(workers):
            break
        texts = [choice[-1]] * len(workers) if same else choice[-len(workers) :]
        for worker, text in zip(workers, texts, strict=True):
            worker.send(
                {
                    "service": "submit_moves",
                    "user": owner.pk,
                    "slug": slug,
                    "game_id": game.pk,
                    "version": round_ - 1,
                    "texts": [text],
                }
            )
        answers = [worker.answer() for worker in workers]
        assert Counter(answer["status"] for answer in answers) == {200: 1, 409: len(workers) - 1}
        assert {a.get("code", "stale") for a in answers} <= {"stale", "over"}
        game = assert_whole(game)
        assert game.ply == game.version == game.moves.count() == round_


def test_double_click_in_processes(transactional_db, slug, workers):
    for round_ in range(1, ROUNDS + 1):
        for worker in workers:
            worker.send(
                {"service": "start_game", "user": None, "slug": slug, "token": f"{round_:032}"}
            )
        assert {worker.answer()["status"] for worker in workers} == {200}
        assert Game.objects.count() == round_
        assert Game.objects.values("seats__user").distinct().count() == round_


# -- tables of several seats ----------------------------------------------------------------------


def bots_turn(slug: str, owner, **more) -> Game:
    """A table at which a bot is to move, and the next one after it."""
    seeds = (f"{number:064x}" for number in range(1, 100))
    tables = (new_table(slug, owner, players=5, seed=seed, **more) for seed in seeds)
    return next(game for game in tables if turn(game) == 1)


@pytest.fixture
def thoughts(monkeypatch) -> list[str]:
    """The games whose bots were asked, each of which takes its time."""
    asked = []

    def put(slug: str) -> None:
        kind = registry.get(slug)

        def slow(level, view, legal, chance):
            asked.append(slug)
            time.sleep(0.05)
            return kind.bot(level, view, legal, chance)

        monkeypatch.setitem(registry._kinds, slug, replace(kind, bot=slow))

    for slug in TABLES:
        put(slug)
    return asked


def all_ask(owner, game: Game, *, htmx: bool) -> list[Answer]:
    """Ask for the next move at the game's version, all at once."""
    browsers = [Browser(owner) for _ in range(THREADS)]
    return at_once(
        *[
            lambda browser=browser: Answer(
                browser, table(game, "advance"), htmx=htmx, version=game.version
            )
            for browser in browsers
        ]
    )


@pytest.mark.parametrize("htmx", [False, True], ids=["plain", "htmx"])
@pytest.mark.parametrize("shared", TABLES)
def test_a_bot_s_move_is_thought_and_made_once(owner, shared, thoughts, htmx):
    game = bots_turn(shared, owner)
    # One move a request also where the page asks by itself.
    Game.objects.filter(pk=game.pk).update(pace="normal")
    for round_ in range(1, ROUNDS + 2):
        game.refresh_from_db()
        if not turn(game):
            break
        Game.objects.filter(pk=game.pk).update(updated=game.created.replace(year=2020))
        answers = all_ask(owner, game, htmx=htmx)
        # Whoever came too late is shown the table, and told nothing.
        assert {answer.status_code for answer in answers} == {200 if htmx else 302}
        game = assert_whole(game)
        assert game.ply == game.version == game.moves.count() == len(thoughts) == round_
        assert game.lease is None


@pytest.mark.parametrize("shared", TABLES)
def test_bots_that_hurry_make_each_move_once(owner, shared, thoughts):
    """At an instant pace one request makes several moves, and so does the other."""
    game = bots_turn(shared, owner)
    for _ in range(6):
        game.refresh_from_db()
        if not turn(game):
            break
        answers = all_ask(owner, game, htmx=True)
        assert {answer.status_code for answer in answers} == {200}
        game = assert_whole(game)
        assert game.ply == game.version == game.moves.count()
        # A forced pass of the person is made by the table, without a thought.
        assert game.moves.exclude(seat=0).count() == len(thoughts)


@pytest.mark.parametrize("shared", TABLES)
def test_a_bot_moves_while_the_player_leaves(owner, shared, thoughts):
    game = bots_turn(shared, owner)
    browsers = [Browser(owner) for _ in range(4)]
    whats = ["advance", "retire", "advance", "retire"]
    answers = at_once(
        *[
            lambda browser=browser, what=what: Answer(
                browser, table(game, what), version=0, pace="slow"
            )
            for browser, what in zip(browsers, whats, strict=True)
        ]
    )
    assert {answer.status_code for answer in answers} <= {302, 409}
    game = assert_whole(game)
    # Either the table was left at once, or the bots had moved before.
    assert game.is_over == (game.version > game.moves.count())


@pytest.mark.parametrize("shared", TABLES)
def test_a_person_s_move_is_made_once_at_a_table_too(owner, shared):
    seeds = (f"{number:064x}" for number in range(1, 100))
    games = (new_table(shared, owner, players=5, seed=seed) for seed in seeds)
    game = next(game for game in games if turn(game) == 0)
    texts = [legal_texts(game)[0]] * THREADS
    statuses = at_one_version(owner, game, "move", texts, htmx=True)
    assert statuses == {200: 1, 409: THREADS - 1}
    game = assert_whole(game)
    assert game.ply == game.version == game.moves.count() == 1


@pytest.mark.parametrize("shared", TABLES)
def test_processes_that_ask_for_a_bot_s_move(owner, shared, workers):
    game = bots_turn(shared, owner)
    for round_ in range(1, ROUNDS + 1):
        game.refresh_from_db()
        if not turn(game):
            break
        for worker in workers:
            worker.send(
                {
                    "service": "advance_game",
                    "user": owner.pk,
                    "slug": shared,
                    "game_id": game.pk,
                    "version": round_ - 1,
                }
            )
        assert {worker.answer()["status"] for worker in workers} == {200}
        game = assert_whole(game)
        assert game.ply == game.version == game.moves.count() == round_
        assert game.lease is None
