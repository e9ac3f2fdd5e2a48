"""Answers back to the conversations that asked: one integer looked up in memory for each row, no shuffle."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.pipeline.whatif.columns import CONVERSATION
from engine.pipeline.whatif.flows import KEY, packed
from engine.whatif.disposition import FlowChange

CHANGES: Final = (FlowChange.UNCHANGED, FlowChange.GAINED, FlowChange.MOVED, FlowChange.LOST)
"""The place of each is its number in `conversations`; the larger, the graver."""
ANSWERS_SCHEMA: Final = pa.schema([(KEY, pa.int64()), ("flow", pa.int32()), ("change", pa.int8())])


def gravest(verdicts: DataFrame) -> DataFrame:
    """`flow`, `change`: of each flow the gravest change that any revision makes of it, as a number."""
    numbers = f.lit(0)
    for number, change in enumerate(CHANGES):
        numbers = f.when(f.col("change") == change.value, f.lit(number)).otherwise(numbers)
    return verdicts.groupBy("flow").agg(f.max(numbers).cast("tinyint").alias("change"))


def answers(session: SparkSession, keys: pa.Table, changes: pa.Table) -> DataFrame:
    """`key`, `flow`, `change`: what is looked up. `changes` has each flow once."""
    by_flow = np.zeros(keys.num_rows, np.int8)
    by_flow[changes["flow"].to_numpy()] = changes["change"].to_numpy()
    flow = np.arange(keys.num_rows, dtype=np.int32)
    return session.createDataFrame(pa.table([keys[KEY], flow, by_flow], schema=ANSWERS_SCHEMA))


def answered(conversations: DataFrame, answer: DataFrame) -> DataFrame:
    """`conversation_id`, `flow`, `change`: every row of `conversations` once."""
    return (
        conversations.select(CONVERSATION, packed())
        .join(f.broadcast(answer), on=KEY, how="inner")
        .select(CONVERSATION, "flow", "change")
    )
