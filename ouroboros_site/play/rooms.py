"""Pages of tables of several persons until their game begins: lobby, invitation, waiting room.

Those on which a seat changes hands are here too. Nothing of a table's cards reaches these pages:
they get a ``Shown``, which knows who sits where. Every change is a plain form.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_safe

from ouroboros_site.accounts import names, rates
from ouroboros_site.accounts.sessions import remember

from . import live, registry, seating
from .models import TURN_TIMES, Game, Seat, SeatChange
from .registry import Kind
from .seating import Room
from .services import Refused, name_of
from .views import HANDED, error_page, from_table

What = SeatChange.What

CALLED = "called"
"""Where the session keeps what a guest was called last."""
OWN_TABLES = 20
"""So many of one's own tables the lobby shows at most."""
NEWS: dict[str, str | Promise] = {
    "sat": gettext_lazy("%(who)s has sat down."),
    "moved": gettext_lazy("%(who)s has changed seats."),
    "stood": gettext_lazy("Somebody has stood up."),
    "removed": gettext_lazy("The host has freed a seat."),
    "host": gettext_lazy("%(who)s is the host now."),
    "handed": gettext_lazy("%(who)s has taken over a seat."),
}
"""What can happen before the start, in words."""


@dataclass(frozen=True, slots=True)
class Place:
    """One seat as everybody may know it.

    ``state`` is "free", "bot", or of a person "here" or "away"; ``level`` is that of a bot, and ""
    if it stands in for a person.
    """

    index: int
    name: str
    state: str
    level: str | Promise
    me: bool
    host: bool

    @property
    def number(self) -> int:
        """The seat's number for people, who count from one."""
        return self.index + 1


@dataclass(frozen=True, slots=True)
class Shown:
    """A table of several seats as its pages may show it to one person.

    ``terms`` say how it is played, in a few words each; ``news`` what happened last.
    """

    id: int
    slug: str
    kind: Kind
    key: str
    terms: tuple[str, ...]
    turn_time: str | Promise
    listed: bool
    ranked: bool
    waiting: bool
    over: bool
    version: int
    commitment: str
    places: tuple[Place, ...]
    news: str

    @property
    def free(self) -> list[Place]:
        """The places that nobody has."""
        return [place for place in self.places if place.state == "free"]

    @property
    def mine(self) -> Place | None:
        """The place of the person who looks."""
        return next((place for place in self.places if place.me), None)

    @property
    def host(self) -> Place | None:
        """The host's place."""
        return next((place for place in self.places if place.host), None)

    @property
    def stamp(self) -> str:
        """The same as long as the page need not be shown anew."""
        host = self.host.index if self.host else ""
        return f"{self.version}-{''.join(place.state[0] for place in self.places)}{host}"


def show(room: Room) -> Shown:
    """What may be shown of a table to the person who looks."""
    game, now = room.game, timezone.now()
    places = tuple([_place(room, seat, now) for seat in room.seats])
    return Shown(
        id=game.pk,
        slug=game.slug,
        kind=game.kind,
        key=game.key or "",
        terms=tuple(game.kind.terms(game.options)),
        turn_time=TURN_TIMES.get(game.turn_time, ""),
        listed=game.listed,
        ranked=game.ranked,
        waiting=game.is_waiting,
        over=game.is_over,
        version=game.version,
        commitment=game.commitment,
        places=places,
        news=_news(game.talk, places),
    )


def _place(room: Room, seat: Seat, now: datetime) -> Place:
    free = room.game.is_waiting and not (seat.user_id or seat.bot)
    # A bot is given its name when the game begins.
    named = not (free or (seat.bot and not (seat.user_id or seat.name)))
    me = room.mine is not None and seat.index == room.mine.index
    # Who looks is there.
    presence = "here" if me and not seat.bot else seating.presence(seat, now)
    return Place(
        index=seat.index,
        name=name_of(seat) if named else "",
        state="free" if free else presence,
        level="" if seat.user_id else room.game.kind.levels.get(seat.bot, ""),
        me=me,
        host=seat.index == room.host,
    )


