"""Random estates with one question each and faults: what a seed makes of instances, routes, services and endpoints.

Most begin as somebody would plan them, a sender, a target, a way there and a way back; then something is changed,
left out or added. Nothing is illegal: what the rules refuse is left out.
"""

from itertools import pairwise
from random import Random
from typing import NamedTuple
from uuid import UUID

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.changes import (
    BrokerSwitched,
    DatabaseCreated,
    DatabaseStateSet,
    EndpointCreated,
    HostNamesSet,
    PartnerSet,
    QueueCreated,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import (
    Endpoint,
    EndpointState,
    Queue,
    Service,
)
from engine.core.catalog.permissions import Securable
from engine.core.catalog.revision import apply_change, new_instance
from engine.core.catalog.route import LocalAddress, Route, TransportAddress
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.catalog.security import User
from engine.core.catalog.security_changes import PermissionSet, UserCreated
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.vocabulary.errors import CatalogError
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.telling import FlowQuestion
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.random_words import Words

NOW = 1_790_000_000.0
NAMES = ("PARIS", "LYON", "BERLIN", "ROMA", "HUB")
FROM, TO = "Order", "Stock"
LOCAL = LocalAddress()
HOME = "Home"


class Case(NamedTuple):
    """One question in one estate."""

    catalogs: dict
    flow: FlowQuestion
    faults: tuple


def random_case(seed):
    """What a seed makes: the same always."""
    return Maker(seed).case()


class Maker(Words):
    """What draws a case."""

    def __init__(self, seed):
        self.dice = Random(seed)
        super().__init__(seed)
        self.catalogs = {}
        self.numbers = 0

    # ── chance ───────────────────────────────────────────────────────────────────────────────────────────────────
    def often(self, percent):
        return self.dice.random() * 100 < percent

    def one_of(self, *options):
        return self.dice.choice(options)

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────
    def obey(self, instance, *changes):
        for change in changes:
            try:
                apply_change(self.catalogs[instance], change)
            except CatalogError:
                continue

    def instance(self, name):
        self.catalogs[name] = new_instance(name, NumberedEntropy(1000 * (len(self.catalogs) + 1)))
        if self.often(10):
            self.obey(name, HostNamesSet(host_names=(f"{name.lower()}.example", "10.0.0.7")))
        if not self.often(97):
            return
        state = EndpointState.STARTED if self.often(96) else self.one_of(EndpointState.STOPPED, EndpointState.DISABLED)
        encryption = "REQUIRED ALGORITHM AES"
        if self.often(7):
            encryption = self.one_of(
                "DISABLED", "SUPPORTED ALGORITHM AES", "REQUIRED ALGORITHM RC4", "SUPPORTED ALGORITHM RC4 AES"
            )
        endpoint = Endpoint(
            "Broker",
            4022 if self.often(90) else 4023,
            state,
            is_message_forwarding_enabled=self.often(75),
            encryption=encryption,
        )
        self.obey(name, EndpointCreated(endpoint=endpoint))

    def database(self, instance, name, broker=None):
        self.numbers += 1
        broker = broker or UUID(int=self.numbers)
        self.obey(instance, DatabaseCreated(database=name, broker_instance=broker))
        if self.often(4):
            self.obey(instance, BrokerSwitched(database=name, is_enabled=False))
        return broker

    def service(self, instance, database, name):
        queue = f"dbo.Queue of {name}"
        owner = "clerk" if self.often(6) else "dbo"
        self.obey(
            instance,
            QueueCreated(database=database, queue=self.queue(queue)),
            UserCreated(database=database, user=User("clerk")),
            *self.definitions(database),
        )
        listed = self.contracts(self.catalogs[instance].databases[database])
        self.obey(instance, ServiceCreated(database=database, service=Service(name, queue, listed, owner)))
        if self.often(4):
            self.withdraw(instance, database, Securable.SERVICE, name)
        if self.often(50) and owner == "clerk":
            self.withdraw(instance, database, Securable.QUEUE, queue)

    def queue(self, name):
        """Off now and then; one that keeps what is sent lets nothing be sent while it is off."""
        return Queue(name, is_enabled=not self.often(5), is_retention_enabled=self.keeps())

    def withdraw(self, instance, database, securable, name):
        verb = self.one_of(PermissionVerb.REVOKE, PermissionVerb.DENY)
        self.obey(
            instance,
            PermissionSet(database=database, verb=verb, securable=securable, name=name, grantee="public"),
        )

    def route(self, instance, database, service, address, broker=None, mirror=None, expires_at=None):
        self.numbers += 1
        if isinstance(address, str):
            address = parse_route_address(address, port_required=False)[0]
        if isinstance(mirror, str):
            mirror = parse_route_address(mirror, port_required=False)[0]
        if expires_at is None and self.often(5):
            expires_at = NOW + 1_000_000.0
        made = Route(
            name=f"Route {self.numbers}",
            service_name=service,
            address=address,
            broker_instance=broker,
            mirror_address=mirror,
            expires_at=expires_at,
        )
        self.obey(instance, RouteCreated(database=database, route=made))

    def address(self, instance):
        """How a route may spell the address of an instance."""
        endpoint = self.catalogs[instance].endpoint
        port = 4022 if endpoint is None else endpoint.port
        host = instance.lower()
        if self.often(12):
            known = self.catalogs[instance].host_names
            host = self.one_of(host.upper(), *(known or (f"{host}.example", "localhost")))
        if self.often(3):
            port = 4029
        return f"TCP://{host}:{port}"

    def anywhere(self):
        if self.often(8):
            return self.one_of("TCP://atlantis:4022", "TCP://192.168.1.1:4022")
        return self.address(self.dice.choice(list(self.catalogs)))

    # ── the estate ───────────────────────────────────────────────────────────────────────────────────────────────
    def case(self):
        if self.often(2):
            return self.long_chain()
        for name in NAMES[: self.dice.choice((1, 2, 2, 2, 3, 3, 3, 4, 5))]:
            self.instance(name)
        names = list(self.catalogs)
        home = self.database(names[0], HOME)
        self.service(names[0], HOME, FROM)
        target = self.dice.choice(names)
        to_service = TO
        if self.often(4):
            to_service = self.one_of(f"tcp://{target.lower()}:4022/Stock", "tcp://atlantis:4022/Stock", "tcp:///x")
        ids = self.places(names, target, to_service)
        shape = self.dice.random()
        if shape < 0.12 and len(names) >= 2:
            ids = self.mirrored(names, to_service, home)
        elif shape < 0.2 and len(names) >= 2:
            self.loop(names, to_service)
        elif shape < 0.27:
            self.fan(names, to_service, ids)
        else:
            self.way(names, target, to_service, ids)
        self.way_back(names, home)
        if len(names) > 1 and self.often(8):
            self.copy_of_home(names, home)
        self.disturb(names, to_service, [*ids, home])
        broker = None
        if self.often(40):
            broker = self.dice.choice(ids) if self.often(85) else self.one_of(UUID(int=9999), home)
        sender = FROM if FROM in self.catalogs[names[0]].databases[HOME].services else None
        assert sender is not None
        flow = FlowQuestion(
            instance=names[0],
            database=HOME,
            service=FROM,
            to_service=to_service,
            broker_instance=broker,
            **self.said(),
        )
        return Case(self.catalogs, flow, self.faults())

    def places(self, names, target, to_service):
        """Databases with the target service; answers their ids."""
        ids = []
        for number in range(self.dice.choice((0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3))):
            instance = target if number == 0 or self.often(30) else self.dice.choice(names)
            name = f"Store {number}"
            twin = ids[0] if ids and self.often(25) else None
            ids.append(self.database(instance, name, twin))
            spelled = to_service.upper() if self.often(4) else to_service
            self.service(instance, name, spelled)
        if self.often(8):
            self.service(names[0], HOME, to_service)
        return ids or [UUID(int=8888)]

    def way(self, names, target, to_service, ids):
        """From the sender to the target, perhaps over forwarders."""
        over = [name for name in names[1:] if name != target]
        self.dice.shuffle(over)
        chain = [names[0], *over[: self.dice.choice((0, 0, 0, 1, 1, 2))], target]
        for here, there in pairwise(chain):
            database = HOME if here == names[0] and here is chain[0] else "msdb"
            if to_service.startswith("tcp:") and self.often(60):
                self.route(here, database, None, TransportAddress())
                continue
            named = self.dice.choice(ids) if self.often(25) else None
            self.route(
                here, database, None if named is None and self.often(15) else to_service, self.address(there), named
            )

    def fan(self, names, to_service, ids):
        """Several equally good routes, at the sender or at a forwarder."""
        places = [(names[0], HOME)]
        if len(names) > 1 and self.often(50):
            self.route(names[0], HOME, to_service, self.address(names[1]))
            places = [(names[1], "msdb")]
        for instance, database in places:
            for _ in range(self.dice.choice((2, 2, 3))):
                named = self.dice.choice([*ids, UUID(int=7777)]) if self.often(40) else None
                self.route(instance, database, to_service, self.anywhere(), named)

    def loop(self, names, to_service):
        """Forwarders that lead to each other."""
        first, second = names[1], names[-1]
        self.route(names[0], HOME, to_service, self.address(first))
        self.route(first, "msdb", to_service, self.address(second))
        self.route(second, "msdb", to_service, self.address(first))
        if self.often(40):
            self.route(first, "msdb", to_service, self.anywhere())

    def mirrored(self, names, to_service, home):
        """A mirrored pair, whose principal may be either, both or none."""
        one, other = self.dice.sample(names, 2) if self.often(50) else names[:2][::-1]
        broker = None
        for instance in (one, other):
            broker = self.database(instance, "Pair", broker)
            self.service(instance, "Pair", to_service)
            self.route(instance, "Pair", FROM, self.address(names[0]))
        states = self.one_of((False, True), (False, True), (True, False), (True, True), (False, False))
        for instance, partner, is_copy in ((one, other, states[0]), (other, one, states[1])):
            address = f"TCP://{partner.lower()}:5022"
            self.obey(instance, PartnerSet(database="Pair", partner_address=address))
            if is_copy:
                self.obey(instance, DatabaseStateSet(database="Pair", state=DatabaseState.MIRROR))
        where = (names[0], HOME)
        if len(names) > 2 and self.often(25):
            self.route(names[0], HOME, to_service, self.address(names[2]))
            where = (names[2], "msdb")
        self.route(*where, to_service, self.address(one), broker, mirror=self.address(other))
        return [broker]

    def way_back(self, names, home):
        for instance in names:
            for database in list(self.catalogs[instance].databases):
                if not database.startswith("Store") or self.often(15):
                    continue
                over = self.dice.choice(names) if self.often(12) else names[0]
                named = home if self.often(40) else None
                self.route(instance, database, None if self.often(10) else FROM, self.address(over), named)
                if over != names[0]:
                    self.route(over, "msdb", FROM, self.address(names[0]))

    def copy_of_home(self, names, home):
        """Somebody has attached the sender's database elsewhere, id and all, and answers may go there."""
        instance = self.dice.choice(names[1:])
        self.database(instance, "Home copy", home)
        self.service(instance, "Home copy", FROM)
        for name in names:
            for database in list(self.catalogs[name].databases):
                if database.startswith("Store") and self.often(60):
                    self.route(name, database, FROM, self.address(instance), home)

    def disturb(self, names, to_service, ids):
        """Whatever else may stand in tables and states."""
        for instance in names:
            for database in list(self.catalogs[instance].databases):
                if self.often(20):
                    self.obey(instance, RouteDropped(database=database, name="AutoCreatedLocal"))
                for _ in range(self.dice.choice((0, 0, 0, 0, 0, 0, 1, 2))):
                    self.noise(instance, database, to_service, ids)
                if database != "master" and self.often(2):
                    state = self.one_of(
                        DatabaseState.OFFLINE, DatabaseState.READ_ONLY, DatabaseState.SINGLE_USER, DatabaseState.OFFLINE
                    )
                    self.obey(instance, DatabaseStateSet(database=database, state=state))

    def noise(self, instance, database, to_service, ids):
        service = self.one_of(to_service, to_service, FROM, to_service.lower(), "Other", None)
        named = self.dice.choice(ids) if service is not None and self.often(40) else None
        address = self.one_of(LOCAL, self.anywhere(), self.anywhere())
        expires_at = NOW - 10.0 if self.often(25) else None
        mirror = None
        if service is None and self.often(20):
            address = TransportAddress()
        if named is not None and address is not LOCAL and self.often(25):
            mirror = self.anywhere()
        if self.often(3):
            service, named, mirror = BROKER_CONFIGURATION_SERVICE, None, None
        self.route(instance, database, service, address, named, mirror, expires_at)

    def long_chain(self):
        """More instances in a row than a message has hops, or as many."""
        length = self.dice.choice((17, 18, 18, 19, 19, 20))
        for number in range(length):
            name = f"N{number}"
            self.catalogs[name] = new_instance(name, NumberedEntropy(1000 * (number + 1)))
            endpoint = Endpoint("Broker", 4022, EndpointState.STARTED, is_message_forwarding_enabled=True)
            self.obey(name, EndpointCreated(endpoint=endpoint))
        home = self.database("N0", HOME)
        self.service("N0", HOME, FROM)
        last = f"N{length - 1}"
        self.database(last, "Store 0")
        self.service(last, "Store 0", TO)
        self.route(last, "Store 0", FROM, "TCP://n0:4022", home)
        for number in range(length - 1):
            self.route(f"N{number}", HOME if number == 0 else "msdb", TO, f"TCP://n{number + 1}:4022")
        flow = FlowQuestion(instance="N0", database=HOME, service=FROM, to_service=TO)
        return Case(self.catalogs, flow, ())

    # ── faults ───────────────────────────────────────────────────────────────────────────────────────────────────
    def faults(self):
        if self.often(55):
            return ()
        found = {self.fault() for _ in range(self.dice.choice((1, 1, 1, 2, 3)))}
        paired = [name for name, catalog in self.catalogs.items() if "Pair" in catalog.databases]
        if paired and self.often(40):
            found |= {
                Fault(kind=FaultKind.PARTNER, instance=name, database="Pair") for name in paired if self.often(70)
            }
        return tuple(sorted(fault for fault in found if fault is not None))

    def fault(self):
        names = list(self.catalogs)
        kind = self.dice.choice(list(FaultKind))
        instance = self.dice.choice(names if self.often(30) or len(names) == 1 else names[1:])
        catalog = self.catalogs[instance]
        places = [(database, queue) for database in catalog.databases.values() for queue in database.queues]
        match kind:
            case FaultKind.INSTANCE:
                return Fault(kind=kind, instance=instance)
            case FaultKind.LINK if len(names) > 1:
                one, other = self.dice.sample(names, 2)
                return Fault(kind=kind, instance=one, other=other)
            case FaultKind.ENDPOINT if catalog.endpoint is not None:
                return Fault(kind=kind, instance=instance)
            case FaultKind.DATABASE:
                database = self.dice.choice([name for name in catalog.databases if name != "master"])
                return Fault(kind=kind, instance=instance, database=database)
            case FaultKind.QUEUE if places:
                database, queue = self.dice.choice(places)
                return Fault(kind=kind, instance=instance, database=database.name, queue=queue)
            case FaultKind.PARTNER if "Pair" in catalog.databases:
                return Fault(kind=kind, instance=instance, database="Pair")
            case _:
                return None
