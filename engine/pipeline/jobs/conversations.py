"""`conversations`: which end sends from where to whom, as the lake tells it: what `ingest` reads, and so `whatif`.

A row is a direction of a conversation: the initiator's end, and the target's when that has sent something. Names are
those of the first decision that its instance has told of.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.pipeline.frame import Inputs, Outcome
from engine.pipeline.jobs.messages import CLASSIFIED, DIRECTION, FORWARDED, STATE_CHANGED, ends, of_kinds
from engine.pipeline.lake.reading import Span, events_of, revisions_of, span_of
from engine.pipeline.whatif.columns import CONVERSATIONS, Direction

_PLACE = ("estate", "conversation_id", "instance", "database")


def conversations(session: SparkSession, inputs: Inputs) -> Outcome:
    """The table `conversations`."""
    events, rows = events_of(session, inputs, CONVERSATIONS)
    return Outcome(
        tables={CONVERSATIONS: senders(events, span_of(inputs.parameters))},
        rows_in={"events": rows},
        revisions=revisions_of(events),
    )


def senders(events: DataFrame, span: Span) -> DataFrame:
    """Each direction once; of a span that begins somewhere, those of which something was told in it."""
    first = _first_decisions(events)
    opposite = first.select(
        "estate",
        "conversation_id",
        (~f.col("from_initiator")).alias("from_initiator"),
        f.col("to_service").alias("their_target"),
    )
    direction = f.when(f.col("from_initiator"), f.lit(Direction.INITIATOR.value)).otherwise(
        f.lit(Direction.TARGET.value)
    )
    found = (
        first.join(opposite, on=list(DIRECTION), how="left")
        .join(_seen_on_the_way(events), on=list(DIRECTION), how="left")
        .select(
            "estate",
            "conversation_id",
            "instance",
            "database",
            # Whom the far end answers, and what a forwarder has read on the message, is the same name.
            f.coalesce("from_service", "their_target", "seen_service").alias("service"),
            direction.alias("direction"),
            "to_service",
            f.col("to_broker_instance").alias("broker_instance"),
            f.col("event_time").alias("first_at"),
        )
    )
    if span.since is None:
        return found
    return found.join(_active(events, f.col("event_time") >= span.since), on=["estate", "conversation_id"], how="semi")


def _first_decisions(events: DataFrame) -> DataFrame:
    """Of each direction what its first decision says. Traces of servers do not say whose end it was; its place does."""
    sides = of_kinds(events, STATE_CHANGED).groupBy(*_PLACE).agg(f.bool_or("is_initiator").alias("place_is_initiator"))
    told = ("instance", "database", "from_service", "to_service", "to_broker_instance")
    return (
        of_kinds(events, CLASSIFIED)
        .filter(f.col("database").isNotNull())
        .join(sides, on=list(_PLACE), how="left")
        .withColumn("from_initiator", f.coalesce("from_initiator", "place_is_initiator"))
        .filter(f.col("from_initiator").isNotNull())
        .groupBy(*DIRECTION)
        .agg(f.min(f.struct("event_time", "event_number", *told)).alias("first"))
        .select(*DIRECTION, "first.event_time", *(f.col(f"first.{name}").alias(name) for name in told))
    )


def _seen_on_the_way(events: DataFrame) -> DataFrame:
    return (
        of_kinds(events, FORWARDED)
        .filter(f.col("from_service").isNotNull())
        .groupBy(*DIRECTION)
        .agg(f.min("from_service").alias("seen_service"))
    )


def _active(events: DataFrame, is_within: Column) -> DataFrame:
    """The conversations of which something was told."""
    within = events.filter(is_within)
    by_id = within.filter(f.col("conversation_id").isNotNull()).select("estate", "conversation_id")
    by_handle = within.filter(f.col("conversation_id").isNull() & f.col("conversation_handle").isNotNull())
    known = (
        by_handle.select("estate", "conversation_handle")
        .distinct()
        .join(ends(events), on=["estate", "conversation_handle"], how="inner")
    )
    return by_id.unionByName(known.select("estate", "conversation_id")).distinct()
