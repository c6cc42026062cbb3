"""Who may do what: every address with every method, for every kind of visitor, in both editions,
while the game goes on and when it is over."""

import pytest
from django.urls import get_resolver

from ouroboros_site.accounts.models import User
from ouroboros_site.play import urls
from ouroboros_site.play.models import Game

from .helpers import (
    Browser,
    assert_whole,
    finish,
    fragment_of,
    guest,
    legal,
    new_game,
    page_of,
    stored,
    table,
)

pytestmark = pytest.mark.django_db

OWNERS = {"guest": guest, "named": lambda: User.objects.create_user("Ada")}
STRANGERS = {
    "anonymous": lambda: None,
    "other guest": guest,
    "other named": lambda: User.objects.create_user("Bob"),
    "staff": lambda: User.objects.create_superuser("root"),
}

WRITES = ("move", "preview", "undo", "redo", "retire", "advance", "pace")
READS = ("",)

# Of the owner, as plain forms: (what, ranked and going on, ranked and over, practice and going on
# with a move to take back, practice and retired).
ALLOWED = [
    ("", 200, 200, 200, 200),
    ("move", 302, 409, 302, 409),
    ("preview", 200, 200, 200, 200),
    ("undo", 409, 409, 302, 409),
    ("redo", 409, 409, 409, 409),
    ("retire", 302, 409, 302, 409),
    # A solitaire has nobody to wait for.
    ("advance", 404, 404, 404, 404),
    ("pace", 404, 404, 404, 404),
]


def ask(browser: Browser, game: Game, what: str, *, htmx: bool = False):
    """Send what a table sends, well made for the game as it stands."""
    if what in READS:
        return browser.look(table(game, what), htmx=htmx)
    game.refresh_from_db()
    texts = legal(game) or ["bribe 1"]
    fields = {"version": game.version, "text": texts[-1], "confirm": "1"}
    return browser.send(table(game, what), htmx=htmx, **fields)


def test_every_address_is_in_these_tables():
    patterns = {str(pattern.pattern) for pattern in urls.urlpatterns}
    prefix = "<slug:slug>/<int:game_id>/"
    of_a_game = {prefix + what for what in READS + WRITES}
    shown_again = {f"games/<int:game_id>/{what}" for what in ("", "replay/", "record.json")}
    # Those that show a game again: test_replay.py, test_records_page.py, test_verify_deal.py.
    shown_again |= {"replay/", "verify/"}
    before = {"", "<slug:slug>/rules/", "<slug:slug>/new/", "<slug:slug>/start"}
    tallies = {"games/<int:game_id>/tally/", "games/<int:game_id>/tally.csv"}
    # Those of tables with several persons: test_rooms.py, test_here.py, test_talk.py and so on.
    together = {"tables/", "join/<slug:key>/", "seat/<slug:code>/", "watch/<slug:key>/"}
    together |= {prefix + what for what in ("room", "wait", "fill", "remove", "leave", "hand-over")}
    together |= {prefix + what for what in ("here", "back", "vote", "say", "mute", "rematch")}
    assert patterns - tallies == of_a_game | shown_again | before | together
    assert len(get_resolver().url_patterns) >= 3


class TestOwner:
    @pytest.mark.parametrize(
        ("who", "htmx"),
        [("guest", False), ("guest", True), ("named", False)],
        ids=["guest", "guest by htmx", "named"],
    )
    @pytest.mark.parametrize("state", range(4), ids=["ranked", "over", "practice", "ended"])
    def test_may(self, who, slug, state, htmx):
        user = OWNERS[who]()
        browser = Browser(user)
        for what, *expected in ALLOWED:
            game = new_game(slug, user, ranked=state < 2)
            assert ask(browser, game, "move").status_code == 302
            if state in (1, 3):
                finish(game, user)
            before = stored()
            response = ask(browser, game, what, htmx=htmx)
            status = expected[state]
            changed = status == 302
            if htmx and changed:
                status = 200
            assert response.status_code == status, what
            assert (stored() != before) is changed, what
            if changed:
                assert_whole(game)
                if htmx:
                    fragment_of(response)
                else:
                    assert response["Location"] == table(game)
            elif status == 409 and htmx and what in WRITES:
                fragment_of(response)
            elif status == 409:
                page_of(response)


@pytest.mark.parametrize("who", STRANGERS)
@pytest.mark.parametrize("over", [False, True], ids=["open", "over"])
class TestStranger:
    def test_may_nothing(self, owner, slug, who, over):
        game = new_game(slug, owner, ranked=False)
        if over:
            finish(game, owner)
        browser = Browser(STRANGERS[who]())
        before = stored()
        for htmx in (False, True):
            for what in READS + WRITES:
                response = ask(browser, game, what, htmx=htmx)
                assert response.status_code == 403, what
                words = page_of(response).words
                assert "not your game" in words and "session on this browser has ended" in words
                assert game.seed.encode() not in response.content
                assert game.commitment.encode() not in response.content
                assert response.get("HX-Retarget") == ("body" if htmx else None)
        assert stored() == before

    def test_does_not_find_it_in_a_list(self, owner, slug, who, over):
        game = new_game(slug, owner)
        if over:
            finish(game, owner)
        response = Browser(STRANGERS[who]()).look("/")
        assert response.status_code == 200
        assert table(game) not in response.content.decode()
        assert table(game) in Browser(owner).look("/").content.decode()


