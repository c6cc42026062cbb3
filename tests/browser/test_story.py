"""The whole way of a score: played by a guest, signed up for, found on the board, struck, back."""

import re

import pytest
from playwright.sync_api import expect

from solitaire.rules.cards import CARDS, VALUES

from .conftest import CALM, DESKTOP, PHONE
from .desk import Desk
from .people import PASSWORD, fill, menu, new_name, number, retire, sign_up, start, told
from .table import READ
from .words import name as card_name
from .words import named

BOARDS = {
    "All time": "The best of all time",
    "This week": "The week from Monday",
    "Today": "Today,",
}
STRUCK = "Played with a deck of one’s own."
RESTORED = "It was ours after all."


class Player:
    """Somebody at a browser, with a mouse or a finger."""

    def __init__(self, page, device):
        self.page = page
        self.device = device

    def press(self, control):
        control.tap() if self.device is PHONE else control.click()

    def play_to_the_end(self):
        """Play a ranked game, first well and then as badly as can be; the score."""
        page = self.page
        page.goto("/")
        self.press(page.get_by_role("button", name="Start Solitaire: Laws"))
        expect(page.locator(".kind")).to_have_text("ranked")
        log, over = page.locator("#log > li"), page.get_by_role("heading", name="The game is over")
        moves = 1
        for _ in range(2):
            self.press(page.get_by_role("radio", name="Enemy").first)
            self.press(page.get_by_role("button", name="Bribe"))
            moves += 1
            expect(log).to_have_count(moves)
            expect(log.first).to_contain_text("Bribed")
        while not over.is_visible():
            shown = page.evaluate(READ)
            enemy = VALUES[CARDS[shown["piles"][0]["top"]]]
            bad = next(
                card for card in shown["hand"] if card != "*" and VALUES[CARDS[card]] != enemy
            )
            self.press(page.get_by_role("checkbox", name=named(card_name(bad, "laws"))))
            self.press(page.get_by_role("radio", name="Enemy").first)
            self.press(page.get_by_role("button", name="Play"))
            yes = page.get_by_role("button", name="Yes, play it")
            moves += 1
            expect(yes.or_(log.nth(moves - 1))).to_be_visible()
            if yes.is_visible():
                self.press(yes)
                expect(over).to_be_visible()
            expect(page.locator(".htmx-added, .htmx-settling")).to_have_count(0)
        return page.evaluate(READ)["score"]

    def sign_up(self):
        """Sign up from the end of the game; the name."""
        page, name = self.page, new_name("Pia-")
        over = page.get_by_role("region", name="The game is over")
        expect(over).to_contain_text("Only named accounts are on the boards.")
        self.press(over.get_by_role("link", name="Sign up"))
        expect(page.get_by_text("The game you played as a guest stays with you.")).to_be_visible()
        fill(page, Name=name, Password=PASSWORD, Password_again=PASSWORD)
        self.press(page.get_by_role("button", name="Sign up"))
        expect(told(page)).to_have_text(
            f"Welcome, {name}. The game you played so far is yours to keep."
        )
        return name

    def find(self, name, score):
        """Find the score on each board, with the rank that it must have."""
        page = self.page
        self.press(page.get_by_role("link", name="Boards", exact=True))
        for board, heading in BOARDS.items():
            self.press(page.get_by_role("link", name=board, exact=True))
            expect(page.get_by_role("heading", level=2)).to_contain_text(heading)
            own = row(page, name)
            expect(own).to_contain_text("you")
            values = page.locator("tbody td:nth-child(3)").all_inner_texts()
            better = sum(int(value) > score for value in values)
            cells = own.get_by_role("cell")
            expect(cells.nth(0)).to_have_text(str(better + 1))
            expect(cells.nth(1)).to_have_text(str(score))
            expect(page.locator(".mine")).to_contain_text(
                re.compile(rf"Your rank is\s+{better + 1}, with {score}\.")
            )

    def open_replay(self, name, score):
        """Open the game from the board, and go to a ply; its address."""
        page = self.page
        self.press(row(page, name).get_by_role("link", name="Replay"))
        expect(page.get_by_role("region", name="Solitaire: Laws")).to_contain_text(name)
        for ply in (1, 2):
            self.press(page.get_by_role("link", name="Forward"))
            expect(page.locator("#replay")).to_have_attribute("data-ply", str(ply))
        expect(page).to_have_url(re.compile(r"/games/\d+/replay/\?ply=2$"))
        expect(page.locator(".told")).to_contain_text("Bribed")
        return page.url


