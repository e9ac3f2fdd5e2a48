"""The broker's trace event classes with their numbers and subclasses (views.md 4)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec


class TraceClass(IntEnum):
    """`EventClass`: the number of SQL Trace."""

    BROKER_CONVERSATION = 124
    BROKER_CONVERSATION_GROUP = 136
    BROKER_CONNECTION = 138
    BROKER_FORWARDED_MESSAGE_SENT = 139
    BROKER_FORWARDED_MESSAGE_DROPPED = 140
    BROKER_MESSAGE_CLASSIFY = 141
    BROKER_TRANSMISSION = 142
    BROKER_QUEUE_DISABLED = 143
    BROKER_MIRRORED_ROUTE_STATE_CHANGED = 144
    BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT = 149
    AUDIT_BROKER_CONVERSATION = 158
    AUDIT_BROKER_LOGIN = 159
    BROKER_MESSAGE_UNDELIVERABLE = 160
    BROKER_CORRUPTED_MESSAGE = 161
    BROKER_ACTIVATION = 163


class ClassDescription(msgspec.Struct, frozen=True):
    """The vendor's name of a class, and its subclasses, numbered from 1 in this order."""

    name: str
    subclasses: tuple[str, ...] = ()

    def number(self, subclass: str) -> int:
        """`EventSubClass` of a subclass; `ValueError` when the class has none of that name."""
        return self.subclasses.index(subclass) + 1


_C = TraceClass

TRACE_CLASSES: Final[dict[TraceClass, ClassDescription]] = {
    _C.BROKER_CONVERSATION: ClassDescription(
        "Broker:Conversation",
        (
            "SEND Message",
            "END CONVERSATION",
            "END CONVERSATION WITH ERROR",
            "Broker Initiated Error",
            "Terminate Dialog",
            "Received Sequenced Message",
            "Received END CONVERSATION",
            "Received END CONVERSATION WITH ERROR",
            "Received Broker Error Message",
            "Received END CONVERSATION Ack",
            "BEGIN DIALOG",
            "Dialog Created",
            "END CONVERSATION WITH CLEANUP",
        ),
    ),
    _C.BROKER_CONVERSATION_GROUP: ClassDescription("Broker:Conversation Group", ("Create", "Drop")),
    _C.BROKER_CONNECTION: ClassDescription(
        "Broker:Connection",
        (
            "Connecting",
            "Connected",
            "Connect Failed",
            "Closing",
            "Closed",
            "Accept",
            "Send IO Error",
            "Receive IO Error",
        ),
    ),
    _C.BROKER_FORWARDED_MESSAGE_SENT: ClassDescription("Broker:Forwarded Message Sent"),
    _C.BROKER_FORWARDED_MESSAGE_DROPPED: ClassDescription("Broker:Forwarded Message Dropped"),
    _C.BROKER_MESSAGE_CLASSIFY: ClassDescription("Broker:Message Classify", ("Local", "Remote", "Delayed")),
    _C.BROKER_TRANSMISSION: ClassDescription("Broker:Transmission"),
    _C.BROKER_QUEUE_DISABLED: ClassDescription("Broker:Queue Disabled"),
    _C.BROKER_MIRRORED_ROUTE_STATE_CHANGED: ClassDescription("Broker:Mirrored Route State Changed"),
    _C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT: ClassDescription(
        "Broker:Remote Message Acknowledgement",
        (
            "Message with Acknowledgement Sent",
            "Acknowledgement Sent",
            "Message with Acknowledgement Received",
            "Acknowledgement Received",
        ),
    ),
    _C.AUDIT_BROKER_CONVERSATION: ClassDescription(
        "Audit Broker Conversation",
        ("No Security Header", "No Certificate", "Invalid Signature", "Run As Target Failure"),
    ),
    _C.AUDIT_BROKER_LOGIN: ClassDescription(
        "Audit Broker Login",
        (
            "Login Success",
            "Login Protocol Error",
            "Message Format Error",
            "Negotiate Failure",
            "Authentication Failure",
            "Authorization Failure",
        ),
    ),
    _C.BROKER_MESSAGE_UNDELIVERABLE: ClassDescription(
        "Broker:Message Undeliverable", ("Sequenced Message", "Unsequenced Message")
    ),
    _C.BROKER_CORRUPTED_MESSAGE: ClassDescription("Broker:Corrupted Message"),
    _C.BROKER_ACTIVATION: ClassDescription("Broker:Activation", ("Started", "Ended", "Aborted", "Notified")),
}
