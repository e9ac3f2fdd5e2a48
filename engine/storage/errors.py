"""What a store raises when it cannot do its work."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Final

import apsw

from engine.core.vocabulary.errors import Parameter, catalogue, status_text

STORE_GONE: Final = 5120
DISK_FULL: Final = 1105
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_MEGABYTE: Final = 1_000_000
_ROOM_FOR_SMALL_FILES: Final = 65_536


class StoreFailed(Exception):
    """The store could not keep or give back what it was asked to; nothing of the commit was kept.

    The message says in the operating system's or the database's words why: disk full, input/output error, a damaged
    file, or another process that holds it. Whoever drives the instance must stop and load it anew.
    """


class StoreInUse(StoreFailed):
    """Another process holds the store: the instance has an owner already."""


class StoreFenced(StoreFailed):
    """A later owner holds the store under a higher fencing number: whoever has the lower one commits nothing more."""


def numbered_failure(number: int, **parameters: Parameter) -> StoreFailed:
    """A failure that the catalogue has words for: what happened and what to do, the number in front."""
    return StoreFailed(_told(number, **parameters))


def _told(number: int, **parameters: Parameter) -> str:
    return f"{status_text(number, **parameters)}. {catalogue()[number].cure.rstrip('.')}"


def is_without_room(error: BaseException, folder: Path) -> bool:
    """Whether it is the disk of `folder` that is full, or this user's share of it."""
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    if isinstance(error, apsw.IOError | apsw.CantOpenError):
        # Where it cannot write its own small files, SQLite says no more than that.
        return _room_in(folder)[0] < _ROOM_FOR_SMALL_FILES
    return isinstance(error, apsw.FullError)


def full_disk(folder: Path) -> str:
    """What is to be said of the disk of `folder`, on which there is no room."""
    free, total = _room_in(folder)
    megabytes = {"value": f"{free / _MEGABYTE:.1f}", "detail": f"{total / _MEGABYTE:.0f}"}
    return _told(DISK_FULL, name=str(folder), **megabytes)


def _room_in(folder: Path) -> tuple[int, int]:
    """Bytes that are free, and all; none where the disk does not say."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return 0, 0
    return usage.free, usage.total
