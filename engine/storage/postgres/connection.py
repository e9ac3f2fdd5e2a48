"""Connections to PostgreSQL: how long anything may take, and one error for every way in which it can fail."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from engine.storage.errors import StoreFailed
from engine.storage.postgres.arrays import teach

SERVER_VERSION_MIN: Final = 150_000

Connection = psycopg.Connection[tuple[Any, ...]]

_PATIENCE: Final = {
    "connect_timeout": "5",
    "keepalives": "1",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    # Milliseconds; longer, since a server that writes a large body to a busy disk takes nothing meanwhile.
    "tcp_user_timeout": "30000",
    "application_name": "brokerweb engine",
    "client_encoding": "utf8",
}
"""A commit blocks the loop of its host: a server that is gone must be found out, within eleven seconds when it is
silent and within thirty when it does not even take what it is sent."""

_SESSION: Final = b"""
SET idle_in_transaction_session_timeout = '10s';
SET lock_timeout = '10s';
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 2;
SET tcp_keepalives_count = 3;
SET tcp_user_timeout = '30s';
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_bitmapscan = off;
SET jit = off;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
"""
"""The server's side of the same patience; plans that always go by an index, since tables that were empty when a
statement was planned fill within seconds; and no commit before it is on the disk, whatever the server's habit is."""


def check_url(url: str) -> None:
    """Refuse what is no address of a PostgreSQL database (`StoreFailed`), without repeating a password."""
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise StoreFailed("the address of the PostgreSQL server cannot be read") from None


def connect(url: str) -> Connection:
    """A connection that commits by itself and speaks binary; `StoreFailed`."""
    check_url(url)
    with words_of_the_server():
        settings = make_conninfo(url, **{**_PATIENCE, **conninfo_to_dict(url)})
        connection = psycopg.connect(settings, autocommit=True)
        try:
            connection.execute(_SESSION)
            _check_server(connection)
            teach(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _check_server(connection: Connection) -> None:
    if connection.info.server_version < SERVER_VERSION_MIN:
        raise StoreFailed(f"PostgreSQL {SERVER_VERSION_MIN // 10_000} or later is needed")
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise StoreFailed("the database holds no Unicode: it must be made with ENCODING 'UTF8'")


@contextmanager
def words_of_the_server() -> Iterator[None]:
    """Every way in which the server, the way to it or the content of a table can fail, as one error with the reason."""
    try:
        yield
    except (psycopg.Error, OSError, msgspec.MsgspecError, struct.error, UnicodeError) as error:
        raise StoreFailed(f"PostgreSQL: {str(error).strip() or type(error).__name__}") from error
