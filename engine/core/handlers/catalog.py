"""ApplyCatalog: the desired topology reaches the instance, all of a revision or nothing of it (architecture 8(ii))."""

from __future__ import annotations

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    CatalogChange,
    ContractDropped,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    RouteDropped,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.catalog.database import CLOSED_TO_COMMANDS
from engine.core.catalog.endpoint_rules import credential_of
from engine.core.catalog.identity import role_change
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_queue, with_schema
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.security_changes import MasterKeyAltered, MasterKeyDropped, MasterKeyRegenerated
from engine.core.catalog.steps import Step, steps_of
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.states import DialogInput
from engine.core.exchange.changes import DropDatabaseRows, PutCatalog
from engine.core.exchange.commands import ApplyCatalog, SetMirroringRole
from engine.core.exchange.events import CatalogApplied, DatabaseMirroringStateChanged
from engine.core.exchange.replies import CatalogRevised, MirroringRoleSet
from engine.core.handlers import (
    activation,
    availability,
    forwarding,
    identity,
    mirroring,
    queue_status,
    transactions,
)
from engine.core.handlers.breaking_off import break_off, tell_peer
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import move
from engine.core.handlers.outbound import reclassify_soon
from engine.core.handlers.securing import close_sessions, is_secured
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, QueueName
from engine.core.vocabulary.limits import REVISION_MAX

SERVICE_DROPPED, CONTRACT_DROPPED, REVISION_MISMATCH, SESSION_KEY_LOST = 8470, 8487, 9797, 28052

_NOTHING_TO_ROUTE_ANEW = (MessageTypeCreated, MessageTypeAltered, MessageTypeDropped)
"""Changes that routing does not look at."""


def apply_catalog(broker: Broker, command: ApplyCatalog) -> CatalogRevised:
    """Bring the catalog from revision `base` to `revision`; an instance that is there already says so."""
    if broker.catalog.revision >= command.revision:
        return CatalogRevised(revision=broker.catalog.revision)
    if broker.catalog.revision != command.base or command.revision > REVISION_MAX:
        raise CatalogError(REVISION_MISMATCH, value=broker.catalog.revision, limit=command.base)
    steps = steps_of(broker.catalog, command.changes)
    steps[-1].after.revision = command.revision
    redefine(broker, steps)
    broker.tell(CatalogApplied(at=broker.now.utc, revision=command.revision))
    return CatalogRevised(revision=command.revision)


def set_mirroring_role(broker: Broker, command: SetMirroringRole) -> MirroringRoleSet:
    """A mirrored database takes a role; neighbours that have asked hear of it at once (mirroring.md 3)."""
    change = role_change(broker.catalog, command.database, command.role)
    if change is not None:
        redefine(broker, steps_of(broker.catalog, (change,)))
        broker.tell(DatabaseMirroringStateChanged(at=broker.now.utc, database=change.database, role=command.role))
    return MirroringRoleSet(role=command.role)


def redefine(broker: Broker, steps: list[Step]) -> None:
    """Go by the catalog to which all steps lead, and store it. Every change was obeyed before; nothing is refused."""
    before = broker.catalog
    for step in steps:
        _take_step(broker, step)
    changes = [change for step in steps for change in step.changes]
    _follow_endpoint(broker, before)
    mirroring.catalog_changed(broker)
    forwarding.route_anew(broker)
    activation.redefined(broker, changes)
    broker.change(PutCatalog(catalog=broker.catalog))
    if not all(isinstance(change, _NOTHING_TO_ROUTE_ANEW) for change in changes):
        reclassify_soon(broker)


def _take_step(broker: Broker, step: Step) -> None:
    """What lives by the definitions follows a few changes, at their place among the others of the revision."""
    before = broker.catalog
    for change in step.changes:
        _before_definition_goes(broker, change)
    broker.catalog = step.after
    broker.classifier.redefine(step.after, step.changes)
    for change in step.changes:
        _after_definition_came(broker, change, before)


def _before_definition_goes(broker: Broker, change: CatalogChange) -> None:
    """Conversations that cannot live on are ended while their definitions can still be looked up."""
    match change:
        case ServiceDropped():
            for endpoint in _conversations(broker, change.database):
                if endpoint.row.service == change.name:
                    tell_peer(broker, endpoint, SERVICE_DROPPED)
                    move(broker, endpoint, DialogInput.SERVICE_DROPPED)
        case ContractDropped():
            for endpoint in _conversations(broker, change.database):
                if endpoint.row.contract == change.name:
                    break_off(broker, endpoint, CONTRACT_DROPPED, CONTRACT_DROPPED)
        case DatabaseDropped():
            transactions.forget_database(broker, change.database)
            for endpoint in _conversations(broker, change.database):
                broker.forget(endpoint)
        case BrokerRenewed():
            identity.end_for_new_broker(broker, change.database)
        case MasterKeyRegenerated():
            for endpoint in _conversations(broker, change.database):
                if is_secured(endpoint):
                    break_off(broker, endpoint, SESSION_KEY_LOST, SESSION_KEY_LOST)
        case _:
            pass


