"""What a script says, statement by statement, before anybody asks whether the catalog agrees.

Names and texts stand here as written, without quotes. Every statement knows where it begins; clauses that can be
wrong by themselves know their own place.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.changes import ActivationPatch
from engine.core.catalog.objects import ContractUse, EndpointState, Validation
from engine.core.vocabulary.errors import Parameter
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.reading_statements import ReadingStatement, SetPriorityHonoured, SetTrustworthy
from engine.tsql.security_statements import SecurityStatement
from engine.tsql.statement_base import Clause as Clause
from engine.tsql.statement_base import Guard as Guard
from engine.tsql.statement_base import ObjectName as ObjectName
from engine.tsql.statement_base import Place as Place
from engine.tsql.statement_base import Statement as Statement


class Connect(Statement, frozen=True, tag="connect"):
    """:CONNECT, with the further host names that hints give the server."""

    instance: str
    host_names: tuple[str, ...] = ()
    only_host_names: tuple[str, ...] | None = None
    """All of them, instead of those that are known; None leaves these."""


class Use(Statement, frozen=True, tag="use"):
    """USE; a hint tells the broker id of a database that every instance has from the beginning."""

    database: str
    broker_instance: Clause | None = None


class CreateDatabase(Statement, frozen=True, tag="create-database"):
    """CREATE DATABASE; the broker id comes from a hint. Files, collation and the like are not modelled."""

    name: str
    broker_instance: Clause | None = None
    has_options: bool = False
    is_attached: bool = False
    """FOR ATTACH: it is made of files, which a script does not hold."""


class DropDatabase(Statement, frozen=True, tag="drop-database"):
    """DROP DATABASE, one or several."""

    names: tuple[str, ...]


class BrokerOption(StrEnum):
    """What ALTER DATABASE … SET does to the broker."""

    ENABLE = "ENABLE_BROKER"
    DISABLE = "DISABLE_BROKER"
    NEW = "NEW_BROKER"
    ERROR_CONVERSATIONS = "ERROR_BROKER_CONVERSATIONS"


class SetBroker(Statement, frozen=True, tag="set-broker"):
    """ALTER DATABASE … SET a broker option; no database is CURRENT. A hint tells the id that NEW_BROKER gives."""

    database: str | None
    option: BrokerOption
    broker_instance: Clause | None = None


class SetPartner(Statement, frozen=True, tag="set-partner"):
    """ALTER DATABASE … SET PARTNER; no address is OFF. A hint tells which of the two is the mirror copy."""

    database: str | None
    address: Clause | None
    is_mirror_copy: bool = False
    is_principal: bool = False
    """Whether the hint says so; a database that was the copy is no longer one."""


class StateOption(StrEnum):
    """What ALTER DATABASE … SET does to the state of a database."""

    OFFLINE = "OFFLINE"
    ONLINE = "ONLINE"
    READ_ONLY = "READ_ONLY"
    READ_WRITE = "READ_WRITE"
    SINGLE_USER = "SINGLE_USER"
    MULTI_USER = "MULTI_USER"


class SetState(Statement, frozen=True, tag="set-state"):
    """ALTER DATABASE … SET one of the states, or the end of one; no database is CURRENT."""

    database: str | None
    option: StateOption


SetOption = SetBroker | SetState | SetPriorityHonoured | SetTrustworthy
"""What one option of ALTER DATABASE … SET says; a list of them is as many statements at one place."""


class CreateMessageType(Statement, frozen=True, tag="create-message-type"):
    """CREATE MESSAGE TYPE."""

    name: ObjectName
    validation: Validation = Validation.NONE
    schema_collection: ObjectName | None = None


class AlterMessageType(Statement, frozen=True, tag="alter-message-type"):
    """ALTER MESSAGE TYPE."""

    name: ObjectName
    validation: Validation
    schema_collection: ObjectName | None = None


class CreateContract(Statement, frozen=True, tag="create-contract"):
    """CREATE CONTRACT."""

    name: ObjectName
    uses: tuple[ContractUse, ...]


class QueueOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The WITH list of CREATE and ALTER QUEUE; None is an option not given."""

    is_enabled: bool | None = None
    is_retention_enabled: bool | None = None
    is_poison_message_handling_enabled: bool | None = None
    activation: ActivationPatch | None = None
    drops_activation: bool = False


class CreateQueue(Statement, frozen=True, tag="create-queue"):
    """CREATE QUEUE; the file group is not modelled."""

    name: ObjectName
    options: QueueOptions = QueueOptions()


class AlterQueue(Statement, frozen=True, tag="alter-queue"):
    """ALTER QUEUE … WITH."""

    name: ObjectName
    options: QueueOptions


