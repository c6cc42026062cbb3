"""The page of an account, and what is changed from it."""

import pytest
from django.utils import timezone

from ouroboros_site.accounts import forms, names
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Best, Score
from ouroboros_site.play.models import Game, Move, Seat
from tests.ouroboros_site.play.helpers import (
    Browser,
    at_once,
    finish,
    guest,
    legal,
    new_game,
    page_of,
    submit,
    table,
)

from .people import OTHER, PASSWORD, key, logged_in, named, refused, told, who

pytestmark = pytest.mark.django_db

NAMED_ONLY = ("name", "e-mail", "password", "delete")
PAGES = ("", *NAMED_ONLY, "export.json")


def change_password(browser: Browser, old: str = PASSWORD, new: str = OTHER, again: str = ""):
    return browser.send(
        "/account/password", old_password=old, new_password1=new, new_password2=again or new
    )


class TestWhoMay:
    @pytest.mark.parametrize("page", PAGES)
    def test_visitors_are_led_to_the_log_in_page(self, page):
        path = f"/account/{page}"
        response = Browser().look(path)
        assert (response.status_code, response["Location"]) == (302, f"/account/log-in?next={path}")

    @pytest.mark.parametrize("page", NAMED_ONLY)
    def test_visitors_change_nothing(self, page):
        response = Browser().send(f"/account/{page}")
        assert response.status_code == 302
        assert response["Location"] == "/account/log-in?next=/account/"

    @pytest.mark.parametrize("page", NAMED_ONLY)
    @pytest.mark.parametrize("method", ["look", "send"])
    def test_guests_are_led_to_signing_up(self, page, method):
        user = guest()
        response = getattr(Browser(user), method)(f"/account/{page}")
        assert (response.status_code, response["Location"]) == (302, "/account/sign-up")
        assert told(response) == "That is for accounts with a name. Sign up to have one."
        assert User.objects.get() == user

    @pytest.mark.parametrize("page", NAMED_ONLY)
    def test_a_form_of_another_site_is_refused(self, page):
        browser = Browser(named())
        fields = {"name": "Eve", "password": PASSWORD, "old_password": PASSWORD}
        fields |= {"new_password1": OTHER, "new_password2": OTHER, "email": "eve@example.com"}
        before = User.objects.values().get()
        response = browser.send(f"/account/{page}", csrfmiddlewaretoken="d" * 32, **fields)
        assert response.status_code == 403
        assert User.objects.values().get() == before


class TestPage:
    def test_of_a_named_account(self):
        user = named(email="ada@example.com")
        page = page_of(Browser(user).look("/account/"))
        for words in ("Ada", "ada@example.com", "Settings", "Log out everywhere"):
            assert words in page.words
        assert {f"/account/{way}" for way in (*NAMED_ONLY, "export.json")} <= set(page.links())
        assert "suspended" not in page.words

    def test_of_a_guest(self):
        user = guest()
        new_game("laws", user)
        page = page_of(Browser(user).look("/account/"))
        assert "Sign up, and your game stays with you." in page.words
        assert "Log out" not in page.words and user.username not in page.words
        assert {"/account/sign-up", "/account/log-in", "/account/export.json"} <= set(page.links())

    def test_of_a_suspended_account_says_why(self):
        user = named(suspended=timezone.now(), suspension="Moves made by a <b>program</b>.")
        page = page_of(Browser(user).look("/account/"))
        assert "This account is suspended" in page.words
        assert "Moves made by a <b>program</b>." in page.words


class TestMenu:
    def links(self, user: User | None) -> set[str]:
        page = page_of(Browser(user).look("/laws/rules/"))
        assert {"/", "/daily/", "/boards/", "/laws/rules/"} <= set(page.links())
        return set(page.links())

    def log_out_forms(self, user: User | None) -> int:
        page = page_of(Browser(user).look("/laws/rules/"))
        return len(page.all("form", action="/account/log-out", method="post"))

    @pytest.mark.parametrize("user", [None, guest], ids=["visitor", "guest"])
    def test_of_a_guest_or_visitor(self, user):
        user = user and user()
        ways = {f"/account/{way}?next=/laws/rules/" for way in ("sign-up", "log-in")}
        assert ways <= self.links(user)
        assert ("/account/" in self.links(user)) is (user is not None)
        assert not self.log_out_forms(user)

    def test_of_an_account(self):
        user = named()
        assert {"/people/Ada/", "/account/"} <= self.links(user)
        assert not {"/admin/", "/account/log-in?next=/laws/rules/"} & self.links(user)
        assert self.log_out_forms(user) == 1

    def test_of_the_staff(self):
        assert "/admin/" in self.links(named(is_staff=True))


