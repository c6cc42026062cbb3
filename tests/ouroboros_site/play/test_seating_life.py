"""The life of tables of several people, step by step, against a model of who sits where.

Whatever people do, in whatever order: a step does what the model foresees, or is refused with the
code that it foresees and changes nothing. After each step the rows agree with the model and with
the log, and nobody sees what is hidden from them.
"""

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Result, Standing
from ouroboros_site.play import seating, services, verify
from ouroboros_site.play.models import Game, Move, Seat, SeatChange
from ouroboros_site.play.registry import Setup
from ouroboros_site.play.services import Refused
from tests.conformance.kits import KITS

from .shared import OPTIONS, TABLES, play_on, some_move, turn

pytestmark = pytest.mark.django_db

BEGIN = datetime(2026, 12, 1, 20, tzinfo=UTC)
ACCOUNTS = ("Ada", "Bob")
PEOPLE = 5
"""Two of them have an account, the others are guests."""
MOST = 3
"""Tables at a time; a rematch is one more."""
MODELS = (Game, Seat, SeatChange, Move, User, Result, Standing)
FIXED = settings(
    settings.get_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed")),
    stateful_step_count=40,
    **({} if os.environ.get("HYPOTHESIS_PROFILE") == "explore" else {"max_examples": 50}),
)


@dataclass
class Chair:
    """A seat of the model: a person by number, and how a bot plays there."""

    who: int | None = None
    bot: bool = False
    left: bool = False
    code: tuple[str, datetime] | None = None

    @property
    def free(self) -> bool:
        return self.who is None and not self.bot

    def stand_up(self) -> None:
        self.who, self.left, self.code = None, False, None


@dataclass
class Table:
    """A table of the model; ``phase`` is waiting, running, over, or gone."""

    pk: int
    key: str | None
    host: int | None
    chairs: list[Chair]
    deal: tuple[Any, ...]
    phase: str = "waiting"
    removed: set[int] = field(default_factory=set)
    before: "Table | None" = None
    again: "Table | None" = None
    seen_version: int = 0

    @property
    def persons(self) -> list[Chair]:
        return [chair for chair in self.chairs if chair.who is not None]

    def seat_of(self, who: int) -> int | None:
        found = [index for index, chair in enumerate(self.chairs) if chair.who == who]
        return found[0] if found else None

    def start_if_full(self) -> None:
        if not any(chair.free for chair in self.chairs):
            self.phase = "running"

    def vacate(self, index: int, heir: int | None = None) -> None:
        """Free a seat before the start."""
        self.chairs[index].stand_up()
        if not self.persons:
            self.phase = "gone"
        elif self.host == index:
            size = len(self.chairs)
            order = [(index + step) % size for step in range(1, size)]
            taken = [each for each in order if self.chairs[each].who is not None]
            self.host = taken[0] if heir is None else heir

    def give_up(self, index: int, heir: int | None = None) -> None:
        """Take a person off a seat for good."""
        if self.phase == "waiting":
            self.vacate(index, heir)
            return
        self.chairs[index].stand_up()
        self.chairs[index].bot = self.phase == "running"
        if self.phase == "running" and all(chair.left for chair in self.persons):
            self.phase = "over"


def all_rows() -> list[list[tuple[Any, ...]]]:
    """All that is stored, as the database gives it."""
    rows = []
    with connection.cursor() as cursor:
        for model in MODELS:
            cursor.execute(f"SELECT * FROM {model._meta.db_table} ORDER BY id")
            rows.append(cursor.fetchall())
    return rows


choice = st.integers(0, 2**20)
"""A table and a person, mostly one of those who sit there (``Life.pick``)."""
who = st.integers(0, PEOPLE - 1)
index = st.integers(0, 3)


