"""The site as one ASGI application: Django's pages, synchronous, in threads.

Pages cost a third of the CPU this way (Django's own ASGI handler is slower); what is asynchronous
by nature, an event stream, would be dispatched here by its path.
"""

from a2wsgi import WSGIMiddleware

from .wsgi import application as pages

application = WSGIMiddleware(pages, workers=8)
