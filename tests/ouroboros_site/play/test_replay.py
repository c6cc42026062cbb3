"""Games shown again: who may see which, what a page shows at each ply, and what that costs."""

import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.urls import reverse

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.services import delete_account
from ouroboros_site.engine import record as records
from ouroboros_site.leaderboards.models import Score
from ouroboros_site.leaderboards.services import restore_score, strike_score
from ouroboros_site.play import daily, replay, services
from ouroboros_site.play.models import DailyDeal, Game
from ouroboros_site.play.services import Refused

from .helpers import (
    EDITIONS,
    SEED,
    WHOLE_GAMES,
    Browser,
    Page,
    again,
    finish,
    guest,
    legal,
    new_game,
    page_of,
    record,
    stored,
    submit,
    table,
    trace,
)
from .test_costs import counted
from .test_secrets import answer

pytestmark = pytest.mark.django_db

MORNING = datetime(2026, 12, 2, 9, tzinfo=UTC)
READS = ("", "replay/", "replay/?ply=1&all=1", "replay/?embed=1", "record.json")
SHOWN = READS[1:]


@pytest.fixture(autouse=True)
def nothing_kept():
    cache.clear()


@pytest.fixture
def clock():
    with time_machine.travel(MORNING, tick=False) as clock:
        yield clock


def played(slug: str, user: User, *, ranked: bool = True, name: str = "") -> Game:
    """A whole recorded game, played by ``user``."""
    name = name or WHOLE_GAMES[slug]
    game = new_game(slug, user, ranked=ranked, seed=record(name)["seed"])
    submit(game, user, *record(name)["moves"])
    game.refresh_from_db()
    assert game.is_over
    return game


def tried(slug: str, user: User) -> Game:
    """A try at today's deal with a move made."""
    game, _user = services.start_game(user=user, slug=slug, day=daily.today())
    submit(game, user, legal(game)[0])
    game.refresh_from_db()
    return game


def begun(slug: str, user: User, *, ranked: bool = True) -> Game:
    """A game with a move made."""
    game = new_game(slug, user, ranked=ranked)
    submit(game, user, legal(game)[0])
    game.refresh_from_db()
    return game


def reviewer() -> User:
    return User.objects.create_superuser("Rey")


def status(user: User | None, game: Game) -> int:
    """What ``open_game`` says, and every page with it."""
    browser = Browser(user)
    visitor = user or browser.get("/verify/").wsgi_request.user
    try:
        assert replay.open_game(visitor, game.pk) == game
        code = 200
    except Refused as refused:
        code = refused.status
    for what in SHOWN:
        for htmx in (False, True):
            response = browser.look(again(game, what), htmx=htmx)
            closed = what == "record.json" and code == 200 and not game.is_over
            assert response.status_code == (409 if closed else code), what
            if code != 200 or closed:
                page_of(response)
                assert game.seed.encode() not in response.content
                assert game.commitment.encode() not in response.content
    assert browser.look(again(game, "")).status_code == 302
    assert browser.look(again(game, ""))["Location"] == again(game)
    return code


