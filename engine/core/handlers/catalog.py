"""ApplyCatalog: the desired topology reaches the instance, all of a revision or nothing of it (architecture 8(ii))."""

from __future__ import annotations

import msgspec

from engine.core.catalog.changes import (
    BrokerRenewed,
    CatalogChange,
    ContractDropped,
    DatabaseCreated,
    DatabaseDropped,
    EndpointAltered,
    EndpointCreated,
    EndpointDropped,
    HostNamesSet,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database
from engine.core.catalog.objects import ERROR_TYPE, EndpointState
from engine.core.catalog.revision import apply_change, copy
from engine.core.catalog.security_changes import MasterKeyAltered, MasterKeyDropped, MasterKeyRegenerated
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.error_message import error_body
from engine.core.dialog.states import DialogInput, allows
from engine.core.exchange.changes import DropDatabaseRows, PutCatalog
from engine.core.exchange.commands import ApplyCatalog
from engine.core.exchange.events import CatalogApplied, QueueSwitched
from engine.core.exchange.replies import CatalogRevised
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import fail_locally
from engine.core.handlers.outbound import reclassify_soon, send_unsequenced
from engine.core.handlers.securing import close_sessions, is_secured
from engine.core.vocabulary.errors import CatalogError, text_of
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.messages import DialogMessage, DialogTarget, MessageKind

SERVICE_DROPPED, CONTRACT_DROPPED, DATABASE_ATTACHED, REVISION_MISMATCH = 8470, 8487, 9719, 9797
SESSION_KEY_LOST = 28052

_NOTHING_TO_ROUTE_ANEW = (MessageTypeCreated, MessageTypeAltered, MessageTypeDropped)
"""Changes that routing does not look at."""


def apply_catalog(broker: Broker, command: ApplyCatalog) -> CatalogRevised:
    """Bring the catalog from revision `base` to `revision`; an instance that is there already says so."""
    if broker.catalog.revision >= command.revision:
        return CatalogRevised(revision=broker.catalog.revision)
    if broker.catalog.revision != command.base:
        raise CatalogError(REVISION_MISMATCH, value=broker.catalog.revision, limit=command.base)
    before, after = broker.catalog, copy(broker.catalog)
    changes = [_applied(after, change) for change in command.changes]
    after.revision = command.revision
    for change in changes:
        _before_definition_goes(broker, change)
    broker.catalog = after
    broker.classifier.redefine(after, tuple(changes))
    for change in changes:
        _after_definition_came(broker, change, before)
    broker.change(PutCatalog(catalog=after))
    broker.tell(CatalogApplied(at=broker.now.utc, revision=command.revision))
    if not all(isinstance(change, _NOTHING_TO_ROUTE_ANEW) for change in command.changes):
        reclassify_soon(broker)
    return CatalogRevised(revision=command.revision)


def _applied(catalog: InstanceCatalog, change: CatalogChange) -> CatalogChange:
    """Apply a change; answers it with the database spelled as the catalog spells it."""
    if not isinstance(change, DatabaseCreated | HostNamesSet | EndpointCreated | EndpointAltered | EndpointDropped):
        change = msgspec.structs.replace(change, database=find_database(catalog, change.database).name)
    apply_change(catalog, change)
    return change


def _before_definition_goes(broker: Broker, change: CatalogChange) -> None:
    """Conversations that cannot live on are ended while their definitions can still be looked up."""
    match change:
        case ServiceDropped():
            for endpoint in _conversations(broker, change.database):
                if endpoint.row.service == change.name:
                    _tell_peer(broker, endpoint, SERVICE_DROPPED)
                    broker.forget(endpoint)
        case ContractDropped():
            for endpoint in _conversations(broker, change.database):
                if endpoint.row.contract == change.name and allows(endpoint.row.state, DialogInput.RECEIVE_ERROR):
                    _tell_peer(broker, endpoint, CONTRACT_DROPPED)
                    fail_locally(broker, endpoint, CONTRACT_DROPPED)
        case DatabaseDropped():
            for endpoint in _conversations(broker, change.database):
                broker.forget(endpoint)
        case BrokerRenewed():
            for endpoint in _conversations(broker, change.database):
                if allows(endpoint.row.state, DialogInput.RECEIVE_ERROR):
                    fail_locally(broker, endpoint, DATABASE_ATTACHED)
        case MasterKeyRegenerated():
            for endpoint in _conversations(broker, change.database):
                if is_secured(endpoint) and allows(endpoint.row.state, DialogInput.RECEIVE_ERROR):
                    _tell_peer(broker, endpoint, SESSION_KEY_LOST)
                    fail_locally(broker, endpoint, SESSION_KEY_LOST)
        case _:
            pass


def _after_definition_came(broker: Broker, change: CatalogChange, before: InstanceCatalog) -> None:
    """What follows from a new definition outside the catalog: rows, links, identities in memory."""
    match change:
        case DatabaseDropped():
            broker.change(DropDatabaseRows(database=change.database))
            for key in [key for key in broker.queues if key[0] == change.database]:
                del broker.queues[key]
        case QueueDropped():
            broker.queues.pop((change.database, change.name.casefold()), None)
        case QueueAltered(is_enabled=bool(is_enabled)):
            broker.tell(
                QueueSwitched(at=broker.now.utc, database=change.database, queue=change.name, is_enabled=is_enabled)
            )
        case ServiceAltered(queue=str()):
            database = change.database
            old = before.databases[database].services[change.name].queue
            new = broker.catalog.databases[database].services[change.name].queue
            for endpoint in _conversations(broker, database):
                if endpoint.row.service == change.name and old != new:
                    broker.move_messages(endpoint, old, new)
        case QueueCreated():
            broker.queue(change.database, change.queue.name)
        case BrokerRenewed():
            for endpoint in _conversations(broker, change.database):
                endpoint.broker_instance = change.broker_instance
        case EndpointCreated() | EndpointAltered() | EndpointDropped():
            _endpoint_changed(broker, before)
        case MasterKeyAltered() | MasterKeyRegenerated() | MasterKeyDropped():
            close_sessions(broker, change.database)
        case _:
            pass


def _endpoint_changed(broker: Broker, before: InstanceCatalog) -> None:
    """A stopped endpoint neither serves nor sends; a started one tries everything again (protocol.md 6)."""
    now_started = broker.catalog.endpoint is not None and broker.catalog.endpoint.state is EndpointState.STARTED
    was_started = before.endpoint is not None and before.endpoint.state is EndpointState.STARTED
    if was_started and not now_started:
        broker.hang_up_all()
    if now_started and not was_started:
        broker.links.lift_suppression()


def _conversations(broker: Broker, database: DatabaseName) -> list[DialogEndpoint]:
    return [endpoint for (owner, _), endpoint in broker.conversations.items() if owner == database]


def _tell_peer(broker: Broker, endpoint: DialogEndpoint, number: int) -> None:
    """A broker error to the far side, sent once (protocol.md 8.2, rows 21 and 22)."""
    if endpoint.row.far_broker_instance is None:
        return
    error = DialogMessage(
        conversation_id=endpoint.row.conversation_id,
        from_initiator=endpoint.row.is_initiator,
        source=DialogTarget(endpoint.row.service, endpoint.broker_instance),
        target=endpoint.target,
        kind=MessageKind.ERROR,
        contract=endpoint.row.contract,
        message_type=ERROR_TYPE,
        body=error_body(-number, text_of(number, service=endpoint.row.service, contract=endpoint.row.contract)),
        expires_at=endpoint.row.lifetime,
    )
    send_unsequenced(broker, endpoint.database, error)
