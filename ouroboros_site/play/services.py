"""The only writers of games. Of each change all happens, or nothing.

Most functions are one transaction. ``advance_game`` and ``go_on`` are two, with a bot's thought in
between: the first says that somebody thinks, the second plays.

A move passes one gate whoever makes it: whose game, still going on, made at the present version,
whose turn, readable, legal. A refusal is a ``Refused`` with an HTTP status, a stable code and a
sentence for the player; nothing has changed then.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from time import monotonic, sleep
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ouroboros_site.accounts.models import User, Visitor
from ouroboros_site.engine import shuffle
from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.protocol import Outcome, State, Termination
from ouroboros_site.leaderboards import services as leaderboards

from . import bots, daily, live, registry
from .models import PACES, TURN_TIMES, DailyDeal, Game, Move, Seat, SeatChange, Try
from .registry import Kind, Setup

logger = logging.getLogger(__name__)

MOVE_LENGTH = 200
"""Characters; no move text of any game comes near it."""
BIGGEST_ID = 2**63 - 1
"""The largest key that a database takes; a larger one in an address is no game."""
DOUBLE_CLICK = timedelta(seconds=10)
TURN = ("turn_since", "votes")
CHANGED = (
    *("state", "ply", "version", "redo", "result", "tallies", "lease", "finished", "updated"),
    *TURN,
)
"""What a move or its taking back changes of a game's row."""
SEATING = ("version", "talk", "host", "started", "lease", "updated", *TURN)
"""What a change of seats changes of it."""
TALK = 12
"""So many of the last things that were said or happened at a table are kept."""
LEASE = timedelta(seconds=10)
"""So long one request thinks for a bot before another one may, should the first have died."""
THOUGHT = 0.03
"""Seconds that every move takes which nobody makes by hand, however soon it was found.

A bot without a choice has its move at once, and one with many cards needs a few milliseconds: so
the time of an answer would tell of a hand. This is several times what "steady" ever needs; a level
that thinks longer needs a longer time for all of its moves.
"""
SHORTEST_PASS, LONGEST_PASS = 1.5, 4.0
"""Seconds that a person's forced pass takes among other persons: as long as one that is thought of.

At the pace of bots the others would know that there was no choice, and with it half of a hand.
"""
MOST_WAITING = 10
"""At so many tables that have not begun a person sits at most, or one could fill the lobby."""
UNREADABLE = (RulesError, LookupError, TypeError, ValueError, AttributeError)
"""What the rules raise over a stored position that is none; they trust what they have written."""


