"""What a profile tells of an account: its standing scores, and its streaks of daily deals."""

from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean, median
from typing import Any, NamedTuple

from ouroboros_site.accounts.models import User
from ouroboros_site.play import daily, registry

from .charts import Course, Histogram, course, histogram
from .models import Score

LAST = 20


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
class Profile:
    """Everything of a profile page. ``last`` are the scores of the last games, the latest first."""

    editions: list[Edition]
    streak: int
    longest: int
    last: list[dict[str, Any]]


def profile(user: User) -> Profile:
    """Tell of an account, by one query however many games there are."""
    scores = [
        _Scored(*row)
        for row in Score.objects.standing()
        .filter(user=user)
        .order_by("finished", "pk")
        .values_list("game_id", "slug", "value", "finished", "daily")
    ]
    streak, longest = streaks({score.daily for score in scores if score.daily}, daily.today())
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
