"""What a page and a move cost, through a real WSGI server on SQLite.

Everything is measured in one run and in turns, so that the figures can be compared although the
machine is noisy. CPU is the server process's own; a move is the htmx request of a table page.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from random import Random
from statistics import median, quantiles
from time import perf_counter, sleep
from typing import Any
from urllib.parse import urlencode

from django.conf import settings

from ouroboros_site.play import registry

START_SECONDS = 30


def measure(requests: int) -> dict[str, dict[str, float]]:
    """Figures of ``hello``, ``table`` and ``move``, each from this many requests.

    Each has ``p50_ms``, ``p95_ms`` (as the client sees it), ``cpu_ms`` (of the server, mean),
    ``queries`` (the most of any request) and ``bytes`` (the largest answer; for ``table`` the whole
    first visit, with scripts, styles and drawings compressed as browsers take them).
    """
    with _server() as port, closing(Client(port)) as client:
        player = Player(client)
        samples: dict[str, list[Sample]] = {"hello": [], "table": [], "move": []}
        for turn in range(requests + 20):
            taken = {
                "hello": client.get("/bench/hello"),
                "table": client.get(player.table),
                "move": player.move(),
            }
            if turn >= 20:
                for name, sample in taken.items():
                    samples[name].append(sample)
        figures = {name: _figures(of_name) for name, of_name in samples.items()}
        figures["table"]["page_bytes"] = figures["table"]["bytes"]
        figures["table"]["bytes"] = client.first_visit(player.table)
    figures["move"]["cpu_times_hello"] = round(
        figures["move"]["cpu_ms"] / figures["hello"]["cpu_ms"], 1
    )
    return figures


class Sample:
    """One answer: seconds, CPU seconds of the server, queries, body."""

    def __init__(self, response: Any, body: bytes, seconds: float, cpu: float) -> None:
        self.response, self.body, self.seconds, self.cpu = response, body, seconds, cpu
        self.queries = int(response.headers.get("Bench-Queries") or 0)


def _figures(samples: list[Sample]) -> dict[str, float]:
    millis = [sample.seconds * 1000 for sample in samples]
    return {
        "p50_ms": round(median(millis), 2),
        "p95_ms": round(quantiles(millis, n=20)[-1], 2),
        "cpu_ms": round(sum(sample.cpu for sample in samples) * 1000 / len(samples), 2),
        "queries": max(sample.queries for sample in samples),
        "bytes": max(len(sample.body) for sample in samples),
    }


@contextmanager
def _server() -> Iterator[int]:
    """Granian with one worker on a free port, with a database and static files of its own."""
    with tempfile.TemporaryDirectory() as folder:
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listener.close()
        environment = {
            **{name: value for name, value in os.environ.items() if name not in ("DATABASE_URL",)},
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "ouroboros_site.settings",
            "DEBUG": "false",
        }
        run = {"env": environment, "cwd": settings.BASE_DIR}
        for command in (["migrate"], ["collectstatic", "--no-input"]):
            subprocess.run([sys.executable, "manage.py", *command, "-v", "0"], check=True, **run)
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "granian", "--interface", "wsgi"),
                *("--host", "127.0.0.1", "--port", str(port), "--log-level", "error"),
                *("--workers", "1", "--blocking-threads", "1"),
                "ouroboros_site.play.bench.wsgi:application",
            ],
            **run,
        )
        try:
            _wait(port, server)
            yield port
        finally:
            server.terminate()
            server.wait(10)


def _wait(port: int, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(START_SECONDS * 20):
        if server.poll() is not None:
            break
        try:
            with closing(Client(port)) as client:
                client.get("/healthz")
        except OSError:
            sleep(0.05)
        else:
            return
    raise RuntimeError("The server to be measured did not start.")


class Client:
    """A browser of sorts: one kept connection, cookies, no cache."""

    def __init__(self, port: int) -> None:
        self.http = HTTPConnection("127.0.0.1", port, timeout=30)
        self.cookies: dict[str, str] = {}
        self.cpu = 0.0

    def close(self) -> None:
        """Close the connection."""
        self.http.close()

    def get(self, path: str, **headers: str) -> Sample:
        """GET a page."""
        return self._ask("GET", path, None, headers)

    def post(self, path: str, fields: dict[str, Any], **headers: str) -> Sample:
        """POST a form, with the token that the cookie asks for."""
        fields = {**fields, "csrfmiddlewaretoken": self.cookies.get("csrftoken", "")}
        headers = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
        return self._ask("POST", path, urlencode(fields, doseq=True), headers)

    def first_visit(self, path: str) -> int:
        """Bytes of a page and of everything that it names, as a browser would fetch them."""
        page = self.get(path)
        names = set(re.findall(rb'(?:href|src)="(/static/[^"#]+)', page.body))
        return len(page.body) + sum(
            len(self.get(name.decode(), **{"Accept-Encoding": "br, gzip"}).body) for name in names
        )

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Sample:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        began = perf_counter()
        self.http.request(method, path, body, {**headers, "Cookie": cookies})
        response = self.http.getresponse()
        content = response.read()
        seconds = perf_counter() - began
        for cookie in response.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        # What the meter shows now less what it showed at the answer before is this request's.
        meter = float(response.headers.get("Bench-Cpu") or self.cpu)
        spent, self.cpu = meter - self.cpu, meter
        return Sample(response, content, seconds, spent)


class Player:
    """Plays random legal moves of the first game in the registry, one game after the other.

    The deals are known, so that the page need not be read. They are practice games for that
    reason; a ranked one takes the same way through the server.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.rules = next(registry.all_rules())
        self.random = Random(1)
        self._start()

    def _start(self) -> None:
        self.client.get("/")
        seed = f"{self.random.getrandbits(256):064x}"
        answer = self.client.post(f"/{self.rules.SLUG}/start", {"practice": "1", "seed": seed})
        self.table = answer.response.headers["Location"]
        self.state = self.rules.start(seed)
        self.version = 0
        self.client.get(self.table)

    def move(self) -> Sample:
        """One random legal move, as htmx sends it."""
        if self.rules.turn(self.state) is None:
            self._start()
        legal = self.rules.legal_moves(self.state)
        move = legal[int(self.random.random() * len(legal))]
        fields = {
            "version": self.version,
            "text": self.rules.format_move(move),
            "action": "text",
            "confirm": "1",
        }
        sample = self.client.post(f"{self.table}move", fields, **{"HX-Request": "true"})
        if sample.response.status != 200:
            raise RuntimeError(f"A legal move was answered with {sample.response.status}.")
        self.state = self.rules.apply(self.state, move)
        self.version += 1
        return sample
