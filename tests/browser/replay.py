"""A replay in the browser beside the same game in the pure rules: what the page must show."""

import re

from playwright.sync_api import expect

from .table import READ, Table
from .words import log_words


class Replay:
    """A deal that was played to its end, looked at ply by ply."""

    def __init__(self, page, deal):
        self.page = page
        self.deal = deal
        self.last = len(deal.moves)

    def play(self):
        """Play the deal as this browser's player, by requests; the address of its replay."""
        table = Table(self.page, self.deal).open(self.last)
        number = re.search(r"/(\d+)/$", table.page.url).group(1)
        return f"/games/{number}/replay/"

    def check(self, ply):
        """Wait for this ply, and assert that table, words and controls are those of it."""
        page = self.page
        expect(page.locator("#replay")).to_have_attribute("data-ply", str(ply))
        expect(page.locator(".htmx-added, .htmx-settling, .htmx-request")).to_have_count(0)
        there = Table(page, self.deal)
        there.state = self.deal.after(ply)
        shown, expected = page.evaluate(READ), there.expected()
        del expected["kind"]  # that stands beside the table
        expected["hand"] = there.view["played" if there.state.phase == "swap" else "hand"]
        for pile in shown["piles"]:
            del pile["need"]
        for pile in expected.get("piles", ()):
            pile["barred"] = False  # nothing can be chosen
        wrong = {key: shown[key] for key in expected if shown[key] != expected[key]}
        assert not wrong, f"At ply {ply} the page shows {wrong}"
        told = page.locator(".steps")
        expect(told).to_contain_text(f"of {self.last}")
        expect(told).to_contain_text(re.compile(rf"Score so far:\s+{there.view['score']}\b"))
        for words in self.words(ply):
            expect(told).to_contain_text(words)
        expect(page.locator("#to")).to_have_value(str(ply))
        for control, off in (
            (page.locator("#to-first, #to-back"), ply == 0),
            (page.locator("#to-forward, #to-last"), ply == self.last),
        ):
            expect(control).to_have_count(2)
            barred = page.locator("[aria-disabled=true]").and_(control)
            expect(barred).to_have_count(2 if off else 0)
        # Nothing there plays.
        expect(page.locator("#table :is(input, button)")).to_have_count(0)

    def words(self, ply):
        """What must be said of a ply."""
        rules = self.deal.rules
        if not ply:
            yield "The cards are dealt."
            return
        move = rules.parse_move(self.deal.moves[ply - 1])
        yield from log_words(rules, rules.report(self.deal.after(ply - 1), move))
        if ply == self.last:
            yield "The end:"

    def check_said(self, ply):
        """Assert that a screen reader hears of this ply."""
        said = self.page.locator("#say")
        expect(said).to_contain_text(f"Ply {ply}:")
        for words in self.words(ply) if ply else ():
            expect(said).to_contain_text(words)