class TestName:
    @pytest.mark.parametrize("name", ["Lovelace", "ADA", "ada", "王小明"])
    def test_is_changed(self, name):
        user = named()
        browser = logged_in(user)
        page = page_of(browser.look("/account/name"))
        assert page.all("input", name="name")[0]["value"] == "Ada"
        response = browser.send("/account/name", name=name)
        assert (response.status_code, response["Location"]) == (302, "/account/")
        assert f"You are called {name} now." in told(response)
        user.refresh_from_db()
        assert (user.username, user.name_key) == (name, names.key(name))
        assert who(browser) == user and who(logged_in(user)) == user

    def test_the_old_one_is_free_then(self):
        browser = Browser(named())
        browser.send("/account/name", name="Lovelace")
        assert named("Ada")

    @pytest.mark.parametrize("name", ["Bob", "b0b", "\u0412\u043e\u042c"], ids=ascii)
    def test_of_somebody_else(self, name):
        named("Bob")
        user = named()
        response = Browser(user).send("/account/name", name=name)
        refused(response, "This name, or one that looks like it, is taken.")
        user.refresh_from_db()
        assert user.username == "Ada"

    @pytest.mark.parametrize("name", ["", "ab", "<b>Bob</b>", "admin", "Ada\u200b"], ids=ascii)
    def test_that_is_none(self, name):
        user = named()
        refused(Browser(user).send("/account/name", name=name))
        user.refresh_from_db()
        assert user.username == "Ada"

    def test_taken_between_looking_and_writing(self, monkeypatch):
        named("Bob")
        user = named()
        monkeypatch.setattr(forms, "free_name", lambda name, own: names.clean(name))
        response = Browser(user).send("/account/name", name="BOB")
        refused(response, "This name, or one that looks like it, is taken.", "Ada and settings")
        user.refresh_from_db()
        assert user.username == "Ada"

    def test_is_kept_by_a_suspended_account(self):
        user = named(suspended=timezone.now())
        browser = Browser(user)
        sentence = "A suspended account keeps its name."
        refused(browser.look("/account/name"), sentence, status=403)
        refused(browser.send("/account/name", name="Eve"), sentence, status=403)
        user.refresh_from_db()
        assert user.username == "Ada"


@pytest.mark.django_db(transaction=True)
def test_two_take_one_name_at_once():
    browsers = [Browser(named("Ada")), Browser(named("Bob"))]
    answers = at_once(
        *(lambda browser=each: browser.send("/account/name", name="Eve") for each in browsers)
    )
    assert sorted(answer.status_code for answer in answers) == [302, 400]
    assert User.objects.filter(username="Eve").count() == 1


class TestEmail:
    @pytest.mark.parametrize("email", ["new@example.com", ""])
    def test_is_changed_with_the_password(self, email):
        user = named(email="old@example.com")
        browser = Browser(user)
        page = page_of(browser.look("/account/e-mail"))
        assert page.all("input", name="email")[0]["value"] == "old@example.com"
        response = browser.send("/account/e-mail", email=email, password=PASSWORD)
        assert (response.status_code, response["Location"]) == (302, "/account/")
        user.refresh_from_db()
        assert user.email == email

    @pytest.mark.parametrize(
        ("email", "password", "words"),
        [
            ("new@example.com", "wrong", "This is not your password."),
            ("new@example.com", "", "This field is required."),
            ("nobody", PASSWORD, "Enter a valid email address."),
        ],
    )
    def test_is_not_changed_otherwise(self, email, password, words):
        user = named(email="old@example.com")
        refused(Browser(user).send("/account/e-mail", email=email, password=password), words)
        user.refresh_from_db()
        assert user.email == "old@example.com"


