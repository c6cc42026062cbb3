"""What the page of Ouroboros Trick says: pure functions from a table to a template's context.

Everything comes from the view, the reports of the log and ``why_not``; a presenter chooses words
and order, it never decides what is legal.
"""

from collections.abc import Iterable, Sequence
from itertools import takewhile

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ouroboros_site.play.registry import Summary
from ouroboros_site.play.tables import Entry, Said, Table

from ..rules import trick as rules
from . import (
    KEYS,
    Context,
    Facts,
    People,
    again,
    base,
    either,
    left_early,
    left_head,
    left_words,
    list_words,
    over_for_all,
    plate,
    plays,
    said,
    sentence,
    upper,
    who,
    whom,
)

# Whole phrases for each colour: a language may need other words around each of them.
WORDS = {
    "R": gettext_lazy("red %(number)s"),
    "Y": gettext_lazy("yellow %(number)s"),
    "G": gettext_lazy("green %(number)s"),
    "B": gettext_lazy("blue %(number)s"),
}
COLOURS = {
    "R": gettext_lazy("red"),
    "Y": gettext_lazy("yellow"),
    "G": gettext_lazy("green"),
    "B": gettext_lazy("blue"),
}
SIGNS = {
    "R": gettext_lazy("fang"),
    "Y": gettext_lazy("sun"),
    "G": gettext_lazy("leaf"),
    "B": gettext_lazy("egg"),
}
PLACES = {3: ("s", "w", "e"), 4: ("s", "w", "n", "e"), 5: ("s", "w", "nw", "ne", "e")}
"""Where the seats are round the table, clockwise from one's own, by the number of players."""
TABLES = {
    3: gettext_lazy("table of three"),
    4: gettext_lazy("table of four"),
    5: gettext_lazy("table of five"),
}
BACKS = 9
"""How many backs of another's hand are drawn; the count beside them says how many there are."""
SCALES = 26
"""How many the snake has at most."""
FAN = 5
"""How many cards of one's pool lie open; the panel beside them lists all."""


# --- words ---------------------------------------------------------------------------------------


def card_words(text: str) -> str:
    """A card as a player reads it: "red 7"."""
    return WORDS[text[0]] % {"number": text[1:]}


def card_name(text: str) -> str:
    """The name that is read aloud: "Red 7, fang"."""
    return f"{upper(card_words(text))}, {SIGNS[text[0]]}"


def cards_words(number: int) -> str:
    """ "1 card", "9 cards"."""
    return ngettext("%(number)d card", "%(number)d cards", number) % {"number": number}


def faces(cards: Iterable[str]) -> str:
    """Some cards in a sentence: "red 7, blue 2 and blue 9"."""
    return list_words([card_words(card) for card in cards])


def summary(view: Facts) -> Summary:
    """Where a game stands."""
    if view["phase"] == "over":
        words = ngettext("%(tricks)d trick played", "%(tricks)d tricks played", view["tricks"])
        return Summary(words % view)
    return Summary(
        _("trick %(number)d · %(hand)d in hand, %(pool)d in pool")
        % {
            "number": view["tricks"] + 1,
            "hand": len(view["hand"]),
            "pool": len(view["pool"]),
        }
    )


# --- the log -------------------------------------------------------------------------------------


def say_trick(entry: Entry, people: People) -> Said:
    """What a move did and why, from its report."""
    facts, me = entry.report, people[entry.seat].me
    words = {"card": card_words(facts["card"])}
    if facts["do"] == "discard":
        text = (_("discard %(card)s.") if me else _("discards %(card)s.")) % words
    elif facts["lead"]:
        text = (_("lead %(card)s.") if me else _("leads %(card)s.")) % words
    elif facts["trump"]:
        text = (_("trump with %(card)s.") if me else _("trumps with %(card)s.")) % words
    else:
        text = (_("play %(card)s.") if me else _("plays %(card)s.")) % words
    if "winner" in facts:
        text = sentence(text, won_words(facts, people), owes_words(facts, people))
    return Said(entry.ply, who(people, entry.seat), sentence(text, _after(entry, people)))


