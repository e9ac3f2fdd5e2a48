"""What both ends of a conversation have come to, and during which time their instances have told of it."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from engine.core.vocabulary.subclasses import ConversationHappening
from engine.pipeline.jobs.messages import DIRECTION, QUEUE_DISABLED, QUEUE_SWITCHED, STATE_CHANGED, of_kinds

_RECEIVER_OVER: Final = ("DO", "CD", "ER")
"""States in which an end takes no more messages."""
_SENDER_OVER: Final = ("DI", "CD", "ER")
"""States in which nobody takes the messages of an end any more."""
_MADE: Final = (ConversationHappening.BEGIN_DIALOG.value, ConversationHappening.DIALOG_CREATED.value)
"""What happens when an end is made."""


def with_ends(known: DataFrame, fates: DataFrame) -> DataFrame:
    """Rows of directions with the fates of both ends, nulls where an end is unknown."""
    sender = fates.select(
        "estate",
        "conversation_id",
        f.col("is_initiator").alias("from_initiator"),
        f.col("is_over").alias("sender_is_over"),
        f.col("told_until").alias("sender_told_until"),
        f.col("lost_until").alias("sender_lost_until"),
        f.col("made_at").alias("sender_made_at"),
    )
    receiver = fates.select(
        "estate",
        "conversation_id",
        (~f.col("is_initiator")).alias("from_initiator"),
        f.col("over_at").alias("receiver_over_at"),
        f.col("told_from").alias("receiver_told_from"),
        f.col("told_until").alias("receiver_told_until"),
        f.col("made_at").alias("receiver_made_at"),
        f.col("has_queue_off").alias("receiver_has_queue_off"),
    )
    return known.join(sender, on=list(DIRECTION), how="left").join(receiver, on=list(DIRECTION), how="left")


def fates_of(events: DataFrame, holes: DataFrame) -> DataFrame:
    """Each end of a conversation: where it is, when it was made, and what it has come to.

    `told_from` of an end is since when its instance has told of everything, up to `told_until`. `made_at` is null for
    an end that was made before something was lost.
    """
    takes_nothing = f.col("state").isNull() | f.col("state").isin(*_RECEIVER_OVER)
    last = f.max(f.struct("event_time", "event_number", "instance", "database", "state"))
    ended = (
        of_kinds(events, STATE_CHANGED)
        .groupBy("estate", "conversation_id", "is_initiator")
        .agg(
            last.alias("last"),
            f.min(f.when(takes_nothing, f.col("event_time"))).alias("over_at"),
            f.min(f.when(f.col("happening").isin(*_MADE), f.col("event_time"))).alias("made_at"),
        )
        .select(
            "estate",
            "conversation_id",
            "is_initiator",
            "over_at",
            "made_at",
            (f.col("last.state").isNull() | f.col("last.state").isin(*_SENDER_OVER)).alias("is_over"),
            f.col("last.instance").alias("instance"),
            f.col("last.database").alias("database"),
        )
    )
    told = (
        events.groupBy("estate", "instance")
        .agg(f.min("event_time").alias("first_at"), f.max("event_time").alias("told_until"))
        .join(f.broadcast(holes), on=["estate", "instance"], how="left")
        .withColumn("told_from", f.greatest("first_at", "lost_until"))
    )
    is_whole = f.coalesce(f.col("made_at") >= f.col("lost_until"), f.lit(True))
    return (
        ended.join(f.broadcast(told), on=["estate", "instance"], how="left")
        .withColumn("made_at", f.when(is_whole, f.col("made_at")))
        .join(f.broadcast(_queues_off(events)), on=["estate", "instance", "database"], how="left")
        .withColumn("has_queue_off", f.coalesce("has_queue_off", f.lit(False)))
    )


def _queues_off(events: DataFrame) -> DataFrame:
    """Databases of which a queue was off when their instance last told of it."""
    last = f.max(f.struct("event_time", "event_number", f.coalesce("is_enabled", f.lit(False)).alias("is_on")))
    return (
        of_kinds(events, QUEUE_SWITCHED, QUEUE_DISABLED)
        .groupBy("estate", "instance", "database", "queue")
        .agg(last.alias("last"))
        .filter(~f.col("last.is_on"))
        .select("estate", "instance", "database", f.lit(True).alias("has_queue_off"))
        .distinct()
    )
