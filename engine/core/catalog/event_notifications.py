"""Event notifications on queues: a message to a service when something happens (protocol.md 17.3, tsql.md 11)."""

from __future__ import annotations

import msgspec

from engine.core.catalog.changes import EventNotificationCreated, EventNotificationDropped
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import (
    check_name,
    find_queue,
    is_service_name,
    no_such,
    same_name,
    spelling_in,
    with_schema,
)
from engine.core.catalog.objects import EventNotification, QueueEvent
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import QueueName
from engine.core.vocabulary.limits import SERVICE_NAME_LENGTH_MAX


def create_event_notification(database: DatabaseCatalog, change: EventNotificationCreated) -> None:
    """CREATE EVENT NOTIFICATION … ON QUEUE; with internal activation there is none for QUEUE_ACTIVATION (9718)."""
    notification = change.notification
    check_name(notification.name)
    if spelling_in(database.event_notifications, notification.name) is not None:
        raise CatalogError(2714, name=notification.name)
    if not is_service_name(notification.to_service):
        raise CatalogError(8412, service=notification.to_service, limit=SERVICE_NAME_LENGTH_MAX)
    if not notification.events:
        raise CatalogError(153, name=notification.name, value="No event", detail="it is for one event at least")
    queue = find_queue(database, notification.queue)
    if QueueEvent.QUEUE_ACTIVATION in notification.events and database.queues[queue].activation is not None:
        raise CatalogError(9718, queue=queue)
    events = tuple(sorted(set(notification.events)))
    database.event_notifications[notification.name] = msgspec.structs.replace(notification, queue=queue, events=events)


def drop_event_notification(database: DatabaseCatalog, change: EventNotificationDropped) -> None:
    """DROP EVENT NOTIFICATION; the queue that the change names must be the one it is on (3811)."""
    key = spelling_in(database.event_notifications, change.name)
    if key is None and change.may_be_gone:
        return
    if key is None:
        raise no_such("event notification", change.name, database.name)
    if change.queue is not None and not same_name(with_schema(change.queue), database.event_notifications[key].queue):
        raise CatalogError(3811, name=change.name, queue=change.queue)
    del database.event_notifications[key]


def notifications_of(
    database: DatabaseCatalog, queue: QueueName, event: QueueEvent | None = None
) -> list[EventNotification]:
    """The notifications on a queue, or those for one event."""
    return [
        each
        for each in database.event_notifications.values()
        if same_name(each.queue, queue) and (event is None or event in each.events)
    ]


def check_no_event_activation(database: DatabaseCatalog, queue: QueueName) -> None:
    """A queue that is to get internal activation has no notification for QUEUE_ACTIVATION (9717)."""
    if notifications_of(database, queue, QueueEvent.QUEUE_ACTIVATION):
        raise CatalogError(9717, queue=queue)
