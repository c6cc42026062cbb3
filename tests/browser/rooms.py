"""Tables that wait for people, in the browser: how they are opened, and their pages."""

import re

from playwright.sync_api import expect


def open_table(page, slug, players=4, name="Nele", pace="normal", **fields):
    """Open a table for friends by the form, and stand in its waiting room; the invitation."""
    page.goto(f"/{slug}/new/?with=friends")
    page.locator(f"[name=players][value='{players}']").check()
    page.locator(f"[name=pace][value={pace}]").check()
    if name:
        page.get_by_label("What the others call you").fill(name)
    for field, value in fields.items():
        control = page.locator(f"[name='{field}']")
        control.set_checked(value) if isinstance(value, bool) else control.select_option(value)
    page.get_by_role("button", name="Sit down and play").click()
    page.wait_for_url(re.compile(rf"/{slug}/\d+/room$"))
    return page.get_by_label("Link to this table").input_value()


def take_seat(page, invitation, name="Bea"):
    """Follow an invitation and take a seat."""
    page.goto(invitation)
    page.get_by_label("What shall the others call you?").fill(name)
    page.get_by_role("button", name="Take a seat").click()
    page.wait_for_url(lambda url: "/join/" not in url)


def scenes(stage):
    """The pages of tables that wait, in every state."""
    page, somebody = stage.page, stage.somebody
    page.goto("/tables/")
    yield "the lobby"
    page.goto("/trick/new/?with=friends")
    yield "a new table for friends"
    page.locator("summary", has_text="Each seat by itself").click()
    page.locator("[name='level-0']").select_option("me")
    page.locator("[name='level-1']").select_option("me")
    page.get_by_role("button", name="Sit down and play").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield "a new table for friends, refused"
    invitation = open_table(page, "ochs-esel", players=4, listed=True, turn_time="45", ox=True)
    room = page.url
    yield "a waiting room"
    page.context.clear_cookies()
    page.goto("/tables/")
    yield "the lobby with a table"
    page.goto(invitation)
    yield "an invitation"
    page.get_by_label("What shall the others call you?").fill("admin")
    page.get_by_role("button", name="Take a seat").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield "an invitation, the name refused"
    take_seat(page, invitation)
    yield "a guest's waiting room"
    page.locator("summary", has_text="Fair deal").click()
    yield "a waiting room, the deal's number shown"
    page.goto("/tables/")
    yield "the lobby with a table of mine"
    page.goto(room)
    page.get_by_role("button", name="Hand it over").click()
    code = page.get_by_label("Link to your seat").input_value()
    yield "a seat handed over"
    page.context.clear_cookies()
    page.goto(code)
    yield "a seat to be taken over"
    page.goto("/seat/no-such-code/")
    yield "a code that is good no more"
    page.goto("/join/no-such-table/")
    yield "an invitation to nothing"
    page.goto(room)
    yield "a waiting room that is not mine"
    invitation = open_table(page, "ochs-esel", players=12)
    for name in ("Bea", "Cem-with-a-long-name", "Dora"):
        somebody.context.clear_cookies()
        take_seat(somebody, invitation, name)
    expect(page.locator(".place.free")).to_have_count(8)
    yield "a waiting room of twelve"
    page.locator("summary", has_text="Remove Cem").click()
    yield "a waiting room of twelve, somebody to be removed"
    page.keyboard.press("Escape")
    room = page.url.removesuffix("room")
    page.get_by_role("button", name="Start now").click()
    page.wait_for_url(room)
    page.context.clear_cookies()
    page.goto(invitation)
    yield "an invitation to a table that has started"