def won_words(facts: Facts, people: People) -> str:
    """Who won a trick, with which card, and why."""
    winner, trick = facts["winner"], facts["trick"]
    words = {"card": card_words(dict(map(tuple, trick))[winner])}
    trumps = [card for _seat, card in trick if card[0] != trick[0][1][0]]
    if facts["why"] == "highest":
        return either(
            people,
            winner,
            _("You win the trick: your %(card)s is the highest, and nobody trumped."),
            _("%(who)s wins the trick: %(card)s is the highest, and nobody trumped."),
            **words,
        )
    if facts["why"] == "last-trump":
        return either(
            people,
            winner,
            _("You win the trick: of equal trumps the last one wins, your %(card)s."),
            _("%(who)s wins the trick: of equal trumps the last one wins, %(card)s."),
            **words,
        )
    if len(trumps) == 1:
        return either(
            people,
            winner,
            _("You win the trick: your %(card)s is the only trump."),
            _("%(who)s wins the trick: %(card)s is the only trump."),
            **words,
        )
    return either(
        people,
        winner,
        _("You win the trick: your %(card)s is the highest trump."),
        _("%(who)s wins the trick: %(card)s is the highest trump."),
        **words,
    )


def owes_words(facts: Facts, people: People) -> str:
    """What the winner of a trick discards, and what of it went without asking."""
    winner, owes, gone = facts["winner"], facts["owes"], facts["discarded"]
    lowest = _("The lowest number is %(lowest)d.") % facts
    words = {"number": owes, "gone": faces(gone), "cards": cards_words(owes)}
    if winner in facts.get("losers", ()):
        gone_words = (
            either(
                people,
                winner,
                _("All that you have goes: %(gone)s."),
                _("All that %(who)s has goes: %(gone)s."),
                **words,
            )
            if gone
            else ""
        )
        return sentence(lowest, gone_words)
    if not owes:
        return sentence(
            lowest,
            either(
                people,
                winner,
                ngettext(
                    "That is your whole hand, and it goes: %(gone)s.",
                    "That is your whole hand, and all of it goes: %(gone)s.",
                    len(gone),
                ),
                ngettext(
                    "That is %(who)s’s whole hand, and it goes: %(gone)s.",
                    "That is %(who)s’s whole hand, and all of it goes: %(gone)s.",
                    len(gone),
                ),
                **words,
            ),
        )
    if winner in facts["taken"]:
        emptied = (
            either(
                people,
                winner,
                _("Your whole hand goes (%(gone)s), and your pool becomes your hand."),
                _("%(who)s’s whole hand goes (%(gone)s), and the pool becomes the hand."),
                **words,
            )
            if gone
            else either(
                people,
                winner,
                _("Your hand is empty, and your pool becomes your hand."),
                _("%(who)s’s hand is empty, and the pool becomes the hand."),
            )
        )
        owed = either(
            people,
            winner,
            _("Of it you still discard %(cards)s."),
            _("Of it %(who)s still discards %(cards)s."),
            **words,
        )
        return sentence(lowest, emptied, owed)
    return sentence(
        lowest,
        either(
            people,
            winner,
            _("You discard %(cards)s."),
            _("%(who)s discards %(cards)s."),
            **words,
        ),
    )


def _after(entry: Entry, people: People) -> str:
    """What any move may lead to: pools become hands, the game ends."""
    facts = entry.report
    told = {*facts.get("losers", ()), facts.get("winner") if facts.get("owes") else None}
    taken = [seat for seat in facts["taken"] if seat not in told]
    return sentence(*[_takes(people, seat) for seat in taken], losers_words(facts, people))


def _takes(people: People, seat: int) -> str:
    return either(
        people,
        seat,
        _("Your pool becomes your hand."),
        _("%(who)s’s pool becomes the hand."),
    )


