"""Which rows of one instance a table has already: found again by number, time, kind and every cell, or deleted."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from deltalake import CommitProperties, DeltaTable, WriterProperties

from engine.pipeline.lake.schema import COLUMNS, PARTITIONS

SLACK: Final = timedelta(milliseconds=2)
"""Statistics of files have whole milliseconds, rounded down."""
_WHOLE_ROW: Final = ["event_number", "event_time", "event", "payload"]
"""Rows of one instance that have these in common are one event."""
_TIME: Final = COLUMNS.field("event_time").type


def of_instance(estate: str, instance: str) -> ds.Expression:
    """Rows of an instance."""
    return (ds.field("estate") == estate) & (ds.field("instance") == instance)


def between(first: datetime, last: datetime) -> ds.Expression:
    """Rows of a time, ends included; files of other days are not looked at."""
    at, day = ds.field("event_time"), ds.field("trace_date")
    since, until = first - SLACK, last + SLACK
    of_days = (day >= since.date()) & (day <= until.date())
    return of_days & (at >= pa.scalar(since, _TIME)) & (at <= pa.scalar(until, _TIME))


def new_rows(table: DeltaTable, estate: str, instance: str, rows: pa.Table) -> pa.Table:
    """Those of `rows`, at least one, that the table has not, each once."""
    rows = _each_once(rows)
    known = _like(table, estate, instance, rows)
    return rows.join(known, _WHOLE_ROW, join_type="left anti").select(COLUMNS.names)


class FoundRows(NamedTuple):
    """Rows that a table has."""

    rows: pa.Table
    """Each once."""
    places: int
    """How many rows of the table these are: more, where it has some twice."""
    missing: int
    """How many others it has not."""


def found_rows(table: DeltaTable, estate: str, instance: str, rows: pa.Table) -> FoundRows:
    """Those of `rows`, at least one, that the table has."""
    rows = _each_once(rows)
    known = _like(table, estate, instance, rows)
    there = rows.join(known, _WHOLE_ROW, join_type="left semi").select(COLUMNS.names)
    places = known.join(rows.select(_WHOLE_ROW), _WHOLE_ROW, join_type="left semi").num_rows
    return FoundRows(there, places, rows.num_rows - there.num_rows)


def delete_rows(
    table: DeltaTable, estate: str, instance: str, rows: pa.Table, commit: CommitProperties, writer: WriterProperties
) -> int:
    """Delete rows that `found_rows` has found, in one commit; how many these were.

    Raises `CommitFailedError` where somebody was quicker.
    """
    of_instance = [f"there.{name} = {_quoted(value)}" for name, value in (("estate", estate), ("instance", instance))]
    same = [f"there.{name} = gone.{name}" for name in (*PARTITIONS[1:], *_WHOLE_ROW)]
    merge = table.merge(
        rows.select([*PARTITIONS, *_WHOLE_ROW]),
        " AND ".join(of_instance + same),
        source_alias="gone",
        target_alias="there",
        writer_properties=writer,
        # Else files of other hours are read and written as well.
        streamed_exec=False,
        commit_properties=commit,
    )
    told = merge.when_matched_delete().execute()
    return int(told["num_target_rows_deleted"])


def _quoted(text: str) -> str:
    """A literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _each_once(rows: pa.Table) -> pa.Table:
    numbered = rows.append_column("place", pa.array(range(rows.num_rows), pa.int64()))
    places = numbered.group_by(_WHOLE_ROW).aggregate([("place", "min")])["place_min"]
    return rows.take(places.sort())


def _like(table: DeltaTable, estate: str, instance: str, rows: pa.Table) -> pa.Table:
    """Rows of the table that may be one of `rows`, by what tells them apart."""
    times = pc.min_max(rows["event_time"]).as_py()
    wanted = of_instance(estate, instance) & between(times["min"], times["max"])
    found = table.to_pyarrow_dataset().to_table(_WHOLE_ROW, filter=wanted)
    return found.cast(pa.schema([COLUMNS.field(name) for name in _WHOLE_ROW]))
