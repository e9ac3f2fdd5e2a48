"""Flows under failures, and as time goes on: whole where that is cheap, by pages of flows where it is not."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Final

import msgspec

from brokerweb.common.paging import shown_page
from brokerweb.whatif.selectors.basis import Basis
from brokerweb.whatif.selectors.kept_states import kept_state
from engine import api as engine

ROWS_OF_PAGE: Final = 50
CELLS_MAX: Final = 60_000
"""Flows times failures that are asked in one request; beyond them only the flows of the page are."""
FLOWS_MAX: Final = 100_000
"""Flows that are followed through time."""


class MatrixPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of flows under failures."""

    totals: tuple[engine.what_if.FailureTotals, ...]
    rows: tuple[engine.what_if.FlowCells, ...]
    flows: int
    is_whole: bool
    """Whether totals count all flows, and not those of the page alone."""
    page: int
    pages: int


def matrix_page(
    basis: Basis,
    failures: tuple[tuple[engine.what_if.Fault, ...], ...],
    *,
    question: engine.what_if.FlowQuestion | None = None,
    page: int,
    only_changed: bool,
) -> MatrixPage:
    """Each flow of a page, or the one of a question, under each failure, on top of the faults of the basis."""
    state = kept_state(basis.catalogs, basis.instant)
    flows = state.flows if question is None else (question,)
    is_whole = len(flows) * max(1, len(failures)) <= CELLS_MAX
    page, pages, part = (page, 1, slice(None)) if is_whole else shown_page(page, len(flows), ROWS_OF_PAGE)
    asked = flows[part]
    with state.evaluating:
        which = question or ("all" if is_whole else page)
        evaluation = state.evaluation(which, asked, basis.faults)
        found = engine.what_if.matrix_on(evaluation, failures, supposed=basis.faults)
    rows = tuple(row for row in found.rows if not only_changed or _changes(row))
    if is_whole:
        page, pages, part = shown_page(page, len(rows), ROWS_OF_PAGE)
        rows = rows[part]
    return MatrixPage(totals=found.totals, rows=rows, flows=len(flows), is_whole=is_whole, page=page, pages=pages)


def _changes(row: engine.what_if.FlowCells) -> bool:
    return any(cell.change not in (None, engine.what_if.FlowChange.UNCHANGED) for cell in row.cells)


def dependencies_of(basis: Basis, question: engine.what_if.FlowQuestion) -> tuple[engine.what_if.Fault, ...]:
    """The single failures on which one flow depends, on top of the faults of the basis."""
    return engine.what_if.dependencies(basis.catalogs, question, at=basis.instant, faults=basis.faults)


def failures_of(basis: Basis) -> tuple[engine.what_if.Fault, ...]:
    """Everything that can fail by itself."""
    return kept_state(basis.catalogs, basis.instant).failures


def future_of(basis: Basis, until: datetime) -> engine.what_if.Future:
    """The routes that expire until an instant, and the flows that change with them."""
    flows = islice(engine.what_if.possible_flows(basis.catalogs), FLOWS_MAX)
    return engine.what_if.future(
        basis.catalogs, flows, at=basis.instant, until=engine.UtcTime(until.timestamp()), faults=basis.faults
    )
