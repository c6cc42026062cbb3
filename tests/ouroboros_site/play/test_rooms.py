"""Tables that wait: the invitation, the waiting room, leaving, and a seat that changes hands."""

import re
from functools import partial
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ouroboros_site.accounts import rates
from ouroboros_site.accounts.models import User
from ouroboros_site.play import live, rooms, seating
from ouroboros_site.play.models import Game, Seat, SeatChange
from tests.conformance.kits import KITS

from .helpers import Browser, Page, guest, page_of, stored, table
from .shared import each_table, new_table, waiting_table
from .test_secrets import answer, one_commitment  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
slug = each_table


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("Bob")


@pytest.fixture
def game(ada, slug) -> Game:
    """Ada's table: three seats are free."""
    return waiting_table(slug, ada)


def join(game: Game) -> str:
    return f"/join/{game.key}/"


def sitting(game: Game) -> list[str]:
    """Who sits where, by name; "" for a free seat."""
    there = seating.find(key=game.key, user=User())
    return [rooms.show(there).places[seat.index].name for seat in there.seats]


def refusal(page: Page, html: str) -> str:
    """The reason that a page shows."""
    [reason] = re.findall(r'class="refusal[^>]*>(.*?)</p>', html, re.S)
    return " ".join(Page(reason).words.split())


# -- the invitation -------------------------------------------------------------------------------


