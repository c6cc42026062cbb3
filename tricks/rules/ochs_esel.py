"""Ochs & Esel (rulebook 001; rulings are named where they are used).

Three to twelve players get rid of their cards in turn rounds: everybody has one turn, tops what
lies there with exactly as many cards or passes. Donkey and ox turn the other way round: the
highest card takes everything.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ouroboros_site.engine.errors import IllegalMove, InvalidMove, InvalidRecord, gettext_noop
from ouroboros_site.engine.protocol import Outcome, Termination
from ouroboros_site.engine.record import check_setup
from ouroboros_site.engine.shuffle import pick, shuffle

SLUG = "ochs-esel"
NAME = "Ochs & Esel"
SEATS = range(3, 13)

OPTIONS = {"rounds": 5, "ox": False}
"""Every option with its default."""
MOST_ROUNDS = 20

JOKER, DONKEY, OX = 14, 15, 16
"""Cards are small integers: a number card is its number, then joker, donkey and ox."""
TEXTS = ("", *map(str, range(1, 14)), "J", "E", "O")
CARDS = {text: card for card, text in enumerate(TEXTS) if text}
LABELS = (
    *TEXTS[:JOKER],
    gettext_noop("joker"),
    gettext_noop("donkey"),
    gettext_noop("ox"),
)

POINTS: tuple[int, ...] = (*range(15), 20, 15)
"""Minus points of each card in a hand."""
LAID_POINTS: tuple[int, ...] = (*range(14), 1, 20, 0)
"""Minus points of each card laid down in an ox turn round; the donkey never lies there."""

Cards = tuple[int, ...]
"""Some cards, ascending, so numbers come before jokers."""

Move = Cards
"""The cards to play; none means pass."""

NUMBERS = tuple([number for number in range(1, 14) for _ in range(8)])
PACK: Cards = (*NUMBERS, *[JOKER] * 4)
"""The cards that are dealt."""

PLAIN = 0
"""The kind of a turn round that no animal leads; that of another is the animal."""
KINDS = {PLAIN: "plain", DONKEY: "donkey", OX: "ox"}
MIDDLE = (OX, DONKEY)
"""With the ox: what the winners of the first and of the second turn round take."""

WORTH: tuple[int, ...] = (*range(15), 0, 0)
"""What a card is worth in a turn round; of several played together the first decides."""
ANIMAL_WORTH: tuple[int, ...] = (*range(14), 1, 0, 0)
"""What a card is worth in the turn round of donkey or ox."""


class State(NamedTuple):
    """A position.

    Round, phase, middle, totals and winners follow from the rest. ``barred`` is the animal that
    may not be led in this turn round, or 0; ``turn`` is -1 when the game is over; ``kind``,
    ``number`` (how many cards are to be played), ``value`` and ``best`` (-1: nobody) follow from
    the table but are kept at hand.
    """

    seed: str
    rounds: int
    ox: bool
    tallies: tuple[tuple[int, ...], ...]
    turn_round: int
    aside: Cards
    gone: Cards
    laid: tuple[Cards, ...]
    barred: int
    turn: int
    leader: int
    kind: int
    number: int
    value: int
    best: int
    table: tuple[tuple[int, Cards], ...]
    hands: tuple[Cards, ...]


# --- set-up and end ------------------------------------------------------------------------------


def dealt(players: int) -> int:
    """How many cards each player is dealt.

    >>> [dealt(players) for players in SEATS]
    [13, 13, 13, 13, 13, 13, 12, 10, 9, 9]
    """
    return min(13, len(PACK) // players)


def start(seed: str, players: int = 3, options: Mapping[str, Any] | None = None) -> State:
    """The first position of a game (section "Cards and deal").

    :param options: ``rounds`` (1–20, by default 5) and ``ox`` (by default False)
    :raises InvalidRecord: if seed, players or options are not of this game
    """
    chosen = check_setup(seed, players, SEATS, options or {}, OPTIONS)
    if not 1 <= chosen["rounds"] <= MOST_ROUNDS:
        raise InvalidRecord("options", gettext_noop("A game has 1 to 20 rounds."))
    first = pick(seed, "start", players)
    return _deal(seed, players, chosen["rounds"], chosen["ox"], (), first)


def _deal(
    seed: str, players: int, rounds: int, ox: bool, tallies: tuple[tuple[int, ...], ...], first: int
) -> State:
    """The position at the beginning of a round, which ``first`` starts."""
    pack = shuffle(seed, f"round-{len(tallies) + 1}", PACK)
    size = dealt(players)
    hands = [sorted(pack[seat * size : seat * size + size]) for seat in range(players)]
    if not ox:
        hands[first].append(DONKEY)
    return State(
        seed=seed,
        rounds=rounds,
        ox=ox,
        tallies=tallies,
        turn_round=1,
        aside=tuple(sorted(pack[players * size :])),
        gone=(),
        laid=((),) * players,
        barred=0,
        turn=first,
        leader=first,
        kind=PLAIN,
        number=0,
        value=-1,
        best=-1,
        table=(),
        hands=tuple(map(tuple, hands)),
    )


def turn(state: State) -> int | None:
    """The seat to move, or None when the game is over."""
    return None if state.turn < 0 else state.turn


def scores(state: State) -> tuple[int, ...]:
    """The minus points of each seat in the rounds that are over."""
    if not state.tallies:
        return (0,) * len(state.hands)
    return tuple(map(sum, zip(*state.tallies, strict=True)))


def outcome(state: State) -> Outcome | None:
    """Who has the fewest minus points once all rounds are played, else None."""
    if state.turn >= 0:
        return None
    return Outcome(Termination.ROUNDS_PLAYED, scores(state), _winners(state))


def _winners(state: State) -> Cards:
    """The seats that won, none before the end; equals share the win (ruling)."""
    if state.turn >= 0:
        return ()
    totals = scores(state)
    return tuple([seat for seat, total in enumerate(totals) if total == min(totals)])


def _round(state: State) -> int:
    """The number of the round, from 1; after the end that of the last."""
    return min(len(state.tallies) + 1, state.rounds)


def _middle(state: State) -> Cards:
    """The animals that lie in the middle: with the ox, until the second turn round is won."""
    return MIDDLE[state.turn_round - (state.turn >= 0) :] if state.ox else ()


def _points(hand: Iterable[int], laid: Iterable[int]) -> int:
    """The minus points for the cards of a hand and for those laid down."""
    return sum([POINTS[card] for card in hand]) + sum([LAID_POINTS[card] for card in laid])


# --- legality ------------------------------------------------------------------------------------

SINGLES = tuple([(card,) for card in range(17)])
SETS = tuple(
    [
        [[(card,) * number + (JOKER,) * jokers for jokers in range(5)] for number in range(9)]
        for card in range(JOKER)
    ]
)
"""``SETS[card][number][jokers]``: that many of a number card with that many jokers."""
PASS: tuple[Move, ...] = ((),)


def legal_moves(state: State) -> tuple[Move, ...]:
    """Every legal move: by value, jokers alone, animals, at last the pass."""
    if state.turn < 0:
        return ()
    hand = state.hands[state.turn]
    if not state.number:
        return _leads(hand, state.barred)
    if state.kind:
        return tuple([SINGLES[card] for card in dict.fromkeys(hand) if card <= JOKER]) or PASS
    count = state.number
    higher = hand[bisect_right(hand, state.value) :]
    if count == 1:
        cards = dict.fromkeys(higher)
        return (*[SINGLES[card] for card in cards if card <= JOKER], ())
    jokers = hand.count(JOKER)
    moves: list[Move] = []
    for card in dict.fromkeys(higher):
        if card < JOKER:
            held, plays = higher.count(card), SETS[card]
            for number in range(min(held, count), max(0, count - jokers - 1), -1):
                moves.append(plays[number][count - number])
    if jokers >= count and state.value < JOKER:
        moves.append((JOKER,) * count)
    moves.append(())
    return tuple(moves)


def _leads(hand: Cards, barred: int) -> tuple[Move, ...]:
    """What a leader may play; with nothing but a barred animal there is only the pass."""
    jokers = hand.count(JOKER)
    moves: list[Move] = []
    for card in dict.fromkeys(hand):
        if card < JOKER:
            plays = SETS[card]
            for number in range(1, hand.count(card) + 1):
                moves += plays[number][: jokers + 1]
        elif card == JOKER:
            moves += [(JOKER,) * number for number in range(1, jokers + 1)]
        elif card != barred:
            moves.append((card,))
    return tuple(moves) or PASS


def refusal(state: State, move: Move) -> IllegalMove | None:
    """Why ``move`` may not be played here, or None if it may."""
    if state.turn < 0:
        return IllegalMove("over", gettext_noop("The game is over."))
    hand = state.hands[state.turn]
    if not move:
        return _refusal_to_pass(state, hand)
    first, last = move[0], move[-1]
    if len(move) == 1:
        if first not in hand:
            return _not_held(hand, first)
    else:
        for card in move:
            if hand.count(card) < move.count(card):
                return _not_held(hand, card)
        if last > JOKER:
            return IllegalMove(
                "animal-alone",
                gettext_noop("The donkey is played alone.")
                if last == DONKEY
                else gettext_noop("The ox is played alone."),
            )
        if any(card not in (first, JOKER) for card in move):
            return IllegalMove(
                "one-value",
                gettext_noop("Cards played together have one value; only jokers may be added."),
            )
    if last > JOKER:
        return _refusal_of_animal(state, last)
    if not state.number:
        return None
    if state.kind:
        return None if len(move) == 1 else _single_card_only(state.kind)
    if len(move) != state.number or first <= state.value:
        return _not_higher(state)
    return None


def _not_held(hand: Cards, card: int) -> IllegalMove:
    held = hand.count(card)
    if held:
        return IllegalMove(
            "too-many",
            gettext_noop("Of the card %(card)s you hold only %(held)s."),
            card=LABELS[card],
            held=held,
        )
    return IllegalMove(
        "not-in-hand", gettext_noop("There is no %(card)s in your hand."), card=LABELS[card]
    )


def _refusal_to_pass(state: State, hand: Cards) -> IllegalMove | None:
    """Passing is for those who follow, and for who holds nothing that may be played."""
    if state.kind:
        if hand[0] > JOKER:
            return None
        return _single_card_only(state.kind)
    if state.number or hand == (state.barred,):
        return None
    return IllegalMove(
        "leader-pass", gettext_noop("The leader may not pass: play one or more cards of one value.")
    )


def _refusal_of_animal(state: State, card: int) -> IllegalMove | None:
    """Why the animal ``card``, which is in the hand, may not be played."""
    if state.kind:
        return IllegalMove(
            "two-animals", gettext_noop("Ox and donkey are never played in the same turn round.")
        )
    if state.number:
        return IllegalMove(
            "animal-leads",
            gettext_noop("Only the leader may play the donkey.")
            if card == DONKEY
            else gettext_noop("Only the leader may play the ox."),
        )
    if card != state.barred:
        return None
    return IllegalMove(
        "animal-barred",
        gettext_noop(
            "You received the donkey in the last turn round: "
            "it may be led in the next one at the earliest."
        )
        if card == DONKEY
        else gettext_noop(
            "You received the ox in the last turn round: "
            "it may be led in the next one at the earliest."
        ),
    )


def _single_card_only(kind: int) -> IllegalMove:
    return IllegalMove(
        "single-card",
        gettext_noop("The donkey is led: play exactly one card, of any value; nobody may pass.")
        if kind == DONKEY
        else gettext_noop("The ox is led: play exactly one card, of any value; nobody may pass."),
    )


def _not_higher(state: State) -> IllegalMove:
    """The cards are too few, too many or too low."""
    if state.value == JOKER:
        return IllegalMove("higher", gettext_noop("Nothing tops jokers played alone: pass."))
    if state.number == 1:
        return IllegalMove(
            "higher",
            gettext_noop("To top the %(value)s, play exactly one card of a higher value, or pass."),
            value=state.value,
        )
    return IllegalMove(
        "higher",
        gettext_noop(
            "To top %(count)s cards of value %(value)s, "
            "play exactly %(count)s of a higher value, or pass."
        ),
        count=state.number,
        value=state.value,
    )


# --- playing -------------------------------------------------------------------------------------


def apply(state: State, move: Move) -> State:
    """The position after ``move``; the end of a round and the next deal belong to the same ply.

    :raises IllegalMove: if it may not be played
    """
    if error := refusal(state, move):
        raise error
    return _advance(state, move, None)


def report(state: State, move: Move) -> dict[str, Any]:
    """What ``move`` does, as facts for the log; every seat reads them.

    Always holds ``do`` ("play" or "pass"), ``lead`` and ``over``; a play also ``cards``,
    ``number``, ``value`` (what it is worth in this turn round) and ``kind``. The end of a turn
    round adds ``table``, ``winner``, ``kind``, ``best`` (the winner's cards), ``takes`` ("hand",
    "laid" or None), ``number_taken``, ``animal`` (taken from the middle, or None) and
    ``turn_round``; that of a round ``tally`` and ``totals``; that of the game ``winners``.

    :raises IllegalMove: if it may not be played
    """
    if error := refusal(state, move):
        raise error
    facts: dict[str, Any] = {"do": "play" if move else "pass", "lead": not state.number}
    after = _advance(state, move, facts)
    facts["over"] = after.turn < 0
    if after.turn < 0:
        facts["winners"] = list(_winners(after))
    return facts


def _advance(state: State, move: Move, facts: dict[str, Any] | None) -> State:
    """Play a legal move and write into ``facts``, if given, what happened."""
    seat, hands, players = state.turn, state.hands, len(state.hands)
    leader, kind, number = state.leader, state.kind, state.number
    value, best = state.value, state.best
    if move:
        hands = (*hands[:seat], _without(hands[seat], move), *hands[seat + 1 :])
        first = move[0]
        if not number:
            number = len(move)
            kind = first if first > JOKER else PLAIN
        worth = ANIMAL_WORTH[first] if kind else WORTH[first]
        # Among equals, which only an animal's turn round has, the last counts.
        if worth >= value:
            value, best = worth, seat
        if facts is not None:
            facts["cards"] = texts(move)
            facts["number"] = len(move)
            facts["value"] = worth
            facts["kind"] = KINDS[kind]
    elif not number:
        leader = (seat + 1) % players
    table = (*state.table, (seat, move))
    if len(table) == players:
        return _end_turn_round(state, kind, best, table, hands, facts)
    # The first nine fields are those that stay as they are during a turn round.
    return State(*state[:9], (seat + 1) % players, leader, kind, number, value, best, table, hands)


def _without(hand: Cards, cards: Cards) -> Cards:
    """A hand after some of its cards were played."""
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return tuple(rest)


def _given(places: tuple[Cards, ...], seat: int, cards: Cards) -> tuple[Cards, ...]:
    """The hands, or the cards laid down, after a seat took some cards."""
    return (*places[:seat], tuple(sorted(places[seat] + cards)), *places[seat + 1 :])


def _end_turn_round(
    state: State,
    kind: int,
    winner: int,
    table: tuple[tuple[int, Cards], ...],
    hands: tuple[Cards, ...],
    facts: dict[str, Any] | None,
) -> State:
    """The winner takes what there is to take; only then a hand may be found empty (ruling)."""
    played = tuple([card for _, cards in table for card in cards])
    laid, gone, barred = state.laid, state.gone, 0
    animals: Cards = ()
    if kind == DONKEY:
        hands = _given(hands, winner, played)
        barred = DONKEY
    elif kind == OX:
        laid = _given(laid, winner, played)
    else:
        gone = tuple(sorted(gone + played))
        if animals := _middle(state)[:1]:
            hands = _given(hands, winner, animals)
            barred = animals[0]
    if facts is not None:
        facts["table"] = [[seat, texts(cards)] for seat, cards in table]
        facts["winner"] = winner
        facts["kind"] = KINDS[kind]
        facts["best"] = next(texts(cards) for seat, cards in table if seat == winner)
        facts["takes"] = {DONKEY: "hand", OX: "laid"}.get(kind)
        facts["number_taken"] = len(played) if kind else 0
        facts["animal"] = TEXTS[animals[0]] if animals else None
        facts["turn_round"] = state.turn_round
    over = () in hands
    ended = state._replace(
        turn_round=state.turn_round + (not over),
        gone=gone,
        laid=laid,
        barred=0 if over else barred,
        turn=winner,
        leader=winner,
        kind=PLAIN,
        number=0,
        value=-1,
        best=-1,
        table=(),
        hands=hands,
    )
    return _end_round(ended, facts) if over else ended


def _end_round(state: State, facts: dict[str, Any] | None) -> State:
    """Note down the minus points; then the donkey's holder starts the next round (ruling)."""
    tally = tuple(map(_points, state.hands, state.laid))
    donkey = _holder(state, DONKEY)
    tallies = (*state.tallies, tally)
    first = state.leader if donkey is None else donkey
    over = len(tallies) == state.rounds
    if facts is not None:
        facts["tally"] = {
            "round": len(tallies),
            "points": list(tally),
            "laid": [_points((), laid) for laid in state.laid],
            "donkey": donkey,
            "ox": _holder(state, OX),
            "out": [seat for seat, hand in enumerate(state.hands) if not hand],
            "started": None if state.tallies else pick(state.seed, "start", len(tally)),
            "starts": None if over else first,
        }
        facts["totals"] = list(map(sum, zip(*tallies, strict=True)))
    if over:
        return state._replace(tallies=tallies, turn=-1)
    return _deal(state.seed, len(tally), state.rounds, state.ox, tallies, first)


