"""`GradedWorld`: what a grader asks of a sandbox. Reads only: grading leaves the sandbox as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, MessageTypeName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.telling import FlowQuestion

UNSEEN_KINDS: Final = frozenset({FaultKind.INSTANCE, FaultKind.LINK})
"""Faults that no catalog shows."""


class Shipment(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the first message of one conversation; seconds of the sandbox."""

    begun_at: float
    arrived_at: float | None = None
    """In the queue of the service; None while it is under way."""
    place: tuple[InstanceName, DatabaseName] | None = None
    """Where its service is, once routing has brought it somewhere."""
    answers: frozenset[MessageTypeName] = frozenset()
    """Types of what has come back into the queue of its sender; EndDialog is one of them."""
    has_failed: bool = False
    """The initiator has been told an Error."""
    is_torn: bool = False
    """One of its sides went before the sender had heard anything: by CLEANUP, or with its service or database."""


class Beginning(msgspec.Struct, frozen=True):
    """The moment at which the trainee came in."""

    seconds: float
    catalogs: Mapping[InstanceName, InstanceCatalog]
    """Definitions as they were then, roles and queues as in `GradedWorld.catalogs`."""


class GradedWorld(Protocol):
    """A sandbox at one moment of its own time."""

    @property
    def beginning(self) -> Beginning:
        """What the trainee has found."""
        ...

    @property
    def seconds(self) -> float:
        """Since the sandbox began."""
        ...

    def now(self) -> UtcTime:
        """What its clocks show."""
        ...

    def catalogs(self) -> Mapping[InstanceName, InstanceCatalog]:
        """Definitions as they are now, with roles of mirrored databases and queues that were switched off."""
        ...

    def unseen_faults(self) -> tuple[Fault, ...]:
        """Faults in force that no catalog shows: instances that are down, links that are cut."""
        ...

    def system_view(self, instance: InstanceName, query: SystemViewQuery) -> SystemViewRows | None:
        """One page of a view; None where the instance is down. Raises `BrokerError` 208, 207, 911 as it does."""
        ...

    def select(self, instance: InstanceName, database: DatabaseName, sql: str) -> int | None:
        """How many rows a SELECT gives; None where the instance is down. Raises `BrokerError` for one that fails."""
        ...

    def shipments(self, flow: FlowQuestion) -> Sequence[Shipment]:
        """Every conversation of a flow that was ever begun, whoever began it, the oldest first."""
        ...
