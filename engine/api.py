"""The only door for everybody outside: define, read scripts, command, read what is. Behind it are:
- **Values**, JSON too: objects, changes, commands, replies, views, errors (`BrokerError`; `translations` word them).
- **Pure functions on what is *wanted*.** `apply_changes`, … make catalogs, `revisions` merges, `imports` reads T-SQL;
  `check_routes`, `diagnosis`, `what_if`, `assertions` judge; `simulation`, `sandbox` run worlds, `training` grades.
- **Functions on what *is*.** After `configure`, `execute`, … reach an instance, or `EngineUnavailable` says why not.
"""

from __future__ import annotations

from engine import pipeline, revisions, sandbox, training
from engine.assertions import suite as assertions
from engine.collection import imports
from engine.contracts.codec import catalog_change_decoder, catalog_decoder, command_decoder, json_encoder, reply_decoder
from engine.core.catalog import permissions, security_changes, server_changes
from engine.core.catalog.address import parse_broker_instance, parse_route_address
from engine.core.catalog.attaching import attached_catalog
from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.catalog.changes import (
    ActivationPatch,
    BrokerConversationsErrored,
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
    EventNotificationCreated,
    EventNotificationDropped,
    HostNamesSet,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    PartnerSet,
    PriorityAltered,
    PriorityCreated,
    PriorityDropped,
    PriorityHonoured,
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
from engine.core.catalog.hosts import HostBook, host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.link_trust import LinkTrust, trust_of
from engine.core.catalog.names import check_name
from engine.core.catalog.objects import (
    Activation,
    BrokerPriority,
    Contract,
    ContractUse,
    Endpoint,
    EndpointState,
    EventNotification,
    MessageType,
    Queue,
    QueueEvent,
    SentBy,
    Service,
    Validation,
)
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, RouteAddress, TransportAddress
from engine.core.catalog.route_rules import make_route
from engine.core.catalog.security import (
    Certificate,
    ConnectPermission,
    Login,
    MasterKey,
    PrincipalKind,
    RemoteServiceBinding,
    User,
)
from engine.core.exchange import commands, explaining, pictures, replies
from engine.core.exchange.commands import ApplyCatalog, BeginDialog, Command, EndConversation, Receive, Send
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import (
    CatalogRevised,
    ConversationEnded,
    DialogBegun,
    MessageSent,
    MessagesReceived,
    Refusal,
    Reply,
)
from engine.core.exchange.system_views import Cell, ColumnFilter, SystemViewQuery, SystemViewRows, ViewColumn
from engine.core.exchange.views import (
    ConnectionView,
    ConversationEndpointView,
    DatabaseView,
    InstanceView,
    QueuePeek,
    QueuePoisonView,
    QueueView,
)
from engine.core.trace.classes import TraceClass
from engine.core.trace.rows import TraceRow, trace_rows
from engine.core.vocabulary import errors, translations
from engine.core.vocabulary.dialog_security import CertificateReference, KeySuite, SealedKey, SecurityKind
from engine.core.vocabulary.errors import (
    BrokerError,
    CatalogError,
    LimitExceeded,
    LocalProtocolError,
    RemoteProtocolError,
)
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
    FencingNumber,
    InstanceName,
    LoginName,
    MessageTypeName,
    QueueName,
    RouteName,
    ServiceName,
    TransactionId,
    UserName,
)
from engine.core.vocabulary.messages import LinkState, TcpAddress
from engine.core.vocabulary.mirrors import MirroringRole, MirrorState, PartnerState
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationState, QueueRow, QueueRowStatus
from engine.diagnosis import questions as diagnosis
from engine.hosting import console, garbage, held_stores, keys, leases, sandboxes, worker
from engine.hosting.app import celery_app, configure
from engine.hosting.client import (
    cancel_wait,
    close_instance,
    events_after,
    execute,
    explain_transmission,
    open_instance,
    open_session,
    peek_queue,
    read_pictures,
    read_system_view,
    read_view,
)
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.entropy import OperatingSystemEntropy
from engine.hosting.errors import EngineUnavailable
from engine.hosting.reader_session import ReaderSession
from engine.hosting.readers import Reader, receiving, register_reader, unregister_reader
from engine.hosting.session.client import EngineSession
from engine.hosting.settings import MEMORY_BROKER, HostingSettings
from engine.questions import asking as questions
from engine.route_check.check import check_routes
from engine.route_check.report import AlternativeResult, CaseResult, RouteCheckReport, RouteResult
from engine.route_check.tree import Fault as RouteCheckFault
from engine.sim import questions as simulation
from engine.tsql.export_certificate import certificate_script
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect, ImportPlan, PlanRow
from engine.tsql.sample_estates import Sample, samples
from engine.tsql.statements import Notice as ImportWarning
from engine.tsql.statements import Problem as ImportProblem
from engine.tsql.statements import Script
from engine.tsql.writing import scripts
from engine.whatif import asking as what_if

