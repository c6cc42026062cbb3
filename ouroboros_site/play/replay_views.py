"""Pages that show games again and let anyone check them: replays, records, deals."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.csp import CSP
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csp import csp_override
from django.views.decorators.http import require_http_methods, require_safe

from ouroboros_site.accounts import rates
from ouroboros_site.engine import record
from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.record import BadPly, Record
from ouroboros_site.engine.shuffle import commitment

from . import registry
from .middleware import body_limit
from .models import Game, Seat
from .registry import Kind, Shuffle
from .replay import (
    TOO_LONG,
    Step,
    canonical,
    decisions,
    ended,
    game_of,
    hidden_places,
    number,
    open_game,
    open_seats,
    players,
    read_record,
    refusal,
    seat_of,
    step_of_game,
    step_of_record,
    table,
)
from .services import Refused, name_of, recent_moves
from .tables import Sitter, sitters
from .views import error_page

FRAMED = {**settings.SECURE_CSP, "frame-ancestors": [CSP.SELF]}
"""The policy of a page that our own admin shows in a frame."""
SHORT = 32 * 1024
"""Bytes of a record that is played again as quickly as any page is made."""
SAMPLE = bytes(range(32)).hex()
"""The seed of the example on a page that was given none."""


# --- stored games --------------------------------------------------------------------------------


@require_safe
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """The public page of a game is its replay."""
    return redirect("replay", game_id)


@require_safe
@xframe_options_sameorigin
@csp_override(FRAMED)
def replay(request: HttpRequest, game_id: int) -> HttpResponse:
    """A game at ``ply``; with ``all`` the hidden cards too, with ``embed`` without the site."""
    try:
        seats = open_seats(request.user, game_id)
        shown = seats[0].game
        ply = number(request.GET.get("ply", "0"), shown.ply)
        seat = seat_of(request.GET.get("seat", "0"), shown.players)
        step = step_of_game(shown, ply)
    except Refused as refused:
        return _refuse(request, refused, game_id)
    # Who did not sit there themselves reads the name: "you" would be somebody else.
    sat = bool(request.user.pk) and seats[seat].user_id == request.user.pk
    people = sitters(seats, seat if sat else None)
    context = _context(shown, step, people, seat, bool(request.GET.get("all")))
    context["embed"] = embed = bool(request.GET.get("embed"))
    if not _is_part(request):
        context["about"] = _about_game(shown, seats)
        context["decisions"] = [] if embed else decisions(shown)
        context["going_on"] = not shown.is_over
    return _page(request, context)


@require_safe
def record_file(request: HttpRequest, game_id: int) -> HttpResponse:
    """The record of a finished game, seed and all, for anyone to play again and check."""
    try:
        shown = open_game(request.user, game_id)
        if not shown.is_over:
            raise Refused(409, "not-over", "")
    except Refused as refused:
        if refused.code == "not-over":
            refused.message = _("The record holds the seed; it is open at the end.")
        return _refuse(request, refused, game_id)
    texts = [move.text for move in reversed(recent_moves(shown))]
    first = shown.rules.start(shown.seed, shown.players, shown.options)
    response = JsonResponse(record.write(shown.rules, first, texts))
    response["Content-Disposition"] = f'attachment; filename="{shown.slug}-{shown.pk}.json"'
    return response


def _refuse(request: HttpRequest, refused: Refused, game_id: int) -> HttpResponse:
    """Why a game is not shown, and the way to the table or to one's own try if that opens it."""
    if refused.code not in ("not-over", "own-try-first"):
        return error_page(request, refused.status, str(refused.message))
    closed = Game.objects.select_related("daily").only("slug", "daily").get(pk=game_id)
    context: dict[str, Any] = {"message": refused.message}
    if refused.code == "not-over":
        context["table"] = reverse("table", args=[closed.slug, closed.pk])
    elif closed.daily:
        context["day"] = reverse("daily_day", args=[closed.slug, closed.daily.date])
    return render(request, "replay/closed.html", context, status=refused.status)


