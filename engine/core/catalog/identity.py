"""Changes to databases as such: made and dropped, broker on, off or renewed, state, mirroring partner (identity.md).

Every function checks first and writes last, so a refused change changes nothing.
"""

from __future__ import annotations

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.broker_states import BrokerInput, BrokerState, broker_state_of, next_broker_state
from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    PartnerSet,
)
from engine.core.catalog.database import CLOSED_TO_COMMANDS, DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import check_name, find_database, same_name, spelling_in
from engine.core.catalog.route import NetworkAddress
from engine.core.catalog.route_rules import AUTO_CREATED_LOCAL
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import MASTER, MSDB, BrokerInstanceId, DatabaseName
from engine.core.vocabulary.mirrors import MirroringRole

DatabaseChange = (
    DatabaseCreated
    | DatabaseDropped
    | BrokerSwitched
    | BrokerRenewed
    | BrokerConversationsErrored
    | DatabaseStateSet
    | PartnerSet
)


def is_system_database(name: str) -> bool:
    """Whether the database belongs to every instance."""
    return same_name(name, MASTER) or same_name(name, MSDB)


def active_owner_of(
    catalog: InstanceCatalog, broker_instance: BrokerInstanceId, *, other_than: str
) -> DatabaseCatalog | None:
    """Another database of the instance whose broker is on under this id (identity.md 5)."""
    for database in databases_with(catalog, broker_instance):
        if database.is_broker_enabled and not same_name(database.name, other_than):
            return database
    return None


def databases_with(catalog: InstanceCatalog, broker_instance: BrokerInstanceId) -> list[DatabaseCatalog]:
    """The databases of the instance that have this broker id, in order."""
    # Every database made asks this of all others; numbers compare far faster than identifiers do.
    number = broker_instance.int
    return [database for database in catalog.databases.values() if database.broker_instance.int == number]


def create_database(catalog: InstanceCatalog, change: DatabaseCreated) -> None:
    """Add a database with what it is born with."""
    check_name(change.database)
    if spelling_in(catalog.databases, change.database) is not None:
        raise CatalogError(1801, database=change.database)
    is_master = same_name(change.database, MASTER)
    rival = active_owner_of(catalog, change.broker_instance, other_than=change.database)
    catalog.databases[change.database] = DatabaseCatalog(
        name=change.database,
        broker_instance=change.broker_instance,
        is_broker_enabled=not is_master and rival is None,
        state=change.state,
        routes={} if is_master else {AUTO_CREATED_LOCAL.name: AUTO_CREATED_LOCAL},
    )


def drop_database(catalog: InstanceCatalog, change: DatabaseDropped) -> None:
    """Remove a database; the system's own stay (3708)."""
    database = find_database(catalog, change.database)
    if is_system_database(database.name):
        raise CatalogError(3708, value="database", name=database.name)
    del catalog.databases[database.name]


def switch_broker(catalog: InstanceCatalog, change: BrokerSwitched) -> None:
    """Broker on or off. On is refused beside an active twin (9772) and during mirroring (1468)."""
    database = find_database(catalog, change.database)
    if change.is_enabled and not database.is_broker_enabled:
        _check_no_twin(catalog, database, database.broker_instance)
        if database.partner_address is not None:
            raise CatalogError(1468, database=database.name)
    _step(database, BrokerInput.ENABLE if change.is_enabled else BrokerInput.DISABLE)


def renew_broker(catalog: InstanceCatalog, change: BrokerRenewed) -> None:
    """A new identity, and the broker on; refused for read-only (9775) and mirrored (9778) databases."""
    database = find_database(catalog, change.database)
    if database.state is DatabaseState.READ_ONLY:
        raise CatalogError(9775, database=database.name)
    if database.partner_address is not None or database.state is DatabaseState.MIRROR:
        raise CatalogError(9778, database=database.name)
    _check_no_twin(catalog, database, change.broker_instance)
    database.broker_instance = change.broker_instance
    _step(database, BrokerInput.NEW)


