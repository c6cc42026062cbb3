"""The table of Ouroboros Trick as pages: every sentence, every control, what may be sent; and what
both games of several seats have: the form of a new table, the frame, the home page."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import QueryDict

from ouroboros_site.accounts.models import User
from ouroboros_site.engine.errors import RulesError
from ouroboros_site.play import registry
from ouroboros_site.play.models import Game
from ouroboros_site.play.registry import Selection, Setup
from ouroboros_site.play.services import Refused, start_game
from ouroboros_site.play.tables import Entry, Replay, Sitter, Table, game_info
from tests.ouroboros_site.play.helpers import (
    SEED,
    TOKEN,
    Browser,
    finish,
    fragment_of,
    guest,
    page_of,
    record,
    submit,
)
from tests.ouroboros_site.play.helpers import table as address
from tests.tricks.rules.positions import decoded, trick_position
from tricks.forms import fields_of
from tricks.forms.trick import read_setup, read_trick
from tricks.kinds import TRICK, together_trick
from tricks.presenters import trick as pages
from tricks.rules import trick as rules

RECORDS = Path(__file__).parents[1] / "data" / "records"
GAMES = [
    *sorted(path.stem for path in RECORDS.glob("trick-0*.json")),
    *sorted(f"starts/{path.stem}" for path in (RECORDS / "starts").glob("trick-*.json")),
]
NAMES = ("Judit", "Mira", "Tomás", "Basil", "Oksana")


# -- a table that is in no database ---------------------------------------------------------------


def sitters(players: int, me: int) -> tuple[Sitter, ...]:
    return tuple(
        [
            Sitter(seat, NAMES[seat], "" if seat == me else "easy", seat == me)
            for seat in range(players)
        ]
    )


def seen(state: Any, seat: int = 0, *, log: Any = (), ranked: bool = True, **more: Any) -> Table:
    """The table as a seat sees it."""
    players = len(state.hands)
    outcome = rules.outcome(state)
    game = Game(pk=1, slug="trick", players=players, seed=state.seed, ranked=ranked)
    game.ply = game.version = len(log)
    game.finished = outcome and "now"
    game.result = outcome and {
        "termination": outcome.termination.value,
        "scores": list(outcome.scores),
        "winners": list(outcome.winners),
    }

    def why_not(text: str) -> str | None:
        assert rules.turn(state) == seat, "the rules would answer for another hand"
        try:
            error = rules.refusal(state, rules.parse_move(text))
        except RulesError as unreadable:
            error = unreadable
        return str(error) if error else None

    advance = outcome is None and rules.turn(state) != seat
    return Table(
        game=game_info(game, seat),
        seat=seat,
        people=sitters(players, seat),
        view=rules.view(state, seat),
        why_not=why_not,
        log=list(log),
        advance=advance,
        **more,
    )


def at(*hands: str, **description: Any) -> Any:
    """A state; see ``trick_position``."""
    return decoded(trick_position(*hands, **description))


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


def check_words(context: dict[str, Any], secret: str | None) -> None:
    for text in texts_in(context):
        assert "%(" not in text and "None" not in text and "  " not in text, text
        # Cards are written for people: red 7, never R7 (but in values of controls).
        if " " in text and not re.match(r"(play|discard) [RYGB]\d", text):
            assert not re.search(r"\b[RYGB]\d+\b", text), text
        if secret:
            assert secret not in text


@pytest.mark.parametrize("name", GAMES)
def test_every_position_can_be_put_into_words_for_every_seat(name):
    data = record(name)
    players = data["players"]
    state = rules.start(data["seed"], players)
    if "start" in data:
        state = decoded(data["start"], data["seed"])
    log: list[Entry] = []
    for ply, text in enumerate([*data["moves"], None]):
        secret = None if rules.outcome(state) else data["seed"]
        seat = ply % players
        hand = rules.view(state, seat)["hand"]
        newest = log[::-1]
        for chosen in ((), tuple(hand[:1]), tuple(hand[:3]), ("R1", "B9")):
            shown = seen(state, seat, log=newest[:30], selection=Selection(cards=chosen))
            check_words(pages.present_trick(shown), secret)
        check_words(pages.present_trick(seen(state, seat, message="No.")), secret)
        check_words(pages.present_trick(seen(state, seat, replay=Replay(ply, 99))), secret)
        assert TRICK.summary(rules.view(state, seat)).words
        if text is not None:
            move = rules.parse_move(text)
            log.append(Entry(ply + 1, rules.turn(state), text, rules.report(state, move)))
            state = rules.apply(state, move)


# -- the log --------------------------------------------------------------------------------------


def said(state: Any, text: str, me: int = 3) -> str:
    """The log's line of a move, as the seat ``me`` reads it."""
    move = rules.parse_move(text)
    entry = Entry(1, rules.turn(state), text, rules.report(state, move))
    return str(pages.say_trick(entry, sitters(len(state.hands), me)))


