"""`Typed`: a piece of a statement for SQLite with its type in T-SQL, and the rules by which types meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlglot import exp

from engine.tsql.console.failing import failed
from engine.tsql.console.types import (
    BIGINT,
    BINARIES,
    COUNTED,
    FLOAT,
    INT,
    MAX,
    MOMENTS,
    NVARCHAR,
    TEXTS,
    UNICODE,
    VARBINARY,
    VARCHAR,
    SqlType,
)


class Typed(NamedTuple):
    """A piece of a statement."""

    node: exp.Expr
    type: SqlType
    collation: str | None = None
    """How the texts of a column are compared; None for what is no column."""


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    """A function among those that are given to the tables in memory, or one of SQLite's."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def name_of(name: str) -> exp.Identifier:
    """A name in double quotes."""
    return exp.Identifier(this=name, quoted=True)


def column_of(table: str, column: str) -> exp.Column:
    """A column of a table, each by its name."""
    return exp.Column(this=name_of(column), table=name_of(table))


def text(value: str) -> exp.Expr:
    """A text."""
    return exp.Literal.string(value)


def constant(node: exp.Expr) -> Typed | None:
    """A literal; None for everything else."""
    match node:
        case exp.National():
            return Typed(text(node.name), NVARCHAR)
        case exp.Literal() if node.is_string:
            return Typed(text(node.name), VARCHAR)
        case exp.Literal():
            return _number(node.name)
        case exp.HexString():
            digits = node.name
            return Typed(exp.HexString(this=digits if len(digits) % 2 == 0 else "0" + digits), VARBINARY)
        case exp.Null():
            return Typed(exp.Null(), INT)
        case _:
            return None


def _number(digits: str) -> Typed:
    node = exp.Literal.number(digits)
    if not digits.isascii() or not digits.isdigit():
        is_float = "e" in digits.lower()
        scale = len(digits.partition(".")[2])
        return Typed(node, FLOAT if is_float else SqlType("decimal", 38, min(scale, 38)))
    if len(digits) > 19 or int(digits) >= 2**63:
        return Typed(exp.Literal.number(digits + ".0"), SqlType("decimal", 38, 0))
    return Typed(node, INT if int(digits) < 2**31 else BIGINT)


_STRENGTH: Final = {
    "datetime2": 29,
    "datetimeoffset": 30,
    "datetime": 28,
    "smalldatetime": 27,
    "date": 26,
    "time": 25,
    "xml": 24,
    "float": 20,
    "real": 19,
    "decimal": 18,
    "numeric": 18,
    "money": 17,
    "smallmoney": 16,
    "bigint": 15,
    "int": 14,
    "smallint": 13,
    "tinyint": 12,
    "bit": 11,
    "uniqueidentifier": 9,
    "ntext": 8,
    "text": 7,
    "nvarchar": 6,
    "sysname": 6,
    "nchar": 5,
    "varchar": 4,
    "char": 3,
    "varbinary": 2,
    "image": 2,
    "binary": 1,
}
"""Of two types that meet the weaker converts to the stronger one (the vendor's data type precedence)."""


def stronger(one: SqlType, other: SqlType) -> SqlType:
    """The type in which two values meet."""
    if _STRENGTH[one.base] == _STRENGTH[other.base]:
        return one if _room(one) >= _room(other) else other
    return one if _STRENGTH[one.base] > _STRENGTH[other.base] else other


def _room(kind: SqlType) -> int:
    return 2**31 if kind.length == MAX else kind.length or 0


def common(values: Sequence[Typed]) -> SqlType:
    """The type in which several values meet; NULL has no say."""
    kinds = [each.type for each in values if not isinstance(each.node, exp.Null)]
    found = kinds[0] if kinds else INT
    for kind in kinds[1:]:
        found = stronger(found, kind)
        if found.base in TEXTS and kind.base in TEXTS and found.length != kind.length:
            found = SqlType(found.base, MAX)
    return found


def family(kind: SqlType) -> str:
    """Types of one family are kept alike and compare without conversion."""
    if kind.is_number:
        return "number"
    if kind.base in TEXTS:
        return "text"
    if kind.base in MOMENTS:
        return "moment"
    return "binary" if kind.base in BINARIES else kind.base


def differ(one: SqlType, other: SqlType) -> bool:
    """Whether a value of one type has to be converted before it meets the other."""
    return family(one) != family(other)


def collated(node: exp.Expr, collation: str) -> exp.Expr:
    """A text that is compared in a certain way."""
    return exp.Collate(this=exp.paren(node, copy=False), expression=exp.Var(this=collation))


def of_operation(node: exp.Expr, left: SqlType, right: SqlType) -> SqlType:
    """The type that an operator gives."""
    families = {family(left), family(right)}
    if families <= {"text"}:
        return NVARCHAR if UNICODE & {left.base, right.base} else VARCHAR
    if families == {"binary"}:
        return VARBINARY
    found = stronger(left, right)
    if not found.is_number:
        return INT
    if found.base == "bit":
        return INT
    if found.base in ("decimal", "numeric"):
        scale = max(left.scale, right.scale)
        wanted = max(6, scale) if isinstance(node, exp.Div) else scale
        wanted = left.scale + right.scale if isinstance(node, exp.Mul) else wanted
        return SqlType("decimal", 38, min(wanted, 12))
    return found


_OPERATORS: Final[dict[type[exp.Expr], str]] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
}


def of_moments(node: exp.Expr, left: SqlType, right: SqlType, line: int) -> SqlType:
    """The type that an operator gives of which one side is a moment, and to which both are converted.

    Only + and - do, and only of datetime and smalldatetime. Errors: 206, 402, 8117.
    """
    operator = _OPERATORS[type(node)]
    moment, other = (left, right) if left.base in MOMENTS else (right, left)
    is_sum = operator in "+-"
    if operator in "&|^" or (is_sum and _is_incompatible(moment, other)):
        raise failed(402, at=line, name=operator, found=str(left), expected=str(right))
    if is_sum and not other.is_number and family(other) not in ("moment", "text", "binary"):
        raise failed(206, at=line, found=str(left), expected=str(right))
    if is_sum and moment.base not in COUNTED and other.base not in MOMENTS:
        raise failed(206, at=line, found=str(left), expected=str(right))
    if not is_sum or moment.base not in COUNTED:
        raise failed(8117, at=line, name=operator, expected=str(moment))
    return SqlType(stronger(moment, other).base if other.base in MOMENTS else moment.base)


def _is_incompatible(moment: SqlType, other: SqlType) -> bool:
    """Two kinds of moments that do not meet, or a text beside a moment that no text becomes by itself."""
    if other.base in MOMENTS:
        return moment.base != other.base and not {moment.base, other.base} <= COUNTED
    return moment.base not in COUNTED and family(other) in ("text", "binary")


_SPOKEN: Final = {
    "Boolean": "TRUE",
    "DPipe": "||",
    "Dot": "a method",
    "ForClause": "FOR XML",
    "Lateral": "APPLY",
    "Pivot": "PIVOT",
}


def spoken(node: exp.Expr) -> str:
    """What a piece of a statement is called in an error: its words, in short."""
    known = _SPOKEN.get(type(node).__name__)
    if known is not None:
        return known
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Func):
        function = node.this.name if isinstance(node.this, exp.Anonymous) else node.this.sql_name()
        return ".".join([each for each in (node.catalog, node.db) if each] + [function])
    try:
        words = node.sql(dialect="tsql")
    except Exception:  # what cannot be written has at least a kind
        words = type(node).__name__
    return words if len(words) <= 60 else words[:60] + "…"
