"""People at one table: a browser for each of them, positions to begin at, and their pages.

``lay()`` makes tables at the positions of ``SPOTS`` with the site's own services; it is run in the
server's data by ``manage.py shell``, and prints what leads to them as JSON.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from playwright.sync_api import expect

from .seats import ANIMALS, TRICK, Mouse, Seat

MINE = '#table[data-turn="mine"]:not(:has(#advance))'
"""The table when the person who looks is to choose."""

ABORTED = ("htmx:sendAbort", "htmx:afterRequest")
"""What htmx logs when a page gives up what it asked by itself, since its person has moved."""

NO_NETWORK = ("net::ERR_", "htmx:sendError", *ABORTED)
"""What the browser complains of while the server cannot be reached."""

VERSION = "() => Number(document.querySelector('#table [name=version]').value)"


def wait_until(page, condition, seconds=30, what=""):
    """Let the pages go on until ``condition()`` gives something; that."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, what or condition
        page.wait_for_timeout(30)
    return found


def version(page):
    """The version of the table that a page shows, whoever looks at it."""
    return page.evaluate(VERSION)


def hide(page, hidden):
    """Put the tab behind another one, or in front again: Playwright shows them all."""
    page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


@contextmanager
def held(page, address):
    """Hold up what a page asks for at this address, until this is left."""
    routes = []
    page.route(address, lambda route: routes.append(route))
    try:
        yield routes
    finally:
        for route in routes:
            route.continue_()
        page.unroute(address)


class Company:
    """The seats of the people at one table, who play by turns."""

    def __init__(self, *seats):
        self.seats = seats
        self.some_page = seats[0].page

    def next(self, seconds=60):
        """The seat that is to choose, once one is; None when all pages show the end."""

        def look():
            for seat in self.seats:
                if seat.page.locator(MINE).count():
                    return [seat]
            return all(seat.is_over for seat in self.seats) and [None]

        [seat] = wait_until(self.some_page, look, seconds, "It is nobody's turn.")
        if seat:
            seat.settle()
        return seat

    def move(self):
        """The next move of one of them; their seat, or None at the end."""
        if seat := self.next():
            shown = seat.read()
            if shown["said"]:  # nothing is, once more, where somebody has only come or gone
                seat.check()
            seat.version = shown["version"]
            seat.play(shown)
            seat.moved_on()
        return seat

    def play(self, most=400):
        """Play for so many moves, or to the end; who moved."""
        moved = []
        while len(moved) < most and (seat := self.move()):
            moved.append(seat)
        return moved

    def agree(self, *pages):
        """Wait until all pages show one version of the table, which is for a person; that."""
        pages = [*(seat.page for seat in self.seats), *pages]

        def same():
            return len({version(page) for page in pages}) == 1 and not any(
                page.locator("#advance").count() for page in pages
            )

        wait_until(pages[0], same, what="The pages show different tables.")
        return version(pages[0])


def check_log(page):
    """Nothing is lost and nothing is doubled: the log is what a fresh page has."""
    lines = page.locator("#log > li").all_inner_texts()
    other = page.context.new_page()
    other.goto(page.url)
    fresh = other.locator("#log > li").all_inner_texts()
    other.close()
    assert lines[: len(fresh)] == fresh
    assert len(fresh) >= 30 or len(lines) == len(fresh)


# -- positions ------------------------------------------------------------------------------------


NAMES = ("Nele", "Bea", "Cem")
WIDE = ("Nele", "M" * 20)
DAY = 24 * 60 * 60


@dataclass(frozen=True)
class Spot:
    """As the ``Spot`` of ``spots.py``, with Nele, Bea and perhaps Cem on ``people``'s seats."""

    slug: str
    players: int
    number: int
    people: tuple[int, ...] = (0, 1)
    options: dict[str, Any] = field(default_factory=dict)
    until: Callable[[dict[str, Any]], bool] | None = None
    names: tuple[str, ...] = NAMES
    turn_time: int | None = None


def last_leads(at):
    """The last of four is to lead, and can lead either of two colours that the first has, too."""
    first, last = ({card[0] for card in at["hands"][seat]} for seat in (0, 3))
    leads = at["turn"] == 3 and at["phase"] == "play" and not at["trick"]
    return leads and len(first & last) > 1


def last_of_twelve_leads(at):
    """The last of twelve is to lead, after some turn rounds."""
    return at["turn"] == 11 and not at["count"] and at["turn_round"] > 2


SPOTS = {
    # Nele is next after Bea.
    "trick, Bea leads": Spot(TRICK, 4, 2, (0, 3), until=last_leads),
    "trick, dealt": Spot(TRICK, 3, 0),
    "trick, three people": Spot(TRICK, 4, 0, (0, 1, 2)),
    "animals, dealt": Spot(ANIMALS, 5, 0, (0, 2), {"rounds": 1, "ox": True}),
    # As wide as what is said of the people can be.
    "trick, wide": Spot(TRICK, 4, 2, (0, 3), {}, last_leads, WIDE, DAY),
    "animals, wide": Spot(
        ANIMALS, 12, 2, (0, 11), {"rounds": 5, "ox": True}, last_of_twelve_leads, WIDE, DAY
    ),
}