def losers_words(facts: Facts, people: People) -> str:
    """Who has lost, when the game is over."""
    losers = facts.get("losers", ())
    if not losers:
        return ""
    if len(losers) == len(people):
        return _("Nobody has a card left, in hand or pool: all lose.")
    if len(losers) == 1:
        return either(
            people,
            losers[0],
            _("You have neither hand nor pool: you lose, and the others survive."),
            _("%(who)s has neither hand nor pool, and loses."),
        )
    names = list_words([whom(people, seat) for seat in losers])
    return _("%(names)s have neither hand nor pool, and lose.") % {"names": upper(names)}


# --- the table -----------------------------------------------------------------------------------


def present_trick(table: Table) -> Context:
    """The context of a Trick table."""
    view, seat = table.view, table.seat
    ended = _ended(table)
    context = base(table, say_trick)
    my_turn = plays(table)
    context |= {
        "last": _last(table),
        "title": _("Ouroboros Trick"),
        "size": TABLES[view["players"]],
        "number": view["tricks"] + (view["phase"] == "play" and not ended),
        "turn": turn_words(table),
        "sitting": _seats(table),
        "ended": bool(ended),
        "pad": _pad(table, ended),
        "low": _low(table, ended),
        "pad_words": _pad_words(table, ended),
        "waits_for_me": bool(
            context["live"]
            and view["phase"] == "play"
            and not ended
            and seat not in [player for player, _card in view["trick"]]
        ),
        "hand": _hand(table, my_turn),
        "several": my_turn and view["phase"] == "discard",
        "pool_fan": view["pool"][-FAN:],
        "pool_sorted": _by_colour(view["pool"]),
        "preview": preview_trick(table) if my_turn else None,
        "hint": hint_trick(table, my_turn),
        "last_one": last_trick(table),
        "parts": {
            "board": "tricks/trick_board.html",
            "hand": "tricks/trick_hand.html",
            "rail": "tricks/trick_rail.html",
            "preview": "tricks/preview.html",
            "last": "tricks/trick_last.html",
            "result": "tricks/trick_result.html" if seat is not None else "play/result.html",
            "ways": "tricks/ways.html",
        },
    }
    context["tools"]["sample"] = "discard R5 Y3" if context["several"] else "play R7"
    if context["live"]:
        context["main"] = _main(table, my_turn)
        reasons = [item["barred"] for item in context["hand"] if item["barred"]]
        context["why"] = reasons[0] if reasons else ""
    if table.game.is_over and not table.replay:
        context["over"] = _over(table)
    context["said"] = said(table, context, say_trick)
    return context


def _last(table: Table) -> Said | None:
    """What happened last, in words: cards that were discarded together are told together."""
    if not table.log:
        return None
    newest = table.log[0]
    together = list(
        takewhile(
            lambda entry: entry.report["do"] == "discard" and entry.seat == newest.seat, table.log
        )
    )
    if len(together) < 2:
        return say_trick(newest, table.people)
    words = {"cards": faces([entry.report["card"] for entry in reversed(together)])}
    me = table.people[newest.seat].me
    text = (_("discard %(cards)s.") if me else _("discards %(cards)s.")) % words
    return Said(
        newest.ply, who(table.people, newest.seat), sentence(text, _after(newest, table.people))
    )


def _ended(table: Table) -> Facts | None:
    """The report of the trick that has just ended and still lies on the table."""
    report = table.log[0].report if table.log else {}
    return report if "trick" in report else None


def turn_words(table: Table) -> str:
    """What the player is to do now, or waits for."""
    view, people = table.view, table.people
    if table.game.is_over:
        return ""
    turn, leader, trick = view["turn"], view["leader"], view["trick"]
    if view["phase"] == "discard":
        words = {"cards": cards_words(view["owed"])}
        mine = _("You won the trick: choose %(cards)s to discard.")
        theirs = _("%(who)s won the trick, and has %(cards)s to discard.")
        return (mine if plays(table) else theirs) % {"who": people[turn].name, **words}
    if not plays(table):
        return _waiting_words(table)
    if not trick:
        return _("You lead: any card of your hand.")
    led = trick[0][1][0]
    words = {"who": people[leader].name, "colour": COLOURS[led]}
    if any(card[0] == led for card in view["hand"]):
        text = _("%(who)s led %(colour)s: you must follow.") % words
    else:
        text = _("%(who)s led %(colour)s, and you hold none: any card is a trump.") % words
    if len(trick) == view["players"] - 1:
        text = sentence(text, _("You are the last to play."))
    return text