def _holder(state: State, animal: int) -> int | None:
    """The seat that has the animal in its hand."""
    for seat, hand in enumerate(state.hands):
        if animal in hand:
            return seat
    return None


# --- move texts ----------------------------------------------------------------------------------

_PLAY = re.compile(r"play( \S+)+")


def parse_move(text: str) -> Move:
    """Read a move text (sections "Turn round" and "Position"); cards come in any order.

    >>> parse_move("play 6 J 6"), parse_move("pass")
    ((6, 6, 14), ())

    :raises InvalidMove: if it is no move text of this game
    """
    verb = text.split(" ", 1)[0]
    if verb not in ("play", "pass"):
        raise InvalidMove("verb", gettext_noop("This game has no such move."))
    if text == "pass":
        return ()
    if verb == "pass":
        raise InvalidMove("form", gettext_noop("A pass is just the word: pass."))
    if _PLAY.fullmatch(text) is None:
        raise InvalidMove("form", gettext_noop("A play names its cards: play 6 6 J."))
    return tuple(sorted([_parse_card(word) for word in text.split(" ")[1:]]))


def _parse_card(word: str) -> int:
    card = CARDS.get(word)
    if card is None:
        raise InvalidMove("card", gettext_noop("There is no card “%(card)s”."), card=word[:12])
    return card


