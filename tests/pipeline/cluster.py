"""A standalone cluster of Spark on this machine: a master and workers, each a process, as an operator starts them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyspark

from engine.pipeline.java import java_home
from tests.support.free_port import free_port

START_SECONDS_MAX = 120.0
_SMALL_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@dataclass
class Cluster:
    """Its address, and its workers, which may be killed."""

    address: str
    workers: list[subprocess.Popen[bytes]]

    def kill_worker(self, number: int) -> None:
        """With its executors: all processes of it at once, as when a machine goes."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    processes = [_process(folder, "master", "master.Master", "--host", "127.0.0.1", "--port", str(port))]
    try:
        _await(folder / "master.log", "I have been elected leader", processes[0])
        for number in range(workers):
            name = f"worker{number}"
            place = ("--host", "127.0.0.1", "--cores", "1", "--memory", "768m", "--work-dir", str(folder / name))
            processes.append(_process(folder, name, "worker.Worker", *place, address))
        for number in range(workers):
            _await(folder / f"worker{number}.log", "Successfully registered with master", processes[1 + number])
        yield Cluster(address, processes[1:])
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _process(folder: Path, name: str, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "JAVA_HOME": str(java_home(folder / "java")),
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_JAVA_OPTS": f"{_SMALL_JAVA} -Dspark.master.rest.enabled=false",
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    # What an executor has of the engine comes from the driver, not from this copy.
    environment.pop("PYTHONPATH", None)
    log: IO[bytes]
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", "--webui-port", "0", *arguments],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )


def _await(log: Path, words: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS_MAX
    while words not in (said := log.read_text("utf-8", "replace")):
        assert process.poll() is None, said
        assert time.monotonic() < until, said
        time.sleep(0.1)
