"""A scorepad in the browser: how it is made and written on, and its pages in every state."""

from playwright.sync_api import expect

NAMES = ("Anna", "Ben", "Çelik")


def make(page, *names, rounds=5, ox=False):
    """Make a pad by its form, and stand on its page."""
    page.goto("/pads/new/")
    for number, name in enumerate(names or NAMES, 1):
        page.get_by_label(f"Player {number}", exact=True).fill(name)
    page.get_by_label("Rounds, 1 to 20").fill(str(rounds))
    page.get_by_label("With the ox").set_checked(ox)
    page.get_by_role("button", name="Make the scorepad").click()
    expect(page.locator("#board")).to_be_visible()
    return page.url


def cell(page, round, player):
    """A cell of the sheet; players count from 0."""
    return page.locator(f".cell[data-round='{round}'][data-player='{player}']")


def expect_row(page, player, *values, total):
    """Assert what stands in a player's row, "" for what is not written yet."""
    for round, value in enumerate(values, 1):
        expect(cell(page, round, player)).to_have_attribute("data-points", str(value))
    expect(page.locator(f"[data-row='{player}'] .sum b")).to_have_text(str(total))


def open_cell(page, round, player):
    """Open the sheet of a cell."""
    cell(page, round, player).click()
    expect(page.locator("#entry")).to_be_visible()


def type_points(page, points, then="Write, next player"):
    """Type points into the open sheet."""
    page.get_by_text("Points", exact=True).click()
    page.get_by_label("Minus points").fill(str(points))
    page.get_by_role("button", name=then, exact=True).click()


def count_cards(page, *cards, laid=(), then="Write, next player"):
    """Tap the cards of a hand on the open sheet, and those that are laid."""
    page.get_by_text("Count cards", exact=True).click()
    for where, taken in (("h", cards), ("l", laid)):
        if taken and page.locator("[name=where]").count():
            page.locator(f"[name=where][value={where}]").check()
        for card in taken:
            page.locator(f".count:has([name='{where}-{card}']) button").click()
    page.get_by_role("button", name=then, exact=True).click()


def write_round(page, *points):
    """Write a round from its button, all typed."""
    page.locator("#write").click()
    for number in points:
        type_points(page, number)
    expect(page.locator("#entry")).to_be_hidden()


def expect_sent(page):
    """Assert that nothing waits on the device."""
    expect(page.locator("#board .unsent")).to_have_count(0)
    expect(page.locator("#sent")).to_be_hidden()


def wait_until_kept(page):
    """Wait until the page would open without a network."""
    expect(page.locator("#kept")).to_be_visible()


def leave(page):
    """Send the service worker away, which may ask for a page when its cookies are gone already."""
    page.goto("/")
    page.evaluate(
        """async () => {
          const workers = await navigator.serviceWorker.getRegistrations();
          for (const each of workers) await each.unregister();
          await caches.delete("pads");
        }"""
    )


def scenes(stage):
    """The pages of scorepads: empty, written, doubted, over, printed."""
    page = stage.page
    page.goto("/pads/")
    yield "no scorepads"
    page.goto("/pads/new/")
    yield "a new scorepad"
    address = make(page, *NAMES, rounds=2, ox=True)
    wait_until_kept(page)
    yield "a scorepad, empty"
    page.locator(".starters").get_by_role("button", name="Ben").click()
    expect(page.locator("[data-starter]")).to_have_text("Ben")
    yield "who starts is told"
    open_cell(page, 1, 0)
    yield "points are typed"
    count_cards(page, *"7777E", laid="12O", then="Write")
    open_cell(page, 1, 0)
    yield "cards are counted"
    page.locator("[name=where][value=l]").check()
    yield "laid cards are counted"
    page.get_by_role("button", name="Close").click()
    open_cell(page, 1, 1)
    count_cards(page, *"77777E")
    type_points(page, 500)
    expect(page.locator(".doubts")).to_be_visible()
    yield "a round that cannot be right"
    open_cell(page, 1, 2)
    type_points(page, 0, then="Write")
    expect(page.locator(".corrections")).to_be_visible()
    yield "corrected"
    page.locator(".padgone summary").click()
    yield "about to be deleted"
    page.goto(f"{address}2/1/")
    yield "a cell by itself"
    page.goto(address)
    write_round(page, 5, 0, 30)
    expect(page.get_by_role("heading", name="Winner")).to_be_visible()
    yield "over"
    page.goto(f"{address}sheet/")
    yield "to be printed"
    page.goto("/pads/")
    yield "own scorepads"
    page.goto("/pads/no-such-pad/")
    yield "no such scorepad"
    names = [f"{'Maximiliane-Victoria'[: 20 - number]}" for number in range(12)]
    make(page, *names, rounds=20, ox=True)
    write_round(page, *[100 + number for number in range(12)])
    yield "twelve players, twenty rounds"
    leave(page)
