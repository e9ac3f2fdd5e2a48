"""Faults that a what-if supposes: what is down, cut, stopped, switched off or failed over (product.md 1b, 2b).

A fault is a value, so that an answer can be asked for again in a year. `faulted` makes of a catalog what it would be
with the faults; those of instances and links leave catalogs alone and are looked up by the tracer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.identity import role_change
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.revision import apply_changes
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName
from engine.core.vocabulary.mirrors import MirroringRole


class FaultKind(StrEnum):
    """What a fault takes away."""

    INSTANCE = "instance"
    """The server is down."""
    LINK = "link"
    """Nothing gets from the one instance to the other, nor back."""
    ENDPOINT = "endpoint"
    """The broker endpoint is stopped."""
    DATABASE = "database"
    """The database is offline."""
    QUEUE = "queue"
    """STATUS = OFF."""
    PARTNER = "partner"
    """The mirrored pair has failed over: the copy is the principal now."""


class Fault(msgspec.Struct, frozen=True, kw_only=True, order=True, omit_defaults=True):
    """One of them. `database` for the last three kinds, `queue` for a queue, `other` for the far end of a link."""

    kind: FaultKind
    instance: InstanceName
    other: InstanceName | None = None
    database: DatabaseName | None = None
    queue: QueueName | None = None


NOT_HERE = 15151
"""Cannot find the object, because it does not exist."""


class Faults:
    """Faults of one estate, checked against it, by what is asked of them."""

    def __init__(self, catalogs: Mapping[InstanceName, InstanceCatalog], faults: Iterable[Fault] = ()) -> None:
        """Raises `CatalogError` 15151 for a fault of something that the estate does not have."""
        self.all = tuple(sorted(set(faults), key=_order))
        self.down: set[InstanceName] = set()
        self.cut: set[frozenset[InstanceName]] = set()
        self._changed: dict[InstanceName, list[Fault]] = {}
        for fault in self.all:
            self._take(catalogs, fault)

    def _take(self, catalogs: Mapping[InstanceName, InstanceCatalog], fault: Fault) -> None:
        instance = _known(catalogs, fault.instance)
        match fault.kind:
            case FaultKind.INSTANCE:
                self.down.add(instance.name)
            case FaultKind.LINK:
                self.cut.add(frozenset((instance.name, _known(catalogs, fault.other).name)))
            case FaultKind.ENDPOINT:
                if instance.endpoint is None:
                    raise CatalogError(NOT_HERE, value="endpoint", name="", database=instance.name)
                self._change(instance.name, fault)
            case FaultKind.DATABASE:
                _database_of(instance, fault)
                self._change(instance.name, fault)
            case FaultKind.QUEUE:
                queue = fault.queue or QueueName("")
                if spelling_in(_database_of(instance, fault).queues, queue) is None:
                    raise CatalogError(NOT_HERE, value="queue", name=queue, database=fault.database or "")
                self._change(instance.name, fault)
            case FaultKind.PARTNER:
                _database_of(instance, fault)
                for name, database in partners_in(catalogs, instance.name, fault.database):
                    self._change(name, msgspec.structs.replace(fault, instance=name, database=database))

    def _change(self, instance: InstanceName, fault: Fault) -> None:
        changes = self._changed.setdefault(instance, [])
        if fault not in changes:
            # A pair that is named by both of its partners has failed over once.
            changes.append(fault)

    def touches(self, instance: InstanceName) -> bool:
        """Whether the catalog of an instance is another one under the faults."""
        return instance in self._changed

    def is_cut(self, one: InstanceName, other: InstanceName) -> bool:
        """Whether the network between two instances is cut."""
        return frozenset((one, other)) in self.cut

    def applied(self, catalog: InstanceCatalog) -> InstanceCatalog:
        """The catalog as it would be; the very same when no fault touches it."""
        for fault in self.of(catalog.name):
            catalog = _faulted(catalog, fault)
        return catalog

    def of(self, instance: InstanceName) -> tuple[Fault, ...]:
        """What changes the catalog of an instance, failovers first: a copy that is off-line fails over all the same."""
        found = self._changed.get(instance, ())
        return tuple(sorted(found, key=lambda each: each.kind is not FaultKind.PARTNER))


def _order(fault: Fault) -> tuple[str, ...]:
    return (fault.kind, fault.instance, fault.other or "", fault.database or "", fault.queue or "")


def _known(catalogs: Mapping[InstanceName, InstanceCatalog], name: InstanceName | None) -> InstanceCatalog:
    found = None if name is None else catalogs.get(name)
    if found is None:
        raise CatalogError(NOT_HERE, value="instance", name=name or "", database="the estate")
    return found


def _database_of(instance: InstanceCatalog, fault: Fault) -> DatabaseCatalog:
    database = None if fault.database is None else spelling_in(instance.databases, fault.database)
    if database is None:
        raise CatalogError(NOT_HERE, value="database", name=fault.database or "", database=instance.name)
    return instance.databases[database]


def partners_in(
    catalogs: Mapping[InstanceName, InstanceCatalog], instance: InstanceName, database: DatabaseName | None
) -> list[tuple[InstanceName, DatabaseName]]:
    """The databases of a mirrored pair: the one that is named, and those that share its broker id and name it partner.

    One alone is no pair: whoever fails it over is told by an empty list.
    """
    if database is None:
        return []
    own = catalogs[instance].databases[database]
    pair = [(instance, own.name)]
    for catalog in catalogs.values():
        for each in catalog.databases.values():
            is_other = (catalog.name, each.name) != (instance, own.name)
            if (
                is_other
                and each.broker_instance == own.broker_instance
                and (each.partner_address or own.partner_address)
            ):
                pair.append((catalog.name, each.name))
    return pair if len(pair) == 2 else []


def _faulted(catalog: InstanceCatalog, fault: Fault) -> InstanceCatalog:
    replace = msgspec.structs.replace
    if fault.kind is FaultKind.ENDPOINT:
        assert catalog.endpoint is not None, "checked when the fault was taken"
        return replace(catalog, endpoint=replace(catalog.endpoint, state=EndpointState.STOPPED))
    database = _database_of(catalog, fault)
    if fault.kind is FaultKind.PARTNER:
        return _failed_over(catalog, database)
    if fault.kind is FaultKind.QUEUE:
        key = spelling_in(database.queues, fault.queue or QueueName(""))
        assert key is not None, "checked when the fault was taken"
        queues = {**database.queues, key: replace(database.queues[key], is_enabled=False)}
        changed = replace(database, queues=queues)
    else:
        changed = replace(database, state=DatabaseState.OFFLINE)
    return replace(catalog, databases={**catalog.databases, database.name: changed})


def _failed_over(catalog: InstanceCatalog, database: DatabaseCatalog) -> InstanceCatalog:
    """With the other role, where the state of the database allows one (mirroring.md 3); else as it was."""
    role = MirroringRole.PRINCIPAL if database.state is DatabaseState.MIRROR else MirroringRole.MIRROR
    try:
        change = role_change(catalog, database.name, role)
    except CatalogError:
        return catalog
    return catalog if change is None else apply_changes(catalog, [change])
