"""The page that deals a seed's cards anew, and the lines with which anyone does so alone."""

import re
import subprocess
import sys
from hashlib import sha256
from html import unescape
from itertools import pairwise
from typing import Any

import pytest

from ouroboros_site.engine.shuffle import shuffle
from ouroboros_site.play import registry
from ouroboros_site.play.replay_views import SAMPLE
from solitaire.rules.cards import label

from .helpers import (
    EDITIONS,
    SEED,
    Browser,
    finish,
    new_game,
    page_of,
    record,
    stored,
    table,
    trace,
)
from .test_costs import counted

pytestmark = pytest.mark.django_db

SEEDS = (SEED, SAMPLE, "a7" * 32, "00" * 32, "ff" * 32)


def verify(**fields: str):
    return Browser().get("/verify/", fields)


def commitment(seed: str) -> str:
    return sha256(bytes.fromhex(seed)).hexdigest()


def shown_code(response) -> str:
    """The lines of the page, as a person copies them."""
    found = re.search('<pre[^>]*id="code"[^>]*>(.*?)</pre>', response.content.decode(), re.DOTALL)
    assert found
    return unescape(found[1])


def run(code: str) -> list[str]:
    """What the lines print, run by a Python that knows nothing of this site."""
    result = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    assert not result.stderr
    return result.stdout.splitlines()


def layout(slug: str, seed: str) -> dict[str, tuple[str, ...]]:
    """The first deal as the rules have it."""
    kind = registry.get(slug)
    position: Any = kind.rules.position(kind.rules.start(seed))
    return {
        "laws": lambda: {
            "friendly-1": (*position["hand"], *position["deck"]),
            "threat-1": tuple(card for pile in position["piles"] for card in pile),
        },
        "market": lambda: {
            "threat-1": (position["target"], *position["threat"]),
            "deck-0": (*position["hand"], *position["deck"]),
            "market-0": tuple(position["market"]),
        },
    }[slug]()


class TestPage:
    def test_asks_for_game_and_seed(self):
        response = Browser().look("/verify/")
        page = page_of(response)
        [form] = page.all("form", action="/verify/")
        assert form.get("method", "get") == "get"
        assert {field["name"] for field in page.all("input")} >= {"seed", "commitment"}
        assert {option["value"] for option in page.all("option")} >= set(EDITIONS)
        assert page.all("select", name="game") and not page.all("p", role="alert")
        assert response.status_code == 200

    @pytest.mark.parametrize("seed", SEEDS)
    def test_shows_the_deal_by_places(self, slug, seed):
        response = verify(game=slug, seed=seed)
        page = page_of(response)
        assert commitment(seed) in page.words
        kind = registry.get(slug)
        for place in kind.layout(kind.rules.start(seed), None):
            if place.cards:
                labels = " ".join([label(card) for card in place.cards])
                assert f"{place.name} {labels}" in page.words
        assert "belong together" not in page.words.partition("The deal of")[2]

    def test_nobody_leads_where_one_plays_alone(self, slug):
        assert "Who leads first" not in page_of(verify(game=slug, seed=SEED)).words

    def test_says_whether_seed_and_commitment_belong_together(self, slug):
        good, bad = "They belong together.", "They do not belong together."
        words = page_of(verify(game=slug, seed=SEED, commitment=commitment(SEED))).words
        assert good in words and bad not in words
        for wrong in (commitment(SAMPLE), commitment(SEED)[:-1], "x", SEED):
            words = page_of(verify(game=slug, seed=SEED, commitment=wrong)).words
            assert bad in words and good not in words

    def test_does_not_mind_spaces_and_capitals(self, slug):
        response = verify(game=slug, seed=f" {SEED.upper()} ", commitment=commitment(SEED).upper())
        assert response.status_code == 200
        assert "They belong together." in page_of(response).words

    @pytest.mark.parametrize(
        "seed",
        ["", "5e", SEED + "5e", SEED[:-1], "xy" * 32, "٠" * 64, "5e" * 30_000, "<b>", "\0" * 64],
    )
    def test_no_seed(self, slug, seed):
        response = verify(game=slug, seed=seed)
        assert response.status_code == 400
        page = page_of(response)
        assert "A seed is 64 hexadecimal digits in lower case." in page.words
        assert "The deal of" not in page.words
        assert "<b>" not in response.content.decode().partition('name="seed"')[2][:200]

    @pytest.mark.parametrize("fields", [{"game": "chess"}, {"game": ""}, {}, {"game": "laws/"}])
    def test_no_game(self, fields):
        response = verify(seed=SEED, **fields)
        assert response.status_code == 400
        assert "Choose one of the games here." in page_of(response).words

    def test_a_game_without_a_seed(self, slug):
        assert verify(game=slug).status_code == 400

    def test_stores_nothing_and_asks_the_database_nothing(self, slug):
        before = stored()
        browser = Browser()
        with counted() as statements:
            assert browser.look(f"/verify/?game={slug}&seed={SEED}").status_code == 200
        assert not statements and stored() == before
        assert browser.send("/verify/").status_code == 405

    def test_the_end_of_a_game_leads_here(self, owner, browser, slug):
        game = finish(new_game(slug, owner), owner)
        [link] = [
            link for link in page_of(browser.look(table(game))).links() if "/verify/?" in link
        ]
        assert "They belong together." in page_of(Browser().look(link)).words


