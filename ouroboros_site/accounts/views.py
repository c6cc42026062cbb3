"""Pages that belong to the visitor rather than to a game: looks, and the account.

A visitor without a user is led to the log-in page, a guest who asks for what only a named account
has to the sign-up page. What is filled in wrongly comes back with the reason and status 400.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.views import PasswordResetConfirmView, redirect_to_login
from django.db import IntegrityError, transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from . import names, rates, services
from .context_processors import chosen
from .export import pieces
from .forms import (
    TAKEN,
    ConfirmForm,
    EmailForm,
    LogInForm,
    NameForm,
    NewPasswordForm,
    PasswordForm,
    SignUpForm,
)
from .models import User, Visitor
from .sessions import enter, keep_look, leave

View = Callable[..., HttpResponse]
form_page = require_http_methods(["GET", "HEAD", "POST"])
NAME_LENGTH = 150
"""More of a name is not looked at before the form has seen that it is none."""


# --- looks ---------------------------------------------------------------------------------------


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Keep the visitor's taste, in cookies and with the account, and go back where they were."""
    choices = chosen(request.POST)
    user = request.user
    if user.is_authenticated and not choices.items() <= user.preferences.items():
        User.objects.filter(pk=user.pk).update(preferences=user.preferences | choices)
    response = HttpResponseRedirect(_way(request.POST.get("next", "")))
    keep_look(response, choices)
    return response


def _way(address: str) -> str:
    """The address if it is a path of this site, else home."""
    safe = address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if safe else reverse("home")


# --- who may do what -----------------------------------------------------------------------------


def is_named(user: Visitor) -> bool:
    """Whether somebody is logged in to an account with a name."""
    return user.is_authenticated and not user.is_guest


def signed_in(view: View) -> View:
    """For guests and accounts: a visitor without a user is led to the log-in page."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            with suppress(User.NotUpdated, User.DoesNotExist):
                return view(request, *args, **kwargs)
            # The account was deleted while this was under way.
        # What was to be sent is gone by then; the account's page has the button for it.
        opened = request.method in ("GET", "HEAD")
        return redirect_to_login(request.get_full_path() if opened else reverse("account"))

    return wrapper


def named_only(view: View) -> View:
    """For accounts: a guest is led to the sign-up page."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_guest:
            messages.info(request, _("That is for accounts with a name. Sign up to have one."))
            return redirect("sign_up")
        return view(request, *args, **kwargs)

    return signed_in(wrapper)


def _too_many_passwords(request: HttpRequest, key: str) -> HttpResponse | None:
    """Count a password tried for ``key``; the page that asks to wait if it is one too many.

    From one address few are allowed, from all together many more: nobody locks another one out
    by a few wrong guesses, nor tries passwords without end from many addresses.
    """
    if request.method != "POST":
        return None
    seconds = rates.hit("log-in-name", f"{key} {rates.address(request)}")
    if seconds := seconds or rates.hit("log-in-anywhere", key):
        return rates.too_many(request, seconds, rates.BY_NAME)
    return None


def _form_page(
    request: HttpRequest,
    template: str,
    form: BaseForm | None,
    status: int | None = None,
    **context: Any,
) -> HttpResponse:
    status = status or (400 if form and form.is_bound else 200)
    return render(request, template, {"form": form} | context, status=status)


def _posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _games_of(user: Visitor) -> int:
    return user.seats.count() if user.is_authenticated else 0


# --- signing up, logging in and out --------------------------------------------------------------


@form_page
@rates.limited("sign-up")
@sensitive_post_parameters("password1", "password2")
def sign_up(request: HttpRequest) -> HttpResponse:
    """Turn a guest into a named account, which keeps the games; a visitor gets a new one."""
    if is_named(request.user):
        return redirect("account")
    form = SignUpForm(_posted(request), own=request.user.pk)
    if form.is_bound and form.is_valid():
        try:
            user = _new_account(request, form.cleaned_data)
        except IntegrityError:
            form.add_error("name", TAKEN)
        else:
            enter(request, user)
            messages.success(request, _welcome(user))
            return HttpResponseRedirect(_way(request.GET.get("next", "")))
    return _form_page(request, "accounts/sign_up.html", form, games=_games_of(request.user))


