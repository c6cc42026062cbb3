"""What the pages of the two editions say: pure functions from a table to a template's context.

Everything comes from the view, the reports of the log and ``why_not``; a presenter chooses words
and order, it never decides what is legal.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ouroboros_site.play.registry import Summary
from ouroboros_site.play.tables import Entry, Said, Sitter, Table

from .rules.cards import label

Context = dict[str, Any]
Facts = dict[str, Any]

JOKER = "*"
PILES = (1, 2, 3)
HAND_KEYS = "123456789"
PILE_KEYS = "qwe"
FAN = 12
"""How many cards of a long row lie open; the panel beside it lists all."""

LAWS = {
    "Kh": (
        "shield",
        gettext_lazy("Protection"),
        gettext_lazy("bonuses bring back two more"),
    ),
    "Kd": ("sun", gettext_lazy("Golden Law"), gettext_lazy("one success less")),
    "Kc": ("buoy", gettext_lazy("Assistance"), gettext_lazy("bribes cost one less")),
    "Ks": ("hook", gettext_lazy("Extortion"), gettext_lazy("each success brings back two")),
}
BONUSES = {
    "flush": gettext_lazy("Flush"),
    "pair": gettext_lazy("Pair"),
    "straight": gettext_lazy("Straight"),
    "three": gettext_lazy("Three of a kind"),
}


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


def faces(cards: Iterable[str], sign: str = " ") -> str:
    """Some cards as a player reads them: "7♥ 9♦"."""
    return sign.join([label(card) for card in cards])


def sum_words(total: int, value: int) -> str:
    """A sum brought into 1 … 13: "23 − 13 = 10", or just "10"."""
    return f"{total} − {total - value} = {value}" if total != value else str(total)


def cards_words(number: int) -> str:
    """ "1 card", "9 cards"."""
    return ngettext("%(number)d card", "%(number)d cards", number) % {"number": number}


def enemies_words(number: int) -> str:
    """What a Laws score counts: "enemy navigated", "enemies navigated"."""
    return ngettext("enemy navigated", "enemies navigated", number)


def targets_words(number: int) -> str:
    """What a Market score counts: "target defeated", "targets defeated"."""
    return ngettext("target defeated", "targets defeated", number)


def sentence(*parts: str) -> str:
    """Sentences in a row, the empty ones left out."""
    return " ".join([part for part in parts if part])


def _bonus_words(bonuses: list[str]) -> str:
    return " + ".join([str(BONUSES[bonus]) for bonus in bonuses])


def summary(view: dict[str, Any]) -> Summary:
    """Where a game of either edition stands."""
    return Summary(_("loop %(loop)d · score %(score)d") % view, view["gone"])


# --- what both editions have ---------------------------------------------------------------------


def _base(table: Table, say: Callable[[Entry], Said], slug: str, sample: str) -> Context:
    """The context that both pages share; ``sample`` is a move as it may be typed."""
    game, view = table.game, table.view
    log = [say(entry) for entry in table.log]
    report = table.log[0].report if table.log else {}
    more = max(0, game.ply - len(log))
    if game.retired:
        log.insert(0, Said(game.ply, _("Retired"), _("with the score as it stood.")))
    selection = table.selection
    # What came from the field for typed moves, and from no other control, goes back into it.
    typed = table.message and not selection.cards and selection.pile is None
    return {
        "game": game,
        "view": view,
        "log": log,
        "last": log[0] if log else None,
        "event": "loop" if report.get("loop") else "mill" if report.get("lost") else "",
        "selection": table.selection,
        "message": table.message,
        "confirm": table.confirm,
        "live": not (game.is_over or table.replay),
        "replay": table.replay,
        "more": more,
        "typed": " ".join(selection.texts) if typed else "",
        "parts": {
            "board": f"solitaire/{slug}_board.html",
            "hand": f"solitaire/{slug}_hand.html",
            "rail": f"solitaire/{slug}_rail.html",
            "preview": "solitaire/preview.html",
            "result": "solitaire/result.html",
            "ways": "solitaire/ways.html",
        },
        "tools": {
            "sample": sample,
            "longest": 60,
            "undo": not game.ranked,
            "leave": _("Retire"),
            "leaving": _("The game ends, and your score of %(score)s stands.") % view,
            "yes": _("Yes, end it"),
        },
    }


def _hand(table: Table, cards: list[str]) -> list[Context]:
    """The cards of the hand with their keys, those of the selection checked in its order."""
    chosen = table.selection.cards
    return [
        {
            "card": card,
            "place": place,
            "key": HAND_KEYS[place - 1],
            "order": chosen.index(card) + 1 if card in chosen else None,
        }
        for place, card in enumerate(cards, 1)
    ]


def _over(table: Table, title: str, words: str, why: str) -> Context:
    """The end of a game: why, what the score counts, and a text to send to others."""
    game, view = table.game, table.view
    line = _("%(score)d %(words)s, loop %(loop)d") % {**view, "words": words}
    kind = _("ranked") if game.ranked else _("practice")
    if game.daily:
        day = _("daily deal of %(day)s") % {"day": game.daily.isoformat()}
        kind = day if game.ranked else f"{day}, {kind}"
    grown = (view["gone"] + 1) // 2
    snake = "●" * grown + "○" * (13 - grown) + f" {view['gone']}/26"
    share = f"{title} ({kind})\n{line}\n{snake}"
    if not game.daily:
        # Of a daily deal nothing is said by which another player could know a card of it.
        share += "\n" + _("Seed: %(seed)s") % {"seed": game.seed}
    return {"why": why, "words": words, "line": line, "share": share}


# --- the Laws edition ----------------------------------------------------------------------------


def present_laws(table: Table) -> Context:
    """The context of a Laws table."""
    view, selection = table.view, table.selection
    context = _base(table, say_laws, "laws", "play 2 3h 5d")
    chosen_pile = view["locked"] or selection.pile
    context |= {
        "title": _("Laws edition"),
        "rail": _("Score and laws") if table.replay else _("Score, laws and tools"),
        "turn": turn_laws(table),
        "piles": [
            {
                **pile,
                "number": number,
                "name": _("Pile %(number)d") % {"number": number},
                "below": _("%(under)d under") % pile,
                "need": "" if table.game.is_over else _need(view, number),
                "key": PILE_KEYS[number - 1],
                "checked": number == chosen_pile and pile["top"],
                "barred": bool(view["locked"]) and number != view["locked"],
                "pips": _pips(view, number),
            }
            for number, pile in enumerate(view["piles"], 1)
        ],
        "hand": _hand(table, view["hand"]),
        "laws": laws_list(view),
        "discard_fan": view["discard"][-3:],
        "resting_fan": view["resting"][-5:],
        "navigated_fan": view["navigated"][-FAN:],
        "under_fan": max(0, len(view["navigated"]) - FAN),
        "preview": preview_laws(table),
        "hint": hint_laws(table),
        "main": None,
        "acts": [],
    }
    if context["live"]:
        context["main"], context["acts"] = acts_laws(table)
    if table.confirm:
        context["ask"] = _("%(move)s: this empties your deck and ends the game. Play it?") % {
            "move": move_words(table.confirm)
        }
    if table.game.is_over and not table.replay:
        words = enemies_words(view["score"])
        title = _("Ouroboros Solitaire, the Laws edition")
        context["over"] = _over(table, title, words, turn_laws(table))
    context["said"] = _said(context)
    return context


def _said(context: Context) -> str:
    """The sentence for the live region: what happened, and what is to do."""
    if context["message"] or context["confirm"]:
        return context["message"] or context["ask"]
    over = context.get("over")
    turn = f"{_('The game is over.')} {over['why']} {over['line']}." if over else context["turn"]
    return sentence(str(context["last"] or ""), turn)


def turn_laws(table: Table) -> str:
    """What the player is to do now."""
    view = table.view
    if table.game.is_over:
        return _("You retired.") if table.game.retired else _("Your deck is empty.")
    if view["phase"] == "capture":
        return _("Three of a kind! Choose a pile: its top card joins your deck.")
    locked, needed = view["locked"], view["needed"]
    if locked:
        facts = {
            "enemy": label(view["piles"][locked - 1]["top"]),
            "pile": locked,
            "successes": view["successes"],
            "needed": needed,
        }
        if view["successes"]:
            return _(
                "You fight %(enemy)s of pile %(pile)d: %(successes)d of %(needed)d successes."
            ) % (facts)
        return _("You scouted pile %(pile)d: fight %(enemy)s or bribe it.") % facts
    if not view["hand"]:
        return _("Your hand is empty: choose an enemy and bribe it, or concede.")
    if needed == 1:
        return _("Choose an enemy and play cards whose sum is its value.")
    return _("Choose an enemy. Each needs %(needed)d successes.") % {"needed": needed}


def _need(view: Facts, number: int) -> str:
    """What an enemy still asks for, or what it waits for."""
    if view["phase"] == "capture":
        return _("to capture")
    if view["locked"] and number != view["locked"]:
        return _("waits for pile %(locked)d") % view
    if view["locked"] and view["successes"]:
        return _("%(successes)d of %(needed)d") % view
    bribe = _("bribe: %(bribe)s") % view["piles"][number - 1]
    if view["needed"] == 1:
        return bribe
    return _("needs %(needed)d · %(bribe)s") % {"needed": view["needed"], "bribe": bribe}


def _pips(view: Facts, number: int) -> list[bool]:
    """One mark for each success that the locked enemy needs, lit if it is made."""
    if number != view["locked"] or not 1 < view["needed"] <= 6:
        return []
    return [i < view["successes"] for i in range(view["needed"])]


def laws_list(view: Facts) -> list[Context]:
    """The four laws: in force, or where their King is."""
    return [
        {
            "icon": icon,
            "king": label(king),
            "name": name,
            "effect": effect,
            "on": king in view["laws"],
            "where": "" if king in view["laws"] else _whereabouts(view, king),
        }
        for king, (icon, name, effect) in LAWS.items()
    ]


def _whereabouts(view: Facts, king: str) -> str:
    places = {
        "hand": _("in your hand"),
        "deck": _("in your deck"),
        "discard": _("in your discard pile"),
        "navigated": _("gone for this loop"),
    }
    for place, words in places.items():
        if king in view[place]:
            return words
    for number, pile in enumerate(view["piles"], 1):
        if king == pile["top"] or king in pile["seen"]:
            return _("in pile %(pile)d") % {"pile": number}
    return _("among the enemies")


def _choosable(view: Facts) -> list[int]:
    if view["locked"]:
        return [view["locked"]]
    return [number for number in PILES if view["piles"][number - 1]["top"]]


def acts_laws(table: Table) -> tuple[Act, list[Act]]:
    """The main action and the other ones; each is there, and says why if it is not legal."""
    view, why_not = table.view, table.why_not
    piles = _choosable(view)
    pile = view["locked"] or (table.selection.pile if table.selection.pile in piles else None)
    enemy = label(view["piles"][pile - 1]["top"]) if pile else ""
    if view["phase"] == "capture":
        note = _("%(card)s joins your deck") % {"card": enemy} if pile else _("choose a pile")
        return Act("capture", _("Capture"), note, "hand", "Enter"), []

    def against(move: str) -> str | None:
        """Why a move may not be made against the chosen pile, or against any."""
        reasons = [why_not(move % number) for number in ([pile] if pile else piles)]
        return None if None in reasons else reasons[0]

    acts = []
    hand, chosen = view["hand"], table.selection.cards
    for king in [card for card in hand if card[0] == "K"]:
        reason = why_not(f"enforce {king}")
        note = f"{label(king)}: {LAWS[king][1]}" if reason is None else _("in force already")
        acts.append(Act(f"enforce {king}", _("Enforce"), note, LAWS[king][0], "k", bool(reason)))
    for queen in [card for card in hand if card[0] == "Q"]:
        others = [card for card in chosen if card != queen]
        any_other = others or [card for card in hand if card != queen][:1]
        barred = not any_other or bool(why_not(f"reorganize {queen}: {' '.join(any_other)}"))
        if barred:
            note = _("no other card")
        elif others:
            note = _("%(queen)s: change %(cards)s") % {
                "queen": label(queen),
                "cards": cards_words(len(others)),
            }
        else:
            note = _("%(queen)s: mark cards") % {"queen": label(queen)}
        acts.append(Act(f"reorganize {queen}", _("Reorganize"), note, "cycle", "r", barred))
    for jack in [card for card in hand if card[0] == "J"]:
        barred = bool(against(f"scout {jack} %d"))
        if barred:
            note = _("nothing new to see")
        elif pile:
            note = _("%(jack)s: look under %(enemy)s") % {"jack": label(jack), "enemy": enemy}
        else:
            note = _("%(jack)s: choose a pile") % {"jack": label(jack)}
        acts.append(Act(f"scout {jack}", _("Scout"), note, "eye", "j", barred))
    if JOKER in hand:
        note = _("★ beats %(enemy)s") % {"enemy": enemy} if pile else _("★ choose a pile")
        acts.append(Act("flash", _("Flash"), note, "spark", "f", bool(against("flash %d"))))
    acts.append(_bribe(view, pile, enemy, bool(against("bribe %d"))))
    if not hand:
        note = _("costs %(cards)s") % {"cards": cards_words(9)}
        acts.append(Act("concede", _("Concede"), note, "flag", "c", bool(against("concede %d"))))
    absent = (
        ("K", Act("enforce", _("Enforce"), _("no King"), "seal", "k", True)),
        ("Q", Act("reorganize", _("Reorganize"), _("no Queen"), "cycle", "r", True)),
        ("J", Act("scout", _("Scout"), _("no Jack"), "eye", "j", True)),
        (JOKER, Act("flash", _("Flash"), _("no joker"), "spark", "f", True)),
    )
    held = {card[0] for card in hand}
    acts += [act for rank, act in absent if rank not in held]
    return _play_laws(table, pile, piles, enemy), acts


def _bribe(view: Facts, pile: int | None, enemy: str, barred: bool) -> Act:
    if barred and view["successes"]:
        note = _("not after a success")
    elif barred:
        note = _("your deck is too small")
    elif pile:
        cost = view["piles"][pile - 1]["bribe"]
        note = _("%(enemy)s for %(cards)s") % {"enemy": enemy, "cards": cards_words(cost)}
    else:
        note = _("choose a pile")
    return Act("bribe", _("Bribe"), note, "coin", "b", barred)


def _play_laws(table: Table, pile: int | None, piles: list[int], enemy: str) -> Act:
    chosen = table.selection.cards
    if not table.view["hand"]:
        return Act("play", _("Play"), _("your hand is empty"), "play", "Enter", True)
    if not chosen:
        note = _("against %(enemy)s") % {"enemy": enemy} if pile else _("one to three cards")
        return Act("play", _("Play"), note, "play", "Enter")
    name = _("Play %(cards)s") % {"cards": cards_words(len(chosen))}
    if len(chosen) > 3:
        return Act("play", name, _("three at most"), "play", "Enter", True)
    if reason := table.why_not(f"play {pile or piles[0]} {' '.join(chosen)}"):
        note = _("the joker is used as a Flash") if JOKER in chosen else reason
        return Act("play", name, note, "play", "Enter", True)
    note = _("against %(enemy)s") % {"enemy": enemy} if pile else _("choose a pile")
    return Act("play", name, note, "play", "Enter")


def hint_laws(table: Table) -> str:
    """What stands in the preview's place while there is none."""
    chosen = table.selection.cards
    if chosen == (JOKER,):
        return _("The joker has no value: as a Flash it beats an enemy at once.")
    if JOKER in chosen:
        return _("The joker is never played with other cards.")
    if len(chosen) > 3:
        return _("At most three cards are played; a Queen can change more.")
    if table.view["phase"] == "capture":
        return _("The pile you just fought may be chosen too.")
    if not table.view["hand"]:
        return _("A bribe recruits the enemy, to concede costs nine cards.")
    return _("Choose cards to see what they make.")


