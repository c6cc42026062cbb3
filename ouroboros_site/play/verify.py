"""Whether what is stored of a game agrees with its log, and mending what does not.

The log is the truth: position, tallies, result and score follow from it, and so do the results of
people at a table of several seats. Nothing here changes the log, and a game whose log cannot be
played again is left as it is.
"""

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Min, Q, Sum
from django.utils.translation import gettext as _

from ouroboros_site.accounts.models import User
from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.protocol import Outcome, State, Termination
from ouroboros_site.engine.record import dumps
from ouroboros_site.leaderboards import services as leaderboards
from ouroboros_site.leaderboards.models import Best, Result, Score, Standing

from .models import Game, Seat
from .services import Refused, retired

FEW = 5
"""How many moves a sentence names."""


@dataclass(slots=True)
class Verdict:
    """What was found at a game, in words: faults of its log, its snapshot, its score or results.

    ``truth`` is the game as its log says that it should be; None if the log cannot be replayed.
    """

    log: list[str] = field(default_factory=list)
    snapshot: list[str] = field(default_factory=list)
    score: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    truth: Game | None = None

    @property
    def faults(self) -> list[str]:
        """All of them."""
        return [*self.log, *self.snapshot, *self.score, *self.results]


def verify(game: Game) -> list[str]:
    """What is wrong with a stored game, a sentence for each fault; nothing is changed."""
    if not _examine(game).faults:
        return []
    # A move made between two reads looks like a fault: look again while nothing can change.
    with transaction.atomic():
        locked = _locked(game)
        return _examine(locked).faults if locked else []


@transaction.atomic
def repair(game: Game) -> list[str]:
    """Make position, tallies, result, score and the results of people anew from the log.

    :returns: the faults that are left, those of the log itself
    """
    locked = _locked(game)
    if locked is None:
        return []
    verdict = _examine(locked)
    truth = verdict.truth
    if truth is None:
        return verdict.faults
    if verdict.snapshot:
        # Not ``save``: nobody played, so ``updated`` stays.
        Game.objects.filter(pk=truth.pk).update(
            state=truth.state,
            ply=truth.ply,
            tallies=truth.tallies,
            result=truth.result,
            finished=truth.finished,
        )
    if verdict.score:
        _score_anew(truth)
    if verdict.results:
        _results_anew(truth)
    return verdict.log


def _locked(game: Game) -> Game | None:
    games = Game.objects.select_for_update(of=("self",)).select_related("daily", "rematch_of")
    return games.filter(pk=game.pk).first()


def _examine(game: Game) -> Verdict:
    verdict = Verdict()
    seats = _seats(game, verdict)
    _table(game, seats, verdict)
    _versions(game, verdict)
    replayed = _replay(game, verdict)
    if replayed is None:
        return verdict
    verdict.truth = _truth(game, *replayed)
    _compare(game, verdict.truth, verdict)
    _compare_score(verdict.truth, seats[0].user if seats else None, verdict)
    if verdict.truth.players > 1:
        _compare_results(verdict.truth, seats, verdict)
    return verdict


# --- the log -------------------------------------------------------------------------------------


def _seats(game: Game, verdict: Verdict) -> list[Seat]:
    """Check that all seats are there and, once the game has begun, that somebody plays each."""
    seats = list(game.seats.select_related("user").order_by("index"))
    if [seat.index for seat in seats] != list(range(game.players)):
        verdict.log.append(
            _("The seats are %(seats)s, and %(players)d play.")
            % {"seats": _some(seat.index for seat in seats), "players": game.players}
        )
    # Who deletes the account takes the games that go on along; a finished one stays, without them.
    empty = [seat.index for seat in seats if seat.user is None and not seat.bot]
    if empty and not game.is_over and not game.is_waiting:
        verdict.log.append(_("Nobody plays seat %s, and it goes on.") % _some(empty))
    if not empty and game.is_waiting:
        verdict.log.append(_("Every seat is taken, and it has not started."))
    _stand_ins(game, seats, verdict)
    return seats


def _stand_ins(game: Game, seats: list[Seat], verdict: Verdict) -> None:
    """Check who plays for whom."""
    strange = [seat.index for seat in seats if seat.bot and not _has_level(game, seat.bot)]
    if strange:
        verdict.log.append(_("There is no bot of the level of seat %s.") % _some(strange))
    left = [seat.index for seat in seats if seat.left and not (seat.user and seat.bot)]
    if left:
        verdict.log.append(
            _("Somebody has left seat %s, and no bot stands in for them.") % _some(left)
        )
    early = [seat.index for seat in seats if seat.user and seat.bot]
    if early and game.is_waiting:
        verdict.log.append(_("A bot stands in on seat %s, and it has not started.") % _some(early))


