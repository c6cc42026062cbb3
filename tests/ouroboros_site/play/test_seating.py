"""Who sits where: every function of ``seating``, and each of its refusals."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from ouroboros_site.accounts import rates
from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Result
from ouroboros_site.play import live, registry, seating, services, verify
from ouroboros_site.play.models import Game, Seat, SeatChange
from ouroboros_site.play.registry import Setup
from ouroboros_site.play.services import Refused

from .helpers import guest, new_game, stored, submit
from .shared import OPTIONS, each_table, legal_texts, new_table, some_move, turn

pytestmark = pytest.mark.django_db
slug = each_table
NOBODY = AnonymousUser()
MINUTE = timedelta(minutes=1)


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("Bob")


@pytest.fixture
def cleo(db) -> User:
    return User.objects.create_user("Cleo")


def waiting(slug: str, host: User, bots: tuple[str, ...] = ("", ""), **more: Any) -> Game:
    more.setdefault("name", "Hosty")
    setup = Setup(len(bots) + 1, OPTIONS[slug][0], bots, "instant", **more)
    return services.start_game(user=host, slug=slug, setup=setup)[0]


def running(slug: str, *people: User, **more: Any) -> Game:
    """A table of three at which these sit, in order; bots fill it."""
    game = waiting(slug, people[0], **more)
    for number, user in enumerate(people[1:]):
        seating.sit_down(user=user, key=game.key, name=f"Guest-{number}")
    if len(people) < 3:
        seating.fill(user=people[0], level="easy", **where(game))
    return fresh(game)


def over(slug: str, *people: User) -> Game:
    game = running(slug, *people)
    for user in people:
        seating.leave(user=user, **where(game))
    return fresh(game)


def fresh(game: Game) -> Game:
    return Game.objects.get(pk=game.pk)


def where(game: Game) -> dict[str, Any]:
    return {"slug": game.slug, "game_id": game.pk}


def sitting(game: Game) -> list[Any]:
    """Who sits there, by name, or the level of the bot."""
    seats = game.seats.select_related("user").order_by("index")
    return [services.name_of(seat) if seat.user else seat.bot for seat in seats]


def what(game: Game) -> list[str]:
    return list(game.changes.values_list("what", flat=True))


def seat_of(game: Game, user: User) -> Seat:
    return Seat.objects.get(game=game, user=user)


def refusal(service: Any, **more: Any) -> tuple[int, str]:
    """How a service refuses, which changes nothing."""
    before = stored(), list(SeatChange.objects.values())
    with pytest.raises(Refused) as caught:
        service(**more)
    assert (stored(), list(SeatChange.objects.values())) == before
    assert str(caught.value.message)
    return caught.value.status, caught.value.code


# --- who × what × when ---------------------------------------------------------------------------

# "ok", or the code of the refusal. At the table sit the host, another person, somebody who is
# suspended, and (once it has started) somebody who has left; not the stranger, nor the visitor
# without a user.
TABLE = """
                host        other       suspended   left        stranger    visitor
