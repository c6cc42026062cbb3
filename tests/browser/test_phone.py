"""A phone: games by tapping."""

from playwright.sync_api import expect

from . import games
from .hands import Finger
from .table import Table


def test_laws_by_tapping(phone):
    table = Table(phone, games.CAPTURE).open(4)
    for text in games.CAPTURE.moves[4:]:
        table.play(text, Finger())
    table.check_over()


def test_market_by_tapping(phone):
    table = Table(phone, games.MARKET).start()
    for text in games.MARKET.moves[:6]:
        table.play(text, Finger())
    for summary in ("Look through", "Retire"):
        phone.locator("summary", has_text=summary).first.tap()
    phone.get_by_role("button", name="Yes, end it").tap()
    expect(phone.get_by_role("region", name="The game is over")).to_contain_text("You retired.")
