"""Events of which no trace of the vendor tells: what a view shows is another, once a turn (ADR 25)."""

from __future__ import annotations

from engine.core.exchange.event_base import EventBase
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, QueueName


class InstanceStarted(EventBase, frozen=True, tag="instance-started"):
    """The instance was loaded: connections, monitors, reasons to wait and everything else in memory begin anew."""


class ConversationTouched(EventBase, frozen=True, tag="conversation-touched"):
    """Something of an endpoint has changed of which no other event tells, such as its timer; once a turn."""

    database: DatabaseName
    conversation_handle: ConversationHandle


class QueueTouched(EventBase, frozen=True, tag="queue-touched"):
    """Something of a queue or its monitor has changed of which no other event tells; once a turn."""

    database: DatabaseName
    queue: QueueName


class TransmissionRetryAsked(EventBase, frozen=True, tag="transmission-retry-asked"):
    """Somebody has asked that the waiting messages of a conversation be sent now; what came of it follows."""

    database: DatabaseName
    conversation_handle: ConversationHandle


class ForwardedMessagesWait(EventBase, frozen=True, tag="forwarded-messages-wait"):
    """Messages in transit wait for their connection: so many altogether, with so many bytes; once a turn."""

    messages: int
    bytes: int