class TestSentences:
    """What moves did, for the player and for the others."""

    HANDS = ("R7 R9 B1 B2", "R4 Y3 Y4 Y5", "R8 G5 G6 G7", "R2 B8 B9 B12")

    def test_a_lead_a_following_card_and_a_trump(self):
        start = at(*self.HANDS)
        assert said(start, "play R7") == "Judit leads red 7."
        assert said(start, "play R7", me=0) == "You lead red 7."
        second = at(*self.HANDS, on_table="R3", leader=3)
        assert said(second, "play R9") == "Judit plays red 9."
        assert said(second, "play R9", me=0) == "You play red 9."
        without = at("B1 B2 B3 B4", *self.HANDS[1:], on_table="R3", leader=3)
        assert said(without, "play B1") == "Judit trumps with blue 1."
        assert said(without, "play B1", me=0) == "You trump with blue 1."

    @pytest.mark.parametrize(
        ("table", "me", "words"),
        [
            (
                "R10 R5 R6",
                1,
                "Judit wins the trick: red 12 is the highest, and nobody trumped. "
                "The lowest number is 5. Judit discards 5 cards.",
            ),
            (
                "R10 R5 R6",
                0,
                "You win the trick: your red 12 is the highest, and nobody trumped. "
                "The lowest number is 5. You discard 5 cards.",
            ),
            (
                "R10 G1 R6",
                0,
                "Tomás wins the trick: green 1 is the only trump. "
                "The lowest number is 1. Tomás discards 1 card.",
            ),
            (
                "R10 G1 R6",
                2,
                "You win the trick: your green 1 is the only trump. "
                "The lowest number is 1. You discard 1 card.",
            ),
            (
                "R10 G3 B2",
                0,
                "Tomás wins the trick: green 3 is the highest trump. "
                "The lowest number is 2. Tomás discards 2 cards.",
            ),
            (
                "R10 G3 B2",
                2,
                "You win the trick: your green 3 is the highest trump. "
                "The lowest number is 2. You discard 2 cards.",
            ),
            (
                "R10 G3 B3",
                1,
                "Basil wins the trick: of equal trumps the last one wins, blue 3. "
                "The lowest number is 3. Basil discards 3 cards.",
            ),
            (
                "R10 G3 B3",
                3,
                "You win the trick: of equal trumps the last one wins, your blue 3. "
                "The lowest number is 3. You discard 3 cards.",
            ),
        ],
    )
    def test_who_won_a_trick_and_why_and_what_it_costs(self, table, me, words):
        six = "Y1 Y2 Y7 Y8 Y9 Y10"
        state = at(
            f"R12 {six}", "G4 G5 G6 G7", "G8 G9 G10 B4", "B5 B6 B7 B8", on_table=table, leader=1
        )
        line = said(state, "play R12", me)
        assert line.startswith("You play red 12. " if me == 0 else "Judit plays red 12. ")
        assert line.split(". ", 1)[1] == words

    def test_exactly_so_many_in_hand_go_without_asking(self):
        state = at(
            "R9 Y1 Y2", "R4", "R8", "R2 B8", on_table="R3 R5", leader=2, pools={1: "G1 G2 G3 G4"}
        )
        line = said(state, "play R9", me=0)
        assert "The lowest number is 3." not in line  # two are still to play
        last = at("R9 Y1 B5", "R4 G9", "R8 G8", "R5 B8", on_table="R3 R6 R2", leader=1)
        assert said(last, "play R9", me=1) == (
            "Judit plays red 9. Judit wins the trick: red 9 is the highest, and nobody trumped. "
            "The lowest number is 2. That is Judit’s whole hand, and all of it goes: "
            "yellow 1 and blue 5. Judit’s pool becomes the hand."
        )
        assert said(last, "play R9", me=0).endswith(
            "That is your whole hand, and all of it goes: yellow 1 and blue 5. "
            "Your pool becomes your hand."
        )
        one = at("R9 B5", "R4 G9", "R8 G8", "R5 B8", on_table="R3 R6 R1", leader=1)
        assert said(one, "play R9", me=1).endswith(
            "The lowest number is 1. That is Judit’s whole hand, and it goes: blue 5. "
            "Judit’s pool becomes the hand."
        )
        assert said(one, "play R9", me=0).endswith(
            "That is your whole hand, and it goes: blue 5. Your pool becomes your hand."
        )

    def test_a_smaller_hand_goes_and_the_pool_follows(self):
        state = at("R9 Y1", "R4 G9", "R8 G8", "R5 B8", on_table="R3 R6 R7", leader=1)
        assert said(state, "play R9", me=1) == (
            "Judit plays red 9. Judit wins the trick: red 9 is the highest, and nobody trumped. "
            "The lowest number is 3. Judit’s whole hand goes (yellow 1), and the pool becomes "
            "the hand. Of it Judit still discards 2 cards."
        )
        assert said(state, "play R9", me=0).endswith(
            "Your whole hand goes (yellow 1), and your pool becomes your hand. "
            "Of it you still discard 2 cards."
        )

    def test_an_empty_hand_that_a_trick_saves(self):
        state = at("B9", "R4 G9", "R8 G8", "R5 B8", on_table="R3 R6 R7", leader=1)
        assert said(state, "play B9", me=1).endswith(
            "The lowest number is 3. Judit’s hand is empty, and the pool becomes the hand. "
            "Of it Judit still discards 3 cards."
        )
        assert said(state, "play B9", me=0).endswith(
            "Your hand is empty, and your pool becomes your hand. Of it you still discard 3 cards."
        )

    def test_all_that_the_winner_has_goes(self):
        state = at("Y12", "R4 G9", "R8 G8", "R5 B8", on_table="R6 R7 R10", leader=1)
        line = said(state, "play Y12", me=1)
        assert line.endswith(
            "The lowest number is 6. All that Judit has goes: red 6, red 7, red 10 and yellow 12. "
            "Judit has neither hand nor pool, and loses."
        )
        assert said(state, "play Y12", me=0).endswith(
            "All that you have goes: red 6, red 7, red 10 and yellow 12. "
            "You have neither hand nor pool: you lose, and the others survive."
        )

    def test_discards_and_what_follows_them(self):
        state = at(
            "Y1 Y2 Y5",
            "R4 G9",
            "R8 G8",
            "R5 B8",
            phase="discard",
            owed=2,
            pools={0: "R1 R2 R3 R6"},
            tricks=3,
        )
        assert said(state, "discard Y2") == "Judit discards yellow 2."
        assert said(state, "discard Y2", me=0) == "You discard yellow 2."
        done = at(
            "Y1 Y5",
            "G9",
            "G8",
            "",
            phase="discard",
            owed=1,
            pools={0: "R1 R2 R3 R6", 3: "B1 B2 B3 B4"},
            tricks=3,
        )
        assert (
            said(done, "discard Y5", me=0) == "You discard yellow 5. Basil’s pool becomes the hand."
        )
        assert (
            said(done, "discard Y5", me=3)
            == "Judit discards yellow 5. Your pool becomes your hand."
        )

    def test_discards_that_came_together_are_told_together(self):
        state = at("Y1 Y2 Y5", "R4 G9", "R8 G8", "R5 B8", phase="discard", owed=2,
                   pools={0: "R2 R3 R6 R7"})  # fmt: skip
        log: list[Entry] = []
        for text in ("discard Y5", "discard Y1"):
            move = rules.parse_move(text)
            log.insert(0, Entry(len(log) + 1, 0, text, rules.report(state, move)))
            state = rules.apply(state, move)
        context = pages.present_trick(seen(state, 1, log=log))
        assert str(context["last"]) == context["said"] == "Judit discards yellow 5 and yellow 1."
        assert [str(line) for line in context["log"]] == [
            "Judit discards yellow 1.",
            "Judit discards yellow 5.",
        ]

    @pytest.mark.parametrize(
        ("losers", "me", "words"),
        [
            ([1], 0, "Mira has neither hand nor pool, and loses."),
            ([1], 1, "You have neither hand nor pool: you lose, and the others survive."),
            ([1, 2], 0, "Mira and Tomás have neither hand nor pool, and lose."),
            ([0, 2], 0, "You and Tomás have neither hand nor pool, and lose."),
            ([0, 1, 2, 3], 0, "Nobody has a card left, in hand or pool: all lose."),
            ([], 0, ""),
        ],
    )
    def test_who_lost(self, losers, me, words):
        assert pages.losers_words({"losers": losers}, sitters(4, me)) == words


