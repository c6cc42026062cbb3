"""One kind of user for everybody: a guest is a row of the same model as a named account."""

from secrets import token_hex

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.utils.translation import gettext_lazy as _


class Users(UserManager["User"]):
    """Users, and the way to make a guest."""

    def create_guest(self) -> "User":
        """A new guest: a row of its own without a password, told apart by its session only."""
        user = self.model(username=f"guest-{token_hex(8)}", is_guest=True)
        user.set_unusable_password()
        user.save()
        return user


class User(AbstractUser):
    """A person who plays. Guests have ``is_guest`` and a made-up username that is never shown."""

    is_guest = models.BooleanField(_("guest"), default=False)

    objects = Users()

    @property
    def display_name(self) -> str:
        """The name that pages show."""
        return str(_("Guest")) if self.is_guest else self.username
