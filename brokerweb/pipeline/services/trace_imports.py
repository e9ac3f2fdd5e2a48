"""Traces of real servers that somebody sends: kept until a worker has time, then rows of the lake, or no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec
from django.db import transaction

import brokerweb.pipeline.sayings  # noqa: F401  makes the titles known
from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.errors import EngineRefused
from brokerweb.common.sayings import saying
from brokerweb.common.web_queue import SPARK_QUEUE
from brokerweb.jobs.kinds import JobRun, job_kind
from brokerweb.jobs.models import Job
from brokerweb.jobs.services import job_start
from brokerweb.pipeline.folders import lake_folder
from brokerweb.pipeline.models import LakeInstance
from brokerweb.pipeline.services.exporting import lake_look, worker_heard, writing_alone
from brokerweb.pipeline.services.runs import demand_extra
from brokerweb.pipeline.services.uploads import (
    IMPORT,
    TAKE_OUT,
    PartFile,
    TraceOrder,
    upload_check,
    upload_drop,
    upload_path,
    upload_release,
    uploads_sweep,
)
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.selectors.places import instance_place
from engine import api as engine

IMPORTING: Final = "importing"
TAKING_OUT: Final = "taking-out"
REASONS_MAX: Final = 20
FILE_NAME_MAX: Final = 200
"""Characters of a file's name that are kept."""
Progress = Callable[[int, int], None]
Found = TypeVar("Found")


class ImportResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the rows of a trace; the result of its job."""

    rows: int
    written: int
    known: int
    """Understood, and in the lake before, or earlier in the file."""
    rejected: int
    unkept: int = 0
    """Rejected rows whose text is not kept, because the file has too many of them."""
    reasons: list[engine.pipeline.RejectedRows]
    """Why rows were rejected, the most frequent reason first."""
    other_reasons: int
    """How many further reasons there are."""


class TakeOutResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the rows of a trace that was taken out; the result of its job."""

    rows: int
    """Those of the file that are understood."""
    taken: int
    """Rows of the lake that are gone."""
    missing: int
    """Rows that were not there, one that the file has twice counted once."""
    rejected: int
    """Rows that the import had not understood, and of which nothing is kept any more."""


def lake_import_trace(estate_name: str, instance: str, file: PartFile, *, time_zone: str, user: User | None) -> Job:
    """A job that takes a trace over into the lake as one of an instance; `time_zone` is that of its server's clock.

    Raises `ObjectNotFound` for an estate or instance that there is not, `EngineRefused`: 39021 where nobody could do
    it, 9820 for a zone that there is not; and `MalformedRequest`, `ContentTooLarge`, `UploadUnwritable` for the file.
    """
    return _begun(IMPORT, estate_name, instance, file, time_zone, user)


def lake_take_out_trace(estate_name: str, instance: str, file: PartFile, *, time_zone: str, user: User | None) -> Job:
    """A job that deletes from the lake what `lake_import_trace` has brought, asked the same. Raises as that."""
    return _begun(TAKE_OUT, estate_name, instance, file, time_zone, user)


def _begun(kind: str, estate_name: str, instance: str, file: PartFile, time_zone: str, user: User | None) -> Job:
    estate = estate_of(estate_name)
    place = instance_place(estate.name, instance)
    demand_extra()
    _demand_zone(time_zone)
    upload_check(file)
    uploads_sweep()
    upload = file.keep()
    order = TraceOrder(estate.name, place.instance, upload, (file.name or "")[-FILE_NAME_MAX:], time_zone)
    try:
        return _job_of(kind, order, user)
    except BaseException:
        upload_drop(upload)
        raise


def _demand_zone(name: str) -> None:
    try:
        engine.pipeline.zone_of(name)
    except engine.BrokerError as error:
        raise EngineRefused(error, pointer="/time_zone") from error


@transaction.atomic
def _job_of(kind: str, order: TraceOrder, user: User | None) -> Job:
    # In front of the announcement, which is made in the same way: who hears of the job finds the file.
    transaction.on_commit(lambda: upload_release(order.upload))
    title = saying(kind, instance=order.instance, estate=order.estate)
    return job_start(kind, title=title, arguments=msgspec.json.encode(order), user=user)


@job_kind(IMPORT, needs=Right.OPERATE, queue=SPARK_QUEUE)
def import_work(run: JobRun, arguments: bytes) -> bytes:
    """Take it over; the file is gone afterwards, however it ends."""
    return _done(run, arguments, IMPORTING, _import)


@job_kind(TAKE_OUT, needs=Right.OPERATE, queue=SPARK_QUEUE)
def take_out_work(run: JobRun, arguments: bytes) -> bytes:
    """Take it out; the file is gone afterwards, however it ends."""
    return _done(run, arguments, TAKING_OUT, _take_out)


def _done(run: JobRun, arguments: bytes, stage: str, work: Callable[[TraceOrder, Progress], msgspec.Struct]) -> bytes:
    order = msgspec.json.decode(arguments, type=TraceOrder)
    try:
        worker_heard()
        estate = estate_of(order.estate)
        with writing_alone(stage, run.progress):
            result = work(order, lambda done, total: run.progress(stage, done, total))
            if stage == IMPORTING:
                LakeInstance.objects.get_or_create(estate=estate, instance=order.instance)
            lake_look(estate)
    except engine.BrokerError as error:
        raise EngineRefused(error) from error
    finally:
        upload_drop(order.upload)
    return msgspec.json.encode(result)


def _import(order: TraceOrder, progress: Progress) -> ImportResult:
    found = _told_of(engine.pipeline.import_trace, order, progress)
    return ImportResult(
        rows=found.rows,
        written=found.written,
        known=found.known,
        rejected=found.rejected,
        unkept=found.unkept,
        reasons=list(found.reasons[:REASONS_MAX]),
        other_reasons=max(len(found.reasons) - REASONS_MAX, 0),
    )


def _take_out(order: TraceOrder, progress: Progress) -> TakeOutResult:
    found = _told_of(engine.pipeline.take_out_trace, order, progress)
    return TakeOutResult(rows=found.rows, taken=found.taken, missing=found.missing, rejected=found.rejected)


def _told_of(work: Callable[..., Found], order: TraceOrder, progress: Progress) -> Found:
    return work(
        lake_folder(),
        order.estate,
        order.instance,
        upload_path(order.upload),
        name=order.file,
        time_zone=order.time_zone,
        progress=progress,
    )
