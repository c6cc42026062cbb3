"""Daily deals as pages show them: one's own tries, and the days of a month."""

from calendar import Calendar
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import F, Min, QuerySet
from django.utils import timezone

from ouroboros_site.accounts.models import Visitor
from ouroboros_site.play import daily
from ouroboros_site.play.models import DailyDeal, Game, Try


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a try.

    ``state``: ``open`` (goes on), ``overdue`` (goes on, but its time is over), ``late`` (ended
    after its time), ``struck`` (by a reviewer), ``counts``. ``value`` is None until it ends, and
    ``words`` say what it counts.
    """

    game: Game
    state: str
    value: int | None
    words: str
    until: datetime
    """When its time is over."""


def result_of(user: Visitor, deal: DailyDeal) -> Result | None:
    """The person's own try at a deal; None without one."""
    attempt = _tries(user).filter(deal=deal).first()
    return _result(attempt) if attempt else None


def results(user: Visitor, slug: str, first: date, last: date) -> dict[date, Result]:
    """The person's own tries at the deals of some days."""
    tries = _tries(user).filter(deal__slug=slug, deal__date__range=(first, last))
    return {attempt.deal.date: _result(attempt) for attempt in tries}


def _tries(user: Visitor) -> QuerySet[Try]:
    tries = Try.objects.filter(user_id=user.pk or 0).select_related("deal", "game")
    return tries.annotate(struck=F("game__score__struck"))


def _result(attempt: Try) -> Result:
    game = attempt.game
    if not game.is_over:
        state = "overdue" if timezone.now() > attempt.until else "open"
    elif not game.in_time:
        state = "late"
    else:
        state = "struck" if attempt.struck else "counts"
    value = game.result["scores"][0] if game.result else None
    words = game.kind.score(value) if value is not None else ""
    return Result(game, state, value, words, attempt.until)


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar: whether there is a deal to look at, and what came of one's own try."""

    date: date
    dealt: bool
    result: Result | None


@dataclass(frozen=True, slots=True)
class Month:
    """A month, its weeks from Monday (None for days of another month), and where to turn to."""

    first: date
    weeks: list[list[Day | None]]
    before: date | None
    after: date | None
    weekdays = tuple(date(2024, 1, day) for day in range(1, 8))
    """Some week's days, for their names."""


def month(user: Visitor, slug: str, first: date) -> Month | None:
    """The calendar of the month that begins with ``first``; None if none of its deals can be known.

    That is a month to come, or one before the first deal of all.
    """
    today = daily.today()
    deals = DailyDeal.objects.filter(slug=slug, date__lte=today)
    begin = deals.aggregate(begin=Min("date"))["begin"] or today
    if not begin.replace(day=1) <= first <= today:
        return None
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    dealt = set(deals.filter(date__range=(first, last)).values_list("date", flat=True))
    own = results(user, slug, first, last)
    weeks = [
        [Day(day, day in dealt, own.get(day)) if day.month == first.month else None for day in week]
        for week in Calendar().monthdatescalendar(first.year, first.month)
    ]
    return Month(
        first,
        weeks,
        (first - timedelta(days=1)).replace(day=1) if first > begin else None,
        last + timedelta(days=1) if last < today else None,
    )
