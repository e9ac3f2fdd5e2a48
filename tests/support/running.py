"""The product as its user starts it: `manage.py run` in a process of its own, and a client that has used its link."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import httpx

from tests.support.free_port import free_port
from tests.support.login_links import press_button_of

REPOSITORY = Path(__file__).resolve().parents[2]
READY_SECONDS = 120.0
END_SECONDS = 120.0
"""Only what hangs takes so long, however busy the machine is."""
_LINK = re.compile(r"http://\S+/login/link/\S+")


class Running:
    """One process of `manage.py run` on its own data directory."""

    def __init__(self, data_directory: Path, port: int | None = None, *, descriptors: int | None = None) -> None:
        """`descriptors` is how many files the system lets it open at once."""
        self._limited = () if descriptors is None else ("sh", "-c", f'ulimit -n {descriptors} && exec "$@"', "sh")
        self.data_directory = data_directory
        self.port = port or free_port()
        self.output = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Start, wait until it is ready, and answer the one-time login link."""
        self.output = ""
        self._process = subprocess.Popen(
            [*self._limited, sys.executable, "manage.py", "run", "--port", str(self.port)],
            cwd=REPOSITORY,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        found = _LINK.search(self._read_until(_LINK))
        assert found is not None
        return found.group().rstrip(".")

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        return {**inherited, "BROKERWEB_DATA": str(self.data_directory), "PYTHONUNBUFFERED": "1"}

    def _read_until(self, pattern: re.Pattern[str]) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        deadline = time.monotonic() + READY_SECONDS
        while not pattern.search(self.output):
            readable, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            line = self._process.stdout.readline() if readable else ""
            assert line, f"not ready after {READY_SECONDS:.0f} s; it said: {self.output!r}"
            self.output += line
        return self.output

    def stop(self) -> int:
        """Ctrl-C; answers the exit code."""
        return self._end(signal.SIGINT)

    def kill(self) -> None:
        """`kill -9`."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(how)
        rest, _ = self._process.communicate(timeout=END_SECONDS)
        self.output += rest
        code = self._process.returncode
        self._process = None
        return code

    @property
    def pid(self) -> int:
        """Of the started process."""
        assert self._process is not None
        return self._process.pid

    @property
    def processor_seconds(self) -> float:
        """How long it has worked so far, whatever else the machine does meanwhile."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    @property
    def is_running(self) -> bool:
        return self._process is not None


@contextmanager
def running(data_directory: Path) -> Iterator[tuple[Running, Client]]:
    """A started product and a client logged in to it; stopped at the end, whatever happens."""
    product = Running(data_directory)
    link = product.start()
    try:
        with Client.logged_in(link) as client:
            yield product, client
    finally:
        if product.is_running:
            product.stop()


class Client(httpx.Client):
    """The API as a script uses it, within one session."""

    @classmethod
    @contextmanager
    def logged_in(cls, link: str) -> Iterator[Self]:
        base = link.split("/login/")[0]
        with cls(base_url=f"{base}/api/v1/", timeout=30, follow_redirects=True) as client:
            assert press_button_of(link, client).status_code == httpx.codes.FOUND
            client.get("me").raise_for_status()
            yield client

    def post_json(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return self.post(path, json=body, headers=self.csrf)

    @property
    def csrf(self) -> dict[str, str]:
        return {"X-CSRFToken": self.cookies.get("brokerweb_csrftoken", "")}

    def topology(self, estate: str) -> dict[str, Any]:
        return self.get(f"estates/{quote(estate)}").raise_for_status().json()


def database_path(estate: str, instance: str, database: str) -> str:
    return f"estates/{quote(estate)}/instances/{quote(instance)}/databases/{quote(database)}"


class Watched:
    """What a process comes to take, of memory at its peak and of files that have no name."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")
        self._before = self._peak()

    def _peak(self) -> int:
        [kilobytes] = re.findall(r"^VmHWM:\s*(\d+)", Path(f"/proc/{self._pid}/status").read_text("ascii"), re.MULTILINE)
        return int(kilobytes) * 1024

    @property
    def memory(self) -> int:
        """Bytes more than before, at the peak."""
        return self._peak() - self._before

    @property
    def temporary(self) -> int:
        """Bytes in deleted files that it has open now."""
        folder, total = Path(f"/proc/{self._pid}/fd"), 0
        for name in os.listdir(folder):
            try:
                if os.readlink(folder / name).endswith("(deleted)"):
                    total += (folder / name).stat().st_size
            except FileNotFoundError:
                continue
        return total
