"""How the site offers Ouroboros Trick and Ochs & Esel."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from ouroboros_site.play.registry import Kind, Place, Selection, Shuffle

from . import tally
from .bots import ochs_esel as ochs_esel_bots
from .bots import trick as trick_bots
from .forms import ochs_esel as ochs_esel_forms
from .forms import trick as trick_forms
from .presenters import LEVELS
from .presenters import ochs_esel as ochs_esel_pages
from .presenters import trick as trick_pages
from .rules import ochs_esel, trick
from .templatetags.farmcards import echip
from .templatetags.trickcards import tchip

# --- Ouroboros Trick -----------------------------------------------------------------------------


def together_trick(view: dict[str, Any], texts: Sequence[str]) -> str:
    """One card is played; as many as are owed are discarded, every one another."""
    if view["phase"] != "discard":
        return "" if len(texts) == 1 else gettext("One card is played at a time.")
    if len(set(texts)) < len(texts):
        return gettext("The same card cannot be discarded twice.")
    owed = view["owed"]
    if len(texts) == owed:
        return ""
    sentence = ngettext(
        "Choose exactly %(owed)d card to discard: you chose %(chosen)d.",
        "Choose exactly %(owed)d cards to discard: you chose %(chosen)d.",
        owed,
    )
    return sentence % {"owed": owed, "chosen": len(texts)}


def no_preview(state: Any, selection: Selection, ranked: bool) -> None:
    """What a card would do is told from the view by each game's presenter, which has it anyway."""
    return None


def may_not_end(state: Any, move: Any, ranked: bool) -> bool:
    """Nothing is asked for twice: at a table the others would wait."""
    return False


def layout_trick(state: trick.State, seat: int | None) -> list[Place]:
    """Where every card of a position lies; others' hands and pools are hidden."""
    there = trick.position(state)
    places = []
    for number, (hand, pool) in enumerate(zip(there["hands"], there["pools"], strict=True)):
        who = {"number": number + 1}
        places += [
            Place(gettext("Hand of player %(number)d") % who, tuple(hand), number != seat),
            Place(gettext("Pool of player %(number)d") % who, tuple(pool), number != seat),
        ]
    pile = there["discard"]
    return places + [
        Place(gettext("The trick"), tuple([card for _seat, card in there["trick"]]), False),
        Place(gettext("Discard pile, under the top"), tuple(pile[:-1]), True),
        Place(gettext("Discard pile, the top"), tuple(pile[-1:]), False),
    ]


def shuffles_trick(players: int, options: Any) -> tuple[Shuffle, ...]:
    """The one shuffle of a game, in which every card is dealt, and who leads."""
    return (
        Shuffle(
            "deal",
            " ".join(trick.texts(trick.deck(players))),
            _("twelve cards for each player, the first twelve for player 1; then sorted"),
            _("none: every card is dealt"),
        ),
        Shuffle("lead", "", _("who leads first: 0 is player 1"), _("none"), below=players),
    )


TRICK = Kind(
    rules=trick,
    title=_("Ouroboros Trick"),
    template="tricks/trick.html",
    tile="tricks/tile_trick.html",
    rules_template="tricks/rules_trick.html",
    read=trick_forms.read_trick,
    present=trick_pages.present_trick,
    preview=no_preview,
    may_end=may_not_end,
    say=trick_pages.say_trick,
    summary=trick_pages.summary,
    layout=layout_trick,
    chip=tchip,
    shuffles=shuffles_trick,
    together=together_trick,
    new_template="tricks/new.html",
    read_setup=trick_forms.read_setup,
    levels=LEVELS,
    bot=trick_bots.choose,
    outcomes=(_("survived"), _("lost")),
)

# --- Ochs & Esel ---------------------------------------------------------------------------------


def forced_pass(texts: Sequence[str]) -> bool:
    """A person who can only pass is not asked."""
    return list(texts) == ["pass"]


def terms_ochs_esel(options: Mapping[str, Any]) -> list[str]:
    """How long the game is, and whether the ox is in it."""
    rounds = ngettext("%(rounds)d round", "%(rounds)d rounds", options["rounds"])
    ox = gettext("with the ox") if options["ox"] else gettext("without the ox")
    return [rounds % {"rounds": options["rounds"]}, ox]


def layout_ochs_esel(state: ochs_esel.State, seat: int | None) -> list[Place]:
    """Where every card of a position lies; others' hands and all that lies face down is hidden."""
    there = ochs_esel.position(state)
    hands = [
        Place(
            gettext("Hand of player %(number)d") % {"number": number + 1},
            tuple(hand),
            number != seat,
        )
        for number, hand in enumerate(there["hands"])
    ]
    laid = [
        Place(
            gettext("Face down before player %(number)d") % {"number": number + 1},
            tuple(cards),
            True,
        )
        for number, cards in enumerate(there["laid"])
        if cards
    ]
    table = tuple([card for _seat, cards in there["table"] for card in cards])
    middle = [Place(gettext("In the middle"), tuple(there["middle"]), False)]
    return [
        *hands,
        Place(gettext("The turn round"), table, False),
        *(middle if there["middle"] else []),
        *laid,
        Place(gettext("Played, out until the next deal"), tuple(there["gone"]), True),
        Place(gettext("Set aside at the deal"), tuple(there["aside"]), True),
    ]


def shuffles_ochs_esel(players: int, options: Any) -> tuple[Shuffle, ...]:
    """The shuffle of the first round, and who starts it; the other rounds have a shuffle each."""
    makes = _(
        "{size} cards for each player, the first {size} for player 1; then sorted. "
        "The rest is set aside"
    )
    return (
        Shuffle(
            "round-1",
            " ".join(ochs_esel.texts(ochs_esel.PACK)),
            format_lazy(makes, size=ochs_esel.dealt(players)),
            _("round-2, round-3 … with the same cards for each later round"),
        ),
        Shuffle(
            "start",
            "",
            _("who starts, with the donkey unless the ox is played: 0 is player 1"),
            _("none: the later rounds are started by the donkey’s holder"),
            below=players,
        ),
    )


OCHS_ESEL = Kind(
    rules=ochs_esel,
    title=_("Ochs & Esel"),
    template="tricks/ochs_esel.html",
    tile="tricks/tile_ochs_esel.html",
    rules_template="tricks/rules_ochs_esel.html",
    read=ochs_esel_forms.read_ochs_esel,
    present=ochs_esel_pages.present_ochs_esel,
    preview=no_preview,
    may_end=may_not_end,
    say=ochs_esel_pages.say_ochs_esel,
    summary=ochs_esel_pages.summary,
    layout=layout_ochs_esel,
    chip=echip,
    shuffles=shuffles_ochs_esel,
    new_template="tricks/new.html",
    read_setup=ochs_esel_forms.read_setup,
    levels=LEVELS,
    bot=ochs_esel_bots.choose,
    automatic=forced_pass,
    terms=terms_ochs_esel,
    deals={"ox": _("with the ox")},
    tally=tally.whole,
    tally_template="tricks/tally_page.html",
)

KINDS: list[Kind] = [TRICK, OCHS_ESEL]
