"""Ouroboros Solitaire, the Laws edition (rulebook 003; rulings are named where they are used).

One player, an endless game: friendly cards fight the enemies on top of three piles by sums that
wrap at 13. The game ends when the friendly deck is empty; the score counts enemies navigated.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from operator import attrgetter
from typing import Any, NamedTuple

from ouroboros_site.engine.errors import IllegalMove, InvalidMove, InvalidRecord, gettext_noop
from ouroboros_site.engine.protocol import Outcome, Termination
from ouroboros_site.engine.record import check_setup
from ouroboros_site.engine.shuffle import shuffle

from .cards import (
    BLACK,
    CARDS,
    JOKER,
    LABELS,
    RED,
    SUIT,
    TEXTS,
    VALUES,
    Cards,
    circular,
    decode_cards,
    decode_count,
    parse_cards,
    texts,
)

SLUG = "laws"
NAME = "Ouroboros Solitaire, the Laws edition"
SEATS = range(1, 2)

HAND = 5
PLAYING = "encounter"
"""The phase in which cards are played."""
ENEMIES = len(BLACK)
PILE_SIZES = (9, 9, 8)
FAILURE = 9
"""How many cards of the deck a failure costs."""
BRIBE, BRIBE_SPECIAL = 4, 6
REFLUX = {"flush": 5, "pair": 7, "straight": 9, "three": 9}
"""How many cards each combo bonus brings back from the discard pile (section "Combo bonus")."""

JACK, QUEEN, KING = 11, 12, 13
PROTECTION, GOLDEN, EXTORTION, ASSISTANCE = (CARDS[text] for text in ("Kh", "Kd", "Ks", "Kc"))

Move = tuple[str, int, Cards]
"""Verb, pile (1 … 3, or 0 where there is none), cards in the listed order.

A ``reorganize`` lists the Queen first, then the cards that go under the deck.
"""

Piles = tuple[Cards, Cards, Cards]


class State(NamedTuple):
    """A position. Piles and deck are top first, the discard pile is bottom first.

    ``locked`` is the pile (1 … 3) whose enemy the player must stay with, or None;
    ``successes`` count against that enemy; ``laws`` are Kings in the order enforced.
    """

    seed: str
    loop: int
    phase: str
    deck: Cards
    hand: Cards
    discard: Cards
    resting: Cards
    navigated: Cards
    piles: Piles
    known: tuple[int, int, int]
    locked: int | None
    successes: int
    laws: Cards


# --- set-up and end ------------------------------------------------------------------------------


def start(seed: str, players: int = 1, options: Mapping[str, Any] | None = None) -> State:
    """The first position of a deal (section "Set-up of a loop").

    :raises InvalidRecord: if seed, players or options are not of this game
    """
    check_setup(seed, players, SEATS, options or {}, {})
    return _set_up(seed, 1, ())


def _set_up(seed: str, loop: int, laws: Cards) -> State:
    deck = shuffle(seed, f"friendly-{loop}", (*RED, JOKER))
    threats = shuffle(seed, f"threat-{loop}", BLACK)
    return State(
        seed=seed,
        loop=loop,
        phase="encounter",
        deck=deck[HAND:],
        hand=deck[:HAND],
        discard=(),
        resting=(),
        navigated=(),
        piles=(threats[:9], threats[9:18], threats[18:]),
        known=(0, 0, 0),
        locked=None,
        successes=0,
        laws=laws,
    )


def turn(state: State) -> int | None:
    """Seat 0, or None when the game is over."""
    return None if state.phase == "over" else 0


def scores(state: State) -> tuple[int, ...]:
    """The one player's score so far."""
    return (score(state),)


def outcome(state: State) -> Outcome | None:
    """The score once the friendly deck is empty, else None."""
    if state.phase != "over":
        return None
    return Outcome(Termination.DECK_EMPTY, scores(state))


def score(state: State) -> int:
    """Threat cards that have left the piles since the game began (section "Score")."""
    return ENEMIES * state.loop - sum(map(len, state.piles))


