"""Event streams of two processes with a real Redis between them, and when it dies."""

import time

import pytest

from ..redis_server import Redis, needs_redis
from .streams import Server, Table

pytestmark = needs_redis


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    server = Redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def servers(redis, tmp_path_factory):
    """Two that share everything."""
    folder = tmp_path_factory.mktemp("served")
    url = f"redis://127.0.0.1:{redis.port}/0"
    servers = [Server(folder, REDIS_URL=url) for _ in range(2)]
    yield servers
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def hang_up(servers):
    yield
    for server in servers:
        server.hang_up()


def test_a_change_is_heard_at_the_other_process(servers):
    delays = []
    for _ in range(3):
        table = Table(servers[0])
        near, far = (server.listen(table.topic) for server in servers)
        begun = time.monotonic()
        table.end()
        assert near.changed() == far.changed() == 1
        delays.append(time.monotonic() - begun)
        assert near.is_silent(0.05)
    assert min(delays) < 0.5


def test_redis_dies_and_comes_back(servers, redis):
    tables = [Table(servers[0]) for _ in range(4)]
    near = [servers[0].listen(table.topic) for table in tables]
    far = [servers[1].listen(table.topic) for table in tables]
    redis.kill()
    begun = time.monotonic()
    for table in tables[:3]:
        table.end()
    assert time.monotonic() - begun < 2
    assert [stream.changed() for stream in near[:3]] == [1, 1, 1]
    assert all(stream.is_silent(0.05) for stream in far)
    log = servers[0].log.read_text()
    assert log.count("Redis does not take what is announced") == 1
    redis.start()
    # Nobody knows what was missed: all are told to look, on the streams that they have.
    assert [stream.changed() for stream in near + far] == [0] * 8
    time.sleep(1)  # after a failure Redis is left alone for a moment
    tables[3].end()
    assert near[3].changed() == far[3].changed() == 1
    assert "Traceback" not in log


def test_redis_says_nothing_and_moves_go_on(servers, redis):
    tables = [Table(servers[0]) for _ in range(3)]
    streams = [servers[0].listen(table.topic) for table in tables]
    redis.freeze(True)
    try:
        begun = time.monotonic()
        for table, stream in zip(tables, streams, strict=True):
            table.end()
            assert stream.changed() == 1
        assert time.monotonic() - begun < 2
    finally:
        redis.freeze(False)
