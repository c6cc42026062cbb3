"""Shuffles and the commitment: the vectors of the rules, and the same made another way."""

import hashlib
import struct
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros_site.engine.errors import InvalidRecord
from ouroboros_site.engine.shuffle import (
    below,
    check_seed,
    commitment,
    new_seed,
    pick,
    shuffle,
    words,
)

SEED = bytes(range(32)).hex()
BLACK = [rank + suit for suit in "sc" for rank in "A23456789TJQK"]

seeds = st.binary(min_size=32, max_size=32).map(bytes.hex)
labels = st.text(max_size=12)


def test_commitment_vector() -> None:
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_word_vector() -> None:
    assert list(islice(words(SEED, "deal"), 3)) == [1895361997, 2071010153, 286462172]


def test_shuffle_vectors() -> None:
    assert list(shuffle(SEED, "deal", range(10))) == [6, 9, 5, 8, 1, 0, 3, 4, 2, 7]
    assert list(shuffle(SEED, "threat-1", BLACK))[:6] == ["2c", "9s", "8c", "2s", "8s", "Ks"]


def test_pick_vectors() -> None:
    assert pick(SEED, "lead", 5) == 0
    assert pick(SEED, "start", 12) == 8


# The text of the rules once more, word for word and slowly.


def slow_words(seed: str, label: str) -> Iterator[int]:
    counter = 0
    while True:
        text = bytes.fromhex(seed) + b"\x00" + label.encode() + b"\x00" + struct.pack(">I", counter)
        digest = hashlib.sha256(text).digest()
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        counter += 1


def slow_below(stream: Iterator[int], n: int) -> int:
    while True:
        word = next(stream)
        if word >= 2**32 - (2**32 % n):
            continue
        return word % n


@given(seeds, labels)
def test_words_as_the_rules_say_past_the_first_digests(seed: str, label: str) -> None:
    assert list(islice(words(seed, label), 20)) == list(islice(slow_words(seed, label), 20))


@given(seeds, labels, st.integers(0, 60))
def test_shuffle_as_the_rules_say(seed: str, label: str, size: int) -> None:
    stream = slow_words(seed, label)
    cards = list(range(size))
    for i in range(size - 1, 0, -1):
        j = slow_below(stream, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    assert list(shuffle(seed, label, range(size))) == cards


@given(seeds, labels, st.integers(1, 2**32))
def test_pick_as_the_rules_say(seed: str, label: str, n: int) -> None:
    assert pick(seed, label, n) == slow_below(slow_words(seed, label), n)


def test_shuffle_leaves_its_cards_alone() -> None:
    cards = ["a", "b", "c"]
    assert sorted(shuffle(SEED, "deal", cards)) == ["a", "b", "c"]
    assert cards == ["a", "b", "c"]
    assert list(shuffle(SEED, "deal", [])) == []
    assert list(shuffle(SEED, "deal", ["a"])) == ["a"]


@pytest.mark.parametrize(
    ("stream", "n", "answer"),
    [
        # 2^32 mod 10 is 6: the six highest words are rejected, the one under them is not.
        ([2**32 - 1, 2**32 - 6, 17], 10, 7),
        ([2**32 - 7, 17], 10, 9),
        # 2^32 is divisible: nothing is rejected.
        ([2**32 - 1, 0], 16, 15),
        ([2**32 - 1, 0], 1, 0),
        # 2^32 mod (2^31 + 1) is 2^31 - 1: nearly half of all words are rejected.
        ([2**32 - 1, 2**31 + 1, 2**31, 5], 2**31 + 1, 2**31),
    ],
)
def test_below_rejects_words_that_would_bias(stream: list[int], n: int, answer: int) -> None:
    assert below(iter(stream), n) == answer


def test_a_rejected_word_is_used_up() -> None:
    stream = iter([2**32 - 1, 17, 23])
    assert below(stream, 10) == 7
    assert below(stream, 10) == 3


@pytest.mark.parametrize(
    "seed",
    ["", "00" * 31, "00" * 33, "0g" * 32, "AB" * 32, "0x" + "00" * 31, " " + "0" * 63,
     "0" * 63 + "\n",
     "٠" * 64, "00" * 32 + "\n", None, 0, b"00" * 32, ["00" * 32]],
)  # fmt: skip
def test_a_seed_is_64_lower_case_hex_digits(seed: object) -> None:
    with pytest.raises(InvalidRecord):
        check_seed(seed)


def test_new_seeds_are_seeds_and_differ() -> None:
    made = {new_seed() for _ in range(20)}
    assert len(made) == 20
    assert all(check_seed(seed) == seed for seed in made)
