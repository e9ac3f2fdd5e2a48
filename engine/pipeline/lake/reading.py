"""`events_of`: the lake as Spark reads it: the files that make up the table now, with the columns of `COLUMNS`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.frame import Inputs
from engine.pipeline.lake.schema import COLUMNS, PARTITIONS
from engine.pipeline.lake.writing import Lake
from engine.pipeline.manifest import ParameterValue
from engine.pipeline.running import NOTHING_TO_READ

NO_INSTANT: Final = 241
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


CONTEXT: Final = (
    "conversation-state-changed",
    "message-classified",
    "queue-switched",
    "queue-disabled",
)
"""Events that say how things stood: of what was before the range these are read too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Which part of a lake a job is about."""

    estate: str = ""
    """Empty: all estates."""
    since: datetime | None = None
    until: datetime | None = None
    """Events of [`since`, `until`); None: no bound."""

    @property
    def is_bound(self) -> bool:
        """Whether it has a bound in time."""
        return self.since is not None or self.until is not None


def span_of(parameters: Mapping[str, ParameterValue]) -> Span:
    """What `SPAN` of the registry says. Raises `LocalProtocolError` 241 for what is no instant."""
    return Span(
        estate=str(parameters["estate"]),
        since=_instant(str(parameters["since"])),
        until=_instant(str(parameters["until"])),
    )


def _instant(text: str) -> datetime | None:
    """ISO 8601, in UTC; without an offset it is meant so."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
        # The ends of the calendar have no UTC.
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise LocalProtocolError(NO_INSTANT, value=text) from None


def events_of(session: SparkSession, inputs: Inputs, job: str) -> tuple[DataFrame, int]:
    """The events of the span that a job was given, and how many these are.

    What was before a span says how things stand in it: conversations, routes, queues. So the `CONTEXT` before it is
    there as well, and counted. Raises `LocalProtocolError`: 13807 when the folder is no lake, 241.
    """
    span, lake = span_of(inputs.parameters), Lake(inputs.source)
    if not lake.files():
        raise LocalProtocolError(NOTHING_TO_READ, name=str(inputs.source), job=job)
    events = _read(session, inputs.source, lake.files(span.estate, span.until))
    if not span.is_bound:
        return events, lake.rows(span.estate)
    events = _within(events, span)
    return events, events.count()


def _read(session: SparkSession, folder: Path, files: Sequence[str]) -> DataFrame:
    schema = from_arrow_schema(COLUMNS)
    if not files:
        return session.createDataFrame([], schema)
    stored = [field.name for field in schema if field.name not in PARTITIONS]
    estate = f.col("estate").cast("string")
    if not unquote("".join(files)).isascii():
        # Spark makes a character of each byte of the name of a folder.
        estate = f.decode(f.encode(estate, "ISO-8859-1"), "UTF-8")
    return (
        session.read.schema(schema)
        .option("basePath", str(folder))
        .option("recursiveFileLookup", "false")
        .parquet(*files)
        .select(
            estate.alias("estate"),
            f.col("trace_date").cast("date").alias("trace_date"),
            f.col("hour").cast("int").alias("hour"),
            *stored,
        )
    )


def _within(events: DataFrame, span: Span) -> DataFrame:
    if span.until is not None:
        # The date as well, for it is a folder: those of later days are not opened.
        events = events.filter((f.col("event_time") < span.until) & (f.col("trace_date") <= span.until.date()))
    if span.since is not None:
        events = events.filter((f.col("event_time") >= span.since) | f.col("event").isin(*CONTEXT))
    return events


def holes_of(session: SparkSession, events: DataFrame, folder: Path) -> DataFrame:
    """`estate`, `instance`, `lost_until`: who had let events go before they were exported, and until when."""
    lake = Lake(folder)
    known = [(row["estate"], row["instance"]) for row in events.select("estate", "instance").distinct().collect()]
    marks = ((*each, lake.mark(*each).lost_until) for each in known)
    holes = [(estate, instance, _EPOCH + timedelta(microseconds=until)) for estate, instance, until in marks if until]
    return session.createDataFrame(holes, "estate string, instance string, lost_until timestamp")


def revisions_of(events: DataFrame) -> tuple[int, ...]:
    """Revisions of the topology that instances have reached while these events were told."""
    found = events.filter(f.col("revision").isNotNull()).select("revision").distinct().collect()
    return tuple(sorted(row["revision"] for row in found))
