"""One process per data directory: two engines on the same stores would both believe that they own them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class AlreadyRunning(Exception):
    """Another process holds the data directory; the text says which."""


@contextmanager
def data_directory_lock(directory: Path) -> Iterator[None]:
    """Hold `directory` for this process; `AlreadyRunning` when another one does.

    The lock belongs to the open file, so the system lets go of it however the process ends.
    """
    directory.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(directory / "run.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
            raise AlreadyRunning(
                f"brokerweb already runs on {directory} (process {holder}). Stop it first, "
                "or name another data directory in BROKERWEB_DATA."
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
        yield
    finally:
        os.close(descriptor)
