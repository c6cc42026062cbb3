"""What is stored of every game: the game, its seats, and its moves.

The log of moves is the truth and is only ever added to; ``Game.state`` is a copy of the position
it leads to, kept so that a move need not play the game again.
"""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db import models
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
    """A place at a game, numbered from 0; ``user`` is NULL where no person sits.

    ``bot`` is the level of the bot that plays this seat, and empty where its person does; ``name``
    is what the bot is called.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField(_("index"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="seats"
    )
    bot = models.CharField(_("bot"), max_length=16, blank=True)
    name = models.CharField(_("name"), max_length=32, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "index"], name="one_seat_an_index")]
        verbose_name = _("seat")
        verbose_name_plural = _("seats")

    def __str__(self) -> str:
        return f"{self.game_id}:{self.index}"


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
