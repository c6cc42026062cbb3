"""Replays: of stored games and of pasted records, with keys, by clicks, and without JavaScript."""

import json
import re

import pytest
from playwright.sync_api import expect

from ouroboros_site.engine import record

from . import games
from .replay import Replay
from .table import focus
from .words import refused

FAST = "3"

# Keeps which plies the page comes by.
WATCH = """() => {
  window.plies = [];
  const keep = () => plies.push(document.querySelector("#replay").dataset.ply);
  addEventListener("htmx:afterSwap", keep);
}"""


def pasted(deal):
    """The deal as a record."""
    return json.dumps(record.write(deal.rules, deal.after(0), deal.moves))


@pytest.fixture(params=["stored", "pasted"])
def shown(request, calm_page):
    """A replay at its first ply: of a game that was played here, and of a record."""
    return open_replay(calm_page, games.CAPTURE, request.param)


def open_replay(page, deal, how):
    replay = Replay(page, deal)
    if how == "stored":
        page.goto(replay.play())
    else:
        paste(page, pasted(deal))
    replay.check(0)
    return replay


def step(page, name):
    """A link of a stored game, a button of a record."""
    return page.locator(".jumps :is(a, button)", has_text=name)


def paste(page, text):
    page.goto("/replay/")
    page.get_by_role("textbox", name="The record").fill(text)
    page.get_by_role("button", name="Check and replay").click()


# -- stepping -------------------------------------------------------------------------------------


@pytest.mark.parametrize("deal", [games.LAWS, games.MARKET], ids=["laws", "market"])
def test_every_ply_as_the_rules_have_it(calm_page, deal):
    replay = open_replay(calm_page, deal, "stored")
    for ply in range(1, replay.last + 1):
        calm_page.keyboard.press("ArrowRight")
        replay.check(ply)
        replay.check_said(ply)


def test_keys(shown):
    page, last = shown.page, shown.last
    for key, ply in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", last),
        ("ArrowRight", last),
        ("ArrowLeft", last - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
    ):
        page.keyboard.press(key)
        shown.check(ply)
        shown.check_said(ply)
    # They can be switched off, and stay off.
    page.locator("summary", has_text="Keys").click()
    page.get_by_label("Keys step and play").uncheck()
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    shown.check(0)
    step(page, "Forward").click()
    shown.check(1)


@pytest.mark.parametrize(("how", "start"), [("stored", "click"), ("pasted", "key")])
def test_play_goes_to_the_end_and_stops(calm_page, how, start):
    page = calm_page
    shown = open_replay(page, games.CAPTURE, how)
    speed = page.get_by_label("Speed")
    play, pause = (page.get_by_role("button", name=name, exact=True) for name in ("Play", "Pause"))
    page.evaluate(WATCH)
    if start == "key":
        for key in "12":
            page.keyboard.press(key)
            expect(speed).to_have_value(key)
        page.keyboard.press(FAST)
        page.keyboard.press(" ")
    else:
        speed.select_option("fast")
        play.click()
    expect(pause).to_be_visible()
    expect(play).to_be_visible()  # again, by itself
    shown.check(shown.last)
    assert page.evaluate("() => plies") == [str(ply) for ply in range(1, shown.last + 1)]
    expect(speed).to_have_value(FAST)
    # Once more from the beginning, until someone steps by hand.
    page.keyboard.press("1")
    play.click()
    expect(pause).to_be_visible()
    shown.check(0)
    page.keyboard.press("End")
    expect(play).to_be_visible()
    shown.check(shown.last)


def test_play_pauses(shown):
    page = shown.page
    page.keyboard.press("1")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    shown.check(0)


