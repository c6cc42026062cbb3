"""A person's seat at a table with bots: what the page offers is played, with one kind of hands.

Whatever the bots do, the page says what may be chosen; the rules are not asked here.
"""

import re
from random import Random

from playwright.sync_api import expect

from .hands import Tabs
from .table import focus

RESTS = "#table:not(:has(#advance))"
"""The table when it waits for the person, or for nobody any more."""

# The key of a control that has one together with others, and how often it is to be pressed.
PRESSES = """(input) => {
  const set = input.closest("[data-chooses]");
  const inputs = [...set.querySelectorAll("input:enabled")];
  const cards = (input) =>
    input?.type === "radio" ? Number(input.value.split("x")[1] ?? 1) : inputs.indexOf(input) + 1;
  return [set.dataset.chooses, cards(input) - cards(inputs.findLast(({ checked }) => checked))];
}"""

# What the page shows, in one reading.
READ = r"""() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const text = (node) => node && node.textContent.replace(/\s+/g, " ").trim();
  const box = ({ id, name, value, type, checked, dataset }) =>
    ({ id, name, value, type, checked, key: dataset.key });
  return {
    version: Number(one("#move [name=version]")?.value ?? -1),
    over: text(one("#h-over")),
    turn: text(one(".turn strong")),
    todo: text(one(".turn span")),
    now: all(".seat.now .plate bdi").map(text),
    said: text(one("#say")),
    log: all("#log > li").map(text),
    names: all(".players tbody th bdi, .tally tbody th bdi").map(text),
    totals: all(".tally tbody td:last-child b").map(text).map(Number),
    rounds: all(".tallysheet tbody tr").length,
    stands: text(one("#h-tally small")),
    main: text(one("#act-main span")),
    barred: one("#act-main")?.getAttribute("aria-disabled") === "true",
    open: all("#hand input:enabled").map(box),
    chosen: all("#hand input:checked").map(({ value }) => value),
  };
}"""

TRICK = "trick"
ANIMALS = "ochs-esel"
LEADS = {"E": "Donkey", "O": "Ox"}


