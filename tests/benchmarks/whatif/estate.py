"""A made-up estate for what-if figures: 1,000 databases of 50 routes, with what real ones have of everything.

A hundred instances in ten regions. A database talks to a few of its own instance, to some of its region directly, and
to others over the other region's gate, an instance that forwards. Whoever is asked has routes back to most who ask, so
some acknowledgements find no way. Beside what works: routes that have expired or soon will, to hosts and ports that
nobody has, to mirrored pairs, under broker ids; tables that lead whatever is asked for to a gate; `msdb` that lets in
what it names and nothing else; brokers that are off, queues that are off, a stopped endpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from uuid import UUID

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import DEFAULT_CONTRACT, Endpoint, EndpointState, Queue, Service
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.vocabulary.identifiers import MSDB
from engine.core.vocabulary.messages import TcpAddress

NOW = 1_790_000_000.0
PORT = 4022
DAY = 86_400.0
Estate = dict[str, InstanceCatalog]


@dataclass(frozen=True)
class Size:
    """How large an estate is."""

    instances: int = 100
    databases: int = 10
    """Of each instance."""
    routes: int = 50
    """Of each database, its catch-all included."""
    regions: int = 10


@dataclass(frozen=True)
class Home:
    """A database, its services and its broker id."""

    instance: int
    number: int
    broker: UUID

    @property
    def database(self) -> str:
        return f"Db{self.number}"

    @property
    def askers(self) -> tuple[str, str]:
        """Services that begin dialogs."""
        return f"//example.org/{self.instance}/{self.number}/ask", f"//example.org/{self.instance}/{self.number}/report"

    @property
    def takers(self) -> tuple[str, str]:
        """Services that take dialogs."""
        return f"//example.org/{self.instance}/{self.number}/stock", f"//example.org/{self.instance}/{self.number}/log"


def make_estate(size: Size = Size(), seed: int = 8) -> Estate:
    """The estate of a seed."""
    return _Maker(size, Random(seed)).made()


def host(instance: int) -> str:
    """The host name of an instance."""
    return f"srv{instance:03}"


def tcp(name: str, port: int = PORT) -> NetworkAddress:
    """An address as a route has it."""
    return NetworkAddress(f"TCP://{name}:{port}", TcpAddress(name, port))


class _Maker:
    def __init__(self, size: Size, chance: Random) -> None:
        self._size = size
        self._chance = chance
        self._homes = [
            Home(instance, number, UUID(int=(instance + 1) * 1_000 + number))
            for instance in range(size.instances)
            for number in range(size.databases)
        ]
        self._pairs = self._mirrored()
        self._peers: list[list[Home]] = [[] for _ in self._homes]
        self._askers: list[list[Home]] = [[] for _ in self._homes]
        self._acquaint()

    def _mirrored(self) -> dict[UUID, tuple[int, int]]:
        """One database in fifty has a copy on the next instance: its id, who has it and who has the copy."""
        return {
            home.broker: (home.instance, (home.instance + 1) % self._size.instances)
            for at, home in enumerate(self._homes)
            if at % 50 == 7 and self._size.instances > 1
        }

    def _acquaint(self) -> None:
        """Whom each database asks: a third of its own region, the rest anywhere."""
        each = max(1, (self._size.routes - 2) * 3 // 8)
        per_region = max(1, len(self._homes) // self._size.regions)
        for at, home in enumerate(self._homes):
            first = at // per_region * per_region
            near = self._homes[first : first + per_region]
            for number in range(each):
                other = self._chance.choice(near if number % 3 == 0 else self._homes)
                if other is not home and other not in self._peers[at]:
                    self._peers[at].append(other)
                    self._askers[other.instance * self._size.databases + other.number].append(home)

    def made(self) -> Estate:
        return {f"SRV{number:03}": self._instance(number) for number in range(self._size.instances)}

    # ── instances ────────────────────────────────────────────────────────────────────────────────────────────────
    def _region(self, instance: int) -> int:
        return instance * self._size.regions // self._size.instances

    def _gate(self, region: int) -> int:
        return -(-region * self._size.instances // self._size.regions)

    def _instance(self, number: int) -> InstanceCatalog:
        is_gate = number == self._gate(self._region(number))
        first = number * self._size.databases
        homes = self._homes[first : first + self._size.databases]
        databases = {home.database: self._database(home, first + at) for at, home in enumerate(homes)}
        for broker, (owner, holder) in self._pairs.items():
            if holder == number:
                copy = next(home for home in self._homes if home.broker == broker)
                databases[f"Copy{copy.number}"] = self._described(
                    copy, f"Copy{copy.number}", DatabaseState.MIRROR, owner
                )
        databases[MSDB] = DatabaseCatalog(
            name=MSDB, broker_instance=UUID(int=2**64 + number), routes=self._msdb_routes(number, homes, is_gate)
        )
        state = EndpointState.STOPPED if number % 100 == 61 else EndpointState.STARTED
        return InstanceCatalog(
            name=f"SRV{number:03}",
            databases=databases,
            endpoint=Endpoint("Broker", PORT, state, is_message_forwarding_enabled=is_gate),
            host_names=(host(number),),
        )

    def _msdb_routes(self, number: int, homes: list[Home], is_gate: bool) -> dict[str, Route]:
        table = [Route(name="AutoCreatedLocal", address=LocalAddress())]
        if is_gate:
            region = self._region(number)
            inside = [home for home in self._homes if self._region(home.instance) == region and home.instance != number]
            table += [
                Route(name=f"In {service}", service_name=service, address=tcp(host(home.instance)))
                for home in inside
                for service in (*home.askers, *home.takers)
            ]
        elif number % 10 == 4:
            # A gate of the other kind: what msdb does not name stays outside, and one name is forgotten.
            names = [service for home in homes for service in (*home.askers, *home.takers)]
            table = [Route(name=f"Let in {name}", service_name=name, address=LocalAddress()) for name in names[1:]]
        return {route.name: route for route in table}

    # ── databases ────────────────────────────────────────────────────────────────────────────────────────────────
    def _database(self, home: Home, at: int) -> DatabaseCatalog:
        partner = self._pairs.get(home.broker)
        made = self._described(home, home.database, DatabaseState.ONLINE, None if partner is None else partner[1])
        made.is_broker_enabled = at % 200 != 33
        routes = [Route(name="AutoCreatedLocal", address=LocalAddress())]
        if at % 50 == 11:
            routes = [Route(name="Everything else", address=tcp(host(self._gate(self._region(home.instance)))))]
        routes += [self._route_to(home, peer, number) for number, peer in enumerate(self._peers[at])]
        for number, asker in enumerate(self._askers[at]):
            services = asker.askers if number % 4 else asker.askers[:1]
            routes += [
                Route(name=f"Back {service}", service_name=service, address=tcp(self._way_to(home, asker)))
                for service in services
                if asker.instance != home.instance
            ]
        for number in range(len(routes), self._size.routes):
            routes.append(self._leftover(home, number))
        for route in routes[: self._size.routes]:
            made.routes[route.name] = route
        return made

    def _described(self, home: Home, name: str, state: DatabaseState, partner: int | None) -> DatabaseCatalog:
        is_off = home.number == 3 and home.instance % 10 == 2
        services = {service: Service(service, "dbo.Asking") for service in home.askers}
        services |= {service: Service(service, "dbo.Taking", (DEFAULT_CONTRACT,)) for service in home.takers}
        return DatabaseCatalog(
            name=name,
            broker_instance=home.broker,
            state=state,
            partner_address=None if partner is None else f"TCP://{host(partner)}:{PORT}",
            queues={"dbo.Asking": Queue("dbo.Asking"), "dbo.Taking": Queue("dbo.Taking", is_enabled=not is_off)},
            services=services,
        )

    def _way_to(self, home: Home, other: Home) -> str:
        """The other's own host within a region, else the other's gate."""
        region = self._region(other.instance)
        if region == self._region(home.instance):
            return host(other.instance)
        return host(self._gate(region))

    def _route_to(self, home: Home, peer: Home, number: int) -> Route:
        service = peer.takers[number % 2]
        name = f"To {service} {number}"
        where: NetworkAddress | LocalAddress = tcp(self._way_to(home, peer))
        if peer.instance == home.instance:
            where = LocalAddress()
        elif number == 5:
            where = tcp(f"gone{home.number}")
        elif number == 6:
            where = tcp(host(peer.instance), 5022)
        pair = self._pairs.get(peer.broker)
        if pair is not None and isinstance(where, NetworkAddress):
            mirror = tcp(host(pair[1]))
            return Route(
                name=name, service_name=service, broker_instance=peer.broker, address=where, mirror_address=mirror
            )
        return Route(
            name=name,
            service_name=service,
            broker_instance=peer.broker if number % 4 == 1 else None,
            address=where,
            expires_at=NOW - DAY if number == 7 else NOW + DAY * (1 + number) if number == 8 else None,
        )

    def _leftover(self, home: Home, number: int) -> Route:
        """A route to somebody who does not answer: nothing leads back from there. Some ids are asked for in turn."""
        other = self._chance.choice(self._homes)
        service = other.takers[number % 2]
        broker = other.broker if number % 3 == 0 else None
        return Route(
            name=f"Further {service} {number}",
            service_name=service,
            broker_instance=broker,
            address=LocalAddress() if other.instance == home.instance else tcp(self._way_to(home, other)),
        )
