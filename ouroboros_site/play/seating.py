"""Who sits where: the life of a table of several persons, from the open seats to the rematch.

Here are the only writers of seats. Of each change all happens, or nothing; each locks the game
first and the person after it, so that no two wait for one another. A refusal is a
``services.Refused``, as for moves.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ouroboros_site.accounts import names, rates
from ouroboros_site.accounts.models import User, Visitor
from ouroboros_site.engine import shuffle

from . import live, services
from .models import Game, Seat, SeatChange
from .phrases import PHRASES
from .services import Refused, Seated

What = SeatChange.What

AWAY = timedelta(seconds=18)
"""Who has not been seen for so long is away; pages tell that they are there every 10 seconds."""
SEEN = timedelta(seconds=5)
"""So often it is written down at most that somebody is there."""
ABSENT = timedelta(minutes=5)
"""After so long the others may vote a bot onto the seat of a person whose turn it is."""
OFFER = timedelta(minutes=10)
"""So long a code is good that hands a seat over."""
LISTED = timedelta(hours=1)
"""So long a table stays in the lobby of which nobody has looked at the waiting room."""
LISTED_LONG = timedelta(days=1)
"""The same for tables whose turns may take a day."""
LOBBY = 50
"""So many tables the lobby shows at most."""
SHORTEST_NAME = 2

NO_TABLE = _("There is no such table any more, or the link is not whole.")
NOT_HOST = _("Only the host of the table may do that.")
FULL = _("Every seat is taken.")
STARTED = _("The game has started already.")
TAKEN = _("Somebody else was quicker: this seat is taken.")
NO_SEAT = _("There is no such seat.")
REMOVED = _("The host has removed you from this table.")
NAMELESS = _("Tell the others what to call you.")
NAME_OF_ACCOUNT = _("This name belongs to an account. Choose another one, or log in if it is you.")
NAME_AT_TABLE = _("Somebody at this table is called like that.")
NO_VOTE = _("There is nobody to vote about at the moment.")
NO_PHRASE = _("There is no such phrase.")
TOO_MUCH = _("That was a lot at once. Wait a moment before you say more.")
TOO_QUICK = _("You have changed seats very often just now. Wait a moment.")
NO_OFFER = _("This code has been used already, or it is too old. Ask for a new one.")
SEATED = _("You have a seat at this table already.")
NOT_OVER = _("A rematch comes after the end of the game.")


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Room:
    """A table as far as seats go, as ``user`` finds it. Nothing of its cards is in here.

    ``seats`` are all of them in order, with their users.
    """

    game: Game
    seats: list[Seat]
    user: Visitor

    @property
    def mine(self) -> Seat | None:
        """The seat of the person who looks."""
        own = [seat for seat in self.seats if seat.user_id and seat.user_id == self.user.pk]
        return own[0] if own else None

    @property
    def is_host(self) -> bool:
        """Whether the person who looks may start the game and free seats."""
        return self.mine is not None and self.mine.index == self.host

    @property
    def host(self) -> int | None:
        """The host's seat; as long as the host is absent, that of the next person who is there."""
        if self.game.host is None:
            return None
        now, size = timezone.now(), self.game.players
        seats = [self.seats[(self.game.host + step) % size] for step in range(size)]
        return next((seat.index for seat in seats if _may_host(seat, now)), self.game.host)

    @property
    def free(self) -> list[Seat]:
        """The seats that anybody may take."""
        return [seat for seat in self.seats if not (seat.user_id or seat.bot)]

    @property
    def persons(self) -> list[Seat]:
        """The seats of persons, whoever plays them."""
        return [seat for seat in self.seats if seat.user_id]


def _may_host(seat: Seat, now: datetime) -> bool:
    """Whether the person on a seat was there lately and may play; False if there is none."""
    if seat.user is None or seat.user.suspended or not seat.seen:
        return False
    return abs(now - seat.seen) < ABSENT


