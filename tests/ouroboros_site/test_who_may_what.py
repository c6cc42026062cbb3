"""Every address × every method × everybody: the one table of who gets which answer.

A cell is the status of the answer; a row with one status says that it is everybody's. An address
that is missing here fails the first test; a method that is not named is answered with 405.
"""

from collections import defaultdict
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from ouroboros_site.accounts.models import User
from ouroboros_site.play import daily, seating, services
from tests.tricks.pads.helpers import new_pad

from .play.helpers import Browser, finish, guest, legal, new_game
from .play.shared import new_table, turn, waiting_table

pytestmark = pytest.mark.django_db

WHO = ("nobody", "guest", "owner", "another", "suspended", "reviewer", "staff", "superuser")

# Not the superuser either: whose game it is, plays it.
OURS = """
GET  /                                      200
GET  /favicon.ico                           302
POST /look                                  302

GET  /account/                              302 200 200 200 200 200 200 200
GET  /account/sign-up                       200 200 302 302 302 302 302 302
POST /account/sign-up                       302 302 302 302 302 302 302 302
GET  /account/log-in                        200 200 302 302 302 302 302 302
POST /account/log-in                        400 400 302 302 302 302 302 302
POST /account/log-out                       302
POST /account/log-out-everywhere            302
GET  /account/name                          302 302 200 200 403 200 200 200
POST /account/name                          302 302 302 302 403 302 302 302
GET  /account/e-mail                        302 302 200 200 200 200 200 200
POST /account/e-mail                        302 302 400 400 400 400 400 400
GET  /account/password                      302 302 200 200 200 200 200 200
POST /account/password                      302 302 400 400 400 400 400 400
GET  /account/delete                        302 302 200 200 200 200 200 200
POST /account/delete                        302 302 400 400 400 409 409 409
GET  /account/games/                        302 200 200 200 200 200 200 200
GET  /account/export.json                   302 200 200 200 200 200 200 200
GET  /account/reset                         200
POST /account/reset                         302
GET  /account/reset/sent                    200
GET  /account/reset/done                    200
GET  /account/reset/MQ/no-token/            404
POST /account/reset/MQ/no-token/            404

GET  /boards/                               302
GET  /boards/laws/                          200
GET  /boards/laws/week/                     200
GET  /boards/laws/today/                    200
GET  /boards/laws/daily/{today}/            200
GET  /boards/trick/                         200
GET  /boards/trick/people/                  200
GET  /boards/ochs-esel/                     200
GET  /boards/ochs-esel/people/              200
GET  /daily/                                200
GET  /daily/laws/                           200
GET  /daily/laws/{today}/                   200
GET  /people/Ada/                           200

GET  /games/{open}/                         302
GET  /games/{open}/replay/                  403 403 409 403 403 200 403 200
GET  /games/{over}/replay/                  200
GET  /games/{tried}/replay/                 409 409 200 409 409 200 409 200
GET  /games/{gone}/replay/                  404 404 404 404 404 200 404 200
GET  /games/{open}/record.json              403 403 409 403 403 409 403 409
GET  /games/{over}/record.json              200
GET  /games/{tried}/record.json             409 409 200 409 409 200 409 200
GET  /games/{gone}/record.json              404 404 404 404 404 200 404 200
GET  /games/{tallied}/tally/                403 403 200 403 403 200 403 200
GET  /games/{tallied}/tally.csv             403 403 200 403 403 200 403 200
GET  /games/{counted}/tally/                200
GET  /games/{counted}/tally.csv             200
GET  /games/{open}/tally/                   403 403 404 403 403 404 403 404
GET  /games/{over}/tally/                   404
GET  /games/{over}/tally.csv                404
GET  /games/{gone}/tally/                   404
GET  /replay/                               200
POST /replay/                               400
GET  /verify/                               200

GET  /laws/rules/                           200
POST /laws/start                            302 302 302 302 403 302 302 302
GET  /laws/{open}/                          403 403 200 403 403 403 403 403
GET  /laws/{over}/                          403 403 200 403 403 403 403 403
GET  /laws/{open}/move                      302
GET  /laws/{open}/preview                   302
GET  /laws/{open}/undo                      302
GET  /laws/{open}/redo                      302
GET  /laws/{open}/retire                    302
POST /laws/{open}/move                      403 403 302 403 403 403 403 403
POST /laws/{open}/preview                   403 403 200 403 403 403 403 403
POST /laws/{open}/undo                      403 403 409 403 403 403 403 403
POST /laws/{open}/redo                      403 403 409 403 403 403 403 403
POST /laws/{open}/retire                    403 403 302 403 403 403 403 403
POST /laws/{over}/move                      403 403 409 403 403 403 403 403
GET  /laws/new/                             404
GET  /laws/{open}/advance                   302
GET  /laws/{open}/pace                      302
POST /laws/{open}/advance                   403 403 404 403 403 403 403 403
POST /laws/{open}/pace                      403 403 404 403 403 403 403 403

GET  /trick/rules/                          200
GET  /trick/new/                            200
POST /trick/start                           302 302 302 302 403 302 302 302
GET  /trick/{shared}/                       403 403 200 200 403 403 403 403
GET  /trick/{shared}/move                   302
GET  /trick/{shared}/advance                302
GET  /trick/{shared}/pace                   302
POST /trick/{shared}/move                   403 403 302 409 403 403 403 403
POST /trick/{shared}/preview                403 403 200 200 403 403 403 403
POST /trick/{shared}/undo                   403 403 409 409 403 403 403 403
POST /trick/{shared}/redo                   403 403 409 409 403 403 403 403
POST /trick/{shared}/retire                 403 403 409 409 403 403 403 403
POST /trick/{shared}/advance                403 403 302 302 403 403 403 403
POST /trick/{shared}/pace                   403 403 302 302 403 403 403 403
GET  /games/{shared}/replay/                403 403 409 409 403 200 403 200
GET  /games/{shared}/record.json            403 403 409 409 403 409 403 409
GET  /games/{left}/replay/                  200
GET  /games/{left}/record.json              200
POST /trick/{left}/move                     403 403 409 403 403 403 403 403
POST /trick/{left}/advance                  403 403 302 403 403 403 403 403

GET  /trick/{met}/here                      302
GET  /trick/{met}/back                      302
GET  /trick/{met}/vote                      302
GET  /trick/{met}/say                       302
GET  /trick/{met}/mute                      302
GET  /trick/{met}/rematch                   302
POST /trick/{met}/here                      403 403 302 302 403 403 403 403
POST /trick/{met}/back                      403 403 302 302 403 403 403 403
POST /trick/{met}/vote                      403 403 409 409 403 403 403 403
POST /trick/{met}/say                       403 403 302 302 403 403 403 403
POST /trick/{met}/mute                      403 403 302 400 403 403 403 403
POST /trick/{met}/rematch                   403 403 409 409 403 403 403 403
POST /trick/{left}/rematch                  403 403 302 403 403 403 403 403
POST /trick/{waits}/here                    403 403 302 302 403 403 403 403
POST /laws/{open}/here                      403 403 404 403 403 403 403 403
GET  /trick/{waits}/                        403 403 302 302 403 403 403 403
GET  /watch/{watched}/                      200
GET  /watch/{key}/                          302
GET  /watch/no-such-table/                  404

GET  /tables/                               200
GET  /join/{key}/                           200 200 302 302 200 200 200 200
POST /join/{key}/                           302 302 302 302 403 302 302 302
GET  /join/no-such-table/                   404
POST /join/no-such-table/                   404
GET  /seat/{code}/                          200 200 302 200 200 200 200 200
POST /seat/{code}/                          302 302 302 409 403 302 302 302
GET  /seat/no-such-code/                    404
POST /seat/no-such-code/                    404
GET  /trick/{waits}/room                    403 403 200 200 403 403 403 403
GET  /trick/{shared}/room                   403 403 302 302 403 403 403 403
GET  /laws/{open}/room                      404
GET  /trick/{waits}/wait                    302
GET  /trick/{waits}/fill                    302
GET  /trick/{waits}/remove                  302
GET  /trick/{waits}/leave                   302
GET  /trick/{waits}/hand-over               302
POST /trick/{waits}/wait                    403 403 302 302 403 403 403 403
POST /trick/{waits}/fill                    403 403 302 403 403 403 403 403
POST /trick/{waits}/remove                  403 403 302 403 403 403 403 403
POST /trick/{waits}/leave                   403 403 302 302 403 403 403 403
POST /trick/{waits}/hand-over               403 403 200 200 403 403 403 403
POST /trick/{shared}/leave                  403 403 302 302 403 403 403 403
POST /trick/{shared}/hand-over              403 403 200 200 403 403 403 403
POST /trick/{left}/hand-over                403 403 302 403 403 403 403 403
POST /laws/{open}/leave                     404

GET  /pads/                                 200
GET  /pads/new/                             200
POST /pads/new/                             302 302 302 302 403 302 302 302
GET  /pads/sw.js                            200
GET  /pads/{pad}/                           200
GET  /pads/{pad}/board                      200
GET  /pads/{pad}/sheet/                     200
GET  /pads/{pad}/sheet.csv                  200
GET  /pads/{pad}/1/0/                       302 302 200 302 302 302 302 302
GET  /pads/{pad}/1/start                    302
POST /pads/{pad}/1/0/                       403 403 302 403 403 403 403 403
POST /pads/{pad}/1/start                    403 403 302 403 403 403 403 403
POST /pads/{pad}/share                      403 403 302 403 403 403 403 403
POST /pads/{pad}/delete                     403 403 302 403 403 403 403 403
GET  /pads/no-such-pad/                     404
POST /pads/no-such-pad/1/0/                 404
"""

