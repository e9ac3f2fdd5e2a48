"""Shapes of the console, as they travel."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field

from brokerweb.common.api.shape import Request, Shape

ConversationState = Literal["SO", "SI", "CO", "DI", "DO", "CD", "ER"]


class ConversationBegin(Request):
    """The clauses of BEGIN DIALOG."""

    from_service: str
    to_service: str
    to_broker_instance: str | None = None
    """A broker id, or CURRENT DATABASE."""
    contract: str | None = None
    """Null is the DEFAULT contract."""
    lifetime_seconds: int | None = None


class ConversationBegun(Shape):
    conversation_handle: UUID
    conversation_id: UUID
    conversation_group_id: UUID


class MessagesSend(Request):
    """SEND, once for each body, in order."""

    message_type: str | None = None
    """Null is the DEFAULT message type."""
    bodies: list[str] = Field(min_length=1, max_length=1000)
    encoding: Literal["utf-8", "utf-16"] = "utf-8"
    """How the texts become bytes; utf-16 (little-endian, without mark) is what N'…' is in T-SQL."""


class MessagesSent(Shape):
    """The messages have their numbers and are stored."""

    first_sequence_number: int
    last_sequence_number: int
    count: int


class ConversationEnd(Request):
    """END CONVERSATION: plain, WITH ERROR (code and description) or WITH CLEANUP."""

    error_code: int | None = None
    error_description: str | None = None
    with_cleanup: bool = False


class ConversationEnded(Shape):
    state: ConversationState | None
    """What the endpoint is in now; null when it is gone."""


class ReceiveIn(Request):
    """RECEIVE TOP (n), for one conversation if one is named."""

    top: int = Field(default=1, ge=1, le=10_000)
    conversation_handle: UUID | None = None


class QueueMessage(Shape):
    """A message as a SELECT on its queue shows it, the body readable where it can be."""

    status: int
    """0 received and retained, 1 ready, 2 arrived early, 3 sent and retained."""
    priority: int
    queuing_order: int
    conversation_group_id: UUID
    conversation_handle: UUID
    message_sequence_number: int
    service_name: str
    service_contract_name: str
    message_type_name: str
    message_enqueue_time: datetime
    message_body: str | None
    """The body as text, or in hexadecimal; null without a body."""
    message_body_encoding: Literal["utf-8", "utf-16", "hex"] | None
    message_body_bytes: int
    """Size of the whole body, also when `message_body` shows only its beginning."""


class MessagesReceived(Shape):
    """Messages of one conversation group, gone from the queue."""

    messages: list[QueueMessage]


class MessagesPeeked(Shape):
    """The first messages of a queue; nothing was taken."""

    messages: list[QueueMessage]
    total: int
    """Messages in the queue altogether."""
