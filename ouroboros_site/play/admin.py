"""Games in the admin, to be looked at: what is stored is changed by the services only.

A list, a page for each game with its replay, its log on a page of its own, and what is hidden from
players on another one, which only reviewers can open. Nothing hidden is on any other page.
"""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.csp import CSP
from django.utils.decorators import method_decorator
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csp import csp_override

from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.record import dumps
from ouroboros_site.leaderboards.admin import decide, flag_words
from ouroboros_site.leaderboards.models import Decision, Score

from . import verify
from .models import Game, Move, Seat
from .registry import Place
from .staff import (
    EVERYWHERE,
    BigList,
    DailyFilter,
    EditionFilter,
    PlayerFilter,
    ReadOnly,
    Reviewing,
    edition_title,
    filter_by,
    key_of,
    minute,
    named,
)
from .tables import Entry, Sitter, name_of, sitters
from .tally_views import sheet_of, winners_of

admin.site.site_header = admin.site.site_title = _("Ouroboros: administration")
admin.site.index_title = _("Games, scores and people")

LOG = 200
"""Moves on a page of the log; a game can have thousands."""
NOBODY = -1
"""The seat of whoever looks on."""

StatusFilter = filter_by(
    "status",
    _("status"),
    {
        "open": (_("Goes on"), Q(finished=None)),
        "over": (_("Over"), Q(finished__isnull=False)),
        "retired": (_("Over because the player retired"), Q(result__termination="retired")),
    },
)
CountsFilter = filter_by(
    "ranked",
    _("ranked"),
    {"yes": (_("Ranked"), Q(ranked=True)), "no": (_("Practice"), Q(ranked=False))},
)
OTHERS = Seat.objects.filter(game=OuterRef("pk"), index__gt=0, bot="")
TableFilter = filter_by(
    "table",
    _("table"),
    {
        "alone": (_("For one player"), Q(players=1)),
        "bots": (_("With bots only"), Q(players__gt=1) & ~Exists(OTHERS)),
        "people": (_("With several people"), Q(players__gt=1) & Exists(OTHERS)),
    },
)
BoardsFilter = filter_by(
    "boards",
    _("boards"),
    {
        "yes": (_("Has a score that stands"), Q(score__struck=False)),
        "struck": (_("Struck"), Q(score__struck=True)),
    },
)


class SeatedFilter(PlayerFilter):
    """By a player of the game."""

    path = "seats__user"


