"""Problem documents also for what fails before or beside the API: unknown addresses, methods, hosts, our own faults."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from brokerweb.common.api.errors import plain_problem

PREFIX = "/api/"


def api_problems(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: whoever asks the API reads JSON, so an error page of Django's becomes a problem document.

    An address with a NUL in it is none: nothing has such a name, and not every database can be asked for it.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path and request.path.startswith(PREFIX):
            return plain_problem(request, HTTPStatus.NOT_FOUND)
        response = get_response(request)
        if (
            response.status_code < 400
            or not request.path.startswith(PREFIX)
            or response["Content-Type"] == "application/problem+json"
        ):
            return response
        problem = plain_problem(request, response.status_code)
        if "Allow" in response:
            problem["Allow"] = response["Allow"]
        return problem

    return answer
