"""Shapes of assertions as they travel: how they fared, their runs, and what they exercise."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from brokerweb.common.api.shape import Shape
from brokerweb.topology.api.flow_schemas import Disposition, FlowQuestionOut
from brokerweb.whatif.api.schemas import BasisOut, FaultOut, Light, ToldNumber
from brokerweb.whatif.models import Trigger
from engine import api as engine

Aspect = engine.assertions.Aspect
StateName = Literal["failed", "passed", "never-run", "disabled"]


class PlaceOut(Shape):
    instance: str
    database: str


class PathStepOut(Shape):
    """One decision of a way."""

    route: str | None
    instance: str | None
    database: str | None


class ExpectedOut(Shape):
    """What must hold; what is null, and an empty list of places, is no claim."""

    works: bool | None
    disposition: Disposition | None
    reaches: list[PlaceOut]
    path: list[PathStepOut] | None
    number: int | None


class EndOut(Shape):
    """How one way of the message ends."""

    share: float
    """Of all messages, 0 to 1."""
    disposition: Disposition
    instance: str
    database: str | None
    number: int | None
    further: str | None
    """The instance that it did not reach, where that is known."""
    path: list[PathStepOut]


class OutcomeOut(Shape):
    """What came of the question."""

    works: bool
    light: Light
    ends: list[EndOut]
    """The most likely first."""
    followed: float
    """Share of all draws that was followed."""


class AssertionResultOut(Shape):
    """How an assertion fared."""

    assertion_id: int
    name: str
    passed: bool
    failed: list[Aspect]
    """What did not hold; `asked` where the question cannot even be asked any more."""
    expected_text: str
    actual_text: str
    outcome: OutcomeOut | None
    """Null where the question could not be asked."""
    disposition: Disposition | None
    """Of the most likely way."""
    light: Light
    number: ToldNumber | None
    """Of a failure."""
    why: str
    """Of a failure: the sentence that says why it comes to this."""
    proof: list[str]
    """Of a failure: the decision at which the way ends."""


class PastVerdictOut(Shape):
    """How an assertion fared once."""

    passed: bool
    at: datetime
    revision: int
    version: int
    """Of the assertion, as it was then."""


class AssertionOut(Shape):
    """An assertion, and how it fared lately."""

    id: int
    version: int
    name: str
    note: str
    tags: list[str]
    is_enabled: bool
    state: StateName
    question: FlowQuestionOut
    faults: list[FaultOut]
    at: datetime | None
    expected: ExpectedOut
    expected_text: str
    created_by: str
    """Empty where nobody was logged in."""
    created_at: datetime
    changed_by: str
    changed_at: datetime
    last: AssertionResultOut | None
    """Null while what it says now has not been run."""
    history: list[PastVerdictOut]
    """The newest first, at most 20."""
    is_flaky: bool
    """Unchanged itself, it both passed and failed at one revision."""


class AssertionRunSummary(Shape):
    """One run."""

    id: int | None
    """Null for a run that is not kept."""
    at: datetime
    basis: BasisOut
    passed: int
    failed: int
    disabled: int
    """Not asked."""
    trigger: Trigger
    by: str
    """Who asked for it; empty where nobody was logged in."""


class AssertionCountsOut(Shape):
    """How many assertions there are, by how they stand."""

    all: int
    passed: int
    failed: int
    never_run: int
    disabled: int


class AssertionPageOut(Shape):
    """A page of assertions: failures first, then those never run, passed and disabled, each by name."""

    rows: list[AssertionOut]
    counts: AssertionCountsOut
    tags: list[str]
    """All that the estate's assertions have."""
    last_run: AssertionRunSummary | None
    page: int
    pages: int


class RoutePlaceOut(Shape):
    instance: str
    database: str
    route: str


class NeverWinsOut(RoutePlaceOut):
    why: str


class CoverageOut(Shape):
    """What assertions exercise. Counted are routes that somebody has made and that can win."""

    percent: float
    """Share of the counted routes that is exercised, 0 to 100."""
    counted: int
    exercised: int
    flows: int
    """Possible in the estate."""
    flows_asserted: int
    never_exercised: list[RoutePlaceOut]
    """The first 500."""
    never_exercised_total: int
    never_win: list[NeverWinsOut]
    """The first 500."""
    never_win_total: int
    flows_without: list[FlowQuestionOut]
    """Without an assertion; the first 100."""
    flows_without_total: int


class AssertionsSummaryOut(Shape):
    """How an estate's assertions stand, for a glance."""

    counts: AssertionCountsOut
    last_run: AssertionRunSummary | None


class BulkOut(Shape):
    """What became of the assertions that were named."""

    changed: int
    unchanged: int
    """They were so already."""
    gone: int
    """Somebody has deleted them meanwhile."""


class FromFlowsOut(Shape):
    """What became of the flows."""

    created: int
    already: int
    """They had an assertion, without faults and at any instant."""
    not_asked: int
    """They were seen once, and nobody could ask for them any more."""


class FileTakenOut(Shape):
    """What a file has made of the assertions."""

    created: int
    changed: int
    """They keep their tags, and whether they are enabled."""
    unchanged: int
    removed: int


class AssertionRunOut(Shape):
    """A run with every result: failures first, then by name."""

    run: AssertionRunSummary
    results: list[AssertionResultOut]
    coverage: CoverageOut
