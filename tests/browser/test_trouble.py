"""Double clicks, old tabs, Back, an expired session, a silent server: understandable, and nothing
is played twice."""

import re

import pytest
from playwright.sync_api import expect

from . import games
from .hands import Keys, Mouse
from .table import READ, Table
from .words import log_words, refused

MOUSE = Mouse()
STALE = "The table had moved on before this arrived; nothing was played. Here it is as it stands."


@pytest.fixture(params=["with script", "without"])
def either_page(request):
    """A page with JavaScript, and one without."""
    return request.getfixturevalue("calm_page" if request.param == "with script" else "no_js")


# -- twice ------------------------------------------------------------------------------------


def test_a_double_click_on_start_makes_one_game(either_page):
    page = either_page
    page.goto("/")
    page.get_by_role("button", name="Start Solitaire: Laws").dblclick()
    expect(page.get_by_text("The cards are dealt.")).to_be_visible()
    page.goto("/")
    games_open = page.get_by_role("region", name="Continue").get_by_role("listitem")
    expect(games_open).to_have_count(1)


def test_a_double_click_on_new_game_makes_one_game(either_page):
    page = either_page
    Table(page, games.CAPTURE).open(len(games.CAPTURE.moves))
    over = page.url
    page.get_by_role("button", name="New game").dblclick()
    expect(page.get_by_text("The cards are dealt.")).to_be_visible()
    assert page.url != over
    page.goto("/")
    games_open = page.get_by_role("region", name="Continue").get_by_role("listitem")
    expect(games_open).to_have_count(1)


def test_a_double_click_on_play_plays_once(either_page, expected_complaints):
    expected_complaints += refused(409)  # without a script the second click is sent too
    table = Table(either_page, games.CAPTURE).open()
    text = games.CAPTURE.moves[0]
    MOUSE.prepare(table, text)
    MOUSE.button(table, text).dblclick()
    table.follow(text)
    table.wait()
    table.check()
    either_page.reload()
    table.wait()
    table.check()
    expect(either_page.locator("#log > li")).to_have_count(2)


def test_a_key_held_or_hit_twice_plays_once(calm_page):
    table = Table(calm_page, games.CAPTURE).open()
    text = games.CAPTURE.moves[0]
    Keys().prepare(table, text)
    for _ in range(3):  # a key held down: the browser repeats it
        calm_page.keyboard.down("Enter")
    calm_page.keyboard.up("Enter")
    table.follow(text)
    table.wait()
    table.check()
    expect(calm_page.locator("#log > li")).to_have_count(2)


# -- old pages ----------------------------------------------------------------------------------


def test_a_move_in_an_old_tab(either_page, expected_complaints):
    expected_complaints += refused(409)
    page = either_page
    table = Table(page, games.CAPTURE).open()
    old = page.context.new_page()
    old.goto(page.url)
    first, second, *_ = games.CAPTURE.moves
    table.play(first, MOUSE) if page.evaluate("() => !!window.htmx") else plain_move(table, first)

    # The old tab still shows the first hand: what it sends is refused, and it shows the new one.
    stale = Table(old, games.CAPTURE)
    MOUSE.prepare(stale, first)
    MOUSE.button(stale, first).click(force=True)
    expect(old.locator("#preview")).to_contain_text(STALE)
    stale.state, stale.ply = table.state, table.ply
    stale.wait()
    stale.check()
    assert not old.evaluate(READ)["chosen"]
    # It goes on from there.
    plain_move(stale, second)
    expect(old.locator("#preview")).not_to_contain_text(STALE)
    page.reload()
    table.state, table.ply = stale.state, stale.ply
    table.wait()
    table.check()


def plain_move(table, text):
    """A move, without looking at what the page says before."""
    MOUSE.prepare(table, text)
    MOUSE.act(table, text)
    report = table.follow(text)
    table.wait()
    table.check()
    for words in log_words(table.rules, report):
        expect(table.page.locator("#log > li").first).to_contain_text(words)


def test_back_after_a_move_shows_no_old_table(either_page, expected_complaints):
    expected_complaints += refused(409)
    page = either_page
    table = Table(page, games.CAPTURE).start()
    first, second, *_ = games.CAPTURE.moves
    plain_move(table, first)
    path = page.url
    page.get_by_role("link", name="Rules", exact=True).click()
    page.wait_for_url("**/rules/")
    page.go_back()
    expect(page).to_have_url(path)
    table.wait()
    table.check()
    plain_move(table, second)
    page.go_back()
    page.go_forward()
    expect(page).to_have_url(path)
    table.wait()
    table.check()


def test_a_reload_keeps_everything(calm_page):
    for deal, plies in ((games.LAWS, 5), (games.CAPTURE, games.TO_CAPTURE), (games.MARKET, 2)):
        table = Table(calm_page, deal).open(plies)
        before = calm_page.locator("#table").inner_text()
        log = calm_page.locator("#log").inner_text()
        calm_page.reload()
        table.check()
        assert calm_page.locator("#table").inner_text() == before
        assert calm_page.locator("#log").inner_text() == log


