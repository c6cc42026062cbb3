"""What people fill in about their accounts. Forms check; ``services`` and views write."""

from typing import Any

from django import forms
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    SetPasswordForm,
    SetPasswordMixin,
)
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from . import names
from .models import User

TAKEN = _("This name, or one that looks like it, is taken.")
EMAIL_HELP = _("Only to set a new password should you forget yours. Nobody sees it.")


def _name_field(**attrs: Any) -> forms.CharField:
    attrs = {"autocapitalize": "none", "spellcheck": "false", "dir": "auto"} | attrs
    return forms.CharField(
        label=_("Name"),
        help_text=_("3 to 20 letters, digits, - and _ of any script. Everyone sees it."),
        widget=forms.TextInput(attrs={"autocomplete": "username"} | attrs),
    )


def free_name(name: str, own: int | None) -> str:
    """The name as it is stored.

    :param own: the key of the row that may have it already
    :raises ValidationError: if it is no name, or taken
    """
    name = names.clean(name)
    if User.objects.filter(names.alike(name)).exclude(pk=own).exists():
        raise ValidationError(TAKEN, code="taken")
    return name


def _email_field() -> forms.EmailField:
    return forms.EmailField(
        label=_("E-mail"),
        required=False,
        max_length=254,
        help_text=EMAIL_HELP,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


def _password_fields(first: Any, second: Any) -> tuple[forms.CharField, forms.CharField]:
    """A new password and its repetition."""
    password, again = SetPasswordMixin.create_password_fields(first, second)
    password.help_text = _(
        "At least 8 characters, not only digits, and nothing that is easy to guess."
    )
    again.help_text = ""
    return password, again


class SignUpForm(SetPasswordMixin, forms.Form):
    """A name and a password for a guest's row, or a new one."""

    name = _name_field(autofocus=True)
    password1, password2 = _password_fields(_("Password"), _("Password again"))
    email = _email_field()

    def __init__(self, *args: Any, own: int | None = None, **kwargs: Any) -> None:
        self.own = own
        super().__init__(*args, **kwargs)

    def clean_name(self) -> str:
        return free_name(self.cleaned_data["name"], self.own)

    def clean(self) -> None:
        """Both passwords the same, and a good one for this person."""
        self.validate_passwords()
        person = User(
            username=self.cleaned_data.get("name", ""), email=self.cleaned_data.get("email", "")
        )
        self.validate_password_for_user(person, "password1")


class LogInForm(AuthenticationForm):
    """A name, however it is written, and its password."""

    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": _("There is no account with this name and this password."),
    }


class NameForm(forms.Form):
    """Another name for an account; the same in other letters is free."""

    name = _name_field(autofocus=True)

    def __init__(self, *args: Any, own: int, **kwargs: Any) -> None:
        self.own = own
        super().__init__(*args, **kwargs)

    def clean_name(self) -> str:
        return free_name(self.cleaned_data["name"], self.own)


class PasswordForm(PasswordChangeForm):
    """The old password, and a new one twice."""

    new_password1, new_password2 = _password_fields(_("New password"), _("New password again"))


class NewPasswordForm(SetPasswordForm):
    """A new password twice, for somebody who came by the link in an e-mail."""

    new_password1, new_password2 = _password_fields(_("New password"), _("New password again"))


class ConfirmForm(forms.Form):
    """The password, asked once more before something that cannot be taken back."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)

    @sensitive_variables("password")
    def clean_password(self) -> str:
        password = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise ValidationError(_("This is not your password."), code="password")
        return password


class EmailForm(ConfirmForm):
    """Another e-mail address, or none: who has it can take the account over."""

    email = _email_field()
    field_order = ["email", "password"]
