"""Hands that make a move at a `Table` as a person does, with a mouse, a finger, keys, or forms."""

import re

from playwright.sync_api import expect

from solitaire.rules import laws
from solitaire.rules.cards import label

from .table import READ, focus
from .words import log_words, name, named


def parts(table, text):
    """A move text as what must be chosen and pressed: (button's name, its card, cards, pile)."""
    verb, *words = text.split(" ")
    card = ""
    if verb in ("scout", "reorganize", "enforce"):
        card, *words = words
        card = card.removesuffix(":")
    pile = None
    if table.rules is laws and verb != "reorganize" and words:
        on = 0 if verb != "scout" else -1
        pile = int(words.pop(on))
    return (
        {"swap": "Trade", "stock": "Put in stock"}.get(verb, verb.capitalize()),
        card,
        words,
        pile,
    )


class Mouse:
    """Clicks."""

    def press(self, control):
        control.click()

    def prepare(self, table, text):
        """Choose what the move needs."""
        _verb, _card, cards, pile = parts(table, text)
        for card in cards:
            self.press(self.card(table, card))
        if pile and not self.pile(table, pile).is_checked():
            self.press(self.pile(table, pile))
        assert table.page.evaluate(READ)["chosen"] == sorted(
            cards, key=lambda card: (card == table.view.get("stock"), cards_in(table).index(card))
        )

    def card(self, table, card):
        kind = "radio" if table.state.phase == "swap" else "checkbox"
        stock = "Stock: " if card == table.view.get("stock") else ""
        return table.page.get_by_role(kind, name=named(stock + name(card, table.slug)))

    def pile(self, table, pile):
        top = table.view["piles"][pile - 1]["top"]
        return table.page.get_by_role("radio", name=named(f"Enemy: {name(top)}"))

    def button(self, table, text):
        verb, card, *_rest = parts(table, text)
        buttons = table.page.get_by_role("button", name=re.compile(f"^{verb}"))
        return buttons.filter(has_text=label(card)) if card else buttons

    def act(self, table, text):
        """Press the move's own button."""
        self.text = text
        self.press(self.button(table, text))

    def act_again(self, table):
        self.act(table, self.text)

    def confirm(self, table):
        self.press(table.page.get_by_role("button", name="Yes, play it"))

    def back(self, table):
        self.press(table.page.get_by_role("button", name="Back", exact=True))

    def check_after(self, table, report):
        """Nothing more for this kind of hands."""


class Finger(Mouse):
    """Taps."""

    def press(self, control):
        control.tap()


class Keys(Mouse):
    """Single keys only: 1 … 5, s, q, w, e and the letters of the actions."""

    keys = {
        "Play": "Enter",
        "Capture": "Enter",
        "Trade": "Enter",
        "Put in stock": "p",
        "Bribe": "b",
        "Concede": "c",
        "Enforce": "k",
        "Reorganize": "r",
        "Scout": "j",
        "Flash": "f",
    }

    def prepare(self, table, text):
        keyboard = table.page.keyboard
        _verb, _card, cards, pile = parts(table, text)
        for card in cards:
            stocked = card == table.view.get("stock")
            keyboard.press("s" if stocked else str(cards_in(table).index(card) + 1))
        if pile:
            keyboard.press("qwe"[pile - 1])

    def act(self, table, text):
        self.text = text
        table.page.keyboard.press(self.keys[parts(table, text)[0]])

    def confirm(self, table):
        table.page.keyboard.press("Enter")

    def back(self, table):
        table.page.keyboard.press("Escape")

    def check_after(self, table, report):
        """The focus is on something that the player can go on from, and the news is said."""
        assert focus(table.page) not in ("", "body")
        said = table.page.locator("#say")
        for words in log_words(table.rules, report):
            expect(said).to_contain_text(words)
        expect(said).to_contain_text(
            "game is over" if table.is_over else table.page.locator(".turn > span").inner_text()
        )


class Tabs(Keys):
    """Tab, Shift+Tab, the arrows, Space and Enter: what every page with controls offers."""

    def prepare(self, table, text):
        _verb, _card, cards, pile = parts(table, text)
        for card in cards:
            self.choose(table, self.card(table, card))
        if pile and not self.pile(table, pile).is_checked():
            self.choose(table, self.pile(table, pile))

    def choose(self, table, control):
        self.go_to(table.page, control)
        if not control.is_checked():  # a radio is chosen on the way
            table.page.keyboard.press("Space")

    def act(self, table, text):
        self.text = text
        self.press(self.button(table, text))

    def press(self, control):
        self.go_to(control.page, control)
        control.page.keyboard.press("Enter")

    confirm = Mouse.confirm
    back = Mouse.back

    def go_to(self, page, control):
        """Move the focus to a control, the shorter way round; arrows within a group of radios."""
        for _ in range(80):
            way = control.evaluate(
                """(goal) => {
                  const now = document.activeElement;
                  if (now === goal) return "";
                  const { DOCUMENT_POSITION_FOLLOWING } = Node;
                  const before = goal.compareDocumentPosition(now) & DOCUMENT_POSITION_FOLLOWING;
                  if (goal.type === "radio" && now.name === goal.name)
                    return before ? "ArrowUp" : "ArrowDown";
                  return before && now !== document.body ? "Shift+Tab" : "Tab";
                }"""
            )
            if not way:
                return
            page.keyboard.press(way)
        raise AssertionError("The keyboard does not reach the control.")


class Plain(Mouse):
    """The mouse without a script: the sum is asked for, and an order of cards is typed."""

    def prepare(self, table, text):
        self.typed = is_ordered(table, text)
        if not self.typed:
            super().prepare(table, text)
        if text.startswith("play"):
            table.page.get_by_role("button", name="Check the sum").click()

    def act(self, table, text):
        if not self.typed:
            return super().act(table, text)
        self.text = text
        page = table.page
        page.locator("summary", has_text="Type a move").click()
        page.get_by_role("textbox", name="Move").fill(text)
        page.get_by_role("button", name="Play it").click()


def is_ordered(table, text):
    """Whether a move names cards in another order than they lie in."""
    places = [cards_in(table).index(card) for card in parts(table, text)[2]]
    return places != sorted(places)


def cards_in(table):
    """The cards that can be chosen now, as they lie from left to right."""
    view = table.view
    cards = view["played"] if view["phase"] == "swap" else view["hand"]
    return [*cards, view["stock"]] if view.get("stock") else cards
