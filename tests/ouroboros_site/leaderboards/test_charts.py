"""The geometry of charts: everything inside the plot, round numbers at the axes, few parts."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros_site.leaderboards.charts import (
    BINS,
    BOTTOM,
    LEFT,
    POINTS,
    RIGHT,
    TOP,
    course,
    histogram,
    nice_step,
    share,
    time_ticks,
)

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
VALUES = st.lists(st.integers(0, 3000), min_size=1, max_size=60)


def texts(ticks) -> list[str]:
    return [tick.text for tick in ticks]


def is_round(step: int) -> bool:
    return bool(re.fullmatch("[125]0*", str(step)))


def games(number: int, gap: timedelta = timedelta(hours=5)) -> list[tuple[datetime, int]]:
    return [(START + i * gap, i % 40) for i in range(number)]


@pytest.mark.parametrize(
    ("span", "most", "step"),
    [(1, 5, 1), (5, 5, 1), (6, 5, 2), (10, 5, 2), (11, 5, 5), (26, 5, 10), (51, 5, 20), (0.5, 5, 1),
     (101, 20, 10), (1000, 5, 200), (1001, 5, 500)],
)  # fmt: skip
def test_steps_are_one_two_five_and_so_on(span, most, step):
    assert nice_step(span, most) == step


class TestHistogram:
    def test_small_scores_have_a_bar_each(self):
        chart = histogram([3, 5, 5, 3, 3])
        assert [(bar.first, bar.last, bar.count) for bar in chart.bars] == [(3, 3, 3), (5, 5, 2)]
        assert texts(chart.across) == ["3", "4", "5", "6", "7", "8"]
        assert texts(chart.up) == ["0", "1", "2", "3"]
        # The highest bar reaches the top; another one stands in proportion.
        high, low = chart.bars
        assert (high.y, high.height) == (str(TOP), str(BOTTOM - TOP))
        assert float(low.height) == pytest.approx((BOTTOM - TOP) * 2 / 3, abs=0.1)

    def test_larger_ones_share_bars_of_a_round_width(self):
        chart = histogram([0, 9, 10, 95, 111])
        assert [(bar.first, bar.last, bar.count) for bar in chart.bars] == [
            (0, 9, 2),
            (10, 19, 1),
            (90, 99, 1),
            (110, 119, 1),
        ]
        assert texts(chart.across) == ["0", "20", "40", "60", "80", "100"]

    def test_one_game(self):
        chart = histogram([0])
        (bar,) = chart.bars
        assert (bar.first, bar.last, bar.count) == (0, 0, 1)
        assert float(bar.width) < (RIGHT - LEFT) / 4

    @given(VALUES)
    def test_every_game_is_in_one_bar_and_every_bar_in_the_plot(self, values):
        chart = histogram(values)
        assert len(chart.bars) <= BINS
        assert len(chart.across) <= 10 and len(chart.up) <= 6
        for bar in chart.bars:
            assert bar.count == sum(bar.first <= value <= bar.last for value in values) > 0
            assert is_round(bar.last - bar.first + 1)
            assert float(bar.x) >= LEFT and float(bar.x) + float(bar.width) <= RIGHT
            assert TOP <= float(bar.y) < BOTTOM
            assert float(bar.y) + float(bar.height) == pytest.approx(BOTTOM, abs=0.15)
        assert sum(bar.count for bar in chart.bars) == len(values)
        steps = {int(after) - int(before) for before, after in pairwise(texts(chart.up))}
        assert len(steps) == 1 and all(map(is_round, steps))


class TestCourse:
    def test_a_dot_for_each_game(self):
        chart = course([(START, 0), (START + timedelta(hours=4), 10)])
        assert chart.group == 1
        assert chart.dots == f"M{LEFT} {BOTTOM}h0 M{RIGHT} {TOP}h0"
        # The line goes through the mean of what there was so far.
        assert chart.trend == f"M{LEFT} {BOTTOM}L{RIGHT} {(BOTTOM + TOP) // 2}"
        assert texts(chart.up) == ["0", "2", "4", "6", "8", "10"]

    def test_one_game_has_no_line(self):
        chart = course([(START, 7)])
        assert chart.dots.count("M") == 1 and chart.trend == ""
        assert chart.across

    def test_games_at_the_same_moment(self):
        assert course([(START, 7), (START, 9)]).dots.count("M") == 2

    def test_no_game_scored(self):
        assert texts(course([(START, 0)]).up) == ["0", "1"]

    @pytest.mark.parametrize("number", [1, 2, 199, 200, 201, 5000, 100_000])
    def test_however_many_games_there_are_few_points(self, number):
        played = games(number)
        chart = course(played)
        assert number / 2 / chart.group <= len(chart.points) <= POINTS
        assert chart.dots.count("M") == len(chart.points)
        assert sum(point.count for point in chart.points) == number
        assert max(point.count for point in chart.points) == chart.group
        assert (chart.points[0].first, chart.points[-1].last) == (played[0][0], played[-1][0])

    def test_a_group_is_the_mean_of_its_games(self):
        played = games(500)
        chart = course(played)
        assert chart.group == 3
        assert chart.points[1].value == pytest.approx((3 + 4 + 5) / 3)
        assert (chart.points[1].first, chart.points[1].last) == (played[3][0], played[5][0])

    @given(VALUES, st.integers(0, 10**8))
    def test_everything_lies_in_the_plot(self, values, seconds):
        chart = course(
            [(START + timedelta(seconds=i * seconds), value) for i, value in enumerate(values)]
        )
        places = re.findall(r"[ML](\S+) ([^hML]+)", chart.dots + chart.trend)
        assert len(places) >= len(values)
        for x, y in places:
            assert LEFT <= float(x) <= RIGHT and TOP <= float(y) <= BOTTOM
        for tick in chart.across:
            assert LEFT <= float(tick.x) <= RIGHT
        assert len(chart.across) <= 6


class TestTimeTicks:
    @pytest.mark.parametrize(
        ("first", "last", "words"),
        [
            ("2026-12-01 09:30", "2026-12-01 12:10", ["10:00", "11:00", "12:00"]),
            ("2026-12-01 21:30", "2026-12-02 09:10", ["00:00", "03:00", "06:00", "09:00"]),
            ("2026-12-30 12:00", "2027-01-02 12:00", ["31 Dec", "1 Jan", "2 Jan"]),
            ("2028-02-27 12:00", "2028-03-01 12:00", ["28 Feb", "29 Feb", "1 Mar"]),
            # Weeks are marked at their Mondays.
            ("2026-11-04 00:00", "2026-12-01 00:00", ["9 Nov", "16 Nov", "23 Nov", "30 Nov"]),
            ("2026-09-12 00:00", "2026-12-01 00:00", ["Oct 2026", "Nov 2026", "Dec 2026"]),
            ("2025-12-12 00:00", "2026-12-01 00:00", ["Jan 2026", "Apr 2026", "Jul 2026",
             "Oct 2026"]),
            ("2021-02-12 00:00", "2026-12-01 00:00", ["2022", "2023", "2024", "2025", "2026"]),
            ("2017-02-12 00:00", "2026-12-01 00:00", ["2018", "2020", "2022", "2024", "2026"]),
        ],
    )  # fmt: skip
    def test_round_moments(self, first, last, words):
        first, last = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (first, last))
        assert [text for _when, text in time_ticks(first, last)] == words

    @given(
        st.timedeltas(timedelta(0), timedelta(days=40000)),
        st.timedeltas(timedelta(hours=1), timedelta(days=40000)),
    )
    def test_some_and_not_too_many(self, later, span):
        first = START + later
        ticks = [when for when, _text in time_ticks(first, first + span)]
        assert len(ticks) <= 6
        assert all(first <= when <= first + span for when in ticks)
        assert ticks == sorted(ticks)
        assert ticks or span > timedelta(days=1)


class TestShare:
    def test_is_that_of_all_games_up_to_then(self):
        won = [True, False, False, True]
        chart = share([(START + timedelta(hours=i), each) for i, each in enumerate(won)])
        assert [point.value for point in chart.points] == pytest.approx([100, 50, 100 / 3, 50])
        assert texts(chart.up) == ["0", "20", "40", "60", "80", "100"]
        assert chart.trend.startswith(f"M{LEFT} {TOP}L") and not chart.dots
        assert chart.trend.endswith(f"L{RIGHT} {(TOP + BOTTOM) // 2}")

    def test_one_game_is_a_dot(self):
        chart = share([(START, False)])
        assert chart.trend == "" and chart.dots.count("M") == 1 and f" {BOTTOM}h0" in chart.dots

    @pytest.mark.parametrize("number", [1, 2, 199, 200, 201, 5000])
    def test_however_many_games_there_are_few_points(self, number):
        played = [(when, value < 10) for when, value in games(number)]
        chart = share(played)
        assert number / 2 / chart.group <= len(chart.points) <= POINTS
        assert sum(point.count for point in chart.points) == number
        assert chart.points[-1].value == pytest.approx(
            100 * sum(won for _when, won in played) / number
        )

    @given(st.lists(st.booleans(), min_size=1, max_size=60))
    def test_the_line_stays_in_the_plot(self, won):
        chart = share([(START + timedelta(hours=i), each) for i, each in enumerate(won)])
        for x, y in re.findall(r"([\d.]+) ([\d.]+)", chart.trend + chart.dots):
            assert LEFT <= float(x) <= RIGHT and TOP <= float(y) <= BOTTOM


def test_a_course_of_fractions():
    chart = course([(START, 2.5), (START + timedelta(hours=4), 7.25)])
    assert [point.value for point in chart.points] == [2.5, 7.25]
    assert texts(chart.up)[-1] == "8"
