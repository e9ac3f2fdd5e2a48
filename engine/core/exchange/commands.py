"""Everything one may ask an instance, as a closed union. Each command carries its own idempotency key.

A command either happens whole or raises a numbered `BrokerError` and changes nothing.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec

from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.catalog.changes import CatalogChange
from engine.core.vocabulary.identifiers import (
    ActivatedTaskId,
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
    TransactionId,
)
from engine.core.vocabulary.mirrors import MirroringRole


class CommandBase(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="command"):
    """Common base: the key under which the reply is remembered."""

    command_id: CommandId


class BeginTransaction(CommandBase, frozen=True, tag="begin-transaction"):
    """BEGIN TRANSACTION; replies with `TransactionBegun`. 1204 when too many are open.

    Statements that name the transaction lock conversation groups until its end (protocol.md 10). A transaction without
    a statement for `EngineSettings.transaction_idle_seconds` is rolled back, and so is every one when the host stops.
    """

    task: ActivatedTaskId | None = None
    """The internal reader that begins it: its session lives as long as it runs."""


class CommitTransaction(CommandBase, frozen=True, tag="commit-transaction"):
    """COMMIT TRANSACTION: what it holds back happens now, in order; replies with `TransactionEnded`. 3902."""

    transaction: TransactionId


class RollbackTransaction(CommandBase, frozen=True, tag="rollback-transaction"):
    """ROLLBACK TRANSACTION: its messages are back in their places; replies with `TransactionEnded`. 3903."""

    transaction: TransactionId


class StatementBase(CommandBase, frozen=True):
    """What may be part of a transaction of its database."""

    database: DatabaseName
    transaction: TransactionId | None = None


class BeginDialog(StatementBase, frozen=True, kw_only=True, tag="begin-dialog"):
    """BEGIN DIALOG in `database`; replies with `DialogBegun`. No network activity (protocol.md 8.2, row 1)."""

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


class Send(StatementBase, frozen=True, kw_only=True, tag="send"):
    """SEND ON CONVERSATION: one message; replies with `MessageSent`."""

    conversation_handle: ConversationHandle
    message_type: MessageTypeName | None = None
    """None is the DEFAULT message type."""
    body: bytes | None = None


class OutgoingMessage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One message of a `SendMany`."""

    conversation_handle: ConversationHandle
    body: bytes | None = None
    message_type: MessageTypeName | None = None
    """None is the DEFAULT message type."""


class SendMany(StatementBase, frozen=True, kw_only=True, tag="send-many"):
    """As many SENDs, in their order, all or none; replies with `MessagesSent`. 1204 for too many.

    One command, one reply and one key for all of them: what a program uses that has much to send.
    """

    messages: tuple[OutgoingMessage, ...]


WAIT_FOR_EVER: Final = -1
"""The TIMEOUT of a WAITFOR that ends with a message only."""


def waitfor_milliseconds(seconds: float) -> int | None:
    """The TIMEOUT of a WAITFOR that waits so long; None for not at all, `math.inf` for ever."""
    if seconds <= 0:
        return None
    return WAIT_FOR_EVER if math.isinf(seconds) else max(round(seconds * 1000), 1)


class Receive(StatementBase, frozen=True, kw_only=True, tag="receive"):
    """RECEIVE TOP (n) from a queue; replies with `MessagesReceived`, empty when nothing is ready (protocol.md 12).

    Committed at once, or with `transaction`: then the group is locked and the messages leave at the commit. Groups
    that others have locked are skipped; one that is asked for and locked is refused (1222), or waited for by WAITFOR.
    """

    queue: QueueName
    top: int = 1
    conversation_handle: ConversationHandle | None = None
    conversation_group_id: ConversationGroupId | None = None
    many_groups: bool = False
    """Goes on with the next best groups until there are `top` messages: as many RECEIVEs, one after another."""
    waitfor_milliseconds: int | None = None
    """WAITFOR (RECEIVE …), TIMEOUT: the reply comes with the first message, or empty when the time is over.

    None is RECEIVE without WAITFOR, -1 (`WAIT_FOR_EVER`) has no end; 153 for another negative one, 1204 for a waiter
    too many.
    """


class GetConversationGroup(StatementBase, frozen=True, kw_only=True, tag="get-conversation-group"):
    """GET CONVERSATION GROUP: the group the next RECEIVE would read, locked; replies with `ConversationGroupFound`.

    9617, 15151. The lock lasts as long as the transaction; without one it is gone with the reply.
    """

    queue: QueueName
    waitfor_milliseconds: int | None = None
    """WAITFOR (GET CONVERSATION GROUP …), TIMEOUT; as in `Receive`."""


