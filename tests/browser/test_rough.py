"""Rough weather at a table with bots: a server that fails for a moment, presses without an end."""

import pytest
from playwright.sync_api import expect

from .seats import TRICK, Mouse, Seat
from .words import refused

OTHERS = "trick, last but one"
"""Another is to play the last card but one of a trick, then the person."""
MINE = "trick, to follow"
GATEWAY = {"status": 502, "body": "<html><body><h1>502 Bad Gateway</h1></body></html>"}
"""What a proxy says while the site behind it starts."""
OURS = {
    "status": 503,
    "headers": {"HX-Retarget": "body", "HX-Reswap": "innerHTML"},
    "body": "<!DOCTYPE html><html><head><title>Busy</title></head><body><h1>Busy</h1></body>",
}
AGAIN = 20_000
"""Milliseconds in which the page has asked again."""


def fails_once(page, what, answer):
    """The next request for this gets that answer, and those after it the site's."""
    page.route(f"**/{what}", lambda route: route.fulfill(**answer), times=1)


def alert(page):
    return page.locator("#offline")


@pytest.mark.parametrize("answer", [GATEWAY, OURS], ids=["a proxy's", "our own"])
def test_others_play_on_after_a_fault(calm_page, laid, expected_complaints, answer):
    page = calm_page
    expected_complaints += refused(answer["status"])
    fails_once(page, "advance", answer)
    seat = Seat(page, TRICK, Mouse()).open(laid, OTHERS)
    expect(alert(page)).to_contain_text("The server did not answer.")
    expect(page.locator("#advance")).to_have_count(1)
    expect(page.locator("#hand")).to_be_visible()
    seat.version = seat.read()["version"]
    expect(alert(page)).to_be_hidden(timeout=AGAIN)
    seat.moved_on()
    seat.rest()
    seat.check()


@pytest.mark.parametrize("what", ["move", "preview", "pace"])
def test_a_fault_on_the_way_takes_no_table_away(calm_page, laid, expected_complaints, what):
    page = calm_page
    expected_complaints += refused(502)
    seat = Seat(page, TRICK, Mouse()).open(laid, MINE)
    shown = seat.check()
    if what == "pace":
        fails_once(page, what, GATEWAY)
        page.locator("#pace-slow").check()
    elif what == "preview":
        fails_once(page, what, GATEWAY)
        page.locator("#hand input:enabled").first.check()
    else:
        seat.hands.pick(seat, shown["open"][0])
        fails_once(page, what, GATEWAY)
        seat.hands.act(seat)
    expect(alert(page)).to_contain_text("The server did not answer.")
    expect(page.get_by_role("heading", name="502 Bad Gateway")).to_have_count(0)
    assert seat.read()["version"] == shown["version"]
    if what != "move":
        seat.hands.pick(seat, shown["open"][-1])
        expect(alert(page)).to_be_hidden()
    seat.hands.act(seat)
    seat.moved_on()
    expect(alert(page)).to_be_hidden()


def test_a_fault_of_our_own_is_a_page_for_who_has_played(calm_page, laid, expected_complaints):
    page = calm_page
    expected_complaints += refused(503)
    seat = Seat(page, TRICK, Mouse()).open(laid, MINE)
    seat.hands.pick(seat, seat.read()["open"][0])
    fails_once(page, "move", OURS)
    seat.hands.act(seat)
    expect(page.get_by_role("heading", name="Busy")).to_be_visible()


# -- presses ------------------------------------------------------------------------------------


@pytest.fixture
def waiting(calm_page, laid):
    """A table that waits for another, and asks for that move only when it is told to."""
    page = calm_page
    page.route("**/advance", lambda route: route.fulfill(status=204))
    with page.expect_response("**/advance"):
        seat = Seat(page, TRICK, Mouse()).open(laid, OTHERS)
    page.unroute("**/advance")
    seat.version = seat.read()["version"]
    page.locator(".turn").hover()
    yield seat
    page.mouse.up()


def ask(page):
    page.evaluate("() => htmx.trigger('#advance', 'submit')")


@pytest.mark.parametrize(
    "end", ["pointerup", "pointercancel", "contextmenu", "dragend", "visibilitychange", "blur"]
)
def test_others_wait_for_the_end_of_a_press(waiting, end):
    page = waiting.page
    page.mouse.down()
    ask(page)
    page.wait_for_timeout(400)
    assert waiting.read()["version"] == waiting.version, "not in the middle of a click"
    if end == "blur":
        page.evaluate("() => window.dispatchEvent(new Event('blur'))")
    else:
        page.evaluate("(end) => document.dispatchEvent(new Event(end, { bubbles: true }))", end)
    waiting.moved_on()


PRESSES = {
    "another button": "new PointerEvent('pointerdown', { button: 2, isPrimary: true })",
    "a second finger": "new PointerEvent('pointerdown', { button: 0, isPrimary: false })",
}


@pytest.mark.parametrize("press", PRESSES)
def test_others_wait_for_no_other_press(waiting, press):
    page = waiting.page
    page.evaluate(f"() => document.dispatchEvent({PRESSES[press]})")
    ask(page)
    waiting.moved_on()


def test_a_menu_of_the_browser_stops_nobody(waiting):
    page = waiting.page
    page.mouse.down(button="right")  # its end is the menu's, and the page never hears of it
    ask(page)
    waiting.moved_on()
    page.mouse.up(button="right")
