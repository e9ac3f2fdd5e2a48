"""`Evaluator`: SELECTs and expressions of one session, run over tables in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from engine.core.exchange.system_views import Cell, ViewColumn
from engine.storage.scratch_memory import ScratchExhausted, value_bytes
from engine.storage.scratch_tables import Bounds, ScratchAnswer, ScratchConflict, ScratchRefused, SqliteScratchTables
from engine.tsql.console import operators
from engine.tsql.console.failing import NESTED_TOO_DEEPLY, TOO_MANY_STATEMENTS, TOO_MUCH, StatementFailed, failed
from engine.tsql.console.identities import Identities
from engine.tsql.console.left_to_right import Rest
from engine.tsql.console.program import Expression
from engine.tsql.console.querying import Query, compiled
from engine.tsql.console.scopes import CASELESS, Output
from engine.tsql.console.session_answers import SessionAnswers
from engine.tsql.console.sources import Sources, scratch_columns
from engine.tsql.console.texts import compare_caseless
from engine.tsql.console.types import SqlType
from engine.tsql.console.values import Value, convert, shown

BOUNDS: Final = Bounds(steps=200_000_000, rows=10_000, bytes=16 * 1024 * 1024)
"""What one SELECT may do and answer."""


VALUES_BYTES_MAX: Final = 64 * 1024 * 1024
"""Of the variables of one session."""
COMPILED_MAX: Final = 1000
"""Statements of a batch that are kept ready to run again."""


class Variable:
    """A variable with its value."""

    def __init__(
        self, declared: SqlType, value: Value = None, hold: Callable[[int], None] = lambda _size: None
    ) -> None:
        """`hold` is told how many bytes more a new value takes, or fewer, and refuses what is too much."""
        self.declared: Final = declared
        self._value = value
        self._hold = hold

    @property
    def value(self) -> Value:
        """The value; NULL before it is assigned."""
        return self._value

    @value.setter
    def value(self, value: Value) -> None:
        more = _bytes_of(value) - _bytes_of(self._value)
        if more != 0:
            self._hold(more)
        self._value = value


def _bytes_of(value: Value) -> int:
    return sys.getsizeof(value) if isinstance(value, str | bytes) else 0


class Answer(NamedTuple):
    """Rows as they are kept, with their columns."""

    outputs: tuple[Output, ...]
    rows: list[tuple[Value, ...]]
    changed: int

    @property
    def size(self) -> int:
        """Bytes of the texts and binary values in memory."""
        return sum([value_bytes(cell) for row in self.rows for cell in row])


class Evaluator:
    """Compiles each statement once for as long as the variables of its batch and the database stay."""

    def __init__(self, sources: Sources, answers: SessionAnswers, tables: SqliteScratchTables) -> None:
        self._sources = sources
        self._answers = answers
        self._tables = tables
        self._compiled: dict[tuple[int, str], tuple[Expression, Query]] = {}
        self._made = 0
        """How many table variables there were."""
        self._held = 0
        """Bytes of the variables of all batches."""
        self.variables: dict[str, Variable] = {}
        """Those of the batch that runs, by their names in small letters."""

    @contextmanager
    def batch(self) -> Iterator[None]:
        """A batch with variables of its own; those of the batch around it are there again afterwards."""
        around = self.variables, self._sources.variables, self._compiled
        self.variables, self._sources.variables, self._compiled = {}, {}, {}
        held = self._held
        try:
            with self._tables.in_use():
                yield
        finally:
            for stored_name, _ in self._sources.variables.values():
                self._tables.drop(stored_name)
            self.variables, self._sources.variables, self._compiled = around
            self._hold(held - self._held)

    def declare(self, name: str, declared: SqlType) -> None:
        """DECLARE @name; NULL."""
        self.variables[name] = Variable(declared, hold=self._hold)

    def _hold(self, size: int) -> None:
        """So many bytes of variables more, or fewer. Errors: 8657."""
        if size > 0 and self._held + size > VALUES_BYTES_MAX:
            raise failed(TOO_MUCH, expected=VALUES_BYTES_MAX)
        try:
            self._tables.hold(size)
        except ScratchExhausted as error:
            raise failed(TOO_MUCH, expected=error.limit) from None
        self._held += size

    @contextmanager
    def held(self, size: int, line: int) -> Iterator[None]:
        """So many bytes of an answer are held meanwhile. Errors: 8657."""
        try:
            self._tables.hold(size)
        except ScratchExhausted as error:
            raise _told(error, line) from None
        try:
            yield
        finally:
            self._tables.hold(-size)

    def forget(self) -> None:
        """Definitions have changed: names may mean something else."""
        self._compiled = {}

    def declare_table(self, name: str, columns: tuple[Output, ...], keys: Sequence[Sequence[str]] = ()) -> None:
        """DECLARE @name TABLE; an empty one."""
        known = self._sources.variables.get(name)
        if known is None:
            self._made += 1
        stored_name = f"@{self._made}" if known is None else known[0]
        self._sources.variables[name] = (stored_name, columns)
        try:
            self._tables.define(stored_name, scratch_columns(columns, stored_name), (), keys)
        except (ScratchExhausted, ScratchRefused) as error:
            raise _told(error) from None

    def table_columns(self, name: str) -> tuple[Output, ...] | None:
        """The columns of a table variable; None when there is none of that name."""
        found = self._sources.variables.get(name)
        return None if found is None else found[1]

    def compiled(self, text: Expression, database: str) -> Query:
        """A statement, ready to run."""
        key = (id(text), database)
        known = self._compiled.get(key)
        if known is not None:
            return known[1]
        declared = {name: variable.declared for name, variable in self.variables.items()}
        query = compiled(text.text, text.line, declared, self._sources.describe)
        if len(self._compiled) >= COMPILED_MAX:
            self._compiled.clear()
        self._compiled[key] = (text, query)
        return query

    def run(self, text: Expression, database: str) -> tuple[Query, Answer]:
        """A statement. Errors: all of `compiled`, 245 and its kin, 512, 8134, 8623, 8649, 8657."""
        query = self.compiled(text, database)
        parameters = self._bound(query.parameters)
        filled = [use for use in query.uses if use.parts is not None]
        try:
            for use in filled:
                columns = scratch_columns(self._sources.wanted(use))
                self._tables.define(use.stored_name, columns, self._sources.rows(use, parameters, text.line))
            answer = self._run(query.sql, parameters, query.rekeyed)
        except (ScratchExhausted, ScratchRefused) as error:
            raise _told(error, text.line) from None
        except StatementFailed as error:
            error.line = error.line or text.line
            raise
        finally:
            for use in filled:
                self._tables.drop(use.stored_name)
        return query, Answer(query.outputs, answer.rows, answer.changed)

    def _bound(self, parameters: Mapping[str, str]) -> dict[str, Value]:
        return {
            key: self._answers.global_value(name) if name.startswith("@@") else self.variables[name].value
            for key, name in parameters.items()
        }

    def rest(self, rest: Rest, row: Sequence[Value]) -> Value:
        """A column of a row that needs what the columns before it have assigned. Errors: as of `run`."""
        operands = {key: row[place] for key, place in rest.operands.items()}
        return self._run(rest.sql, {**self._bound(rest.parameters), **operands}).rows[0][0]

    def _run(self, sql: str, parameters: Mapping[str, Value], rekeyed: str = "") -> ScratchAnswer:
        try:
            return self._tables.run(sql, parameters, rekeyed)
        except ScratchConflict as conflict:
            raise self._refused(conflict) from None
        except (ScratchExhausted, ScratchRefused) as error:
            raise _told(error) from None

    def value(self, expression: Expression, database: str) -> tuple[Value, SqlType]:
        """An expression's value, with its type."""
        _, answer = self.run(expression.as_select(), database)
        return (answer.rows[0][0] if answer.rows else None), answer.outputs[0].type

    def value_as(self, expression: Expression, declared: SqlType, database: str) -> Value:
        """An expression's value as another type."""
        value, kind = self.value(expression, database)
        return self.converted(value, kind, declared, expression.line)

    def converted(self, value: Value, kind: SqlType, declared: SqlType, line: int) -> Value:
        """A value as another type, or an error at a line."""
        try:
            return convert(value, kind, declared)
        except StatementFailed as error:
            error.line = error.line or line
            raise

    def is_true(self, condition: Expression, database: str) -> bool:
        """A condition; what is unknown is not true."""
        _, answer = self.run(condition.as_condition(), database)
        return bool(answer.rows)

    def store(self, name: str, rows: list[tuple[Value, ...]]) -> None:
        """Add rows to a table variable, in the order of its columns that are not counted. Errors: 515, 2627."""
        stored_name, columns = self._sources.variables[name]
        try:
            self._tables.extend(stored_name, rows, [each.name for each in columns if not each.is_counted])
        except ScratchConflict as conflict:
            raise self._refused(conflict) from None
        except (ScratchExhausted, ScratchRefused) as error:
            raise _told(error) from None

    def _refused(self, conflict: ScratchConflict) -> StatementFailed:
        """A row that a table variable does not take."""
        name = next(name for name, (stored, _) in self._sources.variables.items() if stored == conflict.table)
        return failed(2627, name=name) if conflict.column is None else failed(515, name=name, column=conflict.column)