def test_to_a_ply_by_number_and_by_the_slider(shown):
    page = shown.page
    field = page.get_by_role("spinbutton", name="Ply")
    field.fill("5")
    field.press("Enter")
    shown.check(5)
    expect(field).to_be_focused()
    field.fill("2")
    page.get_by_role("button", name="Go").click()
    shown.check(2)
    slider = page.get_by_role("slider", name="Ply")
    slider.focus()
    slider.press("ArrowRight")
    shown.check(3)
    expect(slider).to_be_focused()
    slider.fill("6")
    shown.check(6)
    # What is no ply of this game is not asked for.
    field.fill("99")
    page.get_by_role("button", name="Go").click()
    expect(page.locator("#to:invalid")).to_have_count(1)
    field.fill("6")
    shown.check(6)


def test_the_focus_stays_where_it_was(shown):
    page = shown.page
    for control in ("to-forward", "to-back", "to-last", "to-first"):
        page.locator(f"#{control}").focus()
        before = page.locator("#replay").get_attribute("data-ply")
        page.keyboard.press("Enter")
        expect(page.locator("#replay")).not_to_have_attribute("data-ply", before)
        expect(page.locator(".htmx-added, .htmx-settling")).to_have_count(0)
        assert focus(page) == control
    page.locator("#toggle").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Hidden from the player")).to_be_visible()
    assert focus(page) == "toggle"
    # What was opened stays open.
    page.locator("#d-deck summary").click()
    page.keyboard.press("ArrowRight")
    shown.check(1)
    expect(page.locator("#d-deck .sheet")).to_be_visible()
    expect(page.locator("#d-deck summary")).to_be_focused()


def test_hidden_cards_are_shown_when_asked_for(shown):
    page = shown.page
    hidden = page.get_by_role("region", name="Hidden from the player")
    expect(hidden).to_have_count(0)
    page.get_by_text("Show the hidden cards").click()
    expect(hidden.locator(".chip")).to_have_count(23)
    page.keyboard.press("ArrowRight")
    shown.check(1)
    expect(hidden.locator(".chip").first).to_be_visible()
    page.get_by_text("Hide the hidden cards").click()
    expect(hidden).to_have_count(0)
    shown.check(1)


# -- the address ----------------------------------------------------------------------------------


def test_the_address_names_the_ply_and_leads_others_there(calm_page, no_js):
    page = calm_page
    replay = open_replay(page, games.MARKET, "stored")
    for way, ply in (("Forward", 1), ("End", replay.last), ("Back", replay.last - 1)):
        step(page, way).click()
        replay.check(ply)
        expect(page).to_have_url(re.compile(rf"/games/\d+/replay/\?ply={ply}$"))
    page.get_by_text("Show the hidden cards").click()
    expect(page).to_have_url(re.compile(rf"\?ply={ply}&all=1$"))
    # Another person, without a script even, sees the same.
    other = Replay(no_js, games.MARKET)
    no_js.goto(page.url)
    other.check(ply)
    expect(no_js.get_by_role("region", name="Hidden from the player")).to_be_visible()
    assert no_js.locator(".unseen").inner_text() == page.locator(".unseen").inner_text()
    page.reload()
    replay.check(ply)


def test_back_leaves_the_replay(calm_page):
    """Steps are no pages: who came from the games goes back there."""
    page = calm_page
    replay = open_replay(page, games.CAPTURE, "stored")
    path = page.url
    page.goto("/")
    page.goto(path)
    for ply in (1, 2):
        page.keyboard.press("ArrowRight")
        replay.check(ply)
    page.go_back()
    expect(page.locator("#h-home")).to_be_visible()
    page.go_forward()
    replay.check(2)


