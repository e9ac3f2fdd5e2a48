"""Small estates, and changes of them, drawn by Hypothesis: few names, so that everything meets everything."""

from uuid import UUID

import msgspec
from hypothesis import strategies as st

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import DEFAULT_CONTRACT, Endpoint, EndpointState, Queue, Service
from engine.core.catalog.permissions import EVERYBODY, Permission
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, TransportAddress
from engine.core.catalog.security import User
from engine.core.vocabulary.messages import TcpAddress
from engine.whatif.faults import Fault, FaultKind

NOW = 1_790_000_000.0
INSTANCES = ("A", "B", "C")
DATABASES = ("One", "Two")
SERVICES = ("ask", "stock", "tcp://b:4022/far")
IDS = tuple(UUID(int=number) for number in range(1, 5))
Estate = dict[str, InstanceCatalog]

_often_yes = st.integers(0, 5).map(bool)
_states = st.sampled_from([DatabaseState.ONLINE] * 8 + list(DatabaseState))
_ports = st.sampled_from((4022,) * 8 + (5022,))
_denied = (Permission("public", is_denied=True),)
_permissions = st.sampled_from((EVERYBODY,) * 5 + (_denied, (), (Permission("clerk"),)))


def _tcp(host: str, port: int) -> NetworkAddress:
    return NetworkAddress(f"TCP://{host}:{port}", TcpAddress(host, port))


_networks = st.builds(_tcp, st.sampled_from(("a", "b", "b", "c", "c", "nowhere", "localhost")), _ports)
_addresses = st.one_of(_networks, _networks, _networks, st.just(LocalAddress()), st.just(TransportAddress()))


@st.composite
def _routes(draw: st.DrawFn) -> dict[str, Route]:
    """A table; its mirrored routes name a service and an id, as the rules want it."""
    found: dict[str, Route] = {}
    for name in draw(st.lists(st.sampled_from(("r1", "r2", "r3", "r4")), max_size=4, unique=True)):
        service = draw(st.sampled_from((*SERVICES, *SERVICES, None)))
        broker = None if service is None else draw(st.sampled_from((None, None, *IDS[:3])))
        address = draw(_addresses)
        mirror = None
        if broker is not None and isinstance(address, NetworkAddress):
            mirror = draw(st.one_of(st.none(), st.none(), _networks))
        expires_at = draw(st.sampled_from((None, None, None, NOW - 10, NOW + 10, NOW + 20)))
        found[name] = Route(
            name=name,
            address=address,
            service_name=service,
            broker_instance=broker,
            expires_at=expires_at,
            mirror_address=mirror,
        )
    return found


@st.composite
def _services(draw: st.DrawFn) -> dict[str, Service]:
    names = draw(st.lists(st.sampled_from(SERVICES), max_size=3, unique=True))
    return {
        name: Service(
            name,
            draw(st.sampled_from(("dbo.Q", "dbo.Q", "dbo.P"))),
            draw(st.sampled_from(((), (DEFAULT_CONTRACT,)))),
            owner=draw(st.sampled_from(("dbo", "dbo", "clerk"))),
            send_permissions=draw(_permissions),
        )
        for name in names
    }


@st.composite
def _queues(draw: st.DrawFn) -> dict[str, Queue]:
    return {
        name: Queue(name, is_enabled=draw(_often_yes), receive_permissions=draw(_permissions))
        for name in ("dbo.Q", "dbo.P")
    }


_users = st.sampled_from(({}, {"clerk": User("clerk", login="login")}, {"clerk": User("clerk")}))


@st.composite
def databases(draw: st.DrawFn, name: str) -> DatabaseCatalog:
    """A database of a name."""
    partner = draw(st.sampled_from((None, None, None, "TCP://c:4022")))
    return DatabaseCatalog(
        name=name,
        broker_instance=draw(st.sampled_from(IDS)) if name != "msdb" else UUID(int=draw(st.integers(50, 51))),
        is_broker_enabled=draw(_often_yes),
        state=draw(_states),
        partner_address=partner,
        queues=draw(_queues()),
        services=draw(_services()) if name != "msdb" else {},
        routes=draw(_routes()),
        users=draw(_users),
    )


