"""The seeded shuffle: every deal follows from a seed and a label (rules/README, "Shuffles").

A stream of 32-bit words is made from SHA-256(seed ‖ 0 ‖ label ‖ 0 ‖ counter); numbers below n are
taken from it without bias, and a Fisher-Yates shuffle uses those.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import count
from secrets import token_hex
from struct import unpack

from .errors import InvalidRecord, gettext_noop

_SEED = re.compile(r"[0-9a-f]{64}", re.ASCII)
_WORDS = 1 << 32


def new_seed() -> str:
    """A seed nobody can guess: 32 random bytes as 64 lower-case hex digits."""
    return token_hex(32)


def check_seed(seed: object) -> str:
    """Return ``seed`` if it is 64 lower-case hex digits.

    :raises InvalidRecord: if it is not
    """
    if not isinstance(seed, str) or not _SEED.fullmatch(seed):
        raise InvalidRecord("seed", gettext_noop("A seed is 64 hexadecimal digits in lower case."))
    return seed


def commitment(seed: str) -> str:
    """SHA-256 of the seed's bytes, in hex: shown before the first move, checked after the last.

    >>> commitment(bytes(range(32)).hex())[:16]
    '630dcd2966c43366'
    """
    return sha256(bytes.fromhex(seed)).hexdigest()


def words(seed: str, label: str) -> Iterator[int]:
    """The endless stream of 32-bit words of a seed and a label.

    >>> stream = words(bytes(range(32)).hex(), "deal")
    >>> next(stream), next(stream)
    (1895361997, 2071010153)
    """
    prefix = bytes.fromhex(seed) + b"\0" + label.encode() + b"\0"
    for counter in count():
        yield from unpack(">8I", sha256(prefix + counter.to_bytes(4, "big")).digest())


def below(stream: Iterator[int], n: int) -> int:
    """The next number in 0 … n − 1, all equally likely: words that would bias it are skipped."""
    limit = _WORDS - _WORDS % n
    for word in stream:
        if word < limit:
            return word % n
    raise AssertionError("a word stream does not end")


def shuffle[Card](seed: str, label: str, cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards in the order that seed and label fix; index 0 is the top card.

    >>> shuffle(bytes(range(32)).hex(), "deal", range(10))
    (6, 9, 5, 8, 1, 0, 3, 4, 2, 7)
    """
    result = list(cards)
    stream = words(seed, label)
    for i in range(len(result) - 1, 0, -1):
        j = below(stream, i + 1)
        result[i], result[j] = result[j], result[i]
    return tuple(result)


def pick(seed: str, label: str, n: int) -> int:
    """One number in 0 … n − 1 that seed and label fix.

    >>> pick(bytes(range(32)).hex(), "lead", 5)
    0
    """
    return below(words(seed, label), n)
