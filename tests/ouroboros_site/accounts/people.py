"""What the tests of accounts share: people, and what their browsers show."""

from typing import Any

from django.contrib.auth import get_user
from django.contrib.messages import get_messages
from django.contrib.sessions.models import Session
from django.http import HttpRequest

from ouroboros_site.accounts.models import User
from tests.ouroboros_site.play.helpers import Browser, page_of

PASSWORD = "the snake bites"
OTHER = "its own tail 26"


def named(name: str = "Ada", **fields: Any) -> User:
    return User.objects.create_user(name, password=PASSWORD, **fields)


def logged_in(user: User) -> Browser:
    """A browser that came in by the log-in page, as a person's does."""
    browser = Browser()
    response = browser.send("/account/log-in", username=user.username, password=PASSWORD)
    assert response.status_code == 302
    return browser


def who(browser: Browser) -> User | None:
    """Who the site takes this browser for."""
    request = HttpRequest()
    request.session = browser.session
    user = get_user(request)
    return user if user.is_authenticated else None


def key(browser: Browser) -> str:
    """The session key in the browser's cookie; one that the server knows."""
    key = browser.cookies["sessionid"].value
    assert Session.objects.filter(session_key=key).exists()
    return key


def told(response: Any) -> str:
    """What the next page will say because of this answer."""
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


def refused(response: Any, *words: str, status: int = 400) -> None:
    """Assert that a form came back with these words."""
    assert response.status_code == status
    page = page_of(response)
    for part in words:
        assert part in page.words, page.words
