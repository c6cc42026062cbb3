"""Bots for Ochs & Esel. They see what their seat sees, and choose among the legal moves.

A bot keeps no memory between moves. The same view, moves and state of chance give the same choice.
"""

from collections.abc import Callable, Sequence
from math import exp, log
from random import Random
from typing import Any, NamedTuple

View = dict[str, Any]

NUMBERS = range(1, 14)
JOKER, DONKEY, OX = "J", "E", "O"
POINTS = {**{str(number): number for number in NUMBERS}, JOKER: 14, DONKEY: 20, OX: 15}
"""Minus points of the cards in a hand."""
COMING = {1: OX, 2: DONKEY}
"""With the ox: the animal that the winner of the first and of the second turn round takes."""


def choose(level: str, view: View, legal: list[str], random: Random) -> list[str]:
    """The move to play now, as a list of one text.

    :param level: one of ``LEVELS``
    :param view: what the bot's seat sees
    :param legal: the texts of the legal moves, at least one
    :raises KeyError: if there is no such level
    """
    decide = LEVELS[level]
    return [legal[0] if len(legal) == 1 else decide(view, legal, random)]


def _cards(move: str) -> list[str]:
    """The cards of a move, none for a pass."""
    return move.split(" ")[1:]


def _worth(card: str) -> int:
    """What a card is worth in the turn round of donkey or ox."""
    return 1 if card == JOKER else int(card)


# --- easy ----------------------------------------------------------------------------------------


def easy(view: View, legal: list[str], random: Random) -> str:
    """Like a beginner: any number to lead, the lowest that tops, and jokers when all else fails."""
    if view["kind"] != "plain":
        return min(legal, key=lambda move: _worth(_cards(move)[0]))
    plain = [move for move in legal if _cards(move) and JOKER not in _cards(move)]
    if not plain:
        return "pass" if "pass" in legal else random.choice(legal)
    if view["count"]:
        return plain[0] if random.random() < 0.75 else "pass"
    first = random.choice(plain)
    # All cards of that number, so that they stay together.
    return max([move for move in plain if _cards(move)[0] == _cards(first)[0]], key=len)


# --- steady --------------------------------------------------------------------------------------
#
# A steady bot looks at the hand that each move leaves, and plays the one that it expects to cost
# the fewest minus points. How likely a card is still there when the round ends, how likely a play
# is not topped any more and who takes an animal's turn round are logistic functions of a few
# figures. Their weights come from a thousand rounds that the bot played against itself.

Figures = tuple[float, ...]

NUMBER_WEIGHTS = (
    -0.05, 1.45, -4.67, 0.34, -1.7, 0.47, -0.69, 2.19, -0.48, -1.48, -0.73, -0.38, 0.9,
)  # fmt: skip
JOKER_WEIGHTS = (-1.66, 0.26, -1.73, -0.62)
ANIMAL_WEIGHTS = (2.34, -2.39, 0.93, 0.38, -0.82, -0.86, -0.52, 0.84)
TOP_WEIGHTS = (3.92, 3.14, 3.24, -1.32, -1.37, -3.19)
TOP_SIZES = (0.0, 2.07, 4.64, 7.3)
"""One card is topped most easily, then a pair, then three; four and more hardly ever."""
TAKE_WEIGHTS = (-2.96, 16.38, -8.87, -1.49, 0.63)

USUAL_DODGES = (3, 5, 2, 6, 4, 1, 7, 3, 5, 2, 6)
"""What others may be expected to play to the donkey: numbers that add up to four each."""


class Hand(NamedTuple):
    """A hand as a bot counts it: how many of each number (from 0), of jokers, and the animals."""

    numbers: tuple[int, ...]
    jokers: int
    animals: str


def _count(cards: Sequence[str]) -> Hand:
    """Some cards as a hand."""
    numbers = tuple([cards.count(str(number)) for number in range(14)])
    animals = "".join([animal for animal in (DONKEY, OX) if animal in cards])
    return Hand(numbers, cards.count(JOKER), animals)


def _join(one: Hand, other: Hand) -> Hand:
    numbers = tuple([a + b for a, b in zip(one.numbers, other.numbers, strict=True)])
    return Hand(numbers, one.jokers + other.jokers, one.animals + other.animals)


def _remove(hand: Hand, cards: list[str]) -> Hand:
    """The hand that is left after a play."""
    if cards[0] in (DONKEY, OX):
        return hand._replace(animals=hand.animals.replace(cards[0], ""))
    jokers = cards.count(JOKER)
    numbers = list(hand.numbers)
    if jokers < len(cards):
        numbers[int(cards[0])] -= len(cards) - jokers
    return hand._replace(numbers=tuple(numbers), jokers=hand.jokers - jokers)


def _chance(weights: Figures, figures: Figures, more: float = 0.0) -> float:
    """A logistic function of some figures."""
    return 1 / (1 + exp(-more - sum([w * x for w, x in zip(weights, figures, strict=True)])))


