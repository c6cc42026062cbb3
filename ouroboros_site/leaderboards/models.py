"""Scores of finished ranked games, the best of each account on each board, and decisions on them.

A score is only ever computed from a game's log. ``Best`` is a cache of ``Score`` by which a page of
a board is a few steps along an index, however many scores there are.
"""

from datetime import date, timedelta

from django.conf import settings
from django.db import models
from django.utils.timezone import now
from django.utils.translation import gettext_lazy as _


class Scores(models.QuerySet["Score"]):
    """Scores, with the questions that pages ask."""

    def standing(self) -> "Scores":
        """Those that no reviewer has struck."""
        return self.filter(struck=False)

    def to_review(self) -> "Scores":
        """Those that look unlikely and that nobody has looked at yet."""
        return self.filter(reviewed=None).exclude(flags="")


class Score(models.Model):
    """What one finished ranked game was worth to the person who played it."""

    game = models.OneToOneField(
        "play.Game", models.CASCADE, primary_key=True, related_name="score", verbose_name=_("game")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="scores", verbose_name=_("player")
    )
    slug = models.CharField(_("game"), max_length=32)
    value = models.IntegerField(_("score"))
    finished = models.DateTimeField(_("finished"))
    daily = models.DateField(_("daily deal of"), null=True, blank=True)
    """The day whose deal this was, if it was finished in time; NULL for every other game."""

    struck = models.BooleanField(_("struck"), default=False)
    seconds = models.FloatField(_("seconds a move"), null=True, blank=True)
    """The median time between two moves; NULL for a game of fewer than two."""

    flags = models.CharField(_("looks unlikely"), max_length=60, blank=True)
    """Why a reviewer should look: words of ``review.FLAGS``, with spaces between them."""

    reviewed = models.DateTimeField(_("reviewed"), null=True, blank=True)
    """When a reviewer looked at a flagged score; NULL until then."""

    objects = Scores.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["user", "slug", "finished"], name="scores_of_a_user"),
            models.Index(fields=["slug", "finished"], name="scores_of_a_time"),
            models.Index(
                fields=["-finished"],
                condition=models.Q(reviewed=None) & ~models.Q(flags=""),
                name="scores_to_review",
            ),
        ]
        verbose_name = _("score")
        verbose_name_plural = _("scores")

    def __str__(self) -> str:
        return f"{self.slug} {self.game_id}: {self.value}"

    @property
    def boards(self) -> list[str]:
        """The keys of every board that this score belongs to."""
        day = self.finished.date()
        keys = [
            board_key(self.slug),
            board_key(self.slug, "week", day - timedelta(days=day.weekday())),
            board_key(self.slug, "today", day),
        ]
        if self.daily:
            keys.append(board_key(self.slug, "daily", self.daily))
        return keys


def board_key(slug: str, span: str = "all", start: date | None = None) -> str:
    """The key of a board.

    :param span: ``all``, ``week``, ``today`` or ``daily``
    :param start: the Monday of the week, or the day (UTC); None for all time
    """
    return f"{slug}/{span}/{start.isoformat()}" if start else f"{slug}/{span}"


class Best(models.Model):
    """The best standing score of a named account on one board; the earlier of equal ones."""

    board = models.CharField(max_length=64)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bests")
    score = models.ForeignKey(Score, models.CASCADE, related_name="bests")
    value = models.IntegerField()
    finished = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "user"], name="one_best_a_board"),
        ]
        indexes = [
            models.Index(fields=["board", "-value", "finished", "id"], name="bests_in_order"),
        ]
        verbose_name = _("best score")
        verbose_name_plural = _("best scores")

    def __str__(self) -> str:
        return f"{self.board} {self.user_id}: {self.value}"


class Decision(models.Model):
    """A reviewer struck a score from the boards, or restored it, and said why. Never changed."""

    score = models.ForeignKey(Score, models.CASCADE, related_name="decisions")
    struck = models.BooleanField(_("struck"))
    reason = models.CharField(_("reason"), max_length=300)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )
    created = models.DateTimeField(_("created"), default=now)

    class Meta:
        ordering = ["created", "id"]
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")

    def __str__(self) -> str:
        return f"{self.score_id}: {'struck' if self.struck else 'restored'}"
