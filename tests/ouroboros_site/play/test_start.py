"""Starting a game from the home page: one click, two clicks, and a form that comes back later."""

import re
from datetime import timedelta

import pytest

from ouroboros_site.accounts.models import User
from ouroboros_site.play.models import Game

from .helpers import SEED, TOKEN, Answer, Browser, at_once, fragment_of, guest, legal, page_of

ROUNDS = 2
LATER = timedelta(seconds=30)


def start(browser: Browser, slug: str, **fields):
    fields.setdefault("once", TOKEN)
    return browser.send(f"/{slug}/start", **fields)


def game_of(response) -> Game:
    """The game that an answer leads to."""
    assert response.status_code == 302
    return Game.objects.get(pk=int(response.headers["Location"].split("/")[2]))


def pass_time() -> None:
    for game in Game.objects.all():
        Game.objects.filter(pk=game.pk).update(created=game.created - LATER)


def sees(browser: Browser, game: Game) -> bool:
    return browser.look(f"/{game.slug}/{game.pk}/").status_code == 200


def can_play(browser: Browser, game: Game) -> bool:
    """Whether this browser makes a move in the game, as htmx sends it."""
    game.refresh_from_db()
    answer = browser.send(
        f"/{game.slug}/{game.pk}/move",
        htmx=True,
        text=legal(game)[0],
        version=game.version,
        confirm="1",
    )
    if answer.status_code == 200:
        fragment_of(answer)
    return answer.status_code == 200


@pytest.mark.django_db
class TestOneClick:
    def test_a_visitor_becomes_a_guest_and_stays_one(self, slug):
        browser = Browser()
        first = game_of(start(browser, slug))
        user = User.objects.get()
        assert user.is_guest and first.ranked
        assert browser.session["_auth_user_id"] == str(user.pk)
        second = game_of(start(browser, slug, once="f" * 32))
        assert second != first
        assert User.objects.count() == 1
        assert set(Game.objects.of(user)) == {first, second}
        assert can_play(browser, first) and can_play(browser, second)

    def test_the_session_lasts(self, slug):
        response = start(Browser(), slug)
        cookie = response.cookies["sessionid"]
        assert int(cookie["max-age"]) >= 365 * 24 * 60 * 60
        assert cookie["httponly"] and cookie["samesite"] == "Lax"

    def test_the_session_holds_who_it_is_and_nothing_of_a_game(self, slug):
        browser = Browser()
        start(browser, slug)
        assert set(browser.session.keys()) == {
            "_auth_user_id",
            "_auth_user_backend",
            "_auth_user_hash",
        }

    def test_practice_with_a_deal(self, browser, slug):
        game = game_of(start(browser, slug, practice="1", seed=f" {SEED.upper()} "))
        assert (game.ranked, game.seed) == (False, SEED)
        game = game_of(start(browser, slug, practice="1", seed="", once="e" * 32))
        assert not game.ranked and game.seed != SEED

    @pytest.mark.parametrize("seed", [SEED, f" {SEED.upper()} ", "xyz", "a" * 60000])
    def test_a_ranked_game_takes_no_deal(self, slug, seed):
        response = start(Browser(), slug, seed=seed)
        assert response.status_code == 400
        assert "A seed can be given for practice only." in page_of(response).words
        assert not Game.objects.exists() and not User.objects.exists()

    def test_a_seed_that_is_left_empty_is_none(self, browser, slug):
        assert game_of(start(browser, slug, seed="  ")).ranked

    @pytest.mark.parametrize("seed", ["0", "xyz", "g" * 64, "\0" * 64, "٣" * 64, "a" * 60000])
    def test_a_bad_seed_starts_nothing(self, slug, seed):
        response = start(Browser(), slug, practice="1", seed=seed)
        assert response.status_code == 400
        assert "64" in page_of(response).words
        assert not Game.objects.exists() and not User.objects.exists()

    def test_an_unknown_game(self, db):
        response = start(Browser(), "patience")
        assert response.status_code == 404
        page_of(response)
        assert not User.objects.exists()

    @pytest.mark.parametrize("once", ["", "x", "\0", "a\0" * 16, "z" * 32, "é" * 32, "f" * 5000])
    def test_a_strange_token_starts_a_game_all_the_same(self, slug, once):
        assert game_of(start(Browser(), slug, once=once)).slug == slug

    def test_the_token_comes_from_the_home_page_and_is_new_each_time(self, client):
        fields = [
            re.findall(r'name="once" value="([^"]*)"', client.get("/").content.decode())
            for _ in range(2)
        ]
        assert fields[0] and fields[1]
        for token in fields[0] + fields[1]:
            assert re.fullmatch("[0-9a-f]{32}", token)
        assert not set(fields[0]) & set(fields[1])