def preview_laws(table: Table) -> Context | None:
    """What the selected cards would make, and do against each enemy that may be chosen."""
    facts = table.preview
    if facts is None:
        return None
    return {
        **_sum_preview(facts),
        "rows": [
            {
                "pile": row["pile"],
                "enemy": label(row["enemy"]),
                "match": row["match"],
                "chosen": row["pile"] == table.selection.pile,
                "ends": row["ends"],
                "text": _outlook(row),
            }
            for row in facts["against"]
        ],
    }


def _sum_preview(facts: Facts) -> Context:
    """The sum as it is written: values, total, what is taken off, and what it comes to."""
    return {
        "values": facts["values"],
        "sum": facts["sum"],
        "off": facts["sum"] - facts["value"] if facts["sum"] else 0,
        "value": facts["value"],
    }


def _outlook(row: Facts) -> str:
    """One enemy's line of the preview."""
    if not row["match"]:
        if row["ends"]:
            return _("no match: your deck runs out, the game ends")
        return _("no match: %(lost)s lost, deck %(deck)d") % {
            "lost": cards_words(row["lost"]),
            "deck": row["deck"],
        }
    if row["bonuses"]:
        words = _("%(bonus)s: gone at once") % {"bonus": _bonus_words(row["bonuses"])}
    elif row["defeats"]:
        words = _("gone")
    else:
        words = _("success %(successes)d of %(needed)d") % row
    back = row["reflux"] + row["extorted"]
    if back:
        words += ", " + _("%(cards)s back") % {"cards": cards_words(back)}
    if row["captures"]:
        words += ", " + _("a capture")
    if row["ends"]:
        return words + ", " + _("but the draw empties your deck: the game ends")
    return words + ", " + _("deck %(deck)d") % {"deck": row["deck"]}


