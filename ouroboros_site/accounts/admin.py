"""People in the admin: named accounts, guests apart, suspending, and their CSV.

Staff log in, log out and change their passwords where everyone does.
"""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ouroboros_site.leaderboards.models import Score
from ouroboros_site.play.models import Seat
from ouroboros_site.play.staff import (
    EVERYWHERE,
    BigList,
    ask_reason,
    csv_response,
    filter_by,
    key_of,
    minute,
)

from . import names, services, views
from .forms import free_name
from .models import User

HEADER = (
    "id",
    "name",
    "email",
    "joined",
    "last_login",
    "guest",
    "suspended",
    "games",
    "scores",
)
RIGHTS = ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")

SuspendedFilter = filter_by(
    "suspended",
    _("suspended"),
    {"yes": (_("Suspended"), ~Q(suspended=None)), "no": (_("May play"), Q(suspended=None))},
)
StaffFilter = filter_by(
    "staff",
    _("staff"),
    {"yes": (_("Staff"), Q(is_staff=True)), "no": (_("Others"), Q(is_staff=False))},
)


class WhoFilter(admin.SimpleListFilter):
    """Named accounts, unless guests are asked for."""

    title = _("kind of account")
    parameter_name = "who"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("named", _("Named accounts")), ("guests", _("Guests")), ("all", _("Everyone"))]

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        for value, words in self.lookup_choices:
            yield {
                "selected": value == (self.value() or "named"),
                "query_string": changelist.get_query_string({self.parameter_name: value}),
                "display": words,
            }

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[User, User]
    ) -> QuerySet[User, User]:
        if self.value() == "all":
            return queryset
        return queryset.filter(is_guest=self.value() == "guests")


# --- forms ---------------------------------------------------------------------------------------


class NameMixin:
    """The site's own rules for names, for a name that is new."""

    def clean_username(self) -> str:
        """The name as it is stored.

        :raises ValidationError: if it is none, or if it is taken
        """
        name: str = self.cleaned_data["username"]
        if name == self.instance.username and self.instance.pk:
            return name  # older than the rules, perhaps
        return free_name(name, self.instance.pk)


class AddForm(NameMixin, AdminUserCreationForm):
    """A new named account."""


class ChangeForm(NameMixin, UserChangeForm):
    """A named account."""


# --- the list and the page -----------------------------------------------------------------------


