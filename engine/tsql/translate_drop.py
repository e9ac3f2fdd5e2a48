"""What DROP takes away, by kind."""

from __future__ import annotations

from typing import assert_never

from engine.core.catalog.changes import (
    CatalogChange,
    ContractDropped,
    EndpointDropped,
    MessageTypeDropped,
    PriorityDropped,
    QueueDropped,
    RouteDropped,
    ServiceDropped,
)
from engine.core.catalog.security_changes import (
    CertificateDropped,
    RemoteServiceBindingDropped,
    UserDropped,
)
from engine.core.catalog.server_changes import (
    LoginDropped,
)
from engine.core.vocabulary.identifiers import (
    CertificateName,
    ContractName,
    DatabaseName,
    LoginName,
    MessageTypeName,
    PriorityName,
    QueueName,
    RemoteServiceBindingName,
    RouteName,
    ServiceName,
    UserName,
)
from engine.tsql.statements import DroppedKind


def dropped(database: DatabaseName, kind: DroppedKind, name: str) -> CatalogChange:
    """The change that drops an object; the name of a queue stands with its schema."""
    match kind:
        case DroppedKind.MESSAGE_TYPE:
            return MessageTypeDropped(database=database, name=MessageTypeName(name))
        case DroppedKind.QUEUE:
            return QueueDropped(database=database, name=QueueName(name))
        case DroppedKind.CONTRACT:
            return ContractDropped(database=database, name=ContractName(name))
        case DroppedKind.SERVICE:
            return ServiceDropped(database=database, name=ServiceName(name))
        case DroppedKind.ROUTE:
            return RouteDropped(database=database, name=RouteName(name))
        case DroppedKind.ENDPOINT:
            return EndpointDropped(name=name)
        case DroppedKind.USER:
            return UserDropped(database=database, name=UserName(name))
        case DroppedKind.LOGIN:
            return LoginDropped(name=LoginName(name))
        case DroppedKind.CERTIFICATE:
            return CertificateDropped(database=database, name=CertificateName(name))
        case DroppedKind.PRIORITY:
            return PriorityDropped(database=database, name=PriorityName(name))
        case DroppedKind.BINDING:
            return RemoteServiceBindingDropped(database=database, name=RemoteServiceBindingName(name))
        case _:
            assert_never(kind)
