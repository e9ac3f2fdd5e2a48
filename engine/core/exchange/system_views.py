"""Queries of system views and what they answer: columns with SQL types, and rows of cells (views.md 1, 2, 6)."""

from __future__ import annotations

from uuid import UUID

import msgspec

from engine.core.vocabulary.identifiers import DatabaseName, TransactionId

Cell = None | bool | int | float | str | bytes | UUID
"""One value. Its Python type follows from the SQL type of its column: see `python_type`; NULL is None."""

_PYTHON_TYPES: dict[str, type] = {
    "uniqueidentifier": UUID,
    "bit": bool,
    "tinyint": int,
    "smallint": int,
    "int": int,
    "bigint": int,
    "datetime": float,
    "binary": bytes,
    "varbinary": bytes,
    "sysname": str,
    "char": str,
    "nchar": str,
    "nvarchar": str,
    # What no system view has, and expressions of the console have.
    "varchar": str,
    "text": str,
    "ntext": str,
    "xml": str,
    "image": bytes,
    "datetime2": float,
    "smalldatetime": float,
    "datetimeoffset": float,
    "date": float,
    "time": float,
    "float": float,
    "real": float,
    "decimal": float,
    "numeric": float,
    "money": float,
    "smallmoney": float,
}


class ViewColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column as the vendor declares it."""

    name: str
    type: str
    """SQL type with its length, for instance `nvarchar(256)`."""
    nullable: bool


class ColumnFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Rows in which a column holds a value: `value` as text of the column's type, None for IS NULL.

    A uniqueidentifier in any letter case, a bit as 0 or 1, a datetime in ISO 8601 and UTC, binary as 0x and digits.
    Texts are compared letter by letter but for blanks at their end, and broker ids in any letter case.
    """

    column: str
    value: str | None


class SystemViewQuery(msgspec.Struct, frozen=True, kw_only=True):
    """SELECT `columns` FROM `view` WHERE every filter holds, from the row at `offset` on, at most `rows_max` rows."""

    view: str
    """Name of a system view with its schema, or of a queue of the database, which is then read as a table."""
    database: DatabaseName | None = None
    """Who asks; None is master, where a session begins."""
    columns: tuple[str, ...] = ()
    """In this order; none are all of the view's."""
    filters: tuple[ColumnFilter, ...] = ()
    offset: int = 0
    """0, or `next_offset` of the page before. It counts rows before the filters, or, of conversations and their groups,
    is a place that stays whatever is dropped meanwhile."""
    rows_max: int = 100
    opens: bool = False
    """Whether the database has to be open, as a session needs it: views of the database and queues of one that is
    off-line are then refused with 942, those of a mirror copy with 954. Who only looks on sees them all the same."""
    transaction: TransactionId | None = None
    """The open transaction that reads: it sees what its own statements have done. None reads what is committed."""


class SystemViewRows(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a query, its cells in the order of `columns`."""

    view: str
    columns: tuple[ViewColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    next_offset: int | None
    """Where to go on reading; None when this page reaches the end of the view."""


def python_type(sql_type: str) -> type:
    """The Python type of the cells of an SQL type; a moment is seconds since 1970, UTC. `KeyError` if unknown."""
    return _PYTHON_TYPES[sql_type.partition("(")[0]]
