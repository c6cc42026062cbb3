"""The scorepad at a table: five rounds with one thumb, a network that goes, and the others."""

import re

import pytest
from playwright.sync_api import Error, expect

from .company import wait_until
from .conftest import CALM, PHONE
from .pads import (
    cell,
    count_cards,
    expect_row,
    expect_sent,
    leave,
    make,
    open_cell,
    type_points,
    wait_until_kept,
    write_round,
)
from .people import menu, sign_up
from .test_every_page import axe, faults_on_a_phone

OFFLINE = ("net::ERR_INTERNET_DISCONNECTED", "net::ERR_FAILED")
"""What a browser without a network says, and what a page that it keeps says then."""


@pytest.fixture
def phone(new_page):
    page = new_page(**PHONE, **CALM)
    yield page
    leave(page)


@pytest.fixture
def friend(new_page):
    """Another person's phone."""
    page = new_page(**PHONE, **CALM, color_scheme="dark")
    yield page
    leave(page)


def go(page, *, online):
    page.context.set_offline(not online)


def sent(page):
    return page.locator("#sent")


def expect_no_faults(page):
    """Assert what `test_every_page` asserts, in a state that takes two people to reach."""
    assert [*axe(page, "light"), *axe(page, "dark"), *faults_on_a_phone(page)] == []


def expect_nothing_kept(page, address):
    """Assert that the page cannot be opened without a network."""
    go(page, online=False)
    with pytest.raises(Error, match="net::ERR"):
        page.goto(address)
    go(page, online=True)
    page.goto("/")


def test_five_rounds(phone, expected_complaints):
    expected_complaints += OFFLINE
    page = phone
    address = make(page)
    wait_until_kept(page)
    page.locator(".starters").get_by_role("button", name="Çelik").click()
    expect(page.locator("#starts")).to_have_text("Çelik has the donkey and starts.")

    # counted
    page.locator("#write").click()
    expect(page.locator("#h-entry")).to_have_text("Anna, round 1")
    count_cards(page, "3", "10", "J")
    count_cards(page)
    expect(page.locator("#h-entry")).to_have_text("Çelik, round 1")
    for card in ("13", "13", "E"):
        page.locator(f".count:has([name='h-{card}']) button").click()
    page.get_by_role("button", name="Take one back").click()
    page.locator(".count:has([name='h-13']) button").click()
    expect(page.locator(".running output")).to_contain_text("33")
    page.get_by_role("button", name="Write, next player").click()
    expect(page.locator("#entry")).to_be_hidden()
    expect(page.locator("[data-round='2'].cell").first).to_be_visible()
    expect(page.locator("#h-now")).to_have_text("Round 2 of 5")
    expect(page.locator("#starts")).to_have_text("Çelik has the donkey and starts.")
    expect_row(page, 0, 27, total=27)
    expect_row(page, 2, 33, total=33)

    # typed
    write_round(page, 12, 25, 0)
    expect(page.locator("#h-now")).to_have_text("Round 3 of 5")
    page.locator(".starters").get_by_role("button", name="Ben").click()
    expect(page.locator("#starts")).to_have_text("Ben has the donkey and starts.")
    expect_sent(page)

    # without a network: a whole round, who starts the next one, a correction, and the page anew
    go(page, online=False)
    expect(sent(page)).to_contain_text("Offline")
    write_round(page, 0, 20, 14)
    expect(page.locator("#h-now")).to_have_text("Round 4 of 5")
    page.locator(".starters").get_by_role("button", name="Ben").click()
    expect(page.locator("#starts")).to_have_text("Ben has the donkey and starts.")
    open_cell(page, 3, 2)
    type_points(page, 15, then="Write")
    expect(sent(page)).to_have_text("Offline, 4 entries wait on this device.")
    expect_row(page, 2, 33, 0, 15, total=48)
    page.goto(address)
    expect(sent(page)).to_have_text("Offline, 4 entries wait on this device.")
    expect_row(page, 0, 27, 12, 0, total=39)
    expect_row(page, 1, 0, 25, 20, total=45)
    expect_row(page, 2, 33, 0, 15, total=48)
    expect(page.locator(".cell.unsent")).to_have_count(3)
    expect(page.locator("#starts")).to_have_text("Ben has the donkey and starts.")

    go(page, online=True)
    expect(sent(page)).to_be_hidden()
    expect(page.locator(".unsent")).to_have_count(0)
    page.reload()
    expect_row(page, 2, 33, 0, 15, total=48)
    expect(page.locator("#starts")).to_have_text("Ben has the donkey and starts.")

    write_round(page, 0, 20, 9)
    write_round(page, 5, 0, 30)
    expect(page.get_by_role("heading", name="Winner: Anna")).to_be_visible()
    open_cell(page, 5, 0)
    type_points(page, 35, then="Write")
    expect(page.get_by_role("heading", name="Winner: Ben")).to_be_visible()
    expect(cell(page, 5, 0).locator("s")).to_contain_text("5")
    expect(page.locator(".corrections li")).to_have_count(1)

    page.get_by_role("link", name="To print").click()
    expect(page.locator(".tallysheet tbody tr")).to_have_count(5)
    expect(page.locator(".won")).to_contain_text("Ben")
    page.emulate_media(media="print")
    expect(page.locator(".bar")).to_be_hidden()
    page.emulate_media(media="null")
    with page.expect_download() as download:
        page.get_by_role("link", name="As a CSV file").click()
    assert download.value.path().read_text().startswith("round,started,donkey,ox,Anna,Ben,Çelik")


