"""Bots for Ouroboros Trick: they decide from what their seat sees and the legal moves alone.

Who first has no cards loses, hand and pool taken together: those are a seat's lives. A trick costs
everybody one, its winner gets one for each player and discards as many as its lowest number says.
So with n players a trick is worth winning while its lowest number is below n, and a trick that
somebody else wins had better be dear.
"""

from collections.abc import Callable
from itertools import accumulate
from math import exp
from random import Random
from typing import Any

from tricks.rules.trick import CARDS, HIGHEST, NUMBER, SUIT, SUITS, TEXTS, Cards, best, deck

View = dict[str, Any]

EAGERNESS = 0.4
"""How much likelier to be out first each life fewer makes a seat: by a factor of e to this.

Found by having bots play each other.
"""


def choose(level: str, view: View, legal: list[str], random: Random) -> list[str]:
    """The move texts to play now: one card, or all the discards that are owed, all different.

    :param level: one of ``LEVELS``
    :param view: what the seat whose turn it is sees
    :param legal: the texts of its legal moves
    :param random: where chance comes from; the same state of it gives the same answer
    :raises KeyError: if there is no such level
    """
    return LEVELS[level](view, legal, random)


def _card(text: str) -> int:
    """The card that a move text names."""
    return CARDS[text.split(" ")[1]]


def _easy(view: View, legal: list[str], random: Random) -> list[str]:
    """Any card; of those to discard the low ones, which look worth the least."""
    if view["phase"] == "play":
        return [random.choice(legal)]
    shuffled = random.sample(legal, len(legal))
    return sorted(shuffled, key=lambda text: NUMBER[_card(text)])[: view["owed"]]


def _steady(view: View, legal: list[str], random: Random) -> list[str]:
    """The card after which this seat is least likely to be out first, for all that can be seen.

    It discards from its shortest suits, since a suit it does not hold makes trumps of all it has,
    and keeps the low cards, since a low trump wins a trick that costs little.
    """
    cards = [_card(text) for text in legal]
    if view["phase"] == "play":
        guess = _Guess(view)
        return [f"play {TEXTS[min(cards, key=guess.risk)]}"]
    texts = []
    for _ in range(view["owed"]):
        held = [SUIT[card] for card in cards]
        card = min(cards, key=lambda card: (held.count(SUIT[card]), -NUMBER[card]))
        cards.remove(card)
        texts.append(f"discard {TEXTS[card]}")
    return texts


class _Guess:
    """What the seat to play can guess of how the trick will end.

    Of the cards it does not see, which are others' or were discarded, each is as likely as any
    other to be in a hand; who plays later follows suit if there is anything to follow with, and
    plays any card that may be played.
    """

    def __init__(self, view: View) -> None:
        self.players: int = view["players"]
        self.me: int = view["turn"]
        self.trick: Cards = tuple([CARDS[text] for _, text in view["trick"]])
        self.seats = [seat for seat, _ in view["trick"]] + [self.me]
        left = range(1, self.players - len(self.trick))
        self.later = [(self.me + at) % self.players for at in left]
        self.held = [view["hands"][seat] for seat in self.later]

        self.highest = HIGHEST[self.players]
        seen = {*view["hand"], *view["pool"], view["top"], *[text for _, text in view["trick"]]}
        unseen = [[0] * (self.highest + 1) for _ in SUITS]
        for card in deck(self.players):
            unseen[SUIT[card]][NUMBER[card]] = TEXTS[card] not in seen
        self.unseen = [[*accumulate(row)] for row in unseen]
        """For each suit how many cards up to each number."""
        self.unseen_all = [sum(column) for column in zip(*self.unseen, strict=True)]

        self.lives = [sum(cards) for cards in zip(view["hands"], view["pools"], strict=True)]
        for seat in (self.me, *self.later):
            self.lives[seat] -= 1
        self.weights = [exp(-EAGERNESS * lives) for lives in self.lives]
        self.ends: dict[tuple[int, int], float] = {}

    def risk(self, card: int) -> float:
        """The chance to be out first if ``card`` is played."""
        trick = (*self.trick, card)
        place = best(trick)
        leads, led = trick[place], SUIT[trick[0]]
        lowest = min([NUMBER[other] for other in trick])
        # The chances that nobody later beats the card that leads, and that anybody plays anything,
        # with no number below ``least``; what is more likely than for the next one is just that.
        stays = [self._chance(led, leads, least) for least in range(1, lowest + 1)] + [0.0]
        either = [self._chance(led, None, least) for least in range(1, lowest + 1)] + [0.0]
        risk = 0.0
        for number in range(1, lowest + 1):
            now = stays[number - 1] - stays[number]
            risk += now * self._end(self.seats[place], number)
            if self.later:
                beaten = either[number - 1] - either[number] - now
                ends = [self._end(seat, number) for seat in self.later]
                risk += beaten * sum(ends) / len(ends)
        return risk

    def _chance(self, led: int, leads: int | None, least: int) -> float:
        """The chance that no later card is below ``least`` or, if given, beats ``leads``."""
        same = self.unseen[led]
        others = [every - of_suit for every, of_suit in zip(self.unseen_all, same, strict=True)]
        most_same = most_others = self.highest
        if leads is not None and SUIT[leads] == led:
            most_same, most_others = NUMBER[leads] - 1, 0
        elif leads is not None:
            most_others = NUMBER[leads] - 1
        follows = _share(same, least, most_same)
        trumps = _share(others, least, most_others)
        chance = 1.0
        for held in self.held:
            void = (others[-1] / (same[-1] + others[-1])) ** held
            chance *= (1 - void) * follows + void * trumps
        return chance

    def _end(self, winner: int, lowest: int) -> float:
        """The chance to be out first after this seat has won, with this lowest number."""
        if (winner, lowest) not in self.ends:
            self.ends[winner, lowest] = self._risk_after(winner, lowest)
        return self.ends[winner, lowest]

    def _risk_after(self, winner: int, lowest: int) -> float:
        lives = [*self.lives]
        lives[winner] = max(0, lives[winner] + self.players - lowest)
        if 0 in lives:
            return float(lives[self.me] == 0)
        weights = [*self.weights]
        weights[winner] = exp(-EAGERNESS * lives[winner])
        return weights[self.me] / sum(weights)


def _share(upto: list[int], least: int, most: int) -> float:
    """Of some cards, counted up to each number, the share with numbers from least to most."""
    if most < least or not upto[-1]:
        return 0.0
    return (upto[most] - upto[least - 1]) / upto[-1]


LEVELS: dict[str, Callable[[View, list[str], Random], list[str]]] = {
    "easy": _easy,
    "steady": _steady,
}
"""The levels: name -> (view, legal move texts, random numbers) -> the texts to play."""
