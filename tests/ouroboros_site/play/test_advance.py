"""Moves that need nobody: bots and forced passes, at the table's pace, whatever goes wrong."""

import logging
from dataclasses import replace
from datetime import timedelta
from random import Random
from time import monotonic

import pytest
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.play import bots, registry, services, tables
from ouroboros_site.play.models import PACES, Game
from tricks.rules import ochs_esel

from ...tricks.rules.ochs_esel_positions import state
from .helpers import (
    Browser,
    assert_whole,
    finish,
    fragment_of,
    new_game,
    page_of,
    stored,
    table,
)
from .shared import (
    advance,
    asks_on,
    each_table,
    legal_texts,
    new_table,
    rows,
    some_move,
    turn,
    until_mine,
)

pytestmark = pytest.mark.django_db
slug = each_table


@pytest.fixture
def bot(monkeypatch, slug):
    """Puts a function in the place of the game's bots."""

    def put(choose) -> None:
        kind = replace(registry.get(slug), bot=choose)
        monkeypatch.setitem(registry._kinds, slug, kind)

    return put


def bots_turn(slug: str, user: User, **more) -> Game:
    """A table at which a bot is to move."""
    for number in range(100):
        game = new_table(slug, user, seed=f"{number:064x}", **more)
        if turn(game):
            return game
    raise AssertionError


def ask(game: Game, user: User, version: int | None = None, **more) -> services.Played | None:
    if version is None:
        version = Game.objects.get(pk=game.pk).version
    return services.advance_game(
        user=user, slug=game.slug, game_id=game.pk, version=version, **more
    )


class Clock:
    """A clock on which time goes by only where somebody sleeps."""

    def __init__(self) -> None:
        self.passed = 0.0

    def read(self) -> float:
        return 1000 + self.passed

    def sleep(self, seconds: float) -> None:
        self.passed += seconds


def topping(owner: User, hand: str, seat: int) -> Game:
    """A table of Ochs & Esel at which this seat, with this hand, has an 11 to top."""
    hands = ["2 5 11", "2 5 11", "2 5 11 E"]
    hands[seat] = hand
    before = state(*hands, leader=(seat - 1) % 3, rounds=1)
    after = ochs_esel.apply(before, ochs_esel.parse_move("play 11"))
    return new_table("ochs-esel", owner, position=ochs_esel.position(after))


def pass_time(game: Game, seconds: float) -> None:
    """Let time go by at this table."""
    updated = Game.objects.values_list("updated", flat=True).get(pk=game.pk)
    Game.objects.filter(pk=game.pk).update(updated=updated - timedelta(seconds=seconds))


class TestBot:
    def test_one_move_of_the_seat_whose_turn_it_is(self, owner, slug):
        game = bots_turn(slug, owner, players=4)
        mover = turn(game)
        legal = legal_texts(game)
        played = ask(game, owner)
        [move] = played.moves
        assert (move.seat, move.version, move.ply) == (mover, 1, 1)
        assert move.text in legal
        assert played.seated.seat == 0 and played.seated.view == played.seated.game.rules.view(
            played.seated.state, 0
        )
        game = assert_whole(game)
        assert game.version == game.ply == 1 and game.lease is None

    def test_gets_what_its_seat_sees_and_what_it_may_play(self, owner, slug, bot):
        asked = []
        bot(lambda *arguments: asked.append(arguments) or arguments[2][:1])
        game = bots_turn(slug, owner, level="easy")
        view = game.rules.view(game.load(), turn(game))
        legal = legal_texts(game)
        assert ask(game, owner) is not None
        [(level, seen, texts, chance)] = asked
        assert (level, seen, texts) == ("easy", view, legal)
        assert isinstance(chance, Random)

    def test_is_asked_when_it_has_no_choice_too(self, owner, slug, bot):
        """So that the time which it takes tells nothing."""
        asked = []
        bot(lambda level, view, legal, chance: asked.append(legal) or legal[:1])
        forced = 0
        for number in range(20):
            game = new_table(slug, owner, seed=f"{number:064x}")
            while turn(game) is not None and game.ply < 60:
                if turn(game) == 0:
                    texts = some_move(game, Random(game.ply))
                    services.submit_moves(
                        user=owner, slug=slug, game_id=game.pk, version=game.version, texts=texts
                    )
                else:
                    count, legal = len(asked), legal_texts(game)
                    assert ask(game, owner) is not None
                    assert asked[count:] == [legal]
                    forced += len(legal) == 1
                game.refresh_from_db()
            if forced > 3:
                return
        raise AssertionError("no bot was ever without a choice")

    def test_plays_on_after_the_person_s_move(self, owner, slug, browser):
        game = until_mine(new_table(slug, owner), owner)
        assert not game.is_over, "everybody has a turn before it can end"
        texts = some_move(game, Random(1))
        services.submit_moves(
            user=owner, slug=slug, game_id=game.pk, version=game.version, texts=texts
        )
        assert until_mine(game, owner).version > len(texts)
        assert_whole(game)


