"""Games shown again, ply by ply: stored ones to whoever may see them, and records of any game.

Nothing is written here. Everything that is shown follows from seed and moves, by the rules.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.core.cache import cache
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ouroboros_site.accounts.models import Visitor
from ouroboros_site.engine import record
from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.protocol import Rules, State, Termination
from ouroboros_site.engine.record import BadPly, Record
from ouroboros_site.leaderboards.models import Decision

from . import daily, registry
from .models import Game, Seat
from .services import BIGGEST_ID, NO_GAME, NOT_YOURS, OWN_TRY_FIRST, Refused, retired
from .tables import Entry, Replay, Sitter, Table, game_info

REVIEW = "play.review_game"
LONGEST = 256 * 1024
"""Bytes of a record's text that is pasted or uploaded; a game of a thousand moves has 15 kB."""
BLOCK = 256
"""So many plies are played again for one step at most: every position after so many is kept."""

GOING_ON = gettext_lazy("This game is still going on. Its replay opens when it is over.")
TOO_LONG = gettext_lazy("A record has 256 kB at most. What was sent is longer and was not read.")
ENDS: dict[str, Promise] = {
    Termination.DECK_EMPTY.value: gettext_lazy("the deck is empty"),
    Termination.NO_LIVES.value: gettext_lazy("the last life is gone"),
    Termination.OUT_OF_CARDS.value: gettext_lazy("a player has no card left"),
    Termination.ROUNDS_PLAYED.value: gettext_lazy("the last round is played"),
    Termination.RETIRED.value: gettext_lazy("the player retired"),
}
"""Why a game is over, in the words of a bystander."""
LEFT = gettext_lazy("a player left the table")


# --- who may see what ----------------------------------------------------------------------------


def open_game(user: Visitor, game_id: int) -> Game:
    """The game, if this visitor may see all of it: seed, hidden cards and every move.

    :raises Refused: 404 if there is none, or if its player's account is gone; 409 to its player
        while it goes on, 403 to others; 409 for a daily deal before one's own try. A reviewer may
        see every game of others that has begun.
    """
    return open_seats(user, game_id)[0].game


def open_seats(user: Visitor, game_id: int) -> list[Seat]:
    """The seats of a game that this visitor may see, with the game and who sits there.

    :raises Refused: as ``open_game``
    """
    found = Seat.objects.select_related("user", "game__daily", "game__score").order_by("index")
    seats = list(found.filter(game_id=game_id)) if game_id <= BIGGEST_ID else []
    people = {seat.user_id for seat in seats} - {None}
    # Nobody reviews a game of their own: it would show them the cards to come.
    # A table that waits has a free seat, which a reviewer could take and know every hand.
    waits = bool(seats) and seats[0].game.is_waiting
    reviews = bool(seats) and not waits and user.pk not in people and _reviews(user)
    if not people and not reviews:
        raise Refused(404, "no-game", NO_GAME)
    game = seats[0].game
    if not game.is_over and not reviews:
        if user.pk in people:
            raise Refused(409, "not-over", GOING_ON)
        raise Refused(403, "not-yours", NOT_YOURS)
    if game.daily and not reviews and not daily.may_know(user, game.daily):
        raise Refused(409, "own-try-first", OWN_TRY_FIRST)
    return seats


def _reviews(user: Visitor) -> bool:
    # Only who is staff is asked for a permission: that costs two statements.
    return user.is_staff and user.has_perm(REVIEW)