def move_words(text: str) -> str:
    """A move text as a person reads it: "Play 7♥ 9♦ against pile 2"."""
    words = text.split(" ")
    match words[0]:
        case "play" if words[1] in ("1", "2", "3"):
            return _("Play %(cards)s against pile %(pile)s") % {
                "cards": faces(words[2:]),
                "pile": words[1],
            }
        case "play":
            return _("Play %(cards)s") % {"cards": faces(words[1:])}
        case "bribe":
            return _("Bribe the enemy of pile %(pile)s") % {"pile": words[1]}
        case "concede":
            return _("Concede to pile %(pile)s") % {"pile": words[1]}
        case "flash":
            return _("Flash against pile %(pile)s") % {"pile": words[1]}
        case "capture":
            return _("Capture the top card of pile %(pile)s") % {"pile": words[1]}
        case "enforce":
            return _("Enforce %(card)s") % {"card": label(words[1])}
    return text


def say_laws(entry: Entry, people: Sequence[Sitter] = ()) -> Said:
    """What a move of the Laws edition did and why, from its report."""
    facts = entry.report
    text = sentence(_SAY_LAWS[facts["do"]](facts), _after_laws(facts))
    return Said(entry.ply, _head_laws(facts), text)


def _head_laws(facts: Facts) -> str:
    cards = facts.get("cards", [])
    match facts["do"]:
        case "play":
            return f"{faces(cards, ' + ')} = {sum_words(facts['sum'], facts['value'])}"
        case "flash":
            return _("Flash ★")
        case "bribe":
            return _("Bribed %(enemy)s") % {"enemy": label(facts["enemy"])}
        case "concede":
            return _("Conceded")
        case "capture":
            return _("Captured %(card)s") % {"card": label(facts["captured"])}
        case "scout":
            return _("Scout %(card)s") % {"card": label(cards[0])}
        case "reorganize":
            return _("Reorganize %(card)s") % {"card": label(cards[0])}
    return _("Enforced %(card)s") % {"card": label(cards[0])}


