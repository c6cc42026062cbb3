"""`manage.py serve`: the whole site in one process on this machine. `make play` runs it."""

import errno
import hashlib
import os
import resource
import signal
import socket
import sys
from pathlib import Path

import uvicorn
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from ouroboros_site.play import live

HOST = "127.0.0.1"


class Command(BaseCommand):
    help = "Brings database and static files up to date, then serves the site on 127.0.0.1."

    def add_arguments(self, parser):
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *, port, **options):
        # uvicorn raises the signal that stopped it again when it is done: let that be status 0.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: sys.exit(0))
        # First of all: a taken port should be said at once, and stay ours from here on.
        with listen(port) as listener:
            call_command("migrate", interactive=False, verbosity=0)
            collect_static()
            connections.close_all()
            allow_files(live.MOST + 1000)
            config = uvicorn.Config(
                "ouroboros_site.asgi:application",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                lifespan="on",
                timeout_graceful_shutdown=2,  # for a browser that does not read what it asked for
            )
            Server(config, self.announce).run(sockets=[listener])

    def announce(self, listener):
        port = listener.getsockname()[1]
        self.stdout.write(f"Ouroboros is served on http://{HOST}:{port} (Ctrl+C stops it)")
        self.stdout.flush()


class Server(uvicorn.Server):
    """Uvicorn, calling `announce(listener)` once it answers, and ending streams when it stops."""

    def __init__(self, config, announce):
        super().__init__(config)
        self.announce = announce

    async def startup(self, sockets):
        await super().startup(sockets)
        self.announce(sockets[0])

    async def shutdown(self, sockets=None):
        live.close()
        await super().shutdown(sockets)


def listen(port):
    """Return a socket that listens on the port; CommandError where that cannot be had."""
    try:
        return socket.create_server((HOST, port))
    except OverflowError as error:
        raise CommandError(f"There is no port {port}: ports go from 0 to 65535.") from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            message = f"Port {port} is taken. Choose another one: make play PORT={port + 1}"
        else:
            message = f"Port {port} cannot be used: {error.strerror}."
        raise CommandError(message) from error


def allow_files(number):
    """Let this process have so many open connections, as far as the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < number:
        most = number if hard == resource.RLIM_INFINITY else min(number, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def collect_static():
    """Hash and compress the static files, if any of them changed since the last time.

    Nothing is cleared: a server that runs already goes on serving the files it knows.
    """
    if settings.DEBUG:  # served from where they lie
        return
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            status = os.stat(storage.path(name))
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    stamp = Path(settings.STATIC_ROOT, ".collected")
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(digest.hexdigest())
