"""Where the rows of a SELECT come from: system views and queues of the instance, and table variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sqlglot import exp

from engine.core.exchange.system_views import ColumnFilter, SystemViewQuery
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import DatabaseName
from engine.storage.scratch_tables import ScratchColumn
from engine.tsql.console import moments, values
from engine.tsql.console.failing import StatementFailed, failed, failed_as
from engine.tsql.console.fromming import Described
from engine.tsql.console.program import TableColumn
from engine.tsql.console.scopes import Output, TableUse, affinity_of, collation_of
from engine.tsql.console.session_views import SessionViews
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget, database_named
from engine.tsql.console.transacting import Transactions
from engine.tsql.console.types import INTEGERS, NVARCHAR, UNIQUEIDENTIFIER, sql_type
from engine.tsql.console.values import Value, convert

PAGE_ROWS: Final = 1000
TABLE_ROWS_MAX: Final = 200_000
"""Rows of one view or queue that a statement may go through."""
PARTS_MAX: Final = 3
_CATALOG_SCHEMAS: Final = frozenset({"sys", "information_schema"})


class Sources:
    """The tables that one session can name."""

    def __init__(self, target: ConsoleTarget, state: SessionState, transactions: Transactions) -> None:
        self._target = target
        self._state = state
        self._transactions = transactions
        self._session_views = SessionViews(target, state)
        self._views: dict[str, tuple[Output, ...]] = {}
        """Columns of system views by their folded names; they never change."""
        self.variables: dict[str, tuple[str, tuple[Output, ...]]] = {}
        """Table variables of the batch that runs, by their names in small letters: what they are called among the
        tables in memory, and their columns."""

    def describe(self, parts: tuple[str, ...], line: int) -> Described:
        """What a name means. Errors: 208, 942, 954, 1087, 7202."""
        if parts[0].startswith("@"):
            found = self.variables.get(parts[0].lower())
            if found is None:
                raise failed(1087, at=line, name=parts[0])
            return Described(found[0], None, found[1])
        if len(parts) > PARTS_MAX:
            raise failed(7202, at=line, name=parts[0])
        *before, name = parts
        schema = before[-1] if before else ""
        database = self._database(before[0] if len(before) == 2 else "", ".".join(parts), line)
        if schema.casefold() in _CATALOG_SCHEMAS:
            return self._view(database, f"{schema.lower()}.{name.lower()}", ".".join(parts), line)
        view = f"{schema or 'dbo'}.{name}"
        return self._view(database, view, ".".join(part or "dbo" for part in parts), line)

    def _database(self, name: str, whole: str, line: int) -> str:
        if not name:
            return self._state.database
        found = database_named(self._target.catalog(), name)
        if found is None:
            raise failed(208, at=line, name=whole, database=name)
        return found

    def _view(self, database: str, view: str, spoken: str, line: int) -> Described:
        known = self._views.get(view) or self._session_views.columns(view)
        if known is None:
            query = SystemViewQuery(view=view, database=DatabaseName(database), rows_max=1, opens=True)
            try:
                answer = self._target.system_view(query)
            except BrokerError as error:
                if error.number == 208:
                    raise failed(208, at=line, name=spoken, database=database) from None
                raise failed_as(error, line) from None
            known = tuple(_output(answer.view, column.name, column.type) for column in answer.columns)
            if view.startswith("sys."):
                self._views[view] = known
        return Described(None, (database, view), known)

    def rows(self, use: TableUse, parameters: Mapping[str, Value], line: int) -> Iterator[tuple[Value, ...]]:
        """The rows of a view or queue that a statement needs, columns as `wanted` says. Errors: 208, 8657 and more."""
        assert use.parts is not None, "a table variable is there already"
        wanted = self.wanted(use)
        if self._session_views.columns(use.parts[1]) is not None:
            yield from self._session_views.rows(use.parts[1], wanted)
            return
        filters = _filters(use, parameters)
        moments_at = [number for number, each in enumerate(wanted) if each.type.base == "datetime"]
        offset, count = 0, 0
        while True:
            left = TABLE_ROWS_MAX if use.rows_max is None else max(use.rows_max - count, 1)
            query = SystemViewQuery(
                view=use.parts[1],
                database=DatabaseName(use.parts[0]),
                columns=tuple(each.name for each in wanted),
                filters=filters,
                offset=offset,
                rows_max=min(PAGE_ROWS, left),
                opens=True,
            )
            try:
                page = self._transactions.read(query)
            except BrokerError as error:
                if error.number == 208:
                    raise failed(208, at=line, name=use.parts[1], database=use.parts[0]) from None
                raise failed_as(error, line) from None
            for row in page.rows:
                cells = [values.stored(cell) for cell in row]
                for number in moments_at:
                    cell = cells[number]
                    cells[number] = moments.stored(cell) if isinstance(cell, float | int) else cell
                yield tuple(cells)
            count += len(page.rows)
            if count > TABLE_ROWS_MAX:
                raise failed(8657, at=line, expected=TABLE_ROWS_MAX)
            if page.next_offset is None or (use.rows_max is not None and count >= use.rows_max):
                return
            offset = page.next_offset

    def wanted(self, use: TableUse) -> tuple[Output, ...]:
        """The columns of a table that a statement needs; one at least."""
        return tuple(each for each in use.columns if each.name in use.used) or use.columns[:1]


def scratch_columns(columns: tuple[Output, ...], table: str = "") -> list[ScratchColumn]:
    """Columns as the tables in memory declare them."""
    return [
        ScratchColumn(
            each.name,
            affinity_of(each.type),
            each.collation or "BINARY",
            default=_counted(each, table),
            is_required=each.rules is not None and each.rules.is_required,
        )
        for each in columns
    ]


def _counted(column: Output, table: str) -> str:
    """The next number of an IDENTITY, in SQLite's words."""
    if column.rules is None or column.rules.identity is None:
        return ""
    first, step = column.rules.identity
    lowest, highest = INTEGERS[column.type.base]
    return f"(t_identity('{table}', {first}, {step}, {lowest}, {highest}))"


def variable_column(column: TableColumn) -> Output:
    """A column of a table variable."""
    known = column.collation or collation_of("", column.name.lower(), column.type)
    return Output(column.name, column.type, known, column)


def _output(view: str, name: str, declared: str) -> Output:
    known = sql_type(declared)
    assert known is not None, f"the type {declared} of a system view is none"
    return Output(name, known, collation_of(view, name, known))


def _filters(use: TableUse, parameters: Mapping[str, Value]) -> tuple[ColumnFilter, ...]:
    """The identifiers that are asked for; what is no identifier is left to the comparison itself."""
    found: dict[str, ColumnFilter] = {}
    for column, node in use.equals:
        value = parameters.get(node.name) if isinstance(node, exp.Placeholder) else node.name
        try:
            identifier = convert(value, NVARCHAR, UNIQUEIDENTIFIER)
        except StatementFailed:
            continue
        if isinstance(identifier, str):
            found[column] = ColumnFilter(column=column, value=identifier)
    return tuple(found.values())