def _say_confront(facts: Facts) -> str:
    enemy = label(facts["enemy"])
    if not facts.get("match", True):
        lost = cards_words(len(facts["lost"]))
        if facts["over"]:
            return _("does not match %(enemy)s. %(lost)s lost, and your deck is empty.") % {
                "enemy": enemy,
                "lost": lost,
            }
        return _("does not match %(enemy)s: %(lost)s lost, and it is passed.") % {
            "enemy": enemy,
            "lost": lost,
        }
    if facts["bonuses"]:
        words = _("beats %(enemy)s at once by %(bonus)s.") % {
            "enemy": enemy,
            "bonus": _bonus_words(facts["bonuses"]).lower(),
        }
    elif facts["do"] == "flash":
        words = _("beats %(enemy)s at once.") % {"enemy": enemy}
    elif not facts["defeated"]:
        words = _("against %(enemy)s: success %(successes)d of %(needed)d.") % {
            **facts,
            "enemy": enemy,
        }
    elif facts["needed"] > 1:
        words = _("beats %(enemy)s with success %(successes)d of %(needed)d.") % {
            **facts,
            "enemy": enemy,
        }
    else:
        words = _("beats %(enemy)s.") % {"enemy": enemy}
    return sentence(words, _back(facts), _joined(facts))


