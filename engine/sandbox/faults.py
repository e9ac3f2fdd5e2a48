"""`FaultBook`: faults of a sandbox, in the words of a what-if: how each is made, and how it is mended.

What people switch off, a queue, an endpoint, a database, they may switch on again: then the fault is over without
anybody having ended it.
"""

from __future__ import annotations

from engine.core.catalog.changes import DatabaseStateSet, EndpointAltered
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.names import find_database, spelling_in
from engine.core.catalog.objects import EndpointState, Queue
from engine.core.exchange.commands import SetQueueStatus
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName
from engine.sandbox.failovers import Failovers
from engine.sandbox.world import SandboxWorld
from engine.sim.history import Happened, Journal
from engine.whatif.faults import Fault, FaultKind, Faults


class FaultBook:
    """Which faults are in force, and how they come and go."""

    def __init__(self, world: SandboxWorld, journal: Journal) -> None:
        self._world = world
        self._journal = journal
        self._failovers = Failovers(world)
        self._begun: dict[Fault, None] = {}

    def in_force(self) -> tuple[Fault, ...]:
        """Faults that nobody has mended, in the order in which they struck."""
        return tuple(fault for fault in self._begun if self._stands(fault))

    def begin(self, fault: Fault) -> None:
        """It strikes; harmless when it is in force. What another fault holds already is held by both.

        `CatalogError` 15151 for what is not there, 1416 for a database without a partner; `InstanceDown` where
        somebody who does not run would have to do it.
        """
        if fault in self.in_force():
            return
        Faults(self._world.catalogs(), (fault,))
        if not self._is_held(fault):
            self._do(fault, is_strike=True)
        self._begun.pop(fault, None)
        self._begun[fault] = None
        self._tell(fault, is_strike=True)

    def end(self, fault: Fault) -> None:
        """It is mended unless another fault holds the same; harmless when it is not in force. Errors as `begin`."""
        if fault not in self._begun:
            return
        if self._stands(fault) and not self._is_held(fault):
            self._do(fault, is_strike=False)
        del self._begun[fault]
        self._tell(fault, is_strike=False)

    def fail_over(self, instance: InstanceName, database: DatabaseName, *, is_forced: bool) -> None:
        """As a partner is told to by a statement: no fault, and mended by nobody. Errors as `Failovers.fail_over`."""
        self._failovers.fail_over(instance, database, is_forced=is_forced)
        text = f"fails over ({database})"
        self._journal.record(Happened(at=self._world.agenda.seconds, instance=instance, text=text, is_strike=False))

    def _is_held(self, fault: Fault) -> bool:
        """Whether another fault in force does the same: a link has two ends to be named by, a name has letter cases."""
        return any(each != fault and _does(each) == _does(fault) for each in self.in_force())

    # ── each kind ────────────────────────────────────────────────────────────────────────────────────────────────
    def _do(self, fault: Fault, *, is_strike: bool) -> None:
        world, server = self._world, self._world.server(fault.instance)
        match fault.kind:
            case FaultKind.INSTANCE:
                if is_strike:
                    server.die("down")
                else:
                    server.start()
            case FaultKind.LINK:
                self._cut(fault, is_strike=is_strike)
            case FaultKind.ENDPOINT:
                assert server.instance.catalog.endpoint is not None, "a fault of an endpoint is of one that is there"
                state = EndpointState.STOPPED if is_strike else EndpointState.STARTED
                world.change(server, [EndpointAltered(name=server.instance.catalog.endpoint.name, state=state)])
            case FaultKind.DATABASE:
                offline = DatabaseState.OFFLINE if is_strike else DatabaseState.ONLINE
                world.change(server, [DatabaseStateSet(database=self._database(fault).name, state=offline)])
            case FaultKind.QUEUE:
                command = SetQueueStatus(
                    command_id=world.new_id(),
                    database=self._database(fault).name,
                    queue=fault.queue or QueueName(""),
                    is_enabled=not is_strike,
                )
                world.do(server, command)
            case FaultKind.PARTNER:
                self._failovers.exchange(fault.instance, fault.database or DatabaseName(""))

    def _cut(self, fault: Fault, *, is_strike: bool) -> None:
        other = self._world.server(fault.other or InstanceName(""))
        for ends in ((fault.instance, other.name), (other.name, fault.instance)):
            path = self._world.network.path(*ends)
            (path.cut if is_strike else path.mend)()

    def _stands(self, fault: Fault) -> bool:
        """Whether what it did is still so."""
        server = self._world.server(fault.instance)
        match fault.kind:
            case FaultKind.INSTANCE:
                return not server.is_alive
            case FaultKind.ENDPOINT:
                endpoint = server.instance.catalog.endpoint
                return endpoint is not None and endpoint.state is not EndpointState.STARTED
            case FaultKind.DATABASE:
                database = self._database_there(fault)
                return database is not None and database.state is DatabaseState.OFFLINE
            case FaultKind.QUEUE:
                queue = self._queue(fault)
                return queue is not None and not queue.is_enabled
            case FaultKind.LINK | FaultKind.PARTNER:
                return True

    def _database(self, fault: Fault) -> DatabaseCatalog:
        catalog = self._world.server(fault.instance).instance.catalog
        return find_database(catalog, fault.database or DatabaseName(""))

    def _database_there(self, fault: Fault) -> DatabaseCatalog | None:
        databases = self._world.server(fault.instance).instance.catalog.databases
        key = spelling_in(databases, fault.database or DatabaseName(""))
        return None if key is None else databases[key]

    def _queue(self, fault: Fault) -> Queue | None:
        database = self._database_there(fault)
        if database is None:
            return None
        key = spelling_in(database.queues, fault.queue or QueueName(""))
        return None if key is None else database.queues[key]

    def _tell(self, fault: Fault, *, is_strike: bool) -> None:
        at = ", ".join(str(part) for part in (fault.other, fault.database, fault.queue) if part)
        text = f"{fault.kind} {'strikes' if is_strike else 'is over'}" + (f" ({at})" if at else "")
        self._journal.record(
            Happened(at=self._world.agenda.seconds, instance=fault.instance, text=text, is_strike=is_strike)
        )


def _does(fault: Fault) -> tuple[object, ...]:
    """What a fault does, whatever it is called by. A failover does another thing each time."""
    if fault.kind is FaultKind.PARTNER:
        return (fault,)
    ends = sorted(name.casefold() for name in (fault.instance, fault.other or ""))
    return fault.kind, *ends, (fault.database or "").casefold(), (fault.queue or "").casefold()
