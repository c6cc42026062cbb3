"""What a seat may not see never leaves the server, whatever the other hands hold.

As in ``test_secrets``: the hidden cards are dealt anew in the row between two requests, here for
each seat of a table, and the answers must be the same to the byte.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
import time_machine

from ouroboros_site.accounts.models import User
from ouroboros_site.play import seating, services
from ouroboros_site.play.models import PACES, Game
from tests.conformance.kits import KITS

from .helpers import Browser, again, table
from .met import NOON, met, stamp_of
from .shared import legal_texts, new_table, play_on, sit, turn
from .test_secrets import answer, one_commitment  # noqa: F401 - a fixture for every test here

pytestmark = pytest.mark.django_db

OX = {"ox": True, "rounds": 2}
PHASES: dict[str, tuple[str, int, dict[str, Any], Callable[[dict[str, Any]], bool]]] = {
    # A name: game, players, options, and whether a position is meant.
    "trick, dealt": ("trick", 3, {}, lambda at: True),
    "trick, in a trick": ("trick", 4, {}, lambda at: at["tricks"] == 2 and len(at["trick"]) == 2),
    "trick, discarding": ("trick", 4, {}, lambda at: at["phase"] == "discard" and at["owed"] > 2),
    "trick, of five, leading": (
        "trick",
        5,
        {},
        lambda at: at["phase"] == "play" and not at["trick"] and at["tricks"] == 4,
    ),
    "trick, pools and hands mixed": (
        "trick",
        3,
        {},
        lambda at: at["tricks"] > 6 and len(at["trick"]) == 1 and at["discard"],
    ),
    "trick, an empty hand": (
        "trick",
        4,
        {},
        lambda at: at["phase"] == "discard" and not all(at["hands"]),
    ),
    "ochs, dealt": ("ochs-esel", 3, {}, lambda at: True),
    "ochs, following": ("ochs-esel", 5, {}, lambda at: at["count"] > 1 and at["turn_round"] > 1),
    "ochs, donkey": (
        "ochs-esel",
        4,
        {},
        lambda at: at["kind"] == "donkey" and len(at["table"]) == 2,
    ),
    "ochs, ox": ("ochs-esel", 4, OX, lambda at: at["kind"] == "ox" and len(at["table"]) == 2),
    "ochs, cards laid": (
        "ochs-esel",
        3,
        OX,
        lambda at: any(at["laid"]) and at["phase"] == "play" and at["count"] > 0,
    ),
    "ochs, barred": ("ochs-esel", 4, OX, lambda at: bool(at["barred"]) and not at["table"]),
    "ochs, second round": ("ochs-esel", 6, {"rounds": 2}, lambda at: at["round"] == 2),
    "ochs, of twelve": ("ochs-esel", 12, {}, lambda at: at["count"] > 0 and len(at["table"]) > 5),
}

SHOWS = ("trick, discarding", "trick, an empty hand")
"""Where every move may show more: the end of a discard may have others take up their pools."""


@pytest.fixture(params=PHASES)
def game(request, owner, monkeypatch) -> Game:
    # It stays too early for the next move that needs nobody.
    monkeypatch.setitem(PACES, "normal", 3600.0)
    slug, players, options, until = PHASES[request.param]
    for number in range(200):
        game = new_table(
            slug, owner, players=players, options=options, seed=f"{number + 1:064x}", pace="normal"
        )
        if play_on(game, Random(number), until):
            return game
        game.delete()
    raise AssertionError("there is no such position")


def pairs(game: Game, seat: int) -> list[tuple[str, dict[str, Any]]]:
    """Seed and position of the game, and of one that looks the same to the seat."""
    rules = game.rules
    state = game.load()
    encoded = rules.encode(state)
    for number in range(50):
        twin = KITS[game.slug].redeal(encoded, seat, Random(number))
        other = rules.decode(twin)
        if twin["position"] != encoded["position"]:
            break
    rules.check(other)
    assert rules.view(state, seat) == rules.view(other, seat)
    assert rules.position(state) != rules.position(other)
    return [(data["seed"], data["position"]) for data in (encoded, twin)]


def assert_same(game: Game, seat: int, ask: Callable[[], Any], twins: Any = None) -> int:
    """Ask twice, the hidden cards dealt anew in between, and compare to the byte; the status."""
    row = Game.objects.filter(pk=game.pk)
    game.refresh_from_db()
    answers = []
    for seed, position in twins or pairs(game, seat):
        row.update(seed=seed, state=position)
        before = row.values().get(), game.moves.count()
        response = ask()
        assert (row.values().get(), game.moves.count()) == before
        assert seed.encode() not in response.content
        answers.append(answer(response))
    row.update(seed=game.seed, state=game.state)
    assert answers[0] == answers[1]
    return answers[0][0]


def questions(game: Game, seat: int) -> list[tuple[str, dict[str, Any], int]]:
    """What a table sends that plays nothing: where, the fields, and the status of the answer."""
    version, hand = game.version, game.rules.view(game.load(), seat)["hand"]
    mine = turn(game) == seat
    refused = 400 if mine else 409
    legal = set(legal_texts(game)) if mine else set()
    illegal = [f"play {card}" for card in hand if f"play {card}" not in legal]
    others = [card for index in range(game.players) for card in game.state["hands"][index]]
    asked = [
        ("preview", {"version": version}, 200),
        ("preview", {"version": version, "card": hand[:1]}, 200),
        ("preview", {"version": version, "set": f"{hand[0]}x1" if hand else "1x1"}, 200),
        ("preview", {"version": version, "set": "2x3", "joker": ["1"]}, 200),
        ("preview", {"version": version + 1}, 204),
        ("move", {"version": version, "text": "nonsense"}, refused),
        ("move", {"version": version, "text": "pass 1"}, refused),
        ("move", {"version": version, "action": "play"}, 400),
        ("move", {"version": version + 1, "text": "nonsense"}, 409),
        ("move", {"version": "x"}, 400),
        # The table is at its usual pace, and it is too early.
        ("advance", {"version": version}, 200),
        ("advance", {"version": version + 1}, 200),
        ("undo", {"version": version}, 409),
        ("redo", {"version": version}, 409),
        ("pace", {"pace": "at once"}, 400),
        ("pace", {"pace": "normal"}, 200),
    ]
    if not mine:
        # Whether somebody else could play it is nobody's business.
        asked += [("move", {"version": version, "text": text}, 409) for text in ("pass", "play E")]
        asked += [("move", {"version": version, "text": f"play {others[0]}"}, 409)]
    else:
        asked += [("move", {"version": version, "text": text}, 400) for text in illegal[:2]]
    return asked


def test_whatever_the_other_hands_hold(game, owner):
    browser = Browser(owner)
    mover = turn(game)
    for seat in range(0, game.players, 1 if game.players < 7 else 5):
        sit(game, owner, seat)
        twins = pairs(game, seat)

        def same(ask: Callable[[], Any], seat: int = seat, twins: Any = twins) -> int:
            return assert_same(game, seat, ask, twins)

        for htmx in (False, True):
            assert same(partial(browser.look, table(game), htmx=htmx)) == 200
        asked = questions(game, seat)
        if seat == mover:
            look = {"version": game.version, "action": "look", **_chosen(game)}
            assert same(partial(browser.send, table(game, "move"), **look)) == 200
            for path, expected in (
                ("/", 200),
                (again(game, "replay/"), 409),
                (again(game, "record.json"), 409),
                (table(game, "nowhere"), 404),
            ):
                assert same(partial(browser.look, path)) == expected
        else:
            # Those who wait share the questions among them.
            asked = asked[seat % 3 :: 3]
        for what, fields, expected in asked:
            status = same(partial(browser.send, table(game, what), htmx=True, **fields))
            assert status == expected, (what, fields)


def _chosen(game: Game) -> dict[str, Any]:
    card = legal_texts(game)[0].split()[-1]
    return {"card": [card]} if card[0] in "RYGB" else {"set": f"{card}x1"}


def test_a_bystander_and_the_staff_see_no_hand(game, owner):
    staff = Browser(User.objects.create_superuser("root"))
    for path in ("", f"{game.pk}/change/", f"{game.pk}/log/"):
        status = assert_same(game, 0, lambda path=path: staff.look(f"/admin/play/game/{path}"))
        assert status == 200
    for browser in (Browser(), Browser(User.objects.create_user("Bob"))):
        for path in (table(game), again(game, "replay/"), again(game, "record.json")):
            look = partial(browser.look, path)
            assert assert_same(game, 0, look) == 403


@pytest.mark.parametrize("game", [name for name in PHASES if name not in SHOWS], indirect=True)
def test_a_move_that_turns_nothing_up(game, owner):
    """One's own move, and the table after it, are the same whatever the others hold."""
    seat = turn(game)
    sit(game, owner, seat)
    rules, state = game.rules, game.load()
    for text in legal_texts(game)[:6]:
        report = rules.report(state, rules.parse_move(text))
        if "winner" not in report and "owed" not in report:
            break
    else:
        raise AssertionError("every move here turns something up")
    row, moves = Game.objects.filter(pk=game.pk), game.moves.count()
    browser = Browser(owner)
    kept = row.values().get()
    for htmx in (False, True):
        answers = []
        for seed, position in pairs(game, seat):
            row.update(**{**kept, "seed": seed, "state": position})
            game.moves.filter(ply__gt=game.ply).delete()
            fields = {"version": game.version, "text": text}
            response = browser.send(table(game, "move"), htmx=htmx, **fields)
            assert response.status_code == (200 if htmx else 302), response.content.decode()
            assert game.moves.count() == moves + 1
            answers.append([answer(response), answer(browser.look(table(game)))])
        assert answers[0] == answers[1]


