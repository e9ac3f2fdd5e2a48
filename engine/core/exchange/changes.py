"""State changes: row-level writes that leave the core as values and that any store can obey.

The changes of one outcome are committed together or not at all. `Put…` replaces by key, `Append…` adds a row that
is not there yet, `Trim…`, `Remove…` and `Drop…` delete; deleting what is absent is not an error.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    QueueName,
)
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import (
    ConversationEndpoint,
    DepartedSession,
    QueueRow,
    QueueRowStatus,
    TransmissionRow,
)


# Changes, events, commands and replies are made by the million and never lead back to themselves: the garbage collector
# leaves them out.
class _StateChange(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Common base; carries nothing."""


class PutEndpoint(_StateChange, frozen=True):
    """Write an endpoint; key: database and handle."""

    database: DatabaseName
    endpoint: ConversationEndpoint


class DropEndpoint(_StateChange, frozen=True):
    """Delete an endpoint."""

    database: DatabaseName
    conversation_handle: ConversationHandle


class AppendTransmission(_StateChange, frozen=True):
    """Add a row to the transmission queue."""

    database: DatabaseName
    row: TransmissionRow


class TrimTransmission(_StateChange, frozen=True):
    """Delete the rows of a conversation whose number is at most `through`."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    through: int


class AppendQueue(_StateChange, frozen=True):
    """Add a message to a service queue."""

    database: DatabaseName
    queue: QueueName
    row: QueueRow


class SetQueueRowStatus(_StateChange, frozen=True):
    """Change the status of messages in a queue, for instance when a gap closed."""

    database: DatabaseName
    queue: QueueName
    queuing_orders: tuple[int, ...]
    status: QueueRowStatus


class SetQueueRowGroup(_StateChange, frozen=True):
    """Give messages in a queue to another conversation group: their conversation was moved."""

    database: DatabaseName
    queue: QueueName
    queuing_orders: tuple[int, ...]
    conversation_group_id: ConversationGroupId


class AdmitQueueRows(_StateChange, frozen=True):
    """Messages that came while their queue was off are in it now."""

    database: DatabaseName
    queue: QueueName
    queuing_orders: tuple[int, ...]


class RemoveQueue(_StateChange, frozen=True):
    """Delete messages from a queue."""

    database: DatabaseName
    queue: QueueName
    queuing_orders: tuple[int, ...]


class PutDepartedSession(_StateChange, frozen=True):
    """Keep the keys of a conversation that is gone; key: database, conversation and side."""

    database: DatabaseName
    session: DepartedSession


class DropDepartedSession(_StateChange, frozen=True):
    """Forget such keys."""

    database: DatabaseName
    conversation_id: ConversationId
    is_initiator: bool


class DropDatabaseRows(_StateChange, frozen=True):
    """Delete every row of a database that was dropped."""

    database: DatabaseName


class PutCatalog(_StateChange, frozen=True):
    """Write the whole catalog of the instance; there is one."""

    catalog: InstanceCatalog


class PutCommandReply(_StateChange, frozen=True):
    """Remember the reply of a command; the oldest are forgotten after a while (`limits.COMMAND_REPLIES_…`)."""

    command_id: CommandId
    reply: Reply
    replied_at: UtcTime


StateChange = (
    PutEndpoint
    | DropEndpoint
    | AppendTransmission
    | TrimTransmission
    | AppendQueue
    | SetQueueRowStatus
    | SetQueueRowGroup
    | AdmitQueueRows
    | RemoveQueue
    | PutDepartedSession
    | DropDepartedSession
    | DropDatabaseRows
    | PutCatalog
    | PutCommandReply
)
