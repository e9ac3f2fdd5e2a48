"""`StoreShelf`: the files of all instances, one folder for each estate, and the host's note in each file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

import msgspec

from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.settings import DialogSettings, EngineSettings
from engine.storage.errors import StoreFailed
from engine.storage.sqlite import SqliteStore

SUFFIX: Final = ".sqlite3"
_LOG_SUFFIX: Final = "-wal"
_NOTE_KEY: Final = "hosting"

InstanceKey = tuple[EstateName, InstanceName]
FileStamp = tuple[tuple[int, int, int] | None, ...]
"""What changes when a store is written: identity, size and time of its file and of the log beside it."""


class InstanceNote(msgspec.Struct, frozen=True, kw_only=True):
    """What the host keeps about an instance beside its state."""

    pace: float = 1.0
    """Factor by which every waiting time is shortened; 1 is the documented pace."""
    key_suite: KeySuite = KeySuite.MD5
    """How the dialogs that begin here protect their messages."""
    is_open: bool = True
    """Whether a worker that finds the file hosts the instance."""


def settings_of(note: InstanceNote, dialog: DialogSettings) -> EngineSettings:
    """The host's settings of dialogs with what the note says about waiting and about keys, as the core reads it."""
    settings = EngineSettings(dialog=msgspec.structs.replace(dialog, key_suite=note.key_suite))
    return settings.at_pace(note.pace)


class StoreShelf:
    """Finds, opens and deletes stores. Names become file names in a way that loses nothing."""

    def __init__(self, data_directory: Path) -> None:
        self._data_directory = data_directory

    def find(self) -> Iterator[InstanceKey]:
        """Every instance that has a file, by estate and name."""
        for path in sorted(self._data_directory.glob(f"*/*{SUFFIX}")):
            yield EstateName(unquote(path.parent.name)), InstanceName(unquote(path.name.removesuffix(SUFFIX)))

    def open(self, key: InstanceKey) -> SqliteStore:
        """The store of an instance, made when there is none; `StoreFailed`, `StoreInUse`."""
        return SqliteStore(self._path(key), key[1])

    def exists(self, key: InstanceKey) -> bool:
        """Whether the instance has a file."""
        return self._path(key).exists()

    def stamp(self, key: InstanceKey) -> FileStamp:
        """Tells whether a file was written since the last look, without opening it."""
        path = self._path(key)
        return tuple(_stamp(each) for each in (path, path.with_name(path.name + _LOG_SUFFIX)))

    def delete(self, key: InstanceKey) -> None:
        """Delete the file of an instance that nobody has open; harmless when there is none. `OSError`."""
        path = self._path(key)
        for suffix in (_LOG_SUFFIX, "-journal", ""):
            path.with_name(path.name + suffix).unlink(missing_ok=True)

    def _path(self, key: InstanceKey) -> Path:
        estate, instance = (quote(name, safe="").replace(".", "%2E") for name in key)
        return self._data_directory / estate / f"{instance}{SUFFIX}"


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def read_note(store: SqliteStore) -> InstanceNote:
    """The host's note in a store; the defaults when there is none yet."""
    text = store.read_note(_NOTE_KEY)
    if text is None:
        return InstanceNote()
    try:
        return msgspec.json.decode(text, type=InstanceNote)
    except msgspec.MsgspecError as error:
        raise StoreFailed(f"the host's note cannot be read: {error}") from error


def write_note(store: SqliteStore, note: InstanceNote) -> None:
    """Keep the host's note in a store."""
    store.write_note(_NOTE_KEY, msgspec.json.encode(note).decode())
