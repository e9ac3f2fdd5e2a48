"""Browsers that have logged a person in: a signed cookie lets their attempts count apart from those of strangers.

The cookie proves nothing but that: whoever has it still needs the password, and has as many guesses as anybody.
"""

from __future__ import annotations

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

COOKIE = "brokerweb_device"
SECONDS_KEPT = 180 * 24 * 3600
_SALT = "brokerweb.accounts.devices"


def device_of(request: HttpRequest | None, username: str) -> str | None:
    """The number of the browser, if a person of this name has logged in with it; None if not."""
    if request is None:
        return None
    try:
        name, number = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=SECONDS_KEPT)
    except signing.BadSignature:
        return None
    return str(number) if name == username.casefold() else None


def device_remember(request: HttpRequest | None, username: str) -> None:
    """Have the answer to `request` say that this person has logged in with the browser."""
    if request is not None:
        request.brokerweb_device_owner = username.casefold()  # type: ignore[attr-defined]


def device_cookie_set(request: HttpRequest, response: HttpResponse) -> None:
    """Give the browser its cookie, if somebody has logged in. It has a number as long as one person uses it."""
    name = getattr(request, "brokerweb_device_owner", None)
    if name is None:
        return
    number = device_of(request, name) or secrets.token_urlsafe(12)
    response.set_cookie(
        COOKIE,
        signing.dumps([name, number], salt=_SALT),
        max_age=SECONDS_KEPT,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
