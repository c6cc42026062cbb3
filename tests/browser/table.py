"""A table in the browser beside the same game in the pure rules: what the page must show."""

import re
from hashlib import sha256

from playwright.sync_api import expect

from ouroboros_site.engine import record
from solitaire.rules import laws

from .words import labels, log_words, outlook_words, spaced

TITLES = {"laws": "Solitaire: Laws", "market": "Solitaire: Market"}

# What the page shows, drawn and written, in one reading; cards as "9h", by their drawing.
READ = r"""() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const text = (node) => node && node.textContent.replace(/\s+/g, " ").trim();
  const number = (selector) => Number(text(one(selector)).match(/\d+/)[0]);
  const drawn = (card) => {
    const name = one("use", card).getAttribute("href").match(/#f-(joker|..)/)[1];
    return name === "joker" ? "*" : name;
  };
  const chips = (selector) => all(`${selector} .chip`).map(text);
  const facts = {};
  for (const term of all(".score dt")) facts[text(term)] = text(term.nextElementSibling);
  const rows = (place) => all(`section[aria-labelledby=${place}] tr`).flatMap((row) => {
    const suit = one("use", row).getAttribute("href").slice(-1);
    const held = all("td", row).map(text).filter((value) => /\w/.test(value));
    return held.map((value) => value.replace("10", "T") + suit);
  });
  return {
    deck: number("#h-deck b"), deckChips: chips("#d-deck"),
    discard: number("#h-discard b"), discardChips: chips("#d-discard"),
    hand: all(".hand .card:not(.empty)").map(drawn),
    chosen: all("#hand :checked, #card-stock:checked").map((input) => input.value),
    score: Number(facts.Score), loop: Number(facts.Loop), lives: Number(facts.Lives),
    kind: facts.Game, gone: Number(text(one(".ringbox b"))),
    snake: one("#snake").getAttribute("class").match(/n-(\d+)/)[1],
    piles: all("[data-pile]").map((pile) => ({
      top: one(".stack .card", pile) && drawn(one(".stack .card", pile)),
      under: Number((text(one(".lbl span", pile)) || "0").match(/\d+/)[0]),
      seen: all(".seen .chip", pile).map(text),
      barred: Boolean(one(":disabled", pile)),
      need: text(one(".need", pile)),
    })),
    resting: one("#h-resting") && number("#h-resting b"), restingChips: chips("#d-resting"),
    navigated: one("#h-nav") && number("#h-nav b"), navigatedChips: chips("#d-nav"),
    laws: all(".laws li:not(.off)").map((law) => text(law).match(/K./)[0]).sort(),
    target: one(".target .card") && drawn(one(".target .card")),
    value: one(".value b") && Number(text(one(".value b"))),
    numeral: one(".numeral use") && one(".numeral use").getAttribute("href").match(/#v(\d+)/)[1],
    encounter: text(one(".target .need")), missed: Boolean(one(".target.missed")),
    stock: one(".stockslot .card:not(.empty)") && drawn(one(".stockslot .card:not(.empty)")),
    threat: one("#h-threat") && number("#h-threat b"), come: rows("h-come"),
    market: rows("h-market"), finished: chips("#d-finished"),
  };
}"""


