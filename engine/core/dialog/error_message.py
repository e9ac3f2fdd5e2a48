"""The body of an Error message (protocol.md 18): XML, UTF-16 little endian with a byte order mark."""

from __future__ import annotations

from xml.sax.saxutils import escape

from engine.core.catalog.objects import ERROR_TYPE


def error_body(code: int, description: str) -> bytes:
    """Encode an error; broker errors have negative codes, application errors positive ones."""
    xml = f'<Error xmlns="{ERROR_TYPE}"><Code>{code}</Code><Description>{escape(description)}</Description></Error>'
    return b"\xff\xfe" + xml.encode("utf-16-le")
