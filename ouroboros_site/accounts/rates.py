"""How often one address may ask for what costs much or could be guessed at.

Counted by the ``limits`` library: in Redis where there is one, and so across processes, else in
this process. A limiter that does not answer lets people in.
"""

import logging
import time
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from limits import RateLimitItem, parse_many
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

logger = logging.getLogger(__name__)

RATES = {
    "guest": "120/hour",
    "log-in": "60/15minutes",
    "log-in-name": "10/15minutes",
    "log-in-anywhere": "100/hour",
    "sign-up": "20/hour",
    "reset": "10/hour",
    "record": "60/minute",
    "step": "600/minute",
    "say": "10/minute",
    "seat": "20/minute",
    "table": "60/hour",
    "pad": "60/hour",
}
"""What for -> how often for each key; an address may be a school's or a whole provider's."""

FROM_ADDRESS = _("That was too often from your address. Others may share it with you.")
BY_NAME = _("Too many passwords were tried for this name.")


@cache
def limiter() -> MovingWindowRateLimiter:
    """The counter that all of this process share."""
    return MovingWindowRateLimiter(storage_from_string(settings.REDIS_URL or "memory://"))


def address(request: HttpRequest) -> str:
    """Where a request comes from; behind a proxy (``HTTPS``) the last address that it added."""
    if settings.HTTPS and (hops := request.headers.get("X-Forwarded-For")):
        return hops.rpartition(",")[2].strip()
    return str(request.META.get("REMOTE_ADDR", ""))


def hit(what: str, key: str) -> int:
    """Count one use.

    :returns: 0 if it is allowed, else how many seconds to wait
    """
    if not settings.RATE_LIMITS:
        return 0
    try:
        for rate in parse_many(RATES[what]):
            if not limiter().hit(rate, what, key):
                return _wait(rate, what, key)
    except Exception:
        logger.exception("the rate of %s could not be counted", what)
    return 0


def _wait(rate: RateLimitItem, what: str, key: str) -> int:
    reset, _left = limiter().get_window_stats(rate, what, key)
    return max(1, round(reset - time.time()))


def too_many(
    request: HttpRequest, seconds: int, reason: str | Promise = FROM_ADDRESS
) -> HttpResponse:
    """The page that asks a person to wait."""
    minutes = max(1, round(seconds / 60))
    again = ngettext(
        "Please try again in a minute.", "Please try again in %(minutes)d minutes.", minutes
    ) % {"minutes": minutes}
    response = render(request, "429.html", {"message": f"{reason} {again}"}, status=429)
    response["Retry-After"] = str(seconds)
    return response


def limited(what: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """For a view: answer 429 to an address that posts too often."""

    def decorator(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method == "POST" and (seconds := hit(what, address(request))):
                return too_many(request, seconds)
            return view(request, *args, **kwargs)

        return wrapper

    return decorator