def _has_level(game: Game, level: str) -> bool:
    try:
        return level in game.kind.levels
    except KeyError:
        return True  # there is no such game, which is said elsewhere


def _table(game: Game, seats: list[Seat], verdict: Verdict) -> None:
    """Check what is stored of a table to which people are invited."""
    if game.players == 1 and (game.key or game.is_waiting):
        verdict.log.append(_("It is played alone, and others are invited."))
    if (game.key is None) != (game.host is None):
        verdict.log.append(_("A table has a link and a host, or neither."))
    if game.is_waiting and game.key is None:
        verdict.log.append(_("It waits for people, and there is no link for them."))
    if game.is_waiting and game.is_over:
        verdict.log.append(_("It is over, and has not started."))
    persons = [seat.index for seat in seats if seat.user]
    if game.is_waiting and game.host is not None and game.host not in persons:
        verdict.log.append(_("Nobody sits on seat %d, the host’s.") % game.host)
    before = game.rematch_of
    if before and not before.is_over:
        verdict.log.append(_("It is the rematch of %s, which goes on.") % before)
    if before and (game.slug, game.players, game.options) != (
        *(before.slug, before.players),
        before.options,
    ):
        verdict.log.append(_("It is the rematch of %s, and another game.") % before)


def _versions(game: Game, verdict: Verdict) -> None:
    """Check what holds for all rows of the log, those taken back too, and for changes of seats."""
    rows = game.moves.aggregate(
        number=Count("pk"),
        versions=Count("version", distinct=True),
        first=Min("version"),
        last=Max("version"),
        undone=Count("pk", filter=Q(undone=True)),
    )
    if rows["versions"] < rows["number"]:
        verdict.log.append(_("Two moves have the same version."))
    if rows["number"] and not 1 <= rows["first"] <= rows["last"] <= game.version:
        verdict.log.append(
            _("The log has versions %(first)d to %(last)d, and the game version %(version)d.")
            % {**rows, "version": game.version}
        )
    if game.ranked and rows["undone"]:
        verdict.log.append(
            _("It is ranked, and %(undone)d moves of it were taken back.") % {**rows}
        )
    if rows["number"] and game.is_waiting:
        verdict.log.append(_("It has not started, and has %(number)d moves.") % {**rows})
    changes = list(game.changes.values_list("version", "seat"))
    versions = [version for version, _seat in changes]
    if versions != sorted(set(versions)) or not all(1 <= each <= game.version for each in versions):
        verdict.log.append(_("The versions of its changes of seats are not in their order."))
    if game.moves.filter(version__in=versions).exists():
        verdict.log.append(_("A move and a change of seats have the same version."))
    if not all(seat < game.players for _version, seat in changes):
        verdict.log.append(_("A seat has changed that there is not."))


def _replay(game: Game, verdict: Verdict) -> tuple[State, int, Any, list[Any]] | None:
    """Play the moves that stand, and check what is stored of each.

    :returns: the last position, its ply, the time of the last move, and the tallies that the moves
        told; None where it cannot go on
    """
    if game.daily and (game.daily.slug, game.daily.seed) != (game.slug, game.seed):
        verdict.log.append(_("It is of the daily deal of %s, and has another deal.") % game.daily)
    if not isinstance(game.options, dict):
        verdict.log.append(_("Its options cannot be read."))
        return None
    try:
        rules = game.rules
        state = rules.start(game.seed, game.players, game.options)
    except KeyError:
        verdict.log.append(_("There is no game “%s”.") % game.slug)
        return None
    except RulesError as error:
        verdict.log.append(_("It cannot be dealt: %s") % Refused.by_rules(error).message)
        return None
    ply, version, moved = 0, 0, game.created
    tallies: list[Any] = []
    told_wrong: list[int] = []
    out_of_turn: list[int] = []
    moves = game.moves.filter(undone=False).order_by("ply", "version")
    for move in moves.iterator(chunk_size=500):
        place = {"ply": move.ply, "before": ply, "move": move.text}
        if move.ply != ply + 1:
            verdict.log.append(
                _("The log cannot be replayed: move %(ply)d follows move %(before)d.") % place
            )
            return None
        if move.version <= version:
            verdict.log.append(_("Move %(ply)d has no later version than the one before.") % place)
        if move.seat != rules.turn(state):
            out_of_turn.append(move.ply)
        try:
            made = rules.parse_move(move.text)
            report = rules.report(state, made)
            state = rules.apply(state, made)
        except RulesError as error:
            verdict.log.append(
                _("The log cannot be replayed: move %(ply)d, “%(move)s”: %(error)s")
                % {**place, "error": Refused.by_rules(error).message}
            )
            return None
        if dumps(report) != dumps(move.report):
            told_wrong.append(move.ply)
        if "tally" in report:
            tallies.append(report["tally"])
        ply, version, moved = move.ply, move.version, move.created
    if out_of_turn:
        verdict.log.append(_("The turn was another seat's at move %s.") % _some(out_of_turn))
    if told_wrong:
        verdict.log.append(_("What is stored of move %s is not what it did.") % _some(told_wrong))
    return state, ply, moved, tallies