# --- figures of the rules ------------------------------------------------------------------------


def needed(loop: int, laws: Cards) -> int:
    """Successes an enemy needs: the loop's number, one less under the Golden Law, at least one."""
    return max(1, loop - (GOLDEN in laws))


def bribe_cost(enemy: int, laws: Cards) -> int:
    """Cards of the deck that a bribe costs: 4, 6 for J, Q, K, one less under Assistance."""
    return (BRIBE_SPECIAL if VALUES[enemy] >= JACK else BRIBE) - (ASSISTANCE in laws)


def bonuses(cards: Cards) -> tuple[str, ...]:
    """Every combo bonus that a successful play of these cards earns.

    Ruling: a straight flush earns two, a pair counts in a play of two or three, no wrap K to A.
    """
    values = sorted(VALUES[card] for card in cards)
    different = len(set(values))
    if len(cards) == 2:
        return ("pair",) if different == 1 else ()
    if len(cards) < 3:
        return ()
    earned = []
    if len({SUIT[card] for card in cards}) == 1:
        earned.append("flush")
    if different == 2:
        earned.append("pair")
    elif different == 1:
        earned.append("three")
    elif values[2] - values[0] == 2:
        earned.append("straight")
    return tuple(earned)


def _choosable(state: State) -> list[int]:
    """The piles whose top card may be met: the locked one, else all that are not empty."""
    if state.locked:
        return [state.locked]
    return [pile for pile in (1, 2, 3) if state.piles[pile - 1]]


def _scoutable(state: State, pile: int) -> bool:
    return state.known[pile - 1] < min(2, len(state.piles[pile - 1]) - 1)


# --- legality ------------------------------------------------------------------------------------


def legal_moves(state: State) -> tuple[Move, ...]:
    """Every legal move, cards of ``play`` and ``reorganize`` in hand order."""
    if state.phase == "over":
        return ()
    if state.phase == "capture":
        return tuple([("capture", pile, ()) for pile in (1, 2, 3) if state.piles[pile - 1]])
    hand, piles = state.hand, _choosable(state)
    plain = [card for card in hand if card != JOKER]
    plays = [cards for size in (1, 2, 3) for cards in combinations(plain, size)]
    moves: list[Move] = [("play", pile, cards) for pile in piles for cards in plays]
    if not state.successes:
        for pile in piles:
            if bribe_cost(state.piles[pile - 1][0], state.laws) <= len(state.deck):
                moves.append(("bribe", pile, ()))
    if not hand:
        moves += [("concede", pile, ()) for pile in piles]
    for card in hand:
        value = VALUES[card]
        if card == JOKER:
            moves += [("flash", pile, ()) for pile in piles]
        elif value == JACK:
            moves += [("scout", pile, (card,)) for pile in piles if _scoutable(state, pile)]
        elif value == QUEEN:
            others = [other for other in hand if other != card]
            for size in range(1, len(others) + 1):
                moves += [("reorganize", 0, (card, *some)) for some in combinations(others, size)]
        elif value == KING and card not in state.laws:
            moves.append(("enforce", 0, (card,)))
    return tuple(moves)


