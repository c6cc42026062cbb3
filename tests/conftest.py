"""Hypothesis: the same examples on every run, so that a red test is red everywhere.

``HYPOTHESIS_PROFILE=explore`` looks for new ones, many more of them.

The site in tests: an SQLite database is a file, as it is when people play (threads and processes
of the concurrency tests open it anew), and static files are served under their plain names.
"""

import os
from random import Random

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile(
    "explore",
    deadline=None,
    max_examples=2000,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, tmp_path_factory):
    from django.db import connection

    if connection.vendor == "sqlite":
        folder = tmp_path_factory.mktemp("database")
        connection.settings_dict["TEST"]["NAME"] = str(folder / "test.sqlite3")


@pytest.fixture(autouse=True)
def quick_site(settings, monkeypatch):
    """Tests ask much in little time.

    No limits but in their own tests, cheap passwords, and bots that answer as soon as they can.
    Bots are called and play the same on every run: a game that ends in a tie once in a hundred
    runs is a test of its own, not the bad luck of another.
    """
    chance = Random(4)
    for seconds in ("THOUGHT", "SHORTEST_PASS", "LONGEST_PASS"):
        monkeypatch.setattr(f"ouroboros_site.play.services.{seconds}", 0)
    monkeypatch.setattr("ouroboros_site.play.bots._chance", lambda: chance)
    monkeypatch.setattr("ouroboros_site.play.bots.SystemRandom", lambda: chance)
    settings.RATE_LIMITS = False
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session", autouse=True)
def plain_static_files(tmp_path_factory):
    from django.conf import settings as site
    from django.test import override_settings

    # Empty: WhiteNoise looks through the folder whenever a test opens a browser.
    folder = tmp_path_factory.mktemp("static")
    backend = "django.contrib.staticfiles.storage.StaticFilesStorage"
    storages = site.STORAGES | {"staticfiles": {"BACKEND": backend}}
    with override_settings(STORAGES=storages, STATIC_ROOT=folder):
        yield
