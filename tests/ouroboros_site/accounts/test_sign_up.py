"""Signing up: a guest's row becomes the account and keeps the games; a visitor gets a new one."""

import pytest
from django.contrib.sessions.models import Session

from ouroboros_site.accounts import forms, names
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.models import Best
from tests.ouroboros_site.play.helpers import (
    Browser,
    at_once,
    finish,
    guest,
    new_game,
    page_of,
    table,
)

from .people import PASSWORD, key, named, refused, told, who

pytestmark = pytest.mark.django_db

PATH = "/account/sign-up"
TAKEN = "This name, or one that looks like it, is taken."


def sign_up(browser: Browser, name: str = "Ada", path: str = PATH, **fields: str):
    fields = {"password1": PASSWORD, "password2": PASSWORD} | fields
    return browser.send(path, name=name, **fields)


class TestVisitor:
    def test_gets_an_account(self):
        browser = Browser()
        page = page_of(browser.look(PATH))
        assert "as a guest" not in page.words
        response = sign_up(browser, email="ada@example.com")
        assert (response.status_code, response["Location"]) == (302, "/")
        assert told(response) == "Welcome, Ada."
        user = User.objects.get()
        assert who(browser) == user
        assert (user.username, user.email, user.is_guest) == ("Ada", "ada@example.com", False)
        assert user.check_password(PASSWORD)
        assert not (user.is_staff or user.is_superuser)

    def test_needs_no_email(self):
        assert sign_up(Browser()).status_code == 302
        assert User.objects.get().email == ""

    def test_gets_a_new_session_key(self):
        browser = Browser()
        session = browser.session
        session["before"] = True
        session.save()
        before = key(browser)
        sign_up(browser)
        assert key(browser) != before
        assert not Session.objects.filter(session_key=before).exists()

    def test_keeps_the_looks_of_the_browser(self):
        browser = Browser()
        browser.send("/look", theme="dark", motion="still")
        browser.cookies["suits"] = "pink"
        sign_up(browser)
        assert User.objects.get().preferences == {"theme": "dark", "motion": "still"}


class TestGuest:
    @pytest.mark.parametrize(
        ("games", "words"),
        [
            (1, "The game you played as a guest stays with you."),
            (3, "The 3 games you played as a guest stay with you."),
        ],
    )
    def test_is_told_what_stays(self, games, words):
        user = guest()
        for _game in range(games):
            new_game("laws", user)
        assert words in page_of(Browser(user).look(PATH)).words

    def test_row_becomes_the_account_and_keeps_the_games(self):
        user = guest()
        game, over = new_game("laws", user), finish(new_game("market", user), user)
        assert not Best.objects.exists()
        browser = Browser(user)
        response = sign_up(browser)
        assert response.status_code == 302
        assert "The 2 games you played so far are yours to keep." in told(response)
        assert User.objects.get().pk == user.pk
        assert who(browser) == user
        for each in (game, over):
            assert browser.look(table(each)).status_code == 200
        # The score enters the boards with the name.
        assert set(Best.objects.values_list("score__game", flat=True)) == {over.pk}

    def test_gets_a_new_session_key(self):
        user = guest()
        browser, thief = Browser(user), Browser()
        before = key(browser)
        thief.cookies["sessionid"] = before
        assert who(thief) == user
        sign_up(browser)
        assert key(browser) != before
        assert who(thief) is None

    def test_whose_name_is_refused_stays_a_guest_with_the_games(self):
        named("Ada")
        user = guest()
        game = new_game("laws", user)
        browser = Browser(user)
        refused(sign_up(browser, "ada"), TAKEN, "Guest and settings")
        user.refresh_from_db()
        assert user.is_guest and who(browser) == user
        assert browser.look(table(game)).status_code == 200

    def test_keeps_a_suspension(self):
        user = guest()
        user.suspended = user.date_joined
        user.save()
        sign_up(Browser(user))
        assert User.objects.get().suspended


