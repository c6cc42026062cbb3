"""Addresses of boards, daily deals and profiles."""

from datetime import date

from django.urls import path, register_converter

from . import views


class DayConverter:
    """A day in an address: ``2026-12-01``; one that no calendar has is no address."""

    regex = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, text: str) -> date:
        """The day.

        :raises ValueError: if there is none
        """
        return date.fromisoformat(text)

    def to_url(self, day: date) -> str:
        """The day as it stands in the address."""
        return day.isoformat()


register_converter(DayConverter, "day")

urlpatterns = [
    path("boards/", views.boards, name="boards"),
    path("boards/<slug:slug>/", views.board, name="board"),
    path("boards/<slug:slug>/people/", views.board_people, name="board_people"),
    path("boards/<slug:slug>/week/", views.board_week, name="board_week"),
    path("boards/<slug:slug>/today/", views.board_today, name="board_today"),
    path("boards/<slug:slug>/daily/<day:date>/", views.board_daily, name="board_daily"),
    path("daily/", views.daily_deals, name="daily_deals"),
    path("daily/<slug:slug>/", views.daily_deal, name="daily"),
    path("daily/<slug:slug>/<day:date>/", views.daily_day, name="daily_day"),
    path("account/games/", views.own_games, name="own_games"),
    path("people/<path:name>/", views.profile, name="profile"),
]
