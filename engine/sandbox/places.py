"""Queues of a sandbox as places, and whether an application can read them now."""

from __future__ import annotations

from typing import NamedTuple

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in, with_schema
from engine.core.catalog.objects import Queue
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName, ServiceName
from engine.sandbox.server import SandboxServer


class QueuePlace(NamedTuple):
    """One queue, as it is spelled where it is defined."""

    instance: InstanceName
    database: DatabaseName
    queue: QueueName


def place_of_service(catalog: InstanceCatalog, database: DatabaseName, service: ServiceName) -> QueuePlace | None:
    """The queue of a service; None when there is no such service."""
    home = catalog.databases.get(database)
    found = None if home is None else home.services.get(service)
    if home is None or found is None:
        return None
    return place_of_queue(catalog, database, found.queue)


def place_of_queue(catalog: InstanceCatalog, database: DatabaseName, queue: QueueName) -> QueuePlace | None:
    """A queue in any letter case, with or without `dbo.`; None when there is none."""
    home = catalog.databases.get(database)
    if home is None:
        return None
    key = spelling_in(home.queues, queue) or spelling_in(home.queues, with_schema(queue))
    return None if key is None else QueuePlace(catalog.name, home.name, key)


def queue_at(server: SandboxServer, place: QueuePlace) -> Queue | None:
    """The queue; None when it is not there any more."""
    home = server.catalog.databases.get(place.database)
    return None if home is None else home.queues.get(place.queue)


def is_readable(server: SandboxServer, place: QueuePlace) -> bool:
    """Whether an application gets at the messages: all of it runs, and activation, where there is any, is on.

    The applications of a sandbox stand for the procedures that its queues activate.
    """
    queue = queue_at(server, place)
    if not server.is_alive or queue is None or not queue.is_enabled:
        return False
    home = server.catalog.databases[place.database]
    is_started = queue.activation is None or queue.activation.is_enabled
    return is_started and home.state is DatabaseState.ONLINE
