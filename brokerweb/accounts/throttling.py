"""Bounds on guessing: passwords by name and address, tokens by address; and a bound on hashing done at once.

An attempt is counted before the password is hashed, and given back if the password was right. Counts are rows of the
dashboard's database, so all web processes share them and a restart does not forget them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from ipaddress import IPv6Address, ip_address, ip_network

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brokerweb.accounts.attempts import (
    WINDOW,
    AttemptsExceeded,
    Counter,
    attempt_release,
    attempt_reserve,
    attempts_check,
    attempts_forget,
)
from brokerweb.accounts.devices import device_of, device_remember
from brokerweb.accounts.models import User
from brokerweb.accounts.tokens import token_user
from brokerweb.common.client_address import client_address
from brokerweb.common.database import release_connection
from brokerweb.common.errors import TooManyAttempts
from brokerweb.common.work_slots import NoSlot, WorkSlots

WINDOW_SECONDS = int(WINDOW.total_seconds())
"""Counted from the first wrong password; then the count begins at zero."""
WRONG_PER_NAME = 10
WRONG_PER_ADDRESS = 50
"""More than for a name: people behind one proxy share an address."""
HASHES_AT_ONCE = max(1, (os.cpu_count() or 1) // 2)
"""Passwords that a process hashes at once: half of the cores stay free for everything else."""
HASHES_WAITING_MAX = 100
BUSY_SECONDS = 10
IPV6_NETWORK_BITS = 64
"""What one customer of a provider has: an address of its own for every guess would cost nothing."""

hashing = WorkSlots(HASHES_AT_ONCE, HASHES_WAITING_MAX)


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
        device = device_of(request, username)
        if device is not None:
            # Strangers who guess this name, or sit behind the same address, keep no browser out that has been in.
            own, shared = Counter("device", device, WRONG_PER_NAME), []
        else:
            own, shared = Counter("name", username.casefold(), WRONG_PER_NAME), _address_counters("address", request)
        with _attempt([own, *shared]):
            user = super().authenticate(request, username=username, password=password)
        if not isinstance(user, User):
            return None
        # The person of this name is here; others at the same address may still be guessing.
        attempts_forget(own)
        for counter in shared:
            attempt_release(counter)
        device_remember(request, user.username)
        return user


def is_own_password(user: User, password: str) -> bool:
    """Whether a person types their own password, as a proof; `TooManyAttempts` after too many wrong ones.

    Counted apart from log-ins: who has found an open session must not be able to keep its owner from logging in.
    """
    counter = Counter("own-password", str(user.pk), WRONG_PER_NAME)
    with _attempt([counter]):
        is_right = user.check_password(password)
    if is_right:
        attempts_forget(counter)
    return is_right


def throttled_token_user(request: HttpRequest, token: str) -> User | None:
    """Whose token this is, narrowed to its scopes; None for a wrong one, `TooManyAttempts` after too many of those.

    A right one is never refused: a token is 256 random bits, so looking it up lets nobody guess it.
    """
    user = token_user(token)
    if user is None:
        with _said_calmly(_too_many_tokens):
            attempt_reserve(_address_counters("token-address", request), _now())
    return user


@contextmanager
def _attempt(counters: Sequence[Counter]) -> Iterator[None]:
    """Around the hashing of one password: it is counted first, and waits for a slot before that."""
    with _said_calmly(_too_many_passwords):
        # Before waiting: an attempt that is refused anyway takes no place from others.
        attempts_check(counters, _now())
        release_connection()
        try:
            with hashing.one():
                # After waiting: only attempts that are hashed right now are counted without being wrong.
                attempt_reserve(counters, _now())
                yield
        except NoSlot:
            raise TooManyAttempts(
                _("Too many people log in at this moment."), seconds=BUSY_SECONDS, cure=_("Try again in a moment.")
            ) from None


@contextmanager
def _said_calmly(problem: Callable[[int], TooManyAttempts]) -> Iterator[None]:
    """`AttemptsExceeded` becomes the problem that pages and API show, made for the seconds until the next attempt."""
    try:
        yield
    except AttemptsExceeded as exceeded:
        raise problem(max(int((exceeded.ends_at - _now()).total_seconds()) + 1, 1)) from None


def _too_many_passwords(seconds: int) -> TooManyAttempts:
    minutes = -(-seconds // 60)
    cure = ngettext(
        "Wait %(minutes)d minute and try again, or use a one-time login link.",
        "Wait %(minutes)d minutes and try again, or use a one-time login link.",
        minutes,
    )
    return TooManyAttempts(
        _("There were too many wrong passwords for this name, or from this address."),
        seconds=seconds,
        cure=cure % {"minutes": minutes},
    )


def _too_many_tokens(seconds: int) -> TooManyAttempts:
    return TooManyAttempts(
        _("There were too many wrong tokens from this address."),
        seconds=seconds,
        cure=_("Make another token under your name in the dashboard; one that is valid is never refused for this."),
    )


def _now() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


def _address_counters(kind: str, request: HttpRequest | None) -> list[Counter]:
    address = "" if request is None else client_address(request)
    return [Counter(kind, _network(address), WRONG_PER_ADDRESS)] if address else []


def _network(address: str) -> str:
    """The address, or the network that it belongs to where a client has a whole network of addresses."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and not found.ipv4_mapped:
        return str(ip_network((found, IPV6_NETWORK_BITS), strict=False))
    return str(found)
