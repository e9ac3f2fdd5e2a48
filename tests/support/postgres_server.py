"""A PostgreSQL server of the tests' own: on a free port, in its own folder, stopped and removed with its fixture."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from tests.support.free_port import free_port

START_SECONDS_MAX = 60
NO_POSTGRES = "PostgreSQL's server is not installed (Debian, Ubuntu: apt-get install postgresql)"
USER = "brokerweb"
LOG_SEGMENT_BYTES = 2**20
"""Size of each file of the server's log, which is written over and over."""


def binary_directory() -> Path | None:
    """Where `initdb` and `postgres` are; Debian keeps them out of the path."""
    named = shutil.which("initdb")
    if named is not None:
        return Path(named).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class PostgresServer:
    """A server on the loopback that can be killed and started again; its data stay."""

    def __init__(self, folder: Path, binaries: Path, *, is_synced: bool = False) -> None:
        self._is_synced = is_synced
        self._folder = folder
        self._binaries = binaries
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._account: str | None = None
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            self._account = next(name for name in ("postgres", "nobody") if _exists(name))
            shutil.chown(folder, self._account)
        self._run(
            *("initdb", "--no-sync"),
            *("-A", "trust", "-U", USER, "--encoding", "UTF8", "--locale", "C"),
            # The least there is: then a limit on the size of files strikes tables and spares the log.
            *("--wal-segsize", str(LOG_SEGMENT_BYTES // 2**20)),
            *("-D", str(folder / "data")),
        )

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    def ensure_running(self) -> None:
        """Start it when it has ended or is about to; returns when it answers."""
        deadline = time.monotonic() + START_SECONDS_MAX
        while not self._answers():
            assert time.monotonic() < deadline, (self._folder / "log").read_text()
            if self.has_ended():
                self.start()

    def start(self) -> None:
        """Returns when the server answers."""
        options = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "max_connections": 50,
            "fsync": "on" if self._is_synced else "off",
        }
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._folder / "data", *settings],
                stdout=log,
                stderr=log,
                user=self._account,
                cwd=self._folder,
            )
        deadline = time.monotonic() + START_SECONDS_MAX
        while not self._answers():
            assert time.monotonic() < deadline, (self._folder / "log").read_text()
            assert not self.has_ended(), (self._folder / "log").read_text()

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
            return False
        return True

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends all sessions; SIGQUIT at once, so that the next start recovers from the log."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(START_SECONDS_MAX)
            self._process = None

    def has_ended(self) -> bool:
        """Whether the server does not run, whoever ended it."""
        return self._process is None or self._process.poll() is not None

    def allow_files(self, bytes_max: int | None) -> None:
        """No file of the server grows beyond so much, as if its disk were full; None takes that away again."""
        # The first process makes the others: what it makes from now on has the limit already.
        for _ in range(2):
            for process in self._processes():
                self._limit(process, "unlimited" if bytes_max is None else str(bytes_max))

    def _limit(self, process: int, soft: str) -> None:
        # By a program that runs as the server does: not even root may, where it has not all its rights.
        told = subprocess.run(
            ["prlimit", "--pid", str(process), f"--fsize={soft}:"], user=self._account, capture_output=True, text=True
        )
        # One that has ended meanwhile needs no limit.
        assert told.returncode == 0 or not Path(f"/proc/{process}").exists(), told.stderr

    def _processes(self) -> list[int]:
        if self._process is None:
            return []
        pid = self._process.pid
        with suppress(FileNotFoundError):
            return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        return []

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        """Carry out a statement as the owner of everything; its rows, if it has any."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._binaries / program, *arguments],
            check=True,
            user=self._account,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
        )


def _exists(account: str) -> bool:
    try:
        pwd.getpwnam(account)
    except KeyError:
        return False
    return True


@contextmanager
def running_postgres(*, is_synced: bool = False) -> Iterator[PostgresServer]:
    """A server that runs, on empty data; a test without one is skipped and says why.

    Args:
        is_synced: Whether commits are forced to the disk, as benchmarks need. Tests kill servers, not machines.
    """
    binaries = binary_directory()
    if binaries is None:
        pytest.skip(NO_POSTGRES)
    # Not in pytest's folders: only their owner may enter those, and root is not who runs the server.
    folder = Path(tempfile.mkdtemp(prefix="brokerweb-postgres-"))
    server = PostgresServer(folder, binaries, is_synced=is_synced)
    try:
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)
        shutil.rmtree(folder)