class TestInvitation:
    def test_says_what_the_table_is(self, game, bob):
        seating.sit_down(user=bob, key=game.key, index=2)
        response = Browser().look(join(game))
        page = page_of(response)
        assert response.status_code == 200
        assert f"Ada invites you to {game.kind.title}" in page.words
        assert "Bob" in page.words and "by link only" in page.words
        assert [button["value"] for button in page.all("button", name="seat")] == ["1", "3"]
        assert page.all("input", name="name")

    def test_is_in_no_index_and_no_cache(self, game):
        for response in (
            Browser().look(join(game)),
            Browser().look("/join/nothing/"),
            Browser().send(join(game), name="Bea"),
            Browser().send(join(game), name=""),
        ):
            assert response["X-Robots-Tag"] == "noindex"
            assert response["Cache-Control"] == "no-store"
            assert response["Referrer-Policy"] == "same-origin"

    def test_a_guest_takes_a_seat_with_a_name(self, game):
        browser = Browser()
        response = browser.send(join(game), name="Bea")
        assert response.status_code == 302 and response["Location"] == table(game, "room")
        assert sitting(game) == ["Ada", "Bea", "", ""]
        page = page_of(browser.look(response["Location"]))
        assert "Bea you" in page.words

    def test_the_name_is_kept_for_the_next_table(self, game, ada, slug):
        browser = Browser()
        browser.send(join(game), name=" Bea ")
        other = waiting_table(slug, ada)
        for path in (join(other), f"/{slug}/new/?with=friends"):
            [field] = page_of(browser.look(path)).all("input", name="name")
            assert field["value"] == "Bea"

    def test_an_account_needs_only_the_click(self, game, bob):
        browser = Browser(bob)
        page = page_of(browser.look(join(game)))
        assert not page.all("input", name="name") and "You sit down as Bob." in page.words
        assert browser.send(join(game)).status_code == 302
        assert sitting(game) == ["Ada", "Bob", "", ""]

    def test_any_free_seat(self, game):
        assert Browser().send(join(game), name="Bea", seat="3").status_code == 302
        assert sitting(game) == ["Ada", "", "", "Bea"]

    def test_who_sits_already_is_led_there(self, game, ada, bob):
        browser = Browser(ada)
        assert browser.look(join(game))["Location"] == table(game, "room")
        assert browser.send(join(game))["Location"] == table(game, "room")
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        assert browser.look(join(game))["Location"] == table(game)

    def test_the_last_seat_starts_the_game(self, ada, slug):
        game = waiting_table(slug, ada, free=1)
        response = Browser().send(join(game), name="Bea")
        assert response["Location"] == table(game)
        game.refresh_from_db()
        assert not game.is_waiting

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("", "Tell the others what to call you."),
            (" ", "Tell the others what to call you."),
            ("Ada", "belongs to an account"),
            ("ADA", "belongs to an account"),
            ("Bea", "is called like that"),
            ("admin", "kept for the site"),
            ("x" * 21, "2 to 20 characters"),
            ("B\0b", "letters, digits"),
            ("<b>Bob", "letters, digits"),
        ],
    )
    def test_a_name_that_cannot_be(self, game, name, words):
        seating.sit_down(user=guest(), key=game.key, name="Bea")
        before = stored()
        response = Browser().send(join(game), name=name)
        assert response.status_code == 400
        page = page_of(response)
        assert words in refusal(page, response.content.decode())
        # The form comes again, with the name as it was typed, and the table as it stands.
        [field] = page.all("input", name="name")
        assert field["value"] == name.replace("\0", "\ufffd") or "\0" in name
        assert "Bea" in page.words and stored() == before

    @pytest.mark.parametrize("seat", ["4", "99", "-1", "x", "1.0", "٣", "9" * 400])
    def test_a_seat_that_is_none(self, game, seat):
        before = stored()
        response = Browser().send(join(game), name="Bea", seat=seat)
        assert response.status_code == 400
        assert "There is no such seat." in page_of(response).words and stored() == before

    def test_a_seat_that_somebody_else_took(self, game, bob):
        seating.sit_down(user=bob, key=game.key, index=2)
        response = Browser().send(join(game), name="Bea", seat="2")
        assert response.status_code == 409
        page = page_of(response)
        assert "Somebody else was quicker" in page.words
        assert [button["value"] for button in page.all("button", name="seat")] == ["1", "3"]
        [field] = page.all("input", name="name")
        assert field["value"] == "Bea"

    def test_a_link_to_nothing(self, slug):
        for response in (Browser().look("/join/nothing/"), Browser().send("/join/nothing/")):
            assert response.status_code == 404
            page = page_of(response)
            assert "no such table" in page.words and "/tables/" in page.links()
            assert f"/{slug}/new/?with=friends" in page.links()

    def test_a_table_that_has_started(self, game, ada, bob):
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        for browser in (Browser(), Browser(bob)):
            response = browser.look(join(game))
            assert response.status_code == 200
            page = page_of(response)
            assert "This game has started" in page.words
            assert f"/watch/{game.key}/" in page.links() and "/tables/" in page.links()
            assert not page.all("input", name="name")
            response = browser.send(join(game), name="Bea")
            assert response.status_code == 409
            assert f"/watch/{game.key}/" in page_of(response).links()

    def test_who_is_gone_and_for_whom_a_bot_plays(self, game, ada, bob):
        for person in (bob, guest()):
            seating.sit_down(user=person, key=game.key, name="Bea")
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        seating.leave(user=bob, slug=game.slug, game_id=game.pk)
        game.seats.filter(index=2).update(user=None, name="")
        page = page_of(Browser().look(join(game)))
        assert "Bob a bot plays" in page.words and "nobody any more" in page.words
        assert not page.all("button", name="seat")

    def test_a_table_that_is_over(self, game, ada):
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        seating.leave(user=ada, slug=game.slug, game_id=game.pk)
        for response in (Browser().look(join(game)), Browser().send(join(game), name="Bea")):
            page = page_of(response)
            assert "This game is over." in page.words
            assert f"/games/{game.pk}/replay/" in page.links()

    def test_somebody_who_was_removed(self, game, ada, bob):
        seating.sit_down(user=bob, key=game.key)
        game.refresh_from_db()
        seating.remove(user=ada, slug=game.slug, game_id=game.pk, version=game.version, index=1)
        browser = Browser(bob)
        for response in (
            browser.look(join(game)),
            browser.send(join(game)),
            browser.look(table(game, "room")),
            browser.send(table(game, "wait"), htmx=True),
        ):
            assert response.status_code == 403
            page = page_of(response)
            assert "The host has removed you" in page.words and "/tables/" in page.links()
        assert sitting(game) == ["Ada", "", "", ""]

    def test_somebody_suspended(self, game, bob):
        User.objects.filter(pk=bob.pk).update(suspended=timezone.now())
        assert Browser(bob).look(join(game)).status_code == 200
        response = Browser(bob).send(join(game))
        assert response.status_code == 403 and "suspended" in page_of(response).words
        assert sitting(game) == ["Ada", "", "", ""]

    def test_new_guests_are_limited_by_address(self, game, settings):
        settings.RATE_LIMITS = True
        rates.limiter().storage.reset()
        for _ in range(120):
            rates.hit("guest", "127.0.0.1")
        response = Browser().send(join(game), name="Bea")
        assert response.status_code == 429
        page_of(response)
        # Who is somebody already makes no guest.
        assert Browser(guest()).send(join(game), name="Bea").status_code == 302
        rates.limiter().storage.reset()

    def test_form_without_a_token(self, game):
        browser = Browser()
        assert browser.send(join(game), name="Bea", csrfmiddlewaretoken="").status_code == 403
        assert sitting(game) == ["Ada", "", "", ""]


