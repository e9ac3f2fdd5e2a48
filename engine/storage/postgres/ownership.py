"""Who owns an instance's schema: the highest fencing number, and of those who have it the session that came first.

Two things say so. The row of `owner` has the number; every commit locks and compares it (`hold` of the schema). And the
owner's session holds an advisory lock for as long as it lives, so that a second process with the same number hears that
the instance is in use. A later owner ends the session of an earlier one: a process that is stopped in the middle of a
commit keeps its locks for as long as its session lives, and it may never go on.
"""

from __future__ import annotations

import time
from typing import Final

from engine.core.vocabulary.identifiers import EstateName, FencingNumber, InstanceName
from engine.storage.errors import StoreFailed, StoreFenced, StoreInUse
from engine.storage.postgres.connection import Connection
from engine.storage.postgres.naming import SchemaMark, read_mark, schema_name, write_mark
from engine.storage.postgres.schema import VERSIONS

TAKE_OVER_SECONDS_MAX: Final = 10.0
"""How long an ended session may take to let go; the server does it within milliseconds unless it is in trouble."""

LET_GO_SECONDS: Final = 1.0
"""How long a session with the same number may take to end, when its process has just gone without a word."""

_LOOK_AGAIN_SECONDS: Final = 0.02

# The upper half, 'SBKR', keeps these locks apart from those of other programs; the lower half is the schema.
_LOCK: Final = b"(1396853586::bigint << 32)"
_OWN: Final = b"SELECT pg_try_advisory_lock(" + _LOCK + b" | oid::bigint) FROM pg_namespace WHERE nspname = %b"
_MAKE_ALONE: Final = b"SELECT pg_advisory_xact_lock(" + _LOCK + b")"

_END_EARLIER: Final = b"""
SELECT pg_terminate_backend(session.pid) FROM owner JOIN pg_stat_activity AS session
ON session.pid = owner.pid AND session.backend_start = owner.since WHERE owner.fence < %b
"""

_ENTER: Final = b"""
UPDATE owner SET fence = %b, pid = pg_backend_pid(),
since = (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())
"""


def open_schema(
    connection: Connection,
    estate: EstateName,
    instance: InstanceName,
    fence: FencingNumber,
    versions: tuple[str, ...] = VERSIONS,
) -> None:
    """Make the schema if there is none, own it, and bring it to the version this program knows.

    Raises `StoreFenced` when a higher number has it, `StoreInUse` when another session with the same number has it,
    and `StoreFailed` when it is another program's or a later version's.
    """
    schema = schema_name(estate, instance)
    with connection.transaction():
        # Two who come at once would both make it.
        connection.execute(_MAKE_ALONE)
        mark = read_mark(connection, schema)
        if mark is None:
            connection.execute(f'CREATE SCHEMA "{schema}"'.encode())
            connection.execute(f'SET LOCAL search_path = "{schema}"'.encode())
            mark = _migrate(connection, schema, SchemaMark(estate, instance, 0), versions)
    if (mark.estate, mark.instance) != (estate, instance):
        raise StoreFailed(f"the schema {schema} belongs to instance {mark.instance} of estate {mark.estate}")
    if mark.version > len(versions):
        raise StoreFailed(
            f"the schema has version {mark.version}, this program knows {len(versions)}: install a newer one"
        )
    connection.execute(f'SET search_path = "{schema}"'.encode())
    _own(connection, schema, fence)
    if mark.version < len(versions):
        with connection.transaction():
            _migrate(connection, schema, mark, versions)


def _migrate(connection: Connection, schema: str, mark: SchemaMark, versions: tuple[str, ...]) -> SchemaMark:
    """All steps that are missing, within the caller's transaction."""
    for version in versions[mark.version :]:
        connection.execute(version.encode())
    reached = SchemaMark(mark.estate, mark.instance, len(versions))
    write_mark(connection, schema, reached)
    return reached


def is_free(connection: Connection, schema: str) -> bool:
    """Whether no other session owns a schema; it is this session's then, until `disown`."""
    return bool(_first(connection, _OWN, schema))


def _own(connection: Connection, schema: str, fence: FencingNumber) -> None:
    began = time.monotonic()
    while not is_free(connection, schema):
        stored = stored_fence(connection)
        if stored > fence:
            raise _fenced(stored, fence)
        patience = LET_GO_SECONDS if stored == fence else TAKE_OVER_SECONDS_MAX
        if time.monotonic() > began + patience:
            raise StoreInUse(f"{schema} is in use by another process")
        connection.execute(_END_EARLIER, (fence,))
        time.sleep(_LOOK_AGAIN_SECONDS)
    with connection.transaction():
        stored = stored_fence(connection, b" FOR UPDATE")
        if stored > fence:
            raise _fenced(stored, fence)
        connection.execute(_ENTER, (fence,))


def stored_fence(connection: Connection, lock: bytes = b"") -> int:
    """The highest number that ever owned the instance of the search path."""
    return int(str(_first(connection, b"SELECT fence FROM owner" + lock)))


def disown(connection: Connection) -> None:
    """Let go at once: the server notices the end of a connection a moment later than who opens the next one."""
    connection.execute(b"SELECT pg_advisory_unlock_all()")


def _fenced(stored: int, fence: FencingNumber) -> StoreFenced:
    return StoreFenced(f"the owner with the number {stored} has it, not the one with {fence}")


def _first(connection: Connection, query: bytes, *parameters: object) -> object:
    row = connection.execute(query, parameters).fetchone()
    return None if row is None else row[0]