def _about_game(shown: Game, seats: list[Seat]) -> dict[str, Any]:
    """What is told of a stored game beside its table."""
    result = shown.result or {}
    return {
        "id": shown.pk,
        "slug": shown.slug,
        "title": shown.kind.title,
        "people": [_about_seat(seat) for seat in seats],
        "ranked": shown.ranked,
        "day": shown.daily.date if shown.daily else None,
        "in_time": shown.in_time,
        "begun": shown.created,
        "finished": shown.finished,
        "moves": shown.ply,
        "winners": [name_of(seats[index]) for index in result.get("winners", [])],
        "scores": result.get("scores", []),
        "unit": _unit(shown.kind, result.get("scores", [])),
        "ended": ended(result["termination"], shown.players) if result else "",
        "tally": shown.kind.tally is not None and bool(shown.tallies),
        "commitment": shown.commitment,
        "seed": shown.seed,
        **_about_table(shown),
    }


def _about_seat(seat: Seat) -> dict[str, Any]:
    """Who sits there: a person, or a bot of some level."""
    level = seat.game.kind.levels.get(seat.bot, seat.bot)
    return {"user": seat.user, "name": name_of(seat), "level": level}


def _about_table(shown: Game) -> dict[str, Any]:
    """What the deal of a game follows from beside its seed."""
    deals = [name for name in shown.kind.deals if shown.options.get(name)]
    return {"players": shown.players, "deals": deals}


# --- records -------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@body_limit(settings.DATA_UPLOAD_MAX_MEMORY_SIZE, TOO_LONG)
def replay_record(request: HttpRequest) -> HttpResponse:
    """Take a record, pasted or as a file, check it, and step through it; nothing is stored."""
    if request.method != "POST":
        return render(request, "replay/record.html")
    text = _sent(request)
    # A step through a record of usual length costs no more than any page: it may come often.
    steps = "ply" in request.POST or "to" in request.POST
    what = "step" if steps and len(text) <= SHORT else "record"
    if seconds := rates.hit(what, rates.address(request)):
        return rates.too_many(request, seconds)
    try:
        if not text:
            raise Refused(400, "no-record", _("Paste a record, or choose a file that holds one."))
        recorded = read_record(text)
        ply = request.POST.get("ply") or request.POST.get("to") or "0"
        step = step_of_record(recorded, number(ply, len(recorded.moves)))
        seat = seat_of(request.POST.get("seat") or "0", recorded.players)
    except Refused as refused:
        return _bad_record(request, refused, text)
    except BadPly as bad:
        return _bad_record(request, refusal(bad), text)
    everything = bool(request.POST.get("all"))
    context = _context(game_of(recorded), step, players(recorded), seat, everything)
    context["about"] = _about_record(recorded) | _about_table(game_of(recorded))
    context["midway"] = recorded.start is not None
    context["record"] = canonical(recorded)
    return _page(request, context)


def _sent(request: HttpRequest) -> str | bytes:
    file = request.FILES.get("file")
    return file.read() if file else request.POST.get("record", "").strip()


def _bad_record(request: HttpRequest, refused: Refused, text: str | bytes) -> HttpResponse:
    if refused.status == 413:
        return error_page(request, 413, str(refused.message))
    context = {"message": refused.message, "text": text if isinstance(text, str) else ""}
    return render(request, "replay/record.html", context, status=400)


def _about_record(recorded: Record) -> dict[str, Any]:
    """What is told of a record beside its table."""
    return {
        "slug": recorded.game,
        "title": registry.get(recorded.game).title,
        "moves": len(recorded.moves),
        "commitment": commitment(recorded.seed),
        "seed": recorded.seed,
    }


# --- what both have ------------------------------------------------------------------------------