def _told(error: ScratchExhausted | ScratchRefused, line: int = 0) -> StatementFailed:
    """What the tables in memory refuse, by its number."""
    if isinstance(error, ScratchRefused):
        if any(word in str(error) for word in ("deep", "large", "many")):
            return failed(NESTED_TOO_DEEPLY, at=line)
        return failed(8623, at=line, detail=str(error))
    if error.bound == "steps":
        return failed(TOO_MANY_STATEMENTS, at=line, expected=f"{error.limit} steps")
    return failed(TOO_MUCH, at=line, expected=error.limit)


def shown_rows(answer: Answer) -> tuple[tuple[ViewColumn, ...], tuple[tuple[Cell, ...], ...]]:
    """An answer as a result set shows it."""
    columns = tuple(ViewColumn(name=each.name, type=str(each.type), nullable=True) for each in answer.outputs)
    kinds = [each.type for each in answer.outputs]
    return columns, tuple(
        tuple([shown(cell, kind) for cell, kind in zip(row, kinds, strict=True)]) for row in answer.rows
    )


def scratch_tables(answers: SessionAnswers, watch: Callable[[], None]) -> SqliteScratchTables:
    """Tables in memory for one session; `watch` is called every so often while a statement computes."""
    counted = {"t_identity": Identities().next}
    functions: dict[str, Callable[..., Value]] = {**operators.FUNCTIONS, **answers.functions(), **counted}
    return SqliteScratchTables(functions, {CASELESS: compare_caseless}, {"t_only": operators.OnlyValue}, BOUNDS, watch)
