"""A Redis of the tests' own, on a free port of the loopback, that can be killed and started again."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as NoAnswer

from tests.support.free_port import free_port

START_SECONDS_MAX = 60.0
NO_REDIS = "redis-server is not installed (Debian, Ubuntu: apt-get install redis-server)"


def has_redis() -> bool:
    return shutil.which("redis-server") is not None


class RedisServer:
    """Keeps nothing: killed, it comes back empty. It runs from its making on."""

    def __init__(self, directory: Path) -> None:
        if not has_redis():
            pytest.skip(NO_REDIS)
        self._directory = directory
        self._port = free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self.start()

    def start(self) -> None:
        """Returns when it answers."""
        options = ["--bind", "127.0.0.1", "--dir", str(self._directory), "--save", ""]
        self._server = subprocess.Popen(
            ["redis-server", "--port", str(self._port), *options], stdout=subprocess.DEVNULL
        )
        deadline = time.monotonic() + START_SECONDS_MAX
        while not self._answers():
            assert time.monotonic() < deadline, "Redis does not answer"
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            with Redis.from_url(self.url) as client:
                return bool(client.ping())
        except NoAnswer:
            return False

    def cut_connections(self) -> int:
        """End every connection to it; answers how many there were."""
        with Redis.from_url(self.url) as client:
            return sum(int(client.client_kill_filter(_type=kind, skipme=True)) for kind in ("normal", "pubsub"))

    def hang(self) -> None:
        """It takes connections and answers nothing, until `go_on`."""
        self._server.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """It answers again, with all that it had."""
        self._server.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """`kill -9`."""
        self._server.kill()
        self._server.wait()
