"""`SqliteScratchTables`: tables in memory for one session, and SELECTs over them. Nothing is ever on a disk.

Names that stand in double quotes are names and never texts, whatever SQLite would make of them; functions and
collations are given by whoever asks. What a statement may do is bounded by steps, rows and bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol

import apsw
import msgspec

from engine.storage.scratch_memory import MEMORY, ScratchExhausted, ScratchMemory, value_bytes

StoredValue = None | int | float | str | bytes
"""What a cell holds."""

STEPS_BETWEEN_LOOKS: Final = 10_000
"""Instructions of SQLite's machine between two looks at what they have come to, as long as all values are small."""
COPIED_BYTES_MAX: Final = 512 * 1024 * 1024
"""Where there are large values, so many looks are taken that a copy of one in each instruction comes to no more. It
takes ten instructions or so to copy one."""
WRITING_STEPS: Final = 64
"""Instructions between two looks while something is written: that is not begun again when a large value appears."""
LARGE_BYTES: Final = 64 * 1024
VALUE_BYTES_MAX: Final = 64 * 1024 * 1024
"""Largest text or binary value that an expression may come to."""
TABLES_BYTES_MAX: Final = 128 * 1024 * 1024
"""Of the tables of one session."""
CELL_BYTES: Final = 16
"""What a cell of an answer is counted with besides its text."""
_PAGE_BYTES: Final = 4096


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
    """Of the rows, texts and binary values with what a cell takes besides."""


class ScratchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement answers."""

    rows: list[tuple[StoredValue, ...]]
    changed: int
    """Rows written or deleted."""


class ScratchRefused(Exception):
    """SQLite refuses a statement; the text is its own, in English."""


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


class _LargerValue(Exception):
    """A value appears that is larger than a statement was ready for."""


class SqliteScratchTables:
    """Tables of one session."""

    def __init__(
        self,
        functions: Mapping[str, Callable[..., StoredValue]],
        collations: Mapping[str, Callable[[str, str], int]],
        aggregates: Mapping[str, Callable[[], Aggregate]],
        bounds: Bounds,
        watch: Callable[[], None] = lambda: None,
        memory: ScratchMemory = MEMORY,
    ) -> None:
        """`functions` take any number of values; what they raise comes out of `run` as it is.

        So does what `watch` raises, which is called before each of them and every so often while a statement runs,
        and ends it. No function may take long without calling it.
        """
        self._bounds = bounds
        self._watch = watch
        self._memory = memory
        self._connection = apsw.Connection(":memory:")
        self._connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        self._connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
        self._connection.limit(apsw.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
        # What sorts and joins need is in memory as well, where it is counted; what is dropped is given back.
        pages = TABLES_BYTES_MAX // _PAGE_BYTES
        self._connection.execute(
            f"PRAGMA temp_store = 2; PRAGMA auto_vacuum = 1; PRAGMA page_size = {_PAGE_BYTES};"
            f"PRAGMA max_page_count = {pages}"
        )
        for name, function in functions.items():
            self._connection.create_scalar_function(name, self._watched(function))
        for name, make in aggregates.items():
            self._connection.create_aggregate_function(name, _aggregate(make))
        for name, compare in collations.items():
            self._connection.create_collation(name, self._watched_comparison(compare))
        self._keys: dict[str, list[tuple[str, str]]] = {}
        """Names of the unique indexes of each table that has some, with the statements that make them."""
        self._steps = 0
        self._steps_at_once = 0
        self._largest = 0
        """Bytes of the largest value that there was."""
        self._is_writing = False
        self._look_every(STEPS_BETWEEN_LOOKS)

    def _look_every(self, steps: int) -> None:
        if steps != self._steps_at_once:
            self._steps_at_once = steps
            self._connection.set_progress_handler(self._look, steps)

    def _look(self) -> bool:
        """Whether what runs has run long enough."""
        self._watch()
        self._memory.check()
        self._steps += self._steps_at_once
        return self._steps > self._bounds.steps

    def _watched(self, function: Callable[..., StoredValue]) -> Callable[..., StoredValue]:
        def call(*values: StoredValue) -> StoredValue:
            self._watch()
            made = function(*values)
            if isinstance(made, str | bytes) and len(made) > LARGE_BYTES:
                self._memory.check()
                if len(made) > self._largest and not self._is_writing:
                    self._largest = 2 * len(made)
                    raise _LargerValue
            return made

        return call

    def _watched_comparison(self, compare: Callable[[str, str], int]) -> Callable[[str, str], int]:
        def call(one: str, other: str) -> int:
            self._watch()
            return compare(one, other)

        return call

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """For as long as there are to be tables, or values that are held."""
        largest = self._largest
        try:
            with self._memory.used():
                yield
        finally:
            self._largest = largest

    def hold(self, size: int) -> None:
        """So many bytes more, or fewer, are held beside the tables. Raises `ScratchExhausted`."""
        self._memory.hold(size)

    def define(
        self,
        name: str,
        columns: Sequence[ScratchColumn],
        rows: Iterable[Sequence[StoredValue]],
        keys: Sequence[Sequence[str]] = (),
    ) -> None:
        """A table with its rows, in the place of one of that name; each of its keys, some columns, is there once.

        Raises as `extend`.
        """
        self.drop(name)
        try:
            self._connection.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(map(_declared, columns))})")
            collations = {column.name.casefold(): column.collation for column in columns}
            self._keys[name] = [_index(f"{name}:{number}", name, key, collations) for number, key in enumerate(keys)]
            for _, made in self._keys[name]:
                self._connection.execute(made)
        except _REFUSALS as error:
            raise _in_our_words(error, self._bounds) from None
        self.extend(name, rows)

    def extend(self, name: str, rows: Iterable[Sequence[StoredValue]], columns: Sequence[str] = ()) -> None:
        """Add rows to a table; without names the values are those of all columns.

        Raises `ScratchConflict`, `ScratchExhausted`, and what reading the rows raises.
        """
        self._steps = 0
        named = f" ({', '.join(map(_quoted, columns))})" if columns else ""
        try:
            with self._whole():
                for row in rows:
                    self._notice(row)
                    marks = ", ".join("?" * len(row))
                    self._connection.execute(
                        f"INSERT INTO {_quoted(name)}{named} VALUES ({marks})",  # noqa: S608
                        tuple(row),
                    )
        except _REFUSALS as error:
            raise _in_our_words(error, self._bounds) from None

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """All that is done inside is done, or nothing."""
        self._connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            # Where there is no room left SQLite has taken everything back itself.
            if not self._connection.getautocommit():
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _notice(self, values: Iterable[StoredValue]) -> None:
        """Values that there are from now on."""
        self._watch()
        for value in values:
            if isinstance(value, str | bytes) and len(value) > self._largest:
                self._largest = len(value)

    def drop(self, name: str) -> None:
        """Harmless when there is no such table."""
        self._connection.execute(f"DROP TABLE IF EXISTS {_quoted(name)}")
        self._keys.pop(name, None)

    def _rekey(self, sql: str, parameters: Mapping[str, StoredValue], table: str) -> apsw.Cursor:
        """A statement after which the keys of a table must hold, and not row by row as SQLite looks at them."""
        with self._whole():
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
        self._notice(parameters.values())
        self._is_writing = sql.startswith(("INSERT", "UPDATE", "DELETE"))
        while True:
            # Nothing is looked at while a value is copied: the larger they are, the fewer copies between two looks.
            steps = min(STEPS_BETWEEN_LOOKS, max(COPIED_BYTES_MAX // max(self._largest, 1), 8))
            self._look_every(min(steps, WRITING_STEPS) if self._is_writing else steps)
            self._steps = 0
            before = self._connection.total_changes()
            try:
                if rekeyed:
                    cursor = self._rekey(sql, parameters, rekeyed)
                else:
                    cursor = self._connection.execute(sql, dict(parameters))
                rows = self._rows(cursor)
            except _LargerValue:
                continue
            except _REFUSALS as error:
                raise _in_our_words(error, self._bounds) from None
            return ScratchAnswer(rows=rows, changed=self._connection.total_changes() - before)

    def _rows(self, cursor: apsw.Cursor) -> list[tuple[StoredValue, ...]]:
        rows: list[tuple[StoredValue, ...]] = []
        size = 0
        try:
            for row in cursor:
                if len(rows) >= self._bounds.rows:
                    raise ScratchExhausted("rows", self._bounds.rows)
                rows.append(row)
                size += CELL_BYTES * len(row) + sum(map(value_bytes, row))
                if size > self._bounds.bytes:
                    raise ScratchExhausted("bytes", self._bounds.bytes)
        finally:
            # A statement that is not over keeps its tables from being dropped.
            cursor.close()
        return rows

    def close(self) -> None:
        """All tables are gone. Harmless when closed."""
        self._connection.close()


_REFUSALS: Final = (apsw.Error, apsw.BindingsError, OverflowError)


def _in_our_words(error: Exception, bounds: Bounds) -> Exception:
    """What SQLite refuses, as those who use the tables know it."""
    match error:
        case apsw.ConstraintError():
            return _conflict(str(error))
        case apsw.InterruptError():
            return ScratchExhausted("steps", bounds.steps)
        case apsw.FullError():
            return ScratchExhausted("bytes", TABLES_BYTES_MAX)
        case apsw.TooBigError() | apsw.NoMemError():
            return ScratchExhausted("bytes", VALUE_BYTES_MAX)
        case _:
            return ScratchRefused(str(error))


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