class TestNothingToDo:
    """Then the table is shown as it is, and nobody is told off."""

    def unchanged(self, game: Game, browser: Browser, version: int | None = None) -> str:
        before = stored()
        response = advance(browser, game, version=version)
        assert response.status_code == 200
        fragment_of(response)
        assert stored() == before
        response = advance(browser, game, version=version, htmx=False)
        assert response.status_code == 302 and response["Location"] == table(game)
        return browser.look(table(game)).content.decode()

    def test_the_person_is_to_move(self, owner, slug, browser):
        game = until_mine(new_table(slug, owner, players=4), owner)
        assert turn(game) == 0
        assert not asks_on(self.unchanged(game, browser))

    def test_a_page_that_is_not_up_to_date(self, owner, slug, browser):
        game = bots_turn(slug, owner)
        for version in (1, 999_999_999):
            assert asks_on(self.unchanged(game, browser, version))
        ask(game, owner)
        self.unchanged(game, browser, 0)

    def test_the_game_is_over(self, owner, slug, browser):
        game = finish(bots_turn(slug, owner), owner)
        assert not asks_on(self.unchanged(game, browser))

    def test_another_person_is_to_move(self, owner, other, slug, browser):
        game = bots_turn(slug, owner)
        game.seats.filter(index=turn(game)).update(user=other, bot="", name="")
        assert not asks_on(self.unchanged(game, browser))

    @pytest.mark.parametrize("version", ["", "x", "-1", "٣", "1" * 10])
    def test_no_version_is_a_fault_of_the_page(self, owner, slug, browser, version):
        game = bots_turn(slug, owner)
        before = stored()
        assert browser.send(table(game, "advance"), version=version).status_code == 400
        assert stored() == before


