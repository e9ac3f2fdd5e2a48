"""What every database has without anybody defining it: message types, contracts and a service (protocol.md 18).

They have no rows in a `DatabaseCatalog`; whoever looks a name up asks here as well.
"""

from __future__ import annotations

from typing import Final

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import (
    DEFAULT_CONTRACT,
    DEFAULT_TYPE,
    DIALOG_TIMER_TYPE,
    END_DIALOG_TYPE,
    ERROR_TYPE,
    SYSTEM_PREFIX,
    Contract,
    ContractUse,
    MessageType,
    Queue,
    SentBy,
    Service,
    Validation,
)
from engine.core.vocabulary.identifiers import ContractName, MessageTypeName, QueueName, ServiceName

SYSTEM_MESSAGE_TYPES: Final = frozenset({END_DIALOG_TYPE, ERROR_TYPE, DIALOG_TIMER_TYPE})
"""Sent by brokers to any service; no contract lists them."""

NOTICE_CONTRACT: Final = ContractName(SYSTEM_PREFIX + "BrokerConfigurationNotice")
"""Under which the configuration service is asked (routing.md 6)."""
MISSING_ROUTE_TYPE: Final = MessageTypeName(f"{NOTICE_CONTRACT}/MissingRoute")
MISSING_BINDING_TYPE: Final = MessageTypeName(f"{NOTICE_CONTRACT}/MissingRemoteServiceBinding")
BROKER_SERVICE: Final = ServiceName(SYSTEM_PREFIX + "ServiceBroker")
"""In whose name a database asks; its queue is read by the broker itself."""
_NOTIFICATIONS: Final = "http://schemas.microsoft.com/SQL/Notifications/"
EVENT_CONTRACT: Final = ContractName(_NOTIFICATIONS + "PostEventNotification")
"""Under which services hear of events of queues (tsql.md 11)."""
EVENT_TYPE: Final = MessageTypeName(_NOTIFICATIONS + "EventNotification")
QUERY_CONTRACT: Final = ContractName(_NOTIFICATIONS + "PostQueryNotification")
"""Under which services hear that the rows of a query have changed, as those of SqlDependency."""
QUERY_TYPE: Final = MessageTypeName(_NOTIFICATIONS + "QueryNotification")
ECHO_CONTRACT: Final = ContractName(SYSTEM_PREFIX + "ServiceEcho")
ECHO_TYPE: Final = MessageTypeName(f"{ECHO_CONTRACT}/Echo")
DIAGNOSTIC_CONTRACT: Final = ContractName(SYSTEM_PREFIX + "ServiceDiagnostic")
DIAGNOSTIC_TYPES: Final = tuple(
    MessageTypeName(f"{DIAGNOSTIC_CONTRACT}/{name}") for name in ("Query", "Status", "Description")
)
"""A question, and its two answers."""
_NOTICE_TYPES = tuple(
    MessageTypeName(f"{NOTICE_CONTRACT}/{request}")
    for request in ("MissingRoute", "FailedRoute", "MissingRemoteServiceBinding", "FailedRemoteServiceBinding")
)

BUILT_IN_MESSAGE_TYPES: Final = {
    message_type.name: message_type
    for message_type in (
        MessageType(DEFAULT_TYPE),
        MessageType(END_DIALOG_TYPE, Validation.EMPTY),
        MessageType(ERROR_TYPE, Validation.WELL_FORMED_XML),
        MessageType(DIALOG_TIMER_TYPE, Validation.EMPTY),
        MessageType(EVENT_TYPE, Validation.WELL_FORMED_XML),
        MessageType(QUERY_TYPE, Validation.WELL_FORMED_XML),
        MessageType(ECHO_TYPE),
        *(MessageType(name, Validation.WELL_FORMED_XML) for name in DIAGNOSTIC_TYPES),
        *(MessageType(name, Validation.WELL_FORMED_XML) for name in _NOTICE_TYPES),
    )
}

BUILT_IN_CONTRACTS: Final = {
    contract.name: contract
    for contract in (
        Contract(DEFAULT_CONTRACT, (ContractUse(DEFAULT_TYPE, SentBy.ANY),)),
        Contract(EVENT_CONTRACT, (ContractUse(EVENT_TYPE, SentBy.INITIATOR),)),
        Contract(QUERY_CONTRACT, (ContractUse(QUERY_TYPE, SentBy.INITIATOR),)),
        Contract(ECHO_CONTRACT, (ContractUse(ECHO_TYPE, SentBy.ANY),)),
        Contract(
            DIAGNOSTIC_CONTRACT,
            (
                ContractUse(DIAGNOSTIC_TYPES[0], SentBy.INITIATOR),
                *(ContractUse(name, SentBy.TARGET) for name in DIAGNOSTIC_TYPES[1:]),
            ),
        ),
        Contract(NOTICE_CONTRACT, tuple(ContractUse(name, SentBy.INITIATOR) for name in _NOTICE_TYPES)),
    )
}

_BROKER_QUEUE: Final = Queue(QueueName("dbo.ServiceBrokerQueue"))
BUILT_IN_QUEUES: Final = {_BROKER_QUEUE.name: _BROKER_QUEUE}
BUILT_IN_SERVICES: Final = {BROKER_SERVICE: Service(BROKER_SERVICE, _BROKER_QUEUE.name)}


def message_type_of(database: DatabaseCatalog, name: MessageTypeName) -> MessageType | None:
    """The message type called exactly `name`, defined or built in; None when there is none."""
    return database.message_types.get(name) or BUILT_IN_MESSAGE_TYPES.get(name)


def contract_of(database: DatabaseCatalog, name: ContractName) -> Contract | None:
    """The contract called exactly `name`, defined or built in; None when there is none."""
    return database.contracts.get(name) or BUILT_IN_CONTRACTS.get(name)


def service_of(database: DatabaseCatalog, name: ServiceName) -> Service | None:
    """The service called exactly `name`, defined or built in; None when there is none."""
    return database.services.get(name) or BUILT_IN_SERVICES.get(name)


def queue_of(database: DatabaseCatalog, service: Service) -> Queue:
    """The queue of a service, defined or built in."""
    return _BROKER_QUEUE if service is BUILT_IN_SERVICES.get(service.name) else database.queues[service.queue]
