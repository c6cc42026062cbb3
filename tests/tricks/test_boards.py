"""What the tables of both games show, at positions of the recorded games and from every seat.

Each page is rendered and taken apart, and compared with the position itself: what everybody has,
what lies where, who leads, who wins, whose turn it is. Nothing of it is in words only.
"""

import csv
import random
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import timezone

from ouroboros_site.engine.errors import RulesError
from ouroboros_site.play import registry, services, views
from ouroboros_site.play.models import Game
from ouroboros_site.play.registry import Kind, Setup
from ouroboros_site.play.tables import Entry, Sitter, Table, game_info
from tests.ouroboros_site.play.helpers import SEED, Browser, guest, record
from tests.ouroboros_site.play.helpers import table as address
from tests.tricks.rules.ochs_esel_positions import position as farm_position
from tests.tricks.rules.positions import trick_position

RECORDS = Path(__file__).parents[1] / "data" / "records"
SLUGS = ("trick", "ochs-esel")
NAMES = ("Anna", "Bea", "Carlo", "Dora", "Emil", "Fumi", "Greta", "Hugo", "Ines", "Joon", "Kofi")
NAMES += ("Lea",)
COLOURS = {"red": "R", "yellow": "Y", "green": "G", "blue": "B"}
SAMPLES = 5
"""So many positions of each recorded game, besides some at which a trick or turn round ended."""
ENDS = 3


# -- a page taken apart ---------------------------------------------------------------------------


class Node:
    """An element of a page with what is in it."""

    def __init__(self, tag: str = "", names: dict[str, str] | None = None) -> None:
        self.tag, self.names = tag, names or {}
        self.inside: list[Node | str] = []

    @cached_property
    def every(self) -> list["Node"]:
        """All elements in it, in their order."""
        nodes = [node for node in self.inside if isinstance(node, Node)]
        return [found for node in nodes for found in (node, *node.every)]

    @cached_property
    def classes(self) -> set[str]:
        return set(self.names.get("class", "").split())

    def all(self, tag: str = "", among: str = "", **names: str) -> list["Node"]:
        """The elements in it of a tag, with classes and attributes."""
        return [
            node
            for node in self.every
            if (not tag or node.tag == tag) and set(among.split()) <= node.classes
            if all(node.names.get(key.replace("_", "-")) == value for key, value in names.items())
        ]

    def one(self, tag: str = "", among: str = "", **names: str) -> "Node":
        found = self.all(tag, among, **names)
        assert len(found) == 1, f"{len(found)} of {tag} {among} {names}"
        return found[0]

    @cached_property
    def words(self) -> str:
        """What can be read in it, seen or heard."""
        return " ".join(self._texts())

    def _texts(self) -> Iterator[str]:
        for node in self.inside:
            if isinstance(node, str):
                yield from node.split()
            elif node.tag not in ("script", "style"):
                yield from node._texts()

    @cached_property
    def drawings(self) -> list[str]:
        """The symbols that are drawn in it."""
        return [node.names["href"].partition("#")[2] for node in self.all("use")]

    @property
    def faces(self) -> list[str]:
        """The cards that lie in it face up."""
        faces = [drawing for drawing in self.drawings if drawing.startswith("f-")]
        return [face[2:].removeprefix("o") for face in faces]

    @property
    def tags(self) -> list[str]:
        return [node.words for node in self.all("span", "tag")]


class Tree(HTMLParser):
    VOID = frozenset(["br", "hr", "img", "input", "link", "meta", "source", "wbr"])

    def __init__(self, html: str) -> None:
        super().__init__()
        self.root = Node()
        self._open = [self.root]
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].inside.append(node)
        if tag not in self.VOID:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self._open[-1].inside.append(data)


# -- positions of recorded games, from each seat --------------------------------------------------


