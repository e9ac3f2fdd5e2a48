"""`PictureJournal`: the last events of an instance, to know what has happened to a view since a picture was made.

Events are kept as they were committed, which costs nothing while nobody asks; whoever asks passes through those that
are later than the picture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from engine.core.exchange.events import (
    BrokerEvent,
    CatalogApplied,
    ConversationStateChanged,
    ConversationTimerFired,
    DatabaseBrokerChanged,
    DatabaseMirroringStateChanged,
    MessageDelivered,
    MessageQueuedForTransmission,
    MessageSentDirectly,
    MessagesTaken,
    QueueActivation,
    QueueDisabled,
    QueueSwitched,
    RemoteMessageAcknowledged,
    TransmissionStatusChanged,
)
from engine.core.exchange.silent_events import (
    ConversationTouched,
    InstanceStarted,
    QueueTouched,
    TransmissionRetryAsked,
)
from engine.core.transmission.waiting_line import EndpointKey
from engine.core.vocabulary.identifiers import DatabaseName, EventSequence, QueueName
from engine.core.vocabulary.limits import PICTURE_EVENTS_KEPT

EVERYTHING: Final = frozenset({CatalogApplied, DatabaseBrokerChanged, DatabaseMirroringStateChanged, InstanceStarted})
"""After these any row of any view may be another one."""

_OF_CONVERSATIONS: Final = frozenset(
    {
        ConversationStateChanged,
        ConversationTimerFired,
        ConversationTouched,
        MessageDelivered,
        MessageQueuedForTransmission,
        MessageSentDirectly,
        RemoteMessageAcknowledged,
        TransmissionRetryAsked,
        TransmissionStatusChanged,
    }
)
_OF_TRANSMISSIONS: Final = frozenset(
    {
        ConversationStateChanged,
        ConversationTouched,
        MessageQueuedForTransmission,
        MessageSentDirectly,
        RemoteMessageAcknowledged,
        TransmissionRetryAsked,
        TransmissionStatusChanged,
    }
)

QueuePlace = tuple[DatabaseName, QueueName | None]
"""A queue; None for any of the database."""


def _of_one(event: Any) -> QueuePlace:
    return event.database, event.queue


def _of_any(event: Any) -> QueuePlace:
    return event.database, None


_OF_QUEUES: Final[Mapping[type, Callable[[Any], QueuePlace]]] = {
    MessageDelivered: _of_one,
    MessagesTaken: _of_one,
    QueueActivation: _of_one,
    QueueDisabled: _of_one,
    QueueSwitched: _of_one,
    QueueTouched: _of_one,
    # What is gone has left its queue, and what came early is not told as delivered.
    ConversationStateChanged: _of_any,
    ConversationTouched: _of_any,
}


class PictureJournal:
    """The last events; filled by whoever commits them."""

    def __init__(self, last: EventSequence) -> None:
        self._batches: deque[tuple[int, Sequence[BrokerEvent]]] = deque()
        """Numbers of the first events, and the events of each commit."""
        self._count = 0
        self._before_first = int(last)
        self._last = int(last)

    @property
    def last(self) -> EventSequence:
        """The last event that was committed."""
        return EventSequence(self._last)

    def note(self, first: EventSequence, events: Sequence[BrokerEvent]) -> None:
        """Events were committed."""
        self._batches.append((first, events))
        self._count += len(events)
        self._last = first + len(events) - 1
        while self._count > PICTURE_EVENTS_KEPT:
            gone, dropped = self._batches.popleft()
            self._count -= len(dropped)
            self._before_first = gone + len(dropped) - 1

    def reaches(self, since: EventSequence) -> bool:
        """Whether every event later than `since` is remembered."""
        return self._before_first <= since <= self._last

    def later(self, since: EventSequence) -> Iterator[BrokerEvent]:
        """The events later than `since`, the newest first."""
        for first, events in reversed(self._batches):
            if first + len(events) - 1 <= since:
                return
            yield from reversed(events[max(0, since + 1 - first) :])

    # ── what they mean for a view ────────────────────────────────────────────────────────────────────────────────
    def has_any(self, since: EventSequence, kinds: frozenset[type]) -> bool:
        """Whether anything of these kinds has happened."""
        return any(type(event) in kinds or type(event) in EVERYTHING for event in self.later(since))

    def conversations(self, since: EventSequence, rows_max: int) -> dict[EndpointKey, None] | None:
        """Endpoints to whose rows something may have happened; None when any may have changed, or too many have."""
        return self._endpoints(since, rows_max, _OF_CONVERSATIONS, frozenset())

    def transmissions(self, since: EventSequence, rows_max: int) -> dict[EndpointKey, None] | None:
        """As `conversations`, of the messages that wait."""
        return self._endpoints(since, rows_max, _OF_TRANSMISSIONS, frozenset({QueueSwitched}))

    def _endpoints(
        self, since: EventSequence, rows_max: int, kinds: frozenset[type], overall: frozenset[type]
    ) -> dict[EndpointKey, None] | None:
        found: dict[EndpointKey, None] = {}
        for event in self.later(since):
            kind: Any = type(event)
            if kind in kinds:
                each: Any = event
                found[each.database, each.conversation_handle] = None
                if len(found) > rows_max:
                    return None
            elif kind in EVERYTHING or kind in overall:
                return None
        return found

    def queues(self, since: EventSequence) -> set[QueuePlace] | None:
        """Queues to which something may have happened; None when any may have changed."""
        found: set[QueuePlace] = set()
        for event in self.later(since):
            place = _OF_QUEUES.get(type(event))
            if place is not None:
                found.add(place(event))
            elif type(event) in EVERYTHING:
                return None
        return found
