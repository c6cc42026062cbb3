"""What finished ranked games came to, where each account stands, and decisions on scores.

Of a game for one there is a score, of a game of several seats a result for each person at it. Both
are only ever computed from a game's log. ``Best`` is a cache of ``Score`` by which a page of a
board is a few steps along an index, however many scores there are; so is ``Standing`` of
``Result``.
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


class Result(models.Model):
    """What one finished ranked game of several seats came to for one person who sat there."""

    game = models.ForeignKey(
        "play.Game", models.CASCADE, related_name="results", verbose_name=_("game")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="results", verbose_name=_("player")
    )
    seat = models.PositiveSmallIntegerField(_("seat"))
    slug = models.CharField(_("game"), max_length=32)
    people = models.BooleanField(_("with people"))
    """Whether another person sat there too, or bots only."""

    won = models.BooleanField(_("won"))
    retired = models.BooleanField(_("left"))
    """Whether the game ended because everybody left the table, or this person had a bot play it to
    its end: then they have not won it.

    Otherwise a hand that goes badly could be left, and would count nowhere. So in a game whose
    players survive or lose, whoever leaves has lost.
    """

    rounds = models.PositiveSmallIntegerField(_("rounds"), default=0)
    """Finished rounds; 0 in a game whose rounds are not written down."""

    points = models.IntegerField(_("minus points"), default=0)
    best = models.IntegerField(_("best round"), null=True)
    worst = models.IntegerField(_("worst round"), null=True)
    """The fewest and the most minus points of a round; NULL where no round was finished."""

    finished = models.DateTimeField(_("finished"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "user"], name="one_result_a_person"),
        ]
        indexes = [
            models.Index(fields=["user", "finished"], name="results_of_a_user"),
            models.Index(fields=["user", "slug", "people"], name="results_of_a_standing"),
        ]
        verbose_name = _("result")
        verbose_name_plural = _("results")

    def __str__(self) -> str:
        return f"{self.slug} {self.game_id}:{self.seat}"

    @property
    def mean(self) -> float | None:
        """Minus points a round; None without a round."""
        return self.points / self.rounds if self.rounds else None


class Standing(models.Model):
    """The sum of a named account's results in one game, with people or with bots only."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="standings")
    slug = models.CharField(_("game"), max_length=32)
    people = models.BooleanField(_("with people"))
    games = models.PositiveIntegerField(_("games"), default=0)
    won = models.PositiveIntegerField(_("games won"), default=0)
    rounds = models.PositiveIntegerField(_("rounds"), default=0)
    points = models.BigIntegerField(_("minus points"), default=0)
    best = models.IntegerField(_("best round"), null=True)
    worst = models.IntegerField(_("worst round"), null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "slug", "people"], name="one_standing_a_board"),
        ]
        indexes = [
            models.Index(
                fields=["slug", "people", "-won", "games", "id"], name="standings_in_order"
            ),
        ]
        verbose_name = _("standing")
        verbose_name_plural = _("standings")

    def __str__(self) -> str:
        return f"{self.slug} {self.user_id}: {self.won}/{self.games}"

    @property
    def mean(self) -> float | None:
        """Minus points a round; None without a round."""
        return self.points / self.rounds if self.rounds else None

    @property
    def share(self) -> float:
        """How many of a hundred games were won."""
        return 100 * self.won / self.games

    def add(self, result: Result) -> None:
        """Count one more result in."""
        self.games += 1
        self.won += result.won
        self.rounds += result.rounds
        self.points += result.points
        self.best = min(_known(self.best, result.best), default=None)
        self.worst = max(_known(self.worst, result.worst), default=None)


def _known(*points: int | None) -> list[int]:
    return [each for each in points if each is not None]
