"""The pages of boards, daily deals and profiles. They are read by everyone and change nothing."""

import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from functools import wraps
from secrets import token_hex
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ouroboros_site.accounts.models import User, Visitor
from ouroboros_site.accounts.views import signed_in
from ouroboros_site.play import daily, registry, services
from ouroboros_site.play.models import DailyDeal
from ouroboros_site.play.registry import Kind
from ouroboros_site.play.services import Refused
from ouroboros_site.play.tables import table
from ouroboros_site.play.views import refuse

from . import charts, days, profiles, standings
from .boards import PAGE, Standing, key, rows, standing
from .days import Result

TOP = 10
"""How many rows of its board the page of a deal shows."""
TOP_OF_ALL = 3
"""The same where all deals of a day are shown."""
FURTHEST = 6
"""Digits of a page number; no board has as many pages."""


def page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For a view that is only read, and that may refuse."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Refused as refused:
            return refuse(request, refused)

    return require_safe(wrapper)


def _kind(slug: str, kinds: Iterable[Kind]) -> Kind:
    """The game of an address, one of these.

    :raises Refused: 404 else
    """
    for kind in kinds:
        if slug == kind.rules.SLUG:
            return kind
    raise Refused(404, "no-game", services.NO_GAME)


# --- boards --------------------------------------------------------------------------------------


@page
def boards(request: HttpRequest) -> HttpResponse:
    """The way to the first board."""
    return redirect("board", next(registry.scored_kinds()).rules.SLUG)


@page
def board(request: HttpRequest, slug: str) -> HttpResponse:
    """The best scores of all time; of a game of several seats, the standings against bots only."""
    if any(slug == kind.rules.SLUG for kind in registry.shared_kinds()):
        return _standings(request, slug, people=False)
    return _board(request, slug, "all", daily.today())