class TestPace:
    @pytest.mark.parametrize("pace", PACES)
    def test_not_before_its_time(self, owner, slug, browser, pace):
        game = bots_turn(slug, owner, players=5, pace=pace)
        if PACES[pace]:
            before = stored()
            assert ask(game, owner) is None
            advance(browser, game)
            pass_time(game, PACES[pace] - 0.5)
            assert ask(game, owner) is None
            assert Game.objects.get(pk=game.pk).version == 0 and stored()["Move"] == before["Move"]
            pass_time(game, 0.5)
        assert ask(game, owner) is not None
        assert Game.objects.get(pk=game.pk).version == 1

    def test_a_click_is_its_own_pace(self, owner, slug, browser):
        game = bots_turn(slug, owner, players=5, pace="slow")
        response = advance(browser, game, htmx=False)
        assert response.status_code == 302
        assert Game.objects.get(pk=game.pk).version == 1, "one click, one move"

    def test_slow_and_normal_make_one_move_at_a_time(self, owner, slug, browser):
        for pace in ("slow", "normal"):
            game = bots_turn(slug, owner, players=5, pace=pace)
            pass_time(game, 3)
            advance(browser, game)
            assert assert_whole(game).version == 1

    def test_instant_goes_on_to_the_end_of_the_trick_or_a_person(self, owner, slug, browser):
        stops = set()
        for number in range(12):
            game = new_table(slug, owner, players=5, seed=f"{number:064x}")
            while turn(game):
                before = game.version
                response = advance(browser, game)
                game = assert_whole(game)
                assert game.version > before
                reports = [
                    "winner" in move.report
                    for move in game.moves.filter(version__gt=before).order_by("version")
                ]
                assert not any(reports[:-1])
                assert reports[-1] or turn(game) == 0
                assert asks_on(response.content.decode()) == (turn(game) != 0)
                stops.add("winner" if reports[-1] else "person")
                if game.version > 30:
                    break
        assert "person" in stops

    def test_the_waits_of_a_page(self, owner, slug):
        game = bots_turn(slug, owner, players=3)

        def wait(**more) -> int:
            game.refresh_from_db()
            seated = services.take_seat(user=owner, slug=slug, game_id=game.pk)
            shown = tables.table(seated, **more)
            assert shown.advance
            return shown.wait

        plain = [tables.Entry(1, 1, "", {"do": "play"})]
        ended = [tables.Entry(2, 1, "", {"do": "play", "winner": 2}), *plain]
        for pace, seconds in PACES.items():
            services.set_pace(user=owner, slug=slug, game_id=game.pk, pace=pace)
            assert wait() == wait(log=[]) == wait(log=plain) == 1000 * seconds
            # Who took a trick is to be seen at an instant pace, too.
            assert wait(log=ended) == max(2500 * seconds, 800)
        Game.objects.update(lease=timezone.now() + timedelta(seconds=5))
        assert wait() == tables.BUSY, "somebody thinks: no use to ask at once"
        Game.objects.update(lease=timezone.now() - timedelta(seconds=5))
        assert wait() == 0
        Game.objects.update(lease=timezone.now() + timedelta(hours=1))
        assert wait() == 0, "the clock was set back"

    @pytest.mark.parametrize("pace", PACES)
    def test_a_clock_that_was_set_back(self, owner, slug, pace):
        game = bots_turn(slug, owner, players=5, pace=pace)
        pass_time(game, -3600)
        assert ask(game, owner) is not None

    def test_is_chosen_at_the_table(self, owner, slug, browser):
        game = bots_turn(slug, owner)
        updated = game.updated
        for pace in PACES:
            response = browser.send(table(game, "pace"), htmx=True, pace=pace, version=0)
            assert response.status_code == 200
            fragment_of(response)
            response = browser.send(table(game, "pace"), pace=pace)
            assert response.status_code == 302 and response["Location"] == table(game)
            game.refresh_from_db()
            assert (game.pace, game.version, game.updated) == (pace, 0, updated)

    @pytest.mark.parametrize("pace", ["", "fast", "\0", "instant ", "x" * 5000])
    def test_what_is_no_pace(self, owner, slug, browser, pace):
        game = bots_turn(slug, owner)
        before = stored()
        for htmx in (False, True):
            response = browser.send(table(game, "pace"), htmx=htmx, pace=pace)
            assert response.status_code == 400
            assert "slowly, normally or instantly" in response.content.decode()
        assert stored() == before


