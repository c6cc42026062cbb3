"""Whole games with the mouse: what the page shows at each step is what the rules say."""

import re

from playwright.sync_api import expect

from . import games
from .hands import Mouse
from .table import Table
from .words import labels, name, refused

MOUSE = Mouse()


def test_laws(calm_page):
    """Every special, bribe, concede, flush, pair, straight; the draw ends the game."""
    table = Table(calm_page, games.LAWS).start()
    table.check()
    for text in games.LAWS.moves:
        table.play(text, MOUSE)
    table.check_over()


def test_market(calm_page):
    """Stock, swaps, the joker, mismatches up to the last life."""
    table = Table(calm_page, games.MARKET).start()
    table.check()
    for text in games.MARKET.moves:
        table.play(text, MOUSE)
    table.check_over()


def test_capture_and_a_failure_that_ends_the_game(page):
    table = Table(page, games.CAPTURE).open(games.TO_CAPTURE)
    expect(page.locator(".turn")).to_contain_text("Three of a kind! Choose a pile")
    for text in games.CAPTURE.moves[games.TO_CAPTURE :]:
        table.play(text, MOUSE)
    table.check_over()


def test_laws_the_loop_is_cleared_and_enemies_take_two_successes(page):
    *_, last = games.LAWS_LOOP.moves
    table = Table(page, games.LAWS_LOOP).open(len(games.LAWS_LOOP.moves) - 1)
    table.play(last, MOUSE)
    assert (table.state.loop, table.view["gone"]) == (2, 0)
    expect(page.locator(".ring.bite")).to_have_count(1)
    expect(page.locator("[data-pile='2'] .need")).to_contain_text("needs 2")

    table.play("play 2 Ad 2h", MOUSE)
    expect(page.locator(".turn")).to_contain_text("You fight 3♠ of pile 2: 1 of 2 successes")
    expect(page.locator("[data-pile='2'] .need")).to_contain_text("1 of 2")
    expect(page.locator("[data-pile='1'] .need")).to_contain_text("waits for pile 2")
    bribe = page.get_by_role("button", name="Bribe")
    expect(bribe).to_have_attribute("aria-disabled", "true")
    expect(bribe).to_contain_text("not after a success")
    table.play("play 2 3d", MOUSE)
    assert table.state.locked is None


def test_market_the_loop_is_done_and_targets_take_two_encounters(page):
    *_, last = games.MARKET_LOOP.moves
    table = Table(page, games.MARKET_LOOP).open(len(games.MARKET_LOOP.moves) - 1)
    table.play(last, MOUSE)
    assert (table.state.loop, table.view["gone"]) == (2, 0)
    expect(page.locator(".ring.bite")).to_have_count(1)
    expect(page.locator(".target .need")).to_contain_text("encounter 1 of 2")

    table.play("play Kh", MOUSE)
    expect(page.locator(".target .need")).to_contain_text("encounter 2 of 2")
    expect(page.locator(".value")).to_contain_text("value + 1")
    assert table.view["value"] == 1  # 13 is followed by 1


def test_a_barred_action_says_why_and_does_nothing(calm_page, expected_complaints):
    expected_complaints += refused(400)
    page = calm_page
    table = Table(page, games.CAPTURE).open()
    for button, why, message in (
        ("Enforce", "no King", "There is no King in your hand."),
        ("Reorganize", "no Queen", "There is no Queen in your hand."),
        ("Flash", "no joker", "There is no joker in your hand."),
    ):
        act = page.get_by_role("button", name=button)
        expect(act).to_have_attribute("aria-disabled", "true")
        expect(act).to_contain_text(why)
        if button == "Flash":
            MOUSE.pile(table, 1).click()
        act.click(force=True)
        expect(page.locator("#preview")).to_contain_text(message)
        expect(page.locator("#say")).to_have_text(message)
        table.check()
    # What is not chosen yet is asked for.
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#preview")).to_contain_text("Choose one to three cards first.")
    for card in table.view["hand"][:4]:
        MOUSE.card(table, card).click()
    play = page.get_by_role("button", name="Play 4 cards")
    expect(play).to_contain_text("three at most")
    expect(play).to_have_attribute("aria-disabled", "true")
    table.check()


