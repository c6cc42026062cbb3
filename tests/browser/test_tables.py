"""Tables with bots: whole games, how bots come by themselves, and two tabs at one table."""

import re
import time
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from .conftest import CALM, PHONE
from .seats import ANIMALS, TRICK, Finger, Held, Keys, Mouse, Plain, Seat
from .table import focus
from .words import refused

STALE = "The table had moved on before this arrived; nothing was played. Here it is as it stands."
OTHERS = "trick, last but one"
"""Another is to play the last card but one of a trick, then the person."""

# The times at which the page has come to another position.
WATCH = """() => {
  window.came = [];
  const look = () => {
    const version = document.querySelector("#move [name=version]")?.value;
    if (version && version !== came.at(-1)?.version) came.push({ version, at: performance.now() });
  };
  new MutationObserver(look).observe(document.getElementById("main"), {
    childList: true, subtree: true,
  });
  look();
}"""

DOCK = """() => {
  const { top, bottom } = document.querySelector(".dock").getBoundingClientRect();
  const main = document.querySelector("#act-main").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight + 1 && main.bottom <= innerHeight + 1 &&
    document.documentElement.scrollWidth <= screen.width;
}"""
# Not innerWidth: on a phone that grows with what overflows.


# -- whole games --------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", [TRICK, ANIMALS])
@pytest.mark.parametrize(
    ("device", "hands", "rounds"),
    # Two rounds have all that five have, and one game of five is enough to wait for.
    [("calm_page", Mouse(), 5), ("calm_page", Keys(), 2), ("no_js", Plain(), 2)],
    ids=["mouse", "keys", "without a script"],
)
def test_whole_game(request, slug, device, hands, rounds):
    page = request.getfixturevalue(device)
    Seat(page, slug, hands).set_up(players=3, rounds=rounds).play_to_the_end()


# -- at their pace ------------------------------------------------------------------------------


def test_bots_play_one_by_one_at_the_chosen_pace(page, laid):
    seat = Seat(page, TRICK, Mouse()).open(laid, "trick, to discard")
    page.locator("#pace-slow").check()
    expect(page.locator("#pace-slow")).to_be_checked()
    seat.settle()
    seat.version = seat.read()["version"]
    seat.play(seat.read())
    seat.moved_on()  # discarded: now the person leads
    page.evaluate(WATCH)
    seat.version = seat.read()["version"]
    seat.play(seat.read())
    three = "() => came.length > 3"
    wait_for(page, three)
    _before, own, *others = page.evaluate("() => came")
    assert [int(at["version"]) - int(own["version"]) for at in others[:2]] == [1, 2]
    assert all(gap >= 2000 for gap in gaps([own, *others[:2]]))

    page.locator("#pace-normal").check()
    page.evaluate(WATCH)
    wait_for(page, "() => came.length > 2")
    first, second, third = page.evaluate("() => came")[:3]
    assert int(third["version"]) - int(first["version"]) == 2
    assert gaps([second, third])[0] >= 1000


def gaps(came):
    """Milliseconds from each position to the next."""
    return [after["at"] - before["at"] for before, after in pairwise(came)]


