"""What the page of Ochs & Esel says: pure functions from a table to a template's context.

Everything comes from the view, the reports of the log and ``why_not``; a presenter chooses words
and order, it never decides what is legal.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ouroboros_site.play.registry import Summary
from ouroboros_site.play.tables import Entry, Said, Table

from ..rules.ochs_esel import minus_points, worth
from ..tally import Sheet, whole
from . import (
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

NUMBERS = (
    gettext_lazy("no"),
    gettext_lazy("one"),
    gettext_lazy("two"),
    gettext_lazy("three"),
    gettext_lazy("four"),
    gettext_lazy("five"),
    gettext_lazy("six"),
    gettext_lazy("seven"),
    gettext_lazy("eight"),
    gettext_lazy("nine"),
    gettext_lazy("ten"),
    gettext_lazy("eleven"),
    gettext_lazy("twelve"),
)
ANIMALS = {"E": gettext_lazy("the donkey"), "O": gettext_lazy("the ox")}
SHORT = {"J": gettext_lazy("joker"), "E": gettext_lazy("donkey"), "O": gettext_lazy("ox")}
DRAWINGS = {"E": "donkey", "O": "ox"}
LETTERS = {"donkey": "E", "ox": "O"}
"""The animal that leads a turn round, by its kind."""

VALUE_KEYS = {str(number): str(number) for number in range(1, 10)} | {
    "10": "0",
    "11": "q",
    "12": "w",
    "13": "e",
    "J": "j",
}
"""The key that chooses a value, one more of it each time."""

COLUMNS = 4
"""How many seats stand side by side on a narrow screen."""
STEP = 0.46
"""How much of a card is to be seen under the next one of its value; `--step` of the style sheet."""
SHEET = 60
"""How many cells a tally may have that is sent with every change of the table."""
ROUNDS = 5
"""How many rounds have a column in the small tally; the whole sheet has them all."""


@dataclass(frozen=True, slots=True)
class Act:
    """A button of the table. ``barred``: it is there, but not legal now, and ``note`` says why."""

    value: str
    name: str
    note: str
    icon: str
    key: str = ""
    barred: bool = False


# --- words ---------------------------------------------------------------------------------------


def number_words(number: int) -> str:
    """A number up to twelve as a word."""
    return str(NUMBERS[number] if number < len(NUMBERS) else number)


def cards_words(number: int) -> str:
    """ "one card", "five cards"."""
    return ngettext("%(number)s card", "%(number)s cards", number) % {
        "number": number_words(number)
    }


def points_words(number: int) -> str:
    """ "1 minus point", "29 minus points"."""
    return ngettext("%(number)d minus point", "%(number)d minus points", number) % {
        "number": number
    }


def rounds_words(number: int) -> str:
    """ "1 round", "5 rounds"."""
    return ngettext("%(number)d round", "%(number)d rounds", number) % {"number": number}


def set_words(cards: Sequence[str]) -> str:
    """What cards played together are: "two 9s", "9", "a joker", "the donkey"."""
    first, number = cards[0], len(cards)
    if first in ANIMALS:
        return str(ANIMALS[first])
    if first == "J":
        return (
            _("a joker")
            if number == 1
            else _("%(number)s jokers") % {"number": number_words(number)}
        )
    if number == 1:
        return first
    return _("%(number)s %(value)ss") % {"number": number_words(number), "value": first}


def bare_words(cards: Sequence[str]) -> str:
    """The same after a player's name: "Anna’s two 9s", "Anna’s joker"."""
    return str(SHORT[cards[0]]) if len(cards) == 1 and cards[0] in SHORT else set_words(cards)


def mix_words(cards: Sequence[str]) -> str:
    """Which cards a set with jokers is made of: "9 and a joker"; "" for one without."""
    jokers = cards.count("J")
    if not jokers or jokers == len(cards):
        return ""
    return _("%(numbers)s and %(jokers)s") % {
        "numbers": set_words(cards[: len(cards) - jokers]),
        "jokers": set_words(["J"] * jokers),
    }


def summary(view: Facts) -> Summary:
    """Where a game stands."""
    if view["phase"] == "over":
        return Summary(
            ngettext("%(rounds)d round played", "%(rounds)d rounds played", view["rounds"]) % view
        )
    return Summary(_("round %(round)d of %(rounds)d · turn round %(turn_round)d") % view)


# --- the log -------------------------------------------------------------------------------------


def say_ochs_esel(entry: Entry, people: People) -> Said:
    """What a move did and why, from its report."""
    facts = entry.report
    text = _move_words(facts, people[entry.seat].me)
    if "winner" in facts:
        text = sentence(text, won_words(facts, people))
    if "tally" in facts:
        text = sentence(text, round_words(facts, people))
    return Said(entry.ply, who(people, entry.seat), text)


