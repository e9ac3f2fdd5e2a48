"""`LogFile`: commits of one instance, appended to a file and durable when `append` returns.

Layout, little endian. Block 0 is the head; a record begins on a block of its own, so that nothing which is durable is
ever written again while it counts.

    0  4096        4096 * n
    +-----+--------+---------------------------------------------+---------+-------
    |head | record | record ...                                  | padding | record
    +-----+--------+---------------------------------------------+---------+-------

    head    8 magic   16 id of the log   8 fencing number
    record  4 length   4 CRC-32   8 generation   8 number within it, from 0   then the payload

A record counts when its generation is the one that the SQLite file names, all before it count, and its checksum, which
is of the id, the place and the payload, is right. The last one may be torn: its commit was never acknowledged. One that
is not right before others that are has been damaged since, and nothing of such a log may be overwritten. Rewinding
begins a new generation at block 1 and overwrites the old one, whose space is on the disk already.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4
from zlib import crc32

from engine.core.vocabulary.identifiers import FencingNumber
from engine.storage.errors import StoreFailed, StoreFenced, StoreInUse, numbered_failure

LOG_SUFFIX: Final = "-log"
"""Behind the name of the store's file."""

BLOCK: Final = 4096
"""Unit in which disks and file systems write."""

LOG_BYTES_MAX: Final = 8 * 1024 * 1024
"""Size of the file: when it is full, what it holds is folded, which holds up commits for so many rows."""

FIRST_BYTES: Final = 256 * 1024
"""Size at the first commit; what needs more takes all there may be. An append within the size syncs in a tenth of
the time of one that grows the file, which waits for the journal of the file system."""

LOG_DAMAGED: Final = 9004

_MAGIC: Final = b"BRKLOG1\n"
_HEAD: Final = struct.Struct("<8s16sQ")
_FENCE: Final = struct.Struct("<Q")
_FENCE_AT: Final = _HEAD.size - _FENCE.size
_RECORD: Final = struct.Struct("<IIQQ")
_PLACE: Final = struct.Struct("<16sQQ")
_LOCK_POLL_SECONDS: Final = 0.005


