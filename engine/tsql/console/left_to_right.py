"""SELECT @a = …, @b = … of @a: columns that need what the columns before them have assigned.

What such a column takes from its row becomes columns of the SELECT; the rest of it is computed row by row, when the
variables have the values that they have by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
from sqlglot import exp

from engine.tsql.console.failing import OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.scopes import Output, Scope
from engine.tsql.console.typed import Typed, collated

_WHOLE: Final = frozenset({"count", "sum", "avg", "min", "max", "group_concat"})
"""Aggregates; they are computed with their SELECT, with the values that variables have before it."""


class Rest(msgspec.Struct, frozen=True):
    """What is left of a column, as a SELECT without a FROM."""

    sql: str
    parameters: dict[str, str]
    """Parameters, each with the variable or @@function whose value it has."""
    operands: dict[str, int]
    """Parameters, each with the column of the SELECT whose value it has."""


class Splitter:
    """Takes the columns of one SELECT apart that need variables which it assigns."""

    def __init__(self, scope: Scope, parameters: Mapping[str, str], line: int) -> None:
        """`line` is where the SELECT begins."""
        self._scope = scope
        self._parameters = parameters
        self._line = line
        self.operands: Final[list[exp.Expr]] = []
        """Further columns of the SELECT."""
        self.rests: Final[dict[int, Rest]] = {}
        """What is left of columns, by their places."""

    def split(self, typed: Sequence[Typed], targets: Sequence[str]) -> None:
        """The columns, of which each is assigned to its target. Errors: 40517."""
        assigned = set(targets)
        waiting = {key for key, name in self._parameters.items() if name in assigned}
        for place, each in enumerate(typed):
            if _needs(each.node, waiting):
                self._split_one(place, each.node, waiting, len(typed))

    def _split_one(self, place: int, node: exp.Expr, waiting: set[str], count: int) -> None:
        operands: dict[str, int] = {}

        def taken(part: exp.Expr) -> exp.Expr:
            key = f"o{len(self.operands)}"
            operands[key] = count + len(self.operands)
            self.operands.append(part.copy())
            collation = self._collation(part)
            return exp.Placeholder(this=key) if collation is None else collated(exp.Placeholder(this=key), collation)

        def replaced(part: exp.Expr) -> exp.Expr:
            if isinstance(part, exp.Column) or _is_whole(part):
                return taken(part)
            if _holds_query(part):
                if not _needs(part, waiting):
                    return taken(part)
                self._check_alone(part)
            return part

        rest = _transformed(exp.Select(expressions=[node.copy()]), replaced)
        used = {each.name for each in rest.find_all(exp.Placeholder)}
        parameters = {key: name for key, name in self._parameters.items() if key in used}
        self.rests[place] = Rest(rest.sql(dialect="sqlite", comments=False), parameters, operands)

    def _collation(self, part: exp.Expr) -> str | None:
        """How the texts of a column are compared; a parameter would not have it from its table."""
        if not isinstance(part, exp.Column):
            return None
        return next((found.collation for found in self._outputs(part.table) if found.name == part.name), None)

    def _outputs(self, alias: str) -> tuple[Output, ...]:
        return next((source.columns for source in self._scope.sources if source.alias == alias), ())

    def _check_alone(self, part: exp.Expr) -> None:
        """A subquery may be computed by itself when it names no table of the SELECT around (40517)."""
        around = {source.alias.casefold() for source in self._scope.sources}
        if any(column.table.casefold() in around for column in part.find_all(exp.Column)):
            words = "a subquery that needs a row and variables assigned before it"
            raise failed(OPTION_NOT_SUPPORTED, at=self._line, found=words)


def _needs(node: exp.Expr, waiting: set[str]) -> bool:
    return any(each.name in waiting for each in node.find_all(exp.Placeholder))


def _is_whole(part: exp.Expr) -> bool:
    return isinstance(part, exp.Window) or (isinstance(part, exp.Anonymous) and part.name in _WHOLE)


def _holds_query(part: exp.Expr) -> bool:
    """A subquery, or what compares with its rows: one value either way."""
    return isinstance(part, exp.Query | exp.Exists | exp.Any | exp.All) or bool(part.args.get("query"))


def _transformed(select: exp.Select, replaced: Callable[[exp.Expr], exp.Expr]) -> exp.Select:
    """The tree with parts replaced, from the top; what stands in a subquery or in the place of another part stays."""
    waiting = list(select.expressions)
    while waiting:
        part = waiting.pop()
        other = replaced(part)
        if other is not part:
            part.replace(other)
        elif not _holds_query(part):
            waiting += part.iter_expressions()
    return select
