"""The services that write games: what they store, what they refuse, and that refusing stores
nothing."""

import json
from random import Random

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction

from ouroboros_site.accounts.models import User
from ouroboros_site.play import registry, services
from ouroboros_site.play.models import Game, Move, Seat
from ouroboros_site.play.services import Refused
from tests.solitaire.rules.positions import laws_position, market_position

from .helpers import (
    SEED,
    TOKEN,
    WHOLE_GAMES,
    assert_whole,
    finish,
    guest,
    legal,
    new_game,
    record,
    standing,
    stored,
    submit,
    trace,
)

pytestmark = pytest.mark.django_db


def refused(status: int, code: str, call, *args, **kwargs) -> str:
    """Assert that a call is refused so and that nothing is changed; the sentence for the player."""
    before = stored()
    with pytest.raises(Refused) as caught:
        call(*args, **kwargs)
    assert (caught.value.status, caught.value.code) == (status, code)
    assert stored() == before
    message = str(caught.value.message)
    assert message.endswith(".") and "%(" not in message
    return message


def change(service, game: Game, user, version: int | None = None):
    """Undo, redo or retire, at the game's present version unless another is given."""
    if version is None:
        version = Game.objects.get(pk=game.pk).version
    return service(user=user, slug=game.slug, game_id=game.pk, version=version)


def undo(game, user, version=None):
    return change(services.undo_move, game, user, version)


def redo(game, user, version=None):
    return change(services.redo_move, game, user, version)


def retire(game, user, version=None):
    return change(services.retire_game, game, user, version)


LONG_GAMES = {"laws": "laws-06-mixed", "market": "market-05-mixed"}


def long_game(slug: str, user: User, *, ranked: bool = False, moves: int = 2) -> Game:
    """A game so many moves into a record that goes on from there."""
    setup = record(LONG_GAMES[slug])
    game = new_game(slug, user, ranked=ranked, seed=setup["seed"])
    submit(game, user, *setup["moves"][:moves])
    game.refresh_from_db()
    return game


class TestStart:
    def test_a_game_is_stored_with_its_seat(self, owner, slug):
        game, user = services.start_game(user=owner, slug=slug, token=TOKEN)
        game = Game.objects.get(pk=game.pk)
        rules = registry.get(slug).rules
        assert user == owner
        assert (game.slug, game.ranked, game.ply, game.version) == (slug, True, 0, 0)
        assert game.token and (game.redo, game.result, game.finished) == ([], None, None)
        assert game.state == rules.position(rules.start(game.seed))
        assert list(game.seats.values_list("index", "user")) == [(0, owner.pk)]
        assert not game.moves.exists()

    def test_a_visitor_becomes_a_guest(self, db, slug):
        game, user = services.start_game(user=AnonymousUser(), slug=slug)
        assert User.objects.get() == user
        assert user.is_guest and not user.has_usable_password()
        assert not user.is_staff and not user.is_superuser
        assert game.seats.get().user == user

    def test_ranked_games_are_dealt_at_random(self, owner, slug):
        games = [services.start_game(user=owner, slug=slug)[0] for _ in range(3)]
        assert len({game.seed for game in games}) == 3
        assert len({json.dumps(game.state) for game in games}) == 3

    def test_a_practice_game_has_the_deal_that_was_asked_for(self, owner, slug):
        game, _user = services.start_game(user=owner, slug=slug, ranked=False, seed=SEED)
        assert game.seed == SEED
        assert game.state == trace_position(slug, SEED)
        another, _user = services.start_game(user=owner, slug=slug, ranked=False)
        assert another.seed != SEED

    @pytest.mark.parametrize(
        ("code", "status", "options"),
        [
            ("no-game", 404, {"slug": "patience"}),
            ("no-game", 404, {"slug": ""}),
            ("ranked-seed", 400, {"seed": SEED}),
            ("seed", 400, {"seed": SEED.upper(), "ranked": False}),
            ("seed", 400, {"seed": SEED[1:], "ranked": False}),
            ("seed", 400, {"seed": SEED + "0", "ranked": False}),
            ("seed", 400, {"seed": "g" * 64, "ranked": False}),
            ("seed", 400, {"seed": "٣" * 64, "ranked": False}),
            ("seed", 400, {"seed": SEED + "\n", "ranked": False}),
            ("seed", 400, {"seed": "\0" * 64, "ranked": False}),
        ],
    )
    def test_refusals_store_neither_game_nor_guest(self, db, code, status, options):
        refused(
            status,
            code,
            services.start_game,
            **{"user": AnonymousUser(), "slug": "laws", **options},
        )


