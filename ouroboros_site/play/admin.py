"""Games in the admin, to be looked at: what is stored is changed by the services only.

A list, a page for each game with its replay, its log on a page of its own, and what is hidden from
players on another one, which only reviewers can open. Nothing hidden is on any other page. Tables
of several seats can be ended, and people taken off their seats.
"""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Value
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.csp import CSP
from django.utils.decorators import method_decorator
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csp import csp_override

from ouroboros_site.accounts.models import User
from ouroboros_site.engine.errors import RulesError
from ouroboros_site.engine.record import dumps
from ouroboros_site.leaderboards.admin import decide, flag_words
from ouroboros_site.leaderboards.models import Decision, Score

from . import seating, verify
from .models import Game, Move, Seat, SeatChange
from .registry import Place
from .services import Refused, name_of
from .staff import (
    EVERYWHERE,
    BigList,
    DailyFilter,
    EditionFilter,
    PlayerFilter,
    ReadOnly,
    Reviewing,
    ask_reason,
    edition_title,
    filter_by,
    key_of,
    minute,
    named,
)
from .tables import Entry, Sitter, sitters
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
        "waiting": (_("Waits for people"), Q(started=None)),
        "open": (_("Goes on"), Q(finished=None, started__isnull=False)),
        "over": (_("Over"), Q(finished__isnull=False)),
        "retired": (_("Over because the player retired"), Q(result__termination="retired")),
    },
)
CountsFilter = filter_by(
    "ranked",
    _("ranked"),
    {"yes": (_("Ranked"), Q(ranked=True)), "no": (_("Practice"), Q(ranked=False))},
)
SECOND = Seat.objects.filter(~Q(user=None) | Q(bot=""), game=OuterRef("pk")).order_by("index")[1:2]
"""The second seat of a game that is no bot's of its own."""
TableFilter = filter_by(
    "table",
    _("table"),
    {
        "alone": (_("For one player"), Q(players=1)),
        "bots": (_("With bots only"), Q(players__gt=1) & ~Exists(SECOND)),
        "people": (_("With several people"), Q(players__gt=1) & Exists(SECOND)),
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
        ("started", "listed", "turn_time", "rematch_of"),
    )
    actions = ("verify", "strike", "restore", "close")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game, Game]:
        seats = Seat.objects.select_related("user").order_by("index")
        return super().get_queryset(request).prefetch_related(Prefetch("seats", seats))

    # --- columns ---

    @admin.display(description=_("number"))
    def number(self, game: Game) -> int:
        return game.pk

    @admin.display(description=_("edition"))
    def edition(self, game: Game) -> Any:
        return edition_title(game.slug)

    @admin.display(description=_("player"))
    def player(self, game: Game) -> str:
        """The people by name, how many bots, and how many seats are free."""
        seats = game.seats.all()
        bots = len([seat for seat in seats if seat.bot and not seat.user_id])
        free = len(_free(game))
        names = [name_of(seat) for seat in seats if seat.user_id or not (seat.bot or free)]
        if bots:
            names.append(ngettext("%(number)d bot", "%(number)d bots", bots) % {"number": bots})
        if free:
            names.append(ngettext("%(number)d free", "%(number)d free", free) % {"number": free})
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
        if game.is_waiting:
            return gettext("waits for people")
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
            path("<int:game_id>/seats/<int:index>/", view(self.unseat), name="play_game_unseat"),
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
        won, free = _won(game), _free(game)
        unseats = self.has_unseat_permission(request) and game.players > 1 and not game.is_over
        context["people"] = [
            {
                "seat": seat.index,
                "name": gettext("free") if seat in free else _name(seat),
                "user": seat.user_id if may("accounts.view_user") else None,
                "bot": _level(game, seat),
                "stands_in": bool(seat.user_id and seat.bot),
                "host": game.is_waiting and seat.index == game.host,
                "seen": minute(seat.seen) if seat.seen else "",
                "left": minute(seat.left) if seat.left else "",
                "won": seat.index in won,
                "unseat": unseats and seat.user_id is not None,
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
        """What is hidden from its players is not for one of them either while they play.

        Nor for anybody before the start, who could still sit down.
        """
        if game.is_waiting:
            return False
        return self.has_review_permission(request) and (
            game.is_over or request.user not in [seat.user for seat in game.seats.all()]
        )

    def log(self, request: HttpRequest, game_id: int) -> HttpResponse:
        """The log of a game, with the moves taken back marked, some on a page."""
        game = self._game(request, game_id)
        if not self._may_see_log(request, game):
            raise PermissionDenied
        lines = _lines(game)
        page = Paginator(lines, LOG).get_page(request.GET.get("p"))
        before = game.created
        if page.has_previous():
            before = _row(*lines[page.start_index() - 2]).created
        people = sitters(game.seats.all(), NOBODY)
        told = []
        for row in _rows(page.object_list):
            line = {"row": row, "pause": (row.created - before).total_seconds()}
            if isinstance(row, Move):
                line |= {"move": row, "words": _words(game, row, people)}
            else:
                line |= {"words": _change_words(game, row)}
            told.append(line)
            before = row.created
        context = {"title": _("Log"), "page": page, "lines": told}
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

    def unseat(self, request: HttpRequest, game_id: int, index: int) -> HttpResponse:
        """Take a person off a seat, for a reason: free before the start, a bot's afterwards."""
        game = self._game(request, game_id)
        if not self.has_unseat_permission(request):
            raise PermissionDenied
        seat = game.seats.select_related("user").filter(index=index).first()
        if seat is None:
            raise Http404
        back = redirect("admin:play_game_change", game_id)
        person = seat.user
        if person is None or game.is_over or game.players == 1:
            self.message_user(request, _("Nobody there can be taken off."), messages.WARNING)
            return back
        if self._sits_there(request, game):
            return back
        reason = ask_reason(
            self,
            request,
            [
                _("Seat %(seat)d of %(game)s: %(name)s")
                % {"seat": index, "game": game, "name": _who(seat.user)}
            ],
            title=_("Take off the seat"),
            explanation=_(
                "Before the start the seat is free again; afterwards a bot has it for good."
            ),
        )
        if isinstance(reason, HttpResponse):
            return reason
        words = _("%(name)s was taken off seat %(seat)d: %(reason)s")
        told = words % {"name": _who(person), "seat": index, "reason": reason}
        try:
            with transaction.atomic():
                # What is logged is what is done: somebody else may sit there by now.
                seating.give_up(
                    game_id=game_id,
                    index=index,
                    what=SeatChange.What.REMOVED,
                    by=request.user,
                    user=person,
                )
                self.log_change(request, game, told)
        except Refused as refused:
            self.message_user(request, refused.message, messages.ERROR)
            return back
        self.message_user(request, told, messages.SUCCESS)
        there = Game.objects.filter(pk=game_id).exists()
        return back if there else redirect("admin:play_game_changelist")

    def _sits_there(self, request: HttpRequest, game: Game) -> bool:
        """Whether a decision on a game would be one on the viewer's own, and saying so."""
        if request.user.pk not in [seat.user_id for seat in game.seats.all()]:
            return False
        words = _("You sit at %(game)s yourself: it is for somebody else to decide on.")
        self.message_user(request, words % {"game": game}, messages.WARNING)
        return True

    # --- actions ---

    @admin.action(permissions=["close"], description=_("End the table …"), location=EVERYWHERE)
    def close(self, request: HttpRequest, queryset: QuerySet[Game, Game]) -> HttpResponse | None:
        """End tables of several seats, for a reason: nobody wins, and those that wait are gone."""
        rows = [
            game
            for game in queryset.filter(players__gt=1, finished=None)
            if not self._sits_there(request, game)
        ]
        if not rows:
            self.message_user(request, _("No table there that could be ended."), messages.WARNING)
            return None
        reason = ask_reason(
            self,
            request,
            [f"{game} ({self.player(game)})" for game in rows],
            title=_("End the table"),
            explanation=_(
                "Nobody wins a game that is ended so. A table that waits for people is deleted."
            ),
        )
        if isinstance(reason, HttpResponse):
            return reason
        for game in rows:
            key = game.pk
            try:
                with transaction.atomic():
                    if not seating.close(game_id=key):
                        continue  # it ended by itself
                    self.log_change(
                        request, game, gettext("Ended: %(reason)s") % {"reason": reason}
                    )
            except Refused as refused:
                self.message_user(request, f"{game}: {refused.message}", messages.ERROR)
                continue
            self.message_user(request, _("%(game)s has ended.") % {"game": game}, messages.SUCCESS)
        if Game.objects.filter(pk__in=[game.pk for game in rows]).count() < len(rows):
            return redirect("admin:play_game_changelist")
        return None

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


def _free(game: Game) -> list[Seat]:
    """The seats that people may still take."""
    if not game.is_waiting:
        return []
    return [seat for seat in game.seats.all() if not (seat.user_id or seat.bot)]


def _name(seat: Seat) -> str:
    """What a seat's person or bot is called; bots get their names at the start."""
    unnamed = seat.bot and not (seat.user_id or seat.name)
    return gettext("not named yet") if unnamed else name_of(seat)


def _who(user: User | None) -> str:
    """A person in a line; guests are told apart by number."""
    if user is None:
        return gettext("nobody any more")
    return f"{user.display_name} #{user.pk}" if user.is_guest else user.display_name


def _lines(game: Game) -> QuerySet[Any, Any]:
    """What happened at a table, in its order: whether it is a move, and the key."""
    moves = game.moves.order_by().annotate(move=Value(True)).values_list("version", "move", "pk")
    changes = game.changes.order_by().annotate(move=Value(False))
    changes = changes.values_list("version", "move", "pk")
    return moves.union(changes, all=True).order_by("version", "pk")


def _row(version: int, move: bool, key: int) -> Move | SeatChange:
    return (Move if move else SeatChange).objects.get(pk=key)


def _rows(lines: Any) -> list[Move | SeatChange]:
    """The rows of some lines of ``_lines``."""
    lines = list(lines)
    moves = Move.objects.in_bulk([key for _version, move, key in lines if move])
    changes = SeatChange.objects.select_related("user", "by").in_bulk(
        [key for _version, move, key in lines if not move]
    )
    return [moves[key] if move else changes[key] for _version, move, key in lines]


def _change_words(game: Game, change: SeatChange) -> str:
    """A change of seats in words, with names."""
    words = {"name": _who(change.user), "what": change.get_what_display()}
    if change.by_id is None:
        return gettext("%(name)s %(what)s") % words
    if change.what == SeatChange.What.HANDED:
        return gettext("%(name)s %(what)s, from %(by)s") % (words | {"by": _who(change.by)})
    return gettext("%(name)s %(what)s, by %(by)s") % (words | {"by": _who(change.by)})


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
