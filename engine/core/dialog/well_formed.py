"""Whether a body is well-formed XML, found out in memory that does not grow with what its sender thinks up.

A document may name its type and may declare nothing (the vendor takes no such documents either): entities inside of
entities are the oldest way to fill a memory, and in some versions of the parser to end the process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from xml.parsers import expat

PIECE: Final = 1 << 18
"""Bytes that are parsed at once; between two pieces other threads go on."""
TAGS_FEW: Final = 500_000
"""With fewer the parser needs no watching: an open element, or a new name, takes a hundred bytes or so."""
DEPTH_MAX: Final = 10_000
NAMES_MAX: Final = 100_000


class _Refused(Exception):
    """What the parser would take and we do not."""


class _Watch:
    """How deep elements are inside of each other, and how many names there are."""

    def __init__(self) -> None:
        self._depth = 0
        self.names: dict[str, str] = {}
        """Filled by the parser."""

    def begin(self, _name: str, _attributes: dict[str, str]) -> None:
        """An element begins."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _Refused(f"more than {DEPTH_MAX} elements inside of each other")
        if len(self.names) > NAMES_MAX:
            raise _Refused(f"more than {NAMES_MAX} different names")

    def end(self, _name: str) -> None:
        """An element is over."""
        self._depth -= 1


def xml_fault(body: bytes | None) -> str:
    """What keeps a body from being well-formed XML, with line and column from 1 on; empty when nothing does."""
    body = body or b""
    watch = _Watch()
    parser = expat.ParserCreate(intern=watch.names)
    parser.StartDoctypeDeclHandler = _refuse_declarations
    if body.count(b"<") > TAGS_FEW:
        parser.StartElementHandler, parser.EndElementHandler = watch.begin, watch.end
    try:
        feed(parser, body)
        parser.Parse(b"", True)
    except _Refused as refused:
        return f"{refused}, line {parser.CurrentLineNumber}, column {parser.CurrentColumnNumber + 1}"
    except expat.ExpatError as error:
        return f"{expat.ErrorString(error.code)}, line {error.lineno}, column {error.offset + 1}"
    return ""


def feed(parser: expat.XMLParserType, data: bytes, between: Callable[[], None] = lambda: None) -> None:
    """Parse a document, or what follows of one, piece by piece; `between` is called before each piece.

    A parser looks at what it cannot take yet from its beginning again, so pieces grow until it can.
    """
    start, size = 0, PIECE
    while start < len(data):
        between()
        before = parser.CurrentByteIndex
        parser.Parse(data[start : start + size])
        start += size
        size = PIECE if parser.CurrentByteIndex > before else 2 * size


def _refuse_declarations(_name: str, _system: str | None, _public: str | None, has_declarations: bool) -> None:
    if has_declarations:
        raise _Refused("a document type declares something")
