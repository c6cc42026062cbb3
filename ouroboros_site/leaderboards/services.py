"""The only writers of scores. Each function is one transaction.

What they write follows from the games: ``rescore_game`` and ``rebuild`` may be called at any time,
and change nothing where all is well.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.play.models import Game

from . import review
from .models import Best, Decision, Score


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
    """Make the rows of one account on all boards anew from its standing scores."""
    User.objects.select_for_update().only("pk").get(pk=user.pk)
    Best.objects.filter(user=user).delete()
    if user.is_guest:
        return
    bests: dict[str, Best] = {}
    for score in Score.objects.standing().filter(user=user).order_by("-value", "finished", "pk"):
        for board in score.boards:
            bests.setdefault(board, _best(board, score))
    Best.objects.bulk_create(bests.values(), batch_size=500)


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
