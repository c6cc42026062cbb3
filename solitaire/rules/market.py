"""Ouroboros Solitaire, the Market edition (rulebook 004; rulings are named where they are used).

One player, an endless game: ten cards circulate through hand, stock and discard pile, every match
trades one of them with the market, every mismatch costs one of three lives.
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
    TEXTS,
    VALUES,
    Cards,
    circular,
    decode_cards,
    decode_count,
    parse_cards,
    texts,
)

SLUG = "market"
NAME = "Ouroboros Solitaire, the Market edition"
SEATS = range(1, 2)

HAND = 5
PLAYING = "play"
"""The phase in which cards are played."""
LIVES = 3
CIRCULATING = 10
TARGETS = len(BLACK)
FIRST_DECK = tuple(card for card in RED if VALUES[card] <= 5)
FIRST_MARKET = (*(card for card in RED if VALUES[card] > 5), JOKER)

Move = tuple[str, Cards]
"""Verb and cards in the listed order; ``stock`` and ``swap`` have one card."""


class State(NamedTuple):
    """A position. Deck, market and threat deck are top first, the discard pile is bottom first.

    ``defeated`` is the score; ``missed`` tells whether an encounter of the present target was a
    mismatch; ``played`` holds the cards of a match whose swap is still to be chosen.
    """

    seed: str
    loop: int
    defeated: int
    lives: int
    phase: str
    deck: Cards
    hand: Cards
    stock: int | None
    discard: Cards
    market: Cards
    threat: Cards
    finished: Cards
    target: int
    encounter: int
    missed: bool
    played: Cards
    reshuffles: int
    swaps: int


# --- set-up and end ------------------------------------------------------------------------------


def start(seed: str, players: int = 1, options: Mapping[str, Any] | None = None) -> State:
    """The first position of a deal (section "Set-up").

    :raises InvalidRecord: if seed, players or options are not of this game
    """
    check_setup(seed, players, SEATS, options or {}, {})
    threat = shuffle(seed, "threat-1", BLACK)
    deck = shuffle(seed, "deck-0", FIRST_DECK)
    return State(
        seed=seed,
        loop=1,
        defeated=0,
        lives=LIVES,
        phase="play",
        deck=deck[HAND:],
        hand=deck[:HAND],
        stock=None,
        discard=(),
        market=shuffle(seed, "market-0", FIRST_MARKET),
        threat=threat[1:],
        finished=(),
        target=threat[0],
        encounter=1,
        missed=False,
        played=(),
        reshuffles=0,
        swaps=0,
    )


def turn(state: State) -> int | None:
    """Seat 0, or None when the game is over."""
    return None if state.phase == "over" else 0


def scores(state: State) -> tuple[int, ...]:
    """The one player's score so far."""
    return (state.defeated,)


def outcome(state: State) -> Outcome | None:
    """The score once no life is left, else None."""
    if state.phase != "over":
        return None
    return Outcome(Termination.NO_LIVES, scores(state))


def wanted(target: int, encounter: int) -> int:
    """The value to make: one higher at each next encounter, 13 is followed by 1 (ruling)."""
    return circular(VALUES[target] + encounter - 1)


# --- legality ------------------------------------------------------------------------------------


def legal_moves(state: State) -> tuple[Move, ...]:
    """Every legal move, cards in hand order, the stocked card last."""
    if state.phase == "over":
        return ()
    if state.phase == "swap":
        return tuple([("swap", (card,)) for card in state.played])
    hand, stock = state.hand, state.stock
    held = hand if stock is None else (*hand, stock)
    plain = [card for card in held if card != JOKER]
    moves: list[Move] = [
        ("play", cards) for size in (1, 2, 3) for cards in combinations(plain, size)
    ]
    if JOKER in held:
        moves.append(("play", (JOKER,)))
    if stock is None:
        moves += [("stock", (card,)) for card in hand]
    return tuple(moves)


def refusal(state: State, move: Move) -> IllegalMove | None:
    """Why ``move`` may not be played here, or None if it may."""
    verb, cards = move
    if state.phase == "over":
        return IllegalMove("over", gettext_noop("The game is over."))
    if (state.phase == "swap") != (verb == "swap"):
        if verb == "swap":
            return IllegalMove(
                "no-swap", gettext_noop("A swap is the reward of a match; there is none now.")
            )
        return IllegalMove("swap-first", gettext_noop("First choose the card to swap."))
    for card in cards:
        if verb == "swap" and card not in state.played:
            return IllegalMove(
                "not-played",
                gettext_noop("%(card)s was not just played; only such a card is swapped."),
                card=LABELS[card],
            )
        if verb == "stock" and card not in state.hand:
            return IllegalMove(
                "not-in-hand", gettext_noop("%(card)s is not in your hand."), card=LABELS[card]
            )
        if verb == "play" and card not in state.hand and card != state.stock:
            return IllegalMove(
                "not-held",
                gettext_noop("%(card)s is neither in your hand nor in the stock slot."),
                card=LABELS[card],
            )
    if verb == "stock" and state.stock is not None:
        return IllegalMove(
            "stock-full",
            gettext_noop("The stock slot holds %(card)s; it leaves only by being played."),
            card=LABELS[state.stock],
        )
    if verb == "play" and JOKER in cards and len(cards) > 1:
        return IllegalMove("joker-alone", gettext_noop("The joker is played alone."))
    return None


