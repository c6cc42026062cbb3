"""The pages of every game: home, starting, the table and what is sent from it.

Every write is a plain form; htmx only changes what comes back (the table's fragment instead of a
redirect). What a game looks like and how its controls are read comes from the registry.
"""

import logging
import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import wraps
from secrets import token_hex
from typing import Any

from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template import loader
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ouroboros_site.accounts import rates
from ouroboros_site.accounts.sessions import remember
from ouroboros_site.engine.errors import RulesError

from . import registry, services
from .models import PACES, Game
from .registry import Kind, Selection, Setup
from .services import Played, Refused, Seated
from .tables import entries, game_info, table

logger = logging.getLogger(__name__)

CONTINUE = 20
PLAYED = 8
AT_ONCE = 40
"""So many moves that need nobody are made in one request at most."""
ONCE = re.compile(r"[0-9a-f]{32}")


# --- home and rules ------------------------------------------------------------------------------


@require_safe
@ensure_csrf_cookie
def home(request: HttpRequest) -> HttpResponse:
    """What can be played, and what this visitor can go on with."""
    open_games: list[dict[str, Any]] = []
    finished_games: list[dict[str, Any]] = []
    if request.user.is_authenticated:
        games = Game.objects.of(request.user).select_related("daily")
        games = games.annotate(seat=F("seats__index"))
        open_games = _summaries(games.open()[:CONTINUE])
        finished_games = _summaries(games.over()[:PLAYED])
    context = {
        "kinds": list(registry.all_kinds()),
        "once": token_hex(16),
        "open_games": open_games,
        "finished_games": finished_games,
    }
    return render(request, "home.html", context)


def _summaries(games: Iterable[Game]) -> list[dict[str, Any]]:
    """Games in a list, as the visitor sees them from ``seat``."""
    summaries = []
    for game in games:
        kind = game.kind
        try:
            summary = kind.summary(kind.rules.view(game.load(), game.seat))
        except (RulesError, KeyError):
            # One spoilt row must not close the way to the others.
            logger.exception("game %s cannot be loaded", game.pk)
            continue
        info = game_info(game, game.seat)
        summaries.append({"game": info, "title": kind.title, "summary": summary})
    return summaries


@require_safe
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules of a game in our own words."""
    try:
        kind = registry.get(slug)
    except KeyError:
        return refuse(request, Refused(404, "no-game", services.NO_GAME))
    context = {"kinds": list(registry.all_kinds()), "slug": slug}
    return render(request, kind.rules_template, context)


# --- starting ------------------------------------------------------------------------------------


@require_safe
@ensure_csrf_cookie
def new_table(request: HttpRequest, slug: str) -> HttpResponse:
    """The page on which a table of several seats is set up."""
    try:
        kind = registry.get(slug)
    except KeyError:
        return refuse(request, Refused(404, "no-game", services.NO_GAME))
    if kind.read_setup is None:
        return refuse(request, Refused(404, "alone", services.ALONE))
    return _new_table(request, kind)


def _new_table(request: HttpRequest, kind: Kind, message: str = "") -> HttpResponse:
    """The page, or with ``message`` the page again: why the posted table cannot be set up so."""
    context = {
        "kind": kind,
        "slug": kind.rules.SLUG,
        "levels": kind.levels,
        "once": token_hex(16),
        "posted": request.POST,
        "message": message,
    }
    return render(request, kind.new_template, context, status=400 if message else 200)


@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a game, ranked unless ``practice`` is posted, and go to its table.

    With ``day`` it is one's try at the daily deal of that day, which must be today.
    """
    practice = bool(request.POST.get("practice"))
    if not request.user.is_authenticated and (
        seconds := rates.hit("guest", rates.address(request))
    ):
        return rates.too_many(request, seconds)
    try:
        game, user = services.start_game(
            user=request.user,
            slug=slug,
            setup=_setup(request, slug),
            ranked=not practice,
            seed=_seed(request, practice),
            day=_day(request.POST.get("day", "")),
            token=_once(request),
        )
    except Refused as refused:
        if refused.code == "new-day":
            messages.info(request, refused.message)
            return redirect("daily", slug)
        if "players" in request.POST and refused.status == 400 and _is_shared(slug):
            return _new_table(request, registry.get(slug), str(refused.message))
        return refuse(request, refused)
    remember(request, user)
    return redirect("table", game.slug, game.pk)


