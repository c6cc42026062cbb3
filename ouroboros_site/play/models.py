"""What is stored of every game: the game, its seats, and its moves.

The log of moves is the truth and is only ever added to; ``Game.state`` is a copy of the position
it leads to, kept so that a move need not play the game again.
"""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ouroboros_site.engine.protocol import Rules, State
from ouroboros_site.engine.shuffle import commitment

from . import registry


class Games(models.QuerySet["Game"]):
    """Games, with the questions that pages ask."""

    def of(self, user: settings.AUTH_USER_MODEL) -> "Games":
        """Games in which this user has a seat."""
        return self.filter(seats__user=user)

    def open(self) -> "Games":
        """Games that go on, the one played last first."""
        return self.filter(finished__isnull=True).order_by("-updated")

    def over(self) -> "Games":
        """Finished games, the latest first (``finished`` is NULL until a game ends)."""
        return self.filter(finished__isnull=False).order_by("-finished")


class DailyDeal(models.Model):
    """The deal that everyone gets on one UTC day. Stored when it is first asked for."""

    TRY = timedelta(hours=24)
    """How long a try may take from its start; one begun before midnight runs into the next day."""

    slug = models.CharField(_("game"), max_length=32)
    date = models.DateField(_("day"))
    seed = models.CharField(_("seed"), max_length=64, unique=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slug", "date"], name="one_deal_a_day")]
        verbose_name = _("daily deal")
        verbose_name_plural = _("daily deals")

    def __str__(self) -> str:
        return f"{self.slug} {self.date}"

    @property
    def commitment(self) -> str:
        """What is shown of the seed before one's try."""
        return commitment(self.seed)

    @property
    def ends(self) -> datetime:
        """The midnight (UTC) after which no try can be started."""
        return datetime.combine(self.date, time(), UTC) + timedelta(days=1)

    @property
    def closes(self) -> datetime:
        """When no try can be open any more, and all may know the seed."""
        return self.ends + self.TRY


PACES = {"slow": 2.0, "normal": 1.0, "instant": 0.0}
"""Seconds between two moves that nobody at the table makes by hand."""
TURN_TIMES = {45: _("45 seconds"), 24 * 60 * 60: _("one day")}
"""Seconds that a person may have for a turn, where there is a limit at all."""


class Game(models.Model):
    """One game of any rule set in the registry."""

    slug = models.CharField(_("game"), max_length=32)
    players = models.PositiveSmallIntegerField(_("players"), default=1)
    options = models.JSONField(_("options"), default=dict, blank=True)
    seed = models.CharField(_("seed"), max_length=64)
    ranked = models.BooleanField(_("ranked"), default=True)
    daily = models.ForeignKey(
        DailyDeal,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="games",
        verbose_name=_("daily deal"),
    )
    """Whose deal this game has, in a try and in practice; NULL for a deal of its own."""

    token = models.CharField(max_length=32, unique=True, null=True, blank=True, editable=False)
    """From the form that started the game, so that a double click starts one game only."""

    state = models.JSONField(_("position"))
    ply = models.PositiveIntegerField(_("ply"), default=0)
    version = models.PositiveIntegerField(_("version"), default=0)
    """Raised by every change, undo too: a ply can come back, a version never."""

    redo = models.JSONField(default=list, blank=True, editable=False)
    """Texts of moves taken back and not yet replaced, the next to redo last."""

    result = models.JSONField(_("result"), null=True, blank=True)
    """``termination``, ``scores`` (a number for each seat) and, of several seats, ``winners`` when
    the game is over."""

    tallies = models.JSONField(_("tallies"), default=list, blank=True)
    """What the reports of moves say of each finished round, the first round first."""

    pace = models.CharField(
        _("pace"),
        max_length=8,
        default="normal",
        choices={"slow": _("slow"), "normal": _("normal"), "instant": _("instant")},
    )
    lease = models.DateTimeField(null=True, blank=True, editable=False)
    """Until when somebody's request thinks for the bot whose turn it is."""

    started = models.DateTimeField(_("started"), default=timezone.now, null=True, blank=True)
    """NULL as long as people sit down: the cards are dealt already, and nobody sees them."""

    key = models.CharField(max_length=32, unique=True, null=True, blank=True, editable=False)
    """The secret of the link that leads to the table; NULL where nobody can be invited."""

    listed = models.BooleanField(_("listed"), default=False)
    """Whether the lobby shows the table, and with it the link."""

    host = models.PositiveSmallIntegerField(_("host"), null=True, blank=True)
    """The seat of the person who may start the game and free seats; NULL without a key."""

    turn_time = models.PositiveIntegerField(
        _("turn time"), null=True, blank=True, choices=TURN_TIMES.items()
    )
    """Seconds that a person has for a turn; NULL for any time."""

    turn_since = models.DateTimeField(null=True, blank=True, editable=False)
    """Since when the seat whose turn it is may move; NULL before the start and after the end."""

    votes = models.JSONField(default=list, blank=True, editable=False)
    """The seats that want a bot to play for the absent person whose turn it is."""

    talk = models.JSONField(default=list, blank=True, editable=False)
    """What was said and what happened at the table lately, the oldest first; ``seating`` knows."""

    rematch_of = models.OneToOneField(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="rematch",
        verbose_name=_("rematch of"),
    )

    created = models.DateTimeField(_("created"), auto_now_add=True)
    updated = models.DateTimeField(_("updated"), auto_now=True)
    finished = models.DateTimeField(_("finished"), null=True, blank=True)

    objects = Games.as_manager()

    class Meta:
        indexes = [models.Index(fields=["slug", "finished"])]
        permissions = [
            ("review_game", "Can see every game with its hidden cards"),
            ("verify_game", "Can verify games"),
            ("strike_game", "Can strike scores from the boards and restore them"),
        ]
        verbose_name = _("game")
        verbose_name_plural = _("games")

    def __str__(self) -> str:
        return f"{self.slug} {self.pk}"

    @property
    def kind(self) -> registry.Kind:
        """The registry's entry of this game."""
        return registry.get(self.slug)

    @property
    def rules(self) -> Rules:
        """The rules this game is played by."""
        return self.kind.rules

    @property
    def commitment(self) -> str:
        """What is shown of the seed before the game is over."""
        return commitment(self.seed)

    @property
    def is_over(self) -> bool:
        """Whether no move can come any more."""
        return self.finished is not None

    @property
    def is_waiting(self) -> bool:
        """Whether the game has not begun, because people still sit down."""
        return self.started is None

    @property
    def has_undo(self) -> bool:
        """Whether moves can be taken back: alone, and in practice."""
        return not self.ranked and self.players == 1

    @property
    def in_time(self) -> bool:
        """Whether the game ended within the time of a try."""
        return self.finished is not None and self.finished <= self.created + DailyDeal.TRY

    @property
    def counts(self) -> bool:
        """Whether the game is over and its score counts.

        Practice does not; nor does a try at a daily deal that ended too late, when the seed may
        have been known.
        """
        return self.is_over and self.ranked and (self.daily_id is None or self.in_time)

    @property
    def setup(self) -> dict[str, Any]:
        """What ``encode`` gives beside the position."""
        return {"seed": self.seed, "players": self.players, "options": self.options}

    def load(self) -> State:
        """The present position. It holds secrets: only services and rules may look into it."""
        return self.rules.decode({**self.setup, "position": self.state})


class Try(models.Model):
    """The one ranked game that a person has at a daily deal."""

    deal = models.ForeignKey(DailyDeal, models.CASCADE, related_name="tries")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tries")
    game = models.OneToOneField(Game, models.CASCADE, related_name="try_of")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["deal", "user"], name="one_try_a_deal")]
        verbose_name = _("try")
        verbose_name_plural = _("tries")

    def __str__(self) -> str:
        return f"{self.deal}: {self.user_id}"

    @property
    def until(self) -> datetime:
        """When its time is over."""
        return self.game.created + DailyDeal.TRY


