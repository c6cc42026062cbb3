"""A table for those who look on: what everybody may see of it, and nothing to be done."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from . import seating
from .services import Refused
from .views import error_page, news, show_table


@require_safe
def watch(request: HttpRequest, key: str) -> HttpResponse:
    """The table of a link; for htmx what is new of it, or 204 if nothing is."""
    try:
        seated = seating.watch(key=key, user=request.user)
        part = request.htmx and not request.htmx.history_restore_request
        response = news(request, seated, request.GET) if part else show_table(request, seated)
    except Refused as refused:
        if refused.code == "waiting":
            return redirect("join", key)
        response = error_page(request, refused.status, str(refused.message), refused.code)
    response["X-Robots-Tag"] = "noindex"
    return response
