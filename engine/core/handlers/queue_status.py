"""Queues that are switched on or off, by definition, by command, or because of poison messages (protocol.md 4, 14)."""

from __future__ import annotations

from engine.core.catalog.changes import CatalogChange, EventNotificationDropped, QueueAltered
from engine.core.catalog.objects import EventNotification
from engine.core.catalog.revision import apply_change, copy
from engine.core.exchange.changes import AdmitQueueRows, PutCatalog
from engine.core.exchange.commands import SetQueueStatus
from engine.core.exchange.events import QueueDisabled, QueueSwitched
from engine.core.exchange.replies import QueueStatusSet
from engine.core.exchange.views import QueuePoisonView
from engine.core.handlers import activation, notifications
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import tell_delivered
from engine.core.handlers.receiving import queue_name_of
from engine.core.vocabulary.identifiers import DatabaseName, QueueName
from engine.core.vocabulary.limits import POISON_ROLLBACKS_MAX
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus


def set_queue_status(broker: Broker, command: SetQueueStatus) -> QueueStatusSet:
    """ALTER QUEUE … WITH STATUS, at once; 911 or 15151 when there is no such queue."""
    name = queue_name_of(broker, command.database, command.queue)
    was_enabled = broker.definition_of(command.database, name).is_enabled
    if was_enabled is not command.is_enabled:
        _switch(broker, command.database, name, is_enabled=command.is_enabled)
    return QueueStatusSet(is_enabled=command.is_enabled, was_enabled=was_enabled)


def poisoned(broker: Broker, database: DatabaseName, queue: QueueName, received: QueueRow) -> None:
    """A transaction that received from a queue was rolled back; the fifth in a row switches the queue off.

    `received` is the first message that it had received from there.
    """
    definition = broker.definition_of(database, queue)
    if not definition.is_enabled or not definition.is_poison_message_handling_enabled:
        return
    if broker.poison.rolled_back(database, queue):
        broker.tell(QueueDisabled(at=broker.now.utc, database=database, queue=queue, rollbacks=POISON_ROLLBACKS_MAX))
        notifications.notify(broker, database, queue, notifications.QUEUE_DISABLED)
        _switch(broker, database, queue, is_enabled=False)
        cause = QueuePoisonView(
            at=broker.now.utc,
            rollbacks=POISON_ROLLBACKS_MAX,
            conversation_handle=received.conversation_handle,
            message_type_name=received.message_type_name,
            message_sequence_number=received.message_sequence_number,
        )
        broker.poison.remember(database, queue, cause)


def _switch(broker: Broker, database: DatabaseName, queue: QueueName, *, is_enabled: bool) -> None:
    change = QueueAltered(database=database, name=queue, is_enabled=is_enabled)
    redefine(broker, change)
    switched(broker, database, queue, is_enabled=is_enabled)
    activation.redefined(broker, [change])


def withdraw_notification(broker: Broker, database: DatabaseName, notification: EventNotification) -> None:
    """The conversation of an event notification is broken: the notification is dropped (tsql.md 11)."""
    change = EventNotificationDropped(database=database, name=notification.name, queue=notification.queue)
    redefine(broker, change)
    activation.redefined(broker, [change])


def redefine(broker: Broker, change: CatalogChange) -> None:
    """A change of the catalog that the instance makes by itself; its revision number stays."""
    after = copy(broker.catalog)
    apply_change(after, change)
    broker.catalog = after
    broker.classifier.redefine(after, (change,))
    broker.change(PutCatalog(catalog=after))


def switched(broker: Broker, database: DatabaseName, queue: QueueName, *, is_enabled: bool) -> None:
    """The queue is on or off now; what came while it was off is in it when it is on."""
    broker.tell(QueueSwitched(at=broker.now.utc, database=database, queue=queue, is_enabled=is_enabled))
    broker.poison.forget(database, queue)
    rows = broker.queue(database, queue).admit() if is_enabled else []
    if not rows:
        return
    broker.counters.transmission_left[database] = broker.now.utc
    orders = tuple(row.queuing_order for row in rows)
    broker.change(AdmitQueueRows(database=database, queue=queue, queuing_orders=orders))
    for row in rows:
        if row.fragment is None:
            broker.counters.was_enqueued(row.priority)
        endpoint = broker.conversations.get((database, row.conversation_handle))
        if row.status is QueueRowStatus.READY and endpoint is not None:
            tell_delivered(broker, database, queue, row)
