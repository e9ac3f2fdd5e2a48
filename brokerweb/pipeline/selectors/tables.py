"""Tables of runs: Parquet files, read with DuckDB page by page. No name that a stranger has sent becomes a part of SQL.

Names of tables are looked up in what the run has written, names of columns in the table; values are parameters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest, ObjectNotFound
from brokerweb.common.pipeline_errors import ResultTooCostly, RunHasNoTables
from brokerweb.pipeline.folders import result_folder
from brokerweb.pipeline.models import PipelineRun
from brokerweb.pipeline.selectors.reading import reader
from brokerweb.pipeline.selectors.runs import run_of

ROWS_MAX: Final = 1_000
"""Rows of a page."""
SORTED_MAX: Final = 100_000
"""Rows of a sorted table that can be turned over: for each page all in front of it are sorted again."""
EXACT_MAX: Final = 2**53 - 1
"""The largest whole number that JavaScript keeps exactly; larger ones travel as text."""
_LARGEST: Final = 2**63 - 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column: `type` is text, integer, number, boolean, time or list."""

    name: str
    type: str

    @property
    def quoted(self) -> str:
        return '"' + self.name.replace('"', '""') + '"'

    @property
    def shown(self) -> str:
        """As it is read: instants as microseconds since 1970, whatever their time zone."""
        return f"epoch_us({self.quoted})" if self.type == "time" else self.quoted


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of a run that is done."""

    job: str
    name: str
    rows: int
    columns: tuple[ResultColumn, ...]
    files: str
    """The pattern of its files, for DuckDB."""

    def column(self, name: str, pointer: str) -> ResultColumn:
        """The column; `MalformedRequest` when there is none of that name."""
        for each in self.columns:
            if each.name == name:
                return each
        raise MalformedRequest(
            _("Table {table} has no column {name}.").format(table=self.name, name=name),
            cure=_("Choose one of {names}.").format(names=", ".join(each.name for each in self.columns)),
            pointer=pointer,
        )


Filters = Sequence[tuple[str, str]]
"""Columns, and what must stand in them."""


def result_table(estate_name: str, run_id: UUID, name: str) -> ResultTable:
    """A table of a run. Raises `ObjectNotFound`, `RunHasNoTables`, `ResultUnreadable`."""
    row = run_of(estate_name, run_id)
    return table_of(row, name)


def table_of(row: PipelineRun, name: str) -> ResultTable:
    """As `result_table`, of a run that is known."""
    if not row.tables:
        raise RunHasNoTables(_("Run {run_id} has no tables.").format(run_id=row.pk))
    written = row.tables.get(name)
    if written is None:
        raise ObjectNotFound(
            _("Run {run_id} has no table {name}.").format(run_id=row.pk, name=name),
            why=_("A {job} writes other ones.").format(job=row.job),
            cure=_("Choose one of {names}.").format(names=", ".join(row.tables)),
        )
    folder = result_folder(row.pk) / name
    if not any(folder.glob("*.parquet")):
        raise RunHasNoTables(_("The files of run {run_id} are gone.").format(run_id=row.pk))
    files = pattern_of(folder)
    with reader() as connection:
        found = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [files]).fetchall()
    columns = tuple(ResultColumn(each[0], _type_of(each[1])) for each in found)
    return ResultTable(row.job, name, written["rows"], columns, files)


def pattern_of(folder: Path) -> str:
    """The files of a folder as DuckDB is told them; the path itself may hold what a pattern means."""
    escaped = "".join(f"[{each}]" if each in "*?[" else each for each in str(folder))
    return f"{escaped}/*.parquet"


def _type_of(duck: str) -> str:
    if duck.endswith("]") or duck.startswith(("STRUCT", "MAP")):
        return "list"
    if duck.startswith(("TIMESTAMP", "DATE")):
        return "time"
    if duck in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"):
        return "integer"
    if duck in ("FLOAT", "DOUBLE") or duck.startswith("DECIMAL"):
        return "number"
    return "boolean" if duck == "BOOLEAN" else "text"


def table_page(
    table: ResultTable, *, offset: int, limit: int, sort: str, descending: bool, where: Filters
) -> dict[str, Any]:
    """Rows of a table, filtered, sorted, and how many the filters leave. Rows that are equal keep their order.

    Raises `MalformedRequest`, `ResultUnreadable`, and `ResultTooCostly` for what takes too much, and beyond
    `SORTED_MAX` rows of a sorted table.
    """
    order = table.column(sort, "/sort") if sort else None
    if order is not None and offset + limit > SORTED_MAX:
        raise ResultTooCostly(
            _("Only the first {count} rows of a sorted table can be turned over.").format(count=SORTED_MAX),
            why=_("All rows in front of a page are sorted again for it."),
        )
    condition, values = conditions(table, where)
    with reader() as connection:
        total = table.rows
        if condition:
            counted = connection.execute(f"SELECT count(*) FROM read_parquet(?){condition}", [table.files, *values])  # noqa: S608
            total = (counted.fetchone() or (0,))[0]
        found = connection.execute(
            f"SELECT {_shown(table)} FROM read_parquet(?{_places(order)})"  # noqa: S608
            f"{condition}{_order(order, descending)} LIMIT ? OFFSET ?",
            [table.files, *values, limit, offset],
        ).fetchall()
    return {
        "columns": [{"name": each.name, "type": each.type} for each in table.columns],
        "rows": [cells(table.columns, row) for row in found],
        "total": total,
    }


def table_rows(table: ResultTable) -> Iterator[list[Any]]:
    """Every row, a batch at a time: they need not fit into memory."""
    with reader(seconds=None) as connection:
        found = connection.execute(f"SELECT {_shown(table)} FROM read_parquet(?)", [table.files])  # noqa: S608
        while batch := found.fetchmany(ROWS_MAX):
            for row in batch:
                yield cells(table.columns, row)


def write_parquet(table: ResultTable, target: Path) -> None:
    """All files of a table as one."""
    with reader(seconds=None) as connection:
        # A path cannot be a parameter here.
        quoted = str(target).replace("'", "''")
        connection.execute(
            f"COPY (SELECT * FROM read_parquet(?)) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)",  # noqa: S608
            [table.files],
        )


def _shown(table: ResultTable) -> str:
    return ", ".join(each.shown for each in table.columns)


def _places(order: ResultColumn | None) -> str:
    return "" if order is None else ", filename = true, file_row_number = true"


def _order(order: ResultColumn | None, descending: bool) -> str:
    if order is None:
        # Files are read by their names, and rows as they stand there, which DuckDB keeps: nothing has to be sorted.
        return ""
    # Where a row stands in its files is what tells equal ones apart, so that no page has one of another again.
    return f" ORDER BY {order.quoted} {'DESC' if descending else 'ASC'} NULLS LAST, filename, file_row_number"


def conditions(table: ResultTable, where: Filters, without: Filters = ()) -> tuple[str, list[Any]]:
    """The filters as SQL with its parameters; rows of which one of `without` is true are left out.

    Raises `MalformedRequest` for a value that is none of its column's type.
    """
    parts: list[str] = []
    values: list[Any] = []
    for pointer, filters, negated in (("/where", where, ""), ("/without", without, " IS NOT TRUE")):
        for name, text in filters:
            condition, value = _condition(table.column(name, pointer), text, pointer)
            parts.append(f"({condition}){negated}")
            values += value
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values


def _condition(column: ResultColumn, text: str, pointer: str) -> tuple[str, list[Any]]:
    if text == "":
        empty = f"{column.quoted} IS NULL"
        return (f"{empty} OR {column.quoted} = ''" if column.type == "text" else empty), []
    return f"{column.shown} = ?", [_value(column, text, pointer)]


def _value(column: ResultColumn, text: str, pointer: str) -> Any:
    try:
        match column.type:
            case "text":
                return text
            case "integer":
                return _bounded(int(text))
            case "number":
                return float(text)
            case "boolean":
                return {"true": True, "false": False}[text.lower()]
            case "time":
                return _microseconds(datetime.fromisoformat(text))
    except (ValueError, KeyError, OverflowError):
        pass
    raise MalformedRequest(
        _("Column {name} cannot be compared with {value}.").format(name=column.name, value=text),
        why=_("It is of the type {type}.").format(type=column.type),
        cure=_("Filter by a value as the table shows it; lists cannot be filtered by."),
        pointer=pointer,
    )


def _bounded(number: int) -> int:
    if abs(number) > _LARGEST:
        raise OverflowError
    return number


def _microseconds(at: datetime) -> int:
    in_utc = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return (in_utc - _EPOCH) // timedelta(microseconds=1)


def cells(columns: Sequence[ResultColumn], row: Sequence[Any]) -> list[Any]:
    """A row as JSON has it."""
    return [
        _instant(value) if column.type == "time" else cell(value) for column, value in zip(columns, row, strict=True)
    ]


def _instant(microseconds: int | None) -> str | None:
    if microseconds is None:
        return None
    at = _EPOCH + timedelta(microseconds=microseconds)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def cell(value: Any) -> Any:
    """A value as JSON and JavaScript have it: whole numbers that a browser would round are texts."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return value if abs(value) <= EXACT_MAX else str(value)
        case float():
            return value if math.isfinite(value) else None
        case list() | tuple():
            return [cell(each) for each in value]
        case dict():
            return {name: cell(each) for name, each in value.items()}
        case datetime() | date():
            return value.isoformat()
        case bytes():
            return value.hex()
        case _:
            # Decimals keep their digits.
            return str(value)
