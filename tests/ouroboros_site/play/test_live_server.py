"""Event streams over HTTP from a real server, `manage.py serve`, in one process without Redis."""

import signal
import socket
import struct
import time

import pytest

from ouroboros_site.play import live

from .streams import Server, Table


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("served"))
    yield server
    server.close()
    log = server.log.read_text()
    assert "ERROR" not in log and "Traceback" not in log, log


@pytest.fixture
def server(running):
    yield running
    running.hang_up()


def test_a_change_is_heard_within_half_a_second(server):
    delays = []
    for _ in range(3):
        table = Table(server)
        ada, bob, else_where = (
            server.listen(topic) for topic in (table.topic, table.topic, "table-0")
        )
        begun = time.monotonic()
        table.end()
        assert ada.changed() == bob.changed() == 1
        delays.append(time.monotonic() - begun)
        assert else_where.is_silent(0.05)
    assert min(delays) < 0.5


def test_a_hundred_streams_and_the_pages_go_on(server):
    table = Table(server)
    streams = [server.listen(table.topic) for _ in range(100)]
    begun = time.monotonic()
    for _ in range(10):
        assert 'id="table"' in table.look()
    assert time.monotonic() - begun < 10
    table.end()
    assert [stream.changed() for stream in streams] == [1] * 100


def test_browsers_vanish(server):
    table = Table(server)
    ada, *others = [server.listen(table.topic) for _ in range(10)]
    for other in others:
        # Without a farewell: what is sent to it comes back as an error.
        other.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        other.close()
    table.end()
    assert ada.changed() == 1
    assert 'id="table"' in Table(server).look()


def test_what_is_no_stream(server):
    address = live.address("table-1")
    assert server.ask("GET", f"{address}x").status == 403
    assert server.ask("GET", "/events/").status == 403
    wrong_way = server.ask("POST", address, a="b")
    assert (wrong_way.status, wrong_way.headers["Allow"]) == (405, "GET")
    assert server.ask("HEAD", address).status == 405
    assert server.ask("GET", "/events").status == 404


def test_the_server_stops_at_once_and_comes_back(tmp_path):
    server = Server(tmp_path)
    try:
        for number in (signal.SIGTERM, signal.SIGINT):
            table = Table(server)
            streams = [server.listen(table.topic) for _ in range(20)]
            assert server.stop(number) < 2
            assert [stream.next() for stream in streams] == [None] * 20
            assert server.process.returncode == 0
            server.start()
            ada = server.listen(table.topic)
            table.end()
            assert ada.changed() == 1
    finally:
        server.close()
    assert "ERROR" not in server.log.read_text()
