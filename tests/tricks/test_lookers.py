"""Tables as they are shown to those who do not play: who look on, or for whom a bot plays."""

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from django.test import RequestFactory
from django.utils import timezone

from ouroboros_site.play import registry
from ouroboros_site.play.models import Game
from ouroboros_site.play.tables import Entry, Sitter, Table, game_info
from tests.ouroboros_site.play.helpers import SEED, Page
from tests.ouroboros_site.play.shared import OPTIONS, TABLES

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal", "Ivy", "Jo", "Kim", "Lou")
SIZES = {"trick": (3, 4, 5), "ochs-esel": (3, 6, 12)}


def games(slug: str) -> list[tuple[Any, list[Entry]]]:
    """Positions of games that are played by chance, each with its log, the newest first."""
    rules, found = registry.get(slug).rules, []
    for players in SIZES[slug]:
        random, options = Random(players), OPTIONS[slug][-1]
        state, log = rules.start(SEED, players, options), []
        found.append((state, log))
        while moves := rules.legal_moves(state):
            move = random.choice(moves)
            seat, text = rules.turn(state), rules.format_move(move)
            log = [Entry(len(log) + 1, seat, text, rules.report(state, move)), *log[:10]]
            state = rules.apply(state, move)
            found.append((state, log))
    return found


def seen(slug: str, state: Any, log: list[Entry], seat: int | None, presence: str = "") -> Table:
    """The table as somebody sees it who does not play."""
    rules, players = registry.get(slug).rules, len(state.hands)
    outcome = rules.outcome(state)
    game = Game(pk=1, slug=slug, players=players, seed=SEED, key="k" * 16)
    game.ply = game.version = len(log)
    if outcome:
        game.finished = timezone.now()
        game.result = {
            "termination": outcome.termination.value,
            "scores": list(outcome.scores),
            "winners": list(outcome.winners),
        }
    people = [
        Sitter(index, NAMES[index], "" if index < 2 else "easy", index == seat)
        for index in range(players)
    ]
    if seat is not None:
        people[seat] = replace(people[seat], bot="steady", presence=presence)
    return Table(
        game=game_info(game, seat, stand_in=seat is not None),
        seat=seat,
        people=tuple(people),
        view=rules.view(state, seat),
        why_not=lambda text: "It is not your turn.",
        log=log,
        tallies=[entry.report["tally"] for entry in reversed(log) if "tally" in entry.report],
        advance=not outcome,
    )


def page_of(table: Table) -> Page:
    """The table's fragment."""
    from django.template.loader import render_to_string

    kind = registry.get(table.game.slug)
    request = RequestFactory().get("/")
    request.htmx, request.user = False, None
    context = kind.present(table)
    return Page(render_to_string(f"{kind.template}#table", context, request))


@pytest.mark.parametrize("slug", TABLES)
def test_every_position_can_be_looked_on(slug):
    positions = games(slug)
    for at, (state, log) in enumerate(positions):
        table = seen(slug, state, log, None)
        context = registry.get(slug).present(table)
        assert not context["live"] and not context["main"] and not context["stand_in"]
        assert not re.findall(r"\b[Yy]ou", context["said"])
        if at % 9 and at != len(positions) - 1:
            continue
        page = page_of(table)
        words = page.words.replace("You look on", "")
        assert not re.findall(r"\b[Yy]ou", words), words
        assert not page.all("ul", id="hand") and not page.all("form", id="move")
        assert [at["data-turn"] for at in page.all("div", id="table")] == [
            "over" if table.game.is_over else "theirs"
        ]
        for name in NAMES[: len(state.hands)]:
            assert name in words


@pytest.mark.parametrize("slug", TABLES)
def test_a_bot_that_plays_for_me_leaves_me_nothing_to_do(slug):
    for state, log in games(slug)[::5]:
        table = seen(slug, state, log, 1, "bot")
        context = registry.get(slug).present(table)
        assert not context["live"] and not context["main"] and not context["acts"]
        if table.game.is_over:
            continue
        assert context["stand_in"]
        turn = table.view["turn"]
        assert context["others_turn"] == (
            "Your bot’s turn" if turn == 1 else f"{NAMES[turn]}’s turn"
        )
        page = page_of(table)
        assert not page.all("form", id="move") and page.all("form", id="back")
        assert not page.all("input", type="radio") and not page.all("input", type="checkbox")


@pytest.mark.parametrize("slug", TABLES)
def test_a_game_that_a_bot_finished_is_not_won(slug):
    for seat in (0, 1):
        for state, log in games(slug):
            if registry.get(slug).rules.outcome(state) is None:
                continue
            table = seen(slug, state, log, seat)
            over = registry.get(slug).present(table)["over"]
            assert over["head"] == "A bot finished for you"
            assert over["why"].endswith("It counts as not won for you.")
            assert table.game.won is False and not over.get("won")


class TestEarlyEnd:
    """How a game of several persons ended that was not played to its end."""

    def words(self, slug: str, *bots: int, me: int | None = 0) -> tuple[str, str]:
        state, log = games(slug)[7]
        table = seen(slug, state, log, None)
        people = [
            replace(
                sitter, me=sitter.seat == me, bot="steady" if sitter.seat in bots else sitter.bot
            )
            for sitter in table.people
        ]
        game = replace(table.game, is_over=True, retired=True, seed=SEED)
        table = replace(table, game=game, people=tuple(people), seat=me)
        if me is not None:
            table = replace(table, view=registry.get(slug).rules.view(state, me))
        over = registry.get(slug).present(table)["over"]
        return over["head"], over["why"]

    @pytest.mark.parametrize("slug", TABLES)
    def test_the_last_person_left(self, slug):
        means = "The game ended with it, and counts as not won."
        assert self.words(slug, 1) == ("You left the table", means)
        assert self.words(slug, 0) == ("Ben left the table", means)
        assert self.words(slug, 0, me=None) == ("The game is over", "Ben left the table.")

    @pytest.mark.parametrize("slug", TABLES)
    def test_the_site_closed_it(self, slug):
        head, _means = self.words(slug)
        assert head == "The table was closed"
        assert self.words(slug, me=None)[1] == "The table was closed."
