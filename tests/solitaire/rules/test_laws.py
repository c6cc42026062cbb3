"""The Laws edition, rule by rule; a test named ``test_ruling_…`` holds one ruling of its page.

Piles, unless a test says otherwise: 1 is A♠ 2♠ 5♣, 2 is 10♠ 3♠, 3 is K♠ 4♠ (top first).
"""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.protocol import Termination
from ouroboros_site.engine.shuffle import shuffle
from solitaire.rules import laws
from solitaire.rules.cards import CARDS

from .positions import BLACK, RED, SEED, after, laws_state, legal_texts, refused, show

# The bottom of the discard pile first; what a reflux brings back comes from its start.
DISCARD = "Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh"


def play(text: str, hand: str, **description: Any) -> Any:
    """The state after one move in the position described."""
    return after(laws, laws_state(hand, **description), text)


def legal(state: Any, verb: str = "") -> list[str]:
    return legal_texts(laws, state, verb)


def seen(state: Any) -> list[dict[str, Any]]:
    """What the player sees of each pile."""
    piles = laws.view(state, 0)["piles"]
    return [{key: pile[key] for key in ("top", "under", "seen")} for pile in piles]


# --- Set-up and draw -----------------------------------------------------------------------------


def test_set_up_is_dealt_from_the_seed() -> None:
    state = laws.start(SEED)
    friendly = list(shuffle(SEED, "friendly-1", RED))
    threats = list(shuffle(SEED, "threat-1", BLACK))
    assert laws.position(state) == {
        "loop": 1,
        "score": 0,
        "phase": "encounter",
        "deck": friendly[5:],
        "hand": friendly[:5],
        "discard": [],
        "resting": [],
        "navigated": [],
        "piles": [threats[:9], threats[9:18], threats[18:]],
        "known": [0, 0, 0],
        "locked": None,
        "successes": 0,
        "laws": [],
        "turn": 0,
    }
    assert laws.turn(state) == 0
    assert laws.outcome(state) is None


def test_ruling_piles_hold_nine_nine_and_eight() -> None:
    assert [len(pile) for pile in laws.position(laws.start(SEED))["piles"]] == [9, 9, 8]


def test_every_seed_deals_other_cards() -> None:
    assert laws.position(laws.start("00" * 32)) != laws.position(laws.start("01" * 32))


def test_draw_fills_the_right_end_of_the_hand_from_the_top_of_the_deck() -> None:
    state = play("play 2 7d 3c", "Ad 7d 2d 3c Th", deck="2h 3h ...")
    assert show(laws, state, "hand")[0] == "Ad 2d Th 2h 3h"


def test_the_game_ends_when_the_last_card_is_drawn() -> None:
    state = play("play 2 Th", "Ad 2d 7d 3c Th", deck="2h")
    assert show(laws, state, "phase turn deck hand score") == [
        "over", None, "", "Ad 2d 7d 3c 2h", 20,
    ]  # fmt: skip
    assert legal(state) == []
    assert laws.turn(state) is None
    outcome = laws.outcome(state)
    assert outcome is not None
    assert (outcome.termination, outcome.scores) == (Termination.DECK_EMPTY, (20,))


def test_the_game_goes_on_with_one_card_left_in_the_deck() -> None:
    state = play("play 2 Th", "Ad 2d 7d 3c Th", deck="2h 3h")
    assert show(laws, state, "phase turn deck") == ["encounter", 0, "3h"]
    assert laws.outcome(state) is None


def test_the_draw_that_ends_the_game_may_leave_the_hand_short() -> None:
    state = play("play 2 7d 3c", "Ad 2d 7d 3c Th", deck="2h")
    assert show(laws, state, "phase hand") == ["over", "Ad 2d Th 2h"]


@pytest.mark.parametrize("text", ["play 1 Ad", "bribe 1", "concede 1", "capture 1", "flash 1"])
def test_no_move_after_the_end(text: str) -> None:
    state = laws_state("Ad 2d 7d 3c *", deck="", phase="over", turn=None)
    refused(laws, state, text)


# --- Confronting ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "pile", "match"),
    [
        ("Ad", 1, True),
        ("Th", 2, True),
        ("Kd", 3, True),
        ("Th", 1, False),
        ("9d 4d", 3, True),  # 13
        ("9d 5d", 1, True),  # 14 is 1
        ("9d 6d", 1, False),  # 15 is 2
        ("Kd Kc", 3, True),  # 26 is 13
        ("Kd Kc Ad", 1, True),  # 27 is 1
        ("Kd Kc Kh", 3, True),  # 39 is 13
        ("Qd Kd Jh", 2, True),  # 36 is 10
        ("Qd Jh", 2, True),  # 23 is 10
        ("Kd Qd Ad", 3, True),  # 26 is 13
        ("Kd Qd Jh", 3, False),  # 36 is 10
    ],
)
def test_the_sum_is_brought_into_one_to_thirteen(cards: str, pile: int, match: bool) -> None:
    spare = [card for card in ("8h", "8d", "6h", "7c", "9h") if card not in cards.split()]
    state = laws_state(" ".join([*cards.split(), *spare][:5]))
    move = laws.parse_move(f"play {pile} {cards}")
    assert laws.report(state, move)["match"] is match
    discard = laws.position(laws.apply(state, move))["discard"]
    assert " ".join(discard).endswith(cards)
    assert len(discard) == len(cards.split()) + (0 if match else 9)


def test_one_to_three_cards_of_the_hand_against_each_pile() -> None:
    state = laws_state("Ad 2d 7d 3c Th")
    hand = ["Ad", "2d", "7d", "3c", "Th"]
    wanted = [
        f"play {pile} {' '.join(cards)}"
        for pile in (1, 2, 3)
        for size in (1, 2, 3)
        for cards in combinations(hand, size)
    ]
    assert legal(state, "play") == sorted(wanted)
    assert len(wanted) == 75


def test_cards_of_a_play_may_be_listed_in_any_order() -> None:
    state = laws_state("Ad 2d 7d 3c Th", deck="2h ...")
    for text in ("play 2 7d Ad 2d", "play 2 Ad 2d 7d", "play 2 2d 7d Ad"):
        assert show(laws, after(laws, state, text), "discard") == [text[7:]]


def test_the_joker_is_never_played_for_a_value() -> None:
    state = laws_state("* 2d 7d 3c Th")
    assert not [text for text in legal(state, "play") if "*" in text]
    refused(laws, state, "play 2 *")
    refused(laws, state, "play 2 Th *")


@pytest.mark.parametrize(
    "text",
    ["play 2 9c", "play 2 Ad Ad", "play 2 Ad 2d 7d 3c", "play 2", "play 4 Ad", "play 0 Ad"],
)
def test_a_play_names_cards_of_the_hand_once_and_a_pile(text: str) -> None:
    refused(laws, laws_state("Ad 2d 7d 3c Th"), text)


def test_an_empty_pile_cannot_be_chosen() -> None:
    state = laws_state("* Jd 7d 3c Th", piles=("As 2s", "", "Ks"))
    assert not [text for text in legal(state) if text.split()[1] == "2" or text.endswith(" 2")]
    for text in ("play 2 Th", "bribe 2", "flash 2", "scout Jd 2"):
        refused(laws, state, text)


