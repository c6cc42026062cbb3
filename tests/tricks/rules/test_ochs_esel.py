"""Ochs & Esel, rule by rule; a test named ``test_ruling_…`` holds one ruling of its page."""

import contextlib
import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros_site.engine import record
from ouroboros_site.engine.errors import InvalidRecord, RulesError
from ouroboros_site.engine.protocol import Termination
from ouroboros_site.engine.shuffle import pick, shuffle
from tests.solitaire.rules.positions import after as after_any
from tests.solitaire.rules.positions import legal_texts, refused, show
from tricks.rules import ochs_esel

from .ochs_esel_positions import DEALT, PACK, SEED, in_order, position, state

BOTH = pytest.mark.parametrize("ox", [False, True])
FULL = 8 * 91 + 4 * 14
"""The minus points of all cards that are dealt."""


def after(before: Any, *moves: str) -> Any:
    """The state after some moves, written without ``play``."""
    return after_any(ochs_esel, before, *map(text, moves))


def text(move: str) -> str:
    return move if move == "pass" else f"play {move}"


def legal(there: Any) -> list[str]:
    """The legal moves, written without ``play``, sorted."""
    return sorted([move.removeprefix("play ") for move in legal_texts(ochs_esel, there)])


def report(before: Any, *moves: str) -> dict[str, Any]:
    """What the last of some moves does."""
    before = after(before, *moves[:-1])
    return ochs_esel.report(before, ochs_esel.parse_move(text(moves[-1])))


def why(there: Any, move: str) -> str:
    """Why a move is refused."""
    return refused(ochs_esel, there, text(move))


def seen(there: Any, keys: str) -> list[Any]:
    return show(ochs_esel, there, keys)


# --- Deal ----------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("players", ochs_esel.SEATS)
def test_everybody_is_dealt_as_many_cards_as_the_table_says(players: int, ox: bool) -> None:
    first = ochs_esel.start(SEED, players, {"ox": ox})
    pack = list(shuffle(SEED, "round-1", PACK))
    size, starter = DEALT[players], pick(SEED, "start", players)
    hands = [in_order(pack[seat * size : seat * size + size]) for seat in range(players)]
    if not ox:
        hands[starter].append("E")
    assert ochs_esel.position(first) == position(
        *map(" ".join, hands), leader=starter, ox=ox, turn_round=1
    ) | {"gone": [], "aside": in_order(pack[players * size :])}
    assert len(pack) - players * size == [69, 56, 43, 30, 17, 4, 0, 8, 9, 0][players - 3]
    ochs_esel.check(first)


@pytest.mark.parametrize("players", ochs_esel.SEATS)
def test_ruling_the_first_starting_player_is_picked_and_holds_the_donkey(players: int) -> None:
    first = ochs_esel.start(SEED, players)
    assert ochs_esel.turn(first) == pick(SEED, "start", players)
    view = ochs_esel.view(first, None)
    assert view["holders"] == {"E": view["turn"], "O": None}
    assert "E" in legal(first)
    with_ox = ochs_esel.start(SEED, players, {"ox": True})
    assert ochs_esel.turn(with_ox) == pick(SEED, "start", players)
    assert ochs_esel.view(with_ox, None)["holders"] == {"E": None, "O": None}
    assert seen(with_ox, "middle") == ["O E"]


def test_a_game_has_five_rounds_without_the_ox_unless_agreed_otherwise() -> None:
    first = ochs_esel.start(SEED)
    assert ochs_esel.encode(first)["options"] == {"rounds": 5, "ox": False}
    assert len(first.hands) == 3
    for rounds in (1, 20):
        assert ochs_esel.view(ochs_esel.start(SEED, 3, {"rounds": rounds}), 0)["rounds"] == rounds
    for options in ({"rounds": 0}, {"rounds": 21}, {"rounds": True}, {"ox": 1}, {"oxen": True}):
        with pytest.raises(InvalidRecord):
            ochs_esel.start(SEED, 3, options)


# --- Turn round ----------------------------------------------------------------------------------

ANNA = ("1 6 6 6", "1 8 8 8", "1 E", "1 11 11 11", "1 2")
"""Anna, Beate, Christian, Darius and Erika."""


def test_the_turn_round_that_anna_starts() -> None:
    anna = state(*ANNA)
    beate = after(anna, "6 6 6")
    assert seen(beate, "turn kind count value best table") == [
        1, "plain", 3, 6, 0, [[0, "6 6 6"]],
    ]  # fmt: skip
    assert legal(beate) == ["8 8 8", "pass"]
    christian = after(beate, "8 8 8")
    assert legal(christian) == ["pass"]
    erika = after(christian, "pass", "11 11 11")
    assert seen(erika, "turn count value best") == [4, 3, 11, 3]
    darius = after(erika, "pass")
    assert seen(darius, "turn leader kind count value best table turn_round hands") == [
        3, 3, "plain", 0, -1, None, "", 10, ["1", "1", "1 E", "1", "1 2"],
    ]  # fmt: skip
    gone = ochs_esel.position(darius)["gone"]
    assert len(gone) - len(ochs_esel.position(anna)["gone"]) == 9
    assert report(erika, "pass") == {
        "do": "pass",
        "lead": False,
        "over": False,
        "table": [
            [0, ["6"] * 3], [1, ["8"] * 3], [2, []], [3, ["11"] * 3], [4, []],
        ],
        "winner": 3,
        "kind": "plain",
        "best": ["11"] * 3,
        "takes": None,
        "number_taken": 0,
        "animal": None,
        "turn_round": 9,
    }  # fmt: skip


