"""The admin of games: who sees what, filters and search, the replay, verifying and striking."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services as leaderboards
from ouroboros_site.leaderboards.models import Best, Decision, Score
from ouroboros_site.play import admin as play_admin
from ouroboros_site.play import daily, services
from ouroboros_site.play.models import Game, Move
from ouroboros_site.play.staff import FirstRows

from ..staff import (
    EVERYBODY,
    GAMES,
    SCORES,
    USERS,
    act,
    logged,
    numbers,
    page,
    reviewer,
    root,
    staff,
    told,
    whole,
)
from .helpers import Browser, finish, guest, legal, new_game, stored, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def rey(db) -> Browser:
    return Browser(reviewer())


def change(game: Game) -> str:
    return f"{GAMES}{game.pk}/change/"


# --- who sees what -------------------------------------------------------------------------------

# Address, and the status for staff without permissions, a reviewer, a superuser. Everybody else is
# led to the way in.
PAGES = [
    ("/admin/", 200, 200, 200),
    ("/admin/jsi18n/", 200, 200, 200),
    ("/admin/password_change/", 302, 302, 302),
    (GAMES, 403, 200, 200),
    (GAMES + "{open}/change/", 403, 200, 200),
    (GAMES + "{over}/change/", 403, 200, 200),
    (GAMES + "{open}/log/", 403, 200, 200),
    (GAMES + "{over}/log/", 403, 200, 200),
    (GAMES + "{open}/hidden/", 403, 200, 200),
    (GAMES + "{over}/hidden/", 403, 200, 200),
    (GAMES + "{over}/history/", 403, 200, 200),
    (GAMES + "add/", 403, 403, 403),
    (GAMES + "{over}/delete/", 403, 403, 403),
    (SCORES, 403, 200, 200),
    (SCORES + "{over}/change/", 403, 200, 200),
    (SCORES + "{over}/history/", 302, 302, 302),
    (SCORES + "export/", 403, 200, 200),
    (SCORES + "add/", 403, 403, 403),
    (SCORES + "{over}/delete/", 403, 403, 403),
    (USERS, 403, 403, 200),
    (USERS + "{ada}/change/", 403, 403, 200),
    (USERS + "{ada}/password/", 403, 403, 200),
    (USERS + "{ada}/history/", 403, 403, 200),
    (USERS + "{ada}/delete/", 403, 403, 403),
    (USERS + "add/", 403, 403, 200),
    (USERS + "export/", 403, 403, 200),
    ("/admin/auth/group/", 403, 403, 200),
    ("/admin/auth/group/{group}/change/", 403, 403, 200),
    ("/admin/play/", 404, 200, 200),
    ("/admin/accounts/", 404, 404, 200),
    # What nobody has a list of: moves of all games, seeds of daily deals, sessions.
    *(
        (f"/admin/{name}/", 404, 404, 404)
        for name in (
            "play/move",
            "play/seat",
            "play/try",
            "play/dailydeal",
            "leaderboards/best",
            "leaderboards/decision",
            "sessions/session",
            "admin/logentry",
        )
    ),
]


class TestWho:
    @pytest.mark.parametrize("who", EVERYBODY)
    def test_sees_which_page(self, ada, who):
        user = EVERYBODY[who]()
        names = {
            "open": new_game("laws", ada).pk,
            "over": finish(new_game("market", ada), ada).pk,
            "ada": ada.pk,
            "group": Group.objects.get().pk,
        }
        browser = Browser(user)
        for pattern, *expected in PAGES:
            response = browser.look(pattern.format(**names))
            if who in ("nobody", "guest", "named"):
                assert response.status_code == 302, pattern
                assert response["Location"].startswith("/admin/login/?next="), pattern
            else:
                status = dict(zip(("staff", "reviewer", "superuser"), expected, strict=True))[who]
                assert response.status_code == status, pattern

    def test_reviewers_see_nobodys_address(self, ada, rey):
        User.objects.filter(pk=ada.pk).update(email="ada@example.org")
        game = whole("laws", ada)
        index = page(rey.look("/admin/"))
        assert GAMES in index.links() and SCORES in index.links()
        assert not any(USERS in link or "group" in link for link in index.links())
        for path in (GAMES, SCORES, change(game), f"{SCORES}{game.pk}/change/", SCORES + "export/"):
            response = rey.look(path)
            body = b"".join(response) if response.streaming else response.content
            assert b"Ada" in body, path
            assert b"ada@example.org" not in body and USERS.encode() not in body, path

    def test_staff_without_permissions_see_nothing(self, ada):
        finish(new_game("laws", ada), ada)
        words = page(Browser(staff()).look("/admin/")).words
        assert "have permission to view or edit anything" in words
        assert "Games" not in words.replace("Games, scores and people", "")

    def test_the_site_keeps_its_policy(self, ada, rey, slug):
        """The replay's frame is allowed on the one page that has it."""
        game = whole(slug, ada)
        for path in (
            GAMES,
            f"{GAMES}{game.pk}/log/",
            f"{GAMES}{game.pk}/hidden/",
            SCORES,
            "/admin/",
        ):
            assert "frame-src" not in rey.look(path).headers["Content-Security-Policy"]
            page(rey.look(path))
        response = rey.look(change(game))
        page(response)
        assert "frame-src 'self'" in response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        assert response.headers["X-Frame-Options"] == "DENY"


