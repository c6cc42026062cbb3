"""The site's WSGI application with meters: the server that ``manage.py bench web`` measures.

Never served to people: it adds a bare view, and headers that tell queries and CPU time.
"""

import threading
from time import process_time

from django.conf import settings
from django.db.backends.signals import connection_created

from ouroboros_site.wsgi import application as site

settings.ROOT_URLCONF = "ouroboros_site.play.bench.urls"
_local = threading.local()


def _count(execute, sql, params, many, context):
    _local.queries = getattr(_local, "queries", 0) + 1
    return execute(sql, params, many, context)


def _install(connection, **kwargs):
    connection.execute_wrappers.append(_count)


connection_created.connect(_install, weak=False)


def application(environ, start_response):
    """The site; each answer tells its queries, and the CPU seconds of this process so far."""
    before = getattr(_local, "queries", 0)

    def start(status, headers, exc_info=None):
        queries = getattr(_local, "queries", 0) - before
        meters = [("Bench-Queries", str(queries)), ("Bench-Cpu", f"{process_time():.6f}")]
        return start_response(status, [*headers, *meters], exc_info)

    return site(environ, start)
