"""The shelves there are: SQLite files in a folder, schemas in a PostgreSQL database."""

from __future__ import annotations

import logging
import os
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import msgspec

from engine.core.vocabulary.identifiers import EstateName, FencingNumber, InstanceName
from engine.core.vocabulary.limits import HOSTED_EVENTS_KEPT
from engine.hosting.quoted_names import FILE_BYTES_MAX, SHORTENED_SIGN, fitting, quoted
from engine.hosting.settings import HostingSettings
from engine.hosting.shelf import NOTE_KEY, HostedStore, InstanceKey, StoreShelf
from engine.storage.commit_log.file import LOG_SUFFIX
from engine.storage.errors import StoreFailed
from engine.storage.postgres import PostgresStore
from engine.storage.postgres.directory import PostgresDirectory
from engine.storage.postgres.naming import schema_name
from engine.storage.sqlite import SqliteStore

SUFFIX: Final = ".sqlite3"
PLATE_SUFFIX: Final = ".session"
NAME_SUFFIX: Final = "-name"
"""Of the file beside a store with a shortened name: estate and instance in full, as JSON."""
_WAL_SUFFIX: Final = "-wal"

NO_LEASE: Final = FencingNumber(0)
"""In PostgreSQL, of an owner that has no lease."""

logger = logging.getLogger(__name__)


def shelf_of(settings: HostingSettings) -> StoreShelf:
    """Where a host keeps its stores. Raises `StoreFailed` for an address of no server."""
    if settings.store_url is None:
        return FileShelf(settings.data_directory, settings.events_kept)
    return PostgresShelf(settings.store_url, settings.events_kept)


class FileShelf:
    """SQLite files, one folder for each estate. Names are quoted; beside one that is shortened is the full name."""

    body_bytes_max = SqliteStore.BODY_BYTES_MAX

    def __init__(self, data_directory: Path, events_kept: int = HOSTED_EVENTS_KEPT) -> None:
        self._data_directory = data_directory
        self._events_kept = events_kept
        self._nameless: set[Path] = set()
        """Files of which the log says already that their name is not known."""

    def find(self) -> Iterator[InstanceKey]:
        """Every instance that has a file, in the order of the files. Logs a file whose full name is not known."""
        for path in sorted(self._data_directory.glob(f"*/*{SUFFIX}")):
            key = self._key_of(path)
            if key is not None:
                self._nameless.discard(path)
                yield key
            elif path not in self._nameless:
                self._nameless.add(path)
                logger.error(
                    "5120: %s is not opened: %s%s, which has its full name, is missing or damaged. Put that file back.",
                    path,
                    path.name,
                    NAME_SUFFIX,
                )

    def _key_of(self, path: Path) -> InstanceKey | None:
        """The instance of a file; None where its name is shortened and not known in full."""
        estate, instance = path.parent.name, path.name.removesuffix(SUFFIX)
        if SHORTENED_SIGN not in estate + instance:
            return EstateName(unquote(estate)), InstanceName(unquote(instance))
        try:
            key = msgspec.json.decode(_name_file(path).read_bytes(), type=InstanceKey)
        except (OSError, msgspec.MsgspecError):
            return None
        return key if self.path(key) == path else None

    def open(self, key: InstanceKey, fence: FencingNumber | None = None) -> HostedStore:
        """The store of an instance, made when there is none; `StoreFailed`, `StoreInUse`, `StoreFenced`."""
        path = self.path(key)
        if SHORTENED_SIGN in path.parent.name + path.name and self._key_of(path) is None:
            _write_name(path, key)
        return SqliteStore(path, key[1], fence, events_kept=self._events_kept)

    def exists(self, key: InstanceKey) -> bool:
        """Whether the instance has a file."""
        return self.path(key).exists()

    def place(self, key: InstanceKey) -> str:
        """Its file."""
        return str(self.path(key))

    def stamp(self, key: InstanceKey) -> Hashable:
        """Tells whether a file was written since the last look, without opening it."""
        path = self.path(key)
        return tuple(_stamp(each) for each in (path, path.with_name(path.name + _WAL_SUFFIX)))

    def delete(self, key: InstanceKey) -> None:
        """Delete the files of an instance that nobody has open; harmless when there are none. `OSError`."""
        path = self.path(key)
        for suffix in (_WAL_SUFFIX, "-shm", "-journal", "", LOG_SUFFIX, NAME_SUFFIX):
            path.with_name(path.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Nothing is kept open."""

    def path(self, key: InstanceKey) -> Path:
        """Its file, whether it is there or not."""
        return place_of(self._data_directory, key, SUFFIX)

    def files(self, key: InstanceKey) -> tuple[Path, ...]:
        """The files of a store that are there and belong together."""
        path = self.path(key)
        found = (
            path.with_name(path.name + suffix) for suffix in ("", _WAL_SUFFIX, "-journal", LOG_SUFFIX, NAME_SUFFIX)
        )
        return tuple(each for each in found if each.exists())


def place_of(data_directory: Path, key: InstanceKey, suffix: str) -> Path:
    """A file of an instance: a folder for each estate, names quoted and of a length that a file system takes."""
    estate, instance = (fitting(quoted(name), FILE_BYTES_MAX) for name in key)
    return data_directory / estate / f"{instance}{suffix}"


def _name_file(path: Path) -> Path:
    return path.with_name(path.name + NAME_SUFFIX)


def _write_name(path: Path, key: InstanceKey) -> None:
    """Write the full name beside a store before the store is made. Raises `StoreFailed`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _name_file(path).open("wb") as file:
            file.write(msgspec.json.encode(key))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreFailed(str(error)) from error


def plate_of(data_directory: Path, key: InstanceKey) -> Path:
    """Where the host of an instance says how sessions reach it, wherever its store is."""
    return place_of(data_directory, key, PLATE_SUFFIX)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class PostgresShelf:
    """Schemas of one database. A server that is away is asked again each time."""

    body_bytes_max = PostgresStore.BODY_BYTES_MAX

    def __init__(self, url: str, events_kept: int = HOSTED_EVENTS_KEPT) -> None:
        self._url = url
        self._events_kept = events_kept
        self._directory = PostgresDirectory(url)

    def find(self) -> Iterator[InstanceKey]:
        """Every instance that has a schema."""
        for mark in self._directory.marks():
            yield mark.estate, mark.instance

    def open(self, key: InstanceKey, fence: FencingNumber | None = None) -> HostedStore:
        """The store of an instance, made when there is none; `StoreFailed`, `StoreInUse`, `StoreFenced`."""
        number = NO_LEASE if fence is None else fence
        return PostgresStore(self._url, *key, number, events_kept=self._events_kept)

    def exists(self, key: InstanceKey) -> bool:
        """Whether the instance has a schema."""
        return self._directory.exists(*key)

    def place(self, key: InstanceKey) -> str:
        """Its schema."""
        return schema_name(*key)

    def stamp(self, key: InstanceKey) -> Hashable:
        """The host's note itself: a closed instance is opened by writing it."""
        return (self._directory.note(*key, NOTE_KEY),)

    def delete(self, key: InstanceKey) -> None:
        """Delete the schema of an instance that nobody has open; harmless when there is none."""
        self._directory.delete(*key)

    def close(self) -> None:
        """Let go of the connection that asks."""
        self._directory.close()
