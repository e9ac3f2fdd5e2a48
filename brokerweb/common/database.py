"""Database connections in threads that Django's request cycle does not look after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import close_old_connections


@contextmanager
def borrowed_connections() -> Iterator[None]:
    """Around a piece of work in a worker's or a loop's thread: stale connections are closed before and after."""
    close_old_connections()
    try:
        yield
    finally:
        close_old_connections()
