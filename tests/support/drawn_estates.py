"""Small estates, their faults and changes of them, drawn from a seed: few names, so that everything meets everything.

Most of an estate works, so that there is something to lose: endpoints are started, `msdb` lets in what it can, and half
of the routes lead where their service is.
"""

from __future__ import annotations

from random import Random
from uuid import UUID

import msgspec

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import DEFAULT_CONTRACT, Endpoint, EndpointState, Queue, Service
from engine.core.catalog.permissions import EVERYBODY, Permission
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, RouteAddress, TransportAddress
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.catalog.security import RemoteServiceBinding, User
from engine.core.vocabulary.messages import TcpAddress
from engine.whatif.faults import Fault, FaultKind

NOW = 1_790_000_000.0
INSTANCES = ("a", "b", "c")
DATABASES = ("One", "Two")
SERVICES = ("ask", "stock", "tcp://b:4022/far")
IDS = tuple(UUID(int=number) for number in range(1, 5))
INSTANTS = (NOW, NOW, NOW, NOW + 10, NOW + 30)
Estate = dict[str, InstanceCatalog]
_CATCH_ALL = Route(name="AutoCreatedLocal", address=LocalAddress())


def tcp(host: str, port: int = 4022) -> NetworkAddress:
    """An address as a route has it."""
    return NetworkAddress(f"TCP://{host}:{port}", TcpAddress(host, port))