def refusal(state: State, move: Move) -> IllegalMove | None:
    """Why ``move`` may not be played here, or None if it may."""
    verb, pile, cards = move
    if state.phase == "over":
        return IllegalMove("over", gettext_noop("The game is over."))
    if (state.phase == "capture") != (verb == "capture"):
        if verb == "capture":
            return IllegalMove(
                "no-capture",
                gettext_noop("A capture is the reward of three of a kind; there is none now."),
            )
        return IllegalMove("capture-first", gettext_noop("First choose the card to capture."))
    if pile and (error := _pile_refusal(state, pile)):
        return error
    for card in cards:
        if card not in state.hand:
            return IllegalMove(
                "not-in-hand", gettext_noop("%(card)s is not in your hand."), card=LABELS[card]
            )
    match verb:
        case "play" if JOKER in cards:
            return IllegalMove(
                "joker-alone",
                gettext_noop("The joker is played alone: it has no value, use it as a Flash."),
            )
        case "bribe":
            return _bribe_refusal(state, pile)
        case "concede" if state.hand:
            return IllegalMove(
                "concede-hand",
                gettext_noop("Only an empty hand may concede; you hold %(hand)d cards."),
                hand=len(state.hand),
            )
        case "flash" if JOKER not in state.hand:
            return IllegalMove("no-joker", gettext_noop("There is no joker in your hand."))
        case "scout":
            return _scout_refusal(state, pile, cards[0])
        case "reorganize" if VALUES[cards[0]] != QUEEN:
            return IllegalMove(
                "not-a-queen",
                gettext_noop("Only a Queen reorganizes; %(card)s is none."),
                card=LABELS[cards[0]],
            )
        case "enforce" if VALUES[cards[0]] != KING:
            return IllegalMove(
                "not-a-king",
                gettext_noop("Only a King enforces a law; %(card)s is none."),
                card=LABELS[cards[0]],
            )
        case "enforce" if cards[0] in state.laws:
            return IllegalMove(
                "in-force",
                gettext_noop("The law of %(card)s is in force already."),
                card=LABELS[cards[0]],
            )
    return None


def _pile_refusal(state: State, pile: int) -> IllegalMove | None:
    if not state.piles[pile - 1]:
        return IllegalMove("pile-empty", gettext_noop("Pile %(pile)d is empty."), pile=pile)
    if state.locked and pile != state.locked:
        return IllegalMove(
            "locked",
            gettext_noop("You stay with %(enemy)s of pile %(locked)d until it is gone."),
            enemy=LABELS[state.piles[state.locked - 1][0]],
            locked=state.locked,
        )
    return None


def _bribe_refusal(state: State, pile: int) -> IllegalMove | None:
    enemy = state.piles[pile - 1][0]
    if state.successes:
        return IllegalMove(
            "bribe-late",
            gettext_noop("%(enemy)s cannot be bribed after a success against it."),
            enemy=LABELS[enemy],
        )
    cost = bribe_cost(enemy, state.laws)
    if cost > len(state.deck):
        return IllegalMove(
            "bribe-cost",
            gettext_noop("A bribe costs %(cost)d cards and the deck holds %(deck)d."),
            cost=cost,
            deck=len(state.deck),
        )
    return None


def _scout_refusal(state: State, pile: int, card: int) -> IllegalMove | None:
    if VALUES[card] != JACK:
        return IllegalMove(
            "not-a-jack",
            gettext_noop("Only a Jack scouts; %(card)s is none."),
            card=LABELS[card],
        )
    if len(state.piles[pile - 1]) == 1:
        return IllegalMove(
            "nothing-under",
            gettext_noop("Nothing lies under the last enemy of pile %(pile)d."),
            pile=pile,
        )
    if not _scoutable(state, pile):
        return IllegalMove(
            "all-known",
            gettext_noop("You know what a Scout would show in pile %(pile)d."),
            pile=pile,
        )
    return None


# --- playing -------------------------------------------------------------------------------------


def apply(state: State, move: Move) -> State:
    """The position after ``move``; the draw belongs to the same ply (section "Course").

    :raises IllegalMove: if it may not be played
    """
    if error := refusal(state, move):
        raise error
    return _advance(state, move, {})


def report(state: State, move: Move) -> dict[str, Any]:
    """What ``move`` does, as facts for the log.

    Always holds ``do`` (the verb), ``score``, ``drawn`` (card texts), ``over`` and ``loop`` (the
    number of the loop that just begins, or None); the rest depends on the verb, see ``_advance``.

    :raises IllegalMove: if it may not be played
    """
    if error := refusal(state, move):
        raise error
    facts: dict[str, Any] = {"do": move[0]}
    after = _advance(state, move, facts)
    facts["score"] = score(after)
    facts["over"] = after.phase == "over"
    facts["loop"] = after.loop if after.loop > state.loop else None
    return facts