def format_move(move: Move) -> str:
    """The text of a move, numbers before jokers.

    >>> format_move((6, 6, 14)), format_move(())
    ('play 6 6 J', 'pass')
    """
    return " ".join(["play", *texts(move)]) if move else "pass"


# --- for pages -----------------------------------------------------------------------------------


def texts(cards: Iterable[int]) -> list[str]:
    """The texts of some cards, in their order."""
    return [TEXTS[card] for card in cards]


def minus_points(cards: Iterable[str]) -> int:
    """What the cards of a hand cost if the round ends.

    >>> minus_points(["3", "10", "J"])
    27
    """
    return sum([POINTS[CARDS[card]] for card in cards])


def worth(cards: Iterable[str], kind: str) -> int | None:
    """What cards played together are worth in a turn round of this kind; None if nothing is played.

    That they may be played together is not checked.

    >>> worth(["11", "J"], "plain"), worth(["J"], "plain"), worth(["J"], "donkey")
    (11, 14, 1)
    """
    held = [CARDS[card] for card in cards]
    if not held:
        return None
    return (WORTH if kind == "plain" else ANIMAL_WORTH)[min(held)]


# --- what is seen and stored ---------------------------------------------------------------------


def _public(state: State) -> dict[str, Any]:
    """What position and view have in common, all of it open to everybody."""
    return {
        "round": _round(state),
        "turn_round": state.turn_round,
        "phase": "over" if state.turn < 0 else "play",
        "turn": turn(state),
        "leader": state.leader,
        "kind": KINDS[state.kind],
        "count": state.number,
        "value": state.value,
        "best": None if state.best < 0 else state.best,
        "table": [[seat, texts(cards)] for seat, cards in state.table],
        "middle": texts(_middle(state)),
        "barred": [TEXTS[state.barred]] if state.barred else [],
        "tallies": [list(tally) for tally in state.tallies],
        "totals": list(scores(state)),
        "winners": list(_winners(state)),
    }


