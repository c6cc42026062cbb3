"""Pages that others change: seen at once, and again after whatever cut the stream.

The lobby stands for all of them here: it listens to one topic, and a table that somebody opens
changes it.
"""

import re
import time

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import expect

from .conftest import CALM, DESKTOP

# Notes when the page is told to look, and keeps its streams; before any script of the page.
# A page that an earlier test used has them already.
NOTES = """if (!window.streams) {
  window.looks = 0;
  document.addEventListener("live:changed", () => { window.looks += 1; }, true);
  window.streams = [];
  window.EventSource = class extends EventSource {
    constructor(address) {
      super(address);
      window.streams.push(this);
      this.addEventListener("alive", () => { window.alive = true; });
    }
  };
}"""
HAS_STREAM = "() => window.streams.some(({ readyState }) => readyState === EventSource.OPEN)"
OPEN_TABLES = "#tables .open > li"
MINE = '#table[data-turn="mine"]'


@pytest.fixture
def watcher(new_page):
    """Somebody who looks at the lobby; the notes are of this test only."""
    return at_lobby(new_page(**DESKTOP, **CALM, user_agent="watcher"))


@pytest.fixture
def opener(new_page):
    """Somebody else, who opens tables there."""
    page = new_page(**DESKTOP, **CALM)
    page.goto("/tables/")
    return page


def at_lobby(page):
    page.add_init_script(NOTES)
    page.goto("/tables/")
    page.wait_for_function(HAS_STREAM)
    page.wait_for_function("() => window.looks === 1 && window.alive")
    return page


def looks(page) -> int:
    return page.evaluate("window.looks")


def open_table(page, **fields) -> str:
    """Send what the form of a new listed table does; the table's address."""
    token = next(c["value"] for c in page.context.cookies() if c["name"] == "csrftoken")
    usual = {"once": "", "with": "friends", "name": "Lio", "listed": "1"}
    form = {"csrfmiddlewaretoken": token, **usual, **fields}
    answer = page.request.post("/trick/start", form=form, max_redirects=0)
    assert answer.status == 302, answer.text()
    return answer.headers["location"]


def hide(page, hidden: bool) -> None:
    """The tab lies behind another one, or in front again: Playwright shows them all."""
    page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_a_change_is_seen_by_others_within_half_a_second(watcher, opener):
    delays = []
    for _ in range(3):
        count = watcher.locator(OPEN_TABLES).count()
        open_table(opener)
        begun = time.monotonic()
        expect(watcher.locator(OPEN_TABLES)).to_have_count(count + 1)
        delays.append(time.monotonic() - begun)
    assert min(delays) < 0.5


def test_a_stream_that_cannot_be_had_is_tried_again(watcher, opener, expected_complaints):
    expected_complaints.append("net::ERR_")
    tried = []

    def fail(route):
        tried.append(route.request.url)
        route.abort("connectionrefused")

    watcher.route("**/events/**", fail)
    watcher.reload()
    deadline = time.monotonic() + 20
    while len(tried) < 3 and time.monotonic() < deadline:
        watcher.wait_for_timeout(50)
    assert len(tried) >= 3
    watcher.unroute("**/events/**")
    watcher.wait_for_function(HAS_STREAM)
    before = looks(watcher)
    open_table(opener)
    watcher.wait_for_function("(before) => window.looks > before", arg=before, timeout=5000)


def test_a_stream_that_says_nothing_is_opened_anew(watcher):
    watcher.clock.install()
    watcher.reload()
    watcher.wait_for_function("() => window.streams.length === 1")
    watcher.clock.fast_forward(30_000)
    watcher.wait_for_timeout(200)
    assert watcher.evaluate("window.streams.length") == 1
    watcher.clock.fast_forward(41_000)
    watcher.wait_for_function("() => window.streams.length === 2")
    watcher.wait_for_function(HAS_STREAM)
    assert watcher.evaluate("window.streams[0].readyState") == 2  # closed


@pytest.mark.parametrize("name", ["focus", "online"])
def test_a_page_that_wakes_looks_at_once(watcher, name):
    watcher.evaluate("(name) => window.dispatchEvent(new Event(name))", name)
    watcher.wait_for_function("() => window.looks === 2", timeout=2000)


