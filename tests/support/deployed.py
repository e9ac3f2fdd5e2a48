"""The product in its distributed form: Redis, daphne and a worker that hosts, each a process that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.free_port import free_port
from tests.support.redis_server import RedisServer
from tests.support.running import READY_SECONDS, REPOSITORY, Client
from tests.support.waiting import until

ESTATE = "demo-fr-de"
BINARIES = Path(sys.executable).parent
CELERY = ("celery", "--app", "brokerweb.config.celery:celery_app")
WORKER = (*CELERY, "worker", "--hostname", "worker@%h", "--pool", "threads", "--concurrency", "16")


class Deployed:
    """Parts by their names: `redis`, `web`, `worker`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.redis = RedisServer(folder)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def address(self) -> str:
        """Where the dashboard is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def broker_url(self) -> str:
        """What web and engine speak over."""
        return self.redis.url

    @property
    def engine_directory(self) -> Path:
        """Where the engine keeps its data."""
        return self.folder / "engine"

    def environment(self) -> dict[str, str]:
        """Of every process."""
        inherited = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        return {
            **inherited,
            "BROKERWEB_DATA": str(self.folder),
            "CELERY_BROKER_URL": self.redis.url,
            "CHANNEL_REDIS_URL": self.redis.url.replace("/0", "/1"),
            "PYTHONUNBUFFERED": "1",
        }

    def prepare(self) -> None:
        """Tables, the administrator, the sample estate."""
        self.manage("prepare")

    def manage(self, *words: str) -> str:
        """Run a command of `manage.py`; what it prints."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=REPOSITORY,
            env=self.environment(),
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def start(self, part: str) -> None:
        """Start a part; returns at once, except Redis, which answers then."""
        if part == "redis":
            self.redis.start()
            return
        self._processes[part] = subprocess.Popen(
            [BINARIES / self._commands()[part][0], *self._commands()[part][1:]],
            cwd=REPOSITORY,
            env=self.environment(),
            stdout=(self.folder / f"{part}.log").open("ab"),
            stderr=subprocess.STDOUT,
        )

    def _commands(self) -> dict[str, tuple[str, ...]]:
        bind = ("--bind", "127.0.0.1", "--port", str(self.port))
        return {
            "web": ("daphne", *bind, "brokerweb.config.asgi:application"),
            "worker": (*WORKER, "--queues", "engine.control,live", "--loglevel", "warning"),
            "beat": (*CELERY, "beat", "--schedule", str(self.folder / "beat-schedule"), "--loglevel", "warning"),
        }

    def kill(self, part: str) -> None:
        """`kill -9`."""
        if part == "redis":
            self.redis.end()
            return
        process = self._processes.pop(part)
        process.kill()
        process.wait()

    def stop(self, part: str, within: float = 60.0) -> int:
        """SIGTERM; answers the exit code."""
        process = self._processes.pop(part)
        process.terminate()
        try:
            return process.wait(within)
        finally:
            process.kill()

    def process_id(self, part: str) -> int:
        """Of a part that runs."""
        return self._processes[part].pid

    def end(self) -> None:
        """Stop whatever runs."""
        for process in self._processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self._processes.values():
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.redis.end()

    def login_link(self) -> str:
        """A link that logs the administrator in once."""
        token = self.manage("login_link").split("/login/link/")[1].split()[0].rstrip(".")
        return f"{self.address}/login/link/{token}"


@contextmanager
def deployed(folder: Path) -> Iterator[tuple[Deployed, Client]]:
    """A deployment whose sample estate runs, and a client that is logged in."""
    product = Deployed(folder)
    try:
        product.prepare()
        for part in ("worker", "beat", "web"):
            product.start(part)
        until(lambda: answers(product), seconds=READY_SECONDS, what="the dashboard answers")
        with Client.logged_in(product.login_link()) as client:
            until(lambda: _is_applied(client), seconds=READY_SECONDS, what="the sample estate runs")
            yield product, client
    finally:
        product.end()


def answers(product: Deployed) -> bool:
    """Whether the dashboard is there."""
    import httpx

    try:
        return httpx.get(f"{product.address}/login", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def _is_applied(client: Client) -> bool:
    rows = client.topology(ESTATE)["instances"]
    return bool(rows) and all(row["desired_revision"] == row["applied_revision"] for row in rows)
