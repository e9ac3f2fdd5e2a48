"""Celery workers as a deployment has them: with the dashboard's database, and so with leases."""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from kombu.exceptions import OperationalError

from engine.hosting import client
from engine.hosting.app import celery_app
from engine.hosting.errors import EngineUnavailable
from tests.architecture.tidy import ROOT
from tests.engine.hosting.two_instances import ESTATE
from tests.support.waiting import until

ASK_SECONDS = 2.0
"""Asked while nobody hosts the instance, whoever hosts it next answers at once. Not longer, because a worker that is
stopped takes one question with it."""
START_SECONDS_MAX = 120.0
"""Of a worker, on a machine that has much else to do."""
END_LEASES = "UPDATE leases_instancelease SET expires_at = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE holder != ''"


def forget_broker() -> None:
    """Let go of all connections of this process, which Celery keeps for its life, while the broker is there to hear."""
    celery_app._after_fork()
    for kept in ("amqp", "control"):
        celery_app.__dict__.pop(kept, None)
    celery_app._backend_cache = None
    celery_app._local = threading.local()
    gc.collect()


class Deployment:
    """Workers that share one data directory, one database and one broker."""

    def __init__(
        self,
        directory: Path,
        broker_url: str,
        environment: Mapping[str, str] | None = None,
        lease_seconds: float | None = None,
        tables: Path | None = None,
    ) -> None:
        """`environment` says where the dashboard's database and the stores are, when not in the data directory.

        Without `lease_seconds` leases last as long as those of the product. `tables` is a database to begin with.
        """
        self._directory = directory
        self._application = "brokerweb.config.celery" if lease_seconds is None else "tests.engine.hosting.leased_app"
        self._environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.dev",
            "BROKERWEB_DATA": str(directory / "data"),
            "CELERY_BROKER_URL": broker_url,
            **(environment or {}),
            **({} if lease_seconds is None else {"LEASE_SECONDS": str(lease_seconds)}),
        }
        self._workers: dict[str, subprocess.Popen[bytes]] = {}
        if tables is None:
            made = self.manage("migrate", "--verbosity", "0")
            assert made.returncode == 0, made.stderr
        else:
            self.database.parent.mkdir()
            shutil.copyfile(tables, self.database)

    @property
    def database(self) -> Path:
        """The dashboard's, where it is a file."""
        return self._directory / "data" / "brokerweb.sqlite3"

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py`."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=START_SECONDS_MAX,
            check=False,
        )

    def start(self, *names: str) -> None:
        """Start workers and wait until each of them takes tasks."""
        for name in names:
            self._launch(name)
        for name in names:
            until(lambda name=name: self.takes_tasks(name), f"{name} takes tasks", START_SECONDS_MAX)

    def _launch(self, name: str) -> None:
        command = [sys.executable, "-m", "celery", "-A", self._application, "worker"]
        options = ["--pool", "threads", "--concurrency", "8", "--queues", "engine.control,live"]
        with self._log(name).open("ab") as log:
            self._workers[name] = subprocess.Popen(
                [*command, *options, "--hostname", f"{name}@localhost", "--without-mingle", "--without-gossip"],
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def takes_tasks(self, name: str) -> bool:
        """Asked over a connection of its own: the broker may have been restarted since the last one was made."""
        assert self._workers[name].poll() is None, self.log(name)[-4000:]
        with celery_app.connection_for_write() as connection:
            try:
                return bool(
                    celery_app.control.ping(destination=[f"{name}@localhost"], timeout=1.0, connection=connection)
                )
            except (OperationalError, *connection.connection_errors):
                return False

    def log(self, name: str) -> str:
        """What a worker has said."""
        return self._log(name).read_text(encoding="utf-8", errors="replace")

    def _log(self, name: str) -> Path:
        return self._directory / f"{name}.log"

    @property
    def names(self) -> Sequence[str]:
        """Of all workers that were ever started."""
        return list(self._workers)

    @property
    def dead(self) -> list[str]:
        """Workers that have ended, by themselves or by a signal."""
        return [name for name, worker in self._workers.items() if worker.poll() is not None]

    def allow_files(self, bytes_max: int) -> None:
        """No file of any worker grows beyond so much: on what it writes, it is as if the disk were full."""
        for worker in self._workers.values():
            _, hard = resource.prlimit(worker.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (bytes_max, hard))

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a worker."""
        self._workers[name].send_signal(number)

    def wait(self, name: str) -> int:
        """Until a worker has ended: its exit code."""
        return self._workers[name].wait(START_SECONDS_MAX)

    def end(self) -> None:
        """Stop every worker, also one that is stopped already."""
        for worker in self._workers.values():
            worker.send_signal(signal.SIGCONT)
            worker.kill()
            worker.wait(60)

    def end_leases(self) -> None:
        """Let all leases end now, by the clock of the book: as if their time had passed since a worker died."""
        with closing(sqlite3.connect(self.database)) as book, book:
            book.execute(END_LEASES)

    def leases(self) -> dict[str, tuple[str, int]]:
        """By instance: the name of the worker that holds its lease, and the fencing number."""
        with closing(sqlite3.connect(self.database)) as book:
            rows = book.execute("SELECT instance_name, holder, fence FROM leases_instancelease").fetchall()
        return {instance: (holder.partition("@")[0], fence) for instance, holder, fence in rows}

    def status(self) -> dict[str, dict[str, Any]]:
        """What `engine_status` says, by instance."""
        told = self.manage("engine_status", "--json")
        assert told.stdout, told.stderr
        return {each["instance"]: each for each in json.loads(told.stdout)["instances"]}


def answers(instance: str) -> bool:
    try:
        client.read_view(ESTATE, instance, 0, timeout_seconds=ASK_SECONDS)
    except EngineUnavailable:
        return False
    return True