waiting room    ok          ok          ok          ok          not-yours   not-yours
waiting sit     ok          ok          suspended   ok          ok          ok
waiting leave   ok          ok          ok          ok          not-yours   not-yours
waiting remove  ok          not-host    suspended   not-host    not-yours   not-yours
waiting fill    ok          not-host    suspended   not-host    not-yours   not-yours
waiting back    ok          ok          suspended   ok          not-yours   not-yours
waiting vote    no-vote     no-vote     suspended   no-vote     not-yours   not-yours
waiting say     ok          ok          suspended   ok          not-yours   not-yours
waiting mute    ok          ok          ok          ok          not-yours   not-yours
waiting offer   ok          ok          suspended   ok          not-yours   not-yours
waiting rematch not-over    not-over    not-over    not-over    not-yours   not-yours
waiting move    waiting     waiting     waiting     waiting     not-yours   not-yours
waiting advance waiting     waiting     waiting     waiting     not-yours   not-yours
waiting retire  waiting     waiting     waiting     waiting     not-yours   not-yours
waiting pace    waiting     waiting     waiting     waiting     not-yours   not-yours
running room    ok          ok          ok          ok          not-yours   not-yours
running sit     ok          ok          suspended   ok          started     started
running leave   ok          ok          ok          ok          not-yours   not-yours
running remove  started     not-host    suspended   not-host    not-yours   not-yours
running fill    ok          ok          ok          ok          not-yours   not-yours
running back    ok          ok          suspended   ok          not-yours   not-yours
running vote    no-vote     no-vote     suspended   no-vote     not-yours   not-yours
running say     ok          ok          suspended   ok          not-yours   not-yours
running mute    ok          ok          ok          ok          not-yours   not-yours
running offer   ok          ok          suspended   ok          not-yours   not-yours
running rematch not-over    not-over    not-over    not-over    not-yours   not-yours
running move    ok          not-your-turn suspended not-your-turn not-yours not-yours
running advance ok          ok          suspended   ok          not-yours   not-yours
running retire  others      others      suspended   others      not-yours   not-yours
running pace    ok          ok          suspended   ok          not-yours   not-yours
over room       ok          ok          ok          ok          not-yours   not-yours
over sit        ok          ok          suspended   ok          over        over
over leave      ok          ok          ok          ok          not-yours   not-yours
over remove     started     not-host    suspended   not-host    not-yours   not-yours
over fill       ok          ok          ok          ok          not-yours   not-yours
over back       over        over        suspended   over        not-yours   not-yours
over vote       no-vote     no-vote     suspended   no-vote     not-yours   not-yours
over say        ok          ok          suspended   ok          not-yours   not-yours
over mute       ok          ok          ok          ok          not-yours   not-yours
over offer      over        over        suspended   over        not-yours   not-yours
over rematch    ok          ok          suspended   ok          not-yours   not-yours
over move       over        over        suspended   over        not-yours   not-yours
over advance    ok          ok          suspended   ok          not-yours   not-yours
over retire     over        over        suspended   over        not-yours   not-yours
over pace       ok          ok          suspended   ok          not-yours   not-yours
"""
WHO, *LINES = [line.split() for line in TABLE.strip().splitlines()]
CASES = [
    (when, doing, who, code)
    for when, doing, *codes in LINES
    for who, code in zip(WHO, codes, strict=True)
]


def do(doing: str, user: Any, game: Game) -> Any:
    """Do something as the page of somebody would, who sees the table as it is."""
    at = {"user": user, **where(game)}
    version = {"version": game.version}
    calls = {
        "room": lambda: seating.room(**at),
        "sit": lambda: seating.sit_down(user=user, key=game.key, name="Newcomer"),
        "leave": lambda: seating.leave(**at),
        "remove": lambda: seating.remove(index=1, **at, **version),
        "fill": lambda: seating.fill(level="easy", **at),
        "back": lambda: seating.come_back(**at),
        "vote": lambda: seating.vote(**at, **version),
        "say": lambda: seating.say(phrase="hello", **at),
        "mute": lambda: seating.mute(index=4, muted=True, **at),
        "offer": lambda: seating.offer(**at),
        "rematch": lambda: seating.rematch(**at),
        "move": lambda: services.submit_moves(texts=legal_texts(game)[:1], **at, **version),
        "advance": lambda: services.advance_game(**at, **version),
        "retire": lambda: services.retire_game(**at, **version),
        "pace": lambda: services.set_pace(pace="slow", **at),
    }
    return calls[doing]()


class TestWhoMayWhat:
    @pytest.fixture
    def people(self, ada, bob, cleo) -> dict[str, Any]:
        return {
            "host": ada,
            "other": bob,
            "suspended": User.objects.create_user("Eve"),
            "left": guest(),
            "stranger": cleo,
            "visitor": NOBODY,
        }

    def table(self, people: dict[str, Any], when: str) -> Game:
        """The host is to move; nobody has been away for long."""
        seeds = (f"{number:064x}" for number in range(1, 100))
        sit = [people[who] for who in ("other", "suspended", "left")]
        game = waiting("trick", people["host"], ("", "", "", ""))
        for user in sit:
            seating.sit_down(user=user, key=game.key, name="Lefty")
        rules = game.rules
        data = next(
            data
            for data in (rules.encode(rules.start(seed, 5, game.options)) for seed in seeds)
            if data["position"]["turn"] == 0
        )
        Game.objects.filter(pk=game.pk).update(seed=data["seed"], state=data["position"])
        if when != "waiting":
            seating.fill(user=people["host"], level="easy", **where(game))
            seating.leave(user=people["left"], **where(game))
        if when == "over":
            seating.close(game_id=game.pk)
        accounts.suspend_user(user=people["suspended"], reason="?")
        return fresh(game)

    @pytest.mark.parametrize(("when", "doing", "who", "code"), CASES)
    def test_the_table(self, people, when, doing, who, code):
        game, user = self.table(people, when), people[who]
        if code == "ok":
            do(doing, user, game)
            assert all(not verify.verify(game) for game in Game.objects.all())
        else:
            assert refusal(lambda: do(doing, user, game))[1] == code

    def test_everything_is_in_it(self):
        assert len(LINES) == 3 * 15 and len(CASES) == 45 * 6

    @pytest.mark.parametrize("doing", ["leave", "remove", "fill", "back", "vote", "say", "mute"])
    def test_games_that_are_none_and_games_for_one(self, ada, doing):
        game = new_game("laws", ada)
        assert refusal(lambda: do(doing, ada, game)) == (404, "alone")
        for changed in ({"pk": 10**30}, {"pk": game.pk + 1}, {"slug": "trick"}):
            other = Game(**{"pk": game.pk, "slug": "laws", **changed})
            assert refusal(lambda other=other: do(doing, ada, other)) == (404, "no-game")


# --- sitting down --------------------------------------------------------------------------------


class TestSitDown:
    def test_on_any_free_seat_or_a_chosen_one(self, ada, bob, cleo, slug):
        game = waiting(slug, ada, ("", "easy", ""))
        assert sitting(game) == ["Ada", "", "easy", ""]
        _game, user = seating.sit_down(user=bob, key=game.key, index=3)
        assert user == bob and sitting(game) == ["Ada", "", "easy", "Bob"]
        assert fresh(game).is_waiting and fresh(game).version == 1
        seating.sit_down(user=cleo, key=game.key)
        assert sitting(game) == ["Ada", "Cleo", "easy", "Bob"]
        game = fresh(game)
        assert not game.is_waiting and game.turn_since is not None and game.version == 3
        assert [entry["what"] for entry in game.talk] == ["sat", "sat", "started"]
        assert game.seats.get(index=2).name and what(game) == ["sat", "sat"]

    def test_a_visitor_becomes_a_guest_with_a_name(self, ada, slug):
        game = waiting(slug, ada)
        _game, user = seating.sit_down(user=NOBODY, key=game.key, name="  Pip ")
        assert user.is_guest and sitting(game) == ["Ada", "Pip", ""]
        # The name is this table's own.
        assert user.display_name == "Guest"

    @pytest.mark.parametrize("name", ["", "  ", "x", "a b", "x" * 21, "admin", "Bob", "b0b", "BOB"])
    def test_not_under_every_name(self, ada, bob, slug, name):
        game = waiting(slug, ada)
        if name == "b0b":
            seating.sit_down(user=bob, key=game.key)
        assert refusal(seating.sit_down, user=NOBODY, key=game.key, name=name) == (400, "name")

    def test_nor_under_one_of_the_table(self, ada, slug):
        game = waiting(slug, guest(), ("", "", ""), name="Hosty")
        seating.sit_down(user=NOBODY, key=game.key, name="Pip")
        for name in ("Pip", "pip", "P1p", "hosty"):
            assert refusal(seating.sit_down, user=guest(), key=game.key, name=name)[1] == "name"

    def test_who_sits_there_moves_and_stays_the_host(self, ada, bob, slug):
        game = waiting(slug, ada, ("", "", ""))
        seating.sit_down(user=bob, key=game.key)
        seating.sit_down(user=ada, key=game.key, index=3)
        game = fresh(game)
        assert sitting(game) == ["", "Bob", "", "Ada"] and game.host == 3
        assert [(entry["seat"], entry["what"]) for entry in game.talk] == [(1, "sat"), (3, "moved")]
        before = stored()
        for index in (None, 3):
            seating.sit_down(user=ada, key=game.key, index=index)
        assert stored() == before
        assert refusal(seating.sit_down, user=ada, key=game.key, index=1) == (409, "taken")

    def test_what_cannot_be(self, ada, bob, cleo, slug):
        game = waiting(slug, ada, ("", "easy", "", ""))
        seating.sit_down(user=bob, key=game.key, index=1)
        for key in ("", "no such key", game.key[:-1]):
            assert refusal(seating.sit_down, user=cleo, key=key) == (404, "no-table")
        for index in (0, 1, 2):
            found = refusal(seating.sit_down, user=cleo, key=game.key, index=index)
            assert found == (409, "taken")
        for index in (5, -1, 10**9):
            found = refusal(seating.sit_down, user=cleo, key=game.key, index=index)
            assert found == (400, "no-seat")
        seating.remove(user=ada, version=1, index=1, **where(game))
        assert refusal(seating.sit_down, user=bob, key=game.key) == (403, "removed")
        User.objects.filter(pk=cleo.pk).delete()
        assert refusal(seating.sit_down, user=cleo, key=game.key) == (403, "gone")

    def test_tables_with_bots_only_invite_nobody(self, ada, bob, slug):
        game = new_table(slug, ada)
        assert game.key is None and not game.is_waiting
        assert refusal(seating.sit_down, user=bob, key="None")[1] == "no-table"


class TestLeave:
    def test_before_the_start_the_seat_is_free_again(self, ada, bob, slug):
        game = waiting(slug, ada)
        seating.sit_down(user=bob, key=game.key)
        seating.offer(user=bob, **where(game))
        assert seating.leave(user=bob, **where(game)) == game
        seat = game.seats.get(index=1)
        assert (seat.user, seat.bot, seat.name, seat.seen, seat.hand_over) == (
            *(None, "", "", None),
            None,
        )
        seating.sit_down(user=bob, key=game.key)
        assert sitting(game) == ["Ada", "Bob", ""] and what(game) == ["sat", "stood", "sat"]

    def test_the_host_s_rights_pass_on_in_the_order_of_play(self, ada, bob, cleo, slug):
        game = waiting(slug, ada, ("", "", ""), me=1)
        seating.sit_down(user=bob, key=game.key, index=0)
        seating.sit_down(user=cleo, key=game.key, index=3)
        seating.leave(user=ada, **where(game))
        assert fresh(game).host == 3
        seating.leave(user=cleo, **where(game))
        assert fresh(game).host == 0
        assert what(game)[-4:] == ["stood", "host", "stood", "host"]
        seating.fill(user=bob, level="easy", **where(game))
        assert sitting(game) == ["Bob", "easy", "easy", "easy"]

    def test_with_the_last_person_the_table_goes(self, ada, slug):
        game = waiting(slug, ada, listed=True)
        assert seating.leave(user=ada, **where(game)) is None
        assert not Game.objects.exists() and seating.lobby(user=ada) == []

    def test_of_a_running_game_a_bot_plays_on_until_one_is_back(self, ada, bob, slug):
        game = running(slug, ada, bob)
        seating.leave(user=bob, **where(game))
        seat = seat_of(game, bob)
        assert seat.bot and seat.left and not fresh(game).is_over
        before = stored()
        seating.leave(user=bob, **where(game))
        assert stored() == before
        seating.come_back(user=bob, **where(game))
        seat = seat_of(game, bob)
        assert (seat.bot, seat.left) == ("", None) and what(game) == ["sat", "left", "back"]

    def test_when_everybody_has_left_nobody_has_won(self, ada, bob, slug):
        game = running(slug, ada, bob)
        for user in (bob, ada):
            assert not fresh(game).is_over
            seating.leave(user=user, **where(game))
        game = fresh(game)
        assert game.is_over and services.retired(game) and game.turn_since is None
        assert set(Result.objects.values_list("won", "retired", "people")) == {(False, True, True)}

    def test_who_is_only_late_has_not_left(self, ada, bob, slug):
        game = running(slug, ada, bob)
        Seat.objects.filter(game=game, user=bob).update(bot="easy")
        assert refusal(services.retire_game, user=ada, version=game.version, **where(game)) == (
            409,
            "others",
        )
        seating.leave(user=ada, **where(game))
        assert not fresh(game).is_over


class TestHost:
    @pytest.mark.parametrize("gone", ["absent", "suspended"])
    def test_who_is_not_there_is_stood_in_for(self, ada, bob, slug, gone):
        game = waiting(slug, ada, ("", "", ""))
        seating.sit_down(user=bob, key=game.key)
        at = {"user": bob, "level": "easy", **where(game)}
        assert refusal(seating.fill, **at) == (403, "not-host")
        if gone == "suspended":
            accounts.suspend_user(user=ada, reason="rude")
        else:
            game.seats.filter(user=ada).update(seen=timezone.now() - seating.ABSENT)
        assert seating.room(user=bob, **where(game)).host == 1
        seating.look_in(user=ada, **where(game))
        assert seating.room(user=bob, **where(game)).host == (0 if gone == "absent" else 1)
        game.seats.filter(user=ada).update(seen=None)
        assert seating.fill(**at).started

    def test_with_nobody_there_is_who_was(self, ada, bob, slug):
        game = waiting(slug, ada)
        seating.sit_down(user=bob, key=game.key)
        game.seats.update(seen=None)
        assert seating.room(user=bob, **where(game)).host == 0

    def test_removes_a_person_for_good(self, ada, bob, slug):
        game = waiting(slug, ada)
        seating.sit_down(user=bob, key=game.key)
        code = seating.offer(user=bob, **where(game))
        seating.remove(user=ada, version=1, index=1, **where(game))
        assert sitting(game) == ["Ada", "", ""]
        change = game.changes.last()
        assert (change.what, change.user, change.by, change.seat) == ("removed", bob, ada, 1)
        assert refusal(seating.sit_down, user=bob, key=game.key) == (403, "removed")
        assert refusal(seating.take_over, user=bob, code=code) == (404, "no-offer")
        code = seating.offer(user=ada, **where(game))
        assert refusal(seating.take_over, user=bob, code=code) == (403, "removed")

    def test_removes_whom_they_saw(self, ada, bob, cleo, slug):
        game = waiting(slug, ada)
        seating.sit_down(user=bob, key=game.key)
        seating.leave(user=bob, **where(game))
        seating.sit_down(user=cleo, key=game.key)
        at = {"user": ada, "index": 1, **where(game)}
        assert refusal(seating.remove, version=1, **at) == (409, "stale")

    @pytest.mark.parametrize("index", [0, 2, 3, 77, -1])
    def test_removes_nobody_where_no_other_person_sits(self, ada, bob, slug, index):
        game = waiting(slug, ada, ("", "", "easy"))
        seating.sit_down(user=bob, key=game.key)
        at = {"user": ada, "version": 1, **where(game)}
        assert refusal(seating.remove, index=index, **at) == (400, "no-seat")

    def test_fills_the_rest_with_bots(self, ada, bob, slug):
        game = waiting(slug, ada, ("", "steady", ""))
        seating.sit_down(user=bob, key=game.key, index=3)
        at = {"user": ada, **where(game)}
        for level in ("", "wild"):
            assert refusal(seating.fill, level=level, **at) == (400, "level")
        seating.fill(level="easy", **at)
        assert sitting(game) == ["Ada", "easy", "steady", "Bob"]
        names = set(game.seats.filter(user=None).values_list("name", flat=True))
        assert len(names - {""}) == 2
        before = stored()
        seating.fill(level="wild", **at)
        assert stored() == before


# --- at the running table ------------------------------------------------------------------------


class TestTime:
    def late(self, slug: str, *people: User) -> Game:
        """A table where the time of the person has run out whose turn it is."""
        game = running(slug, *people, turn_time=45)
        Game.objects.filter(pk=game.pk).update(turn_since=timezone.now() - MINUTE)
        return fresh(game)

    def test_that_has_run_out_gives_the_seat_to_a_bot_until_one_is_back(self, slug):
        people = [guest() for _ in range(3)]
        game = self.late(slug, *people)
        mover = people[turn(game)]
        other = next(user for user in people if user != mover)
        played = services.advance_game(user=other, version=game.version, **where(game))
        assert not played.moves and seat_of(game, mover).bot and not seat_of(game, mover).left
        game = fresh(game)
        at = {"user": mover, "version": game.version, **where(game)}
        texts = legal_texts(game)[:1]
        assert refusal(services.submit_moves, texts=texts, **at) == (409, "stand-in")
        seating.come_back(user=mover, **where(game))
        game = fresh(game)
        # With new time, of which a moment has gone.
        assert timezone.now() - game.turn_since < MINUTE / 2
        submit(game, mover, *legal_texts(game)[:1])
        assert what(game)[-2:] == ["late", "back"]

    def test_runs_for_the_one_whose_turn_it_is(self, slug):
        people = [guest() for _ in range(3)]
        game = running(slug, *people, turn_time=45)
        at = {"version": game.version, **where(game)}
        before = stored()
        for user in people:
            services.advance_game(user=user, **at)
        with time_machine.travel(timezone.now() + timedelta(seconds=44)):
            services.advance_game(user=people[turn(game) - 1], **at)
            assert not Seat.objects.exclude(bot="").exists()
        assert stored()["Seat"] == before["Seat"]


class TestVote:
    def absent(self, slug: str, *, minutes: float = 6, **more: Any) -> tuple[Game, int, list[User]]:
        """A table that waits for somebody who was last seen so long ago; seat and people."""
        people = [guest() for _ in range(3)]
        game = running(slug, *people, **more)
        mover, now = turn(game), timezone.now()
        Game.objects.filter(pk=game.pk).update(turn_since=now - 10 * MINUTE)
        game.seats.update(seen=now)
        game.seats.filter(index=mover).update(seen=now - minutes * MINUTE)
        return fresh(game), mover, people

    def vote(self, game: Game, user: User) -> None:
        seating.vote(user=user, version=fresh(game).version, **where(game))

    def test_more_than_half_of_those_who_are_there_decide(self, slug):
        game, mover, people = self.absent(slug)
        first, second = [user for index, user in enumerate(people) if index != mover]
        self.vote(game, first)
        self.vote(game, first)
        assert not game.seats.get(index=mover).bot and len(fresh(game).votes) == 1
        self.vote(game, second)
        assert game.seats.get(index=mover).bot and what(game)[-1] == "voted"
        assert refusal(self.vote, game=game, user=second) == (409, "no-vote")

    def test_the_only_one_there_decides_alone(self, slug):
        game, mover, people = self.absent(slug)
        others = [index for index in range(3) if index != mover]
        game.seats.filter(index=others[1]).update(seen=timezone.now() - MINUTE)
        self.vote(game, people[others[0]])
        assert game.seats.get(index=mover).bot

    def test_not_yet_nor_with_a_clock_nor_about_oneself(self, slug):
        for minutes, more in ((4, {}), (0, {}), (6, {"turn_time": 45})):
            game, mover, people = self.absent(slug, minutes=minutes, **more)
            for user in people:
                assert refusal(self.vote, game=game, user=user) == (409, "no-vote")
        game, mover, people = self.absent(slug)
        assert refusal(self.vote, game=game, user=people[mover]) == (409, "no-vote")
        stranger = {"user": people[mover - 1], "version": game.version - 1, **where(game)}
        assert refusal(seating.vote, **stranger) == (409, "stale")

    def test_votes_are_of_one_turn(self, slug):
        game, mover, people = self.absent(slug)
        self.vote(game, people[mover - 1])
        submit(game, people[mover], *some_move(fresh(game), Random(1)))
        assert fresh(game).votes == []

    def test_who_is_suspended_is_absent_however_long_they_look_on(self, slug):
        game, mover, people = self.absent(slug)
        accounts.suspend_user(user=people[mover], reason="?")
        seating.look_in(user=people[mover], **where(game))
        assert timezone.now() - game.seats.get(index=mover).seen > 5 * MINUTE
        for user in people[:mover] + people[mover + 1 :]:
            self.vote(game, user)
        assert game.seats.get(index=mover).bot
        assert refusal(seating.come_back, user=people[mover], **where(game)) == (403, "suspended")
        accounts.unsuspend_user(user=people[mover])
        seating.come_back(user=people[mover], **where(game))
        assert not game.seats.get(index=mover).bot


class TestTalk:
    def test_keeps_the_last_things_and_no_others(self, ada, bob, slug):
        game = running(slug, ada, bob)
        for _ in range(15):
            seating.say(user=bob, phrase="snake", **where(game))
        talk = fresh(game).talk
        assert len(talk) == services.TALK
        assert [entry["n"] for entry in talk] == list(range(6, 18))
        assert talk[-1] == {"n": 17, "seat": 1, "phrase": "snake"}
        # What is said changes no table: nobody's move is late because of it.
        assert fresh(game).version == game.version

    @pytest.mark.parametrize("phrase", ["", "Hello!", "<b>", "hello\0"])
    def test_only_ready_made_phrases(self, ada, slug, phrase):
        game = running(slug, ada)
        assert refusal(seating.say, user=ada, phrase=phrase, **where(game)) == (400, "no-phrase")

    def test_not_too_much_of_it(self, ada, bob, slug, settings):
        settings.RATE_LIMITS = True
        rates.limiter().storage.reset()
        game = running(slug, ada, bob)
        for _ in range(10):
            seating.say(user=ada, phrase="wow", **where(game))
        assert refusal(seating.say, user=ada, phrase="wow", **where(game)) == (429, "too-much")
        seating.say(user=bob, phrase="wow", **where(game))
        rates.limiter().storage.reset()

    def test_a_person_is_muted_by_one_alone(self, ada, bob, slug):
        game = running(slug, ada, bob)
        at = {"user": ada, **where(game)}
        for muted, found in ((True, [1]), (True, [1]), (False, []), (False, [])):
            seating.mute(index=1, muted=muted, **at)
            assert seat_of(game, ada).muted == found
        assert seat_of(game, bob).muted == []
        for index in (0, 3, -1, 10**9):
            assert refusal(seating.mute, index=index, muted=True, **at) == (400, "no-seat")


class TestPresence:
    def test_is_here_away_or_a_bot(self, ada, bob, slug):
        game = running(slug, ada, bob)
        seat = seat_of(game, bob)
        now = timezone.now()
        for ago, there in ((0, "here"), (17, "here"), (19, "away"), (-5, "here"), (3600, "away")):
            seat.seen = now - timedelta(seconds=ago)
            assert seating.presence(seat, now) == there
        seat.seen = None
        assert seating.presence(seat, now) == "away"
        seat.bot = "easy"
        assert seating.presence(seat, now) == "bot"

    def test_is_written_every_few_seconds(self, ada, bob, slug):
        game = running(slug, ada, bob)
        with time_machine.travel("2026-12-24T20:00:00Z", tick=False) as clock:
            seen = []
            for seconds in (0, 4, 2, 100):
                clock.shift(seconds)
                seating.look_in(user=bob, **where(game))
                seen.append(seat_of(game, bob).seen.second)
            assert seen == [0, 0, 6, 46]
            # A clock that was set back is no reason to be away.
            clock.shift(-3600)
            seating.look_in(user=bob, **where(game))
            assert seat_of(game, bob).seen == timezone.now()

    def test_of_strangers_and_of_games_for_one_nothing_is_written(self, ada, bob, slug):
        game, alone = running(slug, ada), new_game("laws", ada)
        before = stored()
        for user, at in ((bob, game), (NOBODY, game), (ada, alone)):
            seating.look_in(user=user, **where(at))
        seating.look_in(user=ada, slug="laws", game_id=game.pk)
        assert stored() == before


class TestHandOver:
    def test_to_somebody_else_once(self, ada, bob, cleo, slug):
        game = running(slug, ada, bob)
        seating.mute(user=bob, index=0, muted=True, **where(game))
        seating.leave(user=bob, **where(game))
        code = seating.offer(user=bob, **where(game))
        assert seating.offered(code=code) == seat_of(game, bob)
        seating.take_over(user=cleo, code=code)
        seat = seat_of(game, cleo)
        assert (seat.index, seat.bot, seat.left, seat.muted) == (1, "", None, [])
        change = game.changes.last()
        assert (change.what, change.user, change.by) == ("handed", cleo, bob)
        assert refusal(seating.take_over, user=ada, code=code) == (404, "no-offer")
        # Who has given the seat away has none.
        assert refusal(seating.leave, user=bob, **where(game)) == (403, "not-yours")

    def test_the_code_itself_is_not_stored(self, ada, slug):
        game = running(slug, ada)
        code = seating.offer(user=ada, **where(game))
        assert code not in str(Seat.objects.values())
        assert len(code) > 20

    def test_a_visitor_takes_it_under_a_name(self, ada, bob, slug):
        game = running(slug, ada, bob)
        bot = game.seats.exclude(name="").first().name
        code = seating.offer(user=ada, **where(game))
        for name in ("", "Bob", bot):
            assert refusal(seating.take_over, user=NOBODY, code=code, name=name) == (400, "name")
        _game, user = seating.take_over(user=NOBODY, code=code, name="Pip")
        assert user.is_guest and sitting(game)[0] == "Pip"
        # A guest's name goes on with the seat.
        code = seating.offer(user=user, **where(game))
        seating.take_over(user=NOBODY, code=code)
        assert sitting(game)[0] == "Pip"

    def test_one_s_own_on_another_device_changes_nothing(self, ada, bob, slug):
        game = running(slug, ada, bob)
        code = seating.offer(user=ada, **where(game))
        version = fresh(game).version
        assert seating.take_over(user=ada, code=code) == (game, ada)
        assert fresh(game).version == version and seat_of(game, ada).hand_over is None

    def test_what_cannot_be(self, ada, bob, cleo, slug):
        game = running(slug, ada, bob)
        old = seating.offer(user=ada, **where(game))
        code = seating.offer(user=ada, **where(game))
        for wrong in (old, "", "0" * 24):
            assert refusal(seating.take_over, user=cleo, code=wrong) == (404, "no-offer")
            assert refusal(seating.offered, code=wrong) == (404, "no-offer")
        assert refusal(seating.take_over, user=bob, code=code) == (409, "seated")
        with time_machine.travel(timezone.now() + 11 * MINUTE):
            assert refusal(seating.take_over, user=cleo, code=code) == (404, "no-offer")
        seating.close(game_id=game.pk)
        assert refusal(seating.take_over, user=cleo, code=code) == (409, "over")
        assert refusal(seating.offered, code=code) == (409, "over")

    def test_of_the_one_whose_turn_it_is_begins_the_turn_anew(self, slug):
        people = [guest() for _ in range(3)]
        game = running(slug, *people, turn_time=45)
        Game.objects.filter(pk=game.pk).update(turn_since=timezone.now() - MINUTE)
        code = seating.offer(user=people[turn(game)], **where(game))
        seating.take_over(user=NOBODY, code=code, name="Pip")
        assert timezone.now() - fresh(game).turn_since < MINUTE / 2


class TestRematch:
    def test_is_one_click_for_each(self, ada, bob, slug):
        visitor = guest()
        game = over(slug, ada, visitor, bob)
        again, _user = seating.rematch(user=bob, **where(game))
        assert sitting(again) == ["", "", "Bob"] and again.host == 2
        assert fresh(game).talk[-1]["what"] == "rematch"
        assert (again.seed != game.seed, again.options, again.turn_time) == (
            *(True, game.options),
            game.turn_time,
        )
        assert not again.listed and again.key != game.key
        assert seating.rematch(user=bob, **where(game))[0] == again
        seating.rematch(user=visitor, **where(game))
        assert sitting(again) == ["", "Guest-0", "Bob"]
        seating.rematch(user=ada, **where(game))
        again = fresh(again)
        assert sitting(again) == ["Ada", "Guest-0", "Bob"] and not again.is_waiting
        assert Game.objects.count() == 2 and not verify.verify(again)

    def test_with_bots_alone_begins_at_once(self, ada, slug):
        game = over(slug, ada)
        again, _user = seating.rematch(user=ada, **where(game))
        assert not again.is_waiting and sitting(again) == ["Ada", "easy", "easy"]
        assert not verify.verify(again)

    def test_of_a_game_set_up_with_bots_as_a_guest(self, slug):
        user = guest()
        game = new_table(slug, user)
        seating.leave(user=user, **where(game))
        again, _user = seating.rematch(user=user, **where(game))
        assert not again.is_waiting

    def test_a_guest_who_set_the_table_up_without_a_name_needs_none(self, bob, slug):
        host = guest()
        game = waiting(slug, host, name="")
        seating.sit_down(user=bob, key=game.key)
        seating.fill(user=host, level="easy", **where(game))
        seating.close(game_id=game.pk)
        again, _user = seating.rematch(user=bob, **where(game))
        seating.rematch(user=host, **where(game))
        assert sitting(again) == ["Guest", "Bob", "easy"]

    def test_an_account_s_table_knows_no_other_name_of_it(self, ada, slug):
        game = waiting(slug, ada, name="Somebody")
        assert seat_of(game, ada).name == ""

    def test_a_seat_of_somebody_who_is_gone_is_free_for_anybody(self, ada, bob, cleo, slug):
        game = over(slug, ada, bob)
        accounts.delete_account(User.objects.get(pk=bob.pk))
        again, _user = seating.rematch(user=ada, **where(game))
        assert sitting(again) == ["Ada", "", "easy"]
        seating.sit_down(user=cleo, key=again.key)
        assert not fresh(again).is_waiting

    def test_who_comes_too_late_is_told(self, ada, bob, slug):
        game = over(slug, ada, bob)
        again, _user = seating.rematch(user=ada, **where(game))
        seating.fill(user=ada, level="easy", **where(again))
        assert refusal(seating.rematch, user=bob, **where(game)) == (409, "started")
        seating.leave(user=ada, **where(again))
        assert refusal(seating.rematch, user=bob, **where(game)) == (409, "over")

    def test_after_all_left_the_rematch_there_is_another(self, ada, bob, slug):
        game = over(slug, ada, bob)
        first, _user = seating.rematch(user=ada, **where(game))
        seating.leave(user=ada, **where(first))
        second, _user = seating.rematch(user=bob, **where(game))
        assert sitting(second) == ["", "Bob", "easy"] and Game.objects.count() == 2


# --- reading -------------------------------------------------------------------------------------


class TestReading:
    def test_a_room_tells_who_is_who(self, ada, bob, slug):
        game = waiting(slug, ada, ("", "easy", ""))
        seating.sit_down(user=bob, key=game.key)
        for user, mine, host in ((ada, 0, True), (bob, 1, False), (guest(), None, False)):
            room = seating.find(key=game.key, user=user)
            assert (room.mine and room.mine.index, room.is_host) == (mine, host)
            assert [seat.index for seat in room.free] == [3]
            assert [seat.user for seat in room.persons] == [ada, bob]
        # A free seat is not that of somebody without a user.
        assert seating.find(key=game.key, user=NOBODY).mine is None
        for key in ("", "x"):
            assert refusal(seating.find, key=key, user=ada) == (404, "no-table")

    def test_the_lobby_shows_tables_that_wait_for_anybody(self, ada, bob, slug):
        listed = waiting(slug, ada, listed=True)
        waiting(slug, ada)
        begun = waiting(slug, bob, listed=True)
        seating.fill(user=bob, level="easy", **where(begun))
        assert [room.game for room in seating.lobby(user=bob)] == [listed]
        slow = waiting(slug, bob, listed=True, turn_time=24 * 60 * 60)
        with time_machine.travel(timezone.now() + 61 * MINUTE):
            assert [room.game for room in seating.lobby(user=bob)] == [slow]
            seating.look_in(user=ada, **where(listed))
            assert {room.game for room in seating.lobby(user=bob)} == {listed, slow}
        with time_machine.travel(timezone.now() + 25 * 60 * MINUTE):
            assert seating.lobby(user=bob) == []

    def test_whoever_looks_on_sees_what_nobody_hides(self, ada, bob, slug):
        game = waiting(slug, ada)
        assert refusal(seating.watch, key=game.key, user=bob) == (409, "waiting")
        seating.fill(user=ada, level="easy", **where(game))
        watched = seating.watch(key=game.key, user=NOBODY)
        assert watched.seat is None and not watched.by_itself and not watched.stand_in
        assert watched.view == game.rules.view(fresh(game).load(), None)
        assert refusal(seating.watch, key="", user=bob) == (404, "no-table")


# --- decisions of the site -----------------------------------------------------------------------


class TestAccounts:
    def test_of_two_seats_at_a_waiting_table_the_account_s_stays(self, ada, bob, slug):
        visitor = guest()
        game = waiting(slug, visitor, ("", "", ""))
        seating.sit_down(user=bob, key=game.key)
        seating.sit_down(user=ada, key=game.key)
        assert accounts.merge_guest(guest=visitor, account=ada) == 0
        game = fresh(game)
        assert sitting(game) == ["", "Bob", "Ada", ""]
        # The guest was the host, and the account is.
        assert game.host == 2 and what(game)[-2:] == ["host", "stood"]
        assert not verify.verify(game)

    def test_at_a_running_one_a_bot_has_the_guest_s(self, ada, bob, slug):
        visitor = guest()
        game = running(slug, ada, visitor, bob)
        accounts.merge_guest(guest=visitor, account=ada)
        seat = game.seats.get(index=1)
        assert seat.user is None and seat.bot and seat.name not in ("", "Guest-0")
        assert seat_of(game, ada).index == 0 and not verify.verify(fresh(game))
        assert set(game.changes.values_list("user", flat=True)) == {ada.pk, bob.pk}

    def test_and_a_finished_one_keeps_an_empty_seat(self, ada, bob, slug):
        visitor = guest()
        game = over(slug, ada, visitor, bob)
        accounts.merge_guest(guest=visitor, account=ada)
        seat = game.seats.get(index=1)
        assert (seat.user, seat.bot, seat.name) == (None, "", "")
        assert Result.objects.filter(game=game).count() == 2
        assert not verify.verify(fresh(game))

    def test_a_single_seat_moves_with_all_that_is_known_of_it(self, ada, bob, slug):
        visitor = guest()
        waits, game = waiting(slug, bob, ("", "", "")), running(slug, bob, visitor)
        seating.sit_down(user=visitor, key=waits.key, name="Pip")
        seating.leave(user=visitor, **where(game))
        code = seating.offer(user=visitor, **where(game))
        assert accounts.merge_guest(guest=visitor, account=ada) == 2
        seat = seat_of(game, ada)
        assert seat.left and seat.bot and seating.offered(code=code) == seat
        assert sitting(waits) == ["Bob", "Ada", "", ""]
        seating.come_back(user=ada, **where(game))

    def test_who_was_removed_as_a_guest_stays_removed(self, ada, bob, slug):
        visitor = guest()
        game = waiting(slug, bob)
        seating.sit_down(user=visitor, key=game.key, name="Pip")
        seating.remove(user=bob, version=1, index=1, **where(game))
        accounts.merge_guest(guest=visitor, account=ada)
        assert refusal(seating.sit_down, user=ada, key=game.key) == (403, "removed")

    def test_a_deleted_account_leaves_tables_to_the_others(self, ada, bob, slug):
        waits = waiting(slug, ada)
        seating.sit_down(user=bob, key=waits.key)
        alone = waiting(slug, ada, listed=True)
        game = running(slug, bob, ada)
        ended = over(slug, bob, ada)
        accounts.delete_account(User.objects.get(pk=ada.pk))
        assert not Game.objects.filter(pk=alone.pk).exists()
        assert sitting(waits) == ["", "Bob", ""] and fresh(waits).host == 1
        seat = game.seats.get(index=1)
        assert seat.bot and seat.name and not fresh(game).is_over
        assert ended.seats.get(index=1).bot == "" and sitting(ended)[1] == ""
        for each in (waits, game, ended):
            assert not verify.verify(fresh(each))
        assert Result.objects.get().people

    def test_a_guest_s_name_goes_with_the_guest(self, ada, slug):
        visitor = guest()
        tables = [waiting(slug, ada), running(slug, ada, visitor), over(slug, ada, visitor)]
        seating.sit_down(user=visitor, key=tables[0].key, name="Guest-0")
        accounts.delete_account(User.objects.get(pk=visitor.pk))
        assert not Seat.objects.filter(name="Guest-0").exists()
        assert not SeatChange.objects.exclude(user=ada).exclude(user=None).exists()

    def test_the_only_one_who_had_not_left_goes_and_the_game_ends(self, ada, bob, slug):
        game = running(slug, ada, bob)
        seating.leave(user=bob, **where(game))
        accounts.delete_account(User.objects.get(pk=ada.pk))
        game = fresh(game)
        assert game.is_over and services.retired(game) and not verify.verify(game)

    def test_a_damaged_game_keeps_nobody_from_going(self, ada, bob, slug):
        visitor = guest()
        game = running(slug, ada, visitor, bob)
        for user in (ada, bob):
            seating.leave(user=user, **where(game))
        Game.objects.filter(pk=game.pk).update(state={})
        accounts.merge_guest(guest=visitor, account=ada)
        accounts.delete_account(User.objects.get(pk=ada.pk))
        assert sitting(game)[2] == "Bob" and not fresh(game).is_over
        assert not game.seats.filter(user=None, bot="").exists()


class TestClose:
    def test_ends_what_can_be_ended(self, ada, bob, slug, monkeypatch):
        told = []
        monkeypatch.setattr(live, "announce", lambda topic, version: told.append(topic))
        waits, game = waiting(slug, ada, listed=True), running(slug, ada, bob)
        told.clear()
        assert seating.close(game_id=waits.pk) and seating.close(game_id=game.pk)
        assert not Game.objects.filter(pk=waits.pk).exists() and services.retired(fresh(game))
        assert {f"table-{waits.pk}", f"table-{game.pk}", "lobby"} <= set(told)
        before = stored()
        for pk in (waits.pk, game.pk, new_game("laws", ada).pk):
            assert not seating.close(game_id=pk)
        assert stored()["Seat"][: len(before["Seat"])] == before["Seat"]

    def test_one_that_cannot_be_read_stays(self, ada, slug):
        game = running(slug, ada)
        Game.objects.filter(pk=game.pk).update(state={})
        assert refusal(seating.close, game_id=game.pk) == (409, "damaged")


def test_every_kind_of_change_is_told(ada, bob, slug):
    """Whatever happens to seats raises the version once, and stands in the talk and in the list."""
    assert {kind.rules.SLUG for kind in registry.shared_kinds()} >= {slug}
    game = waiting(slug, ada)
    steps = [
        lambda: seating.sit_down(user=bob, key=game.key),
        lambda: seating.leave(user=bob, **where(game)),
        lambda: seating.sit_down(user=bob, key=game.key),
        lambda: seating.sit_down(user=bob, key=game.key, index=2),
        lambda: seating.fill(user=ada, level="easy", **where(game)),
        lambda: seating.leave(user=bob, **where(game)),
        lambda: seating.come_back(user=bob, **where(game)),
    ]
    for number, step in enumerate(steps, 1):
        step()
        assert fresh(game).version == number == len(fresh(game).talk)
    said = [entry["what"] for entry in fresh(game).talk]
    assert said == ["sat", "stood", "sat", "moved", "started", "left", "back"]
    assert what(game) == [each for each in said if each != "started"]
