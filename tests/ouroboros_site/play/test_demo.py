"""``manage.py demo``: a site that looks alive, and whose games hold."""

import re
from datetime import timedelta
from io import StringIO
from random import Random

import pytest
import time_machine
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.utils import timezone

from ouroboros_site.accounts import names
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Best, Decision, Score, Standing
from ouroboros_site.play import daily, demo, registry, seating, services
from ouroboros_site.play.models import Game, Move, Seat, Try
from ouroboros_site.play.phrases import PHRASES

from .helpers import EDITIONS, assert_whole, guest
from .shared import TABLES

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def same_games_every_time(settings):
    """The daily deals follow from the server's secret."""
    settings.SECRET_KEY = "the same everywhere"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def make(*words: str) -> str:
    out = StringIO()
    call_command("demo", *words, stdout=out)
    return out.getvalue()


def verified() -> str:
    out = StringIO()
    call_command("verify_games", stdout=out)
    return out.getvalue()


def games() -> list[tuple[object, ...]]:
    """What was played, told without keys."""
    seats = Seat.objects.select_related("user", "game").order_by("game__created", "pk")
    return [
        (
            seat.user.username,
            seat.game.slug,
            seat.game.seed,
            seat.game.created,
            seat.game.finished,
            seat.game.result,
            list(seat.game.moves.order_by("version").values_list("text", "created", "undone")),
        )
        for seat in seats
    ]