# -- whose turn it is -----------------------------------------------------------------------------


class TestTurn:
    HANDS = ("R7 Y9", "R4 Y3", "G5 G6", "R2 B8")

    @pytest.mark.parametrize(
        ("position", "seat", "words"),
        [
            ({}, 0, "You lead: any card of your hand."),
            ({}, 1, "You play next."),
            ({}, 3, "You play after Tomás."),
            ({"on_table": "R3", "leader": 3}, 0, "Basil led red: you must follow."),
            (
                {"on_table": "B3 B4 B5", "leader": 1},
                0,
                "Mira led blue, and you hold none: any card is a trump. You are the last to play.",
            ),
            ({"on_table": "R3", "leader": 3}, 3, "You have played to this trick."),
            (
                {"phase": "discard", "owed": 1, "pools": {0: "B1 B2 B3 B4"}, "tricks": 2},
                0,
                "You won the trick: choose 1 card to discard.",
            ),
            (
                {"phase": "discard", "owed": 1, "pools": {0: "B1 B2 B3 B4"}, "tricks": 2},
                2,
                "Judit won the trick, and has 1 card to discard.",
            ),
        ],
    )
    def test_in_words(self, position, seat, words):
        context = pages.present_trick(seen(at(*self.HANDS, **position), seat))
        assert context["turn"] == words

    def test_anothers_turn_says_whose_and_asks_for_nothing(self):
        context = pages.present_trick(seen(at(*self.HANDS), 2))
        assert context["others_turn"] == "Judit’s turn"
        assert context["main"]["name"] == "Wait for Judit" and context["main"]["barred"]
        assert context["preview"] is None
        assert not any(item["barred"] for item in context["hand"])
        assert [seat["now"] for seat in context["sitting"]] == [False, False, True, False]

    @pytest.mark.parametrize(
        ("players", "places"), [(3, "s w e"), (4, "s w n e"), (5, "s w nw ne e")]
    )
    def test_everybody_sits_clockwise_from_oneself(self, players, places):
        state = rules.start(SEED, players)
        for seat in range(players):
            sitting = pages.present_trick(seen(state, seat))["sitting"]
            assert [each["place"] for each in sitting] == places.split()
            assert [each["seat"] for each in sitting] == [
                (seat + by) % players for by in range(players)
            ]
            assert sitting[0]["name"] == "You" and sitting[0]["me"]


# -- the hand and what a card would do ------------------------------------------------------------


