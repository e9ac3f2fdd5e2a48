"""Subclasses of trace events, as events carry them (views.md 4)."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class ConversationHappening(StrEnum):
    """What befell a conversation endpoint: the subclasses of Broker:Conversation, in the order of their numbers."""

    SEND_MESSAGE = "send-message"
    END_CONVERSATION = "end-conversation"
    END_CONVERSATION_WITH_ERROR = "end-conversation-with-error"
    BROKER_INITIATED_ERROR = "broker-initiated-error"
    TERMINATE_DIALOG = "terminate-dialog"
    RECEIVED_SEQUENCED_MESSAGE = "received-sequenced-message"
    RECEIVED_END_CONVERSATION = "received-end-conversation"
    RECEIVED_END_CONVERSATION_WITH_ERROR = "received-end-conversation-with-error"
    RECEIVED_BROKER_ERROR = "received-broker-error"
    RECEIVED_END_CONVERSATION_ACK = "received-end-conversation-ack"
    BEGIN_DIALOG = "begin-dialog"
    DIALOG_CREATED = "dialog-created"
    END_CONVERSATION_WITH_CLEANUP = "end-conversation-with-cleanup"


class AuditFailure(IntEnum):
    """Subclasses of Audit Broker Conversation (views.md 4)."""

    NO_SECURITY_HEADER = 1
    NO_CERTIFICATE = 2
    INVALID_SIGNATURE = 3
    RUN_AS_TARGET_FAILURE = 4


class ActivationSubclass(StrEnum):
    """Subclasses of Broker:Activation (views.md 4)."""

    STARTED = "started"
    ENDED = "ended"
    ABORTED = "aborted"
    NOTIFIED = "notified"
    """The notification for QUEUE_ACTIVATION was sent."""
