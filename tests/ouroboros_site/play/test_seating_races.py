"""People who act at the same instant at one table: threads with connections of their own.

Nothing is applied twice or lost, each of them is told what happened, and what is stored agrees with
its log.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.play import registry, seating, services, verify
from ouroboros_site.play.models import Game, Seat
from ouroboros_site.play.registry import Setup
from ouroboros_site.play.services import Refused

from .helpers import at_once, guest
from .shared import OPTIONS, TABLES, legal_texts, turn

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 3


@pytest.fixture(params=TABLES)
def slug(request) -> str:
    return request.param


@pytest.fixture(autouse=True)
def clean(transactional_db):
    yield
    for game in Game.objects.all():
        assert not verify.verify(game)


def waiting(slug: str, host: User, players: int | None = None, **more: Any) -> Game:
    """A table of which every seat but the host's is open."""
    players = players or registry.get(slug).rules.SEATS[0]
    setup = Setup(players, OPTIONS[slug][0], ("",) * (players - 1), "instant", name="Hosty", **more)
    return services.start_game(user=host, slug=slug, setup=setup)[0]


def running(slug: str, **more: Any) -> tuple[Game, list[User]]:
    """A table of three guests that has started, and they in the order of their seats."""
    people = [guest() for _ in range(3)]
    game = waiting(slug, people[0], 3, **more)
    for number, user in enumerate(people[1:]):
        seating.sit_down(user=user, key=game.key, name=f"Guest-{number}")
    game.refresh_from_db()
    return game, people


def where(game: Game) -> dict[str, Any]:
    return {"slug": game.slug, "game_id": game.pk}


def outcomes(*calls: Callable[[], Any]) -> list[str]:
    """What came of calls that are made at once: "" or the code of a refusal."""

    def tried(call: Callable[[], Any]) -> Callable[[], str]:
        def run() -> str:
            try:
                call()
            except Refused as refused:
                return refused.code
            return ""

        return run

    return at_once(*[tried(call) for call in calls])


def sit(game: Game, user: User | AnonymousUser, index: int | None, name: str) -> Callable[[], Any]:
    return lambda: seating.sit_down(user=user, key=game.key, index=index, name=name)


def who_sits(game: Game) -> list[int | None]:
    return list(game.seats.order_by("index").values_list("user", flat=True))


def test_two_guests_take_one_seat(slug):
    for _ in range(ROUNDS):
        game = waiting(slug, guest(), 3)
        users = [guest(), guest()]
        came = outcomes(*[sit(game, user, 1, f"Guest-{user.pk}") for user in users])
        assert sorted(came) == ["", "taken"]
        assert who_sits(game)[1] == users[came.index("")].pk
        assert game.changes.count() == 1


def test_two_visitors_take_the_last_seat(slug):
    for _ in range(ROUNDS):
        game = waiting(slug, guest(), 3)
        seating.sit_down(user=guest(), key=game.key, name="Second")
        before = User.objects.count()
        came = outcomes(*[sit(game, AnonymousUser(), None, f"Guest-{n}") for n in range(3)])
        assert Counter(came) == {"": 1, "started": 2}
        # Who comes too late is no guest for that.
        assert User.objects.count() == before + 1
        game.refresh_from_db()
        assert not game.is_waiting and None not in who_sits(game)


def test_one_person_in_two_tabs_has_one_seat(slug):
    for _ in range(ROUNDS):
        game, user = waiting(slug, guest(), 3), guest()
        assert outcomes(*[sit(game, user, index, "Twice") for index in (1, 2, 1)]) == [""] * 3
        assert who_sits(game).count(user.pk) == 1


def test_twelve_press_start():
    host = guest()
    game = waiting("ochs-esel", host, 12)
    people = [guest() for _ in range(11)]
    for number, user in enumerate(people[:10]):
        seating.sit_down(user=user, key=game.key, name=f"Guest-{number}")

    def fill(user: User) -> Callable[[], Any]:
        return lambda: seating.fill(user=user, level="easy", **where(game))

    came = outcomes(*[fill(user) for user in [*people[:10], host, host]])
    # To whom it has started already nothing is refused.
    assert came[-2:] == ["", ""] and set(came[:10]) <= {"", "not-host"}
    game.refresh_from_db()
    assert game.seats.exclude(bot="").count() == 1
    assert [entry["what"] for entry in game.talk].count("started") == 1
    assert game.version == 11