class Life(RuleBasedStateMachine):
    slug: str

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.travel = time_machine.travel(BEGIN, tick=False)
        self.clock = self.travel.start()
        # The same deals and bots again, or Hypothesis could not tell what a step comes to.
        chance = Random(2)
        self.patches = [
            patch("ouroboros_site.engine.shuffle.new_seed", lambda: chance.randbytes(32).hex()),
            patch("ouroboros_site.play.bots._chance", lambda: chance),
            patch("ouroboros_site.play.bots.SystemRandom", lambda: chance),
        ]
        for each in self.patches:
            each.start()
        self.tables: list[Table] = []
        self.number = 0
        self.users = [self.somebody(number) for number in range(PEOPLE)]
        self.suspended: set[int] = set()
        self.codes: list[tuple[str, Table, int]] = []
        self.random = Random(1)
        self.picks = 0

    def teardown(self) -> None:
        self.travel.stop()
        for each in self.patches:
            each.stop()
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    # --- people and calls ---

    def somebody(self, number: int) -> User:
        self.number += 1
        if number < len(ACCOUNTS):
            return User.objects.create_user(f"{ACCOUNTS[number]}{self.number}")
        return User.objects.create_guest()

    def name(self, number: int) -> str:
        return f"Guest-{number}-{self.users[number].pk}"

    def pick(self, number: int, *, seated: float = 0.85) -> tuple[Table, int]:
        """A table, mostly the latest that is still there, and a person, mostly one who sits there.

        Most things that a stranger does are refused, and teach little when tried often.
        """
        # Hypothesis likes small numbers, and the same ones again: each step is to be another.
        self.picks += 1
        random = Random(1000 * number + self.picks)
        table = (self.alive or self.tables)[-1] if random.random() < 0.7 else None
        table = table or random.choice(self.tables)
        if table.persons and random.random() < seated:
            return table, random.choice(table.persons).who
        return table, random.randrange(PEOPLE)

    def call(self, expected: str | None, service: Any, **more: Any) -> Any:
        """Call a service and assert that it does, or refuses, what the model says."""
        before = all_rows() if expected else None
        answer = refusal = None
        try:
            answer = service(**more)
        except Refused as refused:
            refusal = refused.code
        assert refusal == expected, service.__name__
        assert refusal is None or all_rows() == before, "a refusal changes nothing"
        return answer

    def where(self, table: Table) -> dict[str, Any]:
        return {"slug": self.slug, "game_id": table.pk}

    def stranger(self, table: Table, who: int) -> str | None:
        """Why a person has nothing to say at a table."""
        if table.phase == "gone":
            return "no-game"
        return None if table.seat_of(who) is not None else "not-yours"

    def why_not(self, table: Table, who: int, **reasons: bool) -> str | None:
        """The first reason that holds, after those that hold everywhere."""
        codes = [name.replace("_", "-") for name, holds in reasons.items() if holds]
        suspended = "suspended" if who in self.suspended else None
        return self.stranger(table, who) or suspended or next(iter(codes), None)

    # --- the life ---

    @initialize(others=st.sampled_from([2, 1, 0, 2]), turn_time=st.sampled_from([None, 45]))
    def first(self, others, turn_time):
        """An account's table of three, at which one or two others sit already, or nobody."""
        self.open(2, 0, 0, turn_time, False)
        for number in range(others):
            self.sit(self.tables[0], 2 - number)

    @precondition(lambda self: len([t for t in self.tables if t.phase != "gone"]) < MOST)
    @rule(
        opens=st.integers(0, 2),
        me=st.integers(0, 2),
        who=who,
        turn_time=st.sampled_from([None, 45]),
        listed=st.booleans(),
    )
    def open(self, opens, me, who, turn_time, listed):
        bots = ("easy", "easy")[opens:] + ("",) * opens
        if me == 1:
            bots = bots[::-1]
        setup = Setup(
            3, OPTIONS[self.slug][0], bots, "instant", me, listed, turn_time, self.name(who)
        )
        expected = "suspended" if who in self.suspended else None
        answer = self.call(
            expected, services.start_game, user=self.users[who], slug=self.slug, setup=setup
        )
        if answer is None:
            return
        chairs = [Chair(bot=bool(bot)) for bot in (*bots[:me], "", *bots[me:])]
        chairs[me] = Chair(who)
        self.add(answer[0], chairs, me)

    def add(self, game: Game, chairs: list[Chair], host: int, before: Table | None = None) -> Table:
        game = Game.objects.get(pk=game.pk)
        deal = (game.seed, game.options, game.players, game.state)
        host = host if game.key else None
        table = Table(game.pk, game.key, host, chairs, deal, before=before)
        table.start_if_full()
        self.tables.append(table)
        if before:
            before.again = table
        return table

    @rule(choice=choice, index=st.none() | index)
    def sit_down(self, choice, index):
        table, who = self.pick(choice, seated=0.2)
        self.sit(table, who, index)

    def sit(self, table: Table, who: int, index: int | None = None, service: Any = None) -> None:
        mine = table.seat_of(who)
        free = [number for number, chair in enumerate(table.chairs) if chair.free]
        stays = mine is not None and (index in (None, mine) or table.phase != "waiting")
        expected = None
        if table.phase == "gone" or not table.key:
            expected = "no-table"
        elif who in self.suspended:
            expected = "suspended"
        elif index is not None and index >= 3:
            expected = "no-seat"
        elif not stays:
            if table.phase != "waiting":
                expected = {"running": "started", "over": "over"}[table.phase]
            elif who in table.removed:
                expected = "removed"
            elif index is not None and index not in free:
                expected = "taken"
        if service:
            self.call(expected, service)
        else:
            self.call(
                expected,
                seating.sit_down,
                user=self.users[who],
                key=table.key,
                index=index,
                name=self.name(who),
            )
        if expected or stays:
            return
        if index is None:
            last = table.before.seat_of(who) if table.before else None
            index = last if last in free else free[0]
        if mine is not None:
            table.host = index if table.host == mine else table.host
            table.chairs[mine].stand_up()
        table.chairs[index].who = who
        table.start_if_full()

    @rule(choice=choice)
    def leave(self, choice):
        table, who = self.pick(choice)
        mine = table.seat_of(who)
        expected = self.stranger(table, who)
        answer = self.call(expected, seating.leave, user=self.users[who], **self.where(table))
        if expected is None and table.phase == "waiting":
            table.vacate(mine)
            assert (answer is None) == (table.phase == "gone")
        elif expected is None and table.phase == "running" and not table.chairs[mine].left:
            if all(chair.left for chair in table.persons if chair.who != who):
                table.phase = "over"
            else:
                table.chairs[mine].bot = table.chairs[mine].left = True
                table.chairs[mine].code = None

    @rule(choice=choice, index=index, old=st.booleans(), rightly=st.booleans())
    def remove(self, choice, index, old, rightly):
        table, who = self.pick(choice)
        waiting = [table for table in self.tables if table.phase == "waiting"]
        if rightly and waiting:
            table = max(waiting, key=lambda table: len(table.persons))
            who, old = table.chairs[table.host].who, False
            index = next((i for i in range(3) if table.chairs[i].who not in (None, who)), index)
        mine = table.seat_of(who)
        version = self.version(table) - old
        other = index < 3 and index != mine and table.chairs[index].who is not None
        expected = self.why_not(
            table,
            who,
            not_host=mine != table.host,
            started=table.phase != "waiting",
            stale=old,
            no_seat=not other,
        )
        self.call(
            expected,
            seating.remove,
            user=self.users[who],
            version=version,
            index=index,
            **self.where(table),
        )
        if expected is None:
            table.removed.add(table.chairs[index].who)
            table.vacate(index)

    @rule(choice=choice, level=st.sampled_from(["easy", "easy", "easy", "clever"]))
    def fill(self, choice, level):
        table, who = self.pick(choice)
        expected = self.stranger(table, who)
        if expected is None and table.phase == "waiting":
            expected = self.why_not(
                table, who, not_host=table.seat_of(who) != table.host, level=level == "clever"
            )
        self.call(expected, seating.fill, user=self.users[who], level=level, **self.where(table))
        if expected is None and table.phase == "waiting":
            for chair in table.chairs:
                chair.bot = chair.bot or chair.free
            table.phase = "running"

    @rule(choice=choice, old=st.sampled_from([0, 0, 0, 1]), theirs=st.booleans())
    def play(self, choice, old, theirs):
        table, who = self.pick(choice)
        self.move(table, who, choice, old=old, theirs=theirs)

    def move(self, table: Table, who: int, choice: int, *, old: int, theirs: bool) -> None:
        game = Game.objects.filter(pk=table.pk).first()
        running = table.phase == "running"
        mover = turn(game) if running else None
        if theirs and running and table.chairs[mover].who is not None:
            who = table.chairs[mover].who
        mine = table.seat_of(who)
        expected = self.stranger(table, who) or ("waiting" if table.phase == "waiting" else None)
        expected = expected or self.why_not(
            table,
            who,
            over=table.phase == "over",
            stale=bool(old),
            not_your_turn=mine != mover,
            stand_in=mine is not None and table.chairs[mine].bot,
        )
        texts = some_move(game, Random(choice)) if running else ["play R1"]
        self.call(
            expected,
            services.submit_moves,
            user=self.users[who],
            version=(game.version if game else 0) - old,
            texts=texts,
            **self.where(table),
        )
        self.see_whether_it_ended(table)

    def see_whether_it_ended(self, table: Table) -> None:
        """The rules say when a game ends; verifying says whether they did."""
        if table.phase == "running" and Game.objects.get(pk=table.pk).is_over:
            table.phase = "over"

    @rule(choice=choice, times=st.integers(1, 6))
    def bots_move(self, choice, times):
        table, who = self.pick(choice)
        self.advance(table, who, times)

    def advance(self, table: Table, who: int, times: int) -> None:
        for _ in range(times):
            game = Game.objects.filter(pk=table.pk).first()
            expected = self.stranger(table, who)
            expected = expected or ("waiting" if table.phase == "waiting" else None)
            expected = expected or self.why_not(table, who)
            late = table.phase == "running" and self.is_late(table, game)
            played = self.call(
                expected,
                services.advance_game,
                user=self.users[who],
                version=game.version if game else 0,
                by_hand=True,
                **self.where(table),
            )
            if expected or played is None:
                assert expected or not late
                return
            mover = turn(game)
            if late:
                table.chairs[mover].bot = True
                assert not played.moves
            else:
                assert table.chairs[mover].bot or mover == table.seat_of(who)
            self.see_whether_it_ended(table)

    def is_late(self, table: Table, game: Game) -> bool:
        chair = table.chairs[turn(game)]
        waited = timezone.now() - game.turn_since
        return bool(game.turn_time) and not chair.bot and waited >= timedelta(seconds=45)

    @precondition(lambda self: any(table.phase == "running" for table in self.tables))
    @rule(choice=choice, rest=st.integers(1, 8), to_the_end=st.booleans())
    def all_play_until_shortly_before_the_end(self, choice, rest, to_the_end):
        table = [table for table in self.tables if table.phase == "running"][-1]
        game = Game.objects.get(pk=table.pk)
        rules, state, random, length = game.rules, game.load(), Random(choice), 0
        while legal := rules.legal_moves(state):
            state = rules.apply(state, random.choice(legal))
            length += 1
        services.next_turn(game)
        play_on(game, Random(choice), lambda position: False, most=max(0, length - rest))
        for number in range(3 * rest if to_the_end else 0):
            if table.phase == "running":
                chair = table.chairs[turn(Game.objects.get(pk=table.pk))]
                if chair.bot or chair.who in self.suspended:
                    self.advance(table, table.persons[number % len(table.persons)].who, 1)
                else:
                    self.move(table, chair.who, choice + number, old=0, theirs=True)

    @rule(seconds=st.sampled_from([5, 20, 50, 301, 700]), choice=choice)
    def time_goes_by_and_all_but_one_are_there(self, seconds, choice):
        table, absent = self.pick(choice)
        if table.phase == "running" and choice % 4:
            absent = table.chairs[turn(Game.objects.get(pk=table.pk))].who
        self.clock.shift(seconds)
        self.look_about(absent)

    def look_about(self, absent: int | None) -> None:
        for there in self.alive:
            for chair in there.persons:
                if chair.who != absent:
                    seating.look_in(user=self.users[chair.who], **self.where(there))

    @precondition(lambda self: any(table.phase == "running" for table in self.tables))
    @rule(seconds=st.sampled_from([290, 301, 301, 301]), looks=st.booleans())
    def all_wait_for_one_and_vote(self, seconds, looks):
        running = [table for table in self.tables if table.phase == "running"]
        for table in running:
            self.advance(table, table.persons[0].who, 4)
        running = [table for table in running if table.phase == "running"]
        if not running:
            return
        games = Game.objects.in_bulk([table.pk for table in running])
        movers = {table.pk: table.chairs[turn(games[table.pk])] for table in running}
        # Mostly where it can be: a person is awaited, with others, and no clock runs.
        table = max(
            running,
            key=lambda table: (
                movers[table.pk].who is not None and not movers[table.pk].bot,
                games[table.pk].turn_time is None,
                len(table.persons),
            ),
        )
        mover = movers[table.pk]
        others = [chair.who for chair in table.persons if chair is not mover]
        self.clock.shift(seconds)
        if looks:
            self.look_about(mover.who)
        for who in others:
            self.cast(table, who)

    @rule(choice=choice)
    def look_in(self, choice):
        table, who = self.pick(choice)
        before = all_rows()
        seating.look_in(user=self.users[who], **self.where(table))
        mine = table.seat_of(who)
        if table.phase == "gone" or mine is None or who in self.suspended:
            assert all_rows() == before
        else:
            seen = Seat.objects.get(game=table.pk, index=mine).seen
            assert timezone.now() - seen < timedelta(seconds=6)

    @rule(choice=choice)
    def come_back(self, choice):
        table, who = self.pick(choice)
        expected = self.why_not(table, who, over=table.phase == "over")
        self.call(expected, seating.come_back, user=self.users[who], **self.where(table))
        if expected is None:
            chair = table.chairs[table.seat_of(who)]
            chair.bot = chair.left = False

    @rule(choice=choice, old=st.sampled_from([0, 0, 0, 1]))
    def vote(self, choice, old):
        table, who = self.pick(choice)
        self.cast(table, who, old)

    def cast(self, table: Table, who: int, old: int = 0) -> None:
        game = Game.objects.filter(pk=table.pk).first()
        mine, now = table.seat_of(who), timezone.now()
        absent = there = None
        if table.phase == "running" and mine is not None:
            mover = turn(game)
            rows = {seat.index: seat for seat in game.seats.all()}
            here = {
                number
                for number, seat in rows.items()
                if seat.seen and now - seat.seen < timedelta(seconds=18)
            }
            chair, since = table.chairs[mover], max(rows[mover].seen or BEGIN, game.turn_since)
            absent = (
                *(chair.who is not None, not chair.bot, not game.turn_time, mover not in here),
                *(mover != mine, not table.chairs[mine].bot, now - since >= timedelta(minutes=5)),
            )
            there = {
                number
                for number, each in enumerate(table.chairs)
                if each.who is not None and not each.bot and number != mover
                if number == mine or number in here
            }
        may = absent is not None and all(absent)
        expected = self.why_not(
            table, who, no_vote=table.phase != "running", stale=bool(old), no_vote_now=not may
        )
        expected = "no-vote" if expected == "no-vote-now" else expected
        self.call(
            expected,
            seating.vote,
            user=self.users[who],
            version=(game.version if game else 0) - old,
            **self.where(table),
        )
        if expected is None:
            votes = {
                seat
                for seat, at in game.votes
                if at >= since.timestamp()
                if table.chairs[seat].who is not None and not table.chairs[seat].bot
            } | {mine}
            chair.bot = 2 * len(votes) > len(there)

    @rule(choice=choice)
    def offer(self, choice):
        table, who = self.pick(choice)
        expected = self.why_not(table, who, over=table.phase == "over")
        code = self.call(expected, seating.offer, user=self.users[who], **self.where(table))
        if code:
            mine = table.seat_of(who)
            table.chairs[mine].code = code, timezone.now() + timedelta(minutes=10)
            self.codes.append((code, table, mine))

    @precondition(lambda self: self.codes)
    @rule(which=st.integers(0, 3), who=who)
    def take_over(self, which, who):
        code, table, index = self.codes[-1 - which % len(self.codes)]
        chair = table.chairs[index]
        mine = table.seat_of(who)
        good = chair.code and chair.code[0] == code and timezone.now() < chair.code[1]
        expected = None
        if not good or table.phase == "gone":
            expected = "no-offer"
        elif table.phase == "over":
            expected = "over"
        elif who in self.suspended:
            expected = "suspended"
        elif mine not in (None, index):
            expected = "seated"
        elif mine is None and who in table.removed:
            expected = "removed"
        self.call(expected, seating.take_over, user=self.users[who], code=code, name=self.name(who))
        if expected is None:
            chair.code = None
            if mine is None:
                chair.who, chair.bot, chair.left = who, False, False

    @rule(choice=choice)
    def rematch(self, choice):
        table, who = self.pick(choice)
        expected = self.stranger(table, who) or ("not-over" if table.phase != "over" else None)

        def service():
            return seating.rematch(user=self.users[who], **self.where(table))

        if expected is None and table.again and table.again.phase != "gone":
            self.sit(table.again, who, None, service)
            return
        expected = expected or self.why_not(table, who)
        answer = self.call(expected, service)
        if answer:
            chairs = [Chair(bot=chair.bot and chair.who is None) for chair in table.chairs]
            mine = table.seat_of(who)
            chairs[mine] = Chair(who)
            self.add(answer[0], chairs, mine, table)

    @rule(choice=choice, phrase=st.sampled_from(["hello", "snake", "words of my own"]))
    def say(self, choice, phrase):
        table, who = self.pick(choice)
        known = phrase != "words of my own"
        expected = self.why_not(table, who) if known else "no-phrase"
        game = self.call(
            expected, seating.say, user=self.users[who], phrase=phrase, **self.where(table)
        )
        if game:
            assert game.talk[-1]["phrase"] == phrase
            assert game.talk[-1]["seat"] == table.seat_of(who)

    @rule(choice=choice, index=index, muted=st.booleans())
    def mute(self, choice, index, muted):
        table, who = self.pick(choice)
        mine = table.seat_of(who)
        expected = self.stranger(table, who) or ("no-seat" if index in (3, mine) else None)
        self.call(
            expected,
            seating.mute,
            user=self.users[who],
            index=index,
            muted=muted,
            **self.where(table),
        )
        if expected is None:
            assert (index in Seat.objects.get(game=table.pk, index=mine).muted) == muted

    @rule(choice=choice)
    def retire(self, choice):
        table, who = self.pick(choice)
        game = Game.objects.filter(pk=table.pk).first()
        others = [chair for chair in table.persons if chair.who != who and not chair.left]
        expected = self.stranger(table, who) or ("waiting" if table.phase == "waiting" else None)
        expected = expected or self.why_not(
            table, who, over=table.phase == "over", others=bool(others)
        )
        self.call(
            expected,
            services.retire_game,
            user=self.users[who],
            version=game.version if game else 0,
            **self.where(table),
        )
        if expected is None:
            table.phase = "over"

    @rule(who=who, seldom=choice)
    def suspend_or_not(self, who, seldom):
        if who not in self.suspended and seldom % 3:
            return
        user = User.objects.get(pk=self.users[who].pk)
        if who in self.suspended:
            accounts.unsuspend_user(user=user)
        else:
            accounts.suspend_user(user=user, reason="?")
        self.users[who] = user
        self.suspended ^= {who}

    @rule(guest=st.integers(len(ACCOUNTS), PEOPLE - 1), account=st.integers(0, 1))
    def a_guest_logs_in(self, guest, account):
        if {guest, account} & self.suspended:
            return
        moved = accounts.merge_guest(guest=self.users[guest], account=self.users[account])
        assert moved == len(
            [t for t in self.alive if t.seat_of(guest) is not None and t.seat_of(account) is None]
        )
        for table in self.alive:
            theirs, own = table.seat_of(guest), table.seat_of(account)
            if theirs is not None and own is None:
                table.chairs[theirs].who = account
            elif theirs is not None:
                table.give_up(theirs, own)
            if guest in table.removed:
                table.removed ^= {guest}
                table.removed.add(account)
        self.users[guest] = self.somebody(guest)

    @rule(who=who, seldom=choice)
    def an_account_is_deleted(self, who, seldom):
        if seldom % 4:
            return
        accounts.delete_account(User.objects.get(pk=self.users[who].pk))
        for table in self.alive:
            mine = table.seat_of(who)
            table.removed.discard(who)
            if mine is None:
                continue
            if len(table.persons) == 1 and table.phase == "running":
                table.phase = "gone"
            else:
                table.give_up(mine)
        self.users[who] = self.somebody(who)
        self.suspended.discard(who)

    @rule(choice=choice)
    def a_visitor_has_no_say(self, choice):
        """Without a user one can only sit down or take over."""
        table, _who = self.pick(choice)
        expected = "no-game" if table.phase == "gone" else "not-yours"
        services = (seating.leave, seating.come_back, seating.offer, seating.rematch)
        service = services[choice % len(services)]
        self.call(expected, service, user=AnonymousUser(), **self.where(table))

    # --- what always holds ---

    @property
    def alive(self) -> list[Table]:
        return [table for table in self.tables if table.phase != "gone"]

    def version(self, table: Table) -> int:
        game = Game.objects.filter(pk=table.pk).first()
        return game.version if game else 0

    @invariant()
    def everybody_sits_where_the_model_says(self):
        games = {game.pk: game for game in Game.objects.prefetch_related("seats")}
        assert set(games) == {table.pk for table in self.alive}
        for table in self.alive:
            game = games[table.pk]
            numbers = {user.pk: number for number, user in enumerate(self.users)}
            seats = sorted(game.seats.all(), key=lambda seat: seat.index)
            stored = [
                (numbers[seat.user_id] if seat.user_id else None, bool(seat.bot), bool(seat.left))
                for seat in seats
            ]
            assert stored == [(chair.who, chair.bot, chair.left) for chair in table.chairs]
            assert len({seat.user_id for seat in seats if seat.user_id}) == len(table.persons)
            phase = "over" if game.is_over else "waiting" if game.is_waiting else "running"
            assert phase == table.phase
            if phase == "waiting":
                assert game.host == table.host and table.chairs[table.host].who is not None
            for seat in seats:
                bot_of_its_own = seat.bot and not seat.user_id
                guest = seat.user_id and table.chairs[seat.index].who >= len(ACCOUNTS)
                assert bool(seat.name) or not (guest or (bot_of_its_own and phase != "waiting"))
                if not seat.user_id:
                    assert not (seat.hand_over or seat.seen or seat.left or seat.muted)

    @invariant()
    def rows_agree_with_the_log(self):
        for table in self.alive:
            game = Game.objects.get(pk=table.pk)
            assert (game.seed, game.options, game.players) == table.deal[:3]
            assert not game.is_waiting or game.state == table.deal[3]
            assert len(game.talk) <= 12
            numbers = [entry["n"] for entry in game.talk]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)) if numbers else [])
            assert game.version >= table.seen_version
            if game.version == table.seen_version:
                continue
            table.seen_version = game.version
            plies = game.moves.order_by("version").values_list("ply", flat=True)
            assert list(plies) == list(range(1, game.ply + 1))
            assert not verify.verify(game)
            if table.phase == "running":
                assert game.turn_since is not None and game.turn_since <= timezone.now()
                self.nobody_sees_what_is_hidden(game)

    def nobody_sees_what_is_hidden(self, game: Game) -> None:
        """A view is the same however the cards lie that are hidden from it."""
        rules, state = game.rules, game.load()
        for seat in (*range(game.players), None):
            other = KITS[self.slug].redeal(rules.encode(state), seat, self.random)
            assert rules.view(rules.decode(other), seat) == rules.view(state, seat)


@pytest.mark.parametrize("slug", TABLES)
def test_a_table_s_life(slug):
    machine = type(f"LifeOf{slug.title()}", (Life,), {"slug": slug})
    run_state_machine_as_test(machine, settings=FIXED)
