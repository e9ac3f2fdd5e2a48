"""BACKUP, DETACH, ATTACH and RESTORE of a database with its broker state (identity.md 4)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from engine.core.catalog.attaching import Attached, Attachment, attach, check_attach, check_restore
from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.catalog.builtin import service_of
from engine.core.catalog.changes import DatabaseDropped, DatabaseStateSet
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.identity import drop_database
from engine.core.catalog.names import find_database, spelling_in
from engine.core.catalog.revision import copy
from engine.core.catalog.steps import Step
from engine.core.exchange.changes import AppendQueue, AppendTransmission, PutDepartedSession, PutEndpoint
from engine.core.exchange.commands import AttachDatabase, BackupDatabase, DetachDatabase, RestoreDatabase
from engine.core.exchange.events import CatalogApplied
from engine.core.exchange.replies import DatabaseAttached, DatabaseBackedUp, DatabaseDetached
from engine.core.handlers import identity
from engine.core.handlers.broker import Broker
from engine.core.handlers.catalog import REVISION_MISMATCH, redefine
from engine.core.handlers.planning import plan
from engine.core.handlers.restoring import restore
from engine.core.vocabulary.errors import CatalogError, LimitExceeded
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, QueueName
from engine.core.vocabulary.limits import BACKUP_BYTES_MAX, REVISION_MAX
from engine.core.vocabulary.rows import DatabaseRows, QueueRow


def back_up(broker: Broker, command: BackupDatabase) -> DatabaseBackedUp:
    """BACKUP DATABASE; refused for what does not exist (911), is off-line (942), or is too large (3202)."""
    return DatabaseBackedUp(backup=_backup(broker, command.database))


def detach(broker: Broker, command: DetachDatabase) -> DatabaseDetached:
    """sp_detach_db: a backup, and the database is gone. Refused as a backup, mirrored (3743) or the system's (3708)."""
    _check_base(broker, command)
    name = find_database(broker.catalog, command.database).name
    if broker.catalog.databases[name].partner_address is not None:
        raise CatalogError(3743, database=name)
    after = copy(broker.catalog)
    gone = DatabaseDropped(database=name)
    drop_database(after, gone)
    backup = _backup(broker, name)
    after.revision = command.revision
    redefine(broker, [Step((gone,), after)])
    broker.tell(CatalogApplied(at=broker.now.utc, revision=command.revision))
    return DatabaseDetached(backup=backup, revision=command.revision)


def _check_base(broker: Broker, command: AttachDatabase | DetachDatabase | RestoreDatabase) -> None:
    if broker.catalog.revision != command.base or not command.base < command.revision <= REVISION_MAX:
        raise CatalogError(REVISION_MISMATCH, value=broker.catalog.revision, limit=command.base)


# ── taking ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def _backup(broker: Broker, name: DatabaseName) -> DatabaseBackup:
    definition = find_database(broker.catalog, name)
    if definition.state is DatabaseState.OFFLINE:
        raise CatalogError(942, database=definition.name)
    _check_size(broker, definition.name)
    endpoints = list(broker.conversations.look(definition.name))
    rows = DatabaseRows(
        name=definition.name,
        endpoints=[endpoint.row for endpoint in endpoints],
        transmission=[row for endpoint in endpoints for row in endpoint.sender.rows()],
        queues=_queues(broker, definition),
        departed=broker.departed.of(definition.name),
    )
    taken = copy(broker.catalog).databases[definition.name]
    return DatabaseBackup(definition=taken, rows=rows, taken_at=broker.now.utc)


def _queues(broker: Broker, definition: DatabaseCatalog) -> dict[QueueName, list[QueueRow]]:
    """The messages of every queue, by the name under which the store keeps them."""
    found: dict[QueueName, list[QueueRow]] = {}
    for (owner, folded), queue in broker.queues.items():
        if owner != definition.name:
            continue
        for row in queue.everything():
            service = service_of(definition, row.service_name)
            name = service.queue if service is not None else spelling_in(definition.queues, folded)
            found.setdefault(name or QueueName(folded), []).append(row)
    return found


