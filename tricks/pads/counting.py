"""The minus points of a hand of real cards, and what cannot be right about the count of a round.

Nothing here knows of Django. Cards and their points are those of the rules.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ouroboros_site.engine.errors import gettext_noop
from tricks.rules.ochs_esel import (
    CARDS,
    DONKEY,
    LABELS,
    LAID_POINTS,
    OX,
    PACK,
    POINTS,
    TEXTS,
    Cards,
    dealt,
)

HELD = (*CARDS.values(),)
"""What can be left in a hand; the ox in games with it only."""
LAID = tuple([card for card in HELD if card != DONKEY])
"""What can lie before a player: the donkey never does."""
MOST = Counter([*PACK, DONKEY, OX])
"""How often each card is in the game."""


class Counted(NamedTuple):
    """The cards left to a player: in the hand, and laid down before the player in an ox turn round.

    Both are sorted as everywhere: numbers, joker, donkey, ox.
    """

    hand: Cards
    laid: Cards = ()

    @property
    def points(self) -> int:
        """The minus points that these cards bring."""
        return sum([POINTS[card] for card in self.hand]) + sum(
            [LAID_POINTS[card] for card in self.laid]
        )


class Doubt(NamedTuple):
    """Something about a round that cannot be right: an English sentence, and its figures.

    ``params`` may hold ``card``, an English word that is translated on its own.
    """

    code: str
    template: str
    params: dict[str, Any]


def read(text: str, cards: Cards = HELD) -> Cards:
    """The cards of a text, sorted.

    >>> read("7 J 3 7")
    (3, 7, 7, 14)
    >>> read("1 E", LAID)
    Traceback (most recent call last):
    ...
    ValueError: E

    :param cards: those that may be named
    :raises ValueError: at the first word that names none of them
    """
    found = []
    for word in text.split():
        if CARDS.get(word) not in cards:
            raise ValueError(word)
        found.append(CARDS[word])
    return tuple(sorted(found))


def write(cards: Cards) -> str:
    """The text of some cards.

    >>> write((3, 7, 7, 14))
    '3 7 7 J'
    """
    return " ".join([TEXTS[card] for card in cards])


def most_points(players: int, ox: bool) -> int:
    """No hand, and no round, can have more: the highest of as many cards as are dealt.

    >>> most_points(3, False)
    471
    """
    cards = sorted(PACK, reverse=True)[: players * dealt(players)]
    return sum([POINTS[card] for card in cards]) + POINTS[DONKEY] + ox * POINTS[OX]


def holder(counted: Sequence[Counted | None]) -> int | None:
    """Who has the donkey, if the counted hands tell it."""
    holders = [player for player, cards in enumerate(counted) if cards and DONKEY in cards.hand]
    return holders[0] if len(holders) == 1 else None


def doubts(
    points: Sequence[int | None], counted: Sequence[Counted | None], ox: bool
) -> Iterator[Doubt]:
    """What is certainly impossible about a round, as far as it is written down.

    :param points: of each player; None where nothing is written yet
    :param counted: the cards behind the points; None where the points were typed
    :param ox: whether the ox is in the game
    """
    known = [cards for cards in counted if cards]
    yield from _too_many(known, len(points))
    yield from _laid_wrongly(known, len(points))
    most = most_points(len(points), ox)
    for player, number in enumerate(points):
        if number is not None and number > most:
            yield Doubt(
                "points",
                gettext_noop(
                    "%(player)s has %(points)d points, but no hand can have more than %(most)d."
                ),
                {"player": player, "points": number, "most": most},
            )
    together = sum([number or 0 for number in points])
    if together > most >= max([number or 0 for number in points]):
        yield Doubt(
            "sum",
            gettext_noop(
                "All hands together have %(points)d points, but they cannot have more than"
                " %(most)d."
            ),
            {"points": together, "most": most},
        )
    if None not in points:
        yield from _unfinished(points, counted, ox)


def _too_many(known: Sequence[Counted], players: int) -> Iterator[Doubt]:
    """More of a card than there are, or more cards than are dealt."""
    every = Counter([card for cards in known for card in (*cards.hand, *cards.laid)])
    for card, number in sorted(every.items()):
        if number > MOST[card]:
            yield Doubt(
                "too-many",
                gettext_noop(
                    "The %(card)s is counted %(number)d times, but is in the game only %(most)d"
                    " times."
                )
                if MOST[card] > 1
                else gettext_noop(
                    "The %(card)s is counted %(number)d times, but there is only one."
                ),
                {"card": LABELS[card], "number": number, "most": MOST[card]},
            )
    number, most = every.total() - every[DONKEY] - every[OX], players * dealt(players)
    if number > most:
        yield Doubt(
            "too-many-cards",
            gettext_noop("%(number)d cards are counted, but only %(most)d are dealt."),
            {"number": number, "most": most},
        )


def _laid_wrongly(known: Sequence[Counted], players: int) -> Iterator[Doubt]:
    """What lies there comes from the one ox turn round that a round can have.

    The ox lies there too, and a card of everybody else; one of them may have held the donkey only.
    """
    piles = [cards.laid for cards in known if cards.laid]
    if len(piles) > 1:
        yield Doubt(
            "two-piles",
            gettext_noop(
                "Laid cards are counted for %(number)d players, but the ox is led only once in a"
                " round."
            ),
            {"number": len(piles)},
        )
    for pile in piles:
        if OX not in pile:
            yield Doubt(
                "no-ox", gettext_noop("Cards were laid down, but the ox is not among them."), {}
            )
        number = len(pile) - pile.count(OX)
        if not players - 2 <= number <= players - 1:
            yield Doubt(
                "pile",
                gettext_noop(
                    "%(number)d cards are laid down beside the ox, but in its turn round everybody"
                    " else plays one: that would be %(most)d."
                ),
                {"number": number, "most": players - 1},
            )


def _unfinished(
    points: Sequence[int | None], counted: Sequence[Counted | None], ox: bool
) -> Iterator[Doubt]:
    """A round ends when a hand is empty; without the ox, somebody always has the donkey then."""
    players = len(points)
    pile_known = any(cards and cards.laid for cards in counted)

    def may_be_out(number: int, cards: Counted | None) -> bool:
        if cards:
            return not cards.hand
        # A hand that is empty has no points but those of the cards laid down in the ox turn round.
        laid = range(players - 2, 13 * (players - 1) + 1)
        return not number or (ox and not pile_known and number in laid)

    def may_hold_donkey(number: int, cards: Counted | None) -> bool:
        return DONKEY in cards.hand if cards else number >= POINTS[DONKEY]

    everybody = [
        (number, cards) for number, cards in zip(points, counted, strict=True) if number is not None
    ]
    if not any(may_be_out(*each) for each in everybody):
        yield Doubt(
            "nobody-out",
            gettext_noop("Nobody has an empty hand, but a round ends only when somebody has."),
            {},
        )
    if not ox and not any(may_hold_donkey(*each) for each in everybody):
        yield Doubt(
            "no-donkey",
            gettext_noop("Nobody has the donkey, but somebody always holds it in the end."),
            {},
        )
