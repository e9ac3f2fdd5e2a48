"""What the far side does with a message that has found its database: take it in, park it, refuse it (protocol.md 13).

Of the first message of an unsecured dialog.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import service_of
from engine.core.catalog.permission_rules import may_receive, may_send, sender_within
from engine.core.catalog.security import PUBLIC
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, ServiceName
from engine.whatif.disposition import Disposition
from engine.whatif.snapshot import Snapshot
from engine.whatif.speech import Speech
from engine.whatif.tracing import Way

MAY_NOT_SEND, MAY_NOT_RECEIVE = 8494, 8401
UNKNOWN_CONVERSATION, FAR_ENDPOINT_GONE = 11209, 8462
Place = tuple[InstanceName, DatabaseName]


def accepted(
    snapshot: Snapshot, way: Way, service: ServiceName, sender: tuple[Place, ServiceName], speech: Speech
) -> Way:
    """The way of a first message as it ends after its target was asked; ways that end elsewhere stay as they are."""
    if way.disposition is not Disposition.DELIVERED or way.database is None:
        return way
    fault = snapshot.definitions.first_fault((way.instance, way.database), service, speech)
    if fault is not None:
        return _ended(way, Disposition.REFUSED, fault)
    home, from_service = sender
    catalog = snapshot.catalogs[way.instance].databases[way.database]
    principal = PUBLIC
    if way.is_local or home[0] == way.instance:
        sending = snapshot.catalogs[home[0]].databases[home[1]]
        principal = sender_within(sending, from_service, catalog) if way.is_local else PUBLIC
    if not may_send(catalog, service, principal):
        return _ended(way, Disposition.REFUSED, MAY_NOT_SEND)
    if not may_receive(catalog, service):
        return _ended(way, Disposition.DELAYED if way.is_local else Disposition.DISCARDED, MAY_NOT_RECEIVE)
    return parked(snapshot, way, service)


def parked(snapshot: Snapshot, way: Way, service: ServiceName) -> Way:
    """What has arrived at a service whose queue is off waits beside it (routing.md 10)."""
    if way.database is None:
        return way
    catalog = snapshot.catalogs[way.instance].databases[way.database]
    found = service_of(catalog, service)
    queue = None if found is None else catalog.queues.get(found.queue)
    if queue is None or queue.is_enabled:
        return way
    return _ended(way, Disposition.HELD_QUEUE_OFF, None)


def answered(snapshot: Snapshot, way: Way, home: Place, service: ServiceName, fault: int | None) -> Way:
    """The way of a reply that has found its conversation; `fault` is what its contract has against it there."""
    if way.disposition is not Disposition.DELIVERED:
        return way
    if fault is not None:
        return msgspec.structs.replace(way, disposition=Disposition.REFUSED, number=fault, database=home[1])
    return parked(snapshot, way, service)


def returned(way: Way, home: Place, *, is_reply: bool) -> Way:
    """The way back of what answers a conversation of `home`: in any other instance nobody knows the conversation."""
    if way.disposition is not Disposition.DELIVERED or way.instance == home[0]:
        return way
    if is_reply:
        return _ended(way, Disposition.REFUSED, FAR_ENDPOINT_GONE)
    return _ended(way, Disposition.DISCARDED, UNKNOWN_CONVERSATION)


def _ended(way: Way, disposition: Disposition, number: int | None) -> Way:
    return msgspec.structs.replace(way, disposition=disposition, number=number)
