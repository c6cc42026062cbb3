"""What hostile and unlucky people have tried at tables of several persons."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from ouroboros_site.accounts import rates
from ouroboros_site.accounts.models import User
from ouroboros_site.play import seating, services
from ouroboros_site.play.models import Game, Seat
from ouroboros_site.play.services import Refused

from ..staff import reviewer
from .helpers import Browser, again, guest, table
from .met import NOON, here, met, play_out
from .shared import each_table, legal_texts, turn, waiting_table

pytestmark = pytest.mark.django_db
slug = each_table
MINUTE = timedelta(minutes=1)


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("Bob")


@pytest.fixture
def limits(settings):
    settings.RATE_LIMITS = True
    rates.limiter().storage.reset()
    yield
    rates.limiter().storage.reset()


def where(game: Game) -> dict[str, Any]:
    return {"slug": game.slug, "game_id": game.pk}


def fresh(game: Game) -> Game:
    return Game.objects.get(pk=game.pk)


def refusal(service: Any, **more: Any) -> tuple[int, str]:
    with pytest.raises(Refused) as caught:
        service(**more)
    return caught.value.status, caught.value.code


class TestForcedPass:
    """Whether somebody had a choice is nobody else's business."""

    @pytest.fixture
    def forced(self, ada, bob, monkeypatch) -> Game:
        """At an instant pace a bot is to move, and after it Ada, who can only pass then."""
        for seconds in ("SHORTEST_PASS", "LONGEST_PASS"):
            monkeypatch.setattr(services, seconds, 3)
        random = Random(3)
        for number in range(40):
            seed = f"{number + 1:064x}"
            game = met("ochs-esel", ada, bob, players=3, seed=seed, pace="instant")
            for _move in range(30):
                if turn(game) == 2 and self.leads_to_a_pass(game):
                    return game
                texts = [random.choice(legal_texts(game))]
                mover = services.Seated(game, turn(game), game.load(), ada)
                services._play(mover, texts)
                services._save(mover)
                game = fresh(game)
        raise AssertionError("nobody has to pass")

    def leads_to_a_pass(self, game: Game) -> bool:
        """Whether Ada can only pass, whatever the bot does."""
        rules, state = game.rules, game.load()
        for move in rules.legal_moves(state):
            after = rules.apply(state, move)
            moves = [rules.format_move(each) for each in rules.legal_moves(after)]
            if rules.turn(after) != 0 or moves != ["pass"]:
                return False
        return True

    def test_does_not_come_with_the_bot_s_move(self, ada, forced):
        Browser(ada).send(table(forced, "advance"), htmx=True, version=forced.version)
        made = forced.moves.filter(version__gt=forced.version).values_list("seat", flat=True)
        assert list(made) == [2] and turn(fresh(forced)) == 0

    def test_waits_too_while_the_other_lets_a_bot_play_and_looks_on(self, ada, bob, forced):
        seating.leave(user=bob, **where(forced))
        forced = fresh(forced)
        Browser(ada).send(table(forced, "advance"), htmx=True, version=forced.version)
        assert turn(fresh(forced)) == 0
        assert services.take_seat(user=ada, **where(forced)).pause == 3


def test_a_stamp_without_end_is_none(ada, bob, slug):
    game = met(slug, ada, bob)
    assert here(Browser(ada), game, stamp="9" * 5000).status_code == 200
    query = f"version={game.version}&stamp={'9' * 5000}"
    assert Browser().look(f"/watch/{game.key}/?{query}", htmx=True).status_code == 200


def test_the_vote_of_somebody_who_has_left_counts_no_more(slug):
    people = [guest() for _ in range(4)]
    with time_machine.travel(NOON, tick=False) as clock:
        game = met(slug, *people, players=4)
        clock.shift(6 * MINUTE)
        game.seats.exclude(index=0).update(seen=timezone.now())

        def vote(user: User) -> None:
            seating.vote(user=user, version=fresh(game).version, **where(game))

        vote(people[1])
        seating.leave(user=people[1], **where(game))
        vote(people[2])
        assert not game.seats.get(index=0).bot
        vote(people[3])
        assert game.seats.get(index=0).bot


def test_the_code_of_somebody_who_has_left_is_good_no_more(ada, bob, slug):
    game = met(slug, ada, bob)
    code = seating.offer(user=bob, **where(game))
    seating.leave(user=bob, **where(game))
    assert refusal(seating.take_over, user=guest(), code=code, name="Pip") == (404, "no-offer")


