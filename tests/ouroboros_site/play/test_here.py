"""What an open page of a table asks for by itself: whether anything is new, and whose turn runs."""

import re
from datetime import timedelta

import pytest
import time_machine

from ouroboros_site.accounts.models import User
from ouroboros_site.play import seating, services, tables
from ouroboros_site.play.models import Game, Seat

from .helpers import Browser, fragment_of, guest, page_of, table
from .met import NOON, here, look, met, play_out, stamp_of
from .shared import asks_on, each_table, legal_texts, new_table, shown_version, waiting_table
from .test_costs import counted

pytestmark = pytest.mark.django_db
slug = each_table


@pytest.fixture(autouse=True)
def noon():
    with time_machine.travel(NOON, tick=False) as clock:
        yield clock


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("Bob")


@pytest.fixture
def game(ada, bob, slug) -> Game:
    """Ada is to move, then a bot of hers, and Bob sits there too."""
    return met(slug, ada, bob)


def seen(game: Game, index: int):
    return Seat.objects.get(game=game, index=index).seen


class TestNothingNew:
    def test_is_answered_with_nothing(self, ada, game):
        browser = Browser(ada)
        stamp = stamp_of(look(browser, game))
        response = here(browser, game, stamp=stamp)
        assert (response.status_code, response.content) == (204, b"")

    def test_costs_four_statements(self, ada, game):
        browser = Browser(ada)
        stamp = stamp_of(look(browser, game))
        version = game.version
        with counted() as statements:
            assert here(browser, game, version, stamp).status_code == 204
        # The two of every request, the seat with its game, and who else sits there.
        assert len(statements) - 1 <= 4 and statements[0].startswith("SELECT"), statements

    def test_says_that_the_person_is_there_every_few_seconds(self, ada, game, noon):
        browser = Browser(ada)
        stamp = stamp_of(look(browser, game))
        for seconds, written in ((3, NOON), (6, NOON + timedelta(seconds=6))):
            noon.move_to(NOON + timedelta(seconds=seconds))
            assert here(browser, game, stamp=stamp).status_code in (200, 204)
            assert seen(game, 0) == written

    def test_a_page_that_nobody_sees_does_not_say_so(self, ada, game, noon):
        browser = Browser(ada)
        stamp = stamp_of(look(browser, game))
        noon.move_to(NOON + timedelta(seconds=20))
        hidden = {"version": game.version, "stamp": stamp, "hidden": "1"}
        assert browser.send(table(game, "here"), htmx=True, **hidden).status_code in (200, 204)
        assert seen(game, 0) == NOON
        assert here(browser, game, stamp=stamp).status_code in (200, 204)
        assert seen(game, 0) == NOON + timedelta(seconds=20)

    def test_a_plain_form_leads_to_the_table(self, ada, game):
        response = Browser(ada).send(table(game, "here"), version="0")
        assert (response.status_code, response["Location"]) == (302, table(game))


class TestOthersMove:
    def test_brings_the_table_with_what_is_new_of_its_log(self, ada, bob, game):
        browser = Browser(bob)
        page = look(browser, game)
        services.submit_moves(
            user=ada,
            slug=game.slug,
            game_id=game.pk,
            version=game.version,
            texts=legal_texts(game)[:1],
        )
        response = here(browser, game, shown_version(page), stamp_of(page))
        fragment = fragment_of(response)
        html = response.content.decode()
        assert shown_version(html) == game.version + 1
        assert fragment.all("ol", **{"hx-swap-oob": "afterbegin:#log"})
        assert html.count("<b>Ada</b>") >= 1 and "The cards are dealt" not in html
        # Nothing else has changed: who is here came with the page.
        assert not fragment.all("input", id="stamp")

    def test_a_page_that_missed_much_gets_the_whole_log(self, ada, bob, slug, monkeypatch):
        monkeypatch.setattr("ouroboros_site.play.views.LOG", 1)
        game = met(slug, ada, bob)
        services.submit_moves(
            user=ada,
            slug=game.slug,
            game_id=game.pk,
            version=game.version,
            texts=legal_texts(game)[:1],
        )
        fragment = fragment_of(here(Browser(bob), game, 0))
        assert fragment.all("ol", **{"hx-swap-oob": "innerHTML:#log"})

    def test_a_change_of_seats_repeats_no_move(self, ada, bob, game):
        browser = Browser(bob)
        services.submit_moves(
            user=ada,
            slug=game.slug,
            game_id=game.pk,
            version=game.version,
            texts=legal_texts(game)[:1],
        )
        page = look(browser, game)
        seating.leave(user=ada, slug=game.slug, game_id=game.pk)
        html = here(browser, game, shown_version(page), stamp_of(page)).content.decode()
        assert '<div hx-swap-oob="innerHTML:#say"></div>' in html
        [log] = re.findall(r'<ol hx-swap-oob="afterbegin:#log">(.*?)</ol>', html, re.S)
        assert "<li>" not in log
        [heard] = re.findall(r'innerHTML:#heard">(.*?)</div>', html, re.S)
        assert "Ada has left: a bot plays on." in heard

    def test_every_page_shows_whose_turn_it_is(self, ada, bob, game):
        for user, turns in ((ada, "mine"), (bob, "theirs")):
            page = page_of(Browser(user).look(table(game)))
            assert [at["data-turn"] for at in page.all("div", id="table")] == [turns]