class Refused(Exception):
    """A request that is not carried out.

    :param status: 400 (cannot be read, or not legal), 403 (not yours), 404 (no such game),
        409 (not now: the table has moved on), 429 (too often)
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
ALONE = _("This game is played alone.")
NOT_YOURS = _("This is not your game, or your session on this browser has ended.")
STALE = _(
    "The table had moved on before this arrived; nothing was played. Here it is as it stands."
)
OVER = _("This game is over.")
SUSPENDED = _(
    "This account is suspended: you can log in, look and download your data, but not play."
)
GONE = _("Your session on this browser has ended. Open the page again.")
DAMAGED = _("What is stored of this game is damaged, so that it cannot go on. Nothing has changed.")
OWN_TRY_FIRST = _("This deal is open to you once you have had your own try at it.")
NEW_DAY = _("A new day has begun, and with it a new deal. Here it is.")
NOT_YOUR_TURN = _("It is not your turn.")
RANKED_UNDO = _("A ranked game has no undo.")
SHARED_UNDO = _("At a table with others no move is taken back.")
WAITING = _("The game has not started: people still sit down.")
TOO_MANY_TABLES = _("You wait at very many tables already. Leave one of them first.")
STAND_IN = _("A bot plays for you. Take your seat back first.")
OTHERS = _("Others play on: leave the table instead.")
NO_PACE = _("Bots play slowly, normally or instantly.")
NOTHING_TO_UNDO = _("There is nothing to take back.")
NOTHING_TO_REDO = _("There is nothing to play again.")


@dataclass(slots=True)
class Seated:
    """A game as one user finds it: the row, the seat, and the position it stands at.

    ``state`` holds secrets; pages get ``view`` only. ``seat`` is None for somebody who looks on.
    """

    game: Game
    seat: int | None
    state: State
    user: Visitor
    _people: list[Seat] | None = None

    @property
    def people(self) -> list[Seat]:
        """Who sits at the table, in order; asked for once, and of several seats only."""
        if self._people is None:
            if self.game.players == 1:
                self._people = [Seat(game=self.game, index=self.seat, user=self.user)]
            else:
                self._people = list(self.game.seats.select_related("user").order_by("index"))
        return self._people

    @property
    def turn(self) -> int | None:
        """The seat to move; None when the game is over."""
        return None if self.game.is_over else self.game.rules.turn(self.state)

    @property
    def stand_in(self) -> bool:
        """Whether a bot plays for the person who looks."""
        return self.seat is not None and bool(self.people[self.seat].bot)

    @property
    def others(self) -> list[Seat]:
        """The seats of the other persons; one for whom a bot plays looks on, and may come back."""
        return [seat for seat in self.people if seat.user_id and seat.index != self.seat]

    @property
    def deadline(self) -> datetime | None:
        """When the time of the person runs out whose turn it is; None if it does not."""
        game, turn = self.game, self.turn
        if turn is None or not game.turn_time or not game.turn_since or self.people[turn].bot:
            return None
        return game.turn_since + timedelta(seconds=game.turn_time)

    @property
    def is_late(self) -> bool:
        """Whether a bot has to go on for the person whose turn it is."""
        return self.deadline is not None and timezone.now() >= self.deadline

    @property
    def by_itself(self) -> bool:
        """Whether the next move needs nobody: a bot's, or one of this seat that has no choice.

        Whether another person has a choice is not told: it would give away what that hand holds.
        Who may not play cannot ask for a move either, nor can somebody who looks on.
        """
        turn = self.turn
        if turn is None or self.seat is None or self.game.players == 1:
            return False
        if _is_suspended(self.user):
            return False
        if self.people[turn].bot:
            return True
        legal = bots.legal_texts(self.game.rules, self.state) if turn == self.seat else []
        return bool(legal) and self.game.kind.automatic(legal)

    @property
    def pause(self) -> float:
        """Seconds from the last change to the next move, if that needs nobody (``by_itself``)."""
        game, turn = self.game, self.turn
        if turn is None or self.people[turn].bot or not self.others:
            return PACES[game.pace]
        # The same for the same turn, however often the page is opened, and nobody's to foresee.
        turn_of_game = f"{game.pk} {game.version}"
        chance = salted_hmac("ouroboros_site.play.pause", turn_of_game, algorithm="sha256").digest()
        share = int.from_bytes(chance[:4]) / 2**32
        return SHORTEST_PASS + share * (LONGEST_PASS - SHORTEST_PASS)

    @property
    def view(self) -> dict[str, Any]:
        """What this seat may see."""
        return self.game.rules.view(self.state, self.seat)

    def why_not(self, text: str) -> str | None:
        """Why the move ``text`` may not be played now, in the player's language; None if it may."""
        if self.game.is_over:
            return str(OVER)
        rules = self.game.rules
        if rules.turn(self.state) != self.seat:
            # The rules would answer for the seat whose turn it is, and from its hand.
            return str(NOT_YOUR_TURN)
        try:
            error = rules.refusal(self.state, rules.parse_move(text))
        except RulesError as unreadable:
            error = unreadable
        return str(Refused.by_rules(error).message) if error else None


# --- reading -------------------------------------------------------------------------------------