class MaintainQueue(Statement, frozen=True, tag="maintain-queue"):
    """ALTER QUEUE … REBUILD, REORGANIZE or MOVE TO: housekeeping without effect on what is defined."""

    name: ObjectName


class CreateService(Statement, frozen=True, tag="create-service"):
    """CREATE SERVICE."""

    name: ObjectName
    queue: ObjectName
    contracts: tuple[str, ...] = ()
    owner: str | None = None


class AlterService(Statement, frozen=True, tag="alter-service"):
    """ALTER SERVICE."""

    name: ObjectName
    queue: ObjectName | None = None
    adds: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()


class RouteClauses(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The WITH list of CREATE and ALTER ROUTE; None is a clause not given."""

    service_name: Clause | None = None
    broker_instance: Clause | None = None
    lifetime_seconds: int | None = None
    address: Clause | None = None
    mirror_address: Clause | None = None
    lifetime_place: Place | None = None
    never_expires: bool = False
    """LIFETIME = NULL."""
    expires_at: UtcTime | None = None
    """From a hint: the instant itself, for routes of a server whose LIFETIME began in the past."""


class CreateRoute(Statement, frozen=True, tag="create-route", gc=False):
    """CREATE ROUTE; ADDRESS is compulsory and therefore there."""

    name: ObjectName
    clauses: RouteClauses


class AlterRoute(Statement, frozen=True, tag="alter-route"):
    """ALTER ROUTE."""

    name: ObjectName
    clauses: RouteClauses


class EndpointClauses(msgspec.Struct, frozen=True, kw_only=True):
    """The clauses of CREATE and ALTER ENDPOINT; None is a clause not given."""

    state: EndpointState | None = None
    port: int | None = None
    listener_ip: str | None = None
    authentication: str | None = None
    encryption: str | None = None
    is_message_forwarding_enabled: bool | None = None
    message_forward_size_megabytes: int | None = None


class CreateEndpoint(Statement, frozen=True, tag="create-endpoint"):
    """CREATE ENDPOINT … FOR SERVICE_BROKER."""

    name: ObjectName
    clauses: EndpointClauses


class AlterEndpoint(Statement, frozen=True, tag="alter-endpoint"):
    """ALTER ENDPOINT."""

    name: ObjectName
    clauses: EndpointClauses


class MirroringEndpoint(Statement, frozen=True, tag="mirroring-endpoint"):
    """CREATE or ALTER ENDPOINT … FOR DATABASE_MIRRORING, which is read and not modelled."""

    name: ObjectName
    verb: str


class DroppedKind(StrEnum):
    """What DROP removes, in the words of the statement."""

    MESSAGE_TYPE = "MESSAGE TYPE"
    CONTRACT = "CONTRACT"
    QUEUE = "QUEUE"
    SERVICE = "SERVICE"
    ROUTE = "ROUTE"
    ENDPOINT = "ENDPOINT"
    USER = "USER"
    LOGIN = "LOGIN"
    CERTIFICATE = "CERTIFICATE"
    BINDING = "REMOTE SERVICE BINDING"
    PRIORITY = "BROKER PRIORITY"


class Drop(Statement, frozen=True, tag="drop"):
    """DROP of one object."""

    kind: DroppedKind
    name: ObjectName


AnyStatement = (
    Connect
    | Use
    | CreateDatabase
    | DropDatabase
    | SetBroker
    | SetPartner
    | SetState
    | CreateMessageType
    | AlterMessageType
    | CreateContract
    | CreateQueue
    | AlterQueue
    | MaintainQueue
    | CreateService
    | AlterService
    | CreateRoute
    | AlterRoute
    | CreateEndpoint
    | AlterEndpoint
    | MirroringEndpoint
    | Drop
    | ReadingStatement
    | SecurityStatement
)


class Ignored(msgspec.Struct, frozen=True, gc=False):
    """A statement that is stepped over; `text` is how it begins, without texts in quotes."""

    line: int
    column: int
    text: str
    why: str = "Says nothing about the network."


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, where, and what to do; as many of them as there are, not just the first."""

    file: str
    line: int
    column: int
    number: int
    text: str
    why: str = ""
    cure: str = ""
    parameters: dict[str, Parameter] = {}


class Notice(msgspec.Struct, frozen=True, gc=False):
    """A sentence about something that was accepted but is probably not meant."""

    file: str
    line: int
    text: str


class Script(msgspec.Struct, frozen=True):
    """A script as it was understood."""

    name: str
    statements: tuple[AnyStatement, ...]
    ignored: tuple[Ignored, ...]
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...] = ()
