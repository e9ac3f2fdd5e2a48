"""The lake of an estate as it is shown: what is in it, how far its instances are exported, what waits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from importlib.util import find_spec
from time import monotonic
from typing import Any, Final

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.languages import asked_language, sentence
from brokerweb.common.web_queue import SPARK_QUEUE
from brokerweb.jobs.kinds import kinds_of
from brokerweb.jobs.models import Job, JobState
from brokerweb.pipeline.models import EstateLake, LakeInstance, SparkWorker
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.findings import estate_of
from engine import api as engine

HEARD_WITHIN: Final = timedelta(minutes=3)
"""A worker with Spark says every minute that it is there, and while it runs a job the job says so."""
LOOK_SECONDS_MAX: Final = 1.0
"""For asking instances how many events they have; those that are left by then are not known."""
ASK_SECONDS: Final = 0.5
_NOTHING: Final = EstateLake()
_UNKNOWN: Final = LakeInstance()
UNAVAILABLE: Final = "engine-unavailable"


def lake_read(estate_name: str) -> dict[str, Any]:
    """What there is; `ObjectNotFound` when there is no such estate."""
    estate = estate_of(estate_name)
    lake = EstateLake.objects.filter(estate=estate).first() or _NOTHING
    return {
        "is_available": is_available(),
        "events": lake.events,
        "files": lake.files,
        "bytes": lake.bytes,
        "first_at": lake.first_at,
        "last_at": lake.last_at,
        "exported_at": lake.exported_at,
        "instances": _instances(estate),
    }


def is_available() -> bool:
    """Whether somebody would do a run: this process, where it is the whole product, or a worker that was heard of."""
    if settings.ENVIRONMENT.celery_broker_url is None:
        return find_spec("pyspark") is not None
    since = timezone.now() - HEARD_WITHIN
    if SparkWorker.objects.filter(heard_at__gte=since).exists():
        return True
    busy = Job.objects.filter(state__in=(JobState.RUNNING, JobState.CANCELLING), kind__in=kinds_of(SPARK_QUEUE))
    return busy.filter(heartbeat_at__gte=since).exists()


def _instances(estate: Estate) -> list[dict[str, Any]]:
    """Those of the estate, and those of which only the lake has something: removed ones, and traces of real servers."""
    known = {each.instance: each for each in LakeInstance.objects.filter(estate=estate)}
    defined = set(estate.instances.values_list("name", flat=True))
    newest = _newest_numbers(estate.name, sorted(defined))
    return [
        _instance(name, known.get(name, _UNKNOWN), newest.get(name), is_defined=name in defined)
        for name in sorted(defined | known.keys())
    ]


def _instance(name: str, row: LakeInstance, newest: int | None, *, is_defined: bool) -> dict[str, Any]:
    # One that was removed is passed over no more, whatever it had when it was last asked.
    problem = row.problem if is_defined else None
    return {
        "instance": name,
        "events": row.events,
        "last_number": row.last_number,
        "exported_at": row.exported_at,
        "waiting": None if newest is None else max(newest - row.last_number, 0),
        "lost": row.lost,
        "problem": None if problem is None else problem_words(problem),
    }


def _newest_numbers(estate: str, instances: list[str]) -> dict[str, int]:
    """The number of the last event of each instance that answers in time."""
    found: dict[str, int] = {}
    ends_at = monotonic() + LOOK_SECONDS_MAX
    query = [engine.pictures.SummaryQuery()]
    for name in instances:
        if monotonic() >= ends_at:
            break
        try:
            [picture] = engine.read_pictures(estate, name, query, timeout_seconds=ASK_SECONDS)
        except engine.EngineUnavailable:
            continue
        if not isinstance(picture, engine.LocalProtocolError):
            found[name] = picture.sequence
    return found


def problem_words(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Why an instance could not be exported, in the asker's language."""
    if stored["code"] == UNAVAILABLE:
        words = {
            "detail": sentence(stored["detail"]),
            "why": _("The engine works beside the dashboard: it may be starting, busy, or stopped."),
            "cure": _("Its events are exported as soon as it answers; until it is, it keeps a limited number of them."),
        }
        return {**stored, **words}
    said = engine.translations.translated(asked_language(), int(stored["code"]), stored["parameters"])
    return {**stored} if said is None else {**stored, "detail": said.text, "why": said.why, "cure": said.cure}