def take_seat(*, user: Visitor, slug: str, game_id: int) -> Seated:
    """The game as this user finds it, for reading.

    :raises Refused: 404 if there is no such game, 403 if the user has no seat in it, 409 before the
        start, for practice with a daily deal before one's own try, and if what is stored cannot be
        read
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
        if game.is_waiting:
            raise Refused(409, "waiting", WAITING)
        # Two tries may have met in one account: the later one is practice, and gives nothing away.
        if not game.ranked and game.daily and not daily.may_know(user, game.daily):
            raise Refused(409, "own-try-first", OWN_TRY_FIRST)
        return Seated(game, seat.index, load(game), user)
    if Game.objects.filter(pk=game_id, slug=slug).exists():
        raise Refused(403, "not-yours", NOT_YOURS)
    raise Refused(404, "no-game", NO_GAME)


def load(game: Game) -> State:
    """The position of a game.

    :raises Refused: 409 if what is stored cannot be read
    """
    try:
        return game.load()
    except UNREADABLE:
        raise _damaged(game) from None


def _damaged(game: Game) -> Refused:
    """The refusal of a game whose stored position is at fault; the fault is logged."""
    logger.exception("game %s cannot be gone on with", game.pk)
    return Refused(409, "damaged", DAMAGED)


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
    setup: Setup | None = None,
) -> tuple[Game, User]:
    """Start a game for one person; a visitor without a user becomes a guest.

    At a table of several seats bots have the others, or other persons may take them: then the game
    waits for these (``seating``), and the person is the table's host.

    :param seed: for a practice game, the deal; None draws one
    :param day: for the one try at the daily deal, the day that the player saw; whoever has begun
        it already gets that game
    :param token: from the page; a second request for the same with it is the same click
    :param setup: of a table of several seats; None for the usual one
    :returns: the game, and the user who plays it
    :raises Refused: 404 for an unknown game, 400 for a seed that is none or a table that cannot be
        set up so, 403 for a suspended account, 409 for a daily deal of another day, or for its seed
        before one's own try, or for one more table that waits than anybody may have
    """
    user = still_there(user)
    check_may_play(user)
    try:
        kind = registry.get(slug)
    except KeyError:
        raise Refused(404, "no-game", NO_GAME) from None
    setup = _checked(kind, setup)
    if ranked and seed is not None:
        raise Refused(400, "ranked-seed", _("A ranked game has a random deal."))
    if day is not None and (not ranked or kind.score is None):
        raise Refused(400, "no-daily", _("There is no daily deal of this kind."))
    if setup.waits and seed is not None:
        raise Refused(400, "seed", _("Whoever knows the seed knows every card: play it with bots."))
    deal = _daily_deal(user, slug, seed, day)
    if deal and ranked and (attempt := daily.try_of(user, deal)):
        return attempt.game, attempt.user
    if token:
        # A page has several forms that start games: the same click starts the same.
        click = f"{token} {slug} {ranked} {seed} {day} {setup}"
        token = sha256(click.encode()).hexdigest()[:32]
    if token and (started := _just_started(token, user)):
        return started
    if setup.waits:
        check_may_wait(user)
    dealt = deal.seed if deal else seed or shuffle.new_seed()
    try:
        state = kind.rules.start(dealt, setup.players, setup.options)
    except RulesError as error:
        raise Refused.by_rules(error) from None
    data = kind.rules.encode(state)
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
                pace=setup.pace,
                **_waiting(setup),
            )
            seats = _seats(game, player, setup)
            if not setup.waits:
                name_bots(seats)
            Seat.objects.bulk_create(seats)
            if deal and ranked:
                Try.objects.create(deal=deal, user=player, game=game)
            if game.listed:
                live.announce("lobby", 0)
    except IntegrityError:
        # The other half of a double click was quicker, or another tab with the same try.
        if deal and ranked and (attempt := daily.try_of(user, deal)):
            return attempt.game, player
        if token and (started := _just_started(token, user)):
            return started
        raise
    return game, player


def _checked(kind: Kind, setup: Setup | None) -> Setup:
    """How the table is set up; number of players and options are checked by the rules.

    :raises Refused: 400 if seats are left over, or if there is no such bot or pace
    """
    if setup is None:
        alone = kind.read_setup is None
        setup = Setup(kind.rules.SEATS[0]) if alone else kind.read_setup(QueryDict())
    if setup.pace not in PACES:
        raise Refused(400, "pace", NO_PACE)
    if len(setup.bots) != setup.players - 1 or setup.me not in range(setup.players):
        raise Refused(400, "bots", _("One seat is yours; each other one is open or a bot’s."))
    if not kind.levels.keys() >= set(setup.bots) - {""}:
        raise Refused(400, "level", _("There is no bot of this level."))
    if setup.turn_time not in (None, *TURN_TIMES):
        raise Refused(400, "turn-time", _("There is no such turn time."))
    return setup


def _waiting(setup: Setup) -> dict[str, Any]:
    """The fields of a game that says whether, and how, it waits for others."""
    if not setup.waits:
        return {"turn_since": timezone.now() if setup.players > 1 else None}
    return {
        "started": None,
        "key": new_key(),
        "listed": setup.listed,
        "host": setup.me,
        "turn_time": setup.turn_time,
    }


def new_key() -> str:
    """The secret of a table's link."""
    return token_urlsafe(12)