def test_the_others_see_it_at_once(phone, friend):
    address = make(phone)
    friend.goto(address)
    expect(friend.locator("a.cell")).to_have_count(0)
    open_cell(phone, 1, 1)
    type_points(phone, 17, then="Write")
    expect(cell(friend, 1, 1).locator("b")).to_have_text("17")
    # Who is allowed to write can do so at once.
    phone.get_by_role("button", name="Let them write too").click()
    expect(friend.locator("a.cell").first).to_be_visible()
    open_cell(friend, 1, 0)
    type_points(friend, 4, then="Write")
    expect(cell(phone, 1, 0).locator("b")).to_have_text("4")


@pytest.mark.parametrize(("choice", "stays"), [("Keep 17", 17), ("Write 14", 14)])
def test_two_wrote_into_one_cell(phone, friend, expected_complaints, choice, stays):
    expected_complaints += [*OFFLINE, "status of 409"]
    address = make(phone)
    phone.get_by_role("button", name="Let them write too").click()
    wait_until_kept(phone)
    friend.goto(address)
    go(phone, online=False)
    open_cell(phone, 1, 0)
    type_points(phone, 14, then="Write")
    expect(sent(phone)).to_contain_text("1 entry waits")
    expect_no_faults(phone)
    open_cell(friend, 1, 0)
    type_points(friend, 17, then="Write")
    expect_sent(friend)
    expect(cell(friend, 1, 0).locator("b")).to_have_text("17")

    go(phone, online=True)
    question = phone.locator("#unsent li")
    expect(question).to_contain_text("Anna, round 1")
    expect(question).to_contain_text("wrote 17 meanwhile; on this device stands 14")
    expect(cell(phone, 1, 0).locator("b")).to_have_text("17")
    expect(cell(friend, 1, 0).locator("b")).to_have_text("17")
    expect_no_faults(phone)
    phone.get_by_role("button", name=choice).click()
    expect(question).to_have_count(0)
    for page in (phone, friend):
        expect(cell(page, 1, 0).locator("b")).to_have_text(str(stays))
    phone.reload()
    expect(sent(phone)).to_be_hidden()
    expect(cell(phone, 1, 0).locator("b")).to_have_text(str(stays))


def test_an_answer_that_is_lost_writes_nothing_twice(new_page, expected_complaints):
    expected_complaints += ["Failed to load resource"]
    # What passes a service worker, Playwright does not see.
    phone = new_page(**PHONE, service_workers="block")
    make(phone)

    lost = []

    def lose(route):
        lost.append(route.fetch().status)
        route.abort()

    phone.route(re.compile("/1/0/$"), lose, times=1)
    open_cell(phone, 1, 0)
    type_points(phone, 14, then="Write")
    wait_until(phone, lambda: lost)
    # It is sent again when the page looks again, every ten seconds or so.
    expect(phone.locator(".unsent")).to_have_count(0, timeout=30_000)
    expect(cell(phone, 1, 0)).to_have_text("Anna, round 1: 14")
    assert lost == [200]
    phone.reload()
    expect(sent(phone)).to_be_hidden()
    expect(cell(phone, 1, 0)).to_have_text("Anna, round 1: 14")
    expect(phone.locator(".corrections")).to_have_count(0)


def test_what_is_written_waits_for_the_next_visit(phone, expected_complaints):
    expected_complaints += OFFLINE
    address = make(phone)
    wait_until_kept(phone)
    go(phone, online=False)
    open_cell(phone, 1, 0)
    type_points(phone, 14, then="Write")
    expect(sent(phone)).to_contain_text("1 entry waits")
    phone.goto("about:blank")
    go(phone, online=True)
    phone.goto(address)
    expect(sent(phone)).to_be_hidden()
    phone.reload()
    expect(cell(phone, 1, 0).locator("b")).to_have_text("14")