class Seat:
    """A table in the browser, and the hands that play at it."""

    def __init__(self, page, slug, hands, number=1):
        self.page = page
        self.slug = slug
        self.hands = hands
        self.random = Random(number)
        self.version = None
        self.rounds = 0
        self.length = 5
        self.log = []

    # -- getting there ---------------------------------------------------------------------------

    def set_up(self, players, rounds=5, pace="instant"):
        """Sit down at a new table, from the home page."""
        page, press = self.page, self.hands.press
        page.goto("/")
        title = "Ouroboros Trick" if self.slug == TRICK else "Ochs & Esel"
        press(page.get_by_role("link", name=f"New table {title}"))
        page.wait_for_url(f"**/{self.slug}/new/")
        self.hands.choose(page.get_by_role("radio", name=str(players), exact=True))
        self.hands.choose(page.locator(f"[name=pace][value={pace}]"))
        if self.slug == ANIMALS and rounds != self.length:
            page.locator("[name=rounds]").fill(str(rounds))
            self.length = rounds
        press(page.get_by_role("button", name="Sit down and play"))
        page.wait_for_url(re.compile(rf"/{self.slug}/\d+/$"))
        return self

    def start(self, **form):
        """Sit down at a new practice table by a request: quicker."""
        from .people import start

        self.page.goto(start(self.page, self.slug, practice="1", **form))
        return self

    # -- what the page shows -----------------------------------------------------------------------

    def read(self):
        return self.page.evaluate(READ)

    @property
    def is_over(self):
        return self.page.locator("#h-over").count() > 0

    def rest(self):
        """Let the others play, and wait until it is for the person to choose, or all is over."""
        self.hands.let_others_play(self)
        # There can be several turn rounds in which this person has no choice.
        expect(self.page.locator(RESTS)).to_be_visible(timeout=60_000)
        self.settle()

    def open(self, laid, spot):
        """Come to a table of `spots.py`."""
        laid.open(self.page, spot)
        self.settle()
        return self

    def settle(self):
        """As `Table.settle`: until htmx is done with what it has put in."""
        expect(self.page.locator(".htmx-added, .htmx-settling")).to_have_count(0)

    def moved_on(self):
        """Wait until the page shows another position than the one that was read last."""
        same = f"#move [name=version][value='{self.version}']"
        expect(self.page.locator(f"#table:not(:has({same}))")).to_be_visible()

    def check(self):
        """What is shown whenever it is for the person to choose; then remember it."""
        shown = self.read()
        assert is_sentence(shown["said"]), shown["said"]
        assert shown["log"] and all(map(is_sentence, shown["log"])), shown["log"]
        if self.log:
            assert shown["log"][0] != self.log[0] or len(shown["log"]) > len(self.log)
        if not shown["over"]:
            assert shown["turn"] == "Your turn" and is_sentence(shown["todo"])
            assert not shown["now"]
            assert shown["version"] > (self.version or -1)
        if self.slug == ANIMALS:
            self.check_tally(shown)
        self.version, self.log = shown["version"], shown["log"]
        return shown

    def check_tally(self, shown):
        """A row for each finished round, one more each time."""
        assert self.rounds <= shown["rounds"] <= self.rounds + 1
        self.rounds = shown["rounds"]
        now = self.rounds + (not shown["over"])
        assert shown["stands"].startswith(f"round {now} of {self.length}"), shown["stands"]

    def check_others_turn(self):
        """Whose turn it is is told, and where they sit."""
        shown = self.read()
        if shown["turn"] == "Your turn":
            return  # there is no choice, and the table passes
        whose = shown["turn"].removesuffix("’s turn")
        assert whose in shown["names"] and shown["now"] == [whose], shown
        assert is_sentence(shown["todo"])

    # -- playing -----------------------------------------------------------------------------------

    def play_to_the_end(self):
        """The whole game."""
        self.rest()
        for _ in range(300):
            shown = self.check()
            if shown["over"]:
                break
            self.play(shown)
            self.moved_on()
            self.rest()
            self.hands.check_after(self)
        self.check_over(shown)

    def play(self, shown):
        """One move of those that the page offers."""
        if self.slug == TRICK:
            self.play_trick(shown)
        else:
            self.play_animals(shown)

    def play_trick(self, shown):
        """A card, or as many as are to be discarded."""
        number = int(re.fullmatch(r"Discard (\d+) cards?|Play", shown["main"])[1] or 1)
        for box in self.random.sample(shown["open"], number):
            self.hands.pick(self, box)
        if self.hands.look(self):
            shown = self.read()
            assert not shown["barred"] and len(shown["chosen"]) == number
        self.hands.act(self)

    def play_animals(self, shown):
        """Some cards of a value, with jokers if they are needed; now and then a pass."""
        sets = [box for box in shown["open"] if box["name"] == "set"]
        jokers = [box for box in shown["open"] if box["name"] == "joker"]
        mayhap = not self.passing.get_attribute("aria-disabled")
        if not (sets or jokers) or (mayhap and self.random.random() < 0.1):
            return self.hands.pass_on(self)
        if sets:
            # Many cards at once, so that rounds are short.
            chosen = max(sets, key=lambda box: (box["value"][-1:], self.random.random()))
            if chosen["value"] in LEADS:
                return self.hands.press(
                    self.page.get_by_role("button", name=LEADS[chosen["value"]])
                )
            self.hands.pick(self, chosen)
        if self.hands.look(self, always=bool(jokers)):
            for joker in jokers:
                if not self.read()["barred"]:
                    break
                self.hands.pick(self, joker)
                self.hands.look(self, always=True)
            shown = self.read()
            assert not shown["barred"] and shown["main"].startswith("Play "), shown
        self.hands.act(self)

    @property
    def passing(self):
        return self.page.get_by_role("button", name="Pass")

    # -- the end -----------------------------------------------------------------------------------

    def check_over(self, shown):
        """Who won is said by name, and the replay opens at the whole game."""
        page = self.page
        told = page.locator(".over .result p").first
        if self.slug == TRICK:
            losers = page.locator(".players tr", has_text="lost").locator("bdi").all_inner_texts()
            assert losers
            named = losers if len(losers) < len(shown["names"]) else ["all lose"]
            for name in named:
                expect(told).to_contain_text(name, ignore_case=True)
            assert shown["over"] == ("You lost" if "You" in losers else "You survived")
        else:
            assert self.rounds == self.length
            rows = list(zip(shown["names"], shown["totals"], strict=True))
            fewest = min(shown["totals"])
            winners = [name for name, total in rows if total == fewest]
            for name in winners:
                expect(told).to_contain_text(name, ignore_case=True)
            expect(told).to_contain_text(f"{fewest} minus point")
            assert (shown["over"] != "You did not win") == ("You" in winners)
        self.hands.press(page.get_by_role("link", name="Replay", exact=True))
        page.wait_for_url("**/replay/")
        steps = page.locator("#replay")
        expect(steps).to_be_visible()
        plies = int(steps.get_attribute("data-last"))
        assert plies > 15
        page.goto(f"{page.url}?ply={plies}")
        expect(page.locator("#steps")).to_contain_text("The end:")