def trace_position(slug: str, seed: str):
    rules = registry.get(slug).rules
    return rules.position(rules.start(seed))


class TestSubmit:
    def test_a_move_is_a_row_and_the_next_position(self, owner, slug):
        game = new_game(slug, owner)
        text = legal(game)[0]
        rules = game.rules
        state = game.load()
        played = submit(game, owner, text)
        row = game.moves.get()
        assert (row.version, row.ply, row.seat, row.text, row.undone) == (1, 1, 0, text, False)
        assert row.report == rules.report(state, rules.parse_move(text))
        assert [move.pk for move in played.moves] == [row.pk]
        game = assert_whole(game)
        assert (game.version, game.ply) == (1, 1)
        assert game.state == rules.position(rules.apply(state, rules.parse_move(text)))
        assert game.updated >= row.created

    def test_a_whole_game_is_the_trace_of_its_record(self, owner, slug):
        name = WHOLE_GAMES[slug]
        lines = trace(name)
        game = new_game(slug, owner, seed=record(name)["seed"])
        assert game.state == lines[0]["position"]
        for line in lines[1:]:
            assert not Game.objects.get(pk=game.pk).is_over
            submit(game, owner, line["move"])
            game.refresh_from_db()
            assert game.state == line["position"]
        assert game.is_over
        assert game.result["scores"] == [lines[-1]["position"]["score"]]
        assert game.result["termination"] == {"laws": "deck-empty", "market": "no-lives"}[slug]
        assert standing(game) == record(name)["moves"]
        assert_whole(game)

    def test_several_moves_together_are_the_same_as_one_by_one(self, owner, slug):
        name = WHOLE_GAMES[slug]
        texts = record(name)["moves"]
        one_by_one = new_game(slug, owner, seed=record(name)["seed"])
        for text in texts:
            submit(one_by_one, owner, text)
        together = new_game(slug, owner, seed=record(name)["seed"])
        played = submit(together, owner, *texts)
        assert [move.text for move in played.moves] == texts
        one_by_one, together = assert_whole(one_by_one), assert_whole(together)
        assert together.state == one_by_one.state
        assert together.version == one_by_one.version == len(texts)
        assert together.result == one_by_one.result
        facts = ("version", "ply", "seat", "text", "report")
        assert list(together.moves.order_by("ply").values(*facts)) == list(
            one_by_one.moves.order_by("ply").values(*facts)
        )

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_several_moves_are_made_all_or_none(self, owner, slug, place):
        name = WHOLE_GAMES[slug]
        texts = record(name)["moves"][:2]
        texts.insert(place, "play 1 Ks" if slug == "laws" else "play Ks")
        game = new_game(slug, owner, seed=record(name)["seed"])
        code = "not-in-hand" if slug == "laws" else "not-held"
        refused(400, code, submit, game, owner, *texts)

    def test_moves_after_the_end_take_those_before_it_back(self, owner, slug):
        texts = record(WHOLE_GAMES[slug])["moves"]
        game = new_game(slug, owner, seed=record(WHOLE_GAMES[slug])["seed"])
        refused(409, "not-your-turn", submit, game, owner, *texts, texts[-1])

    def test_a_move_that_may_end_the_game_takes_those_before_it_back(self, owner, slug):
        texts = record(WHOLE_GAMES[slug])["moves"]
        game = new_game(slug, owner, seed=record(WHOLE_GAMES[slug])["seed"])
        before = stored()
        with pytest.raises(services.Unconfirmed) as caught:
            services.submit_moves(
                user=owner,
                slug=slug,
                game_id=game.pk,
                version=0,
                texts=texts,
                confirmed=False,
            )
        assert caught.value.text == texts[-1]
        assert stored() == before

    def test_nothing_to_play_changes_nothing(self, owner, slug):
        game = new_game(slug, owner, ranked=False)
        submit(game, owner, legal(game)[0])
        undo(game, owner)
        refused(400, "no-move", submit, game, owner)

    def test_the_same_cards_in_another_order_are_one_legal_move(self, owner):
        game = new_game("laws", owner, position=laws_position("2h 3h 4d 5d 6d"))
        submit(game, owner, "play 1 6d 2h")
        assert standing(game) == ["play 1 6d 2h"]
        game.refresh_from_db()
        assert game.state["discard"][-2:] == ["6d", "2h"]


