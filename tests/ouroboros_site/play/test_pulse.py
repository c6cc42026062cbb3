"""Clocks stand while no server lives."""

import asyncio
import logging
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from ouroboros_site.play import pulse
from ouroboros_site.play.models import Game, Pulse, Seat

from .helpers import guest

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def game(since: datetime | None, **fields) -> Game:
    fields.setdefault("started", NOW - timedelta(days=1))
    return Game.objects.create(
        slug="trick", players=2, seed="s", state={}, turn_since=since, **fields
    )


def since(row: Game) -> datetime | None:
    return Game.objects.values_list("turn_since", flat=True).get(pk=row.pk)


@pytest.fixture
def last():
    """The server's last pulse."""
    Pulse.objects.create(pk=1, at=NOW)
    return NOW


def at() -> datetime:
    return Pulse.objects.get().at


@pytest.mark.parametrize("starts", [True, False])
def test_the_first_pulse_of_all_moves_nothing(starts):
    row = game(NOW - seconds(3))
    assert pulse.beat(NOW, starts=starts) == timedelta()
    assert (at(), since(row)) == (NOW, NOW - seconds(3))
    assert Pulse.objects.get().pk == 1


def test_from_pulse_to_pulse_nothing_is_moved(last):
    row = game(NOW - seconds(3))
    for second in (5, 10, 25):
        assert pulse.beat(NOW + seconds(second)) == timedelta()
        assert (at(), since(row)) == (NOW + seconds(second), NOW - seconds(3))


def test_after_a_gap_each_turn_has_as_much_time_as_before(last):
    row = game(NOW - seconds(30))
    assert pulse.beat(NOW + seconds(16)) == seconds(16)
    assert since(row) == NOW - seconds(14)
    assert pulse.beat(NOW + seconds(21)) == timedelta()
    assert since(row) == NOW - seconds(14)


def test_a_server_that_starts_gives_back_any_time(last):
    row = game(NOW - seconds(30))
    assert pulse.beat(NOW + seconds(2), starts=True) == seconds(2)
    assert since(row) == NOW - seconds(28)


@pytest.mark.parametrize("micro", [0, 1])
def test_a_turn_that_began_after_the_last_pulse_begins_now(last, micro):
    row = game(NOW + seconds(4))
    now = NOW + seconds(60) + timedelta(microseconds=micro)
    pulse.beat(now)
    assert since(row) == now


def test_whose_clock_runs(last):
    no_turn = game(None)
    waiting = game(NOW - seconds(3), started=None)
    over = game(NOW - seconds(3), finished=NOW)
    runs = game(NOW - seconds(3))
    pulse.beat(NOW + seconds(100))
    assert [since(row) for row in (no_turn, waiting, over, runs)] == [
        None,
        *[NOW - seconds(3)] * 2,
        NOW + seconds(97),
    ]


def test_who_was_seen_when_is_not_changed(last):
    seat = Seat.objects.create(game=game(NOW), index=0, user=guest(), seen=NOW - seconds(3))
    pulse.beat(NOW + seconds(100))
    seat.refresh_from_db()
    assert seat.seen == NOW - seconds(3)


@pytest.mark.parametrize("starts", [True, False])
def test_a_clock_set_back_sets_the_turns_back(last, starts):
    """Or a turn of 45 seconds would last an hour longer."""
    row, hour = game(NOW - seconds(3)), timedelta(hours=1)
    assert pulse.beat(NOW - hour, starts=starts) == -hour
    assert (at(), since(row)) == (NOW - hour, NOW - hour - seconds(3))


def test_clocks_that_differ_a_little_move_nothing(last):
    row = game(NOW - seconds(3))
    assert pulse.beat(NOW - seconds(2)) == timedelta()
    assert since(row) == NOW - seconds(3)


def test_of_several_processes_one_moves(last, monkeypatch):
    row = game(NOW - seconds(30))
    # The second process has read the same pulse: the first one writes between its two statements.
    first = Pulse.objects.filter

    def overtaken(**which):
        if "at" in which:
            first(pk=1, at=NOW).update(at=NOW + seconds(60))
        return first(**which)

    monkeypatch.setattr(Pulse.objects, "filter", overtaken)
    assert pulse.beat(NOW + seconds(61)) == timedelta()
    assert (at(), since(row)) == (NOW + seconds(60), NOW - seconds(30))


@pytest.mark.django_db(transaction=True)
class TestBeating:
    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch):
        monkeypatch.setattr(pulse, "EVERY", 0.02)

    def beat_until(self, done) -> None:
        async def live():
            async with asyncio.timeout(10), pulse.beating():
                while not done():
                    await asyncio.sleep(0.01)

        asyncio.run(live())

    def test_goes_on_until_the_end(self, monkeypatch):
        before = timezone.now()
        row = game(before - seconds(3))
        Pulse.objects.create(pk=1, at=before - seconds(2))
        beat, moved = pulse.beat, []
        monkeypatch.setattr(pulse, "beat", lambda *args, **at: moved.append(beat(*args, **at)))
        self.beat_until(lambda: len(moved) >= 4)
        first, *others = moved
        assert first >= seconds(2) and not any(others)
        assert since(row) == before - seconds(3) + first
        assert before + first - seconds(2) < at() <= timezone.now()
        count, was = len(moved), at()
        time.sleep(0.1)
        assert (len(moved), at()) == (count, was)

    def test_a_database_that_fails_is_survived(self, monkeypatch, caplog):
        beat, calls = pulse.beat, []

        def fails(now, **starts):
            calls.append(starts)
            if len(calls) < 3:
                raise DatabaseError("gone")
            return beat(now, **starts)

        monkeypatch.setattr(pulse, "beat", fails)
        with caplog.at_level(logging.ERROR):
            self.beat_until(lambda: len(calls) >= 3)
        assert calls[:3] == [{"starts": True}, {"starts": False}, {"starts": False}]
        assert [record.getMessage() for record in caplog.records] == [
            "the pulse could not be written"
        ] * 2
        assert at()