def _waiting_words(table: Table) -> str:
    """What another's turn is about, and when one's own comes."""
    view, people, seat = table.view, table.people, table.seat
    turn, trick, players = view["turn"], view["trick"], view["players"]
    if seat is None or seat == turn:
        # Somebody looks on, perhaps while a bot plays for them.
        leader = view["leader"]
        if not trick:
            return either(people, leader, _("You lead."), _("%(who)s leads."))
        colour = COLOURS[trick[0][1][0]]
        return either(
            people, leader, _("You led %(colour)s."), _("%(who)s led %(colour)s."), colour=colour
        )
    if seat in [player for player, _card in trick]:
        return _("You have played to this trick.")
    before = (seat - turn) % players
    if before == 1:
        return _("You play next.")
    previous = people[(seat - 1) % players].name
    return _("You play after %(who)s.") % {"who": previous}


def _seats(table: Table) -> list[Context]:
    """Everybody, clockwise from one's own seat."""
    view, people, me = table.view, table.people, table.bottom
    players = view["players"]
    return [
        {
            **plate(table, seat),
            "name": who(people, seat),
            "me": seat == table.seat,
            "place": PLACES[players][(seat - me) % players],
            "leads": not table.game.is_over and view["leader"] == seat,
            "lost": seat in view["losers"],
            "hand": view["hands"][seat],
            "pool": view["pools"][seat],
            "left": view["hands"][seat] + view["pools"][seat],
            "backs": range(min(view["hands"][seat], BACKS)),
        }
        for seat in [(me + at) % players for at in range(players)]
    ]


def _pad(table: Table, ended: Facts | None) -> list[Context]:
    """The cards of the trick on the table, in the order they were played."""
    trick = ended["trick"] if ended else table.view["trick"]
    best = ended["winner"] if ended else table.view["winning"]
    return trick_items(trick, best, table.people, table.bottom)


def trick_items(
    trick: Sequence[Sequence], best: int | None, people: People, me: int
) -> list[Context]:
    """The cards of a trick with who played them and what each is in it."""
    items = []
    for at, (seat, card) in enumerate(trick):
        if at == 0:
            caption = either(people, seat, _("You led"), _("%(who)s led"))
        elif card[0] != trick[0][1][0]:
            caption = either(people, seat, _("You, trump"), _("%(who)s, trump"))
        else:
            caption = who(people, seat)
        items.append(
            {
                "card": card,
                "place": PLACES[len(people)][(seat - me) % len(people)],
                "caption": caption,
                "best": seat == best,
            }
        )
    return items


def _by_colour(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=rules.CARDS.__getitem__)


def _low(table: Table, ended: Facts | None) -> Context | None:
    """The lowest number so far: what the winner discards."""
    lowest = ended["lowest"] if ended else table.view["lowest"]
    if lowest is None:
        return None
    if ended:
        words = either(
            table.people, ended["winner"], _("you discard as many"), _("%(who)s discards as many")
        )
    else:
        words = _("the winner discards as many")
    return {"number": lowest, "words": words}


def _pad_words(table: Table, ended: Facts | None) -> str:
    """What stands in the middle where no card lies."""
    view, people = table.view, table.people
    if ended or view["trick"] or view["phase"] == "over":
        return ""
    if view["phase"] == "discard":
        return either(
            people,
            view["leader"],
            _("You discard: %(cards)s to go."),
            _("%(who)s discards: %(cards)s to go."),
            cards=cards_words(view["owed"]),
        )
    return either(people, view["leader"], _("You lead."), _("%(who)s leads."))


def _hand(table: Table, my_turn: bool) -> list[Context]:
    """The cards of the hand with their keys; each that may not be played says why."""
    view, chosen = table.view, table.selection.cards
    return [
        {
            "card": card,
            "place": place,
            "key": KEYS[place - 1 : place],
            "chosen": card in chosen,
            "barred": (table.why_not(f"{view['phase']} {card}") or "") if my_turn else "",
        }
        for place, card in enumerate(view["hand"], 1)
    ]