class TestPresence:
    def test_whoever_is_silent_for_a_while_is_away(self, ada, bob, game, noon):
        both = Browser(ada), Browser(bob)
        pages = [look(browser, game) for browser in both]
        look(both[0], game)
        noon.shift(timedelta(seconds=20))
        response = here(both[0], game, stamp=stamp_of(pages[0]))
        html = response.content.decode()
        assert response["HX-Reswap"] == "none" and 'id="table"' not in html
        assert re.search(r'class="presence away" id="at-1" hx-swap-oob="true"', html)
        assert here(both[0], game, stamp=stamp_of(html)).status_code == 204
        # Bob comes back: the next look of Ada's page shows it.
        assert here(both[1], game, stamp="").status_code == 200
        again = here(both[0], game, stamp=stamp_of(html)).content.decode()
        assert re.search(r'class="presence here" id="at-1"', again)

    def test_a_page_that_is_opened_is_a_sign_of_life(self, bob, game, noon):
        noon.shift(timedelta(minutes=1))
        look(Browser(bob), game)
        assert seen(game, 1) == NOON + timedelta(minutes=1)

    def test_a_bot_that_stands_in_is_named_as_such(self, ada, bob, game):
        seating.leave(user=bob, slug=game.slug, game_id=game.pk)
        page = page_of(Browser(ada).look(table(game)))
        assert "plays for Bob" in page.words

    def test_nobody_alone_with_bots_is_watched(self, ada, slug):
        game = new_table(slug, ada)
        browser = Browser(ada)
        html = look(browser, game)
        assert 'class="presence' not in html and "live.js" not in html and 'id="lines"' not in html
        assert here(browser, game).status_code == 204
        assert seen(game, 0) is None


class TestSeat:
    def test_a_bot_plays_and_the_person_takes_the_seat_back(self, ada, bob, game):
        seating.leave(user=ada, slug=game.slug, game_id=game.pk)
        browser = Browser(ada)
        page = page_of(browser.look(table(game)))
        assert "A bot plays for you." in page.words
        assert not page.all("form", id="move") and page.all("form", id="back")
        refused = browser.send(table(game, "move"), version="9", text=legal_texts(game)[0])
        assert refused.status_code == 409
        response = browser.send(table(game, "back"), htmx=True)
        assert fragment_of(response).all("form", id="move")
        assert Seat.objects.get(game=game, index=0).bot == ""

    def test_who_handed_it_over_is_told(self, ada, bob, game):
        browser = Browser(ada)
        page = look(browser, game)
        code = seating.offer(user=ada, slug=game.slug, game_id=game.pk)
        seating.take_over(user=guest(), code=code, name="Gus")
        for response in (here(browser, game, shown_version(page)), browser.look(table(game))):
            assert response.status_code == 403
            assert "taken over your seat" in page_of(response).words

    def test_strangers_are_told_nothing(self, game):
        for browser in (Browser(), Browser(guest())):
            for what in ("here", "back", "vote", "say", "mute", "rematch"):
                response = browser.send(table(game, what), version="0", phrase="hello")
                assert response.status_code == 403, what

    def test_a_table_that_waits_is_its_room(self, ada, game):
        Game.objects.filter(pk=game.pk).update(started=None)
        for response in (
            Browser(ada).look(table(game)),
            Browser(ada).send(table(game, "move"), version="0", text="pass"),
        ):
            assert (response.status_code, response["Location"]) == (302, table(game, "room"))