# --- the positions of a game ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A position of a game after ``ply`` of ``last`` moves, and the move that led to it, if any.

    ``state`` holds secrets; ``tallies`` were written down up to then; ``over`` says whether the
    game ended with it, ``ended`` why.
    """

    ply: int
    last: int
    state: State
    entry: Entry | None
    tallies: list[dict[str, Any]]
    over: bool
    ended: str = ""


def ended(termination: str, players: int) -> str:
    """Why a game of so many players is over, in the words of a bystander."""
    left = players > 1 and termination == Termination.RETIRED.value
    return str(LEFT if left else ENDS[termination])


def seat_of(text: str, players: int) -> int:
    """The seat from which a game is looked at, as an address or a form names it.

    :raises Refused: 404 if so many players have no such seat
    """
    if text.isascii() and text.isdecimal() and len(text) < 3 and int(text) < players:
        return int(text)
    raise Refused(404, "no-seat", _("There is no such seat at this table."))


def number(text: str, last: int) -> int:
    """A ply as an address or a form names it.

    :raises Refused: 404 if it is none of a game of ``last`` moves
    """
    # Nine digits: no game is longer, and a longer text is no honest number.
    if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) <= last:
        return int(text)
    if not last:
        raise Refused(404, "no-ply", _("There is no such ply: this game has no moves."))
    message = _("There is no such ply: this game goes from 0 to %(last)d.") % {"last": last}
    raise Refused(404, "no-ply", message)


def step_of_game(game: Game, ply: int) -> Step:
    """A position of a stored game.

    :raises Refused: 500 if the log does not hold
    """
    rules = game.rules
    # The move needs the position before it. In a long game the way there is short: of each block
    # the first position is kept for as long as the cache keeps it.
    base = max(ply - 1, 0) // BLOCK * BLOCK
    key = f"replay:{game.pk}:{game.version}:{base}:{game.commitment}"
    kept = cache.get(key) if base else None
    since = base if kept else 0
    moves = game.moves.filter(undone=False, ply__gt=since, ply__lte=ply).order_by("ply")
    recorded = Record(
        game=game.slug,
        options=game.options,
        players=game.players,
        seed=game.seed,
        moves=tuple(moves.values_list("text", flat=True)),
        start=kept,
    )
    try:
        walked = _walk(recorded, rules, ply - since, base - since, tell=False)
    except BadPly as bad:
        message = _("The log of this game does not hold at ply %(ply)d: %(reason)s") % {
            "ply": bad.ply + since,
            "reason": Refused.by_rules(bad.error).message,
        }
        raise Refused(500, "bad-log", message) from None
    if base and not kept:
        cache.set(key, rules.position(walked.base))
    end = ply == game.ply and game.result
    return Step(
        ply=ply,
        last=game.ply,
        state=walked.state,
        entry=walked.entry(rules, ply),
        tallies=_tallies(game, ply),
        over=bool(end),
        ended=ended(end["termination"], game.players) if end else "",
    )


def _tallies(game: Game, ply: int) -> list[dict[str, Any]]:
    """What had been written down of a stored game by then."""
    if not game.tallies:
        return []
    told = game.moves.filter(undone=False, ply__lte=ply, report__has_key="tally").order_by("ply")
    return [report["tally"] for report in told.values_list("report", flat=True)]


def step_of_record(recorded: Record, ply: int) -> Step:
    """A position of a record whose game is known; every move of it is checked.

    :raises BadPly: at the first ply that does not hold
    """
    rules = registry.get(recorded.game).rules
    walked = _walk(recorded, rules, ply)
    last = len(recorded.moves)
    end = rules.outcome(walked.end) if ply == last else None
    return Step(
        ply=ply,
        last=last,
        state=walked.state,
        entry=walked.entry(rules, ply),
        tallies=walked.tallies,
        over=end is not None,
        ended=ended(end.termination.value, recorded.players) if end else "",
    )


@dataclass(slots=True)
class _Walked:
    """Positions that a walk along a record came by."""

    base: State = None
    before: State = None
    state: State = None
    end: State = None
    text: str | None = None
    tallies: list[dict[str, Any]] = field(default_factory=list)

    def entry(self, rules: Rules, ply: int) -> Entry | None:
        if self.text is None:
            return None
        report = rules.report(self.before, rules.parse_move(self.text))
        return Entry(ply, rules.turn(self.before) or 0, self.text, report)


def _walk(recorded: Record, rules: Rules, ply: int, base: int = 0, *, tell: bool = True) -> _Walked:
    """Walk along a record and keep what is asked for.

    :param tell: whether to keep what the moves up to ``ply`` wrote down too
    """
    walked = _Walked()
    tell = tell and recorded.players > 1
    for at, (text, state) in enumerate(record.replay(recorded, rules)):
        if tell and 0 < at <= ply:
            report = rules.report(walked.end, rules.parse_move(text))
            walked.tallies += [report["tally"]] if "tally" in report else []
        if at == base:
            walked.base = state
        if at == ply - 1:
            walked.before = state
        if at == ply:
            walked.state, walked.text = state, text
        walked.end = state
    return walked


def table(game: Game, step: Step, people: Sequence[Sitter], seat: int = 0) -> Table:
    """The table as ``seat`` saw it then, to be looked at only.

    :param game: stored, or made of a record and not stored
    """
    outcome = game.rules.outcome(step.state)
    info = replace(
        game_info(game, seat),
        ply=step.ply,
        is_over=step.over,
        retired=step.over and retired(game),
        score=None,
        seed=None,
        can_undo=False,
        can_redo=False,
        winners=outcome.winners if outcome else (),
    )
    return Table(
        game=info,
        seat=seat,
        people=tuple(people),
        view=game.rules.view(step.state, seat),
        why_not=lambda text: None,
        log=[step.entry] if step.entry else [],
        replay=Replay(step.ply, step.last),
        tallies=step.tallies,
    )


# --- what is told beside the table ---------------------------------------------------------------


def decisions(game: Game) -> list[Decision]:
    """What reviewers decided of the game's score, the oldest first."""
    score = getattr(game, "score", None)
    if score is None or score.reviewed is None:
        return []
    return list(Decision.objects.filter(score=score))


