"""All addresses of the site."""

from django.contrib import admin
from django.urls import include, path

handler400 = "ouroboros_site.play.views.bad_request"
handler500 = "ouroboros_site.play.views.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("ouroboros_site.accounts.urls")),
    path("", include("ouroboros_site.play.urls")),
]