def _news(talk: list[dict[str, Any]], places: tuple[Place, ...]) -> str:
    """What happened last, if it is known and of somebody who still sits there."""
    if not talk or talk[-1].get("what") not in NEWS:
        return ""
    last = talk[-1]
    return str(NEWS[last["what"]]) % {"who": places[last["seat"]].name or _("Somebody")}


# --- the lobby -----------------------------------------------------------------------------------


@require_safe
@ensure_csrf_cookie
def lobby(request: HttpRequest) -> HttpResponse:
    """The tables that wait for anybody, and one's own; for htmx the list, if it has changed."""
    rooms = [room for room in seating.lobby(user=request.user) if room.mine is None]
    tables = [show(room) for room in rooms]
    own = [show(room) for room in _own(request)]
    # What is played at a table is no news here.
    listing = [(table.id, table.waiting and table.version) for table in [*own, *tables]]
    context = {
        "tables": tables,
        "own": own,
        "kinds": list(registry.shared_kinds()),
        "stamp": sha256(str(listing).encode()).hexdigest()[:16],
        "events": live.address("lobby"),
    }
    if request.htmx and not request.htmx.history_restore_request:
        if request.GET.get("stamp") == context["stamp"]:
            return HttpResponse(status=204)
        return render(request, "rooms/lobby.html#tables", context)
    return render(request, "rooms/lobby.html", context)


def _own(request: HttpRequest) -> Iterable[Room]:
    """The visitor's tables with other people that wait or go on."""
    if not request.user.is_authenticated:
        return
    games = Game.objects.of(request.user).open().filter(players__gt=1, key__isnull=False)
    for game in games.prefetch_related("seats__user")[:OWN_TABLES]:
        yield _room(game, request)


def _room(game: Game, request: HttpRequest) -> Room:
    """A game as a table, for the visitor."""
    return Room(game, sorted(game.seats.all(), key=lambda seat: seat.index), request.user)


# --- the invitation ------------------------------------------------------------------------------