class TestForced:
    """A move without a choice: the game says which, and the table makes it."""

    @pytest.fixture(autouse=True)
    def all_are(self, monkeypatch, slug):
        """At this table no move is a choice, so that any position is one."""
        kind = replace(registry.get(slug), automatic=lambda legal: True)
        monkeypatch.setitem(registry._kinds, slug, kind)

    def test_costs_no_click_and_the_time_of_any_other(self, owner, slug, browser):
        game = until_mine_to_move(slug, owner, pace="normal")
        first, version = legal_texts(game)[0], game.version
        html = browser.look(table(game)).content.decode()
        assert asks_on(html)
        assert ask(game, owner) is None, "too early"
        pass_time(game, 1)
        played = ask(game, owner)
        [move] = played.moves
        assert (move.seat, move.text, move.version) == (0, first, version + 1)
        assert_whole(game)

    def test_no_bot_is_asked(self, owner, slug, bot):
        game = until_mine_to_move(slug, owner)
        kind = registry.get(slug)
        bot(lambda *arguments: pytest.fail("a bot was asked for a person"))
        assert registry.get(slug).automatic is kind.automatic
        assert ask(game, owner) is not None

    def test_is_the_business_of_that_person_alone(self, owner, other, slug):
        """Whether another one has a choice would tell what the hand holds."""
        game = bots_turn(slug, owner)
        mover = turn(game)
        game.seats.filter(index=mover).update(user=other, bot="", name="")
        assert ask(game, owner) is None
        assert not asks_on(Browser(owner).look(table(game)).content.decode())
        assert asks_on(Browser(other).look(table(game)).content.decode())
        assert ask(game, other).moves[0].seat == mover

    def test_among_others_it_takes_as_long_as_a_thought(self, owner, other, slug, monkeypatch):
        monkeypatch.setattr(services, "SHORTEST_PASS", 1.5)
        monkeypatch.setattr(services, "LONGEST_PASS", 6.0)
        pauses = set()
        for _game in range(20):
            game = bots_turn(slug, owner)
            mover = turn(game)
            game.seats.filter(index=mover).update(user=other, bot="", name="")
            seated = services.take_seat(user=other, slug=slug, game_id=game.pk)
            assert seated.pause == services.take_seat(user=other, slug=slug, game_id=game.pk).pause
            assert 1.5 <= seated.pause <= 6.0
            pauses.add(seated.pause)
            assert ask(game, other) is None
            Game.objects.filter(pk=game.pk).update(
                updated=timezone.now() - timedelta(seconds=seated.pause)
            )
            assert ask(game, other).moves[0].seat == mover
            # With bots alone there is nobody to hide it from.
            game.seats.filter(user=owner).update(user=None, bot="easy", name="Bot")
            assert services.take_seat(user=other, slug=slug, game_id=game.pk).pause == 0
        assert len(pauses) == 20

    def test_may_be_made_by_hand_too(self, owner, slug):
        game = until_mine_to_move(slug, owner)
        texts = some_move(game, Random(3))
        services.submit_moves(
            user=owner, slug=slug, game_id=game.pk, version=game.version, texts=texts
        )
        assert_whole(game)


def until_mine_to_move(slug: str, user: User, **more) -> Game:
    """A table at which the first seat leads."""
    for number in range(100):
        game = new_table(slug, user, seed=f"{number:064x}", **more)
        if turn(game) == 0:
            return game
    raise AssertionError


class TestTimeOfAThought:
    """It is the same for every move, so that it does not tell what a hand holds."""

    @pytest.fixture
    def clock(self, monkeypatch) -> Clock:
        clock = Clock()
        monkeypatch.setattr(services, "THOUGHT", 0.03)
        monkeypatch.setattr(services, "monotonic", clock.read)
        monkeypatch.setattr(services, "sleep", clock.sleep)
        return clock

    @pytest.mark.parametrize("thought", [0, 0.0001, 0.02, 0.03])
    def test_however_long_a_bot_thinks(self, owner, slug, bot, clock, thought):
        def thinks(level, view, legal, chance):
            clock.sleep(thought)
            return legal[:1]

        game = bots_turn(slug, owner)
        bot(thinks)
        assert ask(game, owner) is not None
        assert clock.passed == pytest.approx(0.03)

    def test_when_a_bot_fails(self, owner, slug, bot, clock):
        game = bots_turn(slug, owner)
        bot(lambda *arguments: ["nonsense"])
        assert ask(game, owner) is not None
        assert clock.passed == pytest.approx(0.03)

    def test_a_longer_thought_is_not_cut_off(self, owner, slug, bot, clock):
        def thinks(level, view, legal, chance):
            clock.sleep(0.2)
            return legal[:1]

        game = bots_turn(slug, owner)
        bot(thinks)
        assert ask(game, owner) is not None
        assert clock.passed == pytest.approx(0.2)

    def test_each_of_several_moves_in_one_answer(self, owner, slug, browser, clock):
        game = bots_turn(slug, owner, players=5)
        advance(browser, game)
        game.refresh_from_db()
        assert clock.passed == pytest.approx(0.03 * game.version)

    @pytest.mark.parametrize("slug", ["ochs-esel"])
    @pytest.mark.parametrize(
        ("hand", "passes"),
        [("1 2 3", "has to"), ("3 13 J", "wants to"), ("3 4 12", "wants to")],
    )
    @pytest.mark.parametrize("seat", ["a bot's", "a person's"])
    def test_a_pass_with_and_without_a_choice(
        self, owner, slug, bot, monkeypatch, hand, passes, seat
    ):
        """By a true clock: nobody who passes is quicker than the fixed time."""
        game = topping(owner, hand, 1 if seat == "a bot's" else 0)
        assert (legal_texts(game) == ["pass"]) == (passes == "has to")
        if seat == "a person's" and passes == "wants to":
            assert ask(game, owner) is None, "a person who may choose does it without help"
            return
        bot(lambda *arguments: ["pass"])
        monkeypatch.setattr(services, "THOUGHT", 0.05)
        begun = monotonic()
        [move] = ask(game, owner).moves
        assert move.text == "pass"
        assert monotonic() - begun >= 0.05


