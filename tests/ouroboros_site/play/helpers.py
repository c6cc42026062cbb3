"""What the tests of the site share: browsers, games at any position, and the whole database."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from pathlib import Path
from threading import Barrier
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db import connection, connections
from django.test import Client, RequestFactory

from ouroboros_site.accounts.models import User
from ouroboros_site.play import services
from ouroboros_site.play.models import Game, Move, Seat

RECORDS = Path(__file__).parents[2] / "data" / "records"
EDITIONS = ("laws", "market")
SEED = "5e" * 32
TOKEN = "0123456789abcdef" * 2
WHOLE_GAMES = {"laws": "laws-01-random", "market": "market-02-mixed"}
"""Short records that go to the end of the game."""


# -- people and their browsers --------------------------------------------------------------------


class Browser(Client):
    """One person's browser: it keeps cookies, and its forms carry the token that they must."""

    def __init__(self, user: User | None = None) -> None:
        super().__init__(enforce_csrf_checks=True)
        if user is not None:
            self.force_login(user)
        self.cookies["csrftoken"] = "c" * 32

    def send(self, path: str, *, htmx: bool = False, **fields: Any) -> Any:
        """Send a form of this site, as htmx or as the browser itself does it."""
        fields.setdefault("csrfmiddlewaretoken", self.cookies["csrftoken"].value)
        return self.post(path, fields, headers={"HX-Request": "true"} if htmx else {})

    def look(self, path: str, *, htmx: bool = False) -> Any:
        """Open a page."""
        return self.get(path, headers={"HX-Request": "true"} if htmx else {})


class Answer:
    """What came back through the site's WSGI application."""

    def __init__(self, browser: Browser, path: str, *, htmx: bool = False, **fields: Any) -> None:
        fields.setdefault("csrfmiddlewaretoken", browser.cookies["csrftoken"].value)
        sender = RequestFactory(headers={"HX-Request": "true"} if htmx else {})
        sender.cookies = SimpleCookie({key: at.value for key, at in browser.cookies.items()})
        response = get_wsgi_application()(sender.post(path, fields).environ, self._start)
        self.content = b"".join(response)
        response.close()

    def _start(self, status: str, headers: list[tuple[str, str]]) -> None:
        self.status_code = int(status.split()[0])
        self.headers = dict(headers)
        self.cookies = SimpleCookie()
        for name, value in headers:
            if name == "Set-Cookie":
                self.cookies.load(value)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Make the calls at the same time, each in a thread with a connection of its own."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=10)
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(run, call) for call in calls]]


def guest() -> User:
    return User.objects.create_guest()


def table(game: Game, what: str = "") -> str:
    """The address of a game's table, or of what is sent from it."""
    return f"/{game.slug}/{game.pk}/{what}"


def again(game: Game, what: str = "replay/") -> str:
    """The address at which a game is shown again."""
    return f"/games/{game.pk}/{what}"


# -- games ----------------------------------------------------------------------------------------


def new_game(
    slug: str,
    user: User,
    *,
    ranked: bool = True,
    seed: str = SEED,
    position: dict[str, Any] | None = None,
) -> Game:
    """A game of ``user`` with a known deal, at ``position`` if there is one."""
    game, _user = services.start_game(user=user, slug=slug, ranked=False, seed=seed)
    game.ranked = ranked
    if position is not None:
        game.state = position
        game.rules.check(game.load())
    game.save()
    return game


def submit(game: Game, user: User, *texts: str, version: int | None = None) -> services.Played:
    """Make moves at the game's present version, or another one."""
    if version is None:
        version = Game.objects.get(pk=game.pk).version
    return services.submit_moves(
        user=user, slug=game.slug, game_id=game.pk, version=version, texts=texts
    )


def finish(game: Game, user: User) -> Game:
    """The game, ended by its player."""
    services.retire_game(
        user=user,
        slug=game.slug,
        game_id=game.pk,
        version=Game.objects.get(pk=game.pk).version,
    )
    game.refresh_from_db()
    return game


