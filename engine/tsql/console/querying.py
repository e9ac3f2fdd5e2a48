"""SELECT, and INSERT, UPDATE and DELETE on table variables, as statements of SQLite over tables in memory.

Names are resolved here and nowhere else: what SQLite is given has every column spelled out, so that what a name means,
and which error it is when it means nothing, is T-SQL's affair alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from sqlglot import exp

from engine.tsql.console.conditions import Nesting
from engine.tsql.console.dialect import parsed
from engine.tsql.console.expressions import ExpressionWriter
from engine.tsql.console.failing import NESTED_TOO_DEEPLY, OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.fromming import Describe, FromWriter
from engine.tsql.console.left_to_right import Rest, Splitter
from engine.tsql.console.scopes import CASELESS, Output, Scope, TableUse
from engine.tsql.console.typed import Typed, call, collated, column_of, name_of
from engine.tsql.console.types import BIGINT, INT, TEXTS, SqlType


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, ready to run."""

    sql: str
    uses: tuple[TableUse, ...]
    parameters: dict[str, str]
    """Parameters, each with the variable or @@function whose value it has."""
    outputs: tuple[Output, ...]
    targets: tuple[str, ...] = ()
    """Variables that the columns are assigned to, for SELECT @x = …"""
    rests: dict[int, Rest] = {}
    """Columns that need variables which the statement assigns; the row has NULL in their place."""
    rekeyed: str = ""
    """The table variable whose keys an UPDATE changes: they hold when it is done, and not row by row."""
    writes: bool = False
    """Whether it changes a table variable."""


def compiled(text: str, first_line: int, variables: Mapping[str, SqlType], describe: Describe) -> Query:
    """A statement as it will run. `describe` knows the tables that names mean.

    Errors: 102, 108, 116, 137, 141, 191, 195, 205, 207, 208, 209, 213, 1013, 4104, 8120, 40517 and more.
    """
    tree = parsed(text, first_line)
    writer = QueryWriter(variables, describe, first_line)
    try:
        return writer.statement(tree)
    except RecursionError:
        raise failed(NESTED_TOO_DEEPLY, at=first_line) from None