class TestPassword:
    def test_is_changed_and_only_this_browser_stays_logged_in(self):
        user = named()
        here, there = logged_in(user), logged_in(user)
        before = key(here)
        assert here.look("/account/password").status_code == 200
        response = change_password(here)
        assert (response.status_code, response["Location"]) == (302, "/account/")
        user.refresh_from_db()
        assert user.check_password(OTHER)
        assert who(here) == user and who(there) is None
        assert key(here) != before

    @pytest.mark.parametrize(
        ("old", "new", "again", "words"),
        [
            ("wrong", OTHER, OTHER, "Your old password was entered incorrectly."),
            (PASSWORD, OTHER, "something else", "The two password fields didn’t match."),
            (PASSWORD, "short", "short", "too short"),
            (PASSWORD, "password", "password", "too common"),
            (PASSWORD, "AdaAda12", "AdaAda12", "too similar to the name"),
        ],
    )
    def test_is_not_changed_otherwise(self, old, new, again, words):
        user = named("AdaAda1")
        browser = logged_in(user)
        refused(change_password(browser, old, new, again), words)
        user.refresh_from_db()
        assert user.check_password(PASSWORD) and who(browser) == user


class TestDelete:
    def test_erases_the_person_and_what_is_seen_of_them(self):
        user, other = named(email="ada@example.com"), named("Bob")
        over, open_, practice = (
            finish(new_game("laws", user), user),
            new_game("laws", user),
            finish(new_game("market", user, ranked=False), user),
        )
        theirs = finish(new_game("laws", other), other)
        browsers = [logged_in(user), logged_in(user)]
        page = page_of(browsers[0].look("/account/delete"))
        assert "your name, Ada" in page.words and "your 3 games" in page.words
        response = browsers[0].send("/account/delete", password=PASSWORD)
        assert (response.status_code, response["Location"]) == (302, "/")
        assert response["Clear-Site-Data"] == '"cache", "storage"'
        assert "Your account is deleted." in told(response)
        assert [who(browser) for browser in browsers] == [None, None]
        assert set(User.objects.all()) == {other}
        assert set(Game.objects.all()) == {over, theirs}
        assert not Game.objects.filter(pk__in=[open_.pk, practice.pk]).exists()
        assert Seat.objects.get(game=over).user is None
        assert set(Score.objects.values_list("game", flat=True)) == {theirs.pk}
        assert set(Best.objects.values_list("user", flat=True)) == {other.pk}
        # The name is free for somebody else.
        assert named("Ada")

    def test_keeps_the_log_as_evidence(self):
        user = named()
        game = new_game("laws", user)
        submit(game, user, legal(game)[0])
        finish(game, user)
        Browser(user).send("/account/delete", password=PASSWORD)
        assert Move.objects.filter(game=game).count() == 1

    @pytest.mark.parametrize("password", ["", "wrong"])
    def test_not_without_the_password(self, password):
        user = named()
        browser = logged_in(user)
        refused(browser.send("/account/delete", password=password))
        assert who(browser) == user

    @pytest.mark.parametrize("right", ["is_staff", "is_superuser"])
    def test_not_with_staff_rights(self, right):
        user = named(**{right: True})
        browser = Browser(user)
        words = "It can be deleted once its staff rights have been taken from it"
        page = page_of(browser.look("/account/delete"))
        assert words in page.words and not page.all("input", type="password")
        refused(browser.send("/account/delete", password=PASSWORD), words, status=409)
        assert User.objects.get() == user

    def test_a_suspended_account_may(self):
        user = named(suspended=timezone.now())
        assert Browser(user).send("/account/delete", password=PASSWORD).status_code == 302
        assert not User.objects.exists()

    def test_the_games_lead_nobody_anywhere(self):
        user = named()
        game = finish(new_game("laws", user), user)
        Browser(user).send("/account/delete", password=PASSWORD)
        assert Browser(named("Bob")).look(table(game)).status_code == 403
