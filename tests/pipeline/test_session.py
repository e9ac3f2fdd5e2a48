"""The session of a process whose Java has died: the run says so, and the next one has a new Java."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