class TestHand:
    def test_each_barred_card_says_why(self):
        state = at("R7 Y9 G1 B2", "R4 Y3", "G5 G6", "R2 B8", on_table="R3", leader=3)
        context = pages.present_trick(seen(state))
        assert {item["card"]: item["barred"] for item in context["hand"]} == {
            "R7": "",
            **dict.fromkeys(("Y9", "G1", "B2"), "You hold red cards: follow the red 3."),
        }
        assert context["why"] == "You hold red cards: follow the red 3."

    def test_nothing_is_barred_where_nothing_is(self):
        context = pages.present_trick(seen(at("R7 Y9", "R4 Y3", "G5 G6", "R2 B8")))
        assert context["why"] == "" and not any(item["barred"] for item in context["hand"])

    def test_a_long_hand_has_a_key_for_each_card_as_long_as_they_last(self):
        cards = " ".join(f"{suit}{number}" for suit in "RYG" for number in range(1, 14))
        state = at(cards, "B1", "B2", "B3", "B4")
        keys = [item["key"] for item in pages.present_trick(seen(state))["hand"]]
        assert len(keys) == 39 and keys[:11] == list("1234567890q")
        given = [key for key in keys if key]
        assert len(given) == len(set(given)) == 36

    def choose(self, state: Any, *cards: str, seat: int = 0) -> Any:
        return pages.present_trick(seen(state, seat, selection=Selection(cards=cards)))

    def rows(self, state: Any, *cards: str) -> list[str]:
        return [row["text"] for row in self.choose(state, *cards)["preview"]["rows"]]

    def test_a_lead(self):
        state = at("R7 Y9", "R4 Y3", "G5 G6", "R2 B8")
        context = self.choose(state, "R7")
        assert context["preview"]["title"] == "Red 7"
        assert context["main"]["name"] == "Play red 7" and not context["main"]["barred"]
        assert self.rows(state, "R7") == [
            "Red is led: who has one follows",
            "Lowest so far: 7",
        ]

    def test_a_card_that_leads_the_trick_or_does_not(self):
        state = at("R2 R9 Y8", "R4 Y3", "G5 G6", "R1 B8", on_table="R3", leader=3)
        assert self.rows(state, "R9") == [
            "It leads the trick",
            "Lowest is 3: the winner must discard as many",
        ]
        assert self.rows(state, "R2") == [
            "Basil’s red 3 still wins",
            "Lowest is 2: the winner must discard as many",
        ]

    def test_the_last_card_of_a_trick(self):
        state = at("R2 R9 Y8 Y7 Y6 Y5", "R4 Y3 Y2", "R5 R6", "G9", on_table="R3 R7 B1", leader=1)
        assert self.rows(state, "R9") == [
            "Basil’s trump still wins",
            "Lowest is 1: Basil must discard 1",
            "That is the whole hand, and the pool follows",
        ]
        state = at("R2 R9 Y8 Y7 Y6 Y5", "R4 Y3 Y2", "R5 R6", "G9", on_table="R3 R7 R8", leader=1)
        assert self.rows(state, "R9") == ["It wins the trick", "Lowest is 3: you must discard 3"]
        assert self.rows(state, "R2") == [
            "Basil’s red 8 still wins",
            "Lowest is 2: Basil must discard 2",
            "With 1 in hand, the pool follows",
        ]

    def test_what_empties_the_hand(self):
        pools = {0: "G1 G2 G3"}
        state = at("R2", "R4 Y3", "R5 B6", "G9 G8", on_table="R3 R7", leader=1)
        assert self.rows(at("R2", "R4 Y3", "R5", on_table="R3", leader=2, pools=pools), "R2")[
            -1
        ] == ("Your last card: then your pool of 3 cards becomes your hand")
        lead = at("R2", "R4 Y3", "R5 B6", "G9 G8")
        assert self.rows(lead, "R2")[-1] == (
            "Your last card, and no pool: only the trick can save you"
        )
        last = at("R2", "R4 Y3", "R5 B6", "G9 G8", on_table="R3 R7 R8", leader=1)
        assert self.rows(last, "R2")[-1] == "Your last card, and no pool: you lose"
        won = at("R9", "R4 Y3", "R5 B6", "G9 G8", on_table="R1 R7 R8", leader=1)
        assert self.rows(won, "R9")[-1] == "Your last card, but the trick keeps you alive"
        assert state.trick  # the position is one of the game

    def test_a_trick_that_costs_the_winner_everything(self):
        state = at("R9", "R4 Y3", "R5 B6", "G9 G8", on_table="R6 R7 R8", leader=1)
        context = self.choose(state, "R9")
        row = next(
            row for row in context["preview"]["rows"] if row["text"] == "That is all you have"
        )
        assert row["ends"]

    def test_discards_are_counted(self):
        state = at(
            "R1 R2 Y3 Y4",
            "G1 G2",
            "G3 G4",
            "G5 G6",
            phase="discard",
            owed=2,
            pools={0: "B1 B2 B3 B4"},
            tricks=2,
        )
        none = self.choose(state)
        assert none["several"] and none["preview"] is None
        assert none["main"] | {"key": ""} == {
            "value": "discard",
            "key": "",
            "name": "Discard 2 cards",
            "note": "0 of 2 chosen",
            "barred": False,
        }
        one = self.choose(state, "Y3")
        assert one["main"]["barred"] and one["main"]["note"] == "1 of 2 chosen"
        assert one["preview"]["title"] == "1 of 2 chosen"
        assert self.rows(state, "Y3", "R1") == ["Yellow 3 and red 1", "You keep 2 cards in hand"]
        assert not self.choose(state, "Y3", "R1")["main"]["barred"]
        assert self.rows(state, "Y3", "R1", "R2")[-1] == "1 too many"
        assert self.choose(state, "Y3", "R1", "R2")["main"]["barred"]

    @pytest.mark.parametrize("cards", [("B9",), ("R7", "Y9"), ("Y9",)])
    def test_no_preview_of_what_may_not_be_played(self, cards):
        state = at("R7 Y9", "R4 Y3", "G5 G6", "R2 B8", on_table="R3", leader=3)
        assert self.choose(state, *cards)["preview"] is None

    def test_a_preview_needs_nothing_that_is_hidden(self):
        state = at("R2 R9", "R4 Y3", "G5 G6", "R1 B8", on_table="R3", leader=3)
        other = at("R2 R9", "B1 Y1", "B5 Y6", "B7 Y8", on_table="R3", leader=3)
        assert self.choose(state, "R9")["preview"] == self.choose(other, "R9")["preview"]