@admin.register(User)
class PersonAdmin(BigList, UserAdmin):
    """Accounts. What can be changed of others' rights, only a superuser changes."""

    form = ChangeForm
    add_form = AddForm
    list_display = (
        "name",
        "number",
        "email",
        "joined",
        "seen",
        "may_play",
        "is_staff",
        "games",
    )
    list_display_links = ("name",)
    list_filter = (WhoFilter, SuspendedFilter, StaffFilter, "date_joined")
    list_select_related = False
    ordering = ("-pk",)
    search_fields = ("username",)
    search_hint = _("Beginning of a name, e-mail address, or number")
    filter_horizontal = ("groups", "user_permissions")
    readonly_fields = ("suspended", "suspension", "last_login", "date_joined", "games", "scores")
    fieldsets = (
        (None, {"fields": ("username", "password", "email")}),
        (_("Play"), {"fields": ("games", "scores", "suspended", "suspension")}),
        (_("Rights"), {"fields": RIGHTS}),
        (_("Times"), {"fields": ("date_joined", "last_login")}),
    )
    actions = ("suspend", "unsuspend")

    # --- rights ---

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Guests have nothing to change, and staff are changed by superusers only.

        Who could give a reviewer another password could review.
        """
        if not super().has_change_permission(request, obj):
            return False
        if obj is None or request.user.is_superuser:
            return obj is None or not obj.is_guest
        return not (obj.is_guest or obj.is_staff or obj.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """People delete their accounts themselves: their games must leave the boards with them."""
        return False

    def has_suspend_permission(self, request: HttpRequest) -> bool:
        return self.has_change_permission(request)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Rights are given by superusers only."""
        return self.readonly_fields + (() if request.user.is_superuser else RIGHTS)

    # --- columns ---

    @admin.display(description=_("name"))
    def name(self, user: User) -> str:
        return user.display_name

    @admin.display(description=_("number"))
    def number(self, user: User) -> int:
        return user.pk

    @admin.display(description=_("joined"))
    def joined(self, user: User) -> str:
        return minute(user.date_joined)

    @admin.display(description=_("last login"))
    def seen(self, user: User) -> str:
        return minute(user.last_login)

    @admin.display(description=_("may play"), boolean=True)
    def may_play(self, user: User) -> bool:
        return user.suspended is None

    @admin.display(description=_("games"))
    def games(self, user: User) -> str:
        return _list_link("play_game", user)

    @admin.display(description=_("scores"))
    def scores(self, user: User) -> str:
        return _list_link("leaderboards_score", user)

    # --- lists ---

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[User, User], search_term: str
    ) -> tuple[QuerySet[User, User], bool]:
        """By the beginning of a name, the whole e-mail address, or the number."""
        if term := search_term.strip():
            start = names.key(term[: names.LONGEST])
            there = Q(name_key__startswith=start) | Q(email__iexact=term)
            if number := key_of(term):
                there |= Q(pk=number)
            queryset = queryset.filter(there)
        return queryset, False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with the way to its CSV file."""
        address = f"{reverse('admin:accounts_user_export')}?{request.GET.urlencode()}"
        tools = [(_("Export as CSV"), address)]
        return super().changelist_view(request, {"tools": tools, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        export = self.admin_site.admin_view(self.export)
        return [path("export/", export, name="accounts_user_export"), *super().get_urls()]

    def export(self, request: HttpRequest) -> HttpResponse:
        """The list as it is filtered, as CSV."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            users = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            return redirect("admin:accounts_user_changelist")
        users = users.order_by("pk").annotate(
            game_count=_count(Seat.objects.all()), score_count=_count(Score.objects.all())
        )
        return csv_response("users", HEADER, _rows(users.iterator(chunk_size=1000)))

    # --- actions ---

    @admin.action(permissions=["suspend"], description=_("Suspend …"), location=EVERYWHERE)
    def suspend(self, request: HttpRequest, queryset: QuerySet[User, User]) -> HttpResponse | None:
        """Keep people from playing, for a reason."""
        rows = []
        for user in queryset.filter(suspended=None):
            if user == request.user or not _may_suspend(request, user):
                words = _("%(name)s cannot be suspended by you.")
                self._say(request, words, user, messages.ERROR)
            else:
                rows.append(user)
        if not rows:
            self.message_user(request, _("Nobody was suspended."), messages.WARNING)
            return None
        reason = ask_reason(
            self,
            request,
            [_who(user) for user in rows],
            title=_("Suspend"),
            explanation=_("They can log in, look and download their data, but not play."),
        )
        if isinstance(reason, HttpResponse):
            return reason
        for user in rows:
            with transaction.atomic():
                services.suspend_user(user=user, reason=reason)
                self.log_change(
                    request, user, gettext("Suspended: %(reason)s") % {"reason": reason}
                )
            self._say(request, _("%(name)s is suspended."), user, messages.SUCCESS)
        return None

    @admin.action(permissions=["suspend"], description=_("Let play again"), location=EVERYWHERE)
    def unsuspend(self, request: HttpRequest, queryset: QuerySet[User, User]) -> None:
        """End the suspension of people."""
        rows = list(queryset.exclude(suspended=None))
        if not rows:
            self.message_user(request, _("Nobody there is suspended."), messages.WARNING)
        for user in rows:
            with transaction.atomic():
                services.unsuspend_user(user=user)
                self.log_change(request, user, gettext("Suspension ended"))
            self._say(request, _("%(name)s may play again."), user, messages.SUCCESS)

    def _say(self, request: HttpRequest, words: Any, user: User, level: int) -> None:
        self.message_user(request, words % {"name": _who(user)}, level)


def _may_suspend(request: HttpRequest, user: User) -> bool:
    """Nobody suspends a superuser, and only a superuser suspends staff."""
    return not user.is_superuser and (request.user.is_superuser or not user.is_staff)


def _who(user: User) -> str:
    """A person in a line; guests are told apart by number."""
    return f"{user.display_name} #{user.pk}" if user.is_guest else user.display_name


def _list_link(model: str, user: User) -> str:
    """A link to what belongs to a person in another list."""
    address = reverse(f"admin:{model}_changelist")
    query = urlencode({"player": f"#{user.pk}"})
    return format_html('<a href="{}?{}">{}</a>', address, query, _("show"))


def _count(rows: QuerySet[Any, Any]) -> Coalesce:
    """How many of ``rows`` belong to each user."""
    own = rows.filter(user=OuterRef("pk")).order_by().values("user")
    number = own.annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(number, output_field=IntegerField()), 0)


def _rows(users: Any) -> Iterator[tuple[object, ...]]:
    for user in users:
        yield (
            user.pk,
            user.display_name,
            user.email,
            user.date_joined.isoformat(),
            user.last_login and user.last_login.isoformat(),
            "yes" if user.is_guest else "no",
            user.suspended and user.suspended.isoformat(),
            user.game_count,
            user.score_count,
        )


# --- one way in and out --------------------------------------------------------------------------


def change_password(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """The way to the site's own page."""
    return redirect("change_password")


admin.site.logout = views.log_out
admin.site.password_change = change_password
