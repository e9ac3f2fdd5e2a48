"""The page of the front end."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe


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
