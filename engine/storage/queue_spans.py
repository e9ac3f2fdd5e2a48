"""Messages that wait in queues as an instance is told of them when it starts: by their places, without their bodies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple
from uuid import UUID

from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle, QueueName
from engine.core.vocabulary.rows import QueueSpan

PLACES_AT_ONCE: Final = 50_000
"""Messages of one piece."""


class PlainMessage(NamedTuple):
    """What is told of a plain message (`places.is_plain`)."""

    place: int
    number: int
    conversation: bytes
    """The handle, sixteen bytes."""
    queue: str
    priority: int
    group: bytes


class _Run:
    """Messages of a conversation in one queue whose numbers follow one another."""

    __slots__ = ("begin", "next", "places")

    def __init__(self, begin: PlainMessage) -> None:
        self.begin = begin
        self.next = begin.number + 1
        self.places = [begin.place]

    def span(self) -> QueueSpan:
        """What an instance is told."""
        begin = self.begin
        handle = ConversationHandle(UUID(bytes=begin.conversation))
        group = ConversationGroupId(UUID(bytes=begin.group))
        return QueueSpan(handle, group, begin.priority, begin.number, self.places)


def spans_of(messages: Iterable[tuple[int, int, bytes, str, int, bytes]]) -> dict[QueueName, list[QueueSpan]]:
    """Plain messages of a database (`PlainMessage`), in order of their places, as spans; by queue and first place."""
    latest: dict[bytes, _Run] = {}
    runs: dict[str, list[_Run]] = {}
    for message in messages:
        place, number, conversation, queue, _, _ = message
        run = latest.get(conversation)
        if run is not None and run.next == number and run.begin.queue == queue:
            run.next = number + 1
            run.places.append(place)
        else:
            run = latest[conversation] = _Run(PlainMessage(*message))
            runs.setdefault(queue, []).append(run)
    return {QueueName(queue): [run.span() for run in found] for queue, found in runs.items()}
