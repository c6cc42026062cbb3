"""People with accounts, and what they play: by requests, where the clicks are not the point."""

from itertools import count

from playwright.sync_api import expect

from .table import post

PASSWORD = "the snake bites"
numbers = count(2)


def new_name(name="Ourania"):
    """A name that nobody has: the site lives as long as all the tests."""
    return f"{name}{next(numbers)}"


def sign_up(page, name=None):
    """Make this browser's guest, or nobody, an account; its name."""
    name = name or new_name()
    page.request.get("/account/sign-up")
    answer = post(page, "/account/sign-up", name=name, password1=PASSWORD, password2=PASSWORD)
    assert answer.status == 302
    page.request.get("/")  # what the next page says is said: "Welcome"
    return name


def log_in(page, name, password=PASSWORD):
    """Log this browser in."""
    page.request.get("/account/log-in")
    answer = post(page, "/account/log-in", username=name, password=password)
    assert answer.status == 302
    page.request.get("/")


def start(page, slug, **form):
    """Start a ranked game; the address of its table."""
    page.request.get("/")
    return post(page, f"/{slug}/start", **form).headers["location"]


def retire(page, path, *moves):
    """Make the first moves at this table, and retire; the number of the game."""
    for version, text in enumerate(moves):
        answer = post(page, f"{path}move", version=str(version), text=text, confirm="1")
        assert answer.status == 302
    assert post(page, f"{path}retire", version=str(len(moves))).status == 302
    return number(path)


def number(path):
    """The number of a game, from the address of its table, its replay or its record."""
    return int(next(part for part in path.split("/") if part.isdecimal()))


def fill(page, **fields):
    """Fill a form by its labels, and press its button."""
    for label, text in fields.items():
        page.get_by_label(label.replace("_", " "), exact=True).fill(text)


def unfold(place, words):
    """Open what is folded under these words, if it is not open already."""
    folded = place.locator("details", has=place.page.locator("summary", has_text=words))
    if folded.get_attribute("open") is None:
        folded.locator("summary").click()


def told(page):
    """What the site says on top of the page about what was just done."""
    return page.locator("p.note[role=status]")


def menu(page, press, what, role="link"):
    """Open the menu under the name and press something in it."""
    press(page.locator("summary.who"))
    press(page.locator(".menu").get_by_role(role, name=what, exact=True))


def is_nobody(page):
    """Assert that this browser is logged in to no account."""
    expect(page.locator("summary.who")).to_contain_text("Guest")
