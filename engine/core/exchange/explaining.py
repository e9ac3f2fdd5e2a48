"""What a waiting message waits for: the decision by which it was sent, the decision now, and what a retry would do."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    ConversationHandle,
    DatabaseName,
    EventSequence,
    MessageTypeName,
    ServiceName,
)
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationState


class ToldDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of the router, and its proof a sentence a line."""

    decision: ClassifierDecision
    proof: tuple[str, ...] = ()
    """Filled in by whoever shows it, in the language of the reader (`engine.whatif.explanation`)."""


class RetryEnd(StrEnum):
    """Where a retry would lead now."""

    DELIVERED = "delivered"
    """Into a queue of this very instance."""
    SENT = "sent"
    """Over a connection that is up."""
    CONNECTS = "connects"
    """Waits for a connection that is being made, or would be."""
    WAITS = "waits"
    """Would still wait, for the reason with the number."""
    FROZEN = "frozen"
    """Will not be sent any more: the far side has ended, or an error came (protocol.md 8.2, rows 10 and 11)."""
    NOTHING_WAITS = "nothing-waits"


class RetryOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """What would come of a retry now, as far as this instance can know it without trying."""

    end: RetryEnd
    number: int | None = None
    """Why it would still wait."""
    text: str = ""
    """The number in words; empty without one."""
    address: str | None = None
    """The next hop; of a mirrored route the principal, while it is known."""
    database: DatabaseName | None = None
    """Where it would be delivered in this instance."""
    connection: LinkState | None = None
    """Of the address; None where none is needed, or none was ever opened."""
    connects_at: UtcTime | None = None
    """Until when the address is left alone after a failure; None when it is not."""
    retries_at: UtcTime | None = None
    """When the engine tries by itself next; None when nothing is planned, as while a connection is down."""


class TransmissionExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation whose messages wait, as of event `sequence`."""

    sequence: EventSequence
    at: UtcTime
    database: DatabaseName
    conversation_handle: ConversationHandle
    state: ConversationState
    from_service: ServiceName
    to_service: ServiceName
    to_broker_instance: BrokerInstanceId | None
    is_initiator: bool
    contract: ContractName
    message_type: MessageTypeName | None
    """Of the oldest message that waits; None where none does, or it has none."""
    encryption: bool
    """ENCRYPTION of BEGIN DIALOG, as the initiator has it."""
    waiting: int
    oldest: UtcTime | None
    number: int | None
    """The transmission status."""
    text: str
    then: ToldDecision | None
    """By which the oldest message was sent; None when it was not tried yet."""
    waits_since: UtcTime | None
    """When it first had to wait for a reason, by that decision; None while there is none but its acknowledgement."""
    now: ToldDecision
    is_same: bool
    """Whether both lead the same way."""
    retry: RetryOutlook
