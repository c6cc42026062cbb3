"""Whole games with keys only: no mouse, the focus never lost, the news said aloud."""

import pytest
from playwright.sync_api import expect

from . import games
from .hands import Keys, Tabs
from .table import READ, Table, focus


@pytest.mark.parametrize(
    ("deal", "hands"),
    [(games.LAWS, Keys()), (games.MARKET, Tabs())],
    ids=["laws with single keys", "market with tab and space"],
)
def test_whole_game(calm_page, deal, hands):
    table = Table(calm_page, deal).open()
    for text in deal.moves:
        table.play(text, hands)
    assert focus(calm_page) == "h-over"
    # On from here without a mouse, too.
    calm_page.keyboard.press("Enter")
    expect(calm_page.get_by_text("The cards are dealt.")).to_be_visible()


def test_laws_with_tab_and_space(calm_page):
    """A bribe, a play, three of a kind with its capture, and the question before the end."""
    table = Table(calm_page, games.CAPTURE).open(2)
    for text in games.CAPTURE.moves[2:]:
        table.play(text, Tabs())
    assert focus(calm_page) == "h-over"


def test_market_with_single_keys(calm_page):
    """The stock slot, a play with its card, swaps, one card."""
    table = Table(calm_page, games.MARKET).open()
    for text in games.MARKET.moves[:6]:
        table.play(text, Keys())


def test_from_home_to_the_table_with_tab_and_enter(calm_page):
    page = calm_page
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the games")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Start Solitaire: Laws")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The cards are dealt.")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to your hand")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#dock")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#card-1")).to_be_focused()


def test_escape_puts_the_cards_back(calm_page):
    page = calm_page
    table = Table(page, games.MARKET).open()
    for key in "135":
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Play 3 cards")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Play one to three cards")).to_be_visible()
    assert not page.evaluate(READ)["chosen"]
    assert focus(page) == "card-5"
    table.check()


def test_the_list_of_keys_and_a_table_without_them(calm_page):
    """Single keys can be switched off (for those who dictate), and stay off."""
    page = calm_page
    Table(page, games.MARKET).open()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    page.keyboard.press("?")
    dialog.get_by_label("Single keys play").uncheck()
    page.keyboard.press("Escape")
    for again in (lambda: None, page.reload):
        again()
        for key in "12p":
            page.keyboard.press(key)
        assert not page.evaluate(READ)["chosen"]
