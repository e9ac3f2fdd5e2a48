"""Reading SELECTs and expressions with sqlglot, told to leave functions as they are written.

What sqlglot knows of functions serves its translations; here every name is looked up in `functions`, so that what is
not known says so, and what is known does exactly what the vendor's does.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import TokenType

from engine.tsql.console.failing import NESTED_TOO_DEEPLY, SYNTAX_ERROR, StatementFailed, failed
from engine.tsql.console.supported_syntax import check_supported
from engine.tsql.spending import spend

_CASTS = ("CAST", "TRY_CAST", "CONVERT", "TRY_CONVERT")
_BASE_PARSER: Any = TSQL.Parser


class ConsoleTsql(TSQL):
    """T-SQL whose functions are names and arguments."""

    class Parser(_BASE_PARSER):  # type: ignore[misc]
        """Only the functions with a grammar of their own are more than that; what is no T-SQL is not read."""

        QUERY_MODIFIER_PARSERS: ClassVar[dict[Any, Any]] = {
            kind: parser for kind, parser in _BASE_PARSER.QUERY_MODIFIER_PARSERS.items() if kind is not TokenType.LIMIT
        }
        COLUMN_OPERATORS: ClassVar[dict[Any, Any]] = {
            kind: parser for kind, parser in _BASE_PARSER.COLUMN_OPERATORS.items() if kind is not TokenType.DCOLON
        }

        def _advance(self, times: int = 1) -> None:
            spend()
            super()._advance(times)

        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {name: _BASE_PARSER.FUNCTION_PARSERS[name] for name in _CASTS}
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: _BASE_PARSER.NO_PAREN_FUNCTION_PARSERS[name] for name in ("ANY", "CASE")
        }

        def _parse_join(self, *arguments: Any, **named: Any) -> exp.Expr | None:
            """A join; only the comma and CROSS do without a condition."""
            is_comma = self._curr is not None and self._curr.token_type is TokenType.COMMA
            join: exp.Expr | None = super()._parse_join(*arguments, **named)
            if isinstance(join, exp.Join) and not is_comma and not _does_without_condition(join):
                self.raise_error("Expected ON")
            return join

        def _warn_unsupported(self) -> None:
            """What is not read is refused with a number, and needs no line in a log."""


def _does_without_condition(join: exp.Join) -> bool:
    has_condition = any(join.args.get(each) for each in ("on", "using", "method"))
    return has_condition or join.kind == "CROSS" or isinstance(join.this, exp.Lateral)


def parsed(text: str, first_line: int) -> exp.Expr:
    """The one statement that a text is. Errors: 102 with its line, 191, 40517."""
    try:
        trees = ConsoleTsql().parse(text)
    except ParseError as error:
        where: dict[str, Any] = error.errors[0] if error.errors else {}
        line = first_line + int(where.get("line") or 1) - 1
        found = str(where.get("highlight") or "").strip() or "the end of the statement"
        raise failed(SYNTAX_ERROR, at=line, found=f"'{found}'", expected="an expression") from None
    except TokenError:
        raise _unreadable(first_line) from None
    except RecursionError:
        raise failed(NESTED_TOO_DEEPLY, at=first_line) from None
    except Exception:  # whatever else a reader of another house raises for nonsense
        # What ends the script is raised again.
        spend()
        raise _unreadable(first_line) from None
    if len(trees) != 1 or trees[0] is None:
        raise _unreadable(first_line)
    check_supported(trees[0], first_line)
    return trees[0]


def _unreadable(line: int) -> StatementFailed:
    return failed(SYNTAX_ERROR, at=line, found="the statement", expected="an expression")
