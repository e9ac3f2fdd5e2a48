"""The distinct flows that `ingest` has found: what the engine is asked once, however many conversations ask it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.pipeline.whatif.columns import FLOWS, FLOWS_SCHEMA


def read_flows(source: Path) -> pa.Table:
    """Of what `ingest` has made, as `FLOWS_SCHEMA` has them."""
    found = pq.read_table(source / FLOWS, schema=FLOWS_SCHEMA)
    return found.take(pc.sort_indices(found["flow"])).combine_chunks()
