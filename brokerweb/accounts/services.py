"""Writes about people: making users, making login links and using them up."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from enum import StrEnum

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from brokerweb.accounts.models import LoginLink, User
from brokerweb.accounts.rights import Role

TOKEN_BYTES = 32
LINK_DAYS_KEPT = 30
"""A link that ended is kept for a while, so that whoever opens it hears that it ended or was used."""


class LinkRefusal(StrEnum):
    """Why a login link did not work."""

    UNKNOWN = "unknown"
    USED = "used"
    EXPIRED = "expired"
    SWITCHED_OFF = "switched-off"
    """Its user's account is switched off."""


class LoginLinkRefused(Exception):
    """A login link that logs nobody in."""

    def __init__(self, reason: LinkRefusal) -> None:
        super().__init__(reason.value)
        self.reason = reason


def user_create(username: str, role: Role, password: str | None = None) -> User:
    """A new user; without a password only login links open the account."""
    user = User(username=username, role=role)
    user.set_password(password)
    user_save(user)
    return user


def user_save(user: User) -> None:
    """Keep a user; Django's own flags for its admin follow the role, so that there is one truth."""
    user.is_staff = user.is_superuser = user.role == Role.ADMIN
    user.save()


def login_link_create(user: User) -> str:
    """The token of a new link for `user`, valid once and for `LOGIN_LINK_SECONDS`; it is not kept anywhere."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    now = timezone.now()
    LoginLink.objects.create(
        user=user,
        token_hash=_hash(token),
        created_at=now,
        expires_at=now + timedelta(seconds=settings.LOGIN_LINK_SECONDS),
    )
    return token


@transaction.atomic
def login_link_use(token: str) -> User:
    """The user whose link has this token; the link is used up. Raises `LoginLinkRefused`."""
    now = timezone.now()
    # One UPDATE decides: of two uses at the same moment exactly one finds the link unused.
    used = LoginLink.objects.filter(
        token_hash=_hash(token), used_at__isnull=True, expires_at__gt=now, user__is_active=True
    ).update(used_at=now)
    link = LoginLink.objects.select_related("user").filter(token_hash=_hash(token)).first()
    if used and link is not None:
        return link.user
    if link is None:
        raise LoginLinkRefused(LinkRefusal.UNKNOWN)
    if link.used_at is not None:
        raise LoginLinkRefused(LinkRefusal.USED)
    if link.expires_at <= now:
        raise LoginLinkRefused(LinkRefusal.EXPIRED)
    raise LoginLinkRefused(LinkRefusal.SWITCHED_OFF)


def expired_logins_forget() -> None:
    """Remove sessions that have ended, and login links that ended so long ago that nobody asks why they do not work."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    LoginLink.objects.filter(expires_at__lt=timezone.now() - timedelta(days=LINK_DAYS_KEPT)).delete()


def _hash(token: str) -> str:
    # A token is long and random, so a plain hash cannot be reversed by trying.
    return hashlib.sha256(token.encode()).hexdigest()
