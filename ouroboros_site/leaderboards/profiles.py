"""What a profile tells of an account: its standing scores, its streaks of daily deals, and its
results at tables; and all finished games of a person, for that person."""

from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import fmean, median
from typing import Any, NamedTuple

from ouroboros_site.accounts.models import User
from ouroboros_site.play import daily, registry
from ouroboros_site.play.models import Game, Seat
from ouroboros_site.play.tables import outcome_of

from .charts import Course, Histogram, course, histogram, share
from .models import Result, Score, Standing

LAST = 20
PAGE = 25
"""Games of a page."""


def find(name: str) -> User | None:
    """The account of a name, however its letters are cased; None without one. Guests have none."""
    # No database takes every character, and no name has one that cannot be printed.
    if not name.isprintable():
        return None
    with suppress(User.DoesNotExist):
        return User.objects.get_by_natural_key(name)
    return None


@dataclass(frozen=True, slots=True)
class Edition:
    """An account's scores in one game; without any, ``games`` is 0 and the rest is None."""

    kind: registry.Kind
    games: int
    best: int | None = None
    mean: float | None = None
    median: float | None = None
    spread: Histogram | None = None
    course: Course | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Results at tables with people, or with bots only; ``sums`` is not stored."""

    people: bool
    sums: Standing

    @property
    def lost(self) -> int:
        """The games that were not won, left ones too."""
        return self.sums.games - self.sums.won


@dataclass(frozen=True, slots=True)
class Tables:
    """A person's results in one game of several seats; without any there are no groups.

    ``share`` draws how many of a hundred games were won, ``course`` the minus points a round, in a
    game that has some.
    """

    kind: registry.Kind
    groups: list[Group]
    share: Course | None = None
    course: Course | None = None

    @property
    def games(self) -> int:
        """How many games there are of both groups."""
        return sum(group.sums.games for group in self.groups)

    @property
    def won(self) -> int:
        """How many of them were won."""
        return sum(group.sums.won for group in self.groups)


@dataclass(frozen=True, slots=True)
class Ended:
    """A finished game in a list; ``words`` say what came of it, ``tally`` that it has a sheet."""

    game_id: int
    title: Any
    words: str
    finished: datetime
    tally: bool = False
    ranked: bool = True


@dataclass(frozen=True, slots=True)
class Profile:
    """Everything of a profile page.

    ``last`` are the scores of the last games for one, ``results`` all results at tables, both with
    the latest first.
    """

    editions: list[Edition]
    streak: int
    longest: int
    last: list[dict[str, Any]]
    tables: list[Tables]
    results: list[Result]


def profile(user: User) -> Profile:
    """Tell of an account, by two queries however many games there are."""
    scores = [
        _Scored(*row)
        for row in Score.objects.standing()
        .filter(user=user)
        .order_by("finished", "pk")
        .values_list("game_id", "slug", "value", "finished", "daily")
    ]
    streak, longest = streaks({score.daily for score in scores if score.daily}, daily.today())
    results = list(Result.objects.filter(user=user).order_by("finished", "pk"))
    return Profile(
        [
            _edition(kind, [score for score in scores if score.slug == kind.rules.SLUG])
            for kind in registry.scored_kinds()
        ],
        streak,
        longest,
        [
            {"score": score, "title": registry.get(score.slug).title}
            for score in scores[: -LAST - 1 : -1]
        ],
        [
            _tables(kind, [result for result in results if result.slug == kind.rules.SLUG])
            for kind in registry.shared_kinds()
        ],
        results[::-1],
    )


class _Scored(NamedTuple):
    game_id: int
    slug: str
    value: int
    finished: Any
    daily: date | None


def _edition(kind: registry.Kind, scores: list[_Scored]) -> Edition:
    if not scores:
        return Edition(kind, 0)
    values = [score.value for score in scores]
    return Edition(
        kind,
        len(scores),
        max(values),
        fmean(values),
        median(values),
        histogram(values),
        course([(score.finished, score.value) for score in scores]),
    )


def streaks(days: Set[date], today: date) -> tuple[int, int]:
    """How many days in a row: up to now, and at most.

    A day that is not over does not break a streak, even if nothing was played on it yet.
    """
    run = longest = 0
    last = None
    for day in sorted(days):
        run = run + 1 if last and day - last == timedelta(days=1) else 1
        longest = max(longest, run)
        last = day
    current = run if last and today - last <= timedelta(days=1) else 0
    return current, longest


# --- games of several seats ----------------------------------------------------------------------


def _tables(kind: registry.Kind, results: list[Result]) -> Tables:
    if not results:
        return Tables(kind, [])
    groups = []
    for people in (False, True):
        sums = Standing(slug=kind.rules.SLUG, people=people)
        for result in results:
            if result.people == people:
                sums.add(result)
        if sums.games:
            groups.append(Group(people, sums))
    means = [(result.finished, result.mean) for result in results if result.mean is not None]
    return Tables(
        kind,
        groups,
        share([(result.finished, result.won) for result in results]),
        course(means) if means else None,
    )


def ended_of(results: Sequence[Result]) -> list[Ended]:
    """Results as lines of a list."""
    return [
        Ended(
            result.game_id,
            (kind := registry.get(result.slug)).title,
            kind.came_to(result.won, result.retired, result.points if result.rounds else None),
            result.finished,
            tally=kind.tally is not None and result.rounds > 0,
        )
        for result in results
    ]


def games_of(user: User, start: int, number: int) -> list[Ended]:
    """Some of the finished games of a person, practice too, the latest first; one query."""
    seats = Seat.objects.filter(user=user, game__finished__isnull=False)
    seats = seats.select_related("game").defer("game__state", "game__redo", "game__options")
    seats = seats.order_by("-game__finished", "-game_id", "index")
    return [_ended(seat.game, seat) for seat in seats[start : start + number]]


def _ended(game: Game, seat: Seat) -> Ended:
    kind = game.kind
    if game.players > 1:
        words = outcome_of(game, seat.index, stand_in=bool(seat.bot))
    elif kind.score is None or (game.daily_id and not game.ranked):
        # What practice with a daily deal came to may be closed to its player for now.
        words = ""
    else:
        value = game.result["scores"][seat.index]
        words = f"{value} {kind.score(value)}"
    tally = kind.tally is not None and bool(game.tallies)
    return Ended(game.pk, kind.title, words, game.finished, tally, game.ranked)
