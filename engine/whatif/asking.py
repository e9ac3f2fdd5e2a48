"""What everybody outside asks: one flow, two answers compared, examples, all flows under a change, faults and time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.routing.decision import Caution, Classification, LossReason, Origin
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.version import VERSION
from engine.whatif.answering import ask
from engine.whatif.dependencies import dependencies
from engine.whatif.differential import compare
from engine.whatif.disposition import Disposition, FlowChange, LegKind, Light
from engine.whatif.evaluation import Evaluation
from engine.whatif.explanation import flow_of, with_proofs
from engine.whatif.failures import links_of, mirrored_pairs, single_failures
from engine.whatif.faults import Fault, FaultKind, partners_in
from engine.whatif.fingerprint import fingerprint
from engine.whatif.flows import possible_flows
from engine.whatif.future import Future, FutureEvent, RoutePlace, future
from engine.whatif.impact import FlowImpact, FlowImpactRow, flow_key, impact, impact_on
from engine.whatif.matrix import Cell, FailureTotals, FlowCells, Matrix, matrix, matrix_on
from engine.whatif.telling import FlowQuestion, ToldAnswer, ToldDifference, ToldStep, ToldWay
from engine.whatif.triptych import Dialled, PairState, Partner, Triptych, TriptychColumn, triptych
from engine.whatif.verdict import FlowVerdicts
from engine.whatif.watching import WatchedSnapshot
from engine.whatif.wording import circumstances_text, end_text, flow_text

__all__ = [
    "VERSION",
    "Caution",
    "Cell",
    "Classification",
    "Dialled",
    "Disposition",
    "Evaluation",
    "Example",
    "FailureTotals",
    "Fault",
    "FaultKind",
    "FlowCells",
    "FlowChange",
    "FlowImpact",
    "FlowImpactRow",
    "FlowQuestion",
    "Future",
    "FutureEvent",
    "LegKind",
    "Light",
    "LossReason",
    "Matrix",
    "Origin",
    "PairState",
    "Partner",
    "RoutePlace",
    "ToldAnswer",
    "ToldDifference",
    "ToldStep",
    "ToldWay",
    "Triptych",
    "TriptychColumn",
    "ask",
    "circumstances_text",
    "compare",
    "dependencies",
    "end_text",
    "examples",
    "fingerprint",
    "flow_key",
    "flow_of",
    "flow_text",
    "future",
    "impact",
    "impact_on",
    "links_of",
    "matrix",
    "matrix_on",
    "mirrored_pairs",
    "partners_in",
    "possible_flows",
    "single_failures",
    "triptych",
    "with_proofs",
]

EXAMPLES_MAX: Final = 8
EXAMPLES_LOOKED_AT: Final = 400
"""Flows among which the most telling ones are looked for."""
_LESSONS: Final = {Light.RED: 1, Light.AMBER: 2, Light.GREEN: 3, Light.GREY: 4}
_NO_LESSON: Final = 5
"""Where there is no sender there is no way to follow."""

Catalogs = Mapping[InstanceName, InstanceCatalog]


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A flow that is worth asking about, and what comes of it."""

    question: FlowQuestion
    disposition: Disposition
    light: Light
    number: int | None = None
    """Why it ends so, for an end that has a number."""


def examples(catalogs: Catalogs, *, at: UtcTime) -> tuple[Example, ...]:
    """A handful of flows, of each kind of end the one that goes farthest, in the order in which one learns from them.

    First how it ought to be: what arrives by the most hops. Then what fails, what arrives in part, and the rest; last
    senders that are down.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    verdicts = FlowVerdicts(WatchedSnapshot(given, at=at))
    found: dict[tuple[Disposition, Light, bool], tuple[int, Example]] = {}
    for flow in islice(possible_flows(given), EXAMPLES_LOOKED_AT):
        verdict = verdicts.of(flow)
        hops = len(verdict.path)
        kind = (verdict.disposition, verdict.light, hops > 1)
        if kind not in found or hops > found[kind][0]:
            example = Example(
                question=flow, disposition=verdict.disposition, light=verdict.light, number=verdict.number
            )
            found[kind] = hops, example
    most = max((hops for hops, example in found.values() if example.light is Light.GREEN), default=0)
    best = sorted(found.values(), key=lambda each: _lesson(each[0], each[1], most))
    return tuple(example for _, example in best[:EXAMPLES_MAX])


def _lesson(hops: int, example: Example, most: int) -> int:
    """When in a first lesson an example has its turn; `most` are the hops of what arrives and goes farthest."""
    if example.disposition is Disposition.SENDER_DOWN:
        return _NO_LESSON
    return 0 if example.light is Light.GREEN and hops == most else _LESSONS[example.light]