class TestGroup:
    MAY = {
        "play.view_game",
        "play.view_seat",
        "play.view_move",
        "play.review_game",
        "play.verify_game",
        "play.strike_game",
        "play.delete_game",
        "play.change_seat",
        "leaderboards.view_score",
        "leaderboards.view_decision",
    }

    def test_may_review_verify_strike_end_tables_and_nothing_else(self):
        assert reviewer().get_all_permissions() == self.MAY

    def test_is_made_once_and_mended_by_migrating(self):
        group = Group.objects.get()
        group.permissions.set(Permission.objects.filter(codename="delete_user"))
        rey = reviewer()
        call_command("migrate", verbosity=0)
        assert Group.objects.get() == group
        assert User.objects.get(pk=rey.pk).get_all_permissions() == self.MAY
        group.delete()
        call_command("migrate", verbosity=0)
        assert Group.objects.get().permissions.count() == len(self.MAY)


class TestWayIn:
    def test_is_the_sites_own(self):
        for user in (None, guest()):
            response = Browser(user).look("/admin/login/?next=/admin/play/game/")
            assert response.status_code == 302
            assert response["Location"] == "/account/log-in?next=/admin/play/game/"

    def test_is_closed_to_those_who_are_no_staff(self):
        browser = Browser(User.objects.create_user("Nan"))
        way = browser.look("/admin/")["Location"]
        for _hop in range(3):
            if not way.startswith(("/admin/", "/account/log-in")):
                break
            way = browser.look(way)["Location"]
        assert way == "/account/"

    def test_a_guest_who_comes_in_brings_the_games(self):
        rey = reviewer()
        rey.set_password("the snake bites")
        rey.save()
        player = guest()
        game = new_game("laws", player)
        browser = Browser(player)
        way = browser.look("/admin/login/")["Location"]
        response = browser.send(way, username="Rey", password="the snake bites")
        assert response["Location"] == "/admin/"
        assert game.seats.get().user == rey

    def test_the_way_out_is_the_sites_own(self):
        browser = Browser(root())
        assert browser.look("/admin/logout/").status_code == 405
        response = browser.send("/admin/logout/")
        assert response["Location"] == "/" and "Clear-Site-Data" in response.headers
        assert browser.look("/admin/").status_code == 302


# --- lists ---------------------------------------------------------------------------------------