def test_why_not_is_answered_for_ones_own_turn_alone(game, owner):
    """The rules would tell of the hand whose turn it is."""
    for seat in range(game.players):
        sit(game, owner, seat)
        seated = services.take_seat(user=owner, slug=game.slug, game_id=game.pk)
        reasons = {
            seated.why_not(text)
            for text in ("pass", "play E", "play 7", "play R1", "discard R1", "nonsense")
        }
        if seat != turn(game):
            assert reasons == {str(services.NOT_YOUR_TURN)}
        else:
            assert len(reasons) > 1
        for text in legal_texts(game)[:3]:
            assert (seated.why_not(text) is None) == (seat == turn(game))


# -- tables of several persons --------------------------------------------------------------------


@pytest.fixture(params=PHASES)
def shared(request, owner, other, monkeypatch) -> Game:
    """A table where the owner has the first seat, another guest the last one, and bots the rest."""
    monkeypatch.setitem(PACES, "normal", 3600.0)
    slug, players, options, until = PHASES[request.param]
    with time_machine.travel(NOON, tick=False):
        game = met(slug, owner, other, players=players, options=options, turn_time=45)
        # The other guest moves to the last seat.
        first, last = game.seats.get(index=1), game.seats.get(index=players - 1)
        if first != last:
            last.name, last.user = first.name, None
            first.user, first.bot, first.name, seen = None, last.bot, "Bot 1", first.seen
            last.bot, last.seen = "", seen
            first.save()
            last.user = other
            last.save()
        for number in range(200):
            game.seed = f"{number + 1:064x}"
            state = game.rules.start(game.seed, players, game.options)
            game.state, game.ply, game.tallies = game.rules.position(state), 0, []
            if play_on(game, Random(number), until):
                Game.objects.filter(pk=game.pk).update(turn_since=NOON)
                yield game
                return
            game.moves.all().delete()
    raise AssertionError("there is no such position")


