"""`GET /metrics`: what Prometheus reads of a web process, and who may read it."""

from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

import brokerweb.config.metrics.stored  # noqa: F401  registers what is in the database
from brokerweb.accounts.api import require
from brokerweb.accounts.rights import Right
from brokerweb.accounts.throttling import throttled_token_user
from brokerweb.common.api.errors import web_problem
from brokerweb.common.errors import Unauthenticated, WebProblem
from brokerweb.config.metrics.registry import REGISTRY

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""Headers of proxies: whoever comes through one is not of this machine, whatever the connection looks like."""


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics as text; a problem document for whoever may not read them."""
    try:
        _admit(request)
    except WebProblem as problem:
        refused = web_problem(request, problem)
        if isinstance(problem, Unauthenticated):
            refused["WWW-Authenticate"] = "Bearer"
        return refused
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)


def _admit(request: HttpRequest) -> None:
    """The token of METRICS_TOKEN, the token of an administrator, or, where no token is set, a program of this machine.

    Raises `Unauthenticated`, `RightMissing`, `TooManyAttempts`.
    """
    kind, _space, told = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() == "bearer":
        if settings.METRICS_TOKEN is not None and constant_time_compare(told.strip(), settings.METRICS_TOKEN):
            return
        user = throttled_token_user(request, told.strip())
        if user is None:
            raise Unauthenticated(_("The token is not known."), cure=_cure())
        require(user, Right.ADMINISTER)
        return
    if settings.METRICS_TOKEN is None and _is_of_this_machine(request):
        return
    raise Unauthenticated(
        _("Metrics are not shown to everybody."),
        why=_("They tell the names of estates, instances and databases, and how much they do."),
        cure=_cure(),
    )


def _cure() -> str:
    return _(
        "Send Authorization: Bearer with the token of METRICS_TOKEN, or with one of an administrator's whose scopes "
        "include administer. Without METRICS_TOKEN, programs on the server's own machine need none."
    )


def _is_of_this_machine(request: HttpRequest) -> bool:
    """Whether the connection comes from this machine, and nobody stands in between who might speak for others."""
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ip_address(str(request.META.get("REMOTE_ADDR") or "")).is_loopback
    except ValueError:
        return False
