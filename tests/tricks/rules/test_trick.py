"""Ouroboros Trick, rule by rule; a test named ``test_ruling_…`` holds one ruling of its page."""

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros_site.engine.errors import InvalidMove, InvalidRecord, RulesError
from ouroboros_site.engine.protocol import Outcome, Termination
from ouroboros_site.engine.shuffle import pick, shuffle
from tests.solitaire.rules.positions import after, legal_texts, refused, show
from tricks.rules import trick

from .positions import SEED, deck, decoded, in_order, number, trick_position, trick_state

EVERY_TABLE = pytest.mark.parametrize("players", [3, 4, 5])
A, B, C, D = range(4)


def play(state: Any, *texts: str) -> Any:
    """The state after some moves."""
    return after(trick, state, *texts)


def lay(state: Any, cards: str) -> Any:
    """The state after some cards have been played."""
    return play(state, *[f"play {card}" for card in cards.split()])


def code(state: Any, text: str) -> str:
    """Why a text is refused."""
    with pytest.raises(RulesError) as caught:
        trick.apply(state, trick.parse_move(text))
    return caught.value.code


def report(state: Any, text: str) -> dict[str, Any]:
    return trick.report(state, trick.parse_move(text))


def stands(state: Any, keys: str) -> list[Any]:
    return show(trick, state, keys)


# --- Cards and deal ------------------------------------------------------------------------------


@EVERY_TABLE
def test_everybody_gets_twelve_and_nothing_is_left(players: int) -> None:
    dealt = shuffle(SEED, "deal", deck(players))
    position = trick.position(trick.start(SEED, players))
    assert position["hands"] == [
        in_order([*dealt[12 * seat : 12 * seat + 12]]) for seat in range(players)
    ]
    assert len(dealt) == 12 * players
    assert position["pools"] == [[]] * players and position["discard"] == []
    assert (position["phase"], position["tricks"], position["trick"]) == ("play", 0, [])


def test_ruling_the_suits_are_red_yellow_green_and_blue() -> None:
    hands = trick.position(trick.start(SEED, 5))["hands"]
    numbers = Counter(card[0] for hand in hands for card in hand)
    assert numbers == {"R": 15, "Y": 15, "G": 15, "B": 15}
    state = trick_state("R1 Y1 G1 B1", "R2 Y2", "G2 B2")
    assert [refused(trick, state, f"play {suit}9").split()[5] for suit in "RYGB"] == [
        "red", "yellow", "green", "blue",
    ]  # fmt: skip


@EVERY_TABLE
def test_ruling_the_first_leader_is_drawn(players: int) -> None:
    leaders = []
    for byte in range(24):
        seed = f"{byte:02x}" * 32
        state = trick.start(seed, players)
        assert trick.turn(state) == pick(seed, "lead", players)
        leaders.append(trick.turn(state))
    assert set(leaders) == set(range(players))


@pytest.mark.parametrize("players", [1, 2, 6, 0, True, 3.0, None])
def test_three_to_five_play(players: Any) -> None:
    with pytest.raises(InvalidRecord):
        trick.start(SEED, players)


def test_there_are_no_options() -> None:
    assert trick.start(SEED, 4, {}) == trick.start(SEED, 4)
    with pytest.raises(InvalidRecord):
        trick.start(SEED, 4, {"rounds": 3})


# --- Tricks: section 6 ---------------------------------------------------------------------------


def test_everybody_plays_once_clockwise_from_the_leader() -> None:
    state = trick_state("R1 R9", "R2 R8", "R3 R7", leader=2)
    assert trick.turn(state) == 2
    state = lay(state, "R3")
    assert trick.turn(state) == 0
    state = lay(state, "R1")
    assert trick.turn(state) == 1
    assert trick.position(state)["trick"] == [[2, "R3"], [0, "R1"]]