def _move_words(facts: Facts, me: bool) -> str:
    """What follows the player's name: "leads two 3s." """
    if facts["do"] == "pass":
        if facts["lead"]:
            # Only an animal that may not be led yet is left in that hand: everybody can tell.
            return (
                _("hold only an animal that may not be led yet, and pass the lead on.")
                if me
                else _("holds only an animal that may not be led yet, and passes the lead on.")
            )
        return _("pass.") if me else _("passes.")
    cards = facts["cards"]
    words = {"cards": set_words(cards)}
    if mix := mix_words(cards):
        words["cards"] = _("%(cards)s (%(mix)s)") % {"cards": set_words(cards), "mix": mix}
    if facts["lead"]:
        return (_("lead %(cards)s.") if me else _("leads %(cards)s.")) % words
    if facts["kind"] == "plain":
        return (_("play %(cards)s.") if me else _("plays %(cards)s.")) % words
    words["animal"] = ANIMALS[LETTERS[facts["kind"]]]
    if cards == ["J"]:
        return (
            _("play a joker to %(animal)s; it counts 1.")
            if me
            else _("plays a joker to %(animal)s; it counts 1.")
        ) % words
    return (
        _("play %(cards)s to %(animal)s.") if me else _("plays %(cards)s to %(animal)s.")
    ) % words


def won_words(facts: Facts, people: People) -> str:
    """Who won a turn round and why, what the winner takes, and who leads next."""
    kind, seat = facts["kind"], facts["winner"]
    plays = [cards for _seat, cards in facts["table"] if cards]
    equals = [cards for cards in plays if worth(cards, kind) == worth(facts["best"], kind)]
    words = {"cards": bare_words(facts["best"])}
    if len(plays) == 1 and kind == "plain":
        why = either(
            people,
            seat,
            _("Nobody topped your %(cards)s."),
            _("Nobody topped %(who)s’s %(cards)s."),
            **words,
        )
    elif len(equals) > 1:
        why = either(
            people,
            seat,
            _("Of the highest cards your %(cards)s came last."),
            _("Of the highest cards %(who)s’s %(cards)s came last."),
            **words,
        )
    else:
        why = either(
            people,
            seat,
            _("The highest: your %(cards)s."),
            _("The highest: %(who)s’s %(cards)s."),
            **words,
        )
    return sentence(why, _taken_words(facts, people))


def _taken_words(facts: Facts, people: People) -> str:
    seat, goes_on = facts["winner"], "tally" not in facts
    words = {"taken": cards_words(facts["number_taken"])}
    if facts["takes"] == "hand":
        if goes_on:
            return either(
                people,
                seat,
                _("You take all %(taken)s into your hand, the donkey too, and lead next."),
                _("%(who)s takes all %(taken)s, the donkey too, and leads next."),
                **words,
            )
        return either(
            people,
            seat,
            _("You take all %(taken)s into your hand, the donkey too."),
            _("%(who)s takes all %(taken)s, the donkey too."),
            **words,
        )
    if facts["takes"] == "laid":
        if goes_on:
            return either(
                people,
                seat,
                _("You lay all %(taken)s face down before you, and lead next."),
                _("%(who)s lays all %(taken)s face down, and leads next."),
                **words,
            )
        return either(
            people,
            seat,
            _("You lay all %(taken)s face down before you."),
            _("%(who)s lays all %(taken)s face down."),
            **words,
        )
    if facts["animal"]:
        words["animal"] = str(ANIMALS[facts["animal"]])
        if goes_on:
            return either(
                people,
                seat,
                _("You take %(animal)s from the middle, and lead next."),
                _("%(who)s takes %(animal)s from the middle, and leads next."),
                **words,
            )
        return either(
            people,
            seat,
            _("You take %(animal)s from the middle."),
            _("%(who)s takes %(animal)s from the middle."),
            **words,
        )
    if goes_on:
        return either(people, seat, _("You lead next."), _("%(who)s leads next."))
    return ""


def round_words(facts: Facts, people: People) -> str:
    """The end of a round: why, everybody's minus points, and who starts the next."""
    why = _("%(out)s: round %(round)d is over.") % {
        "out": _out_words(facts["tally"], people),
        "round": facts["tally"]["round"],
    }
    return sentence(why, _points_words(facts, people), _after_round(facts, people))


def _out_words(tally: Facts, people: People) -> str:
    """Who has emptied the hand; no full stop, since more may follow."""
    out = tally["out"]
    if len(out) == 1:
        return either(people, out[0], _("You have no cards left"), _("%(who)s has no cards left"))
    names = upper(list_words([whom(people, seat) for seat in out]))
    return _("%(who)s have no cards left") % {"who": names}