class TestDamage:
    """What is stored of a game cannot be read, or no move comes of it: a sentence says so."""

    def check(self, game: Game, browser: Browser, caplog) -> None:
        before = stored()
        for htmx in (True, False):
            caplog.clear()
            response = advance(browser, game, htmx=htmx)
            assert response.status_code == 409
            page = page_of(response)
            assert "This game is damaged" in page.words and "Nothing has changed" in page.words
            assert response.has_header("HX-Retarget") == htmx
            assert stored() == before
            told = [entry for entry in caplog.records if f"game {game.pk} " in entry.getMessage()]
            assert told and told[-1].levelno == logging.ERROR and told[-1].exc_info
            assert game.seed not in caplog.text

    @pytest.mark.parametrize("position", [{}, [], "x", {"hands": [["Q9"]]}])
    def test_of_the_whole_position(self, owner, slug, browser, caplog, position):
        game = bots_turn(slug, owner)
        Game.objects.filter(pk=game.pk).update(state=position)
        self.check(game, browser, caplog)
        assert browser.look(table(game)).status_code == 409
        assert browser.look("/").status_code == 200

    def test_of_a_part_of_it(self, owner, slug, browser, caplog):
        game = bots_turn(slug, owner)
        for name in game.state:
            for wrong in (None, 99, "x", {}):
                Game.objects.filter(pk=game.pk).update(state={**game.state, name: wrong})
                before = stored()
                response = advance(browser, game)
                assert response.status_code in (200, 409), (name, wrong)
                if response.status_code == 409:
                    assert stored() == before

    @pytest.mark.parametrize("slug", ["trick"])
    def test_of_which_no_move_comes(self, owner, slug, browser, caplog):
        game = bots_turn(slug, owner)
        Game.objects.filter(pk=game.pk).update(state={**game.state, "phase": "x"})
        self.check(game, browser, caplog)


