"""People and games that look alive, for trying the site.

The games are played first and stored afterwards in one go, with times in the past. The same
numbers, the same day and the same server secret (daily deals) give the same games again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from math import inf
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.http import QueryDict
from django.utils import timezone

from ouroboros_site.accounts import names
from ouroboros_site.accounts.models import User
from ouroboros_site.engine.protocol import Outcome, Rules, State, Termination
from ouroboros_site.leaderboards import services as leaderboards
from ouroboros_site.leaderboards.models import Score

from . import bots, daily, registry
from .models import DailyDeal, Game, Move, Seat, SeatChange, Try

NAMES = (  # noqa: SIM905 - two lines instead of twenty-six
    "Ada Bruno Chidi Dagny Elif Farid Greta Hanae Ivo Jun-ho Kofi Léa Mira Nils Oksana Pilar "
    "Quentin Rosa Søren Tariq Uma Vesna Wei Xenia Yara Zoë"
).split()
WEEKS = timedelta(weeks=5)
"""How far back the games go."""
DAILY_DAYS = 14
"""On how many of the last days people tried the daily deal."""
LONGEST = 400
"""Moves after which a demo player has had enough of a game, and retires; at a table nobody does."""
DEPTH = 3
"""How many random moves the player looks ahead."""
HASTE = 0.3
"""Seconds a move, for the games that a reviewer should look at."""
HASTY_MOVES = 25
MANY = 20
"""Games from which on a demo has hasty ones too, and some at tables with bots."""
TABLES = 3
"""So many finished games at tables of each kind come along, and one that goes on."""
TABLE_PACE = 2
"""Seconds a move at a table, where bots make most of them."""
PARTY = 3
"""So many people, at most, sit at a table of people."""
TOURIST = "Tourist"
"""What the guest among them is called."""
BATCH = 200


@dataclass(slots=True)
class Person:
    """Someone who plays: how well (playouts for each move), and at what pace (seconds a move)."""

    user: User
    skill: int
    pace: float


@dataclass(slots=True)
class Play:
    """A game that is played here and then stored; ``game`` is not stored yet.

    On the seats after the first, the person's, sit the ``others``, and after these the ``bots``.
    """

    person: Person
    game: Game
    pace: float
    moves: list[Move] = field(default_factory=list)
    state: State = None
    others: list[Person] = field(default_factory=list)
    bots: list[Seat] = field(default_factory=list)
    changes: list[SeatChange] = field(default_factory=list)

    @property
    def people(self) -> list[Person]:
        """Who sits there, in the order of the seats."""
        return [self.person, *self.others]


# --- playing -------------------------------------------------------------------------------------


def choose(rules: Rules, state: State, skill: int, random: Random) -> Any:
    """The move that comes out best in a few short random playouts from it."""
    worth = {
        move: (
            sum(_playout(rules, rules.apply(state, move), random) for _ in range(skill)),
            random.random(),
        )
        for move in rules.legal_moves(state)
    }
    return max(worth, key=worth.__getitem__)


def _playout(rules: Rules, state: State, random: Random) -> int:
    """Points after a few random moves, fewer if the game is over by then."""
    for _ in range(DEPTH):
        legal = rules.legal_moves(state)
        if not legal:
            return rules.scores(state)[0] - 2
        state = rules.apply(state, random.choice(legal))
    return rules.scores(state)[0]


def play(playing: Play, now: datetime, random: Random) -> None:
    """Play a game to its end, or as far as the time until ``now`` allows; some people retire.

    One that waits for people is not begun.
    """
    game, rules = playing.game, playing.game.rules
    if game.is_waiting:
        return
    state = playing.state = rules.start(game.seed, game.players, game.options)
    at = game.updated = game.started
    patience = random.randrange(5, 60) if random.random() < 0.1 else LONGEST
    if game.players > 1:
        patience = inf
    while (outcome := rules.outcome(state)) is None:
        at += timedelta(seconds=playing.pace * random.lognormvariate(0, 0.6))
        if at > now:
            break
        game.updated = at
        if game.ply >= patience:
            game.version += 1
            outcome = Outcome(Termination.RETIRED, rules.scores(state))
            break
        if not game.ranked and random.random() < 0.05:
            # Tried and taken back: the row stays, and taking back has a version too.
            _log(playing, random.choice(rules.legal_moves(state)), undone=True)
            game.version += 1
        for move in _chosen(playing, random):
            _log(playing, move)
            state = playing.state = rules.apply(state, move)
    game.state = rules.position(state)
    if outcome is not None:
        game.result = {"termination": outcome.termination.value, "scores": list(outcome.scores)}
        if game.players > 1:
            game.result["winners"] = list(outcome.winners)
        game.finished = game.updated
    elif game.players > 1:
        game.turn_since = game.updated


def _chosen(playing: Play, random: Random) -> list[Any]:
    """What is played next: at a table by bots, the person's hand too, as well as they can."""
    kind, rules, state = playing.game.kind, playing.game.rules, playing.state
    if kind.bot is None:
        return [choose(rules, state, playing.person.skill, random)]
    seat = rules.turn(state)
    bot = seat - len(playing.people)
    level = playing.bots[bot].bot if bot >= 0 else next(iter(kind.levels))
    texts = kind.bot(level, rules.view(state, seat), bots.legal_texts(rules, state), random)
    return [rules.parse_move(text) for text in texts]