def find(*, key: str, user: Visitor) -> Room:
    """The table of a link, for anybody who has it.

    :raises Refused: 404 if there is none
    """
    return _room(_linked(Game.objects.all(), key), user)


def _linked(games: QuerySet[Game, Game], key: str) -> Game:
    """The game of a link; without one there is none, though many games have no key."""
    game = games.filter(key=key).first() if key else None
    if game is None:
        raise Refused(404, "no-table", NO_TABLE)
    return game


def room(*, user: Visitor, slug: str, game_id: int) -> Room:
    """The table of somebody who has a seat there, at any time.

    :raises Refused: 404 if there is none, or if it is played alone; 403 if the user has no seat
    """
    return _room(_game(user, slug, game_id), user)


def _room(game: Game, user: Visitor) -> Room:
    return Room(game, list(game.seats.select_related("user").order_by("index")), user)


def _game(user: Visitor, slug: str, game_id: int, *, lock: bool = False) -> Game:
    """The game of several seats at which the user has one."""
    games = Game.objects.select_for_update() if lock else Game.objects.all()
    game = None
    if game_id <= services.BIGGEST_ID:
        game = games.filter(pk=game_id, slug=slug).first()
    if game is None:
        raise Refused(404, "no-game", services.NO_GAME)
    if game.players == 1:
        raise Refused(404, "alone", services.ALONE)
    if not (user.pk and game.seats.filter(user=user.pk).exists()):
        raise Refused(403, "not-yours", services.NOT_YOURS)
    return game


def lobby(*, user: Visitor) -> list[Room]:
    """The tables that wait for anybody, the one where something happened last first."""
    now = timezone.now()
    here = Q(seats__seen__gte=now - LISTED)
    slow = Q(turn_time__gt=LISTED.total_seconds(), seats__seen__gte=now - LISTED_LONG)
    games = (
        Game.objects.filter(
            here | slow, listed=True, started=None, finished=None, seats__index=F("host")
        )
        .order_by("-updated")
        .prefetch_related("seats__user")[:LOBBY]
    )
    rooms = [
        Room(game, sorted(game.seats.all(), key=lambda seat: seat.index), user) for game in games
    ]
    return [room for room in rooms if room.free]


def watch(*, key: str, user: Visitor) -> Seated:
    """A table that has started, for somebody who looks on: they see what nobody has to hide.

    :raises Refused: 404 if there is none, 409 before the start or if what is stored cannot be
        read, 403 for whom the host has removed
    """
    there = find(key=key, user=user)
    if there.game.is_waiting:
        raise Refused(409, "waiting", services.WAITING)
    if _is_removed(there.game, user):
        raise Refused(403, "removed", REMOVED)
    return Seated(there.game, None, services.load(there.game), user, there.seats)


def presence(seat: Seat, now: datetime) -> str:
    """Whether a person is at the table: "here", "away", or "bot" if one plays there."""
    if seat.bot:
        return "bot"
    # One seen in the future was seen before the clock was set back.
    return "here" if seat.seen and abs(now - seat.seen) < AWAY else "away"


# --- sitting down and standing up ----------------------------------------------------------------