def _seats(game: Game, player: User, setup: Setup) -> list[Seat]:
    """The seats as a table is set up."""
    seats = [Seat(game=game, index=index) for index in range(setup.players)]
    own = seats[setup.me]
    own.user, own.name = player, setup.name if player.is_guest else ""
    own.seen = timezone.now() if setup.waits else None
    for seat, level in zip([seat for seat in seats if seat is not own], setup.bots, strict=True):
        seat.bot = level
    return seats


def name_bots(seats: Sequence[Seat]) -> None:
    """Give each bot without one a name that nobody else at the table has; nothing is stored."""
    named = [seat for seat in seats if seat.bot and not (seat.user_id or seat.name)]
    taken = [name_of(seat) for seat in seats if seat not in named]
    for seat, name in zip(named, bots.names_beside(taken, len(named)), strict=True):
        seat.name = name


def name_of(seat: Seat) -> str:
    """What the person or the bot on a seat is called; a guest as they called themselves here."""
    if seat.user and not seat.user.is_guest:
        return seat.user.display_name
    if seat.user:
        return seat.name or seat.user.display_name
    return seat.name or gettext("nobody any more")


def still_there(user: Visitor) -> Visitor:
    """The user's row, locked: a guest may have moved into an account meanwhile, or be deleted.

    :raises Refused: 403 if it is gone
    """
    if not user.pk:
        return user
    row = User.objects.select_for_update().filter(pk=user.pk).first()
    if row is None:
        raise Refused(403, "gone", GONE)
    return row


def _is_suspended(user: Visitor) -> bool:
    return isinstance(user, User) and user.suspended is not None


def check_may_play(user: Visitor) -> None:
    if _is_suspended(user):
        raise Refused(403, "suspended", SUSPENDED)


def check_may_wait(user: Visitor) -> None:
    """Check that a person may sit at one more table that has not begun.

    :raises Refused: 409 if they sit at too many
    """
    if user.pk and Seat.objects.filter(user=user.pk, game__started=None).count() >= MOST_WAITING:
        raise Refused(409, "too-many-tables", TOO_MANY_TABLES)


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
    owner = User.objects.filter(seats__game=game).first()
    fresh = not game.version and timezone.now() - game.created < DOUBLE_CLICK
    if fresh and owner is not None and (owner == user or (owner.is_guest and not user.pk)):
        return game, owner
    game.token = None
    game.save(update_fields=["token"])
    return None


