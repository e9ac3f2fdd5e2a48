"""Databases in which scripts begin: where no script makes one, as in a project that a build deploys, it is made."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.catalog.changes import DatabaseCreated
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.identifiers import MASTER, BrokerInstanceId, DatabaseName
from engine.tsql.statements import CreateDatabase, Script


class DatabasesBegunIn:
    """Those that were named with an import, and that none of its scripts makes."""

    def __init__(self, scripts: Iterable[Script], named: Iterable[DatabaseName | None]) -> None:
        """`named` are the databases in which the scripts begin, where one is given."""
        made = {
            statement.name.casefold()
            for script in scripts
            for statement in script.statements
            if isinstance(statement, CreateDatabase)
        }
        self._names = {name.casefold() for name in named if name is not None} - made - {MASTER.casefold()}

    def missing(
        self, catalog: InstanceCatalog, database: DatabaseName | None, entropy: Entropy
    ) -> DatabaseCreated | None:
        """What makes the current database; None where it is there, or is none of these."""
        if database is None or database.casefold() not in self._names:
            return None
        if spelling_in(catalog.databases, database) is not None:
            return None
        return DatabaseCreated(database=database, broker_instance=BrokerInstanceId(entropy.new_uuid()))
