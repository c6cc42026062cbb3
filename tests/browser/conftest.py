"""A real Chromium against a real server: the fixtures of the tests in this folder.

`page` (desktop), `phone` and `no_js` are Playwright pages, each in a context of its own, and
`page.goto("/")` opens the site; `new_page(**options)` opens more of them. A test fails if one of
its pages logged an error, broke the Content-Security-Policy or threw; one that means to says so:

    def test_old_form(page, expected_complaints):
        expected_complaints.append("status of 409")

Where no browser is found the tests are skipped and a line says so; in CI that is an error. The
ORM cannot be used here: Playwright keeps an event loop running, which Django refuses. What no page
does is done by `site.manage(...)`, a command of `manage.py` on the server's data; `crowd` is such a
site with people and games.
"""

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
pytest.register_assert_rewrite(
    *(
        f"tests.browser.{name}"
        for name in ("table", "hands", "people", "replay", "seats", "company")
    )
)
LEFT_OUT = pytest.StashKey[str]()

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CALM = {"reduced_motion": "reduce"}

PATIENCE = 10_000
"""Milliseconds: a machine can be busy, with other tests above all."""
expect.set_options(timeout=PATIENCE)


# -- which tests, and whether -------------------------------------------------------------------


def is_ours(item):
    return HERE in item.path.parents


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in filter(is_ours, items):
        item.add_marker(pytest.mark.browser)
    result = yield  # here -m and -k take their choice
    # Last, since Playwright's event loop, once it runs, would shut the other tests off the ORM.
    items.sort(key=is_ours)
    ours = list(filter(is_ours, items))
    if ours and not CHROMIUM:
        reason = f"no Chromium or Chrome was found (on PATH as {', '.join(NAMES)}; or $CHROMIUM)"
        if IN_CI:
            raise pytest.UsageError(f"CI may not leave the browser tests out, but {reason}.")
        for item in ours:
            item.add_marker(pytest.mark.skip(reason=reason))
        config.stash[LEFT_OUT] = f"Left out: {len(ours)} tests of tests/browser, since {reason}."
    return result


def pytest_terminal_summary(terminalreporter, config):
    if LEFT_OUT in config.stash:
        terminalreporter.write_line(config.stash[LEFT_OUT], yellow=True)


# -- the server ---------------------------------------------------------------------------------


class Site:
    """`manage.py serve` on a free port, with a data folder of its own."""

    def __init__(self, folder):
        self.environment = os.environ | {"DATA_DIR": str(folder), "RATE_LIMITS": "false"}
        self.environment.pop("DATABASE_URL", None)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = Path(folder, "server.log")
        self.server = None

    def start(self):
        """Start the server, and wait until it answers."""
        with self.log.open("a") as output:
            self.server = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", str(self.port)],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + 60
        while not healthy(self.port):
            if self.server.poll() is not None or time.monotonic() > deadline:
                pytest.fail("The server did not start:\n" + self.log.read_text())
            time.sleep(0.1)

    def stop(self):
        """Stop the server; its data stay."""
        self.server.terminate()
        self.server.wait(timeout=10)

    def manage(self, *arguments):
        """Run a command of `manage.py` on this site's data; what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert not done.returncode, done.stderr
        return done.stdout


@contextmanager
def served(folder):
    """A site in this folder, served as long as this is entered."""
    site = Site(folder)
    try:
        site.start()
        yield site
    finally:
        site.stop()


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site of all tests."""
    with served(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def own_site(tmp_path):
    """A site of this test's own, which it can stop and start again."""
    with served(tmp_path) as site:
        yield site


@pytest.fixture(scope="session")
def site_url(site):
    """The address of the site."""
    return site.url


@dataclass(frozen=True)
class Crowd:
    """Who is on the site from the start: players with one password, and the administrator."""

    names: list[str]
    password: str
    administrator: str
    administrator_password: str


@pytest.fixture(scope="session")
def crowd(site):
    """People, games and boards of `manage.py demo`; a score is struck, one is to be reviewed."""
    told = site.manage("demo", "--add", "--accounts", "5", "--games", "30")
    names, password = re.search(r"Log in as (.+) … with the password (\S+)", told).groups()
    administrator = re.search(r"Administrator: (\S+), password: (\S+)", told).groups()
    return Crowd(names.split(", "), password, *administrator)


class Laid:
    """Tables at the positions of `spots.py`: each game is handed out once, to its one owner."""

    def __init__(self, site):
        self.site = site
        self.session = ""
        self.paths = defaultdict(list)

    def open(self, page, name):
        """Bring the owner's browser to a table at this position; its address."""
        if not self.paths[name]:
            self.lay()
        path = self.paths[name].pop()
        cookie = {"name": "sessionid", "value": self.session, "url": self.site.url}
        page.context.add_cookies([cookie])
        page.goto(path)
        return path

    def lay(self):
        """One more game of each."""
        code = "from tests.browser import spots; spots.lay()"
        made = json.loads(self.site.manage("shell", "--verbosity=0", "--command", code))
        self.session = made["session"]
        for name, path in made["laid"].items():
            self.paths[name].append(path)


@pytest.fixture(scope="session")
def laid(site):
    return Laid(site)


def healthy(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()


# -- the browser --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ],
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def complaints():
    """What the browser logged as an error in this test."""
    return []


@pytest.fixture
def expected_complaints():
    """Parts of the browser's complaints that this test means to provoke."""
    return []


@pytest.fixture(scope="session")
def idle():
    """Pages that no test uses now, by their options: a warm browser is twice as quick."""
    return defaultdict(list)


@pytest.fixture
def new_page(browser, site_url, idle, complaints, expected_complaints):
    """Open a page in a context of its own: another person, another device."""
    used = []

    def listen(message):
        if message.type == "error":
            complaints.append(f"{message.text} ({message.location['url']})")

    def open_page(**options):
        pages = idle[repr(options)]
        if pages:
            page = pages.pop()
        else:
            context = browser.new_context(**{"base_url": site_url, "locale": "en-US"} | options)
            context.set_default_timeout(PATIENCE)
            context.on("console", listen)  # of all its pages: tabs are opened too
            context.on("weberror", lambda event: complaints.append(str(event.error)))
            page = context.new_page()
        used.append((page, options))
        return page

    yield open_page
    unexpected = [
        complaint
        for complaint in complaints
        if not any(part in complaint for part in expected_complaints)
    ]
    for page, options in used:
        forget(page, options)
        idle[repr(options)].append(page)
    complaints.clear()
    assert not unexpected, "The browser complained:\n" + "\n".join(unexpected)


def forget(page, options):
    """Make a page as good as new: no cookies, nothing stored, nothing changed."""
    context = page.context
    for other in context.pages:
        if other != page:
            other.close()
    context.set_offline(False)
    context.clear_permissions()
    context.clear_cookies()
    if page.url != "about:blank":
        page.evaluate("() => [localStorage, sessionStorage].forEach((storage) => storage.clear())")
        page.goto("about:blank")
    page.emulate_media(color_scheme="null")
    if "viewport" in options:
        page.set_viewport_size(options["viewport"])


@pytest.fixture
def page(new_page):
    return new_page(**DESKTOP)


@pytest.fixture
def phone(new_page):
    return new_page(**PHONE)


@pytest.fixture
def no_js(new_page):
    return new_page(**DESKTOP, **CALM, java_script_enabled=False)


@pytest.fixture
def calm_page(new_page):
    """A desktop of someone who wants no motion: quicker, for tests of other things."""
    return new_page(**DESKTOP, **CALM)
