"""`ingest`: conversations with names → distinct flows with names, and conversations with the numbers of their flows.

Names are read once, here: whoever asks about the conversations again and again afterwards reads one integer of each.
Flows are numbered by their place in the order of their names, so the same conversations get the same numbers, and flows
of one database stand together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.frame import Inputs, Outcome
from engine.pipeline.manifest import ParameterValue
from engine.pipeline.whatif.checking import demand_rows
from engine.pipeline.whatif.columns import (
    CONVERSATION,
    CONVERSATIONS,
    FLOWS,
    FLOWS_SCHEMA,
    NAMES,
    SENDER_NAMES,
    TARGET_NAMES,
    WRITING,
    Direction,
)

NO_COLUMN: Final = 207
_OPTIONAL: Final = ("direction",)
_BITS: Final = 32
"""Of the number of a target in a pair; that of the sender has those above."""
_Numbers = npt.NDArray[np.int64]


def ingest(session: SparkSession, inputs: Inputs) -> Outcome:
    """Read Parquet of conversations, write `conversations` and `flows`. Raises `LocalProtocolError` 207, 8951."""
    given = named(session.read.parquet(str(inputs.source)), str(inputs.source))
    inputs.stage("distinct flows")
    counted = given.groupBy(*NAMES).agg(f.count("*").alias("conversations"))
    # Through a folder, since what Spark hands to this process at once may not be larger than `maxResultSize`.
    inputs.kept(FLOWS, counted)
    flows = numbered(pq.read_table(inputs.work / FLOWS))
    rows = pc.sum(flows["conversations"], min_count=0).as_py()

    def check(written: Mapping[str, DataFrame]) -> Mapping[str, ParameterValue]:
        # A row that found no flow would be gone without a word.
        demand_rows(rows, written[CONVERSATIONS].count())
        return {}

    return Outcome(
        tables={
            CONVERSATIONS: interned(session, given, flows),
            FLOWS: session.createDataFrame(flows).coalesce(1),
        },
        rows_in={CONVERSATIONS: rows},
        writing=WRITING,
        check=check,
    )


def named(given: DataFrame, source: str) -> DataFrame:
    """The columns that count, names as text. Raises `LocalProtocolError` 207 for one that is missing."""
    for name in (CONVERSATION, *NAMES):
        if name not in given.columns and name not in _OPTIONAL:
            raise LocalProtocolError(NO_COLUMN, name=source, column=name)
    direction = f.lit(None) if "direction" not in given.columns else f.col("direction")
    initiator = f.lit(Direction.INITIATOR.value)
    names = [f.col(name).cast("string").alias(name) for name in NAMES if name != "direction"]
    return given.select(CONVERSATION, *names, f.coalesce(direction.cast("string"), initiator).alias("direction"))


def numbered(counted: pa.Table) -> pa.Table:
    """Flows as `FLOWS_SCHEMA` has them, of every combination of names once: in the order of these, null before all."""
    order = pc.sort_indices(counted, [(name, "ascending", "at_start") for name in NAMES])
    rows = counted.select([*NAMES, "conversations"]).take(order)
    number = pa.array(np.arange(rows.num_rows, dtype=np.int32))
    return pa.table([number, *rows.columns], schema=FLOWS_SCHEMA).combine_chunks()


def interned(session: SparkSession, given: DataFrame, flows: pa.Table) -> DataFrame:
    """`conversation_id`, `flow`: each row once, without a shuffle.

    First the sender and the target of a row, then the pair of them is looked up: there may be many pairs, and a look-up
    in memory holds two numbers of each instead of six names.
    """
    numbers = [_alike(flows, names) for names in (SENDER_NAMES, TARGET_NAMES)]
    senders = session.createDataFrame(_once(flows, SENDER_NAMES, numbers[0], "sender"))
    targets = session.createDataFrame(_once(flows, TARGET_NAMES, numbers[1], "target"))
    pairs = pa.table([pa.array(numbers[0] << _BITS | numbers[1]), flows["flow"]], ["pair", "flow"])
    pair = f.shiftleft("s.sender", _BITS).bitwiseOR(f.col("t.target"))
    return (
        given.join(f.broadcast(senders.alias("s")), _same("s", SENDER_NAMES, given), "inner")
        .join(f.broadcast(targets.alias("t")), _same("t", TARGET_NAMES, given), "inner")
        .select(given[CONVERSATION], pair.alias("pair"))
        .join(f.broadcast(session.createDataFrame(pairs)), "pair", "inner")
        .select(CONVERSATION, "flow")
    )


def _alike(flows: pa.Table, names: Sequence[str]) -> _Numbers:
    """A number for each row, the same for those that have the same names; not below 0, below the number of rows."""
    found = np.zeros(flows.num_rows, np.int64)
    for name in names:
        column: Any = pc.dictionary_encode(flows[name].combine_chunks(), null_encoding="encode")
        codes = column.indices.to_numpy()
        found = np.unique(found * len(column.dictionary) + codes, return_inverse=True)[1]
    return found


def _once(flows: pa.Table, names: Sequence[str], numbers: _Numbers, number: str) -> pa.Table:
    """Every combination of the names with its number."""
    found, places = np.unique(numbers, return_index=True)
    rows = flows.select(names).take(pa.array(places))
    return pa.table([*rows.columns, pa.array(found, pa.int64())], [*names, number])


def _same(other: str, names: Sequence[str], given: DataFrame) -> Column:
    """Null is the same as null."""
    return reduce(and_, (given[name].eqNullSafe(f.col(f"{other}.{name}")) for name in names))
