"""The daily deal: its one try, the countdown, the result, and what others may know of it."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from .conftest import CALM, DESKTOP
from .people import number, retire, start, unfold
from .table import READ
from .words import refused

SHOWN = ("hand", "piles", "deckChips", "target", "come", "stock")


def play_todays_deal(page, slug="laws"):
    """Begin the try on the page of the deal; what the table shows."""
    page.goto(f"/daily/{slug}/")
    page.get_by_role("button", name="Play today’s deal").click()
    expect(page.locator(".kind")).to_have_text("daily deal")
    shown = page.evaluate(READ)
    return {key: shown[key] for key in SHOWN}


def give_up(page):
    page.locator("summary", has_text="Retire").click()
    page.get_by_role("button", name="Yes, end it").click()
    expect(page.get_by_role("heading", name="The game is over")).to_be_visible()


def own(page):
    """What the page of the deal says of one's own try."""
    return page.locator(".own")


@pytest.mark.parametrize("whose", ["calm_page", "no_js"])
def test_a_try_from_the_first_look_to_practice(request, whose):
    page = request.getfixturevalue(whose)
    dealt = play_todays_deal(page)
    table = page.url
    proof = page.locator("#commitment").text_content()
    # It is the only try: its page leads back to it.
    page.goto("/daily/laws/")
    assert page.locator("#commitment").text_content() == proof
    expect(own(page)).to_contain_text("Your try is not finished.")
    expect(own(page).get_by_role("button")).to_have_count(0)
    expect(page.locator("#seed, #share")).to_have_count(0)
    own(page).get_by_role("link", name="Go on").click()
    expect(page).to_have_url(table)
    page.get_by_role("radio", name="Enemy").first.check()
    page.get_by_role("button", name="Bribe").click()
    expect(page.locator("#log > li").first).to_contain_text("Bribed")
    give_up(page)
    over = page.get_by_role("region", name="The game is over")
    expect(over).to_contain_text("daily deal of")
    check_betrays_nothing(page)

    over.get_by_role("link", name="Daily deal").click()
    expect(own(page)).to_contain_text(re.compile(r"Your score:\s+1\s+enemy navigated"))
    expect(own(page)).to_contain_text("Only named accounts are on the boards.")
    unfold(own(page), "Share")
    check_betrays_nothing(page)
    today = page.get_by_role("region", name="All days").locator("[aria-current=date]")
    expect(today).to_contain_text("1")
    expect(today).to_contain_text("your score")
    unfold(page.get_by_role("main"), "Fair deal")
    expect(page.locator("#seed")).to_have_text(re.compile("^[0-9a-f]{64}$"))
    expect(page.locator("#commitment")).to_have_text(proof)
    page.get_by_role("link", name="Verify this deal").click()
    expect(page.get_by_role("status")).to_contain_text("They belong together.")
    page.goto("/daily/laws/")

    own(page).get_by_role("button", name="The same deal, for practice").click()
    expect(page.locator(".kind")).to_have_text("practice")
    shown = page.evaluate(READ)
    assert {key: shown[key] for key in SHOWN} == dealt


def check_betrays_nothing(page):
    """Assert that the text to share helps nobody who has not played yet."""
    share = page.get_by_role("textbox", name="Text to share").input_value()
    assert "daily deal" in share and "1 enemy" in share
    assert not re.search(r"[♠♥♦♣★]|[0-9a-f]{16}", share)


def test_everybody_has_the_same_cards_and_one_try(calm_page, new_page, expected_complaints):
    expected_complaints += refused(409)
    page, other = calm_page, new_page(**DESKTOP, **CALM)
    dealt = play_todays_deal(page, "market")
    give_up(page)
    replay = f"/games/{number(page.url.partition('//')[2])}/replay/"
    # The game of somebody else, before one's own try.
    other.goto(replay)
    expect(other.get_by_role("heading", level=1)).to_have_text("Not open yet")
    expect(other.get_by_text("once you have had your own try")).to_be_visible()
    other.get_by_role("link", name="To the daily deal").click()
    other.get_by_role("button", name="Play today’s deal").dblclick()
    expect(other.locator(".kind")).to_have_text("daily deal")
    shown = other.evaluate(READ)
    assert {key: shown[key] for key in SHOWN} == dealt
    table = other.url
    other.goto(replay)
    expect(other.get_by_role("heading", level=1)).to_have_text("Not open yet")
    other.goto("/")
    open_games = other.get_by_role("region", name="Continue").get_by_role("listitem")
    expect(open_games).to_have_count(1)
    other.goto(table)
    give_up(other)
    other.goto(replay)
    expect(other.locator("#replay")).to_have_attribute("data-ply", "0")


