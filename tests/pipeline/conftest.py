"""One session for all tests of a process, made for tables of a few rows: nothing is compiled, nothing is spread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from engine.pipeline.session import end_session, spark_session
from tests.support.whatif_job import conversations_of, revisions_of, run_both

MASTER = "local[1]"
SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Spark's own classes need no verification: that takes a tenth of what these jobs take.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote",
}


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def spark(work: Path) -> Iterator[SparkSession]:
    yield spark_session(work, MASTER, memory="1g", options=SMALL)
    end_session()


CHECKED_CONVERSATIONS = 120


@pytest.fixture(scope="session")
def checked_run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the job `whatif` over `CHECKED_CONVERSATIONS`; its tables lie in `out`."""
    room, revisions = tmp_path_factory.mktemp("checked"), revisions_of(9)
    run_both(spark, room, conversations_of(9, revisions[0][2], CHECKED_CONVERSATIONS), revisions)
    return room