@pytest.mark.parametrize("who", ["anonymous", "other guest"])
def test_bad_input_of_a_stranger_is_answered_like_any_other(owner, slug, who):
    game = new_game(slug, owner)
    browser = Browser(STRANGERS[who]())
    for what in WRITES:
        for fields in ({}, {"version": "x", "text": "nonsense"}):
            assert browser.send(table(game, what), **fields).status_code == 403, what


@pytest.mark.parametrize("who", ["owner", "anonymous"])
class TestWhatIsNotThere:
    def test_games(self, owner, who):
        game = new_game("laws", owner)
        browser = Browser(owner if who == "owner" else STRANGERS[who]())
        before = stored()
        for path in (
            f"/laws/{game.pk + 1}/",
            f"/laws/{2**63}/",
            f"/laws/{10**40}/",
            f"/market/{game.pk}/",
            f"/patience/{game.pk}/",
        ):
            for what in READS + WRITES:
                for htmx in (False, True) if path.startswith("/market") else (False,):
                    if what in READS:
                        response = browser.look(path + what, htmx=htmx)
                    else:
                        fields = {"version": 0, "text": "bribe 1"}
                        response = browser.send(path + what, htmx=htmx, **fields)
                    assert response.status_code == 404, path + what
                    page_of(response)
                    assert response.get("HX-Retarget") == ("body" if htmx else None)
        assert stored() == before

    @pytest.mark.parametrize(
        "path", ["/nothing", "/laws/", "/laws/-1/", "/laws/1.0/", "/laws/x/", "/laws/١/", "/%00/1/"]
    )
    def test_addresses(self, owner, who, path):
        browser = Browser(owner if who == "owner" else STRANGERS[who]())
        response = browser.look(path)
        assert response.status_code == 404
        page_of(response)


class TestMethods:
    @pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
    @pytest.mark.parametrize("who", ["owner", "anonymous"])
    def test_other_methods(self, owner, who, method):
        game = new_game("laws", owner)
        browser = Browser(owner if who == "owner" else None)
        before = stored()
        paths = ["/", "/laws/rules/", "/laws/start"]
        for path in [*paths, *(table(game, what) for what in READS + WRITES)]:
            headers = {"X-CSRFToken": browser.cookies["csrftoken"].value}
            response = getattr(browser, method)(path, headers=headers)
            assert response.status_code == 405, path
        assert stored() == before

    @pytest.mark.parametrize("who", ["owner", "anonymous"])
    def test_nothing_is_posted_to_what_is_only_read(self, owner, who):
        game = new_game("laws", owner)
        browser = Browser(owner if who == "owner" else None)
        before = stored()
        for path in ("/", "/laws/rules/", *(table(game, what) for what in READS)):
            assert browser.send(path).status_code == 405, path
        assert stored() == before

    @pytest.mark.parametrize("who", ["owner", "anonymous"])
    def test_opening_an_address_plays_nothing(self, owner, who):
        game = new_game("laws", owner, ranked=False)
        browser = Browser(owner if who == "owner" else None)
        text = legal(game)[0]
        before = stored()
        for what in WRITES:
            query = f"?version=0&text={text}&action=text&confirm=1"
            response = browser.look(table(game, what) + query)
            assert response.status_code == 302
            assert response["Location"] == table(game)
        assert browser.look("/laws/start").status_code == 405
        assert stored() == before

    def test_head_is_get_without_the_page(self, owner, browser):
        game = new_game("laws", owner)
        for path in ("/", "/healthz", table(game)):
            response = browser.head(path)
            assert (response.status_code, response.content) == (200, b"")


class TestOpenToAll:
    @pytest.mark.parametrize("who", ["owner", *STRANGERS])
    def test_home_rules_and_starting(self, owner, slug, who):
        user = owner if who == "owner" else STRANGERS[who]()
        browser = Browser(user)
        page_of(browser.look("/"))
        response = browser.look(f"/{slug}/rules/")
        assert response.status_code == 200
        page_of(response)
        assert browser.look("/healthz").content == b"ok\n"
        response = browser.send(f"/{slug}/start", once="")
        assert response.status_code == 302
        game = Game.objects.get()
        assert response["Location"] == table(game)
        seated = game.seats.get().user
        assert seated == user if user else seated.is_guest
        page_of(browser.look(table(game)))

    def test_rules_of_no_game(self, db):
        response = Browser().look("/patience/rules/")
        assert response.status_code == 404
        page_of(response)
