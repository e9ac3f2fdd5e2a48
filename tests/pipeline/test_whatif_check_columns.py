"""The check that the job makes of itself compares every column: each is wrong in a flow of its own, in a single look.

`test_whatif_check.py` has a look for each column, some of them only in `make test-all`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.whatif import checking
from engine.pipeline.whatif.checking import Check
from engine.pipeline.whatif.columns import NAMES, VERDICTS_SCHEMA
from engine.pipeline.whatif.flows import read_flows
from engine.pipeline.whatif.snapshots import read_snapshots
from tests.pipeline.conftest import CHECKED_CONVERSATIONS
from tests.pipeline.test_whatif_check import wrong

REVISION = 9
COLUMNS = [name for name in VERDICTS_SCHEMA.names if name != "flow"]


@pytest.fixture
def tables(spark: SparkSession, checked_run: Path) -> dict[str, DataFrame]:
    return {
        name: spark.read.parquet(str(checked_run / "out" / name)) for name in ("conversations", "flows", "verdicts")
    }


@pytest.fixture
def refused(spark: SparkSession, checked_run: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Flows of the conversations that a check of every row would end the run for."""
    _, estates = read_snapshots(checked_run / "snapshots", "whatif")
    flows = read_flows(checked_run / "interned", "whatif")
    check = Check(spark, checked_run / "interned", CHECKED_CONVERSATIONS, flows, estates, sample=CHECKED_CONVERSATIONS)
    demand, found = checking._demand, set[str]()

    def noted(wanted: Any, told: Any) -> None:
        try:
            demand(wanted, told)
        except LocalProtocolError as error:
            if error.number != checking.OTHER_ANSWER:
                raise
            found.add(wanted["conversation_id"])

    monkeypatch.setattr(checking, "_demand", noted)

    def ask(tables: dict[str, DataFrame]) -> set[str]:
        found.clear()
        check(tables)
        return set(found)

    return ask


def conversations_in(checked_run: Path, flows: set[int]) -> set[str]:
    rows = pq.read_table(checked_run / "out" / "conversations").to_pylist()
    return {row["conversation_id"] for row in rows if row["flow"] in flows}


def changed(table: DataFrame, values: dict[str, tuple[int, Any]], *, revision: bool = True) -> DataFrame:
    """With another value of each column, each in the row of one flow."""
    conditions = {
        name: (f.col("flow") == flow) & (f.col("revision") == REVISION) if revision else f.col("flow") == flow
        for name, (flow, _) in values.items()
    }
    columns = [
        f.when(conditions[name], values[name][1]).otherwise(f.col(name)).alias(name) if name in values else f.col(name)
        for name in table.columns
    ]
    return table.select(*columns)


def test_right_tables_are_refused_for_no_conversation(refused: Any, tables: dict[str, DataFrame]) -> None:
    assert refused(tables) == set()


def test_every_wrong_column_of_a_verdict_is_found(
    refused: Any, tables: dict[str, DataFrame], checked_run: Path
) -> None:
    rows = [row for row in pq.read_table(checked_run / "out" / "verdicts").to_pylist() if row["revision"] == REVISION]
    flows = [row["flow"] for row in rows if row["path"]]
    values = {name: (flow, wrong(name)) for name, flow in zip(COLUMNS, flows, strict=False)}
    assert values.keys() == {*COLUMNS}
    tables["verdicts"] = changed(tables["verdicts"], values)
    assert refused(tables) == conversations_in(checked_run, {flow for flow, _ in values.values()})


def test_every_column_that_answers_for_nobody_is_found(
    refused: Any, tables: dict[str, DataFrame], checked_run: Path
) -> None:
    """Nobody can be asked about a flow whose sender the estate does not have: whatever a column says is made up."""
    rows = [row for row in pq.read_table(checked_run / "out" / "verdicts").to_pylist() if row["revision"] == REVISION]
    flows = [row["flow"] for row in rows if row["disposition"] is None]
    made_up = {
        name: f.lit("1").cast(field.dataType)
        for name in COLUMNS
        if (field := tables["verdicts"].schema[name]) and name not in ("revision", "path")
    }
    made_up["path"] = f.expr("array(named_struct('instance', 'A', 'database', 'B', 'route', 'C'))")
    values = {name: (flow, value) for (name, value), flow in zip(made_up.items(), flows, strict=False)}
    assert values.keys() == {*COLUMNS} - {"revision"}
    tables["verdicts"] = changed(tables["verdicts"], values)
    assert refused(tables) == conversations_in(checked_run, {flow for flow, _ in values.values()})


def test_every_wrong_name_of_a_flow_is_found(refused: Any, tables: dict[str, DataFrame], checked_run: Path) -> None:
    flows = pq.read_table(checked_run / "out" / "flows")["flow"].to_pylist()
    values = {
        name: (flow, f.concat(f.coalesce(f.col(name), f.lit("")), f.lit(" ")))
        for name, flow in zip(NAMES, flows, strict=False)
    }
    tables["flows"] = changed(tables["flows"], values, revision=False)
    assert refused(tables) == conversations_in(checked_run, {flow for flow, _ in values.values()})