@dataclass(frozen=True)
class Moment:
    """A position of a game as one seat sees it; ``log`` has the newest move first."""

    kind: Kind
    state: Any
    seat: int
    log: tuple[Entry, ...]
    tallies: tuple[dict[str, Any], ...] = ()
    pace: str = "normal"

    @property
    def there(self) -> dict[str, Any]:
        """The position itself, with all that is hidden."""
        return self.kind.rules.position(self.state)

    @cached_property
    def view(self) -> dict[str, Any]:
        return self.kind.rules.view(self.state, self.seat)

    @property
    def turn(self) -> int | None:
        return self.kind.rules.turn(self.state)

    @property
    def players(self) -> int:
        return len(self.state.hands)

    @property
    def others(self) -> list[int]:
        """The other seats, clockwise from one's own."""
        return [(self.seat + at) % self.players for at in range(1, self.players)]

    @property
    def ended(self) -> dict[str, Any] | None:
        """The report of a trick or turn round that has ended with the newest move."""
        return self.log[0].report if self.log and "winner" in self.log[0].report else None

    @property
    def legal(self) -> list[str]:
        rules = self.kind.rules
        return [rules.format_move(move) for move in rules.legal_moves(self.state)]

    def why_not(self, text: str) -> str | None:
        rules = self.kind.rules
        if self.turn != self.seat:
            return "It is not your turn."
        try:
            error = rules.refusal(self.state, rules.parse_move(text))
        except RulesError as unreadable:
            error = unreadable
        return str(error) if error else None

    @cached_property
    def table(self) -> Table:
        rules = self.kind.rules
        outcome = rules.outcome(self.state)
        game = Game(pk=1, slug=rules.SLUG, players=self.players, seed=SEED, ranked=True)
        game.pace, game.ply, game.version = self.pace, len(self.log), len(self.log)
        if outcome:
            game.finished = timezone.now()
            game.result = {
                "termination": outcome.termination.value,
                "scores": list(outcome.scores),
                "winners": list(outcome.winners),
            }
        forced = self.turn == self.seat and self.kind.automatic(self.legal)
        people = [
            Sitter(seat, NAMES[seat], "" if seat == self.seat else "steady", seat == self.seat)
            for seat in range(self.players)
        ]
        return Table(
            game=game_info(game, self.seat),
            seat=self.seat,
            people=tuple(people),
            view=self.view,
            why_not=self.why_not,
            log=list(self.log[:30]),
            tallies=list(self.tallies),
            advance=not outcome and (self.turn != self.seat or forced),
        )

    @cached_property
    def context(self) -> dict[str, Any]:
        return self.kind.present(self.table)

    @cached_property
    def html(self) -> str:
        """The table's fragment."""
        request = RequestFactory().get("/")
        request.htmx, request.user = True, AnonymousUser()
        request.META["CSRF_COOKIE"] = "c" * 32
        html = render_to_string(f"{self.kind.template}#table", self.context, request)
        return re.sub(r'(csrfmiddlewaretoken" value=")\w+', r"\1", html)

    @cached_property
    def page(self) -> Node:
        return Tree(self.html).root

    @cached_property
    def board(self) -> Node:
        return self.page.one("div", "board")

    def name(self, seat: int) -> str:
        return "You" if seat == self.seat else NAMES[seat]

    def __repr__(self) -> str:
        return f"{self.kind.rules.SLUG} at ply {len(self.log)}, seat {self.seat}"


def replayed(name: str) -> Iterator[tuple[Any, tuple[Entry, ...], tuple[dict[str, Any], ...]]]:
    """Every position of a recorded game with its log and tallies."""
    data = record(name)
    rules = registry.get(data["game"]).rules
    state = rules.start(data["seed"], data["players"], data["options"])
    log: tuple[Entry, ...] = ()
    tallies: tuple[dict[str, Any], ...] = ()
    yield state, log, tallies
    for ply, text in enumerate(data["moves"], 1):
        move = rules.parse_move(text)
        report = rules.report(state, move)
        log = (Entry(ply, rules.turn(state), text, report), *log)
        tallies += (report["tally"],) if "tally" in report else ()
        state = rules.apply(state, move)
        yield state, log, tallies