def _points_words(facts: Facts, people: People) -> str:
    """Everybody's minus points of a round."""
    points = enumerate(facts["tally"]["points"])
    words = ", ".join([f"{whom(people, seat)} {number}" for seat, number in points])
    return _("Minus points: %(points)s.") % {"points": words}


def _after_round(facts: Facts, people: People) -> str:
    """Who starts the next round and why, or who has won."""
    tally = facts["tally"]
    if facts["over"]:
        return winners_words(facts["winners"], facts["totals"], people)
    starts = tally["starts"]
    if tally["donkey"] is None:
        return either(
            people,
            starts,
            _("You won the last turn round and start the next round."),
            _("%(who)s won the last turn round and starts the next round."),
        )
    return either(
        people,
        starts,
        _("You held the donkey and start the next round."),
        _("%(who)s held the donkey and starts the next round."),
    )


def winners_words(winners: Sequence[int], totals: Sequence[int], people: People) -> str:
    """Who won with how many minus points; equals share the win."""
    points = points_words(totals[winners[0]])
    if len(winners) == 1:
        return either(
            people,
            winners[0],
            _("You win, with the fewest: %(points)s."),
            _("%(who)s wins, with the fewest: %(points)s."),
            points=points,
        )
    return _("%(who)s share the win, with %(points)s each.") % {
        "who": upper(list_words([whom(people, seat) for seat in winners])),
        "points": points,
    }


# --- the table -----------------------------------------------------------------------------------


def turn_words(table: Table) -> str:
    """What is to be done now, and by whom."""
    view, people, turn = table.view, table.people, table.view["turn"]
    if turn is None or table.game.is_over:
        if table.game.retired or turn is not None:
            return left_words(table)
        return winners_words(view["winners"], view["totals"], people)
    me = people[turn].me and not people[turn].bot
    who = people[turn].name
    if not view["count"]:
        if not me:
            return _("%(who)s leads: one or more cards of one value.") % {"who": who}
        if table.advance:
            return _("You may not lead the animal that you just received: you pass the lead on.")
        animals = [
            str(ANIMALS[animal]) for animal in "EO" if table.why_not(f"play {animal}") is None
        ]
        if animals:
            return _("You lead: play one or more cards of one value, or %(animals)s.") % {
                "animals": _(" or ").join(animals)
            }
        return _("You lead: play one or more cards of one value.")
    if view["kind"] != "plain":
        animal = upper(str(ANIMALS[LETTERS[view["kind"]]]))
        if not me:
            return _("%(animal)s is out: %(who)s plays one card.") % {"animal": animal, "who": who}
        if table.advance:
            return _("You hold nothing that may be played to %(animal)s: you pass.") % {
                "animal": ANIMALS[LETTERS[view["kind"]]]
            }
        return _("%(animal)s is out: play one card. You may not pass.") % {"animal": animal}
    words = {"best": _best_words(table), "who": who, "number": number_words(view["count"])}
    if not me:
        return _("%(who)s may top %(best)s.") % words
    if table.advance:
        return _("You hold nothing that tops %(best)s: you pass.") % words
    return _("Top %(best)s with %(number)s of a higher value, or pass.") % words


def _best_words(table: Table) -> str:
    """What is to beat, within a sentence: "Greta’s two 8s"."""
    view, people = table.view, table.people
    words = {"who": people[view["best"]].name, "cards": bare_words(_best_cards(view))}
    if people[view["best"]].me:
        return _("your %(cards)s") % words
    return _("%(who)s’s %(cards)s") % words


def _best_cards(view: Facts) -> list[str]:
    return next(cards for seat, cards in view["table"] if seat == view["best"])


def ended_report(table: Table) -> Facts | None:
    """The report that ended a turn round, while nothing has been played since."""
    if table.log and not table.view["table"] and "winner" in table.log[0].report:
        return table.log[0].report
    return None


def last_report(table: Table) -> Facts | None:
    """The report that ended the last turn round of those in the log."""
    for entry in table.log:
        if "winner" in entry.report:
            return entry.report
    return None


def board(table: Table) -> Context:
    """The seats around the table, what lies in its middle, and one's own place."""
    view, ended = table.view, ended_report(table)
    facts = _turn_round(view, ended)
    others = [
        _seat(table, facts, (table.bottom + offset) % view["players"])
        for offset in range(1, view["players"])
    ]
    for place, seat in enumerate(others, 1):
        seat["area"] = place
    return {
        "seats": others,
        "own": _seat(table, facts, table.bottom),
        "middle": _middle(table, ended),
        # A narrow screen has rows of four: what they leave free is the middle's.
        "free": COLUMNS - len(others) % COLUMNS,
    }