class Seat(models.Model):
    """A place at a game, numbered from 0.

    ``user`` is the person whose seat it is, and ``bot`` the level of the bot that plays it. With
    both the bot stands in for the person, who may come back; with neither the seat is open, or its
    person has left the site. ``name`` is what a bot of its own is called, or a guest at this table.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField(_("index"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="seats"
    )
    bot = models.CharField(_("bot"), max_length=16, blank=True)
    name = models.CharField(_("name"), max_length=32, blank=True)
    seen = models.DateTimeField(_("seen"), null=True, blank=True)
    """When the person's browser last said that the table is looked at."""

    left = models.DateTimeField(_("left"), null=True, blank=True)
    """Since when the person has left the running game, which a bot goes on with."""

    muted = models.JSONField(default=list, blank=True, editable=False)
    """The seats whose phrases this person does not want to read."""

    hand_over = models.CharField(max_length=64, unique=True, null=True, blank=True, editable=False)
    """The hash of the one-time code with which somebody else may take this seat."""

    hand_over_until = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "index"], name="one_seat_an_index"),
            models.UniqueConstraint(fields=["game", "user"], name="one_seat_a_person"),
        ]
        verbose_name = _("seat")
        verbose_name_plural = _("seats")

    def __str__(self) -> str:
        return f"{self.game_id}:{self.index}"


