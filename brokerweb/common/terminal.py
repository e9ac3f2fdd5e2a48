"""What commands print."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from django.core.management.base import OutputWrapper

LINES_AT_ONCE = 1_000


def write_lines(stream: OutputWrapper, lines: Iterable[str]) -> None:
    """What is printed must not fail on a terminal that lacks a character, nor when nobody reads it any more."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        for text in _joined(lines):
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding), lambda text: text)
        stream.flush()
    except BrokenPipeError:
        # What is still buffered would be written once more when the process ends.
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), stream.fileno())


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """The lines as texts of so many; all but the last text end with the end of a line."""
    left = iter(lines)
    part = list(islice(left, LINES_AT_ONCE))
    while further := list(islice(left, LINES_AT_ONCE)):
        yield "\n".join(part) + "\n"
        part = further
    yield "\n".join(part)
