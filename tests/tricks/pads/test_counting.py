from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tricks.pads.counting import (
    HELD,
    LAID,
    MOST,
    Counted,
    doubts,
    holder,
    most_points,
    read,
    write,
)
from tricks.rules import ochs_esel


def codes(points, counted=None, ox=False):
    counted = counted or [None] * len(points)
    return [doubt.code for doubt in doubts(points, counted, ox)]


def hands(*texts, ox=False):
    """Doubts about a round whose hands are counted; what is laid stands behind a bar."""
    parts = [text.partition("|") for text in texts]
    counted = [Counted(read(hand), read(laid, LAID)) for hand, _bar, laid in parts]
    return codes([each.points for each in counted], counted, ox)


# --- against the rules ---------------------------------------------------------------------------


@st.composite
def played(draw):
    """The end of a game of one round that was played at random by the rules, and its tally."""
    players = draw(st.sampled_from(ochs_esel.SEATS))
    options = {"rounds": 1, "ox": draw(st.booleans())}
    chance = Random(draw(st.integers(0, 2**32)))
    state = ochs_esel.start(f"{chance.getrandbits(256):064x}", players, options)
    while state.turn >= 0:
        move = chance.choice(ochs_esel.legal_moves(state))
        facts = ochs_esel.report(state, move)
        state = ochs_esel.apply(state, move)
    return state, facts["tally"]


@given(played())
def test_what_was_played_counts_as_the_rules_say_and_raises_no_doubt(game):
    state, tally = game
    counted = [Counted(*cards) for cards in zip(state.hands, state.laid, strict=True)]
    points = [cards.points for cards in counted]
    assert points == tally["points"]
    assert [Counted((), cards.laid).points for cards in counted] == tally["laid"]
    assert holder(counted) == tally["donkey"]
    assert codes(points, counted, state.ox) == []


@given(played(), st.data())
def test_typing_some_of_it_raises_no_doubt_either(game, data):
    state, tally = game
    counted = [
        Counted(*cards) if data.draw(st.booleans()) else None
        for cards in zip(state.hands, state.laid, strict=True)
    ]
    points = [
        points if cards or data.draw(st.booleans()) else None
        for points, cards in zip(tally["points"], counted, strict=True)
    ]
    assert codes(points, counted, state.ox) == []


@given(st.lists(st.sampled_from(HELD)))
def test_texts_are_read_as_they_are_written(cards):
    assert read(write(cards)) == tuple(sorted(cards))


@pytest.mark.parametrize("text", ["0", "14", "j", "7,7", "٧", "07"])
def test_what_is_no_card_is_not_read(text):
    with pytest.raises(ValueError, match=text):
        read(f"1 {text}")


def test_the_donkey_is_never_laid():
    with pytest.raises(ValueError, match="E"):
        read("1 E", LAID)


@pytest.mark.parametrize(
    ("hand", "laid", "points"),
    [
        ("3 10 J", "", 27),  # the example of the rulebook
        ("", "", 0),
        ("E", "", 20),
        ("O", "", 15),
        ("J J J J E O", "", 91),
        ("", "13 J O", 14),
        ("7 7", "2 J O", 17),
    ],
)
def test_points(hand, laid, points):
    assert Counted(read(hand), read(laid, LAID)).points == points


def test_most_points_are_those_of_the_highest_cards():
    assert most_points(3, False) == 4 * 14 + 8 * (13 + 12 + 11 + 10) + 3 * 9 + 20
    assert most_points(3, True) == most_points(3, False) + 15
    assert most_points(12, False) == 8 * sum(range(14)) + 4 * 14 + 20


def test_the_pack():
    assert MOST.total() == 110


# --- doubts --------------------------------------------------------------------------------------


def test_five_jokers():
    assert hands("J J J E", "J J", "") == ["too-many"]
    assert hands("J J E", "J J", "") == []


def test_nine_sevens():
    assert hands("7 7 7 7 7 E", "7 7 7 7", "") == ["too-many"]
    assert hands("7 7 7 7 E", "7 7 7 7", "") == []


def test_two_donkeys_and_two_oxen():
    assert hands("E", "E", "") == ["too-many"]
    assert hands("E O", "O", "", ox=True) == ["too-many"]


def test_the_ox_is_not_in_a_hand_and_on_a_pile():
    assert hands("E O", "|1 2 O", "", ox=True) == ["too-many"]


def test_an_unfinished_count_is_doubted_too():
    some = [Counted(read("J J J")), Counted(read("J J")), None]
    assert codes([42, 28, None], some) == ["too-many"]


def test_more_cards_than_are_dealt():
    every = " ".join(f"{number} " * 8 for number in range(1, 6))
    assert hands(every, "E", "") == ["too-many-cards"]
    assert hands(every.removesuffix("5 "), "E", "") == []  # 39 of 40


def test_a_sentence_names_the_card_and_the_numbers():
    counted = [Counted(read("7 " * 9 + "E")), Counted(()), Counted(())]
    (doubt,) = doubts([each.points for each in counted], counted, False)
    assert doubt.params == {"card": "7", "number": 9, "most": 8}
    assert doubt.template % doubt.params


def test_nobody_finished():
    assert hands("1", "2", "E") == ["nobody-out"]
    assert codes([1, 2, 20]) == ["nobody-out"]
    assert codes([1, 2, 0]) == ["no-donkey"]
    assert codes([1, None, 20]) == []


def test_with_the_ox_laid_cards_may_be_all_that_one_has():
    assert codes([1, 20, 30], ox=True) == []  # 1: from an ox, a joker and a pass
    assert codes([27, 60, 70], ox=True) == ["nobody-out"]  # more than two thirteens
    assert hands("1", "E|1 2 O", "2 3", ox=True) == ["nobody-out"]
    assert hands("1", "|1 2 O", "E", ox=True) == []


def test_a_typed_hand_is_not_empty_once_the_pile_is_known_to_be_elsewhere():
    pile = Counted(read("5"), read("1 2 O", LAID))
    assert codes([8, 9, 20], [pile, None, None], ox=True) == ["nobody-out"]


def test_without_the_ox_somebody_has_the_donkey():
    assert codes([0, 19, 19]) == ["no-donkey"]
    assert codes([0, 0, 20]) == []
    assert hands("", "13 13", "1") == ["no-donkey"]


def test_with_the_ox_both_may_lie_in_the_middle():
    assert hands("", "13", "1", ox=True) == []
    assert codes([0, 13, 1], ox=True) == []


def test_points_that_no_hand_can_have():
    most = most_points(3, False)
    assert codes([most + 1, 0, None]) == ["points"]
    assert codes([most, 0, None]) == []
    assert codes([most, 1, None]) == ["sum"]


def test_piles():
    assert hands("E|1 2 O", "|3 O", "", ox=True) == ["too-many", "two-piles"]
    assert hands("E|1 2", "", "", ox=True) == ["no-ox"]
    assert hands("E|1 2 3 O", "", "", ox=True) == ["pile"]
    assert hands("E|O", "", "", ox=True) == ["pile"]
    assert hands("E|2 O", "", "", ox=True) == []  # one held the donkey only, and passed