@transaction.atomic
def sit_down(
    *, user: Visitor, key: str, index: int | None = None, name: str = ""
) -> tuple[Game, User]:
    """Take a free seat at a table that waits; a visitor without a user becomes a guest.

    Who sits there already stays, or changes to the free seat ``index``. With the last seat taken
    the game starts.

    :param index: None for any free seat
    :param name: what a guest wants to be called at this table
    :raises Refused: 404 for a link to nothing; 409 if no seat is free ("full"), if this one is
        taken ("taken"), after the start ("started", "over"), or for who waits at too many tables;
        400 for a name that cannot be or for no seat; 403 for somebody suspended or removed by the
        host; 429 for too many changes
    """
    game = _linked(Game.objects.select_for_update(), key)
    user = services.still_there(user)
    services.check_may_play(user)
    there = _room(game, user)
    if index is not None and index not in range(game.players):
        raise Refused(400, "no-seat", NO_SEAT)
    if there.mine and (index in (None, there.mine.index) or not game.is_waiting):
        return game, there.mine.user
    if game.is_over:
        raise Refused(409, "over", services.OVER)
    if not game.is_waiting:
        raise Refused(409, "started", STARTED)
    if _is_removed(game, user):
        raise Refused(403, "removed", REMOVED)
    if not there.free:
        raise Refused(409, "full", FULL)
    seat = there.seats[index] if index is not None else _usual(there)
    if seat not in there.free:
        raise Refused(409, "taken", TAKEN)
    _check_often(user)
    if there.mine:
        _move(there, seat)
        return game, seat.user
    services.check_may_wait(user)
    # Who had no name at the last game needs none now: the host may have been a guest without one.
    name = _name(user, name, there.seats) if name or not _last(there) else ""
    player = user if isinstance(user, User) else User.objects.create_guest()
    seat.user, seat.name, seat.seen = player, name, timezone.now()
    seat.save(update_fields=["user", "name", "seen"])
    services.change_seat(game, seat, What.SAT)
    if len(there.free) == 0:
        _start(there)
    _tell_lobby(game)
    return game, player


def _check_often(user: Visitor) -> None:
    """Refuse changes that come one upon another: each makes what others are about to send stale."""
    if user.pk and rates.hit("seat", str(user.pk)):
        raise Refused(429, "too-quick", TOO_QUICK)


def _is_removed(game: Game, user: Visitor) -> bool:
    """Whether the host has sent this person away."""
    return bool(user.pk) and game.changes.filter(what=What.REMOVED, user=user.pk).exists()


def _last(there: Room) -> Seat | None:
    """The seat that a person had in the game of which this is the rematch."""
    before = there.game.rematch_of
    return before.seats.filter(user=there.user.pk).first() if before and there.user.pk else None


def _usual(there: Room) -> Seat:
    """The free seat for somebody who asks for none: in a rematch the one of the last game."""
    last = _last(there)
    if last and there.seats[last.index] in there.free:
        return there.seats[last.index]
    return there.free[0]


def _move(there: Room, seat: Seat) -> None:
    """Change to another free seat, and stay the host as who one was."""
    game, old = there.game, there.mine
    if game.host == old.index:
        game.host = seat.index
    user, name, seen = old.user, old.name, old.seen
    _empty(old)
    seat.user, seat.name, seat.seen = user, name, seen
    seat.save(update_fields=["user", "name", "seen"])
    # What was told of the old seat is of who moves, not of who comes there next.
    game.talk = [
        line | {"seat": seat.index} if line["seat"] == old.index else line for line in game.talk
    ]
    services.change_seat(game, seat, What.MOVED)
    _tell_lobby(game)


def _empty(seat: Seat) -> None:
    """Leave nothing of a person on a seat."""
    seat.user = seat.seen = seat.left = seat.hand_over = seat.hand_over_until = None
    seat.name, seat.muted = "", []
    seat.save()


def _name(user: Visitor, name: str, seats: Iterable[Seat]) -> str:
    """The name under which somebody sits down: "" for an account, which has one.

    :raises Refused: 400 if it is none, or if it could be taken for somebody else's
    """
    others = [seat for seat in seats if not seat.user_id or seat.user_id != user.pk]
    taken = [services.name_of(seat) for seat in others if seat.user_id or seat.name]
    if isinstance(user, User) and not user.is_guest:
        return ""
    name = guest_name(name)
    keys = {key(other) for other in taken for key in (names.key, names.look_key)}
    if keys & {names.key(name), names.look_key(name)}:
        raise Refused(400, "name", NAME_AT_TABLE)
    return name


def guest_name(name: str) -> str:
    """A name that a guest may have at a table, as it is stored.

    :raises Refused: 400 if it is none, or if it could be taken for an account's
    """
    if not name.strip():
        raise Refused(400, "name", NAMELESS)
    try:
        name = names.clean(name.strip(), shortest=SHORTEST_NAME)
    except ValidationError as error:
        raise Refused(400, "name", error.messages[0]) from None
    if User.objects.filter(names.alike(name)).exists():
        raise Refused(400, "name", NAME_OF_ACCOUNT)
    return name


