"""The visitor's look: theme, suits and keys, kept in cookies."""

import pytest

from ouroboros_site.accounts.context_processors import CHOICES
from tests.ouroboros_site.play.helpers import Browser, Page, guest

from .people import logged_in, named

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Browser:
    return Browser()


def html_of(response) -> dict[str, str | None]:
    return Page(response.content.decode()).all("html")[0]


def test_is_kept_and_shown_on_every_page(browser):
    html = html_of(browser.look("/"))
    assert (html["data-theme"], html["data-suits"]) == ("auto", "two")
    response = browser.send("/look", theme="dark", suits="four", next="/laws/rules/")
    assert (response.status_code, response["Location"]) == (302, "/laws/rules/")
    for path in ("/", "/laws/rules/", "/nothing"):
        html = html_of(browser.look(path))
        assert (html["data-theme"], html["data-suits"]) == ("dark", "four")
    browser.send("/look", theme="auto")
    html = html_of(browser.look("/"))
    assert (html["data-theme"], html["data-suits"]) == ("auto", "four")


@pytest.mark.parametrize("value", ["", "pink", '"><script>', "dark\n", "\0", "x" * 5000])
def test_what_is_no_choice_is_not_kept(browser, value):
    response = browser.send("/look", theme=value, suits=value, next="/")
    assert response.status_code == 302
    assert not {"theme", "suits"} & set(response.cookies)


@pytest.mark.parametrize("value", ["pink", '"><script>alert(1)</script>', "é"])
def test_a_forged_cookie_shows_as_the_default(browser, value):
    browser.cookies["theme"] = value
    response = browser.look("/")
    assert html_of(response)["data-theme"] == "auto"
    assert b"<script>alert" not in response.content


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "///evil.example",
        "http:evil.example",
        "javascript:alert(1)",
        "admin:index",
        "look",
        "foo",
        "",
        " ",
        "/\r\nSet-Cookie: a=b",
        "http://[",
        "\0/",
        "..",
    ],
)
def test_it_leads_to_no_other_site_and_to_no_error(browser, address):
    response = browser.send("/look", theme="dark", next=address)
    assert response.status_code == 302
    location = response["Location"]
    assert location.startswith("/") and not location.startswith(("//", "/\\", "/look", "/admin"))
    assert "\n" not in location


def test_a_very_long_address(browser):
    response = browser.send("/look", theme="dark", next="/" + "x" * 60000)
    assert response.status_code in (302, 400)


def test_it_is_only_posted_to(browser):
    assert browser.look("/look").status_code == 405


def test_it_makes_no_session_and_no_user(browser, django_user_model):
    response = browser.send("/look", theme="dark")
    assert "sessionid" not in response.cookies
    assert not django_user_model.objects.exists()


class TestOfAnAccount:
    @pytest.mark.parametrize("make", [guest, named])
    def test_is_kept_with_it_too(self, make):
        user = make()
        browser = Browser(user)
        browser.send("/look", theme="dark", motion="still", language="en", suits="pink")
        browser.send("/look", theme="light")
        user.refresh_from_db()
        assert user.preferences == {"theme": "light", "motion": "still", "language": "en"}
        assert browser.cookies["theme"].value == "light"

    def test_the_same_again_writes_nothing(self, django_assert_num_queries):
        user = named(preferences={"theme": "dark"})
        browser = Browser(user)
        with django_assert_num_queries(2):  # who it is
            browser.send("/look", theme="dark")

    def test_is_for_the_next_browser_and_not_for_this_one_only(self):
        user = named()
        Browser(user).send("/look", theme="dark", suits="four")
        assert html_of(logged_in(user).look("/"))["data-theme"] == "dark"

    def test_every_setting_is_on_the_page_of_the_account(self):
        page = Page(Browser(named()).look("/account/").content.decode())
        for name in CHOICES:
            assert page.all("select", name=name), name

    def test_reduced_motion_is_said_to_styles_and_scripts(self, browser):
        assert html_of(browser.look("/"))["data-motion"] == "auto"
        browser.send("/look", motion="still")
        assert html_of(browser.look("/"))["data-motion"] == "still"
        assert html_of(browser.look("/nothing"))["data-motion"] == "still"