def test_who_holds_the_suit_led_must_play_it() -> None:
    state = lay(trick_state("R1 Y1", "R5 R7 Y2", "Y3 G4"), "R1")
    assert legal_texts(trick, state) == ["play R5", "play R7"]
    assert code(state, "play Y2") == "follow"
    assert refused(trick, state, "play Y2") == "You hold red cards: follow the red 1."


def test_who_does_not_hold_the_suit_led_plays_any_card() -> None:
    state = lay(trick_state("R1 Y1", "R5 Y2", "Y3 G4"), "R1 R5")
    assert legal_texts(trick, state) == ["play G4", "play Y3"]


@pytest.mark.parametrize(
    ("cards", "winner", "why"),
    [
        ("R9 R8 R7", A, "highest"),
        ("R7 R9 R8", B, "highest"),
        ("R9 R8 Y1", C, "trump"),
        ("R9 Y1 R8", B, "trump"),
        ("R9 Y4 G3", B, "trump"),
        ("R9 Y3 G4", C, "trump"),
        ("R9 Y4 G4", C, "last-trump"),
        ("R4 Y4 R9", B, "trump"),
        ("R1 Y1 G1", C, "last-trump"),
    ],
)
def test_the_best_card_wins(cards: str, winner: int, why: str) -> None:
    hands = [
        f"{card} {other}" for card, other in zip(cards.split(), ["B7", "G9", "B8"], strict=True)
    ]
    state = lay(trick_state(*hands), " ".join(cards.split()[:2]))
    facts = report(state, f"play {cards.split()[2]}")
    assert (facts["winner"], facts["why"]) == (winner, why)
    assert trick.position(lay(state, cards.split()[2]))["leader"] == winner


def test_an_equal_card_of_the_suit_led_is_no_trump() -> None:
    state = lay(trick_state("R4 B7", "Y4 B8", "G2 B9"), "R4 Y4")
    assert report(state, "play G2")["why"] == "trump"


# --- Section 8: the example tricks ---------------------------------------------------------------

FOUR = (
    "R11 Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 G1 G2",
    "R8 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 G3",
    "R7 R1 R2 R3 R4 R5 R6 Y10 Y11 Y12 G4 G5",
    "R9 G6 G7 G8 G9 G10 G11 G12 B1 B2 R10 R12",
)


def test_example_1_the_highest_number_wins_and_seven_cards_go() -> None:
    state = lay(trick_state(*FOUR), "R11 R8 R7 R9")
    assert stands(state, "phase turn leader owed trick tricks") == ["discard", A, A, 7, "", 1]
    assert trick.position(state)["pools"][A] == ["R11", "R8", "R7", "R9"]
    chosen = ["G2", "Y1", "Y9", "Y5", "Y3", "G1", "Y2"]
    for left, card in zip(range(6, -1, -1), chosen, strict=True):
        assert trick.turn(state) == A
        state = play(state, f"discard {card}")
        assert stands(state, "owed") == [left]
    assert stands(state, "phase turn leader") == ["play", A, A]
    assert stands(state, "discard") == [" ".join(chosen)]
    assert trick.position(state)["hands"][A] == ["Y4", "Y6", "Y7", "Y8"]


def test_example_2_a_trump_wins_and_one_card_goes() -> None:
    state = trick_state("R10 R4", "Y3 Y5 Y6", "R1 R2", "R12 G1", pools={2: "B1 B2 B3 B4"})
    state = lay(state, "R10 Y3 R1 R12")
    assert stands(state, "phase turn leader owed") == ["discard", B, B, 1]
    assert trick.position(state)["pools"][B] == ["R10", "Y3", "R1", "R12"]
    state = play(state, "discard Y6")
    assert stands(state, "phase turn leader hands") == ["play", B, B, ["R4", "Y5", "R2", "G1"]]