def test_the_leader_chooses_the_number_and_must_play() -> None:
    there = state("3 6 6 6", "1 2", "1 E")
    assert legal(there) == ["3", "6", "6 6", "6 6 6"]
    assert why(there, "pass") == "The leader may not pass: play one or more cards of one value."
    assert "have one value" in why(there, "3 6")
    assert why(there, "7") == "There is no 7 in your hand."
    assert why(there, "3 3") == "Of the card 3 you hold only 1."


def test_a_player_tops_with_exactly_as_many_or_passes_even_if_he_could() -> None:
    there = after(state("5 5 1", "5 5 8 8 8 9 E", "6 6 12"), "5 5")
    assert legal(there) == ["8 8", "pass"]
    sentence = "To top 2 cards of value 5, play exactly 2 of a higher value, or pass."
    for move in ("8", "8 8 8", "5 5", "9"):
        assert why(there, move) == sentence
    single = after(state("5 5 1", "5 5 8 8 8 9 E", "6 6 12"), "5")
    assert legal(single) == ["8", "9", "pass"]
    sentence = "To top the 5, play exactly one card of a higher value, or pass."
    assert why(single, "5") == why(single, "8 8") == sentence
    assert seen(after(there, "pass"), "value best turn") == [5, 0, 2]


def test_cards_may_be_listed_in_any_order() -> None:
    there = state("6 6 J", "1 2", "1 E")
    expected = after(there, "6 6 J")
    assert after(there, "6 J 6") == after(there, "J 6 6") == expected
    assert ochs_esel.format_move(ochs_esel.parse_move("play J 6 6")) == "play 6 6 J"
    assert ochs_esel.parse_move("play 13 E 2") == ochs_esel.parse_move("play 2 13 E")


# --- Jokers --------------------------------------------------------------------------------------


def test_two_elevens_and_a_joker_are_three_elevens() -> None:
    there = state("11 11 J 2", "11 11 11 4", "12 12 12 E")
    beate = after(there, "11 11 J")
    assert seen(beate, "count value") == [3, 11]
    assert report(there, "11 11 J") == {
        "do": "play",
        "lead": True,
        "cards": ["11", "11", "J"],
        "number": 3,
        "value": 11,
        "kind": "plain",
        "over": False,
    }
    assert legal(beate) == ["pass"]
    assert legal(after(beate, "pass")) == ["12 12 12", "pass"]


def test_jokers_alone_are_worth_fourteen_and_nothing_tops_them() -> None:
    there = after(state("13 13 1", "J J 2", "J J E"), "13 13")
    assert legal(there) == ["J J", "pass"]
    top = after(there, "J J")
    assert seen(top, "value best") == [14, 1]
    assert legal(top) == ["pass"]
    assert why(top, "J J") == "Nothing tops jokers played alone: pass."
    assert report(there, "J J")["value"] == 14
    single = after(state("J 1", "13 2", "J E"), "J")
    assert seen(single, "count value") == [1, 14]
    assert legal(single) == ["pass"]


def test_every_mix_of_numbers_and_jokers_is_its_own_move() -> None:
    there = state("6 6 J J O", "8", "9 E", ox=True)
    assert legal(there) == [
        "6", "6 6", "6 6 J", "6 6 J J", "6 J", "6 J J", "J", "J J", "O",
    ]  # fmt: skip
    follow = after(state("4 4 4 1", "6 6 6 J J J 7", "9 E"), "4 4 4")
    assert legal(follow) == ["6 6 6", "6 6 J", "6 J J", "7 J J", "J J J", "pass"]


def test_a_joker_does_not_make_an_animal_or_a_mixture() -> None:
    there = state("6 7 J E", "8 9", "9 10")
    assert why(there, "J E") == why(there, "6 E") == "The donkey is played alone."
    assert "have one value" in why(there, "6 7 J")


# --- Donkey --------------------------------------------------------------------------------------

CHRISTIAN = ("5 E", "2 6", "1 7", "2 3", "4 J")
"""Christian, who leads the donkey, then Darius, Erika, Anna and Beate."""


def test_the_donkey_turn_round_that_christian_starts() -> None:
    before = state(*CHRISTIAN)
    darius = after(before, "E")
    assert seen(darius, "turn kind count value best table") == [
        1, "donkey", 1, 0, 0, [[0, "E"]],
    ]  # fmt: skip
    assert legal(darius) == ["2", "6"]
    sentence = "The donkey is led: play exactly one card, of any value; nobody may pass."
    assert why(darius, "pass") == sentence
    assert why(after(before, "E", "2", "1", "2"), "4 J") == sentence
    beate = after(darius, "2", "1", "2")
    # Of the two 2s the one played last counts.
    assert seen(beate, "value best") == [2, 3]
    anna = after(beate, "J")
    assert seen(anna, "turn leader kind hands barred turn_round") == [
        3, 3, "plain", ["5", "6", "7", "1 2 2 3 J E", "4"], "E", 10,
    ]  # fmt: skip
    assert ochs_esel.position(anna)["gone"] == ochs_esel.position(before)["gone"]
    assert "E" not in legal(anna)
    assert why(anna, "E") == (
        "You received the donkey in the last turn round: "
        "it may be led in the next one at the earliest."
    )
    done = report(beate, "J")
    assert (done["value"], done["kind"]) == (1, "donkey")
    assert (done["winner"], done["best"], done["takes"], done["number_taken"]) == (
        3, ["2"], "hand", 5,
    )  # fmt: skip


