"""The table of Ochs & Esel as a page: what stands there, what can be done with it, that every
position of every recorded game can be put into words, and the tally."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import QueryDict

from ouroboros_site.engine.errors import RulesError
from ouroboros_site.play import registry, services
from ouroboros_site.play.models import Game
from ouroboros_site.play.registry import Selection, Setup
from ouroboros_site.play.services import Refused
from ouroboros_site.play.tables import Entry, Replay, Sitter, Table
from tests.ouroboros_site.play.helpers import (
    SEED,
    Browser,
    Page,
    fragment_of,
    guest,
    page_of,
    record,
)
from tests.ouroboros_site.play.helpers import table as address
from tests.tricks.rules.ochs_esel_positions import position
from tricks.forms import ochs_esel as forms
from tricks.presenters import ochs_esel as pages
from tricks.rules import ochs_esel as rules
from tricks.tally import sheet, whole

RECORDS = Path(__file__).parents[1] / "data" / "records"
GAMES = sorted(path.stem for path in RECORDS.glob("ochs-esel-*.json"))
STARTS = sorted(path.stem for path in (RECORDS / "starts").glob("ochs-esel-*.json"))
NAMES = (
    "Anna",
    "Bea",
    "Carlo",
    "Dora",
    "Emil",
    "Fumi",
    "Greta",
    "Hugo",
    "Ines",
    "Joon",
    "Kofi",
    "Lea",
)


# -- tables that are in no database ---------------------------------------------------------------


def people_of(players: int, me: int = 0) -> tuple[Sitter, ...]:
    return tuple(
        Sitter(seat=seat, name=NAMES[seat], bot="" if seat == me else "steady", me=seat == me)
        for seat in range(players)
    )


def state_of(data: dict[str, Any], **options: Any) -> rules.State:
    """A position of the helpers as a state; its cards are checked."""
    players = len(data["hands"])
    asked = {**rules.OPTIONS, **options}
    state = rules.decode({"seed": SEED, "players": players, "options": asked, "position": data})
    rules.check(state)
    return state


def played(state: rules.State, *texts: str) -> tuple[rules.State, list[Entry]]:
    """The state after some moves, and their log, the newest first."""
    log: list[Entry] = []
    for ply, text in enumerate(texts, 1):
        move = rules.parse_move(text)
        log.insert(0, Entry(ply, rules.turn(state) or 0, text, rules.report(state, move)))
        state = rules.apply(state, move)
    return state, log


def legal_texts(state: rules.State) -> list[str]:
    return [rules.format_move(move) for move in rules.legal_moves(state)]


def table_of(state: rules.State, seat: int = 0, **more: Any) -> Table:
    """What the presenter gets for one seat, as the services make it."""
    over = rules.turn(state) is None

    def why_not(text: str) -> str | None:
        if rules.turn(state) != seat:
            return "It is not your turn."
        try:
            error = rules.refusal(state, rules.parse_move(text))
        except RulesError as unreadable:
            error = unreadable
        return error.message if error else None

    forced = rules.turn(state) == seat and legal_texts(state) == ["pass"]
    game = SimpleNamespace(
        id=1,
        slug="ochs-esel",
        ranked=True,
        daily=None,
        ply=len(more.get("log", [])),
        version=3,
        is_over=over or more.get("retired", False),
        retired=more.pop("retired", False),
        pace="normal",
        seed=SEED if over else None,
        winners=(),
        shared=False,
    )
    return Table(
        game=game,
        seat=seat,
        people=people_of(len(state.hands), seat),
        view=rules.view(state, seat),
        why_not=why_not,
        log=more.pop("log", []),
        advance=more.pop("advance", not over and (rules.turn(state) != seat or forced)),
        **more,
    )


def texts_in(context: Any) -> list[str]:
    """Every text that a context holds."""
    if isinstance(context, dict):
        return [text for value in context.values() for text in texts_in(value)]
    if isinstance(context, list | tuple):
        return [text for value in context for text in texts_in(value)]
    if hasattr(context, "__slots__"):
        names = [name for name in context.__slots__ if hasattr(context, name)]
        return [text for name in names for text in texts_in(getattr(context, name))]
    return [str(context)] if isinstance(context, str) or hasattr(context, "_proxy____args") else []


# -- controls and legal moves ---------------------------------------------------------------------


def fields_for(text: str, groups: list[dict[str, Any]]) -> QueryDict:
    """The controls of a hand that say a play; fails where one of them is missing or barred."""
    cards = text.split(" ")[1:]
    data = QueryDict(mutable=True)
    data["action"] = "play"
    by_value = {group["value"]: group for group in groups}
    jokers = cards.count("J")
    rest = cards[: len(cards) - jokers]
    if jokers:
        group = by_value["J"]
        assert not group["barred"], f"{text}: jokers are barred"
        if group["boxes"]:
            data.setlist("joker", [str(number + 1) for number in range(jokers)])
        else:
            rest = ["J"]
    if rest:
        group = by_value[rest[0]]
        assert not group["barred"], f"{text}: {rest[0]} is barred"
        values = [pick["value"] for pick in group["picks"]]
        value = rest[0] if rest[0] in "JEO" else f"{rest[0]}x{len(rest)}"
        assert value in values, f"{text}: no pick among {values}"
        data["set"] = value
    return data


def check_controls(table: Table, legal: list[str]) -> None:
    """Each legal move can be made with the controls, and each control serves some legal move."""
    groups = pages.hand_groups(table)
    assert [card for group in groups for card in group["cards"]] == table.view["hand"]
    for group in groups:
        assert bool(group["barred"]) == (group["sort"] != "")
        held = [card for pick in group["picks"] for card in pick["cards"]]
        assert group["boxes"] or held == group["cards"]
    used = set()
    for text in legal:
        if text == "pass":
            continue
        data = fields_for(text, groups)
        assert forms.read_ochs_esel(data).texts == (text,)
        used |= {data.get("set")} | ({"joker"} if data.getlist("joker") else set())
    for group in groups:
        if not group["barred"]:
            values = ["joker"] if group["boxes"] else [pick["value"] for pick in group["picks"]]
            assert set(values) <= used, f"{values} serve no legal move"
    main, others = pages.acts(table)
    verbs = {"donkey": "play E", "ox": "play O", "pass": "pass"}
    for act in others:
        assert act.note
        assert act.barred == (verbs[act.value] not in legal)
    assert not main.barred  # without a script it stays so while cards are chosen


def check_words(context: dict[str, Any], secret: str | None) -> None:
    for text in texts_in(context):
        assert "%(" not in text and "None" not in text, text
        assert secret is None or secret not in text


@pytest.mark.parametrize("name", [*GAMES, *(f"starts/{start}" for start in STARTS)])
def test_every_position_can_be_put_into_words(name):
    data = record(name)
    setup = {"seed": data["seed"], "players": data["players"], "options": data["options"]}
    state = rules.start(data["seed"], data["players"], data["options"])
    if "start" in data:
        state = rules.decode({**setup, "position": data["start"]})
    log: list[Entry] = []
    tallies: list[dict[str, Any]] = []
    step = 1 + len(data["moves"]) // 60
    for ply, text in enumerate([*data["moves"], None]):
        turn = rules.turn(state)
        if ply % step == 0 or text is None or "tally" in (log[0].report if log else {}):
            secret = None if turn is None else data["seed"]
            shown = {"log": log[:30], "tallies": tallies}
            for seat in {turn or 0, (ply + 1) % data["players"]}:
                table = table_of(state, seat, **shown)
                check_words(pages.present_ochs_esel(table), secret)
                check_words(
                    pages.present_ochs_esel(table_of(state, seat, replay=Replay(ply, 9))), None
                )
                chosen = (text or "play 9 9 J").split(" ")[1:]
                for cards in (chosen, ["9", "J", "J"], ["J", "E"]):
                    selection = Selection(cards=tuple(cards))
                    check_words(
                        pages.present_ochs_esel(
                            table_of(state, seat, selection=selection, **shown)
                        ),
                        secret,
                    )
            if turn is not None and pages.plays(table_of(state, turn)):
                check_controls(table_of(state, turn, **shown), legal_texts(state))
        if text is not None:
            move = rules.parse_move(text)
            report = rules.report(state, move)
            log.insert(0, Entry(ply + 1, turn or 0, text, report))
            tallies += [report["tally"]] if "tally" in report else []
            state = rules.apply(state, move)


# -- sentences ------------------------------------------------------------------------------------

FIVE = state_of(position("2 3", "4 J", "5 E", "2 6", "1 7", leader=2))
"""The rulebook's donkey: Carlo leads it, and of two 2s the later one is Anna's."""
DONKEY = ("play E", "play 2", "play 1", "play 2", "play J")


def said(state: rules.State, *texts: str, me: int = 4) -> list[str]:
    """The lines of the log in the order of the moves, as one seat reads them."""
    _state, log = played(state, *texts)
    people = people_of(len(state.hands), me)
    return [str(pages.say_ochs_esel(entry, people)) for entry in reversed(log)]


DEALT = (
    "1 1 1 1 1 1 1 1 2 2 2 2 9",
    "2 2 2 2 3 3 3 3 3 3 3 3 4",
    "4 4 4 4 4 4 4 5 5 5 5 5 5",
)
"""Three hands as they are dealt."""


class TestLog:
    def test_a_plain_turn_round(self):
        state = state_of(position("6 6 6 13", "8 8 J 2", "1 1 1 4", "11 11 11 5", "3 3 E"))
        assert said(state, "play 6 6 6", "play 8 8 J", "pass", "play 11 11 11", "pass", me=3) == [
            "Anna leads three 6s.",
            "Bea plays three 8s (two 8s and a joker).",
            "Carlo passes.",
            "You play three 11s.",
            "Emil passes. The highest: your three 11s. You lead next.",
        ]

    def test_nobody_topped_the_lead(self):
        state = state_of(position("9 9 1", "2 3", "4 5 E"))
        lines = said(state, "play 9 9", "pass", "pass", me=1)
        assert lines[1] == "You pass."
        assert lines[2] == "Carlo passes. Nobody topped Anna’s two 9s. Anna leads next."

    def test_jokers_alone(self):
        state = state_of(position("J J 1", "2 3", "4 5 E"))
        lines = said(state, "play J J", "pass", "pass", me=0)
        assert lines[0] == "You lead two jokers."
        assert lines[2] == "Carlo passes. Nobody topped your two jokers. You lead next."
        assert said(state, "play J", "pass", "pass", me=0)[0] == "You lead a joker."

    def test_the_donkey(self):
        assert said(FIVE, *DONKEY, me=4) == [
            "Carlo leads the donkey.",
            "Dora plays 2 to the donkey.",
            "You play 1 to the donkey.",
            "Anna plays 2 to the donkey.",
            "Bea plays a joker to the donkey; it counts 1. Of the highest cards Anna’s 2 came last."
            " Anna takes all five cards, the donkey too, and leads next.",
        ]
        assert said(FIVE, *DONKEY, me=0)[-1].endswith(
            "Of the highest cards your 2 came last. "
            "You take all five cards into your hand, the donkey too, and lead next."
        )

    def test_the_ox_and_who_can_only_pass(self):
        state = state_of(position("4 O", "1 9", "2 9", "3 J", "E", ox=True), ox=True)
        moves = ("play O", "play 1", "play 9", "play J", "pass")
        lines = said(state, *moves, me=0)
        assert lines[0] == "You lead the ox."
        assert lines[3] == "Dora plays a joker to the ox; it counts 1."
        assert lines[4] == (
            "Emil passes. The highest: Carlo’s 9. Carlo lays all four cards face down, "
            "and leads next."
        )
        assert said(state, *moves, me=2)[4].endswith(
            "The highest: your 9. You lay all four cards face down before you, and lead next."
        )

    def test_animals_from_the_middle(self):
        state = state_of(position(*DEALT, ox=True, turn_round=1), ox=True)
        assert said(state, "play 9", "pass", "pass", me=1)[2] == (
            "Carlo passes. Nobody topped Anna’s 9. Anna takes the ox from the middle, "
            "and leads next."
        )
        moves = ("play 9", "pass", "pass", "play 1", "play 2", "play 4")
        assert said(state, *moves, me=2)[5].endswith(
            "The highest: your 4. You take the donkey from the middle, and lead next."
        )

    def test_a_leader_with_nothing_but_a_barred_animal(self):
        hands = position("E", "2 3", "4 5 O", ox=True, turn_round=3, barred=["E"])
        state = state_of(hands, ox=True)
        assert said(state, "pass", me=1) == [
            "Anna holds only an animal that may not be led yet, and passes the lead on."
        ]
        assert said(state, "pass", me=0) == [
            "You hold only an animal that may not be led yet, and pass the lead on."
        ]

    def test_the_end_of_a_round(self):
        state = state_of(position("9", "2 3", "4 J E"))
        assert said(state, "play 9", "pass", "pass", me=1)[2] == (
            "Carlo passes. Nobody topped Anna’s 9. Anna has no cards left: round 1 is over. "
            "Minus points: Anna 0, you 5, Carlo 38. "
            "Carlo held the donkey and starts the next round."
        )
        assert said(state, "play 9", "pass", "pass", me=0)[2].endswith(
            "You have no cards left: round 1 is over. Minus points: you 0, Bea 5, Carlo 38. "
            "Carlo held the donkey and starts the next round."
        )
        assert said(state, "play 9", "pass", "pass", me=2)[2].endswith(
            "You held the donkey and start the next round."
        )

    def test_a_round_that_ends_with_the_donkey_in_the_middle(self):
        rest = [str(number) for number in range(3, 14) for _ in range(8)] + ["J", "J"]
        hands = [" ".join(rest[at : at + 9]) for at in range(0, 90, 9)]
        nines = ("1 1 1 1 1 1 1 1 J", "2 2 2 2 2 2 2 2 J")
        state = state_of(position(*nines, *hands, ox=True, turn_round=1), ox=True)
        line = said(state, f"play {nines[0]}", f"play {nines[1]}", *["pass"] * 10, me=2)[-1]
        assert "The highest: Bea’s nine 2s. Bea takes the ox from the middle." in line
        assert "Anna has no cards left: round 1 is over. Minus points: Anna 0, Bea 15," in line
        assert line.endswith("Bea won the last turn round and starts the next round.")

    def test_two_are_out(self):
        state = state_of(position("9", "10", "4 E"))
        line = said(state, "play 9", "play 10", "pass", me=1)[2]
        assert "Anna and you have no cards left: round 1 is over." in line

    def test_the_end_of_the_game(self):
        state = state_of(position("9", "2 3", "4 J E", tallies=((5, 1, 0),)), rounds=2)
        assert said(state, "play 9", "pass", "pass", me=2)[2].endswith(
            "Minus points: Anna 0, Bea 5, you 38. Anna wins, with the fewest: 5 minus points."
        )
        assert said(state, "play 9", "pass", "pass", me=0)[2].endswith(
            "You win, with the fewest: 5 minus points."
        )

    def test_equal_totals_share_the_win(self):
        state = state_of(position("9", "2 3", "4 J E", tallies=((6, 1, 0),)), rounds=2)
        assert said(state, "play 9", "pass", "pass", me=2)[2].endswith(
            "Anna and Bea share the win, with 6 minus points each."
        )


class TestTurn:
    def turn(self, state: rules.State, seat: int, **more: Any) -> str:
        return pages.turn_words(table_of(state, seat, **more))

    def test_the_leader(self):
        assert self.turn(FIVE, 2) == (
            "You lead: play one or more cards of one value, or the donkey."
        )
        assert self.turn(FIVE, 0) == "Carlo leads: one or more cards of one value."

    def test_following(self):
        state, _log = played(state_of(position("6 6 1", "8 8 2", "9 9 E")), "play 6 6")
        assert self.turn(state, 1) == "Top Anna’s two 6s with two of a higher value, or pass."
        assert self.turn(state, 2) == "Bea may top Anna’s two 6s."
        assert self.turn(state, 0) == "Bea may top your two 6s."

    def test_a_forced_pass(self):
        state, _log = played(state_of(position("6 6 1", "8 7 2", "9 9 E")), "play 6 6")
        assert self.turn(state, 1) == "You hold nothing that tops Anna’s two 6s: you pass."

    def test_the_animals(self):
        state, _log = played(FIVE, "play E")
        assert self.turn(state, 3) == "The donkey is out: play one card. You may not pass."
        assert self.turn(state, 0) == "The donkey is out: Dora plays one card."
        state, _log = played(state_of(position("1 O", "E", "2 3", ox=True), ox=True), "play O")
        assert self.turn(state, 1) == "You hold nothing that may be played to the ox: you pass."

    def test_the_end(self):
        assert self.turn(FIVE, 0, retired=True) == "You left the table."


class TestBarredCards:
    def groups(self, hand: str, lead: str) -> dict[str, dict[str, Any]]:
        state, _log = played(state_of(position(f"{lead} 1", hand, "13 2")), f"play {lead}")
        return {group["value"]: group for group in pages.hand_groups(table_of(state, 1))}

    def test_say_why(self):
        groups = self.groups("8 9 9 10 11 11 11 E", "9 9")
        assert groups["8"]["barred"] == "8 does not top two 9s."
        assert groups["9"]["barred"] == "9 does not top two 9s."
        assert groups["10"]["barred"] == "It takes two; you hold only 10."
        assert groups["E"]["barred"] == "Only the leader may play the donkey."
        assert not groups["11"]["barred"]

    def test_one_pick_takes_the_whole_group_where_only_one_number_will_do(self):
        pick = self.groups("11 11 11 E", "9 9")["11"]["picks"]
        assert [(at["value"], at["count"], len(at["cards"])) for at in pick] == [("11x2", 2, 3)]

    def test_jokers_make_more_picks(self):
        groups = self.groups("10 11 11 11 J J E", "9 9 9")
        assert [at["value"] for at in groups["10"]["picks"]] == ["10x1"]
        assert [at["value"] for at in groups["11"]["picks"]] == ["11x1", "11x2", "11x3"]
        assert groups["J"]["boxes"] and not groups["J"]["barred"]

    def test_few_cards_with_a_joker(self):
        groups = self.groups("11 12 12 J E", "9 9 9")
        assert groups["11"]["barred"] == "It takes three; you hold only 11 and a joker."

    def test_nothing_tops_jokers(self):
        state, _log = played(state_of(position("J 1", "13 E", "2 3")), "play J")
        groups = pages.hand_groups(table_of(state, 1, advance=False))
        assert groups[0]["barred"] == "Nothing tops jokers played alone: pass."

    def test_in_one_line(self):
        state, _log = played(state_of(position("9 9 1", "3 8 9 12 13 13 E", "2 4")), "play 9 9")
        table = table_of(state, 1)
        assert pages.barred_words(table, pages.hand_groups(table)) == (
            "3, 8 and 9 do not top two 9s. Of 12 you hold too few."
        )

    def test_single_cards_are_one_tap_each(self):
        state, _log = played(FIVE, "play E")
        state, _log = played(state, "play 2", "play 1", "play 3")
        groups = pages.hand_groups(table_of(state, 1))
        assert [[pick["value"] for pick in group["picks"]] for group in groups] == [["4x1"], ["J"]]


class TestPreview:
    def preview(self, state: rules.State, seat: int, cards: str) -> dict[str, Any]:
        selection = Selection(cards=tuple(cards.split()))
        found = pages.preview(table_of(state, seat, selection=selection))
        assert found is not None
        return found

    def test_tops(self):
        state, _log = played(state_of(position("8 8 1", "3 4 9 11 11 J", "2 E")), "play 8 8")
        assert self.preview(state, 1, "9 J") == {
            "parts": ["9", "joker"],
            "made": "two 9s",
            "sign": "✓",
            "gain": "tops two 8s",
            "keeps": "You keep 3, 4, 11, 11: 29 minus points",
        }

    def test_what_may_not_be_played_says_why(self):
        state, _log = played(state_of(position("8 8 1", "3 4 9 9 9", "2 E")), "play 8 8")
        found = self.preview(state, 1, "9 9 9")
        assert found["sign"] == "✗"
        assert found["gain"] == (
            "To top 2 cards of value 8, play exactly 2 of a higher value, or pass."
        )

    def test_leading(self):
        state = state_of(position("8 8 J E", "3 4", "2 1"))
        assert self.preview(state, 0, "8 8")["gain"] == "everybody plays two or passes"
        assert self.preview(state, 0, "J")["gain"] == "nothing tops it"
        assert self.preview(state, 0, "E")["gain"] == "everybody has to play one card to it"
        assert self.preview(state, 0, "8 8")["keeps"] == "You keep joker, donkey: 34 minus points"

    def test_animals(self):
        state, _log = played(FIVE, "play E", "play 2")
        escapes = ("not the highest: someone else takes the cards", "✓")
        assert self.told(state, 4, "1") == escapes
        assert self.told(state, 4, "7") == ("the highest so far", "!")
        state, _log = played(state, "play 1", "play 2")
        assert self.told(state, 1, "4") == ("the highest: you take all five cards", "!")
        assert self.told(state, 1, "J") == escapes

    def test_the_ox(self):
        state = state_of(position("4 O", "1 9", "2 9", "E", ox=True), ox=True)
        state, _log = played(state, "play O", "play 9")
        assert self.told(state, 2, "2") == ("not the highest: someone else lays the cards", "✓")
        assert self.told(state, 2, "9") == ("the highest so far", "!")

    def told(self, state: rules.State, seat: int, cards: str) -> tuple[str, str]:
        found = self.preview(state, seat, cards)
        return found["gain"], found["sign"]

    def test_the_last_card_and_a_long_hand(self):
        state = state_of(position("8", "3 4", "2 1 E"))
        assert self.preview(state, 0, "8")["keeps"] == "Your last card"
        state = state_of(position("1 2 3 4 5 6 7 8 9 10 11 E", "3 4", "2 1"))
        assert self.preview(state, 0, "1")["keeps"] == "You keep 11 cards: 85 minus points"

    def test_says_nothing_of_other_hands(self):
        selection = Selection(cards=("4",))
        assert pages.preview(table_of(FIVE, 1, selection=selection)) is None


class TestMiddle:
    def test_ended_turn_round_stays_until_the_next_play(self):
        state, log = played(FIVE, *DONKEY)
        middle = pages.board(table_of(state, 4, log=log))["middle"]
        assert middle["title"] == "Anna wins turn round 9" and middle["cards"] == ["2"]
        assert "Anna takes all five cards" in middle["text"]
        seats = {seat["name"]: seat for seat in pages.board(table_of(state, 4, log=log))["seats"]}
        assert seats["Anna"]["best"] and seats["Anna"]["cards"] == ["2"]
        assert seats["Carlo"]["led"] and seats["Carlo"]["cards"] == ["E"]
        state, log2 = played(state, "play 3")
        middle = pages.board(table_of(state, 4, log=log2 + log))["middle"]
        assert middle["title"] == "3 to beat"

    def test_end_of_a_round_tells_everybodys_minus_points(self):
        state, log = played(state_of(position("9", "2 3", "4 J E")), "play 9", "pass", "pass")
        middle = pages.board(table_of(state, 1, log=log))["middle"]
        assert middle["title"] == "Round 1 is over"
        assert [(at["name"], at["points"]) for at in middle["points"]] == [
            ("Anna", 0),
            ("You", 5),
            ("Carlo", 38),
        ]
        assert [at["words"] for at in middle["points"][2]["holds"]] == ["held the donkey"]
        assert middle["text"] == (
            "Anna has no cards left. Carlo held the donkey and starts the next round."
        )

    def test_end_of_a_round_with_two_hands_empty(self):
        state, log = played(state_of(position("9", "10", "4 E")), "play 9", "play 10", "pass")
        assert pages.board(table_of(state, 1, log=log))["middle"]["text"].startswith(
            "Anna and you have no cards left. "
        )

    def test_who_is_still_to_come(self):
        state, _log = played(
            state_of(position("6 6", "8 8 1", "9 9 1", "3 3", "2 E")), "play 6 6", "play 8 8"
        )

        def text(seat: int) -> str:
            return pages.board(table_of(state, seat))["middle"]["text"]

        assert "Dora and Emil still follow you." in text(2)
        assert "Emil still follows you." in text(3)
        assert "You are the last to play." in text(4)
        assert "Carlo, Dora and Emil are still to play." in text(1)
        waits = {at["name"]: at["waits"] for at in pages.board(table_of(state, 3))["seats"]}
        assert waits == {"Emil": "plays after you", "Anna": "", "Bea": "", "Carlo": "plays now"}


# -- forms ----------------------------------------------------------------------------------------


def read(query: str) -> Selection:
    return forms.read_ochs_esel(QueryDict(query))


class TestForm:
    @pytest.mark.parametrize(
        ("query", "text"),
        [
            ("action=play&set=9x2&joker=1", "play 9 9 J"),
            ("action=play&set=13x8", "play 13 13 13 13 13 13 13 13"),
            ("action=play&joker=1&joker=2", "play J J"),
            ("action=play&set=J", "play J"),
            ("action=play&set=E", "play E"),
            ("action=donkey&set=9x2", "play E"),
            ("action=ox", "play O"),
            ("action=pass&set=9x2", "pass"),
            ("text=+PLAY+9++9+j&set=4x1", "play 9 9 J"),
            ("text=Pass", "pass"),
        ],
    )
    def test_reads_moves(self, query, text):
        assert read(query).texts == (text,)
        assert not read(query).problem

    @pytest.mark.parametrize(
        "chosen", ["", "0x1", "14x1", "9x0", "9x9", "9", "x", "9x2x", "９x2", "EE", "é", "9x-1"]
    )
    def test_garbage_is_no_choice(self, chosen):
        data = QueryDict(mutable=True)
        data.update({"action": "play", "set": chosen})
        selection = forms.read_ochs_esel(data)
        assert selection.texts == () and selection.cards == ()
        assert selection.problem == "Choose the cards to play first."

    def test_more_jokers_than_there_are(self):
        assert read("action=play&" + "joker=1&" * 50).texts == ("play J J J J",)

    def test_an_action_that_is_none(self):
        selection = read("action=undo&set=9x2")
        assert selection.texts == () and selection.problem == "That is no move of this game."
        assert selection.cards == ("9", "9")

    def test_only_looks(self):
        selection = read("action=look&set=9x2&joker=3")
        assert selection.looks and not selection.texts
        assert selection.cards == ("9", "9", "J")


class TestSetup:
    def test_as_usual(self):
        assert forms.read_setup(QueryDict("")) == Setup(
            players=5, options={"rounds": 5, "ox": False}, bots=("steady",) * 4, pace="normal"
        )

    def test_as_asked(self):
        setup = forms.read_setup(
            QueryDict("players=3&rounds=20&ox=1&level=easy&level-2=steady&pace=slow")
        )
        assert setup == Setup(
            players=3, options={"rounds": 20, "ox": True}, bots=("easy", "steady"), pace="slow"
        )

    @pytest.mark.parametrize(
        "query", ["players=2", "players=13", "rounds=0", "rounds=21", "rounds=five", "level=genius"]
    )
    def test_what_no_table_can_have(self, query):
        with pytest.raises(Refused) as refused:
            forms.read_setup(QueryDict(query))
        assert refused.value.status == 400
        assert str(refused.value.message).endswith(".")


# -- the tally ------------------------------------------------------------------------------------

TALLIES = [
    {
        "round": 1,
        "points": [27, 0, 41],
        "laid": [16, 0, 0],
        "donkey": 2,
        "ox": None,
        "out": [1],
        "started": 1,
        "starts": 2,
    },
    {
        "round": 2,
        "points": [0, 12, 0],
        "laid": [0, 0, 0],
        "donkey": None,
        "ox": 1,
        "out": [0, 2],
        "started": None,
        "starts": 0,
    },
    {
        "round": 3,
        "points": [5, 20, 1],
        "laid": [0, 0, 0],
        "donkey": 1,
        "ox": 2,
        "out": [],
        "started": None,
        "starts": None,
    },
]


class TestTally:
    def test_by_hand(self):
        rows = sheet(TALLIES, ["Anna", "Bea", "Carlo"])
        assert [row.round for row in rows] == [1, 2, 3]
        assert [row.started for row in rows] == ["Bea", "Carlo", "Anna"]
        assert [row.donkey for row in rows] == ["Carlo", "", "Bea"]
        assert [row.ox for row in rows] == ["", "Bea", "Carlo"]
        assert [[cell.points for cell in row.cells] for row in rows] == [
            [27, 0, 41],
            [0, 12, 0],
            [5, 20, 1],
        ]
        assert [[cell.total for cell in row.cells] for row in rows] == [
            [27, 0, 41],
            [27, 12, 41],
            [32, 32, 42],
        ]
        assert [cell.laid for cell in rows[0].cells] == [16, 0, 0]
        assert [[cell.out for cell in row.cells] for row in rows] == [
            [False, True, False],
            [True, False, True],
            [False, False, False],
        ]

    def test_nothing_yet(self):
        assert sheet([], ["Anna", "Bea", "Carlo"]) == []

    def test_the_whole_sheet_names_who_shares_the_win(self):
        found = whole(TALLIES, ["Anna", "Bea", "Carlo"], [0, 1], {"ox": True})
        assert found.totals == (32, 32, 42)
        assert found.winners == ("Anna", "Bea")

    def test_of_a_record_that_begins_in_the_middle(self):
        state = state_of(position("9", "2 3", "4 J E", tallies=((5, 1, 0),)))
        after, log = played(state, "play 9", "pass", "pass")
        tallies = [entry.report["tally"] for entry in log if "tally" in entry.report]
        found = pages.whole_tally(table_of(after, 1, log=log, tallies=tallies))
        assert [row.round for row in found.rows] == [1, 2]
        assert [row.started for row in found.rows] == ["", ""]
        assert [row.donkey for row in found.rows] == ["", "Carlo"]
        assert found.totals == (5, 6, 38)
        assert found.names == ("Anna", "You", "Carlo")

    def test_beside_the_table(self):
        state = state_of(position("9", "2 3", "4 J E", tallies=((5, 1, 7), (2, 6, 1))))
        found = pages.tally_context(table_of(state, 1))
        assert found["rounds"] == [1, 2] and found["now"] == 3
        assert [
            (row["name"], row["points"], row["total"], row["best"]) for row in found["rows"]
        ] == [
            ("Anna", [5, 2], 7, True),
            ("You", [1, 6], 7, True),
            ("Carlo", [7, 1], 8, False),
        ]

    def test_beside_the_table_the_last_rounds_of_a_long_game(self):
        tallies = tuple((number, 0, 0) for number in range(1, 9))
        state = state_of(position("9", "2 3", "4 J E", tallies=tallies), rounds=20)
        found = pages.tally_context(table_of(state, 1))
        assert found["rounds"] == [5, 6, 7, 8] and found["now"] == 9
        assert found["rows"][-1]["total"] == 36


def test_a_long_tally_is_left_to_its_own_page():
    def present(rounds: int) -> dict[str, Any]:
        tallies = ((1, 2, 3),) * rounds
        state = state_of(position("9", "2 3", "4 J E", tallies=tallies), rounds=20)
        return pages.present_ochs_esel(table_of(state, 1))

    assert present(0)["sheet"] is None
    assert len(present(4)["sheet"].rows) == 4
    assert present(20 - 1)["sheet"] is not None  # 57 cells
    tallies = ((1,) * 12,) * 6
    state = state_of(position(*["9"] * 8, *["8"] * 3, "J E", tallies=tallies), rounds=20)
    assert pages.present_ochs_esel(table_of(state, 1))["sheet"] is None


def test_summary_and_the_end():
    assert pages.summary(rules.view(FIVE, 0)).words == "round 1 of 5 · turn round 9"
    state = state_of(position("9", "2 3", "4 J E"), rounds=1)
    after, log = played(state, "play 9", "pass", "pass")
    assert pages.summary(rules.view(after, 0)).words == "1 round played"
    over = pages.present_ochs_esel(table_of(after, 1, log=log))["over"]
    assert over["head"] == "You did not win"
    assert over["why"] == "Anna wins, with the fewest: 0 minus points."
    assert over["line"] == "5 minus points in 1 round, place 2 of 3"
    assert SEED in over["share"]
    assert over["again"] == [
        ("players", 3),
        ("level-0", "steady"),
        ("level-1", "me"),
        ("level-2", "steady"),
        ("rounds", 1),
        ("pace", "normal"),
    ]


class TestLeaving:
    def over(self, **more: Any) -> dict[str, Any]:
        state = state_of(position("9", "2 3", "4 J E", **more))
        return pages.present_ochs_esel(table_of(state, 1, retired=True))["over"]

    def test_before_the_first_round_has_ended(self):
        over = self.over()
        assert over["head"] == "You left the table" and not over["won"]
        assert over["why"] == "The game ended with it, and counts as not won."
        assert over["line"] == "After 0 finished rounds"
        assert "place" not in over["share"] and "minus point" not in over["share"]

    def test_after_finished_rounds(self):
        over = self.over(tallies=((5, 1, 7), (2, 6, 1)))
        assert over["line"] == "7 minus points after 2 finished rounds"
        assert "You left the table: 7 minus points after 2 finished rounds" in over["share"]

    def test_practice_counts_for_nothing_anyway(self):
        state = state_of(position("9", "2 3", "4 J E"))
        table = table_of(state, 1)
        leaving = pages.present_ochs_esel(table)["tools"]["leaving"]
        assert leaving == "The game ends for everybody, and it counts as not won."
        table.game.ranked = False
        leaving = pages.present_ochs_esel(table)["tools"]["leaving"]
        assert leaving == "The game ends for everybody."
        table.game.is_over = table.game.retired = True
        assert pages.present_ochs_esel(table)["over"]["why"] == "The game ended with it."


def test_ones_own_cards_are_shown_at_the_end():
    state = state_of(position("9", "2 3", "4 J E"), rounds=1)
    after, log = played(state, "play 9", "pass", "pass")
    assert pages.present_ochs_esel(table_of(after, 1, log=log))["over"]["hand"] == ["2", "3"]
    assert pages.present_ochs_esel(table_of(after, 0, log=log))["over"]["hand"] == []


def test_what_stays_in_the_page_does_not_name_a_round():
    """The top bar and the heading are not swapped when a round has ended."""
    state = state_of(position("1 9", "2 9", "2 E", "3 O", ox=True), ox=True)
    context = pages.present_ochs_esel(table_of(state))
    assert context["size"] == context["about"] == "four players, 5 rounds, with the ox"
    state = state_of(position("1 9", "2 9", "2 E"), rounds=1)
    assert pages.present_ochs_esel(table_of(state))["size"] == "three players, 1 round"


def test_nobody_is_you_where_a_bystander_looks():
    state, log = played(state_of(position("6 6", "8 8 1", "9 9 1", "3 3", "2 E")), "play 6 6")
    people = tuple(replace(sitter, me=False) for sitter in people_of(5))
    for at, shown in ((0, state), (1, state), (1, state_of(position("9", "2 3", "4 J E")))):
        table = table_of(shown, at, log=log if shown is state else [], replay=Replay(1, 9))
        table = replace(table, people=people[: len(shown.hands)])
        for text in texts_in(pages.present_ochs_esel(table)):
            # What is said of the place of the person who looks has no place in a replay's page.
            assert not re.search(r"\b[Yy]ours?\b|\b[Yy]ou\b", text), text


def test_layout_hides_what_the_seat_does_not_see():
    kind = registry.get("ochs-esel")
    state = state_of(position("4 O", "1 9", "2 E", laid={}, ox=True), ox=True)
    shown = kind.layout(state, 1)
    assert [place.cards for place in shown if not place.hidden] == [("1", "9"), ()]
    everything = sorted(card for place in shown for card in place.cards)
    assert everything == sorted([*rules.texts(rules.PACK), "E", "O"])


def test_the_shuffle_is_the_rules_own():
    kind = registry.get("ochs-esel")
    shuffle, start = kind.shuffles(9, {})
    assert (start.label, start.below) == ("start", 9)
    assert shuffle.label == "round-1"
    assert shuffle.cards.split(" ") == rules.texts(rules.PACK)
    assert "12 cards" in str(shuffle.makes)


# -- pages ----------------------------------------------------------------------------------------

LEAD = position("2 3 3 J J E", "4 J", "5 6", "2 6", "1 7")
FOLLOW = position("3 8 9 9 10 J E", "4", "6", "8 8 2", "1 7", leader=3) | {
    "turn": 0,
    "table": [[3, ["8", "8"]], [4, []]],
    "kind": "plain",
    "count": 2,
    "value": 8,
    "best": 3,
}
FOLLOW["hands"][3] = ["2"]
OX = position("3 J E", "4 5", "6", "O 2", "1 7", leader=3, ox=True, laid={}) | {
    "turn": 0,
    "table": [[3, ["O"]], [4, ["7"]]],
    "kind": "ox",
    "count": 1,
    "value": 7,
    "best": 4,
}
OX["hands"][3], OX["hands"][4] = ["2"], ["1"]
OTHERS = position("2 3 J J E", "4 J", "5 6", "2 6", "1 7", leader=1)
POSITIONS = {
    "start": (None, {}),
    "lead": (LEAD, {}),
    "follow": (FOLLOW, {}),
    "ox": (OX, {"ox": True}),
    "others": (OTHERS, {}),
    "later": (LEAD | {"round": 2, "tallies": [[1, 2, 3, 4, 5]], "totals": [1, 2, 3, 4, 5]}, {}),
}
EACH = pytest.mark.parametrize("name", POSITIONS)


@pytest.fixture
def owner(db):
    return guest()


@pytest.fixture
def browser(owner):
    return Browser(owner)


def game_at(owner: Any, name: str) -> Game:
    at, options = POSITIONS[name]
    setup = Setup(players=5, options=options, bots=("steady",) * 4)
    game, _user = services.start_game(
        user=owner, slug="ochs-esel", ranked=False, seed=SEED, setup=setup
    )
    if at is not None:
        game.state = at
        rules.check(game.load())
        game.save()
    return game


@EACH
class TestPage:
    def test_is_a_whole_page_with_names_for_everything(self, owner, browser, name):
        page = page_of(browser.look(address(game_at(owner, name))))
        ids = [names["id"] for _tag, names in page.elements if "id" in names]
        assert len(set(ids)) == len(ids)
        for _tag, names in page.elements:
            for attribute in ("aria-labelledby", "aria-describedby", "for", "aria-controls"):
                assert set((names.get(attribute) or "").split()) <= set(ids)

    def test_draws_symbols_that_the_sprite_has(self, owner, browser, name):
        sprite = (Path(__file__).parents[2] / "static/img/cards.svg").read_text("utf-8")
        there = set(re.findall(r'id="([^"]+)"', sprite))
        page = page_of(browser.look(address(game_at(owner, name))))
        assert {names["href"].partition("#")[2] for names in page.all("use")} <= there

    def test_every_barred_control_says_why(self, owner, browser, name):
        response = browser.look(address(game_at(owner, name)))
        html = response.content.decode()
        page = page_of(response)
        barred = [names for names in page.all("input") if "disabled" in names]
        barred += [names for names in page.all("button") if names.get("aria-disabled") == "true"]
        for names in barred:
            if names.get("id") == "act-main":
                continue  # it says in its own words what is missing
            told = re.search(rf'id="{names["aria-describedby"]}"[^>]*>([^<]+)<', html)
            assert told and len(told[1]) > 3, names

    def test_the_same_as_a_fragment(self, owner, browser, name):
        fragment_of(browser.look(address(game_at(owner, name)), htmx=True))


def inputs(page: Page) -> list[str]:
    """The hand's controls that are free."""
    return [
        f"{names['name']}={names['value']}"
        for names in page.all("input")
        if names.get("name") in ("set", "joker") and "disabled" not in names
    ]