def _log(playing: Play, made: Any, *, undone: bool = False) -> None:
    game, rules = playing.game, playing.game.rules
    game.version += 1
    report = rules.report(playing.state, made)
    move = Move(
        game=game,
        version=game.version,
        ply=game.ply + 1,
        seat=rules.turn(playing.state),
        text=rules.format_move(made),
        report=report,
        created=game.updated,
        undone=undone,
    )
    playing.moves.append(move)
    game.ply += not undone
    if "tally" in report:
        game.tallies.append(report["tally"])


# --- planning ------------------------------------------------------------------------------------


def free_names(number: int) -> list[str]:
    """So many names that nobody has, nor one that looks like them."""
    there = User.objects.named()
    taken = set(there.values_list("name_key", flat=True)) | set(
        there.values_list("look_key", flat=True)
    )
    found: list[str] = []
    for suffix in ("", *range(2, number + len(taken) + 2)):
        for name in [f"{name}{suffix}" for name in NAMES]:
            if len(found) == number:
                return found
            keys = {names.key(name), names.look_key(name)}
            if not keys & taken:
                taken |= keys
                found.append(name)
    raise AssertionError("there are more names than accounts")


def people(accounts: int, random: Random, password: str) -> list[Person]:
    """Named accounts, all with the same hashed password."""
    return [
        Person(
            User(username=name, password=password),
            skill=random.choice((1, 1, 1, 2)),
            pace=random.uniform(3, 14),
        )
        for name in free_names(accounts)
    ]


def guests(number: int, random: Random) -> list[Person]:
    """Guests, who play quickly and not so well."""
    found = []
    for _ in range(number):
        user = User(username=f"guest-{random.getrandbits(64):016x}", is_guest=True)
        user.set_unusable_password()
        found.append(Person(user, skill=1, pace=4))
    return found