# -- the waiting room -----------------------------------------------------------------------------


def wait(browser: Browser, game: Game, stamp: str = "") -> Any:
    return browser.send(table(game, "wait"), htmx=True, stamp=stamp)


def stamp_of(response) -> str:
    [field] = Page(response.content.decode()).all("input", name="stamp")
    return field["value"]


class TestWaitingRoom:
    def test_shows_who_is_there_and_how_to_invite(self, game, ada, monkeypatch):
        monkeypatch.setattr(live, "address", lambda topic: f"/events/{topic}")
        bea = Browser()
        bea.send(join(game), name="Bea")
        response = Browser(ada).look(table(game, "room"))
        page = page_of(response)
        [link] = page.all("input", id="link")
        assert link["value"] == f"http://testserver{join(game)}"
        assert len(page.all("span", role="img")) == 1, "the same as a QR code"
        assert "2 seats are free." in page.words
        assert f'data-events="/events/table-{game.pk}"' in response.content.decode()
        assert game.commitment in page.words
        # The host may do what others may not.
        assert page.all("form", action=table(game, "fill"))
        assert [names["value"] for names in page.all("input", name="seat")] == ["1"]
        html = bea.look(table(game, "room")).content.decode()
        assert table(game, "fill") not in html and table(game, "remove") not in html
        assert "Ada can also start it with bots." in " ".join(Page(html).words.split())

    def test_is_for_the_seated(self, game, bob):
        for browser in (Browser(), Browser(bob)):
            for what in ("wait", "fill", "remove", "leave", "hand-over"):
                fields = {"seat": "0", "version": "0", "level": "easy"}
                response = browser.send(table(game, what), **fields)
                assert response.status_code == 403, what
                assert game.key not in response.content.decode()
            assert browser.look(table(game, "room")).status_code == 403

    def test_no_such_room(self, game, ada):
        for path in (
            f"/{game.slug}/{game.pk + 1}/room",
            f"/laws/{game.pk}/room",
            f"/{game.slug}/{2**64}/room",
        ):
            response = Browser(ada).look(path)
            assert response.status_code == 404
            assert "/tables/" in page_of(response).links()

    def test_a_table_that_goes_on_is_no_room(self, game, ada):
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        assert Browser(ada).look(table(game, "room"))["Location"] == table(game)
        assert Browser(ada).send(table(game, "wait"))["Location"] == table(game)

    def test_only_news_are_sent(self, game, ada):
        browser = Browser(ada)
        stamp = stamp_of(browser.look(table(game, "room")))
        assert wait(browser, game, stamp).status_code == 204
        seating.sit_down(user=guest(), key=game.key, name="Bea")
        response = wait(browser, game, stamp)
        html = response.content.decode()
        assert response.status_code == 200 and "<html" not in html
        assert len(Page(html).all("div", id="seats")) == 1 and "Bea has sat down." in html
        assert not Page(html).inline
        stamp = stamp_of(response)
        assert wait(browser, game, stamp).status_code == 204
        # Somebody who is away is news, too, but nobody is told again what happened before.
        game.seats.filter(index=1).update(seen=timezone.now() - 2 * seating.AWAY)
        html = wait(browser, game, stamp).content.decode()
        assert "away" in html and "Bea has sat down." not in html

    @pytest.mark.parametrize("stamp", ["", "0", "1-", "x" * 300, "\0"])
    def test_any_stamp(self, game, ada, stamp):
        assert wait(Browser(ada), game, stamp).status_code == 200

    def test_looking_is_being_there(self, game, ada):
        Seat.objects.update(seen=None)
        wait(Browser(ada), game)
        assert game.seats.get(index=0).seen
        Seat.objects.update(seen=None)
        Browser(ada).look(table(game, "room"))
        assert game.seats.get(index=0).seen

    def test_a_page_that_nobody_sees_is_not(self, game, ada):
        Seat.objects.update(seen=None)
        response = Browser(ada).send(table(game, "wait"), htmx=True, stamp="", hidden="1")
        assert response.status_code == 200
        assert game.seats.get(index=0).seen is None

    def test_the_start_leads_to_the_table(self, game, ada):
        bea = Browser()
        bea.send(join(game), name="Bea")
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        response = wait(bea, game)
        assert response.status_code == 204 and response["HX-Redirect"] == table(game)

    def test_a_table_that_is_gone(self, game, ada):
        Browser(ada).send(table(game, "leave"))
        response = wait(Browser(ada), game)
        assert response.status_code == 404 and response["HX-Retarget"] == "body"
        assert "/tables/" in page_of(response).links()

    def test_change_to_another_free_seat(self, game, ada):
        page = page_of(Browser(ada).look(table(game, "room")))
        assert page.all("form", id="change", action=join(game))
        assert Browser(ada).send(join(game), seat="2")["Location"] == table(game, "room")
        assert sitting(game) == ["", "", "Ada", ""]

    def test_another_seat_that_somebody_took(self, game, ada, bob):
        seating.sit_down(user=bob, key=game.key, index=2)
        response = Browser(ada).send(join(game), seat="2")
        assert response.status_code == 409
        page = page_of(response)
        assert "Somebody else was quicker" in page.words
        assert page.all("form", action=table(game, "leave")), "in the waiting room"

    def test_it_costs_the_same_with_many_seats(self, ada):
        numbers = []
        for players in (4, 12):
            game = waiting_table("ochs-esel", ada, players=players, free=players - 1)
            for number in range(players - 2):
                seating.sit_down(user=guest(), key=game.key, name=f"Bea{number}")
            browser = Browser(ada)
            stamp = stamp_of(browser.look(table(game, "room")))
            for ask in (
                partial(browser.look, table(game, "room")),
                partial(wait, browser, game),
                partial(wait, browser, game, stamp),
            ):
                with CaptureQueriesContext(connection) as caught:
                    assert ask().status_code in (200, 204)
                numbers.append(len(caught))
        assert numbers[:3] == numbers[3:] and max(numbers) <= 7


