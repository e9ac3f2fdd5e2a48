"""Which routes expire, when, and how many flows that loses or sends elsewhere."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.moment import UtcTime
from engine.questions.table import CellKind, Column, EstateState, Row, Table, register
from engine.whatif.disposition import FlowChange
from engine.whatif.flows import possible_flows
from engine.whatif.future import future

DAY_SECONDS = 86_400.0


class ExpiringRoutes(msgspec.Struct, frozen=True):
    """How many days ahead are looked at."""

    days: float = 30.0


COLUMNS = (
    Column("at", CellKind.INSTANT),
    *map(Column, ("instance", "database", "route")),
    *(Column(name, CellKind.NUMBER) for name in ("lost", "moved", "gained")),
)


def answer(asked: ExpiringRoutes, state: EstateState) -> Table:
    """Every expiry in the time ahead."""
    until = UtcTime(state.at + asked.days * DAY_SECONDS)
    found = future(state.catalogs, possible_flows(state.catalogs), at=state.at, until=until, faults=state.faults)
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
    caps = (f"{found.not_looked_at} later expiries were not looked at",) if found.not_looked_at else ()
    return Table(columns=COLUMNS, rows=rows, base=state.label, caps=caps)


REGISTRATION = register(
    "expiring_routes", "Routes that expire, and what that changes.", ExpiringRoutes, COLUMNS, answer
)
