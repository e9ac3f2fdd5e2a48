"""Databases as such: made and dropped, broker, state, mirroring (tsql.md 10, identity.md 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    PartnerSet,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.identity import DatabaseChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database
from engine.tsql.writing.quoting import bracketed, finding, quoted
from engine.tsql.writing.written import Written

AT_ONCE: Final = "WITH ROLLBACK IMMEDIATE"
"""These options wait for every other session of the database; what is open there is rolled back."""

_OWN_IDS = (
    "A server gives each database a broker id of its own; the ids of this estate stand in comments. "
    "Bring routes that name an id into line with what the server has."
)
_ENTERED: Final = {
    DatabaseState.OFFLINE: "OFFLINE",
    DatabaseState.READ_ONLY: "READ_ONLY",
    DatabaseState.SINGLE_USER: "SINGLE_USER",
}
_LEFT: Final = {
    DatabaseState.OFFLINE: "ONLINE",
    DatabaseState.READ_ONLY: "READ_WRITE",
    DatabaseState.SINGLE_USER: "MULTI_USER",
}


def of_database(change: DatabaseChange, present: InstanceCatalog, wanted: InstanceCatalog) -> Iterator[Written]:
    """The statements for a change of a database as such; `present` is the catalog just before it."""
    name = change.database
    match change:
        case DatabaseCreated():
            yield Written(
                kind="database",
                name=name,
                text=f"CREATE DATABASE {bracketed(name)}; -- broker_instance: {change.broker_instance}",
                condition=finding("databases", name),
                notes=(_OWN_IDS,),
            )
        case DatabaseDropped():
            yield Written(
                kind="database",
                name=name,
                text=f"DROP DATABASE {bracketed(name)};",
                condition=finding("databases", name),
                is_drop=True,
                notes=("DROP DATABASE takes the data, the conversations and the messages with it.",),
            )
        case BrokerSwitched():
            yield _set(name, f"{'ENABLE' if change.is_enabled else 'DISABLE'}_BROKER {AT_ONCE}")
        case BrokerRenewed():
            comment = f" -- broker_instance: {change.broker_instance}"
            yield _set(name, f"NEW_BROKER {AT_ONCE}", comment, notes=(_OWN_IDS,))
        case BrokerConversationsErrored():
            yield _set(name, f"ERROR_BROKER_CONVERSATIONS {AT_ONCE}")
        case DatabaseStateSet():
            yield from _state(change, present, wanted)
        case PartnerSet():
            is_copy = find_database(present, name).state is DatabaseState.MIRROR
            yield _partner(name, change.partner_address, "mirror" if is_copy else None)
        case _:
            assert_never(change)


def _set(name: str, option: str, comment: str = "", *, notes: tuple[str, ...] = ()) -> Written:
    return Written(
        kind="database", name=name, text=f"ALTER DATABASE {bracketed(name)} SET {option};{comment}", notes=notes
    )


def _partner(name: str, address: str | None, role: str | None) -> Written:
    notes: tuple[str, ...] = ()
    if role == "mirror":
        notes = (
            f"Database {name} is a mirror copy: restore it WITH NORECOVERY from a backup of the principal before "
            "SET PARTNER.",
        )
    option = "PARTNER OFF" if address is None else f"PARTNER = {quoted(address)}"
    return _set(name, option, "" if role is None else f" -- role: {role}", notes=notes)


def _state(change: DatabaseStateSet, present: InstanceCatalog, wanted: InstanceCatalog) -> Iterator[Written]:
    """What ends the state that is, then what begins the one that is wanted."""
    database = find_database(present, change.database)
    if database.state is DatabaseState.MIRROR:
        yield _partner(database.name, database.partner_address, "principal")
    elif database.state in _LEFT:
        yield _set(database.name, _LEFT[database.state])
    if change.state in _ENTERED:
        yield _set(database.name, f"{_ENTERED[change.state]} {AT_ONCE}")
    elif change.state is DatabaseState.MIRROR:
        final = find_database(wanted, change.database)
        if final.partner_address == database.partner_address or final.state is not DatabaseState.MIRROR:
            yield _partner(database.name, database.partner_address, "mirror")
        # Otherwise the partner comes next, and says the role along with the address.
