"""Identifiers that the vendor makes anew for everything, and that are derived here so that rows can be joined."""

from __future__ import annotations

from uuid import NAMESPACE_URL, UUID, uuid5

from engine.core.vocabulary.identifiers import ConversationId
from engine.core.vocabulary.messages import DialogMessage, MessageKind, TcpAddress


def connection_id(address: TcpAddress) -> UUID:
    """Of the connection to an address; the same for every connection that follows another."""
    return uuid5(NAMESPACE_URL, str(address))


def accepted_connection_id(arbitration_id: UUID) -> UUID:
    """Of the connection that an instance has opened to us."""
    return uuid5(arbitration_id, "accepted")


def message_id(message: DialogMessage) -> UUID:
    """Of a message; the same for every repetition of it."""
    return told_message_id(message.conversation_id, message.kind, message.sequence, message.from_initiator)


def told_message_id(
    conversation_id: ConversationId, kind: MessageKind, sequence: int | None, from_initiator: bool
) -> UUID:
    """The same, of a message of which only this is known."""
    side = "initiator" if from_initiator else "target"
    return uuid5(conversation_id, f"{side} {kind.value} {sequence}")
