"""What the player may not see never leaves the server.

Two games that look the same to the player, the hidden cards dealt anew: one row of the database,
rewritten between two requests. Every answer to every request that turns up no card must be the
same to the byte, headers included.
"""

import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Score
from ouroboros_site.play import registry
from ouroboros_site.play.models import Game
from tests.solitaire.rules.positions import laws_position, market_position

from .helpers import (
    SEED,
    WHOLE_GAMES,
    Browser,
    again,
    new_game,
    page_of,
    record,
    stored,
    submit,
    table,
    trace,
)
from .shared import TABLES

pytestmark = pytest.mark.django_db

OTHER_SEED = "a7" * 32


# -- dealing anew ---------------------------------------------------------------------------------


def deal_anew(slug: str, position: dict[str, Any]) -> dict[str, Any]:
    """A position that looks the same to the player, with other cards where they cannot see."""
    shuffler = random.Random(str(position))
    position = json.loads(json.dumps(position))
    if slug == "market":
        for place in ("market", "threat"):
            shuffle_all(shuffler, position[place])
        return position
    hidden = [
        (pile, place)
        for pile, cards in enumerate(position["piles"])
        for place in range(1 + position["known"][pile], len(cards))
    ]
    cards = [position["piles"][pile][place] for pile, place in hidden]
    shuffle_all(shuffler, cards)
    for (pile, place), card in zip(hidden, cards, strict=True):
        position["piles"][pile][place] = card
    return position


def shuffle_all(shuffler: random.Random, cards: list[str]) -> None:
    """Shuffle a list in place so that its order is another one, if it has two orders."""
    before = list(cards)
    while len(cards) > 1 and cards == before:
        shuffler.shuffle(cards)


def pairs(game: Game) -> tuple[tuple[str, Any], tuple[str, Any]]:
    """Seed and position of the game, and of one that looks the same."""
    rules = game.rules
    twin = deal_anew(game.slug, game.state)
    states = [
        rules.decode({"seed": seed, "players": 1, "options": {}, "position": position})
        for seed, position in ((game.seed, game.state), (OTHER_SEED, twin))
    ]
    assert rules.view(states[0], 0) == rules.view(states[1], 0)
    assert rules.position(states[0]) != rules.position(states[1])
    return (game.seed, game.state), (OTHER_SEED, twin)


# -- comparing answers ----------------------------------------------------------------------------


def answer(response) -> tuple[Any, ...]:
    """All that an answer says but for what is drawn anew for each answer: form tokens and times."""
    body = response.content
    for name in (b"csrfmiddlewaretoken", b"once"):
        body = re.sub(b'(name="%s" value=")[^"]*' % name, b"\\1", body)
    cookies = {
        name: {k: v for k, v in morsel.items() if k != "expires"}
        for name, morsel in response.cookies.items()
    }
    assert set(cookies) <= {"csrftoken"}
    headers = {name: value for name, value in response.headers.items() if name != "Expires"}
    return response.status_code, headers, cookies, body


def assert_same(game: Game, ask: Callable[[], Any]) -> int:
    """Ask twice, the hidden cards dealt anew in between, and compare to the byte; the status.

    What is asked must change nothing.
    """
    row = Game.objects.filter(pk=game.pk)
    game.refresh_from_db()
    answers = []
    for seed, position in pairs(game):
        row.update(seed=seed, state=position)
        before = row.values().get(), game.moves.count()
        response = ask()
        assert (row.values().get(), game.moves.count()) == before
        for secret in (seed, OTHER_SEED):
            assert secret.encode() not in response.content
            assert secret not in str(response.headers) + str(response.cookies)
        answers.append(answer(response))
    row.update(seed=game.seed, state=game.state)
    assert answers[0] == answers[1]
    return answers[0][0]


@pytest.fixture(autouse=True)
def one_commitment(monkeypatch):
    """The commitment tells two seeds apart, as it should; here it would be all that differs."""
    monkeypatch.setattr(Game, "commitment", "0" * 64)


# -- positions ------------------------------------------------------------------------------------

