"""The keys of a hand of Ochs & Esel: a value's key takes as many of its cards as it is pressed."""

import json

import pytest
from playwright.sync_api import expect

from .people import new_name

LAY = """
import json
from tests.ouroboros_site.play.shared import new_table
from tests.tricks.rules.ochs_esel_positions import position
from ouroboros_site.accounts.models import User
from django.test import Client

hand = {hand!r}
at = position(" ".join(hand), "6 6 10 E", "1 2", leader=1)
at["hands"][1] = at["hands"][1][2:]
at |= {{"turn": 0, "table": [[1, ["6", "6"]], [2, []]], "kind": "plain"}}
at |= {{"count": 2, "value": 6, "best": 1}}
user = User.objects.create_user({name!r})
browser = Client()
browser.force_login(user)
game = new_table("ochs-esel", user, options={{"rounds": 5}}, position=at)
print(json.dumps([browser.cookies["sessionid"].value, f"/ochs-esel/{{game.pk}}/"]))
"""


@pytest.fixture
def open_hand(site, calm_page):
    """Come to a table where two 6s are to be topped, with this hand."""

    def open_hand(*hand):
        code = LAY.format(hand=list(hand), name=new_name("Hand"))
        session, path = json.loads(site.manage("shell", "--verbosity=0", "--command", code))
        calm_page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
        calm_page.goto(path)
        return calm_page

    return open_hand


def press(page, key):
    """Press a key, and wait for what the server says of it; which pick is chosen then."""
    with page.expect_response("**/preview") as answer:
        page.keyboard.press(key)
    answer.value.finished()
    chosen = page.locator("#hand input:checked")
    return [box.get_attribute("value") for box in chosen.all()]


def test_a_number_that_is_the_only_one_stays_with_the_second_press(open_hand):
    page = open_hand("7", "7", "8", "9", "9", "9")
    assert press(page, "7") == ["7x2"]
    assert press(page, "7") == ["7x2"]
    expect(page.get_by_role("button", name="Play two 7s")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#log > li").filter(has_text="two 7s")).to_be_visible()


def test_one_press_more_than_there_are_cards_puts_them_back(open_hand):
    page = open_hand("7", "7", "8", "9", "9", "9")
    assert [press(page, "7") for _ in range(4)] == [["7x2"], ["7x2"], [], ["7x2"]]
    assert [press(page, "9") for _ in range(4)] == [["9x2"], ["9x2"], ["9x2"], []]


def test_presses_count_cards_where_jokers_can_be_added(open_hand):
    page = open_hand("9", "9", "9", "J")
    assert [press(page, "9") for _ in range(4)] == [["9x1"], ["9x2"], ["9x2"], []]
    assert press(page, "9") == ["9x1"]
    assert press(page, "j") == ["9x1", "1"]
    expect(page.get_by_role("button", name="Play two 9s")).to_be_visible()
    assert press(page, "j") == ["9x1"]


def test_what_a_finger_chose_is_counted_on_from(open_hand):
    page = open_hand("9", "9", "9", "J")
    with page.expect_response("**/preview"):
        page.locator("#set-9x1").check(force=True)
    assert press(page, "9") == ["9x2"]
