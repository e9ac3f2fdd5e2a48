"""`MessageClassifier`: match, choose, locate, for messages from inside and from outside (routing.md 4).

The live engine and every tool that explains it call this one class, and an explanation is made from the very same
decision. It is not responsible for what follows: the caller sends, keeps, drops or asks for a route.
"""

from __future__ import annotations

from functools import partial

import msgspec

from engine.core.catalog.changes import (
    CatalogChange,
    DatabaseCreated,
    DatabaseDropped,
    RouteAltered,
    RouteCreated,
    RouteDropped,
)
from engine.core.catalog.hosts import HostBook, host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import Route
from engine.core.routing.candidates import Choice
from engine.core.routing.decision import Caution, Classification, ClassifierDecision, Origin
from engine.core.routing.draws import Branch, Draws, Onward, Question, Record, Rotation, answers_of
from engine.core.routing.explanation import alternatives_of, explained
from engine.core.routing.locator import ServiceLocator, unavailable_reason
from engine.core.routing.matching import choose, match
from engine.core.routing.obstacles import msdb_obstacle, obstacle_of
from engine.core.routing.table import RoutingTable
from engine.core.routing.transport_name import derive_address
from engine.core.vocabulary.identifiers import MSDB, BrokerInstanceId, DatabaseName, RouteName, ServiceName
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.settings import WhilePending

NO_ROUTE, NOT_FOUND, LOCAL_WITHOUT_SERVICE, FOREIGN_ID = 9750, 9793, 9796, 9795
FORWARDING_OFF, ASKING, BAD_ADDRESS = 9792, 9770, 9785
OWNER_UNAVAILABLE, NO_SUCH_SERVICE = 28016, 8490

# Looking an enumeration member up costs a tenth of what a decision may: they are looked up once.
_INSIDE, _OUTSIDE = Origin.INSIDE, Origin.OUTSIDE
_LOCAL, _REMOTE = Classification.LOCAL, Classification.REMOTE
_DELAYED, _DROPPED = Classification.DELAYED, Classification.DROPPED