def test_in_the_first_loop_one_success_defeats() -> None:
    state = play("play 2 Th", "Ad 2d 7d 3c Th", deck="2h ...")
    assert show(laws, state, "score locked successes piles discard hand") == [
        20, None, 0, ["As 2s 5c", "3s", "Ks 4s"], "Th", "Ad 2d 7d 3c 2h",
    ]  # fmt: skip
    assert laws.position(state)["navigated"][-1] == "Ts"


def test_an_enemy_needs_as_many_successes_as_the_loop_counts() -> None:
    state = laws_state("Ad Th 2d 7h 8d", loop=3, deck="6h 4d Qd 9h ...")
    state = after(laws, state, "play 2 Th")
    assert show(laws, state, "locked successes score piles") == [
        2, 1, 71, ["As 2s 5c", "Ts 3s", "Ks 4s"],
    ]  # fmt: skip
    state = after(laws, state, "play 2 2d 8d")
    assert show(laws, state, "locked successes score") == [2, 2, 71]
    state = after(laws, state, "play 2 6h 4d")
    assert show(laws, state, "locked successes score piles") == [
        None, 0, 72, ["As 2s 5c", "3s", "Ks 4s"],
    ]  # fmt: skip
    assert laws.position(state)["navigated"][-1] == "Ts"


def test_navigated_enemies_lie_in_a_row_in_the_order_they_left() -> None:
    state = laws_state("Ad Th 3d 7h 8d")
    row = laws.position(state)["navigated"]
    state = after(laws, state, "play 2 Th", "play 1 Ad", "play 3 7h")
    assert laws.position(state)["navigated"] == [*row, "Ts", "As", "Ks"]


def test_the_player_stays_with_the_enemy_of_the_locked_pile() -> None:
    state = laws_state("* Jd 7d 3c Th", loop=2, locked=2, successes=1)
    piles = {text.split()[1] for text in legal(state, "play")}
    assert piles == {"2"}
    assert legal(state, "flash") == ["flash 2"]
    assert legal(state, "scout") == ["scout Jd 2"]
    for text in ("play 1 Th", "flash 3", "scout Jd 1", "bribe 1"):
        refused(laws, state, text)


def test_no_bribe_after_the_first_success() -> None:
    state = play("play 2 Th", "Ad 2d 7d 3c Th", loop=2)
    assert legal(state, "bribe") == []
    refused(laws, state, "bribe 2")


# --- Failure -------------------------------------------------------------------------------------


def test_a_failure_costs_nine_cards_and_the_enemy_is_navigated() -> None:
    state = play("play 2 2d Ad", "Ad 2d 7d 3c Th", deck="2h 3h 4h 5h 6h 7h 8h 9h Jh Qh Kh ...")
    assert show(laws, state, "discard hand score locked piles") == [
        "2h 3h 4h 5h 6h 7h 8h 9h Jh 2d Ad", "7d 3c Th Qh Kh", 20, None,
        ["As 2s 5c", "3s", "Ks 4s"],
    ]  # fmt: skip
    assert laws.position(state)["navigated"][-1] == "Ts"


def test_a_failure_navigates_the_enemy_whatever_it_still_needed() -> None:
    state = play("play 2 2d", "Ad 2d 7d 3c Th", loop=5, locked=2, successes=3)
    assert show(laws, state, "score locked successes") == [124, None, 0]
    assert laws.position(state)["navigated"][-1] == "Ts"


def test_a_failure_earns_no_bonus_and_no_extortion() -> None:
    piles = ("As 2s 5c", "Ts 3s", "4s")
    deck = "Kh Ad 5d 6d 7d 8d 9d Td Jd Qd Kd *"
    state = play("play 1 2d 3d 4d", "2d 3d 4d 7c 8c", discard=DISCARD, deck=deck, laws="Ks",
                 piles=piles)  # fmt: skip
    assert show(laws, state, "discard") == [f"{DISCARD} {deck[:26]} 2d 3d 4d"]
    assert show(laws, state, "phase hand") == ["over", "7c 8c Qd Kd *"]


def test_ruling_failure_played_cards_follow_on_top_also_at_the_end() -> None:
    state = play("play 2 2d Ad", "Ad 2d 7d 3c Td", deck="2h 3h 4h")
    assert show(laws, state, "phase")[0] == "over"
    assert laws.position(state)["discard"][-5:] == ["2h", "3h", "4h", "2d", "Ad"]
    assert show(laws, state, "hand") == ["7d 3c Td"]


@pytest.mark.parametrize("deck", ["2h 3h 4h", "2h 3h 4h 5h 6h 7h 8h 9h Th"])
def test_ruling_failure_that_empties_the_deck_leaves_the_enemy_uncounted(deck: str) -> None:
    state = play("play 2 2d", "Ad 2d 7d 3c Td", deck=deck)
    assert show(laws, state, "phase score piles locked successes deck turn") == [
        "over", 19, ["As 2s 5c", "Ts 3s", "Ks 4s"], None, 0, "", None,
    ]  # fmt: skip
    assert "Ts" not in laws.position(state)["navigated"]
    outcome = laws.outcome(state)
    assert outcome is not None and outcome.scores == (19,)


def test_a_failure_that_ends_the_game_leaves_the_lock_as_it_was() -> None:
    state = play("play 2 2d Ad", "Ad 2d 7d 3c Td", deck="2h 3h", loop=3, locked=2, successes=2)
    assert show(laws, state, "phase locked successes score") == ["over", 2, 2, 71]


def test_a_failure_with_ten_cards_leaves_one_that_the_draw_then_takes() -> None:
    state = play("play 2 2d", "Ad 2d 7d 3c Td", deck="2h 3h 4h 5h 6h 7h 8h 9h Th Jh")
    assert show(laws, state, "phase score hand locked") == ["over", 20, "Ad 7d 3c Td Jh", None]
    assert laws.position(state)["navigated"][-1] == "Ts"


# --- Bribes --------------------------------------------------------------------------------------


def test_a_bribe_costs_four_and_the_enemy_joins_the_deck() -> None:
    state = play("bribe 2", "Ad 2d 7d 3c Th", deck="2h 3h 4h 5h 6h ...")
    assert show(laws, state, "discard score locked hand piles") == [
        "2h 3h 4h 5h", 20, None, "Ad 2d 7d 3c Th", ["As 2s 5c", "3s", "Ks 4s"],
    ]  # fmt: skip
    deck = laws.position(state)["deck"]
    assert (deck[0], deck[-1]) == ("6h", "Ts")
    assert "Ts" not in laws.position(state)["navigated"]


@pytest.mark.parametrize(
    ("pile", "enacted", "cost"),
    [
        (1, "", 6), (2, "", 6), (3, "", 6), (1, "Kc", 5), (2, "Kc", 5), (3, "Kc", 5),
    ],
)  # fmt: skip
def test_a_special_enemy_costs_six_and_assistance_takes_one_off(
    pile: int, enacted: str, cost: int
) -> None:
    piles = ("Js 2s 5c", "Qs 3s", "Ks 4s")
    state = play(f"bribe {pile}", "Ad 2d 7d 3c Th", piles=piles, laws=enacted)
    assert len(laws.position(state)["discard"]) == cost


def test_assistance_makes_an_ordinary_bribe_cost_three() -> None:
    state = play("bribe 1", "Ad 2d 7d 3c Th", deck="2h 3h 4h 5h ...", laws="Kc")
    assert show(laws, state, "discard") == ["2h 3h 4h"]


