"""What the tables of both games say alike: names, whose turn it is, the frame of the page."""

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ouroboros_site.play.tables import Entry, Said, Sitter, Table

Context = dict[str, Any]
Facts = dict[str, Any]
People = Sequence[Sitter]

LEVELS = {"steady": gettext_lazy("steady"), "easy": gettext_lazy("easy")}
"""How well bots play, the usual level first."""
PACES = {
    "slow": gettext_lazy("slow"),
    "normal": gettext_lazy("normal"),
    "instant": gettext_lazy("instant"),
}
KEYS = "1234567890qwertyuiopasdfghjklzxcvbnm"
"""The keys of a hand's cards from left to right, as long as they last."""


# --- words ---------------------------------------------------------------------------------------


def sentence(*parts: str) -> str:
    """Sentences in a row, the empty ones left out."""
    return " ".join([part for part in parts if part])


def upper(words: str) -> str:
    """Words at the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def list_words(words: Sequence[str]) -> str:
    """ "Anna", "Anna and Bea", "Anna, Bea and Cosmo"."""
    if len(words) < 2:
        return "".join(words)
    return _("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}


def who(people: People, seat: int) -> str:
    """A player at the beginning of a sentence."""
    return _("You") if people[seat].me else people[seat].name


def whom(people: People, seat: int) -> str:
    """A player within a sentence."""
    return _("you") if people[seat].me else people[seat].name


def either(people: People, seat: int, mine: str, theirs: str, **facts: object) -> str:
    """A sentence with its own form for the player who reads it; ``who`` is the other's name."""
    template = mine if people[seat].me else theirs
    return template % {"who": people[seat].name, **facts}


# --- what both pages have ------------------------------------------------------------------------


def base(table: Table, say: Callable[[Entry, People], Said]) -> Context:
    """The context that both pages share."""
    game, view, selection = table.game, table.view, table.selection
    log = [say(entry, table.people) for entry in table.log]
    last = log[0] if log else None
    if game.retired:
        log.insert(0, Said(game.ply, _leaver(table), _("left the table.")))
    live = not (game.is_over or table.replay)
    theirs = live and view["turn"] != table.seat
    typed = table.message and not selection.cards
    return {
        "game": game,
        "view": view,
        "people": table.people,
        "log": log,
        "last": last,
        "event": "",
        "selection": selection,
        "message": table.message,
        "confirm": table.confirm,
        "live": live,
        "replay": table.replay,
        "more": max(0, game.ply - len(table.log)),
        "typed": _typed(selection.texts) if typed else "",
        "advance": table.advance,
        "wait": table.wait,
        "others_turn": _("%(who)s’s turn") % {"who": table.people[view["turn"]].name}
        if theirs
        else "",
        "main": None,
        "acts": [],
        "why": "",
        "styles": ["css/tricks.css"],
        "rail": _("Players") if table.replay else _("Players and tools"),
        "tools": {
            "sample": "",
            "longest": 200,
            "undo": False,
            "leave": _("Leave the table"),
            "leaving": _("The game ends for everybody, and it counts as not won.")
            if game.ranked
            else _("The game ends for everybody."),
            "yes": _("Yes, leave"),
            "paces": PACES.items(),
        },
    }


def _leaver(table: Table) -> str:
    """Who ended the game by leaving: at a table with bots its one person."""
    persons = [sitter for sitter in table.people if not sitter.bot]
    if any(sitter.me for sitter in persons):
        return _("You")
    return persons[0].name if len(persons) == 1 else _("Somebody")


def left_words(table: Table) -> str:
    """That the game ended because somebody left."""
    return sentence(_leaver(table), _("left the table."))


def _typed(texts: Iterable[str]) -> str:
    """Move texts as they were typed in one line: the verb once."""
    verbs = {text.split(" ", 1)[0] for text in texts}
    if len(verbs) == 1:
        return " ".join([verbs.pop(), *[word for text in texts for word in text.split(" ")[1:]]])
    return " ".join(texts)


def said(table: Table, context: Context, say: Callable[[Entry, People], Said]) -> str:
    """The sentence for the live region: what has just happened, and whether it is one's turn."""
    if context["message"] or context["confirm"]:
        return context["message"] or context["ask"]
    if over := context.get("over"):
        news = str(context["last"] or "")
        return news if over["why"] in news else sentence(news, over["why"])
    news = [str(context["last"] or "")]
    if table.game.pace == "instant":
        # All that was played since the player's own last move comes with one answer, a pass that
        # was made for the player with the others' moves; the answer's log may hold nothing else.
        fresh = list(takewhile(lambda entry: not _is_own(entry, table.seat), table.log))
        if fresh:
            news = [str(say(entry, table.people)) for entry in reversed(fresh)]
    turn = "" if context["others_turn"] else context["turn"]
    return sentence(*news, turn)


def _is_own(entry: Entry, seat: int) -> bool:
    """Whether the player made this move by hand, and not for want of a choice."""
    return entry.seat == seat and entry.report["do"] != "pass"


def again(table: Table, **options: object) -> list[tuple[str, object]]:
    """The fields that set up the same table once more."""
    bots = [(f"level-{sitter.seat}", sitter.bot) for sitter in table.people if sitter.bot]
    return [
        ("players", len(table.people)),
        *bots,
        *options.items(),
        ("pace", table.game.pace),
    ]
