"""The FROM clause: which tables a statement names, joins, derived tables, and how little of them is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlglot import exp

from engine.tsql.console.conditions import ConditionWriter
from engine.tsql.console.failing import OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.scopes import Output, Scope, Source, TableUse
from engine.tsql.console.typed import Typed, column_of, common, differ, name_of, spoken
from engine.tsql.console.types import UNIQUEIDENTIFIER, SqlType

if TYPE_CHECKING:
    from engine.tsql.console.querying import QueryWriter

VALUES_MAX: Final = 400
"""Rows in VALUES; SQLite joins no more SELECTs."""


class Described(NamedTuple):
    """What a name in FROM means."""

    stored_name: str | None
    """The table that is there already; None for one that is filled for the statement."""
    parts: tuple[str, str] | None
    columns: tuple[Output, ...]


Describe = Callable[[tuple[str, ...], int], Described]
"""Tells what a name, part by part, means at a line; 208 or 1087 for nothing. A variable's first letter is `@`."""


class FromWriter:
    """Rewrites the FROM clauses of one statement."""

    def __init__(self, queries: QueryWriter, writer: ConditionWriter, describe: Describe, first_line: int) -> None:
        self._queries = queries
        self._writer = writer
        self._describe = describe
        self._line = first_line
        self._common: dict[str, tuple[str, tuple[Output, ...]]] = {}
        """Common table expressions in sight, by their folded names: the names they have for SQLite, and columns."""
        self._numbers = 0
        self.uses: Final[list[TableUse]] = []

    # ── WITH ─────────────────────────────────────────────────────────────────────────────────────────────────────
    @contextmanager
    def common_tables(self, node: exp.Expr | None, parent: Scope | None) -> Iterator[exp.With | None]:
        """WITH, as long as its names are in sight."""
        if node is None:
            yield None
            return
        before = dict(self._common)
        made = []
        for each in node.expressions:
            inner, outputs = self._queries.query(each.this, parent)
            alias = each.args["alias"]
            outputs = self._renamed(outputs, [column.name for column in alias.args.get("columns") or []])
            self._numbers += 1
            name = f"w{self._numbers}"
            self._common[each.alias.casefold()] = (name, outputs)
            made.append(exp.CTE(this=self._with_names(inner, outputs), alias=exp.TableAlias(this=name_of(name))))
        yield exp.With(expressions=made)
        self._common = before

    def _renamed(self, outputs: tuple[Output, ...], names: Sequence[str]) -> tuple[Output, ...]:
        if not names:
            return outputs
        if len(names) != len(outputs):
            raise failed(8158 if len(outputs) > len(names) else 8159, at=self._line)
        return tuple(output._replace(name=name) for output, name in zip(outputs, names, strict=True))

    def _with_names(self, inner: exp.Expr, outputs: Sequence[Output]) -> exp.Expr:
        """The columns c1, c2 … of a SELECT under the names that others know."""
        columns: list[exp.Expr] = [
            exp.Alias(this=column_of("d", f"c{number}"), alias=name_of(output.name or f"c{number}"))
            for number, output in enumerate(outputs, 1)
        ]
        rows = exp.Subquery(this=inner, alias=exp.TableAlias(this=name_of("d")))
        return exp.Select(expressions=columns, from_=exp.From(this=rows))

    # ── FROM ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def add_to(self, written: exp.Select, node: exp.Select, scope: Scope) -> None:
        """FROM with its joins."""
        clause = node.args.get("from_")
        if clause is None:
            return
        written.set("from_", exp.From(this=self._table(clause.this, scope)))
        written.set("joins", [self._join(join, scope) for join in node.args.get("joins") or []])

    def _join(self, node: exp.Join, scope: Scope) -> exp.Join:
        inner = self._table(node.this, scope)
        on = node.args.get("on")
        condition = None if on is None else self._writer.condition(on, scope)
        return exp.Join(this=inner, side=node.side or None, kind=node.kind or None, on=condition)

    def _table(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        line = self._writer.line(node)
        match node:
            case exp.Table() if isinstance(node.this, exp.Identifier | exp.Parameter):
                if not node.db and not node.catalog and node.name.casefold() in self._common:
                    name, outputs = self._common[node.name.casefold()]
                    scope.add(Source(node.alias or node.name, outputs), line)
                    return _named(name, node.alias or node.name)
                use = self._used(node, line)
                alias = node.alias or (f"@{node.name}" if isinstance(node.this, exp.Parameter) else node.name)
                scope.add(Source(alias, use.columns, use), line)
                return _named(use.stored_name, alias)
            case exp.Table() if isinstance(node.this, exp.Dot):
                raise failed(7202, at=line, name=node.catalog or node.name)
            case exp.Subquery() if node.alias:
                inner, outputs = self._queries.query(node.this, scope.parent)
            case exp.Values() if node.alias:
                inner, outputs = self.rows_of(node, Scope())
            case exp.Subquery() | exp.Values():
                raise failed(102, at=line, found="the derived table", expected="AS and a name for it")
            case _:
                raise failed(OPTION_NOT_SUPPORTED, at=line, found=spoken(node))
        columns = node.args["alias"].args.get("columns") or []
        outputs = self._renamed(outputs, [column.name for column in columns])
        for number, output in enumerate(outputs, 1):
            if not output.name:
                raise failed(8155, at=line, value=number, name=node.alias)
        scope.add(Source(node.alias, outputs), line)
        return exp.Subquery(this=self._with_names(inner, outputs), alias=exp.TableAlias(this=name_of(node.alias)))

    def _used(self, node: exp.Table, line: int) -> TableUse:
        if isinstance(node.this, exp.Parameter):
            found = self._describe((f"@{node.name}",), line)
        else:
            parts = [part.name if isinstance(part, exp.Identifier) else "" for part in node.parts]
            if node.args.get("catalog") is not None and len(parts) == 2:
                parts.insert(1, "")
            found = self._describe(tuple(parts), line)
        self._numbers += 1
        use = TableUse(found.stored_name or f"s{self._numbers}", found.parts, found.columns)
        self.uses.append(use)
        return use

    def rows_of(self, node: exp.Values, scope: Scope) -> tuple[exp.Expr, tuple[Output, ...]]:
        """VALUES as a SELECT with the columns c1, c2 …"""
        rows = [each.expressions if isinstance(each, exp.Tuple) else [each] for each in node.expressions]
        if not rows or len(rows) > VALUES_MAX:
            raise failed(10738, at=self._line, limit=VALUES_MAX)
        if len({len(row) for row in rows}) > 1:
            raise failed(10709, at=self._line)
        typed = [[self._writer.value(cell, scope) for cell in row] for row in rows]
        kinds = [common([row[place] for row in typed]) for place in range(len(rows[0]))]
        selects = [self._row(row, kinds) for row in typed]
        written: exp.Expr = selects[0]
        for each in selects[1:]:
            written = exp.Union(this=written, expression=each, distinct=False)
        return written, tuple(Output("", kind) for kind in kinds)

    def _row(self, row: Sequence[Typed], kinds: Sequence[SqlType]) -> exp.Select:
        cells = [
            exp.Alias(
                this=(self._writer.cast(cell, kind) if differ(cell.type, kind) else cell).node, alias=name_of(f"c{n}")
            )
            for n, (cell, kind) in enumerate(zip(row, kinds, strict=True), 1)
        ]
        return exp.Select(expressions=cells)

    def all_columns(self, scope: Scope, table: exp.Expr | None, line: int) -> list[tuple[exp.Expr, Output]]:
        """What a star stands for."""
        wanted = None if table is None else table.name.casefold()
        sources = [each for each in scope.sources if wanted is None or each.alias.casefold() == wanted]
        if not sources:
            raise failed(4104, at=line, name="*" if table is None else f"{table.name}.*")
        found: list[tuple[exp.Expr, Output]] = []
        for source in sources:
            self._writer.count(len(source.columns))
            for output in source.columns:
                if source.use is not None:
                    source.use.used[output.name] = None
                found.append((column_of(source.alias, output.name), output))
        return found

    # ── how little is enough ─────────────────────────────────────────────────────────────────────────────────────
    def narrow(self, condition: exp.Expr, scope: Scope) -> None:
        """Remember which identifiers a SELECT asks for by equality: only such rows are fetched."""
        waiting = [condition]
        while waiting:
            node = waiting.pop()
            if isinstance(node, exp.And):
                waiting += (node.this, node.expression)
            elif isinstance(node, exp.Paren):
                waiting.append(node.this)
            elif isinstance(node, exp.EQ):
                for column, other in ((node.this, node.expression), (node.expression, node.this)):
                    self._narrow_by(column, other, scope)

    def _narrow_by(self, column: exp.Expr, other: exp.Expr, scope: Scope) -> None:
        if not isinstance(column, exp.Column) or not isinstance(other, exp.Literal | exp.National | exp.Parameter):
            return
        source, output, owner = scope.find(column, self._line)
        if source.use is not None and owner is scope and output.type == UNIQUEIDENTIFIER:
            source.use.equals.append((output.name, self._writer.value(other, scope).node))

    def enough(self, node: exp.Select, scope: Scope, *, is_exists: bool, has_aggregates: bool) -> None:
        """Of one table without conditions so many rows are enough as a SELECT shows."""
        if len(scope.sources) != 1 or (use := scope.sources[0].use) is None or has_aggregates:
            return
        if any(node.args.get(each) for each in ("where", "group", "having", "order", "distinct", "offset")):
            return
        limit = node.args.get("limit")
        count = limit.expression if isinstance(limit, exp.Limit) else None
        count = count.this if isinstance(count, exp.Paren) else count
        if isinstance(count, exp.Literal) and count.name.isascii() and count.name.isdigit() and len(count.name) < 10:
            use.rows_max = int(count.name)
        elif is_exists:
            use.rows_max = 1

    # ── what is changed ──────────────────────────────────────────────────────────────────────────────────────────
    def changed(self, node: exp.Expr, scope: Scope | None = None) -> TableUse:
        """The table variable that a statement changes; 259 for everything else."""
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Parameter):
            raise failed(259, at=self._writer.line(node))
        use = self._used(node, self._line)
        if scope is not None:
            scope.add(Source(use.stored_name, use.columns, use), self._line)
        return use

    def column_named(self, use: TableUse, name: str, line: int) -> Output:
        """A column of a table variable, or 207."""
        for output in use.columns:
            if output.name.casefold() == name.casefold():
                return output
        raise failed(207, at=line, name=use.stored_name, column=name)


def _named(name: str, alias: str) -> exp.Table:
    return exp.Table(this=name_of(name), alias=exp.TableAlias(this=name_of(alias)))