def test_ruling_bribe_is_legal_only_if_the_deck_holds_at_least_the_cost() -> None:
    hand = "Ad 2d 7d 3c Td"
    assert legal(laws_state(hand, deck="2h 3h 4h"), "bribe") == []
    assert legal(laws_state(hand, deck="2h 3h 4h 5h"), "bribe") == ["bribe 1", "bribe 2"]
    assert legal(laws_state(hand, deck="2h 3h 4h 5h 6h"), "bribe") == ["bribe 1", "bribe 2"]
    assert len(legal(laws_state(hand, deck="2h 3h 4h 5h 6h 7h"), "bribe")) == 3
    message = refused(laws, laws_state(hand, deck="2h 3h 4h"), "bribe 1")
    assert "4" in message and "3" in message
    message = refused(laws, laws_state(hand, deck="2h 3h 4h 5h 6h"), "bribe 3")
    assert "6" in message and "5" in message
    helped = laws_state(hand, deck="2h 3h 4h 5h 6h", laws="Kc")
    assert "bribe 3" in legal(helped)


@pytest.mark.parametrize(("deck", "pile"), [("2h 3h 4h 5h", 1), ("2h 3h 4h 5h 6h 7h", 3)])
def test_ruling_bribe_that_empties_the_deck_leaves_the_enemy_uncounted(
    deck: str, pile: int
) -> None:
    state = play(f"bribe {pile}", "Ad 2d 7d 3c Td", deck=deck)
    assert show(laws, state, "phase score piles deck turn locked") == [
        "over", 19, ["As 2s 5c", "Ts 3s", "Ks 4s"], "", None, None,
    ]  # fmt: skip
    assert " ".join(laws.position(state)["discard"]).endswith(deck)


def test_a_bribe_that_ends_the_game_leaves_the_lock_as_it_was() -> None:
    state = play("bribe 1", "Ad 2d 7d 3c Td", deck="2h 3h 4h 5h", locked=1, resting="Jd",
                 known=[2, 0, 0])  # fmt: skip
    assert show(laws, state, "phase locked successes") == ["over", 1, 0]


def test_a_bribe_brings_no_extortion() -> None:
    state = play("bribe 1", "Ad 2d 7d 3c Td", discard=DISCARD, laws="Ks", piles=(
        "As 2s 5c", "Ts 3s", "4s"))  # fmt: skip
    assert " ".join(laws.position(state)["discard"]).startswith(DISCARD)


# --- Combo bonuses -------------------------------------------------------------------------------

EIGHT = ("8s 2s 5s", "Ts 3s", "4s")
NINE = ("9s 2s 5s", "Ts 3s", "4s")


@pytest.mark.parametrize(
    ("cards", "piles", "reflux"),
    [
        ("Ad 2d 6d", NINE, 5),  # flush
        ("6c 2c Ac", NINE, 5),  # flush of bribed cards
        ("4d 4c", EIGHT, 7),  # pair
        ("4d Ad 4c", NINE, 7),  # pair in three cards
        ("2d 3d 4c", NINE, 9),  # straight
        ("4c 2d 3d", NINE, 9),  # straight in any order
        ("7d 7c 7h", EIGHT, 9),  # three of a kind, no pair
        ("2d 3d 4d", NINE, 14),  # straight flush
        ("4d 3d 2d", NINE, 14),
        ("2d 7d", NINE, 0),
        ("9d", NINE, 0),
        ("Ad 3d 5c", NINE, 0),
        ("4d 5d", NINE, 0),
        ("Qd Kd Tc", NINE, 0),  # 35 is 9
    ],
)
@pytest.mark.parametrize("enacted", ["", "Kh"])
def test_bonus_refluxes(cards: str, piles: tuple[str, str, str], reflux: int, enacted: str) -> None:
    """Every bonus with its reflux; the Law of Protection adds two to each of them."""
    discard = "Ah 2h 3h 4h 5h 6h 8h 9h Th Jh Qh Td Jd 8d 5d 6c 8c 9c Tc Jc"
    discard = " ".join(card for card in discard.split() if card not in cards.split())
    spare = [card for card in ("Qc", "3c", "Ac", "2c") if card not in cards.split()]
    hand = " ".join([*cards.split(), *spare][:5])
    state = laws_state(hand, discard=discard, piles=piles, laws=enacted, loop=2)
    before = laws.position(state)
    bonuses = {5: 1, 7: 1, 9: 1, 14: 2, 0: 0}[reflux]
    back = reflux + 2 * bonuses * (enacted == "Kh")

    state = after(laws, state, f"play 1 {cards}")
    position = laws.position(state)
    assert position["discard"] == before["discard"][back:] + cards.split()
    deck = [card for card in position["deck"] if card != piles[0][:2]]
    assert deck[len(deck) - back :] == before["discard"][:back]
    if bonuses:
        assert show(laws, state, "score locked successes") == [before["score"] + 1, None, 0]
    else:
        assert show(laws, state, "score locked successes") == [before["score"], 1, 1]


def test_a_bonus_defeats_at_once_whatever_was_needed() -> None:
    state = play("play 2 Ad 2d 7d", "Ad 2d 7d 3c Th", loop=7)
    assert show(laws, state, "score locked successes") == [176, None, 0]
    assert laws.position(state)["navigated"][-1] == "Ts"


def test_a_reflux_brings_back_as_many_as_there_are_but_not_the_cards_just_played() -> None:
    state = play("play 2 7d Ad 2d", "Ad 2d 7d 3c 4c", discard="8d 9d", deck="2h 3h 4h 5h ...")
    assert show(laws, state, "discard hand") == ["7d Ad 2d", "3c 4c 2h 3h 4h"]
    assert laws.position(state)["deck"][-2:] == ["8d", "9d"]


def test_the_reflux_comes_before_the_draw() -> None:
    state = play("play 2 7d Ad 2d", "Ad 2d 7d 3c 4c", deck="2h", discard="8d 9d Td Jd ...")
    assert show(laws, state, "phase hand deck") == ["encounter", "3c 4c 2h 8d 9d", "Td Jd Ah"]


def test_ruling_a_straight_flush_earns_two_bonuses() -> None:
    description: dict[str, Any] = {"deck": "Th Jh Qh Kh", "discard": "8d 9d Td Jd Qd Kd ..."}
    state = laws_state("2d 3d 4d 5c 6c", piles=NINE, **description)
    report = laws.report(state, laws.parse_move("play 1 2d 3d 4d"))
    assert len(report["bonuses"]) == 2 and report["reflux"] == 14
    position = laws.position(after(laws, state, "play 1 2d 3d 4d"))
    assert len(position["deck"]) == 4 + 14 - 3


def test_ruling_a_pair_is_exactly_two_equal_values_in_a_play_of_two_or_three() -> None:
    def bonuses(hand: str, cards: str, top: str) -> list[str]:
        state = laws_state(hand, piles=(f"{top} 2s", "Js", "4s"))
        return list(laws.report(state, laws.parse_move(f"play 1 {cards}"))["bonuses"])

    assert bonuses("4d 4c Ad 2c 5c", "4d 4c", "8s") == ["pair"]
    assert bonuses("4d 4c Ad 2c 5c", "4d 4c Ad", "9s") == ["pair"]
    assert bonuses("4d 4c Ad 2c 5c", "Ad 4d 4c", "9s") == ["pair"]
    assert "pair" not in bonuses("7d 7c 7h 2c 5c", "7d 7c 7h", "8s")
    assert bonuses("8d 4c Ad 2c 5c", "8d", "8s") == []
    # Two of one value that stay in the hand are no pair.
    assert bonuses("8d 4c 4d 2c 5c", "8d", "8s") == []