class TestStart:
    def test_bots_fill_in(self, game, ada):
        response = Browser(ada).send(table(game, "fill"), level="steady")
        assert response["Location"] == table(game)
        game.refresh_from_db()
        assert not game.is_waiting
        assert [seat.bot for seat in game.seats.order_by("index")] == ["", *["steady"] * 3]
        # Pressed once more, it is the same game.
        assert Browser(ada).send(table(game, "fill"), level="easy")["Location"] == table(game)

    @pytest.mark.parametrize("level", ["", "grandmaster", "\0", "open", "me"])
    def test_what_is_no_level(self, game, ada, level):
        response = Browser(ada).send(table(game, "fill"), level=level)
        assert response.status_code == 400
        assert "no bot of this level" in page_of(response).words
        game.refresh_from_db()
        assert game.is_waiting

    def test_is_the_hosts(self, game, bob):
        seating.sit_down(user=bob, key=game.key)
        response = Browser(bob).send(table(game, "fill"), level="easy")
        assert response.status_code == 403
        assert "Only the host" in refusal(page_of(response), response.content.decode())
        game.refresh_from_db()
        assert game.is_waiting


class TestRemove:
    @pytest.fixture
    def full(self, game, bob) -> Game:
        seating.sit_down(user=bob, key=game.key)
        game.refresh_from_db()
        return game

    def test_frees_the_seat(self, full, ada):
        fields = {"version": full.version, "seat": "1"}
        response = Browser(ada).send(table(full, "remove"), **fields)
        assert response["Location"] == table(full, "room")
        assert sitting(full) == ["Ada", "", "", ""]
        assert full.changes.filter(what=SeatChange.What.REMOVED, seat=1).count() == 1

    def test_is_asked_for_first(self, full, ada):
        html = Browser(ada).look(table(full, "room")).content.decode()
        asked = re.search(r"<details[^>]*d-remove-1-Bob.*?</details>", html, re.S)[0]
        assert "cannot come back" in asked and "Yes, remove Bob" in asked

    def test_is_the_hosts(self, full, bob):
        fields = {"version": full.version, "seat": "0"}
        response = Browser(bob).send(table(full, "remove"), **fields)
        assert response.status_code == 403 and sitting(full) == ["Ada", "Bob", "", ""]

    @pytest.mark.parametrize(
        ("fields", "status"),
        [
            ({"seat": "0"}, 400),
            ({"seat": "2"}, 400),
            ({"seat": ""}, 400),
            ({"seat": "77"}, 400),
            ({"seat": "x"}, 400),
            ({"seat": "1", "version": ""}, 400),
            ({"seat": "1", "version": "٣"}, 400),
            ({"seat": "1", "version": "9" * 30}, 400),
            ({"seat": "1", "version": "0"}, 409),
        ],
    )
    def test_what_cannot_be(self, full, ada, fields, status):
        fields = {"version": full.version, **fields}
        response = Browser(ada).send(table(full, "remove"), **fields)
        assert response.status_code == status
        page = page_of(response)
        assert refusal(page, response.content.decode()) and "Bob" in page.words
        assert sitting(full) == ["Ada", "Bob", "", ""]

    def test_too_late(self, full, ada):
        seating.fill(user=ada, slug=full.slug, game_id=full.pk, level="easy")
        fields = {"version": full.version, "seat": "1"}
        browser = Browser(ada)
        response = browser.send(table(full, "remove"), **fields)
        assert response["Location"] == table(full), "where a message says so"
        assert "The game has started already." in page_of(browser.look(table(full))).words
        assert full.seats.get(index=1).user