# Who is no staff is led to the log-in page.
ADMIN = """
GET  /admin/                                         302 302 302 302 302 200 200 200
GET  /admin/login/                                   302
POST /admin/login/                                   405
GET  /admin/logout/                                  302 302 302 302 302 405 405 405
POST /admin/logout/                                  302
GET  /admin/password_change/                         302
POST /admin/password_change/                         302
GET  /admin/password_change/done/                    302 302 302 302 302 200 200 200
GET  /admin/autocomplete/                            302 302 302 302 302 403 403 403
GET  /admin/jsi18n/                                  302 302 302 302 302 200 200 200
GET  /admin/r/1/1/                                   302
GET  /admin/nowhere                                  302 302 302 302 302 404 404 404
GET  /admin/auth/                                    302 302 302 302 302 404 404 200
GET  /admin/accounts/                                302 302 302 302 302 404 404 200
GET  /admin/leaderboards/                            302 302 302 302 302 200 404 200
GET  /admin/play/                                    302 302 302 302 302 200 404 200
GET  /admin/auth/group/                              302 302 302 302 302 403 403 200
GET  /admin/auth/group/add/                          302 302 302 302 302 403 403 200
POST /admin/auth/group/add/                          302 302 302 302 302 403 403 200
GET  /admin/auth/group/{reviewers}/                  302
GET  /admin/auth/group/{reviewers}/history/          302 302 302 302 302 403 403 200
GET  /admin/auth/group/{reviewers}/delete/           302 302 302 302 302 403 403 200
POST /admin/auth/group/{reviewers}/delete/           302 302 302 302 302 403 403 302
GET  /admin/auth/group/{reviewers}/change/           302 302 302 302 302 403 403 200
POST /admin/auth/group/{reviewers}/change/           302 302 302 302 302 403 403 200
GET  /admin/accounts/user/                           302 302 302 302 302 403 403 200
POST /admin/accounts/user/                           302 302 302 302 302 403 403 200
GET  /admin/accounts/user/export/                    302 302 302 302 302 403 403 200
GET  /admin/accounts/user/add/                       302 302 302 302 302 403 403 200
POST /admin/accounts/user/add/                       302 302 302 302 302 403 403 200
GET  /admin/accounts/user/{ada}/                     302
GET  /admin/accounts/user/{ada}/history/             302 302 302 302 302 403 403 200
GET  /admin/accounts/user/{ada}/delete/              302 302 302 302 302 403 403 403
POST /admin/accounts/user/{ada}/delete/              302 302 302 302 302 403 403 403
GET  /admin/accounts/user/{ada}/change/              302 302 302 302 302 403 403 200
POST /admin/accounts/user/{ada}/change/              302 302 302 302 302 403 403 200
GET  /admin/accounts/user/{ada}/password/            302 302 302 302 302 403 403 200
POST /admin/accounts/user/{ada}/password/            302 302 302 302 302 403 403 200
GET  /admin/leaderboards/score/                      302 302 302 302 302 200 403 200
POST /admin/leaderboards/score/                      302 302 302 302 302 200 403 200
GET  /admin/leaderboards/score/export/               302 302 302 302 302 200 403 200
GET  /admin/leaderboards/score/add/                  302 302 302 302 302 403 403 403
POST /admin/leaderboards/score/add/                  302 302 302 302 302 403 403 403
GET  /admin/leaderboards/score/{over}/               302
GET  /admin/leaderboards/score/{over}/history/       302
GET  /admin/leaderboards/score/{over}/delete/        302 302 302 302 302 403 403 403
POST /admin/leaderboards/score/{over}/delete/        302 302 302 302 302 403 403 403
GET  /admin/leaderboards/score/{over}/change/        302 302 302 302 302 200 403 200
POST /admin/leaderboards/score/{over}/change/        302 302 302 302 302 403 403 403
GET  /admin/play/game/                               302 302 302 302 302 200 403 200
POST /admin/play/game/                               302 302 302 302 302 200 403 200
GET  /admin/play/game/add/                           302 302 302 302 302 403 403 403
POST /admin/play/game/add/                           302 302 302 302 302 403 403 403
GET  /admin/play/game/{open}/                        302
GET  /admin/play/game/{open}/log/                    302 302 302 302 302 200 403 200
GET  /admin/play/game/{open}/hidden/                 302 302 302 302 302 200 403 200
GET  /admin/play/game/{shared}/seats/0/              302 302 302 302 302 200 403 200
POST /admin/play/game/{shared}/seats/0/              302 302 302 302 302 200 403 200
POST /admin/play/game/{shared}/seats/9/              302 302 302 302 302 404 403 404
GET  /admin/play/game/{open}/history/                302 302 302 302 302 200 403 200
GET  /admin/play/game/{open}/delete/                 302 302 302 302 302 403 403 403
POST /admin/play/game/{open}/delete/                 302 302 302 302 302 403 403 403
GET  /admin/play/game/{open}/change/                 302 302 302 302 302 200 403 200
POST /admin/play/game/{open}/change/                 302 302 302 302 302 403 403 403
GET  /admin/play/game/{over}/log/                    302 302 302 302 302 200 403 200
GET  /admin/play/game/{over}/hidden/                 302 302 302 302 302 200 403 200
"""


