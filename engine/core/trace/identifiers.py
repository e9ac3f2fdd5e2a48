"""Identifiers that the vendor makes anew for everything, and that are derived here so that rows can be joined."""

from __future__ import annotations

from uuid import NAMESPACE_URL, UUID, uuid5

from engine.core.vocabulary.messages import DialogMessage, TcpAddress


def connection_id(address: TcpAddress) -> UUID:
    """Of the connection to an address; the same for every connection that follows another."""
    return uuid5(NAMESPACE_URL, str(address))


def accepted_connection_id(arbitration_id: UUID) -> UUID:
    """Of the connection that an instance has opened to us."""
    return uuid5(arbitration_id, "accepted")


def message_id(message: DialogMessage) -> UUID:
    """Of a message; the same for every repetition of it."""
    side = "initiator" if message.from_initiator else "target"
    return uuid5(message.conversation_id, f"{side} {message.kind.value} {message.sequence}")
