"""What people say and do at a table beside the cards, and whom they do not want to read."""

import re

import pytest

from ouroboros_site.accounts import rates
from ouroboros_site.accounts.models import User
from ouroboros_site.play import company, seating, services
from ouroboros_site.play.models import Game, Seat, SeatChange
from ouroboros_site.play.phrases import PHRASES

from .helpers import Browser, Page, fragment_of, page_of, table
from .met import here, look, met, stamp_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob(db) -> User:
    return User.objects.create_user("Bob")


@pytest.fixture
def game(ada, bob) -> Game:
    return met("trick", ada, bob, players=3)


def lines(html: str) -> list[str]:
    """What a page shows as said, the newest first."""
    [found] = re.findall(
        r'<ol (?:class="lines"|hx-swap-oob="innerHTML:#lines").*?</ol>', html, re.S
    )
    return [" ".join(Page(line).words.split()) for line in re.findall(r"<li>.*?</li>", found, re.S)]


def heard(html: str) -> str:
    """What an answer has for the live region."""
    return " ".join(re.findall(r'innerHTML:#heard">(.*?)</div>', html, re.S))


class TestSay:
    def test_every_phrase_has_a_button(self, ada, game):
        page = page_of(Browser(ada).look(table(game)))
        buttons = page.all("button", name="phrase")
        assert [button["value"] for button in buttons] == list(PHRASES)
        assert all(str(text) in page.words for text in PHRASES.values())

    def test_a_plain_form_leads_back_to_the_table(self, ada, bob, game):
        response = Browser(ada).send(table(game, "say"), phrase="hello")
        assert (response.status_code, response["Location"]) == (302, table(game))
        assert lines(look(Browser(ada), game))[0] == "You : Hello!"
        assert lines(look(Browser(bob), game))[0] == "Ada : Hello!"

    def test_the_answer_is_what_was_said_and_no_table(self, ada, game):
        response = Browser(ada).send(table(game, "say"), htmx=True, phrase="snake")
        html = response.content.decode()
        assert response["HX-Reswap"] == "none" and 'id="table"' not in html
        assert lines(html)[0] == "You : 🐍"

    def test_the_others_hear_it_and_the_speaker_does_not(self, ada, bob, game):
        stamps = {user: stamp_of(look(Browser(user), game)) for user in (ada, bob)}
        Browser(ada).send(table(game, "say"), phrase="well-played")
        for user, words in ((bob, "Well played"), (ada, "")):
            html = here(Browser(user), game, stamp=stamps[user]).content.decode()
            assert words in heard(html) and bool(heard(html)) == bool(words)
            assert here(Browser(user), game, stamp=stamp_of(html)).status_code == 204

    def test_nothing_else_can_be_said(self, ada, game):
        response = Browser(ada).send(table(game, "say"), htmx=True, phrase="<b>no</b>")
        assert response.status_code == 400
        assert "There is no such phrase." in fragment_of(response).words
        assert "<b>no</b>" not in look(Browser(ada), game)

    def test_too_much_is_refused_on_the_table(self, ada, game, monkeypatch):
        monkeypatch.setattr(rates, "hit", lambda *key: 30)
        response = Browser(ada).send(table(game, "say"), htmx=True, phrase="hello")
        assert response.status_code == 429
        assert "Wait a moment" in fragment_of(response).words

    def test_it_does_not_disturb_a_move(self, ada, bob, game):
        version = game.version
        Browser(bob).send(table(game, "say"), phrase="hello")
        game.refresh_from_db()
        assert game.version == version


class TestMute:
    def test_is_for_oneself_and_can_be_taken_back(self, ada, bob, game):
        seating.say(user=bob, slug=game.slug, game_id=game.pk, phrase="hello")
        browser = Browser(ada)
        before = stamp_of(look(browser, game))
        html = browser.send(table(game, "mute"), htmx=True, mute="1").content.decode()
        assert "Bob : Hello!" not in lines(html) and 'name="unmute" value="1"' in html
        seating.say(user=bob, slug=game.slug, game_id=game.pk, phrase="oops")
        html = here(browser, game, stamp=before).content.decode()
        assert "Oops" not in html and not heard(html)
        assert "Bob : Oops" not in lines(look(browser, game))
        assert "You : Oops" in lines(look(Browser(bob), game))
        browser.send(table(game, "mute"), unmute="1")
        assert lines(look(browser, game))[:2] == ["Bob : Oops", "Bob : Hello!"]

    def test_what_happens_to_them_is_told_all_the_same(self, ada, bob, game):
        seating.mute(user=ada, slug=game.slug, game_id=game.pk, index=1, muted=True)
        seating.leave(user=bob, slug=game.slug, game_id=game.pk)
        assert lines(look(Browser(ada), game))[0] == "Bob has left: a bot plays on."

    @pytest.mark.parametrize("fields", [{}, {"mute": "0"}, {"mute": "3"}, {"unmute": "x"}])
    def test_nobody_else_is_no_seat(self, ada, game, fields):
        response = Browser(ada).send(table(game, "mute"), htmx=True, **fields)
        assert response.status_code == 400
        assert not Seat.objects.get(game=game, index=0).muted


class TestWords:
    def test_whatever_can_happen_has_words(self):
        told = {what.value for what in SeatChange.What} | {"started", "rematch"}
        assert told == company.EVENTS.keys()

    def test_what_happened_is_told_to_each_in_their_own_words(self, ada, bob, game):
        seating.leave(user=ada, slug=game.slug, game_id=game.pk)
        seating.come_back(user=ada, slug=game.slug, game_id=game.pk)
        assert lines(look(Browser(bob), game))[:2] == [
            "Ada is back.",
            "Ada has left: a bot plays on.",
        ]
        assert lines(look(Browser(ada), game))[:2] == [
            "You are back.",
            "You left: a bot plays for you.",
        ]

    def test_guests_are_called_as_they_said(self, ada, other):
        game = met("trick", ada, other, players=3)
        seating.say(user=other, slug=game.slug, game_id=game.pk, phrase="hello")
        html = look(Browser(ada), game)
        assert lines(html)[0] == "Guest-1 : Hello!"
        assert html.count("Guest-1") > 3

    def test_a_phrase_that_is_no_more_is_left_out(self, ada, game):
        game.talk = [{"n": 1, "seat": 1, "phrase": "of old"}, {"n": 2, "seat": 1, "what": "new"}]
        game.save()
        assert lines(look(Browser(ada), game)) == []

    def test_who_has_left_the_site_is_somebody(self, ada, bob, game):
        seating.leave(user=bob, slug=game.slug, game_id=game.pk)
        seating.give_up(game_id=game.pk, index=1, what=SeatChange.What.LEFT)
        assert "Bob" not in look(Browser(ada), game)


def test_nobody_talks_at_a_table_of_bots(ada):
    game, _user = services.start_game(user=ada, slug="trick")
    page = page_of(Browser(ada).look(table(game)))
    assert not page.all("button", name="phrase") and not page.all("div", id="heard")
