"""Two people and bots at one table: each page follows the other, whatever happens in between."""

import re
import time
from statistics import median

import pytest
from playwright.sync_api import expect

from . import rooms
from .company import (
    ABORTED,
    MINE,
    NO_NETWORK,
    Company,
    Tables,
    check_log,
    held,
    hide,
    leave,
    version,
    wait_until,
)
from .conftest import CALM, DESKTOP, PHONE
from .people import told
from .seats import ANIMALS, TRICK, Finger, Mouse, Plain, Seat
from .words import refused

STALE = "The table had moved on before this arrived; nothing was played. Here it is as it stands."
CARDS = 48
CARD = re.compile(r"\b(red|yellow|green|blue) (\d+)\b", re.IGNORECASE)


@pytest.fixture(scope="session")
def tables(site):
    return Tables(site)


@pytest.fixture(autouse=True)
def aborted(expected_complaints):
    """Any move can come while its page asks what is new."""
    expected_complaints += ABORTED


@pytest.fixture
def two(new_page):
    """Nele's page and Bea's."""
    return new_page(**DESKTOP, **CALM), new_page(**DESKTOP, **CALM, user_agent="Bea")


# -- a whole game of Ouroboros Trick --------------------------------------------------------------


def test_a_whole_game_of_trick(new_page):
    phone, page = new_page(**PHONE, **CALM), new_page(**DESKTOP, **CALM)
    watcher = new_page(**DESKTOP, **CALM, user_agent="watcher")
    nele, bea = Seat(phone, TRICK, Finger()), Seat(page, TRICK, Mouse(), number=2)

    # Nele opens a table, sends the link, and starts with bots when Bea has come.
    invitation = rooms.open_table(phone, TRICK, pace="instant")
    page.goto(invitation)
    page.get_by_label("What shall the others call you?").fill("Bea")
    page.get_by_role("button", name="Take a seat").click()
    page.wait_for_url("**/room")
    expect(phone.locator(".place b")).to_have_text(["Nele", "Bea", "free", "free"])
    phone.get_by_role("button", name="Start now").tap()
    for each in (phone, page):
        each.wait_for_url(re.compile(r"/trick/\d+/$"))
        each.evaluate("() => { window.opened = true; }")
    table = page.url
    watcher.goto(invitation)
    watcher.get_by_role("link", name="Watch the game").click()
    watcher.wait_for_url("**/watch/**")
    watcher.evaluate("() => { window.opened = true; }")

    company = Company(nele, bea)
    seen = set()
    for _ in range(400):
        seat = company.next()
        if seat is None:
            break
        shown = seat.check()
        company.agree(watcher)
        seen |= played(phone)
        check_looking_on(watcher, (phone, page), seen)
        seat.play(shown)
        seat.moved_on()
    expect(watcher.locator("#h-over")).to_be_visible()
    for each in (phone, page, watcher):
        assert each.evaluate("() => window.opened")  # each has followed by itself

    # All three are told how it came out.
    losers = set(phone.locator(".players tr", has_text="lost").locator("bdi").all_inner_texts())
    names = {"Nele" if name == "You" else name for name in losers}
    result = watcher.locator(".over .result")
    for name in names if len(names) < 4 else ["all lose"]:
        expect(result).to_contain_text(re.compile(name, re.IGNORECASE))
    for seat in company.seats:
        seat.check_over(seat.check())
        seat.page.goto(table)
    watcher.get_by_role("link", name="Replay", exact=True).click()
    watcher.get_by_role("link", name="Show the hidden cards").click()
    expect(watcher.locator("#replay .hand li")).to_have_count(CARDS // 4)
    expect(watcher.locator(".unseen .chip")).to_have_count(CARDS - CARDS // 4)

    # Once more, with one click each.
    phone.get_by_role("button", name="Rematch").tap()
    phone.wait_for_url("**/room")
    again = phone.url.removesuffix("room")
    assert again != table
    expect(page.locator("#rematch")).to_contain_text("Nele waits for a rematch.")
    page.get_by_role("button", name="Sit down").click()
    for each in (phone, page):
        each.wait_for_url(again)
        expect(each.locator("#table")).to_be_visible()
    for each, other in ((phone, "Bea"), (page, "Nele")):
        expect(each.locator(".players tbody bdi", has_text=other)).to_have_count(1)


def played(page):
    """The cards that everybody has seen, from the log of a page."""
    words = page.locator("#log").inner_text()
    return {f"{colour[0].upper()}{number}" for colour, number in CARD.findall(words)}


def hand(page):
    return {card.get_attribute("value") for card in page.locator("#hand input").all()}


def check_looking_on(watcher, players, seen):
    """Nothing that is still hidden in a hand is anywhere on a spectator's page."""
    html = watcher.content()
    shown = set(re.findall(r"\b([RYGB]\d{1,2})\b", html))
    shown |= {f"{colour[0].upper()}{number}" for colour, number in CARD.findall(html)}
    hands = set().union(*map(hand, players))
    assert hands
    assert not shown & (hands - seen)
    assert not watcher.locator("#hand, #move, .pool").count()


# -- a round of Ochs & Esel -----------------------------------------------------------------------


def test_a_round_without_network_and_with_two_tabs(two, tables, expected_complaints):
    """Bea's network is gone for a while; Nele plays on, in two tabs by turns."""
    expected_complaints += [*NO_NETWORK, *refused(409)]
    company, _watch = tables.open("animals, dealt", *two)
    nele, bea = company.seats
    for seat in company.seats:
        seat.length = 1
    tabs = [nele.page, nele.page.context.new_page()]
    tabs[1].goto(nele.page.url)
    missed = stale = 0
    for number in range(400):
        seat = company.next()
        if seat is None:
            break
        company.agree(*tabs)  # what was done in one tab is in the other
        seat.page = tabs[number % 2] if seat is nele else bea.page
        shown = seat.read()
        seat.version = shown["version"]
        if seat is bea:
            bea.play(shown)
            bea.moved_on()
            continue
        if missed < 2:
            missed += 1
            bea.page.context.set_offline(True)
            before = version(bea.page)
            nele.play(shown)
            nele.moved_on()
            rest(nele.page)
            assert version(bea.page) == before < version(nele.page)
            bea.page.context.set_offline(False)
            wait_until(bea.page, lambda: version(bea.page) == version(nele.page), 15)
            check_log(bea.page)
        elif not stale and any(box["value"][0] not in "EO" for box in shown["open"]):
            stale += 1
            play_in_an_old_tab(nele, nele.page, tabs[1 - number % 2])
        else:
            nele.play(shown)
            nele.moved_on()
    assert missed == 2
    assert stale
    for page in (*tabs, bea.page):
        expect(page.locator("#h-over")).to_be_visible()
        check_log(page)
    for seat in company.seats:
        seat.check_over(seat.check())


def rest(page):
    """Wait until no bot is to play."""
    expect(page.locator("#table:not(:has(#advance))")).to_be_visible(timeout=30_000)


def play_in_an_old_tab(seat, now, old):
    """Move in one tab; the other one, which has not heard of it, is shown the table as it is."""
    shown = seat.read()
    box = next(box for box in shown["open"] if box["value"][0] not in "EO")
    seat.version = shown["version"]
    with held(old, "**/here"), held(old, "**/advance"):
        seat.play(shown)
        seat.moved_on()
        rest(now)
        assert version(old) == shown["version"]
        old.locator(f"#{box['id']}").check()
        old.locator("#act-main").click(force=True)
        expect(old.get_by_text(STALE).last).to_be_visible()
    assert not old.locator("#hand input:checked").count()
    wait_until(now, lambda: version(now) == version(old))


# -- how quickly, and what it leaves --------------------------------------------------------------

# When each version of the table came, and when the main action was pressed.
NOTES = """() => {
  window.came = {};
  const note = () => {
    const number = document.querySelector("#table [name=version]")?.value;
    if (number) came[number] ??= Date.now();
  };
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
  addEventListener("click", ({ target }) => {
    if (target.closest("#act-main")) window.begun = Date.now();
  }, true);
}"""
LATER = "(before) => Object.keys(came).some((version) => Number(version) > before)"
FIRST = """(before) => {
  const later = Object.entries(came).filter(([version]) => Number(version) > before);
  return Math.min(...later.map(([_version, at]) => at));
}"""


def test_a_move_is_on_the_others_page_within_half_a_second(two, tables):
    company, _watch = tables.open("trick, dealt", *two)
    for page in two:
        page.evaluate(NOTES)
    delays = []
    for _ in range(9):
        company.agree()
        seat = company.next()
        [other] = [other for other in company.seats if other is not seat]
        before = version(other.page)
        seat.play(seat.check())
        other.page.wait_for_function(LATER, arg=before)
        delays.append(other.page.evaluate(FIRST, before) - seat.page.evaluate("window.begun"))
    assert median(delays) < 500, delays
    assert max(delays) < 1500, delays


@pytest.mark.parametrize("legal", [True, False], ids=["legal", "not legal"])
def test_a_card_chosen_before_a_move_stays_if_it_may_be_played(two, tables, legal):
    company, _watch = tables.open("trick, Bea leads", *two)
    nele, bea = company.seats
    hands = [[box["value"] for box in seat.read()["open"]] for seat in (nele, bea)]
    led = next(card for card in hands[1] if card[0] in {other[0] for other in hands[0]})
    card = next(card for card in hands[0] if (card[0] == led[0]) == legal)
    box = nele.page.locator(f"#card-{card}")
    box.check()
    assert nele.read()["barred"]
    bea.page.locator(f"#card-{led}").check()
    bea.page.locator("#act-main:not([aria-disabled])").click()
    expect(nele.page.locator(MINE)).to_be_visible()
    expect(box).to_be_checked(checked=legal)
    expect(box).to_be_enabled(enabled=legal)
    if legal:
        # The server says what it would do, and it is played at once.
        expect(nele.page.locator("#act-main")).to_contain_text(re.compile(rf"Play \w+ {card[1:]}"))
        nele.version = nele.read()["version"]
        nele.page.locator("#act-main").click()
        nele.moved_on()
    else:
        expect(nele.page.locator("#act-main")).to_contain_text("choose a card")


def test_whose_turn_it_is_is_told_to_those_who_are_elsewhere(two, tables):
    company, _watch = tables.open("trick, Bea leads", *two)
    nele, bea = company.seats
    plain = nele.page.title()
    hide(nele.page, True)
    bea.play(bea.check())
    expect(nele.page).to_have_title(f"● Your turn – {plain}")
    hide(nele.page, False)
    expect(nele.page).to_have_title(plain)
    # The other way round it is no turn of Bea's.
    expect(bea.page).not_to_have_title(re.compile("Your turn"))


# -- who is there ---------------------------------------------------------------------------------


def test_who_has_gone_or_looks_elsewhere_is_away_within_30_seconds(two, tables, new_page):
    third = new_page(**DESKTOP, **CALM, user_agent="Cem")
    company, _watch = tables.open("trick, three people", *two, third)
    nele, bea, cem = (seat.page for seat in company.seats)
    presence = [nele.locator(f"#at-{seat}") for seat in range(3)]
    for there in presence[1:]:
        expect(there).to_have_text("here")
    bea.goto("about:blank")
    hide(cem, True)
    begun = last = time.monotonic()
    while nele.locator(".presence.away").count() < 2:
        now = time.monotonic()
        assert now < begun + 30
        if now > last + 5:
            # What others do reaches the hidden page, too; its person is not there for all that.
            last = now
            nele.locator("#d-say > summary").click()
            nele.get_by_role("button", name="Hello!").click()
        nele.wait_for_timeout(200)
    hide(cem, False)
    expect(presence[2]).to_have_text("here", timeout=30_000)


# -- leaving and coming back, and a server that restarts ------------------------------------------


def test_leaving_coming_back_and_a_restart(own_site, new_page, expected_complaints):
    expected_complaints += NO_NETWORK
    pages = [
        new_page(**DESKTOP, **CALM, base_url=own_site.url, user_agent=name)
        for name in ("Nele", "Bea")
    ]
    nele, bea = (Seat(page, TRICK, Mouse(), number) for number, page in enumerate(pages))
    invitation = rooms.open_table(nele.page, TRICK, pace="instant")
    rooms.take_seat(bea.page, invitation)
    expect(nele.page.locator(".place b")).to_have_text(["Nele", "Bea", "free", "free"])
    nele.page.get_by_role("button", name="Start now").click()
    for page in pages:
        page.wait_for_url(re.compile(r"/trick/\d+/$"))
    company = Company(nele, bea)
    company.play(2)

    # Bea leaves, is asked whether she means it, and a bot plays.
    company.agree()
    bea.page.locator("#d-leave > summary").click()
    expect(bea.page.locator("#d-leave")).to_contain_text("A bot plays on for you")
    bea.page.get_by_role("button", name="Yes, leave").click()
    expect(told(bea.page)).to_contain_text("A bot plays on for you.")
    expect(nele.page.locator("#at-1")).to_have_class(re.compile(r"\bbot\b"))
    expect(nele.page.locator("#lines")).to_contain_text("Bea has left: a bot plays on.")
    alone = Company(nele)
    assert alone.play(2) == [nele, nele]
    # She comes back by the list on the page that she was brought to.
    bea.page.get_by_role("link", name="Play on").click()
    expect(bea.page.get_by_text("A bot plays for you.", exact=True)).to_be_visible()
    bea.page.get_by_role("button", name="Take your seat back").click()
    expect(bea.page.locator("#hand")).to_be_visible()
    expect(nele.page.locator("#at-1")).to_have_text("here")
    expect(nele.page.locator("#lines")).to_contain_text("Bea is back.")
    moved_in_turn(company)

    # The server is gone, and comes again.
    for page in pages:
        page.evaluate("() => { window.opened = true; }")
    own_site.stop()
    own_site.start()
    moved_in_turn(company)
    company.agree()
    for page in pages:
        assert page.evaluate("() => window.opened")
        check_log(page)


def moved_in_turn(company):
    """Play until each of them has moved at least once."""
    moved = set()
    for _ in range(40):
        company.agree()
        moved.add(company.move())
        if len(moved) == len(company.seats):
            return
    raise AssertionError("One of them never comes to move.")


# -- without a script -----------------------------------------------------------------------------


def test_without_a_script(new_page):
    options = {**CALM, "java_script_enabled": False}
    host, guest = new_page(**DESKTOP, **options), new_page(**PHONE, **options)
    invitation = rooms.open_table(host, ANIMALS, pace="instant")
    rooms.take_seat(guest, invitation)
    host.get_by_role("button", name="Look again").click()
    expect(host.locator(".place b")).to_have_text(["Nele", "Bea", "free", "free"])
    host.get_by_role("button", name="Start now").click()
    host.wait_for_url(re.compile(r"/ochs-esel/\d+/$"))
    guest.get_by_role("button", name="Look again").click()
    guest.wait_for_url(host.url)
    seats = [Seat(page, ANIMALS, Plain(), number) for number, page in enumerate((host, guest))]
    table = host.url
    plain_moves(seats, each=2)

    # The guest leaves, and comes back by the list of tables.
    leave(guest)
    expect(told(guest)).to_contain_text("A bot plays on for you.")
    host.reload()
    expect(host.locator("#at-1")).to_have_class(re.compile(r"\bbot\b"))
    guest.get_by_role("link", name="Play on").click()
    guest.wait_for_url(table)
    guest.get_by_role("button", name="Take your seat back").click()
    expect(guest.locator("#hand")).to_be_visible()
    for seat in seats:
        seat.version, seat.log = None, []
    plain_moves(seats, each=1)


def plain_moves(seats, each):
    """Let each of them make so many moves: whoever cannot go on looks again."""
    moved = dict.fromkeys(seats, 0)
    for turn in range(400):
        seat = seats[turn % len(seats)]
        page = seat.page
        page.reload()
        go_on = page.get_by_role("button", name="Go on")
        if go_on.count():
            go_on.click()
        elif page.locator(MINE).count():
            seat.play(seat.check())
            moved[seat] += 1
        page.wait_for_load_state()
        if min(moved.values()) >= each:
            return
    raise AssertionError(f"They never come to move: {moved}")