__all__ = [
    "MASTER",
    "MEMORY_BROKER",
    "MSDB",
    "Activation",
    "ActivationPatch",
    "AlternativeResult",
    "ApplyCatalog",
    "AttachOption",
    "BeginDialog",
    "BrokerConversationsErrored",
    "BrokerError",
    "BrokerEvent",
    "BrokerInstanceId",
    "BrokerPriority",
    "BrokerRenewed",
    "BrokerSwitched",
    "CaseResult",
    "CatalogChange",
    "CatalogError",
    "CatalogRevised",
    "CatalogRevision",
    "Cell",
    "Certificate",
    "CertificateReference",
    "ColumnFilter",
    "Command",
    "CommandId",
    "ConnectPermission",
    "ConnectionView",
    "Contract",
    "ContractCreated",
    "ContractDropped",
    "ContractName",
    "ContractUse",
    "ConversationEnded",
    "ConversationEndpointView",
    "ConversationGroupId",
    "ConversationHandle",
    "ConversationState",
    "DatabaseBackup",
    "DatabaseCatalog",
    "DatabaseCreated",
    "DatabaseDropped",
    "DatabaseName",
    "DatabaseState",
    "DatabaseStateSet",
    "DatabaseView",
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
    "EngineSession",
    "EngineUnavailable",
    "EstateName",
    "EventNotification",
    "EventNotificationCreated",
    "EventNotificationDropped",
    "EventSequence",
    "FencingNumber",
    "HostBook",
    "HostNamesSet",
    "HostingSettings",
    "ImportPlan",
    "ImportProblem",
    "ImportWarning",
    "InstanceCatalog",
    "InstanceName",
    "InstanceView",
    "KeySuite",
    "LimitExceeded",
    "LinkState",
    "LinkTrust",
    "LocalAddress",
    "LocalProtocolError",
    "Login",
    "LoginName",
    "MasterKey",
    "MessageSent",
    "MessageType",
    "MessageTypeAltered",
    "MessageTypeCreated",
    "MessageTypeDropped",
    "MessageTypeName",
    "MessagesReceived",
    "MirrorState",
    "MirroringRole",
    "NetworkAddress",
    "OperatingSystemEntropy",
    "PartnerSet",
    "PartnerState",
    "PlanRow",
    "PrincipalKind",
    "PriorityAltered",
    "PriorityCreated",
    "PriorityDropped",
    "PriorityHonoured",
    "Queue",
    "QueueAltered",
    "QueueCreated",
    "QueueDropped",
    "QueueEvent",
    "QueueName",
    "QueuePeek",
    "QueuePoisonView",
    "QueueRow",
    "QueueRowStatus",
    "QueueView",
    "Reader",
    "ReaderSession",
    "Receive",
    "Refusal",
    "RemoteProtocolError",
    "RemoteServiceBinding",
    "Reply",
    "Route",
    "RouteAddress",
    "RouteAltered",
    "RouteCheckFault",
    "RouteCheckReport",
    "RouteCreated",
    "RouteDropped",
    "RouteName",
    "RouteResult",
    "Sample",
    "Script",
    "SealedKey",
    "SecurityKind",
    "Send",
    "SentBy",
    "Service",
    "ServiceAltered",
    "ServiceCreated",
    "ServiceDropped",
    "ServiceName",
    "SystemViewQuery",
    "SystemViewRows",
    "TcpAddress",
    "TraceClass",
    "TraceRow",
    "TransactionId",
    "TransportAddress",
    "User",
    "UserName",
    "UtcTime",
    "Validation",
    "ViewColumn",
    "apply_changes",
    "assertions",
    "attached_catalog",
    "cancel_wait",
    "catalog_change_decoder",
    "catalog_decoder",
    "celery_app",
    "certificate_script",
    "check_name",
    "check_routes",
    "close_instance",
    "command_decoder",
    "commands",
    "configure",
    "console",
    "diagnosis",
    "diff_catalogs",
    "errors",
    "events_after",
    "execute",
    "explain_transmission",
    "explaining",
    "garbage",
    "held_stores",
    "host_names",
    "imports",
    "json_encoder",
    "keys",
    "leases",
    "make_route",
    "new_instance",
    "open_instance",
    "open_session",
    "parse_broker_instance",
    "parse_route_address",
    "parse_script",
    "peek_queue",
    "permissions",
    "pictures",
    "pipeline",
    "questions",
    "read_pictures",
    "read_system_view",
    "read_view",
    "receiving",
    "register_reader",
    "replies",
    "reply_decoder",
    "revisions",
    "samples",
    "sandbox",
    "sandboxes",
    "scripts",
    "security_changes",
    "server_changes",
    "simulation",
    "trace_rows",
    "training",
    "translations",
    "trust_of",
    "unregister_reader",
    "what_if",
    "worker",
]