# -- what is read ---------------------------------------------------------------------------------


def posted(**fields: Any) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in fields.items():
        data.setlist(name.replace("_", "-"), value if isinstance(value, list) else [value])
    return data


class TestForms:
    @pytest.mark.parametrize(
        ("fields", "texts"),
        [
            ({"action": "play", "card": "R7"}, ("play R7",)),
            ({"action": "discard", "card": ["R7", "B15"]}, ("discard R7", "discard B15")),
            (
                {"action": "discard", "card": ["R7", "B15"], "order": "B15 R7"},
                ("discard B15", "discard R7"),
            ),
            (
                {"action": "discard", "card": ["R7", "B15"], "order": "B15 R8"},
                ("discard R7", "discard B15"),
            ),
            ({"text": "  PLAY  r7 "}, ("play R7",)),
            ({"text": "discard r5 Y3"}, ("discard R5", "discard Y3")),
            ({"text": "discard R5"}, ("discard R5",)),
            ({"text": "dance"}, ("dance",)),
            ({"text": "play R5 R6"}, ("play R5 R6",)),
            ({"text": " "}, ("",)),
        ],
    )
    def test_what_the_controls_say(self, fields, texts):
        selection = read_trick(posted(**fields))
        assert selection.texts == texts and not selection.problem

    @pytest.mark.parametrize(
        ("fields", "problem"),
        [
            ({}, "That is no move of this game."),
            ({"action": "win"}, "That is no move of this game."),
            ({"action": "play"}, "Choose a card to play first."),
            ({"action": "discard"}, "Choose the cards to discard first."),
            ({"action": "play", "card": "R16"}, "Choose a card to play first."),
            ({"action": "play", "card": ["\0", "R７", "r7"]}, "Choose a card to play first."),
            ({"action": "play", "card": ["R7", "R8"]}, "One card is played at a time."),
        ],
    )
    def test_what_they_lack(self, fields, problem):
        selection = read_trick(posted(**fields))
        assert selection.problem == problem and selection.texts == ()

    def test_to_look_is_no_move(self):
        selection = read_trick(posted(action="look", card="R7"))
        assert selection == Selection(cards=("R7",), looks=True)

    @pytest.mark.parametrize(
        ("phase", "owed", "texts", "problem"),
        [
            ("play", 0, ["play R7"], ""),
            ("play", 0, ["play R7", "play R8"], "One card is played at a time."),
            ("discard", 2, ["discard R7", "discard R8"], ""),
            ("discard", 2, ["discard R7"], "Choose exactly 2 cards to discard: you chose 1."),
            (
                "discard",
                1,
                ["discard R7", "discard R8"],
                "Choose exactly 1 card to discard: you chose 2.",
            ),
            (
                "discard",
                2,
                ["discard R7", "discard R7"],
                "The same card cannot be discarded twice.",
            ),
        ],
    )
    def test_moves_that_go_together(self, phase, owed, texts, problem):
        assert together_trick({"phase": phase, "owed": owed}, texts) == problem


class TestNewTable:
    def test_nothing_said_is_the_usual_table(self):
        assert read_setup(QueryDict("")) == Setup(players=4, bots=("steady",) * 3, pace="normal")

    @pytest.mark.parametrize(
        ("fields", "setup"),
        [
            ({"players": "3", "level": "easy"}, Setup(players=3, bots=("easy",) * 2)),
            (
                {
                    "players": " 5 ",
                    "level": "easy",
                    "level_2": "steady",
                    "level_4": "",
                    "pace": "slow",
                },
                Setup(players=5, bots=("easy", "steady", "easy", "easy"), pace="slow"),
            ),
            ({"players": "3", "level_3": "nonsense"}, Setup(players=3, bots=("steady",) * 2)),
        ],
    )
    def test_what_is_said(self, fields, setup):
        assert read_setup(posted(**fields)) == setup

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"players": "2"}, "This game is played by 3 to 5 people."),
            ({"players": "6"}, "This game is played by 3 to 5 people."),
            ({"players": "four"}, "This game is played by 3 to 5 people."),
            ({"players": "٤"}, "This game is played by 3 to 5 people."),
            ({"players": "-4"}, "This game is played by 3 to 5 people."),
            ({"players": "9" * 5000}, "This game is played by 3 to 5 people."),
            ({"level": "grandmaster"}, "There is no such level of bots."),
            ({"level_1": "\0"}, "There is no such level of bots."),
            ({"pace": "-1"}, "Bots play slowly, normally or instantly."),
        ],
    )
    def test_what_cannot_be(self, fields, words):
        with pytest.raises(Refused) as caught:
            read_setup(posted(**fields))
        assert caught.value.status == 400 and str(caught.value.message) == words

    def test_the_form_shows_what_was_sent(self):
        fields = fields_of(TRICK, posted(players="5", level="easy", level_2="steady", pace="slow"))
        assert fields["players"] == 5 and fields["level"] == "easy" and fields["pace"] == "slow"
        assert [seat["level"] for seat in fields["seats"]] == ["", "", "steady", "", ""]
        assert fields["mixed"]
        usual = fields_of(TRICK, posted(players="x"))
        assert usual["players"] == 4 and not usual["mixed"] and usual["pace"] == "normal"