def row(page, name):
    """A person's line on a board."""
    return page.locator("tbody tr", has=page.get_by_role("link", name=name, exact=True))


def check_same_ply(page, other, url):
    """Assert that somebody else finds what this page shows, at the same address."""
    other.goto(url)
    for part in ("#table", ".told", ".about dl:not(.keys)"):
        assert other.locator(part).inner_text() == page.locator(part).inner_text()


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_from_the_first_move_to_the_board(new_page, crowd, device):
    page = new_page(**device, **CALM)
    player = Player(page, device)
    score = player.play_to_the_end()
    name = player.sign_up()
    player.find(name, score)
    url = player.open_replay(name, score)
    check_same_ply(page, new_page(**device, **CALM, java_script_enabled=False), url)
    # The score stands on the own page too, with the way there.
    menu(page, player.press, "Profile")
    last = page.get_by_role("region", name="Last games").get_by_role("row").last
    expect(last.get_by_role("link", name="Replay")).to_have_attribute("href", url_of(url))


def url_of(url):
    """The path of a replay, without the ply."""
    return f"/games/{number(url)}/replay/"


def test_an_administrator_strikes_and_restores(calm_page, new_page, crowd):
    page, name = calm_page, new_name("Pia-")
    page.request.get("/")
    game = retire(page, start(page, "laws"), "bribe 1", "bribe 2")
    sign_up(page, name)
    replay = f"/games/{game}/replay/"
    desk = new_page(**DESKTOP)

    # The administrator comes in by the site's own log-in page, and finds the game by its player.
    desk.goto("/admin/")
    fill(desk, Name=crowd.administrator, Password=crowd.administrator_password)
    desk.get_by_role("button", name="Log in").click()
    desk.get_by_role("link", name="Games", exact=True).first.click()
    admin = Desk(desk, crowd)
    admin.choose("play/game", name, "Strike from the boards …")
    admin.give_reason("Strike from the boards", STRUCK)
    admin.expect_told(f"Struck: laws {game}: 2 ({name}).")

    for board in ("", "week/", "today/"):
        page.goto(f"/boards/laws/{board}")
        expect(page.get_by_role("heading", level=2)).to_be_visible()
        expect(row(page, name)).to_have_count(0)
    page.goto(replay)
    about = page.locator(".about")
    expect(about).to_contain_text("Struck from the boards on")
    expect(about).to_contain_text(STRUCK)
    # Who decided it is nobody's business.
    expect(page.locator("body")).not_to_contain_text(crowd.administrator)

    desk.goto(f"/admin/play/game/{game}/change/")
    admin.run("Restore to the boards …")
    admin.give_reason("Restore to the boards", RESTORED)
    admin.expect_told(f"Restored: laws {game}: 2 ({name}).")
    for reason in (STRUCK, RESTORED):
        expect(desk.locator("#content-main").get_by_role("table")).to_contain_text(reason)

    page.reload()
    expect(about.locator(".decision")).to_have_count(2)
    expect(about.locator(".decision").last).to_contain_text(RESTORED)
    for board in ("", "week/", "today/"):
        page.goto(f"/boards/laws/{board}")
        expect(row(page, name).get_by_role("cell").nth(1)).to_have_text("2")
