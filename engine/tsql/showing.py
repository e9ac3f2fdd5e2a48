"""Pieces of a script as errors show them: in quotes, and not too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.tsql.tokens import Token, TokenKind, Tokens

FOUND_LENGTH_MAX: Final = 40
TEMPLATE_EXPECTED: Final = "a value for this template parameter (in Management Studio: Ctrl+Shift+M)"
_WORDS_MAX: Final = 6


def quoted(text: str) -> str:
    """What was found, in quotes."""
    return f"'{text}'" if len(text) <= FOUND_LENGTH_MAX else f"'{text[:FOUND_LENGTH_MAX]}…'"


def text_of(token: Token) -> str:
    """A token as it was found; one that has quotes of its own gets no others."""
    if token.kind is TokenKind.END:
        return "the end of the script"
    is_template_in_quotes = token.kind is TokenKind.TEMPLATE and not token.text.startswith("<")
    has_quotes = token.kind in (TokenKind.STRING, TokenKind.QUOTED_NAME) or is_template_in_quotes
    return token.text if has_quotes and len(token.text) <= FOUND_LENGTH_MAX else quoted(token.text)


def blamed(tokens: Tokens, index: int, expected: str) -> tuple[Token, str]:
    """The token that an error at `index` is about, and what must stand there.

    At a parameter of a template that is its value, whatever else could be. A validation that needs more is blamed
    itself, not the GO in which the next line begins.
    """
    token = tokens[index]
    if token.kind is TokenKind.TEMPLATE:
        return token, TEMPLATE_EXPECTED
    if index > 0 and (before := tokens[index - 1]).is_word("VALID_XML") and expected == "WITH":
        return before, "VALID_XML WITH SCHEMA COLLECTION and a name"
    return token, expected


def beginning_of(tokens: Sequence[Token]) -> str:
    """The first words of a statement; texts in quotes are left out, they may be secrets."""
    words = []
    for token in tokens[:_WORDS_MAX]:
        if token.kind not in (TokenKind.WORD, TokenKind.QUOTED_NAME):
            break
        words.append(token.text)
    return " ".join(words) or tokens[0].text[:FOUND_LENGTH_MAX]
