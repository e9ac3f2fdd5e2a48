"""The memory of a server process whose threads come and go with large strings: kept together, so that it is returned.

glibc gives nearly every thread a heap of its own. What one thread frees no other one uses, and a process whose live
objects stay the same grows for hours all the same.
"""

from __future__ import annotations

import ctypes
import threading
import time
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


RETURN_SECONDS: Final = 30.0
"""How often free memory is given back: the pages that are needed again come back one by one, which costs more than it
saves if it is every moment."""


def return_free_memory(seconds: float = RETURN_SECONDS) -> bool:
    """From now on give the system back what is free in the heaps, every so often; False where that cannot be done.

    What lives for a moment (snapshots, answers of the engine) lies between what lives long, so that a heap gets holes
    and never shrinks by itself.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return False

    def keep_returning() -> None:
        while True:
            time.sleep(seconds)
            trim(0)

    threading.Thread(target=keep_returning, name="heap-return", daemon=True).start()
    return True
