"""`matrix`: every flow under every failure, and what the failure makes of it (product.md 2b, screen 11).

A failure is one fault, or several at once. A flow whose sender is dead under it is no loss of that failure's: nobody is
there to send. Such flows are counted by themselves, and nothing is said of what became of them (product.md B6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.disposition import Disposition, FlowChange, Light
from engine.whatif.evaluation import Evaluation, VerdictChange, change_of
from engine.whatif.faults import Fault
from engine.whatif.impact import flow_key
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import Verdict

Catalogs = Mapping[InstanceName, InstanceCatalog]


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One flow under one failure."""

    disposition: Disposition
    works: bool
    light: Light
    number: int | None = None
    change: FlowChange | None = FlowChange.UNCHANGED
    """Against the same flow without the failure; None where its sender is dead."""


class FlowCells(msgspec.Struct, frozen=True, kw_only=True):
    """One flow: without any of the failures, and under each of them."""

    key: str
    question: FlowQuestion
    base: Cell
    cells: tuple[Cell, ...]


class FailureTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What one failure makes of the flows that were looked at."""

    faults: tuple[Fault, ...]
    """What fails at once."""
    lost: int = 0
    moved: int = 0
    gained: int = 0
    unchanged: int = 0
    sender_down: int = 0


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """Flows by failures; `totals` and the cells of every row stand in the order in which the failures were given."""

    totals: tuple[FailureTotals, ...]
    rows: tuple[FlowCells, ...]


def matrix(
    catalogs: Catalogs,
    flows: Iterable[FlowQuestion],
    failures: Iterable[Sequence[Fault]],
    *,
    at: UtcTime,
    supposed: Sequence[Fault] = (),
) -> Matrix:
    """Each flow under each failure by itself; what is `supposed` holds in every column and in the base.

    Flows whose sender is not in the estate are left out. Raises `CatalogError` 15151 for a fault of what is not there.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    return matrix_on(Evaluation(given, flows, at=at, faults=supposed), failures, supposed=supposed)


def matrix_on(evaluation: Evaluation, failures: Iterable[Sequence[Fault]], *, supposed: Sequence[Fault] = ()) -> Matrix:
    """As `matrix`, of flows that are evaluated already with what is `supposed`."""
    base = evaluation.verdicts
    columns = []
    totals = []
    for faults in failures:
        changes = evaluation.changes_to(evaluation.catalogs, faults=(*supposed, *faults))
        struck = {change.flow: change.after for change in changes}
        column = [_cell(was, struck.get(flow) or was) for flow, was in base.items()]
        columns.append(column)
        totals.append(_totals(faults, column))
    rows = tuple(
        FlowCells(
            key=flow_key(flow), question=flow, base=_cell(was, was), cells=tuple(column[at] for column in columns)
        )
        for at, (flow, was) in enumerate(base.items())
    )
    return Matrix(totals=tuple(totals), rows=rows)


def failure_totals(
    catalogs: Catalogs,
    flows: Iterable[FlowQuestion],
    failures: Iterable[Sequence[Fault]],
    *,
    at: UtcTime,
    supposed: Sequence[Fault] = (),
) -> tuple[FailureTotals, ...]:
    """The totals of `matrix` alone, made of the flows that change: the others are counted, and not looked at."""
    given = {catalog.name: catalog for catalog in catalogs.values()}
    evaluation = Evaluation(given, flows, at=at, faults=supposed)
    down = sum(map(_is_down, evaluation.verdicts.values()))
    return tuple(
        _counted(faults, evaluation.changes_to(given, faults=(*supposed, *faults)), len(evaluation.verdicts), down)
        for faults in failures
    )


def _counted(faults: Sequence[Fault], changes: Iterable[VerdictChange], flows: int, down: int) -> FailureTotals:
    """Totals of one failure; `down` is how many senders are dead without it."""
    counts = dict.fromkeys(FlowChange, 0)
    for each in changes:
        was, now = _is_down(each.before), _is_down(each.after)
        down += now - was
        if not now:
            counts[each.change] += 1
    changed = sum(counts.values())
    return FailureTotals(
        faults=tuple(faults),
        lost=counts[FlowChange.LOST],
        moved=counts[FlowChange.MOVED],
        gained=counts[FlowChange.GAINED],
        unchanged=flows - changed - down,
        sender_down=down,
    )


def _is_down(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.disposition is Disposition.SENDER_DOWN


def _cell(before: Verdict, after: Verdict) -> Cell:
    change: FlowChange | None = FlowChange.UNCHANGED
    if after.disposition is Disposition.SENDER_DOWN:
        change = None
    elif after != before:
        change = change_of(before, after)
    return Cell(disposition=after.disposition, works=after.works, light=after.light, number=after.number, change=change)


def _totals(faults: Sequence[Fault], column: Iterable[Cell]) -> FailureTotals:
    counts: dict[FlowChange | None, int] = {}
    for cell in column:
        counts[cell.change] = counts.get(cell.change, 0) + 1
    return FailureTotals(
        faults=tuple(faults),
        lost=counts.get(FlowChange.LOST, 0),
        moved=counts.get(FlowChange.MOVED, 0),
        gained=counts.get(FlowChange.GAINED, 0),
        unchanged=counts.get(FlowChange.UNCHANGED, 0),
        sender_down=counts.get(None, 0),
    )
