"""Games that ended with a given score at a given time, as if they had been played."""

from datetime import UTC, date, datetime, timedelta

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services
from ouroboros_site.leaderboards.models import Best, Score
from ouroboros_site.play import daily
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
