"""One process per data directory: two engines on the same stores would both believe that they own them.

The locked file says which process holds the directory and, once it listens, at which address.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from brokerweb.config.env import unusable

LOCK_NAME = "run.lock"
_BYTES_MAX = 512


class AlreadyRunning(Exception):
    """Another process holds the data directory; the text says which."""


class Holder(msgspec.Struct, frozen=True):
    """The process that holds a data directory."""

    process: str
    address: str | None
    """Where it listens, as a browser would name it; None while it starts."""


@contextmanager
def data_directory_lock(directory: Path) -> Iterator[Callable[[str], None]]:
    """Hold `directory` for this process; `AlreadyRunning` when another one does, `ConfigurationError` without a file.

    Gives a function that records the address of this process. The lock belongs to the open file, so the system lets
    go of it however the process ends; what is written in it counts only while it is locked.
    """
    path = directory / LOCK_NAME
    try:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise unusable(path, error.strerror or str(error)) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(os.pread(descriptor, _BYTES_MAX, 0))
            raise AlreadyRunning(
                f"brokerweb already runs on {directory} (process {holder.process}). Stop it first, "
                "or name another data directory in BROKERWEB_DATA."
            ) from None
        _write(descriptor, f"{os.getpid()}\n")
        yield lambda address: _write(descriptor, f"{os.getpid()}\n{address}\n")
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def data_directory_holder(directory: Path) -> Holder | None:
    """The process that runs on `directory`, or None."""
    try:
        descriptor = os.open(directory / LOCK_NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        content = os.pread(descriptor, _BYTES_MAX, 0)
        # An empty file was left by a clean end: it is not locked for a look, which could get in the way of a start.
        if not content:
            return None
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(content)
    else:
        return None
    finally:
        os.close(descriptor)


def _holder(content: bytes) -> Holder:
    process, _, rest = content.decode("utf-8", "replace").partition("\n")
    return Holder(process=process.strip() or "unknown", address=rest.strip() or None)


def _write(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)
