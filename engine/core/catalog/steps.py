"""A revision in steps, so that whatever lives by the definitions can follow changes that build on one another.

What follows from a change is asked of the catalog as that change leaves it: a later one may take the object away
again, or bring back another of the same name. Changes that nothing living follows share a step, and so do changes of
one kind to different objects, so a large import takes few steps. What happens to a whole database has a step of its
own, for the conversations of others hear of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    CatalogChange,
    ContractDropped,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    QueueAltered,
    QueueDropped,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database
from engine.core.catalog.revision import InstanceChange, apply_change, copy
from engine.core.catalog.security_changes import MasterKeyAltered, MasterKeyDropped, MasterKeyRegenerated

_OF_DATABASES = (
    *(DatabaseDropped, DatabaseStateSet, BrokerSwitched, BrokerRenewed, BrokerConversationsErrored),
    *(MasterKeyAltered, MasterKeyRegenerated, MasterKeyDropped),
)
_FOLLOWED = (*_OF_DATABASES, ContractDropped, QueueAltered, QueueDropped, ServiceAltered, ServiceDropped)
"""Changes that conversations, queues or links follow, each at its place among the others."""


class Step(NamedTuple):
    """Changes, each with its database spelled as the catalog spells it, and the catalog as they leave it."""

    changes: tuple[CatalogChange, ...]
    after: InstanceCatalog


def steps_of(catalog: InstanceCatalog, changes: Iterable[CatalogChange]) -> list[Step]:
    """All changes of a revision, applied to copies of `catalog`; `CatalogError` when one is refused. Never empty."""
    after = copy(catalog)
    steps: list[Step] = []
    run: list[CatalogChange] = []
    kind: type | None = None
    targets: set[tuple[str, str]] = set()
    for change in changes:
        own_kind = type(change) if isinstance(change, _FOLLOWED) else None
        target = _target(change)
        is_alone = isinstance(change, _OF_DATABASES) or (own_kind is not None and target in targets)
        if run and (own_kind is not kind or is_alone):
            steps.append(Step(tuple(run), after))
            after, run, targets = copy(after), [], set()
        run.append(_applied(after, change))
        kind = own_kind
        targets.add(target)
    return [*steps, Step(tuple(run), after)]


def _target(change: CatalogChange) -> tuple[str, str]:
    """What a change is about, however it is spelled."""
    return getattr(change, "database", "").casefold(), getattr(change, "name", "").casefold()


def _applied(catalog: InstanceCatalog, change: CatalogChange) -> CatalogChange:
    """Apply a change; answers it with the database spelled as the catalog spells it."""
    if not isinstance(change, DatabaseCreated | InstanceChange):
        change = msgspec.structs.replace(change, database=find_database(catalog, change.database).name)
    apply_change(catalog, change)
    return change
