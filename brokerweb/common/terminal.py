"""What commands print."""

from __future__ import annotations

import os
from collections.abc import Iterable

from django.core.management.base import OutputWrapper


def write_lines(stream: OutputWrapper, lines: Iterable[str]) -> None:
    """What is printed must not fail on a terminal that lacks a character, nor when nobody reads it any more."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write("\n".join(lines).encode(encoding, "backslashreplace").decode(encoding), lambda text: text)
        stream.flush()
    except BrokenPipeError:
        # What is still buffered would be written once more when the process ends.
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), stream.fileno())
