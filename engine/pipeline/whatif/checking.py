"""The job's check of itself: conversations drawn from what was written have the answers that the engine gives.

Drawn anew for each run, and looked up in what was read. The engine is asked about each by itself, leg by leg, as a page
asks it: with nothing of what the job's tasks have remembered. Every column is compared.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.manifest import ParameterValue
from engine.pipeline.whatif.columns import (
    CONVERSATION,
    CONVERSATIONS,
    FLOWS,
    SENDER_NAMES,
    TARGET_NAMES,
    VERDICTS,
    Direction,
)
from engine.pipeline.whatif.flows import KEY, described, packed
from engine.pipeline.whatif.joining import CHANGES
from engine.pipeline.whatif.routing import Asked, Found, asked_of, change_between, in_estate
from engine.pipeline.whatif.snapshots import Estate
from engine.whatif.answers import answer_from
from engine.whatif.legs import round_trip
from engine.whatif.odds import odds_of_legs
from engine.whatif.snapshot import Snapshot
from engine.whatif.verdict import verdict_of_legs

OTHER_ANSWER: Final = 8951
_SEED_BITS: Final = 31
Row = dict[str, Any]


class Check:
    """Of one run: what it has read, and the estates that it has asked."""

    def __init__(self, source: Path, read: DataFrame, rows: int, estates: Sequence[Estate], sample: int) -> None:
        """`source` is what `ingest` has made, `sample` about how many of its `rows` are drawn."""
        self._source = source
        self._read = read
        self._rows = rows
        self._snapshots = [(each, Snapshot(each.catalogs, at=each.at)) for each in estates]
        self._sample = sample

    def __call__(self, tables: Mapping[str, DataFrame]) -> dict[str, ParameterValue]:
        """How many rows were checked. Raises `LocalProtocolError` 8951 for one that has another answer."""
        if self._sample <= 0 or self._rows == 0:
            return {"checked": 0}
        is_drawn = _is_drawn(max(1, self._rows // self._sample), secrets.randbits(_SEED_BITS))
        wanted, told = self._wanted(is_drawn), _told(tables, is_drawn)
        for one, other in zip(wanted, told, strict=False):
            _demand(one, other)
        if len(wanted) != len(told):
            _demand({"rows": len(wanted)}, {"rows": len(told)})
        return {"checked": len(wanted)}

    def _wanted(self, is_drawn: Column) -> list[Row]:
        """The drawn conversations as they were read, each with what the engine says of it."""
        drawn = self._read.select(CONVERSATION, packed()).filter(is_drawn).toArrow()
        keys = drawn[KEY].unique()
        flows = described(pa.table([keys, pa.nulls(len(keys), pa.int64())], [KEY, "conversations"]), self._source)
        answers = [self._answer(asked) for asked in asked_of(flows)]
        rows = [{**names, **answer} for names, answer in zip(_names(flows), answers, strict=True)]
        by_key = dict(zip(keys.to_pylist(), rows, strict=True))
        return _ordered({CONVERSATION: row[CONVERSATION], **by_key[row[KEY]]} for row in drawn.to_pylist())

    def _answer(self, asked: Asked) -> Row:
        """What the engine says of one flow, as the columns of the tables have it."""
        found = [_directly(estate, snapshot, asked) for estate, snapshot in self._snapshots]
        changes = [change_between(found[0], each) for each in found[1:]]
        told = [
            _columns(estate.revision, each, None if at == 0 else changes[at - 1].value)
            for at, ((estate, _), each) in enumerate(zip(self._snapshots, found, strict=True))
        ]
        return {"change": max(map(CHANGES.index, changes), default=0), VERDICTS: told}


def _is_drawn(share: int, seed: int) -> Column:
    """Of so many rows one, by chance; the same ones of what was read and of what was written."""
    return f.pmod(f.xxhash64(f.lit(seed), f.col(CONVERSATION)), f.lit(share)) == 0


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


def _told(tables: Mapping[str, DataFrame], is_drawn: Column) -> list[Row]:
    """The drawn conversations as they were written, with the rows of the other tables that belong to them."""
    drawn = tables[CONVERSATIONS].filter(is_drawn).toArrow()
    numbers = drawn["flow"].unique().to_pylist()
    flows = tables[FLOWS].filter(f.col("flow").isin(numbers)).toArrow()
    names = dict(zip(flows["flow"].to_pylist(), _names(flows), strict=True))
    verdicts: dict[int, list[Row]] = {}
    for row in tables[VERDICTS].filter(f.col("flow").isin(numbers)).orderBy("revision").toArrow().to_pylist():
        asked = row["disposition"] is not None
        verdicts.setdefault(row["flow"], []).append(
            {name: value for name, value in row.items() if name in _ALWAYS or (asked and name != "flow")}
        )
    return _ordered(
        {
            CONVERSATION: row[CONVERSATION],
            **names.get(row["flow"], {}),
            "change": row["change"],
            VERDICTS: verdicts.get(row["flow"], []),
        }
        for row in drawn.to_pylist()
    )


_ALWAYS: Final = frozenset({"revision", "change"})
"""Columns of a verdict that nobody was asked for."""


def _names(flows: pa.Table) -> list[Row]:
    found: list[Row] = flows.select([*SENDER_NAMES, *TARGET_NAMES]).to_pylist()
    return found


def _ordered(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: repr(list(row.items())))


def _demand(wanted: Row, told: Row) -> None:
    for name in dict.fromkeys((*wanted, *told)):
        one, other = wanted.get(name), told.get(name)
        if one != other:
            raise LocalProtocolError(
                OTHER_ANSWER, name=str(wanted.get(CONVERSATION)), column=name, found=str(other), expected=str(one)
            )