def test_one_card_of_any_value_is_played_to_the_donkey() -> None:
    there = after(state("5 E", "2 2 6 J", "1 7"), "E", "6")
    assert legal(there) == ["1", "7"]
    pair = after(state("5 E", "2 2 6 J", "1 7"), "E")
    assert legal(pair) == ["2", "6", "J"]
    assert why(pair, "2 2").startswith("The donkey is led: play exactly one card")


def test_a_joker_is_worth_one_in_the_donkeys_turn_round() -> None:
    there = after(state("3 E", "1 4", "5 J"), "E", "1")
    assert report(there, "J")["winner"] == 2  # Equal to the 1, and later.
    assert report(there, "J")["value"] == 1
    there = after(state("3 E", "2 4", "5 J"), "E", "2")
    assert report(there, "J")["winner"] == 1


def test_only_the_leader_plays_the_donkey() -> None:
    there = after(state("7 8", "9 E", "2 6"), "7")
    assert why(there, "E") == "Only the leader may play the donkey."
    assert legal(there) == ["9", "pass"]


def test_the_donkey_is_barred_for_one_turn_round_only() -> None:
    there = after(state("2 9 E", "3 8 J", "5 6 7"), "E", "8", "7")
    assert seen(there, "leader barred hands") == [1, "E", ["2 9", "3 7 8 J E", "5 6"]]
    assert "E" not in legal(there)
    there = after(there, "3", "pass", "pass")
    assert seen(there, "leader barred") == [1, ""]
    assert "E" in legal(there)
    assert seen(after(there, "E"), "kind value count") == ["donkey", 0, 1]


def test_ruling_the_bar_does_not_reach_into_a_new_round() -> None:
    # Seat 2 takes the donkey in the last turn round of the round, and leads it at once.
    there = after(state("E", "8", "9 5"), "E", "8", "9")
    assert seen(there, "round leader barred turn_round") == [2, 2, "", 1]
    assert "E" in legal(there)
    assert seen(after(there, "E"), "kind table") == ["donkey", [[2, "E"]]]


# --- End of a round ------------------------------------------------------------------------------


def test_three_ten_and_a_joker_are_27() -> None:
    there = after(state("3 10 J", "5", "1 E", leader=1, rounds=1), "5", "pass", "pass")
    assert seen(there, "tallies totals phase winners turn") == [
        [[27, 0, 21]], [27, 0, 21], "over", [1], None,
    ]  # fmt: skip
    assert ochs_esel.minus_points(["3", "10", "J"]) == 27
    assert ochs_esel.minus_points(["1", "E"]) == 21
    assert ochs_esel.minus_points(["O"]) == 15


def test_the_round_goes_on_to_the_end_of_the_turn_round() -> None:
    there = after(state("5", "6 7", "1 E", rounds=1), "5")
    assert seen(there, "phase round hands") == ["play", 1, ["", "6 7", "1 E"]]
    assert seen(after(there, "pass", "pass"), "tallies") == [[[0, 13, 21]]]
    assert seen(after(there, "7", "pass"), "tallies leader") == [[[0, 6, 21]], 1]


def test_ruling_a_hand_is_empty_only_after_the_cards_are_taken() -> None:
    # Seat 1 plays the last card, but takes all three.
    there = after(state("3 E", "9", "2 5"), "E", "9", "2")
    assert seen(there, "round hands leader barred") == [1, ["3", "2 9 E", "5"], 1, "E"]
    # Unless another has got rid of all cards.
    there = after(state("E", "9", "2 5"), "E", "9", "2")
    assert seen(there, "round tallies") == [2, [[0, 31, 5]]]


def test_the_donkeys_holder_keeps_it_and_starts_the_next_round() -> None:
    there = after(state("5", "6 7", "1 E"), "5", "7", "pass")
    assert seen(there, "round turn_round leader turn gone") == [2, 1, 2, 2, ""]
    pack = list(shuffle(SEED, "round-2", PACK))
    hands = [in_order(pack[seat * 13 : seat * 13 + 13]) for seat in range(3)]
    assert ochs_esel.position(there)["hands"] == [hands[0], hands[1], [*hands[2], "E"]]
    assert ochs_esel.position(there)["aside"] == in_order(pack[39:])
    tally = report(state("5", "6 7", "1 E"), "5", "7", "pass")["tally"]
    assert tally == {
        "round": 1,
        "points": [0, 6, 21],
        "laid": [0, 0, 0],
        "donkey": 2,
        "ox": None,
        "out": [0],
        "started": pick(SEED, "start", 3),
        "starts": 2,
    }


def test_the_report_of_an_end_tells_nothing_of_the_next_deal() -> None:
    done = report(state("5", "6 7", "1 E"), "5", "7", "pass")
    assert done["totals"] == [0, 6, 21]
    assert done["over"] is False and "winners" not in done
    assert set(done) == {
        "do", "lead", "over", "table", "winner", "kind", "best", "takes", "number_taken",
        "animal", "turn_round", "tally", "totals",
    }  # fmt: skip
    last = report(state("5", "6 7", "1 E", rounds=1), "5", "7", "pass")
    assert (last["over"], last["winners"], last["tally"]["starts"]) == (True, [0], None)
    second = state("5", "6 7", "1 E", tallies=((0, 9, 30),), rounds=2)
    assert report(second, "5", "7", "pass")["tally"]["started"] is None
    assert report(second, "5", "7", "pass")["totals"] == [0, 15, 51]


