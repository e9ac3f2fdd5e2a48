"""One database: its broker identity, its state, and the objects defined in it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.objects import BrokerPriority, Contract, EventNotification, MessageType, Queue, Service
from engine.core.catalog.route import Route
from engine.core.catalog.security import Certificate, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.spelled_dict import SpelledDict
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CertificateName,
    ContractName,
    DatabaseName,
    EventNotificationName,
    MessageTypeName,
    PriorityName,
    QueueName,
    RemoteServiceBindingName,
    RouteName,
    ServiceName,
    UserName,
)


class DatabaseState(StrEnum):
    """States that take a database's services out of reach, besides the broker switch (routing.md 3.3)."""

    ONLINE = "online"
    READ_ONLY = "read_only"
    SINGLE_USER = "single_user"
    MIRROR = "mirror"
    OFFLINE = "offline"


CLOSED_TO_COMMANDS: Final[Mapping[DatabaseState, int]] = {
    DatabaseState.OFFLINE: 942,
    DatabaseState.MIRROR: 954,
    DatabaseState.READ_ONLY: 3906,
}
"""With which number a state refuses whatever would write to the database."""


class DatabaseCatalog(msgspec.Struct, kw_only=True):
    """Everything defined in one database. Mutable: `revision.apply` is the only writer."""

    name: DatabaseName
    broker_instance: BrokerInstanceId
    is_broker_enabled: bool = True
    state: DatabaseState = DatabaseState.ONLINE
    partner_address: str | None = None
    """Address of the mirroring partner, when this database is half of a mirrored pair."""
    message_types: dict[MessageTypeName, MessageType] = {}
    contracts: dict[ContractName, Contract] = {}
    queues: dict[QueueName, Queue] = {}
    services: dict[ServiceName, Service] = {}
    routes: dict[RouteName, Route] = {}
    master_key: MasterKey | None = None
    users: dict[UserName, User] = {}
    certificates: dict[CertificateName, Certificate] = {}
    remote_service_bindings: dict[RemoteServiceBindingName, RemoteServiceBinding] = {}
    priorities: dict[PriorityName, BrokerPriority] = {}
    is_priority_honoured: bool = False
    """HONOR_BROKER_PRIORITY: whether sending goes by priority (protocol.md 11)."""
    is_trustworthy: bool = False
    """TRUSTWORTHY; nothing here goes by it."""
    event_notifications: dict[EventNotificationName, EventNotification] = {}
    """By the keys of `notifications_by_key`: names are unique within a queue."""

    def __post_init__(self) -> None:
        self.queues = SpelledDict(self.queues)
        self.routes = SpelledDict(self.routes)
        self.users = SpelledDict(self.users)
        self.certificates = SpelledDict(self.certificates)
        self.remote_service_bindings = SpelledDict(self.remote_service_bindings)
        self.priorities = SpelledDict(self.priorities)
        self.event_notifications = SpelledDict(self.event_notifications)

    @property
    def can_deliver(self) -> bool:
        """Whether services of this database exist for LOCATE (routing.md 3.3, E13)."""
        return self.is_broker_enabled and self.state is DatabaseState.ONLINE