def test_whoever_was_removed_does_not_look_on_either(ada, bob, slug):
    game = waiting_table(slug, ada)
    seating.sit_down(user=bob, key=game.key)
    seating.remove(user=ada, version=fresh(game).version, index=1, **where(game))
    seating.fill(user=ada, level="easy", **where(game))
    assert Browser(bob).look(f"/watch/{game.key}/").status_code == 403
    assert Browser(guest()).look(f"/watch/{game.key}/").status_code == 200


def test_a_reviewer_sees_no_table_before_the_start(ada, slug):
    game = waiting_table(slug, ada, listed=True)
    browser = Browser(reviewer())
    assert browser.look(again(game)).status_code == 403
    assert browser.look(f"/admin/play/game/{game.pk}/hidden/").status_code == 403
    page = browser.look(f"/admin/play/game/{game.pk}/change/").content.decode()
    assert game.seed not in page and "/hidden/" not in page
    seating.fill(user=ada, level="easy", **where(game))
    assert browser.look(again(game)).status_code == 200
    assert browser.look(f"/admin/play/game/{game.pk}/hidden/").status_code == 200


def test_a_name_that_somebody_else_took_keeps_nobody_from_the_rematch(ada, bob, slug):
    pip = guest()
    game = waiting_table(slug, ada)
    seating.sit_down(user=bob, key=game.key)
    seating.sit_down(user=pip, key=game.key, name="Pip")
    seating.fill(user=ada, level="easy", **where(game))
    game = play_out(fresh(game))
    rematch, _ada = seating.rematch(user=ada, **where(game))
    seating.sit_down(user=guest(), key=rematch.key, name="Pip")
    again, _pip = seating.rematch(user=pip, **where(game))
    assert again == rematch and Seat.objects.get(game=rematch, user=pip).name == ""


def test_who_comes_and_goes_has_no_time_without_end(ada, bob, slug):
    with time_machine.travel(NOON, tick=False) as clock:
        game = met(slug, ada, bob, turn_time=45)
        for seconds in (44, 44):
            clock.shift(timedelta(seconds=seconds))
            seating.leave(user=ada, **where(game))
            seating.come_back(user=ada, **where(game))
        # New time once, since the first time of the two.
        seated = services.take_seat(user=bob, **where(game))
        assert seated.deadline == NOON + timedelta(seconds=44 + 45)
        code = seating.offer(user=ada, **where(game))
        seating.take_over(user=guest(), code=code, name="Pip")
        clock.shift(timedelta(seconds=1))
        services.advance_game(user=bob, version=fresh(game).version, **where(game))
        assert game.seats.get(index=0).bot


class TestTooMuch:
    def test_nobody_waits_at_tables_without_end(self, ada, bob, slug, monkeypatch):
        monkeypatch.setattr(services, "MOST_WAITING", 2)
        first, _second = waiting_table(slug, ada, listed=True), waiting_table(slug, ada)
        third = waiting_table(slug, bob)
        assert refusal(waiting_table, slug=slug, host=ada) == (409, "too-many-tables")
        assert refusal(seating.sit_down, user=ada, key=third.key) == (409, "too-many-tables")
        # At the tables one has, one may still move.
        seating.sit_down(user=ada, key=first.key, index=1)
        seating.fill(user=ada, level="easy", **where(first))
        seating.sit_down(user=ada, key=third.key)

    def test_nor_does_one_address_open_them(self, slug, limits, monkeypatch):
        monkeypatch.setitem(rates.RATES, "table", "2/hour")
        form = {"players": "4", "with": "friends", "name": "Pip"}
        answers = [Browser(guest()).send(f"/{slug}/start", **form) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [302, 302, 429]
        # Tables with bots only are in nobody's way.
        assert Browser(guest()).send(f"/{slug}/start", players="4").status_code == 302

    def test_who_comes_and_goes_without_end_is_stopped(self, ada, bob, slug, limits, monkeypatch):
        """Each time makes stale what the others are about to send."""
        monkeypatch.setitem(rates.RATES, "seat", "3/minute")
        game = met(slug, ada, bob)  # Bob sits down
        for _time in range(2):
            seating.leave(user=bob, **where(game))
            seating.come_back(user=bob, **where(game))
        seating.leave(user=bob, **where(game))
        assert refusal(seating.come_back, user=bob, **where(game)) == (429, "too-quick")

    def test_and_who_changes_places_without_end(self, ada, slug, limits, monkeypatch):
        monkeypatch.setitem(rates.RATES, "seat", "2/minute")
        game = waiting_table(slug, ada)
        for index in (1, 2):
            seating.sit_down(user=ada, key=game.key, index=index)
        move = {"user": ada, "key": game.key}
        assert refusal(seating.sit_down, index=3, **move) == (429, "too-quick")
        # To say where one sits already is no change.
        assert seating.sit_down(index=2, **move)[0] == game