# --- playing -------------------------------------------------------------------------------------


def apply(state: State, move: Move) -> State:
    """The position after ``move``; draw and next target belong to the same ply.

    :raises IllegalMove: if it may not be played
    """
    if error := refusal(state, move):
        raise error
    return _advance(state, move, {})


def report(state: State, move: Move) -> dict[str, Any]:
    """What ``move`` does, as facts for the log.

    Always holds ``do`` (the verb), ``cards``, ``target``, ``wanted`` (the value to make),
    ``encounter``, ``score``, ``lives``, ``over``, ``next`` (a target just turned up, or None) and
    ``loop`` (the number of the loop that just begins, or None); the rest depends on the verb, see
    ``_advance``.

    :raises IllegalMove: if it may not be played
    """
    if error := refusal(state, move):
        raise error
    facts: dict[str, Any] = {
        "do": move[0],
        "cards": texts(move[1]),
        "target": TEXTS[state.target],
        "encounter": state.encounter,
        "wanted": wanted(state.target, state.encounter),
    }
    after = _advance(state, move, facts)
    turned = len(after.finished) != len(state.finished) or after.loop > state.loop
    facts["next"] = TEXTS[after.target] if turned else None
    facts["loop"] = after.loop if after.loop > state.loop else None
    facts["score"] = after.defeated
    facts["lives"] = after.lives
    facts["over"] = after.phase == "over"
    return facts


class _Draft:
    """A position in the making: a move changes one, then it becomes a State."""

    __slots__ = State._fields
    seed: str
    loop: int
    defeated: int
    lives: int
    phase: str
    deck: Cards
    hand: Cards
    stock: int | None
    discard: Cards
    market: Cards
    threat: Cards
    finished: Cards
    target: int
    encounter: int
    missed: bool
    played: Cards
    reshuffles: int
    swaps: int

    def __init__(self, state: State) -> None:
        for name, value in zip(State._fields, state, strict=True):
            setattr(self, name, value)

    def state(self) -> State:
        """The position as it stands now."""
        return State._make(_values(self))


_values = attrgetter(*State._fields)


def _advance(state: State, move: Move, facts: dict[str, Any]) -> State:
    """Play a legal move and write into ``facts`` what happened."""
    verb, cards = move
    draft = _Draft(state)
    facts["drawn"] = []
    facts["reshuffled"] = False
    if verb == "swap":
        _swap(draft, cards[0], state.played, facts)
        return draft.state()
    draft.hand = tuple([card for card in state.hand if card not in cards])
    if verb == "stock":
        draft.stock = cards[0]
        return draft.state()
    if draft.stock in cards:
        draft.stock = None
    joker = cards[0] == JOKER
    total = sum([VALUES[card] for card in cards])
    match = joker or circular(total) == wanted(state.target, state.encounter)
    facts["match"] = match
    if not joker:
        facts["sum"], facts["value"] = total, circular(total)
    if not match:
        _miss(draft, cards, facts)
    elif len(cards) == 1:
        _swap(draft, cards[0], cards, facts)
    else:
        draft.phase = "swap"
        draft.played = cards
    return draft.state()


def _miss(draft: _Draft, cards: Cards, facts: dict[str, Any]) -> None:
    """A life is lost; with none left the game is over at once and the target stays up."""
    draft.lives -= 1
    draft.missed = True
    draft.discard += cards
    if draft.lives:
        _next_encounter(draft, facts)
    else:
        draft.phase = "over"


def _swap(draft: _Draft, card: int, played: Cards, facts: dict[str, Any]) -> None:
    """One played card joins the market, its top card the discard pile (section "Match")."""
    new, rest = draft.market[0], draft.market[1:]
    others = tuple([other for other in played if other != card])
    facts["swapped"], facts["new"] = TEXTS[card], TEXTS[new]
    draft.phase = "play"
    draft.played = ()
    draft.swaps += 1
    draft.market = shuffle(draft.seed, f"market-{draft.swaps}", (*rest, card))
    draft.discard += (*others, new)
    _next_encounter(draft, facts)


