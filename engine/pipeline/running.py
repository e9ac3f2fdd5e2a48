"""`run`: a job by its name, in this process; the door that loads Spark only when it is gone through."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

from engine.core.exchange.events import BrokerEvent
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import EventSequence
from engine.pipeline.lake.state import Exported, HourInLake, LakeState
from engine.pipeline.manifest import MANIFEST_FILE, Imported, Manifest, TakenOut
from engine.pipeline.registry import JOBS
from engine.pipeline.zones import UTC_NAME

PACKAGE_MISSING, FAILED_ON_SPARK, NOTHING_TO_READ, NO_OUTPUT = 39021, 39019, 13807, 5170
_LAKE_PACKAGES: Final = ("pyarrow", "deltalake")
_PACKAGES: Final = ("pyspark", *_LAKE_PACKAGES, "pandas")
_DETAIL_MAX: Final = 500
"""Characters of what Spark says that are told; its log has the rest."""


ReadEvents = Callable[[EventSequence, int], Sequence[tuple[EventSequence, BrokerEvent]]]
"""The events of an instance after a number, at most so many, in the order of their numbers."""


class JobFailed(LocalProtocolError):
    """Spark has given up a run; nothing of it was kept."""


def run(
    name: str,
    *,
    source: Path,
    target: Path,
    work: Path,
    master: str,
    given: Mapping[str, str],
    progress: Callable[[str, int, int], None],
    options: Mapping[str, str] = MappingProxyType({}),
) -> Manifest:
    """Run a job of `JOBS`; `work` is a folder for files of the session, `given` what is said of its parameters.

    The first run of a process starts Spark, with `options` of Spark's own, which takes seconds. Raises
    `LocalProtocolError` (`JobFailed` is one) for what is missing or does not work, and what `progress` raises; nothing
    of the run is kept then. Raises `OSError` when the target cannot be written.
    """
    description = JOBS[name]
    parameters = description.parameters_of(given)
    demand_packages()
    if not source.is_dir():
        raise LocalProtocolError(NOTHING_TO_READ, name=str(source), job=name)
    _demand_output(source, target)
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from engine.pipeline.frame import run_job
    from engine.pipeline.session import spark_session

    job = description.load()
    try:
        session = spark_session(work, master, options=options)
        return run_job(session, name, job, source=source, target=target, parameters=parameters, progress=progress)
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise JobFailed(FAILED_ON_SPARK, job=name, value=_first_lines(str(error))) from error


def _demand_output(source: Path, target: Path) -> None:
    """Nothing is replaced but what a run has made."""
    if target.exists() or target.is_symlink():
        is_ours = target.is_dir() and not target.is_symlink() and (target / MANIFEST_FILE).is_file()
        if not is_ours or source.resolve().is_relative_to(target.resolve()):
            raise LocalProtocolError(NO_OUTPUT, name=str(target))


def import_trace(
    folder: Path,
    estate: str,
    instance: str,
    path: Path,
    *,
    name: str = "",
    time_zone: str = UTC_NAME,
    progress: Callable[[int, int], None] | None = None,
) -> Imported:
    """Take a trace that Profiler or Extended Events have exported over into a lake (`lake.importing`).

    Raises `LocalProtocolError` (39021, 4861, 9820, 3960, 5123), and what `progress` raises.
    """
    demand_packages(*_LAKE_PACKAGES)
    from engine.pipeline.lake.importing import import_trace as taken_over
    from engine.pipeline.lake.trace_sorting import nobody
    from engine.pipeline.lake.writing import Lake

    lake, heard = Lake(folder), progress or nobody
    return taken_over(lake, estate, instance, path, name=name, time_zone=time_zone, progress=heard)


def take_out_trace(
    folder: Path,
    estate: str,
    instance: str,
    path: Path,
    *,
    name: str = "",
    time_zone: str = UTC_NAME,
    progress: Callable[[int, int], None] | None = None,
) -> TakenOut:
    """Delete from a lake what `import_trace` has brought of a file (`lake.taking_out`).

    Raises as that, and 13807 when the folder is no lake.
    """
    _demand_lake(folder, "trace_import --take-out")
    from engine.pipeline.lake.taking_out import take_out_trace as taken_out
    from engine.pipeline.lake.trace_sorting import nobody
    from engine.pipeline.lake.writing import Lake

    lake, heard = Lake(folder), progress or nobody
    return taken_out(lake, estate, instance, path, name=name, time_zone=time_zone, progress=heard)


def export(folder: Path, estate: str, instance: str, read: ReadEvents, progress: Callable[[int], None]) -> Exported:
    """Take over into a lake what an instance has told since the last time (`lake.exporting`).

    Raises `LocalProtocolError`: 39021, 3960 when somebody else exports as well; and what `read` and `progress` raise.
    """
    demand_packages(*_LAKE_PACKAGES)
    from engine.pipeline.lake.exporting import export as exported
    from engine.pipeline.lake.writing import Lake

    return exported(Lake(folder), estate, instance, read, progress)


def compact(folder: Path, estate: str = "", hours: Collection[datetime] | None = None) -> int:
    """Make few large files of the small ones of each hour; how many went. Other hours are not touched.

    Of all estates unless one is named, of all hours unless those are given. Raises `LocalProtocolError`: 39021, 13807
    when the folder is no lake.
    """
    _demand_lake(folder, "lake_compact")
    from engine.pipeline.lake.writing import Lake

    return Lake(folder).compact(estate, hours)


def _demand_lake(folder: Path, job: str) -> None:
    demand_packages(*_LAKE_PACKAGES)
    if not (folder / "_delta_log").is_dir():
        raise LocalProtocolError(NOTHING_TO_READ, name=str(folder), job=job)


def lake_state(folder: Path, estate: str, instances: Iterable[str]) -> LakeState:
    """What a lake has of an estate, and of those of its instances. Raises `LocalProtocolError` 39021."""
    demand_packages(*_LAKE_PACKAGES)
    from engine.pipeline.lake.writing import Lake

    return Lake(folder).state(estate, instances)


def lake_hours(folder: Path, estate: str) -> tuple[HourInLake, ...]:
    """Every hour of which a lake has events of an estate, ascending. Raises `LocalProtocolError` 39021."""
    demand_packages(*_LAKE_PACKAGES)
    from engine.pipeline.lake.hours import lake_hours as found

    return found(folder, estate)


def lake_fingerprint(folder: Path, estate: str, until: datetime | None = None) -> str:
    """The same again as long as a job would read the same files for the time before `until` (`lake.fingerprint`).

    Raises `LocalProtocolError`: 39021, 5123, 948.
    """
    demand_packages(*_LAKE_PACKAGES)
    from engine.pipeline.lake.fingerprint import lake_fingerprint as found

    return found(folder, estate, until)


def demand_packages(*packages: str) -> None:
    """Raises `LocalProtocolError` when one of them, or of all, is not installed: the extra `spark`."""
    for package in packages or _PACKAGES:
        if find_spec(package) is None:
            raise LocalProtocolError(PACKAGE_MISSING, name=package)


def _first_lines(text: str) -> str:
    """What an error of Spark says, without the stack of the Java."""
    lines = [line.strip() for line in text.splitlines()]
    said = [line for line in lines if line and not line.startswith(("at ", ":", "JVM stacktrace"))]
    return " ".join(said)[:_DETAIL_MAX]