class TestList:
    @pytest.fixture
    def games(self, ada) -> dict[str, Game]:
        bob, lost = User.objects.create_user("Bob"), guest()
        attempt, _user = services.start_game(user=bob, slug="laws", day=daily.today())
        struck = whole("laws", bob)
        leaderboards.strike_score(score=struck.score, by=bob, reason="Too fast.")
        return {
            "open": new_game("laws", ada),
            "whole": whole("market", ada),
            "practice": whole("laws", ada, ranked=False),
            "retired": finish(new_game("market", lost), lost),
            "daily": attempt,
            "struck": struck,
        }

    FOUND = (
        ("", "open whole practice retired daily struck"),
        ("edition=market", "whole retired"),
        ("status=open", "open daily"),
        ("status=over", "whole practice retired struck"),
        ("status=retired", "retired"),
        ("ranked=no", "practice"),
        ("ranked=yes", "open whole retired daily struck"),
        ("daily=yes", "daily"),
        ("daily=no", "open whole practice retired struck"),
        ("boards=yes", "whole retired"),
        ("boards=struck", "struck"),
        ("player=Ada", "open whole practice"),
        ("player=ADA&status=over", "whole practice"),
        ("player=nobody-here", ""),
        ("player=%00", ""),
        ("player=%23{lost}", "retired"),
        ("player=%23x", ""),
        ("player=%23" + "9" * 40, ""),
        ("q=bob", "daily struck"),
        ("q={whole}", "whole"),
        ("q=%20{whole}%20", "whole"),
        ("q=999999", ""),
        ("q=" + "9" * 40, ""),
        ("q=guest", ""),
        ("created__gte=2020-01-01+00:00:00%2B00:00", "open whole practice retired daily struck"),
        ("created__gte=2999-01-01+00:00:00%2B00:00", ""),
        ("status=nonsense", "open whole practice retired daily struck"),
        ("edition=patience", ""),
        ("edition=laws&status=open&ranked=yes&daily=no&q=ada", "open"),
    )

    def test_filters_and_search(self, rey, games):
        numbers_of = {
            "whole": games["whole"].pk,
            "lost": games["retired"].seats.get().user_id,
        }
        for query, names in self.FOUND:
            response = rey.look(f"{GAMES}?{query.format(**numbers_of)}")
            wanted = [games[name].pk for name in names.split()]
            assert sorted(numbers(response)) == sorted(wanted), query

    def test_shows_player_score_and_state(self, rey, games):
        words = page(rey.look(GAMES)).words
        for part in (
            "Ada",
            "Bob",
            "Guest",
            "over, retired",
            "goes on",
            "practice",
            "daily deal of",
        ):
            assert part in words
        assert f"{games['struck'].result['scores'][0]}, struck" in words
        assert "guest-" not in words

    def test_the_newest_first_and_some_on_a_page(self, rey, ada, monkeypatch):
        games = [new_game("laws", ada) for _ in range(5)]
        keys = [game.pk for game in reversed(games)]
        assert numbers(rey.look(GAMES)) == keys
        monkeypatch.setattr(play_admin.GameAdmin, "list_per_page", 2)
        assert numbers(rey.look(GAMES + "?p=2")) == keys[2:4]

    def test_counts_no_further_than_it_pages(self, rey, ada, monkeypatch):
        for _ in range(4):
            new_game("laws", ada)
        assert "There are more" not in page(rey.look(GAMES)).words
        monkeypatch.setattr(FirstRows, "MOST", 3)
        words = page(rey.look(GAMES)).words
        assert "3 games" in words and "There are more" in words
        with CaptureQueriesContext(
            connection,
        ) as queries:
            rey.look(GAMES)
        counts = [each["sql"] for each in queries if "COUNT(" in each["sql"]]
        assert len(counts) == 1 and "LIMIT 4" in counts[0]

    def test_costs_the_same_however_many_there_are(self, rey, ada):
        def cost() -> int:
            with CaptureQueriesContext(connection) as queries:
                rey.look(GAMES)
            return len(queries)

        finish(new_game("laws", ada), ada)
        first = cost()
        for name in ("Bob", "Cleo", "Dan"):
            player = User.objects.create_user(name)
            finish(new_game("market", player), player)
        assert cost() == first <= 10

    def test_search_keeps_the_filters_of_a_typed_name(self, rey, games):
        form = page(rey.look(GAMES + "?status=over&player=Ada&q=ada"))
        hidden = {(box["name"], box["value"]) for box in form.all("input", type="hidden")}
        assert {("status", "over"), ("q", "ada")} <= hidden
        assert form.all("input", name="player")[0]["value"] == "Ada"