def test_ruling_the_fewest_minus_points_win_and_equals_share_the_win() -> None:
    there = state("5", "6", "1 E", tallies=((12, 12, 40),), rounds=2)
    there = after(there, "5", "6", "pass")
    assert seen(there, "tallies totals winners phase") == [
        [[12, 12, 40], [0, 0, 21]], [12, 12, 61], [0, 1], "over",
    ]  # fmt: skip
    outcome = ochs_esel.outcome(there)
    assert outcome is not None
    assert outcome.termination is Termination.ROUNDS_PLAYED
    assert (outcome.scores, outcome.winners) == ((12, 12, 61), (0, 1))
    assert ochs_esel.scores(there) == (12, 12, 61)


def test_at_the_end_all_stays_as_it_lies_but_the_table() -> None:
    there = after(state("3 10 J", "5", "1 E", leader=1, rounds=1), "5", "pass", "pass")
    assert seen(there, "hands leader round turn_round kind count value best table barred") == [
        ["3 10 J", "", "1 E"], 1, 1, 9, "plain", 0, -1, None, "", "",
    ]  # fmt: skip
    assert legal(there) == []
    for move in ("pass", "5", "3"):
        assert why(there, move) == "The game is over."


# --- Ox ------------------------------------------------------------------------------------------


def test_the_winners_of_the_first_two_turn_rounds_take_ox_and_donkey() -> None:
    there = ochs_esel.start(SEED, 3, {"ox": True})
    first = [ochs_esel.turn(there), (there.turn + 1) % 3, (there.turn + 2) % 3]
    lead = legal(there)[0]
    facts = report(there, lead, "pass", "pass")
    assert (facts["animal"], facts["takes"], facts["winner"]) == ("O", None, first[0])
    there = after(there, lead, "pass", "pass")
    assert seen(there, "middle barred turn_round turn") == ["E", "O", 2, first[0]]
    assert ochs_esel.view(there, None)["holders"] == {"E": None, "O": first[0]}
    assert why(there, "O") == (
        "You received the ox in the last turn round: it may be led in the next one at the earliest."
    )
    lead = legal(there)[0]
    assert report(there, lead, "pass", "pass")["animal"] == "E"
    there = after(there, lead, "pass", "pass")
    assert seen(there, "middle barred turn_round") == ["", "E", 3]
    # Two turn rounds ago is long enough.
    assert "O" in legal(there) and "E" not in legal(there)
    lead = legal(there)[0]
    assert report(there, lead, "pass", "pass")["animal"] is None
    assert seen(after(there, lead, "pass", "pass"), "barred") == [""]


def test_ruling_an_animal_from_the_middle_is_taken_before_a_hand_is_found_empty() -> None:
    # Nine players have twelve cards each, which may all go in one turn.
    full = "6 6 6 6 6 6 6 6 J J J J"
    pack = [card for card in PACK if card not in ("6", "J")]
    others = [" ".join(pack[seat * 12 : seat * 12 + 12]) for seat in range(8)]
    there = after(state(full, *others, ox=True, turn_round=1), full, *["pass"] * 8)
    assert seen(there, "round turn_round barred leader") == [1, 2, "O", 0]
    assert seen(there, "hands")[0][0] == "O"
    there = state("6 6", "9", "7 O", ox=True, turn_round=2, leader=2, barred=["O"])
    there = after(there, "7", "pass", "9")
    assert seen(there, "hands round turn_round barred") == [["6 6", "E", "O"], 1, 3, "E"]


def test_somebody_elses_empty_hand_ends_the_round_all_the_same() -> None:
    there = state("8", "9", "7 O", ox=True, turn_round=2, leader=2, barred=["O"])
    there = after(there, "7", "8", "9")
    assert seen(there, "round tallies") == [2, [[0, 20, 15]]]


def test_the_ox_turn_round_lays_the_cards_for_good() -> None:
    before = state("4 O", "1 9", "2 9", "3 J", "E", ox=True)
    there = after(before, "O")
    assert seen(there, "kind count value best") == ["ox", 1, 0, 0]
    sentence = "The ox is led: play exactly one card, of any value; nobody may pass."
    assert why(there, "pass") == sentence
    there = after(there, "9", "9", "J")
    assert legal(there) == ["pass"]
    done = report(there, "pass")
    assert (done["kind"], done["winner"], done["takes"], done["number_taken"]) == (
        "ox", 2, "laid", 4,
    )  # fmt: skip
    there = after(there, "pass")
    assert seen(there, "hands laid leader turn barred") == [
        ["4", "1", "2", "3", "E"], ["", "", "9 9 J O", "", ""], 2, 2, "",
    ]  # fmt: skip
    assert ochs_esel.position(there)["gone"] == ochs_esel.position(before)["gone"]
    assert ochs_esel.view(there, None)["holders"] == {"E": 4, "O": None}


def test_ruling_laid_cards_count_at_the_end_of_that_round() -> None:
    # Numbers their value, a joker 1, the ox nothing: 9 + 9 + 1.
    before = state("4", "1", "2", "3", "E", laid={2: "9 9 J O"}, ox=True)
    done = report(before, "4", "pass", "pass", "pass", "pass")
    assert done["tally"]["points"] == [0, 1, 21, 3, 20]
    assert done["tally"]["laid"] == [0, 0, 19, 0, 0]
    there = after(before, "4", "pass", "pass", "pass", "pass")
    assert seen(there, "round tallies laid middle") == [
        2, [[0, 1, 21, 3, 20]], [""] * 5, "O E",
    ]  # fmt: skip
    assert sum(len(hand) for hand in ochs_esel.position(there)["hands"]) == 5 * 13


def test_the_ox_in_the_hand_is_fifteen_minus_points() -> None:
    there = after(state("4", "1 O", "2 E", ox=True), "4", "pass", "pass")
    assert seen(there, "tallies") == [[[0, 16, 22]]]


