"""How many random moves a second each rule set plays."""

from collections.abc import Iterator
from random import Random
from time import perf_counter

from ouroboros_site.engine.protocol import Rules
from ouroboros_site.play import registry


def measure(seconds: float) -> Iterator[tuple[str, int]]:
    """Yield (slug, moves a second) for each rule set, after ``seconds`` of random playouts.

    A move is what a bot pays for it: listing the legal moves, choosing one, applying it.
    """
    for rules in registry.all_rules():
        yield rules.SLUG, _moves_a_second(rules, seconds)


def _moves_a_second(rules: Rules, seconds: float) -> int:
    random, moves, began = Random(1), 0, perf_counter()
    while (spent := perf_counter() - began) < seconds:
        state = rules.start(f"{random.getrandbits(256):064x}", rules.SEATS[0])
        while legal := rules.legal_moves(state):
            state = rules.apply(state, legal[int(random.random() * len(legal))])
            moves += 1
    return round(moves / spent)