def test_ruling_a_straight_does_not_wrap_from_king_to_ace() -> None:
    # Q + K + A = 26, which is 13; K + A + 2 = 16, which is 3.
    state = play("play 3 Qd Kd Ac", "Qd Kd Ac 6c 4d", discard=DISCARD.replace("Qh", "Kh"), loop=2)
    assert show(laws, state, "successes locked discard") == [
        1, 3, f"{DISCARD.replace('Qh', 'Kh')} Qd Kd Ac",
    ]  # fmt: skip
    state = play("play 1 Kd Ad 2h", "Kd Ad 2h 6c 4d", piles=("3s 2s", "Ts", "4s"), loop=2)
    assert show(laws, state, "successes locked") == [1, 1]
    # The two ends themselves are straights: A + 2 + 3 = 6, J + Q + K = 36, which is 10.
    low = laws_state("Ad 2h 3d 7c 9d", piles=("6s 2s", "Ts", "4s"))
    assert laws.report(low, laws.parse_move("play 1 2h 3d Ad"))["bonuses"] == ["straight"]
    high = laws_state("Jd Qh Kd 7c 9d", piles=("6s 2s", "Ts", "4s"))
    assert laws.report(high, laws.parse_move("play 2 Kd Jd Qh"))["bonuses"] == ["straight"]


# --- Three of a kind and the capture -------------------------------------------------------------

SEVENS = "7d 7c 7h 2c 3c"


def test_three_of_a_kind_refluxes_then_the_enemy_joins_then_the_capture_is_asked() -> None:
    state = play("play 1 7d 7c 7h", SEVENS, piles=("8s 2s 5s", "Ts 3s", "4s"), loop=3,
                 deck="Qd Kd * Td ...", discard="Ah 2h 3h 4h 5h 6h 8h 9h Th Jh Qh")  # fmt: skip
    assert show(laws, state, "phase hand discard piles score locked successes turn") == [
        "capture", "2c 3c", "Jh Qh 7d 7c 7h", ["2s 5s", "Ts 3s", "4s"], 73, None, 0, 0,
    ]  # fmt: skip
    deck = laws.position(state)["deck"]
    assert deck[-10:] == ["Ah", "2h", "3h", "4h", "5h", "6h", "8h", "9h", "Th", "8s"]
    assert legal(state) == ["capture 1", "capture 2", "capture 3"]


def test_the_captured_card_goes_under_the_deck_and_then_the_hand_is_drawn() -> None:
    piles = ("8s 2s 5s", "Ts 3s", "4s")
    state = play("play 1 7d 7c 7h", SEVENS, piles=piles, deck="Qd Kd * Td ...", discard="Ah 2h")
    state = after(laws, state, "capture 2")
    assert show(laws, state, "phase hand piles") == [
        "encounter", "2c 3c Qd Kd *", ["2s 5s", "3s", "4s"],
    ]  # fmt: skip
    assert laws.position(state)["deck"][-4:] == ["Ah", "2h", "8s", "Ts"]
    assert not {"8s", "Ts"} & set(laws.position(state)["navigated"])


def test_ruling_the_capture_may_take_the_next_card_of_the_pile_just_fought() -> None:
    state = play("play 1 7d 7c 7h", SEVENS, piles=("8s 2s 5s", "Ts 3s", "4s"))
    assert "capture 1" in legal(state)
    assert laws.view(state, 0)["piles"][0]["top"] == "2s"
    state = after(laws, state, "capture 1")
    assert show(laws, state, "piles") == [["5s", "Ts 3s", "4s"]]
    assert laws.position(state)["deck"][-2:] == ["8s", "2s"]


def test_ruling_the_captured_card_counts_as_navigated() -> None:
    piles = ("8s 2s 5s", "Ts 3s", "4s")
    state = laws_state(SEVENS, piles=piles)
    assert show(laws, state, "score") == [20]
    state = after(laws, state, "play 1 7d 7c 7h")
    assert show(laws, state, "score") == [21]
    state = after(laws, state, "capture 3")
    assert show(laws, state, "score") == [22]


def test_with_one_pile_left_its_top_is_taken_without_asking() -> None:
    state = play("play 1 7d 7c 7h", SEVENS, piles=("8s", "Ts 3s", ""), deck="Qd Kd * Td ...")
    assert show(laws, state, "phase piles hand score") == [
        "encounter", ["", "3s", ""], "2c 3c Qd Kd *", 25,
    ]  # fmt: skip
    assert laws.position(state)["deck"][-2:] == ["8s", "Ts"]


def test_the_capture_without_asking_may_clear_the_loop() -> None:
    state = play("play 1 7d 7c 7h", SEVENS, piles=("8s Ts", "", ""))
    assert show(laws, state, "loop phase score") == [2, "encounter", 26]


def test_with_no_pile_left_the_capture_is_skipped() -> None:
    state = play("play 1 7d 7c 7h", SEVENS, piles=("8s", "", ""))
    assert show(laws, state, "loop phase score") == [2, "encounter", 26]


@pytest.mark.parametrize("text", ["play 2 2c", "bribe 2", "flash 2", "concede 2", "capture 3",
                                  "scout Jd 2", "reorganize Qd: Jd", "enforce Kd"])  # fmt: skip
def test_in_the_capture_phase_nothing_else_may_be_done(text: str) -> None:
    for hand in ("7d 7c 7h Jd Qd", "7d 7c 7h * Kd"):
        state = play("play 1 7d 7c 7h", hand, piles=("8s 2s", "Ts 3s", ""))
        assert legal(state) == ["capture 1", "capture 2"]
        refused(laws, state, text)


def test_a_capture_is_asked_for_only_after_three_of_a_kind() -> None:
    refused(laws, laws_state("Ad 2d 7d 3c Th"), "capture 1")


# --- The loop ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "hand"),
    [
        ("play 2 Th", "Ad 2d 7d 3c Th"),  # defeated
        ("play 2 2d", "Ad 2d 7d 3c Th"),  # failed
        ("bribe 2", "Ad 2d 7d 3c Th"),
        ("flash 2", "* 2d 7d 3c Th"),
    ],
)
def test_the_loop_is_cleared_when_the_piles_are_empty(text: str, hand: str) -> None:
    state = play(text, hand, piles=("", "Ts", ""))
    friendly = list(shuffle(SEED, "friendly-2", RED))
    threats = list(shuffle(SEED, "threat-2", BLACK))
    assert laws.position(state) == {
        "loop": 2,
        "score": 26,
        "phase": "encounter",
        "deck": friendly[5:],
        "hand": friendly[:5],
        "discard": [],
        "resting": [],
        "navigated": [],
        "piles": [threats[:9], threats[9:18], threats[18:]],
        "known": [0, 0, 0],
        "locked": None,
        "successes": 0,
        "laws": [],
        "turn": 0,
    }


