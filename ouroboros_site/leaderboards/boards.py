"""Boards as pages show them: rows in order with their ranks, and where one account stands.

Everything is read from ``Best`` along its index; no query goes over a whole table.
"""

from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from ouroboros_site.accounts.models import User

from .models import Best, board_key

PAGE = 50
"""Rows of a page."""
ORDER = ("-value", "finished", "pk")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a board. Whoever has the same score has the same rank."""

    rank: int
    best: Best


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an account stands on a board: its rank, and the page that holds its row."""

    rank: int
    page: int
    best: Best


def key(slug: str, span: str, day: date) -> str:
    """The key of the board that is to be shown.

    :param span: ``all``, ``week``, ``today`` or ``daily``
    :param day: today (UTC), or for ``daily`` the day of the deal
    """
    starts = {"all": None, "week": day - timedelta(days=day.weekday())}
    return board_key(slug, span, starts.get(span, day))


def rows(board: str, start: int = 0, number: int = PAGE) -> list[Row]:
    """Some rows of a board, from place ``start`` (the first is 0) on.

    One query at the top of a board, two further down: places are passed over in the index alone,
    and only the rows that are shown are looked up.
    """
    wanted = Best.objects.filter(board=board).order_by(*ORDER).values("pk")
    shown = Best.objects.filter(pk__in=wanted[start : start + number]).order_by(*ORDER)
    shown = shown.select_related("user").only("value", "finished", "score", "user__username")
    ranked: list[Row] = []
    for place, best in enumerate(shown, start + 1):
        if ranked and ranked[-1].best.value == best.value:
            rank = ranked[-1].rank
        elif ranked or start == 0:
            rank = place
        else:
            rank = 1 + Best.objects.filter(board=board, value__gt=best.value).count()
        ranked.append(Row(rank, best))
    return ranked


def standing(board: str, user: User) -> Standing | None:
    """Where an account stands, in one query; None if it is not on the board."""
    rows = Best.objects.filter(board=board)
    level = rows.filter(value=OuterRef("value"), finished__lte=OuterRef("finished"))
    earlier = level.filter(Q(finished__lt=OuterRef("finished")) | Q(pk__lt=OuterRef("pk")))
    best = (
        rows.filter(user=user)
        .annotate(
            higher=_number(rows.filter(value__gt=OuterRef("value"))),
            earlier=_number(earlier),
        )
        .first()
    )
    if best is None:
        return None
    return Standing(1 + best.higher, 1 + (best.higher + best.earlier) // PAGE, best)


def _number(rows: QuerySet[Best]) -> Coalesce:
    """How many rows there are, as part of another query."""
    return Coalesce(Subquery(rows.values("board").annotate(n=Count("pk")).values("n")), 0)
