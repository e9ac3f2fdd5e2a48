"""Queues that an import lets activate a procedure: an import makes no procedures, so nothing reads their messages."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.core.catalog.changes import CatalogChange, QueueAltered, QueueCreated
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in, with_schema
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName
from engine.tsql.statements import Notice

_NAMED_MAX = 3


class _Queue(msgspec.Struct, frozen=True):
    """A queue, by the spelling of its first statement."""

    instance: InstanceName
    database: DatabaseName
    name: QueueName


class _Place(msgspec.Struct, frozen=True):
    """Where a statement gave it its activation."""

    file: str
    line: int


class Unactivated:
    """Follows the changes of an import; a queue may lose its activation again."""

    def __init__(self) -> None:
        self._given: dict[_Queue, _Place] = {}

    def follow(self, instance: InstanceName, change: CatalogChange, file: str, line: int) -> None:
        """A change was made, by the statement in `line`."""
        match change:
            case QueueCreated() if change.queue.activation is not None:
                name = change.queue.name
            case QueueAltered() if change.activation is not None:
                name = change.name
            case _:
                # Nothing else switches activation on.
                return
        self._given[_Queue(instance, change.database, name)] = _Place(file, line)

    def notices(self, catalogs: Mapping[InstanceName, InstanceCatalog]) -> list[Notice]:
        """One for each file: which of its queues have activation on at the end of the import."""
        by_file: dict[str, dict[tuple[str, str], int]] = {}
        for queue, place in self._given.items():
            if (found := _activated(catalogs, queue)) is not None:
                by_file.setdefault(place.file, {}).setdefault(found, place.line)
        return [Notice(file, min(found.values()), _sentence(list(found))) for file, found in by_file.items()]


def _activated(catalogs: Mapping[InstanceName, InstanceCatalog], queue: _Queue) -> tuple[str, str] | None:
    """The queue and its procedure, if activation is on. Of no readers there is a warning already (9648)."""
    catalog = catalogs.get(queue.instance)
    database = None if catalog is None else catalog.databases.get(queue.database)
    if database is None:
        return None
    name = spelling_in(database.queues, with_schema(queue.name))
    activation = None if name is None else database.queues[name].activation
    if name is None or activation is None or not activation.is_enabled or activation.max_queue_readers == 0:
        return None
    return name, activation.procedure_name


def _sentence(found: list[tuple[str, str]]) -> str:
    listed = ", ".join(f"'{name}' ('{procedure}')" for name, procedure in found[:_NAMED_MAX])
    further = f" and {len(found) - _NAMED_MAX} more" if len(found) > _NAMED_MAX else ""
    return (
        f"Activation is on for {listed}{further}, and an import creates no procedures. Messages wait there until a "
        "session receives them, or until a reader with the name of the procedure is registered (READER_MODULES)."
    )
