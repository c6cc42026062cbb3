"""Whole games at tables: played through the services, or played by the rules and stored at once."""

from datetime import timedelta
from random import Random
from typing import Any

from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services as leaderboards
from ouroboros_site.play import registry
from ouroboros_site.play.models import Game, Move, Seat

from .helpers import submit
from .shared import new_table, some_move, until_mine

ROUNDS = {"trick": {}, "ochs-esel": {"rounds": 2, "ox": True}}


def play_out(slug: str, user: User, *, ranked: bool = True) -> Game:
    """A table that its person and the bots played to the end, move by move."""
    game = new_table(slug, user, options=ROUNDS[slug], ranked=ranked, seed="a1" * 32)
    random = Random(5)
    while not until_mine(game, user).is_over:
        submit(game, user, *some_move(game, random))
    return game


def played(
    slug: str,
    user: User | None,
    *,
    ranked: bool = True,
    moves: int | None = None,
    left: bool = False,
    players: int = 3,
    options: dict[str, Any] | None = None,
) -> Game:
    """A table played by chance to its end, or so many moves long; stored as if it had been played.

    :param left: whether the person left it then
    """
    rules, random, now = registry.get(slug).rules, Random(11), timezone.now()
    seed = f"{Game.objects.count() + 0xA1:064x}"
    state = rules.start(seed, players, ROUNDS[slug] if options is None else options)
    data = rules.encode(state)
    log: list[Move] = []
    tallies = []
    while (legal := rules.legal_moves(state)) and (moves is None or len(log) < moves):
        made = random.choice(legal)
        report = rules.report(state, made)
        tallies += [report["tally"]] if "tally" in report else []
        number = len(log) + 1
        log.append(
            Move(
                version=number,
                ply=number,
                seat=rules.turn(state),
                text=rules.format_move(made),
                report=report,
            )
        )
        state = rules.apply(state, made)
    outcome = rules.outcome(state)
    assert not (left and outcome)
    result = None
    if outcome or left:
        result = {
            "termination": outcome.termination.value if outcome else "retired",
            "scores": list(rules.scores(state)),
            "winners": list(outcome.winners) if outcome else [],
        }
    game = Game.objects.create(
        slug=slug,
        players=players,
        options=data["options"],
        seed=seed,
        ranked=ranked,
        state=rules.position(state),
        ply=len(log),
        version=len(log) + left,
        tallies=tallies,
        result=result,
        finished=now if result else None,
    )
    Game.objects.filter(pk=game.pk).update(created=now - timedelta(hours=1), updated=now)
    game.refresh_from_db()
    for move in log:
        move.game = game
    Move.objects.bulk_create(log)
    game.moves.update(created=now)
    names = ("Amara", "Basil", "Chidi", "Dilara", "Elif", "Fatou", "Goran", "Hana", "Ines", "Joon")
    Seat.objects.create(game=game, index=0, user=user)
    Seat.objects.bulk_create(
        [
            Seat(game=game, index=index, bot=("easy", "steady")[index % 2], name=names[index])
            for index in range(1, players)
        ]
    )
    leaderboards.enter_results(game=game)
    return game