def _turn_round(view: Facts, ended: Facts | None) -> Facts:
    """The turn round that is to be seen: the present one, or the one that just ended."""
    if ended:
        leader = next(seat for seat, cards in ended["table"] if cards)
        return {
            "plays": dict(map(tuple, ended["table"])),
            "best": ended["winner"],
            "leader": leader,
            "ended": True,
        }
    return {
        "plays": dict(map(tuple, view["table"])),
        "best": view["best"],
        "leader": view["leader"] if view["count"] else None,
        "ended": False,
    }


def _seat(table: Table, facts: Facts, seat: int) -> Context:
    """One player's place: who sits there, what lies there, and what is to be known of them."""
    view, sitter = table.view, table.people[seat]
    cards = facts["plays"].get(seat)
    number = view["hands"][seat]
    now = seat == view["turn"] and not table.game.is_over
    return {
        **plate(table, seat),
        "name": sitter.name,
        "number": number,
        "hand": ngettext("%(number)d card", "%(number)d cards", number) % {"number": number},
        "backs": range(min(number, 9)),
        "best": seat == facts["best"],
        "cards": cards or [],
        "said": set_words(cards) if cards else "",
        "passed": cards == [],
        "waits": "" if cards is not None else _waits(table, facts, seat, now),
        "led": seat == facts["leader"],
        "holds": [
            {"drawing": DRAWINGS[animal], "words": words}
            for animal, words in (("E", _("has the donkey")), ("O", _("has the ox")))
            if view["holders"][animal] == seat
        ],
        "laid": view["laid"][seat],
    }


def _waits(table: Table, facts: Facts, seat: int, now: bool) -> str:
    """What somebody who has not had a turn yet waits for."""
    view = table.view
    if facts["ended"] or table.game.is_over:
        return ""
    if now:
        return _("leads now") if not view["count"] else _("plays now")
    players, turn = view["players"], view["turn"]
    had = {other for other, _cards in view["table"]}
    until_me = (table.bottom - turn) % players
    follows = table.bottom not in had and (seat - turn) % players > until_me
    if follows and seat != table.bottom and table.people[table.bottom].me:
        return _("plays after you")
    return _("still to play") if view["table"] else ""


def _middle(table: Table, ended: Facts | None) -> Context:
    """What is to beat, or what just happened, in the middle of the table."""
    view, people = table.view, table.people
    context: Context = {
        "cards": [],
        "title": "",
        "text": "",
        "points": [],
        "animals": [{"drawing": DRAWINGS[animal], "card": animal} for animal in view["middle"]],
        "animals_words": _middle_words(view),
        "ended": bool(ended),
    }
    if ended:
        seat = ended["winner"]
        context["cards"] = ended["best"]
        context["title"] = either(
            people,
            seat,
            _("You win turn round %(turn_round)d"),
            _("%(who)s wins turn round %(turn_round)d"),
            turn_round=ended["turn_round"],
        )
        context["text"] = won_words(ended, people)
        if "tally" in ended:
            _end_of_round(context, ended, people)
    elif view["phase"] == "over":
        context["title"] = _("The game is over")
    elif not view["count"]:
        context["title"] = either(people, view["turn"], _("You lead"), _("%(who)s leads"))
        context["text"] = _("The leader’s cards say how many everybody plays.")
    elif view["kind"] != "plain":
        _animal_out(context, view, people)
    else:
        _to_beat(context, table)
    return context


def _middle_words(view: Facts) -> str:
    """What the animals in the middle wait for."""
    if len(view["middle"]) == 2:
        return _("The winner of the first turn round takes the ox, of the second the donkey.")
    if view["middle"]:
        return _("The winner of this turn round takes the donkey.")
    return ""


def _end_of_round(context: Context, ended: Facts, people: People) -> None:
    tally = ended["tally"]
    order = sorted(range(len(people)), key=lambda seat: (tally["points"][seat], seat))
    context["title"] = _("Round %(round)d is over") % tally
    context["cards"] = []
    context["points"] = [
        {
            "name": upper(whom(people, seat)),
            "points": tally["points"][seat],
            "out": seat in tally["out"],
            "me": people[seat].me,
            "holds": [
                {"drawing": DRAWINGS[animal], "words": words}
                for animal, holder, words in (
                    ("E", tally["donkey"], _("held the donkey")),
                    ("O", tally["ox"], _("held the ox")),
                )
                if holder == seat
            ],
            "laid": tally["laid"][seat],
        }
        for seat in order
    ]
    out = _("%(out)s.") % {"out": _out_words(tally, people)}
    context["text"] = sentence(out, _after_round(ended, people))