class World:
    """Ada has a game that goes on, one that is over, a daily try that is over, two tables of a
    game with a tally, one of them over, a table that she left, two at which Bob sits too, one
    of them met by a link, and one where they wait for others."""

    def __init__(self) -> None:
        self.ada = User.objects.create_user("Ada")
        self.people = {
            "nobody": None,
            "guest": guest(),
            "owner": self.ada,
            "another": User.objects.create_user("Bob"),
            "suspended": User.objects.create_user("Eve", suspended=timezone.now()),
            "reviewer": User.objects.create_user("Rey", is_staff=True),
            "staff": User.objects.create_user("Stan", is_staff=True),
            "superuser": User.objects.create_superuser("Root"),
        }
        self.reviewers = Group.objects.get(name="Reviewer")
        self.people["reviewer"].groups.add(self.reviewers)
        self.open = new_game("laws", self.ada)
        self.over = finish(new_game("laws", self.ada), self.ada)
        attempt, _user = services.start_game(user=self.ada, slug="market", day=daily.today())
        self.tried = finish(attempt, self.ada)
        self.tallied = new_table("ochs-esel", self.ada)
        self.counted = finish(new_table("ochs-esel", self.ada), self.ada)
        # Ada is to move.
        seeds = (f"{number:064x}" for number in range(1, 100))
        tables = (new_table("trick", self.ada, seed=seed) for seed in seeds)
        self.shared = next(game for game in tables if turn(game) == 0)
        self.shared.seats.filter(index=1).update(user=self.people["another"], bot="", name="")
        self.left = finish(new_table("trick", self.ada), self.ada)
        self.waits = waiting_table("trick", self.ada)
        seating.sit_down(user=self.people["another"], key=self.waits.key)
        self.waits.refresh_from_db()
        self.met = waiting_table("trick", self.ada, players=3, free=1)
        seating.sit_down(user=self.people["another"], key=self.met.key)
        self.code = seating.offer(user=self.ada, slug="trick", game_id=self.waits.pk)
        self.pad = new_pad(self.ada)
        self.today = daily.today().isoformat()
        self.gone = finish(new_game("laws", lost := guest()), lost)
        lost.delete()
        self.browser = Browser()
        self.cookies = {
            who: Browser(user).cookies.output(header="", sep=";")
            for who, user in self.people.items()
        }

    def path(self, pattern: str) -> str:
        """An address of the table with this world's numbers in it."""
        return pattern.format(
            open=self.open.pk,
            over=self.over.pk,
            tried=self.tried.pk,
            gone=self.gone.pk,
            tallied=self.tallied.pk,
            counted=self.counted.pk,
            shared=self.shared.pk,
            left=self.left.pk,
            waits=self.waits.pk,
            met=self.met.pk,
            watched=self.met.key,
            key=self.waits.key,
            code=self.code,
            ada=self.ada.pk,
            today=self.today,
            pad=self.pad.key,
            reviewers=self.reviewers.pk,
        )

    def fields(self, path: str) -> dict[str, Any]:
        """What a form of this address sends."""
        new = {"name": "New-Name", "password1": "snake bites 26", "password2": "snake bites 26"}
        return {
            "/account/sign-up": new,
            "/account/name": new,
            "/account/log-in": {"username": "Ada", "password": "not hers"},
            "/account/reset": {"email": "ada@example.com"},
            f"/laws/{self.open.pk}/move": {"version": "0", "text": legal(self.open)[0]},
            f"/laws/{self.over.pk}/move": {"version": "1", "text": "bribe 1"},
            f"/trick/{self.shared.pk}/move": {"version": "0", "text": legal(self.shared)[0]},
            f"/trick/{self.left.pk}/move": {"version": "1", "text": "play R1"},
            f"/trick/{self.shared.pk}/pace": {"pace": "slow"},
            f"/trick/{self.met.pk}/say": {"phrase": "hello"},
            f"/trick/{self.met.pk}/mute": {"mute": "1"},
            f"/join/{self.waits.key}/": {"name": "Bea"},
            f"/seat/{self.code}/": {"name": "Bea"},
            f"/trick/{self.waits.pk}/fill": {"level": "easy"},
            f"/trick/{self.waits.pk}/remove": {"version": self.waits.version, "seat": "1"},
            "/pads/new/": {"name": ["Anna", "Ben", "Cem"], "client": "c" * 32},
            f"/pads/{self.pad.key}/1/0/": {"how": "type", "points": "5", "client": "c" * 32},
            f"/pads/{self.pad.key}/1/start": {"player": "1", "client": "c" * 32},
        }.get(path, {"version": "0"})


