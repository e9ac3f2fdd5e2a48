"""Which routes expire, when, and how many flows that loses or sends elsewhere."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Final

import msgspec

from engine.core.vocabulary.moment import UtcTime
from engine.questions.matching import register
from engine.questions.table import CellKind, Column, EstateState, Note, NoteKind, Row, Table
from engine.whatif.disposition import FlowChange
from engine.whatif.flows import possible_flows
from engine.whatif.future import future

DAY_SECONDS: Final = 86_400.0
DAYS_MAX: Final = 36_500
FLOWS_MAX: Final = 100_000
"""Flows that are followed through time; how many more there are is told."""


class ExpiringRoutes(msgspec.Struct, frozen=True):
    """How many days ahead are looked at."""

    days: Annotated[float, msgspec.Meta(ge=0, le=DAYS_MAX)] = 30.0


COLUMNS = (
    Column("at", CellKind.INSTANT),
    *map(Column, ("instance", "database", "route")),
    *(Column(name, CellKind.NUMBER) for name in ("lost", "moved", "gained")),
)


def answer(asked: ExpiringRoutes, state: EstateState) -> Table:
    """Every expiry in the time ahead."""
    until = UtcTime(state.at + asked.days * DAY_SECONDS)
    flows = possible_flows(state.catalogs)
    followed = list(islice(flows, FLOWS_MAX))
    found = future(state.catalogs, followed, at=state.at, until=until, faults=state.faults)
    kinds = (FlowChange.LOST, FlowChange.MOVED, FlowChange.GAINED)
    rows: tuple[Row, ...] = tuple(
        (
            float(event.at),
            event.route.instance,
            event.route.database,
            event.route.route,
            *(sum(row.change is kind for row in event.changes) for kind in kinds),
        )
        for event in found.events
    )
    left = {NoteKind.EXPIRIES: found.not_looked_at, NoteKind.FLOWS: sum(1 for _ in flows)}
    notes = tuple(Note(kind=kind, count=count) for kind, count in left.items() if count)
    return Table(columns=COLUMNS, rows=rows, base=state.label, notes=notes)


REGISTRATION = register(
    "expiring_routes",
    "Routes that expire, and what that changes.",
    ExpiringRoutes,
    COLUMNS,
    answer,
    key=("instance", "database", "route"),
)
