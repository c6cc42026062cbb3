"""Which games there are: slug -> rules, and how the site shows them.

Games register in their AppConfig's ``ready()``; nothing in ``play`` knows one by name.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from ouroboros_site.engine.protocol import Move, Rules, State


@dataclass(frozen=True, slots=True)
class Selection:
    """What a form holds: the move's text or what is still missing, and the controls as they stand.

    ``looks`` means that the player asked what the selection would do, and not to play it.
    """

    text: str = ""
    problem: str = ""
    cards: tuple[str, ...] = ()
    pile: int | None = None
    looks: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Some cards of a position as texts, in order; ``hidden`` from the players or open."""

    name: str
    cards: tuple[str, ...]
    hidden: bool


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A shuffle of a game's first deal, for those who check it by themselves.

    ``cards`` are the texts in the order before it, ``makes`` says what comes of it and ``later``
    which labels and cards the shuffles have that follow during the game (both lazily translated).
    """

    label: str
    cards: str
    makes: Any
    later: Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """A rule set with what the site needs to offer it.

    :param title: its name for people (lazily translated)
    :param template: the page of its table, with a partial named ``table``
    :param tile: the template of its tile on the home page
    :param rules_template: the page that explains it
    :param read: reads the posted controls into a Selection
    :param present: makes the template's context from a ``tables.Table``
    :param preview: what the selected cards would do, JSON-ready and without secrets, or None where
        the rules keep it from the player
    :param say: the words of a move, from its log entry
    :param layout: every card of a position by its place, for those who may see it all
    :param score: what a score of so many counts, in words ("enemies navigated"); None for a game
        without high scores and daily deals
    :param shuffles: what a deal is made of
    :param may_end: whether the player should be asked once more before a move, because for all
        that they may know it can end the game
    """

    rules: Rules
    title: Any
    template: str
    tile: str
    rules_template: str
    read: Callable[[QueryDict], Selection]
    present: Callable[..., dict[str, Any]]
    preview: Callable[[State, Selection, bool], dict[str, Any] | None]
    may_end: Callable[[State, Move, bool], bool]
    say: Callable[..., Any]
    layout: Callable[[State], list[Place]]
    score: Callable[[int], str] | None = None
    shuffles: tuple[Shuffle, ...] = ()

    @property
    def unit(self) -> str:
        """What scores count, in words; nothing for a game without high scores."""
        return self.score(0) if self.score else ""


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Add a game under its rules' slug."""
    _kinds[kind.rules.SLUG] = kind


def get(slug: str) -> Kind:
    """The game of a slug.

    :raises KeyError: if there is none
    """
    return _kinds[slug]


def all_kinds() -> Iterator[Kind]:
    """Every game, in the order of registration."""
    return iter(_kinds.values())


def scored_kinds() -> Iterator[Kind]:
    """The games that have high scores and daily deals."""
    return (kind for kind in _kinds.values() if kind.score is not None)


def all_rules() -> Iterator[Rules]:
    """The rules of every game, in the order of registration."""
    return (kind.rules for kind in _kinds.values())
