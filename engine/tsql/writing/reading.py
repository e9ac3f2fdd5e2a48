"""Conversation priorities and event notifications (tsql.md 7, 10, 11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from engine.core.catalog.changes import (
    EventNotificationCreated,
    EventNotificationDropped,
    PriorityAltered,
    PriorityCreated,
    PriorityDropped,
    PriorityHonoured,
    TrustworthySet,
)
from engine.core.catalog.event_notifications import notification_key
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database
from engine.core.catalog.objects import ANY, BrokerPriority
from engine.tsql.writing.quoting import bracketed, finding, on_off, queue_name, quoted
from engine.tsql.writing.written import Written

ReadingChange = (
    PriorityCreated
    | PriorityAltered
    | PriorityDropped
    | PriorityHonoured
    | TrustworthySet
    | EventNotificationCreated
    | EventNotificationDropped
)


def of_reading(change: ReadingChange, present: InstanceCatalog) -> Iterator[Written]:
    """The statement for a change of a priority or an event notification."""
    match change:
        case PriorityCreated():
            name = change.priority.name
            yield _priority(change, name, f"CREATE BROKER PRIORITY {bracketed(name)}{_criteria(change.priority)};")
        case PriorityAltered():
            text = f"ALTER BROKER PRIORITY {bracketed(change.name)}{_criteria(change)};"
            yield Written(kind="broker priority", name=change.name, database=change.database, text=text)
        case PriorityDropped():
            yield _priority(change, change.name, f"DROP BROKER PRIORITY {bracketed(change.name)};")
        case PriorityHonoured():
            switch = on_off(change.is_honoured)
            text = f"ALTER DATABASE {bracketed(change.database)} SET HONOR_BROKER_PRIORITY {switch};"
            yield Written(kind="database", name=change.database, text=text)
        case TrustworthySet():
            switch = on_off(change.is_trustworthy)
            text = f"ALTER DATABASE {bracketed(change.database)} SET TRUSTWORTHY {switch};"
            yield Written(kind="database", name=change.database, text=text)
        case EventNotificationCreated() | EventNotificationDropped():
            yield from _event_notification(change, present)
        case _:
            assert_never(change)


def _priority(change: PriorityCreated | PriorityDropped, name: str, text: str) -> Written:
    return Written(
        kind="broker priority",
        name=name,
        database=change.database,
        text=text,
        condition=finding("conversation_priorities", name),
        is_drop=isinstance(change, PriorityDropped),
    )


def _criteria(priority: BrokerPriority | PriorityAltered) -> str:
    """The SET list; a new priority says every clause, an altered one those that change."""
    is_new = isinstance(priority, BrokerPriority)
    given = []
    for clause, value, write in (
        ("CONTRACT_NAME", priority.contract, bracketed),
        ("LOCAL_SERVICE_NAME", priority.local_service, bracketed),
        ("REMOTE_SERVICE_NAME", priority.remote_service, quoted),
    ):
        if value is not None and (is_new or value != ANY):
            given.append(f"{clause} = {write(value)}")
        elif is_new or value == ANY:
            given.append(f"{clause} = {ANY}")
    if priority.level is not None:
        given.append(f"PRIORITY_LEVEL = {priority.level}")
    return f" FOR CONVERSATION\n    SET ({', '.join(given)})"


def _event_notification(
    change: EventNotificationCreated | EventNotificationDropped, present: InstanceCatalog
) -> Iterator[Written]:
    if isinstance(change, EventNotificationCreated):
        notification = change.notification
        name, queue = notification.name, notification.queue
        target = "current database" if notification.broker_instance is None else str(notification.broker_instance)
        text = (
            f"CREATE EVENT NOTIFICATION {bracketed(name)} ON QUEUE {queue_name(queue)}\n"
            f"    FOR {', '.join(event.value for event in notification.events)}\n"
            f"    TO SERVICE {quoted(notification.to_service)}, {quoted(target)};"
        )
    else:
        name = change.name
        database = find_database(present, change.database)
        key = notification_key(database, name, change.queue)
        if key is None:
            return  # It was withdrawn already, which is as good.
        queue = database.event_notifications[key].queue
        text = f"DROP EVENT NOTIFICATION {bracketed(name)} ON QUEUE {queue_name(queue)};"
    yield Written(
        kind="event notification",
        name=name,
        database=change.database,
        text=text,
        condition=f"{finding('event_notifications', name)} AND parent_id = OBJECT_ID({quoted(queue_name(queue))})",
        is_drop=isinstance(change, EventNotificationDropped),
    )