class TestRefusals:
    """Each gate of a move, in the order in which a request meets them."""

    def test_a_game_that_is_not_there(self, owner, slug):
        game = new_game(slug, owner)
        for game_id in (game.pk + 1, 0, 2**31, 2**63, 10**30):
            game.pk = game_id
            for service in (services.undo_move, services.redo_move, services.retire_game):
                refused(404, "no-game", change, service, game, owner, 0)
            refused(404, "no-game", submit, game, owner, "play", version=0)
            refused(404, "no-game", services.take_seat, user=owner, slug=slug, game_id=game_id)

    def test_a_game_under_another_name(self, owner, slug):
        game = new_game(slug, owner)
        for wrong in ({"laws": "market", "market": "laws"}[slug], "patience"):
            game.slug = wrong
            refused(404, "no-game", submit, game, owner, "play", version=0)

    @pytest.mark.parametrize("who", ["anonymous", "guest", "named", "staff"])
    def test_a_game_of_someone_else(self, owner, slug, who):
        game = new_game(slug, owner)
        text = legal(game)[0]
        user = {
            "anonymous": AnonymousUser,
            "guest": guest,
            "named": lambda: User.objects.create_user("Ada"),
            "staff": lambda: User.objects.create_superuser("root"),
        }[who]()
        refused(403, "not-yours", submit, game, user, text)
        refused(403, "not-yours", submit, game, user, "nonsense", version=99)
        for service in (undo, redo, retire):
            refused(403, "not-yours", service, game, user)
        refused(403, "not-yours", services.take_seat, user=user, slug=slug, game_id=game.pk)

    def test_an_empty_seat_is_nobodys(self, owner, slug):
        game = new_game(slug, owner)
        owner.delete()
        assert Seat.objects.get().user is None
        refused(403, "not-yours", submit, game, AnonymousUser(), legal(game)[0])
        refused(403, "not-yours", submit, game, guest(), legal(game)[0])

    @pytest.mark.parametrize("version", [0, 1, 3, 99, 2**31, 2**63])
    def test_another_version(self, owner, slug, version):
        game = new_game(slug, owner, ranked=False)
        submit(game, owner, legal(game)[0])
        submit(game, owner, legal(game)[0])
        text = legal(game)[0]
        refused(409, "stale", submit, game, owner, text, version=version)
        for service in (undo, redo, retire):
            refused(409, "stale", service, game, owner, version)

    def test_the_same_request_again(self, owner, slug):
        game = new_game(slug, owner)
        text = legal(game)[0]
        submit(game, owner, text, version=0)
        message = refused(409, "stale", submit, game, owner, text, version=0)
        assert "nothing was played" in message

    def test_a_game_that_is_over(self, owner, slug):
        texts = record(WHOLE_GAMES[slug])["moves"]
        played_out = new_game(slug, owner, seed=record(WHOLE_GAMES[slug])["seed"])
        submit(played_out, owner, *texts)
        retired = new_game(slug, owner)
        text = legal(retired)[0]
        finish(retired, owner)
        for game in (played_out, retired):
            refused(409, "over", submit, game, owner, text)
            refused(409, "over", submit, game, owner, text, version=0)
            refused(409, "over", retire, game, owner)
            refused(409, "over", redo, game, owner)
            refused(409, "ranked", undo, game, owner)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "nonsense",
            "play",
            "play 1",
            "play 4 2h",
            "play 1  2h",
            " play 1 2h",
            "play 1 2h ",
            "play 1 2h\n",
            "PLAY 1 2h",
            "play 1 2H",
            "play 1 2h 2h",
            "play 1 2h 3h 4h 5h",
            "play 1 0h",
            "play ١ 2h",
            "play 1 2h\0",
            "play 1 2:h",
            "play 1 :2h",
            "bribe 1 ",
            "enforce K:d",
            "scout J:h 1",
            "reorganize Qd:: 4h",
            "reorganize Qd: 4:h",
            "x" * 201,
            "play " * 4000,
            "play 1 " + "2h " * 20000,
            "\N{BELL}" * 100,
        ],
    )
    def test_texts_that_are_no_moves(self, owner, slug, text):
        # Read with any leniency, each of them would be a legal move here.
        if slug == "market":
            text = text.replace("play 1", "play")
            position = market_position("2h Ah 3h 4h 5h", "9s")
        else:
            position = laws_position("2h Jh Qd Kd 4h")
        game = new_game(slug, owner, position=position)
        before = stored()
        with pytest.raises(Refused) as caught:
            submit(game, owner, text)
        assert caught.value.status == 400
        assert len(str(caught.value.message)) < 200
        assert stored() == before

    @pytest.mark.parametrize(
        ("position", "text", "code", "figures"),
        [
            (laws_position("2h 3h 4d 5d *"), "play 1 Kh", "not-in-hand", "K♥"),
            (laws_position("2h 3h 4d 5d *"), "play 1 *", "joker-alone", "joker"),
            (laws_position("2h 3h 4d 5d *"), "concede 1", "concede-hand", "5 cards"),
            (laws_position("2h 3h 4d 5d *"), "capture 1", "no-capture", "capture"),
            (
                laws_position("2h 3h 4d 5d *", deck="Ah 2d", discard="..."),
                "bribe 1",
                "bribe-cost",
                "4",
            ),
            (laws_position("2h 3h 4d 5d *"), "scout 2h 1", "not-a-jack", "2♥"),
            (laws_position("2h 3h 4d 5d *"), "reorganize 2h: 3h", "not-a-queen", "2♥"),
            (laws_position("2h 3h 4d 5d *"), "enforce 2h", "not-a-king", "2♥"),
            (laws_position("2h 3h 4d 5d *", piles=("As", "2s", "")), "bribe 3", "pile-empty", "3"),
        ],
    )
    def test_what_the_rules_of_laws_refuse(self, owner, position, text, code, figures):
        game = new_game("laws", owner, position=position)
        assert figures in refused(400, code, submit, game, owner, text)

    @pytest.mark.parametrize(
        ("position", "text", "code", "figures"),
        [
            (market_position("Ah 2h 3h 4h 5h", "9s"), "play Kd", "not-held", "K♦"),
            (market_position("Ah 2h 3h 4h *", "9s"), "play * Ah", "joker-alone", "joker"),
            (market_position("Ah 2h 3h 4h 5h", "9s"), "swap Ah", "no-swap", "match"),
            (market_position("Ah 2h 3h 4h", "9s", stock="5h"), "stock Ah", "stock-full", "5♥"),
            (
                market_position("Ah 2h 3h", "9s", played="4h 5h"),
                "swap Ah",
                "not-played",
                "A♥",
            ),
            (
                market_position("Ah 2h 3h", "9s", played="4h 5h"),
                "play Ah",
                "swap-first",
                "swap",
            ),
        ],
    )
    def test_what_the_rules_of_market_refuse(self, owner, position, text, code, figures):
        game = new_game("market", owner, position=position)
        assert figures in refused(400, code, submit, game, owner, text)

    def test_the_log_guards_itself_should_the_lock_fail(self, owner, slug):
        game = new_game(slug, owner)
        text = legal(game)[0]
        Move.objects.create(game=game, version=1, ply=1, seat=0, text=text, report={})
        refused(409, "stale", submit, game, owner, text)

    def test_a_spoilt_row_is_no_silent_success(self, owner, slug):
        game = new_game(slug, owner)
        text = legal(game)[0]
        Game.objects.update(state={})
        before = stored()
        refused(409, "damaged", submit, game, owner, text)
        assert stored() == before


