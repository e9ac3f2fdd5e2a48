"""Conversations → distinct flows: what the engine is asked once, however many conversations ask it.

A flow is a pair of two integers, its sender and its target, packed into one of 64 bits; flows are numbered in the
order of those, so that flows of one database stand together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from engine.pipeline.whatif.columns import FLOWS_SCHEMA, SENDER_NAMES, SENDERS, TARGET_NAMES, TARGETS

KEY: Final = "key"
_BITS: Final = 32
"""Of the target; the sender has those above."""


def packed() -> Column:
    """Sender and target of a row as one integer. Both are places, so neither is negative."""
    return f.shiftleft(f.col("sender").cast("bigint"), _BITS).bitwiseOR(f.col("target").cast("bigint")).alias(KEY)


def packed_pair(sender: pa.ChunkedArray, target: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same of columns that are no table of Spark's."""
    return pc.bit_wise_or(pc.shift_left(sender.cast(pa.int64()), _BITS), target.cast(pa.int64()))


def distinct_flows(conversations: DataFrame) -> pa.Table:
    """`key`, and `conversations`, how many there are of it; ascending by key."""
    counted = conversations.select(packed()).groupBy(KEY).agg(f.count("*").alias("conversations"))
    found = counted.toArrow()
    return found.take(pc.sort_indices(found[KEY]))


def described(keys: pa.Table, source: Path) -> pa.Table:
    """The flows by number with their names, as `FLOWS_SCHEMA` has them; `source` is what `ingest` has made."""
    senders = _by_number(source / SENDERS, "sender")
    targets = _by_number(source / TARGETS, "target")
    sender = pc.shift_right(keys[KEY], _BITS)
    target = pc.bit_wise_and(keys[KEY], (1 << _BITS) - 1)
    columns = [pa.array(range(keys.num_rows), pa.int32())]
    columns += [senders[name].take(sender) for name in SENDER_NAMES]
    columns += [targets[name].take(target) for name in TARGET_NAMES]
    return pa.table([*columns, keys["conversations"]], schema=FLOWS_SCHEMA).combine_chunks()


def _by_number(folder: Path, number: str) -> pa.Table:
    """The names of a table of numbers; each stands at the place that its number is."""
    found = pq.read_table(folder)
    return found.take(pc.sort_indices(found[number]))