def _some(numbers: Iterable[int]) -> str:
    """The first few of some numbers in words."""
    numbers = list(numbers)
    named = ", ".join(str(number) for number in numbers[:FEW])
    if len(numbers) <= FEW:
        return named or "–"
    return _("%(named)s … (%(number)d in all)") % {"named": named, "number": len(numbers)}


# --- the snapshot --------------------------------------------------------------------------------


def _truth(game: Game, state: State, ply: int, moved: Any, tallies: list[Any]) -> Game:
    """The game as it should be.

    That a player retired is not in the log. It is believed where time and result agree about it;
    where they do not, the versions tell, which rise at moves, take-backs and retirement only, and
    at a table also when a seat changes and when it starts.
    """
    rules = game.rules
    truth = copy.copy(game)
    truth.state = rules.position(state)
    truth.ply = ply
    truth.tallies = tallies
    outcome = rules.outcome(state)
    ends = moved
    if outcome is None and _has_retired(game):
        outcome = Outcome(Termination.RETIRED, rules.scores(state))
        ends = game.updated
    if outcome is None:
        truth.result = truth.finished = None
    else:
        truth.result = {"termination": outcome.termination.value, "scores": list(outcome.scores)}
        if game.players > 1:
            truth.result["winners"] = list(outcome.winners)
        truth.finished = game.finished or ends
    return truth


def _has_retired(game: Game) -> bool:
    says_so = _is_result(game.result) and retired(game)
    if says_so == game.is_over and says_so == (game.result is not None):
        return says_so
    logged = game.moves.aggregate(number=Count("pk") + Count("pk", filter=Q(undone=True)))
    starts = game.key is not None and not game.is_waiting
    return game.version > logged["number"] + game.changes.count() + starts


def _is_result(result: Any) -> bool:
    return isinstance(result, dict) and {"termination", "scores"} <= result.keys()


def _compare(game: Game, truth: Game, verdict: Verdict) -> None:
    """Compare the row of a game with the one that follows from the log."""
    if game.ply != truth.ply:
        verdict.snapshot.append(
            _("It stands at move %(stored)d, and the log ends with move %(ply)d.")
            % {"stored": game.ply, "ply": truth.ply}
        )
    if dumps(game.state) != dumps(truth.state):
        verdict.snapshot.append(
            _("The position is not the one of the log: %s.") % _differing(game.state, truth.state)
        )
    if dumps(game.tallies) != dumps(truth.tallies):
        verdict.snapshot.append(_("The tallies are not those of the log."))
    if dumps(game.result) != dumps(truth.result):
        verdict.snapshot.append(
            _("The result is %(stored)s, and the log gives %(result)s.")
            % {"stored": _result_words(game.result), "result": _result_words(truth.result)}
        )
    if game.finished != truth.finished:
        verdict.snapshot.append(
            _("It has no time at which it was finished, and is over.")
            if truth.finished
            else _("It has a time at which it was finished, and goes on.")
        )


def _differing(stored: Any, truth: dict[str, Any]) -> str:
    """The names of what differs between two positions."""
    if not isinstance(stored, dict):
        return _("everything")
    names = [
        name
        for name in sorted(stored.keys() | truth.keys())
        if name not in stored or name not in truth or dumps(stored[name]) != dumps(truth[name])
    ]
    return ", ".join(names)


def _result_words(result: Any) -> str:
    if result is None:
        return _("none")
    if not _is_result(result):
        return dumps(result)
    words = f"{result['termination']} {dumps(result['scores'])}"
    if "winners" not in result:
        return words
    return _("%(result)s, won by %(winners)s") % {
        "result": words,
        "winners": dumps(result["winners"]),
    }


# --- the score -----------------------------------------------------------------------------------


def _expected_score(truth: Game, owner: User | None) -> Score | None:
    """The score that a game should have, not stored; None if it counts nowhere."""
    if owner is None or truth.kind.score is None or truth.result is None or not truth.counts:
        return None
    return Score(
        game=truth,
        user=owner,
        slug=truth.slug,
        value=truth.result["scores"][0],
        finished=truth.finished,
        daily=truth.daily.date if truth.daily else None,
    )