@admin.register(Game)
class GameAdmin(ReadOnly, Reviewing, BigList):
    """All games, each with its seats, its score and the decisions on it."""

    list_display = (
        "number",
        "edition",
        "player",
        "points",
        "status",
        "sort",
        "ply",
        "begun",
    )
    list_display_links = ("number",)
    list_filter = (
        EditionFilter,
        TableFilter,
        StatusFilter,
        CountsFilter,
        DailyFilter,
        BoardsFilter,
        "created",
        SeatedFilter,
    )
    list_select_related = ("score", "daily")
    ordering = ("-pk",)
    search_fields = ("pk",)
    search_hint = _("Number of a game, or name of a player")
    fields = (
        ("number", "edition", "sort"),
        ("status", "points", "winners", "ply", "version"),
        ("created", "updated", "finished"),
        ("options", "players", "pace"),
    )
    actions = ("verify", "strike", "restore")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game, Game]:
        return super().get_queryset(request).prefetch_related("seats__user")

    # --- columns ---

    @admin.display(description=_("number"))
    def number(self, game: Game) -> int:
        return game.pk

    @admin.display(description=_("edition"))
    def edition(self, game: Game) -> Any:
        return edition_title(game.slug)

    @admin.display(description=_("player"))
    def player(self, game: Game) -> str:
        """The people by name, and how many bots."""
        seats = game.seats.all()
        names = [name_of(seat) for seat in seats if not seat.bot]
        if bots := len(seats) - len(names):
            names.append(ngettext("%(number)d bot", "%(number)d bots", bots) % {"number": bots})
        return ", ".join(names)

    @admin.display(description=_("score"))
    def points(self, game: Game) -> str:
        """What the game was worth, and whether that counts."""
        if not isinstance(game.result, dict):
            return "–"
        words = ", ".join(str(points) for points in game.result.get("scores") or ["?"])
        score = getattr(game, "score", None)
        if score is None or not score.struck:
            return words
        return gettext("%(points)s, struck") % {"points": words}

    @admin.display(description=_("winners"))
    def winners(self, game: Game) -> str:
        """Who has won at a table of several seats."""
        seats, won = list(game.seats.all()), _won(game)
        return ", ".join([name_of(seat) for seat in seats if seat.index in won]) or "–"

    @admin.display(description=_("status"))
    def status(self, game: Game) -> str:
        if not game.is_over:
            return gettext("goes on")
        termination = game.result.get("termination") if isinstance(game.result, dict) else None
        return gettext("over, retired") if termination == "retired" else gettext("over")

    @admin.display(description=_("counts as"))
    def sort(self, game: Game) -> str:
        words = gettext("ranked") if game.ranked else gettext("practice")
        if game.daily is None:
            return words
        return gettext("%(ranked)s, daily deal of %(day)s") % {
            "ranked": words,
            "day": game.daily.date.isoformat(),
        }

    @admin.display(description=_("begun"))
    def begun(self, game: Game) -> str:
        return minute(game.created)

    # --- lists ---

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Game, Game], search_term: str
    ) -> tuple[QuerySet[Game, Game], bool]:
        """By number, or by the name of a player."""
        if term := search_term.strip():
            seats = Seat.objects.filter(user__in=named(term).values("pk"))
            there = Q(pk__in=seats.values("game"))
            if number := key_of(term):
                there |= Q(pk=number)
            queryset = queryset.filter(there)
        return queryset, False

    # --- pages ---

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:game_id>/log/", view(self.log), name="play_game_log"),
            path("<int:game_id>/hidden/", view(self.hidden), name="play_game_hidden"),
            *super().get_urls(),
        ]

    @method_decorator(csp_override({**settings.SECURE_CSP, "frame-src": [CSP.SELF]}))
    def change_view(self, request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        """A game. The replay is a page of its own within it."""
        return super().change_view(request, *args, **more)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], **more: Any
    ) -> HttpResponse:
        """Add people, score, decisions and replay, as far as the viewer may see them."""
        game: Game = more["obj"]
        may = request.user.has_perm
        if may("leaderboards.view_decision"):
            context["decisions"] = Decision.objects.filter(score=game.pk).select_related("by")
        if may("leaderboards.view_score") and (score := getattr(game, "score", None)):
            context["score"] = score
            context["flags"] = flag_words(score)
        won = _won(game)
        context["people"] = [
            {
                "seat": seat.index,
                "name": name_of(seat),
                "user": seat.user_id if may("accounts.view_user") else None,
                "bot": _level(game, seat),
                "won": seat.index in won,
            }
            for seat in game.seats.all()
        ]
        context["tally"] = _tally(game)
        context["may_log"] = self._may_see_log(request, game)
        context["may_review"] = self._may_see_all(request, game)
        if context["may_review"]:
            ply = key_of(request.GET.get("ply", ""))
            address = reverse("replay", args=[game.pk]) + "?embed=1&all=1"
            context["replay"] = address if ply is None else f"{address}&ply={min(ply, game.ply)}"
        return super().render_change_form(request, context, **more)

    def _may_see_log(self, request: HttpRequest, game: Game) -> bool:
        """The moves of a game that goes on are the player's own, and reviewers'."""
        return request.user.has_perm("play.view_move") and (
            game.is_over or self.has_review_permission(request)
        )

    def _may_see_all(self, request: HttpRequest, game: Game) -> bool:
        """What is hidden from its players is not for one of them either while they play."""
        return self.has_review_permission(request) and (
            game.is_over or request.user not in [seat.user for seat in game.seats.all()]
        )

    def log(self, request: HttpRequest, game_id: int) -> HttpResponse:
        """The log of a game, with the moves taken back marked, some on a page."""
        game = self._game(request, game_id)
        if not self._may_see_log(request, game):
            raise PermissionDenied
        page = Paginator(game.moves.order_by("version"), LOG).get_page(request.GET.get("p"))
        people = sitters(game.seats.all(), NOBODY)
        lines, before = [], game.created
        if page.has_previous():
            before = game.moves.order_by("version")[page.start_index() - 2].created
        for move in page:
            pause = (move.created - before).total_seconds()
            lines.append({"move": move, "words": _words(game, move, people), "pause": pause})
            before = move.created
        context = {"title": _("Log"), "page": page, "lines": lines}
        return self._page(request, game, "log", context)

    def hidden(self, request: HttpRequest, game_id: int) -> HttpResponse:
        """Seed and position of a game, hidden cards and all: for reviewers only."""
        game = self._game(request, game_id)
        if not self._may_see_all(request, game):
            raise PermissionDenied
        places: list[Place] = []
        seat = key_of(request.GET.get("seat", "")) if game.players > 1 else None
        if seat is not None and seat >= game.players:
            raise Http404
        try:
            places = game.kind.layout(game.load(), seat)
        except (RulesError, KeyError, TypeError, AttributeError):
            messages.error(request, _("The stored position cannot be read. Verify the game."))
        context = {"title": _("What players do not see"), "places": places, "seat": seat}
        if game.players > 1:
            context["people"] = sitters(game.seats.all(), NOBODY)
        context["position"] = dumps(game.state)
        return self._page(request, game, "hidden", context)

    def _game(self, request: HttpRequest, game_id: int) -> Game:
        """The game of an own page.

        :raises PermissionDenied: if the viewer may see no games
        :raises Http404: if there is no such game
        """
        if not self.has_view_permission(request):
            raise PermissionDenied
        game: Game | None = self.get_object(request, str(game_id))
        if game is None:
            raise Http404
        return game

    def _page(
        self, request: HttpRequest, game: Game, name: str, context: dict[str, Any]
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "game": game,
            "media": self.media,
            **context,
        }
        return TemplateResponse(request, f"admin/play/game/{name}.html", context)

    # --- actions ---

    @admin.action(
        permissions=["verify"], description=_("Verify against the log"), location=EVERYWHERE
    )
    def verify(self, request: HttpRequest, queryset: QuerySet[Game, Game]) -> None:
        """Play games again and tell what disagrees."""
        agree = 0
        for game in queryset:
            faults = verify.verify(game)
            agree += not faults
            for fault in faults:
                self.message_user(request, f"{game}: {fault}", messages.ERROR)
        if agree:
            words = ngettext(
                "%(number)d game was played again: position, result and score agree with its log.",
                "%(number)d games were played again: position, result and score agree with "
                "their logs.",
                agree,
            )
            self.message_user(request, words % {"number": agree}, messages.SUCCESS)

    @admin.action(
        permissions=["strike"], description=_("Strike from the boards …"), location=EVERYWHERE
    )
    def strike(self, request: HttpRequest, queryset: QuerySet[Game, Game]) -> HttpResponse | None:
        """Take the scores of games off every board, for a reason."""
        return decide(self, request, _scores(queryset), struck=True)

    @admin.action(
        permissions=["strike"], description=_("Restore to the boards …"), location=EVERYWHERE
    )
    def restore(self, request: HttpRequest, queryset: QuerySet[Game, Game]) -> HttpResponse | None:
        """Put struck scores back on the boards, for a reason."""
        return decide(self, request, _scores(queryset), struck=False)


def _scores(games: QuerySet[Game, Game]) -> QuerySet[Score, Score]:
    return Score.objects.filter(game__in=[game.pk for game in games])


def _won(game: Game) -> list[int]:
    """The seats that won; none where the stored result is spoilt."""
    won = winners_of(game) if isinstance(game.result, dict) else []
    return won if isinstance(won, list) else []


def _level(game: Game, seat: Seat) -> Any:
    """The level of the bot on a seat, in words; nothing where a person plays."""
    try:
        return game.kind.levels.get(seat.bot, seat.bot)
    except KeyError:
        return seat.bot


def _tally(game: Game) -> list[list[Any]]:
    """The tally sheet as lines, the header first; nothing where none is kept or a row is spoilt."""
    try:
        if not game.tallies or game.kind.tally is None:
            return []
        return sheet_of(game, list(game.seats.all())).lines
    except (KeyError, TypeError, AttributeError, IndexError, ValueError):
        return []


def _words(game: Game, move: Move, people: tuple[Sitter, ...]) -> str:
    """A move in words; none for a row that was spoilt."""
    try:
        entry = Entry(move.ply, move.seat, move.text, move.report)
        return str(game.kind.say(entry, people))
    except (KeyError, TypeError, AttributeError, IndexError):
        return ""
