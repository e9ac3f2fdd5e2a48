"""`SqliteScratchTables`: tables in memory for one session, and SELECTs over them. Nothing is ever on a disk.

Names that stand in double quotes are names and never texts, whatever SQLite would make of them; functions and
collations are given by whoever asks. What a statement may do is bounded by steps, rows and bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import apsw
import msgspec

StoredValue = None | int | float | str | bytes
"""What a cell holds."""

STEPS_BETWEEN_LOOKS: Final = 100_000
"""Instructions of SQLite's machine between two looks at how many there were."""

VALUE_BYTES_MAX: Final = 64 * 1024 * 1024
"""Largest text or binary value that an expression may come to."""


class ScratchColumn(msgspec.Struct, frozen=True):
    """A column: its name, its declaration, and how its texts are compared."""

    name: str
    declared: str
    """A type in the words of whoever asks; what it contains decides how SQLite keeps values (its column affinity)."""
    collation: str = "BINARY"
    default: str = ""
    """What it has where nothing is given, in SQLite's words; nothing for NULL."""
    is_required: bool = False


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How much one statement may do."""

    steps: int
    """Instructions of SQLite's machine."""
    rows: int
    bytes: int
    """Of texts and binary values in the rows."""


class ScratchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement answers."""

    rows: list[tuple[StoredValue, ...]]
    changed: int
    """Rows written or deleted."""


class ScratchRefused(Exception):
    """SQLite refuses a statement; the text is its own, in English."""


class ScratchExhausted(Exception):
    """A statement met one of its bounds."""

    def __init__(self, bound: str, limit: int) -> None:
        super().__init__(bound, limit)
        self.bound = bound
        """`steps`, `rows` or `bytes`."""
        self.limit = limit


class ScratchConflict(Exception):
    """A table does not take a row: a column is NULL that must not be, or a key is there already."""

    def __init__(self, table: str, column: str | None) -> None:
        super().__init__(table, column)
        self.table = table
        self.column = column
        """The column that must not be NULL; None for a key."""


class Aggregate(Protocol):
    """A value that is made of many rows."""

    def step(self, *values: StoredValue) -> None:
        """One row."""
        ...

    def final(self) -> StoredValue:
        """The value of all of them."""
        ...


class SqliteScratchTables:
    """Tables of one session."""

    def __init__(
        self,
        functions: Mapping[str, Callable[..., StoredValue]],
        collations: Mapping[str, Callable[[str, str], int]],
        aggregates: Mapping[str, Callable[[], Aggregate]],
        bounds: Bounds,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        """`functions` take any number of values; what they raise comes out of `run` as it is.

        So does what `watch` raises, which is called every so often while a statement runs and ends it.
        """
        self._bounds = bounds
        self._watch = watch
        self._connection = apsw.Connection(":memory:")
        self._connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        self._connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
        self._connection.limit(apsw.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
        for name, function in functions.items():
            self._connection.create_scalar_function(name, function)
        for name, make in aggregates.items():
            self._connection.create_aggregate_function(name, _aggregate(make))
        for name, compare in collations.items():
            self._connection.create_collation(name, compare)
        self._keys: dict[str, list[tuple[str, str]]] = {}
        """Names of the unique indexes of each table that has some, with the statements that make them."""
        self._steps = 0
        self._connection.set_progress_handler(self._look, STEPS_BETWEEN_LOOKS)

    def _look(self) -> bool:
        """Whether what runs has run long enough."""
        self._watch()
        self._steps += STEPS_BETWEEN_LOOKS
        return self._steps > self._bounds.steps

    def define(
        self,
        name: str,
        columns: Sequence[ScratchColumn],
        rows: Iterable[Sequence[StoredValue]],
        keys: Sequence[Sequence[str]] = (),
    ) -> None:
        """A table with its rows, in the place of one of that name; each of its keys, some columns, is there once."""
        self.drop(name)
        self._connection.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(map(_declared, columns))})")
        collations = {column.name.casefold(): column.collation for column in columns}
        self._keys[name] = [_index(f"{name}:{number}", name, key, collations) for number, key in enumerate(keys)]
        for _, made in self._keys[name]:
            self._connection.execute(made)
        self.extend(name, rows)

    def extend(self, name: str, rows: Iterable[Sequence[StoredValue]], columns: Sequence[str] = ()) -> None:
        """Add rows to a table; without names the values are those of all columns. Raises `ScratchConflict`."""
        self._steps = 0
        named = f" ({', '.join(map(_quoted, columns))})" if columns else ""
        try:
            with self._connection:
                for row in rows:
                    marks = ", ".join("?" * len(row))
                    self._connection.execute(
                        f"INSERT INTO {_quoted(name)}{named} VALUES ({marks})",  # noqa: S608
                        tuple(row),
                    )
        except apsw.ConstraintError as error:
            raise _conflict(str(error)) from None

    def drop(self, name: str) -> None:
        """Harmless when there is no such table."""
        self._connection.execute(f"DROP TABLE IF EXISTS {_quoted(name)}")
        self._keys.pop(name, None)

    def _rekey(self, sql: str, parameters: Mapping[str, StoredValue], table: str) -> apsw.Cursor:
        """A statement after which the keys of a table must hold, and not row by row as SQLite looks at them."""
        with self._connection:
            for index, _ in self._keys[table]:
                self._connection.execute(f"DROP INDEX {_quoted(index)}")
            cursor = self._connection.execute(sql, dict(parameters))
            for _, made in self._keys[table]:
                self._connection.execute(made)
        return cursor

    def run(self, sql: str, parameters: Mapping[str, StoredValue], rekeyed: str = "") -> ScratchAnswer:
        """One statement in SQLite's words, with values for its `:names`; `rekeyed` is the table whose keys it changes.

        Raises `ScratchRefused`, `ScratchExhausted`, `ScratchConflict`, and whatever a function raises.
        """
        self._steps = 0
        before = self._connection.total_changes()
        try:
            if rekeyed:
                cursor = self._rekey(sql, parameters, rekeyed)
            else:
                cursor = self._connection.execute(sql, dict(parameters))
            rows = self._rows(cursor)
        except apsw.ConstraintError as error:
            raise _conflict(str(error)) from None
        except apsw.InterruptError:
            raise ScratchExhausted("steps", self._bounds.steps) from None
        except apsw.TooBigError:
            raise ScratchExhausted("bytes", VALUE_BYTES_MAX) from None
        except apsw.NoMemError:
            raise ScratchExhausted("bytes", VALUE_BYTES_MAX) from None
        except (apsw.Error, apsw.BindingsError, OverflowError) as error:
            raise ScratchRefused(str(error)) from None
        return ScratchAnswer(rows=rows, changed=self._connection.total_changes() - before)

    def _rows(self, cursor: apsw.Cursor) -> list[tuple[StoredValue, ...]]:
        rows: list[tuple[StoredValue, ...]] = []
        size = 0
        for row in cursor:
            if len(rows) >= self._bounds.rows:
                raise ScratchExhausted("rows", self._bounds.rows)
            rows.append(row)
            size += sum([len(cell) for cell in row if isinstance(cell, str | bytes)])
            if size > self._bounds.bytes:
                raise ScratchExhausted("bytes", self._bounds.bytes)
        return rows

    def close(self) -> None:
        """All tables are gone. Harmless when closed."""
        self._connection.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _declared(column: ScratchColumn) -> str:
    required = " NOT NULL" if column.is_required else ""
    default = f" DEFAULT {column.default}" if column.default else ""
    return f"{_quoted(column.name)} {column.declared} COLLATE {column.collation}{required}{default}"


def _index(index: str, table: str, key: Sequence[str], collations: Mapping[str, str]) -> tuple[str, str]:
    """A unique index, for which NULL equals NULL, with the statement that makes it."""
    parts = [
        f"{_quoted(each)} IS NULL, ifnull({_quoted(each)}, 0) COLLATE {collations[each.casefold()]}" for each in key
    ]
    return index, f"CREATE UNIQUE INDEX {_quoted(index)} ON {_quoted(table)} ({', '.join(parts)})"


def _conflict(text: str) -> ScratchConflict:
    """SQLite's words, `UNIQUE constraint failed: index 't:0'` or `NOT NULL constraint failed: t.column`."""
    what = text.partition(": ")[2]
    if text.startswith("NOT NULL"):
        table, _, column = what.partition(".")
        return ScratchConflict(table, column)
    return ScratchConflict(what.removeprefix("index '").rpartition(":")[0], None)


def _aggregate(make: Callable[[], Aggregate]) -> Callable[[], Any]:
    return lambda: (make(), lambda each, *values: each.step(*values), lambda each: each.final())
