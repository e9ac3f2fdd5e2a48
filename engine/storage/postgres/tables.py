"""Tables of rows as statements that take any number of them. The columns are the fields of the rows' structs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Generic

import msgspec

from engine.storage.postgres.arrays import PackedArray, Texts, array_of
from engine.storage.records import DEPARTED, ENDPOINTS, QUEUES, TRANSMISSION, Row, RowTable

STATEMENT_BYTES: Final = 8 * 1024 * 1024
"""Bodies of one statement; beyond that the next rows go into another one, since a value ends at a gigabyte."""

Statement = tuple[bytes, tuple[object, ...]]
"""SQL with its parameters."""


class ArrayTable(Generic[Row]):
    """How rows of one kind are written, in as few statements as their bodies allow."""

    def __init__(self, table: RowTable[Row], body: str = "", replace_by: tuple[str, ...] = ()) -> None:
        """`body` is the field that may be large; `replace_by` is the key of an upsert, if it is one."""
        self._table = table
        names = [column.split(".") for column in table.columns.split(", ")]
        name, columns = names[0][0], [column for _, column in names]
        fields = msgspec.structs.fields(table.row)
        owners = len(columns) - len(fields)
        self._arrays: Final[tuple[type[PackedArray], ...]] = (
            *(Texts for _ in range(owners)),
            *(array_of(field.type) for field in fields),
        )
        self._body: Final = columns.index(body) if body else None
        marks = ", ".join("%b" for _ in columns)
        insert = f"INSERT INTO {name} ({', '.join(columns)}) SELECT * FROM unnest({marks})"  # noqa: S608
        if replace_by:
            settings = ", ".join(f"{each} = excluded.{each}" for each in columns if each not in replace_by)
            insert += f" ON CONFLICT ({', '.join(replace_by)}) DO UPDATE SET {settings}"
        self._insert: Final = insert.encode()

    def insert(self, rows: Iterable[tuple[tuple[str, ...], Row]]) -> Iterator[Statement]:
        """Statements that write rows, each with its owner, in their order."""
        for records in self._portions([self._table.record(owner, row) for owner, row in rows]):
            columns = zip(*records, strict=True)
            arrays = (array.of(column) for array, column in zip(self._arrays, columns, strict=True))
            yield self._insert, tuple(arrays)

    def _portions(self, records: list[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
        if self._body is None or sum(len(record[self._body] or b"") for record in records) <= STATEMENT_BYTES:
            yield records
            return
        portion: list[tuple[Any, ...]] = []
        size = 0
        for record in records:
            body = len(record[self._body] or b"")
            if portion and size + body > STATEMENT_BYTES:
                yield portion
                portion, size = [], 0
            portion.append(record)
            size += body
        yield portion


ENDPOINT_ROWS: Final = ArrayTable(ENDPOINTS, replace_by=("conversation_handle", "database_name"))
TRANSMISSION_ROWS: Final = ArrayTable(TRANSMISSION, body="message_body")
QUEUE_ROWS: Final = ArrayTable(QUEUES, body="message_body")
DEPARTED_ROWS: Final = ArrayTable(DEPARTED, replace_by=("conversation_id", "is_initiator", "database_name"))
