"""Where what is being done comes from: the request that is being answered, or whatever else runs.

Known to the whole call, so that the log of decisions can say it without every service passing it on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any
from uuid import uuid4

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from brokerweb.common.client_address import client_address, forwarded_for

ADDRESS_LENGTH_MAX = 64
USER_AGENT_LENGTH_MAX = 400
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class OriginKind(StrEnum):
    """What somebody used."""

    UI = "ui"
    """The dashboard's own pages: a request without a token whose user agent is that of a browser."""
    API = "api"
    IMPORT = "import"
    """Scripts or a sample, however they came."""
    COMMAND_LINE = "command-line"
    JOB = "job"
    UNRECORDED = "unrecorded"
    """Decided before there was a log."""


class Origin(msgspec.Struct, frozen=True):
    """Where a decision comes from. Texts are empty where nobody said."""

    kind: OriginKind = OriginKind.COMMAND_LINE
    client_address: str = ""
    user_agent: str = ""
    request_id: str = ""


_NOBODY = Origin()
_current: ContextVar[Origin | None] = ContextVar("origin", default=None)


def current_origin() -> Origin:
    """The origin of what runs now; the command line where nothing else is known."""
    return _current.get() or _NOBODY


@contextmanager
def comes_from(kind: OriginKind) -> Iterator[None]:
    """What is done inside is of another kind; client and request stay."""
    token = _current.set(msgspec.structs.replace(current_origin(), kind=kind))
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def acts_for(origin: Origin) -> Iterator[None]:
    """What is done inside comes from there: for threads that work for somebody's connection."""
    token = _current.set(origin)
    try:
        yield
    finally:
        _current.reset(token)


def origin_of_socket(scope: Mapping[str, Any]) -> Origin:
    """Where a websocket comes from: a page, for others are not let in."""
    headers = {name.lower(): value.decode("latin1") for name, value in scope["headers"]}
    connected = str((scope.get("client") or ("",))[0])
    address = forwarded_for(connected, headers.get(b"x-forwarded-for", ""), settings.TRUSTED_PROXIES)
    agent = headers.get(b"user-agent", "")
    return Origin(
        kind=OriginKind.UI,
        client_address=address[:ADDRESS_LENGTH_MAX],
        user_agent="".join(filter(str.isprintable, agent))[:USER_AGENT_LENGTH_MAX],
        request_id=str(uuid4()),
    )


def remember_origin(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: who asks is known for as long as the request is answered, and the answer carries the request's id."""

    def answer(request: HttpRequest) -> HttpResponse:
        origin = _origin_of(request)
        token = _current.set(origin)
        try:
            response = get_response(request)
        finally:
            _current.reset(token)
        response["X-Request-ID"] = origin.request_id
        return response

    return answer


def _origin_of(request: HttpRequest) -> Origin:
    """Headers are the client's own word, except that a token is no page. An id of an unusual form is replaced."""
    agent = request.headers.get("User-Agent", "")
    asked_id = request.headers.get("X-Request-ID", "")
    is_page = agent.startswith("Mozilla/") and "Authorization" not in request.headers
    return Origin(
        kind=OriginKind.UI if is_page else OriginKind.API,
        client_address=client_address(request)[:ADDRESS_LENGTH_MAX],
        user_agent="".join(filter(str.isprintable, agent))[:USER_AGENT_LENGTH_MAX],
        request_id=asked_id if _REQUEST_ID.fullmatch(asked_id) else str(uuid4()),
    )