def _main(table: Table, my_turn: bool) -> Context:
    """The main action, which says what it would do or what is missing."""
    view, people = table.view, table.people
    chosen = table.selection.cards
    act = {"value": view["phase"], "key": "Enter", "note": "", "barred": False}
    if not my_turn:
        name = _("Wait for %(who)s") % {"who": people[view["turn"]].name}
        return act | {"name": name, "barred": True}
    if view["phase"] == "discard":
        owed = view["owed"]
        return act | {
            "name": ngettext("Discard %(number)d card", "Discard %(number)d cards", owed)
            % {"number": owed},
            "note": _("%(chosen)d of %(owed)d chosen") % {"chosen": len(chosen), "owed": owed},
            "barred": len(chosen) not in (0, owed),
        }
    if len(chosen) != 1:
        return act | {"name": _("Play"), "note": _("choose a card")}
    reason = table.why_not(f"play {chosen[0]}")
    return act | {
        "name": _("Play %(card)s") % {"card": card_words(chosen[0])},
        "note": reason or "",
        "barred": bool(reason),
    }


def hint_trick(table: Table, my_turn: bool) -> str:
    """What stands in the preview's place while there is none."""
    if not my_turn:
        return _("You can choose your next card while you wait.")
    if table.view["phase"] == "discard":
        return _("The cards you discard are shown to everybody.")
    return _("Choose a card to see what it would do.")


# --- what a chosen card would do -----------------------------------------------------------------


def preview_trick(table: Table) -> Context | None:
    """What the chosen cards would do, from what this seat sees."""
    view, chosen = table.view, table.selection.cards
    if not chosen or any(card not in view["hand"] for card in chosen):
        return None
    if view["phase"] == "discard":
        return _preview_discard(view, chosen)
    if len(chosen) > 1 or table.why_not(f"play {chosen[0]}"):
        return None
    return {"title": upper(card_words(chosen[0])), "rows": _preview_play(table, chosen[0])}


def _preview_discard(view: Facts, chosen: Sequence[str]) -> Context:
    owed, number = view["owed"], len(chosen)
    title = _("%(chosen)d of %(owed)d chosen") % {"chosen": number, "owed": owed}
    rows = [_row(upper(faces(chosen)))]
    if number > owed:
        words = ngettext("%(number)d too many", "%(number)d too many", number - owed)
        rows.append(_row(words % {"number": number - owed}, ends=True))
    else:
        left = len(view["hand"]) - owed
        rows.append(_row(_("You keep %(cards)s in hand") % {"cards": cards_words(left)}))
    return {"title": title, "rows": rows}


def _row(text: str, *, good: bool = False, ends: bool = False) -> Context:
    return {"text": text, "good": good, "ends": ends}


def _preview_play(table: Table, card: str) -> list[Context]:
    """Who wins the trick with this card in it, what that costs, and what follows."""
    view, people, seat = table.view, table.people, table.seat
    trick = [*view["trick"], [seat, card]]
    best, strongest = trick[rules.best(tuple([rules.CARDS[text] for _seat, text in trick]))]
    lowest = min([int(text[1:]) for _seat, text in trick])
    last = len(trick) == view["players"]
    hands = [count - (player == seat) for player, count in enumerate(view["hands"])]
    words = {"card": card_words(strongest), "lowest": lowest}
    if len(trick) == 1:
        colour = COLOURS[card[0]]
        rows = [_row(_("%(colour)s is led: who has one follows") % {"colour": upper(colour)})]
        rows.append(_row(_("Lowest so far: %(lowest)d") % words))
    elif best == seat:
        rows = [_row(_("It wins the trick") if last else _("It leads the trick"), good=True)]
    elif strongest[0] != trick[0][1][0]:
        words["who"] = people[best].name
        rows = [_row(_("%(who)s’s trump still wins") % words)]
    else:
        words["who"] = people[best].name
        rows = [_row(_("%(who)s’s %(card)s still wins") % words)]
    if len(trick) > 1:
        rows += _costs(table, best, lowest, hands, last)
    if not hands[seat]:
        rows.append(_last_card(table, best, last))
    return rows


