"""`spend`: what long computations call between their pieces, so that a script can be ended inside of one expression.

Who runs a script says what is to be called (`heard`); functions that convert, search or parse know nothing of it. No
piece of work between two calls holds the interpreter for more than some milliseconds, whatever a script or a message
body contains: other threads go on, and a cancellation is heard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

PIECE: Final = 1 << 17
"""Characters of a text that are worked on at once."""

_watch: Final[ContextVar[Callable[[], None] | None]] = ContextVar("watch", default=None)


@contextmanager
def heard(watch: Callable[[], None]) -> Iterator[None]:
    """Have `watch` called by what computes inside; what it raises ends that."""
    before = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(before)


def spend() -> None:
    """A piece of work is done, or about to be. Raises what the caller of the script ends it with."""
    watch = _watch.get()
    if watch is not None:
        watch()


def pieces(length: int) -> Iterator[slice]:
    """A text or binary value of this length in pieces, with a call of `spend` before each but the first."""
    for start in range(0, length, PIECE):
        if start > 0:
            spend()
        yield slice(start, start + PIECE)