class LogFile:
    """The log of one instance. Not responsible for what stands in a record.

    `OSError` when the disk refuses.
    """

    def __init__(self, store: Path, bytes_max: int = LOG_BYTES_MAX) -> None:
        """Open the log of the store whose file is `store`, make one where there is none."""
        self._store = store
        self._path = store.with_name(store.name + LOG_SUFFIX)
        self._bytes_max = bytes_max
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._closing = weakref.finalize(self, os.close, self._file)
        self._size = 0
        self._generation = self._number = 0
        self._end = BLOCK
        self._is_distrusted = False
        self.log_id: UUID | None = None
        """None while the file has no head."""

    def take(self, patience: float) -> None:
        """Take the lock for the first time and see what is there: until then an earlier owner may append.

        Raises `StoreInUse` as `lock` does, `StoreFailed` for a file that is no log.
        """
        self.lock(patience)
        self._size = os.fstat(self._file).st_size
        head = os.pread(self._file, _HEAD.size, 0)
        if not head.strip(b"\0"):
            return
        if len(head) < _HEAD.size or not head.startswith(_MAGIC):
            raise StoreFailed(f"{self._store.name}{LOG_SUFFIX} is not the log of an instance")
        self.log_id = UUID(bytes=_HEAD.unpack(head)[1])

    def lock(self, patience: float) -> None:
        """Take the lock, which goes with the process; `StoreInUse` when another has it for `patience` seconds."""
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise StoreInUse(f"{self._store.name} is in use by another process") from None
                time.sleep(_LOCK_POLL_SECONDS)
            else:
                return

    def unlock(self) -> None:
        """Let others have the lock."""
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def refuse_earlier(self, fence: FencingNumber) -> None:
        """Raise `StoreFenced` when an owner with a higher number has come; the lock is held."""
        found = os.pread(self._file, _FENCE.size, _FENCE_AT)
        if len(found) == _FENCE.size and (later := _FENCE.unpack(found)[0]) > fence:
            raise StoreFenced(f"owner {fence} was followed by owner {later}")

    @contextmanager
    def headed(self, fence: FencingNumber | None, *, anew: bool) -> Iterator[None]:
        """Write the head, so that every earlier owner is kept out; what fails inside leaves the earlier head.

        `anew` gives the log another id: nothing of what stands in the file counts.
        """
        before = os.pread(self._file, _HEAD.size, 0).ljust(_HEAD.size, b"\0")
        identity = self.log_id
        if anew or self.log_id is None:
            self.log_id = uuid4()
        try:
            if self._size < BLOCK:
                self._grow(BLOCK)
                _sync_name(self._store.parent)
            self._write(_HEAD.pack(_MAGIC, self.log_id.bytes, fence or 0), 0)
            yield
        except BaseException:
            self.log_id = identity
            os.pwrite(self._file, before, 0)
            raise

    def rewind(self, generation: int) -> None:
        """Begin a generation: what was appended before it counts no more."""
        self._generation, self._number, self._end = generation, 0, BLOCK

    def distrust(self) -> None:
        """Append nothing any more: which generation the SQLite file names is not known for sure."""
        self._is_distrusted = True

    @property
    def is_in_place(self) -> bool:
        """Whether the file still has its name: what is appended to one that was deleted is lost."""
        return is_file_of(self._path, os.fstat(self._file))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was appended since the last `rewind`."""
        return self._number == 0

    def has_room(self, payload_bytes: int) -> bool:
        """Whether a payload of this size can be appended before the next `rewind`."""
        return self._end + _blocks(payload_bytes) <= self._bytes_max

    def append(self, payload: bytes) -> None:
        """Make a record durable. After an error nothing can be appended any more: `StoreFailed`."""
        if self._is_distrusted:
            raise StoreFailed(f"{self._store.name}: an earlier write failed; the store must be opened anew")
        self._is_distrusted = True
        end = self._end + _blocks(len(payload))
        try:
            if end > self._size:
                self._grow(end)
            self._write(self._record(payload).ljust(end - self._end, b"\0"), self._end)
        except BaseException:
            # It was not committed: whoever opens the store next must not find it.
            os.pwrite(self._file, bytes(_RECORD.size), self._end)
            raise
        self._end = end
        self._number += 1
        self._is_distrusted = False

    def records(self, generation: int) -> Iterator[bytes]:
        """Payloads of a generation, in order, up to the first that was not written whole.

        Raises `StoreFailed` (9004) where that one was whole once: a record behind it counts, or this object wrote it.
        """
        place, number = BLOCK, 0
        while (found := self._record_at(place)) is not None and found[:2] == (generation, number):
            yield found[2]
            place += _blocks(len(found[2]))
            number += 1
        committed = self._number if generation == self._generation else 0
        if number < committed or self._has_later_one(generation, number, place):
            name = f"{self._store.name}{LOG_SUFFIX}"
            raise numbered_failure(LOG_DAMAGED, name=name, value=number + 1, detail=generation)

    def _record_at(self, place: int) -> tuple[int, int, bytes] | None:
        """Generation, number and payload of the record at a place; None where no whole one is."""
        head = os.pread(self._file, _RECORD.size, place)
        if len(head) < _RECORD.size:
            return None
        length, checksum, generation, number = _RECORD.unpack(head)
        if place + _RECORD.size + length > self._size:
            return None
        payload = os.pread(self._file, length, place + _RECORD.size)
        if len(payload) != length or self._checksum(generation, number, payload) != checksum:
            return None
        return generation, number, payload

    def _has_later_one(self, generation: int, number: int, place: int) -> bool:
        """Whether a whole record of the generation stands behind a place: it was written when all before it were whole.

        The file holds a few thousand blocks at most; only what looks like such a record is read.
        """
        for at in range(place + BLOCK, self._size - _RECORD.size, BLOCK):
            _, _, found_generation, found_number = _RECORD.unpack(os.pread(self._file, _RECORD.size, at))
            if found_generation == generation and found_number > number and self._record_at(at) is not None:
                return True
        return False

    def close(self) -> None:
        """Let go of the file and of the lock; harmless when closed."""
        self._closing()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return not self._closing.alive

    def shrink(self) -> None:
        """Give back the space of records; nothing in it may count any more."""
        os.ftruncate(self._file, BLOCK)
        self._size = BLOCK

    def _record(self, payload: bytes) -> bytes:
        checksum = self._checksum(self._generation, self._number, payload)
        return _RECORD.pack(len(payload), checksum, self._generation, self._number) + payload

    def _checksum(self, generation: int, number: int, payload: bytes) -> int:
        """Of the payload, its place, and the log: one of an earlier life of the file may stand there still."""
        assert self.log_id is not None, "a record comes after the head"
        return crc32(payload, crc32(_PLACE.pack(self.log_id.bytes, generation, number)))

    def _grow(self, end: int) -> None:
        steps = (BLOCK, min(FIRST_BYTES, self._bytes_max), self._bytes_max)
        size = next(each for each in steps if each >= end)
        self._write(bytes(size - self._size), self._size)
        self._size = size

    def _write(self, data: bytes, place: int) -> None:
        written = os.pwrite(self._file, data, place)
        if written != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fdatasync(self._file)


def _blocks(payload_bytes: int) -> int:
    """Bytes of the blocks that a record takes."""
    return -(-(_RECORD.size + payload_bytes) // BLOCK) * BLOCK


def stored_fence(store: Path) -> FencingNumber:
    """Fencing number of the last owner, read without opening the store; 0 where there is none. Raises `OSError`."""
    try:
        with store.with_name(store.name + LOG_SUFFIX).open("rb") as file:
            head = file.read(_HEAD.size)
    except FileNotFoundError:
        return FencingNumber(0)
    is_head = len(head) == _HEAD.size and head.startswith(_MAGIC)
    return FencingNumber(_FENCE.unpack(head[_FENCE_AT:])[0] if is_head else 0)


def is_file_of(path: Path, opened: os.stat_result) -> bool:
    """Whether the file that was opened is the one that has the name now."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return (found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino)


def _sync_name(folder: Path) -> None:
    """Make the name of a new file durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