def test_a_page_that_is_seen_again_looks_at_once(watcher):
    hide(watcher, True)
    watcher.wait_for_timeout(300)
    assert looks(watcher) == 1
    hide(watcher, False)
    watcher.wait_for_function("() => window.looks === 2", timeout=2000)


def test_who_is_seen_looks_now_and_then(watcher):
    watcher.clock.install()
    watcher.reload()
    watcher.wait_for_function("() => window.looks === 1")
    watcher.clock.fast_forward(11_000)
    watcher.wait_for_function("() => window.looks === 2")
    hide(watcher, True)
    watcher.clock.fast_forward(11_000)
    watcher.wait_for_timeout(300)
    assert looks(watcher) == 2


def test_many_tabs_of_one_browser_share_three_streams(watcher):
    others = []
    for _ in range(5):
        tab = watcher.context.new_page()
        tab.add_init_script(NOTES)
        tab.goto("/tables/")
        others.append(tab)
    for tab in others[:2]:
        tab.wait_for_function(HAS_STREAM)
    tabs = [watcher, *others]
    watcher.wait_for_timeout(1000)
    assert [tab.evaluate(HAS_STREAM) for tab in tabs] == [True] * 3 + [False] * 3
    # One that nobody sees makes room for one that is looked at.
    hide(tabs[1], True)
    hide(tabs[4], True)
    tabs[5].evaluate("() => window.dispatchEvent(new Event('focus'))")
    tabs[5].wait_for_function(HAS_STREAM)
    assert [tab.evaluate(HAS_STREAM) for tab in tabs] == [True, False, True, False, False, True]
    # One that is closed leaves its place to whoever looks for one next.
    tabs[0].goto("about:blank")
    tabs[3].evaluate("() => window.dispatchEvent(new Event('focus'))")
    tabs[3].wait_for_function(HAS_STREAM)


# -- whose turn it is ---------------------------------------------------------------------------

# A browser's means of being heard, as notes of what they were asked for.
MEANS = """if (!window.rings) {
  window.rings = [];
  window.AudioContext = class {
    state = "running";
    currentTime = 0;
    destination = {};
    resume() { return Promise.resolve(); }
    createGain() {
      return { gain: { setValueAtTime() {}, linearRampToValueAtTime() {} }, connect: (to) => to };
    }
    createOscillator() {
      const start = () => { window.rings.push("note"); };
      return { frequency: {}, connect: (to) => to, start, stop() {} };
    }
  };
  window.Notification = class {
    static permission = "default";
    static answer = "granted";
    static async requestPermission() { return (this.permission = this.answer); }
    constructor(title, { body }) { window.rings.push(`${title}: ${body}`); }
    close() { window.rings.push("closed"); }
  };
}"""
PLAIN, MARKED = "Tables · Ouroboros", "● Your turn – Tables · Ouroboros"


class Turns:
    """A page with a table and the panel of alerts on it, whose turn changes by a swap."""

    def __init__(self, page):
        self.page = page
        page.add_init_script(MEANS)
        page.goto("/tables/")
        # The panel lies on tables, whose turns bots decide; here it is the test.
        panel = render_to_string("alerts.html")
        page.evaluate(
            "(html) => document.querySelector('#main').insertAdjacentHTML('beforeend', html)", panel
        )
        self.swap("theirs")

    def swap(self, turn):
        self.page.evaluate(
            """(turn) => {
              document.getElementById("table")?.remove();
              const table = document.createElement("div");
              table.id = "table";
              table.dataset.turn = turn;
              document.querySelector("#main").append(table);
              table.dispatchEvent(new Event("htmx:afterSwap", { bubbles: true }));
            }""",
            turn,
        )

    def icon(self) -> str:
        name = self.page.locator("link[rel=icon]").get_attribute("href").rpartition("/")[2]
        return name.split(".")[0]

    def rings(self) -> list[str]:
        return self.page.evaluate("window.rings.splice(0)")

    def switch(self, words):
        self.page.get_by_label(words).click()


SOUND, NOTICE = "Play a short sound", "Notify me when I look elsewhere"


@pytest.fixture
def turns(new_page):
    return Turns(new_page(**DESKTOP, **CALM, user_agent="turns"))


