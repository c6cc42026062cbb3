"""The tables of both editions as pages: what stands there, what can be done with it, and that
every position of every recorded game can be put into words."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import QueryDict

from ouroboros_site.accounts.models import User
from ouroboros_site.play import registry
from ouroboros_site.play.models import Game
from ouroboros_site.play.registry import Selection
from ouroboros_site.play.services import Seated
from ouroboros_site.play.tables import Entry, table
from solitaire.rules.cards import TEXTS, label
from tests.ouroboros_site.play.helpers import (
    SEED,
    Browser,
    Page,
    again,
    finish,
    fragment_of,
    guest,
    new_game,
    page_of,
    record,
    submit,
    trace,
)
from tests.ouroboros_site.play.helpers import table as address
from tests.solitaire.rules.positions import laws_position, market_position

RECORDS = Path(__file__).parents[1] / "data" / "records"
EDITIONS = ("laws", "market")
GAMES = sorted(path.stem for edition in EDITIONS for path in RECORDS.glob(f"{edition}-0*.json"))
STARTS = sorted(
    path.stem for edition in EDITIONS for path in (RECORDS / "starts").glob(f"{edition}-*.json")
)


# -- in words -------------------------------------------------------------------------------------


def seated_at(game: Game, state: Any) -> Seated:
    """A person at a table that is in no database."""
    outcome = game.rules.outcome(state)
    game.state = game.rules.position(state)
    game.finished = outcome and "now"
    game.result = outcome and {
        "termination": outcome.termination.value,
        "scores": list(outcome.scores),
    }
    return Seated(game, 0, state, User())


def texts_in(context: Any) -> list[str]:
    """Every text that a context holds."""
    if isinstance(context, dict):
        return [text for value in context.values() for text in texts_in(value)]
    if isinstance(context, list | tuple):
        return [text for value in context for text in texts_in(value)]
    if hasattr(context, "__slots__") and not isinstance(context, SimpleNamespace):
        names = [name for name in context.__slots__ if hasattr(context, name)]
        return [text for name in names for text in texts_in(getattr(context, name))]
    return [str(context)] if isinstance(context, str) or hasattr(context, "_proxy____args") else []


def check_words(context: dict[str, Any], secret: str | None = None) -> None:
    for pile in context.get("piles", []):
        if not pile["top"]:
            pile.clear()  # the page shows nothing of a pile that is gone
    for text in texts_in(context):
        assert "%(" not in text and "None" not in text, text
        # Cards are written for people: 9♥, never 9h (but in values of controls).
        if " " in text and not re.match(r"(play|enforce|scout|reorganize|stock|swap|\S+:)", text):
            assert not re.search(r"\b[2-9TJQKA][hdsc]\b", text), text
        if secret:
            assert secret not in text


@pytest.mark.parametrize("ranked", [True, False], ids=["ranked", "practice"])
@pytest.mark.parametrize("name", [*GAMES, *(f"starts/{start}" for start in STARTS)])
def test_every_position_can_be_put_into_words(name, ranked):
    data = record(name)
    kind = registry.get(data["game"])
    rules = kind.rules
    game = Game(pk=1, slug=data["game"], seed=data["seed"], ranked=ranked)
    state = rules.start(data["seed"])
    if "start" in data:
        state = rules.decode({**game.setup, "position": data["start"]})
    log: list[Entry] = []
    step = 1 + len(data["moves"]) // 20
    for ply, text in enumerate([*data["moves"], None]):
        game.ply = game.version = ply
        seated = seated_at(game, state)
        if ply % step == 0 or text is None:
            secret = None if game.is_over else game.seed
            hand = rules.position(state)["hand"]
            for selection in (
                Selection(),
                Selection(cards=tuple(hand[:2]), pile=2, texts=(text,) if text else ()),
                Selection(cards=tuple(hand), pile=1),
                Selection(cards=("Ks", "*", "2h", "2h", "2h"), pile=3),
            ):
                preview = kind.preview(state, selection, ranked)
                shown = table(seated, selection=selection, preview=preview, log=log[::-1])
                check_words(kind.present(shown), secret)
            if text:
                check_words(kind.present(table(seated, log=log[::-1], confirm=text)), secret)
            check_words(kind.present(table(seated, log=[], message="No.")), secret)
        if text is not None:
            move = rules.parse_move(text)
            log.append(Entry(ply + 1, 0, text, rules.report(state, move)))
            state = rules.apply(state, move)


# -- pages ----------------------------------------------------------------------------------------

POSITIONS = [
    ("laws", None),
    ("laws", laws_position("2h Jh Qd Kd *")),
    ("laws", laws_position("2h 3h Jh Jd Kd", piles=("As 2s 5c", "", "Ks"))),
    (
        "laws",
        laws_position(
            "2h 3h 4d Qd Kd",
            piles=("As 2s 5c 6c", "Ts 3s 7c", "Ks 4s 8c"),
            resting="Jh",
            known=[2, 0, 0],
            locked=1,
        ),
    ),
    (
        "laws",
        laws_position(
            "2h 3h",
            deck="... 2s",
            discard="5h 5d 5s",
            piles=("As 3s 5c", "Ts 6s 7s", "Ks 4s"),
            phase="capture",
        ),
    ),
    ("laws", laws_position("", resting="Jh Jd Qh Qd *")),
    ("market", None),
    ("market", market_position("Ah 2h 3h 4h *", "9s")),
    ("market", market_position("Ah 2h 3h 4h", "9s", stock="*")),
    ("market", market_position("Ah 2h 3h", "9s", stock="Ad", played="4h 5h")),
    ("market", market_position("Ah 2h 3h 4h 5h", "Ks", loop=3, encounter=2)),
]
EACH = pytest.mark.parametrize(
    ("slug", "position"), POSITIONS, ids=[f"{slug} {i}" for i, (slug, _) in enumerate(POSITIONS)]
)


@pytest.fixture
def owner(db):
    return guest()


@pytest.fixture
def browser(owner):
    return Browser(owner)


def controls(page: Page) -> tuple[list[str], list[str], list[str]]:
    """The cards, piles and actions that the page offers and that are not barred."""

    def free(tag: str, name: str) -> list[str]:
        return [
            names["value"]
            for names in page.all(tag, name=name)
            if "disabled" not in names and names.get("aria-disabled") != "true"
        ]

    return free("input", "card"), free("input", "pile"), free("button", "action")


def fields_for(text: str, page: Page) -> dict[str, Any]:
    """The controls of the page that say this move."""
    cards, piles, actions = controls(page)
    verb, *words = text.replace(":", "").split(" ")
    chosen = [word for word in words if word in TEXTS]
    pile = next((word for word in words if word in ("1", "2", "3")), None)
    action = verb
    if verb in ("scout", "enforce", "reorganize"):
        action = f"{verb} {chosen.pop(0)}"
    assert action in actions, f"no button for {text}"
    assert set(chosen) <= set(cards), f"no cards for {text}"
    fields: dict[str, Any] = {"action": action, "card": chosen}
    if pile:
        assert pile in piles, f"no pile for {text}"
        fields["pile"] = pile
    return fields


def chosen_first(browser: Browser, game: Game, text: str) -> Page:
    """The table after the cards and the pile of a move were chosen there."""
    words = text.replace(":", "").split(" ")[1:]
    cards = [word for word in words if word in TEXTS and word in str(game.state["hand"])]
    pile = next((word for word in words if word in ("1", "2", "3")), "")
    fields = {"version": game.version, "action": "look", "card": cards, "pile": pile}
    response = browser.send(address(game, "move"), htmx=True, **fields)
    assert response.status_code == 200
    return fragment_of(response)


@EACH
class TestTable:
    def test_is_a_whole_page_with_names_for_everything(self, owner, browser, slug, position):
        game = new_game(slug, owner, position=position)
        page = page_of(browser.look(address(game)))
        ids = [names["id"] for _tag, names in page.elements if "id" in names]
        assert len(set(ids)) == len(ids)
        for _tag, names in page.elements:
            for attribute in ("aria-labelledby", "aria-describedby", "for", "aria-controls"):
                assert set((names.get(attribute) or "").split()) <= set(ids)
        for form in page.all("form", method="post"):
            assert form["action"].startswith("/")
        posted = len(page.all("form", method="post"))
        assert len(page.all("input", name="csrfmiddlewaretoken")) == posted
        for names in page.all("a"):
            assert names["href"].startswith(("/", "#"))
        for names in page.all("use"):
            assert names["href"].startswith("/static/img/cards.svg#")

    def test_draws_symbols_that_the_sprite_has(self, owner, browser, slug, position):
        sprite = (Path(__file__).parents[2] / "static/img/cards.svg").read_text("utf-8")
        there = set(re.findall(r'id="([^"]+)"', sprite))
        game = new_game(slug, owner, position=position)
        page = page_of(browser.look(address(game)))
        assert {names["href"].partition("#")[2] for names in page.all("use")} <= there

    def test_every_legal_move_can_be_made_with_its_controls(self, owner, browser, slug, position):
        game = new_game(slug, owner, ranked=False, position=position)
        kind, rules, state = game.kind, game.rules, game.load()
        page = page_of(browser.look(address(game)))
        texts = [rules.format_move(move) for move in rules.legal_moves(state)]
        # One of each kind of move, and each pile.
        kinds = {re.sub(r"\b([2-9TJQKA][hdsc]|\*)( |$)", "c ", text): text for text in texts}
        for text in kinds.values():
            try:
                fields = fields_for(text, page)
            except AssertionError:
                # A control may wait for a choice.
                fields = fields_for(text, chosen_first(browser, game, text))
            data = QueryDict(mutable=True)
            for name, value in fields.items():
                data.setlist(name, value if isinstance(value, list) else [value])
            selection = kind.read(data)
            assert not selection.problem
            assert selection.texts == (text,)

    def test_barred_controls_say_why(self, owner, browser, slug, position):
        game = new_game(slug, owner, position=position)
        page = page_of(browser.look(address(game)))
        for tag, names in page.elements:
            if names.get("aria-disabled") == "true" or "disabled" in names:
                assert names.get("aria-describedby"), (tag, names)

    def test_what_is_barred_is_refused_by_the_rules(self, owner, browser, slug, position):
        game = new_game(slug, owner, position=position)
        page = page_of(browser.look(address(game)))
        rules, state = game.rules, game.load()
        legal = {rules.format_move(move).split(" ")[0] for move in rules.legal_moves(state)}
        for names in page.all("button", name="action"):
            if names.get("aria-disabled") == "true":
                verb = names["value"].split(" ")[0]
                special = names["value"].split(" ")[1:]
                assert verb not in legal or special, names["value"]


class TestWhatStandsThere:
    def test_decks_and_piles_are_listed_in_their_order(self, owner, browser):
        position = laws_position("2h 3h 4d 5d 6d", discard="9h 8h 7h Kd", navigated="5s 6s 2c ...")
        game = new_game("laws", owner, position=position)
        words = page_of(browser.look(address(game))).words
        for place in ("deck", "discard", "navigated"):
            assert " ".join(map(label, game.state[place])) in words, place

    def test_market_and_threats_are_listed_sorted(self, owner, browser):
        game = new_game("market", owner)
        assert game.state["market"] != sorted(game.state["market"], key=TEXTS.index)
        html = browser.look(address(game)).content.decode()
        words = Page(html).words
        assert " ".join(map(label, game.state["deck"])) in words
        assert " ".join(map(label, game.state["market"])) not in words

    def test_the_value_to_make_stands_below_the_target(self, owner, browser):
        game = new_game(
            "market", owner, position=market_position("Ah 2h 3h 4h 5h", "9s", loop=2, encounter=2)
        )
        page = page_of(browser.look(address(game)))
        assert "encounter 2 of 2" in page.words
        assert "10" in page.words.partition("Nine of spades")[2][:40]

    def test_ranked_market_adds_nothing_up(self, owner, browser):
        for ranked in (True, False):
            game = new_game(
                "market",
                owner,
                ranked=ranked,
                position=market_position("Ah 2h 3h 4h 5h", "Ks"),
            )
            fields = {"version": game.version, "card": ["3h", "4h", "5h"]}
            preview = browser.send(address(game, "preview"), htmx=True, **fields)
            look = browser.send(address(game, "move"), action="look", **fields)
            for response in (preview, look):
                assert response.status_code == 200
                shown = response.content.decode().partition('id="plan"')[2]
                shown = Page(f'<div id="plan"{shown}').words if response is preview else shown
                assert ("12" in shown) is (not ranked)

    def test_a_mismatch_shows_its_total(self, owner, browser):
        game = new_game("market", owner, position=market_position("Ah 2h 3h 4h 5h", "Ks"))
        response = browser.send(address(game, "move"), htmx=True, version=0, text="play 3h 4h 5h")
        assert "3♥ + 4♥ + 5♥ = 12" in fragment_of(response).words

    def test_laws_previews_every_enemy(self, owner, browser):
        position = laws_position("7h 9d 4d 5d 6d", piles=("8s 2s 5c", "3s Ts", "Ks 4s"))
        game = new_game("laws", owner, position=position)
        fields = {"version": game.version, "card": ["7h", "9d"], "pile": "1"}
        response = browser.send(address(game, "preview"), htmx=True, **fields)
        words = Page(response.content.decode()).words
        assert all(enemy in words for enemy in ("8♠", "3♠", "K♠"))
        assert "13" in words and "16" in words
        assert words.count("✗") == 2 and words.count("✓") == 1
        assert "9 cards" in words

    def test_the_commitment_stands_there_from_the_first_move_on(self, owner, browser):
        for slug in ("laws", "market"):
            game = new_game(slug, owner)
            assert game.commitment in page_of(browser.look(address(game))).words

    def test_practice_is_told_from_ranked(self, owner, browser):
        for slug in ("laws", "market"):
            for ranked in (True, False):
                game = new_game(slug, owner, ranked=ranked)
                html = browser.look(address(game)).content.decode()
                assert (address(game, "undo") in html) is not ranked
                assert (address(game, "redo") in html) is not ranked
                assert address(game, "retire") in html
                assert ("practice" in Page(html).words) is not ranked

    def test_undo_is_barred_when_there_is_nothing_to_take_back(self, owner, browser):
        game = new_game("laws", owner, ranked=False, seed=record("laws-06-mixed")["seed"])

        def barred() -> list[bool]:
            page = page_of(browser.look(address(game)))
            return [
                page.all("button", formaction=address(game, what))[0].get("aria-disabled") == "true"
                for what in ("undo", "redo")
            ]

        assert barred() == [True, True]
        submit(game, owner, record("laws-06-mixed")["moves"][0])
        assert barred() == [False, True]
        browser.send(address(game, "undo"), version=1)
        assert barred() == [True, False]

    def test_texts_of_a_person_are_escaped(self, owner, browser):
        game = new_game("laws", owner)
        text = "<b>bold</b> & \"quoted\" 'x'"
        response = browser.send(address(game, "move"), version=0, text=text)
        assert response.status_code == 400
        assert "<b>bold" not in response.content.decode()


class TestLog:
    def test_a_long_game_is_told_from_its_end(self, owner, browser):
        name, ply = "laws-06-mixed", 60
        game = new_game("laws", owner, seed=record(name)["seed"])
        submit(game, owner, *record(name)["moves"][:ply])
        html = browser.look(address(game)).content.decode()
        log = html.partition('id="log"')[2].partition("</ol>")[0]
        assert 10 <= log.count("<li") <= ply
        page_of(browser.look(address(game)))

    def test_htmx_adds_what_is_new_and_a_fresh_page_says_the_same(self, owner, browser):
        name = "market-05-mixed"
        game = new_game("market", owner, seed=record(name)["seed"])
        lines: list[str] = []
        for version, text in enumerate(record(name)["moves"][:12]):
            fields = {"version": version, "text": text}
            response = browser.send(address(game, "move"), htmx=True, **fields)
            fragment = response.content.decode().rpartition("#log")[2]
            lines = re.findall("<li>(.*?)</li>", fragment) + lines
        html = browser.look(address(game)).content.decode()
        log = html.partition('id="log"')[2].partition("</ol>")[0]
        assert re.findall("<li>(.*?)</li>", log)[:12] == lines
        assert len(lines) == 12


class TestOver:
    @pytest.fixture(params=["laws", "market"])
    def game(self, request, owner) -> Game:
        name = {"laws": "laws-01-random", "market": "market-02-mixed"}[request.param]
        game = new_game(request.param, owner, seed=record(name)["seed"])
        submit(game, owner, *record(name)["moves"])
        game.refresh_from_db()
        assert game.is_over
        return game

    def test_tells_the_score_and_opens_the_seed(self, browser, game):
        page = page_of(browser.look(address(game)))
        score = game.result["scores"][0]
        assert f" {score} " in page.words
        assert game.seed in page.words and game.commitment in page.words
        assert {again(game, "record.json"), again(game)} <= set(page.links())
        share = page.words.partition("Text to share")[0] or page.words
        assert str(score) in share and game.seed in share

    def test_nothing_can_be_played_any_more(self, browser, game):
        page = page_of(browser.look(address(game)))
        assert not page.all("input", name="card") and not page.all("button", name="action")
        actions = {form["action"] for form in page.all("form", method="post")}
        assert not {address(game, what) for what in ("move", "retire")} & actions

    def test_a_new_game_and_the_same_deal_again(self, browser, game, owner):
        html = browser.look(address(game)).content.decode()
        forms = [
            part.partition("</form>")[0]
            for part in html.split("<form")
            if f'action="/{game.slug}/start"' in part.partition(">")[0]
        ]
        assert len(forms) == 2
        started = []
        for form in forms:
            fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
            assert re.fullmatch("[0-9a-f]{32}", fields["once"])
            response = browser.post(f"/{game.slug}/start", fields)
            assert response.status_code == 302
            started.append(Game.objects.get(pk=int(response["Location"].split("/")[2])))
        new, again = started
        assert new.ranked and new.seed != game.seed
        assert not again.ranked and again.seed == game.seed
        assert len({game, new, again}) == 3

    def test_a_retired_game_says_so(self, owner, browser):
        for slug in ("laws", "market"):
            game = finish(new_game(slug, owner), owner)
            page = page_of(browser.look(address(game)))
            assert "You retired" in page.words
            assert SEED in page.words


class TestRules:
    @pytest.mark.parametrize("slug", ["laws", "market"])
    def test_are_a_page_that_names_its_rulings(self, db, slug):
        page = page_of(Browser().look(f"/{slug}/rules/"))
        assert len(page.words) > 2000
        assert re.search("ruling", page.words, re.IGNORECASE)
        assert not re.search(r"\b[2-9TJQKA][hdsc]\b", page.words.replace("play", ""))


def test_recorded_games_are_here():
    assert len(GAMES) >= 10 and len(STARTS) >= 40
    assert len(trace("laws-06-mixed")) > 100
    json.dumps([position for _slug, position in POSITIONS])


class TestWhatPeopleTrippedOver:
    """Each was found by someone who played for the first time."""

    def test_the_joker_alone_is_told_to_be_a_flash(self, owner, browser):
        position = laws_position("7h 9d 4d 5d *", piles=("8s 2s 5c", "3s Ts", "Ks 4s"))
        game = new_game("laws", owner, position=position)
        fields = {"version": game.version, "card": ["*"], "pile": "1"}
        words = Page(
            browser.send(address(game, "preview"), htmx=True, **fields).content.decode()
        ).words
        assert "as a Flash it beats an enemy at once" in words
        assert "cannot be played together" not in words

    def test_four_cards_are_told_to_be_too_many(self, owner, browser):
        game = new_game("market", owner, position=market_position("Ah 2h 3h 4h 5h", "Ks"))
        fields = {"version": game.version, "card": ["Ah", "2h", "3h", "4h"]}
        response = browser.send(address(game, "preview"), htmx=True, **fields)
        assert "At most three cards are played" in Page(response.content.decode()).words

    def test_a_typed_move_that_is_refused_stays_in_its_field(self, owner, browser):
        game = new_game("laws", owner)
        response = browser.send(address(game, "move"), htmx=True, version=0, text="play 9 3h")
        assert response.status_code == 400
        page = Page(response.content.decode())
        assert "Piles are numbered 1, 2 and 3." in page.words
        [field] = page.all("input", name="text")
        assert field["value"] == "play 9 3h"

    @pytest.mark.parametrize("text", ["PLAY 1 {0}", "play  1 {1}", "Play 1 {2}"])
    def test_a_move_may_be_typed_in_any_case(self, owner, browser, text):
        position = laws_position("Th 9d 4d 5d 6d", piles=("8s 2s 5c", "3s Ts", "Ks 4s"))
        game = new_game("laws", owner, ranked=False, position=position)
        text = text.format("tH", "10♥", "TH")
        response = browser.send(address(game, "move"), htmx=True, version=0, text=text, confirm=1)
        assert response.status_code == 200
        assert game.moves.get().text == "play 1 Th"

    @pytest.mark.parametrize("slug", ["laws", "market"])
    def test_a_finished_table_shows_the_hand_and_that_its_player_retired(
        self, owner, browser, slug
    ):
        game = new_game(slug, owner)
        browser.send(address(game, "retire"), version=0)
        page = Page(browser.look(address(game)).content.decode())
        assert "Still in hand:" in page.words
        assert "Retired with the score as it stood." in page.words
        assert "bribe:" not in page.words
