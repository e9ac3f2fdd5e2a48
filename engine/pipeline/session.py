"""`spark_session`: one warm session for a process, on this machine or on the cluster of a master's address."""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Final

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import SparkSession

import engine
from engine.pipeline.java import java_home

LOCAL: Final = "local[*]"
DRIVER_MEMORY: Final = "2g"
"""Heap of the Java beside this process; on this machine it does all the work."""

_FIXED: Final[Mapping[str, str]] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Identifiers are random: a higher level costs time and saves nothing.
    "spark.hadoop.parquet.compression.codec.zstd.level": "1",
    # Bytes. Row groups are what a task reads at least and what a writer holds: small ones level out and fit.
    "spark.hadoop.parquet.block.size": str(32 << 20),
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.ui.showConsoleProgress": "false",
    # Every join is within an estate, which is a folder of the lake: to look for estates first, in a copy of the other
    # side of the join, and of all the joins below, made 34 times as many scans.
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    # Rows of one direction of a conversation lie together: those of one message need not be brought together once more.
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    # Of a broken batch nothing is to be believed: rows that Spark cannot read are an error, not a null.
    "spark.sql.ansi.enabled": "true",
}
_NO_JAVA: Final = (Py4JError, ConnectionError, AttributeError)
"""What PySpark raises for a Java that has died: it does not reach it, or has thrown away how to."""
_starting: Final = Lock()
_sessions: Final[dict[str, SparkSession]] = {}


def spark_session(
    work: Path, master: str = LOCAL, *, memory: str = DRIVER_MEMORY, options: Mapping[str, str] | None = None
) -> SparkSession:
    """The session of this process; the first call starts it, which takes seconds. `work` is a folder for its files.

    A process has one at a time: another `master` ends the one before. Raises `LocalProtocolError` without a Java.
    """
    with _starting:
        known = _sessions.get(master)
        if known is not None and _is_alive(known):
            return known
        _end_all()
        _sessions[master] = _started(work, master, memory, options or {})
        return _sessions[master]


def end_session() -> None:
    """Let the session of this process go, with its Java's memory; harmless when there is none."""
    with _starting:
        _end_all()


def _is_alive(session: SparkSession) -> bool:
    """Whether there is still a Java that has not been told to stop."""
    try:
        return not session.sparkContext._jsc.sc().isStopped()
    except _NO_JAVA:
        return False


def _end_all() -> None:
    for session in _sessions.values():
        try:
            session.stop()
        except _NO_JAVA:
            _forget()
    _sessions.clear()


def _forget() -> None:
    """PySpark keeps its Java for the life of a process; one that has died, for want of memory say, is replaced."""
    with SparkContext._lock:
        SparkContext._active_spark_context = None
        SparkContext._gateway = None
        SparkContext._jvm = None
    SparkSession._instantiatedSession = None
    SparkSession._activeSession = None


def _started(work: Path, master: str, memory: str, options: Mapping[str, str]) -> SparkSession:
    work.mkdir(parents=True, exist_ok=True)
    os.environ["JAVA_HOME"] = str(java_home(work))
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # Machines of a cluster may have theirs elsewhere: whoever starts this process says where.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("brokerweb")
    given = {
        **_FIXED,
        "spark.driver.memory": memory,
        "spark.local.dir": str(work / "spill"),
        "spark.sql.warehouse.dir": str(work / "warehouse"),
        **(_for_one_machine(master) if master.startswith("local") else {}),
        **options,
    }
    for name, value in given.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    if not master.startswith("local"):
        session.sparkContext.addPyFile(str(engine_archive(work)))
    return session


def _for_one_machine(master: str) -> dict[str, str]:
    cores = os.cpu_count() or 1
    named = master.removeprefix("local").strip("[]")
    places = cores if named in ("", "*") else int(named.partition(",")[0])
    return {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        # A task for each core, four times over: more would be overhead, fewer would not level out.
        "spark.sql.shuffle.partitions": str(4 * places),
        "spark.sql.files.maxPartitionBytes": str(32 << 20),
        # On a few cores, collecting beside the work takes more from it than pauses do.
        "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
        "spark.ui.enabled": "false",
        # Hadoop gives each file a mode of its own, whatever the umask of the process. Only this user reads them; on a
        # cluster, executors may be another user.
        "spark.hadoop.fs.permissions.umask-mode": "077",
    }


def engine_archive(work: Path) -> Path:
    """The engine's own modules as one file, which executors import; its libraries must be installed there."""
    root = Path(engine.__file__).parent
    with tempfile.NamedTemporaryFile(dir=work, suffix=".zip", delete=False) as file:
        made = Path(file.name)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".toml", ".lark", ".sql") and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(root.parent))
    archive_path = work / "engine.zip"
    made.replace(archive_path)
    return archive_path
