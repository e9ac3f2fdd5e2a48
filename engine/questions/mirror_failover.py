"""What the failover of every mirrored pair makes of the flows of the estate."""

from __future__ import annotations

import msgspec

from engine.questions.matching import register
from engine.questions.table import CellKind, Column, EstateState, Table
from engine.whatif.failures import mirrored_pairs
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.flows import possible_flows
from engine.whatif.matrix import failure_totals


class MirrorFailover(msgspec.Struct, frozen=True):
    """Takes nothing."""


PAIR = ("instance", "database", "partner_instance", "partner_database")
COLUMNS = (
    *map(Column, PAIR),
    *(Column(name, CellKind.NUMBER) for name in ("lost", "moved", "gained", "unchanged", "sender_down")),
)


def answer(asked: MirrorFailover, state: EstateState) -> Table:
    """One row for each pair."""
    given = {catalog.name: catalog for catalog in state.catalogs.values()}
    pairs = list(mirrored_pairs(given))
    failures = [[Fault(kind=FaultKind.PARTNER, instance=first[0], database=first[1])] for first, _ in pairs]
    found = failure_totals(given, possible_flows(given), failures, at=state.at, supposed=state.faults)
    rows = tuple(
        (*first, *second, each.lost, each.moved, each.gained, each.unchanged, each.sender_down)
        for (first, second), each in zip(pairs, found, strict=True)
    )
    return Table(columns=COLUMNS, rows=rows, base=state.label)


REGISTRATION = register(
    "mirror_failover", "Every mirrored pair, failed over.", MirrorFailover, COLUMNS, answer, key=PAIR
)
