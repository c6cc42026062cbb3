"""What may be out of sight at a table: its end, whose turn it is, words that are too long, a note
on top; and cards that travel, of which none may be at two places."""

import time

import pytest
from playwright.sync_api import expect

from tricks.rules import trick

from .conftest import CALM, PHONE
from .people import PASSWORD, new_name
from .seats import ANIMALS, TRICK, Finger, Held, Mouse, Seat
from .table import focus, post

SIZES = [(390, 844), (320, 640)]

# Names for a view transition that two elements which are drawn have.
TWICE = """() => {
  const drawn = [...document.querySelectorAll("#main .card")]
    .filter((card) => card.checkVisibility());
  const names = drawn.map((card) => getComputedStyle(card).viewTransitionName);
  return names.filter((name, at) => name !== "none" && names.indexOf(name) !== at);
}"""
NAMED = """() => [...document.querySelectorAll("#main .card")]
  .filter((card) => getComputedStyle(card).viewTransitionName !== "none").length"""

# Whether boxes of two elements have a pixel in common.
MEET = """([one, other]) => {
  const [a, b] = [one, other].map((selector) => document.querySelector(selector))
    .map((element) => element.getBoundingClientRect());
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""

# The words of an empty place are narrower than it, and no higher.
FITS = """(place) => {
  const range = document.createRange();
  range.selectNodeContents(place);
  const [words, room] = [range.getBoundingClientRect(), place.getBoundingClientRect()];
  return words.left >= room.left && words.right <= room.right && words.top >= room.top &&
    words.bottom <= room.bottom;
}"""


def box(page, selector):
    return page.locator(selector).bounding_box()


# -- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ["laws", "market", TRICK, ANIMALS])
@pytest.mark.parametrize("size", SIZES, ids=["390", "320"])
def test_the_end_of_a_game_comes_into_view(new_page, slug, size):
    phone = new_page(**PHONE, **CALM)
    phone.set_viewport_size({"width": size[0], "height": size[1]})
    Seat(phone, slug, Finger()).start()
    phone.locator("#d-retire > summary").tap()
    phone.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    phone.locator("#retire").tap()
    expect(phone.locator("#h-over")).to_be_in_viewport(ratio=1)
    phone.wait_for_timeout(300)
    expect(phone.locator("#h-over")).to_be_in_viewport(ratio=1)
    assert focus(phone) == "h-over"
    assert box(phone, ".result")["y"] >= 0


def test_the_end_of_a_game_does_not_move_a_page_that_shows_it(calm_page):
    calm_page.set_viewport_size({"width": 1280, "height": 1400})
    Seat(calm_page, TRICK, Mouse()).start()
    calm_page.locator("#d-retire > summary").click()
    calm_page.locator("#retire").click()
    expect(calm_page.locator(".over")).to_be_in_viewport(ratio=1)
    assert focus(calm_page) == "h-over" and calm_page.evaluate("() => scrollY") == 0


def test_a_move_of_others_that_comes_after_the_end_changes_nothing(calm_page, laid):
    held = Held(calm_page)
    laid.open(calm_page, "trick, last but one")
    deadline = time.monotonic() + 10
    while not held.routes and time.monotonic() < deadline:
        calm_page.wait_for_timeout(50)
    calm_page.locator("#d-retire > summary").click()
    calm_page.locator("#retire").click()
    expect(calm_page.locator("#h-over")).to_be_visible()
    with calm_page.expect_response("**/advance"):
        held.let_go()
    calm_page.wait_for_timeout(200)
    expect(calm_page.locator("#h-over")).to_have_text("You left the table")


# -- cards that travel ----------------------------------------------------------------------------


def test_no_card_travels_from_or_to_two_places(page, laid):
    """While a trick that ended is shown, its cards may be in a hand or a pile again."""
    path = laid.open(page, "trick, survived")
    game = page.request.get(f"/games/{path.split('/')[2]}/record.json").json()
    state, ends = trick.start(game["seed"], game["players"], game["options"]), []
    for ply, text in enumerate(game["moves"], 1):
        move = trick.parse_move(text)
        report, mover = trick.report(state, move), trick.turn(state)
        state = trick.apply(state, move)
        if "trick" in report:
            ends.append((ply, report["winner"], mover))
    assert len(ends) > 4
    for ply, winner, mover in ends:
        for seat in {winner, mover}:
            page.goto(f"/games/{path.split('/')[2]}/replay/?ply={ply}&seat={seat}&all=1")
            assert page.locator(".trickpad.ended").count() == 1
            assert page.evaluate(TWICE) == [], (ply, seat)
            assert page.evaluate(NAMED) == game["players"], "those of the trick alone"


def test_cards_of_hand_pool_trick_and_discard_travel(page, laid):
    Held(page)
    laid.open(page, "trick, last but one")
    for place in (".hand", ".trickpad", ".pool .fan", ".discarded"):
        names = page.locator(f"{place} .card:not(.empty)").evaluate_all(
            "(cards) => cards.map((card) => getComputedStyle(card).viewTransitionName)"
        )
        assert names and all(name.startswith("c-") for name in names), place
    assert page.evaluate(TWICE) == []


def test_a_transition_that_is_broken_off_is_no_fault(page, laid):
    """The browser does so when a card has two places, or the page is hidden: a page error else."""
    Held(page)
    laid.open(page, "trick, last but one")
    page.evaluate("""async () => {
      document.startViewTransition(() => {});
      await document.startViewTransition(() => {}).finished;
    }""")


# -- whose turn it is -----------------------------------------------------------------------------


@pytest.mark.parametrize("spot", ["trick, to follow", "animals, 12 seats"])
@pytest.mark.parametrize("size", SIZES, ids=["390", "320"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_whose_turn_it_is_stays_in_view_on_a_phone(new_page, laid, spot, size, scheme):
    phone = new_page(**PHONE, **CALM)
    phone.emulate_media(color_scheme=scheme)
    phone.set_viewport_size({"width": size[0], "height": size[1]})
    laid.open(phone, spot)
    assert not phone.evaluate(MEET, [".turn", ".board"])
    phone.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    turn = phone.locator(".turn")
    expect(turn.locator("strong")).to_be_in_viewport(ratio=1)
    assert box(phone, ".turn")["y"] == pytest.approx(0, abs=1)
    # It hides what is under it.
    assert turn.evaluate("(turn) => getComputedStyle(turn).backgroundColor")[:5] != "rgba("
    over = "(turn) => turn.contains(document.elementFromPoint(innerWidth / 2, 8))"
    assert turn.evaluate(over)
    # What gets the focus is not under it.
    for place in phone.locator("#main :is(summary, a[href], input, button)").all():
        if not place.is_visible() or place.evaluate("(e) => Boolean(e.closest('.dock, dialog'))"):
            continue
        phone.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
        place.evaluate("(element) => element.focus()")
        top, bottom = place.bounding_box()["y"], box(phone, ".turn")
        assert top >= bottom["y"] + bottom["height"] - 1, place.evaluate("(e) => e.outerHTML")


# -- a note on top --------------------------------------------------------------------------------


def test_a_note_takes_its_room_from_the_table(calm_page):
    page = calm_page
    seat = Seat(page, TRICK, Mouse())
    seat.start(pace="instant")
    seat.rest()
    page.request.get("/account/sign-up")
    name = new_name()
    form = {"name": name, "password1": PASSWORD, "password2": PASSWORD}
    assert post(page, "/account/sign-up", **form).status == 302
    page.reload()
    note = page.locator("p.note[role=status]")
    expect(note).to_contain_text(name)
    main = box(page, "#act-main")
    assert main["y"] + main["height"] <= 800 - 8
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    # It was read: with the next own move the table has its room again.
    seat.version = seat.read()["version"]
    seat.play(seat.read())
    seat.moved_on()
    expect(note).to_have_count(0)


# -- words that are too long ----------------------------------------------------------------------


@pytest.mark.parametrize("players", ["3", "4", "5"])
def test_words_in_the_middle_fit_their_places(new_page, players):
    phone = new_page(**PHONE, **CALM)
    Held(phone)
    Seat(phone, TRICK, Finger()).start(players=players, seed=f"{int(players):064x}")
    phone.locator(".plate bdi").evaluate_all(
        "(names) => names.forEach((name) => { name.textContent = 'Wanjiru'; })"
    )
    for width, height in [*SIZES, (1280, 800)]:
        phone.set_viewport_size({"width": width, "height": height})
        expect(phone.locator(".discarded .empty")).to_have_text("none yet")
        assert phone.evaluate("() => document.documentElement.scrollWidth") <= width
        for empty in phone.locator(".card.empty").all():
            assert empty.evaluate(FITS), (width, empty.inner_text())
        if phone.locator(".trickpad .on-s").count():
            assert not phone.evaluate(MEET, [".pad-words", ".trickpad .on-s"]), width
        assert not phone.evaluate(MEET, [".pad-words", ".discarded"])
        assert not phone.evaluate(MEET, [".pad-words", ".trick-b .pool"])
