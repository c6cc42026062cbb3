"""All addresses of the site."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path

handler400 = "ouroboros_site.play.views.bad_request"
handler500 = "ouroboros_site.play.views.server_error"


def favicon(request: HttpRequest) -> HttpResponseRedirect:
    """The icon's hashed address; only known once static files are collected."""
    return HttpResponseRedirect(static("img/favicon.svg"))


urlpatterns = [
    # Browsers ask for it wherever a page does not name another one.
    path("favicon.ico", favicon),
    path("admin/", admin.site.urls),
    path("", include("ouroboros_site.accounts.urls")),
    path("", include("ouroboros_site.leaderboards.urls")),
    path("", include("ouroboros_site.play.urls")),
]