class SeatChange(models.Model):
    """One line of who sat where when. A row is never deleted or changed.

    ``user`` is the person whom it is about, ``by`` the person who did it, if it was somebody else.
    """

    class What(models.TextChoices):
        """What can happen to a seat."""

        SAT = "sat", _("sat down")
        MOVED = "moved", _("changed seats")
        STOOD = "stood", _("stood up before the start")
        REMOVED = "removed", _("was removed")
        HOST = "host", _("became the host")
        LEFT = "left", _("left, a bot plays")
        LATE = "late", _("ran out of time, a bot plays")
        VOTED = "voted", _("was absent, a bot plays by vote")
        BACK = "back", _("came back")
        HANDED = "handed", _("took the seat over by a code")

    game = models.ForeignKey(Game, models.CASCADE, related_name="changes")
    version = models.PositiveIntegerField(_("version"))
    """Of the game, after the change."""

    seat = models.PositiveSmallIntegerField(_("seat"))
    what = models.CharField(_("what"), max_length=8, choices=What)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="seat_changes"
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = _("change of a seat")
        verbose_name_plural = _("changes of seats")

    def __str__(self) -> str:
        return f"{self.game_id}:{self.seat} {self.what}"


class Pulse(models.Model):
    """One row: when a server last said that it lives, so that clocks stand while none does."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.at)


class Move(models.Model):
    """One line of a game's log. A row is never deleted or changed, but for ``undone``."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="moves")
    version = models.PositiveIntegerField(_("version"))
    ply = models.PositiveIntegerField(_("ply"))
    seat = models.PositiveSmallIntegerField(_("seat"))
    text = models.CharField(_("move"), max_length=200)
    report = models.JSONField(_("report"))
    """What the move did, as the rules told it; can be told again from the log."""

    created = models.DateTimeField(_("created"), auto_now_add=True)
    undone = models.BooleanField(_("undone"), default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "version"], name="one_move_a_version"),
            models.UniqueConstraint(
                fields=["game", "ply"],
                condition=models.Q(undone=False),
                name="one_move_a_ply",
            ),
        ]
        verbose_name = _("move")
        verbose_name_plural = _("moves")

    def __str__(self) -> str:
        return f"{self.game_id}/{self.ply}: {self.text}"
