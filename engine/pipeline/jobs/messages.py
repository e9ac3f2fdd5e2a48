"""Messages out of the events of all instances: who sent what when, and what became of it (views.md 4, 5).

A message is one of a conversation, of a direction, with a sequence number. Its sender tells of it by the handle of its
end, the instances on the way and its receiver by other names: `ends` brings them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from engine.pipeline.frame import Kept

# What differs most stands first: Spark sorts by the beginning of the first column, as long as that decides.
MESSAGE: Final = ("conversation_id", "estate", "from_initiator", "message_sequence_number")
"""What tells messages apart."""
END: Final = ("conversation_handle", "estate")
"""What tells ends of conversations apart: a database that moves to another instance takes its ends along."""
DIRECTION: Final = ("conversation_id", "estate", "from_initiator")
"""What tells the two ways of a conversation apart."""
DUPLICATE: Final = 11218
"""Why a message is discarded that has come before."""

QUEUED: Final = "message-queued-for-transmission"
DIRECT: Final = "message-sent-directly"
DELIVERED: Final = "message-delivered"
ACKNOWLEDGED: Final = "remote-message-acknowledged"
FORWARDED: Final = "forwarded-message-sent"
DROPPED: Final = "forwarded-message-dropped"
UNDELIVERABLE: Final = "message-undeliverable"
CORRUPTED: Final = "message-corrupted"
CLASSIFIED: Final = "message-classified"
STATE_CHANGED: Final = "conversation-state-changed"
QUEUE_SWITCHED: Final = "queue-switched"
QUEUE_DISABLED: Final = "queue-disabled"


def of_kinds(lake: DataFrame, *kinds: str) -> DataFrame:
    """The events of some kinds."""
    return lake.filter(f.col("event").isin(*kinds))


def firsts(rows: DataFrame, keys: Sequence[str], *order: str | Column) -> DataFrame:
    """Of the rows with the same keys the one that is first in an order.

    Not the least structure of them: of structures with text Spark finds that by sorting twice, before rows go to their
    place and there. Here they go to the place of their direction, where whatever is joined to them is as well.
    """
    return (
        rows.repartition(*DIRECTION).withColumn("is_first", _is_first(keys, order)).filter("is_first").drop("is_first")
    )


def _is_first(keys: Sequence[str], order: Sequence[str | Column]) -> Column:
    """Not by its number: of numbers Spark looks for the first ones before rows go to their place, which sorts twice."""
    return f.lag(f.lit(1)).over(Window.partitionBy(*keys).orderBy(*order)).isNull()


def ends(lake: DataFrame) -> DataFrame:
    """Each end of a conversation once: `END`, `conversation_id`, `is_initiator`."""
    is_told = f.col("conversation_handle").isNotNull() & f.col("is_initiator").isNotNull()
    return lake.filter(is_told).select(*END, "conversation_id", "is_initiator").distinct()


def _at_ends(events: DataFrame, all_ends: DataFrame, *kept: str) -> DataFrame:
    """Events that name a handle, with the conversation and the side of that end; those of unknown ends are left out.

    So are messages with a number below 0: what an end tells itself, timers and errors, was sent by nobody.
    """
    return (
        events.filter(f.col("message_sequence_number") >= 0)
        .select(*END, "instance", "database", "event_number", "event_time", "message_sequence_number", *kept)
        .join(all_ends, on=list(END), how="inner")
    )


def sent(lake: DataFrame, all_ends: DataFrame) -> DataFrame:
    """Each message that was sent, once: by whom, when first, of which kind, and whether without the network."""
    found = _at_ends(of_kinds(lake, QUEUED, DIRECT), all_ends, "event", "message_kind")
    order = ("event_time", "event_number", "instance", "database", "conversation_handle", "event", "message_kind")
    return firsts(found.withColumn("from_initiator", f.col("is_initiator")), MESSAGE, *order).select(
        *MESSAGE,
        f.col("instance").alias("from_instance"),
        f.col("database").alias("from_database"),
        f.col("conversation_handle").alias("from_handle"),
        f.col("event_time").alias("sent_at"),
        "message_kind",
        (f.col("event") == DIRECT).alias("is_direct"),
    )


def deliveries(lake: DataFrame, all_ends: DataFrame) -> DataFrame:
    """Each time that a message became ready in a queue; `from_initiator` is the direction of the message."""
    found = _at_ends(of_kinds(lake, DELIVERED), all_ends, "queue", "message_type_name")
    return found.select(
        "estate",
        "conversation_id",
        (~f.col("is_initiator")).alias("from_initiator"),
        "message_sequence_number",
        f.col("instance").alias("to_instance"),
        f.col("database").alias("to_database"),
        f.col("conversation_handle").alias("to_handle"),
        "queue",
        "message_type_name",
        f.col("event_time").alias("delivered_at"),
        "event_number",
    )


def first_deliveries(all_deliveries: DataFrame) -> DataFrame:
    """Each message that was delivered, once, with the first time, how often that was, and at how many ends."""
    order = ("delivered_at", "event_number", "to_instance", "to_database", "queue", "message_type_name")
    same = Window.partitionBy(*MESSAGE)
    counted = (
        all_deliveries.repartition(*DIRECTION)
        .withColumn("is_first", _is_first(MESSAGE, order))
        .withColumn("times_delivered", f.count("*").over(same))
        .withColumn("places", f.size(f.collect_set("to_handle").over(same)))
    )
    return counted.filter("is_first").select(
        *MESSAGE,
        "times_delivered",
        "places",
        *order[2:],
        "delivered_at",
        f.col("event_number").alias("delivered_number"),
    )


def acknowledgements(lake: DataFrame, all_ends: DataFrame, all_sent: DataFrame) -> DataFrame:
    """When each message that was sent over the network was acknowledged, null for one that was not.

    An acknowledgement is of all messages up to a number. So the rows of an end are gone through from the highest number
    down: a message was acknowledged by the earliest of those acknowledgements that have gone by.
    """
    tells = of_kinds(lake, ACKNOWLEDGED).select(*END, "up_to", "event_time")
    told = tells.join(all_ends, on=list(END), how="inner").select(
        "estate",
        "conversation_id",
        f.col("is_initiator").alias("from_initiator"),
        f.col("up_to").alias("message_sequence_number"),
        f.col("event_time").alias("acknowledged_at"),
        f.lit(0).alias("turn"),
    )
    waiting = all_sent.select(*MESSAGE, f.lit(None).cast("timestamp").alias("acknowledged_at"), f.lit(1).alias("turn"))
    above = (
        Window.partitionBy(*DIRECTION)
        .orderBy(f.desc("message_sequence_number"), "turn")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return (
        told.unionByName(waiting)
        .withColumn("acknowledged_at", f.min("acknowledged_at").over(above))
        .filter(f.col("turn") == 1)
        .select(*MESSAGE, "acknowledged_at")
    )


def hops(lake: DataFrame) -> DataFrame:
    """For each message that was forwarded: by how many instances, how often altogether, and where it was most often."""
    return (
        of_kinds(lake, FORWARDED)
        .filter(f.col("message_sequence_number").isNotNull())
        .repartition(*DIRECTION)
        .groupBy(*MESSAGE, "instance")
        .agg(f.count("*").alias("times"))
        .groupBy(*MESSAGE)
        .agg(f.count("*").alias("hops"), f.sum("times").alias("forwards"), f.max("times").alias("most_forwards"))
    )


def duplicates(lake: DataFrame) -> DataFrame:
    """For each message that came once more: how often its receiver has discarded a copy."""
    return (
        of_kinds(lake, UNDELIVERABLE)
        .filter(f.col("message_sequence_number").isNotNull() & (f.col("number") == DUPLICATE))
        .groupBy(*MESSAGE)
        .agg(f.count("*").alias("duplicates"))
    )


def discarded(lake: DataFrame) -> DataFrame:
    """Each time that a numbered message was discarded somewhere, its copies left out."""
    return of_kinds(lake, DROPPED, UNDELIVERABLE, CORRUPTED).filter(
        f.col("message_sequence_number").isNotNull() & ~f.col("number").eqNullSafe(DUPLICATE)
    )


def drops(lake: DataFrame) -> DataFrame:
    """For each message that was discarded somewhere: how often, and the number of the last reason."""
    last = f.max(f.struct("event_time", "instance", "event_number", "number"))
    return (
        discarded(lake)
        .groupBy(*MESSAGE)
        .agg(f.count("*").alias("times_dropped"), last.alias("last"))
        .select(*MESSAGE, "times_dropped", f.col("last.number").alias("drop_number"))
    )


def ways(lake: DataFrame) -> DataFrame:
    """How the sender of a direction last chose: the service that is meant, and the route."""
    told = of_kinds(lake, CLASSIFIED).filter(f.col("database").isNotNull())
    order = (f.desc(name) for name in ("event_time", "event_number", "to_service", "route"))
    return firsts(told, DIRECTION, *order).select(*DIRECTION, "to_service", "route")


def milliseconds(later: str, earlier: str) -> Column:
    """Whole milliseconds between two instants, rounded down."""
    return f.floor((f.unix_micros(later) - f.unix_micros(earlier)) / 1000).cast("long")


def percentile(column: str, percent: int) -> Column:
    """The least value of a whole number that so many of a hundred do not exceed; exact, null where none has a value."""
    return f.expr(f"percentile_disc({percent / 100}) WITHIN GROUP (ORDER BY {column})").cast("long")


def _count(name: str) -> Column:
    return f.coalesce(name, f.lit(0)).cast("long").alias(name)


def lives(lake: DataFrame, kept: Kept) -> DataFrame:
    """Each message that was sent, with what became of it; nulls for what did not happen."""
    all_ends = kept("ends", ends(lake))
    all_sent = kept("sent", sent(lake, all_ends))
    arrived = first_deliveries(deliveries(lake, all_ends))
    acknowledged = acknowledgements(lake, all_ends, all_sent)
    return (
        all_sent.join(arrived, on=list(MESSAGE), how="left")
        .join(acknowledged, on=list(MESSAGE), how="left")
        .join(hops(lake), on=list(MESSAGE), how="left")
        .join(duplicates(lake), on=list(MESSAGE), how="left")
        .join(drops(lake), on=list(MESSAGE), how="left")
        .join(ways(lake), on=list(DIRECTION), how="left")
        .select(
            *MESSAGE,
            "message_kind",
            "from_instance",
            "from_database",
            "to_instance",
            "to_database",
            "queue",
            "message_type_name",
            "to_service",
            "route",
            "is_direct",
            "sent_at",
            "delivered_at",
            "acknowledged_at",
            milliseconds("delivered_at", "sent_at").alias("latency_milliseconds"),
            milliseconds("acknowledged_at", "sent_at").alias("acknowledged_milliseconds"),
            _count("times_delivered"),
            _count("hops"),
            _count("forwards"),
            # What a forwarder passes on twice, and its receiver gets twice, was sent once more, not twice.
            f.greatest(f.coalesce("most_forwards", f.lit(1)) - 1, f.coalesce("duplicates", f.lit(0)))
            .cast("long")
            .alias("resends"),
            _count("times_dropped"),
            "drop_number",
        )
    )