class TestLog:
    def test_one_row_for_a_version_and_one_standing_row_for_a_ply(self, owner, slug):
        game = new_game(slug, owner, ranked=False)
        submit(game, owner, legal(game)[0])
        undo(game, owner)
        row = {"game": game, "seat": 0, "text": "x", "report": {}}
        with pytest.raises(IntegrityError), transaction.atomic():
            Move.objects.create(version=1, ply=7, **row)
        Move.objects.create(version=8, ply=1, **row)
        with pytest.raises(IntegrityError), transaction.atomic():
            Move.objects.create(version=9, ply=1, **row)
        Move.objects.create(version=9, ply=1, undone=True, **row)
        with pytest.raises(IntegrityError), transaction.atomic():
            Seat.objects.create(game=game, index=0)

    def test_recent_moves_are_those_that_stand_the_latest_first(self, owner, slug):
        game = long_game(slug, owner, moves=3)
        texts = standing(game)
        undo(game, owner)
        assert [move.text for move in services.recent_moves(game)] == texts[1::-1]
        assert [move.text for move in services.recent_moves(game, 1)] == texts[1:2]

    def test_a_move_made_since_the_game_was_read_is_not_among_them(self, owner, slug):
        game = long_game(slug, owner)
        submit(game, owner, record(LONG_GAMES[slug])["moves"][2])
        assert [move.ply for move in services.recent_moves(game)] == [2, 1]


