"""`whatif`: what becomes of every conversation under each of several revisions of an estate.

`ingest` has reduced them to their distinct flows; the engine is asked about those, and Spark joins its answers back.
Nothing is decided here, and the job checks that on itself (`checking`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.frame import Inputs, Outcome
from engine.pipeline.whatif.checking import Check
from engine.pipeline.whatif.columns import (
    CHANGES,
    CONVERSATIONS,
    FLOWS,
    HEAT,
    VERDICTS,
    VERDICTS_SCHEMA,
    WRITING,
)
from engine.pipeline.whatif.flows import NOTHING_TO_READ, read_flows, rows_in
from engine.pipeline.whatif.joining import answered, answers
from engine.pipeline.whatif.routing import route_batches
from engine.pipeline.whatif.snapshots import read_snapshots
from engine.pipeline.whatif.summing import changes, heat

NAME: Final = "whatif"


def whatif(session: SparkSession, inputs: Inputs) -> Outcome:
    """Read what `ingest` has made, and snapshots of `parameters["snapshots"]`; write the tables of `columns`.

    Raises `LocalProtocolError`: 13807 where one of the two is not there, 2627 for two snapshots of one revision, 8951
    when the check finds another answer than the engine's.
    """
    for table in (CONVERSATIONS, FLOWS):
        if not (inputs.source / table).is_dir():
            raise LocalProtocolError(NOTHING_TO_READ, name=str(inputs.source), job=NAME)
    encoded, estates = read_snapshots(Path(str(inputs.parameters["snapshots"])), NAME)
    conversations = session.read.parquet(str(inputs.source / CONVERSATIONS))
    asked, rows = read_flows(inputs.source, NAME), rows_in(inputs.source, NAME)
    flows = session.createDataFrame(asked)
    sent = session.sparkContext.broadcast(encoded)

    def verdicts(_: Mapping[str, DataFrame]) -> DataFrame:
        inputs.stage("routing")
        return routed(flows, sent)

    told = _Told()

    def joined(written: Mapping[str, DataFrame]) -> DataFrame:
        sent.destroy()
        return answered(conversations, answers(session, asked.num_rows, told.of(written)))

    return Outcome(
        tables={
            FLOWS: flows,
            VERDICTS: verdicts,
            CONVERSATIONS: joined,
            CHANGES: lambda written: session.createDataFrame(changes(asked, told.of(written))),
            HEAT: lambda written: session.createDataFrame(heat(asked, told.of(written))),
        },
        rows_in={CONVERSATIONS: rows},
        revisions=tuple(each.revision for each in estates),
        notes={FLOWS: asked.num_rows},
        writing=WRITING,
        check=Check(session, inputs.source, rows, asked, estates, int(inputs.parameters["sample"])),
    )


class _Told:
    """What the engine has said, read once from where it was written."""

    def __init__(self) -> None:
        self._table: pa.Table | None = None

    def of(self, written: Mapping[str, DataFrame]) -> pa.Table:
        """`flow`, `revision`, `change`, `hops` (the instances that have decided), `end_instance`."""
        if self._table is None:
            hops = f.col("path.instance").alias("hops")
            self._table = written[VERDICTS].select("flow", "revision", "change", hops, "end_instance").toArrow()
        return self._table


def routed(flows: DataFrame, estates: Broadcast[bytes]) -> DataFrame:
    """What the engine says of the flows, in every estate."""
    return flows.mapInArrow(_router(estates), from_arrow_schema(VERDICTS_SCHEMA))


def _router(estates: Broadcast[bytes]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def route(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return route_batches(batches, estates.value)

    return route
