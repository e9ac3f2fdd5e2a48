"""`dependencies`: of which single failures one flow depends, by the ways that its four legs go (product.md 2b)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName, ServiceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.facts import Fact, InsideFact, OutsideFact, PrincipalFact, ReachFact, RoutesFact, ServiceFact
from engine.whatif.failures import mirrored_pairs, single_failures
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.legs import round_trip
from engine.whatif.telling import FlowQuestion
from engine.whatif.watching import WatchedSnapshot

Catalogs = Mapping[InstanceName, InstanceCatalog]
Place = tuple[InstanceName, DatabaseName]
_OF_INSTANCES: Final = frozenset({FaultKind.INSTANCE, FaultKind.ENDPOINT})


def dependencies(
    catalogs: Catalogs, question: FlowQuestion, *, at: UtcTime, faults: Iterable[Fault] = ()
) -> tuple[Fault, ...]:
    """Every single failure of what the flow goes through or asks, there and back; no other one changes its answer.

    In the order of `single_failures`; of a mirrored route both partners count. What is in `faults` holds already. The
    question's names must be in the estate; raises `CatalogError` 15151 for a fault of what is not there.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    used = _Used(given, WatchedSnapshot(given, at=at, faults=faults))
    used.end(question.instance, question.database, question.service)
    for leg in round_trip(used.snapshot, question):
        for way in leg.ways:
            if way.database is not None:
                used.end(way.instance, way.database, question.to_service)
    for fact in tuple(dict.fromkeys(used.snapshot.asked)):
        used.asked(fact)
    return tuple(fault for fault in single_failures(given, at=at) if used.is_hit_by(fault))


class _Used:
    """What the legs of a flow go through."""

    def __init__(self, catalogs: Catalogs, snapshot: WatchedSnapshot) -> None:
        self.snapshot = snapshot
        self._instances: set[InstanceName] = set()
        self._links: set[frozenset[InstanceName]] = set()
        self._places: set[Place] = set()
        self._queues: set[tuple[InstanceName, DatabaseName, QueueName]] = set()
        pairs = list(mirrored_pairs(catalogs))
        self._partners = {one: other for pair in pairs for one, other in (pair, pair[::-1])}
        self._brokers = {
            catalogs[first[0]].databases[first[1]].broker_instance.int: (first, second) for first, second in pairs
        }

    def end(self, instance: InstanceName, database: DatabaseName, service: ServiceName) -> None:
        """The database in which a service sends or receives, and its queue."""
        self._instances.add(instance)
        self._places.add((instance, database))
        found = self.snapshot.catalogs[instance].databases[database]
        known = found.services.get(service)
        queue = None if known is None else spelling_in(found.queues, known.queue)
        if queue is not None:
            self._queues.add((instance, database, queue))

    def asked(self, fact: Fact) -> None:
        """What was looked at on the way."""
        match fact:
            case InsideFact(instance, database, service, number):
                self._places.add((instance, database))
                self._takers(instance, service, number)
            case RoutesFact(instance, database):
                self._places.add((instance, database))
            case OutsideFact(instance, service, number):
                self._takers(instance, service, number)
            case PrincipalFact(instance, broker):
                self._instances.add(instance)
                self._places.update(self._brokers.get(broker, ()))
            case ReachFact(caller, address):
                self._instances.add(caller)
                there = self.snapshot.reach(caller, address).instance
                if there is not None:
                    self._instances.add(there)
                    self._links.add(frozenset((caller, there)))
            case ServiceFact(instance, database, service):
                self.end(instance, database, service)

    def _takers(self, instance: InstanceName, service: ServiceName, number: int | None) -> None:
        """The instance that decides, and its databases that could be meant: by the service or by the broker id."""
        self._instances.add(instance)
        for database in self.snapshot.catalogs[instance].databases.values():
            if service in database.services or database.broker_instance.int == number:
                self._places.add((instance, database.name))

    def is_hit_by(self, fault: Fault) -> bool:
        """Whether a failure takes away something of it."""
        if fault.kind in _OF_INSTANCES:
            return fault.instance in self._instances
        if fault.kind is FaultKind.LINK:
            return fault.other is not None and frozenset((fault.instance, fault.other)) in self._links
        assert fault.database is not None, "the other kinds name a database"
        place = (fault.instance, fault.database)
        if fault.kind is FaultKind.QUEUE:
            return (*place, fault.queue) in self._queues
        return place in self._places or (fault.kind is FaultKind.PARTNER and self._partners[place] in self._places)
