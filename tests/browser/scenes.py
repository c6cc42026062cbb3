"""Every page in every state that looks different, one after the other in one browser.

Each function brings a page from state to state, and gives their names, the page standing at each
when its name comes. `Stage` holds what they need.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import expect

from ouroboros_site.engine import record

from . import company, games, pads, rooms
from .conftest import Crowd, Laid
from .hands import Mouse
from .people import PASSWORD, fill, log_in, new_name, number, retire, sign_up, start, unfold
from .table import Table

COMPLAINTS = ("status of 40", "Error Code 40", "status of 429", *company.ABORTED)


@dataclass(frozen=True)
class Stage:
    """Where the scenes are played: `somebody` is another person's page."""

    page: Any
    somebody: Any
    crowd: Crowd
    filled: dict[str, str]
    laid: Laid


def tables(stage):
    """Home, rules, tables, and what is refused there."""
    yield from Tables(stage.page, stage.somebody)


class Tables:
    """Scenes of playing."""

    def __init__(self, page, somebody):
        self.page = page
        self.somebody = somebody
        self.hands = Mouse()

    def __iter__(self):
        """Names of the scenes."""
        yield from self.pages()
        yield from self.laws()
        yield from self.market()
        yield from self.ranked()
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
        for after, what in ((5, "scouted, the hand empty"), (11, "late in the game")):
            self.table(games.LAWS, after)
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

    def ranked(self):
        page = self.page
        path = start(page, "laws")
        retire(page, path, "bribe 1")
        page.goto(path)
        expect(page.get_by_text("Only named accounts are on the boards.")).to_be_visible()
        yield "a guest's ranked game, over"

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


