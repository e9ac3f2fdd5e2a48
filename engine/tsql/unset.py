"""Variables that only the client knows, in statements that would mean something else with their values."""

from __future__ import annotations

from collections.abc import Iterator

from engine.tsql.tokens import TokenKind, Tokens
from engine.tsql.variables import USED


def unset_in(tokens: Tokens, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Lines and names of the variables in names and texts of a statement, but for passwords, which are not kept."""
    for index in range(start, end) if tokens.has_variables else ():
        token = tokens[index]
        if token.kind not in (TokenKind.STRING, TokenKind.QUOTED_NAME):
            continue
        if index > start + 1 and tokens[index - 1].is_mark("=") and tokens[index - 2].is_word("PASSWORD"):
            continue
        for found in USED.finditer(token.value):
            yield token.line + token.text.count("\n", 0, max(token.text.find(found[0]), 0)), found["name"]
