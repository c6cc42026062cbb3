"""Every page in every state that looks different, one after the other in one browser."""

from playwright.sync_api import expect

from . import games
from .hands import Mouse
from .table import Table


class Scenes:
    """Brings a page from state to state; `somebody` is another person's page."""

    complaints = ("status of 40", "Error Code 40")

    def __init__(self, page, somebody):
        self.page = page
        self.somebody = somebody
        self.hands = Mouse()

    def __iter__(self):
        """Names of the scenes, the page standing at each when its name comes."""
        yield from self.pages()
        yield from self.laws()
        yield from self.market()
        self.page.goto("/")
        yield "home with games"
        yield from self.errors()

    def pages(self):
        self.page.goto("/")
        yield "home before any game"
        for summary in self.page.locator("summary", has_text="Practise").all():
            summary.click()
        self.page.locator("summary", has_text="Guest").click()
        yield "home with the menu and the practice forms open"
        for slug in ("laws", "market"):
            self.page.goto(f"/{slug}/rules/")
            yield f"rules of {slug}"

    def table(self, deal, after=0):
        table = Table(self.page, deal).open(after)
        expect(self.page.locator("#table")).to_be_visible()
        return table

    def laws(self):
        page = self.page
        table = self.table(games.LAWS)
        yield "laws, dealt"
        self.hands.prepare(table, "play 1 6h Jd")
        expect(page.locator(".made")).to_be_visible()
        yield "laws, cards and a pile chosen"
        page.get_by_role("button", name="Enforce").click(force=True)
        expect(page.locator("#preview .msg")).to_be_visible()
        yield "laws, a move refused"
        for number, what in ((5, "scouted, the hand empty"), (11, "late in the game")):
            self.table(games.LAWS, number)
            yield f"laws, {what}"
        page.locator("summary", has_text="discard pile").click()
        yield "laws, the discard pile looked through"
        page.keyboard.press("Escape")
        for summary in ("Type a move", "Retire"):
            page.locator("summary", has_text=summary).click()
        page.locator("summary", has_text="Fair deal").click()
        yield "laws, tools open"

        self.table(games.CAPTURE, games.TO_CAPTURE)
        yield "laws, capture"
        table = self.table(games.CAPTURE, len(games.CAPTURE.moves) - 1)
        self.hands.prepare(table, games.CAPTURE.moves[-1])
        self.hands.act(table, games.CAPTURE.moves[-1])
        expect(page.get_by_role("button", name="Yes, play it")).to_be_visible()
        yield "laws, asked once more"
        self.hands.confirm(table)
        expect(page.get_by_role("heading", name="The game is over")).to_be_visible()
        page.locator("summary", has_text="The deal, revealed").click()
        yield "laws, over"

        table = self.table(games.LAWS_LOOP, len(games.LAWS_LOOP.moves))
        table.post(f"{page.url}move", version=str(table.ply), text="play 2 Ad 2h")
        page.reload()
        yield "laws, one success of two"

    def market(self):
        page = self.page
        table = self.table(games.MARKET)
        yield "market, dealt"
        self.hands.prepare(table, "play 4h 3d 4d")
        expect(page.locator(".made")).to_be_visible()
        yield "market, cards chosen"
        self.table(games.MARKET, 1)
        yield "market, a card in stock"
        self.table(games.MARKET, games.TO_SWAP)
        yield "market, swap"
        last = games.MARKET.moves[-1]
        table = self.table(games.MARKET, len(games.MARKET.moves) - 1)
        self.hands.prepare(table, last)
        self.hands.act(table, last)
        expect(page.get_by_role("button", name="Yes, play it")).to_be_visible()
        yield "market, asked once more"
        self.hands.confirm(table)
        expect(page.get_by_role("heading", name="The game is over")).to_be_visible()
        yield "market, over"
        table = self.table(games.MARKET_LOOP, len(games.MARKET_LOOP.moves))
        table.post(f"{page.url}move", version=str(table.ply), text="play Kh")
        page.reload()
        yield "market, the second encounter"
        page.get_by_role("button", name="Keys").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        yield "the list of keys"

    def errors(self):
        page = self.page
        path = Table(self.somebody, games.MARKET).open().page.url
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_have_text("This table is not yours")
        yield "403, another person's table"
        page.goto("/nothing/here/")
        expect(page.get_by_role("heading", level=1)).to_have_text("Nothing lies here")
        yield "404"
        page.goto("/")
        page.locator("summary", has_text="Practise Solitaire: Laws").click()
        page.locator("details[open]").get_by_label("Seed").fill("not a seed")
        page.locator("details[open]").get_by_role("button").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("That could not be read")
        yield "400, a seed that is none"
        # What an old page leads to: the form's token does not fit the cookie any more.
        page.goto("/")
        page.context.clear_cookies(name="csrftoken")
        page.get_by_role("button", name="Start Solitaire: Laws").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your session has ended")
        yield "403, without cookies"
