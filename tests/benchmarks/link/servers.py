"""Servers of a turn: each a process with a session and a log of its own, stopped however the turn ends."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, Self

START_SECONDS_MAX: Final = 60.0
STOP_SECONDS_MAX: Final = 20.0
LOG_LINES_SHOWN: Final = 15


class ServerFailed(Exception):
    """A server did not come up; the message holds the end of its log."""


class Server:
    """One running server process."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.name = name
        self.pid = process.pid
        self._process = process
        self._log = log

    def until(self, is_ready: Callable[[], bool], what: str) -> None:
        """Wait until it is so. `ServerFailed` when the server has ended or takes too long."""
        deadline = time.monotonic() + START_SECONDS_MAX
        while not is_ready():
            if self._process.poll() is not None:
                raise ServerFailed(f"{self.name} ended before {what}:\n{self.last_words()}")
            if time.monotonic() > deadline:
                raise ServerFailed(f"{self.name}: {what} not within {START_SECONDS_MAX:g} s:\n{self.last_words()}")
            time.sleep(0.05)

    def until_it_listens(self, port: int) -> None:
        """Wait until it listens on a port of the loopback interface."""
        self.until(lambda: _listens(port), f"port {port} is open")

    def last_words(self) -> str:
        """The end of its log."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:])

    def stop(self, how: signal.Signals) -> None:
        """Ask it to end, then make it; whatever it has started goes with it."""
        with suppress(ProcessLookupError):
            self._process.send_signal(how)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS_MAX)
        # It leads a session of its own, so this meets nobody else.
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()


class Servers:
    """A temporary directory and the servers that live in it; leaving the `with` stops them, the last one first."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.directory = Path(tempfile.mkdtemp(prefix="bench-link-"))
        self._stack.callback(shutil.rmtree, self.directory, ignore_errors=True)
        # Servers that must not be root have their own folders in it.
        self.directory.chmod(0o711)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(
        self,
        name: str,
        command: Sequence[str | Path],
        environment: Mapping[str, str] | None = None,
        *,
        cwd: Path | None = None,
        user: str | None = None,
        stop_with: signal.Signals = signal.SIGTERM,
    ) -> Server:
        """Start a server; `environment` is put on top of ours, `user` is who it runs as when we are root."""
        log = self.directory / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=cwd or self.directory,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **({} if user is None else {"user": user, "group": user, "extra_groups": []}),
            )
        server = Server(name, process, log)
        self._stack.callback(server.stop, stop_with)
        return server


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
