"""Questions whose answers are tables, over HTTP. Nothing of the estate is written."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from ninja import Router, Status

from brokerweb.accounts.api import viewing
from brokerweb.common.errors import MalformedRequest
from brokerweb.common.languages import sentence
from brokerweb.jobs.api import JobOut
from brokerweb.jobs.selectors import job_read
from brokerweb.topology.selectors.findings import estate_there
from brokerweb.whatif.api.answers import WHAT_IF
from brokerweb.whatif.api.table_schemas import (
    ParameterOut,
    TableOut,
    TablePageIn,
    TableQuestionIn,
    TableQuestionOut,
)
from brokerweb.whatif.selectors.simulations import simulation_answer
from brokerweb.whatif.selectors.table_pictures import answer_of, table_csv, table_picture
from brokerweb.whatif.selectors.tables import bases_of, in_order, page_of, spelled, table_of
from brokerweb.whatif.services.simulations import SimulationOrder, simulation_start
from engine import api as engine

router = Router(tags=["what-if"])

QUESTIONS = WHAT_IF + "/questions"
CSV = {"responses": {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}}


@router.get(QUESTIONS, response={200: list[TableQuestionOut]}, operation_id="what_if_questions", auth=viewing)
def what_if_questions(request: HttpRequest, estate: str) -> list[TableQuestionOut]:
    """Every question whose answer is a table, with what it takes and its columns (docs/questions.md)."""
    estate_there(estate)
    return [_question(each) for each in engine.questions.QUESTIONS.values()]


@router.post(
    QUESTIONS + "/{question}",
    response={200: TableOut, 202: JobOut},
    operation_id="what_if_table",
    auth=viewing,
)
def what_if_table(request: HttpRequest, estate: str, question: str, body: TablePageIn) -> Status:
    """The answer to a question, or with `before` what differs from that state: 200 rows to a page.

    A question that is a job is answered with it (202); its result is the whole table.
    """
    asked = body.asked(question)
    bases = bases_of(estate, asked)
    asked = spelled(asked, bases)
    if engine.questions.QUESTIONS[question].parts is not None:
        order = SimulationOrder(bases.after.name, asked)
        return Status(202, JobOut(**job_read(simulation_start(order, user=request.auth).pk)))
    table = in_order(table_of(asked, bases), body.sorting())
    total = len(table.changes) if table.reference is not None else len(table.rows)
    shown, page, pages = page_of(table, body.page)
    return Status(200, TableOut(**table_picture(answer_of(asked, bases, shown), page=page, pages=pages, total=total)))


@router.post(
    QUESTIONS + "/{question}/csv",
    response={200: None},
    operation_id="what_if_table_csv",
    auth=viewing,
    openapi_extra=CSV,
)
def what_if_table_csv(request: HttpRequest, estate: str, question: str, body: TableQuestionIn) -> HttpResponseBase:
    """The whole answer as comma-separated values; of differences a line for each state that has the row."""
    asked = body.asked(question)
    bases = bases_of(estate, asked)
    asked = spelled(asked, bases)
    if engine.questions.QUESTIONS[question].parts is not None:
        raise MalformedRequest(
            _("{question} is answered by a job.").format(question=question),
            cure=_("Ask it, and take the file of the job that answers it."),
        )
    return _file(question, in_order(table_of(asked, bases), body.sorting()))


@router.get(
    WHAT_IF + "/simulations/{guid:job}/csv",
    response={200: None},
    operation_id="simulation_csv",
    auth=viewing,
    openapi_extra=CSV,
)
def simulation_csv(request: HttpRequest, estate: str, job: UUID) -> HttpResponseBase:
    """What a job has answered, as comma-separated values."""
    answer = simulation_answer(job)
    return _file(answer.question, answer.table)


def _file(question: str, table: engine.questions.Table) -> HttpResponseBase:
    file = StreamingHttpResponse(table_csv(table), content_type="text/csv; charset=utf-8")
    file["Content-Disposition"] = f'attachment; filename="{question}.csv"'
    return file


def _question(found: engine.questions.Registration) -> TableQuestionOut:
    return TableQuestionOut(
        name=found.name,
        help=sentence(found.help),
        parameters=[ParameterOut.from_orm(each) for each in engine.questions.parameters_of(found.question)],
        columns=[{"name": column.name, "kind": column.kind} for column in found.columns],
        key=list(found.key),
        heeds_faults=found.heeds_faults,
        is_job=found.parts is not None,
    )
