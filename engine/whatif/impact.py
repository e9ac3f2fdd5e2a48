"""`impact`: what a change makes of all flows of an estate, and how a flow is named for good (`flow_key`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName, RouteName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.disposition import Disposition, FlowChange
from engine.whatif.evaluation import Evaluation, VerdictChange
from engine.whatif.flows import new_flows, possible_flows
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import Verdict

Catalogs = Mapping[InstanceName, InstanceCatalog]
_GRAVITY: Final = {FlowChange.LOST: 0, FlowChange.MOVED: 1, FlowChange.GAINED: 2, FlowChange.UNCHANGED: 3}


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


def impact(before: Catalogs, after: Catalogs, *, at: UtcTime) -> FlowImpact:
    """What becomes of every flow that is possible before or after."""
    ones = {catalog.name: catalog for catalog in before.values()}
    return impact_on([Evaluation(ones, possible_flows(ones), at=at)], after)


def impact_on(evaluations: Sequence[Evaluation], after: Catalogs) -> FlowImpact:
    """What another state makes of the flows of evaluations, at least one, and of those that only it has.

    All are of one state of the estate and one instant. That there are several lets some flows, those that traffic has
    shown, be evaluated anew without the others; a flow in two of them counts once.
    """
    others = {catalog.name: catalog for catalog in after.values()}
    known: list[Mapping[FlowQuestion, Verdict]] = []
    flows = 0
    found: dict[FlowQuestion, VerdictChange] = {}
    for evaluation in evaluations:
        further = () if known else new_flows(evaluation.catalogs, others)
        found.update((change.flow, change) for change in evaluation.changes_to(others, further))
        flows += sum(not _is_in(known, flow) for flow in evaluation.verdicts) if known else len(evaluation.verdicts)
        known.append(evaluation.verdicts)
    changes = sorted(found.values(), key=gravest_first)
    kept = flows - sum(_is_in(known, change.flow) for change in changes)
    return FlowImpact(flows=flows, changes=tuple(map(impact_row, changes)), unchanged=kept)


def _is_in(known: Iterable[Mapping[FlowQuestion, Verdict]], flow: FlowQuestion) -> bool:
    return any(flow in verdicts for verdicts in known)


def gravest_first(change: VerdictChange) -> tuple[int, str]:
    """What changes of flows are sorted by: lost, moved, gained, then by name."""
    return _GRAVITY[change.change], flow_key(change.flow)


def flow_key(flow: FlowQuestion) -> str:
    """A text that names a flow; names are quoted as in T-SQL, so no two flows share one."""
    names = (flow.instance, flow.database, flow.service, flow.to_service)
    quoted = [_quoted(name) for name in names]
    named = {"ON CONTRACT": flow.contract, "MESSAGE TYPE": flow.message_type}
    said = [f"{clause} {_quoted(name)}" for clause, name in named.items() if name is not None]
    if flow.encryption:
        said.append("ENCRYPTION = ON")
    return " ".join([*quoted, str(flow.broker_instance or "-"), *said])


def _quoted(name: str) -> str:
    return f"[{name.replace(']', ']]')}]"


def impact_row(change: VerdictChange) -> FlowImpactRow:
    """The change of a verdict, told."""
    before, after = change.before, change.after
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
