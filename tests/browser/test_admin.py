"""The admin's pages with a script and under the policy; and a suspended player's table."""

import re

from playwright.sync_api import expect

from . import games
from .conftest import CALM, DESKTOP
from .desk import Desk
from .hands import Mouse
from .people import number, sign_up
from .table import Table
from .words import refused


def test_a_game_with_its_replay(new_page, crowd):
    """Steps, hidden cards and all, in a frame of the game's page; nothing complains."""
    player = new_page(**DESKTOP, **CALM)
    game = number(Table(player, games.CAPTURE).open(3).page.url.partition("//")[2])
    page = Desk(new_page(**DESKTOP), crowd).open().page
    page.goto(f"/admin/play/game/{game}/change/?ply=1")
    frame = page.frame_locator("iframe[title=Replay]")
    expect(frame.locator("#replay")).to_have_attribute("data-ply", "1")
    hidden = frame.get_by_role("region", name="Hidden from the player")
    expect(hidden.locator(".chip").first).to_be_visible()
    for way, ply in (("Forward", 2), ("End", 3), ("Back", 2)):
        frame.get_by_role("link", name=way).click()
        expect(frame.locator("#replay")).to_have_attribute("data-ply", str(ply))
        expect(hidden).to_be_visible()
    # Only the frame has stepped, and it is the replay alone.
    expect(page).to_have_url(re.compile(r"\?ply=1$"))
    expect(frame.locator("header.bar")).to_be_hidden()

    page.get_by_role("link", name="Log", exact=True).click()
    lines = page.locator("#content-main tbody tr")
    expect(lines).to_have_count(3)
    lines.get_by_role("link", name="3", exact=True).click()
    expect(frame.locator("#replay")).to_have_attribute("data-ply", "3")
    page.get_by_role("link", name="What players do not see").click()
    expect(page.get_by_text(games.CAPTURE.seed)).to_be_visible()
    expect(page.get_by_text("This game goes on.")).to_be_visible()


def test_the_review_queue(new_page, crowd):
    desk = Desk(new_page(**DESKTOP), crowd).open()
    page = desk.page
    page.goto("/admin/")
    page.get_by_role("link", name="Scores", exact=True).first.click()
    page.get_by_role("link", name="To review").first.click()
    expect(page).to_have_url(re.compile("review=open"))
    rows = page.locator("#result_list tbody tr")
    fast = rows.filter(has_text="faster than a person plays").first
    number = fast.get_by_role("link").inner_text()
    row = rows.filter(has=page.get_by_role("link", name=number, exact=True))
    row.get_by_role("checkbox").check()
    desk.run("Reviewed, nothing wrong")
    desk.expect_told("Reviewed, nothing wrong:")
    expect(page).to_have_url(re.compile("review=open"))
    expect(row).to_have_count(0)
    page.get_by_role("link", name="All scores").click()
    expect(row).to_have_count(1)


def test_a_suspended_player_looks_and_does_not_play(
    calm_page, new_page, crowd, expected_complaints
):
    expected_complaints += refused(403)
    page = calm_page
    name = sign_up(page)
    table = Table(page, games.CAPTURE).open()
    path = page.url
    desk = Desk(new_page(**DESKTOP), crowd).open()
    desk.choose("accounts/user", name, "Suspend …")
    desk.give_reason("Suspend", "Two accounts, one hand.")
    desk.expect_told(f"{name} is suspended.")

    text = games.CAPTURE.moves[0]
    Mouse().prepare(table, text)
    Mouse().act(table, text)
    words = page.get_by_role("main").get_by_text("This account is suspended: you can log in")
    expect(words).to_be_visible()
    page.goto(path)
    table.check()
    page.goto("/account/")
    suspended = page.get_by_role("region", name="This account is suspended")
    expect(suspended).to_contain_text("Two accounts, one hand.")
    page.goto("/daily/laws/")
    expect(page.get_by_role("button", name="Play today’s deal")).to_have_count(0)
    page.goto("/")
    page.get_by_role("button", name="Start Solitaire: Laws").click()
    expect(words).to_be_visible()

    desk.choose("accounts/user", name, "Let play again")
    desk.expect_told(f"{name} may play again.")
    page.goto(path)
    table.play(text, Mouse())