def test_ox_and_donkey_are_never_in_the_same_turn_round() -> None:
    sentence = "Ox and donkey are never played in the same turn round."
    there = after(state("4 E", "O", "2 9", ox=True), "E")
    assert legal(there) == ["pass"]
    assert why(there, "O") == sentence
    there = after(there, "pass", "9")
    assert seen(there, "hands leader table") == [["4", "O", "2 9 E"], 2, ""]
    there = after(state("4 O", "E", "2 9", ox=True), "O")
    assert legal(there) == ["pass"]
    assert why(there, "E") == sentence
    # Who has another card plays it.
    there = after(state("4 E", "1 O", "2 9", ox=True), "E")
    assert legal(there) == ["1"]
    assert why(there, "O") == sentence
    assert why(there, "pass").startswith("The donkey is led")


def test_only_the_leader_plays_the_ox_and_alone() -> None:
    there = after(state("4 9", "1 O", "2 E", ox=True), "4")
    assert why(there, "O") == "Only the leader may play the ox."
    assert why(state("4 J O", "5 E", "2 9", ox=True), "J O") == "The ox is played alone."


def test_the_ox_may_be_led_while_the_donkey_is_barred() -> None:
    there = state("E O", "1 9", "2 9", ox=True, turn_round=5, barred=["E"])
    assert legal(there) == ["O"]


def test_ruling_the_holder_of_the_donkey_starts_the_next_round() -> None:
    there = after(state("4", "1 O", "2 E", ox=True), "4", "pass", "pass")
    # Both animals go back to the middle.
    assert seen(there, "round leader turn middle barred") == [2, 2, 2, "O E", ""]
    assert ochs_esel.view(there, 2)["holders"] == {"E": None, "O": None}


def test_ruling_if_the_donkey_still_lies_in_the_middle_the_last_winner_starts() -> None:
    # Ten players have ten cards each: one is out in the first turn round, another has topped him.
    pack = [card for card in PACK if card not in ("6", "7", "J")]
    others = [" ".join(pack[seat * 10 : seat * 10 + 10]) for seat in range(8)]
    sixes, sevens = "6 6 6 6 6 6 6 6 J J", "7 7 7 7 7 7 7 7 J J"
    before = state(sixes, sevens, *others, ox=True, turn_round=1, rounds=1)
    done = report(before, sixes, sevens, *["pass"] * 8)
    assert (done["tally"]["ox"], done["tally"]["donkey"], done["tally"]["out"]) == (1, None, [0])
    assert done["tally"]["points"][:2] == [0, 15]
    there = after(before, sixes, sevens, *["pass"] * 8)
    assert seen(there, "middle turn_round leader") == ["E", 1, 1]
    ochs_esel.check(there)
    before = state(sixes, sevens, *others, ox=True, turn_round=1)
    assert report(before, sixes, sevens, *["pass"] * 8)["tally"]["starts"] == 1
    there = after(before, sixes, sevens, *["pass"] * 8)
    assert seen(there, "round leader middle") == [2, 1, "O E"]


def test_ruling_a_leader_with_nothing_but_a_barred_animal_passes_and_the_next_leads() -> None:
    before = state("5 O", "E", "1 2 3", ox=True, leader=1, turn_round=3, barred=["E"], rounds=1)
    assert legal(before) == ["pass"]
    assert why(before, "E").startswith("You received the donkey in the last turn round")
    assert report(before, "pass") == {"do": "pass", "lead": True, "over": False}
    there = after(before, "pass")
    assert seen(there, "turn leader table kind count value best barred turn_round") == [
        2, 2, [[1, ""]], "plain", 0, -1, None, "E", 3,
    ]  # fmt: skip
    assert legal(there) == ["1", "2", "3"]
    assert why(there, "pass").startswith("The leader may not pass")
    # The passer has had his turn.
    there = after(there, "3", "5")
    assert seen(there, "turn leader table barred turn_round") == [0, 0, "", "", 4]
    assert legal(there) == ["O"]


def test_in_the_passers_place_the_next_may_lead_the_other_animal() -> None:
    there = state("E", "O", "1 2 3", ox=True, turn_round=3, barred=["E"])
    there = after(there, "pass")
    assert legal(there) == ["O"]
    done = report(there, "O", "2")
    assert (done["winner"], done["number_taken"], done["tally"]["out"]) == (2, 2, [1])
    assert done["tally"]["points"] == [20, 0, 6]


# --- What a seat sees ----------------------------------------------------------------------------


def test_a_seat_sees_its_hand_and_of_the_others_only_numbers() -> None:
    there = after(state("4 7", "1 12 O", "2 13", "5 E", ox=True, tallies=((1, 2, 0, 24),)), "4")
    view = ochs_esel.view(there, 1)
    assert view == {
        "round": 2,
        "rounds": 5,
        "ox": True,
        "turn_round": 9,
        "phase": "play",
        "turn": 1,
        "leader": 0,
        "kind": "plain",
        "count": 1,
        "value": 4,
        "best": 0,
        "barred": [],
        "players": 4,
        "table": [[0, ["4"]]],
        "hand": ["1", "12", "O"],
        "hands": [1, 3, 2, 2],
        "holders": {"E": 3, "O": 1},
        "middle": [],
        "laid": [0, 0, 0, 0],
        "tallies": [[1, 2, 0, 24]],
        "totals": [1, 2, 0, 24],
        "winners": [],
    }
    assert ochs_esel.view(there, None) == view | {"hand": []}
    assert ochs_esel.view(there, 3) == view | {"hand": ["5", "E"]}