def _back(facts: Facts) -> str:
    """What came back to the deck at a success."""
    words = []
    if facts["extorted"]:
        extorted = cards_words(facts["extorted"])
        words.append(_("Extortion brings back %(cards)s.") % {"cards": extorted})
    if facts["reflux"]:
        words.append(
            ngettext("%(number)d card comes back.", "%(number)d cards come back.", facts["reflux"])
            % {"number": facts["reflux"]}
        )
    return sentence(*words)


def _joined(facts: Facts) -> str:
    words = []
    if facts.get("joined"):
        words.append(_("%(card)s joins your deck.") % {"card": label(facts["joined"])})
    if facts.get("captured"):
        words.append(_("%(card)s is captured.") % {"card": label(facts["captured"])})
    return sentence(*words)


def _say_bribe(facts: Facts) -> str:
    cards = cards_words(len(facts["lost"]))
    if facts["over"]:
        return _("for %(cards)s, your last: it stays, and the game ends.") % {"cards": cards}
    return _("for %(cards)s; it joins your deck.") % {"cards": cards}


def _say_concede(facts: Facts) -> str:
    return _("to %(enemy)s: %(lost)s lost.") % {
        "enemy": label(facts["enemy"]),
        "lost": cards_words(len(facts["lost"])),
    }