def by_link(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For what a secret link leads to: a page with a form, which no search engine shows."""

    @wraps(view)
    def wrapper(request: HttpRequest, **secret: str) -> HttpResponse:
        response = view(request, **secret)
        response["X-Robots-Tag"] = "noindex"
        return response

    return require_http_methods(["GET", "HEAD", "POST"])(ensure_csrf_cookie(wrapper))


@by_link
def join(request: HttpRequest, key: str) -> HttpResponse:
    """What a link leads to: the table as it stands, and a click to sit down."""
    return _sit_down(request, key) if request.method == "POST" else _invitation(request, key)


def _sit_down(request: HttpRequest, key: str) -> HttpResponse:
    if wait := _too_many_guests(request):
        return wait
    called = request.POST.get("name", "")
    try:
        game, user = seating.sit_down(
            user=request.user, key=key, index=_index(request), name=called
        )
    except Refused as refused:
        return _invitation(request, key, refused)
    remember(request, user)
    _keep_name(request, called)
    return redirect(_way_in(game))


def _invitation(request: HttpRequest, key: str, refused: Refused | None = None) -> HttpResponse:
    """The table for somebody who has its link; who sits there already is led to it."""
    try:
        room = seating.find(key=key, user=request.user)
    except Refused as nothing:
        return _closed(request, nothing)
    if room.mine and not refused:
        return redirect(_way_in(room.game))
    if room.mine:
        return _refused(request, refused, room.game)
    if refused and refused.code in ("suspended", "gone"):
        return error_page(request, refused.status, str(refused.message), refused.code)
    if room.game.is_waiting and _last_change(request, room.game.pk) == What.REMOVED:
        return _closed(request, Refused(403, "removed", seating.REMOVED))
    context = {
        "table": show(room),
        "called": request.POST.get("name", request.session.get(CALLED, "")),
        "longest": names.LONGEST,
        "message": refused.message if refused else "",
    }
    return render(request, "rooms/join.html", context, status=refused.status if refused else 200)


def _way_in(game: Game) -> str:
    """Where somebody with a seat at the table belongs now."""
    return reverse("room" if game.is_waiting else "table", args=[game.slug, game.pk])


def _too_many_guests(request: HttpRequest) -> HttpResponse | None:
    """The answer to a visitor for whose address too many guests were made; None for others."""
    if request.user.is_authenticated:
        return None
    seconds = rates.hit("guest", rates.address(request))
    return rates.too_many(request, seconds) if seconds else None


def _keep_name(request: HttpRequest, name: str) -> None:
    """Have the next form that asks for a name hold this one."""
    name = name.strip()[: names.LONGEST]
    if name and request.session.get(CALLED) != name:
        request.session[CALLED] = name


def _index(request: HttpRequest) -> int | None:
    """The seat that was asked for; None for any.

    :raises Refused: 400 for what is no number of a seat
    """
    text = request.POST.get("seat", "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 3):
        raise Refused(400, "no-seat", seating.NO_SEAT)
    return int(text)


def _last_change(request: HttpRequest, game_id: int) -> str:
    """How the visitor came to the seat that they have, or lost it; "" if there was none."""
    if not request.user.pk:
        return ""
    handed = Q(by=request.user, what=What.HANDED)
    changes = SeatChange.objects.filter(handed | Q(user=request.user), game=game_id)
    last = changes.order_by("-pk").first()
    return last.what if last else ""


# --- the waiting room ----------------------------------------------------------------------------


@require_safe
@ensure_csrf_cookie
def room(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Where the seated wait for the others."""
    try:
        there = seating.room(user=request.user, slug=slug, game_id=game_id)
    except Refused as refused:
        return _turned_away(request, refused, game_id)
    seating.look_in(user=request.user, slug=slug, game_id=game_id)
    if not there.game.is_waiting:
        return redirect("table", slug, game_id)
    _keep_name(request, there.mine.name)
    return _waiting_room(request, there)


@from_table
def wait(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Look again: nothing new, the room as it stands, or the way to the table."""
    try:
        there = seating.room(user=request.user, slug=slug, game_id=game_id)
    except Refused as refused:
        return _turned_away(request, refused, game_id)
    if "hidden" not in request.POST:
        seating.look_in(user=request.user, slug=slug, game_id=game_id)
    if not there.game.is_waiting or not request.htmx:
        return redirect(_way_in(there.game))
    table, shown = show(there), request.POST.get("stamp", "")
    if shown == table.stamp:
        return HttpResponse(status=204)
    # Presence comes and goes; what happened to the seats is told once.
    told = not shown.startswith(f"{table.version}-")
    return render(request, "rooms/room.html#seats", {"table": table, "told": told})


def _waiting_room(
    request: HttpRequest, there: Room, message: str | Promise = "", status: int = 200
) -> HttpResponse:
    address = reverse("join", args=[there.game.key])
    context = {
        "table": show(there),
        "invitation": request.build_absolute_uri(address),
        "message": message,
        "events": live.address(f"table-{there.game.pk}"),
    }
    return render(request, "rooms/room.html", context, status=status)


@from_table
def fill(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Start the game with bots on the seats that are free."""
    level = request.POST.get("level", "")
    try:
        game = seating.fill(user=request.user, slug=slug, game_id=game_id, level=level)
    except Refused as refused:
        return _refused_at(request, refused, slug, game_id)
    return redirect(_way_in(game))


@from_table
def remove(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Free the seat of another person, who is told."""
    try:
        version, index = request.POST.get("version", ""), _index(request)
        if index is None or not (version.isascii() and version.isdecimal() and len(version) < 10):
            raise Refused(400, "no-seat", seating.NO_SEAT)
        seating.remove(
            user=request.user, slug=slug, game_id=game_id, version=int(version), index=index
        )
    except Refused as refused:
        return _refused_at(request, refused, slug, game_id)
    return redirect("room", slug, game_id)


@from_table
def leave(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Stand up: before the start the seat is free again, later a bot plays on.

    The waiting room's form says ``waiting``: what it asks for holds before the start only.
    """
    try:
        if request.POST.get("waiting"):
            there = seating.room(user=request.user, slug=slug, game_id=game_id)
            if not there.game.is_waiting:
                messages.info(request, _("The game had begun already: you still have your seat."))
                return redirect("table", slug, game_id)
        game = seating.leave(user=request.user, slug=slug, game_id=game_id)
    except Refused as refused:
        return _turned_away(request, refused, game_id)
    if game is None or game.is_waiting:
        messages.info(request, _("You have left the table."))
        return redirect("tables")
    if game.is_over:
        return redirect("table", slug, game_id)
    messages.info(
        request,
        _("A bot plays on for you. You can take your seat back: the table stands below."),
    )
    return redirect("tables")


# --- handing a seat over -------------------------------------------------------------------------


@from_table
def hand_over(request: HttpRequest, slug: str, game_id: int) -> HttpResponse:
    """Show the code with which another device, or somebody else, takes this seat once."""
    try:
        code = seating.offer(user=request.user, slug=slug, game_id=game_id)
        there = seating.room(user=request.user, slug=slug, game_id=game_id)
    except Refused as refused:
        return _refused_at(request, refused, slug, game_id)
    context = {
        "table": show(there),
        "address": request.build_absolute_uri(reverse("take_over", args=[code])),
        "back": _way_in(there.game),
        "minutes": seating.OFFER.seconds // 60,
    }
    return render(request, "rooms/hand_over.html", context)


@by_link
def take_over(request: HttpRequest, code: str) -> HttpResponse:
    """What such a code leads to: whose seat it is, and a click to take it."""
    refused = None
    if request.method == "POST":
        if wait := _too_many_guests(request):
            return wait
        called = request.POST.get("name", "")
        try:
            game, user = seating.take_over(user=request.user, code=code, name=called)
        except Refused as problem:
            refused = problem
        else:
            remember(request, user)
            _keep_name(request, called)
            return redirect(_way_in(game))
    return _offer(request, code, refused)


def _offer(request: HttpRequest, code: str, refused: Refused | None) -> HttpResponse:
    try:
        seat = seating.offered(code=code)
    except Refused as nothing:
        return _closed(request, nothing)
    if refused and refused.status == 403:
        return _closed(request, refused)
    room = Room(
        seat.game, list(seat.game.seats.select_related("user").order_by("index")), request.user
    )
    if room.mine and room.mine.index == seat.index:
        # Whoever tries the own code has not used it up.
        return redirect(_way_in(seat.game))
    table = show(room)
    context = {
        "table": table,
        "place": table.places[seat.index],
        "seated": room.mine is not None,
        "way_in": _way_in(seat.game),
        "called": request.POST.get("name", request.session.get(CALLED, "") or seat.name),
        "longest": names.LONGEST,
        "message": refused.message if refused else "",
    }
    status = refused.status if refused else 200
    return render(request, "rooms/take_over.html", context, status=status)


# --- refusals ------------------------------------------------------------------------------------


def _refused_at(request: HttpRequest, refused: Refused, slug: str, game_id: int) -> HttpResponse:
    """Say why a form was not carried out, on the page of the table as it stands now."""
    try:
        there = seating.room(user=request.user, slug=slug, game_id=game_id)
    except Refused as worse:
        return _turned_away(request, worse, game_id)
    return _refused(request, refused, there.game)


def _refused(request: HttpRequest, refused: Refused, game: Game) -> HttpResponse:
    """The same, to somebody who has a seat there."""
    if refused.code in ("suspended", "gone"):
        return error_page(request, refused.status, str(refused.message), refused.code)
    if not game.is_waiting:
        messages.info(request, refused.message)
        return redirect("table", game.slug, game.pk)
    there = seating.room(user=request.user, slug=game.slug, game_id=game.pk)
    return _waiting_room(request, there, refused.message, refused.status)


def _turned_away(request: HttpRequest, refused: Refused, game_id: int) -> HttpResponse:
    """The answer to somebody without a seat there, who may have had one."""
    last = _last_change(request, game_id) if refused.code == "not-yours" else ""
    if last == What.STOOD and request.htmx:
        # In another tab, or a moment ago: this page looked again while it was left.
        return redirect("tables")
    if last == What.REMOVED:
        refused = Refused(403, "removed", seating.REMOVED)
    if last == What.HANDED:
        refused = Refused(403, "handed", HANDED)
    return _closed(request, refused)


def _closed(request: HttpRequest, refused: Refused) -> HttpResponse:
    """A page that says what is closed to the visitor, and where to go now."""
    context = {
        "status": refused.status,
        "code": refused.code,
        "message": refused.message,
        "kinds": list(registry.shared_kinds()),
    }
    return render(request, "rooms/closed.html", context, status=refused.status)