class QueryWriter(Nesting):
    """Rewrites one statement."""

    def __init__(self, variables: Mapping[str, SqlType], describe: Describe, first_line: int) -> None:
        self._line = first_line
        self._writer = ExpressionWriter(self, variables, first_line)
        self._from = FromWriter(self, self._writer, describe, first_line)
        self._targets: list[str] = []
        self._rests: dict[int, Rest] = {}
        self._rekeyed = ""

    def statement(self, tree: exp.Expr) -> Query:
        """The whole statement."""
        match tree:
            case exp.Insert():
                written = self._insert(tree)
            case exp.Update():
                written = self._update(tree)
            case exp.Delete():
                written = self._delete(tree)
            case _:
                body, outputs = self.query(tree, None, is_outermost=True)
                return self._made(body, outputs, writes=False)
        return self._made(written, (), writes=True)

    def _made(self, body: exp.Expr, outputs: tuple[Output, ...], *, writes: bool) -> Query:
        return Query(
            sql=body.sql(dialect="sqlite", comments=False),
            uses=tuple(self._from.uses),
            parameters=dict(self._writer.parameters),
            outputs=outputs,
            targets=tuple(self._targets),
            rests=self._rests,
            rekeyed=self._rekeyed,
            writes=writes,
        )

    # ── SELECT ───────────────────────────────────────────────────────────────────────────────────────────────────
    def nested(self, query: exp.Expr, scope: Scope, *, is_exists: bool = False) -> tuple[exp.Expr, tuple[Output, ...]]:
        """A SELECT inside another one; what is counted outside does not count inside."""
        writer = self._writer
        aggregates, inside = writer.aggregates, writer.in_aggregate
        writer.in_aggregate = False
        found = self.query(query, scope, is_exists=is_exists)
        writer.aggregates, writer.in_aggregate = aggregates, inside
        return found

    def query(
        self,
        node: exp.Expr,
        parent: Scope | None,
        *,
        is_outermost: bool = False,
        is_exists: bool = False,
        names: Sequence[str] | None = None,
    ) -> tuple[exp.Expr, tuple[Output, ...]]:
        """A SELECT or several of them; its columns are called c1, c2 … for SQLite, or as `names` says."""
        while isinstance(node, exp.Subquery) and not node.alias:
            node = node.this
        with self._from.common_tables(node.args.get("with_"), parent) as common:
            if isinstance(node, exp.SetOperation):
                written, outputs = self._several(node, parent)
            elif isinstance(node, exp.Select):
                written, outputs = self._select(node, parent, is_outermost=is_outermost, is_exists=is_exists)
            else:
                raise failed(102, at=self._line, found="the statement", expected="SELECT")
        if common is not None:
            written.set("with_", common)
        return written, outputs

    def _several(self, node: exp.SetOperation, parent: Scope | None) -> tuple[exp.Expr, tuple[Output, ...]]:
        parts: list[tuple[type[exp.SetOperation], bool, exp.Expr]] = []
        here: exp.Expr = node
        while isinstance(here, exp.SetOperation):
            parts.append((type(here), bool(here.args.get("distinct")), here.expression))
            here = here.this
        written, outputs = self._side(here, parent)
        for kind, distinct, side in reversed(parts):
            other, columns = self._side(side, parent)
            if len(columns) != len(outputs):
                raise failed(205, at=self._line)
            written = kind(this=written, expression=other, distinct=distinct)
        order = self.order(node.args.get("order"), Scope(parent), outputs)
        if order is not None:
            written.set("order", order)
        self._limit(node, written, Scope(parent))
        return written, outputs

    def _side(self, node: exp.Expr, parent: Scope | None) -> tuple[exp.Expr, tuple[Output, ...]]:
        """One of several SELECTs. SQLite takes no LIMIT and no parentheses there: a SELECT goes around what has one."""
        written, outputs = self.query(node, parent)
        if isinstance(written, exp.SetOperation) or written.args.get("limit") or written.args.get("with_"):
            rows = exp.Subquery(this=written, alias=exp.TableAlias(this=name_of("s")))
            written = exp.Select(expressions=[exp.Star()], from_=exp.From(this=rows))
        return written, outputs

    def _select(
        self, node: exp.Select, parent: Scope | None, *, is_outermost: bool, is_exists: bool
    ) -> tuple[exp.Select, tuple[Output, ...]]:
        scope, written = Scope(parent), exp.Select()
        self._from.add_to(written, node, scope)
        where = node.args.get("where")
        if where is not None:
            written.set("where", exp.Where(this=self._writer.condition(where.this, scope)))
            self._from.narrow(where.this, scope)
        groups = self._groups(node, written, scope)
        first, counted = len(self._writer.bare_columns), self._writer.aggregates
        typed, outputs = self._projections(node, scope, is_outermost=is_outermost)
        having = node.args.get("having")
        if having is not None:
            written.set("having", exp.Having(this=self._writer.condition(having.this, scope)))
        if groups is not None or self._writer.aggregates > counted:
            self._check_grouping(first, scope, groups or [])
        written.set("expressions", [_as(each.node, f"c{number}") for number, each in enumerate(typed, 1)])
        if node.args.get("distinct"):
            written.set("distinct", exp.Distinct())
        order = self.order(node.args.get("order"), scope, outputs)
        if order is not None:
            written.set("order", order)
        self._limit(node, written, scope)
        self._from.enough(node, scope, is_exists=is_exists, has_aggregates=self._writer.aggregates > counted)
        return written, outputs

    def _projections(
        self, node: exp.Select, scope: Scope, *, is_outermost: bool
    ) -> tuple[list[Typed], tuple[Output, ...]]:
        typed: list[Typed] = []
        outputs: list[Output] = []
        assigned = 0
        for each in node.expressions:
            if isinstance(each, exp.EQ) and isinstance(each.this, exp.Parameter) and is_outermost:
                # The variable has to be there, and keeps its type.
                self._writer.value(each.this, scope)
                self._targets.append(f"@{each.this.name}".lower())
                assigned += 1
                each = each.expression
            star = each if isinstance(each, exp.Star) else None
            if isinstance(each, exp.Column) and isinstance(each.this, exp.Star):
                star = each.this
            if star is not None:
                found = self._from.all_columns(scope, each.args.get("table"), self._writer.line(each))
                typed += (Typed(node_, output.type, output.collation) for node_, output in found)
                outputs += (output for _, output in found)
                continue
            value = self._writer.value(each.this if isinstance(each, exp.Alias) else each, scope)
            typed.append(value)
            outputs.append(Output(_name_of(each), value.type, value.collation))
        if 0 < assigned < len(outputs):
            raise failed(141, at=self._line)
        return self._assigning(typed, outputs, scope) if assigned else (typed, tuple(outputs))

    def _assigning(
        self, typed: list[Typed], outputs: list[Output], scope: Scope
    ) -> tuple[list[Typed], tuple[Output, ...]]:
        """Assignments go from left to right: what needs an earlier one is computed when that is done."""
        splitter = Splitter(scope, self._writer.parameters, self._line)
        splitter.split(typed, self._targets)
        self._rests = splitter.rests
        now = [Typed(exp.Null(), each.type) if n in splitter.rests else each for n, each in enumerate(typed)]
        taken = [Typed(each, INT) for each in splitter.operands]
        return now + taken, (*outputs, *(Output("", INT) for _ in taken))

    def _groups(self, node: exp.Select, written: exp.Select, scope: Scope) -> list[exp.Expr] | None:
        group = node.args.get("group")
        if group is None:
            return None
        values = [self._writer.value(each, scope) for each in group.expressions]
        nodes = [collated(each.node, CASELESS) if _is_loose(each) else each.node for each in values]
        written.set("group", exp.Group(expressions=nodes))
        return list(group.expressions)

    def _check_grouping(self, first: int, scope: Scope, groups: Sequence[exp.Expr]) -> None:
        """Outside of aggregates only what is grouped by has one value a group (8120)."""
        named = {column.name.casefold() for each in groups for column in each.find_all(exp.Column, exp.Identifier)}
        for column, owner in self._writer.bare_columns[first:]:
            if owner is scope and column.name.casefold() not in named:
                raise failed(8120, at=self._writer.line(column), column=column.name)

    def order(self, node: exp.Expr | None, scope: Scope, outputs: tuple[Output, ...]) -> exp.Order | None:
        """ORDER BY: a number or an alias means a column of the SELECT list."""
        if node is None:
            return None
        return exp.Order(expressions=[self._ordered(each, scope, outputs) for each in node.expressions])

    def _ordered(self, each: exp.Expr, scope: Scope, outputs: tuple[Output, ...]) -> exp.Ordered:
        key = each.this
        place = _place(key, outputs)
        if place is not None and not 0 < place <= len(outputs):
            raise failed(108, at=self._writer.line(each), value=place)
        if place is None:
            typed = self._writer.value(key, scope)
        else:
            output = outputs[place - 1]
            typed = Typed(exp.Literal.number(place), output.type, output.collation)
        node = collated(typed.node, CASELESS) if _is_loose(typed) and place is None else typed.node
        return exp.Ordered(this=node, desc=bool(each.args.get("desc")))

    def _limit(self, node: exp.Expr, written: exp.Expr, scope: Scope) -> None:
        limit, offset = node.args.get("limit"), node.args.get("offset")
        if limit is not None:
            count: exp.Expr = limit.args["count"] if isinstance(limit, exp.Fetch) else limit.expression
            written.set("limit", exp.Limit(expression=self._rows(count, scope)))
        elif offset is not None:
            written.set("limit", exp.Limit(expression=exp.Literal.number(-1)))
        if offset is not None:
            written.set("offset", exp.Offset(expression=self._rows(offset.expression, scope)))

    def _rows(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        return call("t_top", self._writer.cast(self._writer.value(node, scope), BIGINT).node)

    # ── table variables ──────────────────────────────────────────────────────────────────────────────────────────
    def _insert(self, node: exp.Insert) -> exp.Expr:
        schema = node.this
        table = schema.this if isinstance(schema, exp.Schema) else schema
        use = self._from.changed(table)
        wanted = [each for each in use.columns if not each.is_counted]
        if isinstance(schema, exp.Schema):
            wanted = [self._from.column_named(use, each.name, self._writer.line(each)) for each in schema.expressions]
        if any(each.is_counted for each in wanted):
            raise failed(544, at=self._line, name=f"@{table.name}")
        rows = node.expression
        if node.args.get("with_") and isinstance(rows, exp.Query):
            rows.set("with_", node.args["with_"])
        if isinstance(rows, exp.Values):
            inner, outputs = self._from.rows_of(rows, Scope())
        elif isinstance(rows, exp.Select | exp.SetOperation | exp.Subquery):
            inner, outputs = self.query(rows, None)
        else:
            raise failed(OPTION_NOT_SUPPORTED, at=self._line, found="INSERT without VALUES or SELECT")
        if len(outputs) != len(wanted):
            raise failed(213, at=self._line)
        cells = [
            _as(self._writer.cast(Typed(column_of("r", f"c{number}"), output.type), column.type).node, f"c{number}")
            for number, (output, column) in enumerate(zip(outputs, wanted, strict=True), 1)
        ]
        for column, default in self._defaults(use, wanted):
            wanted.append(column)
            cells.append(_as(self._writer.cast(default, column.type).node, f"c{len(wanted)}"))
        source = exp.Subquery(this=inner, alias=exp.TableAlias(this=name_of("r")))
        into = exp.Schema(this=exp.Table(this=name_of(use.stored_name)), expressions=[name_of(c.name) for c in wanted])
        return exp.Insert(this=into, expression=exp.Select(expressions=cells, from_=exp.From(this=source)))

    def _defaults(self, use: TableUse, wanted: Sequence[Output]) -> list[tuple[Output, Typed]]:
        """The columns that an INSERT does not name and that have a DEFAULT, with what it comes to."""
        named = {each.name for each in wanted}
        found = []
        for column in use.columns:
            default = None if column.rules is None else column.rules.default
            if default is not None and column.name not in named:
                tree = parsed(default.as_select().text, default.line)
                found.append((column, self._writer.value(tree.expressions[0], Scope())))
        return found

    def _update(self, node: exp.Update) -> exp.Expr:
        use, scope = self._changed_alone(node)
        settings = []
        for each in node.expressions:
            if not isinstance(each, exp.EQ) or not isinstance(each.this, exp.Column):
                raise failed(102, at=self._writer.line(node), found="SET", expected="a column")
            column = self._from.column_named(use, each.this.name, self._writer.line(each))
            if column.is_counted:
                raise failed(8102, at=self._writer.line(each), column=column.name)
            if column.rules is not None and column.rules.is_key:
                self._rekeyed = use.stored_name
            value = self._writer.cast(self._writer.value(each.expression, scope), column.type)
            settings.append(exp.EQ(this=exp.Column(this=name_of(column.name)), expression=value.node))
        return exp.Update(
            this=exp.Table(this=name_of(use.stored_name)), expressions=settings, where=self._where(node, scope)
        )

    def _delete(self, node: exp.Delete) -> exp.Expr:
        use, scope = self._changed_alone(node)
        return exp.Delete(this=exp.Table(this=name_of(use.stored_name)), where=self._where(node, scope))

    def _changed_alone(self, node: exp.Expr) -> tuple[TableUse, Scope]:
        scope = Scope()
        return self._from.changed(node.this, scope), scope

    def _where(self, node: exp.Expr, scope: Scope) -> exp.Where | None:
        where = node.args.get("where")
        return None if where is None else exp.Where(this=self._writer.condition(where.this, scope))


def _as(node: exp.Expr, name: str) -> exp.Alias:
    return exp.Alias(this=node, alias=name_of(name))


def _name_of(node: exp.Expr) -> str:
    """What a column of the SELECT list is called: its alias, or the column that it is, compared in whatever way."""
    if isinstance(node, exp.Alias):
        return node.alias
    while isinstance(node, exp.Collate):
        node = node.this
    return node.name if isinstance(node, exp.Column) else ""


def _is_loose(typed: Typed) -> bool:
    """Whether a text is compared as SQLite would by itself, character by character."""
    return typed.type.base in TEXTS and typed.collation is None


def _place(key: exp.Expr, outputs: Sequence[Output]) -> int | None:
    """The place in the SELECT list that a key of ORDER BY means; None for an expression."""
    if isinstance(key, exp.Literal) and not key.is_string:
        return int(key.name) if key.name.isascii() and key.name.isdigit() and len(key.name) < 10 else None
    if isinstance(key, exp.Column) and not key.table:
        folded = key.name.casefold()
        return next((n for n, each in enumerate(outputs, 1) if each.name and each.name.casefold() == folded), None)
    return None
