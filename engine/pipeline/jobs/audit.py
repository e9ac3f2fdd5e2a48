"""`audit`: exactly once, in order, proven from the events of both ends; or where it is not, with examples.

What an end has told is set against what the other one has. An event that cannot be in the lake yet proves nothing: a
message counts as missing only where the instance that should tell of it has told of something at that time or later.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from engine.pipeline.frame import Inputs, Kept, Outcome
from engine.pipeline.jobs.fates import fates_of, with_ends
from engine.pipeline.jobs.messages import (
    DIRECTION,
    MESSAGE,
    acknowledgements,
    deliveries,
    ends,
    first_deliveries,
    sent,
)
from engine.pipeline.lake.reading import events_of, holes_of, revisions_of, span_of

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
"""Like lost or unsent, but the instance that should tell of it is not in the lake at that time."""
BROKEN: Final = (LOST, DOUBLED, FORKED, REORDERED, UNSENT)
"""What is not exactly once in order."""
VERDICTS: Final = (*BROKEN, UNACKNOWLEDGED, HELD, OVER, UNSEEN)


def audit(session: SparkSession, inputs: Inputs) -> Outcome:
    """Tables `messages`, `directions` (of conversations), `summary` and `examples`."""
    events, rows = events_of(session, inputs, "audit")
    holes = holes_of(session, events, inputs.source)
    most = int(inputs.parameters["examples"])
    return Outcome(
        tables={
            "messages": judged(events, holes, inputs.kept, span_of(inputs.parameters).since),
            "directions": lambda written: directions(written["messages"]),
            "summary": lambda written: summary(written["directions"]),
            "examples": lambda written: examples(written["messages"], most),
        },
        rows_in={"events": rows},
        revisions=revisions_of(events),
    )


def judged(events: DataFrame, holes: DataFrame, kept: Kept, since: datetime | None = None) -> DataFrame:
    """Each message that was sent or delivered, with what is to be said of it: `verdicts`, empty when all is well.

    `since` is where the messages among the events begin, when it is not where their conversations do.
    """
    all_ends = kept("ends", ends(events))
    all_sent = kept("sent", sent(events, all_ends))
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
        f.when(~is_sent, _from_nowhere(since)),
    )
    # Each of them is the sender of one direction and the receiver of the other one.
    fates = kept("fates", fates_of(events, holes))
    return with_ends(_after_the_first(known), fates).select(
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


def _after_the_first(known: DataFrame) -> DataFrame:
    """`first_sent`: of those messages of the direction whose sending is known, the lowest number, and when that was."""
    first = f.when(f.col("sent_at").isNotNull(), f.struct("message_sequence_number", "sent_at"))
    return known.withColumn("first_sent", f.min(first).over(Window.partitionBy(*DIRECTION)))


def _missing() -> Column:
    """What it means that a message was taken and is ready nowhere."""
    ended_before = f.coalesce(f.col("receiver_told_until") < f.col("taken_at"), f.lit(True))
    began_after = f.col("receiver_made_at").isNull() & (f.col("receiver_told_from") > f.col("sent_at"))
    return (
        f.when(ended_before | began_after, f.lit(UNSEEN))
        .when(f.col("receiver_over_at") <= f.col("taken_at"), f.lit(OVER))
        .when(f.col("receiver_has_queue_off"), f.lit(HELD))
        .otherwise(f.lit(LOST))
    )


def _from_nowhere(since: datetime | None) -> Column:
    """What it means that a message is ready and was not sent: it may have been sent before the events begin."""
    ended_before = f.coalesce(f.col("sender_told_until") < f.col("delivered_at"), f.lit(True))
    is_whole = f.col("sender_made_at").isNotNull()
    if since is not None:
        is_whole &= f.col("sender_made_at") >= since
    is_later = f.col("first_sent.message_sequence_number") < f.col("message_sequence_number")
    is_after_losses = f.coalesce(f.col("first_sent.sent_at") >= f.col("sender_lost_until"), f.lit(True))
    follows = f.coalesce(is_later, f.lit(False)) & is_after_losses
    return f.when(ended_before | ~(is_whole | follows), f.lit(UNSEEN)).otherwise(f.lit(UNSENT))


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
    place = Window.partitionBy("estate", "verdict").orderBy(*MESSAGE)
    return (
        messages.filter(f.size("verdicts") > 0)
        .withColumn("verdict", f.explode("verdicts"))
        .withColumn("place", f.row_number().over(place))
        .filter(f.col("place") <= most)
        .drop("place", "verdicts")
    )
