"""`AwaitingPlaces`: where the messages are that came while their queue was off (protocol.md 4)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.vocabulary.identifiers import ConversationHandle
from engine.core.vocabulary.rows import QueueRow


class AwaitingPlaces:
    """Places in order of arrival, and by conversation."""

    def __init__(self) -> None:
        self._places: dict[int, None] = {}
        self._by_conversation: dict[int, dict[int, None]] = {}
        """By the number of the handle: hashing a UUID runs Python code."""
        self._last = 0
        self._is_in_order = True

    @property
    def conversations(self) -> int:
        """Of how many conversations they are."""
        return len(self._by_conversation)

    def add(self, row: QueueRow) -> None:
        """A message came; mostly behind all others, but one that is revised keeps its place."""
        order = row.queuing_order
        self._is_in_order = self._is_in_order and order > self._last
        self._last = max(self._last, order)
        self._places[order] = None
        self._by_conversation.setdefault(row.conversation_handle.int, {})[order] = None

    def remove(self, row: QueueRow) -> None:
        """It is in the queue now, or gone."""
        del self._places[row.queuing_order]
        handle = row.conversation_handle.int
        places = self._by_conversation[handle]
        del places[row.queuing_order]
        if not places:
            del self._by_conversation[handle]
        if not self._places:
            self._last, self._is_in_order = 0, True

    def __iter__(self) -> Iterator[int]:
        if not self._is_in_order:
            self._places = dict.fromkeys(sorted(self._places))
            self._is_in_order = True
        return iter(self._places)

    def of(self, handle: ConversationHandle) -> list[int]:
        """The places of one conversation."""
        return sorted(self._by_conversation.get(handle.int, ()))
