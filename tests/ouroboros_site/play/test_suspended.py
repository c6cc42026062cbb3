"""A suspended account can look at its games and change nothing of them."""

import pytest

from ouroboros_site.accounts.services import suspend_user, unsuspend_user
from ouroboros_site.play import daily

from .helpers import Browser, fragment_of, legal, new_game, page_of, stored, submit, table

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(ada, slug):
    game = new_game(slug, ada, ranked=False)
    submit(game, ada, *legal(game)[:1])
    game.refresh_from_db()
    suspend_user(user=ada, reason="played for others")
    return game


@pytest.mark.parametrize("htmx", [False, True])
@pytest.mark.parametrize("what", ["move", "undo", "redo", "retire"])
def test_writes_are_refused(ada, game, what, htmx):
    browser, before = Browser(ada), stored()
    fields = {"version": game.version, "text": legal(game)[0], "confirm": "1"}
    answer = browser.send(table(game, what), htmx=htmx, **fields)
    assert answer.status_code == 403
    assert "suspended" in page_of(answer).words
    assert stored() == before


@pytest.mark.parametrize("fields", [{}, {"practice": "1"}, {"day": "today"}])
def test_nothing_can_be_started(ada, game, slug, fields):
    browser, before = Browser(ada), stored()
    if "day" in fields:
        fields = {"day": daily.today().isoformat()}
    answer = browser.send(f"/{slug}/start", **fields)
    assert answer.status_code == 403
    assert "suspended" in page_of(answer).words
    assert stored() == before


def test_looking_is_allowed(ada, game):
    browser = Browser(ada)
    assert browser.look(table(game)).status_code == 200
    assert browser.look("/").status_code == 200
    answer = browser.send(table(game, "preview"), htmx=True, version=game.version)
    assert answer.status_code == 200


def test_unsuspended_it_goes_on(ada, game):
    unsuspend_user(user=ada)
    fields = {"version": game.version, "text": legal(game)[0], "confirm": "1"}
    answer = Browser(ada).send(table(game, "move"), htmx=True, **fields)
    assert answer.status_code == 200 and fragment_of(answer)