def _check_size(broker: Broker, name: DatabaseName) -> None:
    """Before all that waits is brought into memory: what is too large is not read to its end."""
    total = 0
    for body in _bodies(broker, name):
        total += len(body or b"")
        if total > BACKUP_BYTES_MAX:
            raise LimitExceeded(3202, database=name, value=total, limit=BACKUP_BYTES_MAX)


def _bodies(broker: Broker, name: DatabaseName) -> Iterator[bytes | None]:
    # Whoever has something to send is in memory.
    for endpoint in broker.conversations.all_live():
        if endpoint.database == name:
            yield from (row.message_body for row in endpoint.sender.rows())
    for (owner, _), queue in broker.queues.items():
        if owner == name:
            yield from (row.message_body for row in queue.everything())


# ── bringing back ────────────────────────────────────────────────────────────────────────────────────────────────────
def bring_back(broker: Broker, command: AttachDatabase | RestoreDatabase) -> DatabaseAttached:
    """ATTACH or RESTORE: definitions, identity and broker state of the backup, as the option says."""
    _check_base(broker, command)
    is_recovered = True
    if isinstance(command, RestoreDatabase):
        is_recovered = command.is_recovered
        if command.option is not None and not is_recovered:
            raise CatalogError(3031, value=command.option, found="NORECOVERY")
        check_restore(broker.catalog, command.database, command.backup, replaces=command.replaces)
    else:
        check_attach(broker.catalog, command.database, command.backup)
    attachment = Attachment(
        database=command.database,
        backup=command.backup,
        option=command.option,
        new_broker_instance=BrokerInstanceId(broker.entropy.new_uuid()),
        delivery=broker.settings.restore_delivery,
        is_recovered=is_recovered,
    )
    after = copy(broker.catalog)
    attached = attach(after, attachment)
    after.revision = command.revision
    name = attached.database.name
    if name in broker.catalog.databases:
        _clear(broker, name)
    redefine(broker, [Step((DatabaseStateSet(database=name, state=attached.database.state),), after)])
    _load(broker, _rows_for(name, command.backup.rows))
    _end_conversations(broker, attached)
    _wake(broker, name)
    identity.announce(broker, name, attached.notice)
    broker.tell(CatalogApplied(at=broker.now.utc, revision=command.revision))
    return DatabaseAttached(
        broker_instance=attached.database.broker_instance,
        is_broker_enabled=attached.database.is_broker_enabled,
        notice=attached.notice,
        notice_text=identity.notice_text(broker, name, attached.notice),
        revision=command.revision,
    )


def _clear(broker: Broker, name: DatabaseName) -> None:
    """The database that is restored over goes with all its rows, and no peer hears of it."""
    without = copy(broker.catalog)
    del without.databases[name]
    redefine(broker, [Step((DatabaseDropped(database=name),), without)])


def _rows_for(name: DatabaseName, saved: DatabaseRows) -> DatabaseRows:
    """The rows under the name that the database has now; what the backup holds stays as it is."""
    queues = {queue: list(rows) for queue, rows in saved.queues.items()}
    return msgspec.structs.replace(saved, name=name, queues=queues)


def _load(broker: Broker, rows: DatabaseRows) -> None:
    """Into the store and into memory."""
    for endpoint in rows.endpoints:
        broker.change(PutEndpoint(database=rows.name, endpoint=endpoint))
    for waiting in rows.transmission:
        broker.change(AppendTransmission(database=rows.name, row=waiting))
    for queue, messages in rows.queues.items():
        for message in messages:
            broker.change(AppendQueue(database=rows.name, queue=queue, row=message))
    for session in rows.departed:
        broker.change(PutDepartedSession(database=rows.name, session=session))
    restore(broker, rows)


def _end_conversations(broker: Broker, attached: Attached) -> None:
    match attached.ends_conversations:
        case AttachOption.NEW_BROKER:
            identity.end_for_new_broker(broker, attached.database.name)
        case AttachOption.ERROR_BROKER_CONVERSATIONS:
            identity.error_conversations(broker, attached.database.name)
        case _:
            pass


def _wake(broker: Broker, name: DatabaseName) -> None:
    """Everything that waited goes on, as after a start."""
    for endpoint in identity.conversations_of(broker, name):
        if endpoint.wants_to_send:
            endpoint.reclassify_at = broker.now.monotonic
            broker.schedule(endpoint, broker.now.monotonic)
        plan(broker, endpoint)
