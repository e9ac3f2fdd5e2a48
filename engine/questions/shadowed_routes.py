"""Which routes can never win, whatever is asked of their table."""

from __future__ import annotations

import msgspec

from engine.assertions.coverage import never_wins
from engine.questions.matching import register
from engine.questions.table import CellKind, Column, EstateState, Table, fault_notes
from engine.route_check.never import never_text


class ShadowedRoutes(msgspec.Struct, frozen=True):
    """Takes nothing."""


ROUTE = ("instance", "database", "route")
COLUMNS = (*map(Column, ROUTE), Column("reason", CellKind.SENTENCE))


def answer(asked: ShadowedRoutes, state: EstateState) -> Table:
    """Every route that nobody is ever given."""
    rows = tuple(
        (each.instance, each.database, each.route, never_text(each.never, state.language))
        for each in never_wins(state.catalogs, at=state.at)
        if each.never is not None
    )
    return Table(columns=COLUMNS, rows=rows, base=state.label, notes=fault_notes(state))


REGISTRATION = register(
    "shadowed_routes",
    "Routes that can never win.",
    ShadowedRoutes,
    COLUMNS,
    answer,
    key=ROUTE,
    heeds_faults=False,
)
