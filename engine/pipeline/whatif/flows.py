"""What `ingest` has made, as it is read again: distinct flows, which the engine is asked once, and the number of rows.

A flow stands for all conversations of one sender, target and direction, however many these are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.whatif.columns import CONVERSATIONS, FLOWS, FLOWS_SCHEMA

NOTHING_TO_READ: Final = 13807


def read_flows(source: Path, job: str) -> pa.Table:
    """As `FLOWS_SCHEMA` has them. Raises `LocalProtocolError` 13807 when one is missing or cannot be read."""
    try:
        found = pq.read_table(source / FLOWS, schema=FLOWS_SCHEMA)
    except (OSError, pa.ArrowException) as error:
        raise LocalProtocolError(NOTHING_TO_READ, name=str(source / FLOWS), job=job) from error
    found = found.take(pc.sort_indices(found["flow"])).combine_chunks()
    if not np.array_equal(found["flow"].to_numpy(), np.arange(found.num_rows)):
        raise LocalProtocolError(NOTHING_TO_READ, name=str(source / FLOWS), job=job)
    return found


def rows_in(source: Path, job: str) -> int:
    """How many conversations there are, by the footers of their files. Raises `LocalProtocolError` 13807."""
    try:
        return sum(pq.read_metadata(path).num_rows for path in (source / CONVERSATIONS).glob("*.parquet"))
    except (OSError, pa.ArrowException) as error:
        raise LocalProtocolError(NOTHING_TO_READ, name=str(source / CONVERSATIONS), job=job) from error
