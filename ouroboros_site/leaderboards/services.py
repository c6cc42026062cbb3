"""The only writers of scores and results. Each function is one transaction.

What they write follows from the games: ``rescore_game``, ``reenter_results`` and ``rebuild`` may be
called at any time, and change nothing where all is well.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.engine.protocol import Termination
from ouroboros_site.play.models import Game, Seat

from . import review
from .models import Best, Decision, Result, Score, Standing


@transaction.atomic(savepoint=False)
def score_game(*, game: Game, user: User) -> Score | None:
    """Enter the score of a game that has just ended; None if it counts nowhere.

    Practice games count nowhere, nor does a daily deal that was finished too late: by then its
    seed may have become known.
    """
    if not game.counts:
        return None
    # One after the other for each player, or two games ending at once would miss each other.
    users = User.objects.select_for_update().only("is_guest")
    # A guest who has moved into an account at this moment has left the seat to it.
    player = users.filter(pk=user.pk).first() or users.filter(seats__game=game).first()
    if player is None:
        return None
    score = Score(game=game, user=player, **_facts(game))
    review.flag(score)
    score.save(force_insert=True)
    if not player.is_guest:
        _raise_bests(score)
    return score


def _facts(game: Game) -> dict[str, Any]:
    """What a score takes over from its game."""
    return {
        "slug": game.slug,
        "value": game.result["scores"][0] if game.result else 0,
        "finished": game.finished,
        "daily": game.daily.date if game.daily else None,
    }


@transaction.atomic
def rescore_game(*, game: Game, user: User | None) -> None:
    """Bring a game's score, and its player's rows on the boards, in line with the game.

    :param user: who sits there; None if nobody does any more
    """
    if user is None or not game.counts:
        Score.objects.filter(game=game).delete()
    else:
        Score.objects.update_or_create(game=game, defaults={"user": user, **_facts(game)})
    if user is not None:
        rebuild(user)


def _raise_bests(score: Score) -> None:
    """Put a new score on every board where it is the account's best."""
    bests = Best.objects.filter(user=score.user_id, board__in=score.boards)
    before = {best.board: best for best in bests}
    better = [
        board
        for board in score.boards
        if board not in before or _order(score) < _order(before[board])
    ]
    Best.objects.bulk_create(
        [_best(board, score) for board in better],
        update_conflicts=True,
        unique_fields=["board", "user"],
        update_fields=["score", "value", "finished"],
    )


def _order(entry: Score | Best) -> tuple[int, datetime]:
    """The better first, and of equal ones the earlier."""
    return -entry.value, entry.finished


def _best(board: str, score: Score) -> Best:
    return Best(
        board=board,
        user_id=score.user_id,
        score=score,
        value=score.value,
        finished=score.finished,
    )


@transaction.atomic
def rebuild(user: User) -> None:
    """Make the rows of one account on all boards anew from its standing scores and its results."""
    User.objects.select_for_update().only("pk").get(pk=user.pk)
    Best.objects.filter(user=user).delete()
    Standing.objects.filter(user=user).delete()
    if user.is_guest:
        return
    Standing.objects.bulk_create(standings(user))
    bests: dict[str, Best] = {}
    for score in Score.objects.standing().filter(user=user).order_by("-value", "finished", "pk"):
        for board in score.boards:
            bests.setdefault(board, _best(board, score))
    Best.objects.bulk_create(bests.values(), batch_size=500)


@transaction.atomic(savepoint=False)
def enter_results(*, game: Game) -> list[Result]:
    """Enter what a game of several seats that has just ended came to for the people at it.

    :returns: the results; none if the game counts nowhere
    """
    if game.players == 1 or not game.counts:
        return []
    seats, people = _sitting(game)
    results = Result.objects.bulk_create(results_of(game, seats))
    for result in results:
        if not people[result.user_id].is_guest:
            _add(result)
    return results


