"""Every problem as HTTP, once: RFC 9457 documents with the number that the engine gave.

`code` is the engine's error number or, for the web's own problems, a word; a reader words the rest by itself or
shows `detail`, `why` and `cure` as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from brokerweb.common.api.shape import Shape
from brokerweb.common.errors import (
    EngineRefused,
    MalformedRequest,
    NumberedError,
    ObjectNotFound,
    RevisionConflict,
    RevisionRequired,
    RightMissing,
    Unauthenticated,
    WebProblem,
)
from engine import api as engine

logger = logging.getLogger(__name__)


class Problem(Shape):
    """What went wrong (RFC 9457), with the engine's number where there is one."""

    type: str
    title: str
    status: int
    code: int | str
    detail: str
    """What happened, in a sentence."""
    why: str = ""
    cure: str = ""
    """What a person can do about it; may be empty."""
    pointer: str | None = None
    """JSON pointer to the field of the request that is at fault, when it is one."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """What the sentences were filled with."""


PROBLEMS: dict[int, type[Problem]] = dict.fromkeys((400, 401, 403, 404, 409, 412, 422, 428, 503), Problem)
"""The `response` entry of every operation: any of these statuses carries a `Problem`."""

WEB_STATUS: dict[type[WebProblem], HTTPStatus] = {
    MalformedRequest: HTTPStatus.BAD_REQUEST,
    Unauthenticated: HTTPStatus.UNAUTHORIZED,
    RightMissing: HTTPStatus.FORBIDDEN,
    ObjectNotFound: HTTPStatus.NOT_FOUND,
    RevisionConflict: HTTPStatus.PRECONDITION_FAILED,
    RevisionRequired: HTTPStatus.PRECONDITION_REQUIRED,
}

ENGINE_STATUS: dict[int, HTTPStatus] = {
    102: HTTPStatus.BAD_REQUEST,
    911: HTTPStatus.NOT_FOUND,
    15151: HTTPStatus.NOT_FOUND,
    8426: HTTPStatus.NOT_FOUND,
    1801: HTTPStatus.CONFLICT,
    2714: HTTPStatus.CONFLICT,
    7862: HTTPStatus.CONFLICT,
}
"""Status of an engine error by its number; every other number is 422: understood, but refused."""

TITLES: dict[HTTPStatus, str] = {
    HTTPStatus.BAD_REQUEST: "The request could not be read",
    HTTPStatus.UNAUTHORIZED: "Nobody is logged in",
    HTTPStatus.FORBIDDEN: "Your role does not allow this",
    HTTPStatus.NOT_FOUND: "There is no such object",
    HTTPStatus.CONFLICT: "Something of that name exists already",
    HTTPStatus.PRECONDITION_FAILED: "The estate has changed meanwhile",
    HTTPStatus.UNPROCESSABLE_ENTITY: "The engine refused this",
    HTTPStatus.PRECONDITION_REQUIRED: "The revision is missing",
    HTTPStatus.SERVICE_UNAVAILABLE: "The engine did not answer",
}


def problem_response(status: int, code: int | str, detail: str, **more: Any) -> HttpResponse:
    """A problem document as an answer."""
    http_status = HTTPStatus(status)
    problem = Problem(
        type=f"urn:brokerweb:problem:{code}",
        title=TITLES.get(http_status, http_status.phrase),
        status=status,
        code=code,
        detail=detail,
        **more,
    )
    return HttpResponse(problem.model_dump_json(), status=status, content_type="application/problem+json")


def engine_problem(
    error: NumberedError,
    pointer: str | None = None,
    more_parameters: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """A numbered error of the engine, raised here or answered by an instance."""
    return problem_response(
        ENGINE_STATUS.get(error.number, HTTPStatus.UNPROCESSABLE_ENTITY),
        error.number,
        error.text,
        why=error.why,
        cure=error.cure,
        pointer=pointer,
        parameters={**error.parameters, **(more_parameters or {})},
    )


def add_problem_handlers(api: NinjaAPI) -> None:
    """Teach an API every kind of problem."""
    handlers: dict[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
        WebProblem: _web_problem,
        engine.BrokerError: lambda _request, error: engine_problem(error),
        EngineRefused: _engine_refused,
        engine.EngineUnavailable: _engine_unavailable,
        AuthenticationError: _nobody_logged_in,
        ValidationError: _shape_problem,
        HttpError: _http_error,
        Http404: lambda _request, _error: problem_response(404, "not-found", "There is nothing at this address."),
        Exception: _fault_of_ours,
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)


def _web_problem(_request: HttpRequest, problem: WebProblem) -> HttpResponse:
    return problem_response(
        WEB_STATUS[type(problem)],
        problem.code,
        problem.detail,
        why=problem.why,
        cure=problem.cure,
        pointer=problem.pointer,
    )


def _engine_refused(_request: HttpRequest, refused: EngineRefused) -> HttpResponse:
    return engine_problem(refused.error, refused.pointer, refused.parameters)


def _engine_unavailable(_request: HttpRequest, error: engine.EngineUnavailable) -> HttpResponse:
    return problem_response(
        503,
        "engine-unavailable",
        str(error),
        cure="Check that the engine's worker is running, then try again. A change that was saved is not lost.",
    )


def _nobody_logged_in(_request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    return problem_response(401, "unauthenticated", "This needs somebody who is logged in.", cure="Log in.")


def _shape_problem(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    first = error.errors[0]
    where = [str(part) for part in first["loc"]]
    source, fields = where[0], where[2:] if where[0] == "body" else where[1:]
    field = "/".join(part.replace("~", "~0").replace("/", "~1") for part in fields)
    return problem_response(
        422,
        "malformed",
        f"{field or source}: {first['msg']}",
        pointer=f"/{field}" if source == "body" else None,
        parameters={"problems": [{"where": item["loc"], "text": item["msg"]} for item in error.errors]},
    )


def _http_error(_request: HttpRequest, error: HttpError) -> HttpResponse:
    if error.status_code == HTTPStatus.FORBIDDEN:
        return problem_response(
            403,
            "csrf",
            "The request did not carry the token that proves that it comes from the dashboard's own page.",
            cure="Reload the page and try again.",
        )
    return problem_response(error.status_code, "malformed", str(error))


def _fault_of_ours(request: HttpRequest, error: Exception) -> HttpResponse:
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return problem_response(
        500, "internal", "The dashboard failed to answer.", cure="The server's log says why; please report it."
    )