def _animal_out(context: Context, view: Facts, people: People) -> None:
    letter = LETTERS[view["kind"]]
    context["cards"] = [letter]
    context["title"] = _("%(animal)s is out") % {"animal": upper(str(ANIMALS[letter]))}
    if view["value"]:
        cards = _best_cards(view)
        highest = either(
            people,
            view["best"],
            _("Yours is the highest so far: %(cards)s."),
            _("Highest so far: %(who)s’s %(cards)s."),
            cards=bare_words(cards),
        )
    else:
        highest = ""
    takes = (
        _("Who plays the highest, the last of equals, takes all the cards.")
        if letter == "E"
        else _("Who plays the highest, the last of equals, lays all the cards face down.")
    )
    context["text"] = sentence(highest, takes, _("A joker counts 1."))


def _to_beat(context: Context, table: Table) -> None:
    view, people = table.view, table.people
    cards = _best_cards(view)
    context["cards"] = cards
    if people[view["best"]].me:
        context["title"] = ngettext(
            "Your %(cards)s is to beat", "Your %(cards)s are to beat", len(cards)
        ) % {"cards": bare_words(cards)}
    else:
        context["title"] = _("%(cards)s to beat") % {"cards": upper(set_words(cards))}
    had = {seat for seat, _cards in view["table"]}
    players, turn = view["players"], view["turn"]
    to_come = [
        (turn + offset) % players
        for offset in range(players)
        if (turn + offset) % players not in had
    ]
    if people[table.bottom].me and table.bottom in to_come:
        to_come = to_come[to_come.index(table.bottom) + 1 :]
        names = list_words([people[seat].name for seat in to_come])
        follow = (
            ngettext("%(names)s still follows you.", "%(names)s still follow you.", len(to_come))
            % {"names": names}
            if to_come
            else _("You are the last to play.")
        )
    else:
        names = list_words([people[seat].name for seat in to_come])
        follow = ngettext(
            "%(names)s is still to play.", "%(names)s are still to play.", len(to_come)
        )
        follow %= {"names": names}
    if view["value"] == 14:
        rule = _("Nothing tops jokers played alone.")
    else:
        rule = _("A joker stands for any number beside it.")
    whose = ""
    if not people[view["best"]].me:
        whose = _("%(who)s’s, the highest so far.") % {"who": people[view["best"]].name}
    context["text"] = sentence(whose, follow, rule)


# --- the hand ------------------------------------------------------------------------------------


def hand_groups(table: Table) -> list[Context]:
    """The hand by value. A group has picks, each of them a control that chooses some of its cards.

    A leader may choose any number of a value, so each card is a pick of its own. Who follows has
    only the picks that can be completed to a legal play, with jokers if need be; the cards between
    two of them belong to the next. A group without any is barred and says why.
    """
    held = Counter(table.view["hand"])
    chosen = Counter(table.selection.cards)
    playing = plays(table)
    groups = []
    for value, number in held.items():
        group: Context = {"value": value, "number": number, "key": VALUE_KEYS.get(value, "")}
        group |= {"barred": "", "sort": "", "picks": [], "boxes": False, "cards": [value] * number}
        groups.append(group)
        if not playing:
            continue
        if value == "J" and not _single(table.view):
            group["boxes"] = True
            # Who may choose at all has a play to which a joker can be added, or is one by itself.
            group["checked"] = chosen["J"]
            continue
        counts = _playable(table, value, number, held["J"])
        if not counts:
            group |= _barred(table, value, number, held["J"])
        group["picks"] = [
            {
                "value": _pick_value(value, count),
                "count": count,
                "first": before + 1,
                "cards": [value] * (until - before),
                "label": _pick_words(value, count),
                "checked": bool(counts) and chosen[value] == count,
            }
            for before, count, until in _spans(counts or [number], number)
        ]
    return groups


def _single(view: Facts) -> bool:
    """Whether everybody plays one card, so that a joker is never added to others."""
    return bool(view["count"] == 1)


def _playable(table: Table, value: str, number: int, jokers: int) -> list[int]:
    """How many of a value can be part of a legal play."""
    if value in ("J", *ANIMALS):
        return [] if table.why_not(f"play {value}") else [1]
    return [
        count
        for count in range(1, number + 1)
        if any(
            table.why_not(_text([value] * count + ["J"] * added)) is None
            for added in range(jokers + 1)
        )
    ]


def _text(cards: Sequence[str]) -> str:
    return f"play {' '.join(cards)}"


def _spans(counts: list[int], number: int) -> list[tuple[int, int, int]]:
    """Where the cards of each pick lie: (cards before it, its count, up to which card)."""
    ends = [*counts[:-1], number]
    return list(zip([0, *ends[:-1]], counts, ends, strict=True))


def _pick_value(value: str, count: int) -> str:
    return value if value in ("J", *ANIMALS) else f"{value}x{count}"


def _pick_words(value: str, count: int) -> str:
    """A pick for those who hear it: "two 9s", "one 9"."""
    if value in ("J", *ANIMALS):
        return upper(set_words([value]))
    if count == 1:
        return _("one %(value)s") % {"value": value}
    return set_words([value] * count)


