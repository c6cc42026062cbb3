"""All that the site holds of one person, as JSON for that person."""

import json
from collections.abc import Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Prefetch

from ouroboros_site.leaderboards.models import Result, Score
from ouroboros_site.play import daily
from ouroboros_site.play.models import Game, Move, Seat, SeatChange

from . import belongings
from .models import User

SECRET = {"password", "name_key", "look_key", "sessions"}
"""Columns of a user that guard the account, or only repeat its name."""
RESULT = (
    *("game_id", "slug", "seat", "people", "won", "retired"),
    *("rounds", "points", "best", "worst", "finished"),
)
"""Columns of a result that are told."""
CHANGE = ("game_id", "seat", "what", "created")
"""Columns of a change of seats that are told; who else had a part in it is not."""
CHUNK = 50
"""So many games, with all their moves, are in memory at a time."""


def pieces(user: User) -> Iterator[str]:
    """The pieces of one JSON document: account, tries, scores, results, what happened to the
    person's seats, and every game on a line.

    Of others it holds nothing but the points that everybody at a table knows; of a game that goes
    on neither seed nor position.
    """
    yield f'{{"account": {_text(_account(user))},\n'
    yield f'"tries": {_text(_tries(user))},\n'
    yield f'"scores": {_text(_scores(user))},\n'
    yield f'"results": {_text(_results(user))},\n'
    yield f'"seat_changes": {_text(_changes(user))},\n'
    for name, things in belongings.tell_all(user).items():
        yield f"{_text(name)}: {_text(things)},\n"
    yield '"games": ['
    between = "\n"
    for seat in _seats(user):
        yield between + _text(_game(user, seat))
        between = ",\n"
    yield "\n]}\n"


def _text(data: Any) -> str:
    return json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False)


def _account(user: User) -> dict[str, Any]:
    fields = [field.name for field in user._meta.concrete_fields if field.name not in SECRET]
    account = {name: getattr(user, name) for name in fields}
    return account | {"groups": [group.name for group in user.groups.order_by("name")]}


def _tries(user: User) -> list[dict[str, Any]]:
    tries = user.tries.select_related("deal").order_by("pk")
    return [{"slug": each.deal.slug, "day": each.deal.date, "game": each.game_id} for each in tries]


def _scores(user: User) -> list[dict[str, Any]]:
    scores = Score.objects.filter(user=user).order_by("finished", "pk")
    return [
        {
            "game": score.game_id,
            "slug": score.slug,
            "score": score.value,
            "finished": score.finished,
            "daily": score.daily,
            "struck": score.struck,
            "decisions": [
                {"struck": each.struck, "reason": each.reason, "created": each.created}
                for each in score.decisions.all()
            ],
        }
        for score in scores.prefetch_related("decisions")
    ]


def _results(user: User) -> list[dict[str, Any]]:
    """What finished games at tables of several seats came to."""
    results = Result.objects.filter(user=user).order_by("finished", "pk").values(*RESULT)
    return [{"game": result.pop("game_id"), **result} for result in results]


def _changes(user: User) -> list[dict[str, Any]]:
    """When the person sat down, left and came back, at tables too where they sit no more."""
    changes = SeatChange.objects.filter(user=user).order_by("pk").values(*CHANGE)
    return [{"game": change.pop("game_id"), **change} for change in changes]


def _seats(user: User) -> Iterator[Seat]:
    moves = Move.objects.defer("report").order_by("version")
    others = Seat.objects.order_by("index")
    seats = Seat.objects.filter(user=user).select_related("game__daily").defer("game__state")
    seats = seats.prefetch_related(
        Prefetch("game__moves", moves), Prefetch("game__seats", others)
    ).order_by("game_id")
    return seats.iterator(chunk_size=CHUNK)


def _game(user: User, seat: Seat) -> dict[str, Any]:
    game = seat.game
    data = {
        "id": game.pk,
        "slug": game.slug,
        "seat": seat.index,
        "players": game.players,
        "options": game.options,
        "ranked": game.ranked,
        "daily": game.daily and game.daily.date,
        "commitment": game.commitment,
        "created": game.created,
        "updated": game.updated,
        "finished": game.finished,
    }
    if game.players > 1:
        data["bots"] = [
            {"seat": each.index, "name": each.name, "level": each.bot}
            for each in game.seats.all()
            if each.bot and not each.user_id
        ]
        # What was written down of a finished round, everybody at the table knows.
        data |= {"pace": game.pace, "tallies": game.tallies}
        data |= {
            "started": game.started,
            "listed": game.listed,
            "host": game.host == seat.index,
            "turn_time": game.turn_time,
            "name": seat.name,
            "stand_in": seat.bot,
            "seen": seat.seen,
            "left": seat.left,
            "muted": seat.muted,
        }
    # The table of such a game is closed to its own player too, see services.take_seat.
    if not game.ranked and game.daily and not daily.may_know(user, game.daily):
        return data
    data["moves"] = [
        {"ply": move.ply, "move": move.text, "created": move.created, "undone": move.undone}
        for move in game.moves.all()
        if move.seat == seat.index
    ]
    if game.is_over:
        data |= {"seed": game.seed} | _result(game, seat)
    return data


def _result(game: Game, seat: Seat) -> dict[str, Any]:
    result = {
        "termination": game.result["termination"],
        "score": game.result["scores"][seat.index],
    }
    if game.players > 1:
        result |= {"scores": game.result["scores"], "winners": game.result["winners"]}
    return result
