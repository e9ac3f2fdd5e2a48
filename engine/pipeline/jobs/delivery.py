"""`delivery`: the life of every message, and how long messages take, by way, service, number of hops and hour.

Latencies are whole milliseconds, rounded down. Percentiles are exact: the least latency that so many messages do not
exceed. Times are those of the instances that told them: clocks that differ show, as negative ones too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.pipeline.frame import Inputs, Outcome
from engine.pipeline.jobs.messages import discarded, lives, percentile
from engine.pipeline.lake.reading import events_of, revisions_of

ROUTE: Final = ("estate", "from_instance", "from_database", "route")
"""A route is one of a database, and databases of two instances may be called the same."""
SERVICE: Final = ("estate", "to_service")
HOPS: Final = ("estate", "hops")
HOUR: Final = ("estate", "hour_at")
HOURLY: Final = (*HOUR, *ROUTE[1:], "to_service")
_PERCENTS: Final = (50, 95, 99)


def delivery(session: SparkSession, inputs: Inputs) -> Outcome:
    """Tables `messages`, `by_route`, `by_service`, `by_hops`, `by_hour`, `hourly` and `drops`."""
    events, rows = events_of(session, inputs, "delivery")
    revisions = revisions_of(events)
    inputs.stage("lives")
    return Outcome(
        tables={
            "messages": lives(events, inputs.kept),
            "by_route": lambda written: figures(written["messages"], ROUTE),
            "by_service": lambda written: figures(written["messages"], SERVICE),
            "by_hops": lambda written: figures(written["messages"], HOPS),
            "by_hour": lambda written: figures(with_hour(written["messages"]), HOUR),
            "hourly": lambda written: figures(with_hour(written["messages"]), HOURLY),
            "drops": reasons(events),
        },
        rows_in={"events": rows},
        revisions=revisions,
    )


def with_hour(messages: DataFrame) -> DataFrame:
    """With the hour in which each was sent, in UTC."""
    return messages.withColumn("hour_at", f.date_trunc("hour", "sent_at"))


def figures(messages: DataFrame, keys: Sequence[str]) -> DataFrame:
    """What became of the messages that have `keys` in common: counts, shares and latencies."""
    return (
        messages.groupBy(*keys)
        .agg(
            f.count("*").alias("messages"),
            f.count("delivered_at").alias("delivered"),
            f.count(f.coalesce("acknowledged_at", f.when(f.col("is_direct"), f.col("sent_at")))).alias("acknowledged"),
            f.sum("resends").alias("resends"),
            f.sum("times_dropped").alias("drops"),
            f.max("hops").alias("hops_max"),
            *_percentiles("latency_milliseconds", "latency"),
            *_percentiles("acknowledged_milliseconds", "acknowledged"),
        )
        .withColumn("resend_ratio", f.col("resends") / f.col("messages"))
    )


def _percentiles(column: str, name: str) -> list[Column]:
    return [percentile(column, percent).alias(f"{name}_p{percent}") for percent in _PERCENTS]


def reasons(events: DataFrame) -> DataFrame:
    """How often each instance has discarded numbered messages, by the number of the reason; copies left out."""
    return (
        discarded(events)
        .groupBy("estate", "instance", "number")
        .agg(
            f.count("*").alias("drops"),
            f.count_distinct("conversation_id").alias("conversations"),
            f.min("event_time").alias("first_at"),
            f.max("event_time").alias("last_at"),
        )
    )