@page
def board_people(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings in a game of several seats at tables with other people."""
    return _standings(request, slug, people=True)


@page
def board_week(request: HttpRequest, slug: str) -> HttpResponse:
    """The best scores of this week, from Monday (UTC)."""
    return _board(request, slug, "week", daily.today())


@page
def board_today(request: HttpRequest, slug: str) -> HttpResponse:
    """The best scores of today (UTC)."""
    return _board(request, slug, "today", daily.today())


@page
def board_daily(request: HttpRequest, slug: str, date: date) -> HttpResponse:
    """The scores at the daily deal of a day."""
    return _board(request, slug, "daily", date)


def _board(request: HttpRequest, slug: str, span: str, day: date) -> HttpResponse:
    kind = _kind(slug, registry.scored_kinds())
    number = _page_number(request)
    board = key(slug, span, day)
    # One row more than is shown tells whether there is a next page.
    found = rows(board, (number - 1) * PAGE, PAGE + 1)
    if not found:
        if number > 1:
            raise Refused(404, "no-page", _("This board has no such page."))
        if span == "daily" and not _is_dealt(slug, day):
            raise Refused(404, "no-deal", _("There was no daily deal on this day."))
    shown = found[:PAGE]
    mine = next((row for row in shown if row.best.user_id == request.user.pk), None)
    context = {
        "kind": kind,
        "scored": list(registry.scored_kinds()),
        "shared": list(registry.shared_kinds()),
        "span": span,
        "day": day,
        "today": daily.today(),
        "monday": day - timedelta(days=day.weekday()),
        "rows": shown,
        "number": number,
        "more": len(found) > PAGE,
        "mine": mine,
        "standing": _standing(board, request.user) if found and not mine else None,
    }
    return render(request, "leaderboards/board.html", context)


def _standing(board: str, user: Visitor) -> Standing | None:
    """Where the visitor stands; a guest is on no board."""
    return standing(board, user) if isinstance(user, User) else None


def _standings(request: HttpRequest, slug: str, *, people: bool) -> HttpResponse:
    kind = _kind(slug, registry.shared_kinds())
    number = _page_number(request)
    found = standings.rows(slug, people, (number - 1) * PAGE, PAGE + 1)
    if not found and number > 1:
        raise Refused(404, "no-page", _("This board has no such page."))
    shown, user = found[:PAGE], request.user
    mine = next((row for row in shown if row.standing.user_id == user.pk), None)
    seeks = found and not mine and isinstance(user, User)
    context = {
        "kind": kind,
        "scored": list(registry.scored_kinds()),
        "shared": list(registry.shared_kinds()),
        "people": people,
        "rows": shown,
        "number": number,
        "more": len(found) > PAGE,
        "mine": mine or (standings.place(slug, people, user) if seeks else None),
        "here": mine is not None,
    }
    return render(request, "leaderboards/standings.html", context)


def _page_number(request: HttpRequest) -> int:
    text = request.GET.get("page", "1")
    if text.isascii() and text.isdecimal() and len(text) <= FURTHEST and int(text):
        return int(text)
    raise Refused(404, "no-page", _("There is no such page."))


def _is_dealt(slug: str, day: date) -> bool:
    """Whether there is a deal of the day; today's need not be stored yet."""
    return day == daily.today() or (
        day < daily.today() and DailyDeal.objects.filter(slug=slug, date=day).exists()
    )


# --- daily deals ---------------------------------------------------------------------------------


@page
def daily_deals(request: HttpRequest) -> HttpResponse:
    """Today's deals of all games, side by side."""
    today = daily.today()
    deals = []
    for kind in registry.scored_kinds():
        deal = daily.deal_of(kind.rules.SLUG, today)
        board = key(deal.slug, "daily", today)
        result = days.result_of(request.user, deal)
        deals.append(
            {
                "kind": kind,
                "deal": deal,
                "rows": rows(board, 0, TOP_OF_ALL),
                "result": result,
                "standing": _standing(board, request.user) if result else None,
            }
        )
    context = {"deals": deals, "today": today, "once": token_hex(16), **_countdown()}
    return render(request, "leaderboards/daily_deals.html", context)


@page
def daily_deal(request: HttpRequest, slug: str) -> HttpResponse:
    """Today's deal of a game, and the days before."""
    return _daily(request, slug, daily.today())


@page
def daily_day(request: HttpRequest, slug: str, date: date) -> HttpResponse:
    """The deal of any day up to today."""
    return _daily(request, slug, date)


def _daily(request: HttpRequest, slug: str, day: date) -> HttpResponse:
    kind, user, today = _kind(slug, registry.scored_kinds()), request.user, daily.today()
    if day == today:
        deal = daily.deal_of(slug, day)
    elif not (deal := DailyDeal.objects.filter(slug=slug, date=day).first()) or day > today:
        raise Refused(404, "no-deal", _("There was no daily deal on this day."))
    month = days.month(user, slug, _month(request, day))
    if month is None:
        raise Refused(404, "no-month", _("No deal of this month can be looked at."))
    board = key(slug, "daily", day)
    result = days.result_of(user, deal)
    context = {
        "kind": kind,
        "kinds": list(registry.scored_kinds()),
        "deal": deal,
        "today": today,
        "rows": rows(board, 0, TOP),
        "month": month,
        "result": result,
        "standing": _standing(board, user) if result else None,
        "knows": daily.may_know(user, deal),
        "share": _share(kind, result, user) if result and result.game.is_over else "",
        "once": token_hex(16),
        **_countdown(),
    }
    return render(request, "leaderboards/daily.html", context)


def _month(request: HttpRequest, day: date) -> date:
    """The first day of the month that the calendar is to show; that of ``day`` if none is named."""
    text = request.GET.get("month")
    if text is None:
        return day.replace(day=1)
    if re.fullmatch("[0-9]{4}-(0[1-9]|1[0-2])", text) and text > "0001":
        return date.fromisoformat(f"{text}-01")
    raise Refused(404, "no-month", _("There is no such month."))


def _countdown() -> dict[str, Any]:
    """When the next deals come, and how many seconds there are until then."""
    now = timezone.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return {"next": midnight, "seconds": int((midnight - now).total_seconds())}


def _share(kind: Kind, result: Result, user: Visitor) -> str:
    """What the end of the table gives to share."""
    game = result.game
    seated = services.take_seat(user=user, slug=game.slug, game_id=game.pk)
    return str(kind.present(table(seated, log=[]))["over"]["share"])


# --- profiles ------------------------------------------------------------------------------------


@page
def profile(request: HttpRequest, name: str) -> HttpResponse:
    """The public page of a named account, at the one spelling of its name."""
    account = profiles.find(name)
    if account is None:
        raise Refused(404, "no-account", _("Nobody here has this name."))
    if account.username != name:
        return redirect(account)
    found, number = profiles.profile(account), _page_number(request)
    start = (number - 1) * profiles.PAGE
    results = found.results[start : start + profiles.PAGE]
    if not results and number > 1:
        raise Refused(404, "no-page", _("There is no such page."))
    context = {
        "account": account,
        "profile": found,
        "box": charts.BOX,
        "games": profiles.ended_of(results),
        "number": number,
        "more": len(found.results) > start + profiles.PAGE,
    }
    return render(request, "leaderboards/profile.html", context)


@page
@signed_in
def own_games(request: HttpRequest) -> HttpResponse:
    """Every finished game of the visitor, and what they came to; for guests too."""
    number = _page_number(request)
    games = profiles.games_of(request.user, (number - 1) * profiles.PAGE, profiles.PAGE + 1)
    if not games and number > 1:
        raise Refused(404, "no-page", _("There is no such page."))
    context = {
        "profile": profiles.profile(request.user),
        "box": charts.BOX,
        "games": games[: profiles.PAGE],
        "number": number,
        "more": len(games) > profiles.PAGE,
    }
    return render(request, "leaderboards/own_games.html", context)