# -- without JavaScript ---------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["stored", "pasted"])
def test_without_a_script(no_js, how):
    page = no_js
    replay = open_replay(page, games.CAPTURE, how)
    expect(page.locator("#play, #scrub, #speed").locator("visible=true")).to_have_count(0)
    for way, ply in (
        ("Forward", 1),
        ("Forward", 2),
        ("Back", 1),
        ("End", replay.last),
        ("Back", replay.last - 1),
        ("Start", 0),
    ):
        step(page, way).click()
        replay.check(ply)
    field = page.get_by_role("spinbutton", name="Ply")
    field.fill("4")
    field.press("Enter")
    replay.check(4)
    field.fill("5")
    page.get_by_role("button", name="Go").click()
    replay.check(5)
    page.get_by_text("Show the hidden cards").click()
    replay.check(5)
    hidden = page.get_by_role("region", name="Hidden from the player")
    expect(hidden).to_be_visible()
    step(page, "Forward").click()
    replay.check(6)
    expect(hidden).to_be_visible()
    page.get_by_text("Hide the hidden cards").click()
    replay.check(6)
    expect(hidden).to_have_count(0)


# -- records --------------------------------------------------------------------------------------


@pytest.mark.parametrize("whose", ["calm_page", "no_js"])
def test_a_bad_record_gets_the_reason_and_the_ply(request, expected_complaints, whose):
    expected_complaints += refused(400)
    page = request.getfixturevalue(whose)
    moves = list(games.CAPTURE.moves)
    moves[3] = "play 1 Kh"
    text = pasted(games.CAPTURE).replace(games.CAPTURE.moves[3], moves[3])
    paste(page, text)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Ply 4, “play 1 Kh”, does not hold. K♥ is not in your hand.")
    field = page.get_by_role("textbox", name="The record")
    expect(field).to_have_value(text)
    # Mended, it goes on from there.
    field.fill(text.replace(moves[3], games.CAPTURE.moves[3]))
    page.get_by_role("button", name="Check and replay").click()
    Replay(page, games.CAPTURE).check(0)


@pytest.mark.parametrize("whose", ["calm_page", "no_js"])
def test_a_record_as_a_file_that_begins_midway(request, whose):
    page = request.getfixturevalue(whose)
    here = games.MARKET.after(3)
    text = json.dumps(record.write(games.MARKET.rules, here, games.MARKET.moves[3:], start=True))
    page.goto("/replay/")
    page.get_by_label("or its file").set_input_files(
        {"name": "game.json", "mimeType": "application/json", "buffer": text.encode()}
    )
    page.get_by_role("button", name="Check and replay").click()
    told = page.locator(".told")
    expect(told).to_contain_text("The record begins here, in the middle of a game.")
    step(page, "End").click()
    expect(told).to_contain_text("The end:")
    expect(told).to_contain_text(f"of {len(games.MARKET.moves) - 3}")


def test_from_the_end_of_a_game_to_its_replay_its_record_and_its_proof(calm_page):
    """What a player takes along, another one pastes and checks."""
    page = calm_page
    replay = open_replay(page, games.CAPTURE, "stored")
    with page.expect_download() as download:
        page.get_by_role("link", name="The record").click()
    paste(page, download.value.path().read_text())
    replay.check(0)
    page.get_by_role("link", name="Verify this deal").click()
    expect(page.get_by_role("status")).to_contain_text("They belong together.")
    expect(page.get_by_label("Seed")).to_have_value(games.CAPTURE.seed)
    page.get_by_label("The number that the table showed").fill("0" * 64)
    page.get_by_role("button", name="Deal it again").click()
    expect(page.get_by_role("status")).to_contain_text("They do not belong together.")


# -- a phone --------------------------------------------------------------------------------------


def test_by_tapping(phone):
    replay = open_replay(phone, games.CAPTURE, "stored")
    for way, ply in (("Forward", 1), ("End", replay.last), ("Back", replay.last - 1), ("Start", 0)):
        step(phone, way).tap()
        replay.check(ply)
        # The steps stay in view, however long the table is.
        expect(step(phone, "Forward")).to_be_in_viewport(ratio=1)
    phone.get_by_label("Speed").select_option("fast")
    phone.get_by_role("button", name="Play", exact=True).tap()
    expect(phone.get_by_role("button", name="Pause")).to_be_visible()
    expect(phone.get_by_role("button", name="Play", exact=True)).to_be_visible()
    replay.check(replay.last)
