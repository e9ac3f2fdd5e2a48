"""Facts: what tracing asks of an estate, as values that can be asked of another state of it again.

What an instance decides, what comes of dialling an address, who is a principal, and who sends and takes. A verdict is
made of a few of them, and stands as long as each of them does.
"""

from __future__ import annotations

from uuid import UUID

import msgspec

from engine.core.catalog.builtin import service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.reach import Reached
from engine.whatif.snapshot import Snapshot

OTHER_THAN_NAMED = tuple(
    field for field in DatabaseCatalog.__struct_fields__ if field not in ("routes", "services", "queues")
)
"""What a database has besides what facts name."""


class InsideFact(msgspec.Struct, frozen=True, gc=False):
    """What is decided for a message that leaves a database."""

    instance: InstanceName
    database: DatabaseName
    service: ServiceName
    number: int | None
    """The broker id, as a number."""
    from_target: bool

    def value(self, snapshot: Snapshot) -> object:
        """Whether anybody can send, what is asked before, and every decision with its share.

        None where there is no such database.
        """
        catalog = snapshot.catalogs.get(self.instance)
        home = None if catalog is None else catalog.databases.get(self.database)
        if home is None:
            return None
        target = target_of(self.service, self.number)
        choices = snapshot.router(self.instance).inside(self.database, target, from_target=self.from_target)
        asks = not self.from_target and snapshot.asks_for_binding(self.instance, self.database, self.service)
        return home.state, self.instance in snapshot.faults.down, asks, choices


class RoutesFact(msgspec.Struct, frozen=True, gc=False):
    """To which instances the routes of a database lead for a service, whichever of them has its way."""

    instance: InstanceName
    database: DatabaseName
    service: ServiceName
    number: int | None

    def value(self, snapshot: Snapshot) -> object:
        """Those instances; None where there is no such database."""
        catalog = snapshot.catalogs.get(self.instance)
        if catalog is None or self.database not in catalog.databases:
            return None
        return snapshot.next_hops(self.instance, self.database, target_of(self.service, self.number))


class OutsideFact(msgspec.Struct, frozen=True, gc=False):
    """What is decided for a message that arrives over the network."""

    instance: InstanceName
    service: ServiceName
    number: int | None
    from_target: bool

    def value(self, snapshot: Snapshot) -> object:
        """Every decision with its share; None where there is no such instance."""
        if self.instance not in snapshot.catalogs:
            return None
        target = target_of(self.service, self.number)
        return snapshot.router(self.instance).outside(target, from_target=self.from_target)


class ReachFact(msgspec.Struct, frozen=True, gc=False):
    """What comes of an instance dialling an address."""

    instance: InstanceName
    address: TcpAddress

    def value(self, snapshot: Snapshot) -> Reached | None:
        """Who is there, or why nobody; None where nobody dials."""
        return snapshot.reach(self.instance, self.address) if self.instance in snapshot.catalogs else None


class PrincipalFact(msgspec.Struct, frozen=True, gc=False):
    """Whether an instance has the principal of a mirrored pair."""

    instance: InstanceName
    number: int

    def value(self, snapshot: Snapshot) -> object:
        """Yes, no, or None where there is no such instance."""
        if self.instance not in snapshot.catalogs:
            return None
        return snapshot.is_principal(self.instance, BrokerInstanceId(UUID(int=self.number)))


class ServiceFact(msgspec.Struct, frozen=True, gc=False):
    """A service that sends or takes: itself, its queue, and all of its database that no other fact names."""

    instance: InstanceName
    database: DatabaseName
    service: ServiceName

    def value(self, snapshot: Snapshot) -> object:
        """Those; None where there is no such database."""
        catalog = snapshot.catalogs.get(self.instance)
        home = None if catalog is None else catalog.databases.get(self.database)
        if home is None:
            return None
        service = service_of(home, self.service)
        queue = None if service is None else home.queues.get(service.queue)
        return service, queue, [getattr(home, field) for field in OTHER_THAN_NAMED], validities(home, snapshot.at)


def validities(database: DatabaseCatalog, at: UtcTime) -> list[tuple[bool, bool]]:
    """Which certificates of a database have begun to be valid at an instant, and which have not expired."""
    return [(each.starts_at <= at, at < each.expires_at) for each in database.certificates.values()]


Fact = InsideFact | RoutesFact | OutsideFact | ReachFact | PrincipalFact | ServiceFact


def target_of(service: ServiceName, number: int | None) -> DialogTarget:
    """What a message is addressed to."""
    return DialogTarget(service, None if number is None else BrokerInstanceId(UUID(int=number)))
