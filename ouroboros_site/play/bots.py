"""Bots at a table: what they are called, and what they play.

A bot gets what its seat sees and the legal moves, and nothing else. Whatever it answers, what comes
out here are moves that the rules take.
"""

import logging
from collections.abc import Iterable, Sequence
from random import Random
from secrets import SystemRandom

from ouroboros_site.accounts import names
from ouroboros_site.engine.protocol import Rules, State

from .registry import Kind

logger = logging.getLogger(__name__)

NAMES = (
    "Amara", "Basil", "Chidi", "Dilara", "Elif", "Fatou", "Goran", "Hana", "Ines", "Joon", "Kofi",
    "Leila", "Mira", "Nils", "Oksana", "Priya", "Quinn", "Rosa", "Sefa", "Tomás", "Uma", "Viggo",
    "Wanjiru", "Yara", "Zoran",
)  # fmt: skip
"""What bots are called: a dozen people at one table can be told apart."""


def names_beside(taken: Iterable[str], number: int) -> list[str]:
    """So many names by chance; none of them could be taken for one that somebody has."""
    keys = {key(name) for name in taken for key in (names.key, names.look_key)}
    others = [name for name in NAMES if not keys & {names.key(name), names.look_key(name)}]
    return SystemRandom().sample(others, number)


def choose(kind: Kind, state: State, level: str) -> list[str]:
    """What a bot of this level plays for the seat whose turn it is.

    A bot that fails, or answers with what may not be played, is none of the players' business: the
    fault is logged, and the first legal moves are played.
    """
    rules, seat = kind.rules, kind.rules.turn(state)
    try:
        view = rules.view(state, seat)
        texts = list(kind.bot(level, view, legal_texts(rules, state), _chance()))
        # What the bot was given it may have changed; what counts is told anew.
        if problem := kind.together(rules.view(state, seat), texts):
            raise ValueError(problem)
        _check(rules, state, texts)
    except Exception:
        logger.exception("the bot of level %s failed at a table of %s", level, rules.SLUG)
        return _first(kind, state)
    return texts


def legal_texts(rules: Rules, state: State) -> list[str]:
    """The texts of the legal moves, in the order of the rules."""
    return [rules.format_move(move) for move in rules.legal_moves(state)]


def _chance() -> Random:
    return Random()  # noqa: S311 - what a bot makes of what it sees is no secret


def _check(rules: Rules, state: State, texts: Sequence[str]) -> None:
    """Check that the seat whose turn it is may play these moves, one after the other.

    :raises RulesError: if it may not
    :raises ValueError: if it is another seat's turn by then
    """
    seat = rules.turn(state)
    for text in texts:
        if rules.turn(state) != seat:
            raise ValueError(f"it is another seat's turn before {text}")
        state = rules.apply(state, rules.parse_move(text))


def _first(kind: Kind, state: State) -> list[str]:
    """The first legal move, or as many of them one after the other as go together."""
    rules, seat = kind.rules, kind.rules.turn(state)
    view = rules.view(state, seat)
    texts: list[str] = []
    while rules.turn(state) == seat:
        text = legal_texts(rules, state)[0]
        texts.append(text)
        if not kind.together(view, texts):
            return texts
        state = rules.apply(state, rules.parse_move(text))
    return texts[:1]
