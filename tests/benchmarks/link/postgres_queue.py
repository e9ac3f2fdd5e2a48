"""Queues as tables of PostgreSQL: outbox at A, inbox at B, taken from with SKIP LOCKED, announced by NOTIFY."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus

_ANNOUNCING: Final[LiteralString] = """
CREATE FUNCTION announce() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_notify('came', ''); RETURN NULL; END $$;
CREATE TRIGGER announce AFTER INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION announce();
"""
OUTBOX: Final[LiteralString] = """
CREATE TABLE outbox (id bigserial PRIMARY KEY, body bytea NOT NULL);
""" + _ANNOUNCING.format(table="outbox")
INBOX: Final[LiteralString] = """
CREATE TABLE inbox (id bigint PRIMARY KEY, body bytea NOT NULL);
CREATE TABLE watermark (last bigint NOT NULL);
INSERT INTO watermark VALUES (0);
""" + _ANNOUNCING.format(table="inbox")
_TAKE: Final[dict[str, LiteralString]] = {
    table: (
        f"DELETE FROM {table} USING (SELECT id FROM {table} ORDER BY id FOR UPDATE SKIP LOCKED LIMIT %s) AS first"
        f" WHERE {table}.id = first.id RETURNING {table}.id, body"
    )
    for table in ("outbox", "inbox")
}
_COPY_HEAD: Final = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_COPY_END: Final = struct.pack(">h", -1)
_ONE_FIELD: Final = struct.Struct(">hi")
_TWO_FIELDS: Final = struct.Struct(">hiqi")


def connect(dsn: str) -> psycopg.Connection[Any]:
    """A connection whose statements are transactions of their own unless one is begun."""
    return psycopg.connect(dsn, autocommit=True)


def bodies_for_copy(bodies: Sequence[bytes]) -> bytes:
    """Rows of one column in the binary format of COPY."""
    rows = b"".join(_ONE_FIELD.pack(1, len(body)) + body for body in bodies)
    return _COPY_HEAD + rows + _COPY_END


def rows_for_copy(rows: Sequence[tuple[int, bytes]]) -> bytes:
    """Rows of number and body in the binary format of COPY."""
    packed = b"".join(_TWO_FIELDS.pack(2, 8, number, len(body)) + body for number, body in rows)
    return _COPY_HEAD + packed + _COPY_END


class TableQueue:
    """Takes the first rows of a table; they are gone when `commit` is called, and back when the connection ends."""

    def __init__(self, dsn: str, table: str, batch: int) -> None:
        self.connection = connect(dsn)
        for choice in ("seqscan", "hashjoin", "mergejoin"):
            # A table that is empty when the statement is planned would be read whole from then on.
            self.connection.execute(sql.SQL("SET {} = off").format(sql.Identifier(f"enable_{choice}")))
        self._batch = batch
        self._take = _TAKE[table]
        self.connection.execute("LISTEN came")

    def take(self, seconds_max: float) -> list[tuple[int, bytes]]:
        """At most a batch of rows in the order of their numbers; waits for the first, empty when the time is over."""
        deadline = time.monotonic() + seconds_max
        while not (rows := self._take_now()) and (left := deadline - time.monotonic()) > 0:
            # It may tell of rows that were taken already.
            for _ in self.connection.notifies(timeout=left, stop_after=1):
                pass
        return rows

    def _take_now(self) -> list[tuple[int, bytes]]:
        self.connection.execute("BEGIN")
        rows = self.connection.execute(self._take, (self._batch,), binary=True).fetchall()
        if not rows:
            self.connection.execute("COMMIT")
        # RETURNING promises no order.
        return sorted(rows)

    def commit(self) -> None:
        """What was taken is gone for good."""
        if self.connection.info.transaction_status is TransactionStatus.INTRANS:
            self.connection.execute("COMMIT")
