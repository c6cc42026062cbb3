"""The README's commands, run as they stand there."""

import os
import re
import signal
import subprocess
from http.client import HTTPConnection
from pathlib import Path
from socket import create_server

import pytest

ROOT = Path(__file__).parent.parent
COMMANDS = re.findall(r"```console\n(.+?)\n```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.fixture
def environment(tmp_path):
    """A person's: with a data folder and so a database of its own, and not called by a make."""
    not_theirs = ("DATABASE_URL", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    kept = {name: value for name, value in os.environ.items() if name not in not_theirs}
    return {**kept, "DATA_DIR": str(tmp_path / "data")}


def test_the_two_commands_come_first():
    assert COMMANDS[:2] == ["make play", "make test"]


def test_make_play_serves_the_site_and_says_where(environment):
    with create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        taken = subprocess.run(
            [*COMMANDS[0].split(), f"PORT={port}"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert taken.returncode != 0
    ours = [line for line in taken.stderr.splitlines() if not line.startswith("make")]
    assert len(ours) == 1 and f"Port {port} is taken" in ours[0]
    site = subprocess.Popen(
        [*COMMANDS[0].split(), f"PORT={port}"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert f"http://127.0.0.1:{port}" in site.stdout.readline()
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/")
        response = connection.getresponse()
        assert response.status == 200 and b"Ouroboros" in response.read()
        connection.close()
    finally:
        os.killpg(site.pid, signal.SIGTERM)
        site.communicate(timeout=30)


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith(".venv/")])
def test_other_commands(command, environment):
    done = subprocess.run(
        command.split(), cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith('{"legal":[')


def test_the_screenshot_is_there():
    for name in re.findall(r"!\[.*?\]\((.+?)\)", (ROOT / "README.md").read_text()):
        assert (ROOT / name).stat().st_size > 10_000