def test_title_and_icon_say_it_to_those_who_are_elsewhere(turns):
    page = turns.page
    turns.swap("mine")
    assert (page.title(), turns.icon()) == (PLAIN, "favicon")
    hide(page, True)
    assert (page.title(), turns.icon()) == (MARKED, "favicon-turn")
    turns.swap("mine")
    assert page.title() == MARKED
    turns.swap("theirs")
    assert (page.title(), turns.icon()) == (PLAIN, "favicon")
    turns.swap("mine")
    assert (page.title(), turns.icon()) == (MARKED, "favicon-turn")
    icon = page.locator("link[rel=icon]").get_attribute("href")
    assert page.request.get(icon).headers["content-type"] == "image/svg+xml"
    hide(page, False)
    assert (page.title(), turns.icon()) == (PLAIN, "favicon")
    assert turns.rings() == []  # nobody has asked for more


def test_the_panel_is_found_and_kept(turns):
    page = turns.page
    page.get_by_text("When it is my turn").click()
    sound, notice = page.get_by_label(SOUND), page.get_by_label(NOTICE)
    expect(sound).not_to_be_checked()
    expect(notice).not_to_be_checked()
    sound.focus()
    page.keyboard.press("Space")
    turns.switch(NOTICE)
    assert turns.rings() == ["note", "note"]  # so that one knows it
    stored = page.evaluate("({ ...localStorage })")
    assert (stored["turn-sound"], stored["turn-notice"]) == ("on", "on")
    for box in (sound, notice):
        box.evaluate("(box) => { box.checked = false; }")
    turns.swap("theirs")
    expect(sound).to_be_checked()
    expect(notice).to_be_checked()
    turns.switch(SOUND)
    assert page.evaluate("localStorage.getItem('turn-sound')") == "off"


def test_a_sound_and_a_notification_once_a_turn(turns):
    page = turns.page
    page.get_by_text("When it is my turn").click()
    turns.switch(SOUND)
    turns.switch(NOTICE)
    turns.rings()
    hide(page, True)
    turns.swap("mine")
    page.wait_for_function("() => window.rings.length === 3")
    assert sorted(turns.rings()) == [f"{PLAIN}: It is your turn.", "note", "note"]
    turns.swap("mine")
    page.wait_for_timeout(100)
    assert turns.rings() == []
    hide(page, False)
    assert turns.rings() == ["closed"]
    turns.swap("theirs")
    turns.swap("mine")
    page.wait_for_function("() => window.rings.length === 2")
    assert turns.rings() == ["note", "note"]  # whoever sees the page needs no notification


def test_who_forbids_notifications_is_told(turns):
    page = turns.page
    page.evaluate("() => { Notification.answer = 'denied'; }")
    page.get_by_text("When it is my turn").click()
    page.get_by_label(NOTICE).click()
    expect(page.get_by_text("does not let this site notify you")).to_be_visible()
    expect(page.get_by_label(NOTICE)).not_to_be_checked()
    hide(page, True)
    turns.swap("mine")
    page.wait_for_timeout(100)
    assert turns.rings() == []


def test_at_a_table_the_other_person_is_told(watcher, opener):
    setup = {"players": "3", "level-2": "steady", "pace": "instant", "listed": ""}
    room = open_table(opener, **setup)
    opener.goto(room)
    link = re.search(r"/join/[\w-]+/", opener.content())[0]
    watcher.goto(link)
    watcher.locator("#main [name=name]").fill("Bo")
    watcher.get_by_role("button", name="Take a seat").click()
    for page in (opener, watcher):
        page.goto(room)
        page.wait_for_selector("#table[data-turn]")
    deadline = time.monotonic() + 10
    while not (mine := [page for page in (opener, watcher) if page.locator(MINE).count()]):
        assert time.monotonic() < deadline
        opener.wait_for_timeout(50)
    (mine,) = mine
    other = watcher if mine is opener else opener
    other.get_by_text("When it is my turn").click()
    for box in other.locator("#alerts label").all():
        assert box.bounding_box()["height"] >= 44 - 0.5
    other.keyboard.press("Escape")
    plain = other.title()
    hide(other, True)
    mine.locator("#hand input:enabled").first.evaluate("(box) => box.click()")
    begun = time.monotonic()
    mine.locator("#act-main:not([aria-disabled])").click()
    other.wait_for_function("(title) => document.title === title", arg=f"● Your turn – {plain}")
    assert time.monotonic() - begun < 5
    expect(other.locator(MINE)).to_be_visible()
    hide(other, False)
    assert other.title() == plain