class TestLeave:
    def test_before_the_start(self, game, ada, bob):
        seating.sit_down(user=bob, key=game.key)
        browser = Browser(ada)
        response = browser.send(table(game, "leave"))
        assert response["Location"] == "/tables/"
        assert "You have left the table." in page_of(browser.look("/tables/")).words
        assert sitting(game) == ["", "Bob", "", ""]
        page = page_of(Browser(bob).look(table(game, "room")))
        assert page.all("form", action=table(game, "fill")), "the rights pass on"
        # The page that was left looks once more, or another tab does.
        assert wait(browser, game)["HX-Redirect"] == "/tables/"
        assert browser.look(table(game, "room")).status_code == 403

    def test_as_the_game_begins(self, game, ada, bob):
        """Who stands up before the start does not leave a game without a warning."""
        seating.sit_down(user=bob, key=game.key)
        page = page_of(Browser(bob).look(table(game, "room")))
        assert page.all("input", name="waiting")
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        browser = Browser(bob)
        response = browser.send(table(game, "leave"), waiting="1")
        assert response["Location"] == table(game)
        assert not game.seats.get(user=bob).bot
        assert "The game had begun already" in page_of(browser.look(table(game))).words

    def test_the_last_one(self, game, ada):
        assert Browser(ada).send(table(game, "leave"))["Location"] == "/tables/"
        assert not Game.objects.filter(pk=game.pk).exists()

    def test_a_running_game(self, game, ada, bob):
        seating.sit_down(user=bob, key=game.key)
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        browser = Browser(ada)
        response = browser.send(table(game, "leave"))
        assert response["Location"] == "/tables/"
        page = page_of(browser.look("/tables/"))
        assert "A bot plays on for you." in page.words
        assert table(game) in page.links(), "the way back"
        seat = game.seats.get(index=0)
        assert seat.left and seat.bot and seat.user == ada

    def test_the_last_one_of_a_running_game(self, game, ada):
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        assert Browser(ada).send(table(game, "leave"))["Location"] == table(game)
        game.refresh_from_db()
        assert game.is_over


