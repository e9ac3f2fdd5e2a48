"""Everything one may ask an instance, as a closed union. Each command carries its own idempotency key.

A command either happens whole or raises a numbered `BrokerError` and changes nothing.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CatalogRevision,
    CommandId,
    ContractName,
    ConversationGroupId,
    ConversationHandle,
    DatabaseName,
    MessageTypeName,
    QueueName,
    ServiceName,
)


class _Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="command"):
    """Common base: the key under which the reply is remembered."""

    command_id: CommandId


class BeginDialog(_Command, frozen=True, tag="begin-dialog"):
    """BEGIN DIALOG in `database`; replies with `DialogBegun`. No network activity (protocol.md 8.2, row 1)."""

    database: DatabaseName
    from_service: ServiceName
    to_service: ServiceName
    to_broker_instance: BrokerInstanceId | None = None
    to_current_database: bool = False
    """TO SERVICE 'name', 'CURRENT DATABASE': the id of this database, resolved now."""
    contract: ContractName | None = None
    """None is the DEFAULT contract."""
    conversation_group_id: ConversationGroupId | None = None
    lifetime_seconds: int | None = None
    encryption: bool = False
    """ENCRYPTION. The statement's default is ON; whoever reads a statement says so here."""


class Send(_Command, frozen=True, tag="send"):
    """SEND ON CONVERSATION: one message; replies with `MessageSent`."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    message_type: MessageTypeName | None = None
    """None is the DEFAULT message type."""
    body: bytes | None = None


class Receive(_Command, frozen=True, tag="receive"):
    """RECEIVE TOP (n) from a queue, committed at once; replies with `MessagesReceived`, empty when nothing is ready."""

    database: DatabaseName
    queue: QueueName
    top: int = 1
    conversation_handle: ConversationHandle | None = None
    conversation_group_id: ConversationGroupId | None = None


class EndConversation(_Command, frozen=True, tag="end-conversation"):
    """END CONVERSATION, plain, WITH ERROR (both `error_code` and `error_description`) or WITH CLEANUP."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    error_code: int | None = None
    error_description: str | None = None
    with_cleanup: bool = False


class ApplyCatalog(_Command, frozen=True, tag="apply-catalog"):
    """Bring the catalog from revision `base` to `revision`; replies with `CatalogApplied`.

    Refused with `RevisionMismatch` when the instance is not at `base`; an instance at or past `revision` already
    has it and answers so.
    """

    base: CatalogRevision
    revision: CatalogRevision
    changes: tuple[CatalogChange, ...]


Command = BeginDialog | Send | Receive | EndConversation | ApplyCatalog
