"""Bots for Ouroboros Trick: always legal, never by more than they see, and one better than one."""

import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros_site.play import registry
from ouroboros_site.play.bench.bots import measure
from tests.solitaire.rules.positions import after
from tests.tricks.rules.positions import SEED, trick_state
from tricks.bots import trick as bots
from tricks.rules import trick

EVERY_TABLE = pytest.mark.parametrize("players", [3, 4, 5])


def chosen(state: Any, level: str = "steady", chance: int = 0) -> list[str]:
    """What a bot plays for the seat to move."""
    legal = [trick.format_move(move) for move in trick.legal_moves(state)]
    return bots.choose(level, trick.view(state, trick.turn(state)), legal, Random(chance))


def laid(state: Any, cards: str) -> Any:
    return after(trick, state, *[f"play {card}" for card in cards.split()])


@settings(max_examples=40)
@given(
    seed=st.binary(min_size=32, max_size=32).map(bytes.hex),
    levels=st.lists(st.sampled_from(sorted(bots.LEVELS)), min_size=3, max_size=5),
    chance=st.integers(0, 2**32),
)
def test_whole_games_without_an_illegal_move(seed: str, levels: list[str], chance: int) -> None:
    random, state = Random(chance), trick.start(seed, len(levels))
    while (seat := trick.turn(state)) is not None:
        legal = [trick.format_move(move) for move in trick.legal_moves(state)]
        view = trick.view(state, seat)
        before = copy.deepcopy((view, legal))
        texts = bots.choose(levels[seat], view, legal, random)
        assert (view, legal) == before
        assert len(texts) == len(set(texts)) == (view["owed"] or 1)
        for text in texts:
            assert text in legal and trick.turn(state) == seat
            state = after(trick, state, text)


@pytest.mark.parametrize("level", bots.LEVELS)
def test_the_same_view_and_chance_give_the_same_answer(level: str) -> None:
    for state in (
        trick.start(SEED, 5),
        laid(trick_state("B9 Y1 Y2 Y3 Y4", "B4", "B3"), "B9 B4 B3"),
    ):
        assert chosen(state, level, 3) == chosen(state, level, 3)


def test_there_is_no_other_level() -> None:
    assert list(bots.LEVELS) == ["easy", "steady"]
    with pytest.raises(KeyError):
        chosen(trick.start(SEED), "no such level")


# --- What the steady one is after ----------------------------------------------------------------


def test_it_takes_a_cheap_trick() -> None:
    state = trick_state("R5 Y1 Y2", "R2 Y3 Y4", "R1 R9 Y5 Y6", leader=0)
    assert chosen(laid(state, "R5 R2")) == ["play R9"]


def test_it_leaves_a_dear_trick_to_others() -> None:
    state = trick_state("R7 Y1 Y2", "R6 Y3 Y4", "R5 R9 Y5 Y6", leader=0)
    assert chosen(laid(state, "R7 R6")) == ["play R5"]
    state = trick_state("R7 Y1 Y2", "R8 Y3 Y4", "R6 R9 Y5 Y6", leader=0)
    assert chosen(laid(state, "R7 R8")) == ["play R6"]


def test_a_low_trump_makes_a_trick_cheap() -> None:
    state = trick_state("R8 Y1 Y2", "R9 Y3 Y4", "G1 G8 B7 B9", leader=0)
    assert chosen(laid(state, "R8 R9")) == ["play G1"]


def test_it_does_not_win_what_would_take_all_it_has() -> None:
    state = trick_state("R5 Y1 Y2", "R7 Y3 Y4", "R1 R9", leader=0)
    lost = laid(state, "R5 R7 R9")
    assert trick.position(lost)["losers"] == [2]
    assert chosen(laid(state, "R5 R7")) == ["play R1"]


def test_it_ends_the_game_when_another_is_out() -> None:
    """The second seat has played its last card: it is out unless it wins this trick."""
    state = trick_state("R2 Y1 Y5", "R7", "R6 R9 Y6 Y7", leader=0)
    assert chosen(laid(state, "R2 R7")) == ["play R9"]


def test_it_discards_its_shortest_suits_and_keeps_low_cards() -> None:
    state = trick_state("R9 R1 R3 R6 Y2 Y8 G4", "R8 B1", "R4 B2", leader=0)
    state = laid(state, "R9 R8 R4")
    assert chosen(state) == ["discard G4", "discard Y8", "discard Y2", "discard R6"]


def test_an_easy_one_discards_the_low_cards() -> None:
    state = trick_state("R9 R1 R3 R6 Y2 Y8 G4", "R8 B1", "R4 B2", leader=0)
    state = laid(state, "R9 R8 R4")
    assert chosen(state, "easy") == ["discard R1", "discard Y2", "discard R3", "discard G4"]


@EVERY_TABLE
def test_a_steady_one_is_out_less_often_than_an_easy_one(players: int) -> None:
    figures = measure(
        registry.get("trick"), ("steady", "easy"), 60, players=players, options={}, seed=4
    )
    mean, off = figures["difference"]["score"]
    assert mean - off > 0
