"""A full disk, found in whatever was raised because of it, and said with its folder and size."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from brokerweb.common.server_errors import StorageFull

DISK_FULL = 1105
"""The engine's number for it."""
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_SERVER_IS_FULL = "53100"
"""`sqlstate` of PostgreSQL."""
_UNSAID = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
"""All that SQLite says where it cannot write its own small files."""
_ROOM_FOR_SMALL_FILES = 65_536
_MEGABYTE = 1_000_000


def full_disk(error: BaseException | None) -> StorageFull | None:
    """The problem, when a full disk is behind an error; None when it is not known to be."""
    for each in causes(error):
        if isinstance(each, OSError) and each.errno in _NO_ROOM:
            named = each.filename if isinstance(each.filename, str) else None
            return _full(settings.ENVIRONMENT.data_directory if named is None else Path(named).parent)
        if getattr(each, "sqlstate", None) == _SERVER_IS_FULL:
            return StorageFull(_("The disk of the database's server is full."))
        if isinstance(each, sqlite3.OperationalError):
            folder = Path(settings.DATABASES["default"]["NAME"]).parent
            kind = getattr(each, "sqlite_errorcode", 0) & 0xFF
            if kind == sqlite3.SQLITE_FULL or (kind in _UNSAID and _room(folder)[0] < _ROOM_FOR_SMALL_FILES):
                return _full(folder)
    return None


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it, the latest first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _full(folder: Path) -> StorageFull:
    free, total = _room(folder)
    parameters = {"folder": str(folder), "free": f"{free / _MEGABYTE:.1f}", "total": f"{total / _MEGABYTE:.0f}"}
    text = _("The disk of the folder {folder} is full: {free} of {total} MB are free.")
    return StorageFull(text.format(**parameters), parameters=parameters)


def _room(folder: Path) -> tuple[int, int]:
    """Bytes that are free, and all; none where the disk does not say."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return 0, 0
    return usage.free, usage.total
