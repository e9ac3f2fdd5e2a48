"""`ingest`: conversations with names → conversations with numbers, and what the numbers stand for.

Names are read once, here: whoever asks about the conversations again and again afterwards compares two integers. The
numbers are the places of the names in their order, so the same conversations get the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.frame import Inputs, Outcome
from engine.pipeline.whatif.columns import (
    CONVERSATION,
    CONVERSATIONS,
    SENDER_NAMES,
    SENDERS,
    SENDERS_SCHEMA,
    TARGET_NAMES,
    TARGETS,
    TARGETS_SCHEMA,
    Direction,
)

NO_COLUMN: Final = 207
_OPTIONAL: Final = ("direction",)


def ingest(session: SparkSession, inputs: Inputs) -> Outcome:
    """Read Parquet of conversations, write `conversations`, `senders`, `targets`. Raises `LocalProtocolError` 207."""
    given = named(session.read.parquet(str(inputs.source)), str(inputs.source))
    inputs.stage("names")
    names = str(inputs.work / "names")
    given.select(*SENDER_NAMES, *TARGET_NAMES).groupBy(*SENDER_NAMES, *TARGET_NAMES).count().write.parquet(names)
    distinct = session.read.parquet(names)
    rows = distinct.agg(f.coalesce(f.sum("count"), f.lit(0))).first()
    senders = numbered(session, distinct, SENDER_NAMES, SENDERS_SCHEMA)
    targets = numbered(session, distinct, TARGET_NAMES, TARGETS_SCHEMA)
    return Outcome(
        tables={
            CONVERSATIONS: interned(given, senders, targets),
            SENDERS: senders.coalesce(1),
            TARGETS: targets.coalesce(1),
        },
        rows_in={CONVERSATIONS: 0 if rows is None else rows[0]},
    )


def named(given: DataFrame, source: str) -> DataFrame:
    """The columns that count, names as text. Raises `LocalProtocolError` 207 for one that is missing."""
    for name in (CONVERSATION, *SENDER_NAMES, *TARGET_NAMES):
        if name not in given.columns and name not in _OPTIONAL:
            raise LocalProtocolError(NO_COLUMN, name=source, column=name)
    direction = f.lit(None) if "direction" not in given.columns else f.col("direction")
    initiator = f.lit(Direction.INITIATOR.value)
    names = [f.col(name).cast("string").alias(name) for name in (*SENDER_NAMES, *TARGET_NAMES) if name != "direction"]
    return given.select(CONVERSATION, *names, f.coalesce(direction.cast("string"), initiator).alias("direction"))


def numbered(session: SparkSession, distinct: DataFrame, names: Sequence[str], schema: pa.Schema) -> DataFrame:
    """Every combination of names once, with its number: the place in their order, null before all else."""
    found = distinct.select(*names).distinct().toArrow().to_pylist()
    rows = sorted((tuple(row[name] for name in names) for row in found), key=_order)
    columns: list[Any] = [pa.array(range(len(rows)), schema.field(0).type)]
    columns += [pa.array([row[at] for row in rows], pa.string()) for at in range(len(names))]
    return session.createDataFrame(pa.table(columns, schema=schema))


def _order(row: tuple[str | None, ...]) -> tuple[tuple[bool, str], ...]:
    return tuple((name is not None, name or "") for name in row)


def interned(given: DataFrame, senders: DataFrame, targets: DataFrame) -> DataFrame:
    """`conversation_id`, `sender`, `target`: each row once, without a shuffle."""
    return (
        given.join(f.broadcast(senders.alias("s")), _same("s", SENDER_NAMES, given), "inner")
        .join(f.broadcast(targets.alias("t")), _same("t", TARGET_NAMES, given), "inner")
        .select(given[CONVERSATION], f.col("s.sender").alias("sender"), f.col("t.target").alias("target"))
    )


def _same(other: str, names: Sequence[str], given: DataFrame) -> Column:
    """Null is the same as null."""
    return reduce(and_, (given[name].eqNullSafe(f.col(f"{other}.{name}")) for name in names))
