"""All addresses of the site."""

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path, reverse
from django.views.decorators.http import require_safe

handler400 = "ouroboros_site.play.views.bad_request"
handler500 = "ouroboros_site.play.views.server_error"


@require_safe
def favicon(request: HttpRequest) -> HttpResponseRedirect:
    """The icon's hashed address; only known once static files are collected."""
    return HttpResponseRedirect(static("img/favicon.svg"))


@require_safe
def admin_log_in(request: HttpRequest) -> HttpResponse:
    """The site's own log-in page: one place where passwords are tried, and tried too often."""
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


urlpatterns = [
    # Browsers ask for it wherever a page does not name another one.
    path("favicon.ico", favicon),
    path("admin/login/", admin_log_in),
    path("admin/", admin.site.urls),
    path("", include("ouroboros_site.accounts.urls")),
    path("", include("ouroboros_site.leaderboards.urls")),
    path("pads/", include("tricks.pads.urls")),
    path("", include("ouroboros_site.play.urls")),
]