def _next_encounter(draft: _Draft, facts: dict[str, Any]) -> None:
    """The next encounter of this target, or the next target, or the next loop; then the draw."""
    if draft.encounter < draft.loop:
        draft.encounter += 1
    else:
        facts["defeated"] = not draft.missed
        draft.defeated += not draft.missed
        draft.finished += (draft.target,)
        draft.encounter = 1
        draft.missed = False
        if not draft.threat:
            draft.loop += 1
            draft.lives = min(LIVES, draft.lives + 1)
            draft.finished = ()
            draft.threat = shuffle(draft.seed, f"threat-{draft.loop}", BLACK)
        draft.target, draft.threat = draft.threat[0], draft.threat[1:]
    _draw(draft, facts)


def _draw(draft: _Draft, facts: dict[str, Any]) -> None:
    """Fill the hand up to five; an empty deck is made anew when a card is still wanted (ruling)."""
    short = HAND - len(draft.hand)
    drawn = draft.deck[:short]
    draft.deck = draft.deck[short:]
    short -= len(drawn)
    if short:
        facts["reshuffled"] = True
        draft.reshuffles += 1
        deck = shuffle(draft.seed, f"deck-{draft.reshuffles}", draft.discard)
        draft.discard = ()
        drawn += deck[:short]
        draft.deck = deck[short:]
    facts["drawn"] = texts(drawn)
    draft.hand += drawn


# --- move texts ----------------------------------------------------------------------------------

_FORMS = {
    "play": re.compile(r"play (\S+(?: \S+){0,2})"),
    "stock": re.compile(r"stock (\S+)"),
    "swap": re.compile(r"swap (\S+)"),
}
_HOW = {
    "play": gettext_noop("A play names one to three cards: play 3h 5d."),
    "stock": gettext_noop("To stock a card, name it: stock Kd."),
    "swap": gettext_noop("A swap names one card: swap 3h."),
}


def parse_move(text: str) -> Move:
    """Read a move text (section "Position", samples).

    >>> parse_move("play 3h 5d")
    ('play', (2, 17))

    :raises InvalidMove: if it is no move text of this game
    """
    verb = text.split(" ", 1)[0]
    form = _FORMS.get(verb)
    if form is None:
        raise InvalidMove("verb", gettext_noop("This game has no such move."))
    match = form.fullmatch(text)
    if match is None:
        raise InvalidMove("form", _HOW[verb])
    return verb, parse_cards(match[1].split(" "))


def format_move(move: Move) -> str:
    """The text of a move, cards in its order.

    >>> format_move(("stock", (25,)))
    'stock Kd'
    """
    verb, cards = move
    return " ".join([verb, *texts(cards)])


# --- what is seen and stored ---------------------------------------------------------------------


def view(state: State, seat: int | None) -> dict[str, Any]:
    """What the player sees (section of that name).

    Market and threat deck are sorted lists, never their order; ``encounters`` says how many this
    target takes, ``gone`` how many targets of this loop are finished. Not the seed.
    """
    return {
        "loop": state.loop,
        "score": state.defeated,
        "lives": state.lives,
        "phase": state.phase,
        "deck": texts(state.deck),
        "hand": texts(state.hand),
        "stock": None if state.stock is None else TEXTS[state.stock],
        "discard": texts(state.discard),
        "market": texts(sorted(state.market)),
        "threat": texts(sorted(state.threat)),
        "finished": texts(state.finished),
        "target": TEXTS[state.target],
        "encounter": state.encounter,
        "encounters": state.loop,
        "value": wanted(state.target, state.encounter),
        "missed": state.missed,
        "played": texts(state.played),
        "gone": len(state.finished),
        "turn": turn(state),
    }


def preview(state: State, cards: Cards) -> dict[str, Any]:
    """What playing ``cards`` would do; for practice games only (ruling on adding up).

    Holds ``cards``, ``values``, ``sum`` and ``value`` (None for the joker), ``target`` (the value
    to make), ``match``, ``defeats`` (the target would be finished and counted), ``lost`` (lives)
    and ``ends``.

    :raises RulesError: if these cards cannot be played at all
    """
    if error := refusal(state, parse_move(format_move(("play", cards)))):
        raise error
    value = wanted(state.target, state.encounter)
    joker = cards[0] == JOKER
    values = [VALUES[card] for card in cards]
    match = joker or circular(sum(values)) == value
    return {
        "cards": texts(cards),
        "values": values,
        "sum": None if joker else sum(values),
        "value": None if joker else circular(sum(values)),
        "target": value,
        "match": match,
        "defeats": match and not state.missed and state.encounter == state.loop,
        "lost": 0 if match else 1,
        "ends": not match and state.lives == 1,
    }


