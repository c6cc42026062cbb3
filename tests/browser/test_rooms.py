"""Tables that wait for people: each sees at once what another does, and all begin together."""

import re
import time

from playwright.sync_api import expect

from .conftest import CALM, DESKTOP, PHONE
from .people import told
from .rooms import open_table, take_seat


def places(page):
    """Who sits in the waiting room that a page shows, in order."""
    return page.locator(".place b")


def test_who_sits_down_is_seen_and_all_begin(page, new_page):
    phone = new_page(**PHONE)
    invitation = open_table(page, "trick", players=4)
    # What is chosen stays chosen while others come.
    page.locator("#level").select_option("easy")
    page.locator("#level").focus()
    take_seat(phone, invitation)
    expect(places(page)).to_have_text(["Nele", "Bea", "free", "free"])
    expect(page.locator("#say")).to_contain_text("Bea has sat down.")
    expect(page.locator("#level")).to_have_value("easy")
    expect(page.locator("#level")).to_be_focused()
    # Each sees that the other is there, and which seat they change to.
    expect(page.locator(".place.here")).to_have_count(2)
    phone.get_by_role("button", name="Sit here seat 4").click()
    expect(places(page)).to_have_text(["Nele", "free", "free", "Bea"])
    expect(places(phone)).to_have_text(["Nele", "free", "free", "Bea"])
    page.get_by_role("button", name="Start now").click()
    for each in (page, phone):
        each.wait_for_url(re.compile(r"/trick/\d+/$"))
        expect(each.locator("#table")).to_be_visible()


def test_the_last_seat_begins_the_game(page, new_page):
    invitation = open_table(page, "ochs-esel", players=3)
    take_seat(new_page(**DESKTOP, **CALM), invitation, "Bea")
    cem = new_page(**DESKTOP, **CALM)
    take_seat(cem, invitation, "Cem")
    for each in (page, cem):
        each.wait_for_url(re.compile(r"/ochs-esel/\d+/$"))


def test_somebody_is_removed(page, new_page, expected_complaints):
    expected_complaints.append("status of 403")
    expected_complaints.append("Error Code 403")
    invitation = open_table(page, "trick")
    other, third = (new_page(**DESKTOP, **CALM) for _ in range(2))
    take_seat(other, invitation, "Bea")
    page.locator("summary", has_text="Remove Bea").click()
    # The question stays open while a third person comes.
    take_seat(third, invitation, "Cem")
    expect(places(page)).to_have_text(["Nele", "Bea", "Cem", "free"])
    page.get_by_role("button", name="Yes, remove Bea").click()
    expect(places(page)).to_have_text(["Nele", "free", "Cem", "free"])
    expect(other.get_by_role("heading", name="Your seat was freed")).to_be_visible()
    other.get_by_role("link", name="Tables with free seats").click()
    expect(other.get_by_role("heading", name="Tables", exact=True)).to_be_visible()


def test_the_host_leaves(page, new_page):
    invitation = open_table(page, "trick")
    other = new_page(**DESKTOP, **CALM)
    take_seat(other, invitation)
    expect(other.get_by_role("button", name="Start now")).to_have_count(0)
    page.get_by_role("button", name="Stand up").click()
    expect(told(page)).to_contain_text("You have left the table.")
    expect(places(other)).to_have_text(["free", "Bea", "free", "free"])
    expect(other.get_by_role("button", name="Start now")).to_be_visible()


def test_a_page_that_waits_for_its_answer_does_not_look_elsewhere(page, new_page):
    """What it would find, that the seat is gone, would lead away before the answer says so."""
    open_table(page, "trick")
    looks = []
    page.on("request", lambda request: looks.append(request.url) if "/wait" in request.url else 0)

    def slow(route):
        answer = route.fetch(max_redirects=0)
        time.sleep(2)  # the table has changed, and the page was told
        route.fulfill(response=answer)

    page.route("**/leave", slow)
    page.get_by_role("button", name="Stand up").click()
    expect(told(page)).to_contain_text("You have left the table.")
    assert not looks


def test_the_lobby_is_live(page, new_page):
    visitor = new_page(**DESKTOP, **CALM)
    visitor.goto("/tables/")
    invitation = open_table(page, "trick", listed=True, turn_time="86400")
    path = invitation[invitation.index("/join") :]
    link = visitor.locator(f"a[href='{path}']")
    tile = visitor.locator("li", has=link)
    expect(tile).to_contain_text("3 of 4 seats are free")
    expect(tile).to_contain_text("one day a turn")
    take_seat(new_page(**PHONE), invitation)
    expect(tile).to_contain_text("2 of 4 seats are free")
    expect(tile).to_contain_text("Bea")
    page.get_by_role("button", name="Start now").click()
    expect(link).to_have_count(0)


def test_a_server_in_trouble_takes_nothing_away(page, new_page, expected_complaints):
    expected_complaints += ["status of 500", "Error Code 500"]
    invitation = open_table(page, "trick")
    whole = {"HX-Retarget": "body"}
    page.route("**/wait", lambda route: route.fulfill(status=500, headers=whole, body="<p>Oops"))
    other = new_page(**DESKTOP, **CALM)
    take_seat(other, invitation)
    expect(page.locator("#offline")).to_be_visible()
    page.unroute("**/wait")
    other.get_by_role("button", name="Sit here seat 3").click()
    expect(places(page)).to_have_text(["Nele", "free", "Bea", "free"])
    expect(page.locator("#offline")).to_be_hidden()


def test_without_a_script(no_js, new_page):
    other = new_page(**PHONE, **CALM, java_script_enabled=False)
    invitation = open_table(no_js, "ochs-esel", players=5)
    take_seat(other, invitation)
    no_js.get_by_role("button", name="Look again").click()
    expect(places(no_js)).to_have_text(["Nele", "Bea", "free", "free", "free"])
    no_js.get_by_role("button", name="Start now").click()
    no_js.wait_for_url(re.compile(r"/ochs-esel/\d+/$"))
    other.get_by_role("button", name="Look again").click()
    other.wait_for_url(no_js.url)
    expect(other.locator("#table")).to_be_visible()


def test_a_seat_goes_to_another_device(page, new_page, expected_complaints):
    expected_complaints.append("status of 404")
    open_table(page, "trick")
    page.get_by_role("button", name="Hand it over").click()
    code = page.get_by_label("Link to your seat").input_value()
    phone = new_page(**PHONE)
    phone.goto(code)
    expect(phone.get_by_label("What shall the others call you?")).to_have_value("Nele")
    phone.get_by_role("button", name="Take this seat").click()
    expect(places(phone)).to_have_text(["Nele", "free", "free", "free"])
    phone.goto(code)
    expect(phone.get_by_role("heading", name="This code is good no more")).to_be_visible()