def test_the_host_starts_while_somebody_sits_down(slug):
    for _ in range(ROUNDS):
        host, user = guest(), guest()
        game = waiting(slug, host, 3)
        came = outcomes(
            lambda host=host, game=game: seating.fill(user=host, level="easy", **where(game)),
            sit(game, user, 1, "Late-one"),
        )
        assert came in (["", ""], ["", "started"])
        assert (user.pk in who_sits(game)) == (came[1] == "")
        game.refresh_from_db()
        assert not game.is_waiting


def test_the_host_removes_a_person_who_moves_to_another_seat(slug):
    for _ in range(ROUNDS):
        host, user = guest(), guest()
        game = waiting(slug, host, 3)
        seating.sit_down(user=user, key=game.key, index=1, name="Mover")

        def remove(host=host, game=game) -> Any:
            return seating.remove(user=host, version=1, index=1, **where(game))

        came = outcomes(remove, sit(game, user, 2, "Mover"))
        # Either the removal was of a table that had changed, or who moves was removed before.
        assert came in (["stale", ""], ["", "removed"])
        assert (user.pk in who_sits(game)) == (came[1] == "")


def test_everyone_leaves_a_waiting_table(slug):
    for _ in range(ROUNDS):
        people = [guest(), guest()]
        game = waiting(slug, people[0], 3)
        seating.sit_down(user=people[1], key=game.key, name="Second")
        came = outcomes(
            *[
                lambda user=user, game=game: seating.leave(user=user, **where(game))
                for user in people
            ]
        )
        assert came == ["", ""] and not Game.objects.filter(pk=game.pk).exists()


def test_everyone_leaves_a_running_table(slug):
    for _ in range(ROUNDS):
        game, people = running(slug)
        came = outcomes(
            *[
                lambda user=user, game=game: seating.leave(user=user, **where(game))
                for user in people
            ]
        )
        assert came == [""] * 3
        game.refresh_from_db()
        assert game.is_over and game.result["termination"] == "retired"
        assert game.seats.filter(left=None).count() == 1
        assert game.results.filter(won=False, retired=True).count() == 3


def test_leaving_while_the_last_one_sits_down(slug):
    for _ in range(ROUNDS):
        host, second, third = guest(), guest(), guest()
        game = waiting(slug, host, 3)
        seating.sit_down(user=second, key=game.key, name="Second")
        came = outcomes(
            lambda host=host, game=game: seating.leave(user=host, **where(game)),
            sit(game, third, None, "Third"),
        )
        assert came == ["", ""]
        game.refresh_from_db()
        sitting = who_sits(game)
        if game.is_waiting:
            # The host had gone, and another one is there.
            assert host.pk not in sitting and sitting[game.host] is not None
        else:
            assert host.pk in sitting and game.seats.get(user=host).left is not None


def test_two_take_over_by_one_code(slug):
    for _ in range(ROUNDS):
        game, people = running(slug)
        code = seating.offer(user=people[0], **where(game))
        users = [guest(), guest()]
        came = outcomes(
            *[
                lambda user=user, code=code: seating.take_over(
                    user=user, code=code, name=f"Taker-{user.pk}"
                )
                for user in users
            ]
        )
        assert sorted(came) == ["", "no-offer"]
        assert who_sits(game)[0] == users[came.index("")].pk


def test_taking_over_a_table_that_goes(slug):
    for _ in range(ROUNDS):
        host = guest()
        game = waiting(slug, host, 3)
        code = seating.offer(user=host, **where(game))
        user = guest()
        came = outcomes(
            lambda host=host, game=game: seating.leave(user=host, **where(game)),
            lambda user=user, code=code: seating.take_over(user=user, code=code, name="Taker"),
        )
        assert came in (["", "no-offer"], ["not-yours", ""])
        assert Game.objects.filter(pk=game.pk).exists() == (came[1] == "")


def test_all_want_a_rematch(slug):
    for _ in range(ROUNDS):
        game, people = running(slug)
        for user in people:
            seating.leave(user=user, **where(game))
        came = outcomes(
            *[
                lambda user=user, game=game: seating.rematch(user=user, **where(game))
                for user in people
            ]
        )
        assert came == [""] * 3
        again = Game.objects.get(rematch_of=game)
        # Each on the seat of the last game, and it has begun.
        assert who_sits(again) == [user.pk for user in people] and not again.is_waiting