def test_example_3_of_equal_trumps_the_last_wins_and_four_cards_go() -> None:
    state = trick_state("R8 R3", "Y9 Y5", "B9 B1 B2 B3 B4 B5", "R4 G1", leader=0)
    state = lay(state, "R8 Y9 B9 R4")
    assert stands(state, "phase turn leader owed") == ["discard", C, C, 4]
    state = play(state, "discard B1", "discard B2", "discard B3", "discard B4")
    assert stands(state, "phase turn leader") == ["play", C, C]
    assert trick.position(state)["hands"][C] == ["B5"]


# --- Section 9: running out of cards -------------------------------------------------------------


def test_example_d_plays_the_last_card_wins_and_discards_from_the_trick() -> None:
    state = trick_state(
        "R12 R1", "R11 R2", "R10 R3", "Y6", "R4 G1", leader=0,
        pools={0: "B1 B2 B3 B4 B5"},
    )  # fmt: skip
    state = lay(state, "R12 R11 R10")
    assert trick.turn(state) == D
    state = play(state, "play Y6")
    # Neither hand nor pool, but the trick goes on.
    assert stands(state, "phase losers turn") == ["play", "", 4]
    facts = report(state, "play R4")
    assert (facts["winner"], facts["owes"], facts["taken"], facts["discarded"]) == (D, 4, [D], [])
    state = play(state, "play R4")
    assert stands(state, "phase turn owed") == ["discard", D, 4]
    assert trick.position(state)["hands"][D] == ["R4", "R10", "R11", "R12", "Y6"]
    assert trick.position(state)["pools"][D] == []
    state = play(state, "discard R4", "discard R10", "discard Y6", "discard R12")
    assert stands(state, "phase turn leader losers") == ["play", D, D, ""]
    assert trick.position(state)["hands"][D] == ["R11"]


def test_ruling_with_exactly_as_many_cards_all_go_sorted_without_asking() -> None:
    state = lay(trick_state("B9 G5 R2 Y7", "B4 R1", "B3 Y1"), "B9 B4")
    facts = report(state, "play B3")
    assert (facts["owes"], facts["discarded"], facts["taken"]) == (0, ["R2", "Y7", "G5"], [A])
    state = play(state, "play B3")
    assert stands(state, "phase turn owed") == ["play", A, 0]
    assert stands(state, "discard")[0].endswith("R2 Y7 G5")
    assert stands(state, "hands pools") == [["B3 B4 B9", "R1", "Y1"], ["", "", ""]]


def test_ruling_with_fewer_the_whole_hand_goes_first_sorted() -> None:
    state = trick_state("B9 Y7 R2", "B5 R1", "B4 Y1", pools={0: "G9 G1 G2"})
    state = lay(state, "B9 B5")
    facts = report(state, "play B4")
    assert (facts["owes"], facts["discarded"], facts["taken"]) == (2, ["R2", "Y7"], [A])
    state = play(state, "play B4")
    assert stands(state, "phase turn owed") == ["discard", A, 2]
    assert trick.position(state)["hands"][A] == ["G1", "G2", "G9", "B4", "B5", "B9"]
    # The rest is chosen from the new hand, and the trick just won is part of it.
    state = play(state, "discard B5", "discard G1")
    assert stands(state, "discard")[0].endswith("R2 Y7 B5 G1")
    assert trick.position(state)["hands"][A] == ["G2", "G9", "B4", "B9"]


def test_ruling_the_rest_goes_sorted_without_asking_if_it_takes_every_card() -> None:
    state = lay(trick_state("B9 Y7 R2", "B5 R1", "B6 Y1"), "B9 B5")
    facts = report(state, "play B6")
    assert facts["discarded"] == ["R2", "Y7", "B5", "B6", "B9"]
    assert (facts["owes"], facts["over"], facts["losers"]) == (0, True, [A])
    state = play(state, "play B6")
    assert stands(state, "discard")[0].endswith("R2 Y7 B5 B6 B9")


