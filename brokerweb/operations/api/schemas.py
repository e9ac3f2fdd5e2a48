"""Shapes of the console, as they travel."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field
from pydantic import StrictBool, StrictFloat, StrictInt

from brokerweb.accounts.rights import Right
from brokerweb.common.api.shape import Request, Shape
from brokerweb.operations.services.waiting import WAIT_SECONDS_MAX

_TRANSACTION = Field(
    default=None, description="The transaction that the statement is part of; null commits it at once."
)

_WAIT_SECONDS = Field(
    default=0,
    ge=0,
    le=WAIT_SECONDS_MAX,
    description="WAITFOR: how long the answer may take when there is nothing yet; it is empty when nothing came.",
)

ConversationState = Literal["SO", "SI", "CO", "DI", "DO", "CD", "ER"]


class ConversationBegin(Request):
    """The clauses of BEGIN DIALOG."""

    takes_any_text = frozenset({"from_service", "to_service", "to_broker_instance", "contract"})
    from_service: str
    to_service: str
    to_broker_instance: str | None = None
    """A broker id, or CURRENT DATABASE."""
    contract: str | None = Field(default=None, min_length=1)
    """Null is the DEFAULT contract."""
    lifetime_seconds: StrictInt | None = None
    encryption: StrictBool = False
    """ENCRYPTION: whether the dialog must be secured. T-SQL's own default is ON; here it is asked for."""
    related_conversation: UUID | None = None
    """RELATED_CONVERSATION: the dialog joins the group of this conversation."""
    related_conversation_group: UUID | None = None
    """RELATED_CONVERSATION_GROUP: the dialog joins this group, which is made when there is none."""
    transaction: UUID | None = _TRANSACTION


class ConversationBegun(Shape):
    conversation_handle: UUID
    conversation_id: UUID
    conversation_group_id: UUID


class MessagesSend(Request):
    """SEND, once for each body, in order."""

    message_type: str | None = Field(default=None, min_length=1)
    """Null is the DEFAULT message type."""
    takes_any_text = frozenset({"bodies"})
    bodies: list[str] = Field(min_length=1, max_length=1000)
    encoding: Literal["utf-8", "utf-16"] = "utf-8"
    """How the texts become bytes; utf-16 (little-endian, without mark) is what N'…' is in T-SQL."""
    transaction: UUID | None = _TRANSACTION


class MessagesSent(Shape):
    """The messages have their numbers and are stored."""

    first_sequence_number: int
    last_sequence_number: int
    count: int


class ConversationEnd(Request):
    """END CONVERSATION: plain, WITH ERROR (code and description) or WITH CLEANUP."""

    error_code: StrictInt | None = None
    error_description: str | None = None
    with_cleanup: StrictBool = False
    transaction: UUID | None = _TRANSACTION


class ConversationEnded(Shape):
    state: ConversationState | None
    """What the endpoint is in now; null when it is gone."""


class ReceiveIn(Request):
    """RECEIVE TOP (n), for one conversation or one conversation group if one is named."""

    top: StrictInt = Field(default=1, ge=1, le=10_000)
    conversation_handle: UUID | None = None
    conversation_group_id: UUID | None = None
    transaction: UUID | None = _TRANSACTION
    wait_seconds: StrictFloat = _WAIT_SECONDS


class ConversationMove(Request):
    """MOVE CONVERSATION to another group of the same queue."""

    conversation_group_id: UUID
    transaction: UUID | None = _TRANSACTION


class ConversationMoved(Shape):
    conversation_group_id: UUID


class TimerBegin(Request):
    """BEGIN CONVERSATION TIMER; replaces the one that runs."""

    timeout_seconds: StrictInt
    transaction: UUID | None = _TRANSACTION


class TimerSet(Shape):
    dialog_timer: datetime
    """When the timer fires."""


class ConversationGroupGet(Request):
    """GET CONVERSATION GROUP; the lock on it lasts as long as the transaction."""

    transaction: UUID | None = _TRANSACTION
    wait_seconds: StrictFloat = _WAIT_SECONDS


class ConversationGroupFound(Shape):
    conversation_group_id: UUID | None
    """Null when no group has a message that nobody else is reading."""


class QueueStatusIn(Request):
    is_enabled: StrictBool


class QueueStatusSet(Shape):
    is_enabled: bool


class TransactionBegun(Shape):
    transaction: UUID
    """What statements of the transaction name it by. Silence for too long rolls it back."""


class TransactionEnded(Shape):
    is_committed: bool


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
    """The body as text, or in hexadecimal; null without a body, or when it is withheld."""
    message_body_encoding: Literal["utf-8", "utf-16", "hex"] | None
    message_body_withheld: Literal[Right.READ_PAYLOADS] | None
    """The right without which the body is not shown; null when it is, or when there is none."""
    message_body_bytes: int
    """Size of the whole body, also when `message_body` shows only its beginning."""
    message_body_shown_bytes: int
    """How many of them `message_body` shows."""


class MessagesReceived(Shape):
    """Messages of one conversation group, gone from the queue."""

    messages: list[QueueMessage]


class MessagesPeeked(Shape):
    """The first messages of a queue; nothing was taken."""

    messages: list[QueueMessage]
    total: int
    """Messages in the queue altogether."""