def _is_shared(slug: str) -> bool:
    """Whether this is a game of several seats, whose tables are set up."""
    return slug in [kind.rules.SLUG for kind in registry.shared_kinds()]


def _setup(request: HttpRequest, slug: str) -> Setup | None:
    """How the posted form sets up a table of several seats; None for other games.

    :raises Refused: 400 for what no such form sends
    """
    return registry.get(slug).read_setup(request.POST) if _is_shared(slug) else None


def _seed(request: HttpRequest, practice: bool) -> str | None:
    """The seed of a deal that is to be practised; None if none is asked for.

    :raises Refused: 400 for a seed of a game that counts: whoever knows it knows every card
    """
    seed = request.POST.get("seed", "").strip().lower()
    if seed and not practice:
        raise Refused(400, "seed", _("A seed can be given for practice only."))
    return seed or None


def _day(text: str) -> date | None:
    """The day of a daily deal; None if none is asked for.

    :raises Refused: 400 for what is no day
    """
    if not text:
        return None
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise Refused(400, "no-day", _("This is no day of a daily deal."))
    return day


def _once(request: HttpRequest) -> str | None:
    """The start form's own token; anything that we did not write is none."""
    token = request.POST.get("once", "")
    return token if ONCE.fullmatch(token) else None


# --- the table -----------------------------------------------------------------------------------


