"""People for the tests of the site, and one run for each edition where a test asks for ``slug``."""

import pytest

from ouroboros_site.accounts.models import User

from .helpers import EDITIONS, Browser, database_url, guest
from .worker import Worker


@pytest.fixture(params=EDITIONS)
def slug(request) -> str:
    return request.param


@pytest.fixture
def owner(db) -> User:
    """The guest whose game it is."""
    return guest()


@pytest.fixture
def other(db) -> User:
    return guest()


@pytest.fixture
def ada(db) -> User:
    """Somebody with an account."""
    return User.objects.create_user("Ada")


@pytest.fixture
def browser(owner) -> Browser:
    """The owner's."""
    return Browser(owner)


@pytest.fixture(scope="session")
def workers(django_db_setup, tmp_path_factory):
    """Three processes of their own, for tests whose database is not one transaction."""
    workers = [Worker(database_url(), tmp_path_factory.mktemp("worker")) for _ in range(3)]
    yield workers
    for worker in workers:
        worker.close()


@pytest.fixture
def worker(workers) -> Worker:
    return workers[0]
