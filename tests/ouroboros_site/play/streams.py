"""A server of our own, as `manage.py serve` runs it, and browsers that listen to its streams."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

from django.conf import settings

from ouroboros_site.play import live

ROOT = Path(__file__).parents[3]
PATIENCE = 30
"""Seconds: a machine can be busy."""
START = 120
"""Seconds: a server that starts makes its database and its static files first."""
CSRF = "c" * 32


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Server:
    """`manage.py serve` with a data folder of its own and this process's secret key."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.port = free_port()
        self.log = folder / "server.log"
        self.environment = os.environ | {
            "DATA_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{folder / 'site.sqlite3'}",
            "REDIS_URL": "",
            "RATE_LIMITS": "false",
            "SECRET_KEY": settings.SECRET_KEY,
            **environment,
        }
        self.listeners: list[Listener] = []
        self.start()

    def start(self) -> None:
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", str(self.port)],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + START
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                self.process.wait()
                raise AssertionError(self.log.read_text())
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            return self.ask("GET", "/healthz").status == http.HTTPStatus.OK
        except OSError:
            return False

    def stop(self, number: int = signal.SIGTERM) -> float:
        """Stop it; how many seconds that took."""
        begun = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(timeout=PATIENCE)
        return time.monotonic() - begun

    def close(self) -> None:
        """Stop it, if it runs, and close all that listened to it."""
        if self.process.poll() is None:
            self.stop()
        self.hang_up()

    def listen(self, topic: str) -> "Listener":
        self.listeners.append(Listener(self, topic))
        return self.listeners[-1]

    def hang_up(self) -> None:
        for listener in self.listeners:
            listener.close()
        self.listeners.clear()

    def ask(
        self, method: str, path: str, cookies: str = "", **form: str
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Cookie": f"csrftoken={CSRF}; {cookies}"}
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(form | {"csrfmiddlewaretoken": CSRF}) if form else None
        with closing(connection):
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            response.text = response.read().decode()
        return response


class Table:
    """A guest at a table with bots."""

    def __init__(self, server: Server) -> None:
        self.server = server
        begun = server.ask("POST", "/trick/start", once="")
        assert begun.status == 302, begun.text
        self.session = re.search(r"sessionid=\w+", str(begun.headers))[0]
        self.path = begun.headers["Location"]
        self.topic = f"table-{self.path.split('/')[2]}"

    def look(self) -> str:
        page = self.server.ask("GET", self.path, self.session)
        assert page.status == 200
        return page.text

    def end(self) -> None:
        """Change the table once: its person gives the game up."""
        answer = self.server.ask("POST", f"{self.path}retire", self.session, version="0")
        assert answer.status in (200, 302), answer.text


class Listener:
    """A browser at a stream: what it was sent, event by event."""

    def __init__(self, server: Server, topic: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        request = f"GET {live.address(topic)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        self.socket.sendall(request.encode())
        self.file = self.socket.makefile("rb")
        status = self.file.readline().decode()
        assert " 200 " in status, status
        while self.file.readline().strip():
            pass
        assert self.next() == "retry: 2000"
        assert self.next() == "event: alive\ndata:"

    def next(self) -> str | None:
        """The next event; None at the end of the stream."""
        size = self.file.readline()
        if not size.strip() or not int(size, 16):
            return None
        chunk = self.file.read(int(size, 16) + 2).decode()
        assert chunk.endswith("\n\n\r\n")
        return chunk.strip()

    def changed(self) -> int:
        """Wait for the next change; the version that it tells of."""
        while (event := self.next()) == "event: alive\ndata:":
            pass
        assert event, "the stream has ended"
        return int(re.fullmatch(r"event: changed\nid: (\d+)\ndata: [\w-]+ \1", event)[1])

    def is_silent(self, seconds: float) -> bool:
        self.socket.settimeout(seconds)
        try:
            return not self.socket.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(PATIENCE)

    def close(self) -> None:
        self.file.close()
        self.socket.close()
