"""The boards of games of several seats: accounts by the games they won, and where one stands.

The more games won the higher, and of as many the fewer games played. A game that was left is a
game that was not won, so leaving never lifts anybody. Minus points are shown only: as a measure,
leaving before a bad round would make them better.

Everything is read from ``Standing`` along its index; no query goes over a whole table.
"""

from dataclasses import dataclass

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from ouroboros_site.accounts.models import User

from .boards import PAGE
from .models import Standing

ORDER = ("-won", "games", "pk")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a board. Whoever won as many of as many games has the same rank."""

    rank: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class Place:
    """Where an account stands on a board: its rank, and the page that holds its row."""

    rank: int
    page: int
    standing: Standing


def rows(slug: str, people: bool, start: int = 0, number: int = PAGE) -> list[Row]:
    """Some rows of a board, from place ``start`` (the first is 0) on.

    One query at the top of a board, two further down, as for ``boards.rows``.
    """
    board = Standing.objects.filter(slug=slug, people=people)
    wanted = board.order_by(*ORDER).values("pk")[start : start + number]
    shown = Standing.objects.filter(pk__in=wanted).order_by(*ORDER).select_related("user")
    ranked: list[Row] = []
    for place, standing in enumerate(shown, start + 1):
        if ranked and _level(ranked[-1].standing) == _level(standing):
            rank = ranked[-1].rank
        elif ranked or start == 0:
            rank = place
        else:
            rank = 1 + board.filter(pk=standing.pk).values_list(_higher(board), flat=True).get()
        ranked.append(Row(rank, standing))
    return ranked


def _level(standing: Standing) -> tuple[int, int]:
    return standing.won, standing.games


def place(slug: str, people: bool, user: User) -> Place | None:
    """Where an account stands, in one query; None if it is not on the board."""
    board = Standing.objects.filter(slug=slug, people=people)
    level = board.filter(won=OuterRef("won"), games=OuterRef("games"), pk__lt=OuterRef("pk"))
    own = board.filter(user=user).annotate(higher=_higher(board), earlier=_number(level)).first()
    if own is None:
        return None
    return Place(1 + own.higher, 1 + (own.higher + own.earlier) // PAGE, own)


def _higher(board: QuerySet[Standing]) -> F:
    """How many rows of the board stand higher than a row, as part of a query for that row.

    Two counts, each of a range of the index: one of the rows with more games won, and one of those
    with as many in fewer games.
    """
    more = board.filter(won__gt=OuterRef("won"))
    quicker = board.filter(won=OuterRef("won"), games__lt=OuterRef("games"))
    return _number(more) + _number(quicker)


def _number(rows: QuerySet[Standing]) -> Coalesce:
    """How many rows there are, as part of another query."""
    return Coalesce(Subquery(rows.values("slug").annotate(n=Count("pk")).values("n")), 0)
