"""Ouroboros Trick (rulebook 000; rulings are named where they are used).

Three to five players. Who wins a trick takes its cards into the pool and discards as many cards
of the hand as its lowest number says; who has neither hand nor pool after that has lost.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ouroboros_site.engine.errors import IllegalMove, InvalidMove, InvalidRecord, gettext_noop
from ouroboros_site.engine.protocol import Outcome, Termination
from ouroboros_site.engine.record import check_setup
from ouroboros_site.engine.shuffle import pick, shuffle

SLUG = "trick"
NAME = "Ouroboros Trick"
SEATS = range(3, 6)

HAND = 12
"""So many cards everybody is dealt, which are all there are."""
SUITS = "RYGB"
"""Red, yellow, green, blue (ruling: the rulebook names no colours), in the order of sorting."""
HIGHEST = {players: 3 * players for players in SEATS}
"""The highest number in the game, by the number of players."""

# A card is a small integer, whatever the number of players: 15 * suit + number - 1.
_NUMBERS = 15
TEXTS = tuple([f"{suit}{number}" for suit in SUITS for number in range(1, _NUMBERS + 1)])
CARDS = {text: card for card, text in enumerate(TEXTS)}
NUMBER = tuple([card % _NUMBERS + 1 for card in range(len(TEXTS))])
SUIT = tuple([card // _NUMBERS for card in range(len(TEXTS))])

Cards = tuple[int, ...]
Move = tuple[str, int]
"""Verb and card."""

_PLAYS: tuple[Move, ...] = tuple([("play", card) for card in range(len(TEXTS))])
_DISCARDS: tuple[Move, ...] = tuple([("discard", card) for card in range(len(TEXTS))])


class State(NamedTuple):
    """A position. Hands are sorted, pools in the order taken, the discard pile is bottom first.

    ``trick`` holds the cards that lie on the table, the leader's first; ``owed`` is how many cards
    the winner, who is the leader by then, still has to choose and discard.
    """

    seed: str
    phase: str
    leader: int
    trick: Cards
    owed: int
    hands: tuple[Cards, ...]
    pools: tuple[Cards, ...]
    discard: Cards
    tricks: int
    losers: tuple[int, ...]


def deck(players: int) -> Cards:
    """The cards of a game of so many, sorted.

    >>> [TEXTS[card] for card in deck(3)[7:11]]
    ['R8', 'R9', 'Y1', 'Y2']
    """
    return tuple([card for card in range(len(TEXTS)) if NUMBER[card] <= HIGHEST[players]])


def texts(cards: Iterable[int]) -> list[str]:
    """The texts of some cards, in their order."""
    return [TEXTS[card] for card in cards]


# --- set-up and end ------------------------------------------------------------------------------


def start(seed: str, players: int = SEATS[0], options: Mapping[str, Any] | None = None) -> State:
    """The first position of a deal (section "Cards and deal"); the first leader is drawn (ruling).

    :raises InvalidRecord: if seed, players or options are not of this game
    """
    check_setup(seed, players, SEATS, options or {}, {})
    dealt = shuffle(seed, "deal", deck(players))
    hands = [tuple(sorted(dealt[HAND * seat : HAND * (seat + 1)])) for seat in range(players)]
    return State(
        seed=seed,
        phase="play",
        leader=pick(seed, "lead", players),
        trick=(),
        owed=0,
        hands=tuple(hands),
        pools=((),) * players,
        discard=(),
        tricks=0,
        losers=(),
    )


def turn(state: State) -> int | None:
    """The seat to move, or None when the game is over; the winner of a trick is its leader."""
    if state.phase == "over":
        return None
    return (state.leader + len(state.trick)) % len(state.hands)


def scores(state: State) -> tuple[int, ...]:
    """One for each seat that has not lost."""
    return tuple([int(seat not in state.losers) for seat in range(len(state.hands))])


def outcome(state: State) -> Outcome | None:
    """Who has not lost, once somebody has neither hand nor pool, else None.

    Several, or all, can lose at once.
    """
    if state.phase != "over":
        return None
    points = scores(state)
    winners = tuple([seat for seat, point in enumerate(points) if point])
    return Outcome(Termination.OUT_OF_CARDS, points, winners)


def best(trick: Cards) -> int:
    """The place in the trick of the card that wins it as it lies.

    Any card of another suit than the one led is a trump; of equal trumps the last wins.

    >>> best(tuple(CARDS[text] for text in ("R9", "Y3", "R1", "G3")))
    3
    """
    led = SUIT[trick[0]]
    place = strongest = 0
    for at, card in enumerate(trick):
        strength = NUMBER[card] if SUIT[card] == led else NUMBER[card] + _NUMBERS
        if strength >= strongest:
            place, strongest = at, strength
    return place


# --- legality ------------------------------------------------------------------------------------


def legal_moves(state: State) -> tuple[Move, ...]:
    """Every legal move, cards in hand order."""
    if state.phase == "over":
        return ()
    if state.phase == "discard":
        return tuple([_DISCARDS[card] for card in state.hands[state.leader]])
    trick, hands = state.trick, state.hands
    hand = hands[(state.leader + len(trick)) % len(hands)]
    if trick:
        led = SUIT[trick[0]]
        same = [_PLAYS[card] for card in hand if SUIT[card] == led]
        if same:
            return tuple(same)
    return tuple([_PLAYS[card] for card in hand])


# Whole sentences for each suit: a language may need other words around each of them.
_NOT_HELD = (
    gettext_noop("You do not hold the red %(number)s."),
    gettext_noop("You do not hold the yellow %(number)s."),
    gettext_noop("You do not hold the green %(number)s."),
    gettext_noop("You do not hold the blue %(number)s."),
)
_FOLLOW = (
    gettext_noop("You hold red cards: follow the red %(number)s."),
    gettext_noop("You hold yellow cards: follow the yellow %(number)s."),
    gettext_noop("You hold green cards: follow the green %(number)s."),
    gettext_noop("You hold blue cards: follow the blue %(number)s."),
)


def refusal(state: State, move: Move) -> IllegalMove | None:
    """Why ``move`` may not be played here, or None if it may."""
    verb, card = move
    phase, trick, hands = state.phase, state.trick, state.hands
    if phase == "over":
        return IllegalMove("over", gettext_noop("The game is over."))
    if verb != phase:
        if verb == "discard":
            return IllegalMove(
                "no-discard",
                gettext_noop("Nothing is discarded now: only who wins a trick discards."),
            )
        if state.owed == 1:
            return IllegalMove(
                "discard-first",
                gettext_noop("You won the trick: discard one more card before you lead."),
            )
        return IllegalMove(
            "discard-first",
            gettext_noop("You won the trick: discard %(owed)s more cards before you lead."),
            owed=state.owed,
        )
    seat = (state.leader + len(trick)) % len(hands)
    hand = hands[seat]
    if card not in hand:
        if card in state.pools[seat]:
            return IllegalMove(
                "in-pool",
                gettext_noop("That card lies in your pool; take one of your hand."),
            )
        return IllegalMove("not-held", _NOT_HELD[SUIT[card]], number=NUMBER[card])
    if trick:
        led = SUIT[trick[0]]
        if SUIT[card] != led and any(SUIT[held] == led for held in hand):
            return IllegalMove("follow", _FOLLOW[led], number=NUMBER[trick[0]])
    return None


# --- playing -------------------------------------------------------------------------------------


def apply(state: State, move: Move) -> State:
    """The position after ``move``; what goes without asking belongs to the same ply.

    :raises IllegalMove: if it may not be played
    """
    if error := refusal(state, move):
        raise error
    verb, card = move
    hands, trick = state.hands, state.trick
    seat = (state.leader + len(trick)) % len(hands)
    hands = _with(hands, seat, tuple([held for held in hands[seat] if held != card]))
    if verb == "discard":
        state = state._replace(hands=hands, discard=(*state.discard, card), owed=state.owed - 1)
        return state if state.owed else _next_trick(state)
    trick = (*trick, card)
    if len(trick) < len(hands):
        return state._replace(hands=hands, trick=trick)
    return _finish_trick(state, hands, trick)


def _with(places: tuple[Cards, ...], seat: int, cards: Cards) -> tuple[Cards, ...]:
    """The same places, with other cards at one seat."""
    return places[:seat] + (cards,) + places[seat + 1 :]


def _finish_trick(state: State, hands: tuple[Cards, ...], trick: Cards) -> State:
    """The trick goes to its winner's pool, then cards go that are not chosen (ruling: sorted)."""
    winner = (state.leader + best(trick)) % len(hands)
    owed = min([NUMBER[card] for card in trick])
    hand, pool, discard = hands[winner], state.pools[winner] + trick, state.discard
    if len(hand) < owed:
        discard += hand
        owed -= len(hand)
        hand, pool = tuple(sorted(pool)), ()
    if len(hand) <= owed:
        discard += hand
        owed = 0
        hand = ()
    state = State(
        seed=state.seed,
        phase="discard",
        leader=winner,
        trick=(),
        owed=owed,
        hands=_with(hands, winner, hand),
        pools=_with(state.pools, winner, pool),
        discard=discard,
        tricks=state.tricks + 1,
        losers=(),
    )
    return state if owed else _next_trick(state)


