"""Reading DECLARE and SET."""

from __future__ import annotations

from typing import Final

from engine.tsql.console.assigning import OPERATORS
from engine.tsql.console.failing import NOT_SUPPORTED, OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.pieces import Walker
from engine.tsql.console.program import Declare, DeclareTable, Expression, SetOption, SetVariable, Step, Unsupported
from engine.tsql.console.reading_tables import Beyond, table_columns
from engine.tsql.console.types import SqlType
from engine.tsql.following import Missing
from engine.tsql.tokens import TokenKind

_SETTINGS: Final = frozenset(
    {
        *("ANSI_NULLS", "ANSI_PADDING", "ANSI_WARNINGS", "ARITHABORT", "CONCAT_NULL_YIELDS_NULL", "QUOTED_IDENTIFIER"),
        *(
            "NUMERIC_ROUNDABORT",
            "IMPLICIT_TRANSACTIONS",
            "NOCOUNT",
            "XACT_ABORT",
            "ANSI_DEFAULTS",
            "CURSOR_CLOSE_ON_COMMIT",
        ),
    }
)
_ONLY_OFF: Final = frozenset({"IMPLICIT_TRANSACTIONS", "ANSI_DEFAULTS"})
"""What would change what statements do: ANSI_DEFAULTS begins transactions too."""
_WITH_VALUE: Final = ("LOCK_TIMEOUT", "DEADLOCK_PRIORITY", "LANGUAGE", "DATEFORMAT", "DATEFIRST", "TEXTSIZE")


def unsupported(walker: Walker, words: str, number: int = NOT_SUPPORTED) -> Unsupported:
    """A statement of T-SQL that is stepped over; when it is its turn to run it fails."""
    line = walker.token.line
    walker.index = max(walker.end_of_statement(), walker.index)
    return Unsupported(line=line, words=words, number=number)


def declare_step(walker: Walker) -> Step:
    """DECLARE of variables, or of a table variable. Errors: 134, 243, 2705."""
    line = walker.token.line
    walker.index += 1
    if walker.ahead.is_word("CURSOR") or walker.at(2).is_word("CURSOR"):
        return unsupported(walker, "DECLARE … CURSOR")
    table = walker.ahead if walker.ahead.is_word("TABLE") else walker.at(2)
    if table.is_word("TABLE") and (walker.ahead is table or walker.ahead.is_word("AS")):
        return _declared_table(walker, line)
    made = [_declared_variable(walker)]
    while walker.mark(","):
        made.append(_declared_variable(walker))
    return Declare(line=line, variables=tuple(made))


def _new_variable(walker: Walker) -> str:
    token = walker.token
    walker.need(TokenKind.VARIABLE)
    name = token.text.lower()
    if name.startswith("@@") or len(name) < 2:
        raise Missing(walker.index - 1, "the name of a variable")
    if name in walker.declared:
        raise failed(134, at=token.line, name=token.text)
    return name


def _declared_variable(walker: Walker) -> tuple[str, SqlType, Expression | None]:
    name = _new_variable(walker)
    walker.word("AS")
    declared = walker.type_here()
    value = walker.expression() if walker.mark("=") else None
    walker.declared.add(name)
    return name, declared, value


def _declared_table(walker: Walker, line: int) -> Step:
    start = walker.index
    name = _new_variable(walker)
    walker.word("AS")
    walker.need_word("TABLE")
    walker.declared.add(name)
    try:
        columns, keys = table_columns(walker)
    except Beyond as beyond:
        walker.index = start
        return unsupported(walker, beyond.words, OPTION_NOT_SUPPORTED)
    if not columns or len({column.name.casefold() for column in columns}) < len(columns):
        raise failed(2705, at=line, name=name)
    return DeclareTable(line=line, name=name, columns=columns, keys=keys)


def set_step(walker: Walker) -> Step:
    """SET of a variable, or of an option of the session."""
    line = walker.token.line
    walker.index += 1
    if walker.token.kind is TokenKind.VARIABLE:
        start = walker.index
        name = walker.variable()
        if walker.token.is_mark("."):
            return unsupported(walker, f"SET {walker.tokens[start].text}.{walker.ahead.text}()", OPTION_NOT_SUPPORTED)
        operator = walker.token.value if walker.token.is_mark(walker.token.value) else ""
        combined = operator in OPERATORS and walker.ahead.is_mark("=")
        walker.index += combined
        walker.need_mark("=")
        value = walker.expression()
        if combined:
            value = Expression(f"{walker.tokens[start].text} {operator} ({value.text})", value.line)
        return SetVariable(line=line, name=name, value=value)
    return _set_option(walker, line)


def _set_option(walker: Walker, line: int) -> Step:
    """SET of options. What is not known, or would have to do something, is refused and not stepped over."""
    first = walker.token
    if first.value in ("TRANSACTION", *_WITH_VALUE):
        walker.index = walker.end_of_statement()
        return SetOption(line=line, options=(first.value,), is_on=True)
    options: list[str] = []
    while True:
        if walker.token.value not in _SETTINGS:
            return unsupported(walker, f"SET {walker.token.text}", OPTION_NOT_SUPPORTED)
        options.append(walker.token.value)
        walker.index += 1
        if not walker.mark(","):
            break
    is_on = walker.need_word("ON", "OFF") == "ON"
    refused = next((option for option in options if option in _ONLY_OFF), None)
    if is_on and refused is not None:
        return Unsupported(line=line, words=f"SET {refused} ON", number=OPTION_NOT_SUPPORTED)
    return SetOption(line=line, options=tuple(options), is_on=is_on)
