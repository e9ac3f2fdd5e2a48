"""Events of instances into the lake: each exactly once, and what got lost on the way is counted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from django.utils import timezone

from brokerweb.pipeline.folders import lake_folder
from brokerweb.pipeline.models import EstateLake, LakeInstance, SparkWorker
from brokerweb.pipeline.selectors.lake import UNAVAILABLE
from brokerweb.pipeline.services.sweeping import runs_sweep
from brokerweb.pipeline.services.uploads import uploads_sweep
from brokerweb.topology.models import Estate
from engine import api as engine

logger = logging.getLogger(__name__)
EXPORTING: Final = "exporting"
COMPACTING: Final = "compacting"
EXPORTS_BETWEEN: Final = 8
"""Exports, each of which writes a file for each instance, before an hour that goes on is compacted; since the time of a
job grows with the number of files, and that of compaction with the size of the hour."""
SMALL_FILES_MIN: Final = 64
SMALL_FILES_LATER: Final = 8
"""Of an hour that is over, since a few instances may be late; after a day one is left."""
HOUR_IS_OVER: Final = timedelta(hours=2)
DAY_IS_OVER: Final = timedelta(hours=25)
"""Both since the hour began."""
ATTEMPTS: Final = 3
WRITTEN_BY_ANOTHER: Final = 3960
READ_SECONDS: Final = 10.0
"""How long an instance may take for a batch of events."""
_turn: Final = Lock()
Progress = Callable[[str, int, int], None]
Numbered = tuple[engine.EventSequence, engine.BrokerEvent]


def nobody(stage: str, done: int, total: int) -> None:
    """Where nobody listens."""


def lake_export_all() -> None:
    """The regular export, of every estate; what deleted runs and imports have left is removed besides."""
    worker_heard()
    for estate in Estate.objects.order_by("pk"):
        try:
            estate_export(estate, nobody)
        except engine.BrokerError as error:
            logger.warning("The lake of %s cannot be looked at or compacted: %s", estate.name, error)
    runs_sweep()
    uploads_sweep()


def worker_heard() -> None:
    """This process has the extra `spark`, and works."""
    SparkWorker.objects.update_or_create(pk=1, defaults={"heard_at": timezone.now()})


def estate_export(estate: Estate, progress: Progress) -> None:
    """Take what all its instances have told since the last time.

    One that does not answer, or whose events cannot be written, is passed over with the reason, and does not hold up
    the others. `progress` hears how many are done; what it raises ends the export, and what is written stays. Raises
    `BrokerError` where the lake cannot be read, or not be compacted.
    """
    with writing_alone(EXPORTING, progress):
        # Threads of a worker that hosts nothing wait for answers too.
        engine.worker.tasks_may_ask()
        names = list(estate.instances.order_by("name").values_list("name", flat=True))
        for place, name in enumerate(names):
            progress(EXPORTING, place, len(names))
            _instance_export(estate, name, _told(progress, place, len(names)))
        progress(EXPORTING, len(names), len(names))
        hours = lake_look(estate)
        EstateLake.objects.filter(estate=estate).update(exported_at=timezone.now())
        if crowded := crowded_hours(hours, len(names), timezone.now()):
            progress(COMPACTING, 0, 0)
            engine.pipeline.compact(lake_folder(), estate.name, crowded)
            lake_look(estate)


@contextmanager
def writing_alone(stage: str, progress: Progress) -> Iterator[None]:
    """Two exports at once would write the same events, and one of them in vain; an import counts the same rows."""
    while not _turn.acquire(timeout=1.0):
        progress(stage, 0, 0)
    try:
        yield
    finally:
        _turn.release()


def _told(progress: Progress, place: int, total: int) -> Callable[..., None]:
    return lambda *_batch: progress(EXPORTING, place, total)


def _instance_export(estate: Estate, name: str, progress: Callable[..., None]) -> None:
    row, _is_new = LakeInstance.objects.get_or_create(estate=estate, instance=name)
    rows = LakeInstance.objects.filter(pk=row.pk)
    try:
        found = _exported(estate, name, progress)
    except engine.EngineUnavailable as error:
        rows.update(problem={"code": UNAVAILABLE, "detail": str(error)})
    except engine.BrokerError as error:
        logger.warning("No events of %s of %s were exported: %s", name, estate.name, error)
        rows.update(problem=_numbered_problem(error))
    else:
        rows.update(last_number=found.last_number, exported_at=timezone.now(), problem=None)


def _numbered_problem(error: engine.BrokerError) -> dict[str, object]:
    """As it is stored; `selectors.lake` words it in the asker's language."""
    words = {"detail": error.text, "why": error.why, "cure": error.cure}
    return {"code": str(error.number), **words, "parameters": dict(error.parameters)}


def _exported(estate: Estate, name: str, progress: Callable[..., None]) -> engine.pipeline.Exported:
    """Who writes what somebody else has written meanwhile reads on from where the lake is then."""

    def read(sequence: engine.EventSequence, limit: int) -> Sequence[Numbered]:
        return engine.events_after(estate.name, name, sequence, limit, timeout_seconds=READ_SECONDS)

    for _attempt in range(ATTEMPTS - 1):
        try:
            return engine.pipeline.export(lake_folder(), estate.name, name, read, progress)
        except engine.LocalProtocolError as error:
            if error.number != WRITTEN_BY_ANOTHER:
                raise
    return engine.pipeline.export(lake_folder(), estate.name, name, read, progress)


def lake_look(estate: Estate) -> tuple[engine.pipeline.HourInLake, ...]:
    """Write down what the lake has of an estate: whoever shows it needs neither the lake nor its libraries.

    The hours that it has are answered. Raises `LocalProtocolError`.
    """
    names = LakeInstance.objects.filter(estate=estate).values_list("instance", flat=True)
    state = engine.pipeline.lake_state(lake_folder(), estate.name, names)
    hours = engine.pipeline.lake_hours(lake_folder(), estate.name)
    EstateLake.objects.update_or_create(
        estate=estate,
        defaults={
            "events": state.events,
            "files": state.files,
            "bytes": state.bytes,
            "first_at": state.first_at,
            "last_at": state.last_at,
            "hours": [[f"{each.begins_at:%Y-%m-%dT%H}", each.events, each.bytes, each.files] for each in hours],
        },
    )
    for each in state.instances:
        LakeInstance.objects.update_or_create(
            estate=estate,
            instance=each.instance,
            defaults={"events": each.events, "last_number": each.last_number, "lost": each.lost},
        )
    return hours


def crowded_hours(hours: Iterable[engine.pipeline.HourInLake], instances: int, now: datetime) -> list[datetime]:
    """Which hours have more small files than they should: soon of those that are over, seldom of those that go on."""
    return [each.begins_at for each in hours if each.small_files > _small_files_max(now - each.begins_at, instances)]


def _small_files_max(age: timedelta, instances: int) -> int:
    if age < HOUR_IS_OVER:
        return max(EXPORTS_BETWEEN * instances, SMALL_FILES_MIN)
    return SMALL_FILES_LATER if age < DAY_IS_OVER else 1