def test_a_line_that_may_not_be_written_is_not_lost(phone, friend, expected_complaints):
    expected_complaints += [*OFFLINE, "status of 403"]
    address = make(phone)
    phone.get_by_role("button", name="Let them write too").click()
    friend.goto(address)
    wait_until_kept(friend)
    go(friend, online=False)
    open_cell(friend, 1, 0)
    type_points(friend, 14, then="Write")
    phone.get_by_role("button", name="Let only me write").click()
    expect(phone.get_by_role("button", name="Let them write too")).to_be_visible()
    go(friend, online=True)
    expect(friend.locator("#unsent li")).to_contain_text("14 was not written.")
    phone.get_by_role("button", name="Let them write too").click()
    expect(friend.locator("a.cell").first).to_be_visible()
    friend.get_by_role("button", name="Try again").click()
    expect(cell(phone, 1, 0).locator("b")).to_have_text("14")


def test_logging_out_leaves_nothing_on_the_device(phone, expected_complaints):
    expected_complaints += OFFLINE
    sign_up(phone)
    address = make(phone)
    wait_until_kept(phone)
    go(phone, online=False)
    phone.goto(address)  # it is kept
    open_cell(phone, 1, 0)
    type_points(phone, 14, then="Write")
    go(phone, online=True)
    expect(sent(phone)).to_be_hidden()
    menu(phone, lambda control: control.click(), "Log out", role="button")
    expect(phone.locator(".note")).to_contain_text("You are logged out")
    expect_nothing_kept(phone, address)


def test_logging_out_asks_before_it_throws_entries_away(phone, expected_complaints):
    expected_complaints += OFFLINE
    sign_up(phone)
    make(phone)
    wait_until_kept(phone)
    go(phone, online=False)
    open_cell(phone, 1, 0)
    type_points(phone, 14, then="Write")
    expect(sent(phone)).to_contain_text("1 entry waits")
    asked = []
    phone.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    menu(phone, lambda control: control.click(), "Log out", role="button")
    expect(sent(phone)).to_contain_text("1 entry waits")
    assert len(asked) == 1
    go(phone, online=True)
    expect(sent(phone)).to_be_hidden()


def test_a_pad_that_is_gone_is_not_shown_from_the_device(phone, friend, expected_complaints):
    expected_complaints += [*OFFLINE, "status of 404"]
    address = make(phone)
    friend.goto(address)
    wait_until_kept(friend)
    friend.goto("about:blank")
    phone.locator(".padgone summary").click()
    phone.get_by_role("button", name="Delete it for good").click()
    expect(phone.locator(".note")).to_contain_text("deleted")
    friend.goto(address)
    expect(friend.get_by_role("heading", name="No such scorepad")).to_be_visible()
    expect_nothing_kept(friend, address)


def test_a_copy_is_shown_for_an_evening_only(phone):
    address = make(phone)
    wait_until_kept(phone)
    phone.evaluate(
        """async () => {
          const cache = await caches.open("pads");
          for (const request of await cache.keys()) {
            const answer = await cache.match(request, { ignoreVary: true });
            const headers = new Headers(answer.headers);
            headers.set("X-Kept", headers.get("X-Kept") - 18 * 60 * 60 * 1000);
            await cache.put(request, new Response(await answer.blob(), { headers }));
          }
        }"""
    )
    phone.goto("about:blank")
    expect_nothing_kept(phone, address)


def test_keys_only(phone):
    page = phone
    make(page)
    cell(page, 1, 0).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Minus points")).to_be_focused()
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    expect(page.locator("#h-entry")).to_have_text("Ben, round 1")
    expect(page.get_by_label("Minus points")).to_be_focused()
    page.keyboard.press("Enter")  # no points yet
    expect(page.locator("#entry .refusal")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#entry")).to_be_hidden()
    expect(cell(page, 1, 1)).to_be_focused()
    expect_row(page, 0, 12, total=12)


def test_without_a_script(no_js):
    page = no_js
    make(page)
    page.locator(".starters").get_by_role("button", name="Ben").click()
    expect(page.locator("#starts")).to_have_text("Ben has the donkey and starts.")
    page.get_by_role("link", name="Write the points").click()
    page.get_by_label("Minus points").fill("7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ben")).to_be_visible()
    page.get_by_label("Count cards").check()
    page.get_by_label("7", exact=True).fill("2")
    page.get_by_label("Donkey").fill("1")
    page.get_by_role("button", name="Write, next player").click()
    page.get_by_role("button", name="0, hand empty").click()
    expect(page.locator("#h-now")).to_have_text("Round 2 of 5")
    expect_row(page, 0, 7, total=7)
    expect_row(page, 1, 34, total=34)
    expect_row(page, 2, 0, total=0)