SPELLED = (
    [
        (GAMES, lookup)
        for lookup in (
            "seed__startswith",
            "seed",
            "state__icontains",
            "redo__icontains",
            "token__startswith",
            "daily__seed__startswith",
            "daily__seed",
            "seats__user__email__startswith",
            "seats__user__password__startswith",
            "moves__text__startswith",
            "result__scores__gt",
            "score__flags__contains",
            "id__in",
            "created__year",
            "try_of__user",
        )
    ]
    + [
        (SCORES, lookup)
        for lookup in (
            "game__seed__startswith",
            "game__state__icontains",
            "game__daily__seed__startswith",
            "user__email__startswith",
            "user__password__startswith",
            "finished__year",
            "value__gt",
        )
    ]
    + [
        (USERS, lookup)
        for lookup in (
            "password__startswith",
            "email__startswith",
            "seats__game__seed__startswith",
            "tries__deal__seed__startswith",
            "sessions__gt",
            "groups__id__exact",
            "is_superuser__exact",
        )
    ]
)


class TestLookups:
    @pytest.mark.parametrize("who", [root, reviewer])
    def test_spell_out_nothing(self, ada, who):
        """Whoever may see a list cannot ask it for what it does not show."""
        whole("laws", ada)
        browser = Browser(who())
        for path, lookup in SPELLED:
            response = browser.look(f"{path}?{lookup}=1")
            assert response.status_code in (400, 403), lookup
            export = browser.look(f"{path}export/?{lookup}=1")
            assert export.status_code in (400, 403, 302, 404), lookup
            assert not export.streaming

    @pytest.mark.parametrize("path", [GAMES, SCORES, USERS])
    def test_other_queries_are_taken(self, ada, path):
        whole("laws", ada)
        browser = Browser(root())
        for query in ("o=-3.2.99", "o=x", "p=x", "p=0", "p=999", "all=", "_facets=True", "e=1"):
            assert browser.look(f"{path}?{query}").status_code in (200, 302), query
        assert browser.look(f"{path}?q=%00").status_code == 200

    @pytest.mark.parametrize("path", [GAMES, SCORES, USERS])
    def test_a_date_that_is_none(self, path):
        field = {GAMES: "created", SCORES: "finished", USERS: "date_joined"}[path]
        browser = Browser(root())
        response = browser.look(f"{path}?{field}__gte=yesterday")
        assert response.status_code == 302 and response["Location"].endswith("?e=1")


# --- the page of a game --------------------------------------------------------------------------