def test_the_loop_is_cleared_even_when_only_one_card_is_left_in_the_deck() -> None:
    state = play("play 2 Th", "Ad 2d 7d 3c Th", piles=("", "Ts", ""), deck="2h")
    assert show(laws, state, "loop phase") == [2, "encounter"]


def test_a_failure_at_the_last_enemy_that_empties_the_deck_ends_the_game() -> None:
    state = play("play 2 2d", "Ad 2d 7d 3c Th", piles=("", "Ts", ""), deck="2h 3h")
    assert show(laws, state, "loop phase score piles") == [1, "over", 25, ["", "Ts", ""]]


def test_ruling_laws_stay_in_force_after_the_loop() -> None:
    state = play("play 2 Th", "Ad 2d 7d 3c Th", piles=("", "Ts", ""), laws="Kh Kc", loop=3,
                 locked=2, successes=2)  # fmt: skip
    assert show(laws, state, "loop laws resting") == [4, "Kh Kc", ""]
    position = laws.position(state)
    assert "Kh" in position["deck"] + position["hand"]
    assert any("Kc" in pile for pile in position["piles"])


# --- Special cards -------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["Jd", "Qd", "Kd"])
def test_a_special_card_played_for_its_value_goes_to_the_discard_pile(card: str) -> None:
    top = {"Jd": "Js", "Qd": "Qs", "Kd": "Kc"}[card]
    state = play(f"play 1 {card}", f"{card} 2d 7d 3c Th", piles=(f"{top} 2s", "Ts", "4s"))
    assert show(laws, state, "discard resting score laws") == [card, "", 23, ""]


def test_ruling_using_a_special_does_not_refill_the_hand_the_next_draw_does() -> None:
    state = laws_state("Jd Qd Kh 7c 9d", deck="2h 3h 4h 5h 6h 7h ...")
    state = after(laws, state, "enforce Kh")
    assert show(laws, state, "hand resting") == ["Jd Qd 7c 9d", "Kh"]
    state = after(laws, state, "scout Jd 2")
    assert show(laws, state, "hand resting") == ["Qd 7c 9d", "Kh Jd"]
    state = after(laws, state, "reorganize Qd: 7c")
    assert show(laws, state, "hand resting") == ["9d 2h", "Kh Jd Qd"]
    state = after(laws, state, "play 2 9d")
    assert len(laws.position(state)["hand"]) == 5


def test_resting_cards_stay_there_until_the_loop_is_cleared() -> None:
    state = play("enforce Kh", "Kh 2d 7d 3c Th", piles=("", "Ts 3s", ""), deck="5h 6h ...")
    state = after(laws, state, "play 2 Th", "bribe 2")
    assert show(laws, state, "loop resting laws") == [2, "", "Kh"]


# Flash


def test_flash_defeats_at_once_and_the_joker_rests() -> None:
    state = play("flash 2", "* 2d 7d 3c Th", loop=6, locked=2, successes=3, deck="2h ...")
    assert show(laws, state, "score locked successes resting discard hand") == [
        150, None, 0, "*", "", "2d 7d 3c Th 2h",
    ]  # fmt: skip
    assert laws.position(state)["navigated"][-1] == "Ts"


def test_ruling_flash_may_open_an_encounter() -> None:
    state = laws_state("* 2d 7d 3c Th", loop=4)
    assert legal(state, "flash") == ["flash 1", "flash 2", "flash 3"]
    state = after(laws, state, "flash 3")
    assert show(laws, state, "score piles") == [98, ["As 2s 5c", "Ts 3s", "4s"]]


def test_flash_earns_no_combo_but_extortion_applies() -> None:
    piles = ("As 2s 5c", "Ts 3s", "4s")
    state = play("flash 2", "* 2d 7d 3c Th", discard="8d 9d Td", laws="Ks Kh", piles=piles)
    assert show(laws, state, "discard") == ["Td"]
    assert laws.position(state)["deck"][-2:] == ["8d", "9d"]


def test_flash_needs_the_joker_in_the_hand() -> None:
    state = laws_state("Ad 2d 7d 3c Th")
    assert legal(state, "flash") == []
    refused(laws, state, "flash 2")
    refused(laws, laws_state("* 2d 7d 3c Th"), "flash 2 *")


# Scout


def test_ruling_scout_shows_the_two_cards_under_the_face_up_enemy() -> None:
    piles = ("As 2s 5c 6c", "Ts 3s", "Ks")
    state = laws_state("Jd Jc 7d 3c Th", piles=piles)
    assert legal(state, "scout") == ["scout Jc 1", "scout Jc 2", "scout Jd 1", "scout Jd 2"]
    assert seen(state)[0] == {"top": "As", "under": 3, "seen": []}
    one = after(laws, state, "scout Jd 1")
    assert show(laws, one, "known resting hand") == [[2, 0, 0], "Jd", "Jc 7d 3c Th"]
    assert seen(one)[0] == {"top": "As", "under": 3, "seen": ["2s", "5c"]}
    two = after(laws, state, "scout Jc 2")
    assert show(laws, two, "known") == [[0, 1, 0]]
    assert seen(two)[1] == {"top": "Ts", "under": 1, "seen": ["3s"]}


def test_scout_needs_a_card_there_that_the_player_does_not_know_yet() -> None:
    piles = ("As 2s 5c 6c", "Ts 3s", "Ks")
    state = laws_state("Jd 2d 7d 3c Th", piles=piles, known=[2, 0, 0], resting="Jc")
    assert legal(state, "scout") == ["scout Jd 2"]
    refused(laws, state, "scout Jd 1")
    refused(laws, state, "scout Jd 3")
    state = laws_state("Jd 2d 7d 3c Th", piles=piles, known=[1, 1, 0], resting="Jc Js")
    assert legal(state, "scout") == ["scout Jd 1"]
    assert show(laws, after(laws, state, "scout Jd 1"), "known") == [[2, 1, 0]]


def test_only_a_jack_scouts() -> None:
    state = laws_state("Jd Qd 7d 3c Kh")
    for text in ("scout Qd 1", "scout 7d 1", "scout Jc 1", "scout * 1"):
        refused(laws, state, text)


def test_ruling_a_scouted_pile_is_locked_but_may_be_bribed_until_the_first_success() -> None:
    state = play("scout Jd 1", "Jd 2d 7d 3c Th", loop=2)
    assert show(laws, state, "locked successes") == [1, 0]
    assert legal(state, "bribe") == ["bribe 1"]
    assert {text.split()[1] for text in legal(state, "play")} == {"1"}
    refused(laws, state, "bribe 2")
    refused(laws, state, "play 2 Th")
    bribed = after(laws, state, "bribe 1")
    assert show(laws, bribed, "locked score known") == [None, 46, [1, 0, 0]]
    fought = after(laws, state, "play 1 2d Th")  # 12 is no 1: failed
    assert show(laws, fought, "locked") == [None]
    state = play("scout Jd 1", "Jd Ad 7d 3c Th", loop=2)
    state = after(laws, state, "play 1 Ad")
    assert show(laws, state, "locked successes") == [1, 1]
    refused(laws, state, "bribe 1")