def _sitting(game: Game) -> tuple[list[Seat], dict[int, User]]:
    """The seats of a game and the people on them, whose rows are locked.

    One after the other for each player, as for scores. A guest whose row is gone by the time it is
    locked has moved into an account, and the seat with the guest: look again who sits there.
    """
    while True:
        seats = list(game.seats.order_by("index"))
        wanted = {seat.user_id for seat in seats} - {None}
        users = User.objects.select_for_update().only("is_guest").order_by("pk")
        people = users.in_bulk(wanted)
        if len(people) == len(wanted):
            return seats, people


def results_of(game: Game, seats: Iterable[Seat]) -> list[Result]:
    """What a game came to for each person at it, not stored; nothing if it counts nowhere.

    :param seats: all of the game, the first one first
    """
    if game.players == 1 or not game.counts or not game.result:
        return []
    # A bot may stand in for a person. One who has left the site since has left a seat that no bot
    # plays. A seat beyond the last one is a fault of what is stored (play.verify), and comes to
    # nothing.
    persons = [
        seat for seat in seats if (seat.user_id or not seat.bot) and seat.index < game.players
    ]
    results: dict[int, Result] = {}
    for seat in persons:
        if seat.user_id and seat.user_id not in results:
            results[seat.user_id] = _result(game, seat, people=len(persons) > 1)
    return list(results.values())


def _result(game: Game, seat: Seat, *, people: bool) -> Result:
    """The result of the person on a seat; of one for whom a bot played to the end it is a loss."""
    points = [tally["points"][seat.index] for tally in game.tallies]
    return Result(
        game=game,
        user_id=seat.user_id,
        seat=seat.index,
        slug=game.slug,
        people=people,
        won=seat.index in game.result.get("winners", ()) and not seat.bot,
        retired=bool(seat.bot) or game.result["termination"] == Termination.RETIRED.value,
        rounds=len(points),
        points=sum(points),
        best=min(points, default=None),
        worst=max(points, default=None),
        finished=game.finished,
    )


def _add(result: Result) -> None:
    """Count a new result into where its account stands."""
    board = {"user_id": result.user_id, "slug": result.slug, "people": result.people}
    standing = Standing.objects.filter(**board).first() or Standing(**board)
    standing.add(result)
    standing.save()


@transaction.atomic
def reenter_results(*, game: Game) -> None:
    """Bring the results of a game, and where everybody concerned stands, in line with the game."""
    seats, _people = _sitting(game)
    results = results_of(game, seats)
    stored = Result.objects.filter(game=game)
    concerned = {result.user_id for result in results} | set(stored.values_list("user", flat=True))
    stored.delete()
    Result.objects.bulk_create(results)
    for user in User.objects.filter(pk__in=concerned).order_by("pk"):
        rebuild(user)


def standings(user: User) -> list[Standing]:
    """Where an account stands by its results, not stored."""
    found: dict[tuple[str, bool], Standing] = {}
    for result in Result.objects.filter(user=user).order_by("pk").iterator(chunk_size=1000):
        board = (result.slug, result.people)
        if board not in found:
            found[board] = Standing(user=user, slug=result.slug, people=result.people)
        found[board].add(result)
    return list(found.values())


@transaction.atomic
def strike_score(*, score: Score, by: User, reason: str) -> bool:
    """Take a score off every board at once; False if it was struck already."""
    return _decide(score, by, reason, struck=True)


@transaction.atomic
def restore_score(*, score: Score, by: User, reason: str) -> bool:
    """Put a struck score back on the boards; False if it stands already."""
    return _decide(score, by, reason, struck=False)


def _decide(score: Score, by: User, reason: str, *, struck: bool) -> bool:
    changed = Score.objects.filter(~Q(struck=struck), pk=score.pk)
    if not changed.update(struck=struck, reviewed=timezone.now()):
        return False
    Decision.objects.create(score=score, struck=struck, reason=reason, by=by)
    score.refresh_from_db()
    rebuild(score.user)
    return True