def plan(
    named: list[Person], visitors: list[Person], games: int, random: Random, now: datetime
) -> Iterator[Play]:
    """Who plays what when: about a third daily deals, some practice, a few games by guests, some
    begun only a moment ago."""
    kinds = list(registry.scored_kinds())
    tries = [
        (kind.rules.SLUG, now.date() - timedelta(days=back), person)
        for back in range(DAILY_DAYS)
        for kind in kinds
        for person in named
    ]
    for slug, day, person in random.sample(tries, min(games // 3, len(tries))):
        midnight = datetime.combine(day, time(), UTC)
        latest = min(now, midnight + timedelta(days=1))
        created = midnight + random.random() * (latest - midnight)
        yield _begin(person, slug, created, random, deal=daily.deal_of(slug, day))
        games -= 1
    for number in range(games):
        person = random.choice(visitors if visitors and number % 12 == 0 else named)
        back = random.random() * WEEKS if number % 10 else random.random() * timedelta(minutes=4)
        slug = random.choice(kinds).rules.SLUG
        yield _begin(person, slug, now - back, random, ranked=random.random() < 0.85)


def _begin(person: Person, slug: str, created: datetime, random: Random, **more: Any) -> Play:
    """A game that is about to be played."""
    deal: DailyDeal | None = more.pop("deal", None)
    seed = deal.seed if deal else f"{random.getrandbits(256):064x}"
    data = registry.get(slug).rules.encode(registry.get(slug).rules.start(seed))
    game = Game(
        slug=slug,
        players=data["players"],
        options=data["options"],
        seed=seed,
        state=data["position"],
        daily=deal,
        created=created,
        started=created,
        **more,
    )
    return Play(person, game, person.pace)


def tables(named: list[Person], random: Random, now: datetime) -> Iterator[Play]:
    """A few finished games of each kind for several seats, and one that goes on."""
    for kind in registry.shared_kinds():
        yield _table(named[0], kind, now - timedelta(minutes=1), random)
        for number in range(TABLES):
            back = WEEKS * random.uniform(0.1, 1)
            yield _table(named[number % len(named)], kind, now - back, random)


def parties(
    named: list[Person], visitors: list[Person], random: Random, now: datetime
) -> Iterator[Play]:
    """Tables of people for each kind: one that waits for more, one that goes on, a finished one."""
    party = [*named[: PARTY - 1], *visitors[:1]]
    for kind in registry.shared_kinds():
        yield _party(party[:1], kind, now - timedelta(minutes=2), random, waits=True)
        yield _party(party[:2], kind, now - timedelta(minutes=3), random)
        yield _party(party, kind, now - WEEKS / 10, random)


def _table(
    person: Person,
    kind: registry.Kind,
    created: datetime,
    random: Random,
    others: Sequence[Person] = (),
    **more: Any,
) -> Play:
    """A table at which the people have the first seats, and bots with names have the others."""
    setup = kind.read_setup(QueryDict())
    own = {names.key(each.user.username) for each in (person, *others)}
    free = [name for name in bots.NAMES if names.key(name) not in own]
    levels = setup.bots[len(others) :]
    called = random.sample(free, len(levels))
    seed = f"{random.getrandbits(256):064x}"
    data = kind.rules.encode(kind.rules.start(seed, setup.players, setup.options))
    game = Game(
        slug=kind.rules.SLUG,
        players=data["players"],
        options=data["options"],
        seed=seed,
        state=data["position"],
        created=created,
        **{"started": created, **more},
    )
    seated = [
        Seat(game=game, index=index, bot=level, name=name)
        for index, (level, name) in enumerate(zip(levels, called, strict=True), 1 + len(others))
    ]
    return Play(person, game, TABLE_PACE, others=list(others), bots=seated)


def _party(
    people: list[Person],
    kind: registry.Kind,
    created: datetime,
    random: Random,
    *,
    waits: bool = False,
) -> Play:
    """A table that the first of these people has set up and the others came to, with some talk."""
    host, *others = people
    key = f"{random.getrandbits(96):024x}"
    started = None if waits else created + timedelta(minutes=1)
    more = {"key": key, "host": 0, "listed": True, "started": started, "updated": created}
    playing = _table(host, kind, created, random, others, **more)
    game, talk = playing.game, []
    for number, person in enumerate(others, 1):
        at = created + number * timedelta(seconds=10)
        change = SeatChange(
            game=game, version=number, seat=number, what="sat", user=person.user, created=at
        )
        playing.changes.append(change)
        talk.append({"seat": number, "what": "sat"})
    game.version = len(others)
    if waits:
        playing.bots = [Seat(game=game, index=seat.index) for seat in playing.bots]
        talk.append({"seat": 0, "phrase": "hello"})
    else:
        game.version += 1
        talk += [{"seat": 0, "what": "started"}, {"seat": 0, "phrase": "luck"}]
        talk.append({"seat": len(others), "phrase": "thanks"})
    game.talk = [{"n": number, **each} for number, each in enumerate(talk, 1)]
    return playing


def hasty(person: Person, slug: str, random: Random, now: datetime) -> Play:
    """A ranked game, played faster than a person can and long enough to be noticed."""
    while True:
        playing = _begin(person, slug, now - random.random() * WEEKS / 5, random)
        playing.pace = HASTE
        play(playing, now, random)
        if playing.game.is_over and playing.game.ply >= HASTY_MOVES:
            return playing


# --- storing -------------------------------------------------------------------------------------


@transaction.atomic
def make(*, accounts: int, games: int, password: str, seed: int = 0) -> list[Score]:
    """Play and store a demo; a tenth as many guests as accounts come along.

    :param password: of all the named accounts, hashed
    :returns: the scores of the games, in the order in which those ended
    """
    random = Random(seed)  # noqa: S311 - to be had again, and no secret
    now = timezone.now()
    named, visitors = people(accounts, random, password), guests(1 + accounts // 10, random)
    played = list(plan(named, visitors, games, random, now))
    if games >= MANY:
        played += tables(named, random, now)
    for playing in played:
        play(playing, now, random)
    if games >= MANY:
        for kind in registry.scored_kinds():
            played.append(hasty(random.choice(named), kind.rules.SLUG, random, now))
        gathered = list(parties(named, visitors, random, now))
        for playing in gathered:
            play(playing, now, random)
        played += gathered
    _store([*named, *visitors], played)
    over = sorted(
        [each for each in played if each.game.is_over], key=lambda each: each.game.finished
    )
    return list(_enter(over))


def _enter(over: Iterable[Play]) -> Iterator[Score]:
    """Enter what finished games came to; the scores of those that have one."""
    for each in over:
        leaderboards.enter_results(game=each.game)
        if each.game.kind.score is None:
            continue
        if score := leaderboards.score_game(game=each.game, user=each.person.user):
            yield score


def _store(people: list[Person], played: list[Play]) -> None:
    for each in sorted(played, key=lambda each: each.game.created):
        for user in [person.user for person in each.people]:
            if user.last_login is None:
                user.date_joined = each.game.created - timedelta(minutes=2)
            user.last_login = each.game.created
    for person in people:
        person.user.save()
    _insert([each.game for each in played], "created", "updated")
    _insert([move for each in played for move in each.moves], "created")
    _insert([change for each in played for change in each.changes], "created")
    Seat.objects.bulk_create(
        [seat for each in played for seat in _seats(each)]
        + [seat for each in played for seat in each.bots]
    )
    Try.objects.bulk_create(
        [
            Try(deal=each.game.daily, user=each.person.user, game=each.game)
            for each in played
            if each.game.daily
        ]
    )


def _seats(playing: Play) -> Iterator[Seat]:
    """The seats of the people at a game."""
    game = playing.game
    for index, person in enumerate(playing.people):
        named = index == 0 or not person.user.is_guest
        yield Seat(
            game=game,
            index=index,
            user=person.user,
            name="" if named else TOURIST,
            seen=game.updated if game.key else None,
        )


def _insert[Row: Model](rows: list[Row], *times: str) -> None:
    """Store new rows with the times that they have; storing alone would set them to now."""
    if not rows:
        return
    kept = [[getattr(row, name) for name in times] for row in rows]
    objects = type(rows[0])._default_manager
    objects.bulk_create(rows, batch_size=BATCH)
    for row, values in zip(rows, kept, strict=True):
        for name, value in zip(times, values, strict=True):
            setattr(row, name, value)
    objects.bulk_update(rows, times, batch_size=BATCH)
