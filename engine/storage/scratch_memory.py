"""`ScratchMemory`: what the tables in memory of a process, and the statements over them, take together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from sys import getsizeof
from threading import Lock
from typing import Final

import apsw

SCRATCH_BYTES_MAX: Final = 256 * 1024 * 1024
"""Of all sessions of a process: their tables, what sorting and joining them takes, and values beside the tables."""


class ScratchExhausted(Exception):
    """A statement met one of its bounds."""

    def __init__(self, bound: str, limit: int) -> None:
        super().__init__(bound, limit)
        self.bound = bound
        """`steps`, `rows` or `bytes`."""
        self.limit = limit


class ScratchMemory:
    """Counts by what SQLite takes in the whole process, less what it took before the first user came.

    Stores are in the same process and have their own bounds; SQLite does not tell one connection's memory from
    another's. For any thread.
    """

    def __init__(self, bytes_max: int = SCRATCH_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._lock = Lock()
        self._users = 0
        self._others = 0
        """Bytes that SQLite takes for others."""
        self._values = 0
        """Bytes that users have said they hold beside their tables."""

    @contextmanager
    def used(self) -> Iterator[None]:
        """For as long as tables are there, or statements run."""
        with self._lock:
            if self._users == 0:
                self._others = apsw.memory_used()
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1

    def hold(self, size: int) -> None:
        """So many bytes more are held beside the tables, or fewer; more than there is room for are not (`check`)."""
        with self._lock:
            self._values += size
        if size > 0:
            try:
                self.check()
            except ScratchExhausted:
                with self._lock:
                    self._values -= size
                raise

    def check(self) -> None:
        """Raises `ScratchExhausted` when all users together take more than they may."""
        if apsw.memory_used() - self._others + self._values > self._bytes_max:
            raise ScratchExhausted("bytes", self._bytes_max)


MEMORY: Final = ScratchMemory()
"""That of this process."""


def value_bytes(value: object) -> int:
    """Bytes that a text or binary value takes in memory, 1 to 4 a character; 0 of other values."""
    if isinstance(value, str):
        return len(value) if value.isascii() else getsizeof(value)
    return len(value) if isinstance(value, bytes) else 0