def _compare_score(truth: Game, owner: User | None, verdict: Verdict) -> None:
    stored = Score.objects.filter(game=truth.pk).first()
    expected = _expected_score(truth, owner)
    if stored is None and expected is not None:
        verdict.score.append(_("Its score of %d is missing.") % expected.value)
    elif stored is not None and expected is None:
        verdict.score.append(_("It has a score of %d, and counts nowhere.") % stored.value)
    elif stored is not None and expected is not None:
        for name in ("value", "user_id", "slug", "finished", "daily"):
            said, true = getattr(stored, name), getattr(expected, name)
            if said != true:
                verdict.score.append(
                    _("Its score has %(name)s %(said)s instead of %(true)s.")
                    % {"name": name.removesuffix("_id"), "said": said, "true": true}
                )
        # Whether it is struck is a reviewer's decision, which no log knows of.
        expected.struck = stored.struck
    _compare_boards(truth, expected, verdict)


def _compare_boards(truth: Game, expected: Score | None, verdict: Verdict) -> None:
    """Check the rows on boards that are of this score, and that none is missing."""
    stands = expected is not None and not expected.struck and not expected.user.is_guest
    boards = expected.boards if expected and stands else []
    there = Q(score=truth.pk)
    if expected is not None:
        there |= Q(user=expected.user_id, board__in=boards)
    covered = set()
    for best in Best.objects.filter(there):
        if best.score_id == truth.pk and not (
            expected is not None
            and best.board in boards
            and (best.user_id, best.value, best.finished)
            == (expected.user_id, expected.value, expected.finished)
        ):
            verdict.score.append(_("The board %s shows it wrongly.") % best.board)
        if (
            expected is not None
            and best.user_id == expected.user_id
            and (best.value, expected.finished) >= (expected.value, best.finished)
        ):
            covered.add(best.board)
    for board in boards:
        if board not in covered:
            verdict.score.append(_("It is missing on the board %s.") % board)


def _score_anew(truth: Game) -> None:
    """Enter the score anew, and make the boards of everybody concerned follow from it."""
    seat = truth.seats.select_related("user").order_by("index").first()
    owner = seat.user if seat else None
    concerned = set(Score.objects.filter(game=truth.pk).values_list("user", flat=True))
    concerned |= set(Best.objects.filter(score=truth.pk).values_list("user", flat=True))
    counts = _expected_score(truth, owner) is not None
    leaderboards.rescore_game(game=truth, user=owner if counts else None)
    for user in User.objects.filter(pk__in=concerned).order_by("pk"):
        leaderboards.rebuild(user)


# --- results at a table of several seats ---------------------------------------------------------

FACTS = (
    "seat",
    "slug",
    "people",
    "won",
    "retired",
    "rounds",
    "points",
    "best",
    "worst",
    "finished",
)
SUMS = ("games", "won", "rounds", "points", "best", "worst")


def _compare_results(truth: Game, seats: list[Seat], verdict: Verdict) -> None:
    """Compare the results of the people at a table, and where each of them stands."""
    expected = {result.user_id: result for result in leaderboards.results_of(truth, seats)}
    stored = {result.user_id: result for result in Result.objects.filter(game=truth.pk)}
    for user, result in stored.items():
        if user not in expected:
            verdict.results.append(_("It has a result of account %d, which is not its.") % user)
            continue
        for name in FACTS:
            said, true = getattr(result, name), getattr(expected[user], name)
            if said != true:
                verdict.results.append(
                    _("The result of seat %(seat)d has %(name)s %(said)s instead of %(true)s.")
                    % {"seat": expected[user].seat, "name": name, "said": said, "true": true}
                )
    for user, result in expected.items():
        if user not in stored:
            verdict.results.append(_("The result of seat %d is missing.") % result.seat)
    for seat in seats:
        if seat.user is not None:
            _compare_standings(truth, seat, verdict)


def _compare_standings(truth: Game, seat: Seat, verdict: Verdict) -> None:
    """Check that the person on a seat stands where the results say, in this game."""
    stored = Standing.objects.filter(user=seat.user, slug=truth.slug)
    said = {standing.people: _sums(standing) for standing in stored}
    true = {}
    if not seat.user.is_guest:
        results = Result.objects.filter(user=seat.user, slug=truth.slug).order_by()
        rows = results.values("people").annotate(
            games=Count("pk"),
            times=Count("pk", filter=Q(won=True)),
            played=Sum("rounds"),
            sum=Sum("points"),
            least=Min("best"),
            most=Max("worst"),
        )
        names = ("games", "times", "played", "sum", "least", "most")
        true = {row["people"]: tuple([row[name] for name in names]) for row in rows}
    if said != true:
        verdict.results.append(
            _("Where seat %d stands on the boards is not the sum of the results.") % seat.index
        )


def _results_anew(truth: Game) -> None:
    """Enter the results anew, and make where everybody concerned stands follow from them."""
    leaderboards.reenter_results(game=truth)
    for user in User.objects.filter(seats__game=truth.pk).distinct().order_by("pk"):
        leaderboards.rebuild(user)


def _sums(standing: Standing) -> tuple[Any, ...]:
    return tuple([getattr(standing, name) for name in SUMS])