_endpoints = st.one_of(
    st.none(),
    *[
        st.builds(
            Endpoint,
            st.just("Broker"),
            _ports,
            st.sampled_from((EndpointState.STARTED,) * 6 + (EndpointState.STOPPED,)),
            is_message_forwarding_enabled=_often_yes,
            encryption=st.sampled_from(("REQUIRED ALGORITHM AES",) * 4 + ("DISABLED",)),
        )
    ]
    * 5,
)


@st.composite
def instances(draw: st.DrawFn, name: str) -> InstanceCatalog:
    """An instance of a name."""
    names = draw(st.permutations(DATABASES))[: draw(st.integers(1, 2))]
    if draw(_often_yes):
        names = [*names, "msdb"]
    return InstanceCatalog(
        name=name,
        databases={each: draw(databases(each)) for each in names},
        endpoint=draw(_endpoints),
        host_names=draw(st.sampled_from(((), (), ("c",)))),
    )


@st.composite
def estates(draw: st.DrawFn) -> Estate:
    """An estate of two or three instances."""
    names = INSTANCES[: draw(st.integers(2, 3))]
    return {name: draw(instances(name)) for name in names}


# ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@st.composite
def changed_estates(draw: st.DrawFn, estate: Estate) -> Estate:
    """The estate after one or two changes, each of one part of it; what no change touches is equal."""
    found = dict(estate)
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(INSTANCES))
        catalog = found.get(name)
        if catalog is None:
            found[name] = draw(instances(name))
        elif draw(st.integers(0, 9)) == 0 and len(found) > 1:
            del found[name]
        else:
            found[name] = draw(_changed_instances(catalog))
    return found


@st.composite
def _changed_instances(draw: st.DrawFn, catalog: InstanceCatalog) -> InstanceCatalog:
    what = draw(st.sampled_from(("routes",) * 4 + ("database",) * 4 + ("endpoint", "hosts", "databases", "order")))
    replace = msgspec.structs.replace
    if what == "endpoint":
        return replace(catalog, endpoint=draw(_endpoints))
    if what == "hosts":
        return replace(catalog, host_names=draw(st.sampled_from(((), ("a",), ("b",), ("c",)))))
    if what == "order":
        return replace(catalog, databases=dict(reversed(catalog.databases.items())))
    name = draw(st.sampled_from((*DATABASES, "msdb")))
    if name not in catalog.databases:
        return replace(catalog, databases={**catalog.databases, name: draw(databases(name))})
    if what == "databases" and len(catalog.databases) > 1:
        return replace(catalog, databases={each: catalog.databases[each] for each in catalog.databases if each != name})
    changed = draw(_changed_databases(catalog.databases[name], what))
    return replace(catalog, databases={**catalog.databases, name: changed})


@st.composite
def _changed_databases(draw: st.DrawFn, database: DatabaseCatalog, what: str) -> DatabaseCatalog:
    drawn = draw(databases(database.name))
    fields = ("services", "queues", "users", "state", "broker_instance", "is_broker_enabled")
    field = "routes" if what == "routes" else draw(st.sampled_from(fields))
    return msgspec.structs.replace(database, **{field: getattr(drawn, field)})


@st.composite
def faults(draw: st.DrawFn, estate: Estate) -> tuple[Fault, ...]:
    """None, one or two faults of what the estate has."""
    possible: list[Fault] = []
    for catalog in estate.values():
        possible.append(Fault(kind=FaultKind.INSTANCE, instance=catalog.name))
        possible += [
            Fault(kind=FaultKind.LINK, instance=catalog.name, other=other) for other in estate if other != catalog.name
        ]
        if catalog.endpoint is not None:
            possible.append(Fault(kind=FaultKind.ENDPOINT, instance=catalog.name))
        for database in catalog.databases.values():
            where = {"instance": catalog.name, "database": database.name}
            possible.append(Fault(kind=FaultKind.DATABASE, **where))
            possible.append(Fault(kind=FaultKind.PARTNER, **where))
            possible.append(Fault(kind=FaultKind.QUEUE, queue="dbo.Q", **where))
    return tuple(draw(st.lists(st.sampled_from(possible), max_size=2, unique=True)))