POSITIONS: dict[str, list[tuple[str, Any, int, bool]]] = {
    # For each edition: a name; a position, or a record and how far it is played; whether ranked.
    "laws": [
        ("start", None, 0, True),
        ("late", "laws-06-mixed", 110, False),
        (
            "scouted and locked",
            laws_position(
                "2h 3h 4d Qd Kd",
                piles=("As 2s 5c 6c", "Ts 3s 7c", "Ks 4s 8c"),
                resting="Jh",
                known=[2, 0, 0],
                locked=1,
            ),
            0,
            True,
        ),
        (
            "capture",
            laws_position(
                "2h 3h",
                deck="... 2s",
                discard="5h 5d 5s",
                piles=("As 3s 5c", "Ts 6s 7s", "Ks 4s"),
                phase="capture",
            ),
            0,
            True,
        ),
        (
            "last cards",
            laws_position(
                "2h 3h 4d Jd *",
                deck="Ah",
                discard="...",
                piles=("As 2s 5c 6c", "Ts 3s 7c", "Ks 4s 8c"),
            ),
            0,
            False,
        ),
    ],
    "market": [
        ("start", None, 0, False),
        ("late", "market-06-greedy", 300, True),
        ("last life", market_position("Ah 2h 3h 4h *", "9s", finished="2c 3c", lives=1), 0, True),
        ("swap", market_position("Ah 2h", "9s", stock="Ad", played="3h 4h 2d"), 0, True),
        ("stocked", market_position("Ah 2h 3h 4h", "9s", stock="5h"), 0, False),
    ],
}
CASES = [
    pytest.param(slug, *case, id=f"{slug} {name}")
    for slug, cases in POSITIONS.items()
    for name, *case in cases
]
BEHIND = 25
"""So many moves are truly played of a game that is far on."""


def game_at(slug: str, user: User, start: Any, ply: int, ranked: bool) -> Game:
    """A game with the moves of a record behind it, or at a position made by hand."""
    if not isinstance(start, str):
        return new_game(slug, user, ranked=ranked, position=start)
    first = max(0, ply - BEHIND)
    position = trace(start)[first]["position"]
    seed = record(start)["seed"]
    game = new_game(slug, user, ranked=ranked, seed=seed, position=position)
    submit(game, user, *record(start)["moves"][first:ply])
    game.refresh_from_db()
    assert game.state == trace(start)[ply]["position"]
    return game


def selections(game: Game) -> Iterator[dict[str, Any]]:
    """Every selection of one to three cards, in Laws against each pile in turn."""
    state = game.state
    cards = [*state["hand"], *([state["stock"]] if state.get("stock") else [])]
    cards = state.get("played") or cards
    piles = itertools.cycle("123")
    for size in (1, 2, 3):
        for chosen in itertools.combinations(cards, size):
            yield {"card": list(chosen), "pile": next(piles)}


@pytest.mark.parametrize(("slug", "start", "ply", "ranked"), CASES)
class TestSameToTheByte:
    def test_pages(self, owner, browser, slug, start, ply, ranked):
        game = game_at(slug, owner, start, ply, ranked)
        for htmx in (False, True):
            status = assert_same(game, lambda htmx=htmx: browser.look(table(game), htmx=htmx))
            assert status == 200
        assert assert_same(game, lambda: browser.look("/")) == 200
        assert assert_same(game, lambda: browser.look(again(game, "record.json"))) == 409

    def test_refusals(self, owner, browser, slug, start, ply, ranked):
        game = game_at(slug, owner, start, ply, ranked)
        version = game.version
        for number, fields in enumerate(
            (
                {"version": version, "text": "nonsense"},
                {"version": version, "action": "play"},
                {"version": version, "text": "play 1 Ks" if slug == "laws" else "play Ks"},
                {"version": version, "text": "scout Ks 1"},
                {"version": version, "text": "concede 1"},
                {"version": version + 1, "text": "nonsense"},
                {"version": "x"},
            )
        ):
            for htmx in (False, True) if number % 3 == 2 else (True,):
                status = assert_same(
                    game,
                    lambda fields=fields, htmx=htmx: browser.send(
                        table(game, "move"), htmx=htmx, **fields
                    ),
                )
                assert status == (409 if fields["version"] == version + 1 else 400)
        wrong = version + (not ranked)
        for what in ("undo", "redo"):
            status = assert_same(
                game,
                lambda what=what: browser.send(table(game, what), htmx=True, version=wrong),
            )
            assert status == 409

    def test_what_a_selection_would_do(self, owner, browser, slug, start, ply, ranked):
        game = game_at(slug, owner, start, ply, ranked)
        for number, fields in enumerate(selections(game)):
            fields["version"] = game.version
            status = assert_same(
                game,
                lambda fields=fields: browser.send(table(game, "preview"), htmx=True, **fields),
            )
            assert status == 200
            if number % 12 == 0:
                fields["action"] = "look"
                status = assert_same(
                    game, lambda fields=fields: browser.send(table(game, "move"), **fields)
                )
                assert status == 200

    def test_pages_of_the_staff(self, owner, slug, start, ply, ranked):
        game = game_at(slug, owner, start, ply, ranked)
        staff = Browser(User.objects.create_superuser("root"))
        for path in ("", f"{game.pk}/change/"):
            response = staff.look(f"/admin/play/game/{path}")
            assert response.status_code == 200
            assert_same(game, lambda path=path: staff.look(f"/admin/play/game/{path}"))


