"""Which objects an instance has applied otherwise than they are wanted."""

from __future__ import annotations

import msgspec

from engine.core.catalog.names import spelling_in
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import InstanceName
from engine.questions.matching import register
from engine.questions.table import CellKind, Column, EstateState, Note, NoteKind, Row, Table, fault_notes
from engine.revisions import changed_objects
from engine.whatif.faults import NOT_HERE


class Drift(msgspec.Struct, frozen=True):
    """Of one instance, or of all."""

    instance: InstanceName | None = None


COLUMNS = (
    *map(Column, ("instance", "database")),
    Column("kind", CellKind.WORD),
    Column("name"),
    Column("difference", CellKind.WORD),
)


def answer(asked: Drift, state: EstateState) -> Table:
    """Every object that differs; instances of which nothing is known are told as not looked at."""
    given = {catalog.name: catalog for catalog in state.catalogs.values()}
    applied = {catalog.name: catalog for catalog in (state.applied or {}).values()}
    only = None if asked.instance is None else spelling_in(given, asked.instance)
    if asked.instance is not None and only is None:
        raise CatalogError(NOT_HERE, value="instance", name=asked.instance, database="the estate")
    rows: list[Row] = []
    unknown = []
    for wanted in given.values():
        if only not in (None, wanted.name):
            continue
        if wanted.name not in applied:
            unknown.append(wanted.name)
            continue
        for change in changed_objects(applied[wanted.name], wanted):
            how = "missing" if change.before is None else "left-over" if change.after is None else "differs"
            found = change.after or change.before
            assert found is not None, "what differs is on one of the two sides"
            rows.append((wanted.name, found.database, found.kind.value, found.name, how))
    notes = (Note(kind=NoteKind.NOT_APPLIED, names=tuple(unknown)),) if unknown else ()
    return Table(columns=COLUMNS, rows=tuple(rows), base=state.label, notes=(*notes, *fault_notes(state)))


REGISTRATION = register(
    "drift",
    "Objects that are not applied as they are wanted.",
    Drift,
    COLUMNS,
    answer,
    key=("instance", "database", "kind", "name"),
    heeds_faults=False,
)
