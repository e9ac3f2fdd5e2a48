"""`SendBuffer`: messages that a connection has taken and not yet put into frames.

It is what makes back-pressure visible: as long as the network is busy messages stay here, in their order, and when
`LINK_BUFFER_BYTES_MAX` is reached further ones are refused. Memory is bounded however slowly a peer reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from engine.core.vocabulary.limits import (
    FRAME_BYTES_FULL,
    FRAME_MESSAGES_FULL,
    LINK_BUFFER_BYTES_MAX,
    LINK_HEADER_BYTES,
)
from engine.core.vocabulary.messages import ForwardedMessage


def wire_bytes(forwarded: ForwardedMessage) -> int:
    """About how many bytes a message takes on the wire."""
    return LINK_HEADER_BYTES + forwarded.message.size


class SendBuffer:
    """First in, first out, bounded in bytes."""

    def __init__(self) -> None:
        self._waiting: deque[ForwardedMessage] = deque()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, messages: Iterable[ForwardedMessage]) -> list[ForwardedMessage]:
        """Take messages as long as there is room; answers those that were refused.

        One message of any size fits into an empty buffer, so the bound may be passed by one message.
        """
        refused: list[ForwardedMessage] = []
        for message in messages:
            if refused or self.bytes >= LINK_BUFFER_BYTES_MAX:
                refused.append(message)
                continue
            self._waiting.append(message)
            self.bytes += wire_bytes(message)
        return refused

    def next_frame(self) -> tuple[ForwardedMessage, ...]:
        """Messages for one frame: full enough to be cheap, small enough that a large body delays nobody for long."""
        batch: list[ForwardedMessage] = []
        size = 0
        while self._waiting and len(batch) < FRAME_MESSAGES_FULL:
            following = wire_bytes(self._waiting[0])
            if batch and size + following > FRAME_BYTES_FULL:
                break
            batch.append(self._waiting.popleft())
            size += following
        self.bytes -= size
        return tuple(batch)

    def clear(self) -> list[ForwardedMessage]:
        """Everything that waits, which is lost now."""
        lost, self._waiting = list(self._waiting), deque()
        self.bytes = 0
        return lost
