"""The site as one ASGI application: event streams, and Django's pages, synchronous, in threads.

Pages cost a third of the CPU this way (Django's own ASGI handler is slower).
"""

from typing import Any

from a2wsgi import WSGIMiddleware

from .wsgi import application as wsgi_pages  # loads Django, which the others need

from .play import live, pulse  # isort: skip

pages = WSGIMiddleware(wsgi_pages, workers=8)


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Send a request where it belongs; while the server runs, keep hub and pulse going."""
    if scope["type"] == "lifespan":
        await receive()
        async with pulse.beating(), live.running():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
    elif scope["type"] == "http" and scope["path"].startswith(live.PATH):
        await live.application(scope, receive, send)
    else:
        await pages(scope, receive, send)
