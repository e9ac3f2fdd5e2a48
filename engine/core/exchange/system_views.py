"""What a query of a system view answers: columns with their SQL types, and rows of cells (views.md 1, 2, 6)."""

from __future__ import annotations

from uuid import UUID

import msgspec

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
}


class ViewColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column as the vendor declares it."""

    name: str
    type: str
    """SQL type with its length, for instance `nvarchar(256)`."""
    nullable: bool


class SystemViewRows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one query, in the order of `columns`; `left_out` more exist that a bound kept back."""

    view: str
    columns: tuple[ViewColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    left_out: int


def python_type(sql_type: str) -> type:
    """The Python type of the cells of an SQL type; a datetime is seconds since 1970, UTC. `KeyError` if unknown."""
    return _PYTHON_TYPES[sql_type.partition("(")[0]]
