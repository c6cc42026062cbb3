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


# --- who looks -----------------------------------------------------------------------------------


def goes_on(table: Table) -> bool:
    """Whether this is a game that goes on, and not its end or a replay."""
    return not (table.game.is_over or table.replay)


def sits(table: Table) -> bool:
    """Whether the person who looks plays here: not one who looks on, nor with a bot instead."""
    seat = table.seat
    return goes_on(table) and seat is not None and not table.people[seat].bot


def plays(table: Table) -> bool:
    """Whether the person who looks is to choose a move."""
    return sits(table) and table.view["turn"] == table.seat and not table.advance


def left_early(table: Table) -> bool:
    """Whether the game ended for the person who looks as one that they left."""
    seat = table.seat
    return table.game.retired or (seat is not None and bool(table.people[seat].bot))


# --- what both pages have ------------------------------------------------------------------------


def base(table: Table, say: Callable[[Entry, People], Said]) -> Context:
    """The context that both pages share."""
    game, view, selection = table.game, table.view, table.selection
    log = [say(entry, table.people) for entry in table.log]
    last = log[0] if log else None
    if game.retired:
        log.insert(0, Said(game.ply, *_early_end(table)))
    live = sits(table)
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
        "goes_on": goes_on(table),
        "watching": table.seat is None,
        "stand_in": table.seat is not None and goes_on(table) and not live,
        "replay": table.replay,
        "more": max(0, game.ply - len(table.log)),
        "typed": _typed(selection.texts) if typed else "",
        "advance": table.advance,
        "late": table.clock == 0,
        "wait": table.wait,
        "clock": _clock(table),
        "others_turn": _others_turn(table),
        "main": None,
        "acts": [],
        "why": "",
        "styles": ["css/tricks.css"],
        "rail": _("Players") if table.replay or table.seat is None else _("Players and tools"),
        "tools": {
            "sample": "",
            "longest": 200,
            "undo": False,
            "leave": _("Leave the table"),
            "leaving": _leaving(table),
            "yes": _("Yes, leave"),
            "paces": PACES.items(),
        },
    }


def _others_turn(table: Table) -> str:
    """Whose turn it is, if the person who looks is not to move."""
    turn = table.view["turn"]
    if not goes_on(table) or (sits(table) and turn == table.seat):
        return ""
    if table.people[turn].me:
        return _("Your bot’s turn")
    return _("%(who)s’s turn") % {"who": table.people[turn].name}


def _leaving(table: Table) -> str:
    """What comes of leaving the table."""
    if not table.game.shared:
        if table.game.ranked:
            return _("The game ends for everybody, and it counts as not won.")
        return _("The game ends for everybody.")
    return sentence(
        _("A bot plays on for you, and you can come back as long as the game goes on."),
        _("If a bot plays for you at its end, it counts as not won.") if table.game.ranked else "",
        _("When the last person leaves, the game ends."),
    )


def _clock(table: Table) -> Context | None:
    """How long whoever's turn it is may still think; None for any time."""
    if table.clock is None:
        return None
    minutes, seconds = divmod(table.clock, 60)
    hours, minutes = divmod(minutes, 60)
    words = _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes}
    return {"left": table.clock, "words": words if hours else f"{minutes}:{seconds:02}"}


def plate(table: Table, seat: int) -> Context:
    """What both boards say of who sits on a seat."""
    sitter = table.people[seat]
    return {
        "seat": seat,
        "sitter": sitter,
        "me": sitter.me,
        "bot": sitter.bot and not sitter.presence,
        "level": LEVELS.get(sitter.bot, sitter.bot),
        "now": not table.game.is_over and table.view["turn"] == seat,
    }


def _early_end(table: Table) -> tuple[str, str]:
    """How a game was ended: by its last person, who left, or by the site."""
    persons = [sitter for sitter in table.people if not sitter.bot]
    if table.game.shared and len(persons) > 1:
        return _("The table"), _("was closed.")
    if any(sitter.me for sitter in persons):
        return _("You"), _("left the table.")
    return persons[0].name if len(persons) == 1 else _("Somebody"), _("left the table.")


def left_words(table: Table) -> str:
    """How a game was ended, as a sentence."""
    return sentence(*_early_end(table))


def left_head(table: Table) -> tuple[str, str]:
    """The end of a game for a person who left it: what it was, and what that means."""
    counts = table.game.ranked
    if not table.game.retired:
        why = _("It counts as not won for you.") if counts else ""
        return _("A bot finished for you"), why
    means = _("The game ended with it, and counts as not won.") if counts else ""
    return left_words(table).rstrip("."), means or _("The game ended with it.")


def over_for_all(why: str, line: str, deal: list[tuple[str, int]]) -> Context:
    """The end of a game for those who looked on."""
    return {
        "head": _("The game is over"),
        "why": why,
        "line": line,
        "share": "",
        "again": (),
        "deal": deal,
    }


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


def _is_own(entry: Entry, seat: int | None) -> bool:
    """Whether the player made this move by hand, and not for want of a choice."""
    return entry.seat == seat and entry.report["do"] != "pass"


def again(table: Table, **options: object) -> list[tuple[str, object]]:
    """The fields that set up the same table once more, with bots instead of other persons."""
    bots = [
        (f"level-{sitter.seat}", "me" if sitter.me else sitter.bot)
        for sitter in table.people
        if sitter.me or sitter.bot
    ]
    return [
        ("players", len(table.people)),
        *bots,
        *options.items(),
        ("pace", table.game.pace),
    ]