# -- a seat that changes hands --------------------------------------------------------------------


def hand_over(browser: Browser, game: Game) -> str:
    """The address that hands the seat over."""
    response = browser.send(table(game, "hand-over"))
    assert response.status_code == 200
    page = page_of(response)
    assert len(page.all("span", role="img")) == 1
    [link] = page.all("input", id="link")
    return link["value"].removeprefix("http://testserver")


class TestHandOver:
    def test_to_a_guest(self, game, ada):
        path = hand_over(Browser(ada), game)
        browser = Browser()
        page = page_of(browser.look(path))
        assert f"Ada hands you a seat at {game.kind.title}" in page.words
        response = browser.send(path, name="Bea")
        assert response["Location"] == table(game, "room")
        assert sitting(game) == ["Bea", "", "", ""]
        for gone in (
            Browser(ada).look(table(game, "room")),
            wait(Browser(ada), game),
        ):
            assert gone.status_code == 403
            assert "Somebody else has taken over your seat" in page_of(gone).words
        # It works once.
        for late in (Browser().look(path), Browser().send(path, name="Cem")):
            assert late.status_code == 404
            page = page_of(late)
            assert "used already" in page.words and "/tables/" in page.links()

    def test_at_a_running_table_of_bots(self, owner, slug):
        game = new_table(slug, owner)
        path = hand_over(Browser(owner), game)
        assert Browser().send(path, name="Bea")["Location"] == table(game)
        assert game.seats.get(index=0).name == "Bea"

    def test_to_an_account(self, game, ada, bob):
        path = hand_over(Browser(ada), game)
        page = page_of(Browser(bob).look(path))
        assert "You sit down as Bob." in page.words and not page.all("input", name="name")
        assert Browser(bob).send(path).status_code == 302
        assert sitting(game) == ["Bob", "", "", ""]

    def test_a_guest_keeps_the_name_on_another_device(self, game):
        browser, phone = Browser(), Browser()
        browser.send(join(game), name="Bea")
        path = hand_over(browser, game)
        [field] = page_of(phone.look(path)).all("input", name="name")
        assert field["value"] == "Bea"
        assert phone.send(path, name="Bea").status_code == 302
        assert sitting(game) == ["Ada", "Bea", "", ""]

    def test_trying_the_own_code_uses_nothing_up(self, game, ada):
        path = hand_over(Browser(ada), game)
        assert Browser(ada).look(path)["Location"] == table(game, "room")
        assert Browser().look(path).status_code == 200

    def test_nobody_has_two_seats(self, game, ada, bob):
        seating.sit_down(user=bob, key=game.key)
        path = hand_over(Browser(ada), game)
        page = page_of(Browser(bob).look(path))
        assert "nobody has two" in page.words and table(game, "room") in page.links()
        response = Browser(bob).send(path)
        assert response.status_code == 409
        page_of(response)
        assert sitting(game) == ["Ada", "Bob", "", ""]

    def test_a_name_that_cannot_be(self, game, ada, bob):
        seating.sit_down(user=guest(), key=game.key, name="Bea")
        path = hand_over(Browser(ada), game)
        for name in ("Bob", "Bea", "x"):
            response = Browser().send(path, name=name)
            assert response.status_code == 400
            assert refusal(page_of(response), response.content.decode())
        assert sitting(game) == ["Ada", "Bea", "", ""]
        assert Browser().look(path).status_code == 200, "the code is good still"

    def test_who_was_removed_cannot_come_back_by_it(self, game, ada, bob):
        seating.sit_down(user=bob, key=game.key)
        game.refresh_from_db()
        seating.remove(user=ada, slug=game.slug, game_id=game.pk, version=game.version, index=1)
        path = hand_over(Browser(ada), game)
        response = Browser(bob).send(path)
        assert response.status_code == 403 and "removed you" in page_of(response).words

    @pytest.mark.parametrize("code", ["x", "0" * 24, "a-b_c", "x" * 500])
    def test_a_wrong_code(self, code):
        for response in (Browser().look(f"/seat/{code}/"), Browser().send(f"/seat/{code}/")):
            assert response.status_code == 404
            page_of(response)

    def test_an_old_code(self, game, ada):
        path = hand_over(Browser(ada), game)
        Seat.objects.update(hand_over_until=timezone.now())
        assert Browser().look(path).status_code == 404
        assert Browser().send(path, name="Bea").status_code == 404
        assert sitting(game)[0] == "Ada"

    def test_after_the_end(self, game, ada):
        path = hand_over(Browser(ada), game)
        seating.fill(user=ada, slug=game.slug, game_id=game.pk, level="easy")
        seating.leave(user=ada, slug=game.slug, game_id=game.pk)
        response = Browser().look(path)
        assert response.status_code == 409
        page_of(response)
        response = Browser(ada).send(table(game, "hand-over"))
        assert response["Location"] == table(game)

    def test_the_code_is_in_no_cache(self, game, ada):
        browser = Browser(ada)
        path = hand_over(browser, game)
        for response in (browser.send(table(game, "hand-over")), Browser().look(path)):
            assert response["Cache-Control"] == "no-store"
            assert response["Referrer-Policy"] == "same-origin"
        assert response["X-Robots-Tag"] == "noindex"