def _next_trick(state: State) -> State:
    """Empty hands take their pools; who then has nothing has lost, or else the winner leads."""
    hands, pools = state.hands, state.pools
    if () not in hands:
        return state._replace(phase="play")
    losers = tuple([seat for seat, hand in enumerate(hands) if not hand and not pools[seat]])
    return state._replace(
        phase="over" if losers else "play",
        hands=tuple([hand or tuple(sorted(pool)) for hand, pool in zip(hands, pools, strict=True)]),
        pools=tuple([pool if hand else () for hand, pool in zip(hands, pools, strict=True)]),
        losers=losers,
    )


def report(state: State, move: Move) -> dict[str, Any]:
    """What ``move`` does, as facts for the log, which every seat may read.

    Always holds ``do`` (the verb), ``card``, ``discarded`` (cards that went without asking, in
    order), ``taken`` (seats that took their pool as a new hand) and ``over``; when it is over, the
    ``losers``. A discard has ``owed``, what is owed after it. A play has ``lead`` (whether it
    leads), ``led`` (the suit) and ``trump``; one that ends the trick also ``trick`` (pairs of seat
    and card), ``winner``, ``why`` ("highest", "trump" or "last-trump"), ``lowest`` (the number)
    and ``owes`` (how many cards the winner has to choose).

    :raises IllegalMove: if it may not be played
    """
    after = apply(state, move)
    verb, card = move
    over = after.phase == "over"
    ended = after.tricks > state.tricks
    facts: dict[str, Any] = {"do": verb, "card": TEXTS[card], "over": over}
    if verb == "discard":
        facts["owed"] = after.owed
    else:
        trick = (*state.trick, card)
        led = SUIT[trick[0]]
        facts["lead"] = len(trick) == 1
        facts["led"] = SUITS[led]
        facts["trump"] = SUIT[card] != led
        if ended:
            facts["trick"] = _pairs(state, trick)
            facts["winner"] = after.leader
            facts["why"] = _why(trick)
            facts["lowest"] = min([NUMBER[card] for card in trick])
            facts["owes"] = after.owed
    known = len(state.discard) + (verb == "discard")
    facts["discarded"] = texts(after.discard[known:])
    # The winner's pool holds at least the trick: if it is empty now, it was taken.
    facts["taken"] = [
        seat
        for seat, pool in enumerate(state.pools)
        if (pool or (ended and seat == after.leader)) and not after.pools[seat]
    ]
    if over:
        facts["losers"] = list(after.losers)
    return facts