def legal(game: Game) -> list[str]:
    """The texts of the moves that may be made now."""
    game.refresh_from_db()
    return [game.rules.format_move(move) for move in game.rules.legal_moves(game.load())]


def record(name: str) -> dict[str, Any]:
    return json.loads((RECORDS / f"{name}.json").read_text("utf-8"))


def trace(name: str) -> list[dict[str, Any]]:
    lines = (RECORDS / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


# -- what is stored -------------------------------------------------------------------------------


def stored() -> dict[str, list[dict[str, Any]]]:
    """Every row of games, seats, moves and users, to compare before and after."""
    return {
        model.__name__: list(model.objects.order_by("pk").values())
        for model in (Game, Seat, Move, User)
    }


def standing(game: Game) -> list[str]:
    """The texts of the moves that stand, the oldest first."""
    return list(game.moves.filter(undone=False).order_by("ply").values_list("text", flat=True))


def assert_whole(game: Game) -> Game:
    """Assert that row and log of a game say the same, whatever happened to it."""
    game = Game.objects.get(pk=game.pk)
    rules = game.rules
    state = rules.start(game.seed, game.players, game.options)
    for text in standing(game):
        state = rules.apply(state, rules.parse_move(text))
    assert game.state == rules.position(state)
    plies = list(game.moves.filter(undone=False).order_by("ply").values_list("ply", flat=True))
    assert plies == list(range(1, game.ply + 1))
    versions = list(game.moves.order_by("version").values_list("version", flat=True))
    assert len(set(versions)) == len(versions)
    assert all(1 <= version <= game.version for version in versions)
    ended = rules.outcome(state) is not None
    assert ended <= game.is_over
    assert game.is_over == (game.result is not None)
    return game


def database_url() -> str:
    """The test database as an address for ``DATABASE_URL``, for processes of their own."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{at['NAME']}"
    return f"postgres://{at['USER']}:{at['PASSWORD']}@{at['HOST']}:{at['PORT']}/{at['NAME']}"


# -- what is answered -----------------------------------------------------------------------------


class Page(HTMLParser):
    """A page taken apart: words that a person reads, elements, and what breaks a strict policy."""

    VOID = frozenset(["br", "hr", "img", "input", "link", "meta", "source", "wbr"])

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[str] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open, f"left open: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        assert len(names) == len(attrs), f"an attribute twice: {self.get_starttag_text()}"
        self.elements.append((tag, names))
        if tag not in self.VOID:
            self._open.append(tag)
        if (
            tag == "style"
            or (tag == "script" and "src" not in names)
            or any(name == "style" or name.startswith(("on", "hx-on")) for name in names)
            or any("javascript:" in (value or "").lower() for value in names.values())
        ):
            self.inline.append(self.get_starttag_text() or tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        # Elements whose end a page may leave out are not used here.
        assert self._open[-1] == tag, f"</{tag}> closes <{self._open[-1]}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self._open):
            self.words = " ".join([self.words, *data.split()])

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        """Attributes of every such element."""
        return [
            names
            for name, names in self.elements
            if name == tag and all(names.get(key) == value for key, value in attributes.items())
        ]

    def links(self) -> list[str]:
        return [names["href"] or "" for names in self.all("a")]


def page_of(response: Any) -> Page:
    """Assert that an answer is a whole page that a person understands; the page."""
    html = response.content.decode()
    assert response.headers["Content-Type"].startswith("text/html")
    assert html.startswith("<!DOCTYPE html>") and html.rstrip().endswith("</html>")
    assert "Traceback" not in html and "Exception" not in html
    page = Page(html)
    assert len(page.all("title")) == 1 and len(page.all("h1")) == 1
    assert "/" in page.links()
    assert not page.inline
    return page


def fragment_of(response: Any) -> Page:
    """Assert that an answer is the table's fragment and no more; the fragment."""
    html = response.content.decode()
    assert "<html" not in html and "<head" not in html and "Traceback" not in html
    page = Page(html)
    assert len(page.all("div", id="table")) == 1
    assert not page.inline
    return page
