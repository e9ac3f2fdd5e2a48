"""The session of a process: its files are its user's, and when its Java has died the next run has a new one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

SCRIPT = """
import os, signal, sys
from pathlib import Path
from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline import run
from engine.pipeline.session import end_session, spark_session

import pyarrow as pa, pyarrow.parquet as pq
room = Path(sys.argv[1])
(room / "given").mkdir()
names = ("conversation_id", "instance", "database", "service", "to_service", "broker_instance")
pq.write_table(pa.table({name: ["x"] for name in names}), room / "given" / "one.parquet")

def java():
    return spark_session(room / "work", "local[1]", memory="512m").sparkContext._gateway.proc.pid

def kill(stage, done, total):
    if stage == "distinct flows":
        os.kill(java(), signal.SIGKILL)

def ingest(progress):
    given = {"source": room / "given", "target": room / "out", "work": room / "work", "master": "local[1]"}
    return run("ingest", **given, given={}, progress=progress).rows_in

first = java()
try:
    ingest(kill)
except LocalProtocolError as error:
    print(error.number)
print(ingest(lambda *_: None), java() != first)
end_session()
"""


@pytest.mark.slow
def test_a_java_that_dies_costs_one_run(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.stdout.split("\n")[:-1] == ["39019", "{'conversations': 1} True"], ended.stderr


def test_what_spark_writes_is_for_its_user_only(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(3).write.parquet(str(tmp_path / "out"))
    written = [tmp_path / "out", *(tmp_path / "out").iterdir()]
    assert len(written) > 2
    assert {
        f"{path.stat().st_mode & 0o077:o} {path.suffix}" for path in written if path.stat().st_mode & 0o077
    } == set()