def _start(there: Room) -> None:
    """Begin the game: no seat is free any more."""
    game = there.game
    game.started = timezone.now()
    game.version += 1
    services.name_bots(there.seats)
    Seat.objects.bulk_update(there.seats, ["bot", "name"])
    services.next_turn(game)
    services.tell(game, game.host, what="started")
    game.save(update_fields=services.SEATING)
    services.announce(game)


def _tell_lobby(game: Game) -> None:
    if game.listed:
        live.announce("lobby", 0)


@transaction.atomic
def leave(*, user: Visitor, slug: str, game_id: int) -> Game | None:
    """Leave a table: before the start the seat is free again, afterwards a bot plays on.

    When nobody is left the table goes, or the running game ends without a winner.

    :returns: None if the table is gone
    :raises Refused: as ``room``
    """
    game = _game(user, slug, game_id, lock=True)
    there = _room(game, user)
    seat = there.mine
    if seat is None:
        raise Refused(403, "not-yours", services.NOT_YOURS)
    if game.is_over or seat.left:
        return game
    if game.is_waiting:
        return _vacate(there, seat, What.STOOD)
    if all(other.left for other in there.persons if other is not seat):
        services.retire(Seated(game, seat.index, services.load(game), user, there.seats))
        return game
    seat.left = timezone.now()
    seat.hand_over = seat.hand_over_until = None
    seat.save(update_fields=["hand_over", "hand_over_until"])
    services.let_bot_play(game, seat, What.LEFT)
    return game


def _vacate(there: Room, seat: Seat, what: What, by: User | None = None) -> Game | None:
    """Free a seat of a table that waits; with the last person the table goes."""
    game, user = there.game, seat.user
    _empty(seat)
    if not there.persons:
        _tell_lobby(game)
        # Who looks at it asks for it once more, and is told.
        services.announce(game)
        game.delete()
        return None
    services.change_seat(game, seat, what, user=user, by=by)
    if game.host == seat.index:
        game.host = _next_host(there, seat)
        services.change_seat(game, there.seats[game.host], What.HOST)
    _tell_lobby(game)
    return game


def _next_host(there: Room, seat: Seat) -> int:
    """The next person in the order of play."""
    size = there.game.players
    return min((other.index for other in there.persons), key=lambda i: (i - seat.index) % size)


@transaction.atomic
def remove(*, user: Visitor, slug: str, game_id: int, version: int, index: int) -> Game:
    """Free the seat of another person, who cannot sit here again: for the host, before the start.

    :param version: what the host saw: who sits there now may be somebody else
    :raises Refused: 403 for others, 400 for a seat where no other person sits, 409 when the table
        has changed or started, and as ``room``
    """
    game = _game(user, slug, game_id, lock=True)
    services.check_may_play(user)
    there = _room(game, user)
    if not there.is_host:
        raise Refused(403, "not-host", NOT_HOST)
    if not game.is_waiting:
        raise Refused(409, "started", STARTED)
    if game.version != version:
        raise Refused(409, "stale", services.STALE)
    others = {seat.index: seat for seat in there.persons if seat is not there.mine}
    if index not in others:
        raise Refused(400, "no-seat", NO_SEAT)
    _vacate(there, others[index], What.REMOVED, by=there.mine.user)
    return game


@transaction.atomic
def fill(*, user: Visitor, slug: str, game_id: int, level: str) -> Game:
    """Start the game with bots on the free seats; the host's. Started already, nothing changes.

    :raises Refused: 403 for others, 400 for what is no level, and as ``room``
    """
    game = _game(user, slug, game_id, lock=True)
    if not game.is_waiting:
        return game
    services.check_may_play(user)
    there = _room(game, user)
    if not there.is_host:
        raise Refused(403, "not-host", NOT_HOST)
    if level not in game.kind.levels:
        raise Refused(400, "level", _("There is no bot of this level."))
    for seat in there.free:
        seat.bot = level
    _start(there)
    _tell_lobby(game)
    return game