def _barred(table: Table, value: str, number: int, jokers: int) -> Context:
    """Why no card of a group can be played now: in words, and of which sort the reason is."""
    view = table.view
    if value not in SHORT and view["count"] and view["kind"] == "plain" and view["value"] < 14:
        words = {"value": value, "best": set_words(_best_cards(view))}
        if int(value) <= view["value"]:
            return {"barred": _("%(value)s does not top %(best)s.") % words, "sort": "low"}
        words["number"] = number_words(view["count"])
        words["held"] = set_words([value] * number)
        if jokers:
            words["held"] = mix_words([value] * number + ["J"] * jokers)
        words["held"] = _("only %(held)s") % words
        return {"barred": _("It takes %(number)s; you hold %(held)s.") % words, "sort": "few"}
    return {"barred": table.why_not(f"play {value}") or "", "sort": "other"}


def barred_words(table: Table, groups: list[Context]) -> str:
    """The reasons of all barred numbers and jokers in one line; of animals their buttons tell."""
    low, few, other = (
        [group for group in groups if group["sort"] == sort and group["value"] not in ANIMALS]
        for sort in ("low", "few", "other")
    )
    words = []
    if len(low) == 1:
        words.append(low[0]["barred"])
    elif low:
        words.append(
            _("%(values)s do not top %(best)s.")
            % {
                "values": list_words([group["value"] for group in low]),
                "best": set_words(_best_cards(table.view)),
            }
        )
    if few:
        values = list_words([group["value"] for group in few])
        words.append(_("Of %(values)s you hold too few.") % {"values": values})
    return sentence(*words, *dict.fromkeys([group["barred"] for group in other]))


# --- what can be done ----------------------------------------------------------------------------


def acts(table: Table) -> tuple[Act, list[Act]]:
    """The main action and the other ones; each is there, and says why if it is not legal."""
    view = table.view
    others = [_pass(table), _animal(table, "E")]
    if view["ox"]:
        others.append(_animal(table, "O"))
    return _play(table), others


def _play(table: Table) -> Act:
    cards = table.selection.cards
    if not cards:
        return Act("play", _("Play"), _("choose cards first"), "play", "Enter")
    name = _("Play %(cards)s") % {"cards": _chosen_words(cards)}
    if table.why_not(_text(cards)):
        return Act("play", name, _("not now"), "play", "Enter", True)
    return Act("play", name, mix_words(cards), "play", "Enter")


def _chosen_words(cards: Sequence[str]) -> str:
    """Chosen cards, that may not go together at all."""
    if len(cards) > 1 and any(card in ANIMALS for card in cards):
        return list_words([set_words([card]) for card in cards])
    return set_words(cards)


def _pass(table: Table) -> Act:
    view = table.view
    reason = table.why_not("pass")
    if reason is None:
        note = _("you are out until the next lead")
    elif view["count"]:
        note = _("nobody may pass now")
    else:
        note = _("the leader has to play")
    return Act("pass", _("Pass"), note, "skip", "p", reason is not None)


def _animal(table: Table, animal: str) -> Act:
    view, people = table.view, table.people
    action, name, key = ("donkey", _("Donkey"), "d") if animal == "E" else ("ox", _("Ox"), "o")
    holder = view["holders"][animal]
    if holder == table.seat:
        if table.why_not(f"play {animal}") is None:
            return Act(action, name, _("lead it: one card from everybody"), action, key)
        if animal in view["barred"] and not view["count"]:
            note = _("just received: not in this turn round")
        elif view["kind"] != "plain":
            note = _("never together with the other")
        else:
            note = _("only the leader may play it")
    elif holder is not None:
        note = _("%(who)s holds it; only the leader may") % {"who": people[holder].name}
    elif animal in view["middle"]:
        note = _("it lies in the middle")
    elif view["kind"] == action:
        note = _("it is out")
    else:
        note = _("it lies face down for this round")
    return Act(action, name, note, action, key, True)


def preview(table: Table) -> Context | None:
    """What the chosen cards would do, and what would be left."""
    view, cards = table.view, list(table.selection.cards)
    if not cards or not plays(table):
        return None
    reason = table.why_not(_text(cards))
    made = _chosen_words(cards)
    if reason:
        return {"parts": _parts(cards), "made": made, "sign": "✗", "gain": reason, "keeps": ""}
    left = Counter(view["hand"])
    left.subtract(cards)
    gain, bad = _gain_words(table, cards)
    return {
        "parts": _parts(cards),
        "made": made,
        "sign": "!" if bad else "✓",
        "gain": gain,
        "keeps": _keeps_words(list(left.elements()), view["kind"]),
    }


