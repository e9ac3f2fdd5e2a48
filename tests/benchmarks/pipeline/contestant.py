"""One contestant in a process of its own: `python -m tests.benchmarks.pipeline.contestant NAME FOLDER`.

Says `ready`, then for every line of its input does the work once more and answers with a line of JSON: seconds, and
seconds of its parts. All write the same three tables, each with its own means, and all route by `engine.whatif` in two
processes: which is why their tables have to be equal.

- `whatif` is the job, over what `ingest` has made; `ingest` is that.
- `strings` is plain Spark over the names: grouped by them, joined back by them.
- `duckdb` is the job's plan in SQL, over the same integers as the job.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from engine.pipeline import JOBS
from engine.pipeline.frame import Inputs, Outcome, run_job
from engine.pipeline.manifest import ParameterValue
from engine.pipeline.session import spark_session
from engine.pipeline.whatif.columns import FLOWS_SCHEMA, VERDICTS_SCHEMA
from engine.pipeline.whatif.columns import WRITING as OF_WHATIF
from engine.pipeline.whatif.interning import ingest, named
from engine.pipeline.whatif.job import routed, whatif
from engine.pipeline.whatif.joining import CHANGES
from engine.pipeline.whatif.routing import route_batches
from engine.pipeline.whatif.snapshots import read_snapshots
from tests.benchmarks.pipeline.conversations import NAMES

MASTER = "local[2]"
WRITING = {**OF_WHATIF, "parquet.enable.dictionary#conversation_id": "false"}
"""What the job says of its largest table."""
PROCESSES = 2
Parts = dict[str, float]
Check = Callable[[Mapping[str, DataFrame]], Mapping[str, ParameterValue]]


class Watch:
    """Seconds of parts."""

    def __init__(self) -> None:
        self.parts: Parts = {}
        self._since = time.perf_counter()
        self._name = "start"

    def __call__(self, name: str) -> None:
        now = time.perf_counter()
        self.parts[self._name] = self.parts.get(self._name, 0.0) + now - self._since
        self._since, self._name = now, name


def _session(folder: Path) -> SparkSession:
    return spark_session(folder / "work", MASTER)


def whatif_job(folder: Path) -> Callable[[], Parts]:
    session = _session(folder)
    parameters: dict[str, str | int] = {"snapshots": str(folder / "snapshots"), "sample": 64}

    def work() -> Parts:
        parts: Parts = {}

        def job(given: SparkSession, inputs: Inputs) -> Outcome:
            outcome = whatif(given, inputs)
            assert outcome.check is not None
            return replace(outcome, check=_timed(outcome.check, parts))

        begun = time.perf_counter()
        manifest = run_job(
            session, "whatif", job, source=folder / "interned", target=folder / "out-whatif", parameters=parameters
        )
        parts |= {name: table.seconds for name, table in manifest.tables.items()}
        return {"rest": time.perf_counter() - begun - sum(parts.values()), **parts}

    return work


def _timed(check: Check, parts: Parts) -> Check:
    def timed(tables: Mapping[str, DataFrame]) -> Mapping[str, ParameterValue]:
        begun = time.perf_counter()
        found = check(tables)
        parts["checking"] = time.perf_counter() - begun
        return found

    return timed


def ingest_job(folder: Path) -> Callable[[], Parts]:
    session = _session(folder)

    def work() -> Parts:
        run_job(session, "ingest", ingest, source=folder / "given", target=folder / "interned", parameters={})
        return {}

    return work


def strings(folder: Path) -> Callable[[], Parts]:
    session = _session(folder)

    def work() -> Parts:
        watch = Watch()
        given = named(session.read.parquet(str(folder / "given")), "given")
        out = folder / "out-strings"
        watch("distinct flows")
        counted = given.groupBy(*NAMES).agg(f.count("*").alias("conversations")).toArrow().to_pylist()
        rows = sorted(counted, key=lambda row: [(row[name] is not None, row[name] or "") for name in _ORDER])
        flows = pa.table(
            [
                pa.array(range(len(rows)), pa.int32()),
                *(pa.array([row[field.name] for row in rows], field.type) for field in list(FLOWS_SCHEMA)[1:]),
            ],
            schema=FLOWS_SCHEMA,
        )
        watch("verdicts")
        encoded, _ = read_snapshots(folder / "snapshots", "strings")
        told = session.createDataFrame(flows)
        _empty(out)
        routed(told, session.sparkContext.broadcast(encoded)).write.parquet(str(out / "verdicts"))
        watch("conversations")
        answer = told.join(_gravest(session.read.parquet(str(out / "verdicts"))), "flow")
        conversations = given.join(f.broadcast(answer.alias("a")), _same(given), "inner").select(
            given["conversation_id"], "flow", "change"
        )
        conversations.write.options(**WRITING).parquet(str(out / "conversations"))
        watch("flows")
        told.write.parquet(str(out / "flows"))
        watch("end")
        return watch.parts

    return work


def _gravest(verdicts: DataFrame) -> DataFrame:
    numbers = f.lit(0)
    for number, change in enumerate(CHANGES):
        numbers = f.when(f.col("change") == change.value, f.lit(number)).otherwise(numbers)
    return verdicts.groupBy("flow").agg(f.max(numbers).cast("tinyint").alias("change"))


_ORDER = ("instance", "database", "service", "direction", "to_service", "broker_instance")


def _same(given: DataFrame) -> Any:
    condition = f.lit(True)
    for name in NAMES:
        condition &= given[name].eqNullSafe(f.col(f"a.{name}"))
    return condition


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def in_duckdb(folder: Path) -> Callable[[], Parts]:
    connection = duckdb.connect()
    connection.execute("set threads to 2")
    connection.execute("set preserve_insertion_order to false")
    pool = ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn"))
    list(pool.map(abs, range(PROCESSES)))
    interned = folder / "interned"

    def sql(text: str) -> Any:
        return connection.execute(text)

    def work() -> Parts:
        watch = Watch()
        out = _empty(folder / "out-duckdb")
        sql(f"create or replace table flows as select * from '{interned}/flows/*.parquet'")
        watch("verdicts")
        encoded, _ = read_snapshots(folder / "snapshots", "duckdb")
        flows = sql("select * from flows order by flow").to_arrow_table().cast(FLOWS_SCHEMA).combine_chunks()
        half = -(-flows.num_rows // PROCESSES)
        pieces = [flows.slice(half * at, half) for at in range(PROCESSES)]
        verdicts = pa.concat_tables(pool.map(_route, pieces, [encoded] * PROCESSES))
        connection.register("verdicts", verdicts)
        watch("conversations")
        places = " ".join(f"when '{change.value}' then {at}" for at, change in enumerate(CHANGES))
        sql(
            f"create or replace table answers as select flow, max(case change {places} else 0 end)::tinyint as change"
            " from verdicts group by flow"
        )
        (out / "conversations").mkdir()
        sql(
            f"copy (select conversation_id, flow, change from '{interned}/conversations/*.parquet'"
            f" join answers using (flow)) to '{out}/conversations/all.parquet' (compression zstd, compression_level 1)"
        )
        watch("flows")
        for table in ("flows", "verdicts"):
            (out / table).mkdir()
            sql(f"copy {table} to '{out}/{table}/all.parquet' (compression zstd, compression_level 1)")
        watch("end")
        return watch.parts

    return work


def _route(flows: pa.Table, encoded: bytes) -> pa.Table:
    return pa.Table.from_batches(_batches(flows.to_batches(), encoded), schema=VERDICTS_SCHEMA)


def _batches(given: Iterable[pa.RecordBatch], encoded: bytes) -> Iterator[pa.RecordBatch]:
    return route_batches(given, encoded)


def lake_job(name: str) -> Callable[[Path], Callable[[], Parts]]:
    """A job on the lake of a folder."""

    def made(folder: Path) -> Callable[[], Parts]:
        session, description = _session(folder), JOBS[name]

        def work() -> Parts:
            run_job(
                session,
                name,
                description.load(),
                source=folder / "lake",
                target=folder / f"out-{name}",
                parameters=description.parameters_of({}),
            )
            return {}

        return work

    return made


CONTESTANTS = {
    "delivery": lake_job("delivery"),
    "audit": lake_job("audit"),
    "whatif": whatif_job,
    "ingest": ingest_job,
    "strings": strings,
    "duckdb": in_duckdb,
}


def main() -> None:
    name, folder = sys.argv[1:]
    work = CONTESTANTS[name](Path(folder))
    _say("ready")
    for _ in sys.stdin:
        began = time.perf_counter()
        parts = work()
        _say(json.dumps({"seconds": time.perf_counter() - began, "parts": parts}))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
