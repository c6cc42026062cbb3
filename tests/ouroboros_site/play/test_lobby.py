"""The lobby: which tables it lists, what it says of them, and that it is cheap."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.play import live, seating
from ouroboros_site.play.models import Game

from .helpers import Browser, Page, guest, page_of, table
from .shared import each_table, new_table, waiting_table

pytestmark = pytest.mark.django_db
slug = each_table


def join(game: Game) -> str:
    return f"/join/{game.key}/"


def stamp(response) -> str:
    [element] = Page(response.content.decode()).all("div", id="tables")
    return element["hx-get"]


class TestList:
    def test_a_listed_table(self, ada, slug):
        bob = User.objects.create_user("Bob")
        game = waiting_table(slug, ada, players=5, free=3, listed=True, turn_time=45)
        seating.sit_down(user=bob, key=game.key, index=2)
        page = page_of(Browser().look("/tables/"))
        assert join(game) in page.links()
        assert "2 of 5 seats are free" in page.words and "45 seconds a turn" in page.words
        assert "Ada Bob a bot" in page.words
        if slug == "ochs-esel":
            assert "1 round without the ox" in page.words

    def test_options(self, ada):
        waiting_table("ochs-esel", ada, listed=True, options={"rounds": 7, "ox": True})
        assert "7 rounds with the ox" in page_of(Browser().look("/tables/")).words

    def test_of_others_only_what_waits_and_is_listed(self, ada, slug):
        private = waiting_table(slug, ada)
        begun = waiting_table(slug, ada, listed=True)
        seating.fill(user=ada, slug=slug, game_id=begun.pk, level="easy")
        forgotten = waiting_table(slug, ada, listed=True)
        forgotten.seats.update(seen=timezone.now() - timedelta(hours=2))
        page = page_of(Browser().look("/tables/"))
        assert not {join(game) for game in (private, begun, forgotten)} & set(page.links())
        assert "Nobody waits for players just now." in page.words
        assert f"/{slug}/new/?with=friends" in page.links()

    def test_ones_own(self, ada, slug):
        waits = waiting_table(slug, ada, listed=True)
        begun = waiting_table(slug, ada)
        seating.fill(user=ada, slug=slug, game_id=begun.pk, level="easy")
        with_bots = new_table(slug, ada)
        over = waiting_table(slug, ada)
        seating.fill(user=ada, slug=slug, game_id=over.pk, level="easy")
        seating.leave(user=ada, slug=slug, game_id=over.pk)
        page = page_of(Browser(ada).look("/tables/"))
        links = page.links()
        assert table(waits, "room") in links and table(begun) in links
        # One cannot take a second seat, and tables of bots are on the home page.
        assert join(waits) not in links and table(with_bots) not in links
        assert table(over) not in links
        assert "waits, 3 seats are free" in page.words and "goes on" in page.words
        assert "Nobody waits for players just now." in page.words

    def test_links_lead_there(self, slug):
        for browser in (Browser(), Browser(guest())):
            assert "/tables/" in page_of(browser.look("/")).links()
            assert f"/{slug}/new/?with=friends" in page_of(browser.look("/")).links()


class TestLive:
    def test_it_listens_to_the_lobby(self, slug, monkeypatch):
        monkeypatch.setattr(live, "address", lambda topic: f"/events/{topic}")
        html = Browser().look("/tables/").content.decode()
        assert 'data-events="/events/lobby"' in html
        assert 'hx-trigger="live:changed from:body"' in html

    def test_only_news_are_sent(self, ada, slug):
        browser = Browser()
        again = stamp(browser.look("/tables/"))
        assert browser.look(again, htmx=True).status_code == 204
        game = waiting_table(slug, ada, listed=True)
        response = browser.look(again, htmx=True)
        html = response.content.decode()
        assert response.status_code == 200 and "<html" not in html
        assert join(game) in html
        again = stamp(response)
        assert browser.look(again, htmx=True).status_code == 204
        seating.sit_down(user=guest(), key=game.key, name="Bea")
        html = browser.look(again, htmx=True).content.decode()
        assert "Bea" in html and "2 of 4 seats are free" in " ".join(Page(html).words.split())
        seating.fill(user=ada, slug=slug, game_id=game.pk, level="easy")
        html = browser.look(again, htmx=True).content.decode()
        assert join(game) not in html and "Nobody waits" in html

    def test_a_move_at_ones_own_table_is_none(self, ada, slug):
        game = waiting_table(slug, ada)
        seating.fill(user=ada, slug=slug, game_id=game.pk, level="easy")
        browser = Browser(ada)
        again = stamp(browser.look("/tables/"))
        Game.objects.filter(pk=game.pk).update(version=99)
        assert browser.look(again, htmx=True).status_code == 204
        seating.leave(user=ada, slug=slug, game_id=game.pk)
        assert browser.look(again, htmx=True).status_code == 200

    def test_a_plain_page_is_always_whole(self, slug):
        browser = Browser()
        page_of(browser.look(stamp(browser.look("/tables/"))))

    @pytest.mark.parametrize("posted", ["", "0", "x" * 2000, "\0"])
    def test_any_stamp(self, posted):
        response = Browser().get("/tables/", {"stamp": posted}, headers={"HX-Request": "true"})
        assert response.status_code == 200 and b"Nobody waits" in response.content


def test_it_costs_the_same_with_many_tables(ada):
    me = User.objects.create_user("Me")
    browser = Browser(me)

    def queries() -> int:
        browser.look("/tables/")
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert browser.look("/tables/").status_code == 200
        return len(caught)

    def open_tables(number: int) -> None:
        for _ in range(number):
            game = waiting_table("ochs-esel", ada, players=12, free=11, listed=True)
            seating.sit_down(user=guest(), key=game.key, name="Bea")
            own = waiting_table("trick", me)
            seating.sit_down(user=guest(), key=own.key, name="Bea")

    open_tables(1)
    few = queries()
    open_tables(4)
    # Session and user; tables, seats and people of the lobby and of one's own.
    assert queries() == few <= 8
