"""Questions that take longer than a request may: jobs that can be watched and cancelled."""

from __future__ import annotations

from typing import Final

import msgspec
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.sandbox_errors import SandboxHasNone
from brokerweb.jobs.kinds import JobRun, job_kind
from brokerweb.jobs.models import Job
from brokerweb.jobs.services import job_start
from brokerweb.topology.private_estates import is_private
from brokerweb.topology.summaries import saying
from brokerweb.whatif.selectors.simulations import SIMULATION, stored_answer
from brokerweb.whatif.selectors.table_pictures import answer_of, table_picture
from brokerweb.whatif.selectors.tables import TableAsked, asked_of, bases_of
from engine import api as engine

STAGE: Final = "simulating"


class SimulationOrder(msgspec.Struct, frozen=True):
    """What is asked, as it waits for its worker."""

    estate: str
    asked: TableAsked


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(SimulationOrder)


def simulation_start(order: SimulationOrder, *, user: User | None) -> Job:
    """A job that answers the question. `SandboxHasNone` for a private estate: jobs are seen by everybody."""
    if is_private(order.estate):
        raise SandboxHasNone(
            _("A sandbox is not simulated by a job."),
            why=_("It is a simulation itself, and jobs are seen by everybody."),
            cure=_("Let its own time pass: pause, step and jump with the clock of the exercise."),
        )
    given = order.asked.parameters
    title = saying("simulate", service=given["service"], to_service=given["to_service"])
    return job_start(SIMULATION, title=title, arguments=_encoder.encode(order), user=user)


def _worded(result: str) -> str:
    return _encoder.encode(table_picture(stored_answer(result))).decode()


@job_kind(SIMULATION, wording=_worded)
def simulation_run(run: JobRun, arguments: bytes) -> bytes:
    """The table of the question; progress is told before each world that is simulated."""
    order = _decoder.decode(arguments)
    bases = bases_of(order.estate, order.asked)
    worlds = engine.questions.parts_of(order.asked.name, order.asked.parameters) or 0
    total = worlds if bases.before is None else 2 * worlds
    begun = 0

    def watch() -> None:
        nonlocal begun
        run.progress(STAGE, begun, total)
        begun += 1

    table = asked_of(order.asked, bases, watch)
    return _encoder.encode(answer_of(order.asked, bases, table))