def absent(slug: str) -> tuple[Game, list[User], int]:
    """A table that has waited long for the person on the seat that comes last."""
    game, people = running(slug)
    mover = turn(game)
    long_ago = timezone.now() - timedelta(minutes=6)
    Game.objects.filter(pk=game.pk).update(turn_since=long_ago)
    Seat.objects.filter(game=game).update(seen=timezone.now())
    Seat.objects.filter(game=game, index=mover).update(seen=long_ago)
    game.refresh_from_db()
    return game, people, mover


def test_a_vote_and_the_move_that_all_waited_for(slug):
    for _ in range(ROUNDS):
        game, people, mover = absent(slug)
        others = [user for index, user in enumerate(people) if index != mover]
        version = game.version

        def vote(user, game=game, version=version) -> Callable[[], Any]:
            return lambda: seating.vote(user=user, version=version, **where(game))

        def play(game=game, user=people[mover], version=version) -> Any:
            texts = legal_texts(game)[:1]
            return services.submit_moves(user=user, version=version, texts=texts, **where(game))

        came = outcomes(play, *[vote(user) for user in others])
        game.refresh_from_db()
        seat = game.seats.get(index=mover)
        if came[0] == "":
            assert not seat.bot and game.ply == 1 and set(came[1:]) <= {"", "stale"}
        else:
            assert came == ["stale", "", ""] and seat.bot and game.ply == 0
            assert game.changes.filter(what="voted").count() == 1


def test_the_time_runs_out_while_the_move_is_made(slug):
    for _ in range(ROUNDS):
        game, people = running(slug, turn_time=45)
        mover = turn(game)
        late = timezone.now() - timedelta(seconds=46)
        Game.objects.filter(pk=game.pk).update(turn_since=late)
        texts, version = legal_texts(game)[:1], game.version

        def ask(user, game=game, version=version) -> Callable[[], Any]:
            return lambda: services.advance_game(user=user, version=version, **where(game))

        def play(game=game, user=people[mover], version=version, texts=texts) -> Any:
            return services.submit_moves(user=user, version=version, texts=texts, **where(game))

        came = outcomes(play, *[ask(user) for user in people])
        assert came[1:] == [""] * 3 and came[0] in ("", "stale")
        game.refresh_from_db()
        lates = game.changes.filter(what="late").count()
        # One of the two happened, and once; then it is the next one's turn, with new time.
        assert (game.ply, lates) == ((1, 0) if came[0] == "" else (0, 1))
        assert bool(game.seats.get(index=mover).bot) == bool(lates)


def test_a_guest_logs_in_while_the_account_sits_down(slug):
    for number in range(ROUNDS):
        host, user, account = guest(), guest(), User.objects.create_user(f"Ada{number}")
        game = waiting(slug, host, 3)
        seating.sit_down(user=user, key=game.key, index=1, name="Guesty")
        came = outcomes(
            lambda user=user, account=account: accounts.merge_guest(guest=user, account=account),
            sit(game, account, 2, ""),
        )
        assert came[0] == "" and came[1] == ""
        assert who_sits(game).count(account.pk) == 1
        assert not User.objects.filter(pk=user.pk).exists()


def test_an_account_goes_while_it_sits_down_and_plays(slug):
    for number in range(ROUNDS):
        account = User.objects.create_user(f"Ada{number}")
        game, people = running(slug)
        code = seating.offer(user=people[1], **where(game))
        table = waiting(slug, guest(), 3)
        came = outcomes(
            # A row of its own: who is deleted loses the key.
            lambda pk=account.pk: accounts.delete_account(User.objects.get(pk=pk)),
            sit(table, account, 1, ""),
            lambda account=account, code=code: seating.take_over(user=account, code=code),
            lambda game=game, user=people[0]: seating.leave(user=user, **where(game)),
        )
        assert came[0] == came[3] == "" and set(came[1:3]) <= {"", "gone"}
        assert not User.objects.filter(pk=account.pk).exists()
        assert who_sits(table)[1] is None and account.pk not in who_sits(game)


def test_many_say_something(slug):
    game, people = running(slug)
    before = len(game.talk)
    came = outcomes(
        *[
            lambda user=user: seating.say(user=user, phrase="hello", **where(game))
            for user in people * 2
        ]
    )
    assert came == [""] * 6
    game.refresh_from_db()
    assert len(game.talk) == before + 6
    assert Counter(entry["seat"] for entry in game.talk[-6:]) == {0: 2, 1: 2, 2: 2}