# -- pages ----------------------------------------------------------------------------------------


@pytest.fixture
def owner(db):
    return guest()


@pytest.fixture
def browser(owner):
    return Browser(owner)


def seated(
    owner: User, players: int = 4, position: dict[str, Any] | None = None, **more: Any
) -> Game:
    """A practice game of ``owner``, who has seat 0, with bots."""
    setup = Setup(players=players, bots=("easy",) * (players - 1), **more)
    game, _user = start_game(user=owner, slug="trick", ranked=False, seed=SEED, setup=setup)
    if position is not None:
        game.state = position
        game.rules.check(game.load())
        game.save()
    return game


FOLLOW = trick_position("R7 Y9 G1 B2", "R4 Y3 Y2", "R6 G5 G6", "R2 B8", on_table="R3", leader=3)
LEAD = trick_position("R7 Y9", "R4 Y3", "G5 G6")
DISCARD = trick_position(
    "R1 R2 Y3 Y4", "G1 G2", "G3 G4", "G5 G6", "G7 G8",
    phase="discard", owed=2, pools={0: "B2 B3 B4 B5 B6"},
)  # fmt: skip
OTHERS = trick_position("R7 Y9", "R4 Y3", "G5 G6", "R2 B8", leader=2)
POSITIONS = pytest.mark.parametrize(
    ("players", "position"),
    [(3, LEAD), (4, FOLLOW), (5, DISCARD), (4, OTHERS), (3, None), (5, None)],
    ids=["lead", "follow", "discard", "others", "start 3", "start 5"],
)


@POSITIONS
class TestTable:
    def test_is_a_whole_page_with_names_for_everything(self, owner, browser, players, position):
        page = page_of(browser.look(address(seated(owner, players, position))))
        ids = [names["id"] for _tag, names in page.elements if "id" in names]
        assert len(set(ids)) == len(ids)
        for _tag, names in page.elements:
            for attribute in ("aria-labelledby", "aria-describedby", "for", "aria-controls"):
                assert set((names.get(attribute) or "").split()) <= set(ids)
        for form in page.all("form", method="post"):
            assert form["action"].startswith("/")
        posted = len(page.all("form", method="post"))
        assert len(page.all("input", name="csrfmiddlewaretoken")) == posted

    def test_draws_symbols_that_the_sprite_has(self, owner, browser, players, position):
        sprite = (Path(__file__).parents[2] / "static/img/cards.svg").read_text("utf-8")
        there = set(re.findall(r'id="([^"]+)"', sprite))
        page = page_of(browser.look(address(seated(owner, players, position))))
        assert {names["href"].partition("#")[2] for names in page.all("use")} <= there

    def test_every_card_not_barred_can_be_chosen_and_played(
        self, owner, browser, players, position
    ):
        game = seated(owner, players, position)
        state = game.load()
        page = page_of(browser.look(address(game)))
        free = [
            names["value"] for names in page.all("input", name="card") if "disabled" not in names
        ]
        buttons = page.all("button", name="action", id="act-main")
        if rules.turn(state) != 0:
            assert not buttons
            return
        legal = [rules.format_move(move).split() for move in rules.legal_moves(state)]
        assert [card for _verb, card in legal] == free
        [button] = buttons
        assert {verb for verb, _card in legal} == {button["value"]}
        for names in page.all("input", name="card"):
            if "disabled" in names:
                assert names["aria-describedby"] == "why-hand"
                assert "follow the" in page.words
            assert names["type"] == ("checkbox" if button["value"] == "discard" else "radio")


