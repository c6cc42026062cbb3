"""What a presenter is given: everything of a table that may be told, and no secret."""

import pytest

from ouroboros_site.play import services, tables
from ouroboros_site.play.models import Game

from .helpers import SEED, WHOLE_GAMES, finish, new_game, record, submit

pytestmark = pytest.mark.django_db


def seat(game: Game, owner) -> services.Seated:
    return services.take_seat(user=owner, slug=game.slug, game_id=game.pk)


def test_the_seed_is_none_until_the_game_is_over(owner, slug):
    for ranked in (True, False):
        game = new_game(slug, owner, ranked=ranked)
        table = tables.table(seat(game, owner))
        assert table.game.seed is None and table.game.score is None
        assert table.game.commitment == game.commitment
        assert SEED not in repr((table.game, table.view, table.log, table.selection))
        finish(game, owner)
        info = tables.table(seat(game, owner)).game
        assert info.seed == SEED and info.is_over and info.retired
        assert info.score == game.result["scores"][0]


def test_no_state_is_in_it(owner, slug):
    game = new_game(slug, owner)
    seated = seat(game, owner)
    table = tables.table(seated)
    for name in tables.Table.__slots__:
        value = getattr(table, name)
        assert value is not seated.state and value is not game
    assert table.view == seated.view


def test_undo_and_redo_are_offered_where_they_are_possible(owner, slug):
    setup = record(WHOLE_GAMES[slug])
    info = []

    def look(game: Game) -> None:
        shown = tables.game_info(Game.objects.get(pk=game.pk), 0)
        info.append((shown.can_undo, shown.can_redo))

    game = new_game(slug, owner, ranked=False, seed=setup["seed"])
    look(game)
    submit(game, owner, *setup["moves"])
    look(game)
    arguments = {"user": owner, "slug": slug, "game_id": game.pk}
    services.undo_move(**arguments, version=len(setup["moves"]))
    look(game)
    finish(game, owner)
    look(game)
    assert info == [(False, False), (True, False), (True, True), (False, False)]
    info.clear()
    ranked = new_game(slug, owner, seed=setup["seed"])
    submit(ranked, owner, setup["moves"][0])
    look(ranked)
    assert info == [(False, False)]


def test_the_log_is_newest_first_and_bounded(owner):
    name, ply = "laws-06-mixed", tables.LOG + 5
    game = new_game("laws", owner, seed=record(name)["seed"])
    submit(game, owner, *record(name)["moves"][:ply])
    log = tables.table(seat(game, owner)).log
    texts = record(name)["moves"][:ply][::-1][: tables.LOG]
    assert [entry.text for entry in log] == texts
    assert [entry.ply for entry in log] == [*range(ply, ply - tables.LOG, -1)]
