"""What a task does, without Spark: tables of flows in, tables of verdicts out, over many small estates."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from engine.pipeline.whatif.columns import FLOWS_SCHEMA, VERDICTS_SCHEMA
from engine.pipeline.whatif.routing import route_batches
from engine.pipeline.whatif.snapshots import read_snapshots, write_snapshot
from tests.support.thoroughness import share
from tests.support.whatif_job import conversations_of, expected, revisions_of

NAMES = FLOWS_SCHEMA.names[1:-1]


def flows_of(rows: list[dict[str, Any]]) -> pa.Table:
    """Each distinct flow, in an order of no meaning."""
    distinct = dict.fromkeys(tuple(row[name] for name in NAMES) for row in rows)
    columns = [list(column) for column in zip(*distinct, strict=True)]
    return pa.table([list(range(len(distinct))), *columns, [1] * len(distinct)], schema=FLOWS_SCHEMA)


@pytest.mark.parametrize("seed", share(range(40), 20))
def test_every_verdict_is_that_of_the_engine_alone(seed: int, tmp_path: Any) -> None:
    revisions = revisions_of(seed)
    for revision, at, estate in revisions:
        write_snapshot(tmp_path, estate, revision=revision, at=at)
    encoded, _ = read_snapshots(tmp_path, "whatif")
    rows = expected(conversations_of(seed, revisions[0][2], 120), revisions)
    flows = flows_of(rows)
    # Several batches come, and in the tables of all of them flows stand as they came.
    found = pa.Table.from_batches(route_batches(flows.to_batches(max_chunksize=17), encoded), schema=VERDICTS_SCHEMA)
    wanted = {tuple(row[name] for name in NAMES): row["verdicts"] for row in rows}
    assert found.num_rows == flows.num_rows * len(revisions)
    told = {(row.pop("flow"), row.pop("revision")): row for row in found.to_pylist()}
    for number, names in enumerate(zip(*(flows[name].to_pylist() for name in NAMES), strict=True)):
        for revision, verdict in wanted[names].items():
            assert told[number, revision] == verdict, names


def test_no_flows_are_no_rows(tmp_path: Any) -> None:
    for revision, at, estate in revisions_of(1):
        write_snapshot(tmp_path, estate, revision=revision, at=at)
    encoded, _ = read_snapshots(tmp_path, "whatif")
    assert list(route_batches([], encoded)) == []
    empty = FLOWS_SCHEMA.empty_table().to_batches() or [pa.RecordBatch.from_pylist([], schema=FLOWS_SCHEMA)]
    assert sum(batch.num_rows for batch in route_batches(empty, encoded)) == 0
