"""Every job on a real standalone cluster, a master and two workers as processes; one of them is killed in mid-job."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import functions as f

from engine.pipeline.frame import checksum_of, checksum_parts
from engine.pipeline.lake.writing import Lake
from engine.pipeline.manifest import manifest_of
from engine.pipeline.whatif.snapshots import write_snapshot
from tests.pipeline.cluster import cluster
from tests.pipeline.drawn_events import drawn_estate
from tests.pipeline.expected import EXPECTED
from tests.pipeline.oracle import Estate
from tests.pipeline.reading import in_any_order, rows_of, told_rows
from tests.pipeline.traffic import world_of_traffic
from tests.support.whatif_job import conversations_of, expected, revisions_of, told, write_conversations

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
JOBS = ("executors", "delivery", "ingest", "whatif", "audit!", "paths", "conversations")
"""A worker is killed while `audit` runs; what follows runs on the other one alone."""
WHATIF_SEED = 19


@pytest.fixture(scope="module")
def estates() -> list[Estate]:
    return [Estate("one", drawn_estate(0, 3)), Estate("real", world_of_traffic())]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster")
    lake, revisions = Lake(folder / "lake"), revisions_of(WHATIF_SEED)
    write_conversations(folder / "out" / "given", conversations_of(WHATIF_SEED, revisions[0][2], 300))
    for revision, at, estate in revisions:
        write_snapshot(folder / "out" / "snapshots", estate, revision=revision, at=at)
    for name, estate_events in (("one", drawn_estate(0, 3)), ("real", world_of_traffic())):
        for instance, events in estate_events.items():
            lake.append(name, instance, events)
    # Not compacted: several files are several tasks, and so a job has a middle.
    with cluster(folder) as made:
        command = [
            sys.executable,
            "-m",
            "tests.pipeline.cluster_driver",
            made.address,
            str(lake.folder),
            str(folder / "out"),
        ]
        with (folder / "driver.log").open("w") as log:
            driver = subprocess.Popen(
                [*command, *JOBS],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, "PYTHONPATH": str(Path.cwd())},
            )
        assert driver.stdin is not None
        assert driver.stdout is not None
        killed = 0
        for line in driver.stdout:
            if line == "harm\n":
                made.kill_worker(0)
                killed += 1
                driver.stdin.write("\n")
                driver.stdin.flush()
        assert driver.wait() == 0, (folder / "driver.log").read_text()[-4000:]
        assert killed == 1, "the job had no middle"
    return folder / "out"


@pytest.mark.parametrize(("job", "table"), EXPECTED)
def test_every_job_makes_what_the_oracle_says(job, table, results, estates):
    expected = [row for estate in estates for row in EXPECTED[job, table](estate)]
    assert told_rows(results / job / table) == in_any_order(expected)


def test_a_what_if_asks_the_engine_of_the_driver(results):
    revisions = revisions_of(WHATIF_SEED)
    rows = conversations_of(WHATIF_SEED, revisions[0][2], 300)
    assert told(results / "whatif") == expected(rows, revisions)


@pytest.mark.parametrize("job", [job.rstrip("!") for job in JOBS])
def test_a_manifest_counts_and_sums_what_was_written(job, results, spark):
    """A task that is done again, because its worker is gone, does not count twice."""
    manifest = manifest_of(results / job)
    for name, table in manifest.tables.items():
        rows = spark.read.parquet(str(results / job / name))
        found = rows.agg(f.count("*").alias("rows"), *checksum_parts(rows)).first().asDict()
        assert (table.rows, table.checksum) == (found["rows"], checksum_of(found)), name


def test_executors_have_the_engine_from_the_driver(results):
    from engine.version import VERSION

    rows = rows_of(results / "executors" / "seen")
    assert len(rows) == 8
    assert {row["version"] for row in rows} == {VERSION}
    assert all(row["text"].startswith("Spark needs Java 17") for row in rows)
    assert all("engine.zip" in row["place"] for row in rows)
