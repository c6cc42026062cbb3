"""The only writers of games. Each function is one transaction: all of it happens, or nothing.

A move passes one gate whoever makes it: whose game, still going on, made at the present version,
whose turn, readable, legal. A refusal is a ``Refused`` with an HTTP status, a stable code and a
sentence for the player; nothing has changed then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ouroboros_site.accounts.models import User, Visitor
from ouroboros_site.engine import shuffle
from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.protocol import Outcome, State, Termination
from ouroboros_site.leaderboards import services as leaderboards

from . import daily, registry
from .models import DailyDeal, Game, Move, Seat, Try

MOVE_LENGTH = 200
"""Characters; no move text of any game comes near it."""
BIGGEST_ID = 2**63 - 1
"""The largest key that a database takes; a larger one in an address is no game."""
DOUBLE_CLICK = timedelta(seconds=10)


class Refused(Exception):
    """A request that is not carried out.

    :param status: 400 (cannot be read, or not legal), 403 (not yours), 404 (no such game),
        409 (not now: the table has moved on)
    :param code: stable, for programs
    :param message: a sentence a player understands
    """

    def __init__(self, status: int, code: str, message: str | Promise) -> None:
        self.status = status
        self.code = code
        self.message = message
        super().__init__(status, code, message)

    @classmethod
    def by_rules(cls, error: RulesError) -> "Refused":
        """A refusal of the rules, in the player's language."""
        return cls(400, error.code, gettext(error.template) % error.params)


class Unconfirmed(Exception):
    """A move that can end the game was not confirmed: nothing was played, the player is asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


NO_GAME = _("There is no such game.")
NOT_YOURS = _("This is not your game, or your session on this browser has ended.")
STALE = _(
    "The table had moved on before this arrived; nothing was played. Here it is as it stands."
)
OVER = _("This game is over.")
SUSPENDED = _(
    "This account is suspended: you can log in, look and download your data, but not play."
)
GONE = _("Your session on this browser has ended. Open the page again.")
OWN_TRY_FIRST = _("This deal is open to you once you have had your own try at it.")
NEW_DAY = _("A new day has begun, and with it a new deal. Here it is.")
NOT_YOUR_TURN = _("It is not your turn.")
RANKED_UNDO = _("A ranked game has no undo.")
NOTHING_TO_UNDO = _("There is nothing to take back.")
NOTHING_TO_REDO = _("There is nothing to play again.")


@dataclass(slots=True)
class Seated:
    """A game as one user finds it: the row, the seat, and the position it stands at.

    ``state`` holds secrets; pages get ``view`` only.
    """

    game: Game
    seat: int
    state: State
    user: Visitor

    @property
    def view(self) -> dict[str, Any]:
        """What this seat may see."""
        return self.game.rules.view(self.state, self.seat)

    def why_not(self, text: str) -> str | None:
        """Why the move ``text`` may not be played now, in the player's language; None if it may."""
        if self.game.is_over:
            return str(OVER)
        rules = self.game.rules
        try:
            error = rules.refusal(self.state, rules.parse_move(text))
        except RulesError as unreadable:
            error = unreadable
        return str(Refused.by_rules(error).message) if error else None


# --- reading -------------------------------------------------------------------------------------


def take_seat(*, user: Visitor, slug: str, game_id: int) -> Seated:
    """The game as this user finds it, for reading.

    :raises Refused: 404 if there is no such game, 403 if the user has no seat in it, 409 for
        practice with a daily deal before one's own try
    """
    return _seated(Seat.objects.all(), user, slug, game_id)


def _seated(seats: QuerySet[Seat], user: Visitor, slug: str, game_id: int) -> Seated:
    """One query for those who sit there; another one for those who do not, to tell them why."""
    if game_id > BIGGEST_ID:
        raise Refused(404, "no-game", NO_GAME)
    # A seat without a user must not fall to a visitor without one.
    mine = seats.select_related("game__daily").filter(game_id=game_id, user_id=user.pk or 0)
    seat = mine.first()
    if seat is not None and seat.game.slug == slug:
        game = seat.game
        # Two tries may have met in one account: the later one is practice, and gives nothing away.
        if not game.ranked and game.daily and not daily.may_know(user, game.daily):
            raise Refused(409, "own-try-first", OWN_TRY_FIRST)
        return Seated(game, seat.index, game.load(), user)
    if Game.objects.filter(pk=game_id, slug=slug).exists():
        raise Refused(403, "not-yours", NOT_YOURS)
    raise Refused(404, "no-game", NO_GAME)


def recent_moves(game: Game, number: int | None = None) -> list[Move]:
    """The moves that stand, the latest first; the last ``number`` of them, or all.

    A move made since ``game`` was read is not among them.
    """
    moves = game.moves.filter(undone=False, ply__lte=game.ply).order_by("-ply")
    return list(moves if number is None else moves[:number])


# --- writing -------------------------------------------------------------------------------------