@pytest.fixture
def world(db) -> World:
    return World()


def table(text: str) -> list[tuple[str, str, list[int]]]:
    """The rows of a table: method, address, a status for each of ``WHO``."""
    rows = []
    for line in filter(None, text.splitlines()):
        method, path, *cells = line.split()
        statuses = [int(cell) for cell in cells]
        rows.append((method, path, statuses * len(WHO) if len(cells) == 1 else statuses))
    return rows


ROWS = table(OURS) + table(ADMIN)


def routes(patterns=None, prefix: str = "") -> list[str]:
    """Every route of the site, as Django writes it."""
    found = []
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            found += routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            found.append(route)
    return found


def ask(world: World, who: str, method: str, pattern: str) -> int:
    """The status that somebody gets; whatever it changed is undone."""
    path = world.path(pattern)
    browser = world.browser
    browser.cookies = SimpleCookie(world.cookies[who])
    with transaction.atomic():
        if method == "POST":
            answer = browser.send(path, **world.fields(path))
        else:
            answer = browser.generic(method, path)
        transaction.set_rollback(True)
    return answer.status_code


@pytest.mark.parametrize("rows", [table(OURS), table(ADMIN)], ids=["ours", "admin"])
def test_the_table(world, rows):
    wrong = []
    for method, pattern, statuses in rows:
        found = [ask(world, who, method, pattern) for who in WHO]
        if found != statuses:
            wrong.append(f"{method} {pattern} {found} instead of {statuses}")
    assert not wrong, "\n".join(wrong)


def test_no_address_is_missing(world):
    reached = {get_resolver().resolve(world.path(pattern)).route for _m, pattern, _s in ROWS}
    assert set(routes()) - reached == set()


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")
OUR_PATHS = dict.fromkeys(pattern for _method, pattern, _statuses in table(OURS))


def test_other_methods_are_not_allowed(world):
    def route(pattern: str) -> str:
        return get_resolver().resolve(world.path(pattern)).route

    allowed = defaultdict(set)
    for method, pattern, _statuses in ROWS:
        allowed[route(pattern)].add(method)
    browser = Browser(world.ada)
    token = {"X-CSRFToken": browser.cookies["csrftoken"].value}
    for pattern in OUR_PATHS:
        for method in set(METHODS) - allowed[route(pattern)]:
            answer = browser.generic(method, world.path(pattern), headers=token)
            assert answer.status_code == 405, (method, pattern)