def _say_scout(facts: Facts) -> str:
    return _("saw %(seen)s under %(enemy)s.") % {
        "seen": faces(facts["seen"], ", "),
        "enemy": label(facts["enemy"]),
    }


def _say_reorganize(facts: Facts) -> str:
    return _("put %(under)s under the deck and drew %(drawn)s.") % {
        "under": faces(facts["cards"][1:]),
        "drawn": faces(facts["drawn"]),
    }


def _say_enforce(facts: Facts) -> str:
    _icon, name, effect = LAWS[facts["cards"][0]]
    words = f"{name}: {effect}."
    if facts.get("defeated"):
        words += " " + _("%(enemy)s falls at once.") % {"enemy": label(facts["enemy"])}
    return words


def _say_capture(facts: Facts) -> str:
    return _("from pile %(pile)d; it joins your deck.") % facts


_SAY_LAWS: dict[str, Callable[[Facts], str]] = {
    "play": _say_confront,
    "flash": _say_confront,
    "concede": _say_concede,
    "bribe": _say_bribe,
    "capture": _say_capture,
    "scout": _say_scout,
    "reorganize": _say_reorganize,
    "enforce": _say_enforce,
}


def _after_laws(facts: Facts) -> str:
    """What every move may lead to: a new loop, the end."""
    if facts.get("loop"):
        return _("Loop %(cleared)d is cleared: the snake bites its tail. Loop %(loop)d begins.") % {
            "cleared": facts["loop"] - 1,
            "loop": facts["loop"],
        }
    if facts["over"] and not facts.get("lost"):
        return _("The draw empties your deck: the game is over.")
    return ""


