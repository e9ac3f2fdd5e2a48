"""Wrong passwords and tokens are counted, by name and by address; after too many of them none is tried for a while.

The counts live in Django's cache, in the memory of each web process: what a restart forgets, an attacker gains once.
"""

from __future__ import annotations

import hashlib
import time

from django.contrib.auth.backends import ModelBackend
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brokerweb.accounts.models import User
from brokerweb.accounts.tokens import token_user
from brokerweb.common.client_address import client_address
from brokerweb.common.errors import TooManyAttempts

WINDOW_SECONDS = 300
"""Counted from the first wrong password; then the count begins anew."""
WRONG_PER_NAME = 10
WRONG_PER_ADDRESS = 50
"""More than for a name: people behind one proxy share an address."""


class ThrottledBackend(ModelBackend):
    """Names and passwords, as Django checks them, for every form and for the API; `TooManyAttempts` after too many."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **credentials: object,
    ) -> User | None:
        if username is None or password is None:
            return None
        counters = [(_key("name", username.casefold()), WRONG_PER_NAME)]
        counters += _address_counters(request)
        for key, limit in counters:
            _refuse_over(key, limit)
        user = super().authenticate(request, username=username, password=password)
        if isinstance(user, User):
            # The person of this name is here; others at the same address may still be guessing.
            cache.delete(counters[0][0])
            return user
        for key, _limit in counters:
            _count(key)
        return None


def throttled_token_user(request: HttpRequest, token: str) -> User | None:
    """Whose token this is, narrowed to its scopes; None for a wrong one, `TooManyAttempts` after too many of those."""
    counters = _address_counters(request)
    for key, limit in counters:
        _refuse_over(key, limit)
    user = token_user(token)
    if user is None:
        for key, _ in counters:
            _count(key)
    return user


def _address_counters(request: HttpRequest | None) -> list[tuple[str, int]]:
    address = None if request is None else client_address(request)
    return [(_key("address", address), WRONG_PER_ADDRESS)] if address else []


def _refuse_over(key: str, limit: int) -> None:
    count, ends = cache.get(key, (0, 0.0))
    seconds = int(ends - time.time()) + 1
    if count >= limit and seconds > 0:
        minutes = -(-seconds // 60)
        raise TooManyAttempts(
            _("There were too many wrong passwords for this name, or wrong passwords and tokens from this address."),
            seconds=seconds,
            cure=ngettext(
                "Wait %(minutes)d minute and try again, or use a one-time login link.",
                "Wait %(minutes)d minutes and try again, or use a one-time login link.",
                minutes,
            )
            % {"minutes": minutes},
        )


def _count(key: str) -> None:
    """One more; two at the same moment may count as one, which lets somebody guess once more."""
    now = time.time()
    count, ends = cache.get(key, (0, now + WINDOW_SECONDS))
    cache.set(key, (count + 1, ends), max(ends - now, 1))


def _key(kind: str, text: str) -> str:
    # A name may hold what a key may not, and be as long as a request.
    return f"wrong-passwords:{kind}:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"