class TestName:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("Ada", "Ada"),
            ("Ada", "aDA"),
            ("mike", "rnike"),
            ("scope", "\u0455\u0441\u043e\u0440\u0435"),
            ("TOM", "\u0422\u041e\u041c"),
            ("Anna", "\u0391\u039d\u039d\u0391"),
            ("Ada", "Ａｄａ"),
        ],
        ids=ascii,
    )
    def test_that_looks_like_another(self, first, second):
        named(first)
        refused(sign_up(Browser(), second), TAKEN)
        assert User.objects.count() == 1

    @pytest.mark.parametrize("name", ["हिन्दी", "王小明", "محمد", "Zoë"])
    def test_of_any_script(self, name):
        browser = Browser()
        assert sign_up(browser, name).status_code == 302
        assert User.objects.get().username == name
        assert name in page_of(browser.look("/account/")).words

    @pytest.mark.parametrize(
        "name",
        [
            "",
            "ab",
            "a" * 21,
            "a b c",
            "<b>Ada</b>",
            '"><script>',
            "Ada\u200b",
            "\u202eadA",
            "😀😀😀",
        ],
        ids=ascii,
    )
    def test_that_is_none(self, name):
        response = sign_up(Browser(), name)
        refused(response)
        assert b"<script>" not in response.content and b"<b>Ada" not in response.content
        assert not User.objects.exists()

    def test_with_a_nul(self):
        refused(sign_up(Browser(), "A\0da"))
        assert not User.objects.exists()

    @pytest.mark.parametrize("user", [None, guest], ids=["visitor", "guest"])
    def test_taken_between_looking_and_writing(self, monkeypatch, user):
        named("Ada")
        monkeypatch.setattr(forms, "free_name", lambda name, own: names.clean(name))
        browser = Browser(user and user())
        rows = User.objects.count()
        refused(sign_up(browser, "aDa"), TAKEN, "Guest and settings")
        assert User.objects.count() == rows
        assert not User.objects.filter(username="aDa").exists()


class TestPassword:
    @pytest.mark.parametrize(
        ("password", "again", "words"),
        [
            ("", "", "This field is required."),
            (PASSWORD, "", "This field is required."),
            (PASSWORD, PASSWORD + "!", "The two password fields didn’t match."),
            ("short", "short", "too short"),
            ("password", "password", "too common"),
            ("2718281828", "2718281828", "entirely numeric"),
            ("adalovelace1", "adalovelace1", "too similar to the name"),
            ("lovelace.org", "lovelace.org", "too similar to the email address"),
        ],
    )
    def test_that_is_not_good_enough(self, password, again, words):
        response = sign_up(
            Browser(),
            "adalovelace",
            password1=password,
            password2=again,
            email="a@lovelace.org",
        )
        refused(response, words)
        assert not User.objects.exists()

    def test_is_not_sent_back(self):
        response = sign_up(Browser(), "x", password1="the secret one", password2="another")
        refused(response)
        assert b"the secret one" not in response.content


@pytest.mark.parametrize("email", ["nobody", "a@b", "a@b.example\nBcc: x@y.example", "x" * 300])
def test_an_email_that_is_none(email):
    refused(sign_up(Browser(), email=email))
    assert not User.objects.exists()


class TestWay:
    def test_back_to_where_one_came_from(self):
        response = sign_up(Browser(), path=f"{PATH}?next=/laws/rules/")
        assert response["Location"] == "/laws/rules/"

    @pytest.mark.parametrize(
        "address", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1"]
    )
    def test_never_to_another_site(self, address):
        assert sign_up(Browser(), path=f"{PATH}?next={address}")["Location"] == "/"

    def test_is_kept_on_the_way_to_the_log_in_page(self):
        page = page_of(Browser().look(f"{PATH}?next=/laws/rules/%3Fa%26b"))
        assert "/account/log-in?next=/laws/rules/%3Fa%26b" in page.links()

    def test_of_who_has_an_account_leads_there(self):
        user = named("Bob")
        browser = Browser(user)
        for response in (browser.look(PATH), sign_up(browser)):
            assert (response.status_code, response["Location"]) == (302, "/account/")
        assert User.objects.get() == user


def test_a_form_of_another_site_is_refused():
    response = sign_up(Browser(), csrfmiddlewaretoken="d" * 32)
    assert response.status_code == 403
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_at_once_for_one_name():
    browsers = [Browser(), Browser(guest()), Browser()]
    answers = at_once(*(lambda browser=browser: sign_up(browser, "Ada") for browser in browsers))
    assert sorted(answer.status_code for answer in answers) == [302, 400, 400]
    assert User.objects.filter(username="Ada").count() == 1
    for browser, answer in zip(browsers, answers, strict=True):
        if answer.status_code == 400:
            refused(answer, TAKEN)
        else:
            assert who(browser).username == "Ada"