class _Draft:
    """A position in the making: a move changes one, then it becomes a State."""

    __slots__ = State._fields
    seed: str
    loop: int
    phase: str
    deck: Cards
    hand: Cards
    discard: Cards
    resting: Cards
    navigated: Cards
    piles: Piles
    known: tuple[int, int, int]
    locked: int | None
    successes: int
    laws: Cards

    def __init__(self, state: State) -> None:
        self.take(state)

    def take(self, state: State) -> None:
        """Be ``state`` from here on."""
        for name, value in zip(State._fields, state, strict=True):
            setattr(self, name, value)

    def state(self) -> State:
        """The position as it stands now."""
        return State._make(_values(self))


_values = attrgetter(*State._fields)


def _advance(state: State, move: Move, facts: dict[str, Any]) -> State:
    """Play a legal move and write into ``facts`` what happened."""
    verb, pile, cards = move
    draft = _Draft(state)
    if pile:
        facts["pile"] = pile
        facts["enemy"] = TEXTS[state.piles[pile - 1][0]]
    if cards:
        facts["cards"] = texts(cards)
        draft.hand = tuple([card for card in state.hand if card not in cards])
    match verb:
        case "play":
            total = sum([VALUES[card] for card in cards])
            value = circular(total)
            match = value == VALUES[state.piles[pile - 1][0]]
            facts["sum"], facts["value"], facts["match"] = total, value, match
            if match:
                _succeed(draft, pile, cards, bonuses(cards), False, facts)
            else:
                _fail(draft, pile, cards, facts)
        case "concede":
            _fail(draft, pile, (), facts)
        case "flash":
            draft.hand = tuple([card for card in state.hand if card != JOKER])
            draft.resting += (JOKER,)
            _succeed(draft, pile, (), (), True, facts)
        case "bribe":
            _bribe(draft, pile, facts)
        case "capture":
            facts["captured"] = facts["enemy"]
            _join(draft, pile)
            _next_encounter(draft, facts)
        case _:
            _use_special(draft, verb, pile, cards, facts)
    return draft.state()


def _use_special(draft: _Draft, verb: str, pile: int, cards: Cards, facts: dict[str, Any]) -> None:
    """Scout, Reorganize or Enforce: the hand is not refilled before the next draw (ruling)."""
    facts["drawn"] = []
    draft.resting += cards[:1]
    if verb == "reorganize":
        under = cards[1:]
        deck = draft.deck + under
        drawn = deck[: len(under)]
        facts["drawn"] = texts(drawn)
        draft.hand += drawn
        draft.deck = deck[len(under) :]
    elif verb == "scout":
        seen = min(2, len(draft.piles[pile - 1]) - 1)
        facts["seen"] = texts(draft.piles[pile - 1][1 : 1 + seen])
        draft.known = _replaced(draft.known, pile, seen)
        draft.locked = pile
    else:
        draft.laws += cards
        locked = draft.locked
        # Ruling: the Golden Law defeats a locked enemy that has its successes already.
        if locked and draft.successes >= needed(draft.loop, draft.laws):
            facts["pile"] = locked
            facts["enemy"] = TEXTS[draft.piles[locked - 1][0]]
            facts["defeated"] = True
            _leave(draft, locked)
            _next_encounter(draft, facts)


def _fail(draft: _Draft, pile: int, cards: Cards, facts: dict[str, Any]) -> None:
    """Nine cards of the deck are lost, the played cards follow; then the enemy is navigated."""
    _lose(draft, FAILURE, facts)
    draft.discard += cards
    if draft.deck:
        _leave(draft, pile)
        _next_encounter(draft, facts)


def _bribe(draft: _Draft, pile: int, facts: dict[str, Any]) -> None:
    """The cost is paid; if the deck survives it, the enemy goes to its bottom."""
    _lose(draft, bribe_cost(draft.piles[pile - 1][0], draft.laws), facts)
    if draft.deck:
        facts["joined"] = facts["enemy"]
        _join(draft, pile)
        _next_encounter(draft, facts)


