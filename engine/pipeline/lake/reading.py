"""`events_of`: the lake as Spark reads it: the files that make up the table now, with the columns of `COLUMNS`."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.lake.schema import COLUMNS, PARTITIONS
from engine.pipeline.lake.writing import Lake
from engine.pipeline.running import NOTHING_TO_READ


def events_of(session: SparkSession, folder: Path, job: str) -> tuple[DataFrame, int]:
    """All events, and how many these are. Raises `LocalProtocolError` when the folder is no lake."""
    lake = Lake(folder)
    files = lake.files()
    if not files:
        raise LocalProtocolError(NOTHING_TO_READ, name=str(folder), job=job)
    schema = from_arrow_schema(COLUMNS)
    stored = [field.name for field in schema if field.name not in PARTITIONS]
    rows = (
        session.read.schema(schema)
        .option("basePath", str(folder))
        .option("recursiveFileLookup", "false")
        .parquet(*files)
        .select(
            f.col("estate").cast("string").alias("estate"),
            f.col("trace_date").cast("date").alias("trace_date"),
            f.col("hour").cast("int").alias("hour"),
            *stored,
        )
    )
    return rows, lake.rows()


def revisions_of(events: DataFrame) -> tuple[int, ...]:
    """Revisions of the topology that instances have reached while these events were told."""
    found = events.filter(f.col("revision").isNotNull()).select("revision").distinct().collect()
    return tuple(sorted(row["revision"] for row in found))
