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
from django.db.models import Count, F, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template import loader
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import reswap

from ouroboros_site.accounts import rates
from ouroboros_site.accounts.sessions import remember
from ouroboros_site.engine.errors import RulesError

from . import live, registry, seating, services
from .company import company
from .models import Game, Seat, SeatChange
from .phrases import PHRASES
from .registry import Kind, Selection, Setup, Summary
from .services import Played, Refused, Seated
from .tables import LOG, entries, game_info, table

logger = logging.getLogger(__name__)

CONTINUE = 20
PLAYED = 8
AT_ONCE = 40
"""So many moves that need nobody are made in one request at most."""
ONCE = re.compile(r"[0-9a-f]{32}")
HANDED = gettext_lazy("Somebody else has taken over your seat at this table.")
TAKEN = Subquery(
    Seat.objects.filter(game=OuterRef("pk"))
    .exclude(user=None, bot="")
    .order_by()
    .values("game")
    .annotate(number=Count("pk"))
    .values("number")
)
"""How many seats of a game somebody has, or a bot."""


# --- home and rules ------------------------------------------------------------------------------


@require_safe
@ensure_csrf_cookie
def home(request: HttpRequest) -> HttpResponse:
    """What can be played, and what this visitor can go on with."""
    open_games: list[dict[str, Any]] = []
    finished_games: list[dict[str, Any]] = []
    if request.user.is_authenticated:
        games = Game.objects.of(request.user).select_related("daily")
        games = games.annotate(seat=F("seats__index"), bot=F("seats__bot"), taken=TAKEN)
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
            summary = _waits(game) or kind.summary(kind.rules.view(game.load(), game.seat))
        except (RulesError, KeyError):
            # One spoilt row must not close the way to the others.
            logger.exception("game %s cannot be loaded", game.pk)
            continue
        info = game_info(game, game.seat, stand_in=bool(game.bot))
        summaries.append({"game": info, "title": kind.title, "summary": summary})
    return summaries


