"""`MessageMemory`: how much of what waits is in memory, and `MessageSource`: where the rest is read (ADR 20).

Messages that wait are in the store whatever happens. Memory has those that are needed next, and as many others as fit
into a bound; once that is full, what comes is left behind in the store when its commit is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, Protocol

from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName
from engine.core.vocabulary.rows import QueueRow, TransmissionRow

ROW_BYTES: Final = 512
"""What a message takes beside its body: its row, its places in tables, its ids."""


class MessageSource(Protocol):
    """Committed messages, read back from the store; what the outcome at hand has not committed yet is not there."""

    def transmission_rows(
        self, database: DatabaseName, conversation_handle: ConversationHandle, first: int
    ) -> Sequence[TransmissionRow]:
        """Messages of a conversation from the number `first` on, in order, without a hole.

        As many as are read at once (`limits.MESSAGES_READ_AT_ONCE`, `MESSAGES_READ_BYTES`), and one in any case.
        Raises `StoreFailed` when the first of them is not there: then somebody else has changed the store.
        """
        ...

    def queue_rows(self, database: DatabaseName, queuing_orders: Sequence[int]) -> Sequence[QueueRow]:
        """Messages at these places of the queues of a database, in the order asked for; bounds and errors as above."""
        ...


class MessageMemory:
    """Bytes of waiting messages in memory, of one instance. Whoever takes a message in or lets it go counts it here."""

    __slots__ = ("bytes", "bytes_max", "senders", "source")

    def __init__(self, source: MessageSource | None = None, bytes_max: int = 0) -> None:
        """Without a `source` nothing can be left behind, and there is no bound."""
        self.source = source
        self.bytes = 0
        self.bytes_max: float = bytes_max if source is not None else inf
        """Beyond it what comes is left behind."""
        self.senders: dict[object, None] = {}
        """Whoever has messages that are not acknowledged: nobody has to look for them among those that rest."""


def weight(row: TransmissionRow | QueueRow) -> int:
    """Bytes that a message takes."""
    return len(row.message_body or b"") + ROW_BYTES
