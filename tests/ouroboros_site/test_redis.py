"""``REDIS_URL``: rates and cache in a real Redis, for all processes, and when it dies."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .redis_server import Redis, needs_redis

ROOT = Path(__file__).parents[2]

SETUP = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
"""
HITS = """
import django
django.setup()
from ouroboros_site.accounts.rates import hit
print([bool(hit("log-in-name", "ada")) for _ in range(6)])
"""
PLAYS = """
import django
django.setup()
from django.test import Client
client = Client()
start = client.post("/laws/start")
table = client.get(start.headers["Location"])
print(start.status_code, table.status_code, client.cookies["sessionid"].value)
"""
COMES_BACK = """
import sys
import django
django.setup()
from django.test import Client
client = Client()
client.cookies["sessionid"] = sys.argv[1]
print(b"Continue" in client.get("/").content)
"""

CACHE = """
import django
django.setup()
from django.core.cache import cache
print(cache.get("key", "nothing"))
cache.set("key", "kept")
"""

pytestmark = needs_redis


@pytest.fixture
def redis(tmp_path):
    server = Redis(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def python(redis, tmp_path):
    """Run Python on the site with this Redis and a database of its own."""
    environment = os.environ | {
        "DATA_DIR": str(tmp_path / "data"),
        "DJANGO_SETTINGS_MODULE": "ouroboros_site.settings",
        "REDIS_URL": f"redis://127.0.0.1:{redis.port}/0",
        "ALLOWED_HOSTS": "testserver",
        "RATE_LIMITS": "true",
        "DEBUG": "true",
    }
    environment.pop("DATABASE_URL", None)

    def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert result.returncode == 0, result.stderr
        return result

    run(SETUP)
    return run


def test_processes_count_together(python):
    assert python(HITS).stdout == f"{[False] * 6}\n"
    assert python(HITS).stdout == f"{[False] * 4 + [True] * 2}\n"


def test_processes_share_the_cache(python, redis):
    assert [python(CACHE).stdout for _ in range(2)] == ["nothing\n", "kept\n"]
    redis.kill()
    assert python(CACHE).stdout == "nothing\n"


def test_redis_dies_and_nobody_is_locked_out_or_forgotten(python, redis):
    status, table, session = python(PLAYS).stdout.split()
    assert (status, table) == ("302", "200")
    assert python(COMES_BACK, session).stdout == "True\n"
    redis.kill()
    assert python(COMES_BACK, session).stdout == "True\n"
    hits = python(HITS)
    assert hits.stdout == f"{[False] * 6}\n"
    assert "could not be counted" in hits.stderr
    assert python(PLAYS).stdout.split()[:2] == ["302", "200"]
    redis.start()
    assert python(COMES_BACK, session).stdout == "True\n"
