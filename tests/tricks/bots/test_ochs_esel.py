"""Bots for Ochs & Esel: always legal, never by more than they see, and one better than one."""

import copy
from random import Random
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros_site.play import registry
from ouroboros_site.play.bench.bots import measure
from tests.conformance.kits import KITS
from tests.solitaire.rules.positions import after
from tests.tricks.rules.ochs_esel_positions import SEED, state
from tricks.bots import ochs_esel as bots
from tricks.rules import ochs_esel

EVERY_LEVEL = pytest.mark.parametrize("level", bots.LEVELS)


def legal_texts(there: Any) -> list[str]:
    return [ochs_esel.format_move(move) for move in ochs_esel.legal_moves(there)]


def chosen(there: Any, level: str = "steady", chance: int = 0) -> str:
    """What a bot plays for the seat to move, written without ``play``."""
    view = ochs_esel.view(there, ochs_esel.turn(there))
    [text] = bots.choose(level, view, legal_texts(there), Random(chance))
    return text.removeprefix("play ")


def played(there: Any, *moves: str) -> Any:
    texts = [move if move == "pass" else f"play {move}" for move in moves]
    return after(ochs_esel, there, *texts)


@settings(max_examples=15)
@given(
    seed=st.binary(min_size=32, max_size=32).map(bytes.hex),
    levels=st.lists(st.sampled_from(sorted(bots.LEVELS)), min_size=3, max_size=12),
    ox=st.booleans(),
    chance=st.integers(0, 2**32),
)
def test_whole_games_without_an_illegal_move(
    seed: str, levels: list[str], ox: bool, chance: int
) -> None:
    random = Random(chance)
    there = ochs_esel.start(seed, len(levels), {"ox": ox, "rounds": 2})
    plies = 0
    while (seat := ochs_esel.turn(there)) is not None:
        legal, view = legal_texts(there), ochs_esel.view(there, seat)
        before = copy.deepcopy((view, legal))
        [text] = bots.choose(levels[seat], view, legal, random)
        assert (view, legal) == before
        assert text in legal
        there = after(ochs_esel, there, text)
        plies += 1
        # Among bots a game comes to an end.
        assert plies < 2000


@EVERY_LEVEL
@settings(max_examples=40)
@given(
    seed=st.binary(min_size=32, max_size=32).map(bytes.hex),
    players=st.integers(3, 12),
    ox=st.booleans(),
    plies=st.integers(0, 120),
    chance=st.integers(0, 2**32),
)
def test_what_it_does_not_see_makes_no_difference(
    level: str, seed: str, players: int, ox: bool, plies: int, chance: int
) -> None:
    random, there = Random(chance), ochs_esel.start(seed, players, {"ox": ox})
    for _ in range(plies):
        there = ochs_esel.apply(there, random.choice(ochs_esel.legal_moves(there)))
    seat = ochs_esel.turn(there)
    if seat is None:
        return
    redeal = KITS[ochs_esel.SLUG].redeal
    other = ochs_esel.decode(redeal(ochs_esel.encode(there), seat, random))
    assert chosen(other, level, chance) == chosen(there, level, chance)


@EVERY_LEVEL
def test_the_same_view_and_chance_give_the_same_answer(level: str) -> None:
    there = ochs_esel.start(SEED, 5)
    assert len({chosen(there, level, 3) for _ in range(5)}) == 1


def test_there_is_no_other_level() -> None:
    assert list(bots.LEVELS) == ["easy", "steady"]
    for there in (ochs_esel.start(SEED), played(state("J 1", "5 6", "7 E"), "J")):
        with pytest.raises(KeyError):
            chosen(there, "no such level")


# --- What the steady one is after ----------------------------------------------------------------


def test_it_leads_the_donkey_before_it_is_left_sitting_on_it() -> None:
    assert chosen(state("3 7 11 E", "2 9 9", "1 5 J", "4 7 8")) == "E"
    assert chosen(state("3 7 11 O", "2 9 9 E", "1 5 J", "4 7 8", ox=True)) == "O"


def test_below_the_highest_it_gets_rid_of_its_dearest_card() -> None:
    hands = ("3 E", "2 9", "1 5 8 12", "4 7")
    assert chosen(played(state(*hands), "E", "9")) == "8"


def test_to_the_donkey_a_joker_is_only_a_one() -> None:
    hands = ("3 E", "2 9", "8 12 J", "4 7")
    assert chosen(played(state(*hands), "E", "2")) == "J"


def test_first_to_the_ox_it_stays_low() -> None:
    hands = ("4 O", "2 9 10 11 12", "3 12 12 13", "E 7 8 8")
    assert chosen(played(state(*hands, ox=True), "O")) == "2"


def test_of_equal_cards_the_last_takes_so_it_plays_another() -> None:
    hands = ("3 E", "2 9", "1 9 8 11", "4 7")
    assert chosen(played(state(*hands), "E", "9")) == "8"


def test_once_the_round_ends_it_plays_what_costs_most() -> None:
    there = played(state("9", "2 9", "3 12 12 13", "E 7"), "9", "pass")
    assert chosen(there) == "13"
    there = played(state("9", "2 9", "3 12 J", "E 7"), "9", "pass")
    assert chosen(there) == "J"


def test_it_keeps_sets_together() -> None:
    assert chosen(state("4 4 4 9 12", "2 9 10 11 12", "3 12 12 13", "E 7 8 8")) == "4 4 4"
    there = played(state("4 4 5", "2 9 9 11 12", "3 12 12 13", "E 7 8 8"), "4 4")
    assert chosen(there) == "9 9"


def test_it_goes_out_when_it_can() -> None:
    assert chosen(state("9 9", "2 9", "3 12 12 13", "E 7")) == "9 9"
    assert chosen(state("4 J", "2 9 10", "3 12 12", "E 7 8")) == "4 J"


def test_hundreds_of_mixes_do_not_keep_the_table_waiting() -> None:
    full = " ".join(f"{number} {number}" for number in range(1, 14)) + " J J J J"
    there = state(full, "2 9 9", "3 12", "E 7 8 8", turn_round=20)
    view, legal = ochs_esel.view(there, 0), legal_texts(there)
    assert len(legal) > 100
    spent = []
    for _ in range(3):
        began = process_time()
        bots.choose("steady", view, legal, Random(1))
        spent.append(process_time() - began)
    # About 4 ms; the bound is there for whoever makes it ten times as slow.
    assert min(spent) < 0.04


@pytest.mark.parametrize(
    ("players", "ox", "deals"), [(4, False, 30), (4, True, 30), (8, True, 12), (12, False, 10)]
)
def test_steady_has_fewer_minus_points_than_easy(players: int, ox: bool, deals: int) -> None:
    """The same deals for both, beyond chance."""
    kind = registry.get(ochs_esel.SLUG)
    found = measure(
        kind,
        ("steady", "easy"),
        2 * deals,
        players=players,
        options={"ox": ox, "rounds": 1},
        seed=4,
    )
    difference, within = found["difference"]["score"]
    assert difference + within < 0
