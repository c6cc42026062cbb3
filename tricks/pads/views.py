"""The pages of scorepads. Every write is a plain form; the page's script sends the same fields.

Whoever has the key in the address may look; who may write is checked by the services. A script
that asks for JSON gets the reason of a refusal, and the newer line of a cell, as data.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from secrets import token_hex
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ouroboros_site.accounts import rates
from ouroboros_site.accounts.sessions import remember
from ouroboros_site.play import live
from ouroboros_site.play.services import Refused
from ouroboros_site.play.staff import csv_response
from tricks.rules.ochs_esel import LAID_POINTS, MOST_ROUNDS, OPTIONS, OX, POINTS, SEATS, TEXTS

from . import forms, services
from .board import Board, Cell, writer
from .counting import HELD, LAID
from .models import Line, Pad

View = Callable[..., HttpResponseBase]
form_page = require_http_methods(["GET", "HEAD", "POST"])


def refusing(view: View) -> View:
    """For a view of a pad: what is refused is answered with its reason."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except Refused as refused:
            return _stop(request, refused)

    return wrapper


# --- one's own pads ------------------------------------------------------------------------------


@require_safe
def pads(request: HttpRequest) -> HttpResponse:
    """The visitor's own pads."""
    boards = []
    if request.user.is_authenticated:
        own = request.user.pads.prefetch_related("lines")
        boards = [Board(pad, request.user, pad.lines.all()) for pad in own]
    return render(request, "pads/pads.html", {"boards": boards})


@form_page
@ensure_csrf_cookie
@rates.limited("pad")
def new_pad(request: HttpRequest) -> HttpResponse:
    """The form of a new pad, and making it."""
    if request.method != "POST":
        return _new_pad(request)
    if not request.user.is_authenticated and (
        seconds := rates.hit("guest", rates.address(request))
    ):
        return rates.too_many(request, seconds)
    try:
        setup = forms.read_setup(request.POST)
        token = forms.read_client(request.POST)
        pad, owner = services.make_pad(user=request.user, setup=setup, token=token)
    except Refused as refused:
        if refused.status == 400:
            return _new_pad(request, str(refused.message))
        return _stop(request, refused)
    remember(request, owner)
    return redirect(pad)


def _new_pad(request: HttpRequest, message: str = "") -> HttpResponse:
    posted = request.POST
    names = posted.getlist("name")[: SEATS[-1]]
    context = {
        "names": names + [""] * (SEATS[-1] - len(names)),
        "fewest": SEATS[0],
        "rounds": posted.get("rounds", OPTIONS["rounds"]),
        "most_rounds": MOST_ROUNDS,
        "ox": posted.get("ox"),
        "longest": forms.LONGEST,
        "client": token_hex(16),
        "message": message,
    }
    return render(request, "pads/new.html", context, status=400 if message else 200)


# --- looking -------------------------------------------------------------------------------------


@require_safe
@ensure_csrf_cookie
@refusing
def show(request: HttpRequest, key: str) -> HttpResponse:
    """The page of a pad."""
    pad = services.find_pad(key)
    return render(request, "pads/pad.html", _context(request, pad))


@require_safe
@refusing
def board(request: HttpRequest, key: str) -> HttpResponse:
    """What changes of that page; nothing (204) if it is still as in ``version``."""
    pad = services.find_pad(key)
    if request.GET.get("version") == str(pad.version):
        return HttpResponse(status=204)
    return render(request, "pads/pad.html#board", _context(request, pad))


@require_safe
@refusing
def sheet(request: HttpRequest, key: str) -> HttpResponse:
    """The complete rounds, for the printer."""
    pad = services.find_pad(key)
    return render(request, "pads/sheet.html", _context(request, pad))


