"""The page of the front end, and that of a disk that is full or a database that is busy."""

from __future__ import annotations

import sys

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from django.views.defaults import server_error

from brokerweb.common.api.errors import problem_of, server_trouble, web_problem


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
    """Answer an error outside of the API's own operations: the server's trouble by its name, all else with 500."""
    trouble = server_trouble(sys.exc_info()[1])
    if trouble is None:
        return server_error(request)
    answer = web_problem(request, trouble)
    if not request.path.startswith("/api/"):
        # Without the request: the database, which knows the person, may be what is in trouble.
        title = problem_of(trouble).title
        answer.content = render_to_string("brokerweb/problem.html", {"problem": trouble, "title": title}).encode()
        answer["Content-Type"] = "text/html; charset=utf-8"
    return answer
