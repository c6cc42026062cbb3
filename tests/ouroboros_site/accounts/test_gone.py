"""An account that is deleted while a page of it is still open somewhere, or a request under way."""

import pytest

from ouroboros_site.accounts.models import User
from tests.ouroboros_site.play.helpers import Browser, page_of

from .people import PASSWORD, named

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def vanishes(monkeypatch):
    """Delete the user just after a request has found out who asks."""

    def vanish(user: User) -> None:
        def get_user(request):
            found = User.objects.get(pk=user.pk)
            User.objects.filter(pk=user.pk).delete()
            return found

        monkeypatch.setattr("django.contrib.auth.middleware.auth.get_user", get_user)

    return vanish


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/account/name", {"name": "Grace"}),
        ("/account/e-mail", {"email": "ada@example.org", "password": PASSWORD}),
        (
            "/account/password",
            {
                "old_password": PASSWORD,
                "new_password1": "26 enemies gone",
                "new_password2": "26 enemies gone",
            },
        ),
        ("/account/log-out-everywhere", {}),
        ("/account/delete", {"password": PASSWORD}),
    ],
)
def test_it_is_not_brought_back(vanishes, path, fields):
    ada = named()
    browser = Browser(ada)
    vanishes(ada)
    answer = browser.send(path, **fields)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/account/log-in")
    assert not User.objects.exists()


def test_its_looks_are_kept_in_the_browser(vanishes):
    ada = named()
    browser = Browser(ada)
    vanishes(ada)
    answer = browser.send("/look", theme="dark")
    assert answer.status_code == 302 and answer.cookies["theme"].value == "dark"
    assert not User.objects.exists()


def test_it_starts_no_game(vanishes):
    ada = named()
    browser = Browser(ada)
    vanishes(ada)
    answer = browser.send("/laws/start")
    assert answer.status_code == 403
    assert "session on this browser has ended" in page_of(answer).words
