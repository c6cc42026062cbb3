"""The admin of tables of several seats: who sits there, tallies, winners, every hand."""

import pytest

from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.engine.record import dumps
from ouroboros_site.leaderboards.models import Result
from ouroboros_site.play.models import Game

from ..staff import GAMES, act, numbers, page, reviewer, root, told
from .helpers import Browser, guest, new_game
from .played import played
from .shared import each_table, new_table

pytestmark = pytest.mark.django_db
slug = each_table


@pytest.fixture
def rey(db) -> Browser:
    return Browser(reviewer())


def change(game: Game) -> str:
    return f"{GAMES}{game.pk}/change/"


class TestList:
    def test_shows_people_by_name_and_counts_bots(self, ada, rey):
        played("trick", ada)
        both = played("ochs-esel", guest(), players=4)
        both.seats.filter(index=3).update(user=ada, bot="", name="")
        words = page(rey.look(GAMES)).words
        assert "Ada, 2 bots" in words and "Guest, Ada, 2 bots" in words
        assert "Amara" not in words and "Basil" not in words

    def test_one_bot_is_one(self, ada, rey):
        game = played("trick", ada)
        game.seats.filter(index=2).update(user=User.objects.create_user("Bob"), bot="", name="")
        assert "Ada, Bob, 1 bot " in page(rey.look(GAMES)).words

    def test_filters(self, ada, rey):
        alone = new_game("laws", ada)
        bots = played("trick", ada)
        people = played("ochs-esel", ada)
        people.seats.filter(index=1).update(user=guest(), bot="", name="")
        left = played("trick", guest(), moves=5, left=True)
        for query, found in (
            ("table=alone", [alone]),
            ("table=bots", [bots, left]),
            ("table=people", [people]),
            ("table=nonsense", [alone, bots, people, left]),
            ("edition=trick", [bots, left]),
            ("status=retired", [left]),
            ("player=Ada", [alone, bots, people]),
        ):
            assert sorted(numbers(rey.look(f"{GAMES}?{query}"))) == [game.pk for game in found]


class TestPage:
    def test_shows_each_seat_person_or_bot_with_its_level(self, ada, rey, slug):
        game = played(slug, ada)
        words = page(rey.look(change(game))).words
        assert "Seat 0: Ada" in words
        assert "Seat 1: Basil (bot, Steady)" in words or "Seat 1: Basil (bot, steady)" in words
        assert "Seat 2: Chidi (bot, Easy)" in words or "Seat 2: Chidi (bot, easy)" in words

    def test_and_who_has_won(self, ada, rey, slug):
        game = played(slug, ada)
        words = page(rey.look(change(game))).words
        names = ["Ada", "Basil", "Chidi"]
        winners = [names[seat] for seat in game.result["winners"]]
        assert words.count("has won") == len(winners) > 0
        assert f"Winners: {', '.join(winners)}" in words

    def test_the_tally_with_totals(self, ada, rey):
        game = played("ochs-esel", ada)
        html = rey.look(change(game)).content.decode()
        tally = html[html.index('id="tally"') :]
        tally = tally[: tally.index("</fieldset>")]
        assert tally.count("<tr>") == 1 + len(game.tallies) + 1
        assert '<th scope="col">Ada (total)</th>' in tally
        for total in game.result["scores"]:
            assert f"<td>{total}</td>" in tally
        assert f"/games/{game.pk}/tally/" in page(rey.look(change(game))).links()
        assert 'id="tally"' not in rey.look(change(played("trick", ada))).content.decode()

    def test_only_those_who_may_look_people_up_get_the_way_to_them(self, ada, rey, slug):
        game = played(slug, ada)
        address = f"/admin/accounts/user/{ada.pk}/change/"
        assert address not in page(rey.look(change(game))).links()
        assert address in page(Browser(root()).look(change(game))).links()

    @pytest.mark.parametrize(
        "fields",
        [
            {"tallies": "none"},
            {"tallies": [{}]},
            {"tallies": [{"points": [1]}]},
            {"result": "lost"},
            {"result": {"winners": [77]}},
            {"result": {"winners": 7}},
            {"slug": "patience"},
        ],
    )
    def test_of_a_spoilt_game(self, ada, rey, fields):
        game = played("ochs-esel", ada)
        Game.objects.filter(pk=game.pk).update(**fields)
        for path in (GAMES, change(game), f"{GAMES}{game.pk}/log/", f"{GAMES}{game.pk}/hidden/"):
            page(rey.look(path))

    def test_of_a_deleted_account(self, ada, rey, slug):
        game = played(slug, ada)
        accounts.delete_account(ada)
        assert "Seat 0: nobody any more" in page(rey.look(change(game))).words

    def test_nothing_hidden_is_on_it(self, ada, rey, slug):
        game = new_table(slug, ada)
        for path in (GAMES, change(game), f"{GAMES}{game.pk}/log/"):
            html = rey.look(path).content.decode()
            assert game.seed not in html
            for place in game.kind.layout(game.load(), None):
                if place.hidden and len(place.cards) > 3:
                    assert " ".join(place.cards) not in html

    def test_results_cannot_be_reached(self, ada):
        played("trick", ada)
        browser = Browser(root())
        for name in ("result", "standing"):
            assert browser.look(f"/admin/leaderboards/{name}/").status_code == 404