def test_laid_cards_are_seen_by_nobody_not_even_by_who_laid_them() -> None:
    there = state("4", "1 8", "2", "3", "E", laid={2: "9 9 J O"}, ox=True)
    other = state("4", "1 8", "2", "3", "E", laid={2: "5 6 13 O"}, ox=True)
    for seat in (None, 0, 1, 2, 3, 4):
        assert ochs_esel.view(there, seat) == ochs_esel.view(other, seat)
    assert ochs_esel.view(there, 2)["laid"] == [0, 0, 4, 0, 0]


def test_an_animal_on_the_table_is_in_nobodys_hand() -> None:
    there = after(state("4 E", "1 O", "2", ox=True), "E")
    assert ochs_esel.view(there, 0)["holders"] == {"E": None, "O": 1}


def test_a_forced_pass_looks_like_a_chosen_one() -> None:
    forced = after(state("9", "1 O", "2 E", ox=True), "9")
    chosen = after(state("9", "10 O", "2 E", ox=True), "9")
    assert legal(forced) == ["pass"] and len(legal(chosen)) == 2
    assert report(forced, "pass") == report(chosen, "pass")
    assert report(forced, "pass") == {"do": "pass", "lead": False, "over": False}


# --- For pages -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "kind", "expected"),
    [
        ("6 6 J", "plain", 6),
        ("J 13", "plain", 13),
        ("J J", "plain", 14),
        ("E", "plain", 0),
        ("J", "donkey", 1),
        ("13", "ox", 13),
        ("O", "ox", 0),
        ("", "plain", None),
    ],
)
def test_what_cards_are_worth(cards: str, kind: str, expected: int | None) -> None:
    assert ochs_esel.worth(cards.split(), kind) == expected


# --- Positions from outside ----------------------------------------------------------------------

Change = Callable[[dict[str, Any]], Any]


def hand(seat: int, cards: str) -> Change:
    return lambda there: there["hands"].__setitem__(seat, cards.split())


def swap(place: str, at: int, other: str, other_at: int) -> Change:
    def change(there: dict[str, Any]) -> None:
        one, two = there[place][at], there[other][other_at]
        there[place][at], there[other][other_at] = two, one
        there[place] = in_order(there[place])
        there[other] = in_order(there[other])

    return change


def put(**values: Any) -> Change:
    return lambda there: there.update(values)