class TestBotsThatFail:
    def failing(self, game: Game, owner: User, caplog) -> None:
        """The bot's move comes all the same, the fault is logged, and no hand is in the log."""
        legal = legal_texts(game)
        with caplog.at_level(logging.ERROR):
            played = ask(game, owner)
        assert played.moves[0].text == legal[0]
        game = assert_whole(game)
        assert game.lease is None and game.ply == len(played.moves)
        [entry] = caplog.records
        assert entry.levelno == logging.ERROR and entry.exc_info
        assert game.slug in entry.getMessage()
        assert game.seed not in caplog.text

    @pytest.mark.parametrize(
        "answer",
        [
            [],
            None,
            "",
            "nonsense",
            ["nonsense"],
            [""],
            [None],
            [7],
            [["play R1"]],
            ["play " + "R1 " * 200],
            7,
            {},
            len,
        ],
        ids=repr,
    )
    def test_nonsense(self, owner, slug, bot, caplog, answer):
        game = bots_turn(slug, owner)
        bot(lambda *arguments: answer)
        self.failing(game, owner, caplog)

    @pytest.mark.parametrize("error", [ValueError, KeyError, RecursionError, MemoryError])
    def test_errors(self, owner, slug, bot, caplog, error):
        def fails(*arguments):
            raise error

        game = bots_turn(slug, owner)
        bot(fails)
        self.failing(game, owner, caplog)

    def test_moves_that_are_not_legal(self, owner, slug, bot, caplog):
        game = bots_turn(slug, owner)
        # A card that somebody else holds, and nobody plays twice.
        hand = game.state["hands"][0]
        bot(lambda level, view, legal, chance: [f"play {hand[0]}"])
        if f"play {hand[0]}" in legal_texts(game):
            bot(lambda level, view, legal, chance: ["play R99"])
        self.failing(game, owner, caplog)

    def test_more_moves_than_go_together(self, owner, slug, bot, caplog):
        game = bots_turn(slug, owner)
        bot(lambda level, view, legal, chance: legal[:2])
        self.failing(game, owner, caplog)

    def test_a_level_that_is_no_more(self, owner, slug, caplog):
        game = bots_turn(slug, owner)
        game.seats.filter(user=None).update(bot="legendary")
        self.failing(game, owner, caplog)

    def test_what_was_played_of_a_hand_is_changed_by_nobody(self, owner, slug, bot):
        def spoils(level, view, legal, chance):
            move = legal[0]
            view.clear()
            legal.clear()
            return [move]

        game = bots_turn(slug, owner)
        first = legal_texts(game)[0]
        bot(spoils)
        assert ask(game, owner).moves[0].text == first
        assert_whole(game)

    def test_a_whole_game_is_played_to_its_end(self, owner, slug, bot, caplog):
        bot(lambda *arguments: ["nonsense"])
        game = new_table(slug, owner)
        random = Random(4)
        while not until_mine(game, owner).is_over:
            game.refresh_from_db()
            services.submit_moves(
                user=owner,
                slug=slug,
                game_id=game.pk,
                version=game.version,
                texts=some_move(game, random),
            )
        game = assert_whole(game)
        assert game.is_over and len(caplog.records) > 5

    def test_discards_that_go_together_come_together(self, owner, caplog):
        """A bot that fails where several cards are owed: so many go, one after the other."""
        kind = registry.get("trick")
        failing = replace(kind, bot=lambda *arguments: ["discard"])
        seen = 0
        for number in range(10):
            game = new_table("trick", owner, players=5, seed=f"{number:064x}")
            for _ in range(60):
                game.refresh_from_db()
                state = game.load()
                if game.is_over:
                    break
                owed = game.state["owed"]
                if game.state["phase"] == "discard":
                    legal = legal_texts(game)
                    texts = bots.choose(failing, state, "easy")
                    assert texts == legal[:owed]
                    seen += owed > 1
                seat = turn(game)
                if seat == 0:
                    services.submit_moves(
                        user=owner,
                        slug="trick",
                        game_id=game.pk,
                        version=game.version,
                        texts=some_move(game, Random(number)),
                    )
                else:
                    ask(game, owner)
        assert seen > 3


