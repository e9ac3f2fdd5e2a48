"""Where the message of one flow goes, hop by hop."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.questions.table import CellKind, Column, EstateState, Row, Table, register
from engine.whatif.answering import ask
from engine.whatif.telling import FlowQuestion


class RouteTrace(msgspec.Struct, frozen=True, kw_only=True):
    """One flow."""

    instance: InstanceName
    database: DatabaseName
    service: ServiceName
    to_service: ServiceName
    broker_instance: BrokerInstanceId | None = None


COLUMNS = (
    Column("leg"),
    *(Column(name, CellKind.NUMBER) for name in ("way", "share", "hop")),
    *map(Column, ("instance", "table", "route", "classification", "address", "disposition")),
    Column("number", CellKind.NUMBER),
)


def answer(asked: RouteTrace, state: EstateState) -> Table:
    """One row for each decision; the last of a way says how it ends."""
    question = FlowQuestion(**msgspec.structs.asdict(asked))
    found = ask(state.catalogs, question, at=state.at, faults=state.faults)
    rows: list[Row] = []
    for leg in found.legs:
        for number, way in enumerate(leg.ways, 1):
            for at, hop in enumerate(way.hops, 1):
                is_last = at == len(way.hops)
                end = way.disposition.value if is_last else None
                code = way.number.number if is_last and way.number is not None else None
                place = (hop.instance, hop.table, hop.route, hop.classification.value, hop.address)
                rows.append((leg.kind.value, number, way.share, at, *place, end, code))
            if not way.hops:
                code = None if way.number is None else way.number.number
                nowhere = (way.instance, way.database, None, None, None)
                rows.append((leg.kind.value, number, way.share, 0, *nowhere, way.disposition.value, code))
    caps = (f"{1.0 - found.followed:.4%} of all draws were not followed",) if found.followed < 1.0 else ()
    return Table(columns=COLUMNS, rows=tuple(rows), base=state.label, caps=caps)


REGISTRATION = register("route_trace", "Where a message goes, hop by hop.", RouteTrace, COLUMNS, answer)
