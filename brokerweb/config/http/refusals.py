"""Answers that the server gives by itself, before Django has seen a request: problem documents, and why."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext as _

from brokerweb.common.api.errors import too_large, web_problem
from brokerweb.common.errors import ContentTooLarge, WebProblem
from brokerweb.common.server_errors import ServerBusy
from brokerweb.config.http.bounds import STRANGER_BODY_BYTES_MAX, UPLOAD, body_bytes_max

TOO_LARGE, BUSY, SLOW, GIVEN_UP, FLOOD = "too-large", "busy", "slow", "given-up", "flood"
_MEGABYTE = 1_048_576
BUSY_SECONDS = 5


def too_large_for(address: bytes, *, is_stranger: bool) -> WebProblem:
    """The problem of a body beyond its bound, in the current language."""
    if is_stranger:
        return ContentTooLarge(
            _("The request is larger than {kilobytes} KB, the most that is taken without a login.").format(
                kilobytes=STRANGER_BODY_BYTES_MAX // 1024
            ),
            why=_("Nobody is logged in, or the session or token of the request is not valid."),
            cure=_("Log in, or send a token of yours, and try again."),
        )
    if UPLOAD.fullmatch(address):
        return ContentTooLarge(
            _("The request is larger than {megabytes:g} MB, the most that is taken at once.").format(
                megabytes=round(body_bytes_max(address) / _MEGABYTE, 1)
            ),
            cure=_("Export it in parts, or have BROKERWEB_TRACE_BYTES raised; manage.py trace_import has no limit."),
        )
    return too_large(body_bytes_max(address))


def busy() -> WebProblem:
    """The problem of a server that takes no more for now, in the current language."""
    return ServerBusy(_("The server has as many connections and requests as it takes at once."))


def language_of(header: bytes) -> str:
    """The language that a header `Accept-Language` prefers of ours."""
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = header.decode("latin1")
    return translation.get_language_from_request(request)


def written(problem: WebProblem) -> bytes:
    """The whole answer, after which the connection is closed."""
    response = web_problem(HttpRequest(), problem)
    head = f"HTTP/1.1 {response.status_code} {response.reason_phrase}\r\n"
    headers = {**response.headers, "Content-Length": str(len(response.content)), "Connection": "close"}
    if isinstance(problem, ServerBusy):
        headers["Retry-After"] = str(BUSY_SECONDS)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{head}{lines}\r\n".encode("latin1") + response.content
