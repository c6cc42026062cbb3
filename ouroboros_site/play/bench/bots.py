"""How two levels of bots fare against each other at one table.

Every deal is played twice: some of the seats, drawn anew for each deal, are of the first level and
the others of the second, then the other way round. So both levels sit at every seat, with the same
cards, and what the cards are worth falls out of the difference between them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from statistics import mean, stdev
from time import perf_counter
from typing import Any

from ouroboros_site.play.registry import Kind

NORMAL = 1.96
"""So many standard errors to both sides hold the truth 95 times in 100."""


@dataclass(slots=True)
class Tally:
    """What a level's seats got at each deal, on average, and how long it thought at each turn."""

    scores: list[float] = field(default_factory=list)
    wins: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def measure(
    kind: Kind,
    levels: tuple[str, str],
    games: int,
    *,
    players: int,
    options: Mapping[str, Any],
    seed: int,
) -> dict[str, Any]:
    """Play ``games`` games, two of each deal, and count.

    ``levels`` -> name -> ``score`` and ``wins`` (mean of a seat's score, share of the seats that
    won) and ``ms`` for each decision; ``difference``: the first level's less the second's. Figures
    are pairs: the mean, and how far from it the true one may be in 95 of 100 cases.

    :param seed: of the deals and the bots; the same one plays the same games
    """
    tallies = (Tally(), Tally())
    deals = max(2, -(-games // 2))
    for deal in _deals(seed, deals, players):
        _play_twice(kind, levels, tallies, deal, players, options)
    first, second = tallies
    return {
        "game": kind.rules.SLUG,
        "players": players,
        "options": dict(options),
        "games": 2 * deals,
        "levels": {
            level: {
                "score": _estimate(tally.scores),
                "wins": _estimate(tally.wins),
                "ms": round(1000 * mean(tally.seconds), 3),
            }
            for level, tally in zip(levels, tallies, strict=True)
        },
        "difference": {
            "score": _estimate([a - b for a, b in zip(first.scores, second.scores, strict=True)]),
            "wins": _estimate([a - b for a, b in zip(first.wins, second.wins, strict=True)]),
        },
    }


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal: its seed, which seats the first level takes in the first game, and the bots' luck."""

    seed: str
    seats: frozenset[int]
    chance: str


def _deals(seed: int, number: int, players: int) -> Iterator[Deal]:
    random = Random(seed)
    for at in range(number):
        seats = random.sample(range(players), players // 2)
        yield Deal(random.randbytes(32).hex(), frozenset(seats), f"{seed} {at}")


def _play_twice(
    kind: Kind,
    levels: tuple[str, str],
    tallies: tuple[Tally, Tally],
    deal: Deal,
    players: int,
    options: Mapping[str, Any],
) -> None:
    """Play a deal both ways round and write down the means of both levels over all the seats."""
    points: tuple[list[int], list[int]] = ([], [])
    won: tuple[list[int], list[int]] = ([], [])
    for swapped in (False, True):
        sides = [int((seat in deal.seats) == swapped) for seat in range(players)]
        outcome = _play(kind, levels, tallies, sides, deal, options)
        for seat, side in enumerate(sides):
            points[side].append(outcome.scores[seat])
            won[side].append(seat in outcome.winners)
    for side, tally in enumerate(tallies):
        tally.scores.append(mean(points[side]))
        tally.wins.append(mean(won[side]))


def _play(
    kind: Kind,
    levels: tuple[str, str],
    tallies: tuple[Tally, Tally],
    sides: list[int],
    deal: Deal,
    options: Mapping[str, Any],
) -> Any:
    """Play one game to its end; ``sides`` says of each seat which level it is of."""
    if kind.bot is None:
        raise ValueError(f"{kind.rules.SLUG} has no bots")
    rules, random = kind.rules, Random(deal.chance)
    state = rules.start(deal.seed, len(sides), options)
    while (seat := rules.turn(state)) is not None:
        legal = [rules.format_move(move) for move in rules.legal_moves(state)]
        view, side = rules.view(state, seat), sides[seat]
        began = perf_counter()
        texts = kind.bot(levels[side], view, legal, random)
        tallies[side].seconds.append(perf_counter() - began)
        for text in texts:
            state = rules.apply(state, rules.parse_move(text))
    return rules.outcome(state)


def _estimate(values: list[float]) -> list[float]:
    """The mean of some values and the half-width of its 95 % interval."""
    return [round(mean(values), 4), round(NORMAL * stdev(values) / sqrt(len(values)), 4)]
