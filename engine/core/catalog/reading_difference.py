"""The changes to conversation priorities and event notifications that lead from one set of definitions to another.

Both refer to services, contracts and queues: what goes or differs goes first of all, what is wanted comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from engine.core.catalog.changes import (
    CatalogChange,
    EventNotificationCreated,
    EventNotificationDropped,
    PriorityCreated,
    PriorityDropped,
    PriorityHonoured,
    TrustworthySet,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import same_name, with_schema
from engine.core.catalog.objects import BrokerPriority, EventNotification

Definition = TypeVar("Definition", BrokerPriority, EventNotification)


def readers_withdrawn(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    """Drops what is not wanted, or not as it is."""
    for priority in _missing(present.priorities.values(), wanted.priorities.values()):
        yield PriorityDropped(database=present.name, name=priority.name)
    for notification in _missing(present.event_notifications.values(), wanted.event_notifications.values()):
        # What is wanted does not hear of notifications that the instance has withdrawn.
        yield EventNotificationDropped(
            database=present.name, name=notification.name, queue=notification.queue, may_be_gone=True
        )


def readers_added(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    """Creates what is wanted and not there."""
    for priority in _missing(wanted.priorities.values(), present.priorities.values()):
        yield PriorityCreated(database=present.name, priority=priority)
    for notification in _missing(wanted.event_notifications.values(), present.event_notifications.values()):
        yield EventNotificationCreated(database=present.name, notification=notification)
    if present.is_priority_honoured is not wanted.is_priority_honoured:
        yield PriorityHonoured(database=present.name, is_honoured=wanted.is_priority_honoured)
    if present.is_trustworthy is not wanted.is_trustworthy:
        yield TrustworthySet(database=present.name, is_trustworthy=wanted.is_trustworthy)


def _missing(these: Iterable[Definition], those: Iterable[Definition]) -> list[Definition]:
    """What is among these and not, saying the same in any spelling of its name, among those."""
    others = {_key(each): each for each in those}
    return [each for each in these if not same_reading(each, others.get(_key(each)))]


def _key(definition: BrokerPriority | EventNotification) -> tuple[str, str]:
    """A notification is one of its queue."""
    queue = with_schema(definition.queue) if isinstance(definition, EventNotification) else ""
    return definition.name.casefold(), queue.casefold()


def same_reading(one: BrokerPriority | EventNotification, other: BrokerPriority | EventNotification | None) -> bool:
    """Whether two definitions say the same, however names at home are spelled and in whatever order events stand."""
    if other is None:
        return False
    if (
        isinstance(one, EventNotification)
        and isinstance(other, EventNotification)
        and same_name(with_schema(one.queue), with_schema(other.queue))
        and set(one.events) == set(other.events)
    ):
        other = msgspec.structs.replace(other, queue=one.queue, events=one.events)
    return one == msgspec.structs.replace(other, name=one.name)
