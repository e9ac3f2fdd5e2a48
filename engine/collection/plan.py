"""Planning an import of collected documents: what each server has, against what the estate has of it.

A document is a state and no script, so an object that the estate has in another form is changed to what the server
has. What the server has no more stays in the estate, and is told: a server that was asked by somebody with too few
rights would otherwise be emptied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from engine.collection.document import Document, read_document
from engine.collection.servers import take_server
from engine.collection.taking import Taken, Taking
from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.difference import diff
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.catalog.revision import copy
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.keys import KeySmith
from engine.revisions import (
    INSTANCE_LEVEL,
    CatalogObject,
    ObjectKey,
    ObjectKind,
    object_at,
    objects_of,
    same_object,
    with_objects,
)
from engine.tsql.plan import Backlog, Effect, ImportPlan, PlanRow
from engine.tsql.statements import Problem

_NAMED_MAX = 3


class CollectedFile(msgspec.Struct, frozen=True):
    """A collector's file. `instance`: what the server is called in the estate; None is its own name."""

    name: str
    text: str
    instance: InstanceName | None = None
    left_out: frozenset[int] = frozenset()
    """Objects that are not taken over, by their number in the document."""


def plan_collections(
    files: Sequence[CollectedFile],
    catalogs: Mapping[InstanceName, InstanceCatalog],
    *,
    entropy: Entropy,
    smith: KeySmith | None = None,
) -> ImportPlan:
    """What the servers that `files` tell of would make of `catalogs`; the later one counts where two tell of one.

    Rows and problems have the number of their object, counted from 1 in the order of the document, as line.
    """
    work = dict(catalogs)
    found = ImportPlan(
        rows=(),
        problems=(),
        warnings=(),
        created=(),
        changes={},
        catalogs={name: copy(each) for name, each in work.items()},
    )
    for file in files:
        found = joined(found, _plan_one(file, work, entropy, smith))
        work = dict(found.catalogs)
    if found.problems:
        kept = {name: copy(each) for name, each in catalogs.items()}
        return msgspec.structs.replace(found, created=(), changes={}, catalogs=kept)
    return found


def joined(first: ImportPlan, second: ImportPlan) -> ImportPlan:
    """Two plans as one; `second` was made for the catalogs that `first` leaves."""
    return ImportPlan(
        rows=(*first.rows, *second.rows),
        problems=(*first.problems, *second.problems),
        warnings=(*first.warnings, *second.warnings),
        created=(*first.created, *(name for name in second.created if name not in first.created)),
        changes={
            name: (*first.changes.get(name, ()), *second.changes.get(name, ()))
            for name in first.changes.keys() | second.changes.keys()
        },
        catalogs={**first.catalogs, **second.catalogs},
        backlogs=(*first.backlogs, *second.backlogs),
        files={**first.files, **second.files},
    )


def _plan_one(
    file: CollectedFile, catalogs: Mapping[InstanceName, InstanceCatalog], entropy: Entropy, smith: KeySmith | None
) -> ImportPlan:
    try:
        document = read_document(file.text)
    except CatalogError as error:
        taking = Taking(file.name, InstanceCatalog(name=InstanceName("")), frozenset())
        taking.problem(error)
        return _refused(taking.problems, catalogs)
    wanted = file.instance or InstanceName(document.server_name)
    instance = spelling_in(catalogs, wanted) or wanted
    known = catalogs.get(instance)
    taking = take_server(document, file.name, instance, known, file.left_out, entropy, smith)
    before = known or InstanceCatalog(name=instance)
    wished = objects_of(taking.catalog)
    merged = with_objects(before, wished)
    changes: tuple[CatalogChange, ...] = ()
    if not taking.problems:
        try:
            changes = diff(before, merged)
        except CatalogError as error:
            taking.problem(error)
    rows = [_row(each, file.name, instance, before, wished) for each in taking.taken]
    if taking.problems:
        return msgspec.structs.replace(_refused(taking.problems, catalogs), rows=tuple(rows))
    _tell_what_stays(taking, document, before, wished)
    return ImportPlan(
        rows=tuple(rows),
        problems=(),
        warnings=tuple(taking.notices),
        created=(instance,) if known is None else (),
        changes={instance: changes} if changes else {},
        catalogs={**catalogs, instance: merged},
        backlogs=tuple(_backlogs(document, instance)),
    )


def _refused(problems: Sequence[Problem], catalogs: Mapping[InstanceName, InstanceCatalog]) -> ImportPlan:
    return ImportPlan(rows=(), problems=tuple(problems), warnings=(), created=(), changes={}, catalogs=dict(catalogs))


def _row(
    taken: Taken,
    file: str,
    instance: InstanceName,
    before: InstanceCatalog,
    wished: Mapping[ObjectKey, CatalogObject],
) -> PlanRow:
    effect, text = taken.effect, taken.text
    if effect is None:
        found = None if taken.key is None else wished.get(taken.key)
        known = None if taken.key is None else object_at(before, taken.key)
        effect = Effect.ADD if known is None else Effect.SAME if same_object(known, found) else Effect.CHANGE
        text = "Is so already." if effect is Effect.SAME else ""
    return PlanRow(
        file=file,
        line=taken.number,
        verb="COLLECTED",
        object_kind=taken.kind,
        object_name=taken.name,
        instance=instance,
        database=taken.database,
        effect=effect,
        text=text,
    )


def _tell_what_stays(
    taking: Taking, document: Document, before: InstanceCatalog, wished: Mapping[ObjectKey, CatalogObject]
) -> None:
    """Objects of databases that were looked into, and that nobody saw there."""
    looked_into = {row.name.casefold() for row in document.databases if row.sys is not None}
    missing: dict[DatabaseName, list[str]] = {}
    for key, found in objects_of(before).items():
        is_seen = key.database != INSTANCE_LEVEL and key.database in looked_into
        if is_seen and key not in wished and found.database is not None and found.kind is not ObjectKind.MASTER_KEY:
            missing.setdefault(found.database, []).append(f"{found.kind.value.replace('-', ' ')} '{found.name}'")
    for database, names in missing.items():
        further = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
        taking.notice(
            f"The estate has in {database} what the server does not show: {', '.join(names[:_NAMED_MAX])}{further}. "
            "It stays; drop it in the change set if it is gone."
        )


def _backlogs(document: Document, instance: InstanceName) -> Iterator[Backlog]:
    for database in document.databases:
        for row in () if database.sys is None else database.sys.transmission_queue:
            yield Backlog(
                instance=instance,
                database=DatabaseName(database.name),
                to_service=row.to_service_name or "",
                status=row.transmission_status or "",
                messages=row.messages,
                oldest=row.oldest,
            )
