"""Which syntax of sqlglot the console carries out: what is not listed here is refused and never ignored.

sqlglot reads more than T-SQL and more than is done here. Each kind of node has the arguments that `querying`,
`fromming` and `expressions` look at; a node of another kind, or another argument of one, is refused with 40517.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from engine.tsql.console.aggregates import AGGREGATES, WINDOW_FUNCTIONS
from engine.tsql.console.failing import NOT_MODELLED, OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.functions import SCALARS
from engine.tsql.console.scopes import line_of
from engine.tsql.console.server_names import no_function, no_type
from engine.tsql.console.session_functions import GLOBALS, SESSION_FUNCTIONS
from engine.tsql.console.typed import constant, spoken
from engine.tsql.console.types import LENGTH_WHEN_CAST, SqlType, sql_type
from engine.tsql.console.unmodelled_views import is_unmodelled, unmodelled_column
from engine.tsql.console.xml_paths import TEXT, path_of
from engine.tsql.words import words

_TABLE_HINTS: Final = words(
    "FORCESCAN FORCESEEK INDEX NOEXPAND NOLOCK NOWAIT PAGLOCK READCOMMITTED READPAST READUNCOMMITTED ROWLOCK"
)
"""Hints that change no result here: a SELECT waits for no lock and takes none."""

_ARGUMENTS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    # statements and clauses
    exp.Select: (
        "with_",
        "expressions",
        "distinct",
        "from_",
        "joins",
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "options",
    ),
    exp.Union: ("with_", "this", "expression", "distinct", "order", "limit", "offset", "options"),
    exp.Except: ("with_", "this", "expression", "distinct", "order", "limit", "offset", "options"),
    exp.Intersect: ("with_", "this", "expression", "distinct", "order", "limit", "offset", "options"),
    exp.Subquery: ("this", "alias", "with_"),
    exp.Insert: ("with_", "this", "expression"),
    exp.Update: ("this", "expressions", "where"),
    exp.Delete: ("this", "where"),
    exp.With: ("expressions",),
    exp.CTE: ("this", "alias"),
    exp.From: ("this",),
    exp.Join: ("this", "on", "side", "kind", "hint"),
    exp.Where: ("this",),
    exp.Group: ("expressions",),
    exp.Having: ("this",),
    exp.Order: ("expressions",),
    exp.Ordered: ("this", "desc", "nulls_first"),
    exp.Limit: ("expression", "limit_options"),
    exp.Fetch: ("direction", "count", "limit_options"),
    exp.LimitOptions: ("rows",),
    exp.Offset: ("expression",),
    exp.QueryOption: ("this", "expression"),
    exp.Distinct: ("expressions",),
    # tables and names
    exp.Table: ("this", "alias", "db", "catalog", "hints"),
    exp.WithTableHint: ("expressions",),
    exp.TableAlias: ("this", "columns"),
    exp.Values: ("expressions", "alias"),
    exp.Schema: ("this", "expressions"),
    exp.Tuple: ("expressions",),
    exp.Alias: ("this", "alias"),
    exp.Column: ("this", "table", "db", "catalog"),
    exp.Identifier: ("this", "quoted"),
    exp.Star: (),
    exp.Dot: ("this", "expression"),
    exp.Var: ("this",),
    # values
    exp.Literal: ("this", "is_string"),
    exp.National: ("this",),
    exp.HexString: ("this",),
    exp.Null: (),
    exp.Parameter: ("this",),
    exp.Anonymous: ("this", "expressions"),
    exp.Window: ("this", "partition_by", "order", "over"),
    exp.Cast: ("this", "to"),
    exp.TryCast: ("this", "to", "safe"),
    exp.Convert: ("this", "expression", "style", "safe"),
    exp.DataType: ("this", "expressions", "nested", "kind"),
    exp.DataTypeParam: ("this",),
    exp.Collate: ("this", "expression"),
    exp.Case: ("this", "ifs", "default"),
    exp.If: ("this", "true"),
    exp.Paren: ("this",),
    exp.Neg: ("this",),
    exp.BitwiseNot: ("this",),
    exp.CurrentTimestamp: (),
    exp.CurrentUser: (),
    exp.SessionUser: (),
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Mod), ("this", "expression")),
    exp.Div: ("this", "expression", "typed"),
    **dict.fromkeys((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor), ("this", "expression")),
    # conditions
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is), ("this", "expression")),
    **dict.fromkeys((exp.And, exp.Or), ("this", "expression")),
    exp.Not: ("this",),
    exp.Between: ("this", "low", "high"),
    exp.In: ("this", "expressions", "query"),
    exp.Exists: ("this",),
    exp.Like: ("this", "expression", "negate"),
    exp.Escape: ("this", "expression"),
}
SUPPORTED: Final = {kind: frozenset(arguments) for kind, arguments in _ARGUMENTS.items()}
"""Kinds of nodes, each with its arguments that are carried out."""

_WORDS: Final = {
    "alternative": "INSERT OR",
    "default": "DEFAULT VALUES",
    "except_": "* EXCEPT (…)",
    "for_": "FOR XML or FOR JSON",
    "from_": "UPDATE … FROM",
    "grouping_sets": "GROUPING SETS",
    "into": "SELECT … INTO",
    "joins": "JOIN … JOIN … ON … ON",
    "laterals": "APPLY",
    "method": "NATURAL JOIN",
    "on": "DISTINCT ON",
    "tables": "TOP",
    "limit": "TOP",
    "percent": "TOP … PERCENT",
    "pivots": "PIVOT",
    "returning": "OUTPUT",
    "sample": "TABLESAMPLE",
    "spec": "OVER (… ROWS …)",
    "system_time": "FOR SYSTEM_TIME",
    "temporary": "#…",
    "version": "FOR SYSTEM_TIME",
    "when": "FOR SYSTEM_TIME",
    "with_": "WITH … UPDATE",
    "with_ties": "WITH TIES",
}
"""What arguments are in T-SQL, where their names do not say it."""
_METHODS: Final = {"value": 2, "exist": 1, "query": 1}
"""Methods of xml, each with how many texts it takes."""
_JOINS: Final = frozenset({"", "INNER", "OUTER", "CROSS"})
_FUNCTIONS: Final = frozenset(
    {*AGGREGATES, *WINDOW_FUNCTIONS, *SCALARS, *SESSION_FUNCTIONS, "COALESCE", "IIF", "ISNULL", "NULLIF"}
)
"""Functions that are carried out."""


def check_supported(tree: exp.Expr, first_line: int) -> None:
    """Refuse a statement with anything that the console would ignore. Errors: 102, 195, 243, 40515, 40517."""
    for node in tree.walk():
        line = line_of(node, first_line)
        known = SUPPORTED.get(type(node))
        if known is None:
            raise failed(OPTION_NOT_SUPPORTED, at=line, found=spoken(node))
        for argument, value in node.args.items():
            if value not in (None, False, []) and argument not in known:
                found = _WORDS.get(argument, argument.strip("_").replace("_", " ").upper())
                raise failed(OPTION_NOT_SUPPORTED, at=line, found=found)
        match node:
            case exp.Join():
                _check_join(node, line)
            case exp.WithTableHint():
                _check_hints(node, line)
            case exp.Table() if is_unmodelled(node.db, node.name):
                raise failed(NOT_MODELLED, at=line, name=f"{node.db or 'sys'}.{node.name}")
            case exp.Column() if (name := unmodelled_column(node)) is not None:
                raise failed(NOT_MODELLED, at=line, name=name)
            case exp.Table() if node.args.get("alias") and node.args["alias"].args.get("columns"):
                raise failed(OPTION_NOT_SUPPORTED, at=line, found="AS … (…)")
            case exp.Dot() if isinstance(node.expression, exp.Anonymous):
                _check_method(node.expression, line)
            case exp.Subquery() if not isinstance(node.this, exp.Query):
                raise failed(OPTION_NOT_SUPPORTED, at=line, found="(… JOIN …)")
            case exp.Anonymous() if not isinstance(node.parent, exp.Dot | exp.Table | exp.WithTableHint):
                if node.name.upper() not in _FUNCTIONS:
                    raise no_function(node.name, line)
            case exp.Parameter() if isinstance(node.this, exp.Parameter):
                if node.this.name.upper() not in GLOBALS:
                    raise no_function(f"@@{node.this.name}", line)
            case exp.Cast() | exp.Convert():
                _check_type(node, line)
            case exp.Ordered() if bool(node.args.get("nulls_first")) is bool(node.args.get("desc")):
                raise failed(102, at=line, found="'NULLS'", expected="the end of the statement")


def _check_join(node: exp.Join, line: int) -> None:
    if node.kind not in _JOINS:
        raise failed(OPTION_NOT_SUPPORTED, at=line, found=f"{node.kind} JOIN")


def _check_hints(node: exp.WithTableHint, line: int) -> None:
    for hint in node.expressions:
        if hint.name.upper() not in _TABLE_HINTS:
            raise failed(OPTION_NOT_SUPPORTED, at=line, found=f"WITH ({hint.name.upper()})")


def _check_type(node: exp.Cast | exp.Convert, line: int) -> None:
    if cast_type(node) is None:
        raise no_type(written_type(node), line)


def written_type(node: exp.Expr) -> str:
    """The type that a CAST or CONVERT names, as it is written."""
    kind = node.this if isinstance(node, exp.Convert) else node.args["to"]
    return str(kind.sql(dialect="tsql") if isinstance(kind, exp.Expr) else kind)


def cast_type(node: exp.Expr) -> SqlType | None:
    """The type that a CAST or CONVERT leads to; None for one that is not known here."""
    return sql_type(written_type(node), LENGTH_WHEN_CAST)


def _check_method(method: exp.Anonymous, line: int) -> None:
    """A method of xml with a path that is understood."""
    arguments = method.expressions
    if len(arguments) != _METHODS.get(method.name.lower()) or not all(constant(each) for each in arguments):
        raise failed(OPTION_NOT_SUPPORTED, at=line, found=f".{method.name}()")
    path = path_of(arguments[0].name)
    is_attribute = path is not None and path.last is not None and path.last.name != TEXT
    if path is None or (is_attribute and method.name.lower() == "query"):
        raise failed(OPTION_NOT_SUPPORTED, at=line, found=f".{method.name}('{arguments[0].name}')")