class Tables:
    """Tables at these positions: each game is handed out once."""

    def __init__(self, site):
        self.site = site
        self.made = defaultdict(list)

    def open(self, name, *pages):
        """Bring each person's browser to a table at this position; their seats, and its link."""
        if not self.made[name]:
            self.lay()
        table = self.made[name].pop()
        slug = SPOTS[name].slug
        for page, session in zip(pages, table["sessions"], strict=False):
            cookie = {"name": "sessionid", "value": session, "url": self.site.url}
            page.context.add_cookies([cookie])
            page.goto(table["path"])
        hands = [Mouse() for _ in pages]
        seats = [Seat(*place) for place in zip(pages, [slug] * len(pages), hands, strict=True)]
        return Company(*seats), f"/watch/{table['key']}/"

    def lay(self):
        """Some more games of each."""
        code = "from tests.browser import company; company.lay()"
        made = json.loads(self.site.manage("shell", "--verbosity=0", "--command", code))
        for name, tables in made.items():
            self.made[name] += tables


def lay(copies=3):
    """In the server's data: make games of each spot."""
    made = {name: [_table(spot) for _ in range(copies)] for name, spot in SPOTS.items()}
    json.dump(made, sys.stdout)


def _table(spot):
    """A table at this spot, and what leads its people to it."""
    from django.test import Client

    from ouroboros_site.accounts.models import User
    from ouroboros_site.play import seating, services
    from ouroboros_site.play.registry import Setup
    from tests.ouroboros_site.play.shared import play_on

    people = dict(zip(spot.people, [User.objects.create_guest() for _ in spot.people], strict=True))
    names = dict(zip(spot.people, spot.names, strict=False))
    bots = ["" if seat in people else "easy" for seat in range(1, spot.players)]
    setup = Setup(
        spot.players,
        spot.options,
        tuple(bots),
        pace="instant",
        turn_time=spot.turn_time,
        name=names[0],
    )
    game, _user = services.start_game(user=people[0], slug=spot.slug, setup=setup)
    game.seed = f"{spot.number:064x}"
    game.state = game.rules.position(game.rules.start(game.seed, spot.players, spot.options))
    game.save()
    for seat in spot.people[1:]:
        seating.sit_down(user=people[seat], key=game.key, index=seat, name=names[seat])
    game.refresh_from_db()
    assert game.started
    if spot.until:
        assert play_on(game, Random(spot.number), spot.until)
    sessions = []
    for user in people.values():
        browser = Client()
        browser.force_login(user)
        sessions.append(browser.cookies["sessionid"].value)
    return {"path": f"/{game.slug}/{game.pk}/", "key": game.key, "sessions": sessions}


# -- pages ----------------------------------------------------------------------------------------


def scenes(stage):
    """The pages of tables of several people, in every state; no bot moves on meanwhile."""
    page, somebody, tables = stage.page, stage.somebody, Tables(stage.laid.site)
    for each in (page, somebody):
        each.route("**/advance", lambda route: route.fulfill(status=204))
    for name in ("trick, wide", "animals, wide"):
        company, watch = tables.open(name, page, somebody)
        for scene in _table_scenes(page, somebody, company.seats[1], watch):
            yield f"{name}, {scene}"
    for each in (page, somebody):
        each.unroute("**/advance")


def _table_scenes(page, somebody, other, watch):
    table = page.url
    expect(page.locator(".presence.here")).to_have_count(1, timeout=30_000)
    yield "the other's turn"
    page.locator("#d-say > summary").click()
    yield "the phrases"
    page.get_by_role("button", name="Good luck").click()
    somebody.locator("#d-say > summary").click()
    somebody.get_by_role("button", name="One moment, please").click()
    expect(page.locator("#heard")).to_contain_text("One moment")
    yield "something is heard"
    page.locator("#d-mates > summary").click()
    yield "who is here"
    page.locator("[name=mute]").click()
    expect(page.locator("[name=unmute]")).to_be_visible()
    yield "the other is muted"
    page.locator("[name=unmute]").click()
    expect(page.locator("[name=mute]")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_text("When it is my turn").click()
    yield "what tells a turn"
    page.keyboard.press("Escape")
    page.get_by_text("Leave the table").click()
    yield "asked whether to leave"
    page.locator("#d-mates > summary").click()
    page.get_by_role("button", name="Hand my seat over").click()
    expect(page.get_by_label("Link to your seat")).to_be_visible()
    page.wait_for_load_state()
    yield "a seat handed over"
    page.goto(watch)
    yield "looked on"
    page.locator("#d-mates > summary").click()
    yield "looked on, who is here"
    page.goto(table)
    leave(page)
    expect(page.locator("p.note[role=status]")).to_contain_text("A bot plays on for you")
    page.wait_for_load_state()
    yield "one's tables after leaving"
    page.goto(table)
    expect(page.get_by_text("A bot plays for you.", exact=True)).to_be_visible()
    yield "a bot plays for me"
    page.get_by_role("button", name="Take your seat back").click()
    expect(page.locator("#hand")).to_be_visible()
    before = version(page)
    other.play(other.read())
    wait_until(page, lambda: version(page) > before)
    yield "after the other's move"
    leave(somebody)
    expect(page.locator(".presence.bot")).to_have_count(1)
    yield "a bot plays for the other"
    leave(page)
    expect(page.locator(".over")).to_be_visible()
    yield "over"
    somebody.goto(table)
    somebody.get_by_role("button", name="Rematch").click()
    somebody.wait_for_url("**/room")
    expect(page.locator("#rematch")).to_contain_text("waits for a rematch.")
    yield "over, the other waits for a rematch"
    page.goto(watch)
    yield "looked on at the end"


def leave(page):
    """Leave the table that a page shows, by its warning."""
    page.locator("#d-leave > summary").click()
    page.get_by_role("button", name="Yes, leave").click()