@pytest.mark.django_db
class TestTwoClicks:
    def test_of_a_visitor(self, slug):
        # The second click goes out before the answer to the first has brought a session.
        first, second = Browser(), Browser()
        games = [game_of(start(browser, slug)) for browser in (first, second)]
        assert games[0] == games[1] == Game.objects.get()
        assert User.objects.count() == 1
        assert can_play(first, games[0]) and can_play(second, games[0])

    def test_of_a_guest(self, owner, slug):
        first, second = Browser(owner), Browser(owner)
        games = [game_of(start(browser, slug)) for browser in (first, second)]
        assert games[0] == games[1] == Game.objects.get()
        assert User.objects.get() == owner
        assert can_play(first, games[0]) and can_play(second, games[0])

    @pytest.mark.parametrize(
        ("slug", "fields"),
        [("market", {}), ("laws", {"practice": "1"}), ("laws", {"practice": "1", "seed": SEED})],
    )
    def test_another_form_of_the_page_is_not_the_same_click(self, browser, slug, fields):
        first = game_of(start(browser, "laws"))
        second = game_of(start(browser, slug, **fields))
        assert second != first
        assert (second.slug, second.ranked) == (slug, "practice" not in fields)
        assert can_play(browser, first) and can_play(browser, second)

    def test_a_form_that_comes_back_after_a_while_means_a_new_game(self, browser, slug):
        first = game_of(start(browser, slug))
        pass_time()
        second = game_of(start(browser, slug))
        assert first != second
        # … on which in turn a double click may fall.
        assert game_of(start(browser, slug)) == second

    def test_a_form_that_comes_back_after_a_move_means_a_new_game(self, browser, slug):
        first = game_of(start(browser, slug))
        assert can_play(browser, first)
        assert game_of(start(browser, slug)) != first


@pytest.mark.django_db
class TestSomeoneElsesToken:
    def test_gives_another_guest_nothing(self, browser, other, slug):
        theirs = game_of(start(browser, slug))
        thief = Browser(other)
        mine = game_of(start(thief, slug))
        assert mine != theirs
        assert not can_play(thief, theirs) and can_play(browser, theirs)
        assert list(Game.objects.of(other)) == [mine]

    def test_gives_a_visitor_nothing_of_a_named_account(self, db, slug):
        ada = User.objects.create_user("Ada")
        theirs = game_of(start(Browser(ada), slug))
        thief = Browser()
        assert game_of(start(thief, slug)) != theirs
        assert not can_play(thief, theirs)
        assert thief.session["_auth_user_id"] != str(ada.pk)

    def test_gives_a_visitor_nothing_after_a_while(self, browser, owner, slug):
        theirs = game_of(start(browser, slug))
        pass_time()
        thief = Browser()
        assert game_of(start(thief, slug)) != theirs
        assert not can_play(thief, theirs)
        assert thief.session["_auth_user_id"] != str(owner.pk)

    @pytest.mark.parametrize("once", ["", "1", "next-1", "again-1", "a" * 31, "A" * 32])
    def test_is_none_unless_it_was_drawn_at_random(self, slug, once):
        # Else whoever guesses it would be let into a guest's account.
        victim, thief = Browser(), Browser()
        theirs = game_of(start(victim, slug, once=once))
        assert game_of(start(thief, slug, once=once)) != theirs
        assert thief.session["_auth_user_id"] != victim.session["_auth_user_id"]


@pytest.mark.django_db(transaction=True)
class TestAtTheSameMoment:
    """The same, with the two requests truly on the way at once."""

    @pytest.mark.parametrize("clicks", [2, 4])
    def test_of_a_visitor(self, slug, clicks):
        for round_ in range(ROUNDS):
            browsers = [Browser() for _ in range(clicks)]
            self.click(browsers, slug, f"{round_:032}", guests=round_ + 1)

    def test_of_a_guest(self, transactional_db, slug):
        owner = guest()
        for round_ in range(ROUNDS):
            self.click([Browser(owner) for _ in range(3)], slug, f"{round_:032}", guests=1)

    def click(self, browsers: list[Browser], slug: str, token: str, guests: int) -> None:
        answers = at_once(
            *[
                lambda browser=browser: Answer(browser, f"/{slug}/start", once=token)
                for browser in browsers
            ]
        )
        games = {game_of(answer) for answer in answers}
        assert len(games) == 1
        assert Game.objects.filter(slug=slug).count() == User.objects.count() or guests == 1
        assert User.objects.count() == guests
        (game,) = games
        assert game.seats.count() == 1
        for browser, answer in zip(browsers, answers, strict=True):
            browser.cookies.update(answer.cookies)
            assert sees(browser, game)
        assert can_play(browsers[0], game)
