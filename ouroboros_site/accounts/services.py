"""The writers of accounts and of what belongs to them. Each function is one transaction."""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from ouroboros_site.leaderboards import services as leaderboards
from ouroboros_site.leaderboards.models import Result, Score
from ouroboros_site.play import seating
from ouroboros_site.play.models import Game, Seat, Try

from . import belongings
from .models import User


@transaction.atomic
def name_guest(*, guest: User, name: str, password: str, email: str = "") -> User:
    """Turn a guest's row into a named account: it keeps its games, their scores enter the boards.

    :param name: already checked (``names.clean``, free)
    :raises IntegrityError: if the name was taken in the meantime
    """
    guest.username = name
    guest.email = email
    guest.is_guest = False
    guest.set_password(password)
    guest.save()
    leaderboards.rebuild(guest)
    return guest


@transaction.atomic
def merge_guest(*, guest: User, account: User) -> int:
    """Move a guest's games to an account and forget the guest.

    Of two tries at one daily deal the one begun earlier counts, and the other becomes practice;
    but a struck one stays the try, or logging in would undo the decision. At a table where both
    sit, the account keeps its own seat and gives the guest's up.

    :returns: how many games moved
    """
    locked = seating.lock_people(guest.pk, account.pk)
    if len(locked) < 2 or not locked[guest.pk].is_guest:
        return 0
    own = {attempt.deal_id: attempt for attempt in account.tries.select_related("game")}
    for attempt in guest.tries.select_related("game").order_by("pk"):
        twin = own.get(attempt.deal_id)
        if twin is None:
            Try.objects.filter(pk=attempt.pk).update(user=account)
            continue
        struck = set(
            Score.objects.filter(game__in=[twin.game_id, attempt.game_id], struck=True).values_list(
                "game", flat=True
            )
        )
        stays, goes = sorted(
            (twin, attempt),
            key=lambda each: (each.game_id not in struck, each.game.created, each.game_id),
        )
        Score.objects.filter(game=goes.game_id).delete()
        Game.objects.filter(pk=goes.game_id).update(ranked=False)
        goes.delete()
        if stays is attempt:
            Try.objects.filter(pk=attempt.pk).update(user=account)
    moved = seating.move_seats(guest=guest, account=account)
    Score.objects.filter(user=guest).update(user=account)
    # A table at which both sat has one result for the account, that of the seat it keeps.
    shared = Result.objects.filter(user=account).values("game")
    Result.objects.filter(user=guest).exclude(game__in=shared).update(user=account)
    belongings.move_all(guest, account)
    guest.delete()
    leaderboards.rebuild(account)
    return moved


@transaction.atomic
def end_sessions(user: User) -> None:
    """Log a person out in every browser."""
    user.sessions += 1
    user.save(update_fields=["sessions"])


@transaction.atomic
def suspend_user(*, user: User, reason: str) -> None:
    """Keep a person from playing; they can log in, look and export."""
    user.suspended = timezone.now()
    user.suspension = reason
    user.save(update_fields=["suspended", "suspension"])


@transaction.atomic
def unsuspend_user(*, user: User) -> None:
    """Let a suspended person play again."""
    user.suspended = None
    user.suspension = ""
    user.save(update_fields=["suspended", "suspension"])


@transaction.atomic
def delete_account(user: User) -> None:
    """Erase a person: name, scores, results and tries go, and the games belong to nobody.

    The games' logs stay as evidence without a name, open to reviewers only; games that were not
    finished, and practice, go. A table at which somebody else sits is theirs as well, and stays:
    before the start the seat is free again, afterwards a bot has it for good.
    """
    if user.pk not in seating.lock_people(user.pk):
        return
    others = Seat.objects.filter(game=OuterRef("pk"), user__isnull=False).exclude(user=user)
    games = Game.objects.filter(~Exists(others), seats__user=user)
    games.filter(finished=None, started__isnull=False).delete()
    games.filter(ranked=False, started__isnull=False).delete()
    seating.give_all_up(user=user)
    user.delete()