@transaction.atomic
def give_up(
    *, game_id: int, index: int, what: What, by: User | None = None, user: User | None = None
) -> Game | None:
    """Take the person off a seat for good: a decision of the site, not of somebody at the table.

    A table that waits has the seat free again, in a running game a bot has it from now on, and a
    finished one has nobody there. The account's own other seats stay.

    :param user: who is meant; None for whoever sits there
    :returns: None if the table is gone with its last person, or there is none
    :raises Refused: 409 if somebody else sits there by now
    """
    game = Game.objects.select_for_update().filter(pk=game_id).first()
    if game is None:
        return None
    there = _room(game, by or User())
    seat = there.seats[index]
    if user and seat.user_id != user.pk:
        raise Refused(409, "stale", services.STALE)
    if seat.user_id is None:
        return game
    if game.is_waiting:
        return _vacate(there, seat, what, by)
    user = seat.user
    _empty(seat)
    if game.is_over:
        # A seat with a bot would be taken for one that was the bot's own from the beginning.
        seat.bot = ""
        seat.save(update_fields=["bot"])
        return game
    seat.bot = seat.bot or next(iter(game.kind.levels))
    services.name_bots(there.seats)
    seat.save(update_fields=["bot", "name"])
    services.change_seat(game, seat, what, user=user, by=by)
    if all(other.left for other in there.persons):
        # A game that cannot be read does not end, and keeps nobody from going.
        with suppress(Refused):
            services.retire(Seated(game, index, services.load(game), User(), there.seats))
    return game


# --- at the running table ------------------------------------------------------------------------


@transaction.atomic
def come_back(*, user: Visitor, slug: str, game_id: int) -> Game:
    """Play oneself again instead of the bot that stood in.

    :raises Refused: 409 when the game is over, 403 for somebody suspended, 429 for who comes and
        goes too often, and as ``room``
    """
    game = _game(user, slug, game_id, lock=True)
    services.check_may_play(user)
    seat = game.seats.select_related("user").get(user=user.pk)
    if game.is_over:
        raise Refused(409, "over", services.OVER)
    if not seat.bot:
        return game
    _check_often(user)
    seat.bot, seat.left, seat.seen = "", None, timezone.now()
    seat.save(update_fields=["bot", "left", "seen"])
    _give_time(game, seat)
    services.change_seat(game, seat, What.BACK)
    return game


def _give_time(game: Game, seat: Seat) -> None:
    """Begin the turn anew for somebody who has just come to it.

    Only once a turn: who comes and goes would have time without end.
    """
    if game.is_waiting or game.rules.turn(services.load(game)) != seat.index:
        return
    last = game.moves.order_by("-version").values_list("version", flat=True).first() or 0
    came = game.changes.filter(version__gt=last, seat=seat.index, what__in=(What.BACK, What.HANDED))
    if not came.exists():
        services.next_turn(game)


def absent_since(seated: Seated) -> datetime | None:
    """Since when all wait for a person who is not there; None if nobody waits for anybody."""
    game, turn = seated.game, seated.turn
    if turn is None or game.turn_time or game.turn_since is None:
        return None
    seat = seated.people[turn]
    if seat.bot or not seat.user_id or presence(seat, timezone.now()) != "away":
        return None
    # Seen in the future was before the clock was set back: that says nothing.
    seen = seat.seen if seat.seen and seat.seen <= timezone.now() else game.turn_since
    return max(seen, game.turn_since)


def may_vote(seated: Seated) -> bool:
    """Whether this person may ask for a bot on the seat of the one for whom all wait."""
    since = absent_since(seated)
    if since is None or seated.seat in (None, seated.turn) or seated.stand_in:
        return False
    return timezone.now() - since >= ABSENT