def accounts(stage):
    """Everything under the name: signing up and in, the account's own pages, a new password."""
    page = stage.page
    press = page.get_by_role("main").get_by_role("button")
    page.goto("/account/sign-up")
    yield "sign up, nobody yet"
    retire(page, start(page, "laws"))
    for path, what in (
        ("/account/", "a guest's account"),
        ("/account/sign-up", "sign up, a guest with a game"),
        ("/account/log-in", "log in, a guest with a game"),
    ):
        page.goto(path)
        yield what
    fill(page, Name="Nobody", Password="nothing")
    press.get_by_text("Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield "log in, refused"
    page.goto("/account/sign-up")
    name = new_name("W" * 17)  # as wide as one can be
    fill(page, Name="two words", Password="1234", Password_again="12345")
    page.get_by_label("E-mail").fill("nobody@nowhere")
    press.get_by_text("Sign up").click()
    expect(page.locator(".field.wrong")).to_have_count(4)
    yield "sign up, everything wrong"
    fill(page, Name=name, Password=PASSWORD, Password_again=PASSWORD)
    page.get_by_label("E-mail").fill("")
    press.get_by_text("Sign up").click()
    expect(page.locator("p.note[role=status]")).to_be_visible()
    yield "home, signed up just now"
    page.locator("summary.who").click()
    yield "the menu of an account"
    page.goto("/account/")
    yield "account"
    for path in ("name", "e-mail", "password", "delete"):
        page.goto(f"/account/{path}")
        yield f"account, {path}"
        for field in page.locator("main form input:not([type=hidden])").all():
            field.fill("x@example.org")
        press.first.click()
        expect(page.locator(".field.wrong").first).to_be_visible()
        yield f"account, {path}, refused"
    page.goto(f"/people/{name}/")
    yield "profile of one who has hardly played"
    page.context.clear_cookies()
    for path, what in (
        ("/account/reset", "reset"),
        ("/account/reset/sent", "reset, sent"),
        ("/account/reset/done", "reset, done"),
        ("/account/reset/MQ/no-token/", "reset, a used link"),
        (stage.filled["reset"], "reset, the new password"),
    ):
        page.goto(path)
        yield what
    log_in(page, stage.filled["suspended"])
    for path, what in (
        ("/account/", "a suspended account"),
        ("/account/name", "a suspended account keeps its name"),
        ("/daily/laws/", "daily, suspended"),
    ):
        page.goto(path)
        yield what
    page.context.clear_cookies()
    page.route(
        "**/account/log-in",
        lambda route: route.fulfill(
            status=429, content_type="text/html", body=stage.filled["too many"]
        ),
    )
    page.goto("/account/log-in")
    expect(page.get_by_text("429", exact=True)).to_be_visible()
    page.unroute("**/account/log-in")
    yield "429"


def boards(stage):
    """Boards, profiles and daily deals, for nobody, for a player, and after the try."""
    page = stage.page
    page.goto("/boards/")
    yield "a board, for nobody"
    for path, what in (
        ("/boards/laws/week/", "the board of a week"),
        ("/boards/market/today/", "a full board"),
        ("/boards/market/today/?page=2", "its second page"),
        (stage.filled["empty"], "an empty board"),
        ("/daily/", "the deals of today, for nobody"),
        ("/daily/laws/", "a deal, for nobody"),
        (f"/people/{stage.filled['last']}/", "a profile with a long name and one game"),
        (f"/people/{stage.crowd.names[0]}/", "a profile with games"),
    ):
        page.goto(path)
        yield what
    for summary in page.locator("summary", has_text="As a table").all():
        summary.click()
    yield "a profile, the charts as tables"
    log_in(page, stage.filled["last"])
    page.goto("/boards/market/")
    expect(page.get_by_text("To your row on page 2")).to_be_visible()
    yield "a board with my rank, further down"
    page.goto("/boards/market/?page=2#me")
    yield "a board with my row"
    page.goto(f"/people/{stage.filled['last']}/")
    yield "my own profile"
    page.context.clear_cookies()

    page.goto("/daily/laws/")
    page.get_by_role("button", name="Play today’s deal").click()
    expect(page.locator(".kind")).to_be_visible()
    path = page.url
    for where in ("/daily/", "/daily/laws/"):
        page.goto(where)
        yield f"{where} with an open try"
    retire(page, path, "bribe 1")
    page.goto(path)
    yield "the end of a try"
    page.goto("/daily/")
    yield "the deals of today, one of them tried"
    page.goto("/daily/laws/")
    for words in ("Share", "Fair deal"):
        unfold(page.get_by_role("main"), words)
    yield "a deal after the try, everything open"
    sign_up(page)
    page.goto("/daily/laws/")
    yield "a deal on whose board I stand"
    page.locator("[rel=prev]").click()
    yield "the calendar of the month before"
    for path, what in (
        ("/boards/laws/?page=99", "404, a page that no board has"),
        ("/daily/laws/2001-01-01/", "404, a day without a deal"),
        ("/people/nobody-here/", "404, no such person"),
    ):
        page.goto(path)
        expect(page.get_by_text("404", exact=True)).to_be_visible()
        yield what


def replays(stage):
    """Replays, records and deals."""
    page = stage.page
    laws = replay_of(page, games.LAWS)
    for query, what in (
        ("", "a replay at its start"),
        ("?ply=5", "a replay, the hand empty"),
        ("?ply=5&all=1", "a replay with the hidden cards"),
        (f"?ply={len(games.LAWS.moves)}", "a replay at its end"),
    ):
        page.goto(laws + query)
        yield what
    page.locator("summary", has_text="Keys").click()
    page.locator("summary", has_text="through the discard pile").click()
    yield "a replay, keys and the discard pile open"
    page.get_by_label("Speed").select_option("slow")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    market = replay_of(page, games.MARKET)
    for query, what in (
        ("", "a replay of market"),
        (f"?ply={games.TO_SWAP}&all=1", "a replay of market, swap"),
        (f"?ply={len(games.MARKET.moves)}", "a replay of market at its end"),
    ):
        page.goto(market + query)
        yield what
    page.goto(stage.filled["struck"])
    expect(page.get_by_text("Struck from the boards")).to_be_visible()
    yield "a replay of a struck game"
    open_game = Table(page, games.LAWS).open(1).page.url
    mine = f"/games/{number(open_game.partition('//')[2])}/replay/"
    page.goto(mine)
    expect(page.get_by_role("heading", level=1)).to_have_text("Not open yet")
    yield "409, a game that goes on"
    page.goto(f"{laws}?ply=99")
    yield "404, no such ply"
    page.goto("/games/999999/replay/")
    yield "404, no such game"

    page.goto("/replay/")
    yield "a record is asked for"
    text = json.dumps(record.write(games.LAWS.rules, games.LAWS.after(0), games.LAWS.moves))
    page.get_by_role("textbox", name="The record").fill(text.replace("bribe 1", "bribe 9"))
    page.get_by_role("button", name="Check and replay").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield "400, a bad record"
    page.get_by_role("textbox", name="The record").fill(text)
    page.get_by_role("button", name="Check and replay").click()
    expect(page.locator("#replay")).to_be_visible()
    yield "a record replayed"
    page.goto("/verify/")
    yield "verify a deal"
    page.goto(f"/verify/?game=laws&seed={games.LAWS.seed}&commitment={'0' * 64}")
    expect(page.get_by_role("status")).to_contain_text("do not belong together")
    yield "verify a deal, another number"
    page.goto(f"/verify/?game=market&seed={games.MARKET.seed}")
    yield "verify a deal of market"
    page.goto("/verify/?game=laws&seed=zz")
    expect(page.get_by_role("alert")).to_be_visible()
    yield "400, no seed"


def replay_of(page, deal):
    """The address of the replay of a deal, played to its end by this browser."""
    path = Table(page, deal).open(len(deal.moves)).page.url
    return f"/games/{re.search(r'/(\d+)/$', path).group(1)}/replay/"


def seats(stage):
    """Everything about the games of several seats; no bot moves on meanwhile."""
    page = stage.page
    page.route("**/advance", lambda route: route.fulfill(status=204))
    yield from new_tables(stage)
    over = yield from trick(stage)
    yield from ochs_esel(stage)
    yield from after_tables(stage, over)
    page.unroute("**/advance")


def new_tables(stage):
    """Before a game of several seats."""
    page = stage.page
    for slug in ("trick", "ochs-esel"):
        page.goto(f"/{slug}/rules/")
        yield f"rules of {slug}"
        page.goto(f"/{slug}/new/")
        yield f"new table of {slug}"
    for summary in page.locator("main summary").all():
        summary.click()
    yield "new table, everything open"
    page.get_by_role("checkbox", name="Practice").check()
    page.get_by_label("Seed, 64 hex digits").fill("not a seed")
    page.get_by_role("button", name="Sit down and play").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield "new table, refused"


def trick(stage):
    """The table of Ouroboros Trick; returns the number of a game that is over."""
    page, laid = stage.page, stage.laid
    laid.open(page, "trick, last but one")
    yield "trick, another's turn"
    for panel in ("#d-type", "#d-retire", "#d-pool"):
        page.locator(f"{panel} > summary").click()
    yield "trick, the pool and the tools open"
    page.keyboard.press("Escape")
    page.locator("#d-last > summary").click()
    yield "trick, the last trick once more"
    laid.open(page, "trick, to follow")
    yield "trick, my turn"
    page.locator("#hand input:enabled").first.check()
    expect(page.locator(".made")).to_be_visible()
    yield "trick, a card chosen"
    laid.open(page, "trick, to discard")
    yield "trick, discarding"
    for box in page.locator("#hand input:enabled").all()[:5]:
        box.check()
    expect(page.locator("#preview")).to_contain_text("5 of")
    yield "trick, cards to discard chosen"
    page.locator("#act-main").click(force=True)
    expect(page.locator("#preview .msg")).to_be_visible()
    yield "trick, too many discarded"
    laid.open(page, "trick, 25 cards")
    yield "trick, 25 cards in hand"
    page.locator("#hand input:enabled").nth(12).check()
    expect(page.locator(".made")).to_be_visible()
    yield "trick, one of 25 cards chosen"
    page.locator("#act-main").click()
    expect(page.locator("#advance")).to_have_count(1)
    yield "trick, 24 cards left while others play"
    for spot in ("trick, lost", "trick, survived"):
        path = laid.open(page, spot)
        unfold(page.get_by_role("main"), "The deal, revealed")
        yield spot
    return number(path)


def ochs_esel(stage):
    """The table of Ochs & Esel."""
    page, laid = stage.page, stage.laid
    laid.open(page, "animals, others")
    yield "animals, another's turn"
    laid.open(page, "animals, to top two")
    yield "animals, my turn, two are led"
    page.locator("#hand input[name=joker]").first.check()
    expect(page.locator(".made")).to_be_visible()
    yield "animals, a joker chosen"
    laid.open(page, "animals, to lead the donkey")
    yield "animals, I lead and hold the donkey"
    page.locator("#hand input[name=set]:enabled").first.check()
    expect(page.locator(".made")).to_be_visible()
    yield "animals, cards chosen to be led"
    page.get_by_role("button", name="Pass").click(force=True)
    expect(page.locator("#preview .msg")).to_be_visible()
    yield "animals, a pass refused"
    for spot in (
        "animals, the donkey is out",
        "animals, only to pass",
        "animals, 12 seats",
        "animals, 8 seats and 25 cards",
        "animals, 12 seats and 25 cards",
    ):
        laid.open(page, spot)
        yield spot
    page.locator("#hand input:enabled").first.check()
    expect(page.locator(".made")).to_be_visible()
    yield "animals, 12 seats, a card chosen"
    page.locator("#act-main").click()
    expect(page.locator("#advance")).to_have_count(1)
    yield "animals, 12 seats, another's turn"
    laid.open(page, "animals, a round has ended")
    yield "animals, a round has ended"
    for panel in ("#d-sheet", "#d-type", "#d-last"):
        page.locator(f"{panel} > summary").click()
    yield "animals, the tally, the tools and the last turn round open"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "animals, the list of keys"


def after_tables(stage, trick_game):
    """What is left of games of several seats: ends, tallies, replays, lists and boards."""
    page, laid = stage.page, stage.laid
    game = number(laid.open(page, "animals, over"))
    unfold(page.get_by_role("main"), "The deal, revealed")
    yield "animals, over"
    page.goto(f"/games/{game}/tally/")
    yield "the tally as a page"
    for what, replayed, ply in (("animals", game, 300), ("trick", trick_game, 20)):
        for query in ("", f"?ply={ply}", f"?ply={ply}&seat=2&all=1"):
            page.goto(f"/games/{replayed}/replay/{query}")
            yield f"the replay of {what} {query}"
    page.locator("#to-last").click()
    expect(page.locator("#steps")).to_contain_text("The end:")
    yield "a replay of trick at its end"
    for path, what in (
        ("/", "home with tables"),
        ("/account/games/", "my games at tables"),
        ("/boards/trick/", "the board of trick"),
        ("/boards/trick/people/", "the board of trick with people"),
        ("/boards/ochs-esel/", "the board of ochs-esel"),
        (f"/people/{stage.crowd.names[0]}/", "a profile with games at tables"),
        ("/verify/?game=ochs-esel", "verify a deal of ochs-esel"),
    ):
        page.goto(path)
        yield what
    for summary in page.locator("main summary").all():
        summary.click()
    yield "verify, everything open"


PARTS = {
    "tables": tables,
    "accounts": accounts,
    "boards": boards,
    "replays": replays,
    "seats": seats,
    "pads": pads.scenes,
    "rooms": rooms.scenes,
    "company": company.scenes,
}
