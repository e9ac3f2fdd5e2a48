"""State changes as entries of the log: tuples of plain values that stand in the log and in the file as they are.

Made once for each change, an entry is encoded for the log, kept until it is folded, and bound to the statement that
folds it; what is read back from the log is obeyed in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Final

import msgspec

from engine.contracts.codec import binary_encoder
from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropDepartedSession,
    DropEndpoint,
    PutCatalog,
    PutDepartedSession,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.storage.records import DEPARTED, ENDPOINTS, QUEUES, TRANSMISSION, id_bytes


class EntryKind(IntEnum):
    """First value of an entry. The numbers stand in logs: none is ever given to something else."""

    PUT_ENDPOINT = 0
    DROP_ENDPOINT = 1
    APPEND_TRANSMISSION = 2
    TRIM_TRANSMISSION = 3
    APPEND_QUEUE = 4
    REMOVE_QUEUE = 5
    SET_QUEUE_ROWS = 6
    PUT_DEPARTED = 7
    DROP_DEPARTED = 8
    PUT_CATALOG = 9
    REPLIES = 10
    EVENTS = 11
    DROP_DATABASE = 12


Entry = tuple[Any, ...]

_decoder: Final = msgspec.msgpack.Decoder(list[tuple[Any, ...]])

_PUT_ENDPOINT: Final = int(EntryKind.PUT_ENDPOINT)
_DROP_ENDPOINT: Final = int(EntryKind.DROP_ENDPOINT)
_APPEND_TRANSMISSION: Final = int(EntryKind.APPEND_TRANSMISSION)
_TRIM_TRANSMISSION: Final = int(EntryKind.TRIM_TRANSMISSION)
_APPEND_QUEUE: Final = int(EntryKind.APPEND_QUEUE)
_REMOVE_QUEUE: Final = int(EntryKind.REMOVE_QUEUE)
_SET_QUEUE_ROWS: Final = int(EntryKind.SET_QUEUE_ROWS)


def entry_of(change: StateChange) -> Entry:
    """The entry of a change; replies are put together by their log."""
    return _MAKERS[type(change)](change)


def encode(entries: Sequence[Entry]) -> bytes:
    """The payload of a commit."""
    return binary_encoder.encode(entries)


def decode(payload: bytes) -> list[Entry]:
    """The entries of a commit. Raises `msgspec.MsgspecError` for what is none."""
    return _decoder.decode(payload)


_MAKERS: Final[dict[type[StateChange], Callable[[Any], Entry]]] = {
    PutEndpoint: lambda change: (_PUT_ENDPOINT, ENDPOINTS.record((change.database,), change.endpoint)),
    DropEndpoint: lambda change: (_DROP_ENDPOINT, change.database, id_bytes(change.conversation_handle)),
    AppendTransmission: lambda change: (_APPEND_TRANSMISSION, TRANSMISSION.record((change.database,), change.row)),
    TrimTransmission: lambda change: (
        _TRIM_TRANSMISSION,
        change.database,
        id_bytes(change.conversation_handle),
        change.through,
    ),
    AppendQueue: lambda change: (_APPEND_QUEUE, QUEUES.record((change.database, change.queue), change.row)),
    RemoveQueue: lambda change: (_REMOVE_QUEUE, change.database, change.queue, change.queuing_orders),
    SetQueueRowStatus: lambda change: _set_queue_rows(change, "status", int(change.status)),
    AdmitQueueRows: lambda change: _set_queue_rows(change, "awaits_queue", 0),
    SetQueueRowGroup: lambda change: _set_queue_rows(
        change, "conversation_group_id", id_bytes(change.conversation_group_id)
    ),
    PutDepartedSession: lambda change: (
        int(EntryKind.PUT_DEPARTED),
        DEPARTED.record((change.database,), change.session),
    ),
    DropDepartedSession: lambda change: (
        int(EntryKind.DROP_DEPARTED),
        (id_bytes(change.conversation_id), change.is_initiator, change.database),
    ),
    DropDatabaseRows: lambda change: (int(EntryKind.DROP_DATABASE), change.database),
    PutCatalog: lambda change: (
        int(EntryKind.PUT_CATALOG),
        (change.catalog.revision, binary_encoder.encode(change.catalog)),
    ),
}


def _set_queue_rows(change: Any, column: str, value: object) -> Entry:
    return (_SET_QUEUE_ROWS, change.database, change.queue, change.queuing_orders, column, value)