def _pairs(state: State, trick: Cards) -> list[list[Any]]:
    """The cards of a trick with who played them, in order."""
    players = len(state.hands)
    return [[(state.leader + at) % players, TEXTS[card]] for at, card in enumerate(trick)]


def _why(trick: Cards) -> str:
    """By what the best card of a trick wins."""
    place = best(trick)
    led, card = SUIT[trick[0]], trick[place]
    if SUIT[card] == led:
        return "highest"
    equal = [
        other for other in trick[:place] if SUIT[other] != led and NUMBER[other] == NUMBER[card]
    ]
    return "last-trump" if equal else "trump"


# --- move texts ----------------------------------------------------------------------------------

_FORM = re.compile(r"(?:play|discard) (\S+)")
_HOW = {
    "play": gettext_noop("A play names one card: play R7."),
    "discard": gettext_noop("Cards are discarded one by one: discard R7."),
}


def parse_move(text: str) -> Move:
    """Read a move text.

    >>> parse_move("discard Y1")
    ('discard', 15)

    :raises InvalidMove: if it is no move text of this game
    """
    verb = text.split(" ", 1)[0]
    if verb not in _HOW:
        raise InvalidMove("verb", gettext_noop("This game has no such move."))
    match = _FORM.fullmatch(text)
    if match is None:
        raise InvalidMove("form", _HOW[verb])
    card = CARDS.get(match[1])
    if card is None:
        raise InvalidMove("card", gettext_noop("There is no card “%(card)s”."), card=match[1][:12])
    return verb, card