class Drawing:
    """What one seed draws."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)

    def is_so(self, share: float) -> bool:
        """Yes, in that share of all cases."""
        return self.chance.random() < share

    # ── estates ──────────────────────────────────────────────────────────────────────────────────────────────────
    def estate(self) -> Estate:
        """Two or three instances."""
        return {name: self.instance(name) for name in INSTANCES[: self.chance.choice((2, 3, 3))]}

    def instance(self, name: str) -> InstanceCatalog:
        """An instance of a name."""
        names = self.chance.sample(DATABASES, self.chance.choice((1, 2, 2)))
        databases = {each: self.database(each) for each in [*names, *(["msdb"] if self.is_so(0.95) else [])]}
        endpoint = self.endpoint() if self.is_so(0.95) else None
        return InstanceCatalog(name=name, databases=databases, endpoint=endpoint, host_names=self._host_names())

    def _host_names(self) -> tuple[str, ...]:
        return self.chance.choice(((), (), (), (), ("elsewhere",), ("a",), ("c",)))

    def endpoint(self) -> Endpoint:
        """An endpoint; seldom one that nobody reaches."""
        return Endpoint(
            "Broker",
            4022 if self.is_so(0.95) else 5022,
            EndpointState.STARTED if self.is_so(0.9) else EndpointState.STOPPED,
            is_message_forwarding_enabled=self.is_so(0.7),
            encryption="REQUIRED ALGORITHM AES" if self.is_so(0.9) else "DISABLED",
        )

    def database(self, name: str) -> DatabaseCatalog:
        """A database of a name."""
        is_msdb = name == "msdb"
        return DatabaseCatalog(
            name=name,
            broker_instance=UUID(int=self.chance.choice((50, 51))) if is_msdb else self.chance.choice(IDS),
            is_broker_enabled=self.is_so(0.92),
            state=DatabaseState.ONLINE if self.is_so(0.85) else self.chance.choice(list(DatabaseState)),
            partner_address=f"TCP://{self.chance.choice(INSTANCES)}:4022" if self.is_so(0.2) else None,
            queues=self.queues(),
            services={} if is_msdb else self.services(),
            routes=self.routes(is_msdb=is_msdb),
            users=self.users(),
            remote_service_bindings=self.bindings(),
        )

    def bindings(self) -> dict[str, RemoteServiceBinding]:
        """Perhaps one, without which a database asks first, where it can."""
        service = self.chance.choice(SERVICES)
        return {"bound": RemoteServiceBinding("bound", service, "clerk")} if self.is_so(0.3) else {}

    def users(self) -> dict[str, User]:
        """Perhaps one, perhaps with a login."""
        return self.chance.choice(({}, {"clerk": User("clerk", login="login")}, {"clerk": User("clerk")}))

    def queues(self) -> dict[str, Queue]:
        """Both of them."""
        return {
            name: Queue(name, is_enabled=self.is_so(0.85), receive_permissions=self._permissions())
            for name in ("dbo.Q", "dbo.P")
        }

    def services(self) -> dict[str, Service]:
        """Some of all names."""
        return {
            name: Service(
                name,
                self.chance.choice(("dbo.Q", "dbo.P")),
                self.chance.choice(((), (DEFAULT_CONTRACT,))),
                owner=self.chance.choice(("dbo", "dbo", "clerk")),
                send_permissions=self._permissions(),
            )
            for name in SERVICES
            if self.is_so(0.6)
        }

    def _permissions(self) -> tuple[Permission, ...]:
        denied = (Permission("public", is_denied=True),)
        return EVERYBODY if self.is_so(0.85) else self.chance.choice((denied, (), (Permission("clerk"),)))

    def routes(self, *, is_msdb: bool) -> dict[str, Route]:
        """A table, in any order; mirrored routes name a service and an id, as the rules want it."""
        found = [_CATCH_ALL] if self.is_so(0.8 if is_msdb else 0.3) else []
        found += [self._route(f"r{number}") for number in range(self.chance.randrange(2 if is_msdb else 6))]
        self.chance.shuffle(found)
        return {route.name: route for route in found}

    def _route(self, name: str) -> Route:
        service = self.chance.choice((*SERVICES, *SERVICES, *SERVICES, None, BROKER_CONFIGURATION_SERVICE))
        broker = self.chance.choice(IDS) if service is not None and self.is_so(0.35) else None
        address = self._address()
        is_mirrored = broker is not None and isinstance(address, NetworkAddress) and self.is_so(0.5)
        return Route(
            name=name,
            address=address,
            service_name=service,
            broker_instance=broker,
            expires_at=self.chance.choice((None, None, None, NOW - 10, NOW + 10, NOW + 20)),
            mirror_address=tcp(self.chance.choice(INSTANCES)) if is_mirrored else None,
        )

    def _address(self) -> RouteAddress:
        if self.is_so(0.2):
            return self.chance.choice((LocalAddress(), TransportAddress()))
        host = self.chance.choice((*INSTANCES, *INSTANCES, "nowhere", "localhost", "elsewhere"))
        return tcp(host, 4022 if self.is_so(0.92) else 5022)

    # ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────
    def changed(self, estate: Estate) -> Estate:
        """The estate after one or two changes, each of one part of it; what no change touches stays the same object."""
        found = dict(estate)
        for _ in range(self.chance.choice((1, 1, 2))):
            name = self.chance.choice(INSTANCES)
            if name not in found:
                found[name] = self.instance(name)
            elif len(found) > 1 and self.is_so(0.06):
                del found[name]
            else:
                found[name] = self._changed_instance(found[name])
        return found

    def _changed_instance(self, catalog: InstanceCatalog) -> InstanceCatalog:
        replace = msgspec.structs.replace
        what = self.chance.choice(("routes",) * 4 + ("database",) * 4 + ("endpoint", "hosts", "databases", "order"))
        databases = dict(catalog.databases)
        if what == "endpoint":
            return replace(catalog, endpoint=self.endpoint() if self.is_so(0.9) else None)
        if what == "hosts":
            return replace(catalog, host_names=self._host_names())
        if what == "order":
            return replace(catalog, databases=dict(reversed(databases.items())))
        name = self.chance.choice((*DATABASES, "msdb"))
        if name not in databases:
            databases[name] = self.database(name)
        elif what == "databases" and len(databases) > 1:
            del databases[name]
        else:
            databases[name] = self._changed_database(databases[name], what)
        return replace(catalog, databases=databases)

    def _changed_database(self, database: DatabaseCatalog, what: str) -> DatabaseCatalog:
        drawn = self.database(database.name)
        if what == "routes" and self.is_so(0.5):
            # One route of the table; its place stays.
            routes = dict(database.routes)
            name = self.chance.choice([*routes, "new"])
            return msgspec.structs.replace(database, routes={**routes, name: self._route(name)})
        if what == "routes" and self.is_so(0.3):
            # In another order, others have their turn.
            names = self.chance.sample(list(database.routes), len(database.routes))
            return msgspec.structs.replace(database, routes={name: database.routes[name] for name in names})
        fields = (
            "services",
            "queues",
            "users",
            "state",
            "broker_instance",
            "is_broker_enabled",
            "remote_service_bindings",
        )
        field = "routes" if what == "routes" else self.chance.choice(fields)
        return msgspec.structs.replace(database, **{field: getattr(drawn, field)})

    # ── faults ───────────────────────────────────────────────────────────────────────────────────────────────────
    def faults(self, estate: Estate) -> tuple[Fault, ...]:
        """None, one or two faults of what the estate has; each kind as likely as the others."""
        found: set[Fault] = set()
        for _ in range(self.chance.choice((0, 1, 1, 2))):
            possible = self._possible(estate, self.chance.choice(list(FaultKind)))
            if possible:
                found.add(self.chance.choice(possible))
        return tuple(sorted(found, key=str))

    def _possible(self, estate: Estate, kind: FaultKind) -> list[Fault]:
        if kind is FaultKind.INSTANCE:
            return [Fault(kind=kind, instance=name) for name in estate]
        if kind is FaultKind.LINK:
            return [Fault(kind=kind, instance=one, other=other) for one in estate for other in estate if one < other]
        if kind is FaultKind.ENDPOINT:
            return [Fault(kind=kind, instance=name) for name, each in estate.items() if each.endpoint is not None]
        queue = "dbo.Q" if kind is FaultKind.QUEUE else None
        return [
            Fault(kind=kind, instance=name, database=database, queue=queue)
            for name, catalog in estate.items()
            for database in catalog.databases
        ]