# --- the Market edition --------------------------------------------------------------------------


def present_market(table: Table) -> Context:
    """The context of a Market table."""
    view = table.view
    context = _base(table, say_market, "market", "play 3h 5d")
    stock = view["stock"]
    context |= {
        "title": _("Market edition"),
        "rail": _("Score and market") if table.replay else _("Score, market and tools"),
        "turn": turn_market(table),
        "hand": _hand(table, view["hand"]),
        "played": _hand(table, view["played"]),
        "stock": _hand(table, [stock])[0] if stock else None,
        "pips": [i < view["encounter"] - 1 for i in range(view["encounters"])]
        if 1 < view["encounters"] <= 6
        else [],
        "raised": view["encounter"] - 1,
        "hearts": [i < view["lives"] for i in range(3)],
        "discard_fan": view["discard"][-3:],
        "finished_fan": view["finished"][-6:],
        "market_joker": JOKER in view["market"],
        "preview": preview_market(table),
        "hint": hint_market(table),
        "main": None,
        "acts": [],
    }
    if context["live"]:
        context["main"], context["acts"] = acts_market(table)
    if table.confirm:
        context["ask"] = _(
            "%(move)s: a mismatch costs your last life and ends the game. Play it?"
        ) % {"move": move_words(table.confirm)}
    if table.game.is_over and not table.replay:
        words = targets_words(view["score"])
        title = _("Ouroboros Solitaire, the Market edition")
        context["over"] = _over(table, title, words, turn_market(table))
    context["said"] = _said(context)
    return context


def turn_market(table: Table) -> str:
    """What the player is to do now."""
    view = table.view
    if table.game.is_over:
        return _("You retired.") if table.game.retired else _("Your last life is gone.")
    if view["phase"] == "swap":
        return _("A match! Choose one of the cards you played to trade for an unseen one.")
    facts = {
        "target": label(view["target"]),
        "value": view["value"],
        "encounter": view["encounter"],
        "encounters": view["encounters"],
    }
    if view["encounters"] == 1:
        return _("Make %(value)d to beat %(target)s.") % facts
    words = _("Encounter %(encounter)d of %(encounters)d with %(target)s: make %(value)d.") % facts
    return sentence(words, _("It was missed, so it will not count.") if view["missed"] else "")


def acts_market(table: Table) -> tuple[Act, list[Act]]:
    """The main action and the stock slot's."""
    view, chosen, why_not = table.view, table.selection.cards, table.why_not
    if view["phase"] == "swap":
        if len(chosen) == 1 and chosen[0] in view["played"]:
            note = _("%(card)s for an unseen card") % {"card": label(chosen[0])}
        else:
            note = _("for an unseen card")
        return Act("swap", _("Trade"), note, "swap", "Enter"), []
    play = Act("play", _("Play"), _("one to three cards"), "play", "Enter")
    if chosen:
        name = _("Play %(cards)s") % {"cards": cards_words(len(chosen))}
        if len(chosen) > 3:
            play = Act("play", name, _("three at most"), "play", "Enter", True)
        elif reason := why_not(f"play {' '.join(chosen)}"):
            note = _("the joker is played alone") if JOKER in chosen else reason
            play = Act("play", name, note, "play", "Enter", True)
        else:
            play = Act("play", name, faces(chosen, " + "), "play", "Enter")
    stocked = [card for card in chosen if card in view["hand"]]
    reason = why_not(f"stock {(stocked or view['hand'])[0]}") if view["hand"] else ""
    if view["stock"]:
        note = _("the slot holds %(card)s: play it first") % {"card": label(view["stock"])}
    elif len(stocked) == 1 == len(chosen):
        note = _("keep %(card)s for later") % {"card": label(stocked[0])}
    else:
        note = _("choose one card to keep")
    return play, [Act("stock", _("Put in stock"), note, "slot", "p", reason is not None)]