def from_table(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For what a table sends: POST only, and an address opened by hand leads to the table."""

    @wraps(view)
    def wrapper(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
        if request.method in ("GET", "HEAD"):
            return redirect("table", slug, game_id)
        return view(request, slug, game_id)

    return require_http_methods(["GET", "HEAD", "POST"])(wrapper)


@require_safe
def show(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """The page of a table."""
    try:
        seated = services.take_seat(user=request.user, slug=slug, game_id=game_id)
    except Refused as refused:
        return refuse(request, refused)
    return _page(request, seated)


@from_table
def move(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Make the move that the posted controls say."""
    selection = Selection()
    try:
        selection = _read(request, slug)
        if selection.looks:
            seated = _seen(request, slug, game_id)
            return _page(request, seated, selection=selection)
        if selection.problem:
            raise Refused(400, "incomplete", selection.problem)
        played = services.submit_moves(
            user=request.user,
            slug=slug,
            game_id=game_id,
            version=_version(request),
            texts=selection.texts,
            confirmed=bool(request.POST.get("confirm")),
        )
    except services.Unconfirmed as ask:
        seated = services.take_seat(user=request.user, slug=slug, game_id=game_id)
        return _page(request, seated, selection=selection, confirm=ask.text)
    except Refused as refused:
        return refuse(request, refused, slug, game_id, selection)
    return _answer(request, played)


@from_table
def preview(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """The fragment that says what the selected cards would do; nothing is played."""
    try:
        selection = _read(request, slug)
        seated = _seen(request, slug, game_id)
    except Refused as refused:
        if request.htmx and refused.code == "stale":
            # Overtaken by a move of this page, or asked by an old tab: the move that may follow
            # will be told. An answer now could take the place of the move's own.
            return HttpResponse(status=204)
        return refuse(request, refused, slug, game_id)
    return _page(request, seated, part="preview", selection=selection, log=[])


@from_table
def undo(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Take back the last move of a practice game."""
    return _change(request, services.undo_move, slug, game_id)


@from_table
def redo(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Play again the move taken back last."""
    return _change(request, services.redo_move, slug, game_id)


@from_table
def retire(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """End the game by the player's wish and keep the score."""
    return _change(request, services.retire_game, slug, game_id)


@from_table
def advance(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Make the move that needs nobody, if it is time for it, and show the table.

    The page asks by itself, at the table's pace; a plain form is a click on "Go on".
    """
    asked = {"user": request.user, "slug": slug, "game_id": game_id}
    try:
        version = _version(request)
        played = services.advance_game(**asked, version=version, by_hand=not request.htmx)
        if played is None:
            return _answer(request, Played(services.take_seat(**asked), None))
        moves = played.moves
        while _hurries(played, len(moves)) and (more := services.go_on(played.seated)):
            played, moves = more, moves + more.moves
    except Refused as refused:
        return refuse(request, refused, slug, game_id)
    return _answer(request, Played(played.seated, moves))


def _hurries(played: Played, number: int) -> bool:
    """Whether the next move comes in the same answer: at an instant pace, within a trick."""
    instant = not PACES[played.seated.game.pace]
    return instant and number < AT_ONCE and "winner" not in played.moves[-1].report


@from_table
def pace(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Set how quickly bots play at this table."""
    chosen = request.POST.get("pace", "")
    try:
        seated = services.set_pace(user=request.user, slug=slug, game_id=game_id, pace=chosen)
    except Refused as refused:
        return refuse(request, refused, slug, game_id)
    return _answer(request, Played(seated, None))


# --- answers -------------------------------------------------------------------------------------


def _change(request: HttpRequest, service: Any, slug: str, game_id: int) -> HttpResponse:
    try:
        played = service(user=request.user, slug=slug, game_id=game_id, version=_version(request))
    except Refused as refused:
        return refuse(request, refused, slug, game_id)
    # The log has changed at its end, or the page at many places: the whole table comes anew.
    return _answer(request, Played(played.seated, None))


def _read(request: HttpRequest, slug: str) -> Selection:
    try:
        return registry.get(slug).read(request.POST)
    except KeyError:
        raise Refused(404, "no-game", services.NO_GAME) from None


def _seen(request: HttpRequest, slug: str, game_id: int) -> Seated:
    """The game for a question about the table that the page shows.

    :raises Refused: 409 if the table has moved on, and as ``take_seat``
    """
    seated = services.take_seat(user=request.user, slug=slug, game_id=game_id)
    if seated.game.version != _version(request):
        raise Refused(409, "stale", services.STALE)
    return seated


def _version(request: HttpRequest) -> int:
    text = request.POST.get("version", "")
    # Nine digits fit into every database's integer.
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Refused(400, "version", _("The page did not say which state of the table it shows."))
    return int(text)


def _answer(request: HttpRequest, played: Played) -> HttpResponse:
    """After a change: the table's fragment, or with plain forms a redirect to its page."""
    game = played.seated.game
    if not request.htmx:
        return redirect("table", game.slug, game.pk)
    if played.moves is None:
        return _page(request, played.seated)
    return _page(request, played.seated, log=entries(played.moves[::-1]), fresh=True)


def _page(
    request: HttpRequest,
    seated: Seated,
    *,
    part: str = "table",
    selection: Selection | None = None,
    fresh: bool = False,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The table's page, or for htmx its fragment ``part``.

    :param fresh: ``log`` holds only what is new; the page keeps the rest of its log
    """
    game = seated.game
    kind = game.kind
    if selection is not None:
        more["selection"] = selection
        # At a table with others a preview comes from what the seat sees, as everything does.
        seen = seated.state if game.players == 1 else seated.view
        more["preview"] = kind.preview(seen, selection, game.ranked)
    context = kind.present(table(seated, **more))
    context["fresh"] = fresh
    if game.is_over:
        context["once"] = token_hex(16)
    template = kind.template
    if request.htmx and not request.htmx.history_restore_request:
        template += f"#{part}"
    return render(request, template, context, status=status)


def refuse(
    request: HttpRequest,
    refused: Refused,
    slug: str = "",
    game_id: int = 0,
    selection: Selection | None = None,
) -> HttpResponse:
    """Say why a request was not carried out, on the table as it stands if it is the visitor's."""
    # Of a damaged game no table is shown that would ask for the next move at once.
    if game_id and refused.status in (400, 409) and refused.code != "damaged":
        try:
            seated = services.take_seat(user=request.user, slug=slug, game_id=game_id)
        except Refused as worse:
            refused = worse
        else:
            # After a move elsewhere the selection is of another hand.
            kept = selection if refused.status == 400 else None
            return _page(
                request,
                seated,
                selection=kept,
                message=str(refused.message),
                status=refused.status,
            )
    return error_page(request, refused.status, str(refused.message), refused.code)


def error_page(
    request: HttpRequest, status: int, message: str = "", code: str = ""
) -> HttpResponse:
    """A page of its own for an error; ``code`` is that of the refusal."""
    context = {"message": message, "code": code}
    return render(request, f"{status}.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request that cannot be read at all.

    Django's own view reads the body again for its token, which fails where the body is at fault.
    """
    return error_page(request, 400)


def server_error(request: HttpRequest) -> HttpResponse:
    """A fault of ours. The page asks nothing of the database, which may be what is at fault."""
    return HttpResponse(loader.render_to_string("500.html", {"theme": "auto"}), status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form from a page that is too old, or from another site."""
    return render(request, "403_csrf.html", status=403)
