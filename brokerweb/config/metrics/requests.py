"""Requests, counted and timed: by operation of the API, or by what else of the server has answered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import perf_counter

from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

from brokerweb.config.metrics.registry import REGISTRY

API = "api/v1"
FILE, PAGE = "file", "page"
"""What is no operation of the API: a file of the front end, and any page of the server that has no name."""

REQUESTS = Counter(
    "brokerweb_web_requests",
    "Requests that were answered, by operation of the API or name of the page, and status.",
    ("operation", "status"),
    registry=REGISTRY,
)
SECONDS = Histogram(
    "brokerweb_web_request_seconds",
    "Seconds from the first line of a request to its answer, without the time that the answer takes to arrive.",
    ("operation",),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
    registry=REGISTRY,
)
REFUSED = Counter(
    "brokerweb_web_refused",
    "Requests and connections that were refused before they were read: too-large, busy, slow, a flood of frames, or "
    "given-up for others.",
    ("reason",),
    registry=REGISTRY,
)


def measure_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware, the outermost: whatever becomes of a request is counted once."""

    def answer(request: HttpRequest) -> HttpResponse:
        began = perf_counter()
        response = get_response(request)
        operation = operation_of(request)
        SECONDS.labels(operation).observe(perf_counter() - began)
        REQUESTS.labels(operation, str(response.status_code)).inc()
        return response

    return answer


def operation_of(request: HttpRequest) -> str:
    """What has answered, by a name that is one of a few: never a part of the address, which anybody may choose."""
    match = request.resolver_match
    if match is None:
        return FILE
    if match.route.startswith(API):
        return _operations().get((match.route, request.method or ""), "api")
    return match.view_name or PAGE


@cache
def _operations() -> dict[tuple[str, str], str]:
    """The operations of the API by route and method; the API is imported late, as it imports everything."""
    from brokerweb.config.api import ROUTERS

    return {
        (f"{API}{path}".replace("{", "<").replace("}", ">"), method): operation.operation_id
        for router in ROUTERS
        for path, view in router.path_operations.items()
        for operation in view.operations
        for method in operation.methods
    }