def voters(seated: Seated) -> tuple[list[int], int]:
    """Who has voted, and how many must: more than half of the other persons who are there."""
    now, since = timezone.now(), absent_since(seated)
    others = {
        seat.index: seat
        for seat in seated.people
        if seat.user_id and not seat.bot and seat.index != seated.turn
    }
    there = [
        index
        for index, seat in others.items()
        if index == seated.seat or presence(seat, now) == "here"
    ]
    # A vote from before the person was last seen was about another absence, and whoever has left
    # since has none.
    voted = [
        index
        for index, at in seated.game.votes
        if since and at >= since.timestamp() and index in others
    ]
    return voted, len(there) // 2 + 1


@transaction.atomic
def vote(*, user: Visitor, slug: str, game_id: int, version: int) -> Game:
    """Ask for a bot to play for the person for whom all have waited for five minutes.

    It plays as soon as more than half of the others who are there have asked.

    :raises Refused: 409 if there is nobody to vote about, or if the table has moved on; 403 for
        somebody suspended, and as ``room``
    """
    game = _game(user, slug, game_id, lock=True)
    services.check_may_play(user)
    people = list(game.seats.select_related("user").order_by("index"))
    if game.is_waiting or game.is_over:
        raise Refused(409, "no-vote", NO_VOTE)
    own = [seat.index for seat in people if seat.user_id == user.pk]
    seated = Seated(game, own[0], services.load(game), user, people)
    if game.version != version:
        raise Refused(409, "stale", services.STALE)
    if not may_vote(seated):
        raise Refused(409, "no-vote", NO_VOTE)
    voted, needed = voters(seated)
    if seated.seat not in voted:
        game.votes = [*game.votes, [seated.seat, timezone.now().timestamp()]]
        voted.append(seated.seat)
    if len(voted) >= needed:
        services.let_bot_play(game, people[seated.turn], What.VOTED)
    else:
        game.save(update_fields=["votes"])
        services.announce(game)
    return game


def look_in(*, user: Visitor, slug: str, game_id: int) -> None:
    """Note that a person is at the table; written every few seconds at most, and only of tables.

    Somebody suspended may not play, and counts as absent however long they look on.
    """
    if isinstance(user, User) and user.suspended:
        return
    if game_id > services.BIGGEST_ID:
        return
    now = timezone.now()
    known = Q(seen__gt=now - SEEN, seen__lte=now)
    Seat.objects.filter(
        ~known | Q(seen=None), game=game_id, game__slug=slug, game__players__gt=1, user=user.pk or 0
    ).update(seen=now)


@transaction.atomic
def say(*, user: Visitor, slug: str, game_id: int, phrase: str) -> Game:
    """Say one of the ready-made phrases to all at the table.

    :param phrase: a key of ``phrases.PHRASES``
    :raises Refused: 400 for another one, 429 for too many, 403 for somebody suspended, and as
        ``room``
    """
    if phrase not in PHRASES:
        raise Refused(400, "no-phrase", NO_PHRASE)
    game = _game(user, slug, game_id, lock=True)
    services.check_may_play(user)
    if rates.hit("say", str(user.pk)):
        raise Refused(429, "too-much", TOO_MUCH)
    services.tell(game, game.seats.get(user=user.pk).index, phrase=phrase)
    game.save(update_fields=["talk"])
    services.announce(game)
    return game


@transaction.atomic
def mute(*, user: Visitor, slug: str, game_id: int, index: int, muted: bool) -> Game:
    """Read no phrases of another person at this table, or read them again.

    :raises Refused: 400 for a seat that is none, or one's own; and as ``room``
    """
    game = _game(user, slug, game_id, lock=True)
    seat = game.seats.get(user=user.pk)
    if index not in range(game.players) or index == seat.index:
        raise Refused(400, "no-seat", NO_SEAT)
    seat.muted = sorted({*seat.muted, index} if muted else {*seat.muted} - {index})
    seat.save(update_fields=["muted"])
    return game


# --- handing a seat over -------------------------------------------------------------------------


def _hash(code: str) -> str:
    return sha256(code.encode()).hexdigest()


