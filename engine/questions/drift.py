"""Which objects an instance has applied otherwise than they are wanted."""

from __future__ import annotations

import msgspec

from engine.questions.table import Column, EstateState, Table, register
from engine.revisions import changed_objects


class Drift(msgspec.Struct, frozen=True):
    """Of one instance, or of all."""

    instance: str | None = None


COLUMNS = tuple(map(Column, ("instance", "database", "kind", "name", "difference")))


def answer(asked: Drift, state: EstateState) -> Table:
    """Every object that differs; instances of which nothing is known are told as not looked at."""
    applied = {catalog.name: catalog for catalog in (state.applied or {}).values()}
    rows, unknown = [], []
    for wanted in state.catalogs.values():
        if asked.instance not in (None, wanted.name):
            continue
        if wanted.name not in applied:
            unknown.append(wanted.name)
            continue
        for change in changed_objects(applied[wanted.name], wanted):
            how = "missing" if change.before is None else "left over" if change.after is None else "differs"
            rows.append((wanted.name, change.key.database or None, change.key.kind.value, change.key.name, how))
    caps = (f"not known what has been applied: {', '.join(unknown)}",) if unknown else ()
    return Table(columns=COLUMNS, rows=tuple(rows), base=state.label, caps=caps)


REGISTRATION = register("drift", "Objects that are not applied as they are wanted.", Drift, COLUMNS, answer)
