"""`Scenario`: a world as data: instances, routes, links, what applications do, and which faults may strike.

A scenario is the same for every seed; what a seed draws from it (which flows run, which faults strike, when and where)
is told in `workload` and `faults.plan`. `scenario_reading` reads one from YAML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.changes import (
    CatalogChange,
    DatabaseCreated,
    DatabaseStateSet,
    EndpointCreated,
    PriorityCreated,
    PriorityHonoured,
    QueueCreated,
    RouteCreated,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import DEFAULT_CONTRACT, BrokerPriority, Endpoint, EndpointState, Queue, Service
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.vocabulary.dialog_security import KeySuite, SecurityKind
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.identifiers import (
    MSDB,
    BrokerInstanceId,
    ConversationHandle,
    DatabaseName,
    EndpointName,
    InstanceName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.limits import DEFAULT_PORT, FRAGMENT_BYTES_DEFAULT
from engine.core.vocabulary.messages import TcpAddress
from engine.sim.network import LinkProfile

ENDPOINT_NAME: Final = EndpointName("Broker")

MOVES_SERVICES: Final = "service-move"
"""The fault for which services have a second queue."""

COPY_SUFFIX: Final = " copy"
"""What the name of a database ends in that somebody has attached beside the original."""

Place = tuple[InstanceName, DatabaseName]
"""A database."""
Side = tuple[InstanceName, DatabaseName, ConversationHandle]
"""One endpoint of a conversation."""


class Ending(StrEnum):
    """Who ends a dialog, and how."""

    INITIATOR = "initiator"
    """The initiator, once everything that it was to hear has come."""
    HASTY = "hasty"
    """The initiator, right behind its last message."""
    TARGET = "target"
    """The target, at the last message."""
    INITIATOR_ERROR = "initiator-error"
    """The initiator, WITH ERROR, somewhere in the middle."""
    TARGET_ERROR = "target-error"
    """The target, WITH ERROR, somewhere in the middle."""
    OPEN = "open"
    """Nobody."""


class DatabaseSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A database whose services take the DEFAULT contract, each with a queue of its own, `dbo.` and its name."""

    name: DatabaseName
    services: tuple[ServiceName, ...] = ()
    routes: tuple[Route, ...] = ()
    broker_instance: BrokerInstanceId | None = None
    """None is an id of its own, drawn by the seed."""
    is_mirror: bool = False
    """Whether it is the mirror copy of another: it then has that one's id and takes nothing."""
    priorities: tuple[BrokerPriority, ...] = ()
    """Levels of conversations, judged on both ends by each itself (protocol.md 11)."""
    honours_priority: bool = False
    """HONOR_BROKER_PRIORITY: whether sending goes by them."""


class InstanceSpec(msgspec.Struct, frozen=True, kw_only=True):
    """An instance whose endpoint listens on the port of custom of the host of its own name, in lower case."""

    name: InstanceName
    databases: tuple[DatabaseSpec, ...] = ()
    forwards: bool = False
    routes: tuple[Route, ...] = ()
    """Of `msdb`: for what comes from the network."""

    @property
    def address(self) -> TcpAddress:
        """Where it listens."""
        return TcpAddress(self.name.lower(), DEFAULT_PORT)

    def all_routes(self) -> Iterator[tuple[DatabaseName, Route]]:
        """Every route with the database in which it lies."""
        yield from ((MSDB, route) for route in self.routes)
        yield from ((database.name, route) for database in self.databases for route in database.routes)

    def all_addresses(self) -> Iterator[TcpAddress]:
        """Every network address to which a route leads, as often as one does."""
        for _, route in self.all_routes():
            for address in (route.address, route.mirror_address):
                if isinstance(address, NetworkAddress):
                    yield address.tcp


class LinkSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What both directions between two instances are like."""

    between: tuple[InstanceName, InstanceName]
    profile: LinkProfile


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """Dialogs of one kind. Ranges include both ends; a seed draws from them for each dialog anew."""

    name: str
    share: float = 0.5
    """Of the seeds that run it, when a seed draws a subset."""
    instance: InstanceName
    database: DatabaseName
    service: ServiceName
    to_service: ServiceName
    dialogs: tuple[int, int] = (1, 4)
    messages: tuple[int, int] = (1, 20)
    replies: float = 0.0
    """Share of the messages that the target answers, from 0 to 1."""
    body_bytes: tuple[int, int] = (40, 400)
    pause_seconds: float = 1.0
    """Mean time between two messages of a dialog; a seed may draw a burst without pauses instead."""
    endings: tuple[Ending, ...] = (Ending.INITIATOR,)
    security: SecurityKind = SecurityKind.NONE
    """How its dialogs are secured; both ends then have keys, certificates and a binding."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """Everything but the seed. Times in true seconds."""

    name: str
    instances: tuple[InstanceSpec, ...]
    flows: tuple[Flow, ...]
    link: LinkProfile = LinkProfile()
    links: tuple[LinkSpec, ...] = ()
    faults: dict[str, float] = {}
    """By name (`faults.catalogue`): strikes a minute, or the highest share that a seed may draw."""
    readers: tuple[str, ...] = ("autocommit",)
    """How applications read (`workload.catalogue`); a seed draws one for each queue."""
    fragment_bytes: int = FRAGMENT_BYTES_DEFAULT
    """A larger body travels in pieces of this size."""
    key_suites: tuple[KeySuite, ...] = tuple(KeySuite)
    """How session keys protect; a seed draws one for the whole world."""
    draws_subset: bool = True
    """Whether a seed runs some of the flows and enables some of the faults (swarm); else all of both."""
    faults_seconds: float = 120.0
    """Length of the safety phase; then everything is healed."""
    converges_within_seconds: float = 600.0
    """Length of the liveness phase at most: by then everything must have been delivered."""
    happenings_max: int = 3_000_000
    """Things that may happen in a run before it is given up as one that never comes to rest."""
    amplification_max: float = 10.0
    """Transmissions for each message beyond which a run has a finding; judged from 50 messages on."""

    def pairs(self) -> list[tuple[Place, Place]]:
        """Mirrored databases: where the principal is in the beginning, and its partner."""
        return [(home, place) for place, home in self.homes().items() if place != home]

    def homes(self) -> dict[Place, Place]:
        """Every database with the name under which it is known: a mirror copy has that of its principal."""
        principals = {
            database.broker_instance: (instance.name, database.name)
            for instance in self.instances
            for database in instance.databases
            if database.broker_instance is not None and not database.is_mirror
        }
        found: dict[Place, Place] = {}
        for instance in self.instances:
            for database in instance.databases:
                place = (instance.name, database.name)
                copied = database.broker_instance if database.is_mirror else None
                home = principals.get(copied) if copied is not None else None
                found[place] = home if home is not None and home[1] == database.name else place
        return found


def queue_name(service: ServiceName) -> QueueName:
    """The queue of a service of a scenario."""
    return QueueName(f"dbo.{service}")


def spare_queue_name(service: ServiceName) -> QueueName:
    """The queue to which an operator moves a service for a while."""
    return QueueName(f"dbo.{service} 2")


def queues_of(scenario: Scenario, service: ServiceName) -> list[QueueName]:
    """Every queue at which messages of a service may be received in a world."""
    return [queue_name(service), *([spare_queue_name(service)] if MOVES_SERVICES in scenario.faults else [])]


def spare_queues(scenario: Scenario, spec: InstanceSpec) -> list[CatalogChange]:
    """The further queues of an instance."""
    return [
        QueueCreated(database=database.name, queue=Queue(queue))
        for database in spec.databases
        for service in database.services
        for queue in queues_of(scenario, service)[1:]
    ]


def catalog_of(spec: InstanceSpec, entropy: Entropy, keys: Sequence[CatalogChange] = ()) -> InstanceCatalog:
    """The catalog of an instance as a scenario describes it, with `keys` in its databases.

    Raises `CatalogError` when the rules forbid it.
    """
    changes: list[CatalogChange] = []
    for database in spec.databases:
        drawn = BrokerInstanceId(entropy.new_uuid())
        changes += _database_changes(database, database.broker_instance or drawn)
    changes += keys
    changes += [RouteCreated(database=MSDB, route=route) for route in spec.routes]
    endpoint = Endpoint(
        ENDPOINT_NAME,
        DEFAULT_PORT,
        EndpointState.STARTED,
        is_message_forwarding_enabled=spec.forwards,
    )
    return apply_changes(new_instance(spec.name, entropy), [*changes, EndpointCreated(endpoint=endpoint)])


def _database_changes(database: DatabaseSpec, broker_instance: BrokerInstanceId) -> list[CatalogChange]:
    name = database.name
    return [
        DatabaseCreated(database=name, broker_instance=broker_instance),
        *(QueueCreated(database=name, queue=Queue(queue_name(service))) for service in database.services),
        *(
            ServiceCreated(database=name, service=Service(service, queue_name(service), (DEFAULT_CONTRACT,)))
            for service in database.services
        ),
        *(RouteCreated(database=name, route=route) for route in database.routes),
        *(PriorityCreated(database=name, priority=priority) for priority in database.priorities),
        *([PriorityHonoured(database=name, is_honoured=True)] if database.honours_priority else []),
        *([DatabaseStateSet(database=name, state=DatabaseState.MIRROR)] if database.is_mirror else []),
    ]