class TestTable:
    def test_offers_what_may_be_played(self, owner, browser):
        page = page_of(browser.look(address(game_at(owner, "lead"))))
        assert inputs(page) == [
            *("set=2x1", "set=3x1", "set=3x2", "joker=1", "joker=2", "set=E"),
        ]
        page = page_of(browser.look(address(game_at(owner, "follow"))))
        assert inputs(page) == ["set=9x1", "set=9x2", "set=10x1", "joker=1"]
        page = page_of(browser.look(address(game_at(owner, "ox"))))
        assert inputs(page) == ["set=3x1", "set=J"]
        page = page_of(browser.look(address(game_at(owner, "others"))))
        assert inputs(page) == []

    def test_plays_what_was_chosen(self, owner, browser):
        game = game_at(owner, "follow")
        sent = {"version": game.version, "action": "play", "set": "9x1", "joker": "1"}
        response = browser.send(address(game, "move"), htmx=True, **sent)
        assert response.status_code == 200
        game.refresh_from_db()
        assert game.state["table"][-1] == [0, ["9", "J"]]

    def test_a_refused_play_says_why_and_keeps_the_choice(self, owner, browser):
        game = game_at(owner, "follow")
        sent = {"version": game.version, "action": "play", "set": "9x2", "joker": "1"}
        response = browser.send(address(game, "move"), htmx=True, **sent)
        assert response.status_code == 400
        page = fragment_of(response)
        assert "play exactly 2 of a higher value" in page.words
        checked = [
            names["id"]
            for names in page.all("input")
            if "checked" in names and names["name"] in ("set", "joker")
        ]
        assert checked == ["set-9x2", "joker-1"]

    def test_says_what_a_choice_would_do(self, owner, browser):
        game = game_at(owner, "follow")
        sent = {"version": game.version, "set": "9x1", "joker": "1"}
        response = browser.send(address(game, "preview"), htmx=True, **sent)
        words = Page(response.content.decode()).words
        assert "two 9s" in words and "tops two 8s" in words
        assert "You keep 3, 8, 9, 10, donkey: 50 minus points" in words
        assert "Play two 9s" in words

    def test_without_a_script(self, owner, browser):
        game = game_at(owner, "follow")
        sent = {"version": game.version, "set": "9x2"}
        looked = page_of(browser.send(address(game, "move"), action="look", **sent))
        assert "tops two 8s" in looked.words
        assert looked.all("input", id="set-9x2", checked=None)
        response = browser.send(address(game, "move"), action="play", **sent)
        assert response.status_code == 302
        game.refresh_from_db()
        assert game.state["table"][-1] == [0, ["9", "9"]]
        assert looked.all("noscript")

    def test_every_number_has_its_key(self, owner, browser):
        page = page_of(browser.look(address(game_at(owner, "follow"))))
        assert [names["data-chooses"] for names in page.all("li") if "data-chooses" in names] == [
            *("9", "0", "j"),
        ]

    def test_waits_for_others_without_controls(self, owner, browser):
        page = page_of(browser.look(address(game_at(owner, "others"))))
        assert page.all("form", id="advance")
        assert "’s turn" in page.words

    def test_rules_page(self, client):
        page = page_of(client.get("/ochs-esel/rules/"))
        assert page.words.count("Ruling") > 8

    def test_twelve_at_a_table(self, owner, browser):
        setup = Setup(players=12, options={"ox": True}, bots=("steady",) * 11)
        game, _user = services.start_game(user=owner, slug="ochs-esel", ranked=True, setup=setup)
        page = page_of(browser.look(address(game)))
        assert len([at for at in page.all("li") if "seat" in (at.get("class") or "").split()]) == 11
