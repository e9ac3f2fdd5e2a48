"""`PostgresDirectory`: which instances have schemas in a database, and their end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import psycopg

from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.storage.errors import StoreFailed, StoreInUse
from engine.storage.postgres.connection import Connection, check_url, connect, words_of_the_server
from engine.storage.postgres.naming import SchemaMark, marked, read_mark, schema_name
from engine.storage.postgres.ownership import disown, is_free

T = TypeVar("T")


class PostgresDirectory:
    """Keeps one connection and opens it anew when it was lost. Raises `StoreFailed` when the server cannot be asked."""

    def __init__(self, url: str) -> None:
        """`StoreFailed` for what is no address; the server is asked later."""
        check_url(url)
        self._url = url
        self._connection: Connection | None = None

    def marks(self) -> Sequence[SchemaMark]:
        """Every instance that has a schema."""
        return self._ask(lambda connection: list(marked(connection)))

    def exists(self, estate: EstateName, instance: InstanceName) -> bool:
        """Whether an instance has a schema."""
        return self._ask(lambda connection: read_mark(connection, schema_name(estate, instance))) is not None

    def note(self, estate: EstateName, instance: InstanceName, key: str) -> str | None:
        """What the host has written under `key`, without opening the store; None also where there is none."""
        query = f'SELECT value FROM "{schema_name(estate, instance)}".notes WHERE key = %b'.encode()  # noqa: S608

        def ask(connection: Connection) -> str | None:
            try:
                row = connection.execute(query, (key,)).fetchone()
            except psycopg.errors.UndefinedTable:
                return None
            return None if row is None else str(row[0])

        return self._ask(ask)

    def delete(self, estate: EstateName, instance: InstanceName) -> None:
        """Delete the schema of an instance; harmless when there is none. `StoreInUse` when somebody has it open."""
        schema = schema_name(estate, instance)

        def drop(connection: Connection) -> None:
            if read_mark(connection, schema) is None:
                return
            if not is_free(connection, schema):
                raise StoreInUse(f"{schema} is in use by another process")
            try:
                connection.execute(f'DROP SCHEMA "{schema}" CASCADE'.encode())
            finally:
                disown(connection)

        self._ask(drop)

    def close(self) -> None:
        """Let go of the connection; harmless when there is none."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, question: Callable[[Connection], T]) -> T:
        known = self._connection
        if known is not None:
            try:
                with words_of_the_server():
                    return question(known)
            except StoreFailed:
                if not known.broken:
                    raise
                # The server was restarted since: what has it to say now?
        self._connection = connect(self._url)
        with words_of_the_server():
            return question(self._connection)