@transaction.atomic
def _new_account(request: HttpRequest, data: dict[str, str]) -> User:
    # A row of its own: should the name be taken after all, the request's user is still the guest.
    rows = User.objects.select_for_update().filter(pk=request.user.pk, is_guest=True)
    guest = rows.first() or User.objects.create_guest()
    guest.preferences |= chosen(request.COOKIES)
    return services.name_guest(
        guest=guest, name=data["name"], password=data["password1"], email=data["email"]
    )


def _welcome(user: User) -> str:
    welcome = _("Welcome, %(name)s.") % {"name": user.display_name}
    if not (games := _games_of(user)):
        return welcome
    kept = ngettext(
        "The game you played so far is yours to keep.",
        "The %(games)d games you played so far are yours to keep.",
        games,
    ) % {"games": games}
    return f"{welcome} {kept}"


@form_page
@rates.limited("log-in")
@sensitive_post_parameters("password")
def log_in(request: HttpRequest) -> HttpResponse:
    """Log in to an account; what was played as a guest before moves to it."""
    if is_named(request.user):
        return redirect("account")
    key = names.key(request.POST.get("username", "").strip()[:NAME_LENGTH])
    if key and (answer := _too_many_passwords(request, key)):
        return answer
    form = LogInForm(request, _posted(request))
    if form.is_bound and form.is_valid():
        user = form.get_user()
        messages.success(request, _arrive(request, user))
        response = HttpResponseRedirect(_way(request.GET.get("next", "")))
        keep_look(response, chosen(user.preferences))
        return response
    return _form_page(request, "accounts/log_in.html", form, games=_games_of(request.user))