class _Outlook:
    """What a bot makes of the table: the others' numbers of cards, and what follows from them."""

    def __init__(self, view: View) -> None:
        seat, hands, players = view["turn"], view["hands"], view["players"]
        others = {other: size for other, size in enumerate(hands) if other != seat}
        to_come = players - 1 - len(view["table"])
        self.crowd = players / 12
        self.nearest = log(max(1, min(others.values())))
        self.after = [hands[(seat + step) % players] for step in range(1, to_come + 1)]
        # Who takes an animal's cards is not out.
        taking = None if view["kind"] == "plain" else view["best"]
        self.last = any(size == 0 for other, size in others.items() if other != taking)
        """Whether this turn round is the last of the round for sure."""
        self.kept: dict[tuple[int, int, int, int, bool], float] = {}

    def cost(self, hand: Hand, leads: bool, barred: str = "") -> float:
        """The minus points to expect from a hand when this turn round is over.

        :param leads: whether its holder leads the next turn round
        :param barred: the animal that may not be led in it
        """
        numbers, jokers, animals = hand
        if self.last:
            held = sum([number * size for number, size in enumerate(numbers)])
            return held + 14 * jokers + sum([POINTS[animal] for animal in animals])
        plays = sum(map(bool, numbers)) + jokers + len(animals)
        if not plays:
            return 0.0
        cost = 0.0
        for number, size in enumerate(numbers):
            if size:
                key = (number, size, plays, jokers, leads)
                if key not in self.kept:
                    self.kept[key] = self._keeps_number(*key)
                cost += number * size * self.kept[key]
        if jokers:
            figures = (1, log(plays), self.nearest, self.crowd)
            cost += 14 * jokers * _chance(JOKER_WEIGHTS, figures)
        for animal in animals:
            cost += POINTS[animal] * self._keeps_animal(animal, plays, jokers, leads, barred)
        return cost

    def _keeps_number(self, number: int, size: int, plays: int, jokers: int, leads: bool) -> float:
        """The chance that a number is still in the hand when the round ends.

        High numbers go most easily, many different cards slowly, low ones only when one leads.
        """
        value, more, many = number / 13, min(size, 3) - 1, log(plays)
        figures = (
            1,
            value,
            value * value,
            more,
            more * value,
            many,
            self.nearest,
            self.crowd * value,
            jokers * value,
            leads,
            leads * value,
            leads * more,
            leads * many,
        )
        return _chance(NUMBER_WEIGHTS, figures)

    def _keeps_animal(
        self, animal: str, plays: int, jokers: int, leads: bool, barred: str
    ) -> float:
        """The chance that donkey or ox is still in the hand when the round ends."""
        figures = (
            1,
            leads,
            animal == barred,
            animal == OX,
            log(plays),
            self.nearest,
            jokers,
            leads * self.nearest,
        )
        return _chance(ANIMAL_WEIGHTS, figures)

    def stands(self, cards: list[str]) -> float:
        """The chance that nobody who is still to come tops a play."""
        if not self.after or cards[0] == JOKER:
            return 1.0
        value, more = int(cards[0]) / 13, min(len(cards), 3) - 1
        figures = (
            1,
            value,
            value**4,
            more * value,
            log(len(self.after)),
            log(sum(self.after) / len(self.after) + 1),
        )
        return _chance(TOP_WEIGHTS, figures, TOP_SIZES[min(len(cards), 4) - 1])

    def takes(self, worth: int, animal: str) -> float:
        """The chance that a card which is the highest so far stays so in an animal's turn round."""
        if not self.after:
            return 1.0
        value = worth / 13
        figures = (1, value, value * value, log(len(self.after)), animal == OX)
        return _chance(TAKE_WEIGHTS, figures)


def steady(view: View, legal: list[str], random: Random) -> str:
    """Plays what leaves the hand that should cost the fewest minus points."""
    outlook, hand = _Outlook(view), _count(view["hand"])
    expect = _expect if view["kind"] == "plain" else _expect_to_dodge
    moves = legal if view["count"] else _without_broken_mixes(legal, hand)
    return min(moves, key=lambda move: expect(view, outlook, hand, _cards(move)))


def _without_broken_mixes(legal: list[str], hand: Hand) -> list[str]:
    """The leads but for those that add jokers to a part of the cards of a number.

    A hand full of jokers has hundreds of mixes, and those are never the best.
    """
    moves = []
    for move in legal:
        cards = _cards(move)
        jokers = cards.count(JOKER)
        if jokers in (0, len(cards)) or hand.numbers[int(cards[0])] == len(cards) - jokers:
            moves.append(move)
    return moves


def _expect(view: View, outlook: _Outlook, hand: Hand, cards: list[str]) -> float:
    """The minus points to expect after a play, or a pass, in a plain turn round or to begin one."""
    if not cards:
        return outlook.cost(hand, leads=False)
    left = _remove(hand, cards)
    if cards[0] in (DONKEY, OX):
        return outlook.cost(left, leads=False)
    coming = COMING.get(view["turn_round"], "") if view["ox"] else ""
    stands = outlook.stands(cards)
    won = outlook.cost(left._replace(animals=left.animals + coming), leads=True, barred=coming)
    return stands * won + (1 - stands) * outlook.cost(left, leads=False)


def _expect_to_dodge(view: View, outlook: _Outlook, hand: Hand, cards: list[str]) -> float:
    """The same for a card played to donkey or ox; a card below the highest takes nothing."""
    left = _remove(hand, cards)
    kept = outlook.cost(left, leads=False)
    worth = _worth(cards[0])
    if worth < view["value"]:
        return kept
    takes = outlook.takes(worth, DONKEY if view["kind"] == "donkey" else OX)
    lying = [card for _, played in view["table"] for card in played] + cards
    to_come = [str(number) for number in USUAL_DODGES[: len(outlook.after)]]
    if view["kind"] == "ox":
        laid = sum([_worth(card) for card in lying + to_come if card != OX])
        taken = laid + outlook.cost(left, leads=True)
    else:
        taken = outlook.cost(_join(left, _count(lying + to_come)), leads=True, barred=DONKEY)
    return takes * taken + (1 - takes) * kept


LEVELS: dict[str, Callable[[View, list[str], Random], str]] = {"easy": easy, "steady": steady}
"""How well a bot plays; another level is one function more."""
