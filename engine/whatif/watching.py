"""`WatchedSnapshot`: a snapshot that notes which facts it is asked, so that one knows what an answer depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.core.catalog.instance import InstanceCatalog
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.settings import WhilePending
from engine.whatif.facts import Fact, InsideFact, OutsideFact, PrincipalFact, ReachFact, RoutesFact
from engine.whatif.faults import Fault
from engine.whatif.reach import Reached
from engine.whatif.router import Choice, Router
from engine.whatif.snapshot import Snapshot


class WatchedSnapshot(Snapshot):
    """Notes in `asked` what it is asked; whoever wants to know empties the list before."""

    def __init__(
        self,
        catalogs: Mapping[InstanceName, InstanceCatalog],
        *,
        at: UtcTime,
        faults: Iterable[Fault] = (),
        asked: list[Fact] | None = None,
    ) -> None:
        """Several snapshots note into one list where the routers of one serve the others too."""
        super().__init__(catalogs, at=at, faults=faults)
        self.asked: list[Fact] = [] if asked is None else asked

    def take_over(self, other: WatchedSnapshot, instances: Iterable[InstanceName]) -> None:
        """Let the other's routers, with what they remember, decide for instances that are the same in both."""
        for name in instances:
            known = other._routers.get(name)
            if known is not None:
                self._routers[name] = known

    def router(self, instance: InstanceName) -> Router:
        """Who decides for an instance, and notes what."""
        known = self._routers.get(instance)
        if known is None:
            known = self._routers[instance] = _WatchedRouter(self.catalogs[instance], self.at, self.asked)
        return known

    def reach(self, caller: InstanceName, address: TcpAddress) -> Reached:
        """What comes of dialling, noted."""
        self.asked.append(ReachFact(caller, address))
        return super().reach(caller, address)

    def next_hops(
        self, instance: InstanceName, database: DatabaseName, target: DialogTarget
    ) -> frozenset[InstanceName]:
        """To whom routes lead, noted."""
        broker = target.broker_instance
        number = None if broker is None else broker.int
        self.asked.append(RoutesFact(instance, database, target.service_name, number))
        return super().next_hops(instance, database, target)

    def is_principal(self, instance: InstanceName, broker: BrokerInstanceId) -> bool:
        """Whether a database there is a principal, noted."""
        self.asked.append(PrincipalFact(instance, broker.int))
        return super().is_principal(instance, broker)


class _WatchedRouter(Router):
    """Notes what it decides."""

    def __init__(self, catalog: InstanceCatalog, at: UtcTime, asked: list[Fact]) -> None:
        super().__init__(catalog, at, WhilePending.LITERAL, explain=False)
        self._asked = asked

    def inside(
        self,
        database: DatabaseName,
        target: DialogTarget,
        *,
        from_target: bool,
        before: ClassifierDecision | None = None,
    ) -> tuple[Choice, ...]:
        """What may be decided for what leaves a database, noted."""
        broker = target.broker_instance
        number = None if broker is None else broker.int
        self._asked.append(InsideFact(self.catalog.name, database, target.service_name, number, from_target))
        return super().inside(database, target, from_target=from_target, before=before)

    def outside(self, target: DialogTarget, *, from_target: bool) -> tuple[Choice, ...]:
        """What may be decided for what arrives, noted."""
        broker = target.broker_instance
        number = None if broker is None else broker.int
        self._asked.append(OutsideFact(self.catalog.name, target.service_name, number, from_target))
        return super().outside(target, from_target=from_target)