def _waits(game: Game) -> Summary | None:
    """The words for a table that has not begun, and nothing of its cards; None for others."""
    if not game.is_waiting:
        return None
    words = _("waiting for players, %(taken)d of %(players)d")
    return Summary(words % {"taken": game.taken, "players": game.players})


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
        setup = _setup(request, slug)
        if setup and setup.waits and (seconds := rates.hit("table", rates.address(request))):
            return rates.too_many(request, seconds)
        game, user = services.start_game(
            user=request.user,
            slug=slug,
            setup=setup,
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

    :raises Refused: 400 for what no such form sends, and for a guest without a name among others
    """
    if not _is_shared(slug):
        return None
    setup = registry.get(slug).read_setup(request.POST)
    named = setup.name or (request.user.is_authenticated and not request.user.is_guest)
    if setup.waits and not named:
        raise Refused(400, "name", seating.NAMELESS)
    return setup


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
        return refuse(request, refused, slug, game_id)
    _look_in(seated)
    return show_table(request, seated)


@from_table
def move(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Make the move that the posted controls say."""
    selection = Selection()
    try:
        selection = _read(request, slug)
        if selection.looks:
            seated = _seen(request, slug, game_id)
            return show_table(request, seated, selection=selection)
        if selection.problem:
            raise Refused(400, "incomplete", selection.problem)
        played = services.submit_moves(
            user=request.user,
            slug=slug,
            game_id=game_id,
            version=_version(request.POST),
            texts=selection.texts,
            confirmed=bool(request.POST.get("confirm")),
        )
    except services.Unconfirmed as ask:
        seated = services.take_seat(user=request.user, slug=slug, game_id=game_id)
        return show_table(request, seated, selection=selection, confirm=ask.text)
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
    return show_table(request, seated, part="preview", selection=selection, log=[])


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
        version = _version(request.POST)
        played = services.advance_game(**asked, version=version, by_hand=not request.htmx)
        if played is None:
            return _answer(request, Played(services.take_seat(**asked), None))
        if played.moves is None:
            return _answer(request, played)
        moves = played.moves
        while _hurries(played, len(moves)) and (more := services.go_on(played.seated)):
            played, moves = more, moves + more.moves
    except Refused as refused:
        return refuse(request, refused, slug, game_id)
    return _answer(request, Played(played.seated, moves))


def _hurries(played: Played, number: int) -> bool:
    """Whether the next move comes in the same answer: at an instant pace, within a trick."""
    # A person's forced pass waits at every pace, where others could tell it from a choice.
    return not played.seated.pause and number < AT_ONCE and "winner" not in played.moves[-1].report


@from_table
def pace(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Set how quickly bots play at this table."""
    chosen = request.POST.get("pace", "")
    try:
        seated = services.set_pace(user=request.user, slug=slug, game_id=game_id, pace=chosen)
    except Refused as refused:
        return refuse(request, refused, slug, game_id)
    return _answer(request, Played(seated, None))


# --- the others at the table ---------------------------------------------------------------------


@from_table
def here(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """What is new at the table, for a page that is open.

    It says too that its person is there, unless it is hidden.
    """
    try:
        seated = services.take_seat(user=request.user, slug=slug, game_id=game_id)
        if seated.game.players == 1:
            raise Refused(404, "alone", services.ALONE)
        if "hidden" not in request.POST:
            _look_in(seated)
        if not request.htmx:
            return redirect("table", slug, game_id)
        return news(request, seated, request.POST)
    except Refused as refused:
        return refuse(request, refused, slug, game_id)


def _look_in(seated: Seated) -> None:
    """Note that the person is at a table with others, unless that is known."""
    if seated.game.key is None or seated.game.is_over or seated.seat is None:
        return
    now, seen = timezone.now(), seated.people[seated.seat].seen
    if seen is None or not now - seating.SEEN < seen <= now:
        game = seated.game
        seating.look_in(user=seated.user, slug=game.slug, game_id=game.pk)


def news(request: HttpRequest, seated: Seated, seen: QueryDict) -> HttpResponse:
    """For htmx: the table if it has moved on, else what is new of its people, or 204.

    :param seen: what the page shows, as ``version`` and ``stamp``
    :raises Refused: 400 if it does not say
    """
    version, stamp = _version(seen), seen.get("stamp", "")
    # After the end of a turn's time the page is to know that it may ask for the bot at once.
    if seated.game.version != version or seated.is_late:
        return show_table(request, seated, since=version, stamp=stamp)
    return _people(request, seated, stamp)


def _people(request: HttpRequest, seated: Seated, stamp: str) -> HttpResponse:
    """For htmx: what is new of the people at the table since the page's stamp, or 204."""
    there = company(seated)
    if there is None or there.stamp == stamp:
        return HttpResponse(status=204)
    game = game_info(seated.game, seated.seat)
    context = {
        "game": game,
        "company": there,
        "heard": there.heard(stamp),
        "alone": True,
        "watching": seated.seat is None,
    }
    return reswap(render(request, "play/now.html", context), "none")


@from_table
def back(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Play oneself again instead of the bot."""
    return _at_table(request, slug, game_id, seating.come_back)


@from_table
def vote(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Ask for a bot to play for somebody for whom all have waited long."""
    try:
        version = _version(request.POST)
    except Refused as refused:
        return refuse(request, refused, slug, game_id)
    return _at_table(request, slug, game_id, seating.vote, version=version)


@from_table
def say(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Say a ready-made phrase."""
    phrase = request.POST.get("phrase", "")
    return _at_table(request, slug, game_id, seating.say, phrase=phrase)


@from_table
def mute(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Read no phrases of somebody, or read them again."""
    muted = "mute" in request.POST
    text = request.POST.get("mute" if muted else "unmute", "")
    index = int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else -1
    return _at_table(request, slug, game_id, seating.mute, index=index, muted=muted)


@from_table
def rematch(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Sit down at the table where the same people play once more."""
    try:
        game, _user = seating.rematch(user=request.user, slug=slug, game_id=game_id)
    except Refused as refused:
        return refuse(request, refused, slug, game_id)
    return redirect("room" if game.is_waiting else "table", game.slug, game.pk)


def _at_table(
    request: HttpRequest, slug: str, game_id: int, service: Any, **fields: Any
) -> HttpResponse:
    """Do what concerns the people at the table, and show what has changed of it."""
    asked = {"user": request.user, "slug": slug, "game_id": game_id}
    try:
        service(**asked, **fields)
        if not request.htmx:
            return redirect("table", slug, game_id)
        seated = services.take_seat(**asked)
    except Refused as refused:
        return refuse(request, refused, slug, game_id)
    stamp = request.POST.get("stamp", "")
    if service in (seating.say, seating.mute):
        return _people(request, seated, stamp)
    return show_table(request, seated, stamp=stamp)


# --- answers -------------------------------------------------------------------------------------


def _change(request: HttpRequest, service: Any, slug: str, game_id: int) -> HttpResponse:
    try:
        played = service(
            user=request.user, slug=slug, game_id=game_id, version=_version(request.POST)
        )
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
    if seated.game.version != _version(request.POST):
        raise Refused(409, "stale", services.STALE)
    return seated


def _version(fields: QueryDict) -> int:
    text = fields.get("version", "")
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
        return show_table(request, played.seated)
    return show_table(request, played.seated, log=entries(played.moves[::-1]), fresh=True)


def show_table(
    request: HttpRequest,
    seated: Seated,
    *,
    part: str = "table",
    selection: Selection | None = None,
    fresh: bool = False,
    since: int | None = None,
    stamp: str | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The table's page, or for htmx its fragment ``part``.

    :param fresh: ``log`` holds only what is new; the page keeps the rest of its log
    :param since: the version that the page shows, which has everything of the log until then
    :param stamp: what the page shows of the people, who come along if it is not that
    """
    game = seated.game
    kind = game.kind
    if selection is not None:
        more["selection"] = selection
        # At a table with others a preview comes from what the seat sees, as everything does.
        seen = seated.state if game.players == 1 else seated.view
        more["preview"] = kind.preview(seen, selection, game.ranked)
    moves = None
    if since is not None:
        moves = services.recent_moves(game, LOG)
        more["log"] = entries(moves)
    context = kind.present(table(seated, **more))
    context["fresh"] = fresh
    if moves is not None:
        _only_new(context, sum(move.version > since for move in moves))
    if game.is_over:
        context["once"] = token_hex(16)
    template = kind.template
    if request.htmx and not request.htmx.history_restore_request:
        template += f"#{part}"
        there = company(seated) if game.is_over or stamp is not None else None
        context["now"] = there is not None and stamp is not None and there.stamp != stamp
        context["heard"] = there.heard(stamp or "") if there else []
    else:
        there = company(seated)
        context["events"] = live.address(f"table-{game.pk}") if there else ""
        context["phrases"] = PHRASES.items()
    context["company"] = there
    return render(request, template, context, status=status)


def _only_new(context: dict[str, Any], number: int) -> None:
    """Leave only so many lines of the log, which are new, and say nothing that was said before."""
    if number >= LOG:
        return
    ended = context["game"].retired
    context["log"] = context["log"][: number + ended]
    context["fresh"] = True
    if not (number or ended):
        context["said"] = ""


def refuse(
    request: HttpRequest,
    refused: Refused,
    slug: str = "",
    game_id: int = 0,
    selection: Selection | None = None,
) -> HttpResponse:
    """Say why a request was not carried out, on the table as it stands if it is the visitor's."""
    # Of a damaged game no table is shown that would ask for the next move at once.
    if game_id and refused.status in (400, 409, 429) and refused.code not in ("damaged", "waiting"):
        try:
            seated = services.take_seat(user=request.user, slug=slug, game_id=game_id)
        except Refused as worse:
            refused = worse
        else:
            # After a move elsewhere the selection is of another hand.
            kept = selection if refused.status == 400 else None
            return show_table(
                request,
                seated,
                selection=kept,
                message=str(refused.message),
                status=refused.status,
            )
    if refused.code == "waiting":
        return redirect("room", slug, game_id)
    if refused.code == "not-yours" and _has_handed(request, game_id):
        refused = Refused(403, "handed", HANDED)
    return error_page(request, refused.status, str(refused.message), refused.code)


def _has_handed(request: HttpRequest, game_id: int) -> bool:
    """Whether somebody has taken over the seat that this visitor had."""
    if not (request.user.pk and game_id):
        return False
    handed = SeatChange.objects.filter(game=game_id, what=SeatChange.What.HANDED)
    return handed.filter(by=request.user.pk).exists()


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