class TestPage:
    def test_tells_of_the_game(self, ada, rey, slug):
        game = whole(slug, ada)
        shown = page(rey.look(change(game)))
        for part in ("Ada", "over", "ranked", str(game.result["scores"][0]), "Replay"):
            assert part in shown.words
        assert f"{GAMES}{game.pk}/log/" in shown.links()
        assert f"{GAMES}{game.pk}/hidden/" in shown.links()
        assert f"/games/{game.pk}/replay/" in shown.links()
        assert f"{SCORES}{game.pk}/change/" in shown.links()
        # Nothing on it can be changed.
        assert not shown.all("input", name="_save")
        assert not shown.all("input", name="ply")

    def test_has_the_replay_at_any_ply(self, ada, rey, slug):
        game = whole(slug, ada)

        def frame(query: str = "") -> str:
            (frame,) = page(rey.look(change(game) + query)).all("iframe")
            assert frame["title"]
            return frame["src"] or ""

        address = f"/games/{game.pk}/replay/?embed=1&all=1"
        assert frame() == address
        assert frame("?ply=2") == address + "&ply=2"
        assert frame(f"?ply={10**15}") == f"{address}&ply={game.ply}"
        for ply in ("-1", "x", "", "9" * 40, "2%26all=0", "%22%3E"):
            assert frame(f"?ply={ply}") == address
        response = rey.look(frame("?ply=1"))
        assert response.status_code == 200
        assert response.headers["X-Frame-Options"] == "SAMEORIGIN"
        assert "frame-ancestors 'self'" in response.headers["Content-Security-Policy"]

    def test_of_a_game_that_goes_on_gives_nothing_away(self, ada, slug):
        game = new_game(slug, ada)
        shown = page(Browser(reviewer()).look(change(game)))
        assert shown.all("iframe") and game.seed not in shown.words
        plain = Browser(staff("Stan", "play.view_game", "play.view_move"))
        shown = page(plain.look(change(game)))
        assert not shown.all("iframe")
        assert not any(f"/{game.pk}/log/" in link or "hidden" in link for link in shown.links())

    def test_links_to_the_player_for_those_who_may_see_people(self, ada, rey):
        game = whole("laws", ada)
        link = f"{USERS}{ada.pk}/change/"
        assert link not in page(rey.look(change(game))).links()
        assert link in page(Browser(root()).look(change(game))).links()

    def test_of_a_deleted_account(self, ada, rey):
        game = whole("laws", ada)
        accounts.delete_account(ada)
        assert "nobody any more" in page(rey.look(change(game))).words
        assert numbers(rey.look(GAMES)) == [game.pk]

    @pytest.mark.parametrize("key", ["999", "x", "9" * 40, "1_2", "%00"])
    def test_of_no_game(self, rey, key):
        for what in ("change/", "history/"):
            assert rey.look(f"{GAMES}{key}/{what}").status_code in (302, 404)
        for what in ("log/", "hidden/"):
            assert rey.look(f"{GAMES}{key}/{what}").status_code in (302, 404)

    @pytest.mark.parametrize(
        "fields",
        [
            {"slug": "patience"},
            {"result": {"won": True}},
            {"result": "lost"},
            {"state": []},
            {"state": {"hand": 7}},
            {"seed": "x" * 64},
            {"options": ["x"]},
        ],
        ids=str,
    )
    def test_of_a_spoilt_game(self, ada, rey, slug, fields):
        game = whole(slug, ada)
        Game.objects.filter(pk=game.pk).update(**fields)
        Move.objects.filter(game=game, ply=2).update(report={"do": "dance"})
        for path in (GAMES, change(game), f"{GAMES}{game.pk}/log/", f"{GAMES}{game.pk}/hidden/"):
            page(rey.look(path))


class TestLog:
    def test_is_told_in_words(self, ada, rey, slug):
        game = whole(slug, ada)
        shown = page(rey.look(f"{GAMES}{game.pk}/log/"))
        for move in game.moves.all():
            assert move.text in shown.words
            assert f"{change(game)}?ply={move.ply}#replay" in shown.links()
        assert f"{game.ply} lines" in shown.words

    def test_marks_what_was_taken_back(self, ada, rey, slug):
        game = new_game(slug, ada, ranked=False)
        submit(game, ada, legal(game)[0])
        services.undo_move(user=ada, slug=slug, game_id=game.pk, version=1)
        submit(game, ada, legal(game)[1])
        shown = page(rey.look(f"{GAMES}{game.pk}/log/"))
        assert shown.words.count("taken back") == 1
        assert len(shown.all("tr", **{"class": "undone"})) == 1

    def test_of_a_long_game_comes_in_pages(self, ada, rey, monkeypatch):
        monkeypatch.setattr(play_admin, "LOG", 2)
        game = whole("market", ada)
        path = f"{GAMES}{game.pk}/log/"
        links = [link for link in page(rey.look(path)).links() if "?ply=" in link]
        assert [link.split("?")[1] for link in links] == ["ply=1#replay", "ply=2#replay"]
        second = page(rey.look(path + "?p=2"))
        assert {"?p=1", "?p=3"} <= set(second.links())
        assert [link for link in second.links() if "?ply=3#" in link]
        for p in ("x", "0", "999", ""):
            page(rey.look(f"{path}?p={p}"))

    def test_of_a_game_that_goes_on_is_for_reviewers(self, ada, rey):
        plain = Browser(staff("Stan", "play.view_game", "play.view_move"))
        names_only = Browser(staff("Sue", "play.view_game"))
        going, over = new_game("laws", ada), whole("laws", ada)
        for game, statuses in ((going, (200, 403, 403)), (over, (200, 200, 403))):
            asked = [
                browser.look(f"{GAMES}{game.pk}/log/").status_code
                for browser in (rey, plain, names_only)
            ]
            assert tuple(asked) == statuses

    def test_of_a_game_without_moves(self, ada, rey):
        game = new_game("laws", ada)
        assert "No move was made yet" in page(rey.look(f"{GAMES}{game.pk}/log/")).words