def is_sentence(text):
    """Whether this is something to be read: nothing half filled in, and an end."""
    return bool(re.search(r"\w.*[.!]$", text or "")) and not re.search(r"None|%\(|\bTrue\b", text)


class Held:
    """What pages ask for by themselves is held up until it is let go, so that others wait."""

    def __init__(self, place):
        self.place = place  # a page, or all pages of a context
        self.routes = []
        place.route("**/advance", lambda route: self.routes.append(route))

    def let_go(self):
        """Send what was asked meanwhile, and hold no more."""
        for route in self.routes:
            route.continue_()
        self.place.unroute("**/advance")


# -- hands ----------------------------------------------------------------------------------------


class Mouse:
    """Clicks."""

    def press(self, control):
        control.click()

    def choose(self, control):
        control.click()

    def pick(self, seat, box):
        """Choose a card, or some of a value; with a script the page says what of it."""
        self.heard(seat, lambda: self.choose(seat.page.locator(f"#{box['id']}")))

    def heard(self, seat, act):
        """Wait for the server's word about the selection."""
        with seat.page.expect_response("**/preview") as answer:
            act()
        answer.value.finished()
        seat.page.evaluate("() => new Promise(requestAnimationFrame)")

    def look(self, seat, always=False):
        """Ask what the selection would do, as a script does; whether the page says it now."""
        return True

    def act(self, seat):
        self.press(seat.page.locator("#act-main"))

    def pass_on(self, seat):
        self.press(seat.passing)

    def let_others_play(self, seat):
        """They do, by themselves."""

    def check_after(self, seat):
        """Nothing more."""


class Finger(Mouse):
    """Taps."""

    def press(self, control):
        control.tap()

    choose = press


class Keys(Mouse):
    """Single keys at the table; elsewhere, and without them, Tab, arrows, Space and Enter."""

    def press(self, control):
        Tabs().press(control)

    def choose(self, control):
        Tabs().go_to(control.page, control)
        if not control.is_checked():
            control.page.keyboard.press("Space")

    def pick(self, seat, box):
        keyboard = seat.page.keyboard
        if box["key"]:
            return self.heard(seat, lambda: keyboard.press(box["key"]))
        control = seat.page.locator(f"#{box['id']}")
        key, times = control.evaluate(PRESSES)
        for _ in range(times - 1):
            keyboard.press(key)
        self.heard(seat, lambda: keyboard.press(key))
        expect(control).to_be_checked()
        if box["name"] == "set":
            words = control.locator("xpath=..").locator(".sr").inner_text().removeprefix("one ")
            expect(seat.page.locator("#act-main")).to_contain_text(
                f"Play {words}", ignore_case=True
            )
        return None

    def act(self, seat):
        seat.page.keyboard.press("Enter")

    def pass_on(self, seat):
        seat.page.keyboard.press("p")

    def check_after(self, seat):
        assert focus(seat.page) not in ("", "body")


class Plain(Mouse):
    """The mouse without a script: what a selection would do is asked for, and so are the others."""

    def pick(self, seat, box):
        self.choose(seat.page.locator(f"#{box['id']}"))

    def look(self, seat, always=False):
        if not always and seat.random.random() < 0.8:
            return False
        seat.page.get_by_role("button", name="What would it do?").click()
        expect(seat.page.locator("#preview .made")).to_be_visible()
        return True

    def act(self, seat):
        # The button says what is missing, until the page has been asked about the selection.
        seat.page.locator("#act-main").click(force=True)

    def let_others_play(self, seat):
        page = seat.page
        for _ in range(100):
            page.wait_for_load_state()  # what says that others are to play comes late in a page
            if page.locator(RESTS).count():
                return
            seat.check_others_turn()
            seat.version = seat.read()["version"]
            page.get_by_role("button", name="Go on").click()
            seat.moved_on()
        raise AssertionError("The others never come to an end.")