class TestWhoMaySee:
    @pytest.mark.parametrize("ranked", [True, False], ids=["ranked", "practice"])
    def test_a_finished_game_is_everybodys(self, owner, other, slug, ranked):
        game = finish(begun(slug, owner, ranked=ranked), owner)
        for user in (None, owner, other, User.objects.create_user("Ada"), reviewer()):
            assert status(user, game) == 200

    def test_a_game_that_goes_on_is_its_players_and_the_reviewers(self, owner, other, slug):
        game = begun(slug, owner)
        staff = User.objects.create_user("Stan", is_staff=True)
        expected = {None: 403, other: 403, staff: 403, owner: 409, reviewer(): 200}
        assert {user: status(user, game) for user in expected} == expected

    def test_its_player_is_shown_the_way_to_the_table(self, owner, browser, slug):
        game = begun(slug, owner)
        page = page_of(browser.look(again(game)))
        assert table(game) in page.links() and "still going on" in page.words
        page = page_of(browser.look(again(game, "record.json")))
        assert table(game) in page.links()
        assert "The record holds the seed; it is open at the end." in page.words

    def test_a_reviewer_is_told_that_it_goes_on(self, owner, slug):
        game = begun(slug, owner)
        browser = Browser(reviewer())
        page = page_of(browser.look(again(game, "replay/?all=1")))
        assert "This game is still going on; players cannot see this page." in page.words
        assert (
            "Hidden from the player" in page.words and "Seed hidden from the player" in page.words
        )
        assert page.all("dd", id="seed") and SEED in page.words
        assert "Ply 0 of 1" in page.words

    def test_only_the_permission_counts(self, owner, slug):
        game = begun(slug, owner)
        permission = {"codename": "review_game", "content_type__app_label": "play"}
        staff, person = (
            User.objects.create_user(name, is_staff=staff) for name, staff in (("S", 1), ("P", 0))
        )
        for user in (staff, person):
            user.user_permissions.add(Permission.objects.get(**permission))
        assert (status(staff, game), status(person, game)) == (200, 403)

    def test_a_deleted_account_takes_its_games_along(self, slug):
        ada, bob = User.objects.create_user("Ada"), User.objects.create_user("Bob")
        game = finish(begun(slug, ada), ada)
        assert status(bob, game) == 200
        delete_account(ada)
        staff = User.objects.create_user("Stan", is_staff=True)
        expected = {None: 404, bob: 404, guest(): 404, staff: 404, reviewer(): 200}
        assert {user: status(user, game) for user in expected} == expected
        page = page_of(Browser(User.objects.get(username="Rey")).look(again(game)))
        assert "an account that is no more" in page.words

    @pytest.mark.parametrize("number", ["999", str(2**63), "9" * 60, "0"])
    def test_no_game(self, db, number):
        for what in SHOWN:
            response = Browser().look(f"/games/{number}/{what}")
            assert response.status_code == 404
            page_of(response)

    def test_an_undone_end_closes_it_again(self, owner, other, slug):
        game = played(slug, owner, ranked=False)
        assert status(other, game) == 200
        services.undo_move(user=owner, slug=slug, game_id=game.pk, version=game.version)
        game.refresh_from_db()
        assert status(other, game) == 403

    def test_only_reading(self, owner, browser, slug):
        game = finish(begun(slug, owner), owner)
        before = stored()
        for what in (*SHOWN, ""):
            assert browser.send(again(game, what)).status_code == 405
            assert browser.head(again(game, what)).content == b""
        assert stored() == before


@pytest.mark.usefixtures("clock")
class TestDailyDeal:
    def test_is_closed_until_ones_own_try_is_over(self, owner, other, slug, clock):
        theirs = finish(tried(slug, owner), owner)
        bob = User.objects.create_user("Bob")
        assert [status(user, theirs) for user in (None, other, bob, owner)] == [409, 409, 409, 200]
        assert status(reviewer(), theirs) == 200
        mine = tried(slug, bob)
        assert (status(bob, theirs), status(bob, mine)) == (409, 409)
        finish(mine, bob)
        mine.refresh_from_db()
        assert (status(bob, theirs), status(bob, mine), status(other, mine)) == (200, 200, 409)

    def test_a_try_whose_time_has_run_out_is_had(self, owner, other, slug, clock):
        theirs, mine = finish(tried(slug, owner), owner), tried(slug, other)
        clock.shift(DailyDeal.TRY)
        assert status(other, theirs) == 409
        clock.shift(timedelta(seconds=1))
        assert status(other, theirs) == 200 and status(other, mine) == 409
        assert status(None, theirs) == 409

    def test_is_open_to_all_when_no_try_can_be_open(self, owner, slug, clock):
        theirs = finish(tried(slug, owner), owner)
        clock.move_to(theirs.daily.closes - timedelta(seconds=1))
        assert status(None, theirs) == 409
        clock.move_to(theirs.daily.closes)
        assert status(None, theirs) == 200

    def test_practice_with_the_deal_is_as_closed(self, owner, other, slug, clock):
        seed = finish(tried(slug, owner), owner).seed
        practice, _user = services.start_game(user=owner, slug=slug, ranked=False, seed=seed)
        submit(practice, owner, legal(practice)[0])
        finish(practice, owner)
        practice.refresh_from_db()
        assert [status(user, practice) for user in (None, other, owner)] == [409, 409, 200]

    def test_the_answer_is_the_way_to_ones_own_try_and_no_card_of_the_deal(
        self, owner, other, slug, clock
    ):
        game = finish(tried(slug, owner), owner)
        game.refresh_from_db()
        deal = game.daily
        twin_seed = "c3" * 32
        twin = game.rules.position(game.rules.start(twin_seed))
        text = game.rules.format_move(game.rules.legal_moves(game.rules.start(twin_seed))[-1])
        answers = []
        for seed, state, move in ((game.seed, game.state, None), (twin_seed, twin, text)):
            DailyDeal.objects.filter(pk=deal.pk).update(seed=seed)
            Game.objects.filter(pk=game.pk).update(seed=seed, state=state)
            if move:
                game.moves.update(text=move, report={})
            cache.clear()
            shown = []
            for browser in (Browser(), Browser(other)):
                for what in READS:
                    for htmx in (False, True):
                        response = browser.look(again(game, what), htmx=htmx)
                        assert response.status_code in (302, 409, 204)
                        for secret in (seed, game.commitment):
                            assert secret.encode() not in response.content
                            assert secret not in str(response.headers)
                        shown.append(answer(response))
            answers.append(shown)
        assert answers[0] == answers[1]
        page = page_of(Browser(other).look(again(game)))
        assert reverse("daily_day", args=[slug, deal.date]) in page.links()
        assert "once you have had your own try" in page.words