class TestQuestions:
    @pytest.mark.parametrize("htmx", [False, True], ids=["plain", "htmx"])
    def test_before_a_move_that_may_end_the_game(self, owner, browser, slug, htmx):
        start = {"laws": "last cards", "market": "last life"}[slug]
        position = next(position for name, position, *_ in POSITIONS[slug] if name == start)
        game = new_game(slug, owner, position=position)
        for text in (
            ["play 1 2h 3h", "play 1 4d", "flash 2"]
            if slug == "laws"
            else ["play 2h", "play 2h 3h 4h"]
        ):
            response = browser.send(table(game, "move"), htmx=htmx, version=0, text=text)
            assert response.status_code == 200
            assert_same(
                game,
                lambda text=text: browser.send(
                    table(game, "move"), htmx=htmx, version=0, text=text
                ),
            )


class TestMovesThatTurnUpNothing:
    """A move that shows no new card is answered alike too; so is the table after it."""

    @pytest.mark.parametrize("htmx", [False, True], ids=["plain", "htmx"])
    @pytest.mark.parametrize(
        ("slug", "position", "text"),
        [
            ("laws", laws_position("2h 3h Qd 4d 5d", resting=""), "reorganize Qd: 2h 3h"),
            ("laws", laws_position("2h 3h Kd 4d 5d", resting=""), "enforce Kd"),
            (
                "laws",
                laws_position("2h 3h 4d 5d Jd", loop=2, piles=("5s As 5c", "Ts 3s 8c", "Ks 4s 9c")),
                "play 1 2h 3h",
            ),
            ("laws", laws_position("2h 3h 4d 5d 6d", deck="Ah", discard="..."), "play 1 2h"),
            ("laws", laws_position("2h 3h 4d 5d 6d", deck="Ah 2d 3d 4h", discard="..."), "bribe 1"),
            ("market", market_position("Ah 2h 3h 4h 5h", "9s"), "stock Ah"),
            ("market", market_position("Ah 2h 3h 4h 5h", "9s"), "play 4h 5h"),
            ("market", market_position("Ah 2h 3h 4h 5h", "9s", loop=2), "play 2h 3h"),
            (
                "market",
                market_position("Ah 2h 3h 4h 5h", "9s", finished="2c 3c", lives=1),
                "play 3h",
            ),
        ],
    )
    def test_are_answered_alike(self, owner, browser, slug, position, text, htmx):
        answers = []
        twins = pairs(new_game(slug, owner, position=position))
        game = new_game(slug, owner)
        for seed, state in twins:
            # The same row again, as it was before the move.
            Game.objects.filter(pk=game.pk).update(
                seed=seed, state=state, ply=0, version=0, result=None, finished=None
            )
            game.moves.all().delete()
            Score.objects.filter(game=game).delete()
            fields = {"version": 0, "text": text, "confirm": "1"}
            response = browser.send(table(game, "move"), htmx=htmx, **fields)
            assert response.status_code == (200 if htmx else 302), response.content
            shown = [answer(response)]
            game.refresh_from_db()
            if game.is_over:
                # From here on the seed is open, and the hidden cards with it.
                body = response.content if htmx else browser.look(table(game)).content
                assert (seed.encode() in body) and text
                shown = []
            else:
                assert seed.encode() not in response.content
                shown.append(answer(browser.look(table(game))))
            answers.append(shown)
        assert answers[0] == answers[1]