def test_ruling_if_that_is_not_enough_nothing_more_is_owed() -> None:
    state = lay(trick_state("B9 Y2", "B7 R1", "B8 Y1"), "B9 B7")
    facts = report(state, "play B8")
    assert facts["discarded"] == ["Y2", "B7", "B8", "B9"]
    state = play(state, "play B8")
    assert stands(state, "owed phase losers hands") == [0, "over", [A], ["", "R1", "Y1"]]


def test_others_with_an_empty_hand_take_their_pools_only_when_all_is_discarded() -> None:
    state = trick_state("B9 Y1 Y2 Y3 Y4", "B2", "B3", pools={1: "G9 G1 R5", 2: "R9 R2 R1"})
    state = lay(state, "B9 B2 B3")
    assert stands(state, "owed hands") == [2, ["Y1 Y2 Y3 Y4", "", ""]]
    state = play(state, "discard Y2")
    assert stands(state, "hands") == [["Y1 Y3 Y4", "", ""]]
    facts = report(state, "discard Y1")
    assert (facts["taken"], facts["owed"], facts["discarded"]) == ([B, C], 0, [])
    state = play(state, "discard Y1")
    assert stands(state, "hands pools") == [
        ["Y3 Y4", "R5 G1 G9", "R1 R2 R9"], ["B9 B2 B3", "", ""],
    ]  # fmt: skip


# --- Section 10: the end -------------------------------------------------------------------------


def test_who_has_neither_hand_nor_pool_has_lost_and_the_others_have_won() -> None:
    state = lay(trick_state("B9 Y1 Y2", "B1", "B3 G1"), "B9 B1 B3")
    assert trick.outcome(state) is None
    state = play(state, "discard Y1")
    assert trick.outcome(state) == Outcome(Termination.OUT_OF_CARDS, (1, 0, 1), (A, C))
    assert stands(state, "phase turn leader losers owed") == ["over", None, A, [B], 0]
    assert legal_texts(trick, state) == []


def test_several_lose_at_once() -> None:
    state = lay(trick_state("B9 Y1", "B1", "B3"), "B9 B1 B3")
    assert trick.outcome(state) == Outcome(Termination.OUT_OF_CARDS, (1, 0, 0), (A,))


def test_all_lose_at_once() -> None:
    state = lay(trick_state("B9", "B7", "B8"), "B9 B7 B8")
    assert trick.outcome(state) == Outcome(Termination.OUT_OF_CARDS, (0, 0, 0), ())
    assert stands(state, "losers leader turn") == [[A, B, C], A, None]


def test_an_empty_hand_with_a_pool_is_no_loss() -> None:
    state = lay(trick_state("B9 Y1 Y2", "B1", "B3 G1", pools={1: "R1 R2 R3"}), "B9 B1 B3")
    state = play(state, "discard Y1")
    assert stands(state, "phase losers hands") == ["play", "", ["Y2", "R1 R2 R3", "G1"]]


# --- Refusals ------------------------------------------------------------------------------------


def refusing() -> tuple[Any, Any, Any]:
    """A position in a trick, one in which the winner discards, and the end."""
    playing = trick_state("R1 Y1", "R5 Y2", "Y3 G4", pools={0: "G1 G2 G3", 1: "B1 B2 B3"})
    discarding = lay(trick_state("R9 R3 G2 G1", "R2 Y2", "R4 G4"), "R9 R2 R4")
    over = lay(trick_state("B9", "B7", "B8"), "B9 B7 B8")
    return lay(playing, "R1"), discarding, over