class TestSteps:
    @pytest.mark.parametrize("htmx", [False, True], ids=["page", "fragment"])
    def test_every_ply_shows_the_view_of_that_ply(self, owner, slug, htmx):
        name = {"laws": "laws-05-mixed", "market": "market-02-mixed"}[slug]
        game = played(slug, owner, name=name)
        rules, browser = game.rules, Browser()
        lines = trace(name)
        for line in lines if htmx else [*lines[:3], *lines[3::7], lines[-1]]:
            ply = line["ply"]
            state = rules.decode({**game.setup, "position": line["position"]})
            response = browser.look(again(game, f"replay/?ply={ply}"), htmx=htmx)
            assert response.status_code == 200
            assert response.context["view"] == rules.view(state, 0)
            step = response.context["step"]
            assert (step["ply"], step["last"]) == (ply, len(lines) - 1)
            assert step["score"] == rules.scores(state)[0]
            assert step["over"] == (ply == len(lines) - 1)
            page = Page(response.content.decode())
            # Nothing of a table at which one plays.
            assert not page.all("input", name="card") and not page.all("input", name="pile")
            assert not page.all("form", id="move") and not page.all("button", name="action")
            assert not page.all("section", id="dock") and "Your turn" not in page.words
            assert not page.inline
            if ply:
                move = game.moves.get(ply=ply)
                said = game.kind.say(replay.Entry(ply, move.seat, move.text, move.report))
                assert " ".join(f"{said.head} {said.text}".split()) in page.words
            assert f"Score so far: {step['score']}" in page.words

    def test_the_ways_on(self, owner, slug):
        game = played(slug, owner)
        last = game.ply
        for ply, back, forward in ((0, 0, 1), (1, 0, 2), (last - 1, last - 2, last), (last,) * 3):
            back = max(0, ply - 1)
            page = page_of(Browser().look(again(game, f"replay/?ply={ply}")))
            hrefs = {
                name: page.all("a", id=f"to-{name}")[0] for name in ("first", "back", "last")
            } | {"forward": page.all("a", id="to-forward")[0]}
            assert {name: way["href"] for name, way in hrefs.items()} == {
                "first": "?ply=0",
                "back": f"?ply={back}",
                "forward": f"?ply={forward}",
                "last": f"?ply={last}",
            }
            assert all(way["hx-get"] == way["href"] for way in hrefs.values())
            barred = {name for name, way in hrefs.items() if way.get("aria-disabled")}
            assert barred == ({"first", "back"} if not ply else set()) | (
                {"forward", "last"} if ply == last else set()
            )
            [field] = page.all("input", type="number")
            assert (field["value"], field["min"], field["max"]) == (str(ply), "0", str(last))

    def test_begins_at_the_start(self, owner, slug):
        game = played(slug, owner)
        response = Browser().look(again(game))
        assert response.context["step"]["ply"] == 0
        assert "The cards are dealt." in page_of(response).words

    @pytest.mark.parametrize("ply", ["-1", "x", "", "1.0", "١", "1e1", "9" * 30, " 1", "last+1"])
    def test_no_such_ply(self, owner, slug, ply):
        game = played(slug, owner)
        ply = str(game.ply + 1) if ply == "last+1" else ply
        for htmx in (False, True):
            response = Browser().look(again(game, f"replay/?ply={ply}"), htmx=htmx)
            assert response.status_code == 404
            assert f"goes from 0 to {game.ply}" in page_of(response).words
            assert response.get("HX-Retarget") == ("body" if htmx else None)

    def test_a_game_without_a_move(self, owner, slug):
        game = finish(new_game(slug, owner), owner)
        page = page_of(Browser().look(again(game)))
        assert "Ply 0 of 0" in page.words and "The end: the player retired." in page.words
        assert Browser().look(again(game, "replay/?ply=1")).status_code == 404

    def test_the_end_says_why(self, owner, slug):
        game = played(slug, owner)
        why = {"laws": "the deck is empty", "market": "the last life is gone"}[slug]
        page = page_of(Browser().look(again(game, f"replay/?ply={game.ply}")))
        assert f"The end: {why}." in page.words
        page = page_of(Browser().look(again(game, f"replay/?ply={game.ply - 1}")))
        assert "The end:" not in page.words

    def test_hidden_cards_are_shown_when_asked_for(self, owner, slug):
        game = played(slug, owner)
        browser = Browser()
        for ply in (0, 2):
            plain = page_of(browser.look(again(game, f"replay/?ply={ply}")))
            assert "Hidden from the player" not in plain.words
            [toggle] = plain.all("a", id="toggle")
            assert toggle["href"] == f"?ply={ply}&all=1"
            response = browser.look(again(game, f"replay/?ply={ply}&all=1"))
            page = page_of(response)
            assert "Hidden from the player" in page.words
            position = trace(WHOLE_GAMES[slug])[ply]["position"]
            hidden = [place.cards for place in response.context["places"]]
            if slug == "market":
                assert hidden == [tuple(position["market"]), tuple(position["threat"])]
            else:
                assert hidden == [
                    tuple(cards[1 + known :])
                    for cards, known in zip(position["piles"], position["known"], strict=True)
                    if cards[1 + known :]
                ]
            # The choice stays on the way on, and can be taken back.
            assert page.all("a", id="to-forward")[0]["href"] == f"?ply={ply + 1}&all=1"
            assert page.all("a", id="toggle")[0]["href"] == f"?ply={ply}"

    def test_the_fragment_is_the_step_and_no_more(self, owner, slug):
        game = played(slug, owner)
        response = Browser().look(again(game, "replay/?ply=1"), htmx=True)
        html = response.content.decode()
        assert "<html" not in html and "<h1" not in html and game.seed not in html
        page = Page(html)
        assert len(page.all("div", id="replay")) == 1 and len(page.all("div", id="table")) == 1
        assert page.all("div", **{"hx-swap-oob": "innerHTML:#say"})
        response = Browser().get(
            again(game, "replay/?ply=1"),
            headers={"HX-Request": "true", "HX-History-Restore-Request": "true"},
        )
        page_of(response)

    def test_only_the_moves_that_stand(self, owner, slug):
        name = WHOLE_GAMES[slug]
        moves = record(name)["moves"]
        game = new_game(slug, owner, ranked=False, seed=record(name)["seed"])
        submit(game, owner, *moves[:2])
        game.refresh_from_db()
        services.undo_move(user=owner, slug=slug, game_id=game.pk, version=game.version)
        finish(game, owner)
        assert game.moves.count() == 2
        page = page_of(Browser().look(again(game, "replay/?ply=1")))
        assert "Ply 1 of 1" in page.words
        assert Browser().look(again(game, "replay/?ply=2")).status_code == 404
        data = json.loads(Browser().look(again(game, "record.json")).content)
        assert data["moves"] == moves[:1]
        assert data["seed"] == record(name)["seed"]

    def test_a_log_that_does_not_hold_is_our_fault_and_told(self, owner, slug):
        game = played(slug, owner)
        game.moves.filter(ply=2).update(text="nonsense")
        browser = Browser()
        assert browser.look(again(game, "replay/?ply=1")).status_code == 200
        for ply in (2, 3):
            response = browser.look(again(game, f"replay/?ply={ply}"))
            assert response.status_code == 500
            assert "does not hold at ply 2: This game has no such move." in page_of(response).words


