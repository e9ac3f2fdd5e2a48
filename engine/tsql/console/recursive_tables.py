"""Common table expressions that name themselves: their anchor, their recursive members, and what these may hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlglot import exp

from engine.tsql.console.failing import OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.values import Value

LEVEL: Final = "@recursion_level"
"""The column that counts, for each row, how many times a recursive member has been carried out; it has no other name
in T-SQL, whose columns of a common table expression are listed."""
DEPTH_DEFAULT: Final = 100
DEPTH_MAX: Final = 32_767
"""The largest MAXRECURSION; 0 is without a limit."""


class Member(NamedTuple):
    """A SELECT that goes on from the rows before it."""

    select: exp.Select
    alias: str
    """What the common table expression is called in its FROM clause."""


class Recursion(NamedTuple):
    """A common table expression that names itself."""

    anchor: exp.Expr
    members: tuple[Member, ...]


def recursion_of(table: exp.CTE, line: int) -> Recursion | None:
    """The parts of a recursive expression; None for any other. Errors: 246, 252, 253, 460, 461, 462, 465, 467."""
    name = table.alias
    node = _bare(table.this)
    if not _names(node, name):
        return None
    if any(node.args.get(each) for each in ("order", "limit", "offset")):
        raise failed(461, at=line, name=name)
    members: list[Member] = []
    while isinstance(node, exp.SetOperation) and _names(node.expression, name):
        if not isinstance(node, exp.Union) or node.args.get("distinct"):
            raise failed(252, at=line, name=name)
        members.append(_member(_bare(node.expression), name, line))
        node = _bare(node.this)
    if _names(node, name):
        raise failed(246 if members or isinstance(node, exp.SetOperation) else 252, at=line, name=name)
    return Recursion(node, tuple(reversed(members)))


def deepest(tree: exp.Expr, line: int) -> int:
    """What OPTION (MAXRECURSION n) of a statement says, or 100. Errors: 102, 310."""
    for option in tree.find_all(exp.QueryOption):
        if option.name.upper() == "MAXRECURSION":
            number = option.args.get("expression")
            digits = number.name if isinstance(number, exp.Literal) else ""
            if not digits.isascii() or not digits.isdigit():
                raise failed(102, at=line, found="MAXRECURSION", expected="a number")
            if len(digits) > 9 or int(digits) > DEPTH_MAX:
                raise failed(310, at=line, value=digits, limit=DEPTH_MAX)
            return int(digits)
    return DEPTH_DEFAULT


def deeper(level: Value, limit: Value) -> Value:
    """The level of a row that a recursive member makes of one; 530 beyond the limit, 0 is none."""
    if not isinstance(level, int) or not isinstance(limit, int):
        return None
    if 0 < limit <= level:
        raise failed(530, limit=limit)
    return level + 1


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Subquery | exp.Paren) and not node.alias:
        node = node.this
    return node


def _references(node: exp.Expr, name: str) -> Iterator[exp.Table]:
    """Where a SELECT names the common table expression, in its subqueries too."""
    folded = name.casefold()
    for each in node.find_all(exp.Table):
        is_bare = isinstance(each.this, exp.Identifier) and not each.db and not each.catalog
        if is_bare and each.name.casefold() == folded:
            yield each


def _names(node: exp.Expr, name: str) -> bool:
    return next(_references(node, name), None) is not None


def _member(node: exp.Expr, name: str, line: int) -> Member:
    if not isinstance(node, exp.Select):
        raise failed(252, at=line, name=name)
    joins = node.args.get("joins") or []
    clause = node.args.get("from_")
    tables = [*([clause.this] if clause is not None else []), *(join.this for join in joins)]
    found = list(_references(node, name))
    outside = [each for each in found if any(each is table for table in tables)]
    if len(outside) < len(found):
        raise failed(465, at=line, name=name)
    if len(found) > 1:
        raise failed(253, at=line, name=name)
    if node.args.get("distinct"):
        raise failed(460, at=line, name=name)
    if node.args.get("limit") or node.args.get("offset") or node.args.get("order"):
        raise failed(461, at=line, name=name)
    if any(join.side for join in joins):
        raise failed(462, at=line, name=name)
    if node.args.get("group") or node.args.get("having"):
        raise failed(467, at=line, name=name)
    if any(node.find_all(exp.Window)):
        raise failed(OPTION_NOT_SUPPORTED, at=line, found=f"OVER in the recursive part of {name}")
    return Member(node, found[0].alias or found[0].name)
