"""brokerweb itself: worker processes as the images start them, each the host of one instance with its SQLite store."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

import msgspec

from tests.architecture.tidy import ROOT
from tests.benchmarks.link.contestant import ClientSpec, Contestant
from tests.benchmarks.link.our_estate import HUB, LYON, PARIS, Order
from tests.benchmarks.link.servers import Server, ServerFailed, Servers
from tests.support.free_port import free_port

COMPILED: Final = ROOT / ".build" / "compiled"
SET_UP_SECONDS_MAX: Final = 600.0
SENDS_AT_ONCE: Final = 500
_WORKER: Final = (
    *("-m", "celery", "--app", "brokerweb.config.celery:celery_app", "worker", "--pool", "threads"),
    *("--concurrency", "16", "--queues", "engine.control,live", "--loglevel", "info"),
)
"""What the image `engine` runs (docker/Dockerfile)."""


class OurPair(Contestant):
    """PARIS and LYON, and with a forwarder HUB between them; compiled as in the image, or as Python."""

    def __init__(self, dialogs: int, *, is_forwarded: bool, is_compiled: bool) -> None:
        """`dialogs` are begun before the clock runs; messages go round them."""
        ways = {"forwarded": is_forwarded, "compiled": is_compiled}
        self.name = "-".join(["brokerweb", str(dialogs), *(way for way, is_so in ways.items() if is_so)])
        self.description = (
            f"brokerweb, SQLite, dialogs: {dialogs}"
            + (", through a forwarder" if is_forwarded else "")
            + (", compiled" if is_compiled else ", interpreted")
        )
        self._code = COMPILED if is_compiled else ROOT
        self.conversations = dialogs
        self._is_forwarded = is_forwarded

    def missing(self) -> str:
        if not (self._code / "manage.py").exists():
            return "the compiled copy is not there (make compiled)"
        if shutil.which("redis-server"):
            return ""
        return "redis-server is not installed (Debian, Ubuntu: apt-get install redis-server)"

    def start(self, servers: Servers) -> None:
        port = free_port()
        self._data = servers.directory / "data"
        self._handles = str(servers.directory / "handles")
        self._broker_url = f"redis://127.0.0.1:{port}/0"
        self._environment = {
            "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.prod",
            "BROKERWEB_DATA": str(self._data),
            "CELERY_BROKER_URL": self._broker_url,
            "CHANNEL_REDIS_URL": f"redis://127.0.0.1:{port}/1",
            "SECRET_KEY": secrets.token_urlsafe(48),
            "ALLOWED_HOSTS": "bench.example",
            "PYTHONUNBUFFERED": "1",
        }
        self._data.mkdir()
        redis = servers.start("redis", ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""])
        redis.until_it_listens(port)
        _run(self._environment, "manage.py", "migrate", "--noinput", "--verbosity", "0")
        instances = (PARIS, HUB, LYON) if self._is_forwarded else (PARIS, LYON)
        # One after another: whoever is alone with the control queue gets the instance.
        workers = {instance: self._host(servers, instance) for instance in instances}
        self._step(
            Order(
                step="define",
                dialogs=self.conversations,
                is_forwarded=self._is_forwarded,
                handles=self._handles,
                **self._place(),
            )
        )
        self._processes = {name: server.pid for name, server in {**workers, "redis": redis}.items()}

    def _host(self, servers: Servers, instance: str) -> Server:
        hostname = f"{instance.lower()}@localhost"
        worker = servers.start(
            f"worker-{instance.lower()}",
            [sys.executable, *_WORKER, "--hostname", hostname],
            self._environment,
            cwd=self._code,
        )
        try:
            self._step(Order(step="open", instance=instance, worker=hostname, **self._place()))
        except ServerFailed as error:
            raise ServerFailed(f"{error}\n{worker.last_words()}") from error
        return worker

    def _place(self) -> dict[str, str]:
        return {"broker_url": self._broker_url, "data_directory": str(self._data / "engine")}

    def _step(self, order: Order) -> None:
        _run({}, "-m", "tests.benchmarks.link.our_estate", msgspec.json.encode(order).decode())

    def processes(self) -> Mapping[str, int]:
        return self._processes

    def producer(self) -> ClientSpec:
        options = {**self._place(), "handles": self._handles, "at_once": SENDS_AT_ONCE}
        return ClientSpec("tests.benchmarks.link.our_clients:OurProducer", options)

    def consumer(self) -> ClientSpec:
        options = self._place()
        return ClientSpec("tests.benchmarks.link.our_clients:OurConsumer", options)

    def watcher(self) -> ClientSpec:
        return ClientSpec("tests.benchmarks.link.our_clients:OurWatcher", self._place())

    def close_link(self) -> None:
        self._step(Order(step="stop-endpoint", **self._place()))

    def open_link(self) -> None:
        self._step(Order(step="start-endpoint", **self._place()))


def _run(environment: Mapping[str, str], *arguments: str) -> None:
    """Run a step of the set-up to its end. `ServerFailed`."""
    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=SET_UP_SECONDS_MAX,
        check=False,
    )
    if ended.returncode:
        raise ServerFailed(f"{arguments[0]} {arguments[1]} failed: {ended.stderr[-2000:]}")
