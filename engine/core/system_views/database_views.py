"""Views of the databases of an instance: what they are to the broker, and to their mirroring partners (views.md 1)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID, uuid5

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.route import NetworkAddress
from engine.core.system_views.definition import NULL, CellOf, Column, Scope, SystemView, fixed

ONLINE, RESTORING, OFFLINE = 0, 1, 6
"""`state` of sys.databases; a mirror copy is always being restored."""

_STATES: Final = {
    DatabaseState.MIRROR: (RESTORING, "RESTORING"),
    DatabaseState.OFFLINE: (OFFLINE, "OFFLINE"),
}
_ONLINE: Final = (ONLINE, "ONLINE")


def _is_single_user(database: DatabaseCatalog) -> bool:
    return database.state is DatabaseState.SINGLE_USER


DATABASES: Final = SystemView[DatabaseCatalog](
    name="sys.databases",
    about="Databases of the instance: name, id, state and the columns of the broker.",
    scope=Scope.INSTANCE,
    rows=lambda reader: reader.broker.catalog.databases.values(),
    columns=(
        Column("name", "sysname", "database", lambda _, database: database.name),
        Column("database_id", "int", "id", lambda reader, database: reader.database_id(database.name)),
        Column("owner_sid", "varbinary(85)", "0x01 = sa", fixed(b"\x01"), NULL),
        Column(
            "user_access",
            "tinyint",
            "0 MULTI_USER, 1 SINGLE_USER",
            lambda _, each: int(_is_single_user(each)),
            NULL,
        ),
        Column(
            "user_access_desc",
            "nvarchar(60)",
            "the same in words",
            lambda _, each: "SINGLE_USER" if _is_single_user(each) else "MULTI_USER",
            NULL,
        ),
        Column("is_read_only", "bit", "READ_ONLY", lambda _, each: each.state is DatabaseState.READ_ONLY, NULL),
        Column(
            "state",
            "tinyint",
            "0 ONLINE, 1 RESTORING (a mirror copy), 6 OFFLINE",
            lambda _, each: _STATES.get(each.state, _ONLINE)[0],
            NULL,
        ),
        Column(
            "state_desc", "nvarchar(60)", "the same in words", lambda _, each: _STATES.get(each.state, _ONLINE)[1], NULL
        ),
        Column("service_broker_guid", "uniqueidentifier", "broker id", lambda _, database: database.broker_instance),
        Column("is_broker_enabled", "bit", "broker on", lambda _, database: database.is_broker_enabled),
        Column("is_trustworthy_on", "bit", "TRUSTWORTHY", lambda _, each: each.is_trustworthy, NULL),
        Column("is_honor_broker_priority_on", "bit", "sends by priority", lambda _, each: each.is_priority_honoured),
    ),
    differs=(
        "The vendor's other columns are left out.",
        "A database has one state: what is off-line or a mirror copy is shown as MULTI_USER and not read-only.",
    ),
)


# ── mirroring ────────────────────────────────────────────────────────────────────────────────────────────────────────
def _is_mirrored(database: DatabaseCatalog) -> bool:
    return database.partner_address is not None or database.state is DatabaseState.MIRROR


def _of_mirrored(cell: CellOf[DatabaseCatalog]) -> CellOf[DatabaseCatalog]:
    """NULL for a database that is not mirrored."""
    return lambda reader, database: cell(reader, database) if _is_mirrored(database) else None


def _session(database: DatabaseCatalog) -> UUID:
    """Both partners have the same broker id, so they come to the same number."""
    return uuid5(database.broker_instance, "database mirroring")


def _is_copy(database: DatabaseCatalog) -> bool:
    return database.state is DatabaseState.MIRROR


def _partner_host(database: DatabaseCatalog) -> str | None:
    if database.partner_address is None:
        return None
    address, _ = parse_route_address(database.partner_address, port_required=False, clause="PARTNER")
    return address.tcp.host if isinstance(address, NetworkAddress) else None


def _mirrored(name: str, sql_type: str, meaning: str, cell: CellOf[DatabaseCatalog]) -> Column[DatabaseCatalog]:
    return Column(name, sql_type, meaning, _of_mirrored(cell), NULL)


DATABASE_MIRRORING: Final = SystemView[DatabaseCatalog](
    name="sys.database_mirroring",
    about="Each database of the instance, with its role and its partner where it is mirrored; NULL where it is not.",
    scope=Scope.INSTANCE,
    rows=lambda reader: reader.broker.catalog.databases.values(),
    columns=(
        Column("database_id", "int", "id", lambda reader, database: reader.database_id(database.name)),
        _mirrored("mirroring_guid", "uniqueidentifier", "the pair", lambda _, each: _session(each)),
        _mirrored("mirroring_state", "tinyint", "4 = SYNCHRONIZED", fixed(4)),
        _mirrored("mirroring_state_desc", "nvarchar(60)", "SYNCHRONIZED", fixed("SYNCHRONIZED")),
        _mirrored("mirroring_role", "tinyint", "1 PRINCIPAL, 2 MIRROR", lambda _, each: 2 if _is_copy(each) else 1),
        _mirrored(
            "mirroring_role_desc",
            "nvarchar(60)",
            "the same in words",
            lambda _, each: "MIRROR" if _is_copy(each) else "PRINCIPAL",
        ),
        _mirrored("mirroring_safety_level", "tinyint", "2 = FULL", fixed(2)),
        _mirrored("mirroring_safety_level_desc", "nvarchar(60)", "FULL", fixed("FULL")),
        _mirrored("mirroring_partner_name", "nvarchar(128)", "address", lambda _, each: each.partner_address),
        _mirrored("mirroring_partner_instance", "nvarchar(128)", "server", lambda _, each: _partner_host(each)),
        _mirrored("mirroring_witness_name", "nvarchar(128)", "none", fixed(None)),
    ),
    differs=(
        "Transport between partners is not modelled: `mirroring_state` is SYNCHRONIZED whether or not the partner can "
        "be reached, `mirroring_safety_level` FULL.",
        "`mirroring_partner_instance` is the host of the partner's address. There are no witnesses.",
        "The vendor's other columns are left out.",
    ),
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (DATABASES, DATABASE_MIRRORING)
