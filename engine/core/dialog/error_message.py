"""The body of an Error message (protocol.md 18): XML, UTF-16 little endian with a byte order mark."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, unescape

from engine.core.catalog.objects import ERROR_TYPE


def error_body(code: int, description: str) -> bytes:
    """Encode an error; broker errors have negative codes, application errors positive ones."""
    xml = f'<Error xmlns="{ERROR_TYPE}"><Code>{code}</Code><Description>{escape(description)}</Description></Error>'
    return b"\xff\xfe" + xml.encode("utf-16-le")


def error_description(body: bytes | None) -> str:
    """The words of an error that `error_body` or its like has encoded; empty when there are none."""
    found = re.search(r"<Description>(.*?)</Description>", (body or b"").decode("utf-16", "replace"), re.DOTALL)
    return unescape(found[1]) if found else ""