class TestWhoAsks:
    """One page after the other asks for the next bot's move."""

    def wait(self, user: User, game: Game) -> int | None:
        seated = services.take_seat(user=user, slug=game.slug, game_id=game.pk)
        return tables.table(seated).wait

    def test_in_the_order_of_seats(self, ada, bob, slug):
        cyd = User.objects.create_user("Cyd")
        game = met(slug, ada, bob, cyd, starts=3)
        assert [self.wait(user, game) for user in (ada, bob, cyd)] == [1000, 1700, 2400]

    def test_nobody_waits_for_those_who_are_away(self, ada, bob, slug, noon):
        game = met(slug, ada, bob, starts=2)
        assert self.wait(bob, game) == 1700
        noon.shift(timedelta(minutes=1))
        assert self.wait(bob, game) == 1000

    def test_whoever_left_asks_after_those_who_play(self, ada, bob, slug):
        game = met(slug, ada, bob, starts=2)
        seating.leave(user=ada, slug=game.slug, game_id=game.pk)
        assert (self.wait(ada, game), self.wait(bob, game)) == (1700, 1000)

    def test_a_forced_pass_waits_like_a_person(self, ada, bob, monkeypatch):
        monkeypatch.setattr("ouroboros_site.play.services.SHORTEST_PASS", 3)
        monkeypatch.setattr("ouroboros_site.play.services.LONGEST_PASS", 3)
        game = met("ochs-esel", ada, bob, starts=0)
        monkeypatch.setattr("ouroboros_site.play.bots.legal_texts", lambda *state: ["pass"])
        assert (self.wait(ada, game), self.wait(bob, game)) == (3000, None)

    def test_nobody_asks_while_somebody_thinks(self, ada, bob, game):
        assert not asks_on(look(Browser(ada), game)) and not asks_on(look(Browser(bob), game))


class TestClock:
    @pytest.fixture
    def game(self, ada, bob, slug) -> Game:
        game = met(slug, ada, bob, turn_time=45)
        Game.objects.filter(pk=game.pk).update(turn_since=NOON)
        return game

    def test_is_shown_to_everybody(self, ada, bob, game, noon):
        noon.shift(timedelta(seconds=13))
        for user in (ada, bob):
            page = page_of(Browser(user).look(table(game)))
            [clock] = page.all("span", role="timer")
            assert clock["data-left"] == "32" and "0:32" in page.words
            # The page asks for a bot when the time is out.
            assert page.all("form", id="advance")

    def test_the_pages_ask_when_the_time_is_out(self, ada, bob, game):
        waits = [
            int(re.findall(r"load delay:(\d+)ms", look(Browser(user), game))[0])
            for user in (ada, bob)
        ]
        assert waits == [45_500, 46_200]

    def test_then_a_bot_takes_the_seat(self, ada, bob, game, noon):
        noon.shift(timedelta(seconds=46))
        browser = Browser(bob)
        # A page that slept is given the form that asks at once.
        assert 'id="advance"' in here(browser, game).content.decode()
        response = browser.send(table(game, "advance"), htmx=True, version=game.version)
        assert response.status_code == 200
        assert Seat.objects.get(game=game, index=0).bot
        assert "Ada’s time is out: a bot plays on." in look(browser, game)
        assert "A bot plays for you." in look(Browser(ada), game)

    def test_a_day_is_told_in_hours(self, ada, bob, slug):
        game = met(slug, ada, bob, turn_time=24 * 60 * 60)
        Game.objects.filter(pk=game.pk).update(turn_since=NOON - timedelta(minutes=30))
        assert "23 h 30 min" in look(Browser(ada), game)

    def test_nobody_has_one_without_a_limit(self, ada, bob, slug):
        assert 'role="timer"' not in look(Browser(ada), met(slug, ada, bob))


