"""Event notifications on queues: a message to a service when something happens (protocol.md 17.3, tsql.md 11)."""

from __future__ import annotations

from collections.abc import Iterable

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
from engine.core.catalog.spelled_dict import SpelledDict
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import EventNotificationName, QueueName
from engine.core.vocabulary.limits import SERVICE_NAME_LENGTH_MAX


def create_event_notification(database: DatabaseCatalog, change: EventNotificationCreated) -> None:
    """CREATE EVENT NOTIFICATION … ON QUEUE; with internal activation there is none for QUEUE_ACTIVATION (9718)."""
    notification = change.notification
    check_name(notification.name)
    if notification_key(database, notification.name, notification.queue) is not None:
        raise CatalogError(2714, name=notification.name)
    if not is_service_name(notification.to_service):
        raise CatalogError(8412, service=notification.to_service, limit=SERVICE_NAME_LENGTH_MAX)
    if not notification.events:
        raise CatalogError(153, name=notification.name, value="No event", detail="it is for one event at least")
    queue = find_queue(database, notification.queue)
    if QueueEvent.QUEUE_ACTIVATION in notification.events and database.queues[queue].activation is not None:
        raise CatalogError(9718, queue=queue)
    events = tuple(sorted(set(notification.events)))
    made = msgspec.structs.replace(notification, queue=queue, events=events)
    if spelling_in(database.event_notifications, made.name) is None:
        database.event_notifications[made.name] = made
        return
    database.event_notifications = notifications_by_key((*database.event_notifications.values(), made))


def drop_event_notification(database: DatabaseCatalog, change: EventNotificationDropped) -> None:
    """DROP EVENT NOTIFICATION; one of the name on another queue than the change names stays (3811)."""
    key = notification_key(database, change.name, change.queue)
    if key is None and change.may_be_gone:
        return
    if key is None and notification_key(database, change.name) is not None:
        raise CatalogError(3811, name=change.name, queue=change.queue or "")
    if key is None:
        raise no_such("event notification", change.name, database.name)
    kept = [each for other, each in database.event_notifications.items() if other != key]
    database.event_notifications = notifications_by_key(kept)


def notification_key(database: DatabaseCatalog, name: str, queue: str | None = None) -> EventNotificationName | None:
    """The key of a notification by its name and its queue; without a queue the first of that name. None for none."""
    first = spelling_in(database.event_notifications, name)
    if first is None:
        return None
    for key in (first, *database.event_notifications):
        each = database.event_notifications[key]
        if same_name(each.name, name) and (queue is None or same_name(with_schema(queue), with_schema(each.queue))):
            return key
    return None


def notifications_by_key(
    notifications: Iterable[EventNotification],
) -> SpelledDict[EventNotificationName, EventNotification]:
    """Notifications in their order, each under a key of its own that follows from all of them.

    The key is the name; of several with one name, on several queues, that is so for the first queue in the order of
    letters, and the others have their queue in the key: `n ON QUEUE dbo.q`.
    """
    known = list(notifications)
    by_queue = sorted(range(len(known)), key=lambda place: with_schema(known[place].queue).casefold())
    keys: dict[int, str] = {}
    taken: set[str] = set()
    for place in by_queue:
        name = known[place].name
        if name.casefold() not in taken:
            keys[place] = name
            taken.add(name.casefold())
    for place in by_queue:
        if place not in keys:
            key = f"{known[place].name} ON QUEUE {with_schema(known[place].queue)}"
            while key.casefold() in taken:
                key += "*"
            keys[place] = key
            taken.add(key.casefold())
    return SpelledDict({EventNotificationName(keys[place]): each for place, each in enumerate(known)})


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
