"""What only ranked games show, or keep to themselves."""

import re

import pytest
from playwright.sync_api import expect

from solitaire.rules.cards import CARDS, VALUES, circular, label

from . import games
from .conftest import DESKTOP, PHONE
from .table import READ, Table
from .words import name


def start(page, title):
    page.goto("/")
    page.get_by_role("button", name=f"Start {title}").click()
    expect(page.locator(".kind")).to_have_text("ranked")


def pairs(shown):
    """Pairs of the hand's cards, with what they make."""
    hand = shown["hand"]
    for place, card in enumerate(hand):
        for other in hand[place + 1 :]:
            yield (card, other), circular(VALUES[CARDS[card]] + VALUES[CARDS[other]])


def choose(page, cards):
    for card in cards:
        page.get_by_role("checkbox", name=name(card)).click()


def test_market_never_adds_up_before_the_play(calm_page):
    """Neither the page nor what the server sends holds the sum; a mismatch shows it."""
    page = calm_page
    answers = []

    def listen(response):
        answers.append(response)

    page.on("response", listen)
    start(page, "Solitaire: Market")
    shown = page.evaluate(READ)
    cards, made = next((cards, made) for cards, made in pairs(shown) if made != shown["value"])
    choose(page, cards)
    preview = page.locator("#preview")
    expect(preview).to_contain_text("adding up is your part")
    button = page.get_by_role("button", name="Play 2 cards")
    expect(button).to_contain_text(" + ".join(map(label, cards)))
    expect(page.locator(".sum, .made, .hit, .miss")).to_have_count(0)
    page.remove_listener("response", listen)
    sent = [answer.text() for answer in answers if "/preview" in answer.url]
    assert sent
    assert not any(re.search(r'class="(sum|made|hit|miss)', text) for text in sent)
    words = re.sub(r"\s+", "", page.locator("#plan").inner_text())
    total = sum(VALUES[CARDS[card]] for card in cards)
    assert f"={total}" not in words and f"={made}" not in words

    button.click()
    line = page.locator("#log > li").first
    expect(line).to_contain_text(f"{' + '.join(map(label, cards))} = {total}")
    expect(line).to_contain_text(f"asked for {shown['value']}: a life lost")


def test_market_practice_shows_the_sum(calm_page):
    table = Table(calm_page, games.MARKET).open()
    choose(calm_page, ["5h", "Ad"])
    expect(calm_page.locator(".made")).to_have_text("6")
    assert table.view["value"] == 11


def test_market_asks_before_every_play_with_the_last_life(calm_page):
    """Ranked, the question must not tell a mismatch from a match."""
    page = calm_page
    start(page, "Solitaire: Market")
    for lives in (2, 1):
        shown = page.evaluate(READ)
        wrong = next(cards for cards, made in pairs(shown) if made != shown["value"])
        choose(page, wrong)
        page.get_by_role("button", name="Play 2 cards").click()
        expect(page.locator(".score dd .sr")).to_have_text(str(lives))
        expect(page.locator(".htmx-added")).to_have_count(0)
    shown = page.evaluate(READ)
    right = [cards for cards, made in pairs(shown) if made == shown["value"]]
    wrong = [cards for cards, made in pairs(shown) if made != shown["value"]]
    for cards in (right + wrong)[:1] + wrong[-1:]:
        choose(page, cards)
        page.get_by_role("button", name="Play 2 cards").click()
        expect(page.locator("#preview")).to_contain_text(
            "a mismatch costs your last life and ends the game. Play it?"
        )
        page.get_by_role("button", name="Back", exact=True).click()
        expect(page.get_by_role("button", name="Play 2 cards")).to_be_visible()
        choose(page, cards)  # put them back
    choose(page, wrong[-1])
    page.get_by_role("button", name="Play 2 cards").click()
    page.get_by_role("button", name="Yes, play it").click()
    over = page.get_by_role("region", name="The game is over")
    expect(over).to_contain_text("Your last life is gone.")
    expect(over).to_contain_text("ranked")


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_value_to_make_stands_directly_below_the_target(new_page, device):
    page = new_page(**device)
    start(page, "Solitaire: Market")
    card = page.locator(".target .card").bounding_box()
    value = page.locator(".value b").bounding_box()
    gap = value["y"] - (card["y"] + card["height"])
    assert 0 <= gap <= 24
    middle = value["x"] + value["width"] / 2
    assert abs(middle - (card["x"] + card["width"] / 2)) <= card["width"] / 4


def test_laws_shows_the_sum_in_ranked_games_too(calm_page):
    page = calm_page
    start(page, "Solitaire: Laws")
    hand = [card for card in page.evaluate(READ)["hand"] if card != "*"][:2]
    for card in hand:
        page.get_by_role("checkbox", name=re.compile(f"^{name(card)}")).click()
    total = sum(VALUES[CARDS[card]] for card in hand)
    expect(page.locator(".made")).to_have_text(str(circular(total)))
    expect(page.locator("#preview").get_by_role("listitem")).to_have_count(3)


def test_a_retired_game_keeps_its_score_and_shows_its_seed(page):
    start(page, "Solitaire: Laws")
    proof = page.locator("#commitment").text_content()
    assert re.fullmatch("[0-9a-f]{64}", proof)
    expect(page.locator("#seed")).to_have_count(0)
    page.get_by_role("radio", name="Enemy").first.click()
    page.get_by_role("button", name="Bribe").click()
    expect(page.locator("#log > li").first).to_contain_text("Bribed")
    page.locator("summary", has_text="Retire").click()
    page.get_by_role("button", name="Yes, end it").click()
    over = page.get_by_role("region", name="The game is over")
    expect(over).to_contain_text("You retired.")
    expect(over).to_contain_text("1 enemy navigated")
    over.locator("summary", has_text="The deal, revealed").click()
    expect(over.locator("#seed")).to_have_text(re.compile("^[0-9a-f]{64}$"))
    expect(over.get_by_text(proof)).to_be_visible()
    # A new game is ranked as this one was.
    page.get_by_role("button", name="New game").click()
    expect(page.get_by_text("The cards are dealt.")).to_be_visible()
    expect(page.locator(".kind")).to_have_text("ranked")
