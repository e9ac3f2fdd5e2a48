"""Which facts of a snapshot are other ones in another snapshot: what every incremental answer stands on.

Two states of an instance are compared by what routing reads of them: routes table by table, what surrounds all of its
decisions, and all else that a database has. Whatever may be another fact by that is asked of both snapshots and
compared, so that a change that changes no answer ends here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.hosts import host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import MASTER, MSDB, DatabaseName, InstanceName, ServiceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.facts import Fact, InsideFact, OutsideFact, ReachFact, RoutesFact, ServiceFact, validities
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion

_DATABASE_FIELDS = tuple(field for field in DatabaseCatalog.__struct_fields__ if field != "routes")
_INSTANCE_FIELDS = tuple(field for field in InstanceCatalog.__struct_fields__ if field not in ("databases", "revision"))
_FEW: Final = 8
"""Flows of one fact that are kept in a tuple."""


class InstanceDifference(msgspec.Struct, frozen=True):
    """In what one instance differs between two snapshots."""

    instance: InstanceName
    is_all: bool
    """Whether more differs than routes that any of its decisions looks at."""
    is_reached_otherwise: bool
    """Whether it may be reached, or reach others, otherwise."""
    tables: frozenset[DatabaseName]
    """Databases whose routes differ."""
    others: frozenset[DatabaseName]
    """Databases in which anything else differs."""
    services: frozenset[ServiceName] = frozenset()
    """Services that have come or gone, where databases differ in nothing else that surrounds decisions."""


class FactBook:
    """Which flows depend on a fact, and the facts by what they are about."""

    def __init__(self) -> None:
        self.readers: dict[Fact, tuple[FlowQuestion, ...] | list[FlowQuestion]] = {}
        """Flows stay listed with facts on which they do not depend any more."""
        self.inside: dict[InstanceName, dict[DatabaseName, list[Fact]]] = {}
        self.around: dict[InstanceName, list[Fact]] = {}
        """What an instance decides for what arrives, and of whom it is the principal."""
        self.reach: list[ReachFact] = []
        self.services: dict[tuple[InstanceName, DatabaseName], list[Fact]] = {}
        self.entries = 0
        """How many flows are listed, each with each of its facts."""

    def add(self, flow: FlowQuestion, facts: Iterable[Fact]) -> None:
        """Write down what a flow depends on."""
        readers = self.readers
        for fact in facts:
            self.entries += 1
            flows = readers.get(fact)
            if flows is None:
                readers[fact] = (flow,)
                self._take(fact)
            elif isinstance(flows, list):
                flows.append(flow)
            else:
                # Few flows in a tuple, which the garbage collector does not look at; many in a list, which grows.
                readers[fact] = (*flows, flow) if len(flows) < _FEW else [*flows, flow]

    def _take(self, fact: Fact) -> None:
        if isinstance(fact, InsideFact | RoutesFact):
            self.inside.setdefault(fact.instance, {}).setdefault(fact.database, []).append(fact)
        elif isinstance(fact, ReachFact):
            self.reach.append(fact)
        elif isinstance(fact, ServiceFact):
            self.services.setdefault((fact.instance, fact.database), []).append(fact)
        else:
            self.around.setdefault(fact.instance, []).append(fact)


def changed_facts(
    before: Snapshot, after: Snapshot, book: FactBook, differences: Iterable[InstanceDifference]
) -> set[Fact]:
    """The facts of a book that are other ones in `after`; `differences` are those between the two."""
    found = list(differences)
    suspected = {fact for difference in found for fact in _suspected(difference, book)}
    suspected.update(_suspected_reach(before, after, book, found))
    return {fact for fact in suspected if fact.value(before) != fact.value(after)}


def _suspected(difference: InstanceDifference, book: FactBook) -> Iterator[Fact]:
    name = difference.instance
    inside = book.inside.get(name, {})
    for database in difference.others:
        yield from book.services.get((name, database), ())
        # A binding is asked for before anything leaves for the network (routing.md 6.9).
        yield from inside.get(database, ())
    if difference.is_all or MSDB in difference.tables:
        yield from book.around.get(name, ())
        # What is sent to the instance's own address is decided by msdb, whichever database sends it (routing.md 9).
        for facts in inside.values():
            yield from facts
    else:
        for database in difference.tables:
            yield from inside.get(database, ())
        if difference.services:
            for facts in (book.around.get(name, []), *inside.values()):
                for fact in facts:
                    if isinstance(fact, InsideFact | OutsideFact) and fact.service in difference.services:
                        yield fact


def _suspected_reach(
    before: Snapshot, after: Snapshot, book: FactBook, found: list[InstanceDifference]
) -> Iterator[Fact]:
    touched = {difference.instance for difference in found if difference.is_reached_otherwise}
    touched.update(name for pair in before.faults.cut ^ after.faults.cut for name in pair)
    if touched:
        is_renamed = _addresses(before) != _addresses(after)
        if is_renamed:
            yield from (fact for fact in book.readers if isinstance(fact, RoutesFact))
        for fact in book.reach:
            reached = fact.value(before)
            if is_renamed or fact.instance in touched or reached is None or reached.instance in touched:
                yield fact


def _addresses(snapshot: Snapshot) -> list[tuple[object, ...]]:
    """What says who is behind an address."""
    return [
        (each.name, host_names(each.name, each.host_names), None if each.endpoint is None else each.endpoint.port)
        for each in snapshot.catalogs.values()
    ]


# ── where two snapshots differ ───────────────────────────────────────────────────────────────────────────────────────
def differences(before: Snapshot, after: Snapshot) -> list[InstanceDifference]:
    """The instances that differ; all others are the same, though they may be other objects."""
    struck = before.faults.down ^ after.faults.down
    found: list[InstanceDifference] = []
    for name in dict.fromkeys((*before.catalogs, *after.catalogs)):
        one, other = before.catalogs.get(name), after.catalogs.get(name)
        if one is None or other is None:
            databases = frozenset(database for each in (one, other) if each is not None for database in each.databases)
            found.append(InstanceDifference(name, True, True, databases, databases))
        elif one is not other or before.at != after.at or name in struck:
            difference = _difference(one, other, (before.at, after.at), is_struck=name in struck)
            if difference is not None:
                found.append(difference)
    return found


def _difference(
    one: InstanceCatalog, other: InstanceCatalog, times: tuple[UtcTime, UtcTime], *, is_struck: bool
) -> InstanceDifference | None:
    tables: set[DatabaseName] = set()
    others: set[DatabaseName] = set()
    for name in dict.fromkeys((*one.databases, *other.databases)):
        database, changed = one.databases.get(name), other.databases.get(name)
        if database is None or changed is None or _has_other_routes(database, changed, times):
            tables.add(name)
        if database is None or changed is None or _is_other(database, changed, times):
            others.add(name)
    # By what master has of certificates, users and keys endpoints know each other.
    is_reached_otherwise = is_struck or not _is_same(one, other, _INSTANCE_FIELDS) or MASTER in others
    # The order of databases decides whose turn it is (routing.md E8).
    is_all = is_reached_otherwise or (bool(others) and _brokers(one) != _brokers(other))
    is_all = is_all or list(one.databases) != list(other.databases)
    if not (is_all or tables or others):
        return None
    services = frozenset[ServiceName]() if is_all else _come_or_gone(one, other, others)
    return InstanceDifference(one.name, is_all, is_reached_otherwise, frozenset(tables), frozenset(others), services)


def _has_other_routes(one: DatabaseCatalog, other: DatabaseCatalog, times: tuple[UtcTime, UtcTime]) -> bool:
    """Whether a table has other routes, in another order, or other live ones at another time."""
    if one is not other and (one.routes != other.routes or list(one.routes) != list(other.routes)):
        return True
    first, last = min(times), max(times)
    if first == last:
        return False
    return any(route.expires_at is not None and first < route.expires_at <= last for route in one.routes.values())


def _is_other(one: DatabaseCatalog, other: DatabaseCatalog, times: tuple[UtcTime, UtcTime]) -> bool:
    """Whether databases differ in more than routes, or certificates are valid at one time and not the other."""
    first, last = times
    return not _is_same(one, other, _DATABASE_FIELDS) or validities(one, first) != validities(other, last)


def _is_same(one: object, other: object, fields: tuple[str, ...]) -> bool:
    return one is other or all(getattr(one, field) == getattr(other, field) for field in fields)


def _brokers(catalog: InstanceCatalog) -> list[tuple[object, ...]]:
    """What LOCATE and the obstacles read of all databases, but for the names of services (routing.md 2, 3.3)."""
    return [
        (each.name, each.broker_instance, each.is_broker_enabled, each.state) for each in catalog.databases.values()
    ]


def _come_or_gone(
    one: InstanceCatalog, other: InstanceCatalog, databases: Iterable[DatabaseName]
) -> frozenset[ServiceName]:
    """Services that only one of both has in the same database. Only who asks for them is told otherwise by LOCATE."""
    return frozenset(
        name
        for database in databases
        for name in one.databases[database].services.keys() ^ other.databases[database].services.keys()
    )