@pytest.mark.parametrize(
    ("at", "text", "code_", "sentence"),
    [
        (0, "play Y2", "follow", "You hold red cards: follow the red 1."),
        (0, "play G4", "not-held", "You do not hold the green 4."),
        (0, "play G1", "not-held", "You do not hold the green 1."),
        (0, "play B15", "not-held", "You do not hold the blue 15."),
        (0, "play B1", "in-pool", "That card lies in your pool; take one of your hand."),
        (
            0,
            "discard R5",
            "no-discard",
            "Nothing is discarded now: only who wins a trick discards.",
        ),
        (
            1,
            "play R3",
            "discard-first",
            "You won the trick: discard 2 more cards before you lead.",
        ),
        (1, "discard R9", "in-pool", "That card lies in your pool; take one of your hand."),
        (1, "discard Y2", "not-held", "You do not hold the yellow 2."),
        (2, "play B9", "over", "The game is over."),
        (2, "discard B9", "over", "The game is over."),
        (0, "pass", "verb", "This game has no such move."),
        (0, "R5", "verb", "This game has no such move."),
        (0, "play", "form", "A play names one card: play R7."),
        (0, "play R5 Y2", "form", "A play names one card: play R7."),
        (1, "discard R3 G2", "form", "Cards are discarded one by one: discard R7."),
        (0, "play R16", "card", "There is no card “R16”."),
        (0, "play R05", "card", "There is no card “R05”."),
        (0, "play r5", "card", "There is no card “r5”."),
    ],
)
def test_a_refusal_says_which_rule_is_broken(at: int, text: str, code_: str, sentence: str) -> None:
    state = refusing()[at]
    assert (code(state, text), refused(trick, state, text)) == (code_, sentence)


def test_one_more_card_is_not_called_cards() -> None:
    state = play(refusing()[1], "discard G1")
    assert (
        refused(trick, state, "play R3")
        == "You won the trick: discard one more card before you lead."
    )


def test_a_text_that_is_no_move_is_told_apart_from_a_move_that_may_not_be_played() -> None:
    for text in ("pass", "play", "play X5"):
        with pytest.raises(InvalidMove):
            trick.parse_move(text)


# --- What is seen and told -----------------------------------------------------------------------

KEYS = (
    "phase turn leader owed tricks losers players trick hand pool hands pools top discarded "
    "winning lowest"
)


def test_a_seat_sees_its_own_cards_and_counts_of_the_others() -> None:
    state = trick_state("R1 Y1", "R5 Y2", "Y3 G4", pools={1: "B1 B3 B2"}, discard="G9")
    state = lay(state, "R1")
    view = trick.view(state, 1)
    assert set(view) == set(KEYS.split())
    assert (view["hand"], view["pool"]) == (["R5", "Y2"], ["B1", "B3", "B2"])
    assert (view["hands"], view["pools"]) == ([1, 2, 2], [0, 3, 0])
    assert (view["top"], view["discarded"]) == ("G9", 27)
    assert (view["trick"], view["winning"], view["lowest"]) == ([[0, "R1"]], 0, 1)
    assert (view["players"], view["turn"]) == (3, 1)
    watcher = trick.view(state, None)
    assert (watcher["hand"], watcher["pool"]) == ([], [])
    mine = ("hand", "pool")
    assert {key: watcher[key] for key in watcher if key not in mine} == {
        key: view[key] for key in view if key not in mine
    }


def test_before_a_card_lies_nobody_wins_and_nothing_is_lowest() -> None:
    view = trick.view(trick.start(SEED, 4), 0)
    assert (view["trick"], view["winning"], view["lowest"]) == ([], None, None)
    assert (view["top"], view["discarded"]) == (None, 0)


def test_the_winner_so_far_is_told_with_trumps_too() -> None:
    state = lay(trick_state("R9 Y1", "B5 Y2", "B4 G4", leader=2), "B4 R9")
    assert trick.view(state, 0)["winning"] == 0
    assert trick.view(state, 0)["lowest"] == 4


def test_a_report_holds_what_everybody_saw_and_no_more() -> None:
    state = trick_state("R9 R3 G2 G1", "R2 Y2", "Y4 G4 G5")
    assert report(state, "play R9") == {
        "do": "play", "card": "R9", "over": False, "lead": True, "led": "R", "trump": False,
        "discarded": [], "taken": [],
    }  # fmt: skip
    state = lay(state, "R9 R2")
    assert report(state, "play Y4") == {
        "do": "play", "card": "Y4", "over": False, "lead": False, "led": "R", "trump": True,
        "trick": [[0, "R9"], [1, "R2"], [2, "Y4"]], "winner": 2, "why": "trump", "lowest": 2,
        "owes": 0, "discarded": ["G4", "G5"], "taken": [2],
    }  # fmt: skip


