"""The export that somebody asks for: a job that tells how far it is, and can be cancelled."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from django.db import transaction

import brokerweb.pipeline.sayings  # noqa: F401  makes the titles known
from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.errors import EngineRefused
from brokerweb.common.sayings import saying
from brokerweb.common.web_queue import SPARK_QUEUE
from brokerweb.jobs.kinds import JobRun, job_kind
from brokerweb.jobs.models import Job, JobState
from brokerweb.jobs.services import job_start
from brokerweb.pipeline.selectors.lake import lake_read
from brokerweb.pipeline.services.exporting import estate_export, worker_heard
from brokerweb.pipeline.services.runs import demand_extra
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.services.revision import estate_lock
from engine import api as engine

EXPORT: Final = "lake-export"


class ExportOrder(msgspec.Struct, frozen=True):
    """What is to be exported, as it waits for its worker."""

    estate: str


@transaction.atomic
def lake_export(estate_name: str, *, user: User | None) -> Job:
    """A job that exports an estate; the one that waits for its worker, where there is one.

    Raises `ObjectNotFound`, and `EngineRefused` (39021) where nobody could do it.
    """
    estate = estate_lock(estate_name)
    demand_extra()
    arguments = msgspec.json.encode(ExportOrder(estate.name))
    waiting = Job.objects.filter(kind=EXPORT, state=JobState.QUEUED, arguments=arguments.decode()).first()
    title = saying(EXPORT, estate=estate.name)
    return waiting or job_start(EXPORT, title=title, arguments=arguments, user=user)


@job_kind(EXPORT, needs=Right.OPERATE, queue=SPARK_QUEUE)
def export_work(run: JobRun, arguments: bytes) -> bytes:
    """What the lake has afterwards."""
    order = msgspec.json.decode(arguments, type=ExportOrder)
    worker_heard()
    try:
        estate_export(estate_of(order.estate), run.progress)
    except engine.BrokerError as error:
        raise EngineRefused(error) from error
    found: dict[str, Any] = lake_read(order.estate)
    return msgspec.json.encode(found)