class TestPages:
    def test_whoever_waits_asks_for_the_next_move(self, owner, browser):
        game = seated(owner, 4, OTHERS)
        response = browser.look(address(game))
        page = page_of(response)
        [form] = page.all("form", id="advance")
        assert form["action"] == form["hx-post"] == address(game, "advance")
        assert re.fullmatch(r"load delay:\d+ms, submit, every 8s", form["hx-trigger"])
        [button] = page.all("button", form="advance")
        assert "Go on" in page.words and button["id"] == "go-on"
        assert "Wait for" in page.words

    def test_on_ones_own_turn_nothing_drives_the_table(self, owner, browser):
        page = page_of(browser.look(address(seated(owner, 4, FOLLOW))))
        assert not page.all("form", id="advance") and not page.all("button", form="advance")

    def test_going_on_without_a_script(self, owner, browser):
        game = seated(owner, 4, OTHERS)
        response = browser.send(address(game, "advance"), version=game.version)
        assert response.status_code == 302
        game.refresh_from_db()
        assert game.ply == 1

    def test_a_card_is_played_with_the_form(self, owner, browser):
        game = seated(owner, 4, FOLLOW)
        response = browser.send(
            address(game, "move"), htmx=True, version=game.version, action="play", card="R7"
        )
        page = fragment_of(response)
        assert "You play red 7." in page.words
        assert not page.all("div", **{"hx-swap-oob": "innerHTML:#last"})

    def test_a_barred_card_is_refused_with_the_reason(self, owner, browser):
        game = seated(owner, 4, FOLLOW)
        response = browser.send(
            address(game, "move"), htmx=True, version=game.version, action="play", card="Y9"
        )
        assert response.status_code == 409 or response.status_code == 400
        assert "You hold red cards: follow the red 3." in fragment_of(response).words

    def test_discards_go_together_or_not_at_all(self, owner, browser):
        game = seated(owner, 5, DISCARD)
        send = {"htmx": True, "version": game.version, "action": "discard"}
        short = browser.send(address(game, "move"), card=["R1"], **send)
        assert short.status_code == 400
        page = fragment_of(short)
        assert "Choose exactly 2 cards to discard: you chose 1." in page.words
        [kept] = [names for names in page.all("input", name="card") if "checked" in names]
        assert kept["value"] == "R1"
        game.refresh_from_db()
        assert game.ply == 0
        done = browser.send(address(game, "move"), card=["R1", "Y4"], order="Y4 R1", **send)
        assert done.status_code == 200
        game.refresh_from_db()
        assert [move.text for move in game.moves.order_by("ply")] == ["discard Y4", "discard R1"]

    def test_the_trick_that_ended_stays_with_who_won_it_and_why(self, owner, browser):
        position = trick_position(
            "R9 Y1 Y2 Y3 Y4 Y5", "R4 G9", "R8 G8", "R5 B8", on_table="R3 R6 R7", leader=1
        )
        game = seated(owner, 4, position)
        response = browser.send(
            address(game, "move"), htmx=True, version=game.version, action="play", card="R9"
        )
        page = fragment_of(response)
        won = "You win the trick: your red 9 is the highest, and nobody trumped."
        assert won in page.words and "The lowest number is 3. You discard 3 cards." in page.words
        html = response.content.decode()
        pad = html[html.index("trickpad ended") : html.index("h-discard")]
        assert re.findall(r"c-([RYGB]\d+)", pad) == ["R3", "R6", "R7", "R9"]
        # It can be looked at once more, outside the table.
        last = html[html.index("innerHTML:#last") :]
        assert re.findall(r"c-([RYGB]\d+)", last) == ["R3", "R6", "R7", "R9"]
        again = page_of(browser.look(address(game)))
        assert again.all("details", id="d-last") and won in again.words

    def test_the_end_says_who_lost_and_what_can_be_done(self, owner, browser):
        position = trick_position("R9 Y1 Y2 Y3", "", "G8", "B8", on_table="R3 R4 R2", leader=1)
        game = seated(owner, 4, position)
        submit(game, owner, "play R9")
        submit(game, owner, "discard Y1", "discard Y2")
        page = page_of(browser.look(address(game)))
        loser = game.seats.get(index=1).name
        assert "You survived" in page.words
        assert f"{loser} has neither hand nor pool, and loses." in page.words
        game.refresh_from_db()
        starts = page.all("form", action="/trick/start")
        assert len(starts) == 2
        assert {names["value"] for names in page.all("input", name="players")} == {"4"}
        assert {names["value"] for names in page.all("input", name="level-3")} == {"easy"}
        assert [names["value"] for names in page.all("input", name="seed")] == [SEED]
        assert f"/games/{game.pk}/replay/" in page.links() and "/trick/new/" in page.links()
        assert any("seed=" + SEED in link and "players=4" in link for link in page.links())

    def test_leaving_ends_the_game_in_words(self, owner, browser):
        game = seated(owner, 4, FOLLOW)
        page = page_of(browser.look(address(game)))
        assert "Leave the table" in page.words and "Retire" not in page.words
        finish(game, owner)
        page = page_of(browser.look(address(game)))
        assert "You left the table" in page.words
        assert "The game ended with it." in page.words, "practice counts for nothing"
        assert "not won" not in page.words
        ranked, _user = start_game(user=owner, slug="trick", ranked=True)
        finish(ranked, owner)
        page = page_of(browser.look(address(ranked)))
        assert "The game ended with it, and counts as not won." in page.words

    def test_the_end_shows_what_the_player_has_left(self, owner, browser):
        game = seated(owner, 5, DISCARD)
        finish(game, owner)
        response = browser.look(address(game))
        page, html = page_of(response), response.content.decode()
        assert "In hand: red 1 1 red 2 2 yellow 3 3 yellow 4 4" in page.words
        assert "In pool: blue 2 2 blue 3 3 blue 4 4 blue 5 5 blue 6 6" in page.words
        assert not {"G1", "G2", "G3", "G8"} & set(re.findall(r"c-([RYGB]\d+)", html))
        result = html[html.index('class="result"') : html.index('class="next"')]
        assert "green" not in result

    def test_nothing_left_is_no_row_of_cards(self, owner, browser):
        position = trick_position("Y12", "R4 G9", "R8 G8", "R5 B8", on_table="R6 R7 R10", leader=1)
        game = seated(owner, 4, position)
        submit(game, owner, "play Y12")
        page = page_of(browser.look(address(game)))
        assert "You lost" in page.words
        assert "In hand:" not in page.words and "In pool:" not in page.words

    def test_only_ones_own_cards_are_in_the_page(self, owner, browser):
        game = seated(owner, 4)
        html = browser.look(address(game)).content.decode()
        own = set(game.state["hands"][0])
        assert set(re.findall(r"\bc-([RYGB]\d+)", html)) == own

    def test_bots_pace_is_chosen_at_the_table(self, owner, browser):
        game = seated(owner, 4, FOLLOW)
        page = page_of(browser.look(address(game)))
        [checked] = [names for names in page.all("input", name="pace") if "checked" in names]
        assert checked["value"] == "normal" and checked["hx-post"] == address(game, "pace")
        answer = browser.send(address(game, "pace"), htmx=True, version=game.version, pace="slow")
        [checked] = [n for n in fragment_of(answer).all("input", name="pace") if "checked" in n]
        assert checked["value"] == "slow"

    def test_moves_can_be_typed(self, owner, browser):
        game = seated(owner, 5, DISCARD)
        send = {"htmx": True, "version": game.version}
        wrong = browser.send(address(game, "move"), text="discard r1", **send)
        page = fragment_of(wrong)
        [field] = page.all("input", name="text")
        assert field["value"] == "discard R1" and "Choose exactly 2" in page.words
        assert browser.send(address(game, "move"), text="discard r1 y3", **send).status_code == 200
        game.refresh_from_db()
        assert game.ply == 2


