"""Logging in, with the guest's games, and out, here and everywhere."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Best
from ouroboros_site.play import daily, services
from ouroboros_site.play.models import Game, Try
from tests.ouroboros_site.play.helpers import (
    Browser,
    finish,
    guest,
    new_game,
    page_of,
    stored,
    table,
)

from .people import PASSWORD, key, logged_in, named, refused, told, who

pytestmark = pytest.mark.django_db

PATH = "/account/log-in"
NOBODY = "There is no account with this name and this password."


def log_in(browser: Browser, name: str = "Ada", password: str = PASSWORD, path: str = PATH):
    return browser.send(path, username=name, password=password)


class TestVisitor:
    def test_logs_in(self):
        user, browser = named(), Browser()
        assert "as a guest" not in page_of(browser.look(PATH)).words
        response = log_in(browser)
        assert (response.status_code, response["Location"]) == (302, "/")
        assert told(response) == "You are logged in as Ada."
        assert who(browser) == user

    @pytest.mark.parametrize(
        "name",
        ["Scope", "sCOPE", " scope ", "ｓｃｏｐｅ", "\u0455\u0441\u043e\u0440\u0435"],
        ids=ascii,
    )
    def test_however_the_name_is_written(self, name):
        user, browser = named("Scope"), Browser()
        assert log_in(browser, name).status_code == 302
        assert who(browser) == user

    @pytest.mark.parametrize(
        ("name", "password"),
        [
            ("Ada", "wrong"),
            ("Ada", PASSWORD + " "),
            ("Ada", PASSWORD.upper()),
            ("Nobody", PASSWORD),
            ("A\0da", PASSWORD),
            ("Ada", "\0"),
            ("Ada", ""),
            ("", PASSWORD),
            ("x" * 5000, "x" * 5000),
            ("' OR 1=1 --", "' OR 1=1 --"),
        ],
    )
    def test_with_the_wrong_words(self, name, password):
        named()
        browser = Browser()
        response = log_in(browser, name, password)
        refused(response)
        assert who(browser) is None
        assert "sessionid" not in response.cookies

    def test_a_known_name_is_not_told_from_an_unknown_one(self):
        named()
        named("Off", is_active=False)
        words = []
        for name in ("Ada", "Nobody", "Off"):
            response = log_in(Browser(), name, "wrong")
            refused(response, NOBODY)
            words.append(page_of(response).words)
        assert len(set(words)) == 1

    def test_nobody_logs_in_as_a_guest(self):
        user = guest()
        for name in (user.username, "Guest", ""):
            refused(log_in(Browser(), name, ""))

    def test_gets_a_new_session_key(self):
        named()
        browser = Browser()
        session = browser.session
        session["before"] = True
        session.save()
        before = key(browser)
        log_in(browser)
        assert key(browser) != before
        assert not Session.objects.filter(session_key=before).exists()

    def test_the_preferences_become_the_cookies(self):
        named(preferences={"theme": "dark", "suits": "four", "motion": "pink"})
        browser = Browser()
        browser.send("/look", suits="two", motion="still")
        log_in(browser)
        kept = {name: browser.cookies[name].value for name in ("theme", "suits", "motion")}
        assert kept == {"theme": "dark", "suits": "four", "motion": "still"}

    def test_a_suspended_account_may(self):
        user = named(suspended=timezone.now())
        assert who(logged_in(user)) == user


class TestGuest:
    @pytest.mark.parametrize("which", ["guest", "account"])
    def test_nothing_moves_where_one_is_suspended(self, which):
        user, account = guest(), named()
        game = new_game("laws", user)
        browser = Browser(user)
        (user if which == "guest" else account).suspended = timezone.now()
        (user if which == "guest" else account).save()
        assert log_in(browser).status_code == 302
        assert who(browser) == account
        assert game.seats.get().user == user

    @pytest.mark.parametrize(
        ("games", "before", "after"),
        [
            (
                1,
                "The game you played as a guest will move to the account you log in to.",
                "The game you played as a guest has moved to this account.",
            ),
            (
                3,
                "The 3 games you played as a guest will move to the account you log in to.",
                "The 3 games you played as a guest have moved to this account.",
            ),
        ],
    )
    def test_is_told_before_and_after_how_many_games_move(self, games, before, after):
        user, account = guest(), named()
        played = [new_game("laws", user) for _game in range(games)]
        browser = Browser(user)
        assert before in page_of(browser.look(PATH)).words
        response = log_in(browser)
        assert told(response) == f"You are logged in as Ada. {after}"
        assert who(browser) == account
        assert set(Game.objects.of(account)) == set(played)
        assert not User.objects.filter(pk=user.pk).exists()
        for game in played:
            assert browser.look(table(game)).status_code == 200

    def test_without_games_is_told_nothing_of_games(self):
        user = guest()
        named()
        browser = Browser(user)
        assert "as a guest" not in page_of(browser.look(PATH)).words
        assert told(log_in(browser)) == "You are logged in as Ada."

    def test_the_scores_enter_the_boards(self):
        user, account = guest(), named()
        game = finish(new_game("laws", user), user)
        log_in(Browser(user))
        assert set(Best.objects.values_list("user", "score__game")) == {(account.pk, game.pk)}

    def test_with_the_wrong_password_nothing_moves(self):
        user = guest()
        named()
        new_game("laws", user)
        browser = Browser(user)
        before = stored()
        refused(log_in(browser, password="wrong"), NOBODY, "The game you played as a guest")
        assert stored() == before and who(browser) == user

    def test_gets_a_new_session_key(self):
        user = guest()
        named()
        browser = Browser(user)
        before = key(browser)
        log_in(browser)
        assert key(browser) != before
        assert not Session.objects.filter(session_key=before).exists()

    @time_machine.travel("2026-12-01 10:00Z", tick=False)
    def test_of_two_tries_at_a_daily_deal_the_earlier_one_counts(self):
        user, account = guest(), named()
        first, _user = services.start_game(user=user, slug="laws", day=daily.today())
        with time_machine.travel(timezone.now() + timedelta(hours=1), tick=False):
            second, _user = services.start_game(user=account, slug="laws", day=daily.today())
            browser = Browser(user)
            log_in(browser)
        assert Try.objects.get().game == first
        assert not Game.objects.get(pk=second.pk).ranked
        assert browser.look(table(second)).status_code == 409

    def test_a_suspended_account_gets_no_games_by_way_of_a_guest(self):
        user, account = guest(), named(suspended=timezone.now())
        finish(new_game("laws", user), user)
        browser = Browser(user)
        response = log_in(browser)
        assert who(browser) == account
        assert told(response) == "You are logged in as Ada."
        assert not Game.objects.of(account).exists() and not Best.objects.exists()


class TestWay:
    def test_back_to_where_one_came_from(self):
        named()
        response = log_in(Browser(), path=f"{PATH}?next=/account/")
        assert response["Location"] == "/account/"

    @pytest.mark.parametrize(
        "address", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1"]
    )
    def test_never_to_another_site(self, address):
        named()
        assert log_in(Browser(), path=f"{PATH}?next={address}")["Location"] == "/"

    def test_of_who_is_logged_in_already_leads_to_the_account(self):
        user = named("Bob")
        named()
        browser = Browser(user)
        for response in (browser.look(f"{PATH}?next=/admin/"), log_in(browser)):
            assert (response.status_code, response["Location"]) == (302, "/account/")
        assert who(browser) == user


def test_a_form_of_another_site_logs_nobody_in():
    named()
    browser = Browser()
    response = browser.send(PATH, username="Ada", password=PASSWORD, csrfmiddlewaretoken="d" * 32)
    assert response.status_code == 403
    assert who(browser) is None


class TestLogOut:
    def test_ends_the_session(self):
        browser = logged_in(named())
        before = key(browser)
        response = browser.send("/account/log-out")
        assert (response.status_code, response["Location"]) == (302, "/")
        assert told(response).endswith("You are logged out.")
        assert who(browser) is None
        assert not Session.objects.filter(session_key=before).exists()

    def test_leaves_no_page_behind(self):
        user = named()
        game = new_game("laws", user)
        browser = logged_in(user)
        # A page that is stored nowhere cannot come back; what a browser keeps for Back goes too.
        assert browser.look(table(game))["Cache-Control"] == "no-store"
        assert browser.send("/account/log-out")["Clear-Site-Data"] == '"cache", "storage"'
        response = browser.look(table(game))
        assert response.status_code == 403
        assert game.commitment.encode() not in response.content

    def test_of_a_guest_leads_to_signing_up(self):
        user = guest()
        new_game("laws", user)
        browser = Browser(user)
        response = browser.send("/account/log-out")
        assert (response.status_code, response["Location"]) == (302, "/account/sign-up")
        assert "would lose your games" in told(response)
        assert who(browser) == user

    def test_of_nobody_leads_home(self):
        response = Browser().send("/account/log-out")
        assert (response.status_code, response["Location"]) == (302, "/")

    def test_elsewhere_one_stays_logged_in(self):
        user = named()
        here, there = logged_in(user), logged_in(user)
        here.send("/account/log-out")
        assert who(there) == user


class TestLogOutEverywhere:
    def test_ends_every_session(self):
        user, other = named(), named("Bob")
        browsers, stranger = [logged_in(user) for _browser in range(3)], logged_in(other)
        response = browsers[0].send("/account/log-out-everywhere")
        assert (response.status_code, response["Location"]) == (302, "/")
        assert response["Clear-Site-Data"] == '"cache", "storage"'
        assert told(response).endswith("You are logged out in every browser.")
        assert [who(browser) for browser in browsers] == [None] * 3
        assert who(stranger) == other
        assert who(logged_in(user)) == user

    def test_guests_are_led_to_signing_up_and_visitors_to_logging_in(self):
        user = guest()
        browser = Browser(user)
        response = browser.send("/account/log-out-everywhere")
        assert response["Location"] == "/account/sign-up"
        assert who(browser) == user
        response = Browser().send("/account/log-out-everywhere")
        assert response["Location"] == "/account/log-in?next=/account/"


@pytest.mark.parametrize("path", ["/account/log-out", "/account/log-out-everywhere"])
@pytest.mark.parametrize("user", [None, guest, named], ids=["visitor", "guest", "named"])
def test_opening_an_address_logs_nobody_out(path, user):
    browser = Browser(user and user())
    before = who(browser)
    assert browser.look(path).status_code == 405
    assert browser.send(path, csrfmiddlewaretoken="d" * 32).status_code == 403
    assert who(browser) == before
