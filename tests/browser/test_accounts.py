"""Accounts, with plain forms; and what a browser keeps of a game when its player has gone."""

import json
import re

import pytest
from playwright.sync_api import expect

from . import games
from .conftest import CALM, DESKTOP
from .hands import Mouse
from .people import (
    PASSWORD,
    fill,
    is_nobody,
    log_in,
    menu,
    new_name,
    retire,
    sign_up,
    start,
    told,
)
from .replay import Replay
from .table import Table
from .words import refused

OTHER_PASSWORD = "its own tail 26"


@pytest.fixture
def another(new_page):
    """A second browser, of the same person or of somebody else."""
    return new_page(**DESKTOP, **CALM, java_script_enabled=False)


def click(control):
    control.click()


def press(page, name):
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def follow(page, name):
    page.get_by_role("main").get_by_role("link", name=name).click()


def check_logged_in(page, name):
    expect(page.locator("summary.who")).to_contain_text(name)


# -- in and out, without JavaScript ---------------------------------------------------------------


def test_sign_up_says_what_is_wrong(no_js, expected_complaints):
    expected_complaints += refused(400)
    page, name = no_js, new_name()
    page.goto("/")
    menu(page, click, "Sign up")
    fill(page, Name="a b", Password="12345678", Password_again="something else")
    press(page, "Sign up")
    for label, words in (("Name", "letters"), ("Password again", "match")):
        field = page.locator(".field.wrong", has=page.get_by_label(label, exact=True))
        expect(field.locator(".errorlist")).to_contain_text(words)
        expect(page.get_by_label(label, exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Name", exact=True)).to_have_value("a b")
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    is_nobody(page)

    fill(page, Name=name, Password=PASSWORD, Password_again=PASSWORD)
    press(page, "Sign up")
    expect(page).to_have_url(re.compile("/$"))
    expect(told(page)).to_have_text(f"Welcome, {name}.")
    check_logged_in(page, name)


def test_a_name_that_looks_like_anothers_is_taken(no_js, another, expected_complaints):
    expected_complaints += refused(400)
    name = sign_up(another)
    no_js.goto("/account/sign-up")
    fill(no_js, Name=name.swapcase(), Password=PASSWORD, Password_again=PASSWORD)
    press(no_js, "Sign up")
    expect(no_js.locator(".errorlist")).to_have_text(
        "This name, or one that looks like it, is taken."
    )


def test_logging_in_moves_a_guests_games(no_js, expected_complaints):
    expected_complaints += refused(400)
    page = no_js
    name = sign_up(page)
    page.goto("/account/")
    press(page, "Log out")
    expect(told(page)).to_have_text("You are logged out.")
    is_nobody(page)

    retire(page, start(page, "market"))
    game = retire(page, start(page, "laws"), "bribe 1")
    page.goto("/")
    menu(page, click, "Log in")
    words = "The 2 games you played as a guest will move to the account you log in to."
    expect(page.get_by_text(words)).to_be_visible()
    fill(page, Name=name, Password="a wrong one")
    press(page, "Log in")
    expect(page.get_by_role("alert")).to_have_text(
        "There is no account with this name and this password."
    )
    expect(page.get_by_text(words)).to_be_visible()
    fill(page, Name=name, Password=PASSWORD)
    press(page, "Log in")
    expect(told(page)).to_have_text(
        f"You are logged in as {name}. "
        "The 2 games you played as a guest have moved to this account."
    )
    played = page.get_by_role("region", name="Played").get_by_role("listitem")
    expect(played).to_have_count(2)
    menu(page, click, "Profile")
    last = page.get_by_role("region", name="Last games").get_by_role("row")
    expect(last).to_have_count(3)
    last.filter(has_text="Laws").get_by_role("link", name="Replay").click()
    expect(page).to_have_url(re.compile(f"/games/{game}/replay/$"))


def test_the_account_s_own_pages(no_js, another, expected_complaints):
    """Another name, another password, everywhere logged out, and at last deleted."""
    expected_complaints += [*refused(400), *refused(404)]
    page = no_js
    old, new = sign_up(page), new_name("Nova")
    game = retire(page, start(page, "laws"), "bribe 1")
    log_in(another, old)

    page.goto("/")
    menu(page, click, "Account")
    follow(page, "Change your name")
    expect(page.get_by_label("Name", exact=True)).to_have_value(old)
    fill(page, Name=new)
    press(page, "Change my name")
    expect(told(page)).to_have_text(f"You are called {new} now.")
    page.goto("/boards/laws/")
    for name, rows in ((new, 1), (old, 0)):
        link = page.get_by_role("table").get_by_role("link", name=name, exact=True)
        expect(link).to_have_count(rows)

    page.goto("/account/")
    follow(page, "Change your password")
    fill(page, Old_password=OTHER_PASSWORD)
    fill(page, New_password=OTHER_PASSWORD, New_password_again=OTHER_PASSWORD)
    press(page, "Change my password")
    expect(page.locator(".field.wrong")).to_have_count(1)
    fill(page, Old_password=PASSWORD)
    fill(page, New_password=OTHER_PASSWORD, New_password_again=OTHER_PASSWORD)
    press(page, "Change my password")
    expect(told(page)).to_contain_text("Your password is changed.")
    check_logged_in(page, new)
    another.goto("/")
    is_nobody(another)

    log_in(another, new, OTHER_PASSWORD)
    another.goto("/account/")
    press(another, "Log out everywhere")
    expect(told(another)).to_have_text("You are logged out in every browser.")
    page.goto("/")
    is_nobody(page)

    log_in(page, new, OTHER_PASSWORD)
    page.goto("/account/")
    with page.expect_download() as download:
        follow(page, "Download your data")
    data = json.loads(download.value.path().read_text())
    assert new in json.dumps(data) and str(game) in json.dumps(data)

    follow(page, "Delete your account")
    expect(page.get_by_text("your one game, from every page")).to_be_visible()
    fill(page, Your_password=PASSWORD)
    press(page, "Delete my account for good")
    expect(page.locator(".errorlist")).to_have_text("This is not your password.")
    fill(page, Your_password=OTHER_PASSWORD)
    press(page, "Delete my account for good")
    expect(told(page)).to_have_text("Your account is deleted. Thank you for playing.")
    is_nobody(page)
    for gone in (f"/people/{new}/", f"/games/{game}/replay/"):
        page.goto(gone)
        expect(page.get_by_text("404", exact=True)).to_be_visible()
    page.goto("/boards/laws/")
    expect(page.get_by_role("link", name=new, exact=True)).to_have_count(0)


def test_a_forgotten_password(no_js, site, expected_complaints):
    expected_complaints += refused(404)
    page, name = no_js, new_name()
    address = f"{name}@example.org".lower()
    page.goto("/account/sign-up")
    fill(page, Name=name, Password=PASSWORD, Password_again=PASSWORD)
    page.get_by_label("E-mail").fill(address)
    press(page, "Sign up")
    menu(page, click, "Log out", "button")
    menu(page, click, "Log in")
    follow(page, "Set a new one")
    page.get_by_label("Email").fill(address)
    press(page, "Send the link")
    expect(page.get_by_role("heading", level=1)).to_have_text("Look into your mail")
    to, body = last_mail(site)
    assert to == address and name in body
    link = re.search(r"http://\S+/account/reset/\S+", body).group()
    page.goto(link)
    fill(page, New_password=OTHER_PASSWORD, New_password_again=OTHER_PASSWORD)
    press(page, "Set this password")
    follow(page, "Log in")
    fill(page, Name=name, Password=OTHER_PASSWORD)
    press(page, "Log in")
    check_logged_in(page, name)
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("This link is used up")


def last_mail(site):
    """What the server sent last, and to whom: it prints its mail where nothing is set."""
    _before, _to, mail = site.log.read_text().rpartition("To: ")
    address, _end, body = mail.partition("\n")
    return address, body


# -- what a browser keeps -------------------------------------------------------------------------

KEPT = "() => ({...localStorage, ...sessionStorage})"


def check_nothing_kept(page):
    """Assert that the browser stores nothing of a game; htmx keeps the address of the page."""
    kept = page.evaluate(KEPT)
    kept.pop("htmx-current-path-for-history", None)
    assert not kept


def test_after_log_out_back_shows_no_hand(calm_page, expected_complaints):
    expected_complaints += refused(403)
    page = calm_page
    sign_up(page)
    table = Table(page, games.CAPTURE).open(2)
    path = page.url
    check_nothing_kept(page)
    table.play(games.CAPTURE.moves[2], Mouse())
    check_nothing_kept(page)
    menu(page, click, "Log out", "button")
    expect(told(page)).to_have_text("You are logged out.")
    check_nothing_kept(page)
    page.go_back()
    expect(page).to_have_url(path)
    expect(page.get_by_role("heading", level=1)).to_have_text("This table is not yours")
    expect(page.locator("#table, #hand, #log")).to_have_count(0)
    check_nothing_kept(page)
    page.go_back()
    page.go_forward()
    expect(page.locator("#table, #hand, #log")).to_have_count(0)


def test_a_replay_leaves_nothing_in_the_browser(calm_page):
    page = calm_page
    replay = Replay(page, games.CAPTURE)
    page.goto(replay.play())
    for ply in (1, 2):
        page.keyboard.press("ArrowRight")
        replay.check(ply)
    check_nothing_kept(page)
