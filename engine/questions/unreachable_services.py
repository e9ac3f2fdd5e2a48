"""Which services that somebody may write to take nothing from him, and why."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.core.vocabulary.identifiers import ServiceName
from engine.questions.matching import register
from engine.questions.table import CellKind, Column, EstateState, Table
from engine.whatif.disposition import LegKind, Light
from engine.whatif.evaluation import is_in
from engine.whatif.flows import possible_flows
from engine.whatif.legs import round_trip
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import FlowVerdicts, Verdict
from engine.whatif.watching import WatchedSnapshot


class UnreachableServices(msgspec.Struct, frozen=True):
    """Of one service, or of all."""

    to_service: ServiceName | None = None


FLOW = ("instance", "database", "service", "to_service", "broker_instance")
COLUMNS = (
    *map(Column, FLOW[:-1]),
    Column("leg", CellKind.WORD),
    Column("disposition", CellKind.WORD),
    Column("number", CellKind.ERROR),
    # Last, for it is mostly empty.
    Column(FLOW[-1]),
)


def answer(asked: UnreachableServices, state: EstateState) -> Table:
    """Every possible flow that does not work."""
    return _table(asked, state, possible_flows(state.catalogs))


def answer_both(asked: UnreachableServices, state: EstateState, reference: EstateState) -> tuple[Table, Table]:
    """Of both states every flow that is possible in one of them: whoever lost a route is asked all the same."""
    flows = list(dict.fromkeys((*possible_flows(state.catalogs), *possible_flows(reference.catalogs))))
    return _table(asked, state, flows), _table(asked, reference, flows)


def _table(asked: UnreachableServices, state: EstateState, flows: Iterable[FlowQuestion]) -> Table:
    given = {catalog.name: catalog for catalog in state.catalogs.values()}
    verdicts = FlowVerdicts(WatchedSnapshot(given, at=state.at, faults=state.faults))
    rows = []
    for flow in flows:
        is_asked = asked.to_service in (None, flow.to_service) and is_in(given, flow)
        if is_asked and not (verdict := verdicts.of(flow)).works:
            broker = None if flow.broker_instance is None else str(flow.broker_instance)
            end = _end(verdicts.snapshot, flow, verdict)
            rows.append((flow.instance, flow.database, flow.service, flow.to_service, *end, broker))
    return Table(columns=COLUMNS, rows=tuple(rows), base=state.label)


def _end(snapshot: Snapshot, flow: FlowQuestion, verdict: Verdict) -> tuple[str, str, int | None]:
    """The leg on which a flow fails, and how it ends there: of a message that arrives, its acknowledgement."""
    if verdict.light is Light.RED:
        return LegKind.MESSAGE.value, verdict.disposition.value, verdict.number
    _message, acknowledgement = round_trip(snapshot, flow, legs=2)
    way = acknowledgement.ways[0]
    return LegKind.ACKNOWLEDGEMENT.value, way.disposition.value, way.number


REGISTRATION = register(
    "unreachable_services",
    "Possible flows that do not work.",
    UnreachableServices,
    COLUMNS,
    answer,
    key=FLOW,
    answer_both=answer_both,
)