@transaction.atomic
def offer(*, user: Visitor, slug: str, game_id: int) -> str:
    """A code with which somebody else, or another device, may take this person's seat, once.

    An older code is good no more.

    :raises Refused: 409 when the game is over, 403 for somebody suspended, and as ``room``
    """
    game = _game(user, slug, game_id, lock=True)
    services.check_may_play(user)
    if game.is_over:
        raise Refused(409, "over", services.OVER)
    code = token_urlsafe(18)
    game.seats.filter(user=user.pk).update(
        hand_over=_hash(code), hand_over_until=timezone.now() + OFFER
    )
    return code


def offered(*, code: str) -> Seat:
    """The seat that a code hands over, with its game and user.

    :raises Refused: 404 if it is good no more, 409 if the game is over
    """
    seat = (
        Seat.objects.select_related("game", "user")
        .filter(hand_over=_hash(code), hand_over_until__gt=timezone.now())
        .first()
    )
    if seat is None:
        raise Refused(404, "no-offer", NO_OFFER)
    if seat.game.is_over:
        raise Refused(409, "over", services.OVER)
    return seat


@transaction.atomic
def take_over(*, user: Visitor, code: str, name: str = "") -> tuple[Game, User]:
    """Take the seat that a code hands over; a visitor without a user becomes a guest.

    :param name: what a guest wants to be called; "" for the name of the one who had the seat
    :raises Refused: as ``offered``; 409 if the user has another seat at the table, 403 for somebody
        suspended or removed, 400 for a name that cannot be
    """
    game = Game.objects.select_for_update().filter(pk=offered(code=code).game_id).first()
    # Once more, now that nobody else can be quicker; the table may be gone too.
    seat = offered(code=code)
    user = services.still_there(user)
    services.check_may_play(user)
    there = _room(game, user)
    seat = there.seats[seat.index]
    if there.mine and there.mine.index != seat.index:
        raise Refused(409, "seated", SEATED)
    seat.hand_over = seat.hand_over_until = None
    if there.mine:
        seat.save(update_fields=["hand_over", "hand_over_until"])
        return game, seat.user
    if _is_removed(game, user):
        raise Refused(403, "removed", REMOVED)
    before = seat.user
    others = [other for other in there.seats if other is not seat]
    seat.name = _name(user, name or seat.name, others)
    seat.user = user if isinstance(user, User) else User.objects.create_guest()
    seat.bot, seat.left, seat.seen, seat.muted = "", None, timezone.now(), []
    seat.save()
    _give_time(game, seat)
    services.change_seat(game, seat, What.HANDED, by=before)
    return game, seat.user


# --- once more -----------------------------------------------------------------------------------


@transaction.atomic
def rematch(*, user: Visitor, slug: str, game_id: int) -> tuple[Game, User]:
    """Sit down at the table where the people of a finished game play once more.

    The first who asks makes it: the same game, options and bots, with everybody's seat free for
    them; it is private.

    :raises Refused: 409 while the game goes on, as ``sit_down``, and as ``room``
    """
    before = _game(user, slug, game_id, lock=True)
    if not before.is_over:
        raise Refused(409, "not-over", NOT_OVER)
    again = Game.objects.filter(rematch_of=before).first()
    if again is None:
        return _set_up_again(before, user)
    sit = {"user": user, "key": again.key or ""}
    try:
        return sit_down(**sit, name=before.seats.get(user=user.pk).name)
    except Refused as refused:
        if refused.code != "name":
            raise
        # Somebody else is called like that by now: better without a name than left out.
        return sit_down(**sit)


