"""Conditions of T-SQL as those of SQLite: two sides of a comparison meet in one type and under one collation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from sqlglot import exp

from engine.tsql.console.failing import NESTED_TOO_DEEPLY, TOO_MANY_PARTS, failed
from engine.tsql.console.scopes import CASELESS, EXACT_TEXT, GUID_TEXT, Output, Scope, line_of
from engine.tsql.console.typed import Typed, call, collated, differ, spoken, stronger
from engine.tsql.console.types import NVARCHAR, TEXTS, SqlType
from engine.tsql.spending import spend

DEPTH_MAX: Final = 100
PARTS_MAX: Final = 50_000
"""Expressions and conditions, each within others, of one statement as it is written for SQLite."""


class Nesting(ABC):
    """Rewrites the SELECTs that stand in expressions."""

    @abstractmethod
    def nested(self, query: exp.Expr, scope: Scope, *, is_exists: bool = False) -> tuple[exp.Expr, tuple[Output, ...]]:
        """A SELECT inside another one, with the columns that it has."""

    @abstractmethod
    def order(self, node: exp.Expr | None, scope: Scope, outputs: tuple[Output, ...]) -> exp.Order | None:
        """ORDER BY; `outputs` are the columns that it may name by their aliases."""


class ConditionWriter(ABC):
    """Rewrites conditions."""

    def __init__(self, queries: Nesting, first_line: int) -> None:
        self._queries = queries
        self._line = first_line
        self._depth = 0
        self._parts = 0

    def count(self, parts: int = 1) -> None:
        """So many parts more are written: what is compared with several things is so several times (8632)."""
        spend()
        self._parts += parts
        if self._parts > PARTS_MAX:
            raise failed(TOO_MANY_PARTS, at=self._line, limit=PARTS_MAX)

    @abstractmethod
    def value(self, node: exp.Expr, scope: Scope) -> Typed:
        """An expression."""

    @abstractmethod
    def cast(self, typed: Typed, target: SqlType) -> Typed:
        """A piece as another type."""

    def line(self, node: exp.Expr) -> int:
        """The line of a piece of the statement."""
        return line_of(node, self._line)

    # ── conditions ───────────────────────────────────────────────────────────────────────────────────────────────
    def condition(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        """A condition; what is an expression is none (4145)."""
        self.count()
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise failed(NESTED_TOO_DEEPLY, at=self._line)
        try:
            handler = _CONDITIONS.get(type(node))
            if handler is None:
                raise failed(4145, at=self.line(node), found=spoken(node))
            return handler(self, node, scope)
        finally:
            self._depth -= 1

    def _both(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        # Long chains lean to the left: they are walked rather than descended.
        kind, parts = type(node), []
        while type(node) is kind:
            parts.append(node.expression)
            node = node.this
        written = [self.condition(node, scope), *(self.condition(part, scope) for part in reversed(parts))]
        return _balanced(kind, written)

    def _not(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        return exp.Not(this=exp.paren(self.condition(node.this, scope), copy=False))

    def _paren(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        return exp.paren(self.condition(node.this, scope), copy=False)

    def _compare(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        left, right = self.comparable(self.value(node.this, scope), self.value(node.expression, scope))
        return type(node)(this=left, expression=right)

    def comparable(self, left: Typed, right: Typed) -> tuple[exp.Expr, exp.Expr]:
        """Two sides of a comparison, of one type and under one collation."""
        kind = stronger(left.type, right.type)
        one, other = (self.cast(each, kind) if differ(each.type, kind) else each for each in (left, right))
        if kind.base in TEXTS or kind.base == "uniqueidentifier":
            collations = {one.collation, other.collation} - {None}
            plain = GUID_TEXT if kind.base == "uniqueidentifier" else CASELESS
            collation = EXACT_TEXT if EXACT_TEXT in collations else plain
            if one.collation != collation:
                return collated(one.node, collation), other.node
        return one.node, other.node

    def _is(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        if not isinstance(node.expression, exp.Null):
            raise failed(102, at=self.line(node), found="IS", expected="NULL or NOT NULL")
        return exp.Is(this=self.value(node.this, scope).node, expression=exp.Null())

    def _between(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        low = exp.GTE(this=node.this, expression=node.args["low"])
        high = exp.LTE(this=node.this.copy(), expression=node.args["high"])
        return exp.paren(self.condition(exp.And(this=low, expression=high), scope), copy=False)

    def _in(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        query = node.args.get("query")
        if query is None:
            values = node.args.get("expressions") or []
            if not values:
                raise failed(102, at=self.line(node), found="IN", expected="a value")
            written = [self.condition(exp.EQ(this=node.this.copy(), expression=each), scope) for each in values]
            return exp.paren(_balanced(exp.Or, written), copy=False)
        left = self.value(node.this, scope)
        inner, outputs = self._queries.nested(query.this if isinstance(query, exp.Subquery) else query, scope)
        if len(outputs) != 1:
            raise failed(116, at=self.line(node))
        is_text = left.type.base in TEXTS or left.type.base == "uniqueidentifier"
        one = (
            self.comparable(left, Typed(exp.Null(), outputs[0].type, outputs[0].collation))[0] if is_text else left.node
        )
        return exp.In(this=one, query=exp.Subquery(this=inner))

    def _exists(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        query = node.this.this if isinstance(node.this, exp.Subquery) else node.this
        return exp.Exists(this=self._queries.nested(query, scope, is_exists=True)[0])

    def _like(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        escape: exp.Expr = exp.Null()
        if isinstance(node, exp.Escape):
            escape = self.value(node.expression, scope).node
            node = node.this
        value, pattern = self.value(node.this, scope), self.value(node.expression, scope)
        sides = [self.cast(each, NVARCHAR).node for each in (value, pattern)]
        exact = exp.Literal.number(1 if EXACT_TEXT in (value.collation, pattern.collation) else 0)
        written: exp.Expr = call("t_like", *sides, escape, exact)
        return exp.Not(this=written) if node.args.get("negate") else written


def _balanced(kind: type[exp.Expr], conditions: list[exp.Expr]) -> exp.Expr:
    """Conditions joined by AND or OR. SQLite bounds how deep an expression is: halves of halves are never deep."""
    while len(conditions) > 1:
        pairs = [conditions[at : at + 2] for at in range(0, len(conditions), 2)]
        conditions = [
            exp.paren(kind(this=two[0], expression=two[1]), copy=False) if len(two) == 2 else two[0] for two in pairs
        ]
    return conditions[0]


_Handler = Callable[[ConditionWriter, exp.Expr, Scope], exp.Expr]
_CONDITIONS: Final[dict[type[exp.Expr], _Handler]] = {
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE), ConditionWriter._compare),
    exp.And: ConditionWriter._both,
    exp.Or: ConditionWriter._both,
    exp.Not: ConditionWriter._not,
    exp.Paren: ConditionWriter._paren,
    exp.Is: ConditionWriter._is,
    exp.Between: ConditionWriter._between,
    exp.In: ConditionWriter._in,
    exp.Exists: ConditionWriter._exists,
    exp.Like: ConditionWriter._like,
    exp.Escape: ConditionWriter._like,
}
