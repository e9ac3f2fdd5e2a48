"""`strike`: the faults of a what-if, made by those who make them: operators by commands, nature by taking away."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.core.catalog.changes import CatalogChange, DatabaseStateSet, EndpointAltered, QueueAltered
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.commands import ApplyCatalog, SetMirroringRole
from engine.core.vocabulary.identifiers import CatalogRevision, CommandId, InstanceName
from engine.core.vocabulary.mirrors import MirroringRole
from engine.sim.network import Network
from engine.sim.server import Server
from engine.whatif.faults import Fault, FaultKind, Faults

NewId = Callable[[], CommandId]


def strike(servers: Mapping[InstanceName, Server], network: Network, faults: Faults, new_id: NewId) -> None:
    """Every fault, in the order in which `Faults` applies them to catalogs; servers go down last."""
    for name, server in servers.items():
        _operate(server, faults.of(name), new_id)
    for pair in faults.cut:
        one, other = min(pair), max(pair)
        for ends in ((one, other), (other, one)):
            network.path(*ends).cut()
    for name in faults.down:
        server = servers[name]
        network.agenda.after(0.5, lambda server=server: server.die("down"))  # type: ignore[misc]


def _operate(server: Server, faults: tuple[Fault, ...], new_id: NewId) -> None:
    """Failovers by their own command, all else as one revision."""
    catalog = server.instance.catalog
    for fault in faults:
        if fault.kind is FaultKind.PARTNER and fault.database is not None:
            state = catalog.databases[fault.database].state
            role = MirroringRole.PRINCIPAL if state is DatabaseState.MIRROR else MirroringRole.MIRROR
            failover = SetMirroringRole(command_id=new_id(), database=fault.database, role=role)
            server.execute(failover, lambda reply: None)
    changes = tuple(change for fault in faults if (change := _change(catalog, fault)) is not None)
    if changes:
        revision = CatalogRevision(catalog.revision + 1)
        command = ApplyCatalog(command_id=new_id(), base=catalog.revision, revision=revision, changes=changes)
        server.execute(command, lambda reply: None)


def _change(catalog: InstanceCatalog, fault: Fault) -> CatalogChange | None:
    match fault.kind:
        case FaultKind.ENDPOINT if catalog.endpoint is not None:
            return EndpointAltered(name=catalog.endpoint.name, state=EndpointState.STOPPED)
        case FaultKind.DATABASE if fault.database is not None:
            return DatabaseStateSet(database=fault.database, state=DatabaseState.OFFLINE)
        case FaultKind.QUEUE if fault.database is not None and fault.queue is not None:
            return QueueAltered(database=fault.database, name=fault.queue, is_enabled=False)
        case _:
            return None
