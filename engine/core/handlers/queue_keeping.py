"""`QueueKeeper`: the queues of an instance in memory, and every change of them noted for the store."""

from __future__ import annotations

from typing import Final, NamedTuple

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
from engine.core.handlers.catalog_keeping import CatalogKeeper
from engine.core.queues.monitor import QueueActivity
from engine.core.queues.places import AHEAD
from engine.core.queues.poison import PoisonBook
from engine.core.queues.queue import ServiceQueue
from engine.core.vocabulary.identifiers import (
    DatabaseName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.message_memory import MessageMemory
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus

ARRIVING = (QueueRowStatus.READY, QueueRowStatus.DISABLED)
"""Messages to be received; what is retained was in the queue already."""


class ServedQueue(NamedTuple):
    """The queue of a service: as it is defined, and its messages."""

    definition: Queue
    messages: ServiceQueue
    is_own: bool = False
    """Whether the broker itself reads it (routing.md 6)."""


class QueueKeeper(CatalogKeeper):
    """Messages of all queues, the places given to them, and whom their arrival stirs."""

    def __init__(self, catalog: InstanceCatalog, memory: MessageMemory) -> None:
        self.memory: Final = memory
        """What waiting messages take, in queues and for transmission."""
        self.queues: Final[dict[tuple[DatabaseName, str], ServiceQueue]] = {}
        """Changed by `queue` and `drop_queue` alone."""
        self.arrived: Final[dict[tuple[DatabaseName, QueueName], list[int]]] = {}
        """Places of messages that have come while memory was full."""
        self._served: dict[tuple[DatabaseName, ServiceName], ServedQueue] = {}
        """The queues of services, as long as neither definitions nor queues are others."""
        self.activity = QueueActivity()
        super().__init__(catalog)
        self.poison = PoisonBook()
        self.next_queuing_order: dict[DatabaseName, int] = {}
        self.own_mail: set[DatabaseName] = set()
        """Databases in whose broker queue something has arrived."""

    def catalog_changed(self) -> None:
        """The queues of services may be others, and who waits may wait for one that is off or gone."""
        self._served.clear()
        self.activity.doubt(self.activity.waiters.queues())

    def conversations_changed(self, database: DatabaseName) -> None:
        """A conversation is gone or in another group: who waits for it, or for a group, may wait in vain."""
        if self.activity.waiters:
            self.activity.doubt(self.activity.waiters.with_filter(database))

    def queue(self, database: DatabaseName, name: QueueName) -> ServiceQueue:
        """The messages of a queue; queue names are unique without regard to letter case."""
        found = self.queues.get((database, name.casefold()))
        return self._new_queue(database, name) if found is None else found

    def _new_queue(self, database: DatabaseName, name: QueueName) -> ServiceQueue:
        self._served.clear()
        queue = self.queues[database, name.casefold()] = ServiceQueue((), database, self.memory)
        return queue

    def note_arrivals(self) -> None:
        """Memory is full: what the changes at hand put into queues leaves it when they are committed."""
        for change in self.noted():
            if isinstance(change, AppendQueue):
                self.arrived.setdefault((change.database, change.queue), []).append(change.row.queuing_order)

    def make_room(self) -> None:
        """Everything is committed: what queues have no room for in memory leaves it."""
        for (database, name), orders in self.arrived.items():
            queue = self.queues.get((database, name.casefold()))
            if queue is not None:
                queue.leave_behind(orders)
        self.arrived.clear()

    def drop_queue(self, database: DatabaseName, name: QueueName) -> None:
        """A queue is gone, and its messages with it."""
        self._served.clear()
        gone = self.queues.pop((database, name.casefold()), None)
        if gone is not None:
            gone.let_go()
        self.poison.forget(database, name)
        self.activity.failures.pop((database, name.casefold()), None)

    def served(self, database: DatabaseName, service: ServiceName) -> ServedQueue:
        """The queue of a service that has conversations, and so exists."""
        found = self._served.get((database, service))
        if found is None:
            definition = service_of(self.catalog.databases[database], service)
            assert definition is not None, "a service that is dropped takes its conversations along"
            messages, queue = self.queue(database, definition.queue), self.definition_of(database, definition.queue)
            found = self._served[database, service] = ServedQueue(queue, messages, service == BROKER_SERVICE)
        return found

    def queue_of(self, endpoint: DialogEndpoint) -> tuple[QueueName, ServiceQueue]:
        """The queue of an endpoint's service, its name and its messages."""
        found = self.served(endpoint.database, endpoint.row.service)
        return found.definition.name, found.messages

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
        return self.append_served(
            database, ServedQueue(self.definition_of(database, name), self.queue(database, name)), row
        )

    def append_served(self, database: DatabaseName, served: ServedQueue, row: QueueRow) -> QueueRow:
        """As `append_queue`, for a queue that was looked up."""
        definition = served.definition
        awaits = not definition.is_enabled and row.status in ARRIVING
        if awaits is not row.awaits_queue:
            row = msgspec.structs.replace(row, awaits_queue=awaits)
        served.messages.append(row)
        if served.is_own:
            self.own_mail.add(database)
        self.change(AppendQueue(database=database, queue=definition.name, row=row))
        if self.activity.watched:
            self.activity.stir(database, definition.name)
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
            self._removed(database, name, queuing_orders)

    def _removed(self, database: DatabaseName, name: QueueName, queuing_orders: list[int]) -> None:
        self.change(RemoveQueue(database=database, queue=name, queuing_orders=tuple(queuing_orders)))

    def forget_early(self, endpoint: DialogEndpoint) -> None:
        """Messages that wait for a gap which will never close leave the queue."""
        name, queue = self.queue_of(endpoint)
        self.remove_queue(endpoint.database, name, queue.early_of(endpoint.row.conversation_handle))
        endpoint.receiver.forget_held()

    def move_messages(self, endpoint: DialogEndpoint, old: QueueName, new: QueueName) -> None:
        """A service got another queue: its messages go along, each keeping its place (tsql.md 3)."""
        queue = self.queue(endpoint.database, old)
        rows = queue.rows_of(endpoint.row.conversation_handle)
        if rows:
            self._removed(endpoint.database, old, queue.forget(endpoint.row.conversation_handle))
        # What was early has an older place than the message whose gap it waited for: by places it would come first.
        for row in sorted(rows, key=_turn):
            self.append_queue(endpoint.database, new, row)

    def clear_queue_of(self, endpoint: DialogEndpoint) -> None:
        """Delete the messages of a conversation from its own queue."""
        database = self.catalog.databases.get(endpoint.database)
        if database is not None and service_of(database, endpoint.row.service) is not None:
            name, queue = self.queue_of(endpoint)
            if orders := queue.forget(endpoint.row.conversation_handle):
                self._removed(endpoint.database, name, orders)


def _turn(row: QueueRow) -> int:
    """What RECEIVE goes by within a conversation: ready messages by their numbers, all others as they came."""
    has_number = row.status is QueueRowStatus.READY and row.message_type_name not in AHEAD
    return row.message_sequence_number if has_number else -1