def _lose(draft: _Draft, number: int, facts: dict[str, Any]) -> None:
    """Cards go from the top of the deck to the discard pile; the last one ends the game."""
    lost = draft.deck[:number]
    facts["lost"] = texts(lost)
    draft.discard += lost
    draft.deck = draft.deck[number:]
    if not draft.deck:
        facts["drawn"] = []
        draft.phase = "over"


def _succeed(
    draft: _Draft,
    pile: int,
    cards: Cards,
    earned: tuple[str, ...],
    at_once: bool,
    facts: dict[str, Any],
) -> None:
    """Extortion, refluxes, the enemy leaves, the played cards are discarded, the capture."""
    discard, laws = draft.discard, draft.laws
    extorted = min(2, len(discard)) if EXTORTION in laws else 0
    more = 2 if PROTECTION in laws else 0
    reflux = min(len(discard) - extorted, sum([REFLUX[bonus] + more for bonus in earned]))
    back = extorted + reflux
    draft.deck += discard[:back]
    draft.discard = discard[back:] + cards
    draft.successes += 1
    enough = needed(draft.loop, laws)
    defeated = bool(earned) or at_once or draft.successes >= enough
    facts.update(
        bonuses=list(earned),
        extorted=extorted,
        reflux=reflux,
        successes=draft.successes,
        needed=enough,
        defeated=defeated,
        lost=[],
    )
    if not defeated:
        draft.locked = pile
        _draw(draft, facts)
    elif "three" not in earned:
        _leave(draft, pile)
        _next_encounter(draft, facts)
    else:
        facts["joined"] = facts["enemy"]
        _join(draft, pile)
        left = [number for number in (1, 2, 3) if draft.piles[number - 1]]
        if len(left) > 1:
            facts["drawn"] = []
            draft.phase = "capture"
            return
        if left:
            facts["captured"] = TEXTS[draft.piles[left[0] - 1][0]]
            _join(draft, left[0])
        _next_encounter(draft, facts)


def _replaced(known: tuple[int, int, int], pile: int, number: int) -> tuple[int, int, int]:
    first, second, third = [number if i == pile else n for i, n in enumerate(known, 1)]
    return first, second, third


def _remove_top(draft: _Draft, pile: int) -> int:
    """Take the enemy from its pile, wherever it goes; nothing is locked any more."""
    enemy = draft.piles[pile - 1][0]
    first, second, third = [
        cards[1:] if number == pile else cards for number, cards in enumerate(draft.piles, 1)
    ]
    draft.piles = (first, second, third)
    draft.known = _replaced(draft.known, pile, max(0, draft.known[pile - 1] - 1))
    draft.locked = None
    draft.successes = 0
    return enemy


def _leave(draft: _Draft, pile: int) -> None:
    """The enemy goes to the row of navigated ones."""
    draft.navigated += (_remove_top(draft, pile),)


def _join(draft: _Draft, pile: int) -> None:
    """The enemy goes to the bottom of the friendly deck."""
    draft.deck += (_remove_top(draft, pile),)


def _next_encounter(draft: _Draft, facts: dict[str, Any]) -> None:
    """After an enemy is gone: the loop is cleared, or back to the draw."""
    if any(draft.piles):
        _draw(draft, facts)
    else:
        draft.take(_set_up(draft.seed, draft.loop + 1, draft.laws))
        facts["drawn"] = texts(draft.hand)


def _draw(draft: _Draft, facts: dict[str, Any]) -> None:
    """Fill the hand up to five; the game is over if the last card leaves the deck."""
    wanted = HAND - len(draft.hand)
    drawn = draft.deck[:wanted]
    facts["drawn"] = texts(drawn)
    draft.hand += drawn
    draft.deck = draft.deck[wanted:]
    draft.phase = "encounter" if draft.deck else "over"


# --- move texts ----------------------------------------------------------------------------------

