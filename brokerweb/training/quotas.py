"""Bounds on what runs of the training keep on the disk: logs and scripts of one run, of a person, and of all.

A run that is full takes nothing more. What has ended makes room: its replay is removed, its result stays.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.training_errors import TooManyRuns
from brokerweb.training.models import TrainingSession
from engine import api as engine

MEBIBYTE: Final = 1024 * 1024
RUN_BYTES_MAX: Final = 16 * MEBIBYTE
PERSON_BYTES_MAX: Final = 64 * MEBIBYTE
"""Kept when a further run begins; the runs under way may add to it."""
ALL_BYTES_MAX: Final = 1024 * MEBIBYTE
ROW_BYTES: Final = 256
"""What a row takes beside its text."""


def is_full(run: TrainingSession, further_bytes: int = 0) -> bool:
    """Whether a run keeps as much as it may, with so many bytes more; `run` is fresh from the database."""
    return run.kept_bytes + further_bytes >= RUN_BYTES_MAX


def run_full() -> engine.LocalProtocolError:
    """9002."""
    return engine.LocalProtocolError(9002, limit=RUN_BYTES_MAX)


def bytes_add(run: TrainingSession, count: int) -> None:
    """Count what was kept of a run just now, in the transaction that keeps it."""
    TrainingSession.objects.filter(pk=run.pk).update(kept_bytes=F("kept_bytes") + count)


def room_make(person: User) -> None:
    """Remove the oldest replays beyond the bounds of a person and of all. Raises `TooManyRuns` if none is left."""
    _shrink(TrainingSession.objects.filter(trainee=person), PERSON_BYTES_MAX)
    everything = TrainingSession.objects.all()
    _shrink(everything, ALL_BYTES_MAX)
    if _bytes_of(everything) > ALL_BYTES_MAX:
        raise TooManyRuns(
            _("The runs of all people take {count} MiB on the disk, the most that they may.").format(
                count=ALL_BYTES_MAX // MEBIBYTE
            ),
            parameters={"limit": ALL_BYTES_MAX},
        )


def replay_remove(run: TrainingSession) -> None:
    """Remove log and scripts of a run that has ended."""
    with transaction.atomic():
        run.entries.all().delete()
        run.scripts.all().delete()
        TrainingSession.objects.filter(pk=run.pk).update(kept_bytes=0, has_replay=False)


def _shrink(runs: QuerySet[TrainingSession], bytes_max: int) -> None:
    kept = _bytes_of(runs)
    if kept <= bytes_max:
        return
    for run in runs.filter(ended_at__isnull=False, kept_bytes__gt=0).order_by("ended_at").iterator(chunk_size=20):
        replay_remove(run)
        kept -= run.kept_bytes
        if kept <= bytes_max:
            return


def _bytes_of(runs: QuerySet[TrainingSession]) -> int:
    return runs.aggregate(kept=Sum("kept_bytes"))["kept"] or 0