@transaction.atomic
def start_game(
    *,
    user: Visitor,
    slug: str,
    ranked: bool = True,
    seed: str | None = None,
    day: date | None = None,
    token: str | None = None,
) -> tuple[Game, User]:
    """Start a game for one player; a visitor without a user becomes a guest.

    :param seed: for a practice game, the deal; None draws one
    :param day: for the one try at the daily deal, the day that the player saw; whoever has begun
        it already gets that game
    :param token: from the page; a second request for the same with it is the same click
    :returns: the game, and the user who plays it
    :raises Refused: 404 for an unknown game, 400 for a seed that is none, 403 for a suspended
        account, 409 for a daily deal of another day, or for its seed before one's own try
    """
    user = _still_there(user)
    _check_may_play(user)
    try:
        rules = registry.get(slug).rules
    except KeyError:
        raise Refused(404, "no-game", NO_GAME) from None
    if ranked and seed is not None:
        raise Refused(400, "ranked-seed", _("A ranked game has a random deal."))
    if day is not None and (not ranked or registry.get(slug).score is None):
        raise Refused(400, "no-daily", _("There is no daily deal of this kind."))
    deal = _daily_deal(user, slug, seed, day)
    if deal and ranked and (attempt := daily.try_of(user, deal)):
        return attempt.game, attempt.user
    if token:
        # A page has several forms that start games: the same click starts the same.
        token = sha256(f"{token} {slug} {ranked} {seed} {day}".encode()).hexdigest()[:32]
    if token and (started := _just_started(token, user)):
        return started
    try:
        state = rules.start(deal.seed if deal else seed or shuffle.new_seed())
    except RulesError as error:
        raise Refused.by_rules(error) from None
    data = rules.encode(state)
    try:
        with transaction.atomic():
            player = user if isinstance(user, User) else User.objects.create_guest()
            game = Game.objects.create(
                slug=slug,
                players=data["players"],
                options=data["options"],
                seed=data["seed"],
                state=data["position"],
                ranked=ranked,
                daily=deal,
                token=token,
            )
            Seat.objects.create(game=game, index=0, user=player)
            if deal and ranked:
                Try.objects.create(deal=deal, user=player, game=game)
    except IntegrityError:
        # The other half of a double click was quicker, or another tab with the same try.
        if deal and ranked and (attempt := daily.try_of(user, deal)):
            return attempt.game, player
        if token and (started := _just_started(token, user)):
            return started
        raise
    return game, player


def _still_there(user: Visitor) -> Visitor:
    """The user's row, locked: a guest may have moved into an account meanwhile, or be deleted.

    :raises Refused: 403 if it is gone
    """
    if not user.pk:
        return user
    row = User.objects.select_for_update().filter(pk=user.pk).first()
    if row is None:
        raise Refused(403, "gone", GONE)
    return row


def _check_may_play(user: Visitor) -> None:
    if isinstance(user, User) and user.suspended:
        raise Refused(403, "suspended", SUSPENDED)


def _daily_deal(user: Visitor, slug: str, seed: str | None, day: date | None) -> DailyDeal | None:
    """The daily deal that a game to be started has, by its day or because its seed is one's."""
    if day is not None:
        if day != daily.today():
            raise Refused(409, "new-day", NEW_DAY)
        return daily.deal_of(slug, day)
    if seed is None:
        return None
    try:
        deal = DailyDeal.objects.filter(slug=slug, seed=shuffle.check_seed(seed)).first()
    except RulesError as error:
        raise Refused.by_rules(error) from None
    if deal and not daily.may_know(user, deal):
        raise Refused(409, "own-try-first", OWN_TRY_FIRST)
    return deal


def _just_started(token: str, user: Visitor) -> tuple[Game, User] | None:
    """The game that this form started a moment ago, if it is this visitor's.

    A visitor who had no user yet may be handed the guest that the first half of the double click
    made: only the form's own token, which is random and used once, leads there. An older game
    gives its token up: the form has come back from the browser's history, and a new game is meant.
    """
    game = Game.objects.select_for_update().filter(token=token).first()
    if game is None:
        return None
    owner = game.seats.select_related("user").get(index=0).user
    fresh = not game.version and timezone.now() - game.created < DOUBLE_CLICK
    if fresh and owner is not None and (owner == user or (owner.is_guest and not user.pk)):
        return game, owner
    game.token = None
    game.save(update_fields=["token"])
    return None


def _locked(user: Visitor, slug: str, game_id: int, version: int) -> Seated:
    """The game for writing: the row locked, still going on, and at the version that was seen."""
    seated = _seated(Seat.objects.select_for_update(of=("game",)), user, slug, game_id)
    _check_may_play(user)
    if seated.game.is_over:
        raise Refused(409, "over", OVER)
    if seated.game.version != version:
        raise Refused(409, "stale", STALE)
    return seated


@dataclass(slots=True)
class Played:
    """What a write came to: the game as it stands now, and the moves made, oldest first.

    ``moves`` is None when the log did not just grow.
    """

    seated: Seated
    moves: list[Move] | None


