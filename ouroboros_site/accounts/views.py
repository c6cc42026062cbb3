"""Pages that belong to the visitor rather than to a game."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from .context_processors import CHOICES

YEAR = 365 * 24 * 60 * 60


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Keep the visitor's taste in cookies and go back to the page they came from."""
    back = request.POST.get("next", "")
    if not (back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)):
        back = reverse("home")
    response = HttpResponseRedirect(back)
    for name, choices in CHOICES.items():
        choice = request.POST.get(name)
        if choice in choices:
            response.set_cookie(name, choice, max_age=YEAR, samesite="Lax", secure=settings.HTTPS)
    return response
