"""Games that ended with a given score at a given time, as if they had been played."""

from datetime import UTC, date, datetime, timedelta

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services
from ouroboros_site.leaderboards.models import Best, Result, Score, Standing
from ouroboros_site.play import daily, registry
from ouroboros_site.play.models import Game, Seat, Try

NOON = datetime(2026, 12, 2, 12, tzinfo=UTC)
"""A Wednesday."""


def named(name: str) -> User:
    return User.objects.create_user(name)


def finished(
    user: User,
    value: int,
    *,
    slug: str = "laws",
    at: datetime = NOON,
    minutes: float = 10,
    ranked: bool = True,
    day: date | None = None,
) -> Game:
    """A game of ``user`` that ended ``at`` with ``value``; its score is entered where it counts."""
    deal = daily.deal_of(slug, day) if day else None
    game = Game(
        slug=slug,
        seed=deal.seed if deal else f"{Game.objects.count():064x}",
        ranked=ranked,
        daily=deal,
        result={"termination": "retired", "scores": [value]},
        finished=at,
    )
    game.state = game.rules.position(game.rules.start(game.seed))
    game.save()
    Game.objects.filter(pk=game.pk).update(created=at - timedelta(minutes=minutes), updated=at)
    game.refresh_from_db()
    Seat.objects.create(game=game, index=0, user=user)
    if deal and ranked:
        Try.objects.create(deal=deal, user=user, game=game)
    services.score_game(game=game, user=user)
    return game


def on_board(board: str = "laws/all") -> list[tuple[str, int]]:
    """Names and scores of a board in its order."""
    rows = Best.objects.filter(board=board).select_related("user")
    rows = rows.order_by("-value", "finished", "id")
    return [(row.user.username, row.value) for row in rows]


def assert_bests_follow_from_scores() -> None:
    """Assert that every board holds exactly what its definition says, made the long way round."""
    expected = set()
    for user in User.objects.filter(is_guest=False):
        scores = list(Score.objects.filter(user=user, struck=False))
        for board in {board for score in scores for board in score.boards}:
            mine = [score for score in scores if board in score.boards]
            best = min(mine, key=lambda score: (-score.value, score.finished, score.pk))
            expected.add((board, user.pk, best.pk, best.value, best.finished))
    stored = Best.objects.values_list("board", "user_id", "score_id", "value", "finished")
    assert set(stored) == expected
    assert len(stored) == len(expected)


# --- tables of several seats ---------------------------------------------------------------------


def sat(
    user: User | None,
    *points: list[int],
    slug: str = "ochs-esel",
    winners: tuple[int, ...] = (),
    left: bool = False,
    at: datetime = NOON,
    ranked: bool = True,
    others: tuple[User | None, ...] = (),
    players: int = 3,
) -> Game:
    """A table of three that ended ``at``: ``user`` on seat 0, ``others`` next, then bots.

    :param points: the minus points of each finished round, by seat
    """
    rules = registry.get(slug).rules
    data = rules.encode(rules.start(f"{Game.objects.count():064x}", players))
    totals = [sum(seat) for seat in zip(*points, strict=True)] or [0] * players
    termination = "retired" if left else "rounds-played"
    game = Game.objects.create(
        slug=slug,
        players=players,
        options=data["options"],
        seed=data["seed"],
        state=data["position"],
        ranked=ranked,
        result={"termination": termination, "scores": totals, "winners": list(winners)},
        tallies=[{"round": number, "points": each} for number, each in enumerate(points, 1)],
        finished=at,
    )
    Game.objects.filter(pk=game.pk).update(created=at - timedelta(minutes=10), updated=at)
    people = (user, *others)
    for index in range(players):
        bot = {} if index < len(people) else {"bot": "easy", "name": f"Bot {index}"}
        sitter = people[index] if index < len(people) else None
        Seat.objects.create(game=game, index=index, user=sitter, **bot)
    services.enter_results(game=game)
    return game


def standing(user: User, slug: str = "ochs-esel", *, people: bool = False) -> tuple | None:
    """Games, won, rounds, points, best and worst round, as they are stored."""
    rows = Standing.objects.filter(user=user, slug=slug, people=people)
    names = ("games", "won", "rounds", "points", "best", "worst")
    return rows.values_list(*names).first()


def assert_standings_follow_from_results() -> None:
    """Assert that every named account stands where its results say, added up the long way round."""
    expected = {}
    for result in Result.objects.filter(user__is_guest=False):
        expected.setdefault((result.user_id, result.slug, result.people), []).append(result)
    stored = {(row.user_id, row.slug, row.people): row for row in Standing.objects.all()}
    assert stored.keys() == expected.keys()
    for key, results in expected.items():
        played = [result for result in results if result.rounds]
        row = stored[key]
        assert row.games == len(results)
        assert row.won == len([result for result in results if result.won])
        assert row.rounds == sum(result.rounds for result in results)
        assert row.points == sum(result.points for result in results)
        assert row.best == min((result.best for result in played), default=None)
        assert row.worst == max((result.worst for result in played), default=None)
