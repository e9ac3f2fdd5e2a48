"""What log-ins add to answers: the cookie of the browser, and the page after too many wrong passwords."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from brokerweb.accounts.devices import device_cookie_set
from brokerweb.common.errors import TooManyAttempts


class LoginAnswers:
    """Middleware: every form that asks for a password, the admin's too, remembers the browser and refuses alike."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        device_cookie_set(request, response)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page, with 429, if there were too many wrong passwords; the API answers a problem document by itself."""
        if not isinstance(error, TooManyAttempts):
            return None
        told = {"problem": error, "title": _("Too many attempts")}
        page = render(request, "brokerweb/too_many_attempts.html", told, status=429)
        page["Retry-After"] = str(error.seconds)
        return page
