"""The conditions that are understood: IF [NOT] EXISTS (…), and IF DB_ID(…) IS [NOT] NULL with its kin.

They stand in front of a statement or a block, and say that what it is about is there already, or is not.
"""

from __future__ import annotations

from typing import Final

from engine.tsql.statement_base import Guard
from engine.tsql.tokens import TokenKind, Tokens

_BATCH_ENDS = (TokenKind.SEPARATOR, TokenKind.COMMAND, TokenKind.END)
_IDENTIFYING: Final = (
    *("DB_ID", "OBJECT_ID", "USER_ID", "DATABASE_PRINCIPAL_ID", "SUSER_ID", "SUSER_SID", "CERT_ID", "CERTENCODED"),
    "SCHEMA_ID",
)
"""Functions that are NULL for what there is not."""


def existence(tokens: Tokens, index: int) -> tuple[Guard, int] | None:
    """The condition that begins with IF at `index`, and where it ends; None when it is another one."""
    index += 1
    if tokens[index].is_word(*_IDENTIFYING) and tokens[index + 1].is_mark("("):
        return _identified(tokens, index + 1)
    guard = Guard.EXISTS
    if tokens[index].is_word("NOT"):
        guard, index = Guard.NOT_EXISTS, index + 1
    if not tokens[index].is_word("EXISTS") or not tokens[index + 1].is_mark("("):
        return None
    end = _end_of_parentheses(tokens, index + 1)
    return None if end is None or tokens[end].is_word("AND", "OR") else (guard, end)


def _identified(tokens: Tokens, index: int) -> tuple[Guard, int] | None:
    """IS [NOT] NULL behind the parentheses that open at `index`."""
    end = _end_of_parentheses(tokens, index)
    if end is None or not tokens[end].is_word("IS"):
        return None
    is_there = tokens[end + 1].is_word("NOT")
    last = end + 1 + is_there
    if not tokens[last].is_word("NULL") or tokens[last + 1].is_word("AND", "OR"):
        return None
    return (Guard.EXISTS if is_there else Guard.NOT_EXISTS), last + 1


def _end_of_parentheses(tokens: Tokens, index: int) -> int | None:
    depth = 0
    while tokens[index].kind not in _BATCH_ENDS:
        depth += tokens[index].is_mark("(") - tokens[index].is_mark(")")
        index += 1
        if depth == 0:
            return index
    return None
