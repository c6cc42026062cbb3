"""How the site offers the two editions: rules, pages, and what a player may be told beforehand."""

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ouroboros_site.engine.errors import RulesError
from ouroboros_site.play.registry import Kind, Place, Selection, Shuffle

from . import forms, presenters
from .rules import laws, market
from .rules.cards import BLACK, JOKER, RED, parse_cards, texts
from .templatetags.cards import chip


def preview_laws(state: laws.State, selection: Selection, ranked: bool) -> dict[str, Any] | None:
    """What the selected cards would do against each enemy; None if they cannot be played."""
    return _preview(laws, state, selection)


def preview_market(
    state: market.State, selection: Selection, ranked: bool
) -> dict[str, Any] | None:
    """The same in practice games. Ranked, adding up is the player's part (ruling): None."""
    return None if ranked else _preview(market, state, selection)


def _preview(rules: Any, state: Any, selection: Selection) -> dict[str, Any] | None:
    if not 1 <= len(selection.cards) <= 3 or state.phase != rules.PLAYING:
        return None
    try:
        preview: dict[str, Any] = rules.preview(state, parse_cards(selection.cards))
    except RulesError:
        return None
    return preview


def may_end_laws(state: laws.State, move: laws.Move, ranked: bool) -> bool:
    """Whether the move ends the game, which the player can see beforehand."""
    return laws.apply(state, move).phase == "over"


def may_end_market(state: market.State, move: market.Move, ranked: bool) -> bool:
    """Whether a mismatch would end the game.

    In practice games only if it is one. Ranked, asking must not tell a mismatch from a match: with
    one life left every play is asked about, but for the joker, which always matches.
    """
    verb, cards = move
    if verb != "play" or state.lives > 1 or JOKER in cards:
        return False
    return ranked or market.apply(state, move).phase == "over"


def layout_laws(state: laws.State, seat: int | None = 0) -> list[Place]:
    """Where every card of a Laws position lies; only what lies deep in the piles is hidden."""
    position = laws.position(state)
    places = [
        Place(gettext("Your deck, the next card first"), tuple(position["deck"]), False),
        Place(gettext("Hand"), tuple(position["hand"]), False),
    ]
    for number, (cards, known) in enumerate(zip(position["piles"], position["known"], strict=True)):
        pile = {"pile": number + 1}
        places += [
            Place(gettext("Pile %(pile)d, in sight") % pile, tuple(cards[: 1 + known]), False),
            Place(gettext("Pile %(pile)d, under that") % pile, tuple(cards[1 + known :]), True),
        ]
    return places + [
        Place(gettext("Discard pile"), tuple(position["discard"]), False),
        Place(gettext("Resting"), tuple(position["resting"]), False),
        Place(gettext("Navigated"), tuple(position["navigated"]), False),
        Place(gettext("Laws in force"), tuple(position["laws"]), False),
    ]


def layout_market(state: market.State, seat: int | None = 0) -> list[Place]:
    """Where every card of a Market position lies; the order of market and threats is hidden."""
    position = market.position(state)
    return [
        Place(gettext("Your deck, the next card first"), tuple(position["deck"]), False),
        Place(gettext("Hand"), tuple(position["hand"]), False),
        Place(gettext("Stock slot"), (position["stock"],) if position["stock"] else (), False),
        Place(gettext("Played"), tuple(position["played"]), False),
        Place(gettext("Discard pile"), tuple(position["discard"]), False),
        Place(gettext("Target"), (position["target"],), False),
        Place(gettext("Finished"), tuple(position["finished"]), False),
        Place(gettext("Market, the top card first"), tuple(position["market"]), True),
        Place(gettext("Threats to come, the next first"), tuple(position["threat"]), True),
    ]


def _words(cards: tuple[int, ...]) -> str:
    return " ".join(texts(cards))


SHUFFLES_LAWS = (
    Shuffle(
        "friendly-1",
        _words((*RED, JOKER)),
        _("your hand, the first five; then your deck, the next card first"),
        _("friendly-2, friendly-3 … with the same cards at the start of each later loop"),
    ),
    Shuffle(
        "threat-1",
        _words(BLACK),
        _("pile 1, the first nine, the top card first; pile 2, the next nine; pile 3, the rest"),
        _("threat-2, threat-3 … with the same cards at the start of each later loop"),
    ),
)
SHUFFLES_MARKET = (
    Shuffle(
        "threat-1",
        _words(BLACK),
        _("the first target, then the threats to come, the next first"),
        _("threat-2, threat-3 … with the same cards at the start of each later loop"),
    ),
    Shuffle(
        "deck-0",
        _words(market.FIRST_DECK),
        _("your hand, the first five; then your deck, the next card first"),
        _("deck-1, deck-2 … whenever the discard pile, its bottom card first, becomes the deck"),
    ),
    Shuffle(
        "market-0",
        _words(market.FIRST_MARKET),
        _("the market, the top card first"),
        _(
            "market-1, market-2 … after each trade: the market without the card that was drawn, "
            "the top first, then the card that was traded in"
        ),
    ),
)
LAWS = Kind(
    rules=laws,
    title=_("Solitaire: Laws"),
    template="solitaire/laws.html",
    tile="solitaire/tile_laws.html",
    rules_template="solitaire/rules_laws.html",
    read=forms.read_laws,
    present=presenters.present_laws,
    preview=preview_laws,
    may_end=may_end_laws,
    say=presenters.say_laws,
    layout=layout_laws,
    chip=chip,
    score=presenters.enemies_words,
    shuffles=lambda players, options: SHUFFLES_LAWS,
    summary=presenters.summary,
)
MARKET = Kind(
    rules=market,
    title=_("Solitaire: Market"),
    template="solitaire/market.html",
    tile="solitaire/tile_market.html",
    rules_template="solitaire/rules_market.html",
    read=forms.read_market,
    present=presenters.present_market,
    preview=preview_market,
    may_end=may_end_market,
    say=presenters.say_market,
    layout=layout_market,
    chip=chip,
    score=presenters.targets_words,
    shuffles=lambda players, options: SHUFFLES_MARKET,
    summary=presenters.summary,
)