@transaction.atomic
def submit_moves(
    *,
    user: Visitor,
    slug: str,
    game_id: int,
    version: int,
    texts: Sequence[str],
    confirmed: bool = True,
) -> Played:
    """Make one move, or several of one seat together: all of them, or none.

    :param version: the version of the game that the player saw
    :param confirmed: False if the player is to be asked first about a move that can end the game
    :raises Refused: see the class
    :raises Unconfirmed: such a move was not played
    """
    if not texts:
        raise Refused(400, "no-move", _("No move was sent."))
    seated = _locked(user, slug, game_id, version)
    moves = _play(seated, texts, confirmed)
    seated.game.redo = []
    _save(seated)
    return Played(seated, moves)


def _play(seated: Seated, texts: Sequence[str], confirmed: bool = True) -> list[Move]:
    """Apply the moves and append them to the log."""
    game, kind, rules, moves = seated.game, seated.game.kind, seated.game.rules, []
    for text in texts:
        if rules.turn(seated.state) != seated.seat:
            raise Refused(409, "not-your-turn", NOT_YOUR_TURN)
        if len(text) > MOVE_LENGTH:
            raise Refused(400, "too-long", _("No move is that long."))
        try:
            move = rules.parse_move(text)
            report = rules.report(seated.state, move)
            if not confirmed and kind.may_end(seated.state, move, game.ranked):
                raise Unconfirmed(text)
            seated.state = rules.apply(seated.state, move)
        except RulesError as error:
            raise Refused.by_rules(error) from None
        game.ply += 1
        game.version += 1
        moves.append(
            Move(
                game=game,
                version=game.version,
                ply=game.ply,
                seat=seated.seat,
                text=text,
                report=report,
            )
        )
    try:
        Move.objects.bulk_create(moves)
    except IntegrityError:
        # The log's own guard, should the lock on the row ever fail.
        raise Refused(409, "stale", STALE) from None
    return moves


def _save(seated: Seated, outcome: Outcome | None = None) -> None:
    """Store the position and, if it is the end or ``outcome`` makes it so, the result."""
    game, rules = seated.game, seated.game.rules
    game.state = rules.position(seated.state)
    outcome = outcome or rules.outcome(seated.state)
    if outcome is not None:
        game.result = {"termination": outcome.termination.value, "scores": list(outcome.scores)}
        game.finished = timezone.now()
    game.save(update_fields=["state", "ply", "version", "redo", "result", "finished", "updated"])
    if game.counts and game.kind.score is not None:
        leaderboards.score_game(game=game, user=seated.user)


@transaction.atomic
def undo_move(*, user: Visitor, slug: str, game_id: int, version: int) -> Played:
    """Take back the last move of a practice game; its row stays, marked.

    A finished practice game may be taken back too.

    :raises Refused: see the class
    """
    seated = _seated(Seat.objects.select_for_update(of=("game",)), user, slug, game_id)
    _check_may_play(user)
    game = seated.game
    if game.ranked:
        raise Refused(409, "ranked", RANKED_UNDO)
    if game.version != version:
        raise Refused(409, "stale", STALE)
    moves = recent_moves(game)
    if not moves or retired(game):
        raise Refused(409, "nothing-to-undo", NOTHING_TO_UNDO)
    last = moves[0]
    last.undone = True
    last.save(update_fields=["undone"])
    rules = game.rules
    state = rules.start(game.seed, game.players, game.options)
    for move in reversed(moves[1:]):
        state = rules.apply(state, rules.parse_move(move.text))
    seated.state = state
    game.ply -= 1
    game.version += 1
    game.redo.append(last.text)
    game.result = game.finished = None
    _save(seated)
    return Played(seated, None)


@transaction.atomic
def redo_move(*, user: Visitor, slug: str, game_id: int, version: int) -> Played:
    """Play again what was taken back last; it enters the log as a new move.

    :raises Refused: see the class
    """
    seated = _locked(user, slug, game_id, version)
    if seated.game.ranked:
        raise Refused(409, "ranked", RANKED_UNDO)
    if not seated.game.redo:
        raise Refused(409, "nothing-to-redo", NOTHING_TO_REDO)
    moves = _play(seated, [seated.game.redo.pop()])
    _save(seated)
    return Played(seated, moves)


@transaction.atomic
def retire_game(*, user: Visitor, slug: str, game_id: int, version: int) -> Played:
    """End a game by the player's wish; the score stands as it is.

    :raises Refused: see the class
    """
    seated = _locked(user, slug, game_id, version)
    game = seated.game
    game.version += 1
    game.redo = []
    _save(seated, Outcome(Termination.RETIRED, game.rules.scores(seated.state)))
    return Played(seated, None)


def retired(game: Game) -> bool:
    """Whether the game ended because its player retired."""
    return bool(game.result) and game.result["termination"] == Termination.RETIRED.value
