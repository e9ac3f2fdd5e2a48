"""The dashboard alone, as its image serves it: no engine, so that the figures are those of the drawing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.free_port import free_port
from tests.support.running import REPOSITORY

READY_SECONDS = 60.0


class Dashboard:
    """A web process on its own SQLite database; estates come in as scripts."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.address = f"http://127.0.0.1:{free_port()}"
        self._environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{directory / 'db.sqlite3'}",
            "BROKERWEB_DATA": str(directory),
            "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.dev",
        }

    def manage(self, *arguments: str) -> str:
        """Run a command of `manage.py` to its end; answers what it printed."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=REPOSITORY,
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def load(self, estate: str, script: str) -> None:
        """Import a script into a new estate."""
        path = self._directory / f"{estate}.sql"
        path.write_text(script, encoding="utf-8")
        self.manage("tsql_import", str(path), "--estate", estate)

    def login_link(self) -> str:
        """A one-time link of the administrator."""
        return self.manage("login_link", "--address", self.address).split()[0]

    @contextmanager
    def served(self) -> Iterator[None]:
        """The process, until the block ends."""
        port = self.address.rsplit(":", 1)[1]
        command = [
            sys.executable,
            "-m",
            "daphne",
            "--bind",
            "127.0.0.1",
            "--port",
            port,
            "brokerweb.config.asgi:application",
        ]
        with (self._directory / "daphne.log").open("w") as log:
            process = subprocess.Popen(command, cwd=REPOSITORY, env=self._environment, stdout=log, stderr=log)
        try:
            self._wait()
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)

    def _wait(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            try:
                httpx.get(f"{self.address}/login", timeout=5).raise_for_status()
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return
        raise TimeoutError(f"The dashboard did not answer within {READY_SECONDS:.0f} s.")
