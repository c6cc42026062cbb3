"""Tables for those who look on: whoever has the link sees what nobody has to hide."""

import re

import pytest
import time_machine

from ouroboros_site.accounts.models import User
from ouroboros_site.play import seating, services
from ouroboros_site.play.models import Game, Move, Seat

from .helpers import Browser, Page, fragment_of, page_of, table
from .met import NOON, met, play_out, stamp_of
from .shared import each_table, legal_texts, new_table, shown_version, waiting_table

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
    return met(slug, ada, bob)


def watch(game: Game, **fields: object) -> str:
    query = "&".join([f"{name}={value}" for name, value in fields.items()])
    return f"/watch/{game.key}/?{query}"


def actions(page: Page) -> set[str | None]:
    """Where the page can send anything."""
    return {form["action"] for form in page.all("form") if form.get("method") != "dialog"}


def test_shows_the_table_and_nothing_to_do(game):
    response = Browser().look(watch(game))
    page = page_of(response)
    assert response.status_code == 200 and response["X-Robots-Tag"] == "noindex"
    assert [at["data-turn"] for at in page.all("div", id="table")] == ["theirs"]
    assert "Ada’s turn" in page.words and "You look on" in page.words
    for name in ("Ada", "Bob", *game.seats.filter(user=None).values_list("name", flat=True)):
        assert name in page.words
    assert actions(page) == {"/look", f"/watch/{game.key}/"}
    assert not page.all("button", name="action") and not page.all("form", id="advance")
    part = fragment_of(Browser().look(watch(game, version=9), htmx=True))
    assert not re.findall(r"\b[Yy]ou(?! look on)", part.words)


def test_nobodys_hand_is_in_it(game):
    html = Browser().look(watch(game)).content.decode()
    assert 'name="card"' not in html and 'name="set"' not in html
    assert not re.search(r'class="hand', html)


def test_who_sits_there_sees_no_more_in_it(ada, game):
    strangers = Browser().look(watch(game)).content.decode()
    own = Browser(ada).look(watch(game)).content.decode()
    table_of = re.compile(r'<div id="table".*</div>', re.S)
    [one], [two] = table_of.findall(strangers), table_of.findall(own)
    assert one.partition("<section")[0] == two.partition("<section")[0]


def test_asks_by_itself_for_what_is_new(ada, game):
    browser = Browser()
    html = browser.look(watch(game)).content.decode()
    shown = {"version": shown_version(html), "stamp": stamp_of(html)}
    assert browser.look(watch(game, **shown), htmx=True).status_code == 204
    seating.say(user=ada, slug=game.slug, game_id=game.pk, phrase="hello")
    said = browser.look(watch(game, **shown), htmx=True)
    assert said["HX-Reswap"] == "none" and "Hello!" in said.content.decode()
    assert 'name="mute"' not in said.content.decode()
    services.submit_moves(
        user=ada,
        slug=game.slug,
        game_id=game.pk,
        version=shown["version"],
        texts=legal_texts(game)[:1],
    )
    moved = browser.look(watch(game, **shown), htmx=True)
    assert shown_version(moved.content.decode()) == shown["version"] + 1
    assert fragment_of(moved).all("ol", **{"hx-swap-oob": "afterbegin:#log"})


def test_what_is_asked_wrongly_is_refused(game):
    response = Browser().look(watch(game, version="x"), htmx=True)
    assert response.status_code == 400 and response["X-Robots-Tag"] == "noindex"


def test_before_the_start_it_is_the_invitation(ada, slug):
    game = waiting_table(slug, ada)
    response = Browser().look(watch(game))
    assert (response.status_code, response["Location"]) == (302, f"/join/{game.key}/")


@pytest.mark.parametrize("key", ["nothing", "None", "0"])
def test_no_link_leads_to_no_table(ada, slug, key):
    new_table(slug, ada)
    for htmx in (False, True):
        response = Browser().look(f"/watch/{key}/?version=0", htmx=htmx)
        assert response.status_code == 404 and "no such table" in response.content.decode()


def test_the_end_leads_to_the_replay(game):
    play_out(game)
    page = page_of(Browser().look(watch(game)))
    assert "The game is over" in page.words
    assert f"/games/{game.pk}/replay/" in page.links()
    assert not page.all("form", id="rematch") and "You" not in page.words.split()
    assert actions(page) == {"/look", f"/watch/{game.key}/"}


def test_a_table_that_all_have_left(ada, bob, game):
    for user in (ada, bob):
        seating.leave(user=user, slug=game.slug, game_id=game.pk)
    page = page_of(Browser().look(watch(game)))
    assert "The game is over" in page.words and "Bob left the table." in page.words


def test_bots_play_on_for_those_who_left_and_nobody_who_looks_on_moves_them(ada, game):
    seating.leave(user=ada, slug=game.slug, game_id=game.pk)
    page = page_of(Browser().look(watch(game)))
    assert "plays for Ada" in page.words and not page.all("form", id="advance")
    response = Browser().send(table(game, "advance"), version="9")
    assert response.status_code == 403 and not Move.objects.filter(game=game).exists()


def test_looking_on_is_no_presence(ada, game):
    before = list(Seat.objects.filter(game=game).values_list("seen", flat=True))
    Browser(ada).look(watch(game))
    assert list(Seat.objects.filter(game=game).values_list("seen", flat=True)) == before