def _parts(cards: list[str]) -> list[str]:
    """A set with jokers, taken apart: "9", "joker"."""
    if not mix_words(cards):
        return []
    jokers = cards.count("J")
    return [
        set_words(cards[: len(cards) - jokers]),
        _("joker") if jokers == 1 else set_words(["J"] * jokers),
    ]


def _gain_words(table: Table, cards: list[str]) -> tuple[str, bool]:
    """What comes of a legal play, as far as it can be seen, and whether it is a bad thing."""
    view = table.view
    if not view["count"]:
        if cards[0] in ANIMALS:
            return _("everybody has to play one card to it"), False
        if cards[0] == "J":
            return _("nothing tops it"), False
        words = _("everybody plays %(number)s or passes")
        return words % {"number": number_words(len(cards))}, False
    if view["kind"] == "plain":
        return _("tops %(best)s") % {"best": set_words(_best_cards(view))}, False
    donkey = view["kind"] == "donkey"
    value = worth(cards, view["kind"])
    if value is None or value < view["value"]:
        if donkey:
            return _("not the highest: someone else takes the cards"), False
        return _("not the highest: someone else lays the cards"), False
    if len(view["table"]) < view["players"] - 1:
        return _("the highest so far"), True
    taken = cards_words(sum([len(played) for _seat, played in view["table"]]) + 1)
    words = (
        _("the highest: you take all %(taken)s")
        if donkey
        else _("the highest: you lay all %(taken)s before you")
    )
    return words % {"taken": taken}, True


def _keeps_words(left: list[str], kind: str) -> str:
    """What stays in the hand, and what it costs if the round ends."""
    if not left:
        return _("Your last card")
    words = {"points": points_words(minus_points(left)), "number": len(left)}
    if len(left) > 9:
        return _("You keep %(number)d cards: %(points)s") % words
    words["cards"] = ", ".join([_short(card) for card in left])
    return _("You keep %(cards)s: %(points)s") % words


def _short(card: str) -> str:
    """One card in a row of cards."""
    return str(SHORT.get(card, card))


def hint(table: Table, groups: list[Context]) -> str:
    """What stands in the preview's place while there is none."""
    if not plays(table):
        return _("The cards are dealt.")
    if not table.view["count"]:
        return sentence(
            _("Tap the last of the cards that you want to play; add jokers by hand."),
            barred_words(table, groups),
        )
    return barred_words(table, groups) or _("Choose cards to see what they make.")


# --- the tally -----------------------------------------------------------------------------------


def tally_context(table: Table) -> Context:
    """The small tally beside the table, the player with the fewest minus points first."""
    view, people = table.view, table.people
    finished = list(enumerate(view["tallies"], 1))
    open_round = not table.game.is_over and view["phase"] != "over"
    shown = finished[-(ROUNDS - open_round) :]
    order = sorted(range(len(people)), key=lambda seat: (view["totals"][seat], seat))
    fewest = min(view["totals"])
    return {
        "rounds": [number for number, _points in shown],
        "now": view["round"] if open_round else None,
        "left_out": len(finished) - len(shown),
        "rows": [
            {
                "name": upper(whom(people, seat)),
                "me": people[seat].me,
                "points": [points[seat] for _number, points in shown],
                "total": view["totals"][seat],
                "best": bool(finished) and view["totals"][seat] == fewest,
            }
            for seat in order
        ],
    }


def _has_room(table: Table) -> bool:
    """Whether the whole tally comes with every table; a longer one has a page of its own."""
    cells = len(table.view["tallies"]) * len(table.people)
    return 0 < cells <= SHEET or (cells > 0 and table.game.is_over)


def whole_tally(table: Table) -> Sheet:
    """The tally of all rounds.

    A record that begins in the middle brings no report of its first rounds: of them the minus
    points are known, and no more.
    """
    view, people = table.view, table.people
    told = {tally["round"]: tally for tally in table.tallies}
    tallies = [
        told.get(number, {"round": number, "points": points})
        for number, points in enumerate(view["tallies"], 1)
    ]
    names = [who(people, sitter.seat) for sitter in people]
    return whole(tallies, names, view["winners"], view)


# --- the page ------------------------------------------------------------------------------------


