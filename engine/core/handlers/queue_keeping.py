"""`QueueKeeper`: the queues of an instance in memory, and every change of them noted for the store."""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import BROKER_SERVICE, service_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Queue
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.changes import (
    AppendQueue,
    RemoveQueue,
    SetQueueRowStatus,
)
from engine.core.handlers.collecting import OutcomeCollector
from engine.core.queues.monitor import QueueActivity
from engine.core.queues.queue import ServiceQueue
from engine.core.vocabulary.identifiers import (
    DatabaseName,
    QueueName,
)
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus

ARRIVING = (QueueRowStatus.READY, QueueRowStatus.DISABLED)
"""Messages to be received; what is retained was in the queue already."""


class QueueKeeper(OutcomeCollector):
    """Messages of all queues, the places given to them, and whom their arrival stirs."""

    def __init__(self, catalog: InstanceCatalog) -> None:
        super().__init__()
        self.catalog = catalog
        self.queues: dict[tuple[DatabaseName, str], ServiceQueue] = {}
        self.activity = QueueActivity()
        self.next_queuing_order: dict[DatabaseName, int] = {}
        self.own_mail: set[DatabaseName] = set()
        """Databases in whose broker queue something has arrived."""

    def queue(self, database: DatabaseName, name: QueueName) -> ServiceQueue:
        """The messages of a queue; queue names are unique without regard to letter case."""
        key = (database, name.casefold())
        queue = self.queues.get(key)
        if queue is None:
            queue = self.queues[key] = ServiceQueue()
        return queue

    def queue_of(self, endpoint: DialogEndpoint) -> tuple[QueueName, ServiceQueue]:
        """The queue of an endpoint's service."""
        service = service_of(self.catalog.databases[endpoint.database], endpoint.row.service)
        assert service is not None, "a service that is dropped takes its conversations along"
        return service.queue, self.queue(endpoint.database, service.queue)

    def take_queuing_order(self, database: DatabaseName) -> int:
        """A place in the queues of a database, after all that were given before."""
        order = self.next_queuing_order.get(database, 1)
        self.next_queuing_order[database] = order + 1
        return order

    def queue_row_ready(self, database: DatabaseName, name: QueueName, queuing_order: int) -> None:
        """An early message became ready."""
        self.change(
            SetQueueRowStatus(
                database=database, queue=name, queuing_orders=(queuing_order,), status=QueueRowStatus.READY
            )
        )
        self.activity.stir(database, name)

    def definition_of(self, database: DatabaseName, name: QueueName) -> Queue:
        """A queue as it is defined; the broker's own ones are always on and retain nothing."""
        return self.catalog.databases[database].queues.get(name) or Queue(name)

    def append_queue(self, database: DatabaseName, name: QueueName, row: QueueRow) -> QueueRow:
        """Put a message into a queue or, while that is off, into the transmission queue; answers it as stored."""
        awaits = row.status in ARRIVING and not self.definition_of(database, name).is_enabled
        if awaits is not row.awaits_queue:
            row = msgspec.structs.replace(row, awaits_queue=awaits)
        self.queue(database, name).append(row)
        if row.service_name == BROKER_SERVICE:
            self.own_mail.add(database)
        self.change(AppendQueue(database=database, queue=name, row=row))
        self.activity.stir(database, name)
        return row

    def consume(self, database: DatabaseName, name: QueueName, queuing_orders: list[int]) -> None:
        """A RECEIVE commits: its messages leave or, with RETENTION, stay with status 0 (protocol.md 15)."""
        if not self.definition_of(database, name).is_retention_enabled:
            self.remove_queue(database, name, queuing_orders)
        elif kept := tuple(self.queue(database, name).retain(queuing_orders)):
            retained = QueueRowStatus.RECEIVED_RETAINED
            self.change(SetQueueRowStatus(database=database, queue=name, queuing_orders=kept, status=retained))

    def remove_queue(self, database: DatabaseName, name: QueueName, queuing_orders: list[int]) -> None:
        """Take messages out of a queue."""
        if queuing_orders:
            self.queue(database, name).remove(queuing_orders)
            self.change(RemoveQueue(database=database, queue=name, queuing_orders=tuple(queuing_orders)))

    def forget_early(self, endpoint: DialogEndpoint) -> None:
        """Messages that wait for a gap which will never close leave the queue."""
        name, queue = self.queue_of(endpoint)
        self.remove_queue(endpoint.database, name, queue.early_of(endpoint.row.conversation_handle))
        endpoint.receiver.forget_held()

    def move_messages(self, endpoint: DialogEndpoint, old: QueueName, new: QueueName) -> None:
        """A service got another queue: its messages go along, each keeping its place (tsql.md 3)."""
        rows = self.queue(endpoint.database, old).rows_of(endpoint.row.conversation_handle)
        self.remove_queue(endpoint.database, old, [row.queuing_order for row in rows])
        for row in rows:
            self.append_queue(endpoint.database, new, row)

    def clear_queue_of(self, endpoint: DialogEndpoint) -> None:
        """Delete the messages of a conversation from its own queue."""
        database = self.catalog.databases.get(endpoint.database)
        if database is not None and service_of(database, endpoint.row.service) is not None:
            name, queue = self.queue_of(endpoint)
            self.remove_queue(endpoint.database, name, queue.of_conversation(endpoint.row.conversation_handle))
