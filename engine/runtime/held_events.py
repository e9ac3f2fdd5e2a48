"""`HeldEvents`: what there is to tell of messages that passed through and left nothing to store.

A forwarder keeps nothing, so nothing has to be on disk before a message goes on (protocol.md 7.4). Its events wait here
for the next commit, a moment at most; those of the last moment are lost with a process that dies.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.exchange.events import BrokerEvent
from engine.core.vocabulary.limits import EVENTS_HELD_MAX, EVENTS_HELD_SECONDS_MAX
from engine.core.vocabulary.moment import Instant


class HeldEvents:
    """In the order in which they happened; bounded in number and in time."""

    def __init__(self) -> None:
        self._events: list[BrokerEvent] = []
        self.due_at: Instant | None = None
        """When they have waited long enough; None when there are none."""

    def hold(self, events: Sequence[BrokerEvent], now: Instant) -> None:
        """Keep more of them."""
        self._events.extend(events)
        if self.due_at is None and self._events:
            self.due_at = Instant(now + EVENTS_HELD_SECONDS_MAX)

    def are_due(self, now: Instant) -> bool:
        """Whether they wait no longer."""
        return self.due_at is not None and (now >= self.due_at or len(self._events) >= EVENTS_HELD_MAX)

    def with_later(self, events: Sequence[BrokerEvent]) -> Sequence[BrokerEvent]:
        """All of them and those that happened since, for a commit; none is held any more."""
        if not self._events:
            return events
        held, self._events, self.due_at = self._events, [], None
        return [*held, *events]
