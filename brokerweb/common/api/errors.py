"""Every problem as HTTP, once: RFC 9457 documents with the number that the engine gave.

`code` is the engine's error number or, for the web's own problems, a word; a reader words the rest by itself or
shows `detail`, `why` and `cure` as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from ninja import Field, NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from brokerweb.common.api.field_words import field_mistake, flattened
from brokerweb.common.api.shape import Brief, BriefValues, Shape
from brokerweb.common.api.statuses import ENGINE_STATUS, WEB_STATUS
from brokerweb.common.api.titles import TITLES, TITLES_BY_CODE
from brokerweb.common.database import database_busy
from brokerweb.common.errors import (
    ContentTooLarge,
    EngineRefused,
    NumberedError,
    TooManyAttempts,
    Unauthenticated,
    WebProblem,
)
from brokerweb.common.full_disk import DISK_FULL, full_disk
from brokerweb.common.languages import error_words, sentence
from brokerweb.common.server_errors import ServerBusy, StorageFull
from brokerweb.common.training_errors import training_over
from engine import api as engine

logger = logging.getLogger(__name__)
PROBLEMS_MAX: Final = 20
"""Mistakes of one request that its answer lists; of the others it has the number."""


class Problem(Shape):
    """What went wrong (RFC 9457), with the engine's number where there is one."""

    type: str
    title: str
    status: int
    code: int | str
    detail: Brief
    """What happened, in a sentence."""
    why: Brief = ""
    cure: Brief = ""
    """What a person can do about it; may be empty."""
    pointer: Brief | None = None
    """JSON pointer to the field of the request that is at fault, when it is one."""
    parameters: BriefValues = Field(default_factory=dict)
    """What the sentences were filled with."""


def problem_response(status: int, code: int | str, detail: str, **more: Any) -> HttpResponse:
    """A problem document as an answer."""
    return _response(problem_document(status, code, detail, **more))


def _response(problem: Problem) -> HttpResponse:
    return HttpResponse(problem.model_dump_json(), status=problem.status, content_type="application/problem+json")


def problem_document(status: int, code: int | str, detail: str, **more: Any) -> Problem:
    """A problem document, which may stand for one of several things that were asked for."""
    http_status = HTTPStatus(status)
    return Problem(
        type=f"urn:brokerweb:problem:{code}",
        title=str(TITLES_BY_CODE.get(code) or TITLES.get(http_status, http_status.phrase)),
        status=status,
        code=code,
        detail=detail,
        **more,
    )


def problem_of(error: WebProblem | EngineRefused | engine.EngineUnavailable) -> Problem:
    """The problem document of what was raised for one of several things that were asked for."""
    if isinstance(error, WebProblem):
        return _web_problem_document(error)
    if isinstance(error, EngineRefused):
        return _engine_problem_document(error.error, error.pointer, error.parameters)
    return _unavailable_document(error)


