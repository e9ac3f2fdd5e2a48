"""A run appears whole or not at all; it can be cancelled; its sums say what is in it, whatever the files."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline import manifest_of, run
from engine.pipeline.frame import Inputs, Outcome, run_job
from engine.pipeline.swapping import recover, swapped
from engine.version import VERSION
from tests.pipeline.conftest import MASTER
from tests.pipeline.reading import rows_of


def numbers(session: SparkSession, inputs: Inputs) -> Outcome:
    rows = session.range(0, int(inputs.parameters["rows"]), 1, int(inputs.parameters["files"]))
    held = inputs.work / "between"
    rows.write.parquet(str(held))
    return Outcome(
        tables={
            "numbers": session.read.parquet(str(held)).repartition(int(inputs.parameters["files"])),
            "twice": lambda made: made["numbers"].selectExpr("id * 2 n"),
        },
        rows_in={"range": int(inputs.parameters["rows"])},
        revisions=(121, 118),
        notes={"checked": "no"},
        check=lambda made: {"checked": made["twice"].agg(f.sum("n")).first()[0]},
    )


def failing(session: SparkSession, inputs: Inputs) -> Outcome:
    return Outcome(
        tables={
            "good": session.range(3),
            "bad": session.range(3).select(f.raise_error(f.lit("no")).cast("int").alias("x")),
        },
        rows_in={},
    )


def endless(session: SparkSession, inputs: Inputs) -> Outcome:
    return Outcome(tables={"t": session.range(10**12).groupBy((f.col("id") % 7).alias("k")).count()}, rows_in={})


def done(spark: SparkSession, target: Path, rows: int = 10, files: int = 1):
    given = {"rows": rows, "files": files}
    return run_job(spark, "numbers", numbers, source=target.parent, target=target, parameters=given)


def everything_in(folder: Path) -> list[str]:
    return sorted(
        str(each.relative_to(folder)) for each in folder.rglob("*") if not each.name.startswith((".part", "._"))
    )


def test_a_run_leaves_its_tables_a_manifest_and_nothing_else(spark, tmp_path):
    manifest = done(spark, tmp_path / "out")
    assert manifest_of(tmp_path / "out") == manifest
    assert [row["n"] for row in rows_of(tmp_path / "out" / "twice")] == [2 * n for n in range(10)]
    assert (manifest.job, manifest.engine_version, manifest.revisions) == ("numbers", VERSION, (118, 121))
    assert (manifest.rows_in, manifest.rows_out, manifest.notes) == ({"range": 10}, 20, {"checked": 90})
    assert manifest.tables["twice"].columns == ("n",)
    assert {each.name for each in tmp_path.iterdir()} == {"out"}
    assert {each.name for each in (tmp_path / "out").iterdir()} == {"numbers", "twice", "manifest.json"}


@pytest.mark.slow
def test_a_sum_is_of_the_rows_alone(spark, tmp_path):
    one, many = done(spark, tmp_path / "a", 50, 1), done(spark, tmp_path / "b", 50, 7)
    assert len(list((tmp_path / "b" / "numbers").glob("part-*"))) > 1
    assert one.tables["numbers"].checksum == many.tables["numbers"].checksum
    assert one.tables["numbers"].checksum != done(spark, tmp_path / "c", 51).tables["numbers"].checksum


ALIKE_AT_A_GLANCE = [
    ("(1, null), (null, 2)", "(1, 2), (null, null)"),
    ("(null, 1)", "(1, null)"),
    ("(1, 2), (1, 2)", "(3, 4), (3, 4)"),
    ("(1, 2), (1, 2)", "(1, 2)"),
]


@pytest.mark.slow
def test_other_rows_have_another_sum(spark, tmp_path):
    texts = sorted({text for pair in ALIKE_AT_A_GLANCE for text in pair})

    def tables(session: SparkSession, inputs: Inputs) -> Outcome:
        made = {
            f"t{number}": session.sql(f"SELECT * FROM VALUES {rows}, (cast(9 AS int), 9) AS t(a, b)")
            for number, rows in enumerate(texts)
        }
        return Outcome(tables=made, rows_in={})

    def sums() -> dict[str, str]:
        made = run_job(spark, "j", tables, source=tmp_path, target=tmp_path / "t", parameters={}).tables
        return {rows: made[f"t{number}"].checksum for number, rows in enumerate(texts)}

    found = sums()
    for one, other in ALIKE_AT_A_GLANCE:
        assert found[one] != found[other], (one, other)
    assert sums() == found


def test_a_run_that_fails_changes_nothing(spark, tmp_path):
    done(spark, tmp_path / "out")
    before = everything_in(tmp_path)
    with pytest.raises(PySparkException):
        run_job(spark, "j", failing, source=tmp_path, target=tmp_path / "out", parameters={})
    assert everything_in(tmp_path) == before


class Enough(Exception):
    """What somebody raises who does not want it any more."""


@pytest.mark.slow
def test_whoever_hears_of_the_progress_can_end_it(spark, tmp_path):
    done(spark, tmp_path / "out")
    before = everything_in(tmp_path)
    heard: list[tuple[str, int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        heard.append((stage, done, total))
        assert threading.current_thread() is threading.main_thread()
        if stage == "t" and total:
            raise Enough

    with pytest.raises(Enough):
        run_job(spark, "j", endless, source=tmp_path, target=tmp_path / "out", parameters={}, progress=progress)
    assert everything_in(tmp_path) == before
    assert spark.sparkContext.statusTracker().getActiveJobsIds() == []
    assert heard[-1][0] == "t"


def test_the_session_goes_on_after_all_that(spark, tmp_path):
    assert done(spark, tmp_path / "out").rows_out == 20


def test_what_spark_says_of_a_failure_has_a_number(spark, work, tmp_path, monkeypatch):
    """A lake with a file that is none."""
    from engine.pipeline.lake.writing import Lake
    from tests.pipeline.traffic import world_of_traffic

    lake = Lake(tmp_path / "lake")
    for instance, events in world_of_traffic().items():
        lake.append("e", instance, events)
    for name in lake.files():
        Path(name.removeprefix("file://")).write_bytes(b"no Parquet")
    with pytest.raises(LocalProtocolError, match="39019: The job 'audit' has failed on Spark") as refused:
        run("audit", source=lake.folder, target=tmp_path / "out", work=work, master=MASTER, given={}, progress=_deaf)
    assert "\n" not in refused.value.text
    assert not (tmp_path / "out").exists()


def _deaf(stage: str, done: int, total: int) -> None:
    """Nobody listens."""


def test_after_a_crash_between_two_renames_the_old_output_is_back(tmp_path):
    target = tmp_path / "out"
    with swapped(target) as made:
        (made / "x").write_text("old")
    target.rename(tmp_path / ".out.old")
    recover(target)
    assert (target / "x").read_text() == "old"
    with pytest.raises(Enough):
        _leave(target)
    assert (target / "x").read_text() == "old"
    with swapped(target) as made:
        (made / "x").write_text("new")
    assert (target / "x").read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def _leave(target: Path) -> None:
    with swapped(target) as made:
        (made / "x").write_text("new")
        raise Enough
