"""What jobs have answered of questions that take long."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.jobs.models import Job
from brokerweb.whatif.selectors.table_pictures import Answer

SIMULATION: Final = "simulation"
"""The kind of such jobs."""
_decoder: Final = msgspec.json.Decoder(Answer)


def stored_answer(result: str) -> Answer:
    """The answer as its job has stored it."""
    return _decoder.decode(result)


def simulation_answer(job_id: UUID) -> Answer:
    """What a job has answered; `ObjectNotFound` where there is no such job, or it has no answer."""
    result = Job.objects.filter(pk=job_id, kind=SIMULATION).values_list("result", flat=True).first()
    if not result:
        raise ObjectNotFound(
            _("Job {job_id} has no result.").format(job_id=job_id),
            why=_("It is not done, or it failed."),
            cure=_("Look at its state."),
        )
    return stored_answer(result)
