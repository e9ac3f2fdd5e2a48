"""What everybody outside asks: one flow, two answers compared, examples, all flows under a change, faults and time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.routing.decision import Caution, Classification, LossReason, Origin
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.version import VERSION
from engine.whatif.answering import ask
from engine.whatif.differential import compare
from engine.whatif.disposition import Disposition, FlowChange, LegKind, Light
from engine.whatif.evaluation import Evaluation
from engine.whatif.explanation import with_proofs
from engine.whatif.failures import links_of, mirrored_pairs, single_failures
from engine.whatif.faults import Fault, FaultKind, partners_in
from engine.whatif.fingerprint import fingerprint
from engine.whatif.flows import possible_flows
from engine.whatif.future import Future, FutureEvent, RoutePlace, future
from engine.whatif.impact import FlowImpact, FlowImpactRow, flow_key, impact, impact_on
from engine.whatif.matrix import Cell, FaultTotals, FlowCells, Matrix, matrix
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
    "Fault",
    "FaultKind",
    "FaultTotals",
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
    "end_text",
    "examples",
    "fingerprint",
    "flow_key",
    "flow_text",
    "future",
    "impact",
    "impact_on",
    "links_of",
    "matrix",
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
_TELLING: Final = {Light.RED: 0, Light.AMBER: 1, Light.GREEN: 2, Light.GREY: 3}

Catalogs = Mapping[InstanceName, InstanceCatalog]


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A flow that is worth asking about, and what comes of it."""

    question: FlowQuestion
    disposition: Disposition
    light: Light
    number: int | None = None
    """Why it ends so, for an end that has a number."""


def examples(catalogs: Catalogs, *, at: UtcTime) -> tuple[Example, ...]:
    """A handful of flows: of each kind of end the first one, those that fail before those that do not."""
    given = {catalog.name: catalog for catalog in catalogs.values()}
    verdicts = FlowVerdicts(WatchedSnapshot(given, at=at))
    found: dict[tuple[Disposition, Light, bool], Example] = {}
    for number, flow in enumerate(possible_flows(given)):
        if number >= EXAMPLES_LOOKED_AT:
            break
        verdict = verdicts.of(flow)
        kind = (verdict.disposition, verdict.light, len(verdict.path) > 1)
        example = Example(question=flow, disposition=verdict.disposition, light=verdict.light, number=verdict.number)
        found.setdefault(kind, example)
    best = sorted(found.values(), key=lambda example: _TELLING[example.light])
    return tuple(best[:EXAMPLES_MAX])