def test_a_report_of_a_discard_says_what_is_still_owed() -> None:
    state = lay(trick_state("R9 R3 G2 G1", "R2", "R4 G4"), "R9 R2 R4")
    assert report(state, "discard G2") == {
        "do": "discard", "card": "G2", "over": False, "owed": 1, "discarded": [], "taken": [],
    }  # fmt: skip
    assert report(play(state, "discard G2"), "discard R3") == {
        "do": "discard", "card": "R3", "over": True, "owed": 0, "discarded": [], "taken": [],
        "losers": [1],
    }  # fmt: skip


# --- Whole games ---------------------------------------------------------------------------------


def model(position: dict[str, Any], card: str) -> dict[str, Any]:
    """The end of a trick, told anew from the rulebook with lists of texts.

    Holds hands, pools, the cards that went and what is owed, just before the winner chooses.
    """
    hands = [[other for other in hand if other != card] for hand in position["hands"]]
    pools = [[*pool] for pool in position["pools"]]
    lying = [*position["trick"], [position["turn"], card]]
    led = lying[0][1][0]
    trumps = [(number(text), at) for at, (_, text) in enumerate(lying) if text[0] != led]
    plain = [(number(text), at) for at, (_, text) in enumerate(lying) if text[0] == led]
    winner = lying[max(trumps or plain)[1]][0]
    owed = min(number(text) for _, text in lying)
    pools[winner] += [text for _, text in lying]
    gone: list[str] = []
    if len(hands[winner]) < owed:
        gone += in_order(hands[winner])
        hands[winner], pools[winner] = in_order(pools[winner]), []
    rest = owed - len(gone)
    if len(hands[winner]) <= rest:
        gone += in_order(hands[winner])
        hands[winner], rest = [], 0
    return {"winner": winner, "hands": hands, "pools": pools, "gone": gone, "owed": rest}


@given(
    seed=st.binary(min_size=32, max_size=32).map(bytes.hex),
    players=st.sampled_from([3, 4, 5]),
    choices=st.lists(st.integers(0, 99), min_size=40, max_size=160),
)
def test_every_ply_of_a_game_is_what_the_rulebook_says(
    seed: str, players: int, choices: list[int]
) -> None:
    state = trick.start(seed, players)
    for choice in choices:
        moves = trick.legal_moves(state)
        if not moves:
            break
        before, move = trick.position(state), moves[choice % len(moves)]
        facts = trick.report(state, move)
        state = trick.apply(state, move)
        check_ply(before, trick.format_move(move), facts, trick.position(state))


def check_ply(
    before: dict[str, Any], text: str, facts: dict[str, Any], after_: dict[str, Any]
) -> None:
    """Assert that the position after a ply is the one that the rulebook makes of it."""
    verb, card = text.split(" ")
    seats = range(len(before["hands"]))
    if verb == "play" and len(before["trick"]) + 1 < len(seats):
        assert after_["trick"] == [*before["trick"], [before["turn"], card]]
        assert after_["discard"] == before["discard"] and after_["pools"] == before["pools"]
        assert after_["turn"] == (before["turn"] + 1) % len(seats)
        return
    if verb == "play":
        told = model(before, card)
        hands, pools, owed, gone = told["hands"], told["pools"], told["owed"], told["gone"]
        winner = told["winner"]
        assert facts["discarded"] == gone and facts["winner"] == winner
        assert after_["tricks"] == before["tricks"] + 1
    else:
        winner, owed, gone = before["turn"], before["owed"] - 1, [card]
        hands = [[held for held in hand if held != card] for hand in before["hands"]]
        pools = before["pools"]
        # As many cards are left in the end as at the first choice.
        assert len(before["hands"][winner]) > before["owed"]
    if owed == 0:
        for seat in seats:
            if not hands[seat]:
                hands[seat], pools[seat] = in_order(pools[seat]), []
        lost = [seat for seat in seats if not hands[seat]]
        assert after_["losers"] == lost
        assert after_["turn"] == (None if lost else winner)
    else:
        assert after_["losers"] == [] and after_["turn"] == winner
    assert (after_["hands"], after_["pools"]) == (hands, pools)
    assert after_["discard"] == [*before["discard"], *gone]
    assert (after_["leader"], after_["owed"], after_["trick"]) == (winner, owed, [])


