"""What tests of tables of several seats share: such games at any position, and how they go on."""

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from ouroboros_site.accounts.models import User
from ouroboros_site.play import registry, services
from ouroboros_site.play.models import Game, Move
from ouroboros_site.play.registry import Setup

from .helpers import SEED, Browser, table

TABLES = ("trick", "ochs-esel")
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "trick": [{}],
    "ochs-esel": [{"rounds": 1, "ox": False}, {"rounds": 1, "ox": True}],
}
"""The kinds of tables that there are, the game as short as it can be."""


@pytest.fixture(params=TABLES)
def each_table(request) -> str:
    """For modules whose ``slug`` is that of each game of several seats."""
    return request.param


def new_table(
    slug: str,
    user: User,
    *,
    players: int | None = None,
    options: dict[str, Any] | None = None,
    level: str = "easy",
    pace: str = "instant",
    ranked: bool = True,
    seed: str = SEED,
    position: dict[str, Any] | None = None,
) -> Game:
    """A table with a known deal, at ``position`` if there is one; the smallest if not said."""
    rules = registry.get(slug).rules
    players = players or rules.SEATS[0]
    setup = Setup(players, OPTIONS[slug][0] | (options or {}), (level,) * (players - 1), pace)
    game, _user = services.start_game(user=user, slug=slug, ranked=False, seed=seed, setup=setup)
    game.ranked = ranked
    if position is not None:
        game.state = position
        rules.check(game.load())
    game.save()
    return game


def waiting_table(slug: str, host: User, *, players: int = 4, free: int = 3, **more: Any) -> Game:
    """A table of ``host`` with so many open seats after the first; bots have the others."""
    bots = ("",) * free + ("easy",) * (players - 1 - free)
    setup = Setup(players, OPTIONS[slug][0] | more.pop("options", {}), bots, **more)
    return services.start_game(user=host, slug=slug, setup=setup)[0]


def legal_texts(game: Game) -> list[str]:
    """The legal moves of the position, whoever's turn it is."""
    return [game.rules.format_move(move) for move in game.rules.legal_moves(game.load())]


def turn(game: Game) -> int | None:
    return game.rules.turn(game.load())


def some_move(game: Game, random: Random) -> list[str]:
    """One move by chance, or several that go together."""
    legal = legal_texts(game)
    owed = game.state["owed"] if game.state["phase"] == "discard" else 1
    return random.sample(legal, owed)


def fields_of(texts: list[str], html: str) -> dict[str, Any]:
    """The controls of the table's page ``html`` that say these moves; all of them must work."""
    ways = list(_ways(texts))
    for fields in ways:
        if _offered(html, fields):
            return fields
    raise AssertionError(f"{texts} cannot be said by the controls: {ways}")


def _ways(texts: list[str]) -> Iterator[dict[str, Any]]:
    """How the pages let these moves be said."""
    action = texts[0].split()[0]
    cards = [card for text in texts for card in text.split()[1:]]
    if cards and cards[0][0] in "RYGB":
        yield {"action": action, "card": cards}
        return
    numbers = [card for card in cards if card != "J"]
    jokers = [str(number) for number in range(1, len(cards) - len(numbers) + 1)]
    if not numbers:
        yield {"action": action, "joker": jokers}
        yield {"action": action, "set": "J"}
    elif numbers[0] in "EO":
        yield {"action": {"E": "donkey", "O": "ox"}[numbers[0]]}
    else:
        yield {"action": action, "set": f"{numbers[0]}x{len(numbers)}", "joker": jokers}


def _offered(html: str, fields: dict[str, Any]) -> bool:
    for name in ("card", "set", "joker"):
        values = fields.get(name, [])
        for value in [values] if isinstance(values, str) else values:
            found = re.findall(rf'<input [^>]*name="{name}"[^>]*value="{value}"[^>]*>', html)
            if not found or " disabled" in found[0]:
                return False
    buttons = re.findall(rf'<button [^>]*name="action"[^>]*value="{fields["action"]}"[^>]*>', html)
    return bool(buttons)


def rows(game: Game) -> list[int]:
    """The numbers of the seats that made the moves, in order."""
    return list(game.moves.order_by("version").values_list("seat", flat=True))


def until_mine(game: Game, user: User) -> Game:
    """The game, gone on until its person has a choice or it is over."""
    for _ in range(500):
        game.refresh_from_db()
        seated = services.take_seat(user=user, slug=game.slug, game_id=game.pk)
        if not seated.by_itself:
            return game
        played = services.advance_game(
            user=user, slug=game.slug, game_id=game.pk, version=game.version, by_hand=True
        )
        assert played is not None
    raise AssertionError("the table does not come round")


def advance(browser: Browser, game: Game, *, htmx: bool = True, version: int | None = None) -> Any:
    """Ask for the next move as the page does."""
    if version is None:
        version = Game.objects.get(pk=game.pk).version
    return browser.send(table(game, "advance"), htmx=htmx, version=version)


def asks_on(html: str) -> bool:
    """Whether a table's page asks for the next move by itself."""
    return 'id="advance"' in html


def shown_version(html: str) -> int:
    """The version of the table that an answer shows."""
    [version] = set(re.findall(r'name="version" value="(\d+)"', html))
    return int(version)


def play_on(
    game: Game,
    random: Random,
    until: Callable[[dict[str, Any]], bool],
    most: int = 400,
    choose: Callable[[Any, Any], Any] | None = None,
) -> bool:
    """Let all seats play legal moves by chance until the position is one that is looked for.

    The moves go into the log as services write them, without asking anybody.

    :param choose: what is played instead of a move by chance, from the state and the legal moves
    :returns: whether there was such a position
    """
    rules, state, moves = game.rules, game.load(), []
    while not (found := until(rules.position(state))) and len(moves) < most:
        choice = rules.legal_moves(state)
        if not choice:
            break
        move = choose(state, choice) if choose else random.choice(choice)
        report = rules.report(state, move)
        game.ply += 1
        game.version += 1
        game.tallies += [report["tally"]] if "tally" in report else []
        moves.append(
            Move(
                game=game,
                version=game.version,
                ply=game.ply,
                seat=rules.turn(state),
                text=rules.format_move(move),
                report=report,
            )
        )
        state = rules.apply(state, move)
    Move.objects.bulk_create(moves)
    game.state = rules.position(state)
    game.save()
    return found


def sit(game: Game, user: User, seat: int) -> None:
    """Seat the person there, and bots everywhere else."""
    game.seats.update(user=None, bot="easy")
    for index in range(game.players):
        game.seats.filter(index=index).update(name=f"Bot {index}")
    game.seats.filter(index=seat).update(user=user, bot="", name="")