_FORMS = {
    "play": re.compile(r"play (?P<pile>[123]) (?P<cards>\S+(?: \S+){0,2})"),
    "bribe": re.compile(r"bribe (?P<pile>[123])"),
    "flash": re.compile(r"flash (?P<pile>[123])"),
    "concede": re.compile(r"concede (?P<pile>[123])"),
    "capture": re.compile(r"capture (?P<pile>[123])"),
    "scout": re.compile(r"scout (?P<special>\S+) (?P<pile>[123])"),
    "reorganize": re.compile(r"reorganize (?P<special>\S+): (?P<cards>\S+(?: \S+){0,3})"),
    "enforce": re.compile(r"enforce (?P<special>\S+)"),
}
_PILE_FIRST = ("play", "bribe", "flash", "concede", "capture")
_HOW = {
    "play": gettext_noop("A play names a pile and one to three cards: play 2 3h 5d."),
    "bribe": gettext_noop("A bribe names its pile: bribe 1."),
    "flash": gettext_noop("A Flash names the pile only: flash 3."),
    "concede": gettext_noop("To concede, name the pile: concede 2."),
    "capture": gettext_noop("A capture names its pile: capture 1."),
    "scout": gettext_noop("A Scout names a Jack and a pile: scout Jh 2."),
    "reorganize": gettext_noop(
        "To reorganize, name a Queen and the other cards to put under: reorganize Qd: 4h *."
    ),
    "enforce": gettext_noop("To enforce a law, name a King: enforce Kd."),
}


def parse_move(text: str) -> Move:
    """Read a move text (section "Position", samples).

    >>> parse_move("play 2 3h 5d")
    ('play', 2, (2, 17))

    :raises InvalidMove: if it is no move text of this game
    """
    verb = text.split(" ", 1)[0]
    form = _FORMS.get(verb)
    if form is None:
        raise InvalidMove("verb", gettext_noop("This game has no such move."))
    match = form.fullmatch(text)
    if match is None:
        second = text.split(" ")[1:2]
        if verb in _PILE_FIRST and second and second[0] not in ("", "1", "2", "3"):
            raise InvalidMove("pile", gettext_noop("Piles are numbered 1, 2 and 3."))
        raise InvalidMove("form", _HOW[verb])
    parts = match.groupdict()
    words = [parts["special"]] if "special" in parts else []
    if "cards" in parts:
        words += parts["cards"].split(" ")
    return verb, int(parts.get("pile", 0)), parse_cards(words)


def format_move(move: Move) -> str:
    """The text of a move, cards in its order.

    >>> format_move(("reorganize", 0, (24, 3, 52)))
    'reorganize Qd: 4h *'
    """
    verb, pile, cards = move
    words = [TEXTS[card] for card in cards]
    if verb == "scout":
        return f"scout {words[0]} {pile}"
    if verb == "reorganize":
        return f"reorganize {words[0]}: {' '.join(words[1:])}"
    return " ".join([verb, str(pile), *words] if pile else [verb, *words])


# --- what is seen and stored ---------------------------------------------------------------------


def view(state: State, seat: int | None) -> dict[str, Any]:
    """What the player sees (section of that name), with the figures that follow from it.

    Not the threat cards under the top ones, but for those seen with Scout; not the seed.
    ``gone`` counts this loop's enemies that have left the piles, ``needed`` the successes that an
    enemy needs, ``bribe`` in each pile what a bribe costs there.
    """
    piles = [
        {
            "top": TEXTS[cards[0]] if cards else None,
            "under": max(0, len(cards) - 1),
            "seen": texts(cards[1 : 1 + known]),
            "bribe": bribe_cost(cards[0], state.laws) if cards else None,
        }
        for cards, known in zip(state.piles, state.known, strict=True)
    ]
    return {
        "loop": state.loop,
        "score": score(state),
        "phase": state.phase,
        "deck": texts(state.deck),
        "hand": texts(state.hand),
        "discard": texts(state.discard),
        "resting": texts(state.resting),
        "navigated": texts(state.navigated),
        "piles": piles,
        "locked": state.locked,
        "successes": state.successes,
        "needed": needed(state.loop, state.laws),
        "laws": texts(state.laws),
        "gone": ENEMIES - sum(map(len, state.piles)),
        "turn": turn(state),
    }


