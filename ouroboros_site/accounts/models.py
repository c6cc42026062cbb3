"""One kind of user for everybody: a guest is a row of the same model as a named account."""

from secrets import token_hex
from typing import Any

from django.contrib.auth.models import AbstractUser, AnonymousUser, UserManager
from django.db import models
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from . import names


class Users(UserManager["User"]):
    """Users, and the way to make a guest."""

    def create_guest(self) -> "User":
        """A new guest: a row of its own without a password, told apart by its session only."""
        user = self.model(username=f"guest-{token_hex(8)}", is_guest=True)
        user.set_unusable_password()
        user.save()
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        """The account of a name, however its letters are cased.

        :raises User.DoesNotExist: if there is none; a guest has no name
        """
        name = username or ""
        exact = self.named().filter(username=name).first()
        return exact or self.get(name_key=names.key(name))

    def named(self) -> models.QuerySet["User"]:
        """Named accounts: everyone but guests."""
        return self.filter(is_guest=False)


class User(AbstractUser):
    """A person who plays. Guests have ``is_guest`` and a made-up username that is never shown."""

    username = models.CharField(_("name"), max_length=150, unique=True)
    name_key = models.CharField(  # noqa: DJ001 - unique, and guests have none
        max_length=255, unique=True, null=True, editable=False
    )
    """``names.key`` of the name, so that no two names look alike; NULL for a guest."""

    look_key = models.CharField(  # noqa: DJ001 - unique, and guests have none
        max_length=255, unique=True, null=True, editable=False
    )
    """``names.look_key`` of the name; NULL for a guest."""

    is_guest = models.BooleanField(_("guest"), default=False)
    suspended = models.DateTimeField(_("suspended"), null=True, blank=True)
    """Since when the person may not play; NULL for nearly everyone."""

    suspension = models.CharField(_("reason of the suspension"), max_length=300, blank=True)
    sessions = models.PositiveIntegerField(default=0, editable=False)
    """Part of every session's hash: raising it logs the person out everywhere."""

    preferences = models.JSONField(_("preferences"), default=dict, blank=True, editable=False)
    """The looks of ``context_processors.CHOICES`` that the person chose, for the next browser."""

    objects = Users()

    class Meta(AbstractUser.Meta):
        indexes = [models.Index(fields=["is_guest", "date_joined"], name="users_guests")]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the user, with the keys that the name has now."""
        self.name_key = None if self.is_guest else names.key(self.username)
        self.look_key = None if self.is_guest else names.look_key(self.username)
        if (fields := kwargs.get("update_fields")) is not None and "username" in fields:
            kwargs["update_fields"] = {*fields, "name_key", "look_key"}
        # A row that was deleted meanwhile must not come back: ``NotUpdated`` is raised instead.
        if not self._state.adding and kwargs.get("update_fields") is None:
            kwargs["force_update"] = True
        super().save(*args, **kwargs)

    @property
    def display_name(self) -> str:
        """The name that pages show."""
        return str(_("Guest")) if self.is_guest else self.username

    def get_absolute_url(self) -> str:
        """The public page of a named account."""
        return reverse("profile", args=[self.username])

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's hash of the password in a session, which also ends when ``sessions`` rises."""
        return salted_hmac(
            "ouroboros_site.accounts.User.session",
            f"{self.password} {self.sessions}",
            secret=secret,
            algorithm="sha256",
        ).hexdigest()


Visitor = User | AnonymousUser
"""Whoever asks for a page."""