class TestDemo:
    @time_machine.travel("2026-07-05T13:00:00Z", tick=False)
    def test_looks_alive_and_holds(self):
        begun = timezone.now()
        make("--accounts", "4", "--games", "45")
        # Two of great haste; of each kind three finished tables with bots and an open one, and of
        # people one that waits, one that goes on and a finished one.
        assert verified() == "61 verified, 0 of them disagree with their logs.\n"
        for game in Game.objects.all():
            assert_whole(game)
        players = User.objects.named().filter(is_superuser=False)
        assert players.count() == 4
        assert all(names.clean(player.username) == player.username for player in players)
        assert User.objects.filter(is_guest=True).exists()
        assert Game.objects.filter(seats__user__is_guest=True).exists()
        for slug in EDITIONS:
            assert Try.objects.filter(deal__slug=slug).exists()
            assert Best.objects.filter(board=f"{slug}/all").exists()
            assert Best.objects.filter(board__startswith=f"{slug}/daily/").exists()
        assert Game.objects.filter(finished=None).exists()
        assert Game.objects.filter(ranked=False).exists()
        assert Game.objects.filter(result__termination="retired").exists()
        assert Move.objects.filter(undone=True).exists()
        for slug in TABLES:
            tables = Game.objects.filter(slug=slug)
            over = tables.filter(finished__isnull=False)
            assert (over.count(), tables.count()) == (4, 7)
            assert all(game.result["winners"] and game.moves.exists() for game in over)
            assert tables.get(finished=None, key=None).seats.get(index=0).user.username == "Ada"
            for game in tables.filter(started__isnull=False):
                seats = list(game.seats.order_by("index").select_related("user"))
                assert all((seat.user is None) == bool(seat.bot) for seat in seats)
                assert len({services.name_of(seat) for seat in seats}) == game.players
                persons = [seat for seat in seats if seat.user]
                assert len(persons) == (1 if game.key is None else 3 if game.is_over else 2)
            self.assert_people(tables.exclude(key=None))
            assert Standing.objects.filter(slug=slug, people=False).count() == 3
            assert Standing.objects.filter(slug=slug, people=True).count() == 2
        # A reviewer finds something to do, and something done.
        assert Score.objects.to_review().exists()
        assert Decision.objects.filter(struck=True, score__struck=True).exists()
        self.assert_times(begun)

    def assert_people(self, tables):
        """There is a table to sit down at, one to look on, and one that was played."""
        [room] = [room for room in seating.lobby(user=guest()) if room.game in tables]
        assert len(room.persons) == 1 and len(room.free) == room.game.players - 1
        running = tables.get(started__isnull=False, finished=None)
        assert running.turn_since == running.updated and running.ply
        watched = seating.watch(key=running.key, user=guest())
        assert watched.seat is None and watched.view
        phrases = [entry["phrase"] for entry in running.talk if "phrase" in entry]
        assert phrases and set(phrases) <= set(PHRASES)
        over = tables.get(finished__isnull=False)
        assert over.results.filter(people=True).count() == 3
        assert "Tourist" in over.seats.values_list("name", flat=True)

    def assert_times(self, begun):
        oldest = begun - demo.WEEKS - timedelta(minutes=5)
        for game in Game.objects.prefetch_related("moves", "seats__user"):
            times = [move.created for move in sorted(game.moves.all(), key=lambda m: m.version)]
            assert times == sorted(times)
            assert oldest < game.created <= game.updated <= timezone.now()
            assert all(game.created < at <= game.updated for at in times)
            assert game.finished in (None, game.updated)
            user = next(seat.user for seat in game.seats.all() if seat.user)
            assert user.date_joined < game.created <= user.last_login
            if game.daily and game.ranked:
                assert game.created.date() == game.daily.date <= daily.today()
        spread = Game.objects.dates("created", "day")
        assert len(spread) > 10

    def test_the_same_numbers_give_the_same_games(self):
        told = []
        with time_machine.travel("2026-07-05T13:00:00Z", tick=False):
            for seed in ("1", "1", "2"):
                make("--accounts", "3", "--games", "15", "--seed", seed)
                told.append(games())
                Seat.objects.all().delete()
                Game.objects.all().delete()
                User.objects.all().delete()
        assert len(told[0]) == 15
        assert told[0] == told[1] != told[2]

    @pytest.mark.parametrize("slug", TABLES)
    def test_the_same_numbers_give_the_same_tables(self, slug):
        now, told = timezone.now(), []
        for _time in range(2):
            random = Random(3)
            person = demo.Person(User(username="Rosa"), skill=1, pace=3)
            at = demo._table(person, registry.get(slug), now - demo.WEEKS, random)
            demo.play(at, now, random)
            told.append(([move.text for move in at.moves], [bot.name for bot in at.bots]))
            assert "Rosa" not in told[-1][1]
        assert told[0] == told[1] and len(told[0][0]) > 20

    def test_passwords_are_printed_once_and_open(self):
        output = make("--accounts", "2", "--games", "4")
        admin = re.search(r"Administrator: (\S+), password: (\S+)", output)
        assert authenticate(username=admin[1], password=admin[2]).is_superuser
        name = User.objects.filter(scores__isnull=False, is_guest=False).first().username
        password = re.search(r"with the password (\S+)$", output, re.MULTILINE)[1]
        assert authenticate(username=name, password=password).username == name
        assert name in output and password != admin[2]

    def test_where_there_are_accounts_it_does_nothing(self):
        User.objects.create_user("Ada")
        with pytest.raises(CommandError, match="already, and nothing was changed"):
            make()
        assert User.objects.count() == 1 and not Game.objects.exists()

    def test_unless_it_is_told_to_add(self):
        ada = User.objects.create_user("Ada")
        User.objects.create_superuser("Root", password="x")
        output = make("--accounts", "2", "--games", "4", "--add")
        assert "Root was there already" in output and "Administrator:" not in output
        assert User.objects.named().count() == 4 and not ada.seats.exists()
        make("--accounts", "2", "--games", "4", "--add", "--seed", "1")
        assert User.objects.named().count() == 6 and Game.objects.count() == 8
        assert verified().startswith("8 verified, 0 of them")

    def test_guests_alone_are_no_accounts(self):
        User.objects.create_guest()
        make("--accounts", "1", "--games", "0")
        assert User.objects.named().count() == 2 and not Game.objects.exists()

    def test_more_accounts_than_names(self):
        assert len(demo.NAMES) < 60
        make("--accounts", "60", "--games", "0")
        assert User.objects.named().count() == 61

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["--games", "-1"], "no number"),
            (["--games", "many"], "no number"),
            (["--accounts", "10001"], "no number"),
            (["--accounts", "0"], "Games need accounts"),
        ],
    )
    def test_numbers_that_cannot_be(self, words, said):
        with pytest.raises(CommandError, match=said):
            make(*words)
        assert not User.objects.exists()

    def test_all_or_nothing(self, monkeypatch):
        def fail(**_words):
            raise RuntimeError("the disk is full")

        monkeypatch.setattr(demo.leaderboards, "score_game", fail)
        with pytest.raises(RuntimeError):
            make("--accounts", "2", "--games", "4")
        assert not User.objects.exists() and not Game.objects.exists()

    def test_help(self, capsys):
        with pytest.raises(SystemExit) as caught:
            call_command("demo", "--help")
        assert caught.value.code == 0 and "--add" in capsys.readouterr().out
