"""THROW and RAISERROR: errors that a script makes itself, and the texts of RAISERROR."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine.tsql.console.failing import StatementFailed, failed
from engine.tsql.console.types import SqlType
from engine.tsql.console.values import Value, to_text

OWN_NUMBER: Final = 50000
"""The number of an error that has only a text."""
SEVERITY_MAX: Final = 18
"""Higher ones belong to the server."""
MESSAGE_MAX: Final = 2047
VALUES_MAX: Final = 20
"""For the places of a text."""
_FORMAT: Final = re.compile(
    r"%(?P<flags>[-+0 #]*+)(?P<width>\d{0,4})(?:\.(?P<precision>\d{0,4}))?+(?:h|l|I64)?+(?P<kind>[diosuxX%])"
)
_INTEGER: Final = re.compile(r"-?\d{1,19}", re.ASCII)

Argument = tuple[Value, SqlType]


def thrown(arguments: Sequence[Argument], line: int) -> StatementFailed:
    """THROW number, message, state. Errors: 35100."""
    number, message, state = (each[0] for each in arguments)
    if not isinstance(number, int) or not OWN_NUMBER <= number < 2**31:
        return failed(35100, at=line, value=str(number)[:40])
    text = to_text(message, arguments[1][1]) or ""
    return StatementFailed(number, text[:MESSAGE_MAX], line=line, severity=16, state=_state(state), ends_batch=True)


def raised(arguments: Sequence[Argument], line: int) -> StatementFailed:
    """RAISERROR (message, severity, state, …). Errors: 2732, 2754, 18054."""
    (message, kind), (severity, _), (state, _), *rest = arguments
    if not isinstance(severity, int) or not -1 <= severity <= SEVERITY_MAX:
        return failed(2754, at=line, value=str(severity)[:40], limit=SEVERITY_MAX)
    if isinstance(message, int):
        return failed(18054 if message > OWN_NUMBER else 2732, at=line, value=message)
    text = formatted(to_text(message, kind) or "", [to_text(*each) for each in rest])
    return StatementFailed(
        OWN_NUMBER, text, line=line, severity=max(severity, 0), state=_state(state), ends_batch=False
    )


def _state(value: Value) -> int:
    return min(abs(value), 255) if isinstance(value, int) else 1


def formatted(text: str, arguments: Sequence[str | None]) -> str:
    """A text with its places filled, as `printf` does; as much of it as a message has."""
    waiting = list(arguments)
    made: list[str] = []
    length = end = 0
    for found in _FORMAT.finditer(text):
        if length > MESSAGE_MAX:
            break
        piece = "%" if found["kind"] == "%" else _filled(found, waiting.pop(0) if waiting else None)
        made += (text[end : found.start()], piece)
        length += found.start() - end + len(piece)
        end = found.end()
    return "".join((*made, text[end:]))[:MESSAGE_MAX]


def _filled(found: re.Match[str], value: str | None) -> str:
    """A value as a place says; NULL is `(null)`."""
    piece = "(null)" if value is None else value[:MESSAGE_MAX]
    if found["kind"] in "xX" and _INTEGER.fullmatch(piece):
        piece = f"{int(piece) & 0xFFFFFFFF:{found['kind']}}"
    elif found["kind"] == "s" and found["precision"]:
        piece = piece[: int(found["precision"])]
    width = int(found["width"] or 0)
    return piece.ljust(width) if "-" in found["flags"] else piece.rjust(width, "0" if "0" in found["flags"] else " ")
