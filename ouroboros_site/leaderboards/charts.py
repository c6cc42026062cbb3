"""The geometry of charts: pure functions from data to what a template writes into an SVG.

A chart is drawn in ``BOX``; its numbers are texts already, so that no language writes them with a
comma. However much data there is, a chart has few parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from statistics import fmean

from django.utils.formats import date_format

BOX = "0 0 400 200"
LEFT, RIGHT, TOP, BOTTOM = 36, 384, 12, 172
"""The edges of the plot in the box; what stands at the axes lies outside of them."""
BINS = 20
POINTS = 200
TREND = 10
"""Over how many points the line of the mean goes."""


@dataclass(frozen=True, slots=True)
class Tick:
    """What stands at an axis, and where."""

    x: str
    y: str
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram: its box, the values ``first`` to ``last`` it stands for, how many."""

    x: str
    y: str
    width: str
    height: str
    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often which scores came; ``grid`` is the path of the lines behind the bars."""

    bars: list[Bar]
    grid: str
    across: list[Tick]
    up: list[Tick]


@dataclass(frozen=True, slots=True)
class Point:
    """One game, or the mean of some that were played one after the other."""

    first: datetime
    last: datetime
    count: int
    value: float


@dataclass(frozen=True, slots=True)
class Course:
    """Scores over time; ``dots``, ``trend``, ``grid`` are paths. ``group`` games make a point."""

    points: list[Point]
    group: int
    dots: str
    trend: str
    grid: str
    across: list[Tick]
    up: list[Tick]


def nice_step(span: float, most: int) -> int:
    """The smallest of 1, 2, 5, 10, 20 … with which at most ``most`` steps cover ``span``."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if span <= step * factor * most:
                return step * factor
        step *= 10


def histogram(values: Sequence[int]) -> Histogram:
    """How often which scores came, in bins of a round width.

    :param values: scores, at least one
    """
    step = nice_step(max(values) - min(values) + 1, BINS - 1)
    begin = min(values) // step * step
    # A handful of values must not become one broad block.
    number = max(max(values) // step - begin // step + 1, 6)
    counts = [0] * number
    for value in values:
        counts[(value - begin) // step] += 1
    top, up, grid = _upright(max(counts))
    width = (RIGHT - LEFT) / number
    bars = [
        Bar(
            _text(LEFT + i * width + 1),
            _text(_y(count, top)),
            _text(width - 2),
            _text(BOTTOM - _y(count, top)),
            begin + i * step,
            begin + (i + 1) * step - 1,
            count,
        )
        for i, count in enumerate(counts)
    ]
    # A bar of one value has its number under it, a broader one at the edge where it begins.
    shift = width / 2 if step == 1 else 0
    every = nice_step(number, 10)
    across = [
        _across(LEFT + i * width + shift, str(begin + i * step)) for i in range(0, number, every)
    ]
    return Histogram([bar for bar in bars if bar.count], grid, across, up)


def course(games: Sequence[tuple[datetime, float]]) -> Course:
    """Scores over time.

    :param games: when each ended and its score, in the order of time; at least one
    """
    group = ceil(len(games) / POINTS)
    points = []
    for i in range(0, len(games), group):
        some = games[i : i + group]
        mean = fmean(value for _when, value in some)
        points.append(Point(some[0][0], some[-1][0], len(some), mean))
    top, up, grid = _upright(max(point.value for point in points))
    places, across = _along(points, top)
    means = [
        (place[0], fmean(y for _x, y in places[max(0, i + 1 - TREND) : i + 1]))
        for i, place in enumerate(places)
    ]
    return Course(points, group, _dots(places), _line(means), grid, across, up)


def share(games: Sequence[tuple[datetime, bool]]) -> Course:
    """How many of a hundred games so far were won, over time, as a line.

    :param games: when each ended and whether it was won, in the order of time; at least one
    """
    group = ceil(len(games) / POINTS)
    points, won = [], 0
    for i in range(0, len(games), group):
        some = games[i : i + group]
        won += sum(each for _when, each in some)
        points.append(Point(some[0][0], some[-1][0], len(some), 100 * won / (i + len(some))))
    top, up, grid = _upright(100)
    places, across = _along(points, top)
    # One game makes no line.
    dots = "" if len(places) > 1 else _dots(places)
    return Course(points, group, dots, _line(places), grid, across, up)


def _along(points: list[Point], top: int) -> tuple[list[tuple[float, float]], list[Tick]]:
    """Where points stand in the plot, and the marks of the time below it."""
    first, last = points[0].first, points[-1].last
    if last - first < timedelta(hours=1):
        first, last = first - timedelta(minutes=30), last + timedelta(minutes=30)

    def x(when: datetime) -> float:
        return LEFT + (when - first) / (last - first) * (RIGHT - LEFT)

    places = [
        (x(point.first + (point.last - point.first) / 2), _y(point.value, top)) for point in points
    ]
    return places, [_across(x(when), text) for when, text in time_ticks(first, last)]


def _dots(places: list[tuple[float, float]]) -> str:
    return " ".join(f"M{_text(x)} {_text(y)}h0" for x, y in places)


def _line(places: list[tuple[float, float]]) -> str:
    if len(places) == 1:
        return ""
    return "M" + "L".join(f"{_text(x)} {_text(y)}" for x, y in places)


def _across(x: float, text: str) -> Tick:
    return Tick(_text(x), _text(BOTTOM + 18), text)


def _upright(most: float) -> tuple[int, list[Tick], str]:
    """The end of an axis that goes up from 0, its marks, and the lines at them."""
    step = nice_step(max(most, 1), 5)
    top = ceil(max(most, 1) / step) * step
    ticks = [Tick(_text(LEFT - 6), _text(_y(i, top)), str(i)) for i in range(0, top + 1, step)]
    return top, ticks, "".join(f"M{LEFT} {tick.y}H{RIGHT}" for tick in ticks)


def _y(value: float, top: int) -> float:
    return BOTTOM - value / top * (BOTTOM - TOP)


def _text(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


HOURS = (1, 2, 3, 6, 12)
DAYS = (1, 2, 7, 14)
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)


def time_ticks(first: datetime, last: datetime, most: int = 6) -> list[tuple[datetime, str]]:
    """Round moments (UTC) from ``first`` to ``last``, at most ``most``, and how they are written.

    Hours of a day, days (those of weeks are Mondays), months, years: whatever fits.
    """
    span = last - first
    for hours in HOURS:
        if span < timedelta(hours=hours * (most - 1)):
            return _even_ticks(first, last, timedelta(hours=hours), "H:i")
    for days in DAYS:
        if span < timedelta(days=days * (most - 1)):
            return _even_ticks(first, last, timedelta(days=days), "j M")
    begin = first.year * 12 + first.month - 1
    end = last.year * 12 + last.month - 1
    step = next(step for step in MONTHS if (end - begin) // step + 1 <= most)
    ticks = []
    for month in range(-(-begin // step) * step, end + 1, step):
        when = datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)
        if first <= when <= last:
            ticks.append((when, date_format(when, "Y" if step >= 12 else "M Y")))
    return ticks


def _even_ticks(
    first: datetime, last: datetime, step: timedelta, form: str
) -> list[tuple[datetime, str]]:
    # A Monday: steps of a day, a week and two all fall on it.
    monday = datetime(2024, 1, 1, tzinfo=UTC)
    when = monday + -((monday - first) // step) * step
    ticks = []
    while when <= last:
        ticks.append((when, date_format(when, form)))
        when += step
    return ticks