class TestAbout:
    def test_who_what_and_when(self, slug):
        ada = User.objects.create_user("Ada")
        with time_machine.travel(datetime(2026, 12, 2, 23, 59, tzinfo=UTC), tick=False):
            game = played(slug, ada)
        page = page_of(Browser().look(again(game)))
        assert ada.get_absolute_url() in page.links()
        assert "Played by Ada" in page.words and "Game ranked" in page.words
        assert "2 December 2026, 23:59 UTC" in page.words
        score = game.result["scores"][0]
        assert f"Result {score} {game.kind.score(score)};" in page.words
        assert game.seed in page.words and game.commitment in page.words
        assert again(game, "record.json") in page.links()
        proof = f"/verify/?game={slug}&seed={game.seed}&commitment={game.commitment}"
        assert proof in page.links()
        assert "equal" not in page.words
        assert "They belong together." in page_of(Browser().look(proof)).words

    def test_a_guest_has_no_name_and_no_page(self, owner, slug):
        game = played(slug, owner, ranked=False)
        response = Browser().look(again(game))
        page = page_of(response)
        assert "Played by Guest" in page.words and "Game practice" in page.words
        assert owner.username not in response.content.decode()
        assert not [link for link in page.links() if link.startswith("/people/")]

    @pytest.mark.usefixtures("clock")
    def test_a_daily_deal_and_one_that_was_too_late(self, owner, slug, clock):
        game = tried(slug, owner)
        clock.shift(DailyDeal.TRY + timedelta(hours=1))
        finish(game, owner)
        page = page_of(Browser(owner).look(again(game)))
        assert "daily deal of 2 December 2026, ranked" in page.words
        assert "Finished too late to count" in page.words
        clock.move_to(MORNING)
        other = guest()
        in_time = finish(tried(slug, other), other)
        assert "too late" not in page_of(Browser(other).look(again(in_time))).words

    def test_decisions_are_told_without_who_made_them(self, slug):
        ada, rey = User.objects.create_user("Ada"), reviewer()
        game = played(slug, ada)
        assert "Struck" not in page_of(Browser().look(again(game))).words
        score = Score.objects.get(game=game)
        with time_machine.travel(MORNING):
            strike_score(score=score, by=rey, reason="A program played.")
        page = page_of(Browser().look(again(game)))
        assert "Struck from the boards on 2 December 2026: A program played." in page.words
        with time_machine.travel(MORNING + timedelta(days=1)):
            restore_score(score=score, by=rey, reason="It was a person.")
        page = page_of(Browser().look(again(game)))
        assert page.words.index("A program played.") < page.words.index(
            "Restored on 3 December 2026: It was a person."
        )
        assert rey.username not in page.words

    def test_may_be_framed_by_our_own_pages_alone(self, owner, slug):
        game = played(slug, owner)
        browser = Browser()
        for what in ("replay/", "replay/?embed=1"):
            response = browser.look(again(game, what))
            assert response["X-Frame-Options"] == "SAMEORIGIN"
            policy = response["Content-Security-Policy"]
            assert "frame-ancestors 'self'" in policy and "default-src 'none'" in policy
            assert "script-src 'self'" in policy and "unsafe" not in policy
        for path in (again(game, "record.json"), "/replay/", "/verify/", "/"):
            response = browser.look(path)
            assert response["X-Frame-Options"] == "DENY"
            assert "frame-ancestors 'none'" in response["Content-Security-Policy"]

    def test_in_a_frame_there_is_the_table_and_its_steps(self, owner, slug):
        game = played(slug, owner)
        page = page_of(Browser().look(again(game, "replay/?embed=1&all=1&ply=1")))
        [body] = page.all("body")
        assert "embedded" in body["class"].split()
        assert not page.all("section", id="about") and game.seed not in page.words
        assert page.all("a", id="to-last")[0]["href"] == f"?embed=1&all=1&ply={game.ply}"
        names = {field["name"]: field["value"] for field in page.all("input", type="hidden")}
        assert names.get("embed") == "1" and names.get("all") == "1"