def _arrive(request: HttpRequest, user: User) -> str:
    """Log in, move the guest's games, and say so.

    Where one of the two is suspended none moves: a suspended account could go on playing by way
    of guests, and a suspended guest by way of an account.
    """
    guest = request.user if request.user.is_authenticated else None
    moves = guest and not guest.suspended and not user.suspended
    moved = services.merge_guest(guest=guest, account=user) if moves else 0
    enter(request, user)
    hello = _("You are logged in as %(name)s.") % {"name": user.display_name}
    if not moved:
        return hello
    games = ngettext(
        "The game you played as a guest has moved to this account.",
        "The %(games)d games you played as a guest have moved to this account.",
        moved,
    ) % {"games": moved}
    return f"{hello} {games}"


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Log out. A guest, who could never come back, is led to the sign-up page instead."""
    if request.user.is_authenticated and request.user.is_guest:
        messages.warning(
            request,
            _(
                "A guest is known to this browser only: logging out would lose your games. "
                "Sign up, and they are yours wherever you log in."
            ),
        )
        return redirect("sign_up")
    response = leave(request, redirect("home"))
    messages.success(request, _("You are logged out."))
    return response


@require_POST
@named_only
def log_out_everywhere(request: HttpRequest) -> HttpResponse:
    """Log out in every browser, this one too."""
    services.end_sessions(request.user)
    response = leave(request, redirect("home"))
    messages.success(request, _("You are logged out in every browser."))
    return response


# --- the account ---------------------------------------------------------------------------------


@require_safe
@signed_in
def account(request: HttpRequest) -> HttpResponse:
    """Settings, and the ways to everything that can be done with an account."""
    return render(request, "accounts/account.html", {"games": _games_of(request.user)})


@form_page
@named_only
def change_name(request: HttpRequest) -> HttpResponse:
    """Another name; a suspended account keeps the one it is known by."""
    template = "accounts/change_name.html"
    if request.user.suspended:
        return _form_page(request, template, None, status=403)
    # A row of its own: the request's user keeps the name until it is changed.
    user = User.objects.get(pk=request.user.pk)
    form = NameForm(_posted(request), own=user.pk, initial={"name": user.username})
    if form.is_bound and form.is_valid():
        user.username = form.cleaned_data["name"]
        try:
            with transaction.atomic():
                user.save(update_fields=["username"])
        except IntegrityError:
            form.add_error("name", TAKEN)
        else:
            messages.success(request, _("You are called %(name)s now.") % {"name": user.username})
            return redirect("account")
    return _form_page(request, template, form)


@form_page
@sensitive_post_parameters()
@named_only
def change_email(request: HttpRequest) -> HttpResponse:
    """Another e-mail address, or none."""
    user = request.user
    if answer := _too_many_passwords(request, f"account {user.pk}"):
        return answer
    form = EmailForm(_posted(request), user=user, initial={"email": user.email})
    if form.is_bound and form.is_valid():
        user.email = form.cleaned_data["email"]
        user.save(update_fields=["email"])
        messages.success(request, _("Your e-mail address is kept."))
        return redirect("account")
    return _form_page(request, "accounts/change_email.html", form)


@form_page
@sensitive_post_parameters()
@named_only
def change_password(request: HttpRequest) -> HttpResponse:
    """Another password: this browser stays logged in, all others do not."""
    user = request.user
    if answer := _too_many_passwords(request, f"account {user.pk}"):
        return answer
    form = PasswordForm(user, _posted(request))
    if form.is_bound and form.is_valid():
        form.save()
        update_session_auth_hash(request, user)
        messages.success(
            request, _("Your password is changed. You are logged out in all other browsers.")
        )
        return redirect("account")
    return _form_page(request, "accounts/change_password.html", form)


@form_page
@sensitive_post_parameters()
@named_only
def delete_account(request: HttpRequest) -> HttpResponse:
    """Erase the account, once the password is given. Staff must give up their rights first."""
    user, template = request.user, "accounts/delete.html"
    games = _games_of(user)
    if user.is_staff or user.is_superuser:
        status = 409 if request.method == "POST" else 200
        return _form_page(request, template, None, status=status, games=games)
    if answer := _too_many_passwords(request, f"account {user.pk}"):
        return answer
    form = ConfirmForm(_posted(request), user=user)
    if form.is_bound and form.is_valid():
        services.delete_account(User.objects.get(pk=user.pk))
        response = leave(request, redirect("home"))
        messages.success(request, _("Your account is deleted. Thank you for playing."))
        return response
    return _form_page(request, template, form, games=games)


@require_safe
@signed_in
def export(request: HttpRequest) -> StreamingHttpResponse:
    """All that the site holds of this person, as a file."""
    response = StreamingHttpResponse(pieces(request.user), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="ouroboros.json"'
    return response


# --- a forgotten password ------------------------------------------------------------------------


@form_page
@rates.limited("reset")
def password_reset(request: HttpRequest) -> HttpResponse:
    """Send a link to whoever has this e-mail address; the answer is the same if nobody has."""
    form = PasswordResetForm(_posted(request))
    if form.is_bound and form.is_valid():
        form.save(
            request=request,
            use_https=request.is_secure(),
            subject_template_name="accounts/reset_subject.txt",
            email_template_name="accounts/reset_email.txt",
        )
        return redirect("password_reset_done")
    return _form_page(request, "accounts/reset.html", form)


@require_safe
def password_reset_done(request: HttpRequest) -> HttpResponse:
    """Where to look for the link."""
    return render(request, "accounts/reset_sent.html")


class ResetConfirm(PasswordResetConfirmView):
    """Django's page of the link: a new password, which ends all sessions of the account."""

    form_class = NewPasswordForm
    template_name = "accounts/reset_confirm.html"
    http_method_names = ["get", "head", "post"]

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        form = context["form"]
        status = 404 if form is None else 400 if form.is_bound else 200
        return super().render_to_response(context, status=status, **kwargs)


password_reset_confirm = form_page(ResetConfirm.as_view())


@require_safe
def password_reset_complete(request: HttpRequest) -> HttpResponse:
    """The password is set: log in."""
    return render(request, "accounts/reset_done.html")