def _set_up_again(before: Game, user: Visitor) -> tuple[Game, User]:
    """The waiting table for a rematch, with its first person."""
    user = services.still_there(user)
    services.check_may_play(user)
    rules = before.rules
    state = rules.start(shuffle.new_seed(), before.players, before.options)
    data = rules.encode(state)
    seats = list(before.seats.select_related("user").order_by("index"))
    own = next(seat for seat in seats if seat.user_id == user.pk)
    game = Game(
        slug=before.slug,
        players=before.players,
        options=data["options"],
        seed=data["seed"],
        state=data["position"],
        ranked=before.ranked,
        pace=before.pace,
        started=None,
        key=services.new_key(),
        host=own.index,
        turn_time=before.turn_time,
        rematch_of=before,
    )
    try:
        with transaction.atomic():
            game.save(force_insert=True)
    except IntegrityError:
        # The lock's own guard, should somebody else have been quicker.
        return rematch(user=user, slug=before.slug, game_id=before.pk)
    fresh = [
        Seat(game=game, index=seat.index, bot="" if seat.user_id else seat.bot) for seat in seats
    ]
    fresh[own.index].user, fresh[own.index].name = user, own.name
    fresh[own.index].seen = timezone.now()
    Seat.objects.bulk_create(fresh)
    services.tell(before, own.index, what="rematch")
    before.save(update_fields=["talk"])
    services.announce(before)
    there = _room(game, user)
    if not there.free:
        _start(there)
    return game, user


# --- accounts that meet or go, and tables that the site ends -------------------------------------


def lock_people(*keys: int) -> dict[int, User]:
    """Lock some users with every game of theirs that is not over, in the order that all keep here.

    :returns: those of them that are still there, by key; nobody can seat them anywhere meanwhile
    """
    games = Game.objects.filter(seats__user__in=keys, finished=None)
    while True:
        before = transaction.savepoint_create()
        locked = Game.objects.select_for_update().filter(pk__in=games.values("pk")).order_by("pk")
        held = set(locked.values_list("pk", flat=True))
        people = User.objects.select_for_update().filter(pk__in=keys).order_by("pk").in_bulk()
        if held >= set(games.values_list("pk", flat=True)):
            transaction.savepoint_commit(before)
            return people
        # They sat down at one more between the two: whoever waits for it must not wait for us.
        transaction.savepoint_rollback(before)


def move_seats(*, guest: User, account: User) -> int:
    """Let a guest's seats become the account's; both are locked (``lock_people``).

    Where both sit at one table the account keeps its own seat and gives the guest's up, as
    ``give_up``; with it the guest's rights as the host come over.

    :returns: how many seats moved
    """
    own = {seat.game_id: seat for seat in Seat.objects.filter(user=account)}
    for seat in guest.seats.filter(game__in=own).select_related("game").order_by("game"):
        game = seat.game
        if game.is_waiting and game.host == seat.index:
            game.host = own[game.pk].index
            services.change_seat(game, own[game.pk], What.HOST)
        what = What.STOOD if game.is_waiting else What.LEFT
        give_up(game_id=game.pk, index=seat.index, what=what)
    moved = guest.seats.update(user=account)
    SeatChange.objects.filter(user=guest).update(user=account)
    SeatChange.objects.filter(by=guest).update(by=account)
    return moved


def give_all_up(*, user: User) -> None:
    """Take a person who is locked (``lock_people``) off every seat, and leave nothing of them."""
    over = Seat.objects.filter(user=user, game__finished__isnull=False)
    over.update(user=None, bot="", name="", seen=None, left=None, muted=[], hand_over=None)
    for seat in user.seats.select_related("game").order_by("game"):
        what = What.STOOD if seat.game.is_waiting else What.LEFT
        give_up(game_id=seat.game_id, index=seat.index, what=what)


@transaction.atomic
def close(*, game_id: int) -> bool:
    """End a table of several seats by a decision of the site: then nobody has won.

    A table that waits is gone afterwards.

    :returns: False if there is none that could be ended
    :raises Refused: 409 if what is stored cannot be read
    """
    games = Game.objects.select_for_update().filter(pk=game_id, players__gt=1, finished=None)
    game = games.first()
    if game is None:
        return False
    if game.is_waiting:
        services.announce(game)
        _tell_lobby(game)
        game.delete()
    else:
        services.retire(Seated(game, None, services.load(game), User()))
    return True
