"""The visitor's look: theme, suits and keys, kept in cookies."""

import pytest

from tests.ouroboros_site.play.helpers import Browser, Page

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