def view(state: State, seat: int | None) -> dict[str, Any]:
    """What a seat sees (section of that name): of the others' cards only how many there are.

    ``holders`` says who has which animal in the hand. Nothing of the cards that are gone, set
    aside or laid down, and not the seed.
    """
    return _public(state) | {
        "rounds": state.rounds,
        "ox": state.ox,
        "players": len(state.hands),
        "hand": [] if seat is None else texts(state.hands[seat]),
        "hands": [len(hand) for hand in state.hands],
        "holders": {"E": _holder(state, DONKEY), "O": _holder(state, OX)},
        "laid": [len(laid) for laid in state.laid],
    }


def position(state: State) -> dict[str, Any]:
    """The position as a trace prints it (section "Position")."""
    return _public(state) | {
        "hands": [texts(hand) for hand in state.hands],
        "laid": [texts(laid) for laid in state.laid],
        "gone": texts(state.gone),
        "aside": texts(state.aside),
    }


def encode(state: State) -> dict[str, Any]:
    """The whole state, JSON-ready."""
    return {
        "seed": state.seed,
        "players": len(state.hands),
        "options": {"rounds": state.rounds, "ox": state.ox},
        "position": position(state),
    }


def decode(data: Mapping[str, Any]) -> State:
    """The state that ``encode`` wrote.

    What follows from the rest is not read; a record whose start says otherwise does not print
    like it, and is refused for that.

    :raises InvalidRecord: if the data do not have the form of a position of this game
    """
    there, options = data["position"], {**OPTIONS, **data["options"]}
    try:
        players = data["players"]
        hands = tuple([_read_cards(cards) for cards in there["hands"]])
        laid = tuple([_read_cards(cards) for cards in there["laid"]])
        table = tuple(
            [(_count(seat, players), _read_cards(cards)) for seat, cards in there["table"]]
        )
        tallies = tuple([tuple([_count(n) for n in tally]) for tally in there["tallies"]])
        if {players} != {len(hands), len(laid), *map(len, tallies)}:
            raise ValueError
        over = there["phase"] == "over"
        leader, kind, number, value, best = _standing(
            _count(there["leader"], players), table, players
        )
        return State(
            seed=data["seed"],
            rounds=options["rounds"],
            ox=options["ox"],
            tallies=tallies,
            turn_round=_count(there["turn_round"]),
            aside=_read_cards(there["aside"]),
            gone=_read_cards(there["gone"]),
            laid=laid,
            barred=_read_animal(there["barred"]),
            turn=-1 if over else (table[-1][0] + 1) % players if table else leader,
            leader=leader,
            kind=kind,
            number=number,
            value=value,
            best=best,
            table=table,
            hands=hands,
        )
    except (KeyError, TypeError, ValueError):
        raise InvalidRecord(
            "position", gettext_noop("This is no position of Ochs & Esel.")
        ) from None


