"""Conversations that are drawn for the check: about as many as wanted, real rows, none that could not be drawn, and
found again where they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from engine.pipeline.whatif.drawing import GROUPS_MAX, drawn, near
from engine.pipeline.whatif.joining import answered
from tests.support.each import for_each
from tests.support.thoroughness import THOROUGH

FILES, GROUP_ROWS = 3, 40
DRAWINGS = 2_000 if THOROUGH else 1_500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files of 100 rows in row groups of 40, 40 and 20: nine groups. The flow of a row is its number."""
    folder = tmp_path_factory.mktemp("conversations")
    for file in range(FILES):
        numbers = list(range(100 * file, 100 * file + 100))
        columns = {"conversation_id": [f"c{number}" for number in numbers], "flow": numbers}
        schema = pa.schema([("conversation_id", pa.string()), ("flow", pa.int32())])
        pq.write_table(pa.table(columns, schema=schema), folder / f"part-{file}.parquet", row_group_size=GROUP_ROWS)
    (folder / "_SUCCESS").touch()
    return folder


def test_identifiers_keep_their_flows(folder: Path) -> None:
    found, _ = drawn(folder, 30, Random(1))
    assert found["flow"].to_pylist() == [int(name[1:]) for name in found["conversation_id"].to_pylist()]


@for_each("seed", range(20))
def test_no_row_is_drawn_twice_and_about_as_many_as_wanted(folder: Path, seed: int) -> None:
    names = drawn(folder, 30, Random(seed))[0]["conversation_id"].to_pylist()
    assert len(names) == len(set(names))
    # Each share is rounded up.
    assert 30 <= len(names) < 30 + GROUPS_MAX


@pytest.mark.slow
def test_every_row_is_drawn_sometimes_and_none_much_more_often(folder: Path) -> None:
    chance = Random(7)
    times: Counter[str] = Counter()
    for _ in range(DRAWINGS):
        times.update(drawn(folder, 10, chance)[0]["conversation_id"].to_pylist())
    assert len(times) == 300
    assert max(times.values()) < 4 * min(times.values())


def test_a_sample_larger_than_its_row_groups_has_all_of_them(folder: Path) -> None:
    names = drawn(folder, 1_000, Random(2))[0]["conversation_id"].to_pylist()
    assert 100 <= len(names) == len(set(names)) <= GROUPS_MAX * GROUP_ROWS


# ── where they should be ─────────────────────────────────────────────────────────────────────────────────────────────
SPLITS = {"spark.sql.files.maxPartitionBytes": "500", "spark.sql.files.openCostInBytes": "0"}
"""So small that tasks read a row group or two each."""


@pytest.fixture
def many_tasks(spark: SparkSession) -> Iterator[SparkSession]:
    before = {name: spark.conf.get(name) for name in SPLITS}
    for name, value in SPLITS.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_what_was_drawn_is_near_and_little_else(
    folder: Path, many_tasks: SparkSession, tmp_path: Path, seed: int
) -> None:
    read = many_tasks.read.parquet(str(folder))
    answer = many_tasks.range(300).select(f.col("id").cast("int").alias("flow"), f.lit(0).alias("change"))
    answered(read, answer).write.parquet(str(tmp_path / "out"))
    written = many_tasks.read.parquet(str(tmp_path / "out"))
    rows, groups = drawn(folder, 30, Random(seed))
    found = near(read, groups, written)
    names = {row["conversation_id"] for row in found.collect()}
    files = {row["file"] for row in found.select(f.input_file_name().alias("file")).collect()}
    assert names >= set(rows["conversation_id"].to_pylist())
    assert 0 < len(files) <= len(groups) < len(list((tmp_path / "out").glob("*.parquet")))


def test_in_files_of_other_names_nothing_is_near(folder: Path, spark: SparkSession, tmp_path: Path) -> None:
    read = spark.read.parquet(str(folder))
    read.write.parquet(str(tmp_path / "out"))
    for path in (tmp_path / "out").glob("*.parquet"):
        path.rename(path.with_name(f"all-{path.name[5:]}"))
    _, groups = drawn(folder, 30, Random(1))
    assert near(read, groups, spark.read.parquet(str(tmp_path / "out"))).count() == 0
