"""What the people at a table see of one another beside the cards: who is there, what was said."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from . import seating
from .models import Game, Seat
from .phrases import PHRASES
from .services import Seated, name_of
from .tables import Sitter, sitters

EVENTS = {
    # What happened: to the person who reads it, and to others.
    "sat": (gettext_lazy("You sat down."), gettext_lazy("%(who)s has sat down.")),
    "moved": (gettext_lazy("You changed seats."), gettext_lazy("%(who)s has changed seats.")),
    "stood": (gettext_lazy("Somebody stood up."), gettext_lazy("Somebody stood up.")),
    "removed": (
        gettext_lazy("Somebody was taken off a seat."),
        gettext_lazy("Somebody was taken off a seat."),
    ),
    "host": (gettext_lazy("You are the host."), gettext_lazy("%(who)s is the host.")),
    "left": (
        gettext_lazy("You left: a bot plays for you."),
        gettext_lazy("%(who)s has left: a bot plays on."),
    ),
    "late": (
        gettext_lazy("Your time is out: a bot plays for you."),
        gettext_lazy("%(who)s’s time is out: a bot plays on."),
    ),
    "voted": (
        gettext_lazy("The others wanted a bot to play for you."),
        gettext_lazy("%(who)s was away: a bot plays on, by vote."),
    ),
    "back": (gettext_lazy("You are back."), gettext_lazy("%(who)s is back.")),
    "handed": (
        gettext_lazy("You have taken over this seat."),
        gettext_lazy("%(who)s has taken over a seat."),
    ),
    "started": (gettext_lazy("The game has begun."), gettext_lazy("The game has begun.")),
    "rematch": (
        gettext_lazy("You would like a rematch."),
        gettext_lazy("%(who)s would like a rematch."),
    ),
}


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was said or that happened; ``number`` counts them at this table.

    ``who`` said ``words``; of what happened the words say it all, and ``who`` is "".
    """

    number: int
    who: str
    words: str
    me: bool


@dataclass(frozen=True, slots=True)
class Mate:
    """A person at the table, and whether their phrases are kept from the one who looks."""

    sitter: Sitter
    muted: bool


@dataclass(frozen=True, slots=True)
class Vote:
    """Whether a bot is to play for ``name``: ``votes`` of ``needed`` want it, perhaps ``mine``."""

    name: str
    votes: int
    needed: int
    mine: bool


@dataclass(frozen=True, slots=True)
class Rematch:
    """The next game of the same people, as far as it has come: ``names`` sit there already."""

    names: tuple[str, ...]
    mine: bool
    started: bool


@dataclass(frozen=True, slots=True)
class Company:
    """The people at a table as one of them sees them, or somebody who looks on.

    ``key`` is that of the link. ``lines`` has the newest first. ``vote`` and ``rematch`` are
    None where there is none.
    ``stamp`` is the same as long as nothing here has changed.
    """

    key: str
    lines: tuple[Line, ...]
    mates: tuple[Mate, ...]
    vote: Vote | None
    rematch: Rematch | None
    stamp: str

    def heard(self, stamp: str) -> list[Line]:
        """What others said or what happened since a page had this stamp, the oldest first."""
        number = stamp.partition("-")[0]
        if not (number.isascii() and number.isdecimal() and len(number) < 10):
            return []
        new = [line for line in self.lines if line.number > int(number) and not line.me]
        return new[::-1]


def company(seated: Seated) -> Company | None:
    """The people at a table; None for one at which nobody else can ever sit."""
    game = seated.game
    if game.key is None:
        return None
    now = None if game.is_over else timezone.now()
    people = sitters(seated.people, seated.seat, now)
    own = None if seated.seat is None else seated.people[seated.seat]
    muted = own.muted if own else []
    lines = tuple(_lines(game.talk, seated.people, seated.seat, muted))
    vote = _vote(seated, people)
    rematch = _rematch(game, seated) if game.is_over else None
    number = game.talk[-1]["n"] if game.talk else 0
    here = "".join([sitter.presence[:1] or "-" for sitter in people])
    voted = f"{vote.votes}of{vote.needed}{vote.mine:d}" if vote else ""
    again = f"{len(rematch.names)}{rematch.started:d}" if rematch else ""
    return Company(
        key=game.key,
        lines=lines,
        mates=tuple(
            [
                Mate(sitter, sitter.seat in muted)
                for sitter, seat in zip(people, seated.people, strict=True)
                if seat.user_id
            ]
        ),
        vote=vote,
        rematch=rematch,
        stamp="-".join([str(number), here, voted, "".join(map(str, muted)), again]),
    )


def _lines(
    talk: list[dict[str, Any]], people: list[Seat], me: int | None, muted: list[int]
) -> Iterable[Line]:
    """What was said and done lately, in words, but for the phrases of those who are muted."""
    for entry in reversed(talk):
        seat = people[entry["seat"]]
        mine = seat.index == me
        # The person may have left the site meanwhile, and a bot be called something else.
        who = name_of(seat) if seat.user_id else _("Somebody")
        if entry.get("phrase") in PHRASES and seat.index not in muted:
            name = _("You") if mine else who
            yield Line(entry["n"], name, str(PHRASES[entry["phrase"]]), mine)
        elif entry.get("what") in EVENTS:
            words = EVENTS[entry["what"]][not mine] % {"who": who}
            yield Line(entry["n"], "", words, mine)


def _vote(seated: Seated, people: tuple[Sitter, ...]) -> Vote | None:
    if not seating.may_vote(seated):
        return None
    voted, needed = seating.voters(seated)
    name = people[seated.turn or 0].name
    return Vote(name, len(voted), needed, seated.seat in voted)


def _rematch(game: Game, seated: Seated) -> Rematch | None:
    seats = Seat.objects.filter(game__rematch_of=game, user__isnull=False)
    there = list(seats.select_related("user", "game").order_by("index"))
    if not there:
        return None
    return Rematch(
        names=tuple([name_of(seat) for seat in there]),
        mine=seated.user.pk in [seat.user_id for seat in there],
        started=not there[0].game.is_waiting,
    )
