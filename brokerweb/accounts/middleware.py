"""The page for somebody who tried too many passwords; the API answers a problem document by itself."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from brokerweb.common.errors import TooManyAttempts


class TooManyAttemptsPage:
    """Middleware: every form that asks for a password, the admin's too, refuses alike."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page, with 429, when that is what happened."""
        if not isinstance(error, TooManyAttempts):
            return None
        told = {"problem": error, "title": _("Too many attempts")}
        page = render(request, "brokerweb/too_many_attempts.html", told, status=429)
        page["Retry-After"] = str(error.seconds)
        return page
