"""What the admin pages of all apps share: lists, who may look up what, reasons, and CSV.

What is stored is changed by the services only; the admin shows it and calls them.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import batched
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import ActionLocation, ShowFacets, SimpleListFilter
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from ouroboros_site.accounts import names
from ouroboros_site.accounts.models import User

from . import registry

PAGE = 50
"""Rows of a list, and so many can be acted on at once; a form takes a hundred fields."""
REASON = 300
LONGEST_TERM = 100
KEY_DIGITS = 19
"""Numbers with fewer digits fit into every key."""
EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]


class ReadOnly:
    """No adding, changing or deleting: the log is evidence."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class Reviewing:
    """The permissions of reviewers, for actions."""

    def has_review_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("play.review_game")

    def has_verify_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("play.verify_game")

    def has_strike_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("play.strike_game")

    def has_close_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("play.delete_game")

    def has_unseat_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("play.change_seat")


class FirstRows(Paginator):
    """Pages through the first rows only, so that a list of millions is never counted."""

    MOST = 10_000
    more = False
    """Whether there are rows beyond those, once ``count`` was asked for."""

    @cached_property
    def count(self) -> int:
        """The number of rows that can be paged through."""
        number: int = self.object_list.order_by()[: self.MOST + 1].count()
        self.more = number > self.MOST
        return min(number, self.MOST)


class BigList(admin.ModelAdmin):
    """A list that stays quick with millions of rows, and that gives away what it shows only."""

    list_per_page = list_max_show_all = PAGE
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator = FirstRows
    sortable_by: Sequence[str] = ()
    search_hint: Any = ""
    """What can be searched for; Django's own help text takes the place of the field's label."""

    class Media:
        css = {"all": ["css/admin.css"]}

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Only what the filters of the page ask for.

        ``?seed__startswith=5`` would spell out a hidden deal.
        """
        names = set()
        for each in self.list_filter:
            if isinstance(each, str):
                names |= {f"{each}__{how}" for how in ("exact", "gte", "lt", "isnull")}
            else:
                names.add(each.parameter_name)
        return lookup in names

    def response_action(self, request: HttpRequest, queryset: QuerySet, **more: Any) -> Any:
        """Act on what was chosen on one page; what cannot be keys is no request of ours."""
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if any(key_of(key) is None for key in chosen):
            raise BadRequest
        if len(chosen) > PAGE or request.POST.get("select_across", "0") != "0":
            words = _("Please choose at most %(number)d at once. Nothing was changed.")
            self.message_user(request, words % {"number": PAGE}, messages.WARNING)
            return None
        return super().response_action(request, queryset, **more)


def filter_by(name: str, title: Any, choices: dict[str, tuple[Any, Q]]) -> type[SimpleListFilter]:
    """A filter of a list: value in the address -> its words, and which rows those are."""

    class Filter(SimpleListFilter):
        parameter_name = name

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
            return [(value, words) for value, (words, _rows) in choices.items()]

        def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
            chosen = choices.get(self.value() or "")
            return queryset.filter(chosen[1]) if chosen else queryset

    Filter.title = title
    return Filter


DailyFilter = filter_by(
    "daily",
    _("daily deal"),
    {
        "yes": (_("Daily deals"), Q(daily__isnull=False)),
        "no": (_("Deals of their own"), Q(daily=None)),
    },
)


class EditionFilter(SimpleListFilter):
    """By the kind of game."""

    title = _("edition")
    parameter_name = "edition"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(kind.rules.SLUG, kind.title) for kind in registry.all_kinds()]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(slug=self.value()) if self.value() else queryset


class PlayerFilter(SimpleListFilter):
    """By the name of a player, typed in, or by ``#`` and the number of an account or a guest."""

    title = _("player")
    parameter_name = "player"
    template = "admin/filter_text.html"
    path = "user"
    """From a row to its player."""

    def has_output(self) -> bool:
        return True

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return []

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        """One choice: what is typed in, and what else the address says."""
        others = {
            name: values
            for name, values in changelist.filter_params.items()
            if name != self.parameter_name
        }
        yield {
            "name": self.parameter_name,
            "value": self.value() or "",
            "others": [(name, value) for name, values in others.items() for value in values],
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        term = (self.value() or "").strip()
        if not term:
            return queryset
        if term.startswith("#"):
            people = User.objects.filter(pk=key_of(term.removeprefix("#")) or 0)
        else:
            people = named(term)
        return queryset.filter(**{f"{self.path}__in": people.values("pk")})


def named(name: str) -> QuerySet[User, User]:
    """The account of this name, or of one that looks like it."""
    return User.objects.named().filter(names.alike(name[:LONGEST_TERM].replace("\0", "")))


def edition_title(slug: str) -> Any:
    """The name of a kind of game for people; its slug if it is no longer there."""
    try:
        return registry.get(slug).title
    except KeyError:
        return slug


def minute(at: datetime | None) -> str:
    """A time (UTC) that is short and can be sorted by eye."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}" if at else "–"


def key_of(text: str) -> int | None:
    """A number that can be a key of a row; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < KEY_DIGITS else None


# --- reasons -------------------------------------------------------------------------------------


class ReasonForm(forms.Form):
    """Why something is done that someone will ask about."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=REASON,
        widget=forms.Textarea(attrs={"rows": 4, "autofocus": True}),
    )


def ask_reason(
    model_admin: admin.ModelAdmin,
    request: HttpRequest,
    rows: Iterable[Any],
    *,
    title: Any,
    explanation: Any,
) -> str | HttpResponse:
    """The reason that was given for an action, or the page that asks for it.

    :param rows: what is going to be acted on
    """
    asked = "reason" in request.POST
    form = ReasonForm(request.POST if asked else None)
    if asked and form.is_valid():
        return str(form.cleaned_data["reason"])
    # Sent again with the reason: which action it was, in the list or on a row's own page.
    kept = [
        (name, value)
        for name in ("action", f"{ActionLocation.CHANGE_FORM.value}-action", ACTION_CHECKBOX_NAME)
        for value in request.POST.getlist(name)
        if value
    ]
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "title": title,
        "explanation": explanation,
        "rows": rows,
        "form": form,
        "kept": kept,
        "media": model_admin.media,
    }
    status = 400 if asked else 200
    return TemplateResponse(request, "admin/reason.html", context, status=status)


# --- CSV -----------------------------------------------------------------------------------------


def csv_response(
    name: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> StreamingHttpResponse:
    """Rows as a CSV file (RFC 4180, UTF-8), sent while they are read."""
    response = StreamingHttpResponse(
        _csv_parts(header, rows), content_type="text/csv; charset=utf-8; header=present"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _csv_parts(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow([_cell(name) for name in header])
    for some in batched(rows, 200):
        yield "".join([writer.writerow([_cell(value) for value in row]) for row in some])


class _Line:
    """A file for ``csv.writer`` whose ``write`` gives the line back."""

    def write(self, line: str) -> str:
        return line


def _cell(value: object) -> str:
    """A value as text that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
