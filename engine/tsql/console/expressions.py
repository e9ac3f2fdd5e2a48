"""Expressions of T-SQL as those of SQLite: operators become functions where the two differ.

Every expression comes with its type, known from its parts: what converts to what, whether a text is Unicode, and how
texts are compared follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from engine.tsql.console.aggregates import AGGREGATES, AggregateWriter
from engine.tsql.console.conditions import DEPTH_MAX, Nesting
from engine.tsql.console.failing import NESTED_TOO_DEEPLY, OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.functions import KINDS, SCALARS, Scalar
from engine.tsql.console.moment_functions import part_named
from engine.tsql.console.scopes import Scope, collation_named
from engine.tsql.console.session_functions import GLOBALS, SESSION_FUNCTIONS
from engine.tsql.console.typed import (
    Typed,
    call,
    collated,
    common,
    constant,
    differ,
    of_operation,
    spoken,
    text,
)
from engine.tsql.console.types import (
    BIT,
    DATETIME,
    FLOAT,
    INT,
    LENGTH_WHEN_CAST,
    MOMENTS,
    NVARCHAR,
    TEXTS,
    XML,
    SqlType,
    sql_type,
)

_ARITHMETIC: Final[dict[type[exp.Expr], str]] = {
    exp.Add: "t_add",
    exp.Sub: "t_sub",
    exp.Mul: "t_mul",
    exp.Div: "t_div",
    exp.Mod: "t_mod",
    exp.BitwiseAnd: "t_and",
    exp.BitwiseOr: "t_or",
    exp.BitwiseXor: "t_xor",
}


class ExpressionWriter(AggregateWriter):
    """Rewrites the expressions of one statement."""

    def __init__(self, queries: Nesting, variables: Mapping[str, SqlType], first_line: int) -> None:
        super().__init__(queries, first_line)
        self._variables = variables
        self.aggregates = 0
        self.bare_columns: list[tuple[exp.Column, Scope]] = []
        """Columns outside of aggregates, with the SELECT to which they belong."""
        self.in_aggregate = False
        self.parameters: Final[dict[str, str]] = {}
        """Names of parameters, each with the variable or the @@function whose value it has."""

    def value(self, node: exp.Expr, scope: Scope) -> Typed:
        """An expression. Errors: 102, 137, 191, 195, 207, 209, 4104, 40517."""
        self.count()
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise failed(NESTED_TOO_DEEPLY, at=self._line)
        try:
            return self._value(node, scope)
        finally:
            self._depth -= 1

    def _value(self, node: exp.Expr, scope: Scope) -> Typed:
        simple = constant(node)
        if simple is not None:
            return simple
        if type(node) in _ARITHMETIC:
            return self._arithmetic(node, scope)
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise failed(OPTION_NOT_SUPPORTED, at=self.line(node), found=spoken(node))
        return handler(self, node, scope)

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────────────
    def column(self, node: exp.Expr, scope: Scope) -> Typed:
        """A column of a source; also where sqlglot has left the bare name."""
        if isinstance(node, exp.Identifier):
            node = exp.Column(this=node)
        assert isinstance(node, exp.Column)
        if isinstance(node.this, exp.Star):
            raise failed(102, at=self.line(node), found="'*'", expected="an expression")
        if not isinstance(node.this, exp.Identifier):
            raise failed(102, at=self.line(node), found=f"'{node.sql()}'", expected="a column")
        if not node.table and node.name.upper() in ("USER", "SYSTEM_USER"):
            return Typed(text("dbo" if node.name.upper() == "USER" else "sa"), NVARCHAR)
        source, output, owner = scope.find(node, self._line)
        if source.use is not None:
            source.use.used[output.name] = None
        if not self.in_aggregate:
            self.bare_columns.append((node, owner))
        written = exp.column(
            exp.to_identifier(output.name, quoted=True), table=exp.to_identifier(source.alias, quoted=True)
        )
        return Typed(written, output.type, output.collation)

    def _parameter(self, node: exp.Expr, _scope: Scope) -> Typed:
        inner = node.this
        if isinstance(inner, exp.Parameter):
            name = inner.name.upper()
            if name not in GLOBALS:
                raise failed(195, at=self._line, name=f"@@{inner.name}")
            return self._bound(f"@@{name}", GLOBALS[name])
        name = f"@{node.name}"
        declared = self._variables.get(name.lower())
        if declared is None:
            raise failed(137, at=self._line, name=name)
        return self._bound(name.lower(), declared)

    def _bound(self, name: str, declared: SqlType) -> Typed:
        known = next((key for key, value in self.parameters.items() if value == name), None)
        key = known or f"p{len(self.parameters)}"
        self.parameters[key] = name
        return Typed(exp.Placeholder(this=key), declared)

    # ── operators ────────────────────────────────────────────────────────────────────────────────────────────────
    def _arithmetic(self, node: exp.Expr, scope: Scope) -> Typed:
        left, right = self.value(node.this, scope), self.value(node.expression, scope)
        kind = of_operation(node, left.type, right.type)
        is_text = kind.base in TEXTS or kind.base in ("varbinary", "binary")
        if not is_text and kind.base not in MOMENTS:
            left, right = (self.cast(each, kind) if not each.type.is_number else each for each in (left, right))
        return Typed(call(_ARITHMETIC[type(node)], left.node, right.node), kind)

    def _negative(self, node: exp.Expr, scope: Scope) -> Typed:
        inner = self.value(node.this, scope)
        number = inner if inner.type.is_number else self.cast(inner, INT)
        if isinstance(node, exp.BitwiseNot):
            return Typed(call("t_xor", number.node, exp.Literal.number(-1)), number.type)
        return Typed(call("t_sub", exp.Literal.number(0), number.node), INT if number.type == BIT else number.type)

    def cast(self, typed: Typed, target: SqlType, style: exp.Expr | None = None, *, tries: bool = False) -> Typed:
        """A piece as another type."""
        if typed.type == target and not tries:
            return typed
        arguments = [typed.node, text(str(typed.type)), text(str(target))]
        if style is not None:
            arguments.append(style)
        return Typed(call("t_try_cast" if tries else "t_cast", *arguments), target)

    def _cast(self, node: exp.Expr, scope: Scope) -> Typed:
        is_convert = isinstance(node, exp.Convert)
        kind, inner = (node.this, node.expression) if is_convert else (node.args["to"], node.this)
        tries = isinstance(node, exp.TryCast) or bool(is_convert and node.args.get("safe"))
        written = kind.sql(dialect="tsql") if isinstance(kind, exp.Expr) else str(kind)
        target = sql_type(written, LENGTH_WHEN_CAST)
        if target is None:
            raise failed(243, at=self.line(node), name=written)
        style = node.args.get("style") if is_convert else None
        return self.cast(
            self.value(inner, scope), target, None if style is None else self.value(style, scope).node, tries=tries
        )

    def _collate(self, node: exp.Expr, scope: Scope) -> Typed:
        inner = self.value(node.this, scope)
        collation = collation_named(node.expression.name)
        return Typed(collated(inner.node, collation), inner.type, collation)

    def _case(self, node: exp.Expr, scope: Scope) -> Typed:
        compared = node.args.get("this")
        results: list[Typed] = []
        branches = []
        for each in node.args["ifs"]:
            test = exp.EQ(this=compared.copy(), expression=each.this) if compared is not None else each.this
            condition = self.condition(test, scope)
            results.append(self.value(each.args["true"], scope))
            branches.append(exp.If(this=condition, true=results[-1].node))
        default = node.args.get("default")
        if default is not None:
            results.append(self.value(default, scope))
        kind = common(results)
        nodes = [self.cast(each, kind).node if differ(each.type, kind) else each.node for each in results]
        for branch, result in zip(branches, nodes, strict=False):
            branch.set("true", result)
        return Typed(exp.Case(ifs=branches, default=nodes[-1] if default is not None else None), kind)

    # ── functions and SELECTs in expressions ─────────────────────────────────────────────────────────────────────
    def _subquery(self, node: exp.Expr, scope: Scope) -> Typed:
        inner, outputs = self._queries.nested(node.this, scope)
        if len(outputs) != 1:
            raise failed(116, at=self.line(node))
        rows = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("one"), columns=[]))
        only = exp.Select(expressions=[call("t_only", exp.column("c1", quoted=True))], from_=exp.From(this=rows))
        return Typed(exp.Subquery(this=only), outputs[0].type)

    def _wrapped(self, node: exp.Expr, scope: Scope) -> Typed:
        inner = self.value(node.this, scope)
        return Typed(exp.paren(inner.node, copy=False), inner.type, inner.collation)

    def _dot(self, node: exp.Expr, scope: Scope) -> Typed:
        """`value`, `exist` and `query` of xml; everything else behind a dot is not known here."""
        method = node.expression
        name = method.name.lower() if isinstance(method, exp.Anonymous) else ""
        arguments = method.expressions if isinstance(method, exp.Anonymous) else []
        if not arguments or not all(constant(each) for each in arguments) or name not in ("value", "exist"):
            raise failed(OPTION_NOT_SUPPORTED, at=self.line(node), found=f".{name or 'method'}()")
        document = self.cast(self.value(node.this, scope), XML)
        path = text(arguments[0].name)
        if name == "exist":
            return Typed(call("t_xml_exist", document.node, path), BIT)
        wanted = sql_type(arguments[1].name) if len(arguments) > 1 else None
        if wanted is None:
            raise failed(243, at=self.line(node), name=arguments[-1].name)
        return self.cast(Typed(call("t_xml_value", document.node, path), NVARCHAR), wanted)

    def _function(self, node: exp.Expr, scope: Scope) -> Typed:
        name = node.name.upper()
        arguments = list(node.expressions)
        if name in AGGREGATES:
            return self._aggregate(name, arguments, node, scope)
        if name in ("ISNULL", "COALESCE") and len(arguments) >= 2:
            return self._first_known([self.value(each, scope) for each in arguments], is_null=name == "ISNULL")
        if name == "NULLIF" and len(arguments) == 2:
            left = self.value(arguments[0], scope)
            test = self.condition(exp.EQ(this=arguments[0].copy(), expression=arguments[1]), scope)
            return Typed(exp.Case(ifs=[exp.If(this=test, true=exp.Null())], default=left.node), left.type)
        if name == "IIF" and len(arguments) == 3:
            branch = exp.If(this=arguments[0], true=arguments[1])
            return self._case(exp.Case(ifs=[branch], default=arguments[2]), scope)
        if (scalar := SCALARS.get(name) or SESSION_FUNCTIONS.get(name)) is not None:
            return self._scalar(name, scalar, arguments, node, scope)
        raise failed(195, at=self.line(node) if arguments else self._line, name=node.name)

    def _first_known(self, values: list[Typed], *, is_null: bool) -> Typed:
        kind = values[0].type if is_null and not isinstance(values[0].node, exp.Null) else common(values)
        nodes = [self.cast(each, kind).node if differ(each.type, kind) else each.node for each in values]
        return Typed(call("coalesce", *nodes), kind)

    def _scalar(self, name: str, scalar: Scalar, arguments: list[exp.Expr], node: exp.Expr, scope: Scope) -> Typed:
        most = len(scalar.takes)
        if len(arguments) < most - scalar.optional or (len(arguments) > most and not scalar.many):
            raise failed(174, at=self.line(node) if arguments else self._line, name=name, limit=most)
        written: list[exp.Expr] = []
        kind = scalar.gives
        for number, argument in enumerate(arguments):
            letter = scalar.takes[min(number, most - 1)]
            if letter == "p":
                part = part_named(argument.name)
                if part is None:
                    raise failed(155, at=self.line(node), name=argument.name, expected=name.lower())
                written.append(text(part))
                continue
            value = self.value(argument, scope)
            # A text that is calculated with is a number then.
            kind = kind or (value.type if value.type.is_number else FLOAT)
            written.append(value.node if letter == "x" else self.cast(value, KINDS[letter]).node)
        if scalar.many:
            return Typed(call("coalesce", self._two_by_two(name, written, most - 2), text("")), kind or NVARCHAR)
        return Typed(call(f"f_{name.lower()}", *written), kind or NVARCHAR)

    def _two_by_two(self, name: str, written: list[exp.Expr], first: int) -> exp.Expr:
        """A function over values behind its `first` arguments, of which each call takes two."""
        before, values = written[:first], written[first:]
        while len(values) > 1:
            pairs = [values[at : at + 2] for at in range(0, len(values), 2)]
            values = []
            for pair in pairs:
                self.count(sum(1 for each in before for _ in each.walk()))
                values.append(
                    call(f"f_{name.lower()}", *(each.copy() for each in before), *pair) if len(pair) == 2 else pair[0]
                )
        return values[0]

    def _now(self, _node: exp.Expr, _scope: Scope) -> Typed:
        return Typed(call("f_getdate"), DATETIME)

    def _user(self, node: exp.Expr, _scope: Scope) -> Typed:
        return Typed(text("dbo"), NVARCHAR)


_Handler = Callable[[ExpressionWriter, exp.Expr, Scope], Typed]
_HANDLERS: Final[dict[type[exp.Expr], _Handler]] = {
    exp.Column: ExpressionWriter.column,
    exp.Identifier: ExpressionWriter.column,
    exp.Parameter: ExpressionWriter._parameter,
    exp.Neg: ExpressionWriter._negative,
    exp.BitwiseNot: ExpressionWriter._negative,
    exp.Cast: ExpressionWriter._cast,
    exp.TryCast: ExpressionWriter._cast,
    exp.Convert: ExpressionWriter._cast,
    exp.Collate: ExpressionWriter._collate,
    exp.Case: ExpressionWriter._case,
    exp.Subquery: ExpressionWriter._subquery,
    exp.Paren: ExpressionWriter._wrapped,
    exp.Dot: ExpressionWriter._dot,
    exp.Anonymous: ExpressionWriter._function,
    exp.Window: ExpressionWriter._window,
    exp.CurrentTimestamp: ExpressionWriter._now,
    exp.CurrentUser: ExpressionWriter._user,
    exp.SessionUser: ExpressionWriter._user,
}