class TestVote:
    @pytest.fixture
    def game(self, ada, bob, slug) -> Game:
        game = met(slug, ada, bob, User.objects.create_user("Cyd"), players=5)
        game.seats.update(seen=NOON - timedelta(minutes=6))
        Game.objects.filter(pk=game.pk).update(turn_since=NOON - timedelta(minutes=6))
        return game

    def test_is_offered_after_five_minutes(self, bob, game):
        browser = Browser(bob)
        html = look(browser, game)
        assert "Ada has been away for five minutes" in html and 'id="vote-yes"' in html
        game.seats.filter(index=0).update(seen=NOON)
        html = here(browser, game, stamp=stamp_of(html)).content.decode()
        [vote] = re.findall(r'innerHTML:#vote">(.*?)</div>', html, re.S)
        assert not vote.strip()

    def test_gives_the_seat_to_a_bot(self, bob, game):
        cyd = User.objects.get(username="Cyd")
        for user in (bob, cyd):
            seating.look_in(user=user, slug=game.slug, game_id=game.pk)
        first = Browser(bob).send(table(game, "vote"), htmx=True, version=game.version)
        html = first.content.decode()
        assert "1 of 2 want a bot to play" in html and 'id="vote-yes"' not in html
        Browser(cyd).send(table(game, "vote"), version=game.version)
        assert Seat.objects.get(game=game, index=0).bot

    def test_is_refused_with_a_reason(self, ada, game):
        response = Browser(ada).send(table(game, "vote"), htmx=True, version=game.version)
        assert response.status_code == 409 and "nobody to vote about" in response.content.decode()


class TestEnd:
    @pytest.fixture
    def game(self, ada, bob, slug) -> Game:
        return play_out(met(slug, ada, bob))

    def test_offers_a_rematch_and_listens_for_one(self, ada, bob, game):
        page = page_of(Browser(ada).look(table(game)))
        assert page.all("form", id="rematch") and "New game" not in page.words
        assert [at["data-turn"] for at in page.all("div", id="table")] == ["over"]
        before = stamp_of(look(Browser(bob), game))
        response = Browser(ada).send(table(game, "rematch"))
        [again] = Game.objects.filter(rematch_of=game)
        assert response["Location"] == table(again, "room")
        asked = here(Browser(bob), game, stamp=before)
        assert asked["HX-Reswap"] == "none" and "Ada waits for a rematch." in asked.content.decode()
        assert "Sit down" in look(Browser(bob), game) and "To the table" in look(Browser(ada), game)
        assert Browser(bob).send(table(game, "rematch"))["Location"] == table(again)
        assert "To the table" in look(Browser(bob), game)

    def test_a_bot_that_finished_has_not_won_for_its_person(self, ada, bob, game):
        game.seats.filter(index=0).update(bot="steady")
        assert "A bot finished for you" in look(Browser(ada), game)
        assert "A bot finished for you" not in look(Browser(bob), game)


class TestHome:
    def test_a_table_that_waits_says_for_how_many(self, ada, bob, slug):
        game = waiting_table(slug, ada, free=2)
        page = page_of(Browser(ada).look("/"))
        assert "waiting for players, 2 of 4" in page.words
        assert table(game) in page.links() and "in hand" not in page.words
        seating.sit_down(user=bob, key=game.key)
        assert "waiting for players, 3 of 4" in page_of(Browser(bob).look("/")).words

    def test_a_game_that_a_bot_finished_is_not_won(self, ada, bob, slug):
        game = play_out(met(slug, ada, bob))
        game.result["winners"] = [0, 1]
        game.save()
        words = [str(word) for word in game.kind.outcomes]
        assert words[0] in page_of(Browser(ada).look("/")).words.lower()
        game.seats.filter(index=0).update(bot="steady")
        assert "left before the end" in page_of(Browser(ada).look("/")).words.lower()


def test_somebody_suspended_is_shown_the_table_and_asks_for_nothing(ada, bob, slug):
    game = met(slug, ada, bob, turn_time=45)
    ada.suspended = NOON
    ada.save()
    html = look(Browser(ada), game)
    assert 'role="timer"' in html and not asks_on(html) and 'id="d-say"' not in html