class TestOtherPages:
    def test_the_home_page_offers_every_game(self, client, db):
        page = page_of(client.get("/"))
        for kind in registry.all_kinds():
            slug = kind.rules.SLUG
            assert page.all("form", action=f"/{slug}/start")
            assert f"/{slug}/rules/" in page.links()
        for kind in registry.shared_kinds():
            assert f"/{kind.rules.SLUG}/new/" in page.links()
        assert "Four card games" in page.words

    def test_one_click_sits_down_at_a_table(self, owner, browser):
        response = browser.send("/trick/start", once=TOKEN)
        game = Game.objects.get()
        assert response.headers["Location"] == address(game)
        assert game.players == 4 and game.ranked
        page = page_of(browser.look("/"))
        assert "trick 1 · 12 in hand, 0 in pool" in page.words
        finish(game, owner)
        assert "Left before the end" in page_of(browser.look("/")).words

    @pytest.mark.parametrize(
        "kind", list(registry.shared_kinds()), ids=lambda kind: kind.rules.SLUG
    )
    def test_the_form_of_a_new_table(self, client, db, kind):
        page = page_of(client.get(f"/{kind.rules.SLUG}/new/"))
        numbers = [names["value"] for names in page.all("input", name="players")]
        assert numbers == [str(number) for number in kind.rules.SEATS]
        usual = kind.read_setup(QueryDict(""))
        [checked] = [n["value"] for n in page.all("input", name="players") if "checked" in n]
        assert checked == str(usual.players)
        selects = [n["name"] for n in page.all("select") if n["name"].startswith("level")]
        assert selects == ["level", *[f"level-{seat}" for seat in range(kind.rules.SEATS[-1])]]
        assert bool(page.all("input", name="rounds")) == ("rounds" in usual.options)
        assert bool(page.all("input", name="ox")) == ("ox" in usual.options)
        assert [n["value"] for n in page.all("input", name="pace")] == ["slow", "normal", "instant"]

    @pytest.mark.parametrize("slug", ["trick", "ochs-esel"])
    def test_the_form_as_it_comes_starts_the_usual_table(self, owner, browser, slug):
        page = page_of(browser.look(f"/{slug}/new/"))
        fields = {
            names["name"]: names.get("value", "")
            for names in page.all("input")
            if names.get("type") not in ("radio", "checkbox") or "checked" in names
            if names["name"] != "csrfmiddlewaretoken"
        }
        fields.pop("next", None)
        fields |= {name: "" for name in ("theme", "suits", "motion") if name in fields}
        response = browser.send(f"/{slug}/start", **fields)
        assert response.status_code == 302, page_of(response).words
        game = Game.objects.get()
        usual = registry.get(slug).read_setup(QueryDict(""))
        assert (game.players, game.options, game.pace) == (
            usual.players,
            usual.options,
            usual.pace,
        )

    def test_an_error_comes_back_in_words_with_what_was_sent(self, owner, browser):
        response = browser.send("/trick/start", players="9", level="easy", pace="slow", once=TOKEN)
        assert response.status_code == 400
        page = page_of(response)
        assert "This game is played by 3 to 5 people." in page.words
        assert [n["value"] for n in page.all("input", name="pace") if "checked" in n] == ["slow"]
        assert [
            n["value"] for n in page.all("option") if "selected" in n
        ] and not Game.objects.exists()

    def test_the_rules_are_linked_from_each_other_and_draw_real_cards(self, client, db):
        for kind in registry.all_kinds():
            page = page_of(client.get(f"/{kind.rules.SLUG}/rules/"))
            assert {f"/{other.rules.SLUG}/rules/" for other in registry.all_kinds()} <= set(
                page.links()
            )
        page = page_of(client.get("/trick/rules/"))
        ids = {names["id"] for _tag, names in page.elements if "id" in names}
        assert {link[1:] for link in page.links() if link.startswith("#")} <= ids
        assert page.words.count("Ruling ") >= 5

    def test_worked_examples_of_the_rules_page_are_right(self):
        html = (Path(__file__).parents[2] / "templates/tricks/rules_trick.html").read_text("utf-8")
        examples = re.findall(r'<div class="sumrow">(.*?)<span class="hit">(\w+) wins', html)
        names = ["Anna", "Bela", "Carlo", "Dana", "Emil"]
        assert len(examples) == 4
        for row, winner in examples:
            cards = tuple([rules.CARDS[card] for card in re.findall(r'tcard "(\w+)"', row)])
            assert names[rules.best(cards)] == winner


def test_a_deal_is_told_for_every_number_of_players():
    for players in rules.SEATS:
        shuffle, lead = TRICK.shuffles(players, {})
        assert (shuffle.label, lead.label) == ("deal", "lead")
        assert shuffle.cards.split() == rules.texts(rules.deck(players))