class TestDoItYourself:
    @pytest.mark.parametrize("seed", SEEDS)
    def test_the_lines_print_commitment_and_deal(self, slug, seed):
        lines = run(shown_code(verify(game=slug, seed=seed)))
        deal = layout(slug, seed)
        assert lines == [commitment(seed), *[" ".join(cards) for cards in deal.values()]]
        for found, (name, cards) in zip(lines[1:], deal.items(), strict=True):
            before = next(s.cards for s in registry.get(slug).shuffles(1, {}) if s.label == name)
            assert sorted(before.split()) == sorted(cards)
            assert tuple(found.split()) == shuffle(seed, name, before.split())

    def test_they_are_twenty_at_most_and_import_nothing_of_ours(self, slug):
        code = shown_code(verify(game=slug, seed=SEED))
        assert len(code.strip().splitlines()) <= 20
        assert re.findall("import (.*)", code) == ["hashlib, itertools"]

    def test_without_a_seed_they_deal_the_sample(self):
        for response in (Browser().look("/verify/"), verify(game="laws", seed="'); import os")):
            code = shown_code(response)
            assert SAMPLE in code and "import os" not in code
            assert run(code)[0] == commitment(SAMPLE)

    def test_the_table_names_every_label(self, db):
        words = page_of(Browser().look("/verify/")).words
        for kind in registry.all_kinds():
            assert kind.shuffles(kind.rules.SEATS[0], {})
            for shuffled in kind.shuffles(kind.rules.SEATS[0], {}):
                before = shuffled.cards or f"0 … {shuffled.below - 1}"
                assert f"{shuffled.label} {before} {shuffled.makes}" in words
                assert str(shuffled.later) in words


class TestLater:
    """What the table says of the shuffles that follow during a game holds for recorded games."""

    def test_laws(self):
        name = "laws-06-mixed"
        lines, seed = trace(name), record(name)["seed"]
        kind = registry.get("laws")
        friendly, threat = (s.cards.split() for s in kind.shuffles(1, {}))
        loops = 0
        for before, after in pairwise(lines):
            loop = after["position"]["loop"]
            if loop > before["position"]["loop"]:
                loops += 1
                position = after["position"]
                deal = shuffle(seed, f"friendly-{loop}", friendly)
                assert (*position["hand"], *position["deck"]) == deal
                piles = [card for pile in position["piles"] for card in pile]
                assert tuple(piles) == shuffle(seed, f"threat-{loop}", threat)
        assert loops > 1

    def test_market(self):
        name = "market-06-greedy"
        lines, seed = trace(name), record(name)["seed"]
        threat = registry.get("market").shuffles(1, {})[0].cards.split()
        seen = {"loop": 0, "swaps": 0, "reshuffles": 0}
        for before, line in pairwise(lines):
            old, new = before["position"], line["position"]
            if new["loop"] > old["loop"]:
                seen["loop"] += 1
                deal = shuffle(seed, f"threat-{new['loop']}", threat)
                assert (new["target"], *new["threat"]) == deal
            if new["swaps"] > old["swaps"]:
                seen["swaps"] += 1
                card = line["move"].split()[1]
                cards = [*old["market"][1:], card]
                assert tuple(new["market"]) == shuffle(seed, f"market-{new['swaps']}", cards)
            if new["reshuffles"] > old["reshuffles"]:
                seen["reshuffles"] += 1
                discard = discarded(old, line["move"])
                deck = shuffle(seed, f"deck-{new['reshuffles']}", discard)
                drawn = len(deck) - len(new["deck"])
                assert deck == (*new["hand"][len(new["hand"]) - drawn :], *new["deck"])
        assert min(seen.values()) > 1, seen


def discarded(old: dict[str, Any], move: str) -> list[str]:
    """The discard pile when the deck is made of it, after ``move``."""
    verb, *cards = move.split()
    if verb == "swap":
        others = [card for card in old["played"] if card != cards[0]]
        return [*old["discard"], *others, old["market"][0]]
    if len(cards) == 1 and old["market"]:
        # A single card that matches is traded without asking; one that does not goes as it is.
        kind = registry.get("market").rules
        state = kind.decode({"seed": SEED, "players": 1, "options": {}, "position": old})
        if kind.report(state, kind.parse_move(move))["match"]:
            return [*old["discard"], old["market"][0]]
    return [*old["discard"], *cards]
