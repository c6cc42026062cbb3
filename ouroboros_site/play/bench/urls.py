"""The site's addresses, and a view that does nothing."""

from django.http import HttpResponse
from django.urls import include, path

urlpatterns = [
    path("bench/hello", lambda request: HttpResponse("hello")),
    path("", include("ouroboros_site.urls")),
]