def preview(state: State, cards: Cards) -> dict[str, Any]:
    """What playing ``cards`` would do against each enemy that may be chosen.

    Holds ``cards``, ``values``, ``sum``, ``value`` and ``against``: for each pile what ``report``
    says of the play, ``captures`` (a card may be captured), the number of cards ``lost``, the
    ``deck`` after the draw, and whether it ``ends`` the game. Nothing hidden is in it.

    :raises RulesError: if these cards cannot be played at all
    """
    against = []
    for pile in _choosable(state):
        move = parse_move(format_move(("play", pile, cards)))
        if error := refusal(state, move):
            raise error
        facts: dict[str, Any] = {"bonuses": [], "extorted": 0, "reflux": 0, "defeated": False}
        after = _advance(state, move, facts)
        against.append(
            {
                "pile": pile,
                "enemy": facts["enemy"],
                "match": facts["match"],
                "bonuses": facts["bonuses"],
                "extorted": facts["extorted"],
                "reflux": facts["reflux"],
                "defeats": facts["defeated"],
                "successes": facts.get("successes", 0),
                "needed": needed(state.loop, state.laws),
                "captures": "captured" in facts or after.phase == "capture",
                "lost": len(facts["lost"]),
                "deck": len(after.deck),
                "ends": after.phase == "over",
            }
        )
    values = [VALUES[card] for card in cards]
    return {
        "cards": texts(cards),
        "values": values,
        "sum": sum(values),
        "value": circular(sum(values)),
        "against": against,
    }


def position(state: State) -> dict[str, Any]:
    """The position as a trace prints it (section "Position")."""
    return {
        "loop": state.loop,
        "score": score(state),
        "phase": state.phase,
        "deck": texts(state.deck),
        "hand": texts(state.hand),
        "discard": texts(state.discard),
        "resting": texts(state.resting),
        "navigated": texts(state.navigated),
        "piles": [texts(cards) for cards in state.piles],
        "known": list(state.known),
        "locked": state.locked,
        "successes": state.successes,
        "laws": texts(state.laws),
        "turn": turn(state),
    }


def encode(state: State) -> dict[str, Any]:
    """The whole state, JSON-ready."""
    return {"seed": state.seed, "players": 1, "options": {}, "position": position(state)}


def decode(data: Mapping[str, Any]) -> State:
    """The state that ``encode`` wrote.

    :raises InvalidRecord: if the data do not have the form of a position of this game
    """
    there = data["position"]
    try:
        first, second, third = [decode_cards({"piles": cards}, "piles") for cards in there["piles"]]
        known = (there["known"][0], there["known"][1], there["known"][2])
        return State(
            seed=data["seed"],
            loop=decode_count(there, "loop"),
            phase=there["phase"],
            deck=decode_cards(there, "deck"),
            hand=decode_cards(there, "hand"),
            discard=decode_cards(there, "discard"),
            resting=decode_cards(there, "resting"),
            navigated=decode_cards(there, "navigated"),
            piles=(first, second, third),
            known=known,
            locked=there["locked"],
            successes=decode_count(there, "successes"),
            laws=decode_cards(there, "laws"),
        )
    except (KeyError, TypeError, ValueError, IndexError):
        raise InvalidRecord(
            "position", gettext_noop("This is no position of the Laws edition.")
        ) from None


def check(state: State) -> None:
    """Check a state that comes from outside: its cards, and what its counts and phases allow.

    :raises InvalidRecord: with the first thing that is wrong
    """
    for wrong, sentence in _faults(state):
        if wrong:
            raise InvalidRecord("position", sentence)


