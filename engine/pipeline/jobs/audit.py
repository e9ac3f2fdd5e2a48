"""`audit`: exactly once, in order, proven from the events of both ends; or where it is not, with examples.

What an end has told is set against what the other one has. An event that cannot be in the lake yet proves nothing: a
message counts as missing only where the instance that should tell of it has told of something at that time or later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from engine.pipeline.frame import Inputs, Outcome
from engine.pipeline.jobs.messages import (
    DIRECTION,
    MESSAGE,
    QUEUE_DISABLED,
    QUEUE_SWITCHED,
    STATE_CHANGED,
    acknowledgements,
    deliveries,
    ends,
    first_deliveries,
    of_kinds,
    sent,
)
from engine.pipeline.lake.reading import events_of, revisions_of

LOST: Final = "lost"
"""Acknowledged, and never ready in a queue."""
DOUBLED: Final = "doubled"
"""Ready in the queue of one end more than once."""
FORKED: Final = "forked"
"""Ready in several copies of its service: before the first acknowledgement a repetition may be sent to another copy."""
REORDERED: Final = "reordered"
"""Ready in a queue after a message that was sent later."""
UNSENT: Final = "unsent"
"""Ready in a queue, and nobody has sent it."""
UNACKNOWLEDGED: Final = "unacknowledged"
"""Not acknowledged, and its sender still has the conversation: under way, as far as anybody knows."""
HELD: Final = "held"
"""Like lost, but a queue of that database is switched off, and the message may wait for it."""
OVER: Final = "over"
"""Like lost, but its receiver had ended the conversation before, and so wanted no more of them."""
UNSEEN: Final = "unseen"
"""Like lost or unsent, but the instance that should tell of it is not in the lake up to that time."""
BROKEN: Final = (LOST, DOUBLED, FORKED, REORDERED, UNSENT)
"""What is not exactly once in order."""
VERDICTS: Final = (*BROKEN, UNACKNOWLEDGED, HELD, OVER, UNSEEN)

_RECEIVER_OVER: Final = ("DO", "CD", "ER")
"""States in which an end takes no more messages."""
_SENDER_OVER: Final = ("DI", "CD", "ER")
"""States in which nobody takes the messages of an end any more."""


def audit(session: SparkSession, inputs: Inputs) -> Outcome:
    """Tables `messages`, `directions` (of conversations), `summary` and `examples`."""
    events, rows = events_of(session, inputs.source, "audit")
    most = int(inputs.parameters["examples"])
    return Outcome(
        tables={
            "messages": judged(events),
            "directions": lambda written: directions(written["messages"]),
            "summary": lambda written: summary(written["directions"]),
            "examples": lambda written: examples(written["messages"], most),
        },
        rows_in={"events": rows},
        revisions=revisions_of(events),
    )


def judged(events: DataFrame) -> DataFrame:
    """Each message that was sent or delivered, with what is to be said of it: `verdicts`, empty when all is well."""
    all_ends = ends(events)
    all_sent = sent(events, all_ends)
    arrived = _in_order(first_deliveries(deliveries(events, all_ends)))
    known = (
        all_sent.join(arrived, on=list(MESSAGE), how="full")
        .join(acknowledgements(events, all_ends, all_sent), on=list(MESSAGE), how="left")
        # What goes without the network is in the queue when it is sent: nobody acknowledges it.
        .withColumn("taken_at", f.when(f.col("is_direct"), f.col("sent_at")).otherwise(f.col("acknowledged_at")))
        .withColumn("times_delivered", f.coalesce("times_delivered", f.lit(0)).cast("long"))
    )
    is_sent, is_taken = f.col("sent_at").isNotNull(), f.col("taken_at").isNotNull()
    said = (
        f.when(is_sent & is_taken & f.col("delivered_at").isNull(), _missing()),
        f.when(f.col("times_delivered") > f.col("places"), f.lit(DOUBLED)),
        f.when(f.col("places") > 1, f.lit(FORKED)),
        f.when(f.col("is_late"), f.lit(REORDERED)),
        f.when(is_sent & ~is_taken & ~f.col("sender_is_over"), f.lit(UNACKNOWLEDGED)),
        f.when(~is_sent, _from_nowhere()),
    )
    return _with_ends(known, events).select(
        *MESSAGE,
        f.array_compact(f.array(*said)).alias("verdicts"),
        "from_instance",
        "from_database",
        "to_instance",
        "to_database",
        "sent_at",
        "delivered_at",
        "taken_at",
        "times_delivered",
    )


def _in_order(arrived: DataFrame) -> DataFrame:
    """`is_late`: a message with a higher number had come before it in the same direction."""
    before = (
        Window.partitionBy(*DIRECTION)
        .orderBy("delivered_at", "delivered_number")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    highest = f.max("message_sequence_number").over(before)
    return arrived.withColumn("is_late", f.coalesce(highest > f.col("message_sequence_number"), f.lit(False)))


def _missing() -> Column:
    """What it means that a message was taken and is ready nowhere."""
    return (
        f.when(f.coalesce(f.col("receiver_told_until") < f.col("taken_at"), f.lit(True)), f.lit(UNSEEN))
        .when(f.col("receiver_over_at") <= f.col("taken_at"), f.lit(OVER))
        .when(f.col("receiver_has_queue_off"), f.lit(HELD))
        .otherwise(f.lit(LOST))
    )


def _from_nowhere() -> Column:
    """What it means that a message is ready and was not sent."""
    is_unseen = f.coalesce(f.col("sender_told_until") < f.col("delivered_at"), f.lit(True))
    return f.when(is_unseen, f.lit(UNSEEN)).otherwise(f.lit(UNSENT))


def _with_ends(known: DataFrame, events: DataFrame) -> DataFrame:
    """With what both ends of the conversation have come to, and until when their instances have told."""
    fates = _fates(events)
    sender = fates.select(
        "estate",
        "conversation_id",
        f.col("is_initiator").alias("from_initiator"),
        f.col("is_over").alias("sender_is_over"),
        f.col("told_until").alias("sender_told_until"),
    )
    receiver = fates.select(
        "estate",
        "conversation_id",
        (~f.col("is_initiator")).alias("from_initiator"),
        f.col("over_at").alias("receiver_over_at"),
        f.col("told_until").alias("receiver_told_until"),
        f.col("has_queue_off").alias("receiver_has_queue_off"),
    )
    return known.join(sender, on=list(DIRECTION), how="left").join(receiver, on=list(DIRECTION), how="left")


def _fates(events: DataFrame) -> DataFrame:
    """Each end of a conversation: where it is, and what it has come to."""
    takes_nothing = f.col("state").isNull() | f.col("state").isin(*_RECEIVER_OVER)
    last = f.max(f.struct("event_time", "event_number", "instance", "database", "state"))
    ended = (
        of_kinds(events, STATE_CHANGED)
        .groupBy("estate", "conversation_id", "is_initiator")
        .agg(last.alias("last"), f.min(f.when(takes_nothing, f.col("event_time"))).alias("over_at"))
        .select(
            "estate",
            "conversation_id",
            "is_initiator",
            "over_at",
            (f.col("last.state").isNull() | f.col("last.state").isin(*_SENDER_OVER)).alias("is_over"),
            f.col("last.instance").alias("instance"),
            f.col("last.database").alias("database"),
        )
    )
    until = events.groupBy("estate", "instance").agg(f.max("event_time").alias("told_until"))
    return (
        ended.join(f.broadcast(until), on=["estate", "instance"], how="left")
        .join(f.broadcast(_queues_off(events)), on=["estate", "instance", "database"], how="left")
        .withColumn("has_queue_off", f.coalesce("has_queue_off", f.lit(False)))
    )


def _queues_off(events: DataFrame) -> DataFrame:
    """Databases of which a queue was off when their instance last told of it."""
    last = f.max(f.struct("event_number", f.coalesce("is_enabled", f.lit(False)).alias("is_on")))
    return (
        of_kinds(events, QUEUE_SWITCHED, QUEUE_DISABLED)
        .groupBy("estate", "instance", "database", "queue")
        .agg(last.alias("last"))
        .filter(~f.col("last.is_on"))
        .select("estate", "instance", "database", f.lit(True).alias("has_queue_off"))
        .distinct()
    )


def directions(messages: DataFrame) -> DataFrame:
    """Each direction of each conversation: how many messages, and how many of each verdict."""
    counts = _counts(("sent", "sent_at"), ("delivered", "delivered_at"), ("taken", "taken_at"))
    told = [f.count_if(f.array_contains("verdicts", verdict)).alias(verdict) for verdict in VERDICTS]
    broken = sum((f.col(verdict) for verdict in BROKEN), f.lit(0))
    return (
        messages.groupBy(*DIRECTION)
        .agg(*counts, *told)
        .withColumn("is_exact", (broken == 0) & (f.col(UNSEEN) == 0))
        .withColumn("is_complete", (f.col("sent") == f.col("delivered")) & (f.col("sent") == f.col("taken")))
    )


def _counts(*columns: tuple[str, str]) -> list[Column]:
    return [f.count(column).alias(name) for name, column in columns]


def summary(all_directions: DataFrame) -> DataFrame:
    """The same of each estate."""
    return all_directions.groupBy("estate").agg(
        f.count_distinct("conversation_id").alias("conversations"),
        *_sums(("sent", "delivered", "taken", *VERDICTS)),
        f.count_if("is_exact").alias("exact_directions"),
        f.count_if("is_complete").alias("complete_directions"),
        f.count("*").alias("directions"),
    )


def _sums(names: Sequence[str]) -> list[Column]:
    return [f.sum(name).alias(name) for name in names]


def examples(messages: DataFrame, most: int) -> DataFrame:
    """Some messages of each estate and verdict, always the same ones."""
    place = Window.partitionBy("estate", "verdict").orderBy(*MESSAGE[1:])
    return (
        messages.filter(f.size("verdicts") > 0)
        .withColumn("verdict", f.explode("verdicts"))
        .withColumn("place", f.row_number().over(place))
        .filter(f.col("place") <= most)
        .drop("place", "verdicts")
    )