class TestLongGames:
    NAME = {"laws": "laws-06-mixed", "market": "market-06-greedy"}

    @pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
    def test_kept_positions_change_nothing(self, owner, slug, warm, monkeypatch):
        monkeypatch.setattr(replay, "BLOCK", 16)
        game = played(slug, owner, name=self.NAME[slug])
        for _ in range(1 + warm):
            for ply, line in list(enumerate(trace(self.NAME[slug])))[:: 1 if warm else -1]:
                step = replay.step_of_game(game, ply)
                assert game.rules.position(step.state) == line["position"]
                assert (step.entry and step.entry.text) == line["move"]
                if step.entry:
                    assert step.entry.report == game.moves.get(ply=ply).report

    def test_a_step_plays_no_more_than_a_block_again(self, owner, slug, monkeypatch):
        monkeypatch.setattr(replay, "BLOCK", 16)
        game = played(slug, owner, name=self.NAME[slug])
        made = []
        apply = game.rules.apply
        monkeypatch.setattr(game.rules, "apply", lambda *a: made.append(a) or apply(*a))
        for ply in (game.ply, game.ply, game.ply - 1, game.ply - 2):
            made.clear()
            replay.step_of_game(game, ply)
            last = len(made)
        assert last <= 16
        made.clear()
        replay.step_of_game(game, 16)
        assert len(made) == 16

    def test_a_game_that_grew_again_is_another_one(self, owner, slug, monkeypatch):
        monkeypatch.setattr(replay, "BLOCK", 2)
        name = WHOLE_GAMES[slug]
        game = played(slug, owner, ranked=False)
        replay.step_of_game(game, game.ply)
        for _ in range(game.ply):
            game.refresh_from_db()
            services.undo_move(user=owner, slug=slug, game_id=game.pk, version=game.version)
        moves = []
        for _ in range(4):
            moves.append(next(m for m in legal(game) if m != record(name)["moves"][len(moves)]))
            submit(game, owner, moves[-1])
            game.refresh_from_db()
            if game.is_over:
                break
        for ply in range(game.ply + 1):
            state = game.rules.start(game.seed)
            for text in moves[:ply]:
                state = game.rules.apply(state, game.rules.parse_move(text))
            assert replay.step_of_game(game, ply).state == state