def test_a_game_ends_however_it_is_played() -> None:
    """Every trick takes at least one card out of the game."""
    for players in (3, 4, 5):
        state = trick.start(SEED, players)
        states = [state]
        while moves := trick.legal_moves(state):
            state = trick.apply(state, moves[0])
            states.append(state)
        assert state.tricks <= len(state.discard) <= 12 * players
        assert all(len(a.discard) <= len(b.discard) for a, b in pairwise(states))


# --- Positions from outside ----------------------------------------------------------------------

GOOD = trick_position("R1 Y1 Y5", "R5 Y2", "Y3 G4", pools={1: "B1 B3 B2"}, on_table="R2")
CHOOSING = trick.position(lay(trick_state("R9 R3 G2 G1", "R2 Y2", "R4 G4"), "R9 R2 R4"))
ENDED = trick.position(lay(trick_state("B9", "B7", "B8", pools={1: "R1 R2 R3"}), "B9 B7 B8"))
# After one trick, whose lowest number was 1: the leader has won it and discarded one card.
ONE_TRICK = trick_position(
    " ".join(deck(3)[3:13]), " ".join(deck(3)[13:24]), " ".join(deck(3)[24:35]),
    pools={0: "R1 R3 R2"},
)  # fmt: skip
assert ONE_TRICK["tricks"] == 1 and ONE_TRICK["discard"] == ["B9"]
# After a trick of three nines, eight of nine cards discarded.
NINES = [card for card in deck(3) if card not in ("R9", "Y9", "G9")]


def moved(position: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**position, **changes}


