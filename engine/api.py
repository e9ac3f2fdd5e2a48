"""The engine's one door for everybody outside: define, import, command, read.

Everything here takes and returns values; nothing of the core's machinery leaves. Four groups: the values themselves,
what judges definitions (`apply_changes`, `make_route`), what reads T-SQL (`parse_script`, `plan_import`), and what
talks to the running instances (`execute`, `read_view`), which wait for an answer and raise `EngineUnavailable`
without one.
"""

from __future__ import annotations

from engine.core.catalog.address import parse_broker_instance, parse_route_address
from engine.core.catalog.changes import (
    BrokerRenewed,
    BrokerSwitched,
    CatalogChange,
    ContractCreated,
    ContractDropped,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    EndpointAltered,
    EndpointCreated,
    EndpointDropped,
    HostNamesSet,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    PartnerSet,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    RouteAltered,
    RouteCreated,
    RouteDropped,
    ServiceAltered,
    ServiceCreated,
    ServiceDropped,
)
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.difference import diff as diff_catalogs
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import (
    Activation,
    Contract,
    ContractUse,
    Endpoint,
    EndpointState,
    MessageType,
    Queue,
    SentBy,
    Service,
    Validation,
)
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, RouteAddress, TransportAddress
from engine.core.catalog.route_rules import make_route
from engine.core.exchange.commands import ApplyCatalog, BeginDialog, Command, EndConversation, Receive, Send
from engine.core.exchange.replies import (
    CatalogRevised,
    ConversationEnded,
    DialogBegun,
    MessageSent,
    MessagesReceived,
    Refusal,
    Reply,
)
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.vocabulary.errors import BrokerError, CatalogError, LimitExceeded, LocalProtocolError
from engine.core.vocabulary.identifiers import (
    MASTER,
    MSDB,
    BrokerInstanceId,
    CatalogRevision,
    CommandId,
    ContractName,
    ConversationGroupId,
    ConversationHandle,
    DatabaseName,
    EndpointName,
    EstateName,
    EventSequence,
    InstanceName,
    MessageTypeName,
    QueueName,
    RouteName,
    ServiceName,
)
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationState, QueueRow, QueueRowStatus
from engine.hosting.app import celery_app, configure
from engine.hosting.client import close_instance, events_after, execute, open_instance, peek_queue, read_view
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.entropy import OperatingSystemEntropy
from engine.hosting.errors import EngineUnavailable
from engine.hosting.settings import MEMORY_BROKER, HostingSettings
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect, ImportPlan, PlanRow
from engine.tsql.sample_estates import Sample, samples
from engine.tsql.statements import Problem as ImportProblem
from engine.tsql.statements import Script

__all__ = [
    "MASTER",
    "MEMORY_BROKER",
    "MSDB",
    "Activation",
    "ApplyCatalog",
    "BeginDialog",
    "BrokerError",
    "BrokerInstanceId",
    "BrokerRenewed",
    "BrokerSwitched",
    "CatalogChange",
    "CatalogError",
    "CatalogRevised",
    "CatalogRevision",
    "Command",
    "CommandId",
    "Contract",
    "ContractCreated",
    "ContractDropped",
    "ContractName",
    "ContractUse",
    "ConversationEnded",
    "ConversationGroupId",
    "ConversationHandle",
    "ConversationState",
    "DatabaseCatalog",
    "DatabaseCreated",
    "DatabaseDropped",
    "DatabaseName",
    "DatabaseState",
    "DatabaseStateSet",
    "DialogBegun",
    "Effect",
    "EmbeddedEngine",
    "EndConversation",
    "Endpoint",
    "EndpointAltered",
    "EndpointCreated",
    "EndpointDropped",
    "EndpointName",
    "EndpointState",
    "EngineUnavailable",
    "EstateName",
    "EventSequence",
    "HostNamesSet",
    "HostingSettings",
    "ImportPlan",
    "ImportProblem",
    "InstanceCatalog",
    "InstanceName",
    "InstanceView",
    "LimitExceeded",
    "LocalAddress",
    "LocalProtocolError",
    "MessageSent",
    "MessageType",
    "MessageTypeAltered",
    "MessageTypeCreated",
    "MessageTypeDropped",
    "MessageTypeName",
    "MessagesReceived",
    "NetworkAddress",
    "OperatingSystemEntropy",
    "PartnerSet",
    "PlanRow",
    "Queue",
    "QueueAltered",
    "QueueCreated",
    "QueueDropped",
    "QueueName",
    "QueuePeek",
    "QueueRow",
    "QueueRowStatus",
    "Receive",
    "Refusal",
    "Reply",
    "Route",
    "RouteAddress",
    "RouteAltered",
    "RouteCreated",
    "RouteDropped",
    "RouteName",
    "Sample",
    "Script",
    "Send",
    "SentBy",
    "Service",
    "ServiceAltered",
    "ServiceCreated",
    "ServiceDropped",
    "ServiceName",
    "TcpAddress",
    "TransportAddress",
    "UtcTime",
    "Validation",
    "apply_changes",
    "celery_app",
    "close_instance",
    "configure",
    "diff_catalogs",
    "events_after",
    "execute",
    "make_route",
    "new_instance",
    "open_instance",
    "parse_broker_instance",
    "parse_route_address",
    "parse_script",
    "peek_queue",
    "plan_import",
    "read_view",
    "samples",
]
