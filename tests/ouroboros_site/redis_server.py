"""A real Redis for tests, which they may stop and start again."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

REDIS = shutil.which("redis-server")
IN_CI = os.environ.get("CI") == "true"
needs_redis = pytest.mark.skipif(REDIS is None and not IN_CI, reason="no redis-server was found")
"""Left out where a newcomer has no Redis; in CI these tests fail without one."""


class Redis:
    """A server of our own on a free port, that keeps nothing."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.folder = folder
        self.start()

    def start(self) -> None:
        command = [REDIS, "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError("Redis did not start.")

    def freeze(self, stop: bool) -> None:
        """Have it say nothing while its connections stay, or go on."""
        self.process.send_signal(signal.SIGSTOP if stop else signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