@require_safe
@refusing
def sheet_file(request: HttpRequest, key: str) -> HttpResponseBase:
    """The complete rounds as CSV."""
    pad = services.find_pad(key)
    header, *rows = Board(pad, request.user).sheet.lines
    return csv_response(f"ochs-esel-{pad.created:%Y-%m-%d}", [str(name) for name in header], rows)


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker that keeps an opened pad for an evening without a network."""
    return render(request, "pads/sw.js", content_type="text/javascript")


def _context(request: HttpRequest, pad: Pad) -> dict[str, Any]:
    return {
        "pad": pad,
        "board": Board(pad, request.user),
        "is_owner": services.is_owner(pad, request.user),
        "may_write": services.may_write(pad, request.user),
        "link": request.build_absolute_uri(pad.get_absolute_url()),
        "events": live.address(pad.topic),
        "client": token_hex(16),
        **_cardpad(pad, {}),
    }


def _cardpad(pad: Pad, counts: Mapping[str, object]) -> dict[str, Any]:
    """The fields of the cards in the hand and of those laid down: what each is called and counts.

    :param counts: the values of fields that are not empty, by name
    """
    hand = [card for card in HELD if pad.ox or card != OX]
    laid = LAID if pad.ox else ()
    return {
        name: [
            {
                "name": f"{name[0]}-{TEXTS[card]}",
                "text": TEXTS[card],
                "points": points[card],
                "value": counts.get(f"{name[0]}-{TEXTS[card]}", ""),
            }
            for card in cards
        ]
        for name, cards, points in (("hand", hand, POINTS), ("laid", laid, LAID_POINTS))
    }


# --- writing -------------------------------------------------------------------------------------


@form_page
@ensure_csrf_cookie
@refusing
def cell(request: HttpRequest, key: str, round: int, player: int) -> HttpResponseBase:
    """A cell by itself: the form for its points, and what is sent from it."""
    pad = services.find_pad(key)
    if not (1 <= round <= pad.rounds and player < len(pad.names)):
        raise Refused(404, "no-cell", services.NO_CELL)
    if request.method != "POST":
        return _cell(request, pad, round, player)
    try:
        written = forms.read_points(request.POST, pad)
        line = services.write_line(
            user=request.user, key=key, round=round, player=player, starts=False, written=written
        )
    except Refused as refused:
        if _wants_json(request) or refused.status not in (400, 409):
            raise
        newer = refused.line if isinstance(refused, services.Overtaken) else None
        return _cell(request, pad, round, player, refused=refused, newer=newer)
    if _wants_json(request):
        return _written(line)
    following = Board(pad, request.user).rounds[round - 1].first_empty
    if request.POST.get("next") and following.points is None:
        return redirect("pad_cell", key, round, following.player)
    return redirect(pad)


def _cell(
    request: HttpRequest,
    pad: Pad,
    round: int,
    player: int,
    refused: Refused | None = None,
    newer: Line | None = None,
) -> HttpResponse:
    """The page; after a refusal with what was sent, so that it can be sent again.

    :param newer: the line that came in between: whoever sends again has seen it
    """
    context = _context(request, pad)
    found = context["board"].rounds[round - 1].cells[player]
    base = request.POST.get("base", "") if refused and not newer else found.base
    context |= {
        "cell": found,
        "name": pad.names[player],
        "base": base,
        "message": refused.message if refused else "",
        "newer": newer,
        "newer_by": writer(newer, request.user, pad) if newer else "",
        "sent": _sent_points(request, pad) if newer else None,
        **_filled(request, pad, found),
    }
    if not context["may_write"]:
        return redirect(pad)
    return render(request, "pads/cell.html", context, status=refused.status if refused else 200)


def _sent_points(request: HttpRequest, pad: Pad) -> int | None:
    return forms.read_points(request.POST, pad).points


def _filled(request: HttpRequest, pad: Pad, cell: Cell) -> dict[str, Any]:
    """What the fields of the form hold: what was sent, else what the cell says."""
    if request.method == "POST":
        sent = request.POST
        fields = {"how": sent.get("how", ""), "points": sent.get("points", "")}
        return fields | _cardpad(pad, sent)
    counts: dict[str, object] = {}
    counted = cell.counted
    if counted:
        for where, cards in (("h", counted.hand), ("l", counted.laid)):
            counts |= {f"{where}-{TEXTS[card]}": cards.count(card) for card in cards}
    how = "count" if counted else "type"
    return {"how": how, "points": cell.points, **_cardpad(pad, counts)}


@form_page
@refusing
def start(request: HttpRequest, key: str, round: int) -> HttpResponseBase:
    """Tell who starts a round."""
    pad = services.find_pad(key)
    if request.method != "POST":
        return redirect(pad)
    player, written = forms.read_start(request.POST)
    try:
        line = services.write_line(
            user=request.user, key=key, round=round, player=player, starts=True, written=written
        )
    except services.Overtaken as overtaken:
        if _wants_json(request):
            raise
        told = _("%(name)s was chosen by somebody else meanwhile. Choose again if that is wrong.")
        messages.warning(request, told % {"name": pad.names[overtaken.line.player]})
        return redirect(pad)
    return _written(line) if _wants_json(request) else redirect(pad)


@require_POST
@refusing
def share(request: HttpRequest, key: str) -> HttpResponse:
    """Let others write, or no longer; give the pad another address."""
    posted = request.POST
    pad = services.share_pad(
        user=request.user,
        key=key,
        shared=bool(posted.get("shared")),
        renew=bool(posted.get("renew")),
    )
    if posted.get("renew"):
        messages.success(request, _("The link is new. Whoever has the old one sees nothing more."))
    elif pad.shared:
        messages.success(request, _("Whoever has the link may write now."))
    else:
        messages.success(request, _("Whoever has the link may look, but not write."))
    return redirect(pad)


@require_POST
@refusing
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete a pad."""
    services.delete_pad(user=request.user, key=key)
    messages.success(request, _("The scorepad is deleted."))
    return redirect("pads")


# --- answers -------------------------------------------------------------------------------------


def _wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"


def _written(line: Line) -> JsonResponse:
    return JsonResponse({"number": line.number})


def _stop(request: HttpRequest, refused: Refused) -> HttpResponse:
    """Why something was refused, as a page of its own or as data."""
    if not _wants_json(request):
        context = {"status": refused.status, "code": refused.code, "message": refused.message}
        return render(request, "pads/stop.html", context, status=refused.status)
    data: dict[str, Any] = {"code": refused.code, "message": str(refused.message)}
    if isinstance(refused, services.Overtaken):
        line = refused.line
        data["now"] = {
            "number": line.number,
            "player": line.player,
            "points": line.points,
            "by": writer(line, request.user, line.pad),
            "when": line.created.isoformat(),
        }
    return JsonResponse(data, status=refused.status)
