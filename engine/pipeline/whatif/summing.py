"""What a chart shows of a run of `whatif`, made of its flows and verdicts: no conversation is looked at again."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from engine.whatif.disposition import FlowChange

_FLOW: Final = ("instance", "database", "service", "direction", "to_service")


def changes(flows: DataFrame, verdicts: DataFrame) -> DataFrame:
    """`revision`, `change`, names: of every revision but the first, how many flows and conversations became what."""
    told = verdicts.filter(f.col("change").isNotNull()).select("flow", "revision", "change")
    return (
        told.join(flows, on="flow", how="inner")
        .groupBy("revision", "change", *_FLOW)
        .agg(f.count("*").alias("flows"), f.sum("conversations").alias("conversations"))
    )


def heat(flows: DataFrame, verdicts: DataFrame) -> DataFrame:
    """`revision`, `change`, `from_instance`, `instance`: conversations whose way changes and led, or leads, there.

    `from_instance` is null where the way begins. A flow counts once for each step, whether it took it before the
    change, takes it after it, or both.
    """
    touched = verdicts.filter(f.col("change") != FlowChange.UNCHANGED.value).select("flow", "revision", "change")
    after = touched.join(_places(verdicts), on=["flow", "revision"], how="inner")
    first = _places(verdicts.filter(f.col("change").isNull())).drop("revision")
    before = touched.join(first, on="flow", how="inner")
    steps = (
        before.unionByName(after)
        .select("flow", "revision", "change", "places", f.posexplode("places").alias("at", "instance"))
        .withColumn("from_instance", f.when(f.col("at") > 0, f.element_at("places", f.col("at"))))
        .filter(~f.col("from_instance").eqNullSafe(f.col("instance")))
        .select("flow", "revision", "change", "from_instance", "instance")
        .distinct()
    )
    return (
        steps.join(flows.select("flow", "conversations"), on="flow", how="inner")
        .groupBy("revision", "change", "from_instance", "instance")
        .agg(f.sum("conversations").alias("conversations"))
    )


def _places(verdicts: DataFrame) -> DataFrame:
    """Instances that have decided, and the one where the way ends."""
    ends = f.concat(f.coalesce("path.instance", f.array().cast("array<string>")), f.array("end_instance"))
    return verdicts.select("flow", "revision", f.array_compact(ends).alias("places"))
