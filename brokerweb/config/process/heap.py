"""The memory of a server process whose threads come and go with large strings: kept together, so that it is returned.

glibc gives nearly every thread a heap of its own. What one thread frees no other one uses, and a process whose live
objects stay the same grows for hours all the same.
"""

from __future__ import annotations

import ctypes
from typing import Final

M_ARENA_MAX: Final = -8
"""A number of glibc's `malloc.h`."""
HEAPS_MAX: Final = 2
"""Python's own lock lets one thread allocate at a time; a second heap is for those that hold it not."""


def share_heaps() -> bool:
    """Have the threads of this process share few heaps; False where the C library knows nothing of it.

    Threads that have a heap already keep it: call this before they begin.
    """
    try:
        return bool(ctypes.CDLL(None).mallopt(M_ARENA_MAX, HEAPS_MAX))
    except (OSError, AttributeError, TypeError):
        # Not glibc: musl, macOS, Windows.
        return False