def _costs(table: Table, best: int, lowest: int, hands: Sequence[int], last: bool) -> list[Context]:
    """What the winner discards, and whether the pool follows."""
    view, people = table.view, table.people
    words = {"lowest": lowest, "hand": hands[best]}
    if not last:
        return [_row(_("Lowest is %(lowest)d: the winner must discard as many") % words)]
    rows = [
        _row(
            either(
                people,
                best,
                _("Lowest is %(lowest)d: you must discard %(lowest)d"),
                _("Lowest is %(lowest)d: %(who)s must discard %(lowest)d"),
                **words,
            ),
            good=not people[best].me,
        )
    ]
    pool = view["pools"][best] + view["players"]
    if hands[best] + pool <= lowest:
        rows.append(
            _row(
                either(people, best, _("That is all you have"), _("That is all %(who)s has")),
                ends=people[best].me,
            )
        )
    elif hands[best] < lowest:
        rows.append(_row(_("With %(hand)d in hand, the pool follows") % words))
    elif hands[best] == lowest:
        rows.append(_row(_("That is the whole hand, and the pool follows")))
    return rows


def _last_card(table: Table, best: int, last: bool) -> Context:
    """What comes of playing the last card of the hand."""
    view, seat = table.view, table.seat
    pool = view["pools"][seat]
    if pool:
        words = ngettext(
            "Your last card: then your pool of %(number)d card becomes your hand",
            "Your last card: then your pool of %(number)d cards becomes your hand",
            pool,
        )
        return _row(words % {"number": pool})
    if best == seat and last:
        return _row(_("Your last card, but the trick keeps you alive"))
    if last:
        return _row(_("Your last card, and no pool: you lose"), ends=True)
    return _row(_("Your last card, and no pool: only the trick can save you"), ends=True)


# --- the last trick, the end ---------------------------------------------------------------------


def last_trick(table: Table) -> Context | None:
    """The trick that ended last, to be looked at once more."""
    entry = next((entry for entry in table.log if "trick" in entry.report), None)
    if entry is None:
        return None
    facts = entry.report
    return {
        "cards": trick_items(facts["trick"], facts["winner"], table.people, table.bottom),
        "words": sentence(won_words(facts, table.people), owes_words(facts, table.people)),
        "name": either(table.people, facts["winner"], _("you won it"), _("%(who)s won it")),
    }


def _over(table: Table) -> Context:
    """The end of a game: who lost, what can be done now, and a text to send to others."""
    view, people, seat = table.view, table.people, table.seat
    why = left_words(table) if table.game.retired else losers_words(view, people)
    played = ngettext("after %(tricks)d trick", "after %(tricks)d tricks", view["tricks"]) % view
    deal = [("players", view["players"])]
    if seat is None:
        return over_for_all(why, f"{upper(played)} · {TABLES[view['players']]}", deal)
    if left_early(table):
        head, means = left_head(table)
        why = means if table.game.retired else sentence(why, means)
    else:
        head = _("You lost") if seat in view["losers"] else _("You survived")
    left = view["hands"][seat] + view["pools"][seat]
    cards_left = ngettext("card left in hand and pool", "cards left in hand and pool", left)
    kind = _("with others") if table.game.shared else _("against bots")
    kind = kind if table.game.ranked else _("practice")
    line = f"{upper(played)} · {TABLES[view['players']]} · {kind}"
    share = "\n".join(
        [
            f"{_('Ouroboros Trick')} ({TABLES[view['players']]}, {kind})",
            f"{head}: {left} {cards_left}, {played}",
            _("Seed: %(seed)s") % {"seed": table.game.seed},
        ]
    )
    return {
        "head": head,
        "why": why,
        "cards": left,
        "left": min(left, SCALES),
        "left_words": cards_left,
        "hand": view["hand"],
        "pool": _by_colour(view["pool"]),
        "line": line,
        "share": share,
        "again": again(table),
        "deal": deal,
    }
