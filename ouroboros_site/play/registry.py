"""Which games there are: slug -> rules, and how the site shows them.

Games register in their AppConfig's ``ready()``; nothing in ``play`` knows one by name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy, ngettext

from ouroboros_site.engine.protocol import Move, Rules, State, View


@dataclass(frozen=True, slots=True)
class Selection:
    """What a form holds: the moves' texts or what is still missing, and the controls as they stand.

    Several moves go together: all of them are played, or none. ``looks`` means that the player
    asked what the selection would do, and not to play it.
    """

    texts: tuple[str, ...] = ()
    problem: str = ""
    cards: tuple[str, ...] = ()
    pile: int | None = None
    looks: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """What the form of a new table asks for beside the deal.

    ``bots`` are the levels of the seats that are not the player's own, in order; "" is a seat that
    is open for somebody else. ``pace`` is how quickly bots play, one of ``models.PACES``; ``me``
    the player's own seat. ``listed`` (in the lobby), ``turn_time`` (one of ``models.TURN_TIMES``,
    or None) and ``name`` (what a guest wants to be called) are for tables with open seats.
    """

    players: int
    options: dict[str, Any] = field(default_factory=dict)
    bots: tuple[str, ...] = ()
    pace: str = "normal"
    me: int = 0
    listed: bool = False
    turn_time: int | None = None
    name: str = ""

    @property
    def waits(self) -> bool:
        """Whether there are open seats, so that the game cannot start at once."""
        return "" in self.bots


@dataclass(frozen=True, slots=True)
class Summary:
    """Where a game stands, in a few words for a list.

    ``grown`` are so many of the snake's 26 scales, where a game has a snake.
    """

    words: str
    grown: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Some cards of a position as texts, in order; ``hidden`` from a seat or seen by it."""

    name: str
    cards: tuple[str, ...]
    hidden: bool


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A shuffle of a game's first deal, for those who check it by themselves.

    ``cards`` are the texts in the order before it, ``makes`` says what comes of it and ``later``
    which labels and cards the shuffles have that follow during the game (both lazily translated).
    With ``below`` no cards are shuffled: a number from 0 is picked that is smaller than it.
    """

    label: str
    cards: str
    makes: Any
    later: Any
    below: int = 0


def one_move(view: View, texts: Sequence[str]) -> str:
    """Moves go one by one, as in most phases of most games."""
    return "" if len(texts) == 1 else gettext("One move at a time.")


def no_terms(options: Mapping[str, Any]) -> list[str]:
    """Nothing can be chosen, as in most games."""
    return []


def never(texts: Sequence[str]) -> bool:
    """Nothing is played for a person, as in most games."""
    return False


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
        the rules keep it from the player; from the position, or at a table of several seats from
        the view of the seat
    :param say: the words of a move, from its log entry and the people at the table
    :param summary: where a game stands, from a view
    :param layout: every card of a position by its place, for those who may see it all; what the
        given seat does not see is marked as hidden
    :param chip: a card's text as a small drawing for lists
    :param shuffles: what a deal is made of, from the number of players and the options
    :param may_end: whether the player should be asked once more before a move, because for all
        that they may know it can end the game
    :param score: what a score of so many counts, in words ("enemies navigated"); None for a game
        without high scores and daily deals
    :param together: what is wrong with moves that were sent in one form, in words; "" if nothing

    Games of several seats have these besides:

    :param new_template: the page on which a table is set up
    :param read_setup: reads the posted form of it; raises Refused
    :param levels: the names of the bots' levels (lazily translated), the usual one first
    :param bot: what a bot plays: (level, view, legal move texts, random numbers) -> the texts of
        one move, or of several that go together
    :param automatic: whether a person with these legal moves need not be asked
    :param terms: how a table's options have it played, in a few words each
    :param deals: the options that change what is dealt, by name, and what each is called (lazily
        translated): of those one asks who checks a deal
    :param outcomes: what a finished game is to a person who won it, and to one who did not
    :param tally: the tally sheet of a game, from the tallies of its finished rounds, the names of
        the players, the seats that won, and the options; its ``lines`` are the same for a file,
        the header first. None for a game that keeps no tally
    :param tally_template: the page that shows it (as ``sheet``)
    """

    rules: Rules
    title: Any
    template: str
    tile: str
    rules_template: str
    read: Callable[[QueryDict], Selection]
    present: Callable[..., dict[str, Any]]
    preview: Callable[[State | View, Selection, bool], dict[str, Any] | None]
    may_end: Callable[[State, Move, bool], bool]
    say: Callable[..., Any]
    summary: Callable[[View], Summary]
    layout: Callable[[State, int | None], list[Place]]
    chip: Callable[[str], Any]
    shuffles: Callable[[int, Mapping[str, Any]], tuple[Shuffle, ...]]
    score: Callable[[int], str] | None = None
    together: Callable[[View, Sequence[str]], str] = one_move
    new_template: str = ""
    read_setup: Callable[[QueryDict], Setup] | None = None
    levels: Mapping[str, Any] = field(default_factory=dict)
    bot: Callable[[str, View, list[str], Random], list[str]] | None = None
    automatic: Callable[[Sequence[str]], bool] = never
    terms: Callable[[Mapping[str, Any]], list[str]] = no_terms
    deals: Mapping[str, Any] = field(default_factory=dict)
    outcomes: tuple[Any, Any] = (gettext_lazy("won"), gettext_lazy("not won"))
    tally: Callable[..., Any] | None = None
    tally_template: str = ""

    def came_to(self, won: bool, left: bool, points: int | None) -> str:
        """What a finished game of several seats came to for one of them, in words.

        :param left: whether it ended because somebody left
        :param points: minus points, where the game has them and a round of it was finished
        """
        words = capfirst(gettext("left before the end") if left else str(self.outcomes[not won]))
        if points is None:
            return str(words)
        told = ngettext(
            "%(outcome)s, %(points)d minus point", "%(outcome)s, %(points)d minus points", points
        )
        return told % {"outcome": words, "points": points}

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


def shared_kinds() -> Iterator[Kind]:
    """The games that are played by several seats."""
    return (kind for kind in _kinds.values() if kind.rules.SEATS[-1] > 1)


def scored_kinds() -> Iterator[Kind]:
    """The games that have high scores and daily deals."""
    return (kind for kind in _kinds.values() if kind.score is not None)


def all_rules() -> Iterator[Rules]:
    """The rules of every game, in the order of registration."""
    return (kind.rules for kind in _kinds.values())
