"""`SumKeeper`: what is counted of conversations and their messages as they change, and what is told of silent changes.

Nothing that a picture of the instance shows changes without an event (ADR 25). Most of it has one of its own; what has
none is noted here and told once an outcome.
"""

from __future__ import annotations

from typing import Final

from engine.core.catalog.instance import InstanceCatalog
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.silent_events import ConversationTouched, QueueTouched
from engine.core.handlers.conversation_tally import ConversationTally
from engine.core.handlers.queue_keeping import QueueKeeper
from engine.core.handlers.transmission_tally import TransmissionTally
from engine.core.vocabulary.identifiers import DatabaseName, QueueName
from engine.core.vocabulary.message_memory import MessageMemory
from engine.core.vocabulary.moment import Duration, UtcTime
from engine.core.vocabulary.subclasses import ConversationHappening

SHIFTED_MAX: Final = 1_000
"""Endpoints to whose waiting messages something has happened before they are counted anew, though nobody looks."""


class SumKeeper(QueueKeeper):
    """The sums of an instance. Each change costs the same, however many conversations there are."""

    def __init__(self, catalog: InstanceCatalog, memory: MessageMemory, guard_seconds: Duration) -> None:
        self.conversation_tally: Final = ConversationTally(guard_seconds)
        self._guard_seconds = guard_seconds
        self._transmission_tally = TransmissionTally()
        self.shifted: dict[DialogEndpoint, None] = {}
        """Endpoints to whose waiting messages something has happened since they were counted."""
        self._silent: dict[DialogEndpoint, None] = {}
        self._silent_queues: dict[tuple[DatabaseName, QueueName], None] = {}
        self.transit_has_grown = False
        """Whether a message in transit has begun to wait since the last outcome."""
        super().__init__(catalog, memory)

    def arm_guard(self, endpoint: DialogEndpoint) -> None:
        """The initiator has no message 0 any more: a target stays so long as replay guard (protocol.md 8.5)."""
        at = UtcTime(self.now.utc + self._guard_seconds)
        self.conversation_tally.rearm(endpoint, at)
        endpoint.revise(security_timestamp=at)
        self.touched[endpoint] = None

    def stir(self, endpoint: DialogEndpoint) -> None:
        """Something of an endpoint has changed of which no other event tells."""
        self._silent[endpoint] = None

    def stir_queue(self, database: DatabaseName, queue: QueueName) -> None:
        """As `stir`, of a queue or its monitor."""
        self._silent_queues[database, queue] = None

    def transmission_tally(self) -> TransmissionTally:
        """What waits for transmission, counted as it is now."""
        shifted, self.shifted = self.shifted, {}
        self._transmission_tally.follow_all(shifted)
        return self._transmission_tally

    def rest_counted(self, endpoint: DialogEndpoint) -> None:
        """An endpoint leaves memory; it has nothing to send, and stays in the sums."""
        if endpoint in self.shifted:
            del self.shifted[endpoint]
            self._transmission_tally.follow(endpoint)
        endpoint.counted_state = None

    def announce_state(self, endpoint: DialogEndpoint, happening: ConversationHappening, *, gone: bool = False) -> None:
        """Tell that an endpoint was made, changed its state, or is gone, and count it so."""
        if not gone:
            self.conversation_tally.follow(endpoint)
        super().announce_state(endpoint, happening, gone=gone)

    def outcome(self) -> Outcome:
        """Everything since the last call, as one value."""
        if len(self.shifted) > SHIFTED_MAX:
            self.transmission_tally()
        if self._silent or self._silent_queues or self.transit_has_grown:
            self.tell_silent()
        return super().outcome()

    def tell_silent(self) -> None:
        """Tell what has changed of which no other event tells."""
        for endpoint in self._silent:
            if endpoint.is_known:
                self.tell(
                    ConversationTouched(
                        at=self.now.utc,
                        database=endpoint.database,
                        conversation_handle=endpoint.row.conversation_handle,
                    )
                )
        for database, queue in self._silent_queues:
            self.tell(QueueTouched(at=self.now.utc, database=database, queue=queue))
        self._silent.clear()
        self._silent_queues.clear()