def test_known_cards_are_counted_down_as_the_tops_leave() -> None:
    state = play("scout Jd 1", "Jd Ad 2d 5h 7c", piles=("As 2s 5c 6c 7s", "Ts 3s", "Ks"))
    assert show(laws, state, "known") == [[2, 0, 0]]
    state = after(laws, state, "play 1 Ad")
    assert show(laws, state, "known") == [[1, 0, 0]]
    assert seen(state)[0] == {"top": "2s", "under": 3, "seen": ["5c"]}
    state = after(laws, state, "play 1 2d")
    assert show(laws, state, "known") == [[0, 0, 0]]
    state = after(laws, state, "play 1 5h")
    assert show(laws, state, "known") == [[0, 0, 0]]


def test_a_known_card_that_is_captured_is_counted_down_too() -> None:
    piles = ("8s 2s 5s 6s", "Ts 3s Js", "4s")
    state = laws_state(SEVENS, piles=piles, known=[2, 2, 0], resting="Jd Jc")
    state = after(laws, state, "play 1 7d 7c 7h")
    assert show(laws, state, "known") == [[1, 2, 0]]
    assert show(laws, after(laws, state, "capture 1"), "known") == [[0, 2, 0]]
    assert show(laws, after(laws, state, "capture 2"), "known") == [[1, 1, 0]]


# Reorganize


def test_reorganize_puts_cards_under_in_the_listed_order_then_draws_as_many() -> None:
    state = play("reorganize Qd: Th * 7d", "Qd * 7d 3c Th", deck="2h 3h 4h 5h ...")
    assert show(laws, state, "hand resting locked") == ["3c 2h 3h 4h", "Qd", None]
    assert laws.position(state)["deck"][-3:] == ["Th", "*", "7d"]


def test_reorganize_puts_cards_under_before_any_is_drawn() -> None:
    state = play("reorganize Qd: 3c Th * 7d", "Qd 7d 3c Th *", deck="2h")
    assert show(laws, state, "hand deck phase") == ["2h 3c Th *", "7d", "encounter"]


def test_ruling_reorganize_takes_one_or_more_other_cards_the_joker_too() -> None:
    state = laws_state("Qd Qc * Jd Th")
    moves = legal(state, "reorganize")
    others = {"Qd": ["Qc", "*", "Jd", "Th"], "Qc": ["Qd", "*", "Jd", "Th"]}
    assert moves == sorted(
        f"reorganize {queen}: {' '.join(cards)}"
        for queen, rest in others.items()
        for size in (1, 2, 3, 4)
        for cards in combinations(rest, size)
    )
    for text in ("reorganize Qd:", "reorganize Qd: Qd", "reorganize Qd: Th Th", "reorganize Qd: 9h",
                 "reorganize Qd", "reorganize Qd Th", "reorganize Qd : Th", "reorganize Jd: Th",
                 "reorganize Qh: Th"):  # fmt: skip
        refused(laws, state, text)


def test_reorganize_needs_another_card_in_the_hand() -> None:
    state = laws_state("Qd", resting="Jh Jd Qh Kh", laws="Kh")
    assert legal(state, "reorganize") == []
    refused(laws, state, "reorganize Qd: Qd")


# Enforce and the laws


@pytest.mark.parametrize("king", ["Kh", "Kd", "Kc", "Ks"])
def test_enforce_puts_the_law_of_its_suit_into_force(king: str) -> None:
    piles = ("As 2s 5c", "Ts 3s", "4s")
    state = play(f"enforce {king}", f"{king} 2d 7d 3c Th", piles=piles)
    assert show(laws, state, "laws resting hand locked") == [king, king, "2d 7d 3c Th", None]
    assert laws.view(state, 0)["laws"] == [king]


def test_laws_are_listed_in_the_order_enforced() -> None:
    piles = ("As 2s 5c", "Ts 3s", "4s")
    state = laws_state("Ks Kh Kc Kd Th", piles=piles)
    state = after(laws, state, "enforce Kh", "enforce Ks", "enforce Kd", "enforce Kc")
    assert show(laws, state, "laws resting") == ["Kh Ks Kd Kc", "Kh Ks Kd Kc"]


def test_only_a_king_of_the_hand_is_enforced() -> None:
    state = laws_state("Jd Qd 7d 3c Kh")
    for text in ("enforce Qd", "enforce 7d", "enforce Kd", "enforce *"):
        refused(laws, state, text)


def test_ruling_a_law_in_force_is_not_enforced_again() -> None:
    state = laws_state("Kh Kd 7d 3c Th", laws="Kh", loop=2)
    assert legal(state, "enforce") == ["enforce Kd"]
    refused(laws, state, "enforce Kh")
    # For its value the King may still be played.
    assert "play 3 Kh" in legal(state)


def test_protection_adds_two_to_each_bonus_and_nothing_to_the_capture() -> None:
    piles = ("8s 2s 5s", "Ts 3s", "4s")
    state = play("play 1 7d 7c 7h", SEVENS, piles=piles, laws="Kh", discard=(
        "Ah 2h 3h 4h 5h 6h 8h 9h Th Jh Qh Ad"))  # fmt: skip
    assert show(laws, state, "discard phase") == ["Ad 7d 7c 7h", "capture"]
    state = after(laws, state, "capture 3")
    assert laws.position(state)["deck"][-2:] == ["8s", "4s"]
    assert show(laws, state, "phase") == ["encounter"]


def test_the_golden_law_takes_one_success_off_but_never_the_last() -> None:
    state = play("play 2 Th", "Ad 2d 7d 3c Th", laws="Kd", loop=2)
    assert show(laws, state, "score locked") == [46, None]
    state = play("play 2 Th", "Ad 2d 7d 3c Th", laws="Kd", loop=3)
    assert show(laws, state, "score locked successes") == [71, 2, 1]
    state = play("play 2 Th", "Ad 2d 7d 3c Th", laws="Kd", loop=1)
    assert show(laws, state, "score locked") == [20, None]


def test_ruling_the_golden_law_defeats_a_locked_enemy_that_has_its_successes() -> None:
    state = play("enforce Kd", "Kd 2d 7d 3c 9d", loop=2, locked=2, successes=1,
                 deck="2h 3h ...", discard="8d Td", laws="Kh Ks",
                 piles=("As 2s 5c", "Ts 3s", "4s"))  # fmt: skip
    # As after a defeat: the enemy is navigated and the hand drawn; it is no success (no
    # extortion) and earns no bonus.
    assert show(laws, state, "laws score locked successes hand discard resting") == [
        "Kh Ks Kd", 47, None, 0, "2d 7d 3c 9d 2h", "8d Td", "Kh Ks Kd",
    ]  # fmt: skip
    assert laws.position(state)["navigated"][-1] == "Ts"


def test_the_golden_law_leaves_a_locked_enemy_that_lacks_a_success() -> None:
    state = play("enforce Kd", "Kd 2d 7d 3c 9d", loop=3, locked=2, successes=1)
    assert show(laws, state, "locked successes score hand") == [2, 1, 71, "2d 7d 3c 9d"]
    state = play("enforce Kd", "Kd 2d 7d 3c 9d", loop=2, locked=2, resting="Jd",
                 known=[0, 1, 0])  # fmt: skip
    assert show(laws, state, "locked successes score") == [2, 0, 45]


def test_the_golden_law_may_clear_the_loop() -> None:
    description: dict[str, Any] = {"loop": 2, "locked": 2, "successes": 1}
    state = play("enforce Kd", "Kd 2d 7d 3c Th", piles=("", "Ts", ""), **description)
    assert show(laws, state, "loop laws resting score") == [3, "Kd", "", 52]