class TestHidden:
    def test_is_shown_to_reviewers_and_marked(self, ada, rey, slug):
        game = new_game(slug, ada)
        shown = page(rey.look(f"{GAMES}{game.pk}/hidden/"))
        assert game.seed in shown.words
        assert "hidden from its player" in shown.words
        hidden = [place for place in game.kind.layout(game.load(), None) if place.hidden]
        for place in hidden:
            assert " ".join(place.cards) in shown.words
        assert len(shown.all("tr", **{"class": "kept"})) == len(hidden) + 1

    def test_is_for_nobody_else(self, ada, slug):
        for game in (new_game(slug, ada), whole(slug, ada)):
            others = "play.view_game", "play.view_move", "play.verify_game", "play.strike_game"
            browser = Browser(staff(f"Sue{game.pk}", *others))
            response = browser.look(f"{GAMES}{game.pk}/hidden/")
            assert response.status_code == 403 and game.seed.encode() not in response.content
            # Who may see hidden cards and no games cannot come by them here either.
            browser = Browser(staff(f"Rob{game.pk}", "play.review_game"))
            assert browser.look(f"{GAMES}{game.pk}/hidden/").status_code == 403

    def test_is_not_for_a_reviewer_who_plays(self, slug):
        person = reviewer("Own")
        browser = Browser(person)
        game = new_game(slug, person)
        for address in (f"{GAMES}{game.pk}/hidden/", f"/games/{game.pk}/replay/?all=1"):
            answer = browser.look(address)
            assert answer.status_code in (403, 409) and game.seed.encode() not in answer.content
        assert f"/games/{game.pk}/replay/" not in browser.look(change(game)).content.decode()
        finish(game, person)
        assert browser.look(f"{GAMES}{game.pk}/hidden/").status_code == 200

    def test_says_when_a_game_is_over(self, ada, rey):
        game = whole("laws", ada)
        assert "This game is over" in page(rey.look(f"{GAMES}{game.pk}/hidden/")).words

    def test_of_a_position_that_cannot_be_read(self, ada, rey, slug):
        game = new_game(slug, ada)
        Game.objects.filter(pk=game.pk).update(state={})
        shown = page(rey.look(f"{GAMES}{game.pk}/hidden/"))
        assert "cannot be read" in shown.words and game.seed in shown.words


# --- actions -------------------------------------------------------------------------------------

PLACES = {"list": lambda game: GAMES, "page": change}


@pytest.mark.parametrize("where", PLACES)
class TestVerify:
    def test_says_that_all_is_well(self, ada, rey, slug, where):
        game = whole(slug, ada)
        before = stored()
        response = act(rey, PLACES[where](game), "verify", game.pk)
        assert response.status_code == 302
        assert "1 game was played again" in told(response)
        assert {**stored(), "User": 0} == {**before, "User": 0}

    def test_says_what_disagrees_and_mends_nothing(self, ada, rey, slug, where):
        game = whole(slug, ada)
        Game.objects.filter(pk=game.pk).update(ply=99)
        response = act(rey, PLACES[where](game), "verify", game.pk)
        assert f"{game}: It stands at move 99" in told(response)
        assert "played again" not in told(response)
        assert Game.objects.get(pk=game.pk).ply == 99

    def test_needs_its_permission(self, ada, slug, where):
        game = whole(slug, ada)
        Game.objects.filter(pk=game.pk).update(ply=99)
        browser = Browser(staff("Sue", "play.view_game", "play.review_game", "play.strike_game"))
        response = act(browser, PLACES[where](game), "verify", game.pk)
        assert "It stands at" not in told(response)


