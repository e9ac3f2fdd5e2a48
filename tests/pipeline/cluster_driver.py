"""Runs jobs on a cluster, in a process of its own: `python -m tests.pipeline.cluster_driver MASTER LAKE OUT JOB…`.

`OUT` has what is read that is no lake: `given`, conversations, and `snapshots`.

It writes a line for each look at its progress, and waits for one from its standard input when it is told `JOB!`: there
whoever has started it may do harm.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from engine.pipeline import run
from engine.pipeline.frame import Inputs, Outcome, run_job
from engine.pipeline.session import end_session, spark_session
from tests.pipeline.expected import EXAMPLES

OPTIONS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
SOURCES = {"ingest": "given", "whatif": "ingest"}
"""What a job reads that reads no lake: a folder beside its own."""


def main(master: str, lake: str, out: str, jobs: list[str]) -> None:
    target = Path(out)
    session = spark_session(target / "work", master, memory="512m", options=OPTIONS)
    for each in jobs:
        job = each.rstrip("!")
        if job == "executors":
            manifest = run_job(session, job, executors, source=Path(lake), target=target / job, parameters={})
        else:
            manifest = run(
                job,
                source=target / SOURCES[job] if job in SOURCES else Path(lake),
                target=target / job,
                work=target / "work",
                master=master,
                given=_parameters(job, target),
                progress=_progress(stops=each.endswith("!")),
            )
        _tell(f"done {job} {manifest.rows_out}")
    end_session()


def _parameters(job: str, target: Path) -> dict[str, str]:
    match job:
        case "audit":
            return {"examples": str(EXAMPLES)}
        case "whatif":
            return {"snapshots": str(target / "snapshots")}
        case _:
            return {}


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _progress(*, stops: bool) -> Callable[[str, int, int], None]:
    stopped: list[bool] = []

    def progress(stage: str, done: int, total: int) -> None:
        _tell(f"progress {stage} {done} {total}")
        # In the middle: something is done, and not everything.
        if stops and not stopped and 0 < done < total:
            stopped.append(True)
            _tell("harm")
            sys.stdin.readline()

    return progress


def executors(session: SparkSession, inputs: Inputs) -> Outcome:
    """Where Python runs beside the executors, and that it has the engine there."""
    numbers = session.range(0, 8, 1, 4)
    return Outcome(tables={"seen": numbers.mapInArrow(_seen, "version string, text string, place string")}, rows_in={})


def _seen(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import engine
    from engine.core.vocabulary.errors import text_of
    from engine.version import VERSION

    for batch in batches:
        rows = batch.num_rows
        told = {"version": [VERSION] * rows, "text": [text_of(39012, limit=17)] * rows}
        yield pa.RecordBatch.from_pydict(told | {"place": [str(engine.__file__)] * rows})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
