"""What can fail, every flow under every failure, and what time alone does, over HTTP. Nothing is written."""

from __future__ import annotations

from typing import Annotated

import msgspec
from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router
from pydantic import StrictBool, StrictInt

from brokerweb.accounts.api import viewing
from brokerweb.common.api.instants import Instant
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.api.shape import Shape
from brokerweb.topology.api.flow_schemas import FlowImpactRow
from brokerweb.whatif.api.answers import WHAT_IF
from brokerweb.whatif.api.assertion_schemas import RoutePlaceOut
from brokerweb.whatif.api.schemas import (
    BasisIn,
    Disposition,
    ExamplesAsked,
    FaultIn,
    FaultOut,
    FlowChange,
    FlowQuestionIn,
    FlowQuestionOut,
    Light,
    ToldInstant,
    WhatIfIn,
)
from brokerweb.whatif.selectors.basis import BasisAsked, basis_of
from brokerweb.whatif.selectors.failures import dependencies_of, failures_of, future_of, matrix_page
from engine import api as engine

router = Router(tags=["what-if"])

FAILURES_MAX = 60
"""Columns of a matrix that are asked for at once."""
AT_ONCE_MAX = 4
"""Faults of one column."""


class MatrixIn(BasisIn):
    """Which failures, and which page of flows."""

    failures: list[Annotated[list[FaultIn], Field(min_length=1, max_length=AT_ONCE_MAX)]] = Field(
        max_length=FAILURES_MAX
    )
    """Columns: each a fault, or several that hold at once."""
    question: FlowQuestionIn | None = None
    """Of this flow alone; null for every flow of the estate."""
    page: StrictInt = Field(default=1, ge=1, le=1_000_000)
    only_changed: StrictBool = False
    """Leave out flows that none of the failures changes."""


class CellOut(Shape):
    """One flow under one failure."""

    disposition: Disposition
    works: bool
    """It arrives by some way, and its sender can hear of it."""
    light: Light
    number: int | None
    change: FlowChange | None
    """Against the same flow without the failure; null where the failure takes its sender down."""


class FlowCellsOut(Shape):
    """One flow, without any of the failures and under each."""

    key: str
    question: FlowQuestionOut
    base: CellOut
    cells: list[CellOut]


class FailureTotalsOut(Shape):
    """What one failure makes of flows."""

    faults: list[FaultOut]
    """What fails at once."""
    lost: int
    moved: int
    gained: int
    unchanged: int
    sender_down: int


class MatrixOut(Shape):
    """Flows by failures."""

    totals: list[FailureTotalsOut]
    """One for each failure; the cells of every row stand in the same order."""
    rows: list[FlowCellsOut]
    flows: int
    """Flows that are asked about: those of the estate, or the one."""
    is_whole: bool
    """Whether `totals` count all flows; of large estates they count those of the page."""
    page: int
    pages: int


class FutureIn(BasisIn):
    """How far ahead."""

    until: Instant


class FutureEventOut(Shape):
    """A route expires."""

    at: ToldInstant
    route: RoutePlaceOut
    changes: list[FlowImpactRow]
    """What becomes of flows then, the gravest first."""


class FutureOut(Shape):
    """What time alone makes of an estate."""

    events: list[FutureEventOut]
    not_looked_at: int
    """Routes that expire later than those that were looked at."""


@router.get(WHAT_IF + "/failures", response={200: list[FaultOut]}, operation_id="what_if_failures", auth=viewing)
def what_if_failures(
    request: HttpRequest,
    estate: str,
    asked: ExamplesAsked = Query(...),  # noqa: B008
) -> HttpResponse:
    """Everything that can fail by itself: instances, links that routes use, endpoints, databases, queues, pairs."""
    refuse_unknown(request, asked)
    basis = basis_of(estate, BasisAsked(change_set=asked.change_set, revision=asked.revision))
    # Large estates have thousands: through the shape they take ten times as long, and a test holds the two together.
    return _written([msgspec.structs.asdict(each) for each in failures_of(basis)])


@router.post(
    WHAT_IF + "/dependencies",
    response={200: list[FaultOut]},
    operation_id="what_if_dependencies",
    auth=viewing,
)
def what_if_dependencies(request: HttpRequest, estate: str, body: WhatIfIn) -> list[FaultOut]:
    """Every single failure of what one flow goes through, there and back; no other one changes what comes of it."""
    basis = basis_of(estate, body.asked())
    question = basis.places.question(body.question.asked(), "/question")
    return [FaultOut.from_orm(each) for each in dependencies_of(basis, question)]


@router.post(WHAT_IF + "/matrix", response={200: MatrixOut}, operation_id="what_if_matrix", auth=viewing)
def what_if_matrix(request: HttpRequest, estate: str, body: MatrixIn) -> HttpResponse:
    """Every flow under every one of the failures; what is supposed anyhow holds in all of them."""
    basis = basis_of(estate, body.asked())
    failures = tuple(
        tuple(
            basis.places.fault(engine.what_if.Fault(**each.dict()), f"/failures/{column}/{at}")
            for at, each in enumerate(faults)
        )
        for column, faults in enumerate(body.failures)
    )
    question = None if body.question is None else basis.places.question(body.question.asked(), "/question")
    found = matrix_page(basis, failures, question=question, page=body.page, only_changed=body.only_changed)
    totals = [
        {**msgspec.structs.asdict(each), "faults": [msgspec.structs.asdict(fault) for fault in each.faults]}
        for each in found.totals
    ]
    return _written({**msgspec.structs.asdict(found), "totals": totals})


@router.post(WHAT_IF + "/future", response={200: FutureOut}, operation_id="what_if_future", auth=viewing)
def what_if_future(request: HttpRequest, estate: str, body: FutureIn) -> FutureOut:
    """The instants at which routes expire, and which flows become other ones then."""
    return FutureOut.from_orm(future_of(basis_of(estate, body.asked()), body.until))


def _written(picture: object) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(picture), content_type="application/json; charset=utf-8")
