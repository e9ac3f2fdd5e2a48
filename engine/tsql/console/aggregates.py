"""Aggregates and window functions."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from engine.tsql.console.conditions import ConditionWriter
from engine.tsql.console.failing import OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.scopes import Scope
from engine.tsql.console.typed import Typed, call
from engine.tsql.console.types import BIGINT, BIT, INT, NVARCHAR

AGGREGATES: Final = frozenset({"COUNT", "COUNT_BIG", "SUM", "AVG", "MIN", "MAX", "STRING_AGG"})
_RANKS: Final = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE"})
_NEIGHBOURS: Final = frozenset({"LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"})
_FRACTIONS: Final = frozenset({"float", "real", "decimal", "numeric", "money", "smallmoney"})


class AggregateWriter(ConditionWriter):
    """Rewrites aggregates, and knows whether what it meets stands in one."""

    aggregates: int
    """How many were met."""
    in_aggregate: bool

    def _aggregate(self, name: str, arguments: list[exp.Expr], node: exp.Expr, scope: Scope) -> Typed:
        expected = 2 if name == "STRING_AGG" else 1
        if len(arguments) != expected:
            raise failed(174, at=self.line(node), name=name, limit=expected)
        self.aggregates += 1
        first, distinct = arguments[0], False
        if isinstance(first, exp.Distinct):
            first, distinct = first.expressions[0], True
        if isinstance(first, exp.Star):
            return Typed(call("count", exp.Star()), INT)
        was, self.in_aggregate = self.in_aggregate, True
        value = self.value(first, scope)
        rest = [self.value(each, scope).node for each in arguments[1:]]
        self.in_aggregate = was
        if name == "STRING_AGG":
            return Typed(call("group_concat", self.cast(value, NVARCHAR).node, *rest), NVARCHAR)
        inner = exp.Distinct(expressions=[value.node]) if distinct else value.node
        if name in ("COUNT", "COUNT_BIG"):
            return Typed(call("count", inner), INT if name == "COUNT" else BIGINT)
        if name in ("MIN", "MAX"):
            return Typed(call(name.lower(), inner), value.type, value.collation)
        if not value.type.is_number or value.type == BIT:
            raise failed(8117, at=self.line(node), expected=str(value.type), name=name.lower())
        kind = value.type if value.type.base not in ("tinyint", "smallint") else INT
        written: exp.Expr = call(name.lower(), inner)
        return Typed(call("t_whole", written) if name == "AVG" and value.type.base not in _FRACTIONS else written, kind)

    def _window(self, node: exp.Expr, scope: Scope) -> Typed:
        inner = node.this
        name = inner.name.upper() if isinstance(inner, exp.Anonymous) else ""
        if name not in AGGREGATES | _RANKS | _NEIGHBOURS or name == "STRING_AGG":
            raise failed(OPTION_NOT_SUPPORTED, at=self.line(node), found="OVER")
        met = self.aggregates
        if name in AGGREGATES:
            typed = self._aggregate(name, list(inner.expressions), node, scope)
            self.aggregates = met
        else:
            values = [self.value(each, scope) for each in inner.expressions]
            kind = BIGINT if name in _RANKS or not values else values[0].type
            typed = Typed(call(name.lower(), *[each.node for each in values]), kind)
        partition = [self.value(each, scope).node for each in node.args.get("partition_by") or []]
        order = self._queries.order(node.args.get("order"), scope, ())
        return Typed(exp.Window(this=typed.node, partition_by=partition, order=order, over="OVER"), typed.type)
