"""A process of its own that calls the services, and may be made to die in the middle of it.

Run by ``Worker`` below; each line of its standard input is one call as JSON, and one line on its
standard output says what came of it. Each call is made in a fork of its own, which may be killed.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
LAST = 99
"""More statements than any service makes: who dies at this one does not die."""


class Worker:
    """The tests' end of such a process."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.ouroboros_site.play.worker"],
            cwd=ROOT,
            env=os.environ
            | {
                "DATABASE_URL": database_url,
                "DATA_DIR": str(folder),
                "DJANGO_SETTINGS_MODULE": "ouroboros_site.settings",
                "SECRET_KEY": "k" * 50,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ask(None)

    def ask(self, call: dict[str, Any] | None) -> Any:
        """Make a call and wait for what comes of it."""
        self.send(call)
        return self.answer()

    def send(self, call: dict[str, Any] | None) -> None:
        self.process.stdin.write(json.dumps(call) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()


def serve() -> None:
    """Answer calls until the input ends."""
    import django

    django.setup()
    for line in sys.stdin:
        call = json.loads(line)
        sys.stdout.write(json.dumps(in_a_fork(call) if call else "ready") + "\n")
        sys.stdout.flush()


def in_a_fork(call: dict[str, Any]) -> Any:
    """What a call came to, or "killed" where its process died of it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        answer = perform(**call)
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _pid, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return "killed"
    return json.loads(text)


def perform(
    service: str,
    user: int | None,
    die_at: int = LAST,
    die_thinking: bool = False,
    **arguments: Any,
) -> Any:
    """Call a service, and die before statement number ``die_at`` (from 1).

    BEGIN and COMMIT count as statements; the one after COMMIT stands for all that may follow.

    :param die_thinking: die while a bot thinks instead
    """
    from django.contrib.auth.models import AnonymousUser
    from django.db import connection

    from ouroboros_site.accounts.models import User
    from ouroboros_site.play import bots, services

    someone = AnonymousUser() if user is None else User.objects.get(pk=user)
    statements = 0

    def count() -> None:
        nonlocal statements
        statements += 1
        if statements == die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(execute, *parts):
        count()
        return execute(*parts)

    def never_done(*_arguments):
        os.kill(os.getpid(), signal.SIGKILL)

    if die_thinking:
        bots.choose = never_done
    commit = connection.commit

    def counted_commit():
        count()
        commit()
        count()

    connection.execute_wrappers.append(counted)
    connection.commit = counted_commit
    try:
        getattr(services, service)(user=someone, **arguments)
    except services.Refused as refused:
        return {"status": refused.status, "code": refused.code}
    return {"status": 200, "statements": statements}


if __name__ == "__main__":
    serve()
