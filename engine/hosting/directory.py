"""`PortDirectory`: where each modelled instance really listens.

In the model every server listens on its own host, usually on port 4022. Really they share this machine, each on an
ephemeral port. The directory is one small SQLite file that all workers of a deployment share. It can be lost without
harm: every instance writes its entry anew when it is opened, and when it finds that the file is another one. So a file
that is damaged is put aside, whoever finds it so, and an empty one begun.
"""

from __future__ import annotations

import errno
import json
import logging
import os
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import apsw
import msgspec

from engine.core.catalog.hosts import HostBook
from engine.core.vocabulary.identifiers import BrokerInstanceId, EstateName, InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.transport.dialer import HostUnknown

BUSY_MILLISECONDS_MAX: Final = 2000
"""How long a write waits for that of another worker."""

_DAMAGE: Final = (apsw.NotADBError, apsw.CorruptError)

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS listeners (
    estate        TEXT NOT NULL,
    instance      TEXT NOT NULL,
    hosts         TEXT NOT NULL,  -- JSON array, lower case
    modelled_port INTEGER,        -- NULL without an endpoint
    real_host     TEXT,           -- NULL when nothing listens
    real_port     INTEGER,
    PRIMARY KEY (estate, instance)
) STRICT
"""
_LATER_COLUMNS: Final = {
    "forwards": "INTEGER NOT NULL DEFAULT 0",
    "brokers": "TEXT NOT NULL DEFAULT '[]'",
    "certificate": "TEXT",
}
"""That files of earlier versions lack, whose workers may write beside ours. `brokers` is a JSON array."""

logger = logging.getLogger(__name__)


class Listener(msgspec.Struct, frozen=True, kw_only=True):
    """An instance as the network of its estate sees it."""

    instance: InstanceName
    hosts: tuple[str, ...]
    """Host names and addresses it answers to, lower case, its own name first."""
    modelled_port: int | None
    """Port of its endpoint in the model; None when it has none."""
    real: tuple[str, int] | None = None
    """Where its socket is; None when it does not listen."""
    forwards: bool = False
    """Whether it passes messages of others on."""
    brokers: tuple[BrokerInstanceId, ...] = ()
    """Ids of its databases."""
    certificate: str | None = None
    """SHA-256 of the certificate that its endpoint shows, in hexadecimal."""


class PortDirectory:
    """Entries of all estates in one file. Used from one thread; other processes may use the same file.

    Every method raises `OSError` when the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._written = 0
        """How often we have written ourselves."""
        with _as_os_error():
            self._open()

    def file(self) -> Hashable:
        """Tells one file from the next: an entry that was written into another one must be written again."""
        self._execute("SELECT 1", ())
        return self._file

    def state(self) -> Hashable:
        """Differs from an earlier one when anything was written since, by whatever process."""
        [(version,)] = self._execute("PRAGMA data_version", ())
        return self._file, version, self._written

    def put(self, estate: EstateName, listener: Listener) -> None:
        """Write or replace the entry of an instance."""
        host, port = listener.real or (None, None)
        self._execute(
            "INSERT OR REPLACE INTO listeners"
            " (estate, instance, hosts, modelled_port, real_host, real_port, forwards, brokers, certificate)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                estate,
                listener.instance,
                json.dumps(listener.hosts),
                listener.modelled_port,
                host,
                port,
                int(listener.forwards),
                json.dumps([str(each) for each in listener.brokers]),
                listener.certificate,
            ),
        )
        self._written += 1

    def remove(self, estate: EstateName, instance: InstanceName) -> None:
        """Forget an instance; harmless when it is unknown."""
        self._execute("DELETE FROM listeners WHERE estate = ? AND instance = ?", (estate, instance))
        self._written += 1

    def listeners(self, estate: EstateName) -> list[Listener]:
        """All instances of an estate, by name."""
        rows = self._execute(
            "SELECT instance, hosts, modelled_port, real_host, real_port, forwards, brokers, certificate FROM listeners"
            " WHERE estate = ? ORDER BY instance",
            (estate,),
        )
        return [
            Listener(
                instance=InstanceName(instance),
                hosts=tuple(json.loads(hosts)),
                modelled_port=modelled_port,
                real=None if real_port is None else (real_host, real_port),
                forwards=bool(forwards),
                brokers=tuple(BrokerInstanceId(UUID(each)) for each in json.loads(brokers)),
                certificate=certificate,
            )
            for instance, hosts, modelled_port, real_host, real_port, forwards, brokers, certificate in rows
        ]

    def resolve(self, estate: EstateName, address: TcpAddress, caller: InstanceName) -> tuple[str, int]:
        """The real host and port of a modelled address, which is never dialled itself.

        The host is that of an instance, exactly; else the first label of a full name is; else, for this very machine,
        the port decides, and the caller itself comes first. Raises `HostUnknown` when no instance of the estate
        answers to the host, and `ConnectionRefusedError` when one does but nothing listens on the port.
        """
        listeners = {each.instance: each for each in self.listeners(estate)}
        book = HostBook((each.instance, each.hosts, each.modelled_port) for each in listeners.values())
        if not book.called(address, caller):
            raise HostUnknown(f"no instance of the estate answers to '{address.host}'")
        for listener in map(listeners.__getitem__, book.at(address, caller)):
            if listener.real is not None:
                return listener.real
        raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))

    def occupant(self, estate: EstateName, wanted: Listener) -> InstanceName | None:
        """Who already listens on the same port of the same host (9692); None when the port is free."""
        for other in self.listeners(estate):
            shares_host = not set(other.hosts).isdisjoint(wanted.hosts)
            shares_port = other.modelled_port == wanted.modelled_port
            if other.instance != wanted.instance and other.real is not None and shares_host and shares_port:
                return other.instance
        return None

    def _execute(self, statement: str, parameters: tuple[apsw.SQLiteValue, ...]) -> list[Any]:
        with _as_os_error():
            if self._file != _file_at(self._path):
                # It was put aside by another worker, or lost.
                self._connection.close()
                self._open()
            try:
                return list(self._connection.execute(statement, parameters))
            except _DAMAGE as error:
                self._connection.close()
                self._put_aside(error)
                self._open()
                return list(self._connection.execute(statement, parameters))

    def _open(self) -> None:
        try:
            self._connection = _connect(self._path)
        except _DAMAGE as error:
            self._put_aside(error)
            self._connection = _connect(self._path)
        self._file = _file_at(self._path)

    def _put_aside(self, error: apsw.Error) -> None:
        """Keep a damaged file under another name, for whoever wants to know what has happened to it."""
        aside = self._path.with_name(f"{self._path.name}.damaged-{uuid4().hex[:8]}")
        logger.warning("%s is damaged (%s); it is kept as %s, and begun anew.", self._path.name, error, aside.name)
        for suffix in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                self._path.with_name(self._path.name + suffix).rename(aside.with_name(aside.name + suffix))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def _connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(BUSY_MILLISECONDS_MAX)
        connection.pragma("journal_mode", "WAL")
        # What is written here can be written again.
        connection.pragma("synchronous", "NORMAL")
        with connection:
            connection.execute(_SCHEMA)
            columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(listeners)")}
            for name, definition in _LATER_COLUMNS.items():
                if name not in columns:
                    connection.execute(f"ALTER TABLE listeners ADD COLUMN {name} {definition}")
    except BaseException:
        connection.close()
        raise
    return connection


def _file_at(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def _as_os_error() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise OSError(f"the directory of ports: {error}") from error
