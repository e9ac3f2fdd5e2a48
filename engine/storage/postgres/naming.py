"""Which schema belongs to which instance, and in which version it is: a readable name, and a comment that knows.

The name of a schema has 63 bytes at most, less than two names may have. So it is made of what can be read of them and a
hash of both, and the comment on the schema holds them in full: it says whose it is, also after a dump and a restore.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

import msgspec
from psycopg import sql

from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.storage.errors import StoreFailed
from engine.storage.postgres.connection import Connection

PREFIX: Final = "broker_"
_READABLE_CHARACTERS: Final = 23

_MARKED: Final = b"""
SELECT nspname, obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE starts_with(nspname::text, %b::text)
ORDER BY nspname
"""


class SchemaMark(msgspec.Struct, frozen=True, tag="brokerweb instance"):
    """The comment on a schema, as JSON."""

    estate: EstateName
    instance: InstanceName
    version: int


def schema_name(estate: EstateName, instance: InstanceName) -> str:
    """The schema of an instance: at most 63 bytes, another one for every other instance."""
    readable = re.sub(r"[^a-z0-9]+", "_", f"{estate}_{instance}".lower())[:_READABLE_CHARACTERS].strip("_")
    names = msgspec.msgpack.encode((estate, instance))
    return f"{PREFIX}{readable}_{blake2b(names, digest_size=16).hexdigest()}"


def read_mark(connection: Connection, schema: str) -> SchemaMark | None:
    """Whose a schema is; None when there is no such schema. `StoreFailed` for one of another program."""
    found = connection.execute(
        b"SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %b", (schema,)
    ).fetchone()
    if found is None:
        return None
    mark = _decoded(found[0])
    if mark is None:
        raise StoreFailed(f"the schema {schema} is not the store of an instance")
    return mark


def write_mark(connection: Connection, schema: str, mark: SchemaMark) -> None:
    """Say whose a schema is; part of the caller's transaction."""
    # Letters beyond ASCII travel as they are, NUL does not: JSON escapes it.
    comment = msgspec.json.encode(mark).decode()
    connection.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(sql.Identifier(schema), sql.Literal(comment)))


def marked(connection: Connection) -> Iterator[SchemaMark]:
    """Every instance that has a schema, by the names of the schemas; foreign ones are left out."""
    for _, comment in connection.execute(_MARKED, (PREFIX,)).fetchall():
        mark = _decoded(comment)
        if mark is not None:
            yield mark


def _decoded(comment: str | None) -> SchemaMark | None:
    try:
        return None if comment is None else msgspec.json.decode(comment, type=SchemaMark)
    except msgspec.MsgspecError:
        return None
