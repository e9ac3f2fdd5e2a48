"""A script cut into batches at GO, each with how often it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.tsql.client_lines import on_error
from engine.tsql.console.failing import SYNTAX_ERROR, UNCLOSED_COMMENT, UNCLOSED_QUOTE, StatementFailed, failed
from engine.tsql.showing import TEMPLATE_EXPECTED, quoted, text_of
from engine.tsql.tokens import TokenKind, Tokens, Unclosed
from engine.tsql.variables import is_setting

REPEATS_MAX: Final = 1000
_EXIT, _IGNORE = "exit", "ignore"
_TIMES: Final = re.compile(r"GO\s+(\d+)", re.IGNORECASE | re.ASCII)


class Batch(NamedTuple):
    """One batch: its first token, and how often it runs; `problem` is why it does not run at all."""

    start: int
    times: int
    problem: StatementFailed | None
    exits_on_error: bool | None = None
    """What a line `:on error` says of the batches that follow; such a batch is that line alone."""


def batches(tokens: Tokens) -> Iterator[Batch]:
    """The batches of a script, in order, without those in which nothing stands."""
    index, start, first_unclosed = 0, 0, 0
    problem: StatementFailed | None = None
    while True:
        token = tokens[index]
        mode = on_error(token.text) if token.kind is TokenKind.COMMAND else None
        if token.kind is TokenKind.COMMAND:
            problem = problem or _refused(token.text, token.line, mode)
        if token.kind is TokenKind.TEMPLATE:
            problem = problem or failed(SYNTAX_ERROR, at=token.line, found=text_of(token), expected=TEMPLATE_EXPECTED)
        if token.kind in (TokenKind.SEPARATOR, TokenKind.COMMAND, TokenKind.END):
            unclosed = tokens.unclosed[first_unclosed:]
            if unclosed:
                first_unclosed = len(tokens.unclosed)
                problem = _never_ends(unclosed[0])
            times, wrong = _times(token.text, token.line) if token.kind is TokenKind.SEPARATOR else (1, None)
            if index > start or problem is not None:
                yield Batch(start, times, problem or wrong)
            if mode is not None and problem is None:
                yield Batch(index, 0, None, mode == _EXIT)
            problem = None
            start = index + 1
            if token.kind is TokenKind.END:
                return
        index += 1


def _refused(command: str, line: int, mode: str | None) -> StatementFailed | None:
    """Why a line of the client is not carried out: only variables and `:on error` are of use here."""
    if is_setting(command) or mode in (_EXIT, _IGNORE):
        return None
    if mode is not None:
        return failed(SYNTAX_ERROR, at=line, found=quoted(command.strip()), expected=":on error exit, :on error ignore")
    return failed(40510, at=line, found=command.split()[0])


def _never_ends(unclosed: Unclosed) -> StatementFailed:
    """A comment, or what began with a quote or a bracket."""
    if unclosed.text == "/*":
        return failed(UNCLOSED_COMMENT, at=unclosed.line)
    return failed(UNCLOSED_QUOTE, at=unclosed.line, found=quoted(unclosed.text), expected=unclosed.expected)


def _times(separator: str, line: int) -> tuple[int, StatementFailed | None]:
    found = _TIMES.match(separator)
    if found is None:
        return 1, None
    times = int(found[1]) if len(found[1]) < 10 else REPEATS_MAX + 1
    if times > REPEATS_MAX:
        return 0, failed(153, at=line, name="GO", value=found[1][:20], detail=f"at most {REPEATS_MAX} times")
    return times, None
