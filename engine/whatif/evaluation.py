"""`Evaluation`: the verdicts of all flows of an estate, and what becomes of them when the estate changes.

Incremental: a flow whose tables nobody has touched keeps its verdict, and only the others are asked again. A catalog
that is the same object is the same catalog; so is a database of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.disposition import FlowChange
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import FlowVerdicts, Table, Verdict

Catalogs = Mapping[InstanceName, InstanceCatalog]


class VerdictChange(msgspec.Struct, frozen=True, gc=False):
    """One flow whose verdict is another one. `before` is None for a flow that nobody could ask before."""

    flow: FlowQuestion
    change: FlowChange
    before: Verdict | None
    after: Verdict | None


class Evaluation:
    """Verdicts of given flows over one state of an estate."""

    def __init__(self, catalogs: Catalogs, flows: Iterable[FlowQuestion], *, at: UtcTime) -> None:
        """Evaluates every flow at once; those whose sender is not in the estate have no verdict."""
        self.at = at
        self.catalogs = dict(catalogs)
        self._found = FlowVerdicts(Snapshot(self.catalogs, at=at))
        self.verdicts: dict[FlowQuestion, Verdict] = {}
        for flow in flows:
            if is_in(self.catalogs, flow):
                self.verdicts[flow] = self._found.of(flow)
        self._readers: dict[Table, list[FlowQuestion]] | None = None

    def readers(self) -> dict[Table, list[FlowQuestion]]:
        """The flows that depend on a database, by database; made when first asked for."""
        if self._readers is None:
            self._readers = {}
            for flow in self.verdicts:
                for table in self._found.reads(flow):
                    self._readers.setdefault(table, []).append(flow)
        return self._readers

    def changes_to(self, catalogs: Catalogs, further: Iterable[FlowQuestion] = ()) -> Iterator[VerdictChange]:
        """What another state of the same estate makes of the flows, and of `further` ones that only it has."""
        touched = touched_tables(self.catalogs, catalogs)
        affected: Iterable[FlowQuestion] = self.verdicts
        if touched is not None:
            readers = self.readers()
            affected = dict.fromkeys(flow for table in touched for flow in readers.get(table, ()))
        after = FlowVerdicts(Snapshot(catalogs, at=self.at))
        for flow in affected:
            now = after.of(flow) if is_in(catalogs, flow) else None
            before = self.verdicts[flow]
            if now != before:
                yield VerdictChange(flow, change_of(before, now), before, now)
        for flow in further:
            if flow not in self.verdicts and is_in(catalogs, flow):
                now = after.of(flow)
                was = self._found.of(flow) if is_in(self.catalogs, flow) else None
                if now != was:
                    yield VerdictChange(flow, change_of(was, now), was, now)


def is_in(catalogs: Catalogs, flow: FlowQuestion) -> bool:
    """Whether the sender of a flow is there to ask."""
    instance = catalogs.get(flow.instance)
    database = None if instance is None else instance.databases.get(flow.database)
    return database is not None and flow.service in database.services


def change_of(before: Verdict | None, after: Verdict | None) -> FlowChange:
    """What became of a flow whose verdicts differ."""
    worked = before is not None and before.works
    works = after is not None and after.works
    if worked is not works:
        return FlowChange.GAINED if works else FlowChange.LOST
    return FlowChange.MOVED


def touched_tables(before: Catalogs, after: Catalogs) -> set[Table] | None:
    """The databases of which only routes differ; None where more differs, so that every flow may be another one."""
    if before.keys() != after.keys():
        return None
    touched: set[Table] = set()
    for name, catalog in before.items():
        other = after[name]
        if other is catalog:
            continue
        found = _touched_databases(catalog, other)
        if found is None:
            return None
        touched |= {(name, database) for database in found}
    return touched


def _touched_databases(one: InstanceCatalog, other: InstanceCatalog) -> set[DatabaseName] | None:
    if one.databases.keys() != other.databases.keys():
        return None
    if (one.endpoint, one.host_names) != (other.endpoint, other.host_names):
        return None
    touched: set[DatabaseName] = set()
    for name, database in one.databases.items():
        changed = other.databases[name]
        if changed is database:
            continue
        if not _differ_in_routes_alone(database, changed):
            return None
        if database.routes != changed.routes or list(database.routes) != list(changed.routes):
            touched.add(name)
    return touched


def _differ_in_routes_alone(one: DatabaseCatalog, other: DatabaseCatalog) -> bool:
    """Whether all else that routing looks at is the same: identity, state, services and queues."""
    return (
        one.broker_instance == other.broker_instance
        and one.is_broker_enabled == other.is_broker_enabled
        and one.state is other.state
        and one.services == other.services
        and one.queues == other.queues
    )