PLAIN_POSITION = position("4 7 J", "1 12", "2 13 E")
OX_POSITION = position("4 7 J", "1 12", "2 13 E", laid={1: "6 8 O"}, ox=True)
FIRST = ochs_esel.position(ochs_esel.start(SEED, 3))
FIRST_WITH_OX = ochs_esel.position(ochs_esel.start(SEED, 3, {"ox": True}))
SECOND_WITH_OX = position("4", "9", "7 O", ox=True, turn_round=2, leader=2, barred=["O"])
OVER = ochs_esel.position(
    after(state("3 10 J", "5", "1 E", leader=1, rounds=1), "5", "pass", "pass")
)
BAD: dict[str, tuple[dict[str, Any], Change]] = {
    "one card more": (PLAIN_POSITION, hand(0, "4 7 7 J")),
    "one card less": (PLAIN_POSITION, hand(0, "4 7")),
    "another card": (PLAIN_POSITION, hand(0, "4 8 J")),
    "no such card": (PLAIN_POSITION, hand(0, "4 14 J")),
    "a hand out of order": (PLAIN_POSITION, hand(0, "7 4 J")),
    "a hand as a text": (PLAIN_POSITION, lambda there: there["hands"].__setitem__(1, "1 12")),
    "an animal more": (PLAIN_POSITION, hand(0, "4 7 J E")),
    "the ox without the ox": (PLAIN_POSITION, hand(2, "2 13 E O")),
    "the donkey gone": (PLAIN_POSITION, lambda there: (
        there["hands"][2].remove("E"), there["gone"].append("E"))),
    "a card aside that is gone": (PLAIN_POSITION, lambda there: (
        there["gone"].insert(0, there["aside"].pop(0)))),
    "an empty hand": (PLAIN_POSITION, lambda there: (
        there["hands"].__setitem__(1, []),
        there.update(gone=in_order([*there["gone"], "1", "12"])))),
    "two hands": (PLAIN_POSITION, lambda there: there["hands"].pop()),
    "turn round 0": (PLAIN_POSITION, put(turn_round=0)),
    "turn round true": (PLAIN_POSITION, put(turn_round=True)),
    "turn round 1 with cards gone": (PLAIN_POSITION, put(turn_round=1)),
    "more turn rounds than cards": (PLAIN_POSITION, put(turn_round=90)),
    "round 2 without a tally": (PLAIN_POSITION, put(round=2)),
    "a tally in round 1": (PLAIN_POSITION, put(tallies=[[0, 1, 21]], totals=[0, 1, 21])),
    "totals that are none": (PLAIN_POSITION, put(totals=[0, 1, 0])),
    "negative points": (PLAIN_POSITION, put(tallies=[[0, -1, 21]], round=2, totals=[0, -1, 21])),
    "a tally for two": (PLAIN_POSITION, put(tallies=[[0, 21]], round=2)),
    "more tallies than rounds": (
        PLAIN_POSITION, put(tallies=[[0, 1, 21]] * 6, round=7, totals=[0, 6, 126])),
    "no such leader": (PLAIN_POSITION, put(leader=3, turn=3)),
    "leader a text": (PLAIN_POSITION, put(leader="0")),
    "not the leader's turn": (PLAIN_POSITION, put(turn=1)),
    "over too early": (PLAIN_POSITION, put(phase="over", turn=None)),
    "no such phase": (PLAIN_POSITION, put(phase="deal")),
    "a winner too early": (PLAIN_POSITION, put(winners=[0])),
    "a value without a lead": (PLAIN_POSITION, put(value=0)),
    "a count without a lead": (PLAIN_POSITION, put(count=1)),
    "a best without a lead": (PLAIN_POSITION, put(best=0)),
    "no such kind": (PLAIN_POSITION, put(kind="mule")),
    "an animal's kind without it": (PLAIN_POSITION, put(kind="donkey")),
    "a key more": (PLAIN_POSITION, put(extra=1)),
    "a key less": (PLAIN_POSITION, lambda there: there.pop("middle")),
    "no table": (PLAIN_POSITION, lambda there: there.pop("table")),
    "a table of one": (PLAIN_POSITION, put(table=[[0]])),
    "the middle without the ox": (PLAIN_POSITION, put(middle=["O", "E"])),
    "barred a number": (PLAIN_POSITION, put(barred=["7"])),
    "barred but not with the leader": (PLAIN_POSITION, put(barred=["E"])),
    "barred the ox without the ox": (PLAIN_POSITION, put(barred=["O"])),
    "barred both": (OX_POSITION, put(barred=["O", "E"])),
    "barred null": (PLAIN_POSITION, put(barred=None)),
    "laid without the ox": (PLAIN_POSITION, lambda there: (
        there["laid"].__setitem__(0, [there["gone"].pop(0)]))),
    "laid, but no ox with it": (OX_POSITION, lambda there: (
        there["laid"][1].remove("O"), there["hands"][0].append("O"))),
    "laid by two": (OX_POSITION, lambda there: (
        there["laid"][1].remove("6"), there["laid"][0].append("6"))),
    "too many laid": (OX_POSITION, lambda there: (
        there["laid"][1].insert(0, there["gone"].pop(0)))),
    "the donkey laid": (OX_POSITION, lambda there: (
        there["laid"][1].__setitem__(slice(None), ["6", "E", "O"]),
        there["hands"][2].__setitem__(2, "8"),
        there["hands"].__setitem__(2, in_order(there["hands"][2])))),
    "laid before the third turn round": (OX_POSITION, put(turn_round=3, barred=["E"], leader=2)),
    "the middle not yet empty": (OX_POSITION, put(turn_round=2, middle=["E"])),
    "the first turn round: another number of cards": (FIRST, lambda there: (
        there["hands"][0].append(there["hands"][1].pop(0)),
        there["hands"].__setitem__(0, in_order(there["hands"][0])))),
    "the first turn round: the donkey elsewhere": (FIRST, put(
        leader=(FIRST["leader"] + 1) % 3, turn=(FIRST["leader"] + 1) % 3)),
    "the first turn round: barred": (FIRST, put(barred=["E"])),
    "the second turn round: the ox not barred": (SECOND_WITH_OX, put(barred=[])),
    "the third turn round: the donkey not barred": (
        SECOND_WITH_OX, put(turn_round=3, middle=[], barred=["O"])),
    "at the end: an animal barred": (OVER, put(barred=["E"])),
    "at the end: something on the table": (OVER, put(table=[[1, ["5"]]])),
    "at the end: a turn": (OVER, put(turn=1)),
    "at the end: still in play": (OVER, put(phase="play", turn=1)),
    "at the end: another winner": (OVER, put(winners=[0])),
    "at the end: another tally": (OVER, put(tallies=[[27, 0, 20]], totals=[27, 0, 20])),
    "at the end: no empty hand": (OVER, lambda there: (
        there["hands"][1].append("3"), there["hands"][0].pop(0),
        there.update(tallies=[[24, 3, 21]], totals=[24, 3, 21], winners=[1]))),
}  # fmt: skip


def start_record(there: dict[str, Any], moves: tuple[str, ...] = ()) -> record.Record:
    """The record that begins with a position; with the ox if it lies anywhere."""
    ox = any("O" in place for place in [*there["hands"], *there["laid"], there["middle"]])
    rounds = 1 if there["phase"] == "over" or there == OVER else 5
    return record.Record(
        game=ochs_esel.SLUG,
        options={"ox": ox, "rounds": rounds},
        players=3,
        seed=SEED,
        moves=moves,
        start=there,
    )


@pytest.mark.parametrize(
    "good", [PLAIN_POSITION, OX_POSITION, FIRST, FIRST_WITH_OX, SECOND_WITH_OX, OVER]
)
def test_a_record_begins_with_a_position_as_the_trace_prints_it(good: dict[str, Any]) -> None:
    first = record.first_state(start_record(good), ochs_esel)
    assert ochs_esel.position(first) == good


@pytest.mark.parametrize("wrong", BAD)
def test_a_position_that_is_none_is_refused(wrong: str) -> None:
    good, change = BAD[wrong]
    there = copy.deepcopy(good)
    change(there)
    options = start_record(good).options
    bad = record.Record(ochs_esel.SLUG, options, 3, SEED, (), there)
    with pytest.raises(InvalidRecord) as caught:
        record.first_state(bad, ochs_esel)
    assert caught.value.code and "%(" not in caught.value.message


