"""From statements to catalog changes. No catalog is asked: whether a change is legal is for `revision` to say."""

from __future__ import annotations

from typing import assert_never

import msgspec

from engine.core.catalog.address import parse_broker_instance, parse_route_address
from engine.core.catalog.changes import (
    ActivationPatch,
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    CatalogChange,
    ContractCreated,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    EndpointAltered,
    EndpointCreated,
    MessageTypeAltered,
    MessageTypeCreated,
    PartnerSet,
    QueueAltered,
    QueueCreated,
    RouteAltered,
    RouteCreated,
    ServiceAltered,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.endpoint_rules import LISTEN_EVERYWHERE
from engine.core.catalog.names import DEFAULT_SCHEMA, same_name
from engine.core.catalog.objects import Activation, Contract, Endpoint, EndpointState, MessageType, Queue, Service
from engine.core.catalog.route_rules import expiry_of, make_route, parse_mirror_address, parse_service_name
from engine.core.catalog.security import DBO, User
from engine.core.catalog.security_changes import (
    UserCreated,
)
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import CatalogError, text_of
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    DatabaseName,
    EndpointName,
    MessageTypeName,
    QueueName,
    RouteName,
    ServiceName,
    UserName,
    known_id,
)
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.assumptions import FILES_ARE_NOT_READ
from engine.tsql.part_names import joined
from engine.tsql.reading_statements import ReadingStatement, SetPriorityHonoured, SetTrustworthy
from engine.tsql.security_statements import CreateLogin, SecurityStatement, SetConnectPermission
from engine.tsql.statements import (
    AlterEndpoint,
    AlterMessageType,
    AlterQueue,
    AlterRoute,
    AlterService,
    BrokerOption,
    Clause,
    CreateContract,
    CreateDatabase,
    CreateEndpoint,
    CreateMessageType,
    CreateQueue,
    CreateRoute,
    CreateService,
    Drop,
    DropDatabase,
    DroppedKind,
    MaintainQueue,
    MirroringEndpoint,
    ObjectName,
    SetBroker,
    SetPartner,
    SetState,
)
from engine.tsql.translate_drop import dropped
from engine.tsql.translate_reading import ReadingTranslator
from engine.tsql.translate_security import SecurityTranslator
from engine.tsql.translate_states import state_after
from engine.tsql.workshop import NO_WORKSHOP, Workshop

_QUEUE_PARTS_MAX = 3
_NO_DOT = "the schema of a queue has no dot in its name here"