def test_the_golden_laws_defeat_may_end_the_game_with_its_draw() -> None:
    state = play("enforce Kd", "Kd 2d 7d 3c 9d", loop=2, locked=2, successes=1, deck="2h")
    assert show(laws, state, "phase score hand locked") == ["over", 46, "2d 7d 3c 9d 2h", None]


def test_ruling_extortion_moves_two_cards_from_the_bottom_to_the_bottom() -> None:
    piles = ("As 2s 5c", "Ts 3s", "4s")
    state = play("play 2 Td", "Td 2d 7d 3c 4c", laws="Ks", loop=2, discard="8d 9d Jd", piles=piles)
    assert show(laws, state, "discard locked successes") == ["Jd Td", 2, 1]
    assert laws.position(state)["deck"][-2:] == ["8d", "9d"]
    # As many as there are, and never the cards just played.
    state = play("play 2 Td", "Td 2d 7d 3c 4c", laws="Ks", loop=2, discard="8d", piles=piles)
    assert show(laws, state, "discard") == ["Td"]
    assert laws.position(state)["deck"][-1] == "8d"
    state = play("play 2 Td", "Td 2d 7d 3c 4c", laws="Ks", loop=2, piles=piles)
    assert show(laws, state, "discard") == ["Td"]


def test_extortion_comes_before_the_bonus() -> None:
    piles = ("9s 2s 5s", "Ts 3s", "4s")
    state = play("play 1 4d 3d 2d", "2d 3d 4d 5c 6c", laws="Kh Ks", loop=3, piles=piles,
                 deck="Kd Qd", discard="Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Ad 5d 6d 7d 8d 9d "
                 "Td Jd *")  # fmt: skip
    # 2 extorted, then 18 refluxed; three of them are drawn after the two of the deck.
    assert show(laws, state, "discard hand") == ["* 4d 3d 2d", "5c 6c Kd Qd Ah"]
    deck = "2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Ad 5d 6d 7d 8d 9d Td Jd"
    assert show(laws, state, "deck") == [deck]


# --- An empty hand -------------------------------------------------------------------------------

SPENT = "Jh Jd Qh Qd Kh"


def test_ruling_an_empty_hand_may_concede_or_bribe() -> None:
    state = laws_state("", resting=SPENT, laws="Kh", deck="2h 3h 4h 5h 6h 7h 8h 9h Th ...")
    assert legal(state) == [
        "bribe 1", "bribe 2", "bribe 3", "concede 1", "concede 2", "concede 3",
    ]  # fmt: skip
    state = after(laws, state, "concede 2")
    assert show(laws, state, "discard score piles locked") == [
        "2h 3h 4h 5h 6h 7h 8h 9h Th", 20, ["As 2s 5c", "3s", "Ks 4s"], None,
    ]  # fmt: skip
    assert laws.position(state)["navigated"][-1] == "Ts"
    assert len(laws.position(state)["hand"]) == 5


def test_ruling_conceding_with_cards_in_hand_is_refused() -> None:
    refused(laws, laws_state("Ad", resting="Jh Jd Qh Kh", laws="Kh"), "concede 2")


def test_an_empty_hand_before_a_locked_enemy_only_concedes() -> None:
    state = laws_state("", resting=SPENT, laws="Kh", locked=2, successes=1, loop=3)
    assert legal(state) == ["concede 2"]
    refused(laws, state, "concede 1")
    state = after(laws, state, "concede 2")
    assert show(laws, state, "locked successes score") == [None, 0, 72]


def test_conceding_may_end_the_game() -> None:
    state = laws_state("", resting=SPENT, laws="Kh", locked=2, successes=1, loop=3, deck="2h 3h")
    state = after(laws, state, "concede 2")
    assert show(laws, state, "phase score locked successes hand") == ["over", 71, 2, 1, ""]


def test_a_bribe_with_an_empty_hand_is_followed_by_the_draw() -> None:
    state = play("bribe 1", "", resting=SPENT, laws="Kh", deck="2h 3h 4h 5h 6h 7h 8h 9h Th ...")
    assert show(laws, state, "hand discard") == ["6h 7h 8h 9h Th", "2h 3h 4h 5h"]


# --- What the player sees ------------------------------------------------------------------------


def test_ruling_decks_and_piles_of_the_player_are_seen_in_their_order() -> None:
    state = laws_state("Ad 2d 7d 3c Th", deck="9d 2h ...", discard="8d 6d", resting="Qd Jc")
    position = laws.position(state)
    view = laws.view(state, 0)
    for key in ("deck", "discard", "resting", "hand", "navigated"):
        assert view[key] == position[key]


def test_the_view_counts_the_threats_and_hides_them() -> None:
    piles = ("As 2s 5c 6c", "Ts", "")
    state = laws_state("Ad 2d 7d 3c Th", piles=piles, known=[1, 0, 0], resting="Jd", loop=2)
    view = laws.view(state, 0)
    assert seen(state) == [
        {"top": "As", "under": 3, "seen": ["2s"]},
        {"top": "Ts", "under": 0, "seen": []},
        {"top": None, "under": 0, "seen": []},
    ]
    assert (view["gone"], view["score"], view["needed"]) == (21, 47, 2)
    assert "5c" not in str(view) and "6c" not in str(view) and SEED not in str(view)


# --- Reports and previews ------------------------------------------------------------------------


def reported(text: str, hand: str, **description: Any) -> dict[str, Any]:
    """The report of one move in the position described."""
    return laws.report(laws_state(hand, **description), laws.parse_move(text))


def facts(report: dict[str, Any], keys: str) -> list[Any]:
    return [report[key] for key in keys.split()]


def test_the_report_of_a_success_and_of_a_failure() -> None:
    report = reported("play 2 7d 3c", "Ad 2d 7d 3c Th", deck="2h 3h ...", loop=2)
    assert facts(report, "do pile enemy cards sum value match bonuses successes needed") == [
        "play", 2, "Ts", ["7d", "3c"], 10, 10, True, [], 1, 2,
    ]  # fmt: skip
    assert facts(report, "defeated lost drawn loop over score") == [
        False, [], ["2h", "3h"], None, False, 45,
    ]  # fmt: skip
    report = reported("play 2 Ad 2d", "Ad 2d 7d 3c Th", deck="2h 3h 4h", loop=2)
    assert facts(report, "sum value match lost drawn over score") == [
        3, 3, False, ["2h", "3h", "4h"], [], True, 45,
    ]  # fmt: skip


def test_the_report_of_three_of_a_kind_and_of_the_capture() -> None:
    piles = ("8s 2s 5s", "Ts 3s", "4s")
    report = reported("play 1 7d 7c 7h", SEVENS, piles=piles, discard="Ah 2h")
    assert facts(report, "sum value reflux joined drawn score") == [21, 8, 2, "8s", [], 21]
    assert len(report["bonuses"]) == 1 and report.get("captured") is None
    report = reported("play 1 7d 7c 7h", SEVENS, piles=("8s", "Ts 3s", ""))
    assert facts(report, "joined captured score") == ["8s", "Ts", 25]
    assert len(report["drawn"]) == 3
    state = play("play 1 7d 7c 7h", SEVENS, piles=piles)
    report = laws.report(state, laws.parse_move("capture 2"))
    assert facts(report, "do captured score") == ["capture", "Ts", 22]
    assert len(report["drawn"]) == 3


