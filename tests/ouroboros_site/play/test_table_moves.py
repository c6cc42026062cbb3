"""Moves at a table of several seats: forms from before, cards of others, and leaving the table."""

from random import Random

import pytest

from ouroboros_site.play import registry, services
from ouroboros_site.play.models import Game

from .helpers import (
    Browser,
    assert_whole,
    finish,
    fragment_of,
    page_of,
    standing,
    stored,
    submit,
    table,
)
from .shared import (
    advance,
    each_table,
    legal_texts,
    new_table,
    play_on,
    sit,
    some_move,
    turn,
    until_mine,
)

pytestmark = pytest.mark.django_db
slug = each_table


@pytest.fixture
def game(owner, slug) -> Game:
    """A table at which its person is to move."""
    for number in range(1, 50):
        game = until_mine(new_table(slug, owner, players=4, seed=f"{number:064x}"), owner)
        if not game.is_over and len(legal_texts(game)) > 1:
            return game
    raise AssertionError


@pytest.fixture
def discarding(owner) -> Game:
    """A game of Trick whose person owes at least three cards and has more than those."""
    for number in range(1, 300):
        game = new_table("trick", owner, players=4, seed=f"{number:064x}")
        found = play_on(
            game, Random(number), lambda at: at["phase"] == "discard" and at["owed"] > 2
        )
        if found:
            sit(game, owner, turn(game))
            return game
        game.delete()
    raise AssertionError


def refused(browser: Browser, game: Game, status: int, sentence: str, **fields) -> None:
    """Assert that a form is refused with this sentence, and that nothing has changed."""
    before = stored()
    fields.setdefault("version", Game.objects.get(pk=game.pk).version)
    for htmx in (True, False):
        response = browser.send(table(game, "move"), htmx=htmx, **fields)
        assert response.status_code == status, response.content.decode()
        page = fragment_of(response) if htmx else page_of(response)
        assert sentence in page.words, page.words
        assert stored() == before


class TestForms:
    def test_of_an_earlier_trick(self, owner, slug, game, browser):
        old, texts = game.version, some_move(game, Random(1))
        submit(game, owner, *texts)
        refused(browser, game, 409, "had moved on", version=old, text=texts[0])
        game = until_mine(game, owner)
        refused(browser, game, 409, "had moved on", version=old, text=legal_texts(game)[0])

    def test_while_a_bot_is_to_move(self, owner, slug, game, browser):
        while turn(game) == 0:  # who takes the trick leads the next one, too
            texts = some_move(game, Random(1))
            submit(game, owner, *texts)
            game.refresh_from_db()
        assert not game.is_over
        refused(browser, game, 409, "It is not your turn.", text=texts[-1])
        # A move that the bot could make, sent by the person, is not made for it.
        refused(browser, game, 409, "It is not your turn.", text=legal_texts(game)[0])

    def test_again(self, owner, slug, game, browser):
        fields = {"version": game.version, "text": legal_texts(game)[0]}
        assert browser.send(table(game, "move"), **fields).status_code == 302
        refused(browser, game, 409, "had moved on", **fields)

    def test_of_a_game_that_is_over(self, owner, slug, game, browser):
        text = legal_texts(game)[0]
        finish(game, owner)
        refused(browser, game, 409, "This game is over.", text=text)
        # It stands where it is seen, and is not only read aloud.
        response = browser.send(table(game, "move"), htmx=True, version=game.version, text=text)
        html = response.content.decode()
        assert "This game is over." in html[html.index('class="over"') :].split("</section>")[0]

    def test_nonsense(self, owner, slug, game, browser):
        for text in ("x", "play", "play Q9", "discard", "PLAY!", "pass the salt", "x" * 200):
            before = stored()
            response = browser.send(table(game, "move"), version=game.version, text=text)
            assert response.status_code == 400
            page_of(response)
            assert stored() == before
        assert browser.send(table(game, "move"), version=game.version).status_code == 400

    def test_another_seat_s_card(self, owner, slug, game, browser):
        mine = set(game.state["hands"][0])
        theirs = [card for hand in game.state["hands"][1:] for card in hand if card not in mine]
        before = stored()
        for card in theirs[:5]:
            response = browser.send(
                table(game, "move"), htmx=True, version=game.version, text=f"play {card}"
            )
            assert response.status_code == 400
            # The same words whoever holds it, or nobody.
            assert fragment_of(response)
        assert stored() == before

    def test_two_moves_in_one_form(self, owner, game):
        before = stored()
        with pytest.raises(services.Refused) as caught:
            submit(game, owner, *legal_texts(game)[:2])
        assert (caught.value.status, caught.value.code) == (400, "together")
        assert stored() == before