class TestSeed:
    def test_is_closed_until_the_end_and_open_then(self, owner, slug, monkeypatch):
        monkeypatch.undo()
        name = WHOLE_GAMES[slug]
        seed, moves = record(name)["seed"], record(name)["moves"]
        game = new_game(slug, owner, seed=seed)
        browser = Browser(owner)
        commitment = sha256(bytes.fromhex(seed)).hexdigest()
        for ply, text in enumerate(moves):
            answers = [
                browser.look(table(game)),
                browser.look("/"),
                browser.look(again(game, "record.json")),
                browser.send(table(game, "move"), htmx=True, version=ply, text="nonsense"),
                browser.send(table(game, "move"), htmx=True, version=ply + 1, text=text),
                browser.send(
                    table(game, "preview"),
                    htmx=True,
                    version=ply,
                    card=trace(name)[ply]["position"]["hand"][:1],
                ),
            ]
            assert commitment.encode() in answers[0].content, "shown from the first move on"
            last = ply == len(moves) - 1
            fields = {"version": ply, "text": text, "confirm": "1"}
            answers.append(browser.send(table(game, "move"), htmx=True, **fields))
            for response in answers[:-1] if last else answers:
                assert seed.encode() not in response.content
                assert seed not in str(response.headers) + str(response.cookies)
        for response in (answers[-1], browser.look(table(game))):
            html = response.content.decode()
            assert seed in html and commitment in html
        assert json.loads(browser.look(again(game, "record.json")).content)["seed"] == seed

    def test_is_open_when_the_player_retires(self, owner, slug, monkeypatch):
        monkeypatch.undo()
        game = new_game(slug, owner)
        browser = Browser(owner)
        assert SEED not in browser.look(table(game)).content.decode()
        response = browser.send(table(game, "retire"), version=0)
        assert response.status_code == 302
        html = browser.look(table(game)).content.decode()
        assert SEED in html and sha256(bytes.fromhex(SEED)).hexdigest() in html

    def test_of_one_game_tells_nothing_of_another(self, owner, slug):
        seeds = set()
        for _ in range(3):
            Browser(owner).send(f"/{slug}/start", once="")
        for game in Game.objects.all():
            seeds.add(game.seed)
            assert re.fullmatch("[0-9a-f]{64}", game.seed)
        assert len(seeds) == 3

    def test_an_undone_end_closes_it_again(self, owner, slug, monkeypatch):
        monkeypatch.undo()
        name = WHOLE_GAMES[slug]
        seed = record(name)["seed"]
        game = game_at(slug, owner, name, len(record(name)["moves"]), False)
        browser = Browser(owner)
        assert seed in browser.look(table(game)).content.decode()
        browser.send(table(game, "undo"), version=game.version)
        response = browser.look(table(game))
        page_of(response)
        assert seed not in response.content.decode()


class TestStaff:
    def test_the_admin_changes_nothing(self, owner, slug):
        game = new_game(slug, owner)
        staff = Browser(User.objects.create_superuser("root"))
        before = stored()
        base = "/admin/play/game/"
        assert staff.look(base + "add/").status_code == 403
        for path in (f"{base}add/", f"{base}{game.pk}/change/", f"{base}{game.pk}/delete/"):
            assert staff.send(path, ranked="", ply="99", _save="Save").status_code == 403
        staff.send(base, action="delete_selected", _selected_action=game.pk, post="yes")
        assert {key: rows for key, rows in stored().items() if key != "User"} == {
            key: rows for key, rows in before.items() if key != "User"
        }

    def test_the_admin_is_closed_to_others(self, owner):
        for browser in (Browser(), Browser(owner), Browser(User.objects.create_user("Ada"))):
            response = browser.look("/admin/play/game/")
            assert response.status_code == 302
            assert response["Location"].startswith("/admin/login/")

    @pytest.mark.parametrize("field", ["seed", "state", "redo", "token"])
    def test_lists_cannot_be_searched_by_secrets(self, owner, field):
        game = new_game("laws", owner)
        staff = Browser(User.objects.create_superuser("root"))
        value = {"seed": game.seed[0], "state": "x", "redo": "x", "token": "0"}[field]
        for query in (
            f"play/game/?{field}__startswith={value}",
            f"accounts/user/?seats__game__{field}__startswith={value}",
        ):
            assert staff.look(f"/admin/{query}").status_code in (302, 400)


def test_every_edition_is_here():
    # Tables of several seats: test_table_secrets.py.
    assert {*POSITIONS, *TABLES} == {rules.SLUG for rules in registry.all_rules()}
