"""How the pages speak: names of cards, and what a line about a move must hold.

Made from the rules' own reports and previews, not from the words that the site makes of them.
"""

import re

from solitaire.rules import laws
from solitaire.rules.cards import label

RANKS = dict(
    zip(
        "A23456789TJQK",
        ("Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
        + ("Jack", "Queen", "King"),
        strict=True,
    )
)
SUITS = {"h": "hearts", "d": "diamonds", "s": "spades", "c": "clubs"}
SPECIALS = {"J": "Scout", "Q": "Reorganize", "K": "Enforce", "*": "Flash"}
BONUSES = {"flush": "flush", "pair": "pair", "straight": "straight", "three": "three of a kind"}


def name(card, edition=""):
    """A card as a screen reader says it."""
    words = "Joker" if card == "*" else f"{RANKS[card[0]]} of {SUITS[card[1]]}"
    return f"{words}, {SPECIALS[card[0]]}" if edition == "laws" and card[0] in SPECIALS else words


def named(words):
    """These words as a control's whole name; a tick or a number may stand on a chosen card."""
    return re.compile(rf"^{re.escape(words)}( ✓| \d)?$")


def labels(cards):
    return [label(card) for card in cards]


def spaced(text):
    """A pattern for this text with any blanks, or none, between its words."""
    return re.compile(r"^\s*" + r"\s*".join(map(re.escape, text.split())) + r"\s*$")


def refused(status):
    """What the browser and htmx put into the console about an answer of this status."""
    return [f"status of {status}", f"Error Code {status}"]


def outlook_words(row):
    """What a line of the preview must hold."""
    yield "✓" if row["match"] else "✗"
    if "enemy" in row:
        yield label(row["enemy"])
    if row["ends"]:
        yield "the game ends"
    if "pile" not in row:
        if row["match"]:
            yield "is defeated" if row["defeats"] else "encounter is won"
        elif not row["ends"]:
            yield "costs a life"
        return
    if not row["match"] and not row["ends"]:
        yield f"{row['lost']} cards lost"
    if not row["ends"]:
        yield f"deck {row['deck']}"
    if row["match"]:
        for bonus in row["bonuses"]:
            yield BONUSES[bonus]
        if back := row["reflux"] + row["extorted"]:
            yield f"{back} cards back" if back > 1 else "1 card back"
        if row["captures"]:
            yield "capture"
        if not row["defeats"]:
            yield f"success {row['successes']} of {row['needed']}"


def log_words(rules, facts):
    """What the newest line of the log must hold, from the rules' own report."""
    cards = labels(facts.get("cards", ()))
    if facts["do"] == "play" and facts.get("sum"):
        yield " + ".join(cards) + f" = {facts['sum']}"
        yield str(facts["value"])
        enemy = label(facts["enemy"] if rules is laws else facts["target"])
        yield enemy
    elif cards:
        yield cards[0]
    yield from (laws_words if rules is laws else market_words)(facts)
    if facts["loop"]:
        yield "the snake bites its tail"
        yield f"Loop {facts['loop']} begins"


def laws_words(facts):
    match facts["do"]:
        case "play" if not facts["match"]:
            yield f"{len(facts['lost'])} cards lost"
        case "play" | "flash":
            yield "beats" if facts["defeated"] else f"success {facts['successes']} of"
            for bonus in facts["bonuses"]:
                yield BONUSES[bonus]
            if facts["reflux"]:
                yield f"{facts['reflux']} cards come back"
        case "bribe":
            yield f"Bribed {label(facts['enemy'])} for {len(facts['lost'])} cards"
        case "concede":
            yield f"Conceded to {label(facts['enemy'])}: 9 cards lost"
        case "capture":
            yield f"Captured {label(facts['captured'])}"
        case "scout":
            yield f"saw {', '.join(labels(facts['seen']))} under {label(facts['enemy'])}"
        case "reorganize":
            yield f"put {' '.join(labels(facts['cards'][1:]))} under the deck"
            yield f"drew {' '.join(labels(facts['drawn']))}"
        case "enforce":
            yield "Enforced"
    if facts["over"]:
        yield "your deck is empty" if facts.get("lost") else "empties your deck"


def market_words(facts):
    match facts["do"]:
        case "play" if not facts["match"]:
            yield f"asked for {facts['wanted']}: a life lost"
        case "play":
            yield "matches"
        case "stock":
            yield "put in stock"
        case "swap":
            yield f"Traded {label(facts['cards'][0])} for {label(facts['new'])}"
    if facts["do"] == "play" and facts.get("new"):
        yield f"{label(facts['swapped'])} goes to the market, {label(facts['new'])} comes"
    if facts.get("defeated"):
        yield f"{label(facts['target'])} is defeated"
    if facts["reshuffled"]:
        yield "discard pile became your new deck"
    if facts["over"]:
        yield "No life is left"