@pytest.mark.parametrize("path", ["/daily/", "/daily/market/"])
def test_the_countdown(calm_page, no_js, path):
    """It ticks where a script runs, and is a time as the server knew it where none does."""
    calm_page.goto(path)
    timer = calm_page.get_by_role("timer")
    expect(timer).to_have_text(re.compile(r"^\d+:\d\d:\d\d$"))
    expect(timer).not_to_have_text(timer.inner_text())
    no_js.goto(path)
    timer = no_js.get_by_role("timer")
    expect(timer).to_have_text(re.compile(r"^(\d+\shours?|\d+\sminutes?)"))
    expect(timer).to_have_attribute("datetime", re.compile(r"T00:00:00\+00:00$"))
    expect(no_js.get_by_text("It is there: look")).to_be_hidden()


def test_both_deals_of_today_and_their_boards(calm_page):
    page = calm_page
    page.goto("/")
    page.get_by_role("link", name="Daily", exact=True).click()
    for slug, title in (("laws", "Solitaire: Laws"), ("market", "Solitaire: Market")):
        tile = page.locator(".two > li", has=page.get_by_role("heading", name=title))
        unfold(tile, "Fair deal")
        expect(tile.locator(".mono")).to_have_text(re.compile("^[0-9a-f]{64}$"))
        expect(tile.get_by_role("button", name=f"Play today’s deal {title}")).to_be_visible()
        tile.get_by_role("link", name="The board").click()
        expect(page).to_have_url(re.compile(rf"/boards/{slug}/daily/\d{{4}}-\d\d-\d\d/$"))
        page.go_back()
    path = start(page, "laws", day=page.locator("[name=day]").first.get_attribute("value"))
    retire(page, path, "bribe 1")
    page.reload()
    result = page.locator(".two > li").first
    expect(result).to_contain_text(re.compile(r"Your score:\s+1\s"))
    expect(result.get_by_role("link", name="Replay of your game")).to_be_visible()


def test_past_days_open_to_all(calm_page, crowd):
    """Whoever comes by sees the board and the replays, and may practise with the deal."""
    page = calm_page
    find_past_day(page, "market")
    expect(own(page)).to_contain_text("You did not play this deal on its day.")
    expect(page.get_by_role("timer")).to_have_count(0)
    top = page.get_by_role("region", name="The board of this day")
    top.get_by_role("link", name="Replay").first.click()
    expect(page.locator("#replay")).to_have_attribute("data-ply", "0")
    seed = page.locator("#seed").inner_text()
    page.go_back()
    unfold(page.get_by_role("main"), "Fair deal")
    expect(page.locator("#seed")).to_have_text(seed)
    own(page).get_by_role("button", name="The same deal, for practice").click()
    expect(page.locator(".kind")).to_have_text("practice")


def find_past_day(page, slug):
    """Turn the calendar back to a day that is closed and on whose board somebody stands."""
    closed = (datetime.now(UTC) - timedelta(days=2)).date().isoformat()
    month = f"/daily/{slug}/"
    while True:
        page.goto(month)
        earlier = page.locator("[rel=prev]").evaluate_all("(links) => links.map(({href}) => href)")
        days = page.locator(".month a").evaluate_all(
            "(days) => days.map((day) => [day.querySelector('time').dateTime, day.href])"
        )
        for day, address in days:
            if day <= closed:
                page.goto(address)
                if page.get_by_role("region", name="The board of this day").locator("tr").count():
                    return
        (month,) = earlier