def _after_definition_came(broker: Broker, change: CatalogChange, before: InstanceCatalog) -> None:
    """What follows from a new definition outside the catalog: rows, links, identities in memory."""
    match change:
        case DatabaseDropped():
            _forget_database(broker, change.database)
        case RouteDropped():
            broker.counters.route_deliveries.pop((change.database, change.name), None)
        case QueueDropped():
            broker.drop_queue(change.database, with_schema(change.name))
        case QueueAltered(is_enabled=bool(is_enabled)):
            name = find_queue(broker.catalog.databases[change.database], change.name)
            queue_status.switched(broker, change.database, name, is_enabled=is_enabled)
        case ServiceAltered(queue=str()):
            database = change.database
            old = before.databases[database].services[change.name].queue
            new = broker.catalog.databases[database].services[change.name].queue
            for endpoint in _conversations(broker, database):
                if endpoint.row.service == change.name and old != new:
                    transactions.forget_group(broker, database, endpoint.row.conversation_group_id)
                    broker.move_messages(endpoint, old, new)
        case QueueCreated():
            broker.queue(change.database, change.queue.name)
        case BrokerRenewed():
            for endpoint in _conversations(broker, change.database):
                endpoint.broker_instance = change.broker_instance
            availability.changed(broker, change.database)
            identity.announce(broker, change.database)
        case BrokerConversationsErrored():
            identity.error_conversations(broker, change.database)
            availability.changed(broker, change.database)
            identity.announce(broker, change.database)
        case BrokerSwitched():
            availability.changed(broker, change.database)
            identity.announce(broker, change.database)
        case DatabaseCreated():
            identity.announce_birth(broker, change.database)
        case DatabaseStateSet():
            if broker.catalog.databases[change.database].state in CLOSED_TO_COMMANDS:
                # A transaction that was begun at the principal must not be committed on what is a copy now.
                transactions.forget_database(broker, change.database)
                broker.poison.forget_database(change.database)
            availability.changed(broker, change.database)
        case MasterKeyAltered() | MasterKeyRegenerated() | MasterKeyDropped():
            close_sessions(broker, change.database)
        case _:
            pass


def _forget_database(broker: Broker, database: DatabaseName) -> None:
    """A database is gone with its rows and queues, and with what it was about to read and to ask for."""
    broker.change(DropDatabaseRows(database=database))
    broker.key_exchange.forget(database)
    broker.departed.forget(database)
    for _, name in [key for key in broker.queues if key[0] == database]:
        broker.drop_queue(database, QueueName(name))
    broker.own_mail.discard(database)
    broker.counters.transmission_left.pop(database, None)
    broker.counters.forget_routes(database)
    for missing in (broker.missing_routes, broker.missing_bindings):
        for key in [key for key in missing if key[0] == database]:
            del missing[key]


def _follow_endpoint(broker: Broker, before: InstanceCatalog) -> None:
    """A stopped endpoint neither serves nor sends; a started one tries everything again (protocol.md 6)."""
    now_started = broker.catalog.endpoint is not None and broker.catalog.endpoint.state is EndpointState.STARTED
    was_started = before.endpoint is not None and before.endpoint.state is EndpointState.STARTED
    is_changed = before.endpoint != broker.catalog.endpoint
    if was_started and (is_changed or credential_of(before) != credential_of(broker.catalog)):
        # Stopped, or changed, or its certificate was: the transport restarts, messages are sent again (11295, 11296).
        broker.hang_up_all()
        mirroring.rest_all(broker)
        if not now_started:
            forwarding.shut_down(broker)
    if now_started and not was_started:
        broker.links.lift_suppression()
        for endpoint in broker.conversations.all_live():
            if endpoint.has_messages_to_send:
                # No route has changed: what waited for the endpoint alone does not wait for the routes' 10 seconds.
                endpoint.reclassify_at = broker.now.monotonic
                broker.notice(endpoint)


def _conversations(broker: Broker, database: DatabaseName) -> list[DialogEndpoint]:
    return broker.conversations.all_of(database)