def error_conversations(catalog: InstanceCatalog, change: BrokerConversationsErrored) -> None:
    """The broker is on afterwards, so what refuses ENABLE_BROKER refuses this too; so does what cannot be written to.

    Refused for an off-line database (942), a mirror copy (954) and a read-only one (3906).
    """
    database = find_database(catalog, change.database)
    number = CLOSED_TO_COMMANDS.get(database.state)
    if number is not None:
        raise CatalogError(number, database=database.name)
    _check_no_twin(catalog, database, database.broker_instance)
    if database.partner_address is not None and not database.is_broker_enabled:
        raise CatalogError(1468, database=database.name)
    # Within one change of the catalog, so that nobody ever sees the database between the two.
    _step(database, BrokerInput.ERROR_CONVERSATIONS, BrokerInput.ALL_IN_ERROR)


def switch_off_twins(catalog: InstanceCatalog) -> list[DatabaseCatalog]:
    """At start-up: of databases with one id the first stays a broker; answers those that are switched off (9723)."""
    found = [
        database
        for number, database in enumerate(catalog.databases.values())
        if database.is_broker_enabled and _has_active_elder(catalog, database, number)
    ]
    for database in found:
        _step(database, BrokerInput.TWIN_FOUND)
    return found


def _has_active_elder(catalog: InstanceCatalog, database: DatabaseCatalog, number: int) -> bool:
    elders = list(catalog.databases.values())[:number]
    return any(elder.is_broker_enabled and elder.broker_instance == database.broker_instance for elder in elders)


def _step(database: DatabaseCatalog, *inputs: BrokerInput) -> None:
    """The only writer of a delivery switch that is there already."""
    state = broker_state_of(is_enabled=database.is_broker_enabled)
    for happened in inputs:
        state = next_broker_state(state, happened)
    database.is_broker_enabled = state is BrokerState.ENABLED


def _check_no_twin(catalog: InstanceCatalog, database: DatabaseCatalog, broker_instance: BrokerInstanceId) -> None:
    twin = active_owner_of(catalog, broker_instance, other_than=database.name)
    if twin is not None:
        raise CatalogError(9772, database=database.name, name=twin.name)


def set_state(catalog: InstanceCatalog, change: DatabaseStateSet) -> None:
    """Another state; the system's own databases are never mirror copies (153)."""
    database = find_database(catalog, change.database)
    if change.state is DatabaseState.MIRROR:
        _check_can_be_mirrored(database)
    database.state = change.state


def role_change(catalog: InstanceCatalog, name: DatabaseName, role: MirroringRole) -> DatabaseStateSet | None:
    """The change that gives a mirrored database its role; None when it has it already.

    Refused for the system's own databases (153), one that is not mirrored (1416), and one whose state allows no role
    (1455). `CatalogError` throughout.
    """
    database = find_database(catalog, name)
    _check_can_be_mirrored(database)
    is_copy = database.state is DatabaseState.MIRROR
    if database.partner_address is None and not is_copy:
        raise CatalogError(1416, database=database.name)
    if not is_copy and database.state is not DatabaseState.ONLINE:
        raise CatalogError(1455, database=database.name, value=role, state=database.state)
    if is_copy == (role is MirroringRole.MIRROR):
        return None
    state = DatabaseState.MIRROR if role is MirroringRole.MIRROR else DatabaseState.ONLINE
    return DatabaseStateSet(database=database.name, state=state)


def set_partner(catalog: InstanceCatalog, change: PartnerSet) -> None:
    """The address of the mirroring partner, or none; only a TCP address with a port will do (9744)."""
    database = find_database(catalog, change.database)
    if change.partner_address is not None:
        _check_can_be_mirrored(database)
        address, _ = parse_route_address(change.partner_address, port_required=True, clause="PARTNER")
        if not isinstance(address, NetworkAddress):
            raise CatalogError(9744, address=str(address), detail="a partner is a server", clause="PARTNER")
    database.partner_address = change.partner_address


def _check_can_be_mirrored(database: DatabaseCatalog) -> None:
    if is_system_database(database.name):
        raise CatalogError(
            153, name=database.name, value="Mirroring", detail="system databases stay on their own server"
        )


def apply_to_database(catalog: InstanceCatalog, change: DatabaseChange) -> None:
    """Obey one change of this module."""
    match change:
        case DatabaseCreated():
            create_database(catalog, change)
        case DatabaseDropped():
            drop_database(catalog, change)
        case BrokerSwitched():
            switch_broker(catalog, change)
        case BrokerRenewed():
            renew_broker(catalog, change)
        case BrokerConversationsErrored():
            error_conversations(catalog, change)
        case DatabaseStateSet():
            set_state(catalog, change)
        case PartnerSet():
            set_partner(catalog, change)