class Table:
    """A practice game in the browser whose seed, and so whose position, the test knows."""

    def __init__(self, page, deal):
        self.page = page
        self.deal = deal
        self.rules = deal.rules
        self.slug = deal.rules.SLUG
        self.state = deal.rules.start(deal.seed)
        self.ply = 0

    # -- getting there ---------------------------------------------------------------------------

    def start(self):
        """Start the deal from the home page, as a person does."""
        page, title = self.page, TITLES[self.slug]
        page.goto("/")
        page.locator("summary", has_text=f"Practise {title}").click()
        tile = page.locator(".tile", has=page.get_by_role("heading", name=title.split(": ")[1]))
        tile.get_by_label("Seed, 64 hex digits").fill(self.deal.seed)
        tile.get_by_role("button", name=f"Start practice {title}").click()
        page.wait_for_url(f"**/{self.slug}/*/")
        return self

    def open(self, after=0):
        """Open the table with the deal's first moves made: quicker, by requests."""
        page = self.page
        page.request.get("/")
        answer = self.post(f"/{self.slug}/start", practice="1", seed=self.deal.seed)
        path = answer.headers["location"]
        for text in self.deal.moves[:after]:
            answer = self.post(f"{path}move", version=str(self.ply), text=text, confirm="1")
            assert answer.status == 302
            self.follow(text)
        page.goto(path)
        return self

    def post(self, path, **form):
        """Send a form as this browser, beside the page that is open."""
        return post(self.page, path, **form)

    def follow(self, text):
        """Make a move in the rules only; its report."""
        move = self.rules.parse_move(text)
        report = self.rules.report(self.state, move)
        self.state = self.rules.apply(self.state, move)
        self.ply += 1
        return report

    # -- what the page must show -----------------------------------------------------------------

    @property
    def view(self):
        return self.rules.view(self.state, 0)

    @property
    def is_over(self):
        return self.state.phase == "over"

    def expected(self):
        """What `READ` must find, as far as both editions have it."""
        view = self.view
        shown = {
            "deck": len(view["deck"]),
            "deckChips": labels(view["deck"]),
            "discard": len(view["discard"]),
            "discardChips": labels(view["discard"]),
            "score": view["score"],
            "loop": view["loop"],
            "kind": "practice",
            "gone": view["gone"],
            "snake": str(view["gone"]),
        }
        if not self.is_over:
            shown["hand"] = view["hand"]
        edition = self.expected_laws if self.rules is laws else self.expected_market
        return shown | edition(view)

    def expected_laws(self, view):
        piles = [
            {"top": pile["top"], "under": pile["under"], "seen": labels(pile["seen"])}
            for pile in view["piles"]
        ]
        if not self.is_over:
            for number, pile in enumerate(piles, 1):
                pile["barred"] = bool(view["locked"]) and view["locked"] != number
        return {
            "piles": piles,
            "resting": len(view["resting"]),
            "restingChips": labels(view["resting"]),
            "navigated": len(view["navigated"]),
            "navigatedChips": labels(view["navigated"]),
            "laws": sorted(labels(view["laws"])),
        }

    def expected_market(self, view):
        shown = {
            "lives": view["lives"],
            "target": view["target"],
            "value": view["value"],
            "numeral": str(view["value"]),
            "missed": view["missed"],
            "threat": len(view["threat"]),
            "come": view["threat"],
            "market": [card for card in view["market"] if card != "*"],
            "finished": labels(view["finished"]),
        }
        if view["phase"] == "play":
            shown["stock"] = view["stock"]
        if view["phase"] == "swap":
            shown["hand"] = view["played"]
        return shown

    def check(self):
        """Assert that the page shows the position."""
        shown, expected = self.page.evaluate(READ), self.expected()
        for pile, wanted in zip(shown["piles"], expected.get("piles", ()), strict=False):
            for key in pile.keys() - wanted.keys():
                del pile[key]
        wrong = {
            key: {"shown": shown[key], "expected": value}
            for key, value in expected.items()
            if shown[key] != value
        }
        assert not wrong, f"The page shows another position: {wrong}"

    def check_over(self):
        """What the page says of a game that is over, and the record it gives to take along."""
        page, view = self.page, self.view
        over = page.get_by_role("region", name="The game is over")
        counted = "enem(y|ies) navigated" if self.rules is laws else "targets? defeated"
        expect(over).to_contain_text(re.compile(rf"{view['score']}\s+{counted}"))
        expect(over).to_contain_text(f"Loop {view['loop']}, {view['gone']} of 26")
        left = [*view["hand"], *filter(None, [view.get("stock")])]
        expect(over.locator(".chip")).to_have_text(labels(left))

        share = over.get_by_role("textbox", name="Text to share").input_value()
        for words in (f"{view['score']} ", f"loop {view['loop']}", self.rules.NAME, "practice"):
            assert words in share
        assert self.deal.seed in share

        over.locator("summary", has_text="The deal, revealed").click()
        expect(over.get_by_text(self.deal.seed, exact=True)).to_be_visible()
        proof = sha256(bytes.fromhex(self.deal.seed)).hexdigest()
        expect(over.get_by_text(proof, exact=True)).to_be_visible()
        assert page.locator("#commitment").text_content() == proof

        with page.expect_download() as download:
            over.get_by_role("link", name="The whole game as a record").click()
        played = record.read(download.value.path().read_text())
        assert (played.game, played.seed) == (self.slug, self.deal.seed)
        *_before, (_move, end) = record.replay(played, self.rules)
        assert (end.phase, self.rules.scores(end)) == ("over", (view["score"],))

    # -- moves -----------------------------------------------------------------------------------

    def may_end(self, text):
        """Whether the page must ask once more: in practice games, whether the move ends it."""
        move = self.rules.parse_move(text)
        return self.rules.apply(self.state, move).phase == "over"

    def play(self, text, hands):
        """Make a move with these hands, and check all that the page says before and after it."""
        page = self.page
        hands.prepare(self, text)
        if text.startswith("play"):
            self.check_preview(text)
        ends = self.may_end(text)
        hands.act(self, text)
        if ends:
            self.check_question(hands)
            hands.confirm(self)
        report = self.follow(text)
        self.wait()
        self.check()
        first = page.locator("#log > li").first
        for words in log_words(self.rules, report):
            expect(first).to_contain_text(words)
        hands.check_after(self, report)
        return report

    def wait(self):
        """Wait for the page to have come to this position."""
        if self.is_over:
            expect(self.page.get_by_role("heading", name="The game is over")).to_be_visible()
        else:
            expect(self.page.locator("#move [name=version]")).to_have_value(str(self.ply))
        self.settle()

    def settle(self):
        """Wait until htmx is done with what it has put in: for some 20 ms its elements still have
        attributes of the old ones, to let them glide, and its forms are plain ones."""
        expect(self.page.locator(".htmx-added, .htmx-settling")).to_have_count(0)

    def check_question(self, hands):
        """The page asks once more, and going back keeps the game and the selection."""
        page = self.page
        yes = page.get_by_role("button", name="Yes, play it")
        expect(yes).to_be_visible()
        words = "ends the game. Play it?"
        expect(page.locator("#preview")).to_contain_text(words)
        self.settle()
        self.check()
        chosen = page.evaluate(READ)["chosen"]
        hands.back(self)
        expect(yes).to_have_count(0)
        self.settle()
        assert page.evaluate(READ)["chosen"] == chosen
        self.check()
        hands.act_again(self)
        expect(page.locator("#preview")).to_contain_text(words)
        self.settle()

    def check_preview(self, text):
        """What the chosen cards make, and do against each enemy, as the rules say."""
        _verb, *words = text.split(" ")
        cards = words[1:] if self.rules is laws else words
        facts = self.rules.preview(self.state, self.rules.parse_move(text)[-1])
        preview = self.page.locator("#preview")
        if len(cards) > 1 or facts["sum"] != facts["value"]:
            expect(preview.locator(".made")).to_have_text(str(facts["value"] or "★"))
        if len(cards) > 1:
            sum_text = " + ".join(str(value) for value in facts["values"])
            if facts["sum"] != facts["value"]:
                sum_text += f" = {facts['sum']} − {facts['sum'] - facts['value']}"
            sum_text += f" = {facts['value']}"
            expect(preview.locator(".sum")).to_have_text(spaced(sum_text))
        rows = preview.get_by_role("listitem")
        against = facts["against"] if self.rules is laws else [facts]
        expect(rows).to_have_count(len(against))
        for place, row in enumerate(against):
            for words in outlook_words(row):
                expect(rows.nth(place)).to_contain_text(words, ignore_case=True)


def post(page, path, **form):
    """Send a form with the cookies of this page's browser; the answer."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    form["csrfmiddlewaretoken"] = cookies["csrftoken"]
    return page.request.post(path, form=form, max_redirects=0)


def focus(page):
    """What has the focus: its id, else its element's name."""
    return page.evaluate(
        "() => document.activeElement?.id || document.activeElement?.localName || ''"
    )
