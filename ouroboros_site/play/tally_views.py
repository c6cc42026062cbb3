"""The tally sheet of a game, where one is kept: a page that prints well, and a file.

Who sits at the table may look at any time, everybody else when the replay is open to them.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ouroboros_site.accounts.models import Visitor

from .models import Game, Seat
from .replay import open_seats
from .services import BIGGEST_ID, Refused, name_of, retired
from .staff import csv_response
from .views import error_page


@require_safe
def tally(request: HttpRequest, game_id: int) -> HttpResponse:
    """The sheet as a page."""
    try:
        seats = _seats(request.user, game_id)
    except Refused as refused:
        return error_page(request, refused.status, str(refused.message))
    return render(request, seats[0].game.kind.tally_template, _context(request.user, seats))


@require_safe
def tally_file(request: HttpRequest, game_id: int) -> HttpResponseBase:
    """The sheet as CSV, with the same names."""
    try:
        seats = _seats(request.user, game_id)
    except Refused as refused:
        return error_page(request, refused.status, str(refused.message))
    game = seats[0].game
    header, *rows = sheet_of(game, seats).lines
    return csv_response(f"{game.slug}-{game.pk}", header, rows)


def _seats(user: Visitor, game_id: int) -> list[Seat]:
    """The seats of a game whose tally this visitor may see, with who sits there.

    :raises Refused: as for the replay, but not to who sits there; 404 where no tally is kept
    """
    rows = Seat.objects.select_related("user", "game").order_by("index")
    seats = list(rows.filter(game_id=game_id)) if game_id <= BIGGEST_ID else []
    # A seat without a user must not fall to a visitor without one.
    if not user.pk or user.pk not in {seat.user_id for seat in seats}:
        seats = open_seats(user, game_id)
    if seats[0].game.kind.tally is None:
        raise Refused(404, "no-tally", _("No tally is kept of this game."))
    return seats


def names_of(seats: list[Seat]) -> list[str]:
    """What the players are called, by seat; two guests are told apart by their seats."""
    names = [name_of(seat) for seat in seats]
    return [
        name if names.count(name) == 1 else f"{name} {seat.index + 1}"
        for name, seat in zip(names, seats, strict=True)
    ]


def winners_of(game: Game) -> list[int]:
    """The seats that won; nobody while the game goes on, or after somebody left the table."""
    return game.result.get("winners", []) if game.result else []


def sheet_of(game: Game, seats: list[Seat]) -> Any:
    """The tally sheet of a game whose kind keeps one."""
    return game.kind.tally(game.tallies, names_of(seats), winners_of(game), game.options)


def _context(user: Visitor, seats: list[Seat]) -> dict[str, Any]:
    game: Game = seats[0].game
    names = names_of(seats)
    return {
        "kind": game.kind,
        "game": game,
        "deals": [words for name, words in game.kind.deals.items() if game.options.get(name)],
        "left": retired(game),
        "winners": [names[seat] for seat in winners_of(game)],
        "sheet": sheet_of(game, seats) if game.tallies else None,
        "sits": bool(user.pk) and any(seat.user_id == user.pk for seat in seats),
        "accounts": [seat.user for seat in seats if seat.user and not seat.user.is_guest],
    }
