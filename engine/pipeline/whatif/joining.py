"""Answers back to the conversations that asked: one integer looked up in memory for each row, no shuffle."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.pipeline.whatif.columns import CONVERSATION
from engine.whatif.disposition import FlowChange

CHANGES: Final = (FlowChange.UNCHANGED, FlowChange.GAINED, FlowChange.MOVED, FlowChange.LOST)
"""The place of each is its number in `conversations`; the larger, the graver."""


def gravest(flows: int, verdicts: pa.Table) -> npt.NDArray[np.int8]:
    """For each flow, at the place of its number, the gravest change that any revision makes of it, as a number."""
    names = pa.array([change.value for change in CHANGES])
    numbers = pc.index_in(verdicts["change"], names).fill_null(0).to_numpy().astype(np.int8)
    found = np.zeros(flows, np.int8)
    np.maximum.at(found, verdicts["flow"].to_numpy(), numbers)
    return found


def answers(session: SparkSession, flows: int, verdicts: pa.Table) -> DataFrame:
    """`flow`, `change`: what is looked up."""
    changes = pa.array(gravest(flows, verdicts))
    return session.createDataFrame(pa.table([np.arange(flows, dtype=np.int32), changes], ["flow", "change"]))


def answered(conversations: DataFrame, answer: DataFrame) -> DataFrame:
    """`conversation_id`, `flow`, `change`: every row of `conversations` once."""
    joined = conversations.select(CONVERSATION, "flow").join(f.broadcast(answer), "flow", "inner")
    return joined.select(CONVERSATION, "flow", "change")
