"""Message types, contracts, queues, services and the broker endpoint as frozen values (tsql.md 2-5, 8)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.permissions import EVERYBODY, Permission
from engine.core.vocabulary.enumerations import plain_members
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    EndpointName,
    EventNotificationName,
    MessageTypeName,
    PriorityName,
    QueueName,
    ServiceName,
    UserName,
)
from engine.core.vocabulary.limits import FORWARD_SIZE_MEGABYTES_DEFAULT, PRIORITY_LEVEL_DEFAULT

SYSTEM_PREFIX = "http://schemas.microsoft.com/SQL/ServiceBroker/"
END_DIALOG_TYPE = MessageTypeName(SYSTEM_PREFIX + "EndDialog")
ERROR_TYPE = MessageTypeName(SYSTEM_PREFIX + "Error")
DIALOG_TIMER_TYPE = MessageTypeName(SYSTEM_PREFIX + "DialogTimer")
DEFAULT_TYPE = MessageTypeName("DEFAULT")
DEFAULT_CONTRACT = ContractName("DEFAULT")


@plain_members
class Validation(StrEnum):
    """VALIDATION of a message type; the body is checked at the receiver (protocol.md 13)."""

    NONE = "NONE"
    EMPTY = "EMPTY"
    WELL_FORMED_XML = "WELL_FORMED_XML"
    VALID_XML = "VALID_XML"


class MessageType(msgspec.Struct, frozen=True):
    """A name for a kind of message, and how its body is validated."""

    name: MessageTypeName
    validation: Validation = Validation.NONE
    schema_collection: str | None = None


@plain_members
class SentBy(StrEnum):
    """Who may send a message type under a contract."""

    INITIATOR = "INITIATOR"
    TARGET = "TARGET"
    ANY = "ANY"


class ContractUse(msgspec.Struct, frozen=True):
    """One message type of a contract and its direction."""

    message_type: MessageTypeName
    sent_by: SentBy


class Contract(msgspec.Struct, frozen=True):
    """Which message types a conversation may carry, and in which direction; immutable once made (tsql.md 4)."""

    name: ContractName
    uses: tuple[ContractUse, ...]


class Activation(msgspec.Struct, frozen=True):
    """ACTIVATION clause of a queue, kept as defined."""

    procedure_name: str
    max_queue_readers: int
    execute_as: str
    is_enabled: bool = True


class Queue(msgspec.Struct, frozen=True):
    """A queue of a database; `name` is given with its schema, `dbo.` when none was named."""

    name: QueueName
    is_enabled: bool = True
    is_retention_enabled: bool = False
    is_poison_message_handling_enabled: bool = True
    activation: Activation | None = None
    receive_permissions: tuple[Permission, ...] = EVERYBODY
    """RECEIVE, in the order in which it was granted and denied; a queue belongs to `dbo`."""


class Service(msgspec.Struct, frozen=True):
    """A service: an addressable name on a queue, and the contracts it accepts as target."""

    name: ServiceName
    queue: QueueName
    contracts: tuple[ContractName, ...] = ()
    owner: UserName = UserName("dbo")
    """Whose certificate secures the dialogs that the service begins (protocol.md 9.2)."""
    send_permissions: tuple[Permission, ...] = EVERYBODY
    """SEND, in the order in which it was granted and denied; the owner needs none."""


ANY = "ANY"
"""In a clause of a conversation priority: every name (tsql.md 7)."""


class BrokerPriority(msgspec.Struct, frozen=True):
    """A conversation priority: the level of endpoints that are made under it; None is ANY (tsql.md 7)."""

    name: PriorityName
    contract: ContractName | None = None
    local_service: ServiceName | None = None
    remote_service: ServiceName | None = None
    level: int = PRIORITY_LEVEL_DEFAULT
    """1 to 10; 10 goes first."""


@plain_members
class QueueEvent(StrEnum):
    """Events of a queue for which there are event notifications (tsql.md 11)."""

    QUEUE_ACTIVATION = "QUEUE_ACTIVATION"
    BROKER_QUEUE_DISABLED = "BROKER_QUEUE_DISABLED"


class EventNotification(msgspec.Struct, frozen=True):
    """A service that is sent a message when something happens to a queue (tsql.md 11)."""

    name: EventNotificationName
    queue: QueueName
    events: tuple[QueueEvent, ...]
    to_service: ServiceName
    broker_instance: BrokerInstanceId | None = None
    """None is 'current database'."""


@plain_members
class EndpointState(StrEnum):
    """STATE of a broker endpoint (tsql.md 8)."""

    STARTED = "STARTED"
    STOPPED = "STOPPED"
    DISABLED = "DISABLED"


DEFAULT_AUTHENTICATION = "WINDOWS NEGOTIATE"
DEFAULT_ENCRYPTION = "REQUIRED ALGORITHM AES"


class Endpoint(msgspec.Struct, frozen=True):
    """The one broker endpoint of an instance. AUTHENTICATION and ENCRYPTION are kept as written."""

    name: EndpointName
    port: int
    state: EndpointState = EndpointState.STOPPED
    listener_ip: str | None = None
    """None is ALL."""
    is_message_forwarding_enabled: bool = False
    message_forward_size_megabytes: int = FORWARD_SIZE_MEGABYTES_DEFAULT
    authentication: str = DEFAULT_AUTHENTICATION
    encryption: str = DEFAULT_ENCRYPTION