class MoveConversation(StatementBase, frozen=True, kw_only=True, tag="move-conversation"):
    """MOVE CONVERSATION to another group of the same queue; replies with `ConversationMoved`. 8426, 8436, 8438, 8439.

    Its messages in the queue go along; both groups are locked (tsql.md 9.4).
    """

    conversation_handle: ConversationHandle
    conversation_group_id: ConversationGroupId


class EndConversation(StatementBase, frozen=True, kw_only=True, tag="end-conversation"):
    """END CONVERSATION, plain, WITH ERROR (both `error_code` and `error_description`) or WITH CLEANUP."""

    conversation_handle: ConversationHandle
    error_code: int | None = None
    error_description: str | None = None
    with_cleanup: bool = False


class BeginConversationTimer(StatementBase, frozen=True, kw_only=True, tag="begin-conversation-timer"):
    """BEGIN CONVERSATION TIMER: replaces the one that runs; replies with `TimerSet`. 153, 8410, 8426, 8458.

    It fires a DialogTimer message into the conversation's own queue (protocol.md 16). A transaction that is rolled
    back leaves the timer as it was; one that commits late lets it run from the statement.
    """

    conversation_handle: ConversationHandle
    timeout_seconds: int


class RetryTransmission(CommandBase, frozen=True, kw_only=True, tag="retry-transmission"):
    """Classify the waiting messages of a conversation anew and send them now; replies with `TransmissionRetried`.

    No statement of T-SQL does this: the engine would by itself at its next deadline. A link that is left alone after a
    failure is tried at once. 911, 8426.
    """

    database: DatabaseName
    conversation_handle: ConversationHandle


class SetQueueStatus(CommandBase, frozen=True, tag="set-queue-status"):
    """ALTER QUEUE … WITH STATUS at once, outside a revision of the topology; replies with `QueueStatusSet`. 15151.

    For a queue that poison messages have switched off: what is wanted still has it on, so no revision would.
    """

    database: DatabaseName
    queue: QueueName
    is_enabled: bool


class ApplyCatalog(CommandBase, frozen=True, tag="apply-catalog"):
    """Bring the catalog from revision `base` to `revision`; replies with `CatalogApplied`.

    Refused with `RevisionMismatch` when the instance is not at `base`; an instance at or past `revision` already
    has it and answers so.
    """

    base: CatalogRevision
    revision: CatalogRevision
    changes: tuple[CatalogChange, ...]


class SetMirroringRole(CommandBase, frozen=True, tag="set-mirroring-role"):
    """ALTER DATABASE … SET PARTNER FAILOVER as this partner sees it: the database takes a role (mirroring.md 3).

    Replies with `MirroringRoleSet`. Each partner is told by itself, as in a forced service; a planned failover tells
    the principal first. The revision of the catalog stays: a role is no definition.
    """

    database: DatabaseName
    role: MirroringRole


class BackupDatabase(CommandBase, frozen=True, tag="backup-database"):
    """BACKUP DATABASE; replies with `DatabaseBackedUp`. The database goes on (identity.md 4)."""

    database: DatabaseName


class _DefinesDatabase(CommandBase, frozen=True):
    """Brings the catalog from revision `base` to `revision`, as `ApplyCatalog` does."""

    base: CatalogRevision
    revision: CatalogRevision
    database: DatabaseName


class DetachDatabase(_DefinesDatabase, frozen=True, tag="detach-database"):
    """sp_detach_db; replies with `DatabaseDetached`. No peer hears of it: its conversations are in the file."""


class AttachDatabase(_DefinesDatabase, frozen=True, tag="attach-database"):
    """CREATE DATABASE … FOR ATTACH under a name that is free; replies with `DatabaseAttached` (identity.md 4)."""

    backup: DatabaseBackup
    option: AttachOption | None = None


class RestoreDatabase(_DefinesDatabase, frozen=True, tag="restore-database"):
    """RESTORE DATABASE, also over an existing one; replies with `DatabaseAttached` (identity.md 4)."""

    backup: DatabaseBackup
    option: AttachOption | None = None
    replaces: bool = False
    """WITH REPLACE: also over a database with another broker id."""
    is_recovered: bool = True
    """False is NORECOVERY: it stays a mirror copy, which takes no option (3031)."""


Statement = (
    BeginDialog
    | Send
    | SendMany
    | Receive
    | GetConversationGroup
    | MoveConversation
    | EndConversation
    | BeginConversationTimer
)
"""Commands that may be part of a transaction."""

WaitingStatement = Receive | GetConversationGroup
"""Statements that WAITFOR may wait for."""

Command = (
    BeginTransaction
    | CommitTransaction
    | RollbackTransaction
    | Statement
    | RetryTransmission
    | SetQueueStatus
    | ApplyCatalog
    | SetMirroringRole
    | BackupDatabase
    | DetachDatabase
    | AttachDatabase
    | RestoreDatabase
)
