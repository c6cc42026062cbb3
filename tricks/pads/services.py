"""Scorepads: the only functions that write them. Each is one transaction.

Whoever has the address of a pad (its ``key``) may look. Its owner writes, and everybody else who
has the address if the owner allows it. Nothing here counts on any board.
"""

from secrets import token_urlsafe

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ouroboros_site.accounts.models import User, Visitor
from ouroboros_site.play import live
from ouroboros_site.play.services import DOUBLE_CLICK, Refused, check_may_play, still_there

from .forms import Setup, Written
from .models import Line, Pad

MOST_PADS = 200
MOST_LINES = 3000
"""Of one pad: a full one has 260 cells."""
TOLD = ("round", "player", "starts", "points", "counted", "created")
"""Columns of a line that its owner is told in the export."""

NO_PAD = _("There is no scorepad at this address. Perhaps it was deleted, or its link was renewed.")
ONLY_OWNER = _("Only the owner of this scorepad may do that.")
READ_ONLY = _("With this link you may look. Its owner has not allowed others to write.")
NO_CELL = _("This scorepad has no such cell.")
OVERTAKEN = _("Somebody else wrote into this cell in the meantime. Please choose what is right.")
TOO_MANY_PADS = _("You have very many scorepads. Please delete one that is not needed any more.")
FULL = _("This scorepad was corrected so often that nothing more can be written on it.")


class Overtaken(Refused):
    """The cell has another line than the writer saw; nothing was written.

    :param line: the newest line of the cell
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        super().__init__(409, "overtaken", OVERTAKEN)


# --- reading -------------------------------------------------------------------------------------


def find_pad(key: str) -> Pad:
    """The pad at an address.

    :raises Refused: 404 if there is none
    """
    return _found(Pad.objects.select_related("owner").filter(key=key).first())


def is_owner(pad: Pad, user: Visitor) -> bool:
    """Whether the pad is this visitor's."""
    return bool(user.pk) and user.pk == pad.owner_id


def may_write(pad: Pad, user: Visitor) -> bool:
    """Whether this visitor, who has the address, may write on the pad."""
    suspended = user.is_authenticated and user.suspended
    return not suspended and (pad.shared or is_owner(pad, user))


def _found(pad: Pad | None) -> Pad:
    if pad is None:
        raise Refused(404, "no-pad", NO_PAD)
    return pad


# --- making and deleting -------------------------------------------------------------------------


@transaction.atomic
def make_pad(*, user: Visitor, setup: Setup, token: str) -> tuple[Pad, User]:
    """Make a pad; a visitor without a user becomes a guest.

    :param token: from the form; a second request with it is the same click. A visitor without a
        user may be handed the guest whom the first half of the double click has just made
    :returns: the pad, and its owner
    :raises Refused: 403 for a suspended account, 409 if it has too many pads
    """
    user = still_there(user)
    check_may_play(user)
    try:
        with transaction.atomic():
            owner = user if isinstance(user, User) else User.objects.create_guest()
            if owner.pads.count() >= MOST_PADS:
                raise Refused(409, "too-many-pads", TOO_MANY_PADS)
            pad = Pad.objects.create(owner=owner, key=_new_key(), token=token, **setup._asdict())
    except IntegrityError:
        pad = _found(Pad.objects.select_related("owner").filter(token=token).first())
        owner = pad.owner
        # A form that comes back from the browser's history after its owner has logged out is not
        # the owner's any more.
        fresh = owner.is_guest and timezone.now() - pad.created < DOUBLE_CLICK
        if user != owner and not (fresh and not user.pk):
            raise Refused(404, "no-pad", NO_PAD) from None
    return pad, owner


def _new_key() -> str:
    return token_urlsafe(16)


@transaction.atomic
def delete_pad(*, user: Visitor, key: str) -> None:
    """Delete a pad with all that was written on it.

    :raises Refused: as ``share_pad``
    """
    _own(user, key).delete()


@transaction.atomic
def share_pad(*, user: Visitor, key: str, shared: bool, renew: bool = False) -> Pad:
    """Say whether others may write; with ``renew`` the address changes, and the old one ends.

    :raises Refused: 404 if there is no such pad, 403 if it is somebody else's
    """
    pad = _own(user, key)
    if renew:
        pad.key = _new_key()
    pad.shared = shared
    pad.version += 1
    pad.save()
    live.announce(pad.topic, pad.version)
    return pad


def _own(user: Visitor, key: str) -> Pad:
    pad = _found(Pad.objects.select_for_update().filter(key=key).first())
    if not is_owner(pad, user):
        raise Refused(403, "not-owner", ONLY_OWNER)
    return pad


# --- writing -------------------------------------------------------------------------------------


@transaction.atomic
def write_line(
    *, user: Visitor, key: str, round: int, player: int, starts: bool, written: Written
) -> Line:
    """Write into a cell: points of a player in a round, or who starts it.

    What was sent before (``written.client``), and what the cell says already, changes nothing.

    :returns: the newest line of the cell, which says what was written
    :raises Overtaken: 409 if somebody else wrote into the cell since the writer looked
    :raises Refused: 404 if there is no such pad or cell, 403 if the visitor may not write, 409 if
        the pad is full
    """
    pad = _found(Pad.objects.select_for_update().filter(key=key).first())
    if not may_write(pad, user):
        check_may_play(user)
        raise Refused(403, "read-only", READ_ONLY)
    if not (1 <= round <= pad.rounds and player < len(pad.names)):
        raise Refused(404, "no-cell", NO_CELL)
    if line := pad.lines.filter(client=written.client).first():
        return line
    lines = pad.lines.filter(round=round, starts=starts)
    newest = (lines if starts else lines.filter(player=player)).last()
    if newest:
        if newest.says(written.points, written.counted, player):
            return newest
        # A line of the same writer's own may have come in between, its answer having been lost.
        if newest.number != written.base and newest.client not in written.mine:
            raise Overtaken(newest)
    elif written.points is None and not starts:
        raise Refused(409, "empty", _("This cell is empty already."))
    if pad.version >= MOST_LINES:
        raise Refused(409, "full", FULL)
    pad.version += 1
    pad.save(update_fields=["version", "updated"])
    # A guest whose pad is in use is not one who stayed away (purge_guests).
    User.objects.filter(pk=pad.owner_id, is_guest=True).update(last_login=timezone.now())
    line = pad.lines.create(
        number=pad.version,
        round=round,
        player=player,
        starts=starts,
        points=written.points,
        counted=written.counted,
        base=newest.number if newest else 0,
        client=written.client,
        by=user if isinstance(user, User) else None,
    )
    live.announce(pad.topic, pad.version)
    return line


# --- what belongs to a person --------------------------------------------------------------------


def move_pads(guest: User, account: User) -> None:
    """Give a guest's pads, and what the guest wrote, to an account."""
    Pad.objects.filter(owner=guest).update(owner=account)
    Line.objects.filter(by=guest).update(by=account)


def tell_pads(user: User) -> list[dict[str, object]]:
    """A person's pads, for that person: what they are and every line written on them."""
    return [
        {
            "names": pad.names,
            "rounds": pad.rounds,
            "ox": pad.ox,
            "shared": pad.shared,
            "created": pad.created,
            "updated": pad.updated,
            "lines": [{name: getattr(line, name) for name in TOLD} for line in pad.lines.all()],
        }
        for pad in user.pads.order_by("pk").prefetch_related("lines")
    ]