def _read_cards(cards: list[str]) -> Cards:
    return tuple(sorted([CARDS[card] for card in cards]))


def _read_animal(cards: list[str]) -> int:
    """A list of at most one animal as a card, or 0."""
    if not isinstance(cards, list) or len(cards) > 1:
        raise ValueError
    return CARDS[cards[0]] if cards else 0


def _count(number: Any, limit: int = 10**9) -> int:
    """A whole number from 0 to below ``limit``."""
    if type(number) is not int or not 0 <= number < limit:
        raise ValueError
    return number


def _standing(
    leader: int, table: tuple[tuple[int, Cards], ...], players: int
) -> tuple[int, int, int, int, int]:
    """Leader, kind, number, value and best as they follow from what lies on the table."""
    kind, number, value, best = PLAIN, 0, -1, -1
    if table:
        leader = table[0][0]
    for seat, cards in table:
        if not cards:
            leader = leader if number else (seat + 1) % players
            continue
        if not number:
            kind = cards[0] if cards[0] > JOKER else PLAIN
            leader, number = seat, len(cards)
        worth = ANIMAL_WORTH[cards[0]] if kind else WORTH[cards[0]]
        if worth >= value:
            value, best = worth, seat
    return leader, kind, number, value, best


def check(state: State) -> None:
    """Check a state that comes from outside: its cards, and what its counts and phases allow.

    :raises InvalidRecord: with the first thing that is wrong
    """
    for faults in (_card_faults, _table_faults, _round_faults, _tally_faults):
        for wrong, sentence in faults(state):
            if wrong:
                raise InvalidRecord("position", sentence)


