"""The Market edition, rule by rule; a test named ``test_ruling_…`` holds one ruling of its page."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.protocol import Termination
from ouroboros_site.engine.shuffle import shuffle
from solitaire.rules import market
from solitaire.rules.cards import CARDS

from .positions import (
    BLACK,
    RED,
    SEED,
    STARTING_DECK,
    after,
    legal_texts,
    market_state,
    refused,
    show,
    state_at,
)

HAND = "9d 5d 2d 3d 4d"


def play(text: str, hand: str, target: str, **description: Any) -> Any:
    """The state after one move in the position described."""
    return after(market, market_state(hand, target, **description), text)


def legal(state: Any, verb: str = "") -> list[str]:
    return legal_texts(market, state, verb)


def dealt(label: str, cards: list[str]) -> list[str]:
    return list(shuffle(SEED, label, cards))


# --- Set-up and draw -----------------------------------------------------------------------------


def test_set_up_is_dealt_from_the_seed() -> None:
    state = market.start(SEED)
    deck = dealt("deck-0", STARTING_DECK)
    threat = dealt("threat-1", BLACK)
    position = market.position(state)
    value = position.pop("value")
    assert position == {
        "loop": 1,
        "score": 0,
        "lives": 3,
        "phase": "play",
        "deck": deck[5:],
        "hand": deck[:5],
        "stock": None,
        "discard": [],
        "market": dealt("market-0", [card for card in RED if card not in STARTING_DECK]),
        "threat": threat[1:],
        "finished": [],
        "target": threat[0],
        "encounter": 1,
        "missed": False,
        "played": [],
        "reshuffles": 0,
        "swaps": 0,
        "turn": 0,
    }
    assert value == "A23456789TJQK".index(threat[0][0]) + 1
    assert market.turn(state) == 0
    assert market.outcome(state) is None


def test_draw_fills_the_right_end_of_the_hand_from_the_top_of_the_deck() -> None:
    state = play("play 9d 3d", HAND, "3c", deck="Ah 2h 3h 4h 5h")
    assert show(market, state, "hand deck discard") == ["5d 2d 4d Ah 2h", "3h 4h 5h", "9d 3d"]


def test_ruling_the_discard_pile_is_shuffled_only_when_a_card_is_wanted() -> None:
    description: dict[str, Any] = {"target": "3c", "reshuffles": 3, "finished": "...",
                                   "threat": "As 2s 3s"}  # fmt: skip
    # The last card of the deck is drawn: no shuffle yet.
    state = play("play 9d", "9d 5d 2d 3d 4d", deck="Ah", discard="2h 3h 4h 5h", **description)
    assert show(market, state, "deck discard reshuffles hand") == [
        "", "2h 3h 4h 5h 9d", 3, "5d 2d 3d 4d Ah",
    ]  # fmt: skip
    # The next one wanted makes it, with the cards just played.
    state = after(market, state, "play 5d")
    deck = dealt("deck-4", ["2h", "3h", "4h", "5h", "9d", "5d"][:6])
    assert show(market, state, "hand discard reshuffles") == [f"2d 3d 4d Ah {deck[0]}", "", 4]
    assert market.position(state)["deck"] == deck[1:]


def test_a_reshuffle_in_the_middle_of_a_draw() -> None:
    state = play("play 9d 4d", HAND, "3c", deck="Ah", discard="5h 4h 3h 2h", reshuffles=1,
                 finished="... 2s", threat="As")  # fmt: skip
    deck = dealt("deck-2", ["5h", "4h", "3h", "2h", "9d", "4d"])
    assert show(market, state, "hand") == [f"5d 2d 3d Ah {deck[0]}"]
    assert market.position(state)["deck"] == deck[1:]


# --- Encounter -----------------------------------------------------------------------------------


def test_the_value_of_a_target_is_that_of_its_card() -> None:
    for card, worth in (("As", 1), ("Tc", 10), ("Jc", 11), ("Qs", 12), ("Kc", 13)):
        assert market.position(market_state(HAND, card))["value"] == worth


def test_in_loop_three_a_target_takes_three_encounters() -> None:
    state = market_state("5d 3h 3d Ad 2h", "5c", loop=3, threat="9s ...", finished="As", deck=(
        "4d 4h Ah 2d 5h"))  # fmt: skip
    score = market.position(state)["score"]
    state = after(market, state, "play 5d")
    assert show(market, state, "target encounter value missed score finished") == [
        "5c", 2, 6, False, score, "As",
    ]  # fmt: skip
    state = after(market, state, "play 3h 3d", "swap 3d")
    assert show(market, state, "target encounter value score") == ["5c", 3, 7, score]
    state = after(market, state, "play Ad 2h 4d", "swap 4d")
    assert show(market, state, "target encounter value missed score finished") == [
        "9s", 1, 9, False, score + 1, "As 5c",
    ]  # fmt: skip


def test_ruling_thirteen_is_followed_by_one() -> None:
    state = play("play Kd", "Kd 5d 2d Ad 4d", "Kc", loop=3)
    assert show(market, state, "target encounter value") == ["Kc", 2, 1]
    state = after(market, state, "play Ad")
    assert show(market, state, "target encounter value lives") == ["Kc", 3, 2, 3]


# --- Playing -------------------------------------------------------------------------------------


def test_one_to_three_cards_of_hand_and_stock_in_any_mix() -> None:
    state = market_state(HAND, "3c", stock="Kd")
    held = [*HAND.split(), "Kd"]
    wanted = [f"play {' '.join(cards)}" for size in (1, 2, 3) for cards in combinations(held, size)]
    assert legal(state) == sorted(wanted)
    for text in ("play 9d 5d 2d 3d", "play", "play 9d 9d", "play 9h", "play Kh"):
        refused(market, state, text)


@pytest.mark.parametrize(
    ("cards", "target", "match"),
    [
        ("9d", "9c", True),
        ("Kd", "Ks", True),
        ("9d", "8c", False),
        ("9d 4d", "Kc", True),  # 13
        ("9d 5d", "Ac", True),  # 14 is 1
        ("5d 9d", "Ac", True),
        ("9d 6d", "Ac", False),  # 15 is 2
        ("Kd Kh", "Kc", True),  # 26 is 13
        ("Kd Kh Ad", "As", True),  # 27 is 1
        ("Kd Kh Qd", "Qc", True),  # 38 is 12
        ("Kd Qd Jh", "Tc", True),  # 36 is 10
        ("Kd Qd Jh", "Kc", False),
        ("9d 9h 8d", "Ks", True),  # 26 is 13
    ],
)
def test_the_sum_is_brought_into_one_to_thirteen(cards: str, target: str, match: bool) -> None:
    spare = [card for card in ("2h", "3h", "4h", "5h") if card not in cards.split()]
    state = market_state(" ".join([*cards.split(), *spare][:5]), target)
    report = market.report(state, market.parse_move(f"play {cards}"))
    assert report["match"] is match
    state = after(market, state, f"play {cards}")
    asked = match and " " in cards
    assert show(market, state, "lives phase") == [3 if match else 2, "swap" if asked else "play"]


def test_thirty_nine_is_thirteen() -> None:
    # Only two red Kings exist, so 39 needs the stock as little as the hand: K + K + K cannot be.
    state = market_state("Kd Kh Qd Qh Jd", "Kc")
    assert market.report(state, market.parse_move("play Kd Kh Qd"))["match"] is False
    assert market.report(state, market.parse_move("play Kd Kh"))["match"] is True


def test_cards_of_a_play_may_be_listed_in_any_order() -> None:
    for text in ("play Ad 5d", "play 5d Ad"):
        state = play(text, HAND, "6c", stock="Ad")
        assert show(market, state, "phase played stock hand") == [
            "swap", text[5:], None, "9d 2d 3d 4d",
        ]  # fmt: skip


def test_the_joker_is_played_alone_and_always_matches() -> None:
    state = market_state("* 5d 2d Ad 4d", "9c", threat="8s ...", market="Kd Qh")
    assert [text for text in legal(state) if "*" in text] == ["play *", "stock *"]
    assert "joker" in refused(market, state, "play * 5d").lower()
    refused(market, state, "play 5d 2d *")
    state = after(market, state, "play *")
    assert show(market, state, "phase score lives target swaps") == ["play", 1, 3, "8s", 1]
    # A joker is always the swapped card: nothing is asked, the market's top card is discarded.
    position = market.position(state)
    assert position["discard"] == ["Kd"]
    assert "*" in position["market"]


def test_the_joker_is_played_from_the_stock_too() -> None:
    state = play("play *", "Kd 5d 2d Ad 4d", "9c", stock="*", market="Qh")
    assert show(market, state, "stock hand discard score") == [None, "Kd 5d 2d Ad 4d", "Qh", 1]


def test_the_joker_matches_at_any_value_of_any_encounter() -> None:
    state = play("play *", "* 5d 2d Ad 4d", "Kc", loop=2, encounter=2)
    assert show(market, state, "lives encounter") == [3, 1]


# --- Stock ---------------------------------------------------------------------------------------


def test_a_card_of_the_hand_may_be_stocked_when_the_slot_is_empty() -> None:
    state = market_state(HAND, "3c")
    assert legal(state, "stock") == ["stock 2d", "stock 3d", "stock 4d", "stock 5d", "stock 9d"]
    state = after(market, state, "stock 3d")
    assert show(market, state, "stock hand phase lives") == ["3d", "9d 5d 2d 4d", "play", 3]
    assert legal(state, "stock") == []
    refused(market, state, "stock 9d")
    refused(market, state, "stock 3d")
    refused(market, market_state(HAND, "3c"), "stock Kd")


def test_ruling_a_card_is_stocked_in_the_play_phase_only() -> None:
    state = play("play 9d 5d", HAND, "Ac")
    assert legal(state) == ["swap 5d", "swap 9d"]
    refused(market, state, "stock 2d")
    over = play("play 9d", HAND, "Ac", lives=1, finished="As 2s")
    refused(market, over, "stock 2d")


def test_ruling_stocking_does_not_refill_the_hand_before_the_next_draw() -> None:
    state = play("stock 9d", HAND, "6c", deck="Ah 2h 3h 4h 5h")
    assert show(market, state, "hand deck") == ["5d 2d 3d 4d", "Ah 2h 3h 4h 5h"]
    state = after(market, state, "play 4d 2d")
    assert show(market, state, "hand phase stock") == ["5d 3d", "swap", "9d"]
    state = after(market, state, "swap 2d")
    assert show(market, state, "hand deck stock") == ["5d 3d Ah 2h 3h", "4h 5h", "9d"]


def test_a_stocked_card_leaves_only_by_being_played() -> None:
    state = play("play 9d", HAND, "3c", stock="Kd")
    assert show(market, state, "stock") == ["Kd"]
    state = after(market, state, "play Kd 5d")
    assert show(market, state, "stock") == [None]
    assert len(legal(state, "stock")) == 5


# --- Match and swap ------------------------------------------------------------------------------


def test_the_swap_is_asked_for_among_the_cards_just_played() -> None:
    state = play("play 9d 5d 2d", HAND, "3c")
    assert show(market, state, "phase played hand discard lives score turn") == [
        "swap", "9d 5d 2d", "3d 4d", "", 3, 0, 0,
    ]  # fmt: skip
    assert legal(state) == ["swap 2d", "swap 5d", "swap 9d"]
    for text in ("swap 3d", "swap 9d 5d", "play 3d", "stock 3d", "swap Kh", "swap"):
        refused(market, state, text)


def test_the_others_are_discarded_first_then_the_new_card_on_top() -> None:
    state = play("play 9d 5d 2d", HAND, "3c", market="Kh Qd", discard="Ah 2h", swaps=0)
    before = market.position(state)["market"]
    state = after(market, state, "swap 5d")
    assert show(market, state, "discard played phase swaps score") == [
        "Ah 2h 9d 2d Kh", "", "play", 1, 1,
    ]  # fmt: skip
    assert market.position(state)["market"] == dealt("market-1", [*before[1:], "5d"])


def test_with_a_single_card_played_there_is_nothing_to_ask() -> None:
    state = market_state("3d 5d 2d 9d 4d", "3c", market="Kh Qd", finished="As 2s", discard="Ah")
    before = market.position(state)["market"]
    state = after(market, state, "play 3d")
    assert show(market, state, "phase discard swaps score") == ["play", "Ah Kh", 3, 3]
    assert market.position(state)["market"] == dealt("market-3", [*before[1:], "3d"])


def test_a_swap_needs_a_match() -> None:
    state = market_state(HAND, "3c")
    refused(market, state, "swap 9d")
    refused(market, after(market, state, "play 9d"), "swap 9d")


def test_ten_cards_always_circulate() -> None:
    state = market.start(SEED)
    for text in ("stock", "play", "play", "play"):
        state = after(market, state, legal(state, text)[-1])
        if show(market, state, "phase") == ["swap"]:
            state = after(market, state, legal(state)[0])
        position = market.position(state)
        assert sum(len(position[key]) for key in ("deck", "hand", "discard", "played")) == (
            10 - (position["stock"] is not None)
        )
        assert len(position["market"]) == 17


# --- Mismatch and lives --------------------------------------------------------------------------


def test_a_mismatch_costs_a_life_and_the_cards_are_discarded_as_listed() -> None:
    state = play("play 5d 9d", HAND, "3c", discard="Ah", threat="8s ...")
    assert show(market, state, "lives discard phase score finished target value missed") == [
        2, "Ah 5d 9d", "play", 0, "3c", "8s", 8, False,
    ]  # fmt: skip


def test_without_a_life_the_game_is_over_at_once() -> None:
    state = market_state(HAND, "3c", lives=1, finished="As 2s 4s", deck="Ah 2h 3h 4h 5h")
    state = after(market, state, "play 5d 9d")
    assert show(market, state, "phase lives turn target encounter value missed score finished") == [
        "over", 0, None, "3c", 1, 3, True, 1, "As 2s 4s",
    ]  # fmt: skip
    # Nothing is drawn any more.
    assert show(market, state, "hand discard deck") == ["2d 3d 4d", "5d 9d", "Ah 2h 3h 4h 5h"]
    assert legal(state) == []
    assert market.turn(state) is None
    outcome = market.outcome(state)
    assert outcome is not None
    assert (outcome.termination, outcome.scores) == (Termination.NO_LIVES, (1,))
    for text in ("play 2d", "stock 2d", "swap 5d"):
        refused(market, state, text)


def test_the_next_encounter_of_a_target_follows_a_mismatch() -> None:
    state = play("play 5d", "Kd 5d 2d Ad 4d", "Kc", loop=2)
    assert show(market, state, "lives target encounter value missed hand") == [
        2, "Kc", 2, 1, True, f"Kd 2d Ad 4d {market.position(state)['hand'][-1]}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("moves", "defeated"),
    [
        (("play Kd", "play Ad"), True),
        (("play 5d", "play Ad"), False),
        (("play Kd", "play 5d"), False),
        (("play 5d", "play 2d"), False),
    ],
)
def test_ruling_defeated_only_if_every_encounter_was_matched(
    moves: tuple[str, ...], defeated: bool
) -> None:
    state = market_state("Kd 5d 2d Ad 4d", "Kc", loop=2, finished="As 2s 3s")
    assert show(market, state, "score") == [29]
    state = after(market, state, *moves)
    assert show(market, state, "score missed encounter finished") == [
        29 + defeated, False, 1, "As 2s 3s Kc",
    ]  # fmt: skip


# --- The loop ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lives", "text", "score", "left"),
    [
        (1, "play Kd", 24, 2),  # defeated, one life recovered
        (2, "play Kd", 25, 3),
        (3, "play Kd", 26, 3),  # never more than three
        (3, "play 5d", 25, 3),  # missed: one lost, one recovered
        (2, "play 5d", 24, 2),
    ],
)
def test_ruling_a_life_is_recovered_whether_or_not_all_were_defeated(
    lives: int, text: str, score: int, left: int
) -> None:
    state = market_state("Kd 5d 2d Ad 4d", "Kc", lives=lives, finished="...", market="Jd Th",
                         deck="Ah 2h 3h 4h 5h", stock=None)  # fmt: skip
    state = after(market, state, text)
    threat = dealt("threat-2", BLACK)
    assert show(market, state, "loop score lives finished target encounter missed phase") == [
        2, score, left, "", threat[0], 1, False, "play",
    ]  # fmt: skip
    assert market.position(state)["threat"] == threat[1:]


def test_the_players_cards_stay_as_they_are_when_a_loop_ends() -> None:
    state = play("play 5d", "Kd 5d 2d Ad 4d", "Kc", finished="...", stock="3d",
                 deck="2h 3h 4h", discard="Ah", market="Jd Th")  # fmt: skip
    assert show(market, state, "loop hand deck stock discard reshuffles") == [
        2, "Kd 2d Ad 4d 2h", "3h 4h", "3d", "Ah 5d", 0,
    ]  # fmt: skip
    assert market.position(state)["market"][:2] == ["Jd", "Th"]


def test_the_last_life_lost_at_the_last_target_is_not_recovered() -> None:
    state = play("play 5d", "Kd 5d 2d Ad 4d", "Kc", finished="...", lives=1)
    assert show(market, state, "phase loop lives score target") == ["over", 1, 0, 23, "Kc"]


# --- What the player sees ------------------------------------------------------------------------


def in_order(cards: list[str]) -> list[str]:
    return sorted(cards, key=(RED + BLACK).index)


def test_ruling_the_market_is_seen_as_a_sorted_list() -> None:
    state = market_state("9d 5d * 3d 4d", "3c", market="Kd 6h Ah")
    position, view = market.position(state), market.view(state, 0)
    assert view["market"] == in_order(position["market"]) != position["market"]
    assert view["market"][:2] == ["Ah", "6h"]
    assert market.view(market_state(HAND, "3c", market="*"), 0)["market"][-1] == "*"


def test_ruling_the_threats_still_to_come_are_seen_as_a_sorted_list() -> None:
    state = market_state(HAND, "3c", threat="Kc As ...", finished="5s 2c")
    position, view = market.position(state), market.view(state, 0)
    assert view["threat"] == in_order(position["threat"]) != position["threat"]
    assert "3c" not in view["threat"] and "5s" not in view["threat"]


def test_the_player_sees_all_other_places_in_their_order() -> None:
    state = market_state(HAND, "3c", stock="Qd", discard="Kh Ah", deck="5h ...", finished="5s As")
    position, view = market.position(state), market.view(state, 0)
    for key in ("deck", "hand", "stock", "discard", "finished", "target", "encounter", "value",
                "missed", "played", "loop", "score", "lives", "phase"):  # fmt: skip
        assert view[key] == position[key]
    assert view["gone"] == 2
    assert SEED not in str(view)


def test_ruling_the_total_is_revealed_only_after_the_play() -> None:
    """A view (what ranked games show) holds no sum; the report of a mismatch does."""
    state = market_state(HAND, "3c")
    assert not {"sum", "total", "values"} & set(market.view(state, 0))
    report = market.report(state, market.parse_move("play 9d 5d"))
    assert (report["match"], report["sum"], report["value"], report["wanted"]) == (False, 14, 1, 3)


def test_the_preview_of_practice_games_adds_up() -> None:
    cards = market.parse_move("play 9d 5d")[1]
    preview = market.preview(market_state(HAND, "Ac", loop=2), cards)
    facts = {"cards": ["9d", "5d"], "values": [9, 5], "sum": 14, "value": 1, "target": 1,
             "match": True, "defeats": False, "lost": 0, "ends": False}  # fmt: skip
    assert preview == facts
    preview = market.preview(market_state(HAND, "3c", lives=1, finished="As 2s"), cards)
    assert (preview["match"], preview["lost"], preview["ends"]) == (False, 1, True)


@pytest.mark.parametrize("cards", ["", "9h", "* 5d", "9d 5d 2d 3d", "5d 5d"])
def test_no_preview_of_cards_that_cannot_be_played(cards: str) -> None:
    state = market_state(HAND, "3c", stock="*")
    with pytest.raises(RulesError):
        market.preview(state, tuple(CARDS[card] for card in cards.split()))


def test_the_preview_of_the_joker() -> None:
    preview = market.preview(market_state("* 5d 2d Ad 4d", "Kc"), (CARDS["*"],))
    assert (preview["cards"], preview["match"], preview["defeats"]) == (["*"], True, True)
    assert (preview["lost"], preview["ends"]) == (0, False)


def test_the_preview_of_a_target_missed_before_does_not_promise_a_defeat() -> None:
    state = market_state("Kd 5d 2d Ad 4d", "Kc", loop=2, encounter=2, lives=2, missed=True)
    preview = market.preview(state, market.parse_move("play Ad")[1])
    assert (preview["match"], preview["defeats"]) == (True, False)


@given(st.binary(min_size=32, max_size=32), st.lists(st.integers(0, 10_000), max_size=25))
def test_the_preview_agrees_with_the_play(seed: bytes, choices: list[int]) -> None:
    state = market.start(seed.hex())
    for choice in choices:
        moves = market.legal_moves(state)
        if not moves:
            break
        before = market.position(state)
        for move in [move for move in moves if move[0] == "play"][choice % 3 :: 3]:
            preview = market.preview(state, move[1])
            new = market.position(market.apply(state, move))
            matched = new["lives"] == before["lives"] and new["phase"] != "over"
            assert preview["match"] is matched
            assert preview["target"] == before["value"]
            assert preview["lost"] == before["lives"] - new["lives"]
            assert preview["ends"] is (new["phase"] == "over")
        state = market.apply(state, moves[choice % len(moves)])


# --- Reports -------------------------------------------------------------------------------------


def reported(text: str, state: Any) -> dict[str, Any]:
    return market.report(state, market.parse_move(text))


def facts(report: dict[str, Any], keys: str) -> list[Any]:
    return [report[key] for key in keys.split()]


def test_the_reports_of_a_match_and_its_swap() -> None:
    state = market_state(HAND, "3c", threat="8s ...", market="Kh", deck="Ah 2h 3h 4h 5h")
    report = reported("play 9d 5d 2d", state)
    assert facts(report, "do cards sum value wanted match target encounter drawn over") == [
        "play", ["9d", "5d", "2d"], 16, 3, 3, True, "3c", 1, [], False,
    ]  # fmt: skip
    state = after(market, state, "play 9d 5d 2d")
    report = reported("swap 5d", state)
    assert facts(report, "do swapped new defeated next loop drawn score lives") == [
        "swap", "5d", "Kh", True, "8s", None, ["Ah", "2h", "3h"], 1, 3,
    ]  # fmt: skip


def test_the_reports_of_single_cards_mismatches_and_the_stock() -> None:
    state = market_state("3d 5d 2d 9d 4d", "3c", market="Kh", threat="8s ...")
    report = reported("play 3d", state)
    assert facts(report, "match swapped new next score") == [True, "3d", "Kh", "8s", 1]
    report = reported("play 5d", state)
    assert facts(report, "match sum value wanted lives next over") == [
        False,
        5,
        5,
        3,
        2,
        "8s",
        False,
    ]
    assert facts(reported("stock 5d", state), "do over drawn") == ["stock", False, []]
    last = market_state("3d 5d 2d 9d 4d", "3c", lives=1, finished="As 2s")
    assert facts(reported("play 5d", last), "match lives over next") == [False, 0, True, None]


def test_the_report_tells_of_a_reshuffle_and_of_a_new_loop() -> None:
    state = market_state(HAND, "3c", deck="Ah", discard="2h 3h 4h 5h")
    assert facts(reported("play 9d", state), "reshuffled") == [False]
    assert facts(reported("play 9d 2d", state), "reshuffled") == [True]
    state = market_state("Kd 5d 2d Ad 4d", "Kc", finished="...")
    report = reported("play Kd", state)
    assert facts(report, "loop next score") == [2, dealt("threat-2", BLACK)[0], 26]


# --- Refusals are sentences with the figures -----------------------------------------------------


def test_refusals_name_the_rule() -> None:
    state = state_at(market, market.position(market_state(HAND.replace("9d", "*"), "3c",
                                                          stock="Kd")))  # fmt: skip
    texts = ["play * 5d", "stock 5d", "swap 5d", "play 9h", "play 5d 5d", "draw", "play"]
    messages = [refused(market, state, text) for text in texts]
    assert len(set(messages)) == len(messages)
    assert all("illegal" not in message.lower() for message in messages)