def _locked(user: Visitor, slug: str, game_id: int, version: int) -> Seated:
    """The game for writing: the row locked, still going on, and at the version that was seen."""
    seated = _seated(Seat.objects.select_for_update(of=("game",)), user, slug, game_id)
    check_may_play(user)
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

    Which moves go together is the game's to say at a table of several seats, where others wait.

    :param version: the version of the game that the player saw
    :param confirmed: False if the player is to be asked first about a move that can end the game
    :raises Refused: see the class
    :raises Unconfirmed: such a move was not played
    """
    if not texts:
        raise Refused(400, "no-move", _("No move was sent."))
    seated = _locked(user, slug, game_id, version)
    if seated.turn != seated.seat:
        raise Refused(409, "not-your-turn", NOT_YOUR_TURN)
    if seated.game.players > 1 and seated.stand_in:
        raise Refused(409, "stand-in", STAND_IN)
    if seated.game.players > 1 and (problem := seated.game.kind.together(seated.view, texts)):
        raise Refused(400, "together", problem)
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
        if "tally" in report:
            game.tallies.append(report["tally"])
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
        if game.players > 1:
            game.result["winners"] = list(outcome.winners)
        game.finished = timezone.now()
    # Whoever thinks about the position before this one need not be waited for.
    game.lease = None
    next_turn(game)
    game.save(update_fields=CHANGED)
    announce(game)
    if game.counts and game.kind.score is not None:
        leaderboards.score_game(game=game, user=seated.user)
    leaderboards.enter_results(game=game)


@transaction.atomic
def undo_move(*, user: Visitor, slug: str, game_id: int, version: int) -> Played:
    """Take back the last move of a practice game; its row stays, marked.

    A finished practice game may be taken back too.

    :raises Refused: see the class
    """
    seated = _seated(Seat.objects.select_for_update(of=("game",)), user, slug, game_id)
    check_may_play(user)
    game = seated.game
    _check_has_undo(game)
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


def _check_has_undo(game: Game) -> None:
    if not game.has_undo:
        refusal = ("ranked", RANKED_UNDO) if game.ranked else ("shared", SHARED_UNDO)
        raise Refused(409, *refusal)


@transaction.atomic
def redo_move(*, user: Visitor, slug: str, game_id: int, version: int) -> Played:
    """Play again what was taken back last; it enters the log as a new move.

    :raises Refused: see the class
    """
    seated = _locked(user, slug, game_id, version)
    _check_has_undo(seated.game)
    if not seated.game.redo:
        raise Refused(409, "nothing-to-redo", NOTHING_TO_REDO)
    moves = _play(seated, [seated.game.redo.pop()])
    _save(seated)
    return Played(seated, moves)


@transaction.atomic
def retire_game(*, user: Visitor, slug: str, game_id: int, version: int) -> Played:
    """End a game by the player's wish; the score stands as it is.

    At a table of several seats nobody has won then; where other persons play on it does not end.

    :raises Refused: see the class
    """
    seated = _locked(user, slug, game_id, version)
    # Who has not left may come back, even if a bot plays for them at the moment.
    if any(seat.user_id and seat.index != seated.seat and not seat.left for seat in seated.people):
        raise Refused(409, "others", OTHERS)
    retire(seated)
    return Played(seated, None)


def retire(seated: Seated) -> None:
    """End a game that is locked, without a winner."""
    game = seated.game
    game.version += 1
    game.redo = []
    _save(seated, Outcome(Termination.RETIRED, game.rules.scores(seated.state)))


def retired(game: Game) -> bool:
    """Whether the game ended because its player retired."""
    return bool(game.result) and game.result["termination"] == Termination.RETIRED.value


# --- at a table of several seats -----------------------------------------------------------------


def advance_game(
    *, user: Visitor, slug: str, game_id: int, version: int, by_hand: bool = False
) -> Played | None:
    """Make the next move if it needs nobody (``Seated.by_itself``); anyone at the table may ask.

    If the time of the person has run out whose turn it is, a bot takes the seat instead.

    :param version: the version that the page showed
    :param by_hand: whether a person asked, who need not be held to the table's pace
    :returns: None if there was nothing to do: the table has moved on, a person is to move, it is
        too early, or another request is at it
    :raises Refused: see the class
    """
    seated = _seat_among_others(user, slug, game_id)
    if seated.game.version != version:
        return None
    if seated.is_late:
        return _replace_late(seated)
    pace = timedelta(seconds=seated.pause)
    # A move from the future was made before the clock was set back: nobody waits for that.
    early = timedelta() <= timezone.now() - seated.game.updated < pace
    return None if early and not by_hand else go_on(seated)


def go_on(seated: Seated) -> Played | None:
    """Make the next move of a table that was just looked at, as ``advance_game``.

    Bots think here, outside any transaction; meanwhile the row is leased to this request, so that
    nobody else pays for the same thought. Whatever was thought, the move comes at a fixed time
    (``THOUGHT``). So it is for each move of an answer that has several, of which only the sum is
    seen: a sum of equal times is the simplest that tells nothing.

    :raises Refused: 409 if no move comes of what is stored
    """
    if not seated.by_itself:
        return None
    game, now = seated.game, timezone.now()
    free = Q(lease=None) | Q(lease__lte=now) | Q(lease__gt=now + 2 * LEASE)
    unchanged = Game.objects.filter(free, pk=game.pk, version=game.version, finished=None)
    if not unchanged.update(lease=now + LEASE):
        return None
    begun = monotonic()
    try:
        if level := seated.people[seated.turn].bot:
            texts = bots.choose(game.kind, seated.state, level)
        else:
            texts = bots.legal_texts(game.rules, seated.state)[:1]
        sleep(max(0, begun + THOUGHT - monotonic()))
        return _play_for(seated, texts)
    except (Refused, *UNREADABLE) as error:
        if isinstance(error, Refused) and error.status == 409:
            return None
        damaged = _damaged(game)
        Game.objects.filter(pk=game.pk, version=game.version).update(lease=None)
        raise damaged from None


@transaction.atomic
def _replace_late(seen: Seated) -> Played | None:
    """Let a bot play for the person whose time has run out; None if the table has moved on."""
    there = {"pk": seen.game.pk, "version": seen.game.version, "finished": None}
    game = Game.objects.select_for_update().filter(**there).first()
    if game is None:
        return None
    people = list(game.seats.select_related("user").order_by("index"))
    seated = replace(seen, game=game, _people=people)
    if not seated.is_late:
        return None
    let_bot_play(game, people[seated.turn], SeatChange.What.LATE)
    return Played(seated, None)


def let_bot_play(game: Game, seat: Seat, what: SeatChange.What, **more: Any) -> None:
    """Have a bot of the usual level stand in for the person on a seat; the game is locked."""
    seat.bot = next(iter(game.kind.levels))
    seat.save(update_fields=["bot", "left"])
    change_seat(game, seat, what, **more)


def change_seat(
    game: Game,
    seat: Seat,
    what: SeatChange.What,
    *,
    user: User | None = None,
    by: User | None = None,
) -> None:
    """Write down what happened to a seat, and store the game (``SEATING``), which is locked.

    :param user: whom it happened to, if that is not who sits there now
    :param by: who did it, if it was somebody else
    """
    game.version += 1
    game.lease = None
    tell(game, seat.index, what=what.value)
    SeatChange.objects.create(
        game=game,
        version=game.version,
        seat=seat.index,
        what=what,
        user=user or seat.user,
        by=by,
    )
    game.save(update_fields=SEATING)
    announce(game)


def tell(game: Game, seat: int, **what: str) -> None:
    """Add to what was said and done at the table; it is stored with the game's row."""
    number = game.talk[-1]["n"] + 1 if game.talk else 1
    game.talk = [*game.talk, {"n": number, "seat": seat, **what}][-TALK:]