# -- secrets --------------------------------------------------------------------------------------


def test_the_cards_are_nobodys_business(ada, bob, slug, monkeypatch):
    """Lobby, invitation and waiting room are the same whatever was dealt, to everybody's hand."""
    monkeypatch.setattr(live, "address", lambda topic: f"/events/{topic}")
    game = waiting_table(slug, ada, listed=True)
    seating.sit_down(user=bob, key=game.key)
    game.refresh_from_db()
    path = hand_over(Browser(bob), game)
    encoded = game.rules.encode(game.load())
    other = game.rules.encode(game.rules.start("a7" * 32, game.players, game.options))
    deals = [encoded, other, *[KITS[slug].redeal(encoded, 0, Random(n)) for n in range(2)]]
    assert len({str(deal["position"]["hands"]) for deal in deals}) > 2
    host, guest_, nobody = Browser(ada), Browser(bob), Browser()
    stamp = stamp_of(host.look(table(game, "room")))
    guest_.look(table(game, "room"))
    wrong = {"version": game.version, "seat": "3"}
    for ask in (
        partial(nobody.look, "/tables/"),
        partial(nobody.look, "/tables/", htmx=True),
        partial(host.look, "/tables/"),
        partial(nobody.look, join(game)),
        partial(nobody.send, join(game), name=""),
        partial(nobody.look, path),
        partial(host.look, table(game, "room")),
        partial(guest_.look, table(game, "room")),
        partial(wait, host, game),
        partial(wait, host, game, stamp),
        partial(host.send, table(game, "remove"), **wrong),
        partial(host.send, table(game, "fill"), level="none"),
        partial(nobody.look, table(game, "room")),
        partial(host.look, "/"),
    ):
        answers = set()
        for deal in deals:
            Game.objects.filter(pk=game.pk).update(seed=deal["seed"], state=deal["position"])
            response = ask()
            assert deal["seed"].encode() not in response.content
            answers.add(str(answer(response)))
        assert len(answers) == 1, ask