class TestDiscards:
    def send(self, browser: Browser, game: Game, cards: list[str], status: int, words: str) -> None:
        refused(browser, game, status, words, action="discard", card=cards)

    def test_the_wrong_number(self, discarding, browser):
        hand, owed = discarding.state["hands"][turn(discarding)], discarding.state["owed"]
        for number in {1, owed - 1, owed + 1, len(hand)} - {owed}:
            words = f"Choose exactly {owed} cards to discard: you chose {number}."
            self.send(browser, discarding, hand[:number], 400, words)
        self.send(browser, discarding, [], 400, "Choose the cards to discard")

    def test_the_same_card_twice(self, discarding, browser):
        hand, owed = discarding.state["hands"][turn(discarding)], discarding.state["owed"]
        words = "The same card cannot be discarded twice."
        self.send(browser, discarding, [*hand[: owed - 1], hand[0]], 400, words)

    def test_another_seat_s_card(self, discarding, browser):
        mover, owed = turn(discarding), discarding.state["owed"]
        hand = discarding.state["hands"][mover]
        [other] = [discarding.state["hands"][mover - 1][0]]
        for place in (0, owed - 1):
            cards = hand[: owed - 1]
            cards.insert(place, other)
            self.send(browser, discarding, cards, 400, "You do not hold")

    def test_a_play_instead(self, discarding, browser):
        hand = discarding.state["hands"][turn(discarding)]
        refused(browser, discarding, 400, "hoose exactly", action="play", card=hand[:1])

    def test_all_of_them_together(self, owner, discarding, browser):
        mover, owed = turn(discarding), discarding.state["owed"]
        hand = discarding.state["hands"][mover]
        cards, version = hand[-owed:], discarding.version
        response = browser.send(
            table(discarding, "move"), htmx=True, version=version, action="discard", card=cards
        )
        assert response.status_code == 200
        fragment_of(response)
        game = Game.objects.get(pk=discarding.pk)
        assert game.version == version + owed and game.ply == discarding.ply + owed
        assert standing(game)[-owed:] == [f"discard {card}" for card in cards]
        assert game.state["owed"] == 0 and game.state["discard"][-owed:] == cards
        # The same form again: the trick is paid for.
        refused(browser, game, 409, "had moved on", version=version, action="discard", card=cards)

    def test_by_someone_who_owes_nothing(self, owner, discarding, browser):
        mover, owed = turn(discarding), discarding.state["owed"]
        other = (mover + 1) % 4
        sit(discarding, owner, other)
        for hand in (discarding.state["hands"][mover], discarding.state["hands"][other]):
            self.send(browser, discarding, hand[:owed], 409, "It is not your turn.")


class TestNoUndo:
    @pytest.mark.parametrize("ranked", [True, False], ids=["ranked", "practice"])
    def test_with_others_at_the_table(self, owner, slug, browser, ranked):
        game = new_table(slug, owner, players=4, ranked=ranked)
        play_on(game, Random(1), lambda at: False, most=3)
        before = stored()
        for what in ("undo", "redo"):
            response = browser.send(table(game, what), version=game.version)
            assert response.status_code == 409
            words = page_of(response).words
            assert ("has no undo" if ranked else "no move is taken back") in words
        assert stored() == before
        page = page_of(browser.look(table(game)))
        assert not page.all("button", id="undo")


class TestLeaving:
    def test_ends_the_game_and_nobody_has_won(self, owner, slug, game, browser):
        scores = list(game.rules.scores(game.load()))
        response = browser.send(table(game, "retire"), version=game.version)
        assert response.status_code == 302
        game = assert_whole(game)
        assert game.result == {"termination": "retired", "scores": scores, "winners": []}
        assert game.is_over and game.lease is None
        page_of(browser.look(table(game)))
        assert advance(browser, game).status_code == 200

    def test_while_a_bot_is_to_move(self, owner, slug):
        game = new_table(slug, owner, players=4)
        while turn(game) == 0:
            submit(game, owner, legal_texts(game)[0])
            game.refresh_from_db()
        assert finish(game, owner).result["winners"] == []


def test_winners_and_tallies_are_those_of_the_rules(owner, slug):
    """A whole game through the services: what is stored follows from the rules."""
    options = {"rounds": 2, "ox": True} if slug == "ochs-esel" else {}
    game = new_table(slug, owner, players=3, options=options)
    random = Random(8)
    while not until_mine(game, owner).is_over:
        game.refresh_from_db()
        submit(game, owner, *some_move(game, random))
    game = assert_whole(game)
    outcome = registry.get(slug).rules.outcome(game.load())
    assert game.result["winners"] == list(outcome.winners)
    told = [move.report["tally"] for move in game.moves.order_by("ply") if "tally" in move.report]
    assert game.tallies == told and len(told) == options.get("rounds", 0)
    seated = services.take_seat(user=owner, slug=slug, game_id=game.pk)
    assert seated.turn is None and not seated.by_itself


def test_a_solitaire_has_neither_winners_nor_tallies(owner):
    game, _user = services.start_game(user=owner, slug="laws")
    game = finish(game, owner)
    assert set(game.result) == {"termination", "scores"} and game.tallies == []
