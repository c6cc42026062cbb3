"""Games in the admin, to be looked at: what is stored is changed by the services only."""

from django.contrib import admin
from django.http import HttpRequest

from .models import Game, Move, Seat


class ReadOnly:
    """No adding, changing or deleting: the log is evidence."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class SeatInline(ReadOnly, admin.TabularInline):
    """Who sits at the game."""

    model = Seat


class MoveInline(ReadOnly, admin.TabularInline):
    """The log, with moves taken back marked."""

    model = Move
    fields = ("version", "ply", "seat", "text", "created", "undone")
    readonly_fields = ("created",)
    ordering = ("version",)


@admin.register(Game)
class GameAdmin(ReadOnly, admin.ModelAdmin):
    """A game with its seats and its log. Seed and position of a game that goes on stay hidden."""

    list_display = ("id", "slug", "ranked", "ply", "created", "finished")
    list_filter = ("slug", "ranked")
    fields = (
        "slug",
        "players",
        "options",
        "ranked",
        "ply",
        "version",
        "result",
        "created",
        "updated",
        "finished",
    )
    inlines = (SeatInline, MoveInline)
    readonly_fields = ("created", "updated")
    show_full_result_count = False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Only the filters on the page: ``?seed__startswith=5`` would spell out a hidden deal."""
        return lookup.split("__")[0] in self.list_filter