def wait_for(page, condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(100)


def test_who_has_no_choice_passes_without_a_click(calm_page, laid):
    page, begun = calm_page, time.monotonic()
    seat = Seat(page, ANIMALS, Mouse())
    seat.open(laid, "animals, only to pass")
    if not page.locator("#log > li", has_text="You pass.").count():  # a machine may be slow
        expect(page.locator(".turn")).to_contain_text("you pass")
        assert not seat.read()["open"]
    expect(page.locator("#log > li", has_text="You pass.")).to_have_count(1)
    assert time.monotonic() - begun >= 1
    seat.rest()


# -- what stays while others play -----------------------------------------------------------------


@pytest.mark.parametrize("legal", [True, False], ids=["legal", "not legal"])
def test_a_card_chosen_meanwhile_stays_if_it_may_be_played(calm_page, laid, legal):
    page = calm_page
    held = Held(page)
    seat = Seat(page, TRICK, Mouse()).open(laid, OTHERS)
    led = re.search(r"\bc-([RYGB])\d", page.locator(".trickpad .card").first.get_attribute("class"))
    cards = [box["value"] for box in seat.read()["open"]]
    card = next(card for card in cards if (card[0] == led[1]) == legal)
    page.locator(f"#card-{card}").check()
    assert seat.read()["barred"]
    held.let_go()
    seat.rest()
    expect(page.locator(f"#card-{card}")).to_be_checked(checked=legal)
    expect(page.locator(f"#card-{card}")).to_be_enabled(enabled=legal)
    if not legal:
        expect(page.locator("#act-main")).to_contain_text("choose a card")
        return
    expect(page.locator("#act-main")).to_contain_text(re.compile(rf"Play \w+ {card[1:]}"))
    expect(page.locator("#preview .made")).to_be_visible()
    seat.version = seat.read()["version"]
    page.keyboard.press("Enter")
    seat.moved_on()
    expect(page.locator("#log")).to_contain_text(re.compile(rf"You \w+( with)? \w+ {card[1:]}\."))


def test_open_panels_and_the_focus_stay(calm_page, laid):
    page = calm_page
    held = Held(page)
    seat = Seat(page, TRICK, Mouse()).open(laid, OTHERS)
    page.locator("#d-type > summary").click()
    page.locator("#typed").fill("play R")
    page.locator("#d-pool > summary").click()
    held.let_go()
    seat.rest()
    for panel in ("#d-pool", "#d-type"):
        expect(page.locator(panel)).to_have_attribute("open", "")
    expect(page.locator("#d-pool > summary")).to_be_focused()
    expect(page.locator("#typed")).to_have_value("play R")


def test_the_list_of_keys_and_the_last_turn_round_stay_open(calm_page, laid):
    page = calm_page
    held = Held(page)
    seat = Seat(page, ANIMALS, Mouse()).open(laid, "animals, others")
    page.locator("#d-last > summary").click()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    before = focus(page)
    held.let_go()
    seat.rest()
    expect(dialog).to_be_visible()
    expect(page.locator("#last")).to_be_visible()
    assert focus(page) == before
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


# -- two tabs, and no network ---------------------------------------------------------------------


def same(seat):
    """What two tabs of the same person must both show."""
    shown = seat.read()
    return {key: shown[key] for key in ("version", "log", "turn", "todo", "now", "open")}


def test_two_tabs_ask_for_the_same_move(calm_page, laid, expected_complaints):
    expected_complaints += refused(409)
    page = calm_page
    held = Held(page.context)
    seat = Seat(page, TRICK, Mouse()).open(laid, OTHERS)
    other = Seat(page.context.new_page(), TRICK, Mouse())
    other.page.goto(page.url)
    seat.version = other.version = seat.read()["version"]
    for tab in (seat, other):
        wait_until_asked(tab.page, held)
    held.let_go()
    for tab in (seat, other):
        tab.moved_on()
        tab.rest()
    assert same(seat) == same(other)
    assert seat.read()["version"] == seat.version + 1
    check_nothing_twice(seat)

    # A move in one tab; the other one still shows the table before it.
    seat.version = other.version = seat.read()["version"]
    before = other.read()
    seat.play(before)
    seat.moved_on()
    seat.rest()
    other.play(before)
    other.moved_on()
    expect(other.page.locator("#preview")).to_contain_text(STALE)
    expect(other.page.locator("#say")).to_have_text(STALE)
    assert not other.read()["chosen"]
    assert same(other) == same(seat)
    check_nothing_twice(other)


def wait_until_asked(page, held):
    """Until this page has asked for the next move, which is held up."""
    deadline = time.monotonic() + 10
    while page not in [route.request.frame.page for route in held.routes]:
        assert time.monotonic() < deadline
        page.wait_for_timeout(50)


def check_nothing_twice(seat):
    """The log has a line for each move, and one for the deal."""
    shown = seat.read()
    assert len(shown["log"]) == shown["version"] + 1


def test_an_old_form_without_a_script(no_js, laid, expected_complaints):
    expected_complaints += refused(409)
    page = no_js
    seat = Seat(page, TRICK, Plain()).open(laid, "trick, to follow")
    old = Seat(page.context.new_page(), TRICK, Plain())
    old.page.goto(page.url)
    seat.version = old.version = seat.read()["version"]
    shown = seat.read()
    seat.hands.pick(seat, shown["open"][0])
    seat.hands.act(seat)
    seat.moved_on()
    old.hands.pick(old, shown["open"][1])
    old.hands.act(old)
    expect(old.page.locator("#preview")).to_contain_text(STALE)
    assert same(old) == same(seat)
    old.rest()
    page.reload()
    assert same(old) == same(seat)


def test_the_network_is_gone_while_others_play(calm_page, laid, expected_complaints):
    expected_complaints += ["ERR_INTERNET_DISCONNECTED", "htmx:sendError", "htmx:afterRequest"]
    page = calm_page
    held = Held(page)
    seat = Seat(page, TRICK, Mouse()).open(laid, OTHERS)
    seat.version = seat.read()["version"]
    wait_until_asked(page, held)
    page.context.set_offline(True)
    held.let_go()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The server did not answer.")
    assert seat.read()["version"] == seat.version
    page.context.set_offline(False)
    expect(alert).to_be_hidden(timeout=20_000)  # it asks again every 8 seconds
    seat.moved_on()
    seat.rest()
    check_nothing_twice(seat)


# -- a phone --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spot",
    ["trick, 25 cards", "animals, 8 seats and 25 cards", "animals, 12 seats and 25 cards"],
)
def test_large_hands_by_tapping(new_page, laid, spot):
    phone = new_page(**PHONE, **CALM)
    seat = Seat(phone, TRICK if spot.startswith("trick") else ANIMALS, Finger())
    seat.open(laid, spot)
    for width in (390, 360, 320):
        phone.set_viewport_size({"width": width, "height": 740})
        for end in ("0", "document.documentElement.scrollHeight"):
            phone.evaluate(f"() => scrollTo(0, {end})")
            phone.wait_for_function(DOCK)
    # Every card can be tapped where it shows.
    for box in seat.read()["open"]:
        control = phone.locator(f"#{box['id']}")
        control.tap()
        expect(control).to_be_checked()
        if box["name"] == "joker":
            control.tap()  # put back
    phone.wait_for_function(DOCK)
    phone.reload()
    seat.play(seat.check())
    seat.moved_on()
    played = phone.locator("#log > li", has_text=re.compile("^You (lead|play|trump)"))
    expect(played.first).to_be_attached()