def _context(
    shown: Game, step: Step, people: Sequence[Sitter], seat: int, everything: bool
) -> dict[str, Any]:
    """The table at a ply as ``seat`` saw it, and the ways on, for the page and its fragment."""
    kind = shown.kind
    context = kind.present(table(shown, step, people, seat))
    scores = kind.rules.scores(step.state)
    context["fragment"] = f"{kind.template}#table"
    context["step"] = {
        "ply": step.ply,
        "last": step.last,
        "back": max(0, step.ply - 1),
        "forward": min(step.last, step.ply + 1),
        "move": kind.say(step.entry, people) if step.entry else None,
        "over": step.over,
        "ended": step.ended,
        "score": scores[seat] if len(scores) == 1 else None,
        "unit": _unit(kind, scores),
    }
    context["everything"] = everything
    context["kind"] = kind
    context["places"] = hidden_places(kind, step, seat) if everything else []
    context["seats"] = people if len(people) > 1 else ()
    context["from_seat"] = people[seat]
    return context


def _is_part(request: HttpRequest) -> bool:
    """Whether htmx asks for the step alone."""
    return bool(request.htmx) and not request.htmx.history_restore_request


def _unit(kind: Kind, scores: Sequence[int]) -> str:
    """What the last of some scores counts, after which it stands."""
    return kind.score(scores[-1]) if kind.score and scores else ""


def _page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    template = "replay/page.html" + ("#step" if _is_part(request) else "")
    return render(request, template, context)


# --- deals ---------------------------------------------------------------------------------------


@require_safe
def verify_deal(request: HttpRequest) -> HttpResponse:
    """Deal the cards of a seed anew, and show how anyone can do so by themselves."""
    slug = request.GET.get("game", "")
    given = {name: request.GET.get(name, "").strip().lower() for name in ("seed", "commitment")}
    kinds = list(registry.all_kinds())
    context: dict[str, Any] = {"kinds": kinds, "slug": slug, **given}
    kind, status = kinds[0], 200
    seed, number, options = SAMPLE, kind.rules.SEATS[0], {}
    if "game" in request.GET or "seed" in request.GET:
        try:
            kind = registry.get(slug)
            number, options = _table_dealt(request, kind)
            state = kind.rules.start(given["seed"], number, options)
        except KeyError:
            context["message"], status = _("Choose one of the games here."), 400
        except RulesError as error:
            context["message"], status = Refused.by_rules(error).message, 400
            number, options = kind.rules.SEATS[0], {}
        else:
            seed = given["seed"]
            context["checked"] = {
                "title": kind.title,
                "commitment": commitment(seed),
                "kind": kind,
                "places": [place for place in kind.layout(state, None) if place.cards],
                "starts": (kind.rules.turn(state) or 0) + 1 if number > 1 else None,
            }
    context |= {"players": number, "options": options}
    context["deals"] = [(each, _shuffles(each, kind, number, options)) for each in kinds]
    context["code"] = code(kind, seed, number, options)
    return render(request, "verify.html", context, status=status)


def _table_dealt(request: HttpRequest, kind: Kind) -> tuple[int, dict[str, bool]]:
    """For how many players the cards are dealt, and with which options; the fewest if not said.

    What is no number is none of any game.
    """
    text = request.GET.get("players", "") or str(kind.rules.SEATS[0])
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else 0
    return number, {name: True for name in kind.deals if request.GET.get(name)}


def _shuffles(
    kind: Kind, chosen: Kind, number: int, options: dict[str, bool]
) -> tuple[Shuffle, ...]:
    """The shuffles of a game: as it was chosen, or the smallest table of the others."""
    if kind is chosen:
        return kind.shuffles(number, options)
    return kind.shuffles(kind.rules.SEATS[0], {})


def code(kind: Kind, seed: str, number: int, options: dict[str, bool]) -> str:
    """Twenty lines of plain Python that deal the first cards of ``seed``."""
    shuffles = kind.shuffles(number, options)
    picks = any(shuffle.below for shuffle in shuffles)
    context = {"shuffles": shuffles, "picks": picks, "seed": seed}
    return render_to_string("replay/deal.txt", context)
