"""Services to which an import grants nobody SEND: here everybody may send to them, on a real server nobody else."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.core.catalog.changes import CatalogChange, ServiceCreated, ServiceDropped
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.permissions import Securable
from engine.core.catalog.security_changes import PermissionSet
from engine.core.vocabulary.identifiers import InstanceName
from engine.tsql.statements import Notice

_NAMED_MAX = 3


class _Made(msgspec.Struct, frozen=True):
    """A service that can be a target, and where it was made."""

    name: str
    file: str
    line: int


class Ungranted:
    """Follows the changes of an import; services are born open, so what is open is open until somebody says more."""

    def __init__(self) -> None:
        self._made: dict[tuple[InstanceName, str, str], _Made] = {}

    def follow(self, instance: InstanceName, change: CatalogChange, file: str, line: int) -> None:
        """A change was made, by the statement in `line`."""
        match change:
            case ServiceCreated() if change.service.contracts:
                name = change.service.name
                self._made[instance, change.database.casefold(), name] = _Made(name, file, line)
            case ServiceDropped():
                self._made.pop((instance, change.database.casefold(), change.name), None)
            case PermissionSet(securable=Securable.SERVICE):
                self._made.pop((instance, change.database.casefold(), change.name), None)
            case _:
                # Nothing else says who may send.
                pass

    def notices(self, catalogs: Mapping[InstanceName, InstanceCatalog]) -> list[Notice]:
        """One for each file: which of its services nobody was named for, where a server would refuse somebody."""
        by_file: dict[str, list[_Made]] = {}
        for (instance, database, _), made in self._made.items():
            catalog = catalogs.get(instance)
            if catalog is None or not _has_owners_services_alone(catalog, database):
                by_file.setdefault(made.file, []).append(made)
        return [
            Notice(file, found[0].line, _sentence([each.name for each in found])) for file, found in by_file.items()
        ]


def _has_owners_services_alone(catalog: InstanceCatalog, database: str) -> bool:
    """Whether all conversations are between services of one owner in one database: an owner needs no permission.

    A database of one service expects the other side from elsewhere.
    """
    owners = {
        name.casefold(): [service.owner.casefold() for service in each.services.values()]
        for name, each in catalog.databases.items()
        if each.services
    }
    own = owners.get(database, [])
    return catalog.endpoint is None and len(owners) == 1 and len(own) > 1 and len(set(own)) == 1


def _sentence(names: list[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in names[:_NAMED_MAX])
    further = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    return (
        f"Nobody is granted SEND on {listed}{further}. Here public may send to a new service; SQL Server lets only its "
        "owner send and answers everybody else with error -8494. Add GRANT SEND ON SERVICE::… TO public, or to a user."
    )
