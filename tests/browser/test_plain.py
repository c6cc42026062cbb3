"""Without JavaScript: everything is a plain form, and whole games are played with them."""

import re

from playwright.sync_api import expect

from . import games
from .hands import Plain
from .table import Table
from .words import refused

PLAIN = Plain()


def test_laws(no_js):
    table = Table(no_js, games.LAWS).start()
    table.check()
    for text in games.LAWS.moves:
        table.play(text, PLAIN)
    table.check_over()


def test_market(no_js):
    table = Table(no_js, games.MARKET).start()
    table.check()
    for text in games.MARKET.moves:
        table.play(text, PLAIN)
    table.check_over()


def test_capture(no_js):
    table = Table(no_js, games.CAPTURE).open(games.TO_CAPTURE)
    table.play(games.CAPTURE.moves[games.TO_CAPTURE], PLAIN)
    assert table.state.phase == "encounter"


def test_undo_and_redo(no_js, expected_complaints):
    expected_complaints += refused(409)
    table = Table(no_js, games.CAPTURE).open()
    first, second, *_ = games.CAPTURE.moves
    table.play(first, PLAIN)
    table.play(second, PLAIN)

    for done in (1, 0):
        no_js.get_by_role("button", name="Undo").click()
        table.state = games.CAPTURE.after(done)
        table.ply += 1  # the version: it counts what is taken back too
        table.wait()
        table.check()
    no_js.get_by_role("button", name="Redo").click()
    table.follow(first)
    table.wait()
    table.check()
    expect(no_js.locator("#log > li")).to_have_count(2)


def test_the_end_of_a_practice_game_can_be_taken_back(no_js):
    table = Table(no_js, games.CAPTURE).open(len(games.CAPTURE.moves))
    no_js.get_by_role("button", name="Undo").click()
    table.state = games.CAPTURE.after(len(games.CAPTURE.moves) - 1)
    table.ply += 1
    table.wait()
    table.check()


def test_a_ranked_game_is_retired_and_keeps_its_score(no_js):
    no_js.goto("/")
    no_js.get_by_role("button", name="Start Solitaire: Laws").click()
    expect(no_js.locator(".kind")).to_have_text("ranked")
    expect(no_js.get_by_role("button", name=re.compile("Undo|Redo"))).to_have_count(0)
    no_js.get_by_role("radio", name="Enemy").first.check()
    no_js.get_by_role("button", name="Bribe").click()
    expect(no_js.locator("#log > li").first).to_contain_text("Bribed")

    no_js.locator("summary", has_text="Retire").click()
    expect(no_js.get_by_text("your score of 1 stands")).to_be_visible()
    no_js.get_by_role("button", name="Yes, end it").click()
    over = no_js.get_by_role("region", name="The game is over")
    expect(over).to_contain_text("You retired.")
    expect(over).to_contain_text("1 enemy navigated")
    no_js.get_by_role("link", name="Games", exact=True).click()
    expect(no_js.get_by_role("region", name="Played").get_by_role("listitem")).to_contain_text(
        "retired"
    )
    expect(no_js.get_by_role("region", name="Continue")).to_have_count(0)


def test_a_barred_action_says_why(no_js, expected_complaints):
    expected_complaints += refused(400)
    table = Table(no_js, games.CAPTURE).open()
    no_js.get_by_role("button", name="Enforce").click(force=True)
    expect(no_js.locator("#preview")).to_contain_text("There is no King in your hand.")
    table.check()


def test_the_settings_are_a_form(no_js):
    Table(no_js, games.MARKET).open()
    table_url = no_js.url
    no_js.locator("summary", has_text="Guest").click()
    no_js.get_by_label("Theme").select_option("dark")
    no_js.get_by_label("Suits").select_option("four colours")
    no_js.get_by_role("button", name="Keep", exact=True).click()
    expect(no_js).to_have_url(table_url)
    for path in (table_url, "/", "/market/rules/"):
        no_js.goto(path)
        html = no_js.locator("html")
        expect(html).to_have_attribute("data-theme", "dark")
        expect(html).to_have_attribute("data-suits", "four")
        expect(html).to_have_css("color-scheme", "dark")