class TestThoughtsThatComeTooLate:
    """What was thought of one position is never played in another."""

    def test_the_table_has_moved_on(self, owner, slug, bot):
        kind = registry.get(slug)
        game = bots_turn(slug, owner, players=4)
        thought = []

        def slow(level, view, legal, chance):
            if not thought:
                thought.append(legal[-1])
                # Meanwhile the lease runs out, and another request makes the move.
                Game.objects.update(lease=timezone.now() - timedelta(seconds=1))
                bot(kind.bot)
                assert ask(game, owner) is not None
                bot(slow)
            return legal[-1:]

        bot(slow)
        assert ask(game, owner) is None
        assert thought
        game = assert_whole(game)
        assert game.version == 1 and game.lease is None

    def test_the_player_left_meanwhile(self, owner, slug, bot):
        game = bots_turn(slug, owner)

        def slow(level, view, legal, chance):
            finish(game, owner)
            return legal[:1]

        bot(slow)
        assert ask(game, owner) is None
        game = assert_whole(game)
        assert game.is_over and game.ply == 0

    def test_the_page_shows_what_came_instead(self, owner, slug, bot, browser):
        game = bots_turn(slug, owner)

        def slow(level, view, legal, chance):
            finish(game, owner)
            return legal[:1]

        bot(slow)
        response = advance(browser, game)
        assert response.status_code == 200
        assert not asks_on(response.content.decode())

    def test_a_lease_keeps_others_from_the_same_thought(self, owner, slug, bot, browser):
        game = bots_turn(slug, owner)
        asked = []

        def slow(level, view, legal, chance):
            asked.append(legal)
            assert ask(game, owner) is None, "one thinks already"
            response = advance(browser, game)
            assert response.status_code == 200 and asks_on(response.content.decode())
            return legal[:1]

        bot(slow)
        assert ask(game, owner) is not None
        assert len(asked) == 1 and assert_whole(game).version == 1

    def test_a_lease_runs_out(self, owner, slug):
        game = bots_turn(slug, owner)
        Game.objects.update(lease=timezone.now() + services.LEASE)
        assert ask(game, owner) is None
        Game.objects.update(lease=timezone.now())
        assert ask(game, owner) is not None
        assert assert_whole(game).lease is None

    def test_a_lease_from_before_the_clock_was_set_back(self, owner, slug):
        game = bots_turn(slug, owner)
        Game.objects.update(lease=timezone.now() + timedelta(hours=1))
        assert ask(game, owner) is not None
        assert assert_whole(game).lease is None

    def test_thinking_is_no_transaction(self, owner, slug, bot, django_db_blocker):
        from django.db import connection

        depth = []
        outside = len(connection.savepoint_ids)
        game = bots_turn(slug, owner)

        def looks(level, view, legal, chance):
            depth.append(len(connection.savepoint_ids))
            return legal[:1]

        bot(looks)
        assert ask(game, owner) is not None
        assert depth == [outside]


class TestWho:
    def test_nobody_else(self, owner, slug, other):
        game = bots_turn(slug, owner)
        before = stored()
        for user in (None, other, User.objects.create_superuser("root")):
            for what in ("advance", "pace"):
                response = Browser(user).send(table(game, what), version=0, pace="slow")
                assert response.status_code == 403
                page_of(response)
        assert stored()["Move"] == before["Move"] and stored()["Game"] == before["Game"]

    def test_a_suspended_player_may_look(self, owner, slug, browser):
        game = bots_turn(slug, owner)
        User.objects.filter(pk=owner.pk).update(suspended=timezone.now())
        before = stored()
        for what in ("advance", "pace"):
            assert browser.send(table(game, what), version=0, pace="slow").status_code == 403
        assert stored() == before
        page = browser.look(table(game))
        # … without being shown the door a moment later, because the page has asked for a move.
        assert page.status_code == 200 and not asks_on(page.content.decode())
        assert not page_of(page).all("input", name="pace")

    def test_others_at_the_table_may(self, owner, other, slug):
        game = bots_turn(slug, owner, players=5)
        seat = next(seat for seat in range(1, 5) if seat != turn(game))
        game.seats.filter(index=seat).update(user=other, bot="", name="")
        played = ask(game, other)
        assert played.seated.seat == seat and rows(game) == [played.moves[0].seat]
        assert played.seated.view["hand"] == game.rules.view(played.seated.state, seat)["hand"]

    @pytest.mark.parametrize("slug", ["laws", "market"])
    def test_not_at_a_solitaire(self, owner, slug, browser):
        game = new_game(slug, owner)
        before = stored()
        for what in ("advance", "pace"):
            response = browser.send(table(game, what), version=0, pace="slow")
            assert response.status_code == 404
            assert "alone" in page_of(response).words
        assert stored() == before
