"""`StoreShelf`: where the stores of all instances are, and the host's note in each of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, Protocol

import msgspec

from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.identifiers import EstateName, FencingNumber, InstanceName
from engine.core.vocabulary.settings import EngineSettings
from engine.runtime.ports import Store
from engine.storage.errors import STORE_GONE, StoreFailed, numbered_failure

NOTE_KEY: Final = "hosting"

InstanceKey = tuple[EstateName, InstanceName]


class InstanceNote(msgspec.Struct, frozen=True, kw_only=True):
    """What the host keeps about an instance beside its state."""

    pace: float = 1.0
    """Factor by which every waiting time is shortened; 1 is the documented pace."""
    key_suite: KeySuite = KeySuite.MD5
    """How the dialogs that begin here protect their messages."""
    is_open: bool = True
    """Whether a worker that finds the file hosts the instance."""


def settings_of(note: InstanceNote, shared: EngineSettings) -> EngineSettings:
    """The host's settings with what the note says about waiting and about keys, as the core reads it."""
    dialog = msgspec.structs.replace(shared.dialog, key_suite=note.key_suite)
    return msgspec.structs.replace(shared, dialog=dialog).at_pace(note.pace)


class HostedStore(Store, Protocol):
    """A store that keeps the host's notes beside the state of the instance."""

    @property
    def is_in_place(self) -> bool:
        """Whether whoever opens the store next would find what is committed to it; asked often."""
        ...

    def read_note(self, key: str) -> str | None:
        """What was written under `key`."""
        ...

    def write_note(self, key: str, value: str) -> None:
        """Keep `value` under `key`, durably."""
        ...


class StoreShelf(Protocol):
    """Finds, opens and deletes the stores of all instances; `StoreFailed` when what keeps them cannot be asked."""

    body_bytes_max: int
    """Largest body of a message that fits into a store."""

    def find(self) -> Iterable[InstanceKey]:
        """Every instance that has a store."""
        ...

    def open(self, key: InstanceKey, fence: FencingNumber | None = None) -> HostedStore:
        """The store of an instance, made when there is none; `StoreFailed`, `StoreInUse`, `StoreFenced`.

        Without a number the lock of the store alone says that there is no other owner.
        """
        ...

    def exists(self, key: InstanceKey) -> bool:
        """Whether the instance has a store."""
        ...

    def place(self, key: InstanceKey) -> str:
        """Where the store of an instance is, or would be, as a person looks for it."""
        ...

    def stamp(self, key: InstanceKey) -> Hashable:
        """Changes, at the latest, when somebody opens a closed instance; found out without opening the store."""
        ...

    def delete(self, key: InstanceKey) -> None:
        """Delete the store of an instance that nobody has open; harmless when there is none. `OSError`."""
        ...

    def close(self) -> None:
        """Let go of what was kept open to ask."""
        ...


def store_gone(shelf: StoreShelf, key: InstanceKey) -> StoreFailed:
    """An instance was opened, and its store is not there any more."""
    return numbered_failure(STORE_GONE, name=key[1], value=shelf.place(key))


def read_note(store: HostedStore) -> InstanceNote:
    """The host's note in a store; the defaults when there is none yet."""
    text = store.read_note(NOTE_KEY)
    if text is None:
        return InstanceNote()
    try:
        return msgspec.json.decode(text, type=InstanceNote)
    except msgspec.MsgspecError as error:
        raise StoreFailed(f"the host's note cannot be read: {error}") from error


def write_note(store: HostedStore, note: InstanceNote) -> None:
    """Keep the host's note in a store."""
    store.write_note(NOTE_KEY, msgspec.json.encode(note).decode())
