"""Messages that are read back from a store: as many as are read at once, and never another than was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from engine.core.vocabulary.limits import MESSAGES_READ_AT_ONCE, MESSAGES_READ_BYTES
from engine.core.vocabulary.rows import QueueRow, TransmissionRow
from engine.storage.errors import StoreFailed

Message = TypeVar("Message", TransmissionRow, QueueRow)


def portion(rows: Iterable[Message]) -> list[Message]:
    """The first of the rows, one at least: nothing behind them is read."""
    found: list[Message] = []
    size = 0
    for row in rows:
        size += len(row.message_body or b"")
        if found and size > MESSAGES_READ_BYTES:
            break
        found.append(row)
        if len(found) == MESSAGES_READ_AT_ONCE:
            break
    return found


def numbered_from(first: int, rows: Sequence[TransmissionRow]) -> Sequence[TransmissionRow]:
    """The rows, if the one that is needed is among them; `StoreFailed` otherwise."""
    if not rows or rows[0].message_sequence_number != first:
        raise StoreFailed(f"message {first} is not there any more: somebody else has changed the store")
    return rows


def at_places(queuing_orders: Sequence[int], rows: Iterable[QueueRow]) -> Sequence[QueueRow]:
    """The rows in the order asked for, up to one that was not read; `StoreFailed` when that is the first."""
    found = {row.queuing_order: row for row in rows}
    read: list[QueueRow] = []
    for order in queuing_orders:
        row = found.get(order)
        if row is None:
            break
        read.append(row)
    if not read:
        raise StoreFailed(f"message {queuing_orders[0]} is not there any more: somebody else has changed the store")
    return read
