"""A database comes back from a backup: what it may replace, and what becomes of its broker (identity.md 4, 5).

Everything is checked first and written last, so a refused restore changes nothing.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.catalog.broker_states import BrokerInput, broker_state_of, next_broker_state
from engine.core.catalog.broker_states import BrokerState as _State
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.identity import active_owner_of, is_system_database
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import check_name, spelling_in
from engine.core.catalog.revision import copy
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName
from engine.core.vocabulary.settings import RestoreDelivery

CANNOT_ENABLE, WILL_BE_OFF, NO_NEW_BROKER = 9772, 9773, 9774


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """How a database comes back."""

    database: DatabaseName
    backup: DatabaseBackup
    option: AttachOption | None
    new_broker_instance: BrokerInstanceId
    """The id that NEW_BROKER gives."""
    delivery: RestoreDelivery
    is_recovered: bool = True
    """Without recovery it stays a mirror copy (RESTORE … WITH NORECOVERY)."""


class Attached(msgspec.Struct, frozen=True, kw_only=True):
    """The database as it is now, and what is to be said about it."""

    database: DatabaseCatalog
    ends_conversations: AttachOption | None
    """NEW_BROKER or ERROR_BROKER_CONVERSATIONS when every conversation is to be ended so; None keeps them."""
    notice: int | None
    """Number of why the broker is off although it was on, or was to be (9772, 9773, 9774)."""


def check_restore(catalog: InstanceCatalog, name: DatabaseName, backup: DatabaseBackup, *, replaces: bool) -> None:
    """Refuse to restore over a system database (3708), a mirrored one (3104), or another one without REPLACE (3154)."""
    check_name(name)
    if is_system_database(name) or is_system_database(backup.definition.name):
        raise CatalogError(3708, value="database", name=name)
    spelled = spelling_in(catalog.databases, name)
    if spelled is None:
        return
    present = catalog.databases[spelled]
    if present.partner_address is not None:
        raise CatalogError(3104, database=spelled)
    if present.broker_instance != backup.definition.broker_instance and not replaces:
        raise CatalogError(3154, database=spelled)


def check_attach(catalog: InstanceCatalog, name: DatabaseName, backup: DatabaseBackup) -> None:
    """Refuse to attach under a name that is taken (1801) or a file of a system database (3708)."""
    check_name(name)
    if is_system_database(backup.definition.name):
        raise CatalogError(3708, value="database", name=name)
    if spelling_in(catalog.databases, name) is not None:
        raise CatalogError(1801, database=name)


def attach(catalog: InstanceCatalog, attachment: Attachment) -> Attached:
    """Put the database into the catalog, in the place of one with its name. `check_…` has let it pass."""
    name = spelling_in(catalog.databases, attachment.database) or attachment.database
    saved = attachment.backup.definition
    option = attachment.option
    is_read_only = saved.state is DatabaseState.READ_ONLY
    renews = option is AttachOption.NEW_BROKER and not is_read_only
    database = msgspec.structs.replace(
        saved,
        name=name,
        broker_instance=attachment.new_broker_instance if renews else saved.broker_instance,
        state=_state_after(saved, is_recovered=attachment.is_recovered),
        partner_address=None,
        # HONOR_BROKER_PRIORITY and TRUSTWORTHY are OFF in a database that comes back (identity.md 4).
        is_priority_honoured=False,
        is_trustworthy=False,
        message_types=dict(saved.message_types),
        contracts=dict(saved.contracts),
        services=dict(saved.services),
    )
    has_twin = active_owner_of(catalog, database.broker_instance, other_than=name) is not None
    state = _broker_after(attachment, database, has_twin=has_twin)
    database.is_broker_enabled = state is not _State.DISABLED
    catalog.databases[name] = database
    return Attached(
        database=database,
        ends_conversations=option if renews or state is _State.ERRORING else None,
        notice=_notice(option, saved, has_twin=has_twin, is_read_only=is_read_only),
    )


def attached_catalog(
    catalog: InstanceCatalog,
    name: DatabaseName,
    backup: DatabaseBackup,
    *,
    broker_instance: BrokerInstanceId,
    is_broker_enabled: bool,
    is_recovered: bool = True,
) -> InstanceCatalog:
    """The catalog with a database as an instance says that it has come back; `catalog` itself stays as it is.

    For who keeps what is wanted beside the instance: identity and switch are in the instance's reply.
    """
    after = copy(catalog)
    renews = broker_instance != backup.definition.broker_instance
    attached = attach(
        after,
        Attachment(
            database=name,
            backup=backup,
            option=AttachOption.NEW_BROKER if renews else None,
            new_broker_instance=broker_instance,
            delivery=RestoreDelivery.UNCHANGED,
            is_recovered=is_recovered,
        ),
    )
    attached.database.is_broker_enabled = is_broker_enabled
    return after


def _state_after(saved: DatabaseCatalog, *, is_recovered: bool) -> DatabaseState:
    if not is_recovered:
        return DatabaseState.MIRROR
    return DatabaseState.READ_ONLY if saved.state is DatabaseState.READ_ONLY else DatabaseState.ONLINE


def _broker_after(attachment: Attachment, database: DatabaseCatalog, *, has_twin: bool) -> _State:
    """As saved unless an option or the setting says otherwise; an id that is active here already decides it."""
    is_on = database.is_broker_enabled and not (attachment.delivery is RestoreDelivery.OFF and attachment.is_recovered)
    state = broker_state_of(is_enabled=is_on)
    match attachment.option:
        case AttachOption.ENABLE_BROKER:
            state = next_broker_state(state, BrokerInput.ENABLE)
        case AttachOption.ERROR_BROKER_CONVERSATIONS:
            state = next_broker_state(state, BrokerInput.ERROR_CONVERSATIONS)
        case AttachOption.NEW_BROKER if database.state is DatabaseState.READ_ONLY:
            state = next_broker_state(state, BrokerInput.DISABLE)
        case AttachOption.NEW_BROKER:
            state = next_broker_state(state, BrokerInput.NEW)
        case None:
            pass
    return next_broker_state(state, BrokerInput.TWIN_FOUND) if has_twin else state


def _notice(option: AttachOption | None, saved: DatabaseCatalog, *, has_twin: bool, is_read_only: bool) -> int | None:
    if option is AttachOption.NEW_BROKER and is_read_only:
        return NO_NEW_BROKER
    if not has_twin:
        return None
    if option is not None:
        return CANNOT_ENABLE
    return WILL_BE_OFF if saved.is_broker_enabled else None