def moments_of(slug: str) -> list[Moment]:
    """The sampled positions of all recorded games, from each seat; of many seats from a few each
    time, in turn."""
    found = []
    for path in sorted(RECORDS.glob(f"{slug}-0*.json")):
        positions = list(replayed(path.stem))
        last = len(positions) - 1
        ends = [at for at, (_state, log, _) in enumerate(positions) if log and _ends(log[0])]
        rounds = [at for at in ends if "tally" in positions[at][1][0].report][:2]
        chosen = {last * at // SAMPLES for at in range(SAMPLES + 1)}
        chosen |= set(ends[:: 1 + len(ends) // ENDS]) | set(rounds)
        chosen |= {at for at, (state, *_) in enumerate(positions) if _donkey_waits(state)}
        for number, at in enumerate(sorted(chosen)):
            state, log, tallies = positions[at]
            moments = [
                Moment(registry.get(slug), state, seat, log, tallies)
                for seat in range(len(state.hands))
            ]
            step = 1 + len(moments) // 4
            found += [
                moment
                for moment in moments
                if (moment.seat + number) % step == 0 or moment.seat == moment.turn
            ]
    return found


def _donkey_waits(state: Any) -> bool:
    """Whether this is the first play of a second turn round with the donkey in the middle."""
    if not getattr(state, "ox", False) or state.tallies:
        return False
    return state.turn_round == 2 and len(state.table) == 1


def _ends(entry: Entry) -> bool:
    return "winner" in entry.report


@pytest.fixture(scope="module")
def tricks() -> list[Moment]:
    return moments_of("trick")


@pytest.fixture(scope="module")
def farms() -> list[Moment]:
    return moments_of("ochs-esel")


@pytest.fixture
def moments(request, slug) -> list[Moment]:
    return request.getfixturevalue({"trick": "tricks", "ochs-esel": "farms"}[slug])


BOTH = pytest.mark.parametrize("slug", SLUGS)


def met(found: list[Any], least: int = 3) -> None:
    """Assert that the positions have enough of what a test is about."""
    assert len(found) >= least, "no such positions"


# -- Ouroboros Trick ------------------------------------------------------------------------------


class TestTrick:
    def test_top_and_number_of_the_discard_pile(self, tricks):
        for moment in tricks:
            pile = moment.there["discard"]
            place = moment.board.one("section", "discarded")
            assert place.one("h2").words == f"Discarded {len(pile)}", moment
            assert place.faces == pile[-1:], moment
        met([moment for moment in tricks if moment.there["discard"]])

    def test_numbers_of_hand_and_pool_at_every_seat(self, tricks):
        for moment in tricks:
            hands, pools = moment.there["hands"], moment.there["pools"]
            seats = moment.board.all("section", "seat")
            assert [seat.names["aria-label"] for seat in seats] == [
                NAMES[seat] for seat in moment.others
            ]
            for seat, place in zip(moment.others, seats, strict=True):
                held = place.one("p", "held")
                numbers = f"{len(hands[seat])} in hand {len(pools[seat])} in pool"
                assert held.words == numbers, moment
                assert {"i-hand", "i-pool"} <= set(held.drawings)
                assert NAMES[seat] in place.one("p", "plate").words
            own = moment.board.one("section", "pool").one("h2")
            assert own.words.endswith(f" {len(pools[moment.seat])}"), moment

    def test_numbers_of_hand_and_pool_in_the_panel(self, tricks):
        for moment in tricks:
            hands, pools = moment.there["hands"], moment.there["pools"]
            rows = moment.page.one("section", "players").one("tbody").all("tr")
            assert [row.one("bdi").words for row in rows] == [
                moment.name(seat) for seat in (moment.seat, *moment.others)
            ]
            for seat, row in zip((moment.seat, *moment.others), rows, strict=True):
                numbers = [len(hands[seat]), len(pools[seat]), len(hands[seat]) + len(pools[seat])]
                assert [int(cell.words) for cell in row.all("td")] == numbers, moment

    def test_ones_own_pool_can_be_looked_through(self, tricks):
        for moment in tricks:
            pool = moment.there["pools"][moment.seat]
            panels = moment.board.all("details", id="d-pool")
            assert len(panels) == bool(pool), moment
            for panel in panels:
                assert panel.one("summary").words
                chips = [chip.one("span", "sr").words.split() for chip in panel.all("b", "chip")]
                cards = [COLOURS[colour] + number for colour, number in chips]
                assert cards == sorted(
                    pool, key=lambda card: ("RYGB".index(card[0]), int(card[1:]))
                )
        met([moment for moment in tricks if moment.there["pools"][moment.seat]])

    def test_who_leads(self, tricks):
        for moment in tricks:
            rows = moment.page.one("section", "players").one("tbody").all("tr")
            leads = [row.one("bdi").words for row in rows if "leads" in row.tags]
            leader = [] if moment.turn is None else [moment.name(moment.there["leader"])]
            assert leads == leader, moment

    def test_who_lost(self, tricks):
        for moment in tricks:
            rows = moment.page.one("section", "players").one("tbody").all("tr")
            lost = {row.one("bdi").words for row in rows if "lost" in row.tags}
            assert lost == {moment.name(seat) for seat in moment.there["losers"]}
        met([moment for moment in tricks if moment.turn is None])

    def test_the_trick_as_it_grows_and_who_played_what(self, tricks):
        for moment in tricks:
            trick = moment.ended["trick"] if moment.ended else moment.there["trick"]
            pad = moment.board.one("section", "trickpad")
            figures = pad.all("figure")
            assert [figure.faces for figure in figures] == [[card] for _seat, card in trick]
            for at, (figure, (seat, card)) in enumerate(zip(figures, trick, strict=True)):
                caption = figure.one("figcaption").all("span")[-1].words
                suffix = " led" if not at else ", trump" if card[0] != trick[0][1][0] else ""
                assert caption == moment.name(seat) + suffix, moment
                assert f"on-{self.place(moment, seat)}" in figure.classes
            assert ("ended" in pad.classes) == bool(moment.ended), moment
        met([moment for moment in tricks if len(moment.there["trick"]) > 1])
        met([moment for moment in tricks if moment.ended])

    def place(self, moment: Moment, seat: int) -> str:
        """Where a seat is at the table."""
        if seat == moment.seat:
            return "s"
        place = moment.board.one("section", "seat", aria_label=NAMES[seat])
        [at] = [name for name in place.classes if name.startswith("at-")]
        return at[3:]

    def test_who_is_winning_or_has_won(self, tricks):
        for moment in tricks:
            trick = moment.ended["trick"] if moment.ended else moment.there["trick"]
            best = moment.ended["winner"] if moment.ended else moment.view["winning"]
            figures = moment.board.one("section", "trickpad").all("figure")
            for (seat, _card), figure in zip(trick, figures, strict=True):
                assert ("best" in figure.classes) == (seat == best), moment
                caption = figure.one("figcaption")
                assert ("i-crown" in caption.drawings) == (seat == best), moment
                assert ("winning" in caption.words) == (seat == best), moment

    def test_the_lowest_number(self, tricks):
        for moment in tricks:
            trick = moment.ended["trick"] if moment.ended else moment.there["trick"]
            low = moment.board.all("p", "low")
            assert len(low) == bool(trick), moment
            if trick:
                number = min([int(card[1:]) for _seat, card in trick])
                assert low[0].one("b").words == f"Lowest: {number}", moment
                assert "as many" in low[0].words

    def test_the_place_of_ones_own_card_while_it_is_to_come(self, tricks):
        for moment in tricks:
            there = moment.there
            comes = there["phase"] == "play" and moment.turn is not None and not moment.ended
            comes = comes and moment.seat not in [seat for seat, _card in there["trick"]]
            pad = moment.board.one("section", "trickpad")
            assert ("your card" in pad.words) == comes, moment
            assert len(pad.all("div", "on-s")) == comes, moment
        met([moment for moment in tricks if "your card" in moment.board.words])

    def test_the_last_trick(self, tricks):
        for moment in tricks:
            check_last(moment, "trick", self.check_last)
        met([moment for moment in tricks if any(map(_ends, moment.log[:30]))])

    def check_last(self, moment: Moment, facts: dict[str, Any], panel: Node) -> None:
        items = panel.one("ol").all("li")
        assert [item.faces for item in items] == [[card] for _seat, card in facts["trick"]]
        for item, (seat, _card) in zip(items, facts["trick"], strict=True):
            assert moment.name(seat) in item.one("bdi").words
            assert ("best" in item.classes) == (seat == facts["winner"]), moment
        words = panel.one("p").words
        assert f"{moment.name(facts['winner'])} win" in words, moment
        assert f"The lowest number is {facts['lowest']}." in words, moment


def check_last(moment: Moment, key: str, check: Callable[[Moment, Any, Node], None]) -> None:
    """The panel of the last trick or turn round comes with every table once there is one."""
    panels = moment.page.all("div", hx_swap_oob="innerHTML:#last")
    reports = [entry.report for entry in moment.log[:30] if key in entry.report]
    assert len(panels) == bool(reports), moment
    if reports:
        check(moment, reports[0], panels[0])


# -- Ochs & Esel ----------------------------------------------------------------------------------


class TestOchsEsel:
    def places(self, moment: Moment) -> dict[int, Node]:
        """The place of each seat at the table."""
        others = moment.board.all("li", "seat")
        own = moment.board.one("section", "seat own")
        return dict(zip((*moment.others, moment.seat), (*others, own), strict=True))

    def test_everybody_has_a_place_with_name_and_number_of_cards(self, farms):
        for moment in farms:
            for seat, place in self.places(moment).items():
                plate = place.one("p", "plate")
                assert plate.one("bdi").words == moment.name(seat), moment
                number = len(moment.there["hands"][seat])
                cards = "1 card" if number == 1 else f"{number} cards"
                assert plate.one("small").words == cards, moment
        assert {moment.players for moment in farms} == {3, 4, 5, 7, 12}

    def test_who_has_the_donkey_and_the_ox(self, farms):
        holders = set()
        for moment in farms:
            for seat, place in self.places(moment).items():
                hand = moment.there["hands"][seat]
                beasts = [beast.names.get("aria-label") for beast in place.all("svg", "beast")]
                for card, words in (("E", "has the donkey"), ("O", "has the ox")):
                    assert (words in beasts) == (card in hand), moment
                    assert (words in place.words) == (card in hand), moment
                    holders |= {(card, seat == moment.seat)} if card in hand else set()
        assert len(holders) == 4

    def test_cards_laid_face_down_are_counted_at_the_seat(self, farms):
        piles = []
        for moment in farms:
            for seat, place in self.places(moment).items():
                number = len(moment.there["laid"][seat])
                found = re.findall(r"(\d+) face down", place.words)
                assert found == ([str(number)] if number else []), moment
                piles += found
        met(piles)

    def turn_round(self, moment: Moment) -> list[Any]:
        """What lies before the seats: the present turn round, or the one that just ended."""
        return moment.ended["table"] if moment.ended else moment.there["table"]

    def test_the_turn_round_as_it_grows(self, farms):
        passes = []
        for moment in farms:
            plays = dict(map(tuple, self.turn_round(moment)))
            for seat, place in self.places(moment).items():
                lying = place.one("div", "cards")
                assert lying.faces == plays.get(seat, []), moment
                assert bool(lying.all("span", "sr")) == bool(plays.get(seat)), moment
                passed = plays.get(seat) == []
                assert ("passed" in lying.words) == passed, moment
                passes += [seat] if passed else []
        met(passes)

    def test_who_leads(self, farms):
        for moment in farms:
            played = [seat for seat, cards in self.turn_round(moment) if cards]
            led = [seat for seat, place in self.places(moment).items() if "led" in place.tags]
            assert led == played[:1], moment
            if moment.turn is not None and not self.turn_round(moment):
                title = moment.board.one("section", "beat").one("h2").words
                assert title == (
                    "You lead" if moment.turn == moment.seat else f"{NAMES[moment.turn]} leads"
                ), moment

    def test_who_is_highest_or_has_won(self, farms):
        for moment in farms:
            best = moment.ended["winner"] if moment.ended else moment.there["best"]
            word = "won it" if moment.ended else "highest"
            for seat, place in self.places(moment).items():
                assert ("best" in place.classes) == (seat == best), moment
                assert (word in place.words) == (seat == best), moment

    def test_what_is_to_beat_lies_in_the_middle(self, farms):
        kinds = set()
        for moment in farms:
            there, beat = moment.there, moment.board.one("section", "beat")
            title, words = beat.one("h2").words, beat.words
            if moment.turn is None or moment.ended or not there["count"]:
                continue
            kinds.add(there["kind"])
            if there["kind"] == "plain":
                cards = dict(map(tuple, there["table"]))[there["best"]]
                assert beat.faces == cards, moment
                assert title.endswith("to beat")
                mine = there["best"] == moment.seat
                assert mine or NAMES[there["best"]] in words, moment
            else:
                assert beat.faces == [{"donkey": "E", "ox": "O"}[there["kind"]]], moment
                assert title == f"The {there['kind']} is out", moment
        assert kinds == {"plain", "donkey", "ox"}

    def test_who_won_lies_in_the_middle_until_the_next_play(self, farms):
        counted = []
        for moment in farms:
            if not (ended := moment.ended):
                continue
            beat = moment.board.one("section", "beat")
            assert "ended" in beat.classes
            if "tally" not in ended:
                winner = moment.name(ended["winner"])
                assert beat.one("h2").words.startswith(winner), moment
                assert beat.faces == ended["best"], moment
                assert f"{winner} take" in beat.words or f"{winner} l" in beat.words, moment
                continue
            counted.append(moment)
            tally = ended["tally"]
            rows = {item.one("bdi").words: item for item in beat.one("ul", "minus").all("li")}
            assert len(rows) == moment.players
            for seat in range(moment.players):
                row = rows[moment.name(seat)]
                assert row.one("b").words == str(tally["points"][seat]), moment
                held = [beast.names.get("aria-label") for beast in row.all("svg", "beast")]
                assert ("held the donkey" in held) == (seat == tally["donkey"]), moment
                assert ("held the ox" in held) == (seat == tally["ox"]), moment
                laid = tally["laid"][seat]
                assert (f"{laid} laid" in row.words) == bool(laid), moment
        met(counted)

    def test_animals_that_wait_in_the_middle(self, farms):
        waiting = set()
        for moment in farms:
            middle = [] if moment.ended else moment.there["middle"]
            found = moment.board.all("p", "inmiddle")
            assert len(found) == bool(middle), moment
            if middle:
                drawn = [{"donkey": "E", "ox": "O"}[drawing] for drawing in found[0].drawings]
                assert drawn == middle, moment
                for card, word in (("E", "donkey"), ("O", "ox")):
                    assert (f"the {word}" in found[0].words) or card not in middle
                waiting.add(tuple(middle))
        assert waiting == {("O", "E"), ("E",)}

    def test_the_tally_beside_the_table(self, farms):
        for moment in farms:
            there, table = moment.there, moment.page.one("table", "tally")
            totals = there["totals"]
            rows = {row.one("bdi").words: row.all("td")[-1] for row in table.one("tbody").all("tr")}
            assert rows.keys() == {moment.name(seat) for seat in range(moment.players)}
            for seat, total in enumerate(totals):
                cell = rows[moment.name(seat)]
                assert cell.one("b").words == str(total), moment
                star = bool(there["tallies"]) and total == min(totals)
                assert bool(cell.all("span", "star")) == star, moment
            assert list(rows) == [
                moment.name(seat)
                for seat in sorted(range(moment.players), key=lambda seat: (totals[seat], seat))
            ]

    def test_the_sheet_beside_the_table(self, farms):
        sheets = []
        for moment in farms:
            sheet = moment.page.all("table", "tallysheet")
            if moment.tallies:
                names = [moment.name(seat) for seat in range(moment.players)]
                check_sheet(sheet[0], moment, names)
                won = sheet[0].one("tfoot").all("bdi")
                winners = moment.there["winners"]
                assert [name.words for name in won] == [names[seat] for seat in winners]
                sheets += sheet
            else:
                assert not sheet
        met(sheets)

    def test_the_last_turn_round(self, farms):
        for moment in farms:
            check_last(moment, "table", self.check_last)
        met([moment for moment in farms if any(map(_ends, moment.log[:30]))])

    def check_last(self, moment: Moment, facts: dict[str, Any], panel: Node) -> None:
        plays = facts["table"]
        items = panel.one("ol").all("li")
        [leader, *_others] = [seat for seat, cards in plays if cards]
        for item, (seat, cards) in zip(items, plays, strict=True):
            assert item.one("bdi").words == moment.name(seat)
            names = {"J": "Joker", "E": "Donkey", "O": "Ox"}
            assert [chip.words for chip in item.all("b", "chip")] == [
                names.get(card, card) for card in cards
            ], moment
            assert ("passed" in item.words) == (not cards), moment
            assert ("led" in item.tags) == (seat == leader), moment
            assert ("highest" in item.tags) == (seat == facts["winner"]), moment
        assert f"Turn round {facts['turn_round']}" in panel.words

    def test_twelve_seats(self, farms):
        twelve = [moment for moment in farms if moment.players == 12]
        met(twelve, 12)
        for moment in twelve:
            around = moment.board.one("ul", "around")
            names = [item.one("bdi").words for item in around.all("li", "seat")]
            assert names == [NAMES[seat] for seat in moment.others]
            areas = [item.classes & {f"a{at}" for at in range(1, 12)} for item in around.all("li")]
            assert areas == [{f"a{at}"} for at in range(1, 12)]
            assert "others-11" in moment.board.classes


# -- the tally sheet, as a page and as a file -----------------------------------------------------


def expected_sheet(moment: Moment, names: list[str]) -> list[dict[str, Any]]:
    """The lines of the sheet, reckoned from the reports of a game."""
    totals = [0] * len(names)
    lines = []
    starts: int | None = None
    for tally in moment.tallies:
        totals = [old + new for old, new in zip(totals, tally["points"], strict=True)]
        started = tally["started"] if tally["round"] == 1 else starts
        lines.append(
            {
                "round": tally["round"],
                "points": tally["points"],
                "laid": tally["laid"],
                "totals": totals,
                "out": [seat in tally["out"] for seat in range(len(names))],
                "started": names[started],
                **{
                    animal: "" if tally[animal] is None else names[tally[animal]]
                    for animal in ("donkey", "ox")
                },
            }
        )
        starts = tally["starts"]
    return lines


def check_sheet(table: Node, moment: Moment, names: list[str]) -> None:
    """The sheet in a page has all that was written down."""
    ox = moment.view["ox"]
    lines = expected_sheet(moment, names)
    ends = ["Started", "Donkey at the end", *(["Ox at the end"] if ox else [])]
    assert [cell.words for cell in table.one("thead").all("th")] == ["Round", *names, *ends]
    rows = table.one("tbody").all("tr")
    for row, line in zip(rows, lines, strict=True):
        assert row.one("th").words == str(line["round"])
        cells = row.all("td")
        for seat in range(len(names)):
            cell = cells[seat]
            assert cell.one("b").words == str(line["points"][seat])
            assert cell.one("small", "running").words.endswith(f"Σ {line['totals'][seat]}")
            laid = line["laid"][seat]
            assert re.findall(r"(\d+) laid", cell.words) == ([str(laid)] if laid else [])
            assert bool(cell.all("span", "out")) == line["out"][seat]
        told = [line["started"], line["donkey"] or "–", *([line["ox"] or "–"] if ox else [])]
        assert [cell.words for cell in cells[len(names) :]] == told
    *sums, _won = table.one("tfoot").all("td")
    assert [int(cell.words) for cell in sums] == lines[-1]["totals"]


@pytest.mark.parametrize("name", ["ochs-esel-02-3p-ox-mixed", "ochs-esel-03-4p-ox-greedy"])
@pytest.mark.parametrize("over", [True, False])
def test_the_tally_as_a_page_and_as_a_file(db, name, over):
    data = record(name)
    positions = list(replayed(name))
    state, log, tallies = positions[-1]
    if not over:
        state, log, tallies = next(at for at in positions if len(at[2]) == 2)
    moment = Moment(registry.get("ochs-esel"), state, 0, log, tallies)
    owner = guest()
    game = stored(owner, moment, data["options"])
    seats = game.seats.select_related("user").order_by("index")
    names = [seat.user.display_name if seat.user else seat.name for seat in seats]
    browser = Browser(owner)
    html = browser.look(f"/games/{game.pk}/tally/").content.decode()
    page = Tree(html).root
    check_sheet(page.one("table", "tallysheet"), moment, names)
    winners = [names[seat] for seat in moment.there["winners"]]
    assert [name.words for line in page.all("p", "won") for name in line.all("bdi")] == winners
    answer = browser.look(f"/games/{game.pk}/tally.csv")
    head, *rows = csv.reader(StringIO(b"".join(answer).decode("utf-8-sig"), newline=""))
    columns = [
        *names,
        *(f"{name} (laid)" for name in names),
        *(f"{name} (total)" for name in names),
    ]
    assert head == ["round", "started", "donkey", "ox", *columns]
    lines = [
        [
            str(cell)
            for key in ("round", "started", "donkey", "ox", "points", "laid", "totals")
            for cell in (line[key] if isinstance(line[key], list) else [line[key]])
        ]
        for line in expected_sheet(moment, names)
    ]
    assert rows[: len(lines)] == lines
    won = ["yes" if seat in moment.there["winners"] else "no" for seat in range(len(names))]
    assert [row[: 4 + len(names)] for row in rows[len(lines) :]] == (
        [["won", "", "", "", *won]] if over else []
    )
    assert any(any(line["laid"]) for line in expected_sheet(moment, names))


def stored(owner: Any, moment: Moment, options: dict[str, Any]) -> Game:
    """A game of ``owner`` at a position, with its tallies."""
    setup = Setup(moment.players, options, ("easy",) * (moment.players - 1))
    game, _user = services.start_game(
        user=owner, slug=moment.kind.rules.SLUG, ranked=False, seed=SEED, setup=setup
    )
    game.state = moment.there
    game.tallies = list(moment.tallies)
    if outcome := moment.kind.rules.outcome(moment.state):
        game.finished = timezone.now()
        game.result = {
            "termination": outcome.termination.value,
            "scores": list(outcome.scores),
            "winners": list(outcome.winners),
        }
    game.save()
    return game


# -- both games -----------------------------------------------------------------------------------


@BOTH
class TestBoth:
    def test_whose_turn_it_is(self, moments):
        for moment in moments:
            words = moment.page.one("p", "turn").words
            now = moment.board.all("", "seat now")
            if moment.turn is None:
                assert "turn" not in words and not now, moment
            elif moment.turn == moment.seat:
                assert words.startswith("Your turn") and not now, moment
            else:
                name = NAMES[moment.turn]
                assert words.startswith(f"{name}’s turn"), moment
                assert len(now) == 1 and now[0].one("bdi").words == name, moment

    def test_no_card_of_another_hand_is_in_the_page(self, moments):
        """Other cards in hidden places, and the page is the same to the letter."""
        for moment in moments:
            if moment.turn is not None and moment.players < 9:
                other = replace(moment, state=dealt_otherwise(moment))
                assert other.html == moment.html, moment
        met([moment for moment in moments if dealt_otherwise(moment) != moment.state], 50)

    def test_the_hand_lies_open_and_no_other(self, moments):
        for moment in moments:
            if moment.turn is not None:
                assert moment.page.one("ul", "hand").faces == moment.there["hands"][moment.seat]

    def test_the_last_one_is_in_the_page_from_the_first_look(self, slug, moments):
        moment = next(at for at in moments[::-1] if at.turn is not None and at.ended)
        request = RequestFactory().get("/")
        request.htmx, request.user = False, AnonymousUser()
        html = render_to_string(moment.kind.template, moment.context, request)
        panel = Tree(html).root.one("details", id="d-last")
        assert panel.one("summary").words.startswith("The last")
        check = {"trick": TestTrick().check_last, "ochs-esel": TestOchsEsel().check_last}[slug]
        check(moment, moment.ended, panel.one("div", id="last"))

    @pytest.mark.parametrize("fresh", [True, False])
    def test_at_an_instant_pace_all_that_was_played_is_read_aloud(self, moments, fresh):
        """Whether the log comes whole, or only what is new since the player's own last move."""
        several = []
        for moment in moments:
            own = [
                at
                for at, entry in enumerate(moment.log)
                if entry.seat == moment.seat and entry.text != "pass"
            ]
            new = moment.log[: own[0] if own else len(moment.log)]
            if moment.turn is None or not 1 < len(new) <= 30:
                continue
            shown = replace(moment, pace="instant", log=new if fresh else moment.log)
            said = shown.context["said"]
            lines = [str(moment.kind.say(entry, shown.table.people)) for entry in new[::-1]]
            at = -1
            for line in lines:
                found = said.find(line, at + 1)
                assert found > at, (moment, line, said)
                at = found
            several.append(len(lines))
        met(several, 20)
        assert max(several) > 3


def dealt_otherwise(moment: Moment) -> Any:
    """The position with the cards that this seat does not see changed among their places.

    Who holds donkey and ox is known to all, and what was discarded or laid was seen by all.
    """
    there = deepcopy(moment.there)
    chance = random.Random(7)
    places = [there["hands"][seat] for seat in moment.others]
    hidden = [card for hand in places for card in hand if card not in ("E", "O")]
    if "aside" in there:
        places.append(there["aside"])
        hidden += there["aside"]
    chance.shuffle(hidden)
    for place in places:
        place[:] = [card if card in ("E", "O") else hidden.pop() for card in place]
        place.sort(key=_rank)
    position = {"seed": "a7" * 32, "players": moment.players, "options": {}, "position": there}
    if moment.kind.rules.SLUG == "ochs-esel":
        position["options"] = {"rounds": moment.view["rounds"], "ox": moment.view["ox"]}
    return moment.kind.rules.decode(position)


def _rank(card: str) -> tuple[int, int]:
    """The order of a hand, in both games."""
    if card[0] in "RYGB":
        return "RYGB".index(card[0]), int(card[1:])
    return (0, int(card)) if card.isdecimal() else (1, "JEO".index(card))


def test_no_card_of_trick_is_named_that_the_seat_cannot_know(tricks):
    """Each card is there once: the whole page names one's own cards and what was played openly."""
    for moment in tricks:
        if moment.turn is None:
            continue
        there = moment.there
        known = {*there["hands"][moment.seat], *there["pools"][moment.seat]}
        known |= {card for _seat, card in there["trick"]} | set(there["discard"][-1:])
        known |= {text.split()[1] for text in [entry.text for entry in moment.log[:30]]}
        known |= {card for entry in moment.log[:30] for card in entry.report["discarded"]}
        known |= {card for entry in moment.log[:30] for _, card in entry.report.get("trick", ())}
        html = re.sub(r'placeholder="[^"]*"', "", moment.html)
        named = set(re.findall(r"\b[RYGB]\d{1,2}\b", html))
        words = re.findall(r"\b(red|yellow|green|blue) (\d+)", html, re.IGNORECASE)
        named |= {COLOURS[colour.lower()] + number for colour, number in words}
        assert named <= known, (moment, named - known)


@BOTH
def test_at_most_forty_moves_are_made_in_one_request(monkeypatch, rf, slug):
    game = SimpleNamespace(slug=slug, pk=7, pace="instant", version=1)
    one = services.Played(SimpleNamespace(game=game, pause=0), [SimpleNamespace(report={})])
    made = []
    monkeypatch.setattr(services, "advance_game", lambda **asked: made.append(1) or one)
    monkeypatch.setattr(services, "go_on", lambda seated: made.append(1) or one)
    request = rf.post(f"/{slug}/7/advance", {"version": "1"})
    request.htmx, request.user = False, AnonymousUser()
    request._dont_enforce_csrf_checks = True
    assert views.advance(request, slug, 7).status_code == 302
    assert len(made) == 40


def test_all_that_came_at_once_is_read_aloud_from_the_server(db):
    position = trick_position(
        "R7 Y9", "R4 Y3", "R6 G5", "R2 B8", "R9 B9", leader=1, pools={0: "B1 B2 B3 B4 B5"}
    )
    owner = guest()
    setup = Setup(players=5, bots=("easy",) * 4, pace="instant")
    game, _user = services.start_game(
        user=owner, slug="trick", ranked=False, seed=SEED, setup=setup
    )
    game.state = position
    game.rules.check(game.load())
    game.save()
    answer = Browser(owner).send(address(game, "advance"), htmx=True, version=game.version)
    page = Tree(answer.content.decode()).root
    lines = [item.words for item in page.one("ol", hx_swap_oob="afterbegin:#log").all("li")]
    assert len(lines) == 4
    said = page.one("div", hx_swap_oob="innerHTML:#say").words
    assert said.startswith(" ".join(lines[::-1])) and said != " ".join(lines[::-1])


# -- how many taps a move takes -------------------------------------------------------------------


def said_by_two_taps(moment: Moment) -> set[tuple[str, ...]]:
    """All moves that one control of the hand and one button say, or a button alone."""
    form = moment.page.one("form", id="move")
    hand = form.one("ul", id="hand")
    controls = [node for node in hand.all("input") if "disabled" not in node.names]
    buttons = [node.names for node in form.all("button", name="action")]
    found = set()
    for control in (None, *controls):
        for button in buttons:
            # The main button is free as soon as what is chosen may be played.
            if "aria-disabled" in button and button["id"] != "act-main":
                continue
            data = QueryDict(mutable=True)
            data["action"] = button["value"]
            if control:
                data[control.names["name"]] = control.names["value"]
            selection = moment.kind.read(data)
            if selection.texts and not selection.problem:
                found.add(selection.texts)
    return found


def needs_more(text: str) -> bool:
    """Whether jokers are added to a set: each is a tap of its own."""
    cards = text.split()[1:]
    return "J" in cards and len(cards) > 1


@BOTH
def test_a_move_takes_two_taps(slug, moments):
    leads, follows = [], []
    for moment in moments:
        there = moment.there
        if moment.turn != moment.seat or moment.table.advance or there["phase"] == "discard":
            continue
        leading = not (there["trick"] if slug == "trick" else there["count"])
        moves = {(text,) for text in moment.legal if not needs_more(text)}
        assert moves <= said_by_two_taps(moment), moment
        (leads if leading else follows).append(moment)
    met(leads, 10)
    met(follows, 10)


def test_any_number_of_a_value_takes_two_taps():
    there = farm_position("2 3 3 3 3 3 3 3 3 7 7 J E", "4 4", "5 6 8")
    state = registry.get("ochs-esel").rules.decode(
        {"seed": SEED, "players": 3, "options": {"rounds": 5, "ox": False}, "position": there}
    )
    moment = Moment(registry.get("ochs-esel"), state, 0, ())
    moves = {texts for texts in said_by_two_taps(moment) if texts[0] in moment.legal}
    threes = {(f"play {' '.join(['3'] * number)}",) for number in range(1, 9)}
    assert threes | {("play 2",), ("play 7",), ("play 7 7",), ("play J",), ("play E",)} <= moves


# -- the rules pages ------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ["laws", "market", *SLUGS])
def test_rules_pages_lead_to_each_other_in_one_order(client, db, slug):
    page = Tree(client.get(f"/{slug}/rules/").content.decode()).root
    links = page.one("ul", "editions").all("a")
    assert [(link.names["href"], link.words) for link in links] == [
        (f"/{kind.rules.SLUG}/rules/", str(kind.title)) for kind in registry.all_kinds()
    ]
    assert len(links) == 4
    here = [link.names["href"] for link in links if "aria-current" in link.names]
    assert here == [f"/{slug}/rules/"]