class TestLog:
    def test_tells_each_move_with_its_seat_in_words(self, ada, rey, slug):
        game = played(slug, ada)
        words = page(rey.look(f"{GAMES}{game.pk}/log/")).words
        assert "Ada" in words and "Basil" in words and "Chidi" in words
        # An onlooker is none of them.
        assert "You " not in words


class TestHidden:
    def test_shows_every_hand(self, ada, rey, slug):
        game = new_table(slug, ada)
        words = page(rey.look(f"{GAMES}{game.pk}/hidden/")).words
        assert game.seed in words
        for hand in game.state["hands"]:
            assert " ".join(hand) in words
        # To an onlooker every hand is hidden.
        hands = [place for place in game.kind.layout(game.load(), None) if "Hand" in place.name]
        assert len(hands) == 3 and all(place.hidden for place in hands)

    def test_as_each_seat_sees_it(self, ada, rey, slug):
        game = new_table(slug, ada)
        at = f"{GAMES}{game.pk}/hidden/"
        marked = [rey.look(at).content.decode().count('class="kept"')]
        for seat in range(3):
            html = rey.look(f"{at}?seat={seat}").content.decode()
            marked.append(html.count('class="kept"'))
            assert {"?", *(f"?seat={other}" for other in range(3) if other != seat)} <= set(
                page(rey.look(f"{at}?seat={seat}")).links()
            )
        assert marked[1] == marked[2] == marked[3] < marked[0]
        assert rey.look(f"{at}?seat=3").status_code == 404

    def test_is_not_for_a_reviewer_who_sits_there(self, slug):
        judge = reviewer()
        game = new_table(slug, judge)
        browser = Browser(judge)
        assert browser.look(f"{GAMES}{game.pk}/hidden/").status_code == 403
        assert "/hidden/" not in browser.look(change(game)).content.decode()

    def test_of_a_position_that_cannot_be_read(self, ada, rey, slug):
        game = new_table(slug, ada)
        Game.objects.filter(pk=game.pk).update(state={"hands": 1})
        response = rey.look(f"{GAMES}{game.pk}/hidden/")
        assert "The stored position cannot be read" in page(response).words
        assert dumps({"hands": 1}).replace('"', "&quot;") in response.content.decode()


class TestVerify:
    def test_finds_what_disagrees(self, ada, rey, slug):
        game = played(slug, ada)
        assert "1 game was played again" in told(act(rey, GAMES, "verify", game.pk))
        Result.objects.update(rounds=9)
        words = told(act(rey, GAMES, "verify", game.pk))
        assert "The result of seat 0 has rounds 9" in words