class TestUndo:
    def test_undo_marks_the_last_row_and_takes_the_position_back(self, owner, slug):
        game = long_game(slug, owner)
        rows = list(game.moves.order_by("version").values())
        first_text, last_text = standing(game)
        played = undo(game, owner)
        assert played.moves is None
        game = assert_whole(game)
        assert (game.ply, game.version) == (1, 3)
        assert game.redo == [last_text] and standing(game) == [first_text]
        rows[1]["undone"] = True
        assert list(game.moves.order_by("version").values()) == rows

    @pytest.mark.parametrize(
        ("name", "moves"),
        [("laws-01-random", 4), ("laws-06-mixed", 16), ("market-05-mixed", 23)],
    )
    def test_all_the_way_back_and_forth_through_the_same_positions(self, owner, name, moves):
        setup, lines = record(name), trace(name)
        texts = setup["moves"][:moves]
        game = new_game(setup["game"], owner, ranked=False, seed=setup["seed"])
        submit(game, owner, *texts)
        game.refresh_from_db()
        result = game.result
        for ply in range(moves - 1, -1, -1):
            undo(game, owner)
            game = assert_whole(game)
            assert game.state == lines[ply]["position"]
            assert (game.ply, game.version, game.is_over) == (ply, 2 * moves - ply, False)
            assert standing(game) == texts[:ply]
            assert game.moves.count() == moves
        refused(409, "nothing-to-undo", undo, game, owner)
        for ply in range(1, moves + 1):
            redo(game, owner)
            game = assert_whole(game)
            assert game.state == lines[ply]["position"]
            assert (game.ply, game.version) == (ply, 2 * moves + ply)
            assert standing(game) == texts[:ply]
        assert game.result == result
        assert game.moves.count() == 2 * moves
        assert game.moves.filter(undone=True).count() == moves
        code = "over" if game.is_over else "nothing-to-redo"
        refused(409, code, redo, game, owner)

    def test_a_new_move_ends_what_could_be_redone(self, owner, slug):
        game = long_game(slug, owner)
        texts = standing(game)
        undo(game, owner)
        undo(game, owner)
        redo(game, owner)
        game.refresh_from_db()
        assert standing(game) == texts[:1] and game.redo == texts[1:]
        another = next(text for text in legal(game) if text != texts[1])
        submit(game, owner, another)
        game = assert_whole(game)
        assert game.redo == [] and standing(game) == [texts[0], another]
        refused(409, "nothing-to-redo", redo, game, owner)

    def test_a_refused_move_leaves_what_could_be_redone(self, owner, slug):
        game = long_game(slug, owner)
        undo(game, owner)
        game.refresh_from_db()
        redone = game.redo
        assert len(redone) == 1
        with pytest.raises(Refused):
            submit(game, owner, "nonsense")
        game.refresh_from_db()
        assert game.redo == redone

    def test_a_finished_practice_game_is_taken_back_and_goes_on(self, owner, slug):
        name = WHOLE_GAMES[slug]
        lines = trace(name)
        game = new_game(slug, owner, ranked=False, seed=record(name)["seed"])
        submit(game, owner, *record(name)["moves"])
        game.refresh_from_db()
        result = game.result
        undo(game, owner)
        game = assert_whole(game)
        assert (game.finished, game.result) == (None, None)
        assert game.state == lines[-2]["position"]
        redo(game, owner)
        game = assert_whole(game)
        assert game.is_over and game.result == result
        assert game.state == lines[-1]["position"]

    def test_a_ranked_game_has_neither(self, owner, slug):
        game = new_game(slug, owner)
        refused(409, "ranked", undo, game, owner)
        refused(409, "ranked", redo, game, owner)
        game = long_game(slug, owner, ranked=True)
        refused(409, "ranked", undo, game, owner)
        Game.objects.update(redo=[legal(game)[0]])
        refused(409, "ranked", redo, game, owner)

    def test_a_version_never_comes_back(self, owner, slug):
        game = new_game(slug, owner, ranked=False)
        random, seen, plies = Random(3), [0], set()
        for _ in range(40):
            game.refresh_from_db()
            step = undo if game.is_over else random.choice([undo, redo, submit, submit])
            try:
                step(game, owner, *([random.choice(legal(game))] if step is submit else []))
            except Refused:
                continue
            game = assert_whole(game)
            seen.append(game.version)
            plies.add(game.ply)
        assert seen == list(range(len(seen))) and len(seen) > 20
        assert max(plies) < len(seen) - 1, "no ply came back: the test tests nothing"


