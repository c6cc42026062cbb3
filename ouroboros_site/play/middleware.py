"""What is the same for every request: health, the size limit, and how htmx takes an answer."""

from collections.abc import Callable
from math import inf

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils.cache import patch_vary_headers
from django.utils.functional import Promise

GetResponse = Callable[[HttpRequest], HttpResponse]
View = Callable[..., HttpResponse]


def health(get_response: GetResponse) -> GetResponse:
    """Answer /healthz: the process lives. Nothing else is asked, not even by which name it came.

    Probes come by address and by plain http, which the rest of the site may refuse.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path == "/healthz":
            return HttpResponse("ok\n", content_type="text/plain")
        return get_response(request)

    return middleware


def htmx_answers(get_response: GetResponse) -> GetResponse:
    """Tell caches that htmx gets other answers, keep pages out of every cache, and explain a 405.

    htmx would swap whatever comes into the table. So a redirect becomes ``HX-Redirect``, and a
    whole page, which is what every error outside the table is, takes the place of the whole body.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code == 405 and not response.content:
            page = render(request, "405.html", status=405)
            page["Allow"] = response["Allow"]
            response = page
        patch_vary_headers(response, ["HX-Request"])
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "no-store"
        if not request.headers.get("HX-Request"):
            return response
        if response.status_code in (301, 302, 303):
            response.status_code = 204
            response["HX-Redirect"] = response["Location"]
            del response["Location"]
        elif not response.streaming and response.content.startswith(b"<!DOCTYPE"):
            response["HX-Retarget"] = "body"
            response["HX-Reswap"] = "innerHTML"
        return response

    return middleware


def limit_body(get_response: GetResponse) -> GetResponse:
    """Answer 413 to a body that is larger than any honest one, before reading it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        # Nine digits: nothing here takes a gigabyte, and a longer text may be no number at all.
        size = int(length) if length.isdecimal() and len(length) < 10 else inf
        if size > settings.BODY_LIMIT:
            most, message = getattr(_view_of(request), "body_limit", (settings.BODY_LIMIT, ""))
            if size > most:
                return render(request, "413.html", {"message": message}, status=413)
        return get_response(request)

    return middleware


def body_limit(size: int, message: str | Promise) -> Callable[[View], View]:
    """For a view that takes larger bodies: up to ``size`` bytes, and what to say beyond that."""

    def decorator(view: View) -> View:
        view.body_limit = (size, message)
        return view

    return decorator


def _view_of(request: HttpRequest) -> View | None:
    try:
        return resolve(request.path_info).func
    except Resolver404:
        return None