BAD = {
    "a card missing": moved(GOOD, discard=GOOD["discard"][1:]),
    "a card twice": moved(GOOD, discard=[*GOOD["discard"], "R1"]),
    "a card of a bigger table": moved(GOOD, discard=[*GOOD["discard"][1:], "R12"]),
    "an unsorted hand": moved(GOOD, hands=[["Y1", "R1", "Y5"], *GOOD["hands"][1:]]),
    "no such phase": moved(GOOD, phase="draw"),
    "a hand too few": moved(GOOD, hands=GOOD["hands"][:2]),
    "a leader beyond the table": moved(GOOD, leader=3),
    "a leader as a boolean": moved(GOOD, leader=False),
    "tricks below zero": moved(GOOD, tricks=-1),
    "more tricks than discards": moved(GOOD, tricks=len(GOOD["discard"]) + 1),
    "too few tricks": moved(GOOD, tricks=GOOD["tricks"] - 1),
    "no tricks": moved(GOOD, tricks=0),
    "a loser in play": moved(GOOD, losers=[0]),
    "cards owed in play": moved(GOOD, owed=1),
    "part of a trick in a pool": moved(
        GOOD, pools=[[], ["B1", "B3"], []], discard=[*GOOD["discard"], "B2"]
    ),
    "who held the suit led did not follow": moved(
        GOOD, trick=[[0, "R2"], [1, "Y2"]], hands=[["R1", "Y1", "Y5"], ["R5"], ["Y3", "G4"]],
    ),
    "no card for who is to play": moved(
        GOOD, hands=[["R1", "Y1", "Y5"], [], ["Y3", "G4"]], discard=[*GOOD["discard"], "R5", "Y2"]
    ),
    "a whole trick on the table": moved(
        GOOD, trick=[[0, "R2"], [1, "R5"], [2, "Y3"]],
        hands=[["R1", "Y1", "Y5"], ["Y2"], ["G4"]],
    ),
    "a trick on the table while the winner chooses": moved(
        CHOOSING, trick=[[0, "G8"]], discard=[c for c in CHOOSING["discard"] if c != "G8"]
    ),
    "nothing owed while the winner chooses": moved(CHOOSING, owed=0),
    "the whole hand owed": moved(CHOOSING, owed=3),
    "more owed than the lowest number": moved(
        CHOOSING, owed=3, hands=[["R3", "Y4", "G1", "G2"], *CHOOSING["hands"][1:]],
        discard=[c for c in CHOOSING["discard"] if c != "Y4"],
    ),
    "a choice before the first trick": moved(
        trick.position(trick.start(SEED)), phase="discard", owed=1
    ),
    "nobody lost at the end": moved(ENDED, losers=[]),
    "the wrong loser": moved(ENDED, losers=[1, 2]),
    "over with everybody in it": moved(
        ENDED, losers=[], hands=[["B7"], ENDED["hands"][1], ["B8"]],
        discard=[c for c in ENDED["discard"] if c not in ("B7", "B8")],
    ),
    "a pool not taken at the end": moved(
        ENDED, hands=[[], [], []], pools=[[], ENDED["hands"][1], []]
    ),
    "a leader who has won no trick": moved(ONE_TRICK, leader=1, turn=1),
    "a pool of more tricks than were won": moved(
        ONE_TRICK, pools=[[*deck(3)[:6]], [], []],
        hands=[deck(3)[6:13], *ONE_TRICK["hands"][1:]],
    ),
    "more discarded and owed than any number": moved(
        trick_position(
            " ".join(NINES[:3]), " ".join(NINES[3:14]), " ".join(NINES[14:25]),
            pools={0: "R9 Y9 G9"}, phase="discard", owed=1,
        ),
        owed=2,
    ),
    "fifteen discarded with five players": moved(
        GOOD, trick=[], turn=0, tricks=1, pools=[[]] * 5,
        hands=[["R1"], deck(5)[1:12], deck(5)[12:23], deck(5)[23:34], deck(5)[34:45]],
        discard=deck(5)[45:],
    ),
    "a trick that is no list": moved(GOOD, trick=7),
    "a card as a list": moved(GOOD, discard=[["R9"]]),
    "losers as a number": moved(GOOD, losers=0),
}  # fmt: skip


@pytest.mark.parametrize("position", [GOOD, CHOOSING, ENDED], ids=["play", "discard", "over"])
def test_the_positions_that_the_bad_ones_are_made_from_hold(position: dict[str, Any]) -> None:
    state = decoded(position)
    trick.check(state)
    assert trick.position(state) == position


@pytest.mark.parametrize("name", BAD)
def test_a_position_that_no_play_reaches_is_refused(name: str) -> None:
    with pytest.raises(InvalidRecord) as caught:
        trick.check(decoded(BAD[name]))
    assert caught.value.message and "%(" not in caught.value.message


def test_a_position_of_two_or_six_is_none_of_this_game() -> None:
    for players in (2, 6):
        hands, pools = [["R1"]] * players, [[]] * players
        with pytest.raises(InvalidRecord):
            decoded(moved(GOOD, hands=hands, pools=pools))


def test_every_kind_of_fault_is_among_them() -> None:
    sentences = set()
    for position in BAD.values():
        with pytest.raises(InvalidRecord) as caught:
            trick.check(decoded(position))
        sentences.add(caught.value.message)
    state = decoded(GOOD)
    assert {sentence for _, sentence in trick._faults(state)} <= sentences


def test_a_position_is_json() -> None:
    state = trick_state("R1 Y1", "R5 Y2", "Y3 G4")
    assert trick.decode(json.loads(json.dumps(trick.encode(state)))) == state