class TestRetire:
    @pytest.mark.parametrize("ranked", [True, False])
    def test_the_score_stands(self, owner, slug, ranked):
        name = {"laws": "laws-06-mixed", "market": "market-05-mixed"}[slug]
        game = new_game(slug, owner, ranked=ranked, seed=record(name)["seed"])
        submit(game, owner, *record(name)["moves"][:20])
        score = trace(name)[20]["position"]["score"]
        assert score > 0
        retire(game, owner)
        game = assert_whole(game)
        assert game.result == {"termination": "retired", "scores": [score]}
        assert game.is_over and services.retired(game)
        assert (game.ply, game.version) == (20, 21)
        assert game.state == trace(name)[20]["position"]

    def test_a_practice_game_that_was_ended_stays_ended(self, owner, slug):
        game = long_game(slug, owner)
        undo(game, owner)
        retire(game, owner)
        game.refresh_from_db()
        assert game.redo == []
        refused(409, "nothing-to-undo", undo, game, owner)
        refused(409, "over", redo, game, owner)


class TestReading:
    def test_a_player_sees_the_view_and_no_more(self, owner, slug):
        game = new_game(slug, owner)
        seated = services.take_seat(user=owner, slug=slug, game_id=game.pk)
        assert seated.seat == 0
        assert seated.view == game.rules.view(game.load(), 0)
        assert game.seed not in json.dumps(seated.view)

    def test_why_not(self, owner, slug):
        game = new_game(slug, owner)
        seated = services.take_seat(user=owner, slug=slug, game_id=game.pk)
        assert seated.why_not(legal(game)[0]) is None
        assert "no such move" in seated.why_not("nonsense")
        held = {"laws": "play 1 Ks", "market": "play Ks"}[slug]
        assert "K♠" in seated.why_not(held)
        finish(game, owner)
        seated = services.take_seat(user=owner, slug=slug, game_id=game.pk)
        assert seated.why_not(standing_or_any(game)) == "This game is over."


def standing_or_any(game: Game) -> str:
    state = game.rules.start(game.seed)
    return game.rules.format_move(game.rules.legal_moves(state)[0])