def _faults(state: State) -> Iterator[tuple[bool, str]]:
    """Pairs of "is it so" and the sentence that says so, from the plainest to the finest."""
    piles, known, locked, resting = state.piles, state.known, state.locked, state.resting
    everything = state.deck + state.hand + state.discard + resting + state.navigated
    everything += piles[0] + piles[1] + piles[2]
    yield (
        sorted(everything) != list(range(53)),
        gettext_noop("The cards of the position are not exactly the 52 cards and the joker."),
    )
    yield (
        state.phase not in ("encounter", "capture", "over"),
        gettext_noop("There is no such phase."),
    )
    yield state.loop < 1, gettext_noop("Loops count from 1.")
    yield (
        any(card not in BLACK for card in (*state.navigated, *piles[0], *piles[1], *piles[2])),
        gettext_noop("Only spades and clubs are enemies."),
    )
    yield (
        any(len(cards) > size for cards, size in zip(piles, PILE_SIZES, strict=True)),
        gettext_noop("A pile holds more cards than it was dealt."),
    )
    yield not any(piles), gettext_noop("With no enemy left, the loop would be cleared.")
    yield (
        (state.phase == "over") != (not state.deck),
        gettext_noop("The game is over when the deck is empty, and only then."),
    )
    yield len(state.hand) > HAND, gettext_noop("A hand holds five cards at most.")

    jacks = sum(VALUES[card] == JACK for card in resting)
    kings = tuple(card for card in resting if VALUES[card] == KING)
    yield (
        any(card != JOKER and VALUES[card] < JACK for card in resting),
        gettext_noop("Only cards used as specials rest."),
    )
    yield (
        len(set(state.laws)) < len(state.laws) or any(VALUES[card] != KING for card in state.laws),
        gettext_noop("The laws in force are Kings, each once."),
    )
    yield (
        state.laws[len(state.laws) - len(kings) :] != kings
        or (state.loop == 1 and state.laws != kings),
        gettext_noop("The Kings that rest are the laws enforced in this loop, in that order."),
    )
    yield (
        any(
            type(number) is not int or not 0 <= number <= min(2, max(0, len(cards) - 1))
            for number, cards in zip(known, piles, strict=True)
        ),
        gettext_noop("At most two cards under a top card are known, and only where they lie."),
    )
    yield (
        sum(number > 0 for number in known) > jacks,
        gettext_noop("Cards under a top card are known only after a Scout."),
    )
    yield (
        locked is not None and (type(locked) is not int or locked not in (1, 2, 3)),
        gettext_noop("The locked pile is 1, 2, 3 or none."),
    )
    yield (
        locked is not None and not piles[locked - 1],
        gettext_noop("The locked pile is empty."),
    )
    yield (
        state.successes > 0 and locked is None,
        gettext_noop("Successes count against the enemy of a locked pile."),
    )
    yield (
        state.successes >= needed(state.loop, state.laws),
        gettext_noop("With so many successes the enemy would be gone."),
    )
    yield (
        locked is not None and not state.successes and not known[locked - 1],
        gettext_noop("Without a success only a Scout locks a pile."),
    )
    gone = ENEMIES - sum(map(len, piles))
    yield (
        not gone and not state.successes and bool(state.discard) and state.phase != "over",
        gettext_noop("Nothing has been played in this loop, but cards are discarded."),
    )
    if state.phase == "over":
        return

    played = 3 if state.phase == "capture" else 0
    used = HAND - played - len(state.hand)
    yield (
        not 0 <= used <= len(resting),
        gettext_noop("The hand is short of more cards than were used as specials."),
    )
    if state.phase == "capture":
        top = state.discard[-3:]
        yield (
            locked is not None or sum(map(bool, piles)) < 2,
            gettext_noop("A capture is asked for with two piles or more, and none is locked."),
        )
        yield (
            len(top) < 3 or JOKER in top or len({VALUES[card] for card in top}) > 1,
            gettext_noop("A capture follows three of a kind."),
        )
        yield (
            state.deck[-1] not in BLACK or VALUES[state.deck[-1]] != circular(3 * VALUES[top[0]]),
            gettext_noop("The enemy defeated by three of a kind lies at the bottom of the deck."),
        )