DefiningStatement = (
    CreateDatabase
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
"""Statements that define something, as opposed to those that say where."""

InstanceStatement = (
    CreateDatabase
    | DropDatabase
    | SetBroker
    | SetPartner
    | SetState
    | CreateEndpoint
    | AlterEndpoint
    | MirroringEndpoint
    | CreateLogin
    | SetConnectPermission
    | SetPriorityHonoured
    | SetTrustworthy
)
"""Statements that mean the same in whatever database they stand."""


class Translator:
    """Translates the statements of one database at one instant; collects what is worth a warning."""

    def __init__(
        self, database: DatabaseName, now: UtcTime, entropy: Entropy, workshop: Workshop = NO_WORKSHOP
    ) -> None:
        self._workshop = workshop
        self._security = SecurityTranslator(database, now, workshop, self._simple, self._queue)
        self._reading = ReadingTranslator(database, self._simple, self._queue)
        self.warnings = self._security.warnings
        self._database = database
        self._now = now
        self._entropy = entropy

    def changes_of(self, statement: DefiningStatement) -> list[CatalogChange]:
        """The changes a statement asks for; `CatalogError` when its texts alone are wrong."""
        return [*self._owner_made(statement), *self._changes_of(statement)]

    def _owner_made(self, statement: DefiningStatement) -> list[CatalogChange]:
        """Users are often made by another script than what they own; an import does not fail for that."""
        owner = getattr(statement, "owner", None)
        is_user = self._workshop.is_user
        if owner is None or is_user is None or is_user(owner):
            return []
        self.warnings.append(f"User '{owner}' is made, because something is to belong to it.")
        return [UserCreated(database=self._database, user=User(UserName(owner)))]

    def _changes_of(self, statement: DefiningStatement) -> list[CatalogChange]:
        match statement:
            case CreateDatabase() | DropDatabase() | SetBroker() | SetPartner() | SetState():
                return self._about_databases(statement)
            case CreateMessageType() | AlterMessageType() | CreateContract():
                return [self._about_messages(statement)]
            case CreateQueue() | AlterQueue():
                return [self._about_queues(statement)]
            case CreateService() | AlterService():
                return [self._about_services(statement)]
            case CreateRoute():
                return [self._create_route(statement)]
            case AlterRoute():
                return [self._alter_route(statement)]
            case CreateEndpoint() | AlterEndpoint():
                return [self._about_endpoints(statement)]
            case Drop():
                return [self._drop(statement)]
            case MaintainQueue() | MirroringEndpoint():
                return []
            case _ if isinstance(statement, ReadingStatement):
                return self._reading.changes_of(statement)
            case _:
                return self._security.changes_of(statement)

    # --- names

    def _simple(self, name: ObjectName) -> str:
        """The name of an object without schema (9609)."""
        if len(name.parts) > 1:
            raise CatalogError(9609, name=str(name))
        return name.parts[0]

    def _queue(self, name: ObjectName) -> tuple[DatabaseName, QueueName]:
        """Database and qualified name of a queue; the current database and `dbo` where none is named (117)."""
        if len(name.parts) > _QUEUE_PARTS_MAX:
            raise CatalogError(117, name=str(name))
        *prefix, own_name = name.parts
        schema = (prefix[-1] if prefix else "") or DEFAULT_SCHEMA
        if "." in schema:
            # A queue's schema is what stands before the first dot of its name.
            raise CatalogError(153, value=f"Schema {schema}", name=own_name, detail=_NO_DOT)
        database = DatabaseName(prefix[0]) if len(prefix) > 1 else self._database
        return database, QueueName(f"{schema}.{own_name}")

    def _queue_of(self, service: ObjectName, name: ObjectName) -> QueueName:
        database, queue = self._queue(name)
        if not same_name(database, self._database):
            value = f"Queue {name}"
            raise CatalogError(153, value=value, name=str(service), detail="a service uses a queue of its own database")
        return queue

    # --- databases

    def _about_databases(
        self, statement: CreateDatabase | DropDatabase | SetBroker | SetPartner | SetState
    ) -> list[CatalogChange]:
        match statement:
            case CreateDatabase():
                return [self._create_database(statement)]
            case DropDatabase():
                return [DatabaseDropped(database=DatabaseName(name)) for name in statement.names]
            case SetBroker():
                return [self._set_broker(statement)]
            case SetPartner():
                return self._set_partner(statement)
            case SetState():
                database = self._named(statement.database)
                return [DatabaseStateSet(database=database, state=state_after(statement.option))]
            case _:
                assert_never(statement)

    def _create_database(self, statement: CreateDatabase) -> CatalogChange:
        if statement.is_attached:
            self.warnings.append(f"'{statement.name}' is made empty: {FILES_ARE_NOT_READ}")
        elif statement.has_options:
            self.warnings.append(
                f"Of CREATE DATABASE '{statement.name}' only the name is modelled; its options are left out."
            )
        broker_instance = self._id_of(statement.broker_instance)
        return DatabaseCreated(database=DatabaseName(statement.name), broker_instance=broker_instance)

    def _id_of(self, hint: Clause | None) -> BrokerInstanceId:
        """The id that a hint tells, or a new one."""
        return BrokerInstanceId(self._entropy.new_uuid()) if hint is None else parse_broker_instance(hint.value)

    def _named(self, database: str | None) -> DatabaseName:
        return self._database if database is None else DatabaseName(database)

    def _set_broker(self, statement: SetBroker) -> CatalogChange:
        database = self._named(statement.database)
        if statement.option is BrokerOption.NEW:
            return BrokerRenewed(database=database, broker_instance=self._id_of(statement.broker_instance))
        if statement.option is BrokerOption.ERROR_CONVERSATIONS:
            return BrokerConversationsErrored(database=database)
        return BrokerSwitched(database=database, is_enabled=statement.option is BrokerOption.ENABLE)

    def _set_partner(self, statement: SetPartner) -> list[CatalogChange]:
        database = self._named(statement.database)
        address = None if statement.address is None else statement.address.value
        changes: list[CatalogChange] = [PartnerSet(database=database, partner_address=address)]
        if statement.is_mirror_copy:
            changes.append(DatabaseStateSet(database=database, state=DatabaseState.MIRROR))
        elif statement.is_principal:
            changes.append(DatabaseStateSet(database=database, state=DatabaseState.ONLINE))
        return changes

    # --- message types, contracts, queues, services

    def _about_messages(self, statement: CreateMessageType | AlterMessageType | CreateContract) -> CatalogChange:
        name = self._simple(statement.name)
        if isinstance(statement, CreateContract):
            contract = Contract(ContractName(name), statement.uses)
            return ContractCreated(database=self._database, contract=contract)
        schema = None if statement.schema_collection is None else joined(statement.schema_collection.parts)
        message_type = MessageType(MessageTypeName(name), statement.validation, schema)
        if isinstance(statement, CreateMessageType):
            return MessageTypeCreated(database=self._database, message_type=message_type)
        return MessageTypeAltered(
            database=self._database,
            name=message_type.name,
            validation=message_type.validation,
            schema_collection=schema,
        )

    def _about_queues(self, statement: CreateQueue | AlterQueue) -> CatalogChange:
        database, name = self._queue(statement.name)
        options = msgspec.structs.asdict(statement.options)
        if (activation := statement.options.activation) is not None and activation.max_queue_readers == 0:
            self.warnings.append(f"{text_of(9648, queue=name)}.")
        if isinstance(statement, AlterQueue):
            return QueueAltered(database=database, name=name, **options)
        given = {
            option: value
            for option, value in options.items()
            if value is not None and option not in ("activation", "drops_activation")
        }
        queue = Queue(name, activation=None if activation is None else _whole(name, activation), **given)
        return QueueCreated(database=database, queue=queue)

    def _about_services(self, statement: CreateService | AlterService) -> CatalogChange:
        name = ServiceName(self._simple(statement.name))
        queue = None if statement.queue is None else self._queue_of(statement.name, statement.queue)
        if isinstance(statement, AlterService):
            adds, drops = (tuple(map(ContractName, names)) for names in (statement.adds, statement.drops))
            return ServiceAltered(database=self._database, name=name, queue=queue, adds=adds, drops=drops)
        assert queue is not None
        service = Service(name, queue, tuple(map(ContractName, statement.contracts)), UserName(statement.owner or DBO))
        return ServiceCreated(database=self._database, service=service)

    # --- routes

    def _create_route(self, statement: CreateRoute) -> CatalogChange:
        clauses = statement.clauses
        assert clauses.address is not None
        route, warnings = make_route(
            name=self._simple(statement.name),
            address=clauses.address.value,
            service_name=_text(clauses.service_name),
            broker_instance=_text(clauses.broker_instance),
            lifetime_seconds=clauses.lifetime_seconds,
            mirror_address=_text(clauses.mirror_address),
            now=self._now,
            port_required=False,
        )
        self.warnings += warnings
        if clauses.expires_at is not None:
            route = msgspec.structs.replace(route, expires_at=clauses.expires_at)
        return RouteCreated(database=self._database, route=route)

    def _alter_route(self, statement: AlterRoute) -> CatalogChange:
        name, clauses = self._simple(statement.name), statement.clauses
        if clauses.never_expires:
            detail = "ALTER ROUTE takes no expiry away; drop the route and create it anew"
            raise CatalogError(153, value="LIFETIME = NULL", name=name, detail=detail, clause="LIFETIME")
        address = mirror = None
        if clauses.address is not None:
            address, warnings = parse_route_address(clauses.address.value, port_required=False)
            self.warnings += warnings
        if clauses.mirror_address is not None:
            mirror, warnings = parse_mirror_address(name, clauses.mirror_address.value, port_required=False)
            self.warnings += warnings
        service, broker = clauses.service_name, clauses.broker_instance
        lifetime, expires_at = clauses.lifetime_seconds, clauses.expires_at
        if lifetime is not None:
            expires_at = expires_at or expiry_of(lifetime, self._now)
        return RouteAltered(
            database=self._database,
            name=RouteName(name),
            address=address,
            service_name=None if service is None else parse_service_name(service.value),
            broker_instance=None if broker is None else known_id(parse_broker_instance(broker.value)),
            expires_at=expires_at,
            mirror_address=mirror,
        )

    # --- endpoint and DROP

    def _about_endpoints(self, statement: CreateEndpoint | AlterEndpoint) -> CatalogChange:
        name = EndpointName(self._simple(statement.name))
        clauses = msgspec.structs.asdict(statement.clauses)
        given = {clause: value for clause, value in clauses.items() if value is not None}
        if isinstance(statement, AlterEndpoint):
            return EndpointAltered(name=name, **given)
        if clauses["listener_ip"] == LISTEN_EVERYWHERE:
            del given["listener_ip"]
        return EndpointCreated(endpoint=Endpoint(name, **{"state": EndpointState.STOPPED, **given}))

    def _drop(self, statement: Drop) -> CatalogChange:
        if statement.kind is DroppedKind.QUEUE:
            database, queue = self._queue(statement.name)
            return dropped(database, statement.kind, queue)
        name = self._simple(statement.name)
        return dropped(self._database, statement.kind, name)


def _text(clause: Clause | None) -> str | None:
    return None if clause is None else clause.value


def _whole(queue: QueueName, patch: ActivationPatch) -> Activation:
    """The ACTIVATION of a new queue: every member but STATUS is compulsory (9614, 9620, 9613)."""
    if patch.procedure_name is None:
        raise CatalogError(9614, queue=queue)
    if patch.max_queue_readers is None:
        raise CatalogError(9620, queue=queue)
    if patch.execute_as is None:
        raise CatalogError(9613, queue=queue)
    is_enabled = patch.is_enabled is not False
    return Activation(patch.procedure_name, patch.max_queue_readers, patch.execute_as, is_enabled)
