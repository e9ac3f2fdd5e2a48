"""What the far side does with a message that has found its database: take it in, park it, refuse it (protocol.md 13).

A message that is secured is opened first: what cannot be opened is discarded without an answer (9.3).
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import service_of
from engine.core.catalog.permission_rules import may_receive, may_send, sender_within
from engine.core.catalog.security import PUBLIC
from engine.core.routing.dialog_security import fault_within, is_secured_within
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, ServiceName
from engine.whatif.disposition import Disposition
from engine.whatif.security_proof import opening_fault, principal_of
from engine.whatif.snapshot import Snapshot
from engine.whatif.speech import Speech
from engine.whatif.tracing import Way

MAY_NOT_SEND, MAY_NOT_RECEIVE = 8494, 8401
UNKNOWN_CONVERSATION, FAR_ENDPOINT_GONE = 11209, 8462
_REACHED = frozenset({Disposition.DELIVERED, Disposition.REFUSED})
Place = tuple[InstanceName, DatabaseName]


def accepted(
    snapshot: Snapshot,
    way: Way,
    service: ServiceName,
    sender: tuple[Place, ServiceName],
    speech: Speech,
    *,
    encryption: bool = False,
) -> Way:
    """The way of a first message as it ends after its target was asked; ways that end elsewhere stay as they are."""
    if way.disposition not in _REACHED or way.database is None:
        return way
    unopened = _security_fault(snapshot, way, service, sender[0], encryption=encryption)
    if unopened is not None:
        return _ended(way, Disposition.DELAYED if way.is_local else Disposition.DISCARDED, unopened)
    if way.disposition is Disposition.REFUSED:
        return way
    fault = snapshot.definitions.first_fault((way.instance, way.database), service, speech)
    if fault is not None:
        return _ended(way, Disposition.REFUSED, fault)
    home, from_service = sender
    catalog = snapshot.catalogs[way.instance].databases[way.database]
    sending = snapshot.catalogs[home[0]].databases[home[1]]
    security = None if way.first is None else way.first.security
    principal = PUBLIC
    if way.is_local:
        principal = sender_within(sending, from_service, catalog)
    elif security is not None:
        principal = principal_of(sending, security, catalog)
    if not may_send(catalog, service, principal):
        return _ended(way, Disposition.REFUSED, MAY_NOT_SEND)
    if not may_receive(catalog, service):
        return _ended(way, Disposition.DELAYED if way.is_local else Disposition.DISCARDED, MAY_NOT_RECEIVE)
    return parked(snapshot, way, service)


def _security_fault(snapshot: Snapshot, way: Way, service: ServiceName, home: Place, *, encryption: bool) -> int | None:
    """Why a secured message does not cross to a database of its instance, or is not opened where it has arrived."""
    assert way.database is not None, "what has arrived is in a database"
    here = snapshot.catalogs[home[0]].databases[home[1]]
    there = snapshot.catalogs[way.instance].databases[way.database]
    if way.is_local:
        return fault_within(here, there) if is_secured_within(here, there, service, encryption=encryption) else None
    security = None if way.first is None else way.first.security
    if security is None or security.kind in (None, SecurityKind.NONE):
        return None
    return opening_fault(here, security, there, service, snapshot.at)


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