def format_move(move: Move) -> str:
    """The text of a move.

    >>> format_move(("play", 59))
    'play B15'
    """
    verb, card = move
    return f"{verb} {TEXTS[card]}"


# --- what is seen and stored ---------------------------------------------------------------------


def view(state: State, seat: int | None) -> dict[str, Any]:
    """What a seat sees (section of that name); a spectator sees no hand and no pool.

    ``hands``, ``pools`` and ``discarded`` are counts, ``top`` is the top of the discard pile;
    ``winning`` and ``lowest`` are the seat that wins the trick as it lies and its lowest number.
    """
    trick = state.trick
    players = len(state.hands)
    return {
        "phase": state.phase,
        "turn": turn(state),
        "leader": state.leader,
        "owed": state.owed,
        "tricks": state.tricks,
        "losers": list(state.losers),
        "players": players,
        "trick": _pairs(state, trick),
        "hand": [] if seat is None else texts(state.hands[seat]),
        "pool": [] if seat is None else texts(state.pools[seat]),
        "hands": [len(hand) for hand in state.hands],
        "pools": [len(pool) for pool in state.pools],
        "top": TEXTS[state.discard[-1]] if state.discard else None,
        "discarded": len(state.discard),
        "winning": (state.leader + best(trick)) % players if trick else None,
        "lowest": min([NUMBER[card] for card in trick]) if trick else None,
    }


def position(state: State) -> dict[str, Any]:
    """The position as a trace prints it (section "Position")."""
    return {
        "phase": state.phase,
        "turn": turn(state),
        "leader": state.leader,
        "trick": _pairs(state, state.trick),
        "owed": state.owed,
        "hands": [texts(hand) for hand in state.hands],
        "pools": [texts(pool) for pool in state.pools],
        "discard": texts(state.discard),
        "tricks": state.tricks,
        "losers": list(state.losers),
    }


def encode(state: State) -> dict[str, Any]:
    """The whole state, JSON-ready."""
    return {
        "seed": state.seed,
        "players": len(state.hands),
        "options": {},
        "position": position(state),
    }


def decode(data: Mapping[str, Any]) -> State:
    """The state that ``encode`` wrote.

    :raises InvalidRecord: if the data do not have the form of a position of this game
    """
    there, players = data["position"], data["players"]
    try:
        hands = [tuple([CARDS[text] for text in hand]) for hand in there["hands"]]
        pools = [tuple([CARDS[text] for text in pool]) for pool in there["pools"]]
        state = State(
            seed=data["seed"],
            phase=there["phase"],
            leader=there["leader"],
            trick=tuple([CARDS[text] for _, text in there["trick"]]),
            owed=there["owed"],
            hands=tuple(hands),
            pools=tuple(pools),
            discard=tuple([CARDS[text] for text in there["discard"]]),
            tricks=there["tricks"],
            losers=tuple(there["losers"]),
        )
        numbers = (state.leader, state.owed, state.tricks, *state.losers)
        if not (
            len(hands) == len(pools) == players
            and players in SEATS
            and all(type(number) is int and number >= 0 for number in numbers)
            and state.leader < players
        ):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise InvalidRecord(
            "position", gettext_noop("This is no position of Ouroboros Trick.")
        ) from None
    return state


def check(state: State) -> None:
    """Check a state that comes from outside: its cards, and what its counts and phases allow.

    :raises InvalidRecord: with the first thing that is wrong
    """
    for wrong, sentence in _faults(state):
        if wrong:
            raise InvalidRecord("position", sentence)