Faults = Iterator[tuple[bool, str]]
"""Pairs of "is it so" and the sentence that says so."""


def _first(state: State) -> int:
    """Who began the turn round: the winner of the one before, or the starter of the round."""
    return state.table[0][0] if state.table else state.leader


def _hands_before(state: State) -> tuple[Cards, ...]:
    """The hands at the beginning of the turn round."""
    played = dict(state.table)
    return tuple(
        [tuple(sorted(hand + played.get(seat, ()))) for seat, hand in enumerate(state.hands)]
    )


def _card_faults(state: State) -> Faults:
    """Every card of the game is there, and lies where such a card can lie."""
    players = len(state.hands)
    laid = [card for cards in state.laid for card in cards]
    held = [card for hand in _hands_before(state) for card in hand]
    everything = [*held, *laid, *state.gone, *state.aside]
    yield state.turn_round < 1, gettext_noop("Turn rounds count from 1.")
    yield (
        sorted([*everything, *_middle(state)]) != [*PACK, DONKEY, *[OX] * state.ox],
        gettext_noop("The cards of the position are not exactly those of the game."),
    )
    yield (
        len(state.aside) != len(PACK) - players * dealt(players),
        gettext_noop("With this number of players another number of cards is set aside."),
    )
    yield (
        any(card > JOKER for card in state.aside + state.gone) or DONKEY in laid,
        gettext_noop("Donkey and ox are never out of the game, and only the ox is laid down."),
    )
    yield (
        bool(laid)
        and not any(
            OX in cards and players - 1 <= len(cards) == len(laid) <= players
            for cards in state.laid
        ),
        gettext_noop("Laid down are the cards of one ox turn round, the ox among them."),
    )
    yield (
        (() in _hands_before(state)) == (state.turn >= 0),
        gettext_noop("A round is over when a turn round has left a hand empty, and only then."),
    )