class MessageClassifier:
    """Decides the next hop of messages for one instance. Holds the indexes and whose turn it is, nothing else."""

    def __init__(
        self,
        catalog: InstanceCatalog,
        while_pending: WhilePending = WhilePending.LITERAL,
        draws: Draws | None = None,
        listed_max: int | None = None,
    ) -> None:
        """`draws` answers what is drawn; without it each answer has its turn, as in a running instance.

        Whoever answers follows every branch alone, so that explanations then list no alternatives. `listed_max` bounds
        the candidates, losers and alternatives of an explanation each, and so its cost; None lists all.
        """
        self.catalog = catalog
        self.tables: dict[DatabaseName, RoutingTable] = {}
        self._tabulate()
        self.pending: set[tuple[DatabaseName, ServiceName]] = set()
        """Services for which the configuration service was asked and has not yet answered (routing.md 6, E7)."""
        self._while_pending = while_pending
        self._rotation = Rotation()
        self._draws: Draws = draws or self._rotation
        self._lists_alternatives = draws is None
        self._listed_max = listed_max
        self._look_around()

    def redefine(self, catalog: InstanceCatalog, changes: tuple[CatalogChange, ...]) -> None:
        """Take over a catalog to which `changes` have led. A changed route touches no other route of its table."""
        self.catalog = catalog
        only_routes = True
        for change in changes:
            match change:
                case RouteCreated():
                    self._route_defined(change.database, change.route.name)
                case RouteAltered():
                    self._route_defined(change.database, change.name)
                case RouteDropped():
                    # A route of the same name that follows is a new one, with a place of its own (routing.md E8).
                    self._table_of(change.database).drop(change.name)
                case DatabaseCreated() | DatabaseDropped():
                    # A new database of a known name has none of the old one's routes.
                    self.tables.pop(self._table_of(change.database).database, None)
                    only_routes = False
                case _:
                    only_routes = False
        if not only_routes:
            self._tabulate()
            self._look_around()

    def _tabulate(self) -> None:
        databases = self.catalog.databases
        self.tables = {
            name: self.tables[name] if name in self.tables else RoutingTable(name, database.routes.values())
            for name, database in databases.items()
        }

    def _route_defined(self, database: DatabaseName, name: RouteName) -> None:
        """Put a route into its table as the last change of all has left it, unless that takes it away."""
        table = self._table_of(database)
        defined = self.catalog.databases.get(table.database)
        key = spelling_in(defined.routes, name) if defined is not None else None
        if defined is not None and key is not None:
            table.put(defined.routes[key])

    def _table_of(self, database: DatabaseName) -> RoutingTable:
        """The table of a database, spelled in any letter case; of an unknown one a table that leads nowhere."""
        key = spelling_in(self.tables, database)
        return self.tables[key] if key is not None else RoutingTable(database)

    def _look_around(self) -> None:
        """What a decision needs to know of the instance besides its routes."""
        catalog, endpoint = self.catalog, self.catalog.endpoint
        self._locator = ServiceLocator(catalog)
        is_started = endpoint is not None and endpoint.state is EndpointState.STARTED
        self._own_port = endpoint.port if endpoint is not None and is_started else None
        own_hosts = host_names(catalog.name, catalog.host_names)
        self._hosts = HostBook([(catalog.name, own_hosts, self._own_port)])
        self._own_labels = {host.partition(".")[0] for host in (*own_hosts, "localhost", "127.0.0.1")}
        self._obstacles = {name: obstacle_of(database) for name, database in catalog.databases.items()}
        self._msdb_obstacle = msdb_obstacle(catalog)
        # An endpoint that is stopped neither takes in nor passes on (routing.md E28).
        self.forwards = endpoint is not None and is_started and endpoint.is_message_forwarding_enabled

    # ── questions ────────────────────────────────────────────────────────────────────────────────────────────────
    def from_inside(
        self,
        database: DatabaseName,
        target: DialogTarget,
        now: UtcTime,
        *,
        from_target: bool = False,
        explain: bool = True,
        before: ClassifierDecision | None = None,
        advances: bool = False,
        peeks: bool = False,
    ) -> ClassifierDecision:
        """Decide for a message that leaves an endpoint of `database`. Never drops: the sender's queue keeps it.

        With `before`, the conversation's last decision, a draw gives the same answer again while that is possible,
        or with `advances` the next one (routing.md 3.5, E9). Whoever `peeks` takes nobody's turn.
        """
        if explain and not peeks:
            return self.from_inside_and_drawn(
                database, target, now, from_target=from_target, before=before, advances=advances
            )[0]
        draws = self._onward(before, advances, Branch(()) if peeks else self._fresh())
        return self._from_inside(database, target, now, from_target, explain, draws)

    def from_inside_and_drawn(
        self,
        database: DatabaseName,
        target: DialogTarget,
        now: UtcTime,
        *,
        from_target: bool,
        before: ClassifierDecision | None,
        advances: bool,
    ) -> tuple[ClassifierDecision, bool]:
        """As `from_inside`, explained; and whether anything was drawn, so that the next one may go elsewhere."""
        record = Record(self._onward(before, advances, self._fresh()))
        decision = self._from_inside(database, target, now, from_target, True, record)
        if record.was_asked and self._lists_alternatives:
            again = partial(self._from_inside, database, target, now, from_target, False)
            decision = msgspec.structs.replace(decision, alternatives=alternatives_of(again, self._listed_max))
        return decision, record.was_asked

    def _onward(self, before: ClassifierDecision | None, advances: bool, draws: Draws) -> Draws:
        return draws if before is None else Onward(answers_of(before), advances, draws)

    def _fresh(self) -> Draws:
        """What answers the questions of one decision."""
        self._rotation.begin()
        return self._draws

    def from_outside(
        self, target: DialogTarget, now: UtcTime, *, from_target: bool, explain: bool = True
    ) -> ClassifierDecision:
        """Decide for a message that came in over the network: `msdb` routes, or the reply rule (routing.md 3)."""
        if not explain:
            return self.from_outside_and_drawn(target, now, from_target=from_target)[0]
        record = Record(self._fresh())
        decision = self._from_outside(target, now, from_target, True, record)
        if not (record.was_asked and self._lists_alternatives):
            return decision
        again = partial(self._from_outside, target, now, from_target, False)
        return msgspec.structs.replace(decision, alternatives=alternatives_of(again, self._listed_max))

    def from_outside_and_drawn(
        self, target: DialogTarget, now: UtcTime, *, from_target: bool
    ) -> tuple[ClassifierDecision, bool]:
        """As `from_outside`, not explained; and whether anything was drawn, so that the next one may go elsewhere."""
        record = Record(self._fresh())
        return self._from_outside(target, now, from_target, False, record), record.was_asked

    def names(self, database: DatabaseName, service: ServiceName, now: UtcTime) -> bool:
        """Whether any route of a database that is live names the service."""
        table = self.tables[database]
        table.at(now)
        return service in table.services

    # ── the two origins ──────────────────────────────────────────────────────────────────────────────────────────
    def _from_inside(
        self,
        database: DatabaseName,
        target: DialogTarget,
        now: UtcTime,
        from_target: bool,
        explain: bool,
        draws: Draws,
    ) -> ClassifierDecision:
        if (obstacle := self._obstacles[database]) is not None:
            return ClassifierDecision(
                classification=_DELAYED,
                origin=_INSIDE,
                table=database,
                match_step=None,
                status=obstacle,
            )
        first = self._decide(_INSIDE, database, target, now, explain, draws)
        address = first.address
        # Whether this instance is the principal of a mirrored route is asked of it like of any partner (E27).
        if address is None or first.choose_step == 1 or not self.is_self(address):
            return first
        # The next hop is this very instance: go on as if the message had come from outside (routing.md 9).
        return self._from_outside(target, now, from_target, explain, draws).reached_by(first, address)

    def _from_outside(
        self, target: DialogTarget, now: UtcTime, from_target: bool, explain: bool, draws: Draws
    ) -> ClassifierDecision:
        if (obstacle := self._msdb_obstacle) is not None:
            return _arrival(_DROPPED, match_step=None, status=obstacle)
        if from_target and target.broker_instance is not None:
            owner = self._locator.owner_of(target.broker_instance)
            if owner is not None and not owner.can_deliver:
                return _arrival(_DROPPED, status=OWNER_UNAVAILABLE)
            if owner is not None:
                return _arrival(_LOCAL, database=owner.name, broker_instance=owner.broker_instance)
        return self._decide(_OUTSIDE, MSDB, target, now, explain, draws)

    # ── match, choose, locate ────────────────────────────────────────────────────────────────────────────────────
    def _decide(
        self,
        origin: Origin,
        database: DatabaseName,
        target: DialogTarget,
        now: UtcTime,
        explain: bool,
        draws: Draws,
    ) -> ClassifierDecision:
        table = self.tables[database]
        if not table.same_from <= now < table.same_until:
            table.at(now)
        step, candidates, picked = match(
            table, target, not self.pending or self._may_ask(database, target), self._locator, draws
        )
        if candidates is None:
            decision = self._without_route(origin, database, target, step, draws)
        elif (choice := choose(table, target, candidates, self._locator, draws)) is None:
            decision = _nowhere(origin, database, step, LOCAL_WITHOUT_SERVICE)
        elif choice[0] == 2:
            decision = self._locate(origin, database, target, step, choice[1], None, draws)
        else:
            decision = self._leave(origin, database, target, step, choice)
        if not explain:
            return decision
        return explained(decision, table, target, candidates, picked, now, self._listed_max)

    def _may_ask(self, database: DatabaseName, target: DialogTarget) -> bool:
        """While a request is pending step 4 does not apply, or, as the estate wishes, holds everything (E3)."""
        return (database, target.service_name) not in self.pending or self._while_pending is WhilePending.WAIT

    def _without_route(
        self, origin: Origin, database: DatabaseName, target: DialogTarget, step: int, draws: Draws
    ) -> ClassifierDecision:
        if step == 6:
            caution = Caution.HARDENING_BYPASSED if origin is _OUTSIDE else None
            return self._locate(origin, database, target, step, None, caution, draws)
        if step == 4:
            return _nowhere(origin, database, step, ASKING)
        return _nowhere(origin, database, step, NO_ROUTE if origin is _INSIDE else NOT_FOUND)

    def _leave(
        self, origin: Origin, database: DatabaseName, target: DialogTarget, step: int, choice: Choice
    ) -> ClassifierDecision:
        """To another instance by a network address, if what came from outside may go on (routing.md 3.2, 5)."""
        kind, route, tcp = choice
        if tcp is None:
            tcp = derive_address(target.service_name)
        caution: Caution | None = None
        status: int | None = None
        if origin is _OUTSIDE and not self.forwards:
            status = FORWARDING_OFF
        elif tcp is None:
            status = BAD_ADDRESS
        elif origin is _OUTSIDE and self.is_self(tcp):
            caution = Caution.LEADS_TO_ITSELF
        return ClassifierDecision(
            classification=_REMOTE if status is None else _nowhere_of(origin),
            origin=origin,
            table=database,
            match_step=step,
            choose_step=kind,
            route=route,
            address=tcp if status is None else None,
            status=status,
            caution=caution,
        )

    def _locate(
        self,
        origin: Origin,
        table: DatabaseName,
        target: DialogTarget,
        step: int,
        route: Route | None,
        caution: Caution | None,
        draws: Draws,
    ) -> ClassifierDecision:
        """The database inside this instance: the id alone decides, else the service's name (routing.md 3.3)."""
        service = target.service_name
        broker = target.broker_instance or (route.broker_instance if route is not None else None)
        is_inside = origin is _INSIDE
        database: DatabaseName | None = None
        status: int | None = None
        if broker is None:
            found = self._locator.databases_with(service, table if is_inside else None)
            database = found[draws.take(table, service, Question.DATABASE, found) if len(found) > 1 else 0]
        else:
            owner = self._locator.owner_of(broker)
            if owner is None:
                status = FOREIGN_ID
            elif not owner.can_deliver:
                status = unavailable_reason(owner)
            elif not self._locator.has(owner.name, service):
                # The sender of what came over the network hears of it as an error (routing.md E12).
                database, status = (None, LOCAL_WITHOUT_SERVICE) if is_inside else (owner.name, NO_SUCH_SERVICE)
            else:
                database = owner.name
        return ClassifierDecision(
            classification=_LOCAL if status is None else _nowhere_of(origin),
            origin=origin,
            table=table,
            match_step=step,
            choose_step=2 if route is not None else None,
            route=route,
            broker_instance=broker,
            database=database,
            status=status,
            caution=caution,
        )

    def is_self(self, address: TcpAddress) -> bool:
        """Whether an address is this very instance: one of its names and its own started port (routing.md E25)."""
        if address.port != self._own_port:
            return False
        host = address.host
        # Of a host that begins like none of ours nothing else needs to be asked.
        return (":" in host or host.partition(".")[0] in self._own_labels) and bool(self._hosts.at(address))


def _nowhere_of(origin: Origin) -> Classification:
    """What starts here is kept, what arrives is not (routing.md 10)."""
    return _DELAYED if origin is _INSIDE else _DROPPED


def _nowhere(origin: Origin, table: DatabaseName, step: int, status: int) -> ClassifierDecision:
    return ClassifierDecision(
        classification=_nowhere_of(origin), origin=origin, table=table, match_step=step, status=status
    )


def _arrival(
    classification: Classification,
    *,
    match_step: int | None = 0,
    database: DatabaseName | None = None,
    broker_instance: BrokerInstanceId | None = None,
    status: int | None = None,
) -> ClassifierDecision:
    """Decided before any route was looked at."""
    return ClassifierDecision(
        classification=classification,
        origin=_OUTSIDE,
        table=MSDB,
        match_step=match_step,
        database=database,
        broker_instance=broker_instance,
        status=status,
    )