def present_ochs_esel(table: Table) -> Context:
    """The context of an Ochs & Esel table."""
    view, people = table.view, table.people
    context = base(table, say_ochs_esel)
    context["styles"].append("css/ochs-esel.css")
    groups = hand_groups(table)
    playing = plays(table)
    ended = ended_report(table)
    context |= {
        "title": _("Ochs & Esel"),
        "about": _about(view),
        "stands": _("round %(round)d of %(rounds)d") % view,
        "size": _about(view),
        "turn": turn_words(table),
        "board": board(table),
        "groups": groups,
        "many": len(view["hand"]),
        "units": ceil(len(groups) + STEP * (len(view["hand"]) - len(groups))),
        "single": view["count"] == 1,
        "playing": playing,
        "preview": preview(table),
        "hint": hint(table, groups),
        "tally": tally_context(table),
        "sheet": whole_tally(table) if _has_room(table) else None,
        "last_one": last_turn_round(table),
        "event": "round" if ended and "tally" in ended else "",
        "parts": {
            "board": "tricks/ochs_esel_board.html",
            "hand": "tricks/ochs_esel_hand.html",
            "rail": "tricks/ochs_esel_rail.html",
            "preview": "tricks/ochs_esel_preview.html",
            "last": "tricks/ochs_esel_last.html",
            "result": "play/result.html" if table.seat is None else "tricks/ochs_esel_result.html",
            "ways": "tricks/ochs_esel_ways.html",
        },
        "rail": _("Tally") if table.replay or table.seat is None else _("Tally and tools"),
    }
    if ended and "tally" in ended:
        # The middle of the table has everybody's minus points; once is enough beside them.
        title = _("Round %(round)d is over.") % ended["tally"]
        words = _points_words if ended["over"] else _after_round
        context["last"] = Said(table.game.ply, title, words(ended, people))
    context["tools"]["sample"] = "play 9 9 J"
    if playing:
        context["main"], context["acts"] = acts(table)
        context["why"] = barred_words(table, groups)
    elif context["live"]:
        name = (
            _("You pass")
            if view["turn"] == table.seat
            else _("Wait for %(who)s") % {"who": people[view["turn"]].name}
        )
        context["main"] = Act("play", name, "", "play", "Enter", True)
    if table.game.is_over and not table.replay:
        context["over"] = _over(table)
    context["said"] = said(table, context, say_ochs_esel)
    return context


def _about(view: Facts) -> str:
    """What is played. It stays in the page from round to round, and so names none."""
    words = {
        "players": number_words(view["players"]),
        "rounds": rounds_words(view["rounds"]),
    }
    if view["ox"]:
        return _("%(players)s players, %(rounds)s, with the ox") % words
    return _("%(players)s players, %(rounds)s") % words


def last_turn_round(table: Table) -> Context | None:
    """The turn round that ended last, to be looked at once more."""
    facts, people = last_report(table), table.people
    if facts is None:
        return None
    lead = next(seat for seat, cards in facts["table"] if cards)
    return {
        "title": _("Turn round %(turn_round)d") % facts,
        "words": won_words(facts, people),
        "plays": [
            {
                "name": who(people, seat),
                "cards": cards,
                "led": seat == lead,
                "best": seat == facts["winner"],
            }
            for seat, cards in facts["table"]
        ],
    }


def _over(table: Table) -> Context:
    """The end of a game: who won, what can be done now, and a text to send to others."""
    view, people, seat = table.view, table.people, table.seat
    totals, rounds = view["totals"], len(view["tallies"])
    why = left_words(table) if table.game.retired else ""
    why = why or winners_words(view["winners"], totals, people)
    deal = [("players", view["players"]), *([("ox", 1)] if view["ox"] else [])]
    if seat is None:
        return over_for_all(why, summary(view).words, deal)
    won = seat in view["winners"] and not left_early(table)
    if left_early(table):
        head, means = left_head(table)
        why = means if table.game.retired else sentence(why, means)
        line = _left_line(totals[seat], rounds)
    else:
        shared = won and len(view["winners"]) > 1
        head = _("You share the win") if shared else _("You win") if won else _("You did not win")
        line = _("%(points)s in %(rounds)s, place %(place)d of %(players)d") % {
            "points": points_words(totals[seat]),
            "rounds": rounds_words(rounds),
            "place": 1 + sum([total < totals[seat] for total in totals]),
            "players": view["players"],
        }
    title = _("Ochs & Esel with the ox") if view["ox"] else _("Ochs & Esel")
    share = f"{title}\n{head}: {line[:1].lower()}{line[1:]}\n" + _("Seed: %(seed)s") % {
        "seed": table.game.seed
    }
    options = {"rounds": view["rounds"]} | ({"ox": 1} if view["ox"] else {})
    return {
        "head": head,
        "why": why,
        "line": line,
        "points": totals[seat],
        "hand": view["hand"],
        "share": share,
        "won": won,
        "again": again(table, **options),
        "deal": deal,
    }


def _left_line(points: int, rounds: int) -> str:
    """How far a game came that was left: there is no place in it."""
    finished = ngettext(
        "after %(rounds)d finished round", "after %(rounds)d finished rounds", rounds
    )
    words = finished % {"rounds": rounds}
    if not rounds:
        return upper(words)
    return _("%(points)s %(finished)s") % {"points": points_words(points), "finished": words}
