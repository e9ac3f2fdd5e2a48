"""The job's check of itself: a few conversations have the answers that the engine gives.

They are drawn anew for each run from what was read, and looked up in what was written. The engine is asked about each
by itself, leg by leg, as a page asks it: with nothing of what the tasks have remembered. Every column is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.manifest import ParameterValue
from engine.pipeline.whatif.columns import (
    CONVERSATION,
    CONVERSATIONS,
    FLOWS,
    NAMES,
    VERDICTS,
    Direction,
)
from engine.pipeline.whatif.drawing import drawn, near
from engine.pipeline.whatif.joining import CHANGES
from engine.pipeline.whatif.routing import Asked, Found, asked_of, change_between, in_estate
from engine.pipeline.whatif.snapshots import Estate
from engine.whatif.answers import answer_from
from engine.whatif.legs import round_trip
from engine.whatif.odds import odds_of_legs
from engine.whatif.snapshot import Snapshot
from engine.whatif.verdict import verdict_of_legs

OTHER_ANSWER: Final = 8951
Row = dict[str, Any]


class Check:
    """Of one run: what it has read, and the estates that it has asked."""

    def __init__(
        self,
        session: SparkSession,
        source: Path,
        rows: int,
        flows: pa.Table,
        estates: Sequence[Estate],
        sample: int,
    ) -> None:
        """`source` is what `ingest` has made: so many `rows`, of these `flows`; about `sample` are drawn."""
        self._session = session
        self._source = source
        self._rows = rows
        self._flows = flows
        self._snapshots = [(each, Snapshot(each.catalogs, at=each.at)) for each in estates]
        self._sample = sample

    def __call__(self, tables: Mapping[str, DataFrame]) -> dict[str, ParameterValue]:
        """How many rows were checked. Raises `LocalProtocolError` 8951 for one that has another answer."""
        demand_rows(self._rows, pc.sum(self._flows["conversations"], min_count=0).as_py())
        demand_rows(self._rows, tables[CONVERSATIONS].count())
        if self._sample <= 0 or self._rows == 0:
            return {"checked": 0}
        chosen, groups = drawn(self._source / CONVERSATIONS, self._sample)
        wanted = list(self._wanted(chosen))
        read = self._session.read.parquet(str(self._source / CONVERSATIONS))
        where_it_should_be = {**tables, CONVERSATIONS: near(read, groups, tables[CONVERSATIONS])}
        found = self._found(where_it_should_be, chosen, wanted)
        # Elsewhere only what is not there: to look for a row everywhere, all that was written has to be read.
        others = [at for at, (row, told) in enumerate(zip(wanted, found, strict=True)) if row != told]
        if others:
            left = [wanted[at] for at in others]
            for row, told in zip(left, self._found(tables, chosen.take(others), left), strict=True):
                _demand(row, told)
        return {"checked": chosen.num_rows}

    def _found(self, tables: Mapping[str, DataFrame], chosen: pa.Table, wanted: Sequence[Row]) -> list[Row]:
        """Of each wanted row the one that was written: equal, if there is such a one."""
        told = _told(tables, self._session.createDataFrame(chosen.select([CONVERSATION])))
        return [_nearest(row, told.get(repr(row[CONVERSATION]), [])) for row in wanted]

    def _wanted(self, chosen: pa.Table) -> Iterator[Row]:
        """Conversations as they were read, each with what the engine says of it."""
        numbers = chosen["flow"].unique()
        flows = self._flows.take(numbers)
        answers = [self._answer(asked) for asked in asked_of(flows)]
        rows = [{**names, **answer} for names, answer in zip(_names(flows), answers, strict=True)]
        by_flow = dict(zip(numbers.to_pylist(), rows, strict=True))
        return ({CONVERSATION: row[CONVERSATION], **by_flow[row["flow"]]} for row in chosen.to_pylist())

    def _answer(self, asked: Asked) -> Row:
        """What the engine says of one flow, as the columns of the tables have it."""
        found = [_directly(estate, snapshot, asked) for estate, snapshot in self._snapshots]
        changes = [change_between(found[0], each) for each in found[1:]]
        told = [
            _columns(estate.revision, each, None if at == 0 else changes[at - 1].value)
            for at, ((estate, _), each) in enumerate(zip(self._snapshots, found, strict=True))
        ]
        return {"change": max(map(CHANGES.index, changes), default=0), VERDICTS: told}


def _directly(estate: Estate, snapshot: Snapshot, asked: Asked) -> Found:
    question = in_estate(estate.catalogs, asked.question)
    if question is None:
        return None
    if asked.direction == Direction.TARGET:
        return answer_from(snapshot, question)
    legs = round_trip(snapshot, question, legs=2)
    return verdict_of_legs(legs), odds_of_legs(legs)


def _columns(revision: int, found: Found, change: str | None) -> Row:
    told: Row = {"revision": revision, "change": change}
    if found is not None:
        verdict, odds = found
        told |= {
            "disposition": verdict.disposition.value,
            "works": verdict.works,
            "light": verdict.light.value,
            "number": verdict.number,
            "end_instance": verdict.instance,
            "end_database": verdict.database,
            "route": verdict.route,
            "path": [{"instance": hop[0], "database": hop[1], "route": hop[2]} for hop in verdict.path],
            "way_share": odds.way,
            "arrives_share": odds.arrives,
            "heard_share": odds.heard,
        }
    return told


def _told(tables: Mapping[str, DataFrame], identifiers: DataFrame) -> dict[str, list[Row]]:
    """Conversations as they were written, by `repr` of their identifier, with what the other tables have of them."""
    same = f.col(f"c.{CONVERSATION}").eqNullSafe(f.col(f"i.{CONVERSATION}"))
    rows = tables[CONVERSATIONS].alias("c").join(f.broadcast(identifiers.alias("i")), same, "left_semi")
    # Where identifiers are missing, or all the same, these are the rows of all: what they say is not much.
    found = rows.distinct().toArrow()
    numbers = found["flow"].unique().to_pylist()
    flows = tables[FLOWS].filter(f.col("flow").isin(numbers)).toArrow()
    names = dict(zip(flows["flow"].to_pylist(), _names(flows), strict=True))
    verdicts: dict[int, list[Row]] = {}
    for row in tables[VERDICTS].filter(f.col("flow").isin(numbers)).toArrow().sort_by("revision").to_pylist():
        asked = row["disposition"] is not None
        verdicts.setdefault(row["flow"], []).append(
            {name: told for name, told in row.items() if name in _ALWAYS or (name != "flow" and _is_told(told, asked))}
        )
    told: dict[str, list[Row]] = {}
    for row in found.to_pylist():
        rest = {"change": row["change"], VERDICTS: verdicts.get(row["flow"], [])}
        told.setdefault(repr(row[CONVERSATION]), []).append(
            {CONVERSATION: row[CONVERSATION], **names.get(row["flow"], {}), **rest}
        )
    return told


def _nearest(wanted: Row, told: Sequence[Row]) -> Row:
    """The row that should be equal: each end of a conversation that sends has one of its own."""
    same = [row for row in told if all(row.get(name) == wanted[name] for name in NAMES)]
    return next((row for row in same if row == wanted), (same or [*told, {}])[0])


_ALWAYS: Final = frozenset({"revision", "change"})
"""Columns of a verdict that nobody was asked for."""


def _is_told(value: Any, asked: bool) -> bool:
    """Of a flow that nobody can be asked about nothing is told."""
    return asked or value is not None


def _names(flows: pa.Table) -> list[Row]:
    found: list[Row] = flows.select(NAMES).to_pylist()
    return found


def demand_rows(wanted: int, found: int) -> None:
    """Raises `LocalProtocolError` 8951 when they are not as many."""
    _demand({"rows": wanted}, {"rows": found})


def _demand(wanted: Row, told: Row) -> None:
    for name in dict.fromkeys((*wanted, *told)):
        one, other = wanted.get(name), told.get(name)
        if one != other:
            raise LocalProtocolError(
                OTHER_ANSWER, name=str(wanted.get(CONVERSATION)), column=name, found=str(other), expected=str(one)
            )
