"""What a command answers, as a closed union; stored with the commit so that a redelivered command hears it again."""

from __future__ import annotations

import msgspec

from engine.core.catalog.backup import DatabaseBackup
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CatalogRevision,
    CommandId,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    TransactionId,
)
from engine.core.vocabulary.mirrors import MirroringRole
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationState, QueueRow


class _Reply(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="reply"):
    """Common base; carries nothing."""


class TransactionBegun(_Reply, frozen=True, tag="transaction-begun"):
    """The transaction that the statements to come may name."""

    transaction: TransactionId


class TransactionEnded(_Reply, frozen=True, tag="transaction-ended"):
    """Committed or rolled back; its locks are gone."""

    committed: bool


class DialogBegun(_Reply, frozen=True, tag="dialog-begun"):
    """The initiator endpoint exists."""

    conversation_handle: ConversationHandle
    conversation_id: ConversationId
    conversation_group_id: ConversationGroupId


class MessageSent(_Reply, frozen=True, tag="message-sent"):
    """The message has its number and is stored."""

    message_sequence_number: int


class MessagesSent(_Reply, frozen=True, tag="messages-sent"):
    """The messages of a `SendMany` have their numbers and are stored."""

    message_sequence_numbers: tuple[int, ...]


class MessagesReceived(_Reply, frozen=True, tag="messages-received"):
    """Messages of one conversation group, or of several where they were asked for, gone from the queue."""

    messages: tuple[QueueRow, ...]


class ConversationGroupFound(_Reply, frozen=True, tag="conversation-group-found"):
    """The group with the best message that nobody else has locked; None when there is none."""

    conversation_group_id: ConversationGroupId | None


class ConversationMoved(_Reply, frozen=True, tag="conversation-moved"):
    """The conversation belongs to the other group."""

    conversation_group_id: ConversationGroupId


class ConversationEnded(_Reply, frozen=True, tag="conversation-ended"):
    """The state the endpoint is in now; None when it is gone."""

    state: ConversationState | None
    before: ConversationState | None = None
    """The state that it was in; None in replies of before this was told."""


class TimerSet(_Reply, frozen=True, tag="timer-set"):
    """The conversation timer runs."""

    dialog_timer: UtcTime
    """When it fires, UTC."""


class TransmissionRetried(_Reply, frozen=True, tag="transmission-retried"):
    """What still waits after the retry, in the transmission queue or for an acknowledgement, and why."""

    waiting: int
    number: int | None
    """The transmission status; None when nothing is in the way."""
    text: str
    before: int | None = None
    """The transmission status that it had; None where nothing was in the way."""


class QueueStatusSet(_Reply, frozen=True, tag="queue-status-set"):
    """The queue is on, or off."""

    is_enabled: bool
    was_enabled: bool | None = None
    """What it was; None in replies of before this was told."""


class CatalogRevised(_Reply, frozen=True, tag="catalog-revised"):
    """The revision the instance has now."""

    revision: CatalogRevision


class MirroringRoleSet(_Reply, frozen=True, tag="mirroring-role-set"):
    """The role that the database has now."""

    role: MirroringRole


class DatabaseBackedUp(_Reply, frozen=True, tag="database-backed-up"):
    """The database as it was at this instant."""

    backup: DatabaseBackup


class DatabaseDetached(_Reply, frozen=True, tag="database-detached"):
    """The database is gone; this is the file."""

    backup: DatabaseBackup
    revision: CatalogRevision


class DatabaseAttached(_Reply, frozen=True, tag="database-attached"):
    """The database is here, with this identity."""

    broker_instance: BrokerInstanceId
    is_broker_enabled: bool
    notice: int | None
    """Number of why its broker is off although it was on or was to be (identity.md 5, 6)."""
    notice_text: str
    revision: CatalogRevision


class Refusal(_Reply, frozen=True, tag="refusal"):
    """A numbered error: what happened, why, what to do. The command changed nothing."""

    number: int
    text: str
    why: str = ""
    cure: str = ""
    parameters: dict[str, str | int | None] = {}
    """What the texts were filled with, for a reader that words them itself."""


Reply = (
    TransactionBegun
    | TransactionEnded
    | DialogBegun
    | MessageSent
    | MessagesSent
    | MessagesReceived
    | ConversationGroupFound
    | ConversationMoved
    | ConversationEnded
    | TimerSet
    | TransmissionRetried
    | QueueStatusSet
    | CatalogRevised
    | MirroringRoleSet
    | DatabaseBackedUp
    | DatabaseDetached
    | DatabaseAttached
    | Refusal
)


class LateReply(msgspec.Struct, frozen=True):
    """The reply to a command that had to wait for it (WAITFOR)."""

    command_id: CommandId
    reply: Reply


def refusal(error: BrokerError) -> Refusal:
    """A numbered error as a reply."""
    return Refusal(
        number=error.number,
        text=error.text,
        why=error.why,
        cure=error.cure,
        parameters=dict(error.parameters),
    )
