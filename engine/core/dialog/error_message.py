"""The body of an Error message (protocol.md 18): XML, UTF-16 little endian with a byte order mark."""

from __future__ import annotations

import re
from typing import Final
from xml.sax.saxutils import escape, unescape

from engine.core.catalog.objects import ERROR_TYPE

_READ_BYTES: Final = 64 * 1024
"""Of a body that says it is an error; the longest that a broker makes is half of that."""
_CODE: Final = re.compile(r"<Code>(-?\d{1,10})</Code>")


def error_body(code: int, description: str) -> bytes:
    """Encode an error; broker errors have negative codes, application errors positive ones."""
    xml = f'<Error xmlns="{ERROR_TYPE}"><Code>{code}</Code><Description>{escape(description)}</Description></Error>'
    return b"\xff\xfe" + xml.encode("utf-16-le")


def error_code(body: bytes | None) -> str | None:
    """The digits of the code of an error, behind a minus where a broker has made it; None where there is none."""
    found = _CODE.search(_beginning(body))
    return None if found is None else found[1]


def error_description(body: bytes | None) -> str:
    """The words of an error that `error_body` or its like has encoded; empty when there are none."""
    _, _, after = _beginning(body).partition("<Description>")
    description, end, _ = after.partition("</Description>")
    return unescape(description) if end else ""


def _beginning(body: bytes | None) -> str:
    """As much of a body as is looked at: anybody may send anything under the name of an error."""
    return (body or b"")[:_READ_BYTES].decode("utf-16", "replace")
