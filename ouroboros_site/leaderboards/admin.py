"""Scores in the admin: the review queue, striking and restoring, and their CSV."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ouroboros_site.play.staff import (
    EVERYWHERE,
    BigList,
    DailyFilter,
    EditionFilter,
    PlayerFilter,
    ReadOnly,
    Reviewing,
    ask_reason,
    csv_response,
    edition_title,
    filter_by,
    key_of,
    minute,
    named,
)

from . import services
from .models import Decision, Score
from .review import FLAGS

HEADER = (
    "game",
    "edition",
    "player_id",
    "player",
    "score",
    "finished",
    "daily_deal",
    "seconds_a_move",
    "looks_unlikely",
    "reviewed",
    "struck",
)

ReviewFilter = filter_by(
    "review",
    _("review"),
    {
        "open": (_("To review"), Q(reviewed=None) & ~Q(flags="")),
        "done": (_("Reviewed"), Q(reviewed__isnull=False)),
        "flagged": (_("All that look unlikely"), ~Q(flags="")),
    },
)
StruckFilter = filter_by(
    "struck",
    _("boards"),
    {"no": (_("Stands"), Q(struck=False)), "yes": (_("Struck"), Q(struck=True))},
)


def flag_words(score: Score) -> str:
    """Why a reviewer should look at a score, in words."""
    return "; ".join(str(FLAGS.get(flag, flag)) for flag in score.flags.split())


def decide(
    model_admin: admin.ModelAdmin,
    request: HttpRequest,
    scores: QuerySet[Score, Score],
    *,
    struck: bool,
) -> HttpResponse | None:
    """Strike scores or restore them, when the reason is given; the page that asks for it else.

    Kept as a decision, which the game's page shows, and in the admin log of the game.
    """
    rows = list(scores.filter(struck=not struck).select_related("user", "game"))
    if any(score.user_id == request.user.pk for score in rows):
        words = _("Your own scores are for another reviewer to decide on. Nothing was changed.")
        model_admin.message_user(request, words, messages.WARNING)
        return None
    if not rows:
        words = _("No score there that stands.") if struck else _("No score there that is struck.")
        model_admin.message_user(request, words, messages.WARNING)
        return None
    reason = ask_reason(
        model_admin,
        request,
        [score_words(score) for score in rows],
        title=_("Strike from the boards") if struck else _("Restore to the boards"),
        explanation=_("Everyone can read the reason on the page of the game."),
    )
    if isinstance(reason, HttpResponse):
        return reason
    change = services.strike_score if struck else services.restore_score
    done = _("Struck: %(score)s.") if struck else _("Restored: %(score)s.")
    logged = _("Struck from the boards: %(reason)s") if struck else _("Restored: %(reason)s")
    for score in rows:
        with transaction.atomic():
            if not change(score=score, by=request.user, reason=reason):
                continue  # someone else was quicker
            model_admin.log_change(request, score.game, logged % {"reason": reason})
        words = done % {"score": score_words(score)}
        model_admin.message_user(request, words, messages.SUCCESS)
    return None


def score_words(score: Score) -> str:
    """A score in a line: "laws 12: 34 (Ada)"."""
    return f"{score} ({score.user.display_name})"


@admin.register(Score)
class ScoreAdmin(ReadOnly, Reviewing, BigList):
    """Scores, and the queue of those that look unlikely."""

    list_display = (
        "number",
        "player",
        "value",
        "over",
        "day",
        "pace",
        "unlikely",
        "stands",
    )
    list_display_links = ("number",)
    list_filter = (
        ReviewFilter,
        EditionFilter,
        StruckFilter,
        DailyFilter,
        "finished",
        PlayerFilter,
    )
    list_select_related = ("user",)
    ordering = ("-pk",)
    search_fields = ("pk",)
    search_hint = _("Number of a game, or name of a player")
    fields = (
        ("game_link", "edition", "player"),
        ("value", "stands", "pace"),
        ("finished", "daily"),
        ("unlikely", "reviewed"),
    )
    actions = ("clear", "strike", "restore")

    # --- columns ---

    @admin.display(description=_("game"))
    def number(self, score: Score) -> str:
        return f"{score.slug} {score.game_id}"

    @admin.display(description=_("game"))
    def game_link(self, score: Score) -> str:
        address = reverse("admin:play_game_change", args=[score.game_id])
        return format_html('<a href="{}">{} {}</a>', address, score.slug, score.game_id)

    @admin.display(description=_("edition"))
    def edition(self, score: Score) -> Any:
        return edition_title(score.slug)

    @admin.display(description=_("player"))
    def player(self, score: Score) -> str:
        return score.user.display_name

    @admin.display(description=_("finished"))
    def over(self, score: Score) -> str:
        return minute(score.finished)

    @admin.display(description=_("daily deal"))
    def day(self, score: Score) -> str:
        return score.daily.isoformat() if score.daily else "–"

    @admin.display(description=_("seconds a move"))
    def pace(self, score: Score) -> str:
        return "–" if score.seconds is None else f"{score.seconds:.1f}"

    @admin.display(description=_("looks unlikely"))
    def unlikely(self, score: Score) -> str:
        return flag_words(score)

    @admin.display(description=_("on the boards"), boolean=True)
    def stands(self, score: Score) -> bool:
        return not score.struck

    # --- lists ---

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Score, Score], search_term: str
    ) -> tuple[QuerySet[Score, Score], bool]:
        """By the number of the game, or the name of the player."""
        if term := search_term.strip():
            there = Q(user__in=named(term).values("pk"))
            if number := key_of(term):
                there |= Q(pk=number)
            queryset = queryset.filter(there)
        return queryset, False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with the ways to the queue and to the CSV file."""
        tools = [(_("To review"), "?review=open"), (_("All scores"), "?")]
        export = reverse("admin:leaderboards_score_export")
        tools.append((_("Export as CSV"), f"{export}?{request.GET.urlencode()}"))
        return super().changelist_view(request, {"tools": tools, **(extra_context or {})})

    # --- pages ---

    def get_urls(self) -> list[URLPattern]:
        export = self.admin_site.admin_view(self.export)
        return [path("export/", export, name="leaderboards_score_export"), *super().get_urls()]

    def export(self, request: HttpRequest) -> HttpResponse:
        """The list as it is filtered, as CSV."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            scores = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            return redirect("admin:leaderboards_score_changelist")
        rows = scores.order_by("pk").select_related("user").iterator(chunk_size=1000)
        return csv_response("scores", HEADER, _rows(rows))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """A score with the decisions on it."""
        decisions = Decision.objects.none()
        if request.user.has_perm("leaderboards.view_decision") and (number := key_of(object_id)):
            decisions = Decision.objects.filter(score=number).select_related("by")
        context = {"decisions": decisions, **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """What was done is kept with the game."""
        return redirect("admin:play_game_history", object_id)

    # --- actions ---

    @admin.action(
        permissions=["review"],
        description=_("Reviewed, nothing wrong"),
        location=EVERYWHERE,
    )
    def clear(self, request: HttpRequest, queryset: QuerySet[Score, Score]) -> None:
        """Take scores out of the review queue."""
        rows = list(queryset.to_review().select_related("game", "user"))
        if not rows:
            self.message_user(request, _("No score there waits for review."), messages.WARNING)
        for score in rows:
            with transaction.atomic():
                waiting = Score.objects.to_review().filter(pk=score.pk)
                if not waiting.update(reviewed=timezone.now()):
                    continue  # someone else was quicker
                words = gettext("Reviewed, nothing wrong: %(flags)s") % {"flags": flag_words(score)}
                self.log_change(request, score.game, words)
            done = _("Reviewed, nothing wrong: %(score)s.") % {"score": score_words(score)}
            self.message_user(request, done, messages.SUCCESS)

    @admin.action(
        permissions=["strike"],
        description=_("Strike from the boards …"),
        location=EVERYWHERE,
    )
    def strike(self, request: HttpRequest, queryset: QuerySet[Score, Score]) -> HttpResponse | None:
        """Take scores off every board, for a reason."""
        return decide(self, request, queryset, struck=True)

    @admin.action(
        permissions=["strike"],
        description=_("Restore to the boards …"),
        location=EVERYWHERE,
    )
    def restore(
        self, request: HttpRequest, queryset: QuerySet[Score, Score]
    ) -> HttpResponse | None:
        """Put scores back on the boards, for a reason."""
        return decide(self, request, queryset, struck=False)


def _rows(scores: Any) -> Iterator[tuple[object, ...]]:
    for score in scores:
        yield (
            score.game_id,
            score.slug,
            score.user_id,
            score.user.display_name,
            score.value,
            score.finished.isoformat(),
            score.daily,
            score.seconds,
            score.flags,
            score.reviewed and score.reviewed.isoformat(),
            "yes" if score.struck else "no",
        )