def next_turn(game: Game) -> None:
    """Begin a new turn: clock and votes are of the last one."""
    shared = game.players > 1 and not game.is_over and not game.is_waiting
    game.turn_since = timezone.now() if shared else None
    game.votes = []


def announce(game: Game) -> None:
    """Tell all who look at a table of several seats that it has changed."""
    if game.players > 1:
        live.announce(f"table-{game.pk}", game.version)


def is_leased(game: Game) -> bool:
    """Whether another request thinks for the bot whose turn it is.

    A lease that runs longer than any can was given before the clock was set back. It may run twice
    as long as one does, since the clocks of two servers, or of two moments, differ a little.
    """
    now = timezone.now()
    return game.lease is not None and now < game.lease <= now + 2 * LEASE


def _seat_among_others(user: Visitor, slug: str, game_id: int) -> Seated:
    """The game of somebody who may play, with others at the table.

    :raises Refused: 404 for a game that is played alone, and as ``take_seat``
    """
    seated = take_seat(user=user, slug=slug, game_id=game_id)
    check_may_play(user)
    if seated.game.players == 1:
        raise Refused(404, "alone", ALONE)
    return seated


@transaction.atomic
def _play_for(thought: Seated, texts: Sequence[str]) -> Played:
    """Make the moves of the seat whose turn it is, in the position that they were thought for.

    :raises Refused: 409 if the table has moved on: then they are worth nothing
    """
    there = {"pk": thought.game.pk, "version": thought.game.version, "finished": None}
    game = Game.objects.select_for_update().filter(**there).first()
    if game is None:
        raise Refused(409, "stale", STALE)
    mover = Seated(game, thought.turn, thought.state, thought.user)
    moves = _play(mover, texts)
    _save(mover)
    return Played(replace(mover, seat=thought.seat, _people=thought.people), moves)


def set_pace(*, user: Visitor, slug: str, game_id: int, pace: str) -> Seated:
    """How quickly bots play at this table from now on; the table itself stays as it is.

    That is one field of the row, whatever others do meanwhile: no lock is needed.

    :raises Refused: 400 for what is no pace, and as ``take_seat``
    """
    seated = _seat_among_others(user, slug, game_id)
    if pace not in PACES:
        raise Refused(400, "pace", NO_PACE)
    seated.game.pace = pace
    seated.game.save(update_fields=["pace"])
    return seated