class TestVerifySeveral:
    def test_at_once(self, ada, rey):
        games = [whole(slug, ada) for slug in ("laws", "market", "laws")]
        Game.objects.filter(pk=games[2].pk).update(ply=99)
        words = told(act(rey, GAMES, "verify", *[game.pk for game in games]))
        assert "2 games were played again" in words and f"{games[2]}: It stands" in words


@pytest.mark.parametrize("where", PLACES)
class TestStrike:
    def test_takes_the_score_off_the_boards_for_a_reason(self, ada, rey, slug, where):
        game = whole(slug, ada)
        other = whole(slug, ada)
        path = PLACES[where](game)
        asked = act(rey, path, "strike", game.pk)
        form = page(asked)
        assert f"{game}: {game.score.value} (Ada)" in form.words
        assert form.all("textarea", name="reason")
        assert not Decision.objects.exists() and not Score.objects.filter(struck=True).exists()

        fields = {
            box["name"]: box["value"]
            for box in form.all("input", type="hidden")
            if box["name"] != "csrfmiddlewaretoken"
        }
        response = rey.send(path, reason="  Played by a machine.  ", **fields)
        assert response.status_code == 302 and response["Location"] == path
        assert f"Struck: {game}" in told(response)
        decision = Decision.objects.get()
        assert (decision.score_id, decision.struck, decision.by.username, decision.reason) == (
            game.pk,
            True,
            "Rey",
            "Played by a machine.",
        )
        assert Score.objects.get(struck=True).pk == game.pk
        assert set(Best.objects.values_list("score", flat=True)) == {other.pk}
        assert logged() == [("Rey", str(game), "Struck from the boards: Played by a machine.")]
        shown = page(rey.look(change(game)))
        assert "Played by a machine." in shown.words and "struck" in shown.words
        assert "Played by a machine." in page(rey.look(f"{GAMES}{game.pk}/history/")).words

    def test_and_back(self, ada, rey, slug, where):
        game = whole(slug, ada)
        boards = list(Best.objects.order_by("board").values_list("board", "score"))
        leaderboards.strike_score(score=game.score, by=ada, reason="Too fast.")
        path = PLACES[where](game)
        page(act(rey, path, "restore", game.pk))
        response = act(rey, path, "restore", game.pk, reason="It was not.")
        assert f"Restored: {game}" in told(response)
        assert list(Best.objects.order_by("board").values_list("board", "score")) == boards
        assert [decision.struck for decision in Decision.objects.all()] == [True, False]
        assert logged() == [("Rey", str(game), "Restored: It was not.")]
        words = page(rey.look(change(game))).words
        assert "Too fast." in words and "It was not." in words

    @pytest.mark.parametrize("reason", ["", "   ", "x" * 301, "a\x00b"])
    def test_not_without_a_good_reason(self, ada, rey, slug, where, reason):
        game = whole(slug, ada)
        response = act(rey, PLACES[where](game), "strike", game.pk, reason=reason)
        form = page(response, 400)
        assert "Please correct" in form.words and form.all("input", name="_selected_action")
        assert not Decision.objects.exists() and not logged()

    def test_a_reason_of_the_greatest_length(self, ada, rey, where):
        game = whole("laws", ada)
        act(rey, PLACES[where](game), "strike", game.pk, reason="é" * 300)
        assert Decision.objects.get().reason == "é" * 300

    def test_not_what_has_no_score_or_is_struck(self, ada, rey, slug, where):
        for game in (new_game(slug, ada), whole(slug, ada, ranked=False)):
            response = act(rey, PLACES[where](game), "strike", game.pk, reason="Why not.")
            assert "No score there" in told(response)
        struck = whole(slug, ada)
        leaderboards.strike_score(score=struck.score, by=ada, reason="Too fast.")
        response = act(rey, PLACES[where](struck), "strike", struck.pk, reason="Again.")
        assert "No score there" in told(response)
        response = act(rey, PLACES[where](whole(slug, ada)), "restore", ada.pk, reason="Why not.")
        assert Decision.objects.count() == 1 and not logged()

    @pytest.mark.parametrize("who", ["nobody", "guest", "named", "staff", "plain", "verifier"])
    def test_not_by_others(self, ada, slug, where, who):
        game = whole(slug, ada)
        people = EVERYBODY | {
            "plain": lambda: staff("Sue", "play.view_game", "leaderboards.view_score"),
            "verifier": lambda: staff(
                "Sue", "play.view_game", "play.review_game", "play.verify_game"
            ),
        }
        browser = Browser(people[who]())
        for action in ("strike", "restore"):
            response = act(browser, PLACES[where](game), action, game.pk, reason="Why not.")
            # Staff for whom the list has no actions at all are shown the list.
            assert response.status_code == (200 if (who, where) == ("plain", "list") else 302) or (
                response.status_code == 403
            )
            assert "textarea" not in response.content.decode()
        assert not Decision.objects.exists() and not logged()
        assert not Score.objects.filter(struck=True).exists()


