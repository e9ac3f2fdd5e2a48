"""The check that the job makes of itself finds what is wrong in one place of its tables, and nothing in right ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.frame import Inputs, Outcome
from engine.pipeline.whatif.checking import Check
from engine.pipeline.whatif.columns import VERDICTS_SCHEMA
from engine.pipeline.whatif.flows import read_flows
from engine.pipeline.whatif.job import whatif
from engine.pipeline.whatif.snapshots import read_snapshots
from tests.support.whatif_job import run_whatif

pytestmark = pytest.mark.slow
Tables = Mapping[str, DataFrame]


@pytest.fixture(scope="module")
def check(spark: SparkSession, checked_run: Path) -> Callable[[Tables], Mapping[str, Any]]:
    """A check of every row."""
    _, estates = read_snapshots(checked_run / "snapshots", "whatif")
    return Check(
        spark, checked_run / "interned", 120, read_flows(checked_run / "interned", "whatif"), estates, sample=120
    )


@pytest.fixture(scope="module")
def written(spark: SparkSession, checked_run: Path) -> Tables:
    return {
        name: spark.read.parquet(str(checked_run / "out" / name)) for name in ("conversations", "flows", "verdicts")
    }


@pytest.fixture
def tables(written: Tables) -> dict[str, DataFrame]:
    return dict(written)


def a_flow(checked_run: Path) -> int:
    """One that has arrived by several decisions."""
    rows = pq.read_table(checked_run / "out" / "verdicts").to_pylist()
    return next(row["flow"] for row in rows if row["works"] and len(row["path"]) > 1)


def wrong(name: str) -> Column:
    """Another value of the same type."""
    field = VERDICTS_SCHEMA.field(name)
    if name == "path":
        return f.slice("path", 1, f.size("path") - 1)
    if str(field.type) == "bool":
        return ~f.col(name)
    if str(field.type) == "string":
        return f.concat(f.coalesce(f.col(name), f.lit("")), f.lit("'"))
    return f.coalesce(f.col(name), f.lit(0)) + f.lit(1).cast("tinyint")


def test_right_tables_pass(check: Any, tables: Tables) -> None:
    assert check(tables) == {"checked": 120}


def test_right_tables_pass_wherever_their_rows_are(
    check: Any, tables: dict[str, DataFrame], spark: SparkSession, tmp_path: Path
) -> None:
    """A cluster may write them in other files than those in which they are looked for first."""
    pq.write_table(tables["conversations"].toArrow(), tmp_path / "all.parquet")
    tables["conversations"] = spark.read.parquet(str(tmp_path / "all.parquet"))
    assert check(tables) == {"checked": 120}


@pytest.mark.parametrize("name", [each for each in VERDICTS_SCHEMA.names if each != "flow"])
def test_a_wrong_column_of_one_verdict_is_found(
    name: str, check: Any, tables: dict[str, DataFrame], checked_run: Path
) -> None:
    is_one = (f.col("flow") == a_flow(checked_run)) & (f.col("revision") == 9)
    tables["verdicts"] = tables["verdicts"].withColumn(name, f.when(is_one, wrong(name)).otherwise(f.col(name)))
    assert _refused(check, tables) == 8951


@pytest.mark.parametrize("name", [each for each in VERDICTS_SCHEMA.names if each not in ("flow", "revision")])
def test_an_answer_of_nobody_is_found(name: str, check: Any, tables: dict[str, DataFrame]) -> None:
    """Nobody can be asked about a flow whose sender the estate does not have: whatever is told of it is made up."""
    nobody = tables["verdicts"].filter(f.col("disposition").isNull()).first()
    assert nobody is not None
    kind = tables["verdicts"].schema[name].dataType
    made_up = f.when(
        f.lit(name == "path"), f.expr("array(named_struct('instance', 'A', 'database', 'B', 'route', 'C'))")
    )
    value = made_up if name == "path" else f.lit("1").cast(kind)
    is_one = (f.col("flow") == nobody["flow"]) & (f.col("revision") == nobody["revision"])
    tables["verdicts"] = tables["verdicts"].withColumn(name, f.when(is_one, value).otherwise(f.col(name)))
    assert _refused(check, tables) == 8951


@pytest.mark.parametrize("sample", [0, 1, 120])
def test_flows_that_count_too_few_conversations_are_found(
    sample: int, tables: Tables, spark: SparkSession, checked_run: Path
) -> None:
    _, estates = read_snapshots(checked_run / "snapshots", "whatif")
    flows = read_flows(checked_run / "interned", "whatif")
    check = Check(spark, checked_run / "interned", 120, flows.slice(0, flows.num_rows - 1), estates, sample=sample)
    assert _refused(check, tables) == 8951


@pytest.mark.parametrize("name", ["instance", "database", "service", "direction", "to_service", "broker_instance"])
def test_a_wrong_name_of_one_flow_is_found(
    name: str, check: Any, tables: dict[str, DataFrame], checked_run: Path
) -> None:
    other = f.concat(f.coalesce(f.col(name), f.lit("")), f.lit(" "))
    tables["flows"] = tables["flows"].withColumn(
        name, f.when(f.col("flow") == a_flow(checked_run), other).otherwise(f.col(name))
    )
    assert _refused(check, tables) == 8951


@pytest.mark.parametrize("name", ["flow", "change"])
def test_a_wrong_answer_of_one_conversation_is_found(name: str, check: Any, tables: dict[str, DataFrame]) -> None:
    one = tables["conversations"].first()
    assert one is not None
    is_one = f.col("conversation_id") == one["conversation_id"]
    other = f.when(f.col(name) == 0, f.lit(1)).otherwise(f.lit(0))
    tables["conversations"] = tables["conversations"].withColumn(name, f.when(is_one, other).otherwise(f.col(name)))
    assert _refused(check, tables) == 8951


def test_a_conversation_too_few_or_too_many_is_found(check: Any, tables: dict[str, DataFrame]) -> None:
    rows = tables["conversations"]
    tables["conversations"] = rows.limit(119)
    assert _refused(check, tables) == 8951
    tables["conversations"] = rows.union(rows.limit(1))
    assert _refused(check, tables) == 8951


def test_a_verdict_that_is_missing_is_found(check: Any, tables: dict[str, DataFrame], checked_run: Path) -> None:
    tables["verdicts"] = tables["verdicts"].filter((f.col("flow") != a_flow(checked_run)) | (f.col("revision") != 9))
    assert _refused(check, tables) == 8951


def test_a_run_with_a_wrong_answer_leaves_nothing(spark: SparkSession, checked_run: Path) -> None:
    right = (checked_run / "out" / "manifest.json").read_bytes()
    flow = a_flow(checked_run)

    def wrongly(session: SparkSession, inputs: Inputs) -> Outcome:
        outcome = whatif(session, inputs)
        routed = outcome.tables["verdicts"]
        assert not isinstance(routed, DataFrame)
        is_wrong, works = f.col("flow") == flow, f.col("works")
        return replace(
            outcome,
            tables={
                **outcome.tables,
                "verdicts": lambda written: routed(written).withColumn(
                    "works", f.when(is_wrong, ~works).otherwise(works)
                ),
            },
        )

    with pytest.raises(LocalProtocolError, match="works") as caught:
        run_whatif(spark, checked_run, sample=120, job=wrongly)
    assert caught.value.number == 8951
    assert (checked_run / "out" / "manifest.json").read_bytes() == right
    assert sorted(path.name for path in checked_run.iterdir()) == ["given", "interned", "out", "snapshots"]


def _refused(check: Any, tables: Tables) -> int:
    with pytest.raises(LocalProtocolError) as caught:
        check(tables)
    return caught.value.number
