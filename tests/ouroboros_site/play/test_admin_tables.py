"""The admin of tables of several seats: who sits there, tallies, winners, every hand."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.engine.record import dumps
from ouroboros_site.leaderboards.models import Result
from ouroboros_site.play import admin as play_admin
from ouroboros_site.play import seating, services, verify
from ouroboros_site.play.models import Game, SeatChange
from ouroboros_site.play.registry import Setup

from ..staff import GAMES, act, logged, numbers, page, reviewer, root, staff, told
from .helpers import Browser, guest, new_game, stored, submit
from .played import played
from .shared import OPTIONS, each_table, legal_texts, new_table, turn

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


def open_table(slug: str, host: User, *others: User, fill: bool = False) -> Game:
    """A table of four with two open seats, at which others sit down; started if it is full."""
    setup = Setup(4, OPTIONS[slug][0], ("", "easy", ""), "instant", name="Hosty")
    game, _user = services.start_game(user=host, slug=slug, setup=setup)
    for number, user in enumerate(others):
        seating.sit_down(user=user, key=game.key, name=f"Guest-{number}")
    if fill:
        seating.fill(user=host, slug=slug, game_id=game.pk, level="easy")
    game.refresh_from_db()
    return game


class TestTablesOfPeople:
    def test_in_the_list(self, ada, rey):
        bob = User.objects.create_user("Bob")
        waiting = open_table("trick", ada)
        running = open_table("trick", ada, bob, guest())
        seating.leave(user=bob, slug="trick", game_id=running.pk)
        alone = open_table("ochs-esel", ada, fill=True)
        words = page(rey.look(GAMES)).words
        assert "Ada, 1 bot, 2 free" in words and "waits for people" in words
        # Who has left is still the person of the seat.
        assert "Ada, Bob, Guest-1, 1 bot" in words and "Ada, 3 bots" in words
        for query, found in (
            ("status=waiting", [waiting]),
            ("status=open", [running, alone]),
            ("table=people", [waiting, running]),
            ("table=bots", [alone]),
            ("player=Bob", [running]),
        ):
            assert sorted(numbers(rey.look(f"{GAMES}?{query}"))) == [game.pk for game in found]

    def test_more_of_them_cost_no_more_queries(self, ada, rey, slug):
        counts = []
        for _ in range(3):
            for number in range(3):
                open_table(slug, ada, *[guest() for _ in range(number)])
            with CaptureQueriesContext(connection) as queries:
                page(rey.look(GAMES))
            counts.append(len(queries))
        assert len(set(counts)) == 1, counts

    def test_the_page_of_one_that_waits(self, ada, rey, slug):
        words = page(rey.look(change(open_table(slug, ada)))).words
        assert "Seat 0: Ada, host, last seen 20" in words
        assert "Seat 1: free" in words and "Seat 3: free" in words
        assert "Seat 2: not named yet (bot, " in words
        assert "waits for people" in words

    def test_the_page_of_one_that_goes_on(self, ada, rey, slug):
        bob = User.objects.create_user("Bob")
        game = open_table(slug, ada, bob, guest())
        seating.leave(user=bob, slug=slug, game_id=game.pk)
        game.seats.filter(index=3).update(bot="easy")
        words = page(rey.look(change(game))).words
        assert "Seat 1: Bob, left at 20" in words and ", a bot plays (" in words
        assert "Seat 3: Guest-1, a bot plays at the moment (" in words
        assert "host" not in words.split("Players")[1].split("Replay")[0]

    def test_who_played_when(self, ada, rey, slug):
        bob = User.objects.create_user("Bob")
        game = open_table(slug, ada, bob)
        visitor = guest()
        seating.sit_down(user=visitor, key=game.key, name="Visitor")
        game.refresh_from_db()
        for _ in range(2):
            mover = game.seats.get(index=turn(game))
            if mover.user:
                submit(game, mover.user, legal_texts(game)[0])
            else:
                services.advance_game(
                    user=ada, slug=slug, game_id=game.pk, version=game.version, by_hand=True
                )
            game.refresh_from_db()
        seating.leave(user=bob, slug=slug, game_id=game.pk)
        seating.come_back(user=bob, slug=slug, game_id=game.pk)
        code = seating.offer(user=visitor, slug=slug, game_id=game.pk)
        seating.take_over(user=User.objects.create_user("Cleo"), code=code)
        words = page(rey.look(f"{GAMES}{game.pk}/log/")).words
        parts = [
            "Bob sat down",
            f"Guest #{visitor.pk} sat down",
            *list(game.moves.order_by("version").values_list("text", flat=True)),
            "Bob left, a bot plays",
            "Bob came back",
            f"Cleo took the seat over by a code, from Guest #{visitor.pk}",
        ]
        places = [words.index(part) for part in parts]
        assert places == sorted(places)
        assert "Page 1 of 1, 7 lines" in words

    def test_the_log_has_pages_of_both(self, ada, rey, slug, monkeypatch):
        monkeypatch.setattr(play_admin, "LOG", 3)
        game = played(slug, ada, moves=4)
        for version, what in enumerate((SeatChange.What.LATE, SeatChange.What.BACK), 5):
            SeatChange.objects.create(game=game, version=version, seat=0, what=what, user=ada)
        first = page(rey.look(f"{GAMES}{game.pk}/log/")).words
        last = page(rey.look(f"{GAMES}{game.pk}/log/?p=2")).words
        assert "ran out of time" not in first and "Page 1 of 2, 6 lines" in first
        assert "Ada ran out of time" in last and "Ada came back" in last
        assert last.index("Ada ran out") < last.index("Ada came back")


class TestEnding:
    """Reviewers end tables and take people off seats, for a reason that is kept."""

    def test_a_table_that_waits_is_gone(self, ada, rey, slug):
        game = open_table(slug, ada, guest())
        for where in (GAMES, change(game)):
            asked = act(rey, where, "close", game.pk)
            assert f"{game} (Ada, Guest-0, 1 bot, 1 free)" in page(asked).words
            assert Game.objects.filter(pk=game.pk).exists()
        done = act(rey, change(game), "close", game.pk, reason="Bad words.")
        assert done.status_code == 302 and done.headers["Location"] == GAMES
        assert not Game.objects.filter(pk=game.pk).exists()
        assert told(done) == f"{game} has ended."
        assert logged() == [("Rey", str(game), "Ended: Bad words.")]

    def test_a_running_one_ends_without_a_winner(self, ada, rey, slug):
        game = open_table(slug, ada, guest(), guest())
        act(rey, GAMES, "close", game.pk, reason="They cheat.")
        game.refresh_from_db()
        assert game.is_over and game.result["termination"] == "retired"
        assert Result.objects.filter(game=game, retired=True, won=False).count() == 3
        assert not verify.verify(game)
        assert logged() == [("Rey", str(game), "Ended: They cheat.")]

    def test_what_cannot_be_ended(self, ada, rey):
        alone, over = new_game("laws", ada), played("trick", ada)
        before = stored()
        answer = act(rey, GAMES, "close", alone.pk, over.pk, reason="?")
        assert "No table there that could be ended." in told(answer)
        assert stored() == before and not logged()

    def test_one_whose_position_is_spoilt(self, ada, rey, slug):
        game = open_table(slug, ada, guest(), guest())
        Game.objects.filter(pk=game.pk).update(state={"hands": 1})
        answer = act(rey, GAMES, "close", game.pk, reason="?")
        assert "is damaged" in told(answer) and not logged()

    def test_a_person_is_taken_off_a_seat_before_the_start(self, ada, rey, slug):
        visitor = guest()
        game = open_table(slug, ada, visitor)
        at = f"{GAMES}{game.pk}/seats/1/"
        assert at in page(rey.look(change(game))).links()
        asked = page(rey.look(at)).words
        assert f"Seat 1 of {game}: Guest #{visitor.pk}" in asked
        assert page(rey.send(at, reason=""), 400)
        assert game.seats.get(index=1).user == visitor
        done = rey.send(at, reason="A bad name.")
        assert done.status_code == 302 and done.headers["Location"] == change(game)
        words = f"Guest #{visitor.pk} was taken off seat 1: A bad name."
        assert told(done) == words and logged() == [("Rey", str(game), words)]
        seat = game.seats.get(index=1)
        assert (seat.user, seat.bot, seat.name) == (None, "", "")
        with pytest.raises(services.Refused, match="removed"):
            seating.sit_down(user=visitor, key=game.key, name="Again")
        assert "was removed, by Rey" in page(rey.look(f"{GAMES}{game.pk}/log/")).words

    def test_a_bot_has_the_seat_afterwards(self, ada, rey, slug):
        visitor = guest()
        game = open_table(slug, ada, visitor, guest())
        rey.send(f"{GAMES}{game.pk}/seats/1/", reason="Bad.")
        seat = game.seats.get(index=1)
        assert seat.user is None and seat.bot and seat.name not in ("", "Guest-0")
        game.refresh_from_db()
        assert not game.is_over and not verify.verify(game)

    def test_the_last_person_takes_the_waiting_table_along(self, ada, rey, slug):
        game = open_table(slug, ada)
        done = rey.send(f"{GAMES}{game.pk}/seats/0/", reason="Bad.")
        assert done.headers["Location"] == GAMES and not Game.objects.exists()

    def test_seats_where_nobody_is_to_be_taken_off(self, ada, rey, slug):
        running = open_table(slug, ada, fill=True)
        over = played(slug, ada)
        alone = new_game("laws", ada)
        before = stored()
        for game, index in ((running, 1), (over, 0), (alone, 0)):
            done = rey.send(f"{GAMES}{game.pk}/seats/{index}/", reason="Bad.")
            assert "Nobody there can be taken off." in told(done)
        assert rey.send(f"{GAMES}{running.pk}/seats/7/", reason="Bad.").status_code == 404
        assert stored() == before
        links = page(rey.look(change(over))).links() + page(rey.look(change(alone))).links()
        assert not [link for link in links if "/seats/" in link]

    def test_not_at_a_table_of_one_s_own(self, ada, slug):
        judge = reviewer()
        browser, game = Browser(judge), open_table(slug, judge, ada, guest())
        before = stored()
        for answer in (
            act(browser, GAMES, "close", game.pk, reason="I lose."),
            browser.send(f"{GAMES}{game.pk}/seats/1/", reason="I lose."),
        ):
            assert "You sit at" in told(answer)
        assert stored() == before and not logged()

    def test_only_with_the_permission(self, ada, slug):
        game = open_table(slug, ada, guest())
        browser = Browser(staff("Sue", "play.view_game", "play.review_game"))
        before = stored()
        act(browser, GAMES, "close", game.pk, reason="?")
        assert browser.send(f"{GAMES}{game.pk}/seats/1/", reason="?").status_code == 403
        html = browser.look(change(game)).content.decode()
        assert "/seats/" not in html and 'value="close"' not in html
        assert stored() == before

    def test_who_sits_there_by_now_is_not_meant(self, ada, slug):
        visitor = guest()
        game = open_table(slug, ada, visitor)
        with pytest.raises(services.Refused, match="stale"):
            seating.give_up(game_id=game.pk, index=1, what=SeatChange.What.REMOVED, user=guest())
        assert game.seats.get(index=1).user == visitor


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