def test_the_log_after_moves_is_the_log_after_a_reload(calm_page):
    table = Table(calm_page, games.CAPTURE).open()
    for text in games.CAPTURE.moves[:3]:
        plain_move(table, text)
    lines = calm_page.locator("#log > li").all_inner_texts()
    calm_page.reload()
    assert calm_page.locator("#log > li").all_inner_texts() == lines


# -- undo ---------------------------------------------------------------------------------------


def test_undo_and_redo(calm_page):
    page = calm_page
    table = Table(page, games.MARKET).open()
    undo, redo = (page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    expect(undo).to_have_attribute("aria-disabled", "true")
    for text in games.MARKET.moves[:3]:
        plain_move(table, text)
    for done in (2, 1, 0):
        undo.click() if done else page.keyboard.press("u")
        table.state = games.MARKET.after(done)
        table.ply += 1
        table.wait()
        table.check()
        expect(page.locator("#log > li")).to_have_count(done + 1)
    expect(undo).to_have_attribute("aria-disabled", "true")
    for text in games.MARKET.moves[:2]:
        redo.click() if table.ply == 6 else page.keyboard.press("y")
        table.follow(text)
        table.wait()
        table.check()
    # Another move ends the redo.
    plain_move(table, "swap 3d")
    expect(redo).to_have_attribute("aria-disabled", "true")


# -- the visitor and the server -------------------------------------------------------------------


def test_the_session_is_gone(either_page, expected_complaints):
    """The table belongs to somebody whom the browser has forgotten: a page says so."""
    expected_complaints += refused(403)
    page = either_page
    table = Table(page, games.LAWS).open(3)
    page.context.clear_cookies(name="sessionid")
    MOUSE.act(table, "enforce Kh")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("This table is not yours")
    expect(page.get_by_text("your session on this browser has ended")).to_be_visible()
    expect(page.locator(".stop")).to_have_css("display", "flex")  # in its own styles
    page.get_by_role("link", name="To the games").click()
    expect(page.get_by_role("button", name="Start Solitaire: Laws")).to_be_visible()


def test_all_cookies_are_gone(either_page, expected_complaints):
    expected_complaints += refused(403)
    page = either_page
    table = Table(page, games.LAWS).open(3)
    page.context.clear_cookies()
    MOUSE.act(table, "enforce Kh")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your session has ended")
    expect(page.get_by_text("Nothing was played.")).to_be_visible()


def test_the_server_does_not_answer(calm_page, expected_complaints):
    expected_complaints += ["ERR_INTERNET_DISCONNECTED", "htmx:sendError", "htmx:afterRequest"]
    page = calm_page
    table = Table(page, games.CAPTURE).open()
    text = games.CAPTURE.moves[0]
    MOUSE.prepare(table, text)
    page.context.set_offline(True)
    MOUSE.act(table, text)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The server did not answer.")
    table.check()
    page.context.set_offline(False)
    MOUSE.act(table, text)
    table.follow(text)
    table.wait()
    table.check()
    expect(alert).to_be_hidden()


def test_another_persons_table(new_page, calm_page, expected_complaints):
    expected_complaints += refused(403)
    path = Table(calm_page, games.CAPTURE).open().page.url
    stranger = new_page()
    stranger.goto(path)
    expect(stranger.get_by_role("heading", level=1)).to_have_text("This table is not yours")
    assert games.CAPTURE.seed not in stranger.content()


# -- taste --------------------------------------------------------------------------------------


def test_theme_and_suits_stick(calm_page):
    page = calm_page
    Table(page, games.CAPTURE).open()
    html = page.locator("html")

    def ink(card):
        drawing = page.locator(f"#hand svg:has([href$='#f-{card}'])")
        return drawing.evaluate("(drawing) => getComputedStyle(drawing).color")

    assert ink("Ah") == ink("Td")
    page.locator("summary", has_text="Guest").click()
    page.get_by_label("Theme").select_option("dark")
    expect(html).to_have_attribute("data-theme", "dark")
    if not page.locator(".menu[open]").count():
        page.locator("summary", has_text="Guest").click()
    page.get_by_label("Suits").select_option("four colours")
    expect(html).to_have_attribute("data-suits", "four")
    for again in (page.reload, lambda: page.goto("/"), page.go_back):
        again()
        expect(html).to_have_attribute("data-theme", "dark")
        expect(html).to_have_attribute("data-suits", "four")
        expect(html).to_have_css("color-scheme", "dark")
    assert ink("Ah") != ink("Td")
    page.locator("summary", has_text="Guest").click()
    page.get_by_label("Theme").select_option("as my system")
    expect(html).not_to_have_attribute("data-theme", re.compile("light|dark"))
