"""A forgotten password: the link by e-mail."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from tests.ouroboros_site.play.helpers import Browser, guest, page_of

from .people import OTHER, PASSWORD, logged_in, named, refused, who

pytestmark = pytest.mark.django_db

PATH = "/account/reset"


def link(address: str = "ada@example.com") -> str:
    """The path of the link in the e-mail that comes of asking for it."""
    Browser().send(PATH, email=address)
    found = re.search(r"http://testserver(/account/reset/\S+/)\n", mail.outbox[-1].body)
    assert found
    return found[1]


def set_password(browser: Browser, path: str, new: str = OTHER, again: str = ""):
    """Follow the link and fill in the form that it leads to."""
    response = browser.look(path)
    assert response.status_code == 302
    page = page_of(browser.look(response["Location"]))
    assert "For the account Ada." in page.words
    # The address of the form holds no token that could be passed on by it.
    assert response["Location"].endswith("/set-password/")
    fields = {"new_password1": new, "new_password2": again or new}
    return browser.send(response["Location"], **fields)


class TestAsking:
    def test_sends_a_link(self):
        named(email="Ada@example.com")
        response = Browser().send(PATH, email="ada@EXAMPLE.com")
        assert (response.status_code, response["Location"]) == (302, "/account/reset/sent")
        (letter,) = mail.outbox
        assert letter.to == ["Ada@example.com"]
        assert letter.subject == "A new password for Ouroboros"
        assert "the account Ada at testserver" in letter.body

    def test_the_answer_is_the_same_whoever_is_known(self):
        named(email="ada@example.com")
        named("Off", email="off@example.com", is_active=False)
        guest()
        answers = set()
        for email in ("ada@example.com", "off@example.com", "nobody@example.com"):
            browser = Browser()
            response = browser.send(PATH, email=email)
            page = page_of(browser.look(response["Location"]))
            answers.add((response.status_code, response["Location"], page.words))
        assert len(answers) == 1
        assert len(mail.outbox) == 1

    @pytest.mark.parametrize("email", ["", "nobody", "a@b.example\nBcc: eve@example.com", "\0"])
    def test_with_what_is_no_address(self, email):
        refused(Browser().send(PATH, email=email))
        assert not mail.outbox

    def test_a_name_is_written_as_it_is(self):
        named("a-b_c", email="ada@example.com")
        link()
        assert "the account a-b_c at" in mail.outbox[-1].body

    def test_a_silent_mail_server_is_no_error(self, settings):
        settings.MAILERS = {"default": {"BACKEND": "tests.ouroboros_site.accounts.deaf.Backend"}}
        named(email="ada@example.com")
        assert Browser().send(PATH, email="ada@example.com").status_code == 302


class TestLink:
    def test_sets_a_password_and_ends_all_sessions(self):
        user = named(email="ada@example.com")
        before = logged_in(user)
        browser = Browser()
        response = set_password(browser, link())
        assert (response.status_code, response["Location"]) == (302, "/account/reset/done")
        assert page_of(browser.look(response["Location"])).links().count("/account/log-in")
        user.refresh_from_db()
        assert user.check_password(OTHER)
        assert who(before) is None
        assert who(browser) is None

    def test_works_once(self):
        named(email="ada@example.com")
        path = link()
        set_password(Browser(), path)
        refused(Browser().look(path), "This link is used up", status=404)

    def test_works_for_three_days(self):
        named(email="ada@example.com")
        path = link()
        for days, status in ((2.9, 302), (3.1, 404)):
            with time_machine.travel(timezone.now() + timedelta(days=days), tick=False):
                assert Browser().look(path).status_code == status

    def test_is_used_up_by_another_log_in_or_password(self):
        user = named(email="ada@example.com")
        path = link()
        logged_in(user)
        assert Browser().look(path).status_code == 404

    @pytest.mark.parametrize(
        "path",
        [
            "MQ/set-password/",
            "MQ/abc-def/",
            "!!/abc/",
            "MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA/abc/",
            "AA/abc/",
            "%00/%00/",
            "é/ü/",
        ],
    )
    def test_that_is_none(self, path):
        named()
        for response in (Browser().look(f"{PATH}/{path}"), Browser().send(f"{PATH}/{path}")):
            refused(response, "This link is used up", status=404)

    @pytest.mark.parametrize(
        ("new", "again", "words"),
        [("short", "", "too short"), (OTHER, PASSWORD, "The two password fields didn’t match.")],
    )
    def test_asks_for_a_good_password(self, new, again, words):
        user = named(email="ada@example.com")
        refused(set_password(Browser(), link(), new, again), words)
        user.refresh_from_db()
        assert user.check_password(PASSWORD)


def test_forms_of_another_site_are_refused():
    named(email="ada@example.com")
    path = link()
    browser = Browser()
    form = browser.look(path)["Location"]
    wrong = {"csrfmiddlewaretoken": "d" * 32}
    fields = {"new_password1": OTHER, "new_password2": OTHER}
    assert browser.send(form, **wrong, **fields).status_code == 403
    assert browser.send(PATH, **wrong, email="ada@example.com").status_code == 403
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("path", ["/account/reset/sent", "/account/reset/done"])
def test_pages_that_are_only_read(path):
    page_of(Browser().look(path))
    assert Browser().send(path).status_code == 405