def test_the_reports_of_the_other_moves() -> None:
    report = reported("bribe 3", "Ad 2d 7d 3c Th", deck="2h 3h 4h 5h 6h 7h ...")
    assert facts(report, "do pile enemy lost score over") == [
        "bribe", 3, "Ks", ["2h", "3h", "4h", "5h", "6h", "7h"], 20, False,
    ]  # fmt: skip
    report = reported("flash 2", "* 2d 7d 3c Th", laws="Ks", discard="8d 9d", loop=3, piles=(
        "As", "Ts 3s", "4s"))  # fmt: skip
    assert facts(report, "do enemy extorted defeated") == ["flash", "Ts", 2, True]
    report = reported("scout Jd 1", "* Jd Qd Kd Th", piles=("As 2s 5c 6c", "Ts", "4s"))
    assert facts(report, "do pile seen drawn") == ["scout", 1, ["2s", "5c"], []]
    report = reported("reorganize Qd: Th *", "* Jd Qd Kd Th", deck="2h 3h ...")
    assert facts(report, "do drawn") == ["reorganize", ["2h", "3h"]]
    report = reported("enforce Kd", "* Jd Qd Kd Th", loop=2, locked=2, successes=1, deck="2h ...")
    assert facts(report, "do enemy defeated drawn score") == ["enforce", "Ts", True, ["2h"], 46]
    report = reported("concede 2", "", resting=SPENT, laws="Kh", deck="2h 3h")
    assert facts(report, "do enemy lost over") == ["concede", "Ts", ["2h", "3h"], True]


def test_the_report_names_the_loop_that_begins() -> None:
    report = reported("play 2 Th", "Ad 2d 7d 3c Th", piles=("", "Ts", ""))
    assert facts(report, "loop score over") == [2, 26, False]
    assert report["drawn"] == list(shuffle(SEED, "friendly-2", RED))[:5]


def against(hand: str, cards: str, **description: Any) -> list[dict[str, Any]]:
    """What the preview says of each pile that may be chosen."""
    move = laws.parse_move(f"play 1 {cards}")
    entries = laws.preview(laws_state(hand, **description), move[2])["against"]
    assert isinstance(entries, list)
    return entries


def test_the_preview_says_what_a_play_would_do_against_each_enemy() -> None:
    state = laws_state("9d 6d 9h 3c Th", piles=("Js 2s", "Ts 3s", ""), discard="8d 7d 5d",
                       deck="2h 3h 4h 5h 6h 7h 8h ...", laws="Kh", loop=3)  # fmt: skip
    preview = laws.preview(state, laws.parse_move("play 1 9d 6d 9h")[2])
    assert facts(preview, "cards values sum value") == [["9d", "6d", "9h"], [9, 6, 9], 24, 11]
    first, second = preview["against"]
    keys = "pile enemy match bonuses extorted reflux defeats captures lost ends"
    assert facts(first, keys) == [1, "Js", True, ["pair"], 0, 3, True, False, 0, False]
    assert facts(second, keys) == [2, "Ts", False, [], 0, 0, False, False, 9, False]
    assert first["deck"] == len(laws.position(state)["deck"]) + 3 - 3
    assert second["deck"] == len(laws.position(state)["deck"]) - 9 - 3


def test_the_preview_says_what_would_end_the_game() -> None:
    hand = "Ad 2d 7d 3c Th"
    assert [entry["ends"] for entry in against(hand, "Th", deck="2h 3h")] == [True, False, True]
    assert [entry["ends"] for entry in against(hand, "Th", deck="2h")] == [True, True, True]
    lost = [entry["lost"] for entry in against(hand, "Th", deck="2h 3h")]
    assert lost == [2, 0, 2]


def test_the_preview_of_a_locked_enemy_is_of_that_alone() -> None:
    (entry,) = against("Ad 2d 7d 3c Th", "Th", loop=3, locked=2, successes=1)
    assert facts(entry, "pile successes needed defeats") == [2, 2, 3, False]


def test_the_preview_tells_of_a_capture_but_not_of_the_card_to_come() -> None:
    entry = against(SEVENS, "7d 7c 7h", piles=("8s 2s", "", ""))[0]
    assert entry["captures"] is True
    assert "2s" not in str(entry)


@pytest.mark.parametrize("cards", ["", "*", "Th *", "9h", "Ad 2d 7d Th", "Th Th"])
def test_no_preview_of_cards_that_cannot_be_played(cards: str) -> None:
    state = laws_state("Ad 2d 7d * Th")
    with pytest.raises(RulesError):
        laws.preview(state, tuple(CARDS[card] for card in cards.split()))


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(0, 10_000), max_size=25))
def test_the_preview_agrees_with_the_play(seed: bytes, choices: list[int]) -> None:
    state = laws.start(seed.hex())
    for choice in choices:
        moves = laws.legal_moves(state)
        if not moves:
            break
        plays = [move for move in moves if move[0] == "play"]
        for verb, pile, cards in plays[choice % 5 :: 5][:12]:
            check_preview(state, (verb, pile, cards))
        state = laws.apply(state, moves[choice % len(moves)])


def check_preview(state: Any, move: Any) -> None:
    """Compare what the preview says of a play with the position after it."""
    entries = laws.preview(state, move[2])["against"]
    (entry,) = [entry for entry in entries if entry["pile"] == move[1]]
    before, new = laws.position(state), laws.position(laws.apply(state, move))
    gone = new["score"] - before["score"]
    assert entry["enemy"] == before["piles"][move[1] - 1][0]
    assert entry["ends"] is (new["phase"] == "over")
    assert entry["deck"] == len(new["deck"])
    assert entry["captures"] is (new["phase"] == "capture" or gone == 2)
    if entry["match"]:
        assert entry["defeats"] is (gone > 0) and entry["lost"] == 0
        assert entry["needed"] == laws.view(state, 0)["needed"]
        if new["loop"] == before["loop"]:
            back = entry["extorted"] + entry["reflux"]
            assert len(new["discard"]) == len(before["discard"]) - back + len(move[2])
    else:
        assert (entry["bonuses"], entry["reflux"], entry["extorted"]) == ([], 0, 0)
        assert entry["lost"] == min(9, len(before["deck"])) and gone == (entry["lost"] == 9) - (
            entry["lost"] == 9 == len(before["deck"])
        )


# --- Refusals are sentences with the figures -----------------------------------------------------


def test_refusals_name_the_rule_and_the_figures() -> None:
    state = laws_state("Kh * Jd 3c Th", laws="Kh", loop=2, deck="2h 3h", known=[2, 0, 0],
                       resting="Jc")  # fmt: skip
    texts = ["bribe 1", "play 2 *", "enforce Kh", "scout Jd 1", "concede 1", "capture 1",
             "play 2 9h", "reorganize Qd: Th", "flush 2", "play 2 Th Th",
             "play 2 Kh Jd 3c Th"]  # fmt: skip
    messages = [refused(laws, state, text) for text in texts]
    assert len(set(messages)) == len(messages)
    assert all(" " in message and message[0] == message[0].upper() for message in messages)
    assert all("illegal" not in message.lower() for message in messages)