TABLES: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "somebody before the leader": (PLAIN_POSITION, [[0, ["4"]], [2, ["13"]]]),
    "everybody": (PLAIN_POSITION, [[0, ["4"]], [1, []], [2, []]]),
    "twice": (PLAIN_POSITION, [[0, ["4"]], [0, ["7"]]]),
    "no such seat": (PLAIN_POSITION, [[3, ["4"]]]),
    "a mixture": (PLAIN_POSITION, [[0, ["4", "7"]]]),
    "a lower card": (PLAIN_POSITION, [[0, ["4"]], [1, ["1"]]]),
    "another number": (PLAIN_POSITION, [[1, ["1"]], [2, ["2", "13"]]]),
    "the donkey not led": (PLAIN_POSITION, [[1, ["1"]], [2, ["E"]]]),
    "a leader who passed": (PLAIN_POSITION, [[0, []]]),
    "a pass to the donkey": (PLAIN_POSITION, [[2, ["E"]], [0, []]]),
    "a pair to the donkey": (position("4 4", "1 12", "2 13 E"), [[2, ["E"]], [0, ["4", "4"]]]),
}


@pytest.mark.parametrize("wrong", TABLES)
def test_what_may_not_have_been_played_does_not_lie_on_the_table(wrong: str) -> None:
    good, table = TABLES[wrong]
    there = copy.deepcopy(good)
    there["table"] = table
    for seat, cards in table:
        for card in cards:
            if seat < 3:
                there["hands"][seat].remove(card)
    leader = table[0][0] % 3
    led = table[0][1] or [None]
    there |= {
        "leader": leader if table[0][1] else (leader + 1) % 3,
        "turn": (table[-1][0] + 1) % 3,
        "kind": "donkey" if led == ["E"] else "plain",
        "count": len(table[0][1]),
        "value": max([ochs_esel.worth(cards, "plain") or 0 for _, cards in table]),
        "best": leader,
    }
    with pytest.raises(InvalidRecord):
        record.first_state(start_record(there), ochs_esel)


@given(data=st.data())
def test_a_position_with_anything_in_it_is_read_or_refused(data: st.DataObject) -> None:
    """Whatever stands where something else should: never another exception."""
    there = copy.deepcopy(data.draw(st.sampled_from([PLAIN_POSITION, OX_POSITION, OVER])))
    odd = st.sampled_from(
        [None, True, -1, 0, 1, 2, 3, 10**30, 0.5, "", "E", "O", "7", [], [[]], ["E"], ["O", "E"],
         [[0, []]], [[0, ["4"]]], [[2, ["E"]], [0, []]], {}, {"a": 1}, [["1"], ["2"], ["3"]]]
    )  # fmt: skip
    for key in data.draw(st.lists(st.sampled_from(sorted(there)), min_size=1, max_size=3)):
        value = copy.deepcopy(data.draw(odd))
        if isinstance(there[key], list) and there[key] and data.draw(st.booleans()):
            there[key][data.draw(st.integers(0, len(there[key]) - 1))] = value
        else:
            there[key] = value
    good = start_record(PLAIN_POSITION if "O" not in json.dumps(there) else OX_POSITION)
    changed = record.Record(ochs_esel.SLUG, good.options, 3, SEED, (), there)
    with contextlib.suppress(RulesError):
        assert ochs_esel.position(record.first_state(changed, ochs_esel)) == there


# --- Whole games ---------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("players", ochs_esel.SEATS)
def test_cards_and_minus_points_are_conserved(players: int, ox: bool) -> None:
    """Random games, of every number of players: nothing is lost, and tallies are what was held."""
    random = Random(f"{players} {ox}")
    there = ochs_esel.start(random.randbytes(32).hex(), players, {"ox": ox, "rounds": 3})
    deck = sorted([*PACK, "E", *["O"] * ox])
    while moves := ochs_esel.legal_moves(there):
        where = ochs_esel.position(there)
        table = [card for _, cards in where["table"] for card in cards]
        places = [table, where["middle"], where["gone"], where["aside"]]
        places += [*where["hands"], *where["laid"]]
        assert sorted([card for place in places for card in place]) == deck
        assert len(where["tallies"]) == where["round"] - 1
        assert len(where["aside"]) == len(PACK) - players * DEALT[players]
        ochs_esel.check(there)
        move = random.choice(moves)
        facts = ochs_esel.report(there, move)
        later = ochs_esel.apply(there, move)
        if "tally" in facts:
            tally = facts["tally"]
            assert list(later.tallies[-1]) == tally["points"]
            assert sum(tally["points"]) <= FULL + 20 + 15 * ox
            for seat in tally["out"]:
                assert tally["points"][seat] == tally["laid"][seat]
            assert tally["out"]
            if tally["donkey"] is not None:
                assert tally["points"][tally["donkey"]] >= 20
                assert tally["starts"] in (tally["donkey"], None)
        there = later
    assert len(there.tallies) == 3
    ochs_esel.check(there)


@given(
    seed=st.binary(min_size=32, max_size=32).map(bytes.hex),
    players=st.integers(3, 12),
    ox=st.booleans(),
    choices=st.lists(st.integers(0, 10**6), max_size=90),
)
def test_what_is_listed_is_what_is_played(
    seed: str, players: int, ox: bool, choices: list[int]
) -> None:
    """Every play of one to three cards from the pack is accepted exactly if it is listed."""
    there = ochs_esel.start(seed, players, {"ox": ox})
    for choice in choices:
        moves = ochs_esel.legal_moves(there)
        if not moves:
            break
        there = ochs_esel.apply(there, moves[choice % len(moves)])
    listed = set(ochs_esel.legal_moves(there))
    assert listed == {move for move in _plays(there) if ochs_esel.refusal(there, move) is None}


def _plays(there: Any) -> set[tuple[int, ...]]:
    """The pass, all animals, and all sets that the pack has, mixed with jokers or not."""
    plays = {(), (15,), (16,), (15, 16), (3, 15), (14, 16), (3, 4), (1, 2, 14)}
    for number in range(1, 14):
        plays |= {(number,) * n + (14,) * jokers for n in range(9) for jokers in range(5)}
    return plays