class TestActions:
    def test_on_several_at_once(self, ada, rey):
        games = [whole("laws", ada) for _ in range(3)]
        keys = [game.pk for game in games]
        form = page(act(rey, GAMES, "strike", *keys[:2]))
        assert len(form.all("input", name="_selected_action")) == 2
        act(rey, GAMES, "strike", *keys[:2], reason="Two of three.")
        assert set(Best.objects.values_list("score", flat=True)) == {keys[2]}
        assert len(logged()) == 2

    def test_on_what_a_filter_leaves(self, ada, rey):
        game = whole("laws", ada)
        path = f"{GAMES}?player=Ada&edition=laws"
        form = page(act(rey, path, "strike", game.pk))
        assert form.all("form", method="post")[-1]["action"] == path
        assert act(rey, path, "strike", game.pk, reason="Why not.")["Location"] == path
        assert Decision.objects.exists()

    @pytest.mark.parametrize("key", ["x", "-1", "", "1.5", "9" * 40, "²", "1 OR 1"])
    def test_on_what_is_no_key(self, ada, rey, key):
        game = whole("laws", ada)
        for path in (GAMES, SCORES, change(game)):
            response = act(rey, path, "strike", key, reason="Why not.")
            assert response.status_code == 400, path
        assert not Decision.objects.exists()

    def test_on_another_row_than_the_pages(self, ada, rey):
        game, other = whole("laws", ada), whole("laws", ada)
        assert act(rey, change(game), "strike", other.pk, reason="x").status_code == 400
        assert act(rey, change(game), "strike", game.pk, other.pk, reason="x").status_code == 400
        assert not Decision.objects.exists()

    def test_not_on_everything(self, ada, rey):
        game = whole("laws", ada)
        response = act(rey, GAMES, "strike", game.pk, select_across="1", reason="All of them.")
        assert "at most" in told(response)
        response = act(rey, GAMES, "strike", *range(1, 60), reason="All of them.")
        assert "at most" in told(response)
        assert not Decision.objects.exists()

    @pytest.mark.parametrize("action", ["delete_selected", "nonsense", ""])
    def test_that_there_are_not(self, ada, rey, action):
        game = whole("laws", ada)
        response = act(rey, GAMES, action, game.pk, post="yes")
        assert response.status_code == 302 and Game.objects.filter(pk=game.pk).exists()

    def test_nothing_can_be_saved(self, ada):
        game = whole("laws", ada)
        browser = Browser(root())
        before = {**stored(), "User": 0}
        for path in (change(game), f"{SCORES}{game.pk}/change/"):
            response = browser.send(path, ply="99", value="99", struck="on", _save="Save")
            assert response.status_code == 403
        assert {**stored(), "User": 0} == before
        assert not Score.objects.filter(struck=True).exists()

    def test_need_the_token_of_a_form(self, ada, rey):
        game = whole("laws", ada)
        response = act(
            rey, GAMES, "strike", game.pk, reason="Why not.", csrfmiddlewaretoken="x" * 32
        )
        assert response.status_code == 403 and not Decision.objects.exists()
