"""How often an address, or a name, may be tried."""

import pytest
import time_machine

from ouroboros_site.accounts import rates
from ouroboros_site.accounts.models import User
from ouroboros_site.play.models import Game
from tests.ouroboros_site.play.helpers import Browser, page_of

from .people import PASSWORD, named, who

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def few(settings, monkeypatch):
    """Limits that are soon reached, and a counter of this test's own."""
    settings.RATE_LIMITS = True
    settings.REDIS_URL = ""
    few = {name: f"3/{rate.partition('/')[2]}" for name, rate in rates.RATES.items()}
    monkeypatch.setattr(
        rates, "RATES", few | {"log-in": "5/15minutes", "log-in-anywhere": "6/hour"}
    )
    rates.limiter.cache_clear()
    yield
    rates.limiter.cache_clear()


def assert_too_many(response, words: str = "That was too often from your address."):
    assert response.status_code == 429
    assert int(response["Retry-After"]) > 0
    page = page_of(response)
    assert words in page.words and "Please try again in" in page.words


def log_in(name: str, password: str = "wrong", browser: Browser | None = None):
    return (browser or Browser()).send("/account/log-in", username=name, password=password)


def test_of_an_address_that_logs_in():
    for number in range(5):
        assert log_in(f"Nobody-{number}").status_code == 400
    named()
    browser = Browser()
    assert_too_many(log_in("Ada", PASSWORD, browser))
    assert who(browser) is None
    # The page itself may be opened as ever.
    assert browser.look("/account/log-in").status_code == 200


NAME_WORDS = "Too many passwords were tried for this name."


def at(address: str) -> Browser:
    browser = Browser()
    browser.defaults["REMOTE_ADDR"] = address
    return browser


def test_of_a_name_however_it_is_written():
    named()
    for name in ("Ada", " aDA", "ＡＤＡ"):
        assert log_in(name).status_code == 400
    browser = Browser()
    assert_too_many(log_in("Ada", PASSWORD, browser), NAME_WORDS)
    assert who(browser) is None
    assert log_in("Bob", browser=browser).status_code == 400


def test_of_a_name_by_somebody_else():
    named()
    for _try in range(4):
        log_in("Ada", browser=at("192.0.2.1"))
    # Whose name it is comes from another address, and is not locked out.
    browser = at("192.0.2.2")
    assert log_in("Ada", PASSWORD, browser).status_code == 302
    assert who(browser).username == "Ada"


def test_of_a_name_from_everywhere():
    named()
    for number in range(6):
        assert log_in("Ada", browser=at(f"192.0.2.{number}")).status_code == 400
    assert_too_many(log_in("Ada", PASSWORD, at("192.0.2.9")), NAME_WORDS)


def test_time_heals():
    named()
    with time_machine.travel("2026-12-01 10:00Z", tick=False) as clock:
        for _try in range(3):
            log_in("Ada")
        response = log_in("Ada", PASSWORD)
        assert_too_many(response, "Please try again in 15 minutes.")
        clock.shift(int(response["Retry-After"]) + 1)
        assert log_in("Ada", PASSWORD).status_code == 302


def test_of_an_address_that_signs_up():
    def sign_up(name):
        fields = {"password1": PASSWORD, "password2": PASSWORD}
        return Browser().send("/account/sign-up", name=name, **fields)

    for name in ("Ada", "Bob", "x"):
        assert sign_up(name).status_code in (302, 400)
    assert_too_many(sign_up("Eve"))
    assert not User.objects.filter(username="Eve").exists()


def test_of_an_address_that_asks_for_links(mailoutbox):
    named(email="ada@example.com")
    for _time in range(3):
        assert Browser().send("/account/reset", email="ada@example.com").status_code == 302
    assert_too_many(Browser().send("/account/reset", email="ada@example.com"))
    assert len(mailoutbox) == 3


def test_of_an_address_that_makes_guests():
    for _guest in range(3):
        assert Browser().send("/laws/start").status_code == 302
    assert_too_many(Browser().send("/laws/start"))
    assert Game.objects.count() == 3
    # Whoever is known already may start as many games as they like.
    browser = Browser(named())
    assert browser.send("/laws/start").status_code == 302


@pytest.mark.parametrize(
    ("page", "field"),
    [("password", "old_password"), ("delete", "password"), ("e-mail", "password")],
)
def test_of_passwords_tried_with_a_session(page, field):
    user = named()
    browser = Browser(user)
    for _try in range(3):
        assert browser.send(f"/account/{page}", **{field: "wrong"}).status_code == 400
    for other in ("password", "delete", "e-mail"):
        assert_too_many(
            browser.send(f"/account/{other}", **{field: PASSWORD}),
            "Too many passwords were tried for this name.",
        )
    # Whoever tries the name from outside does not lock its owner out of these pages, or the other
    # way round.
    assert log_in("Ada", PASSWORD).status_code == 302
    assert User.objects.get() == user


def test_a_counter_that_is_gone_lets_people_in(settings, caplog):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    rates.limiter.cache_clear()
    named()
    assert log_in("Ada", PASSWORD).status_code == 302
    assert "could not be counted" in caplog.text


def test_behind_a_proxy_the_address_it_saw_counts(settings):
    def sign_up(forwarded):
        return Browser().post(
            "/account/sign-up",
            {"csrfmiddlewaretoken": "c" * 32},
            headers={"X-Forwarded-For": forwarded},
            REMOTE_ADDR="127.0.0.1",
        )

    settings.HTTPS = True
    for made_up in ("198.51.100.1", "198.51.100.2", "198.51.100.3"):
        assert sign_up(f"{made_up}, 192.0.2.1").status_code == 400
    assert_too_many(sign_up("198.51.100.4, 192.0.2.1"))
    assert sign_up("192.0.2.2").status_code == 400
