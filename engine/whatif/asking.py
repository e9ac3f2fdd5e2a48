"""What everybody outside asks: one flow, two answers compared, examples, and the impact of a change on all flows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import InstanceName, RouteName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.differential import compare
from engine.whatif.disposition import Disposition, FlowChange, LegKind, Light
from engine.whatif.evaluation import Evaluation, VerdictChange
from engine.whatif.faults import NOT_HERE, Fault, FaultKind
from engine.whatif.flows import possible_flows
from engine.whatif.legs import round_trip
from engine.whatif.narrating import Narrator
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion, ToldAnswer, ToldDifference
from engine.whatif.verdict import FlowVerdicts, Verdict

__all__ = [
    "Disposition",
    "Example",
    "Fault",
    "FaultKind",
    "FlowChange",
    "FlowImpact",
    "FlowImpactRow",
    "FlowQuestion",
    "LegKind",
    "Light",
    "ToldAnswer",
    "ToldDifference",
    "ask",
    "compare",
    "examples",
    "flow_key",
    "impact",
    "possible_flows",
]

NO_DATABASE: Final = 911
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


class FlowImpactRow(msgspec.Struct, frozen=True, kw_only=True):
    """A flow that a change makes another one."""

    key: str
    """The same for the same flow, always; `flow_key`."""
    question: FlowQuestion
    change: FlowChange
    before: Disposition | None
    """None where there was nobody to ask."""
    after: Disposition | None
    before_number: int | None = None
    after_number: int | None = None
    before_route: RouteName | None = None
    after_route: RouteName | None = None


class FlowImpact(msgspec.Struct, frozen=True, kw_only=True):
    """What a change makes of all flows; the lost ones first."""

    flows: int
    changes: tuple[FlowImpactRow, ...]
    unchanged: int


def ask(
    catalogs: Catalogs, question: FlowQuestion, *, at: UtcTime, faults: Iterable[Fault] = (), language: str = "en"
) -> ToldAnswer:
    """Where the message of a question goes, and what comes back: four legs, each hop with its proof.

    Raises `CatalogError` 911 for a database and 15151 for an instance, service, queue or endpoint that is not there.
    Numbers are worded in `language`, proofs in English.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    asked = _spelled(given, question)
    snapshot = Snapshot(given, at=at, faults=faults, explain=True)
    return Narrator(snapshot, asked, language).told(round_trip(snapshot, asked))


def examples(catalogs: Catalogs, *, at: UtcTime) -> tuple[Example, ...]:
    """A handful of flows: of each kind of end the first one, those that fail before those that do not."""
    given = {catalog.name: catalog for catalog in catalogs.values()}
    verdicts = FlowVerdicts(Snapshot(given, at=at))
    found: dict[tuple[Disposition, Light, bool], Example] = {}
    for number, flow in enumerate(possible_flows(given)):
        if number >= EXAMPLES_LOOKED_AT:
            break
        verdict = verdicts.of(flow)
        kind = (verdict.disposition, verdict.light, len(verdict.path) > 1)
        found.setdefault(kind, Example(question=flow, disposition=verdict.disposition, light=verdict.light))
    best = sorted(found.values(), key=lambda example: _TELLING[example.light])
    return tuple(best[:EXAMPLES_MAX])


def impact(before: Catalogs, after: Catalogs, *, at: UtcTime) -> FlowImpact:
    """What becomes of every flow that is possible before or after."""
    ones = {catalog.name: catalog for catalog in before.values()}
    others = {catalog.name: catalog for catalog in after.values()}
    evaluation = Evaluation(ones, possible_flows(ones), at=at)
    changes = sorted(evaluation.changes_to(others, possible_flows(others)), key=_gravest_first)
    known = len(evaluation.verdicts)
    kept = known - sum(change.before is not None and change.flow in evaluation.verdicts for change in changes)
    return FlowImpact(flows=known, changes=tuple(_row(change) for change in changes), unchanged=kept)


_GRAVITY: Final = {FlowChange.LOST: 0, FlowChange.MOVED: 1, FlowChange.GAINED: 2, FlowChange.UNCHANGED: 3}


def _gravest_first(change: VerdictChange) -> tuple[int, str]:
    return _GRAVITY[change.change], flow_key(change.flow)


def flow_key(flow: FlowQuestion) -> str:
    """A text that names a flow; names are quoted as in T-SQL, so no two flows share one."""
    names = (flow.instance, flow.database, flow.service, flow.to_service)
    quoted = [f"[{name.replace(']', ']]')}]" for name in names]
    return " ".join([*quoted, str(flow.broker_instance or "-")])


def _row(change: VerdictChange) -> FlowImpactRow:
    before: Verdict | None = change.before
    after: Verdict | None = change.after
    return FlowImpactRow(
        key=flow_key(change.flow),
        question=change.flow,
        change=change.change,
        before=None if before is None else before.disposition,
        after=None if after is None else after.disposition,
        before_number=None if before is None else before.number,
        after_number=None if after is None else after.number,
        before_route=None if before is None else before.route,
        after_route=None if after is None else after.route,
    )


def _spelled(catalogs: Catalogs, question: FlowQuestion) -> FlowQuestion:
    """The question with the database as it is spelled; refuses one that is asked of nobody."""
    instance = catalogs.get(question.instance)
    if instance is None:
        raise CatalogError(NOT_HERE, value="instance", name=question.instance, database="the estate")
    database = spelling_in(instance.databases, question.database)
    if database is None:
        raise CatalogError(NO_DATABASE, database=question.database)
    if question.service not in instance.databases[database].services:
        raise CatalogError(NOT_HERE, value="service", name=question.service, database=database)
    return msgspec.structs.replace(question, database=database)
