"""`MessageClassifier`: match, choose, locate, for messages from inside and from outside (routing.md 4).

The live engine and every tool that explains it call this one class. It is not responsible for what follows: the
caller sends, keeps or drops as the decision says.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.hosts import host_names, is_loopback
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.routing.decision import Classification, ClassifierDecision, Origin
from engine.core.routing.locator import ServiceLocator, unavailable_reason
from engine.core.routing.matching import IMPLICIT_LOCAL_STEP, Choice, Match, choose, match, why_not_candidates
from engine.core.routing.rotation import Rotation
from engine.core.routing.table import RoutingTable
from engine.core.routing.transport_name import derive_address
from engine.core.vocabulary.identifiers import MSDB, DatabaseName
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.moment import UtcTime

_NO_ROUTE, _NOT_FOUND, _LOCAL_WITHOUT_SERVICE, _FOREIGN_ID = 9750, 9793, 9796, 9795
_FORWARDING_OFF, _ASKING, _BAD_ADDRESS = 9792, 9770, 9785


class MessageClassifier:
    """Decides the next hop of messages for one instance. Holds the indexes and whose turn it is, nothing else."""

    def __init__(self, catalog: InstanceCatalog) -> None:
        self.catalog = catalog
        self.tables: dict[DatabaseName, RoutingTable] = {
            name: RoutingTable(name, database.routes.values()) for name, database in catalog.databases.items()
        }
        self.locator = ServiceLocator(catalog)
        self._rotation = Rotation()

    def redefine(self, catalog: InstanceCatalog) -> None:
        """Take over a changed catalog; tables whose routes are the same stay as they are, and so do the turns."""
        for name in self.tables.keys() - catalog.databases.keys():
            del self.tables[name]
        for name, database in catalog.databases.items():
            before = self.catalog.databases.get(name)
            if before is None or before.routes != database.routes:
                self.tables[name] = RoutingTable(name, database.routes.values())
        self.catalog = catalog
        self.locator = ServiceLocator(catalog)

    def from_inside(
        self,
        database: DatabaseName,
        target: DialogTarget,
        now: UtcTime,
        *,
        from_target: bool = False,
        explain: bool = True,
    ) -> ClassifierDecision:
        """Decide for a message that leaves an endpoint of `database`. Never drops: the sender's queue keeps it."""
        home = self.catalog.databases[database]
        if home.state is DatabaseState.SINGLE_USER or not home.is_broker_enabled:
            return ClassifierDecision(
                classification=Classification.DELAYED,
                origin=Origin.INSIDE,
                table=database,
                match_step=0,
                status=28075 if home.is_broker_enabled else 9791,
            )
        decision = self._decide(Origin.INSIDE, database, target, now, explain)
        return self._through_msdb(decision, target, now, from_target, explain)

    def _through_msdb(
        self, first: ClassifierDecision, target: DialogTarget, now: UtcTime, from_target: bool, explain: bool
    ) -> ClassifierDecision:
        """A next hop that is this very instance: go on as if the message had come from outside (routing.md 9)."""
        mirrored = first.route is not None and first.route.mirror_address is not None
        if first.address is None or mirrored or not self.is_self(first.address):
            return first
        second = self.from_outside(target, now, from_target=from_target, explain=explain)
        if second.classification is Classification.DROPPED:
            second = msgspec.structs.replace(second, classification=Classification.DELAYED)
        return msgspec.structs.replace(second, via=first)

    def from_outside(
        self, target: DialogTarget, now: UtcTime, *, from_target: bool, explain: bool = True
    ) -> ClassifierDecision:
        """Decide for a message that came in over the network: `msdb` routes, or the reply rule (routing.md 3)."""
        if (obstacle := self._msdb_obstacle()) is not None:
            return self._outside(Classification.DROPPED, match_step=0, status=obstacle)
        if from_target and target.broker_instance is not None:
            owner = self.locator.owner_of(target.broker_instance)
            if owner is not None and owner.can_deliver:
                return self._outside(
                    Classification.LOCAL,
                    match_step=0,
                    database=owner.name,
                    broker_instance=owner.broker_instance,
                )
            if owner is not None:
                return self._outside(Classification.DROPPED, match_step=0, status=28016)
        return self._decide(Origin.OUTSIDE, MSDB, target, now, explain)

    def _msdb_obstacle(self) -> int | None:
        msdb = self.catalog.databases.get(MSDB)
        if msdb is None or msdb.state is DatabaseState.OFFLINE:
            return 9788
        if msdb.state is DatabaseState.SINGLE_USER:
            return 9790
        return None if msdb.is_broker_enabled else 9789

    def _outside(self, classification: Classification, *, match_step: int, **known: object) -> ClassifierDecision:
        decision = ClassifierDecision(
            classification=classification, origin=Origin.OUTSIDE, table=MSDB, match_step=match_step
        )
        return msgspec.structs.replace(decision, **known)

    def _decide(
        self, origin: Origin, database: DatabaseName, target: DialogTarget, now: UtcTime, explain: bool
    ) -> ClassifierDecision:
        table = self.tables[database]
        found = match(table, target, self.locator, self._rotation, now)
        choice = choose(table, target, found.candidates, self.locator, self._rotation)
        decision = ClassifierDecision(
            classification=_nowhere(origin),
            origin=origin,
            table=database,
            match_step=found.step,
            choose_step=choice.step,
            route=choice.route,
            candidates=tuple(route.name for route in found.candidates),
            alternatives=tuple(route.name for route in choice.drawn_from),
        )
        if explain:
            losses = (*choice.losses, *why_not_candidates(table, target, found, now))
            decision = msgspec.structs.replace(decision, losses=losses)
        return self._follow(decision, target, found, choice)

    def _follow(
        self, decision: ClassifierDecision, target: DialogTarget, found: Match, choice: Choice
    ) -> ClassifierDecision:
        """From the chosen route to the place it leads to."""
        if found.step == 4:
            return _ends(decision, status=_ASKING)
        if found.step == IMPLICIT_LOCAL_STEP:
            return self._locate(decision, target)
        route = choice.route
        if route is None:
            return _ends(decision, status=_no_route_status(decision.origin, choice))
        if isinstance(route.address, LocalAddress):
            return self._locate(decision, target)
        address = route.address.tcp if isinstance(route.address, NetworkAddress) else None
        address = address or derive_address(target.service_name)
        if decision.origin is Origin.OUTSIDE and not self.forwards:
            return _ends(decision, status=_FORWARDING_OFF)
        if address is None:
            return _ends(decision, status=_BAD_ADDRESS)
        return msgspec.structs.replace(decision, classification=Classification.REMOTE, address=address)

    def _locate(self, decision: ClassifierDecision, target: DialogTarget) -> ClassifierDecision:
        broker = target.broker_instance or (decision.route.broker_instance if decision.route else None)
        home = decision.table if decision.origin is Origin.INSIDE else None
        if broker is None:
            databases = self.locator.databases_with(target.service_name, home)
            if not databases:
                return _ends(decision, status=_LOCAL_WITHOUT_SERVICE)
            return msgspec.structs.replace(decision, classification=Classification.LOCAL, database=databases[0])
        owner = self.locator.owner_of(broker)
        decision = msgspec.structs.replace(decision, broker_instance=broker)
        if owner is None:
            return _ends(decision, status=_FOREIGN_ID)
        if (reason := unavailable_reason(owner)) is not None:
            return _ends(decision, status=reason)
        if decision.origin is Origin.INSIDE and target.service_name not in owner.services:
            return _ends(decision, status=_LOCAL_WITHOUT_SERVICE)
        return msgspec.structs.replace(decision, classification=Classification.LOCAL, database=owner.name)

    @property
    def forwards(self) -> bool:
        """Whether the endpoint passes on what is not for this instance."""
        endpoint = self.catalog.endpoint
        return endpoint is not None and endpoint.is_message_forwarding_enabled

    def is_self(self, address: TcpAddress) -> bool:
        """Whether an address is this very instance: one of its names and its own started port (routing.md E25)."""
        endpoint = self.catalog.endpoint
        if endpoint is None or endpoint.state is not EndpointState.STARTED or address.port != endpoint.port:
            return False
        own = host_names(self.catalog.name, self.catalog.host_names)
        return address.host in own or is_loopback(address.host)


def _nowhere(origin: Origin) -> Classification:
    return Classification.DELAYED if origin is Origin.INSIDE else Classification.DROPPED


def _ends(decision: ClassifierDecision, *, status: int) -> ClassifierDecision:
    return msgspec.structs.replace(decision, classification=_nowhere(decision.origin), status=status)


def _no_route_status(origin: Origin, choice: Choice) -> int:
    if choice.saw_local:
        return _LOCAL_WITHOUT_SERVICE
    return _NO_ROUTE if origin is Origin.INSIDE else _NOT_FOUND


def route_addresses(route: Route) -> tuple[TcpAddress, ...]:
    """The network addresses a route names: none, one, or the two of a mirrored route."""
    mirrored = (route.mirror_address.tcp,) if route.mirror_address is not None else ()
    return (route.address.tcp, *mirrored) if isinstance(route.address, NetworkAddress) else mirrored
