"""Connections to the dashboard's database: borrowed from a pool, given back while a thread waits, reserved for leases.

With PostgreSQL a process has a pool of `DATABASE_CONNECTIONS`. With SQLite each thread opens the file by itself.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.db import DEFAULT_DB_ALIAS, close_old_connections, connection, connections
from django.db.utils import load_backend
from django.utils.translation import gettext as _

from brokerweb.common.full_disk import causes
from brokerweb.common.server_errors import ServerBusy

_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


@contextmanager
def borrowed_connections() -> Iterator[None]:
    """Around a piece of work in a worker's or a loop's thread: stale connections are closed before and after."""
    close_old_connections()
    try:
        yield
    finally:
        close_old_connections()


def release_connection() -> None:
    """Give this thread's connection to PostgreSQL back before it waits or computes; in a transaction it is kept."""
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        connection.close()


class ReservedConnections:
    """A connection outside of the pool for each thread that uses it, kept open between uses."""

    def __init__(self) -> None:
        self._kept = threading.local()

    @contextmanager
    def used(self) -> Iterator[None]:
        """Inside of the block the models use the reserved connection; in a transaction and without a pool the usual."""
        usual = connections[DEFAULT_DB_ALIAS]
        if "pool" not in usual.settings_dict["OPTIONS"] or usual.in_atomic_block:
            yield
            return
        kept: Any = getattr(self._kept, "connection", None)
        if kept is None:
            kept = self._kept.connection = _outside_of_the_pool(usual.settings_dict)
        connections[DEFAULT_DB_ALIAS] = kept
        try:
            kept.close_if_unusable_or_obsolete()
            yield
        finally:
            connections[DEFAULT_DB_ALIAS] = usual

    def close(self) -> None:
        """Close that of this thread; harmless when there is none. The next use opens another one."""
        kept = self._kept.__dict__.pop("connection", None)
        if kept is not None:
            kept.close()


def _outside_of_the_pool(settings: dict[str, Any]) -> Any:
    options = {name: value for name, value in settings["OPTIONS"].items() if name != "pool"}
    backend = load_backend(settings["ENGINE"])
    return backend.DatabaseWrapper({**settings, "OPTIONS": options, "CONN_MAX_AGE": None}, DEFAULT_DB_ALIAS)


def close_pools() -> None:
    """Close the pools of this process; harmless where there is none."""
    for each in connections.all(initialized_only=True):
        with suppress(AttributeError, KeyError):
            each.close_pool()


def database_busy(error: BaseException | None) -> ServerBusy | None:
    """The problem, when a locked database or a lack of connections is behind an error; None when neither is."""
    for each in causes(error):
        if isinstance(each, sqlite3.OperationalError) and getattr(each, "sqlite_errorcode", 0) & 0xFF in _LOCKED:
            return ServerBusy(
                _("The database is locked: another change is being written."),
                why=_("One change at a time is written, so nothing was done."),
            )
        # By name: the package of the pool is loaded with PostgreSQL only.
        if type(each).__name__ == "PoolTimeout":
            return ServerBusy(_("The database gives no connection: all are in use, or it cannot be reached."))
    return None