def test_a_typed_move_is_refused_with_the_rule_and_kept_cards(calm_page, expected_complaints):
    expected_complaints += refused(400)
    page = calm_page
    table = Table(page, games.MARKET).open()
    MOUSE.card(table, "3d").click()
    page.locator("summary", has_text="Type a move").click()
    page.get_by_role("textbox", name="Move").fill("play Kh 3d")
    page.get_by_role("button", name="Play it").click()
    expect(page.locator("#preview")).to_contain_text(
        "K♥ is neither in your hand nor in the stock slot."
    )
    table.check()
    page.get_by_role("textbox", name="Move").fill("play 4♥ 3♦ 4♦")
    page.get_by_role("textbox", name="Move").press("Enter")
    table.follow("play 4h 3d 4d")
    table.wait()
    table.check()


def test_what_may_be_looked_through_opens_in_order(calm_page):
    page = calm_page
    table = Table(page, games.LAWS).open(11)
    view = table.view
    for summary, cards in (
        ("your deck", view["deck"]),
        ("through the discard pile", view["discard"]),
        ("through the resting area", view["resting"]),
        ("through the navigated enemies", view["navigated"]),
    ):
        panel = page.locator("details.look", has=page.locator("summary", has_text=summary))
        sheet = panel.locator(".sheet")
        expect(sheet).to_be_hidden()
        panel.locator("summary").click()
        expect(sheet).to_be_visible()
        expect(sheet.locator(".chip")).to_have_text(labels(cards))
        page.keyboard.press("Escape")
        expect(sheet).to_be_hidden()
        expect(panel.locator("summary")).to_be_focused()


def test_new_game_and_the_same_deal_again(calm_page):
    page = calm_page
    table = Table(page, games.CAPTURE).open(len(games.CAPTURE.moves))
    over = page.url
    another = re.compile(rf"/laws/(?!{over.split('/')[-2]}/)\d+/$")
    page.get_by_role("button", name="New game").click()
    page.wait_for_url(another)
    expect(page.get_by_text("The cards are dealt.")).to_be_visible()
    expect(page.locator(".kind")).to_have_text("practice")

    page.goto(over)
    page.get_by_role("button", name="Same deal again, as practice").click()
    page.wait_for_url(another)
    table.state, table.ply = games.CAPTURE.after(0), 0
    table.wait()
    table.check()
    table.play(games.CAPTURE.moves[0], MOUSE)


def test_the_text_to_share_is_copied(calm_page):
    page = calm_page
    Table(page, games.CAPTURE).open(len(games.CAPTURE.moves))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == page.get_by_role("textbox", name="Text to share").input_value()
    assert "6 enemies navigated, loop 1" in copied


def test_home_lists_what_to_continue_and_what_was_played(calm_page):
    page = calm_page
    open_table = Table(page, games.MARKET).open(games.TO_SWAP)
    path = page.url
    Table(page, games.CAPTURE).open(len(games.CAPTURE.moves))
    page.get_by_role("link", name="Games", exact=True).click()
    row = page.get_by_role("region", name="Continue").get_by_role("listitem")
    expect(row).to_contain_text("loop 1 · score 0")
    expect(row).to_contain_text("practice")
    played = page.get_by_role("region", name="Played").get_by_role("listitem")
    expect(played).to_contain_text("6")
    expect(played).to_contain_text("practice")
    row.get_by_role("link", name="Resume Solitaire: Market").click()
    page.wait_for_url(path)
    open_table.check()
    expect(page.get_by_role("radio", name=name("4d"))).to_be_visible()
