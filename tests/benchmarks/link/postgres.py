"""PostgreSQL: two clusters, and a relay that carries rows from the outbox of one to the inbox of the other."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.architecture.tidy import ROOT
from tests.benchmarks.link.contestant import ClientSpec, Contestant
from tests.benchmarks.link.postgres_queue import INBOX, OUTBOX, connect
from tests.benchmarks.link.servers import START_SECONDS_MAX, Server, ServerFailed, Servers
from tests.support.free_port import free_port

USER: Final = "postgres"
"""Who runs the servers when we are root, which PostgreSQL refuses to be."""
SETTINGS: Final = {
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
}


class PostgresRelay(Contestant):
    """Outbox, relay, inbox, in batches of one size everywhere."""

    def __init__(self, batch: int) -> None:
        """`batch` rows at most are one transaction."""
        self.name = f"postgresql-{batch}"
        self.description = f"PostgreSQL, two clusters, SKIP LOCKED relay with COPY, {batch} rows a transaction"
        self._batch = batch
        self._dsns: dict[str, str] = {}

    def missing(self) -> str:
        if _programs() is None:
            return "postgresql is not installed (Debian, Ubuntu: apt-get install postgresql)"
        if os.geteuid() == 0 and _user() is None:
            return f"PostgreSQL does not run as root, and there is no user {USER} on this machine"
        return ""

    def start(self, servers: Servers) -> None:
        clusters = {name: self._start_cluster(servers, name) for name in ("a", "b")}
        for name, schema in (("a", OUTBOX), ("b", INBOX)):
            with connect(self._dsns[name]) as connection:
                connection.execute(schema)
        command = [sys.executable, "-m", "tests.benchmarks.link.postgres_relay"]
        relay = servers.start("relay", [*command, self._dsns["a"], self._dsns["b"], str(self._batch)], cwd=ROOT)
        self._processes = {name: server.pid for name, server in (*clusters.items(), ("relay", relay))}

    def _start_cluster(self, servers: Servers, name: str) -> Server:
        programs = _programs()
        assert programs is not None
        home = servers.directory / name
        home.mkdir()
        user = _user()
        if user is not None:
            shutil.chown(home, user)
        initdb = [programs / "initdb", "--pgdata", home / "data", "--username", USER, "--auth", "trust", "--no-sync"]
        made = subprocess.run(
            [*initdb, "--encoding", "UTF8", "--locale", "C"],
            cwd=home,
            capture_output=True,
            text=True,
            timeout=START_SECONDS_MAX,
            check=False,
            user=user,
            group=user,
        )
        if made.returncode:
            raise ServerFailed(f"the cluster {name} could not be made: {made.stderr}")
        port = free_port()
        settings = [f"--{setting}={value}" for setting, value in {**SETTINGS, "port": str(port)}.items()]
        # What it has is thrown away: it need not write it out when it stops.
        server = servers.start(
            f"postgres-{name}",
            [programs / "postgres", "-D", home / "data", *settings],
            cwd=home,
            user=user,
            stop_with=signal.SIGQUIT,
        )
        server.until_it_listens(port)
        self._dsns[name] = f"host=127.0.0.1 port={port} user={USER} dbname=postgres"
        return server

    def processes(self) -> Mapping[str, int]:
        return self._processes

    def producer(self) -> ClientSpec:
        options = {"dsn": self._dsns["a"], "batch": self._batch}
        return ClientSpec("tests.benchmarks.link.postgres_clients:PostgresProducer", options)

    def consumer(self) -> ClientSpec:
        options = {"dsn": self._dsns["b"], "batch": self._batch}
        return ClientSpec("tests.benchmarks.link.postgres_clients:PostgresConsumer", options)

    def watcher(self) -> ClientSpec:
        return ClientSpec("tests.benchmarks.link.postgres_clients:PostgresWatcher", {"dsn": self._dsns["b"]})

    def close_link(self) -> None:
        # It is idle, and so holds no rows.
        os.kill(self._processes["relay"], signal.SIGSTOP)

    def open_link(self) -> None:
        os.kill(self._processes["relay"], signal.SIGCONT)


def _programs() -> Path | None:
    """The folder of PostgreSQL's programs: Debian keeps one for each version outside the path."""
    versions = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").exists()]
    if versions:
        return max(versions, key=lambda path: float(path.parent.name))
    found = shutil.which("initdb")
    return None if found is None else Path(found).resolve().parent


def _user() -> str | None:
    """Who runs the servers; None for ourselves."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(USER).pw_name
    except KeyError:
        return None