def _table_faults(state: State) -> Faults:
    """The turn round so far is one that the rules allow."""
    players, table, first, barred = len(state.hands), state.table, _first(state), state.barred
    over = state.turn < 0
    yield over and bool(table), gettext_noop("At the end the table is cleared.")
    yield (
        len(table) >= players
        or [seat for seat, _ in table]
        != [(first + place) % players for place in range(len(table))],
        gettext_noop("In a turn round everybody has one turn, clockwise."),
    )
    # Only the ox variant's middle gives an animal away at a fixed time.
    due = {2: OX, 3: DONKEY, 4: 0}.get(state.turn_round, barred) if state.ox else barred
    yield (
        barred not in (0, DONKEY, OX)
        or barred != (0 if over else due)
        or (barred == OX and state.turn_round != 2)
        or (barred == DONKEY and state.turn_round == 1),
        gettext_noop("Barred is the animal that was received in the turn round before."),
    )
    before = state._replace(hands=_hands_before(state), table=(), turn=first)
    yield (
        barred != 0 and barred not in before.hands[first],
        gettext_noop("The barred animal is in the hand of who won the turn round before."),
    )
    # What lies on the table is played once more.
    before = before._replace(leader=first, kind=PLAIN, number=0, value=-1, best=-1)
    for _, cards in table:
        yield (
            refusal(before, cards) is not None,
            gettext_noop("What lies on the table may not have been played like this."),
        )
        before = _advance(before, cards, None)


