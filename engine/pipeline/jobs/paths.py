"""`paths`: the ways that messages have taken, loops, hot links, what routes were used for, and copies of services.

Of routes it tells what the classifier has told of its decisions: which one won, and why each other one did not. It
decides nothing by itself; a database from which nothing was sent is not there.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f
from pyspark.sql.window import WindowSpec

from engine.core.routing.decision import LossReason
from engine.pipeline.frame import Inputs, Kept, Outcome
from engine.pipeline.jobs.messages import (
    CLASSIFIED,
    DIRECTION,
    FORWARDED,
    MESSAGE,
    STATE_CHANGED,
    lives,
    of_kinds,
    percentile,
)
from engine.pipeline.lake.reading import events_of, revisions_of, span_of

SHADOWED_BY: Final = (
    LossReason.LATER_STEP,
    LossReason.COUNTS_AS_ONE,
    LossReason.ADDRESS_KIND_LATER,
    LossReason.OTHER_BROKER_INSTANCE_PICKED,
)
"""Why a route loses that would have matched if another one were not there."""
_LOSSES: Final = "decision struct<losses: array<struct<route: string, reason: string>>>"
STEP: Final = " > "


def paths(session: SparkSession, inputs: Inputs) -> Outcome:
    """Tables `messages`, `ways`, `loops`, `links`, `routes` and `copies`."""
    events, rows = events_of(session, inputs, "paths")
    since = span_of(inputs.parameters).since
    return Outcome(
        tables={
            "messages": ways_of_messages(events, inputs.kept),
            "ways": lambda written: ways(written["messages"]),
            "loops": loops(events),
            "links": lambda written: links(events, written["messages"]),
            "routes": routes(events, since),
            "copies": lambda written: copies(events, None if since is None else written["messages"]),
        },
        rows_in={"events": rows},
        revisions=revisions_of(events),
    )


def ways_of_messages(events: DataFrame, kept: Kept) -> DataFrame:
    """The instances that each message has gone through, its sender first, those on the way by the hops it had left."""
    passed = (
        of_kinds(events, FORWARDED)
        .filter(f.col("message_sequence_number").isNotNull())
        .groupBy(*MESSAGE, "instance")
        .agg(f.max("hops_remaining").alias("hops_left"))
        .groupBy(*MESSAGE)
        .agg(f.array_sort(f.collect_list(f.struct((-f.col("hops_left")).alias("place"), "instance"))).alias("passed"))
    )
    between = f.coalesce(f.col("passed.instance"), f.array().cast("array<string>"))
    # A message that stays in its instance has a way of one place.
    ahead = f.when(f.col("to_instance").isNull(), f.array(f.lit("?"))).otherwise(f.array("to_instance"))
    whole = f.when(f.col("is_direct"), f.array("from_instance")).otherwise(
        f.concat(f.array("from_instance"), between, ahead)
    )
    return (
        lives(events, kept)
        .join(passed, on=list(MESSAGE), how="left")
        .select(
            *MESSAGE, "to_service", "is_direct", whole.alias("instances"), "hops", "forwards", "latency_milliseconds"
        )
    )


def ways(messages: DataFrame) -> DataFrame:
    """How many messages and conversations went each way; `?` where nobody has told of their arrival."""
    return (
        messages.withColumn("way", f.concat_ws(STEP, "instances"))
        .groupBy("estate", "way")
        .agg(
            f.count("*").alias("messages"),
            f.count_distinct("conversation_id").alias("conversations"),
            f.sum("forwards").alias("forwards"),
            f.max("hops").alias("hops"),
            percentile("latency_milliseconds", 50).alias("latency_p50"),
        )
    )


def loops(events: DataFrame) -> DataFrame:
    """Instances to which messages have come back: passed on once more, later, and with fewer hops left."""
    again = Window.partitionBy(*MESSAGE, "instance").orderBy("event_time", "event_number")
    came_back = (
        of_kinds(events, FORWARDED)
        .filter(f.col("message_sequence_number").isNotNull())
        .withColumn("before", f.lag("hops_remaining").over(again))
        .filter(f.col("hops_remaining") < f.col("before"))
    )
    return came_back.groupBy("estate", "instance", "to_service").agg(
        f.count("*").alias("times"),
        f.count_distinct("conversation_id").alias("conversations"),
        f.min("conversation_id").alias("example"),
        f.max(f.col("before") - f.col("hops_remaining")).cast("long").alias("hops_lost"),
    )


def links(events: DataFrame, messages: DataFrame) -> DataFrame:
    """How much went from each instance to each address, and which share of all that its estate has sent over links."""
    forwarded = of_kinds(events, FORWARDED).select("estate", "instance", "address", f.lit(1).alias("messages"))
    first = (
        messages.filter(~f.col("is_direct"))
        .join(_addresses(events), on=list(DIRECTION), how="inner")
        .select("estate", f.col("instances")[0].alias("instance"), "address", f.lit(1).alias("messages"))
    )
    total = Window.partitionBy("estate")
    return (
        forwarded.unionByName(first)
        .groupBy("estate", "instance", "address")
        .agg(f.sum("messages").alias("messages"))
        .withColumn("share", f.col("messages") / f.sum("messages").over(total))
    )


def _addresses(events: DataFrame) -> DataFrame:
    """Where the sender of each direction last sent to over the network."""
    last = f.max(f.struct("event_time", "event_number", "address"))
    return (
        of_kinds(events, CLASSIFIED)
        .filter(f.col("database").isNotNull() & f.col("address").isNotNull())
        .groupBy(*DIRECTION)
        .agg(last.alias("last"))
        .select(*DIRECTION, f.col("last.address").alias("address"))
    )


def routes(events: DataFrame, since: datetime | None = None) -> DataFrame:
    """Each route that a decision has told of: how often it won and lost, and whether others stood before it.

    `since` is where the decisions among the events begin that count; earlier ones say how things stood.
    """
    told = of_kinds(events, CLASSIFIED).filter(f.col("database").isNotNull())
    if since is not None:
        told = told.filter(f.col("event_time") >= since)
    place = ("estate", "instance", "database")
    won = told.filter(f.col("route").isNotNull()).select(
        *place, "route", "conversation_id", f.lit(1).alias("won"), f.lit(None).cast("string").alias("reason")
    )
    loss = f.explode(f.from_json("payload", _LOSSES)["decision"]["losses"])
    lost = told.select(*place, "conversation_id", loss.alias("loss")).select(
        *place,
        f.col("loss.route").alias("route"),
        "conversation_id",
        f.lit(0).alias("won"),
        f.col("loss.reason").alias("reason"),
    )
    is_shadowed = f.col("reason").isin(*(reason.value for reason in SHADOWED_BY))
    return (
        won.unionByName(lost)
        .groupBy(*place, "route")
        .agg(
            f.sum("won").alias("won"),
            f.count("reason").alias("lost"),
            f.count_if(is_shadowed).alias("shadowed"),
            f.count_distinct(f.when(f.col("won") == 1, f.col("conversation_id"))).alias("conversations"),
        )
        .withColumn("is_unused", f.col("won") == 0)
        .withColumn("is_shadowed", (f.col("won") == 0) & (f.col("shadowed") > 0))
    )


def copies(events: DataFrame, messages: DataFrame | None = None) -> DataFrame:
    """Databases in which conversations with a service have their target, and how unevenly these are spread.

    With `messages`, only of conversations that have one among them.
    """
    service = (
        of_kinds(events, CLASSIFIED)
        .filter(f.col("database").isNotNull() & f.col("from_initiator"))
        .groupBy("estate", "conversation_id")
        .agg(f.max(f.struct("event_time", "event_number", "to_service")).alias("last"))
        .select("estate", "conversation_id", f.col("last.to_service").alias("to_service"))
    )
    targets = (
        of_kinds(events, STATE_CHANGED)
        .filter(~f.col("is_initiator"))
        .groupBy("estate", "conversation_id")
        .agg(f.min(f.struct("event_time", "event_number", "instance", "database")).alias("first"))
        .select(
            "estate",
            "conversation_id",
            f.col("first.instance").alias("instance"),
            f.col("first.database").alias("database"),
        )
    )
    if messages is not None:
        targets = targets.join(messages, on=["estate", "conversation_id"], how="left_semi")
    of_service = Window.partitionBy("estate", "to_service")
    return (
        targets.join(service, on=["estate", "conversation_id"], how="inner")
        .groupBy("estate", "to_service", "instance", "database")
        .agg(f.count("*").alias("conversations"))
        .withColumn("copies", f.count("*").over(of_service))
        .withColumn("imbalance", _times_the_mean(of_service))
    )


def _times_the_mean(group: WindowSpec) -> Column:
    """How many times the mean of its group a copy has: 1 where all have the same."""
    return f.col("conversations") / f.avg("conversations").over(group)
