"""The page of the front end, and that of a disk that is full."""

from __future__ import annotations

import sys

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from django.views.defaults import server_error

from brokerweb.common.api.errors import web_problem
from brokerweb.common.full_disk import full_disk


@require_safe
@never_cache
@login_required
@ensure_csrf_cookie
def application_page(request: HttpRequest) -> HttpResponse:
    """`index.html` of the built front end, for every address that its router knows."""
    page = settings.FRONTEND_DIST / "index.html"
    try:
        return HttpResponse(page.read_bytes(), content_type="text/html; charset=utf-8")
    except FileNotFoundError:
        return render(request, "brokerweb/frontend_missing.html", status=503)


def failed(request: HttpRequest) -> HttpResponse:
    """Whatever was raised outside of the API's own operations: a full disk says so, all else is a fault of ours."""
    full = full_disk(sys.exc_info()[1])
    if full is None:
        return server_error(request)
    if request.path.startswith("/api/"):
        return web_problem(request, full)
    # Without the request: who is logged in stands in a database that may be on this disk.
    page = render_to_string("brokerweb/problem.html", {"problem": full, "title": _("The disk is full")})
    return HttpResponse(page, status=507)