def hidden_places(kind: registry.Kind, step: Step, seat: int = 0) -> list[registry.Place]:
    """The cards that ``seat`` did not see at that ply, by their places."""
    return [place for place in kind.layout(step.state, seat) if place.hidden and place.cards]


def players(recorded: Record) -> tuple[Sitter, ...]:
    """Who played a record, which knows no names."""
    return tuple(
        [
            Sitter(seat, _("Player %(number)d") % {"number": seat + 1}, "", me=False)
            for seat in range(recorded.players)
        ]
    )


# --- records that are pasted or uploaded ---------------------------------------------------------


def read_record(text: str | bytes) -> Record:
    """A record of a registered game; whether its moves hold is not checked.

    :raises Refused: 413 if it is too long, 400 if it is none
    """
    if isinstance(text, str):
        # A form sends every line's end as two characters.
        text = text.replace("\r\n", "\n").encode()
    if len(text) > LONGEST:
        raise Refused(413, "too-long", TOO_LONG)
    try:
        recorded = record.read(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Refused(400, "utf-8", _("A record is a text in UTF-8; this is none.")) from None
    except RulesError as error:
        raise Refused.by_rules(error) from None
    try:
        registry.get(recorded.game)
    except KeyError:
        message = _("There is no game “%(game)s” here.") % {"game": printable(recorded.game)}
        raise Refused(400, "no-game", message) from None
    return recorded


def refusal(bad: BadPly) -> Refused:
    """Why a record does not hold, and where, in the reader's language."""
    reason = printable(str(Refused.by_rules(bad.error).message), 400)
    if bad.move is None:
        message = _("The record's beginning does not hold. %(reason)s") % {"reason": reason}
    else:
        message = _("Ply %(ply)d, “%(move)s”, does not hold. %(reason)s") % {
            "ply": bad.ply,
            "move": printable(bad.move),
            "reason": reason,
        }
    return Refused(400, bad.error.code, message)


def printable(text: str, most: int = 60) -> str:
    """A stranger's text on one line that every page takes, cut off where it is long."""
    cut = text[:most] + ("…" if len(text) > most else "")
    return "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut])


def canonical(recorded: Record) -> str:
    """The record's text without a space too many."""
    data: dict[str, Any] = {
        "record": record.VERSION,
        "game": recorded.game,
        "options": recorded.options,
        "players": recorded.players,
        "seed": recorded.seed,
        "moves": recorded.moves,
    }
    if recorded.start is not None:
        data["start"] = recorded.start
    return json.dumps(data, separators=(",", ":"))


def game_of(recorded: Record) -> Game:
    """The game that a record tells of, to be shown and never stored."""
    return Game(
        slug=recorded.game,
        options=recorded.options,
        players=recorded.players,
        seed=recorded.seed,
        ranked=False,
        ply=len(recorded.moves),
    )