def looks(game: Game, browser: Browser, watched: str) -> list[tuple[Callable[[], Any], int]]:
    """What the pages of a table with several persons ask by themselves, and the status of each."""
    stamp = stamp_of(browser.look(table(game)).content.decode())
    version = game.version
    ask = partial(browser.send, table(game, "here"), htmx=True)
    return [
        (partial(browser.look, table(game)), 200),
        (partial(ask, version=version, stamp=stamp), 204),
        (partial(ask, version=version, stamp=""), 200),
        (partial(ask, version=max(0, version - 2), stamp=""), 200),
        (partial(ask, version="x"), 400),
        (partial(browser.send, table(game, "vote"), htmx=True, version=version), 409),
        (partial(browser.send, table(game, "say"), htmx=True, phrase="R1"), 400),
        (partial(browser.send, table(game, "mute"), htmx=True, mute="99"), 400),
        (partial(browser.send, table(game, "rematch"), htmx=True), 409),
        (partial(browser.look, watched), 200),
    ]


def test_whatever_the_others_hold_at_a_table_of_persons(shared, owner, other):
    game, watched = shared, f"/watch/{shared.key}/"
    for user, seat in ((owner, 0), (other, game.players - 1)):
        twins = pairs(game, seat)
        for ask, expected in looks(game, Browser(user), watched):
            assert assert_same(game, seat, ask, twins) == expected, ask


def test_whatever_a_bot_holds_that_plays_for_me(shared, owner):
    """The hand is shown, as it would be without the bot; the others' hands are not."""
    seating.leave(user=owner, slug=shared.slug, game_id=shared.pk)
    shared.refresh_from_db()
    look = partial(Browser(owner).look, table(shared))
    assert assert_same(shared, 0, look) == 200


def test_whatever_all_hold_for_those_who_look_on(shared):
    """Every hand is dealt anew."""
    game, browser = shared, Browser()
    watched = f"/watch/{game.key}/"
    stamp = stamp_of(browser.look(watched).content.decode())
    state = game.load()
    encoded = game.rules.encode(state)
    twins = [(game.seed, game.state)]
    for number in range(50):
        twin = KITS[game.slug].redeal(encoded, None, Random(number))
        if twin["position"]["hands"] != game.state["hands"]:
            twins.append((twin["seed"], twin["position"]))
            break
    assert len(twins) == 2
    for query, htmx, expected in (
        ("", False, 200),
        (f"?version={game.version}&stamp={stamp}", True, 204),
        (f"?version={game.version}&stamp=", True, 200),
        (f"?version={max(0, game.version - 1)}&stamp={stamp}", True, 200 if game.version else 204),
    ):
        look = partial(browser.look, watched + query, htmx=htmx)
        assert assert_same(game, 0, look, twins) == expected, query