@pytest.mark.django_db(transaction=True)
class TestCosts:
    @pytest.fixture
    def owner(self, transactional_db):
        return User.objects.create_user("Ada")

    def test_a_page_and_a_step(self, owner, slug):
        game = played(slug, owner, name=TestLongGames.NAME[slug])
        strike_score(score=Score.objects.get(game=game), by=owner, reason="x")
        for user in (None, owner, guest(), reviewer()):
            browser = Browser(user)
            for ply in (0, game.ply):
                for htmx in (False, True):
                    with counted() as statements:
                        response = browser.look(again(game, f"replay/?ply={ply}&all=1"), htmx=htmx)
                    assert response.status_code == 200
                    assert len(statements) <= 6, statements
                    assert len(response.content) <= 40 * 1024
                    if htmx:
                        assert len(response.content) <= 16 * 1024

    def test_a_daily_deal(self, owner, slug):
        game = finish(tried(slug, owner), owner)
        browser = Browser(owner)
        with counted() as statements:
            response = browser.look(again(game))
        assert response.status_code == 200
        assert len(statements) <= 6, statements

    def test_a_game_that_goes_on(self, owner, slug):
        game = new_game(slug, owner)
        browser = Browser(reviewer())
        with counted() as statements:
            response = browser.look(again(game))
        assert response.status_code == 200
        assert len(statements) <= 6, statements


def test_the_record_of_every_edition_plays_again(owner, other, slug):
    game = played(slug, owner)
    response = Browser(other).look(again(game, "record.json"))
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == f'attachment; filename="{slug}-{game.pk}.json"'
    data = json.loads(response.content)
    assert data == record(WHOLE_GAMES[slug])
    assert list(records.trace(records.read(data), game.rules)) == trace(WHOLE_GAMES[slug])


def test_every_edition_is_here():
    assert set(EDITIONS) == set(WHOLE_GAMES) == set(TestLongGames.NAME)