def _round_faults(state: State) -> Faults:
    """The places fit the number of turn rounds of this round."""
    players, first, ox = len(state.hands), _first(state), state.ox
    size, over = dealt(players), state.turn < 0
    finished = state.turn_round - 1 + over
    hands = _hands_before(state)
    laid = any(state.laid)
    unfit = gettext_noop("The cards do not fit the number of turn rounds.")

    starter = DONKEY in hands[first] and not ox
    yield (
        not finished
        and (
            bool(state.gone)
            or starter == ox
            or any(
                len(hand) != size + (starter and seat == first) for seat, hand in enumerate(hands)
            )
        ),
        gettext_noop("In the first turn round everybody still has the cards that were dealt."),
    )
    yield (
        over and ox and finished <= 2 and MIDDLE[finished - 1] not in hands[first],
        gettext_noop("The winner of the last turn round took the animal from the middle."),
    )
    yield laid and finished < 3, gettext_noop("The ox is led in the third turn round at first.")

    # Donkey turn rounds: never two in succession, with the ox from the fourth on. Each of the
    # other turn rounds, but for that of the ox, costs the leader at least one card.
    received = state.barred == DONKEY and not (ox and finished == 2)
    chances = finished - (3 if ox else 0) - (not (received or over))
    donkeys = max(0, (chances + 1) // 2)
    yield (
        received and not donkeys,
        gettext_noop("There was no turn round yet in which the donkey could have been led."),
    )
    yield len(state.gone) < finished - donkeys - laid, unfit
    yield bool(state.gone) and finished - received - laid <= 0, unfit
    yield max(map(len, hands)) > size + 1 + ox + donkeys * (players - 1), unfit


def _tally_faults(state: State) -> Faults:
    """The tallies are those of as many rounds as are over."""
    over, rounds = state.turn < 0, len(state.tallies)
    yield (
        rounds > state.rounds or over != (rounds == state.rounds),
        gettext_noop("Each round that is over has its tally; after the last the game is over."),
    )
    yield (
        over and state.tallies[-1] != tuple(map(_points, state.hands, state.laid)),
        gettext_noop("The last tally is not that of the cards left."),
    )
