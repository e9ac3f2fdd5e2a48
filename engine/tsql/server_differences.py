"""What a server would do otherwise with what an import has made, as warnings: one of a kind for each file."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.tsql.statements import Notice
from engine.tsql.unactivated import Unactivated
from engine.tsql.ungranted import Ungranted


class ServerDifferences:
    """Follows the changes of an import; what has come of them is known at its end."""

    def __init__(self) -> None:
        self._ungranted = Ungranted()
        self._unactivated = Unactivated()

    def follow(self, instance: InstanceName, change: CatalogChange, file: str, line: int) -> None:
        """A change was made, by the statement in `line`."""
        self._ungranted.follow(instance, change, file, line)
        self._unactivated.follow(instance, change, file, line)

    def notices(self, catalogs: Mapping[InstanceName, InstanceCatalog]) -> list[Notice]:
        """The warnings about the catalogs as they are at the end."""
        return [*self._ungranted.notices(catalogs), *self._unactivated.notices(catalogs)]
