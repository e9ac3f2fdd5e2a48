"""Where the message of one flow goes, hop by hop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.questions.matching import changed, difference, register
from engine.questions.table import CellKind, ChangedRow, Column, EstateState, Note, NoteKind, Row, Table
from engine.whatif.answering import ask
from engine.whatif.differential import matched
from engine.whatif.telling import FlowQuestion, ToldAnswer, ToldLeg, ToldWay


class RouteTrace(msgspec.Struct, frozen=True, kw_only=True):
    """One flow."""

    instance: InstanceName
    database: DatabaseName
    service: ServiceName
    to_service: ServiceName
    broker_instance: BrokerInstanceId | None = None


COLUMNS: Final = (
    Column("leg", CellKind.WORD),
    Column("way", CellKind.NUMBER),
    Column("share", CellKind.SHARE),
    Column("hop", CellKind.NUMBER),
    *map(Column, ("instance", "table", "route")),
    Column("classification", CellKind.WORD),
    Column("address"),
    Column("disposition", CellKind.WORD),
    Column("number", CellKind.ERROR),
)
_LEG, _WAY, _HOP = 0, 1, 3
_PLACES: Final = (4, 5, 6, 8)
"""Whose table is read, which route decides, and where it goes: what hops of two traces are matched by."""


def answer(asked: RouteTrace, state: EstateState) -> Table:
    """One row for each decision; the last of a way says how it ends."""
    question = FlowQuestion(**msgspec.structs.asdict(asked))
    found = ask(state.catalogs, question, at=state.at, faults=state.faults)
    lost = 1.0 - found.followed
    notes = (Note(kind=NoteKind.DRAWS, count=lost),) if lost > 0.0 else ()
    return Table(columns=COLUMNS, rows=tuple(_rows(found)), base=state.label, notes=notes)


def _rows(found: ToldAnswer) -> Iterator[Row]:
    for leg in found.legs:
        for number, way in enumerate(leg.ways, 1):
            yield from _way(leg, number, way)


def _way(leg: ToldLeg, number: int, way: ToldWay) -> Iterator[Row]:
    code = None if way.number is None else way.number.number
    end = (way.disposition.value, code)
    for at, hop in enumerate(way.hops, 1):
        place = (hop.instance, hop.table, hop.route, hop.classification.value, hop.address)
        yield (leg.kind.value, number, way.share, at, *place, *(end if at == len(way.hops) else (None, None)))
    if not way.hops:
        yield (leg.kind.value, number, way.share, 0, way.instance, way.database, None, None, None, *end)


def compare(table: Table, reference: Table) -> Table:
    """What became of each hop: matched along each way, and ways by the hops that they share."""
    before, after = _ways(reference.rows), _ways(table.rows)
    changes: list[ChangedRow] = []
    for leg in dict.fromkeys((*before, *after)):
        for one, other in _paired(before.get(leg, []), after.get(leg, [])):
            changes += _hops(one, other)
    return difference(table, reference, changes)


def _ways(rows: Sequence[Row]) -> dict[object, list[list[Row]]]:
    """The ways of each leg, the likeliest first."""
    found: dict[object, dict[object, list[Row]]] = {}
    for row in rows:
        found.setdefault(row[_LEG], {}).setdefault(row[_WAY], []).append(row)
    return {leg: list(ways.values()) for leg, ways in found.items()}


def _paired(before: list[list[Row]], after: list[list[Row]]) -> Iterator[tuple[list[Row], list[Row]]]:
    """Each way with its own in the other trace: the very same one where it is there, else the next in order."""
    left, rest = list(before), []
    for way in after:
        same = next((each for each in left if _steps(each) == _steps(way)), None)
        if same is None:
            rest.append(way)
        else:
            left.remove(same)
            yield same, way
    for at in range(max(len(left), len(rest))):
        yield (left[at] if at < len(left) else []), (rest[at] if at < len(rest) else [])


def _hops(before: list[Row], after: list[Row]) -> Iterator[ChangedRow]:
    ones, others = _steps(before), _steps(after)
    for one, other in matched(ones, others):
        was = None if one is None else before[one]
        now = None if other is None else after[other]
        if _told(was) != _told(now):
            yield changed(was, now)


def _steps(way: list[Row]) -> list[Row]:
    return [tuple(row[at] for at in _PLACES) for row in way]


def _told(row: Row | None) -> Row | None:
    """A row without the numbers of its way and hop, which change with those before them."""
    return None if row is None else tuple(cell for at, cell in enumerate(row) if at not in (_WAY, _HOP))


REGISTRATION = register(
    "route_trace",
    "Where a message goes, hop by hop.",
    RouteTrace,
    COLUMNS,
    answer,
    key=("leg", "way", "hop"),
    compare=compare,
)