def engine_problem(
    error: NumberedError,
    pointer: str | None = None,
    more_parameters: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """A numbered error of the engine, raised here or answered by an instance, in the asker's language if it can."""
    return _response(_engine_problem_document(error, pointer, more_parameters))


def _engine_problem_document(
    error: NumberedError, pointer: str | None, more_parameters: Mapping[str, Any] | None
) -> Problem:
    said = error_words(error)
    return problem_document(
        ENGINE_STATUS.get(error.number, HTTPStatus.UNPROCESSABLE_ENTITY),
        error.number,
        said.text,
        why=said.why,
        cure=said.cure,
        pointer=pointer,
        parameters={**error.parameters, **(more_parameters or {})},
    )


def add_problem_handlers(api: NinjaAPI) -> None:
    """Teach an API every kind of problem."""
    handlers: dict[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
        WebProblem: web_problem,
        engine.BrokerError: lambda _request, error: engine_problem(error),
        EngineRefused: _engine_refused,
        engine.EngineUnavailable: _engine_unavailable,
        engine.sandboxes.SandboxClosed: lambda request, _error: web_problem(request, training_over()),
        AuthenticationError: _nobody_logged_in,
        ValidationError: _shape_problem,
        HttpError: _http_error,
        Http404: lambda request, _error: plain_problem(request, 404),
        RequestDataTooBig: lambda request, _error: web_problem(
            request, too_large(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        ),
        SuspiciousOperation: lambda request, _error: plain_problem(request, 400),
        MultiPartParserError: lambda request, _error: plain_problem(request, 400),
        Exception: _fault_of_ours,
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)


def web_problem(_request: HttpRequest, problem: WebProblem) -> HttpResponse:
    response = _response(_web_problem_document(problem))
    if isinstance(problem, TooManyAttempts):
        response["Retry-After"] = str(problem.seconds)
    if isinstance(problem, ServerBusy):
        response["Retry-After"] = str(problem.retry_seconds)
    return response


def _web_problem_document(given: WebProblem) -> Problem:
    problem = full_disk(given) or given
    return problem_document(
        WEB_STATUS[type(problem)],
        problem.code,
        problem.detail,
        why=problem.why,
        cure=problem.cure,
        pointer=problem.pointer,
        parameters=problem.parameters,
    )


def _engine_refused(_request: HttpRequest, refused: EngineRefused) -> HttpResponse:
    return engine_problem(refused.error, refused.pointer, refused.parameters)


def _engine_unavailable(_request: HttpRequest, error: engine.EngineUnavailable) -> HttpResponse:
    response = _response(_unavailable_document(error))
    if isinstance(error, engine.sandboxes.SandboxRestoring):
        response["Retry-After"] = "1"
    return response


def _unavailable_document(error: engine.EngineUnavailable) -> Problem:
    if isinstance(error, engine.sandboxes.SandboxRestoring):
        return problem_document(
            503,
            "sandbox-restoring",
            _("The run is being restored: {percent} per cent.").format(percent=error.percent),
            why=_("Its state is made by doing once more what its log says; that is done bit by bit."),
            cure=_("Ask again in a moment: each time it comes further."),
            parameters={"percent": error.percent},
        )
    if error.number == DISK_FULL:
        return _web_problem_document(StorageFull(sentence(str(error))))
    return problem_document(
        503,
        "engine-unavailable",
        sentence(str(error)),
        why=_("The engine works beside the dashboard: it may be starting, busy, or stopped."),
        cure=_("Check that the engine's worker is running, then try again. A change that was saved is not lost."),
    )


def _nobody_logged_in(request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    return web_problem(
        request,
        Unauthenticated(_("Nobody is logged in."), why=_("This needs somebody who is logged in."), cure=_("Log in.")),
    )


def _shape_problem(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    """The first field that is wrong; one that is not known goes first, for it is often another one misspelt."""
    mistakes, count = flattened(error.errors)
    unknown = next((each for each in mistakes if each["type"] == "extra_forbidden"), None)
    first = unknown or mistakes[0]
    where = [str(part) for part in first["loc"]]
    source, fields = where[0], where[2:] if where[0] == "body" else where[1:]
    field = "/".join(part.replace("~", "~0").replace("/", "~1") for part in fields)
    more = {
        "pointer": f"/{field}" if source == "body" and field else None,
        "parameters": {
            "problems": [{"where": item["loc"], "text": field_mistake(item)} for item in mistakes[:PROBLEMS_MAX]],
            "further_problems": max(0, count - PROBLEMS_MAX),
        },
    }
    if unknown is not None:
        return problem_response(
            400,
            "unknown-field",
            _("The request has a field {field}, which this address does not take.").format(field=field),
            why=_(
                "A field that nobody reads is usually a misspelt one, and what it asks for would silently not be done."
            ),
            cure=_("Remove it or correct its name; /api/v1/openapi.json describes every request."),
            **more,
        )
    return problem_response(
        422,
        "bad-field",
        _("{field}: {mistake}.").format(field=field or source, mistake=field_mistake(first)),
        why=_("The request does not have the shape that this address takes."),
        cure=_("Mend this field and send the request again; /api/v1/openapi.json describes every request."),
        **more,
    )


def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(cause := error.__cause__, WebProblem):
        return web_problem(request, cause)
    return plain_problem(request, error.status_code)


def _fault_of_ours(request: HttpRequest, error: Exception) -> HttpResponse:
    if (trouble := server_trouble(error)) is not None:
        logger.error("%s %s: %s", request.method, request.path, trouble.detail)
        return web_problem(request, trouble)
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return plain_problem(request, 500)


def server_trouble(error: BaseException | None) -> WebProblem | None:
    """The problem of the server that is behind an error: a full disk, a busy database; None for a fault of ours."""
    return full_disk(error) or database_busy(error)


def too_large(bytes_max: int) -> ContentTooLarge:
    """The problem of a body over its bound."""
    return ContentTooLarge(
        _("The request is larger than {megabytes:g} MB, the most that is taken at once.").format(
            megabytes=bytes_max / 1_048_576
        ),
        parameters={"bytes_max": bytes_max},
    )


def plain_problem(request: HttpRequest, status: int) -> HttpResponse:
    """The problem of a status about which nothing more is known."""
    code, detail, why, cure = {
        HTTPStatus.FORBIDDEN: (
            "csrf",
            _("The request did not carry the token that proves that it comes from the dashboard's own page."),
            _("Without it another page in the same browser could act in your name."),
            _("Reload the page and try again."),
        ),
        HTTPStatus.NOT_FOUND: (
            "no-address",
            _("There is nothing at this address."),
            _("No operation of the API answers to {path}.").format(path=request.path),
            _("Check the address; /api/v1/openapi.json lists them all."),
        ),
        HTTPStatus.METHOD_NOT_ALLOWED: (
            "method-not-allowed",
            _("{where} is no operation of the API.").format(where=f"{request.method} {request.path}"),
            _("The address exists, but takes other methods."),
            _("Use one of those in the header Allow of this answer."),
        ),
        HTTPStatus.INTERNAL_SERVER_ERROR: (
            "internal",
            _("The dashboard failed to answer."),
            _("This is a fault of brokerweb, not of the request."),
            _("The server's log says why; please report it."),
        ),
    }.get(
        HTTPStatus(status),
        (
            "malformed",
            _("The request could not be read."),
            _("Its body is not what its headers say, or these are not those of a browser."),
            _("Mend it and send it again; /api/v1/openapi.json describes every request."),
        ),
    )
    return problem_response(status, code, detail, why=why, cure=cure)