def hint_market(table: Table) -> str:
    """What stands in the preview's place while there is none."""
    view, chosen = table.view, table.selection.cards
    if view["phase"] == "swap":
        return _(
            "The card you trade is shuffled into the market; "
            "the market's top card goes to your discard pile."
        )
    if not chosen:
        return _("Choose one to three cards.")
    if len(chosen) > 3:
        return _("At most three cards are played.")
    if JOKER in chosen and len(chosen) > 1:
        return _("The joker is played alone.")
    return _("In a ranked game, adding up is your part.")


def preview_market(table: Table) -> Context | None:
    """What the selected cards would make; in practice games only."""
    facts = table.preview
    if facts is None:
        return None
    if facts["defeats"]:
        text = _("%(target)s is defeated") % {"target": label(table.view["target"])}
    elif facts["match"]:
        text = _("this encounter is won")
    elif facts["ends"]:
        text = _("no match: your last life, the game ends")
    else:
        text = _("no match: costs a life")
    row = {"match": facts["match"], "ends": facts["ends"], "chosen": True, "text": text}
    return {**_sum_preview(facts), "joker": facts["sum"] is None, "rows": [row]}


def say_market(entry: Entry, people: Sequence[Sitter] = ()) -> Said:
    """What a move of the Market edition did and why, from its report."""
    facts = entry.report
    cards, target = facts["cards"], label(facts["target"])
    if facts["do"] == "stock":
        return Said(entry.ply, label(cards[0]), _("put in stock."))
    if facts["do"] == "swap":
        head = _("Traded %(card)s") % {"card": label(cards[0])}
        text = _("for %(new)s.") % {"new": label(facts["new"])}
    elif cards == [JOKER]:
        head = "★"
        text = _("always matches: %(target)s.") % {"target": target}
    else:
        head = f"{faces(cards, ' + ')} = {sum_words(facts['sum'], facts['value'])}"
        if facts["match"]:
            text = _("matches %(target)s.") % {"target": target}
        else:
            text = _("but %(target)s asked for %(wanted)d: a life lost.") % {
                "target": target,
                "wanted": facts["wanted"],
            }
    if facts["do"] == "play" and facts.get("new"):
        text += " " + _("%(card)s goes to the market, %(new)s comes.") % {
            "card": label(facts["swapped"]),
            "new": label(facts["new"]),
        }
    return Said(entry.ply, head, sentence(text, _after_market(facts)))


def _after_market(facts: Facts) -> str:
    """What a play or a swap leads to: the target finished, a new deck, a new loop, the end."""
    target = label(facts["target"])
    words = []
    if facts["over"]:
        return _("No life is left: the game is over.")
    if facts.get("defeated"):
        words.append(_("%(target)s is defeated.") % {"target": target})
    elif facts.get("defeated") is False:
        words.append(_("%(target)s leaves uncounted.") % {"target": target})
    if facts["reshuffled"]:
        words.append(_("The discard pile became your new deck."))
    if facts["loop"]:
        words.append(
            _("Loop %(cleared)d is done: the snake bites its tail. Loop %(loop)d begins.")
            % {"cleared": facts["loop"] - 1, "loop": facts["loop"]}
        )
    return sentence(*words)
