"""What is stored of a scorepad: who plays, for how long, and every line ever written on it.

The lines are the truth and are only ever added to. What a cell shows is its newest line; the
older ones stay to be seen.
"""

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class Pad(models.Model):
    """The sheet of one game of Ochs & Esel that is played with real cards."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="pads", verbose_name=_("owner")
    )
    key = models.CharField(max_length=32, unique=True, editable=False)
    """The secret of its address: whoever has it may look."""

    token = models.CharField(max_length=32, unique=True, editable=False)
    """From the form that made the pad, so that a double click makes one only."""

    names = models.JSONField(_("names"))
    """Of the players, in the order in which they sit."""

    rounds = models.PositiveSmallIntegerField(_("rounds"))
    ox = models.BooleanField(_("with the ox"))
    shared = models.BooleanField(_("others may write"), default=False)
    """Whether everybody who has the address may write too."""

    version = models.PositiveIntegerField(_("version"), default=0)
    """Raised by every change; a line has the version that it made as its number."""

    created = models.DateTimeField(_("created"), auto_now_add=True)
    updated = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        ordering = ["-updated", "-pk"]
        verbose_name = _("scorepad")
        verbose_name_plural = _("scorepads")

    def __str__(self) -> str:
        return ", ".join(self.names)

    def get_absolute_url(self) -> str:
        """The pad's page."""
        return reverse("pad", args=[self.key])

    @property
    def topic(self) -> str:
        """What its changes are announced under."""
        return f"pad-{self.pk}"


class Line(models.Model):
    """What was written into a cell of a pad. A row is never changed.

    ``points`` is what a player got in a round, NULL for a cell that was emptied again. A line
    about who starts a round (``starts``) tells the ``player`` and has no points.
    """

    pad = models.ForeignKey(Pad, models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField(_("number"))
    """The version of the pad that this line made."""

    round = models.PositiveSmallIntegerField(_("round"))
    player = models.PositiveSmallIntegerField(_("player"))
    starts = models.BooleanField(_("tells who starts"), default=False)
    points = models.PositiveSmallIntegerField(_("points"), null=True)
    counted = models.JSONField(_("cards"), null=True)
    """The cards that the points were counted from, ``hand`` and ``laid`` as texts; NULL where
    points were typed."""

    base = models.PositiveIntegerField(default=0)
    """The number of the line whose place this one took in its cell, as its writer knew; else 0."""

    client = models.CharField(max_length=32)
    """Made up by the writer's page, so that what is sent twice is written once."""

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )
    created = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["pad", "number"], name="one_line_a_version"),
            models.UniqueConstraint(fields=["pad", "client"], name="one_line_a_client"),
        ]
        verbose_name = _("line of a scorepad")
        verbose_name_plural = _("lines of scorepads")

    def __str__(self) -> str:
        return f"{self.pad_id}/{self.number}: {self.round}-{self.player} {self.points}"

    @property
    def cell(self) -> tuple[int, int | None]:
        """What the line is about: a player's points in a round, or (None) who starts it."""
        return self.round, None if self.starts else self.player

    def says(self, points: int | None, counted: Any, player: int) -> bool:
        """Whether the line says just this."""
        return (self.points, self.counted, self.player) == (points, counted, player)