def position(state: State) -> dict[str, Any]:
    """The position as a trace prints it (section "Position")."""
    return {
        "loop": state.loop,
        "score": state.defeated,
        "lives": state.lives,
        "phase": state.phase,
        "deck": texts(state.deck),
        "hand": texts(state.hand),
        "stock": None if state.stock is None else TEXTS[state.stock],
        "discard": texts(state.discard),
        "market": texts(state.market),
        "threat": texts(state.threat),
        "finished": texts(state.finished),
        "target": TEXTS[state.target],
        "encounter": state.encounter,
        "value": wanted(state.target, state.encounter),
        "missed": state.missed,
        "played": texts(state.played),
        "reshuffles": state.reshuffles,
        "swaps": state.swaps,
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
        return State(
            seed=data["seed"],
            loop=decode_count(there, "loop"),
            defeated=decode_count(there, "score"),
            lives=decode_count(there, "lives"),
            phase=there["phase"],
            deck=decode_cards(there, "deck"),
            hand=decode_cards(there, "hand"),
            stock=None if there["stock"] is None else CARDS[there["stock"]],
            discard=decode_cards(there, "discard"),
            market=decode_cards(there, "market"),
            threat=decode_cards(there, "threat"),
            finished=decode_cards(there, "finished"),
            target=CARDS[there["target"]],
            encounter=decode_count(there, "encounter"),
            missed=there["missed"],
            played=decode_cards(there, "played"),
            reshuffles=decode_count(there, "reshuffles"),
            swaps=decode_count(there, "swaps"),
        )
    except (KeyError, TypeError):
        raise InvalidRecord(
            "position", gettext_noop("This is no position of the Market edition.")
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
    phase, loop, lives, stock = state.phase, state.loop, state.lives, state.stock
    own = state.deck + state.hand + state.discard + state.played
    if stock is not None:
        own = (*own, stock)
    targets = (*state.threat, *state.finished, state.target)
    yield (
        sorted(own + state.market + targets) != list(range(53)),
        gettext_noop("The cards of the position are not exactly the 52 cards and the joker."),
    )
    yield phase not in ("play", "swap", "over"), gettext_noop("There is no such phase.")
    yield type(state.missed) is not bool, gettext_noop("A target was missed or not.")
    yield (
        any(card not in BLACK for card in targets) or len(targets) != TARGETS,
        gettext_noop("The targets are the spades and clubs, and only those."),
    )
    yield len(own) != CIRCULATING, gettext_noop("Ten cards circulate.")
    yield loop < 1, gettext_noop("Loops count from 1.")
    yield lives > LIVES, gettext_noop("There are never more than three lives.")
    yield (
        (phase == "over") != (lives == 0),
        gettext_noop("The game is over when no life is left, and only then."),
    )
    yield (
        not 1 <= state.encounter <= loop,
        gettext_noop("In loop L a target takes L encounters."),
    )
    yield (
        state.missed and lives == LIVES,
        gettext_noop("A mismatch costs a life, and no loop has ended since."),
    )
    yield (
        phase == "over" and not state.missed,
        gettext_noop("The game ends with a mismatch."),
    )
    yield (
        phase != "over" and state.missed and state.encounter == 1,
        gettext_noop("At the first encounter no mismatch can have been yet."),
    )

    held, played = len(state.hand), len(state.played)
    if phase == "play":
        fits = held == HAND or (held == HAND - 1 and stock is not None)
    elif phase == "swap":
        fits = held + played in ((HAND, HAND + 1) if stock is None else (HAND - 1, HAND))
        fits = fits and held <= HAND
    else:
        fits = 2 <= held <= HAND if stock is None else 1 <= held < HAND
    yield not fits, gettext_noop("That hand cannot be in this phase.")
    yield (
        (phase == "swap") != (played > 0),
        gettext_noop("Played cards lie apart while the swap is chosen, and only then."),
    )
    yield (
        phase == "swap"
        and (
            played not in (2, 3)
            or JOKER in state.played
            or circular(sum(VALUES[card] for card in state.played))
            != wanted(state.target, state.encounter)
        ),
        gettext_noop("A swap is chosen after a match with two or three cards."),
    )

    # Mismatches so far: each cost a life, each loop's end gave at most one back.
    recovered = loop - 1
    most = LIVES - lives + recovered
    least = LIVES - lives
    spoilt = TARGETS * (loop - 1) + len(state.finished) - state.defeated
    yield (
        spoilt < 0 or spoilt > most - state.missed,
        gettext_noop("The score does not fit the targets finished and the lives left."),
    )
    yield (
        (loop == 1 and spoilt + state.missed != least)
        or (least > 0 and not spoilt and not state.missed),
        gettext_noop("The score does not fit the lives lost."),
    )
    faced = TARGETS * loop * (loop - 1) // 2 + len(state.finished) * loop + state.encounter - 1
    faced += phase == "over"
    yield (
        not faced - most <= state.swaps <= faced - least,
        gettext_noop("The number of swaps is not the number of matches."),
    )
    yield (
        state.reshuffles > faced,
        gettext_noop("There were not that many draws that could reshuffle."),
    )
