"""`held_stores`: the files of all stores as of one moment, whether their instances run or not.

An acknowledgement leaves only after the commit of what it acknowledges. So copies of one moment lose and double nothing
between their instances; copies of several moments may.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from engine.core.vocabulary.identifiers import FencingNumber
from engine.hosting.errors import EngineUnavailable
from engine.hosting.keys import FILE_NAME as SERVICE_KEY_FILE
from engine.hosting.keys import deployment_of
from engine.hosting.session.client import EngineSession
from engine.hosting.shelf import InstanceKey
from engine.hosting.shelves import FileShelf, plate_of
from engine.storage.commit_log.file import stored_fence

__all__ = ["SERVICE_KEY_FILE", "HeldStore", "StoresChanged", "deployment_of", "held_stores"]

REST_SECONDS: Final = 0.05
"""Longer than a tick of the file system's clock: two writes within one tick have the same time stamp."""


class StoresChanged(Exception):
    """A store was written, made or removed during a hold. The text names it."""


class HeldStore(msgspec.Struct, frozen=True, kw_only=True):
    """One store whose files are not written now."""

    key: InstanceKey
    fence: FencingNumber
    """Of the last owner; 0 where locks decide."""
    files: tuple[Path, ...]
    """Existing files of the store, to be copied together."""


@contextmanager
def held_stores(data_directory: Path) -> Iterator[tuple[HeldStore, ...]]:
    """Hold every store of the engine's folder until the block ends; in order of estate and name.

    Instances that run take no turns meanwhile. Raises `StoresChanged` at the end of a block during which a store was
    written all the same: the copies are of no one moment then. Raises `EngineUnavailable` for a host that cannot hold.
    """
    shelf = FileShelf(data_directory)
    with ExitStack() as stack:
        sessions = []
        for key in shelf.find():
            try:
                session = EngineSession(plate_of(data_directory, key), key[1])
            except EngineUnavailable:
                # No host has it open. If one opens it meanwhile, the time stamps of its files show that.
                continue
            stack.callback(session.close)
            session.hold()
            sessions.append((key, session))
        time.sleep(REST_SECONDS)
        before = _stamps(shelf)
        yield tuple(HeldStore(key=key, fence=stored_fence(shelf.path(key)), files=shelf.files(key)) for key in before)
        after = _stamps(shelf)
        for key, session in sessions:
            if not session.release():
                raise StoresChanged(f"instance {key[1]} of estate {key[0]} was not held to the end")
        if before != after:
            changed = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
            raise StoresChanged(f"the store of instance {changed[0][1]} of estate {changed[0][0]} has changed")


def _stamps(shelf: FileShelf) -> dict[InstanceKey, object]:
    return {key: [_stamp(path) for path in shelf.files(key)] for key in shelf.find()}


def _stamp(path: Path) -> tuple[str, int, int, int]:
    found = path.stat()
    return path.name, found.st_ino, found.st_size, found.st_mtime_ns