def _faults(state: State) -> Iterator[tuple[bool, str]]:
    """Pairs of "is it so" and the sentence that says so, from the plainest to the finest."""
    phase, hands, pools, trick, owed = (
        state.phase,
        state.hands,
        state.pools,
        state.trick,
        state.owed,
    )
    players = len(hands)
    seats = range(players)
    cards = [card for place in (*hands, *pools, trick, state.discard) for card in place]
    yield (
        sorted(cards) != list(deck(players)),
        gettext_noop("The cards of the position are not exactly the game's deck."),
    )
    yield (
        phase not in ("play", "discard", "over"),
        gettext_noop("There is no such phase."),
    )
    yield (
        any(hand != tuple(sorted(hand)) for hand in hands),
        gettext_noop("A hand is sorted by suit and number."),
    )
    yield (
        len(trick) >= players or (phase != "play" and len(trick) > 0),
        gettext_noop("A trick is taken as soon as everybody has played to it."),
    )
    yield (
        (phase == "discard") != (owed > 0),
        gettext_noop("Cards are owed while the winner discards, and only then."),
    )
    yield (
        any(len(pool) % players for pool in pools),
        gettext_noop("Pools are made of whole tricks."),
    )
    yield (
        phase != "play" and state.tricks == 0,
        gettext_noop("Before the first trick is over nobody discards or has lost."),
    )

    waiting = [(state.leader + at) % players for at in range(len(trick), players)]
    nothing = [seat for seat in seats if not hands[seat] and not pools[seat]]
    yield (
        list(state.losers) != (nothing if phase == "over" else []),
        gettext_noop("Who has neither hand nor pool at the end has lost, and nobody else."),
    )
    yield phase == "over" and not nothing, gettext_noop("Nobody has lost.")
    yield (
        phase == "over" and any(pools[seat] and not hands[seat] for seat in seats),
        gettext_noop("An empty hand takes the pool before the game is over."),
    )
    yield (
        phase == "play" and any(not hands[seat] for seat in waiting),
        gettext_noop("Who is still to play has a card in hand."),
    )
    yield (
        phase == "discard" and len(hands[state.leader]) <= owed,
        gettext_noop("The winner chooses only when some of the hand will be left."),
    )
    led = SUIT[trick[0]] if trick else None
    yield (
        any(
            SUIT[card] != led
            and any(SUIT[held] == led for held in hands[(state.leader + at) % players])
            for at, card in enumerate(trick)
        ),
        gettext_noop("Who holds a card of the suit led has played one."),
    )

    last = pools[state.leader][-players:]
    lowest = min([NUMBER[card] for card in last], default=_largest_lowest(players))
    yield (
        phase == "discard" and owed > lowest,
        gettext_noop("No more cards are owed than the lowest number of the trick."),
    )
    # Every trick costs its winner one card at least, be it still to come.
    yield (
        state.tricks > len(state.discard) + (phase == "discard"),
        gettext_noop("There cannot have been that many tricks."),
    )
    won = [_tricks_won(state, seat) for seat in seats]
    yield (
        None in won or sum([least for least in won if least]) > state.tricks,
        gettext_noop("That many tricks do not lead to these numbers of cards."),
    )


def _largest_lowest(players: int) -> int:
    """The largest number that can be the lowest of a trick: there are four cards of each."""
    return HIGHEST[players] - (players > len(SUITS))


def _tricks_won(state: State, seat: int) -> int | None:
    """The fewest tricks a seat can have won to have as many cards as it has; None if none will do.

    Every trick cost it the card it played, every one it won brought a card of each player and cost
    at least one card and at most as many as can be the lowest number. Winning more than the fewest
    is always possible, too, as it can bring as much as it costs.
    """
    players = len(state.hands)
    leads = seat == state.leader and state.tricks > 0
    owed = state.owed if leads else 0
    played = (seat - state.leader) % players < len(state.trick)
    had = HAND - state.tricks - played
    has = len(state.hands[seat]) + len(state.pools[seat])
    for won in range(state.tricks + 1):
        discarded = had + players * won - has
        least = won - (owed > 0)
        most = _largest_lowest(players) * won - owed
        in_pool = len(state.pools[seat]) // players
        if won >= max(leads, in_pool) and least <= discarded <= most:
            return won
    return None
