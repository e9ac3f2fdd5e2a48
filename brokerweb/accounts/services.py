"""Writes about people: making and changing users, making login links and using them up."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.changes import What, account_change_note
from brokerweb.accounts.link_proof import LINK_PROOF_MINUTES
from brokerweb.accounts.models import BROWSER_ZONE, UTC, ApiToken, LoginLink, User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.selectors import user_named
from brokerweb.accounts.throttling import is_own_password
from brokerweb.accounts.tokens import tokens_revoke
from brokerweb.common.database import release_connection
from brokerweb.common.errors import LastAdministrator, MalformedRequest, UserExists
from brokerweb.common.wakeups import wake_people

TOKEN_BYTES = 32
LINK_DAYS_KEPT = 30
"""A link or token that ended is kept for a while, so that whoever opens it hears that it ended or was used."""


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


def user_create(
    username: str,
    role: Role,
    password: str | None = None,
    *,
    reads_payloads: bool = False,
    author: User | None = None,
) -> User:
    """A new user; without a password only login links open the account.

    Raises `MalformedRequest` for a name that no user can have, `UserExists` for one that is taken.
    """
    name = User.normalize_username(username)
    try:
        User.username_validator(name)
    except ValidationError:
        raise MalformedRequest(
            _("'{username}' cannot be the name of a user.").format(username=username),
            why=_("The name of a user has letters, digits and the signs @ . + - _ only."),
            cure=_("Choose another name."),
            pointer="/username",
        ) from None
    user = User(username=name, role=role, reads_payloads=reads_payloads)
    # Before the transaction: nothing is locked while it is hashed.
    user.set_password(password)
    with transaction.atomic():
        if User.objects.filter(username__iexact=name).exists():
            raise UserExists(_("There is a user {name} already.").format(name=name), pointer="/username")
        user_save(user, author=author)
    return user


@transaction.atomic
def user_save(user: User, *, author: User | None = None) -> None:
    """Keep a user and what was changed of their rights; Django's own flags for its admin follow the role.

    A user who exists was read by `user_named` with `locks` in this transaction. Raises `LastAdministrator`.
    """
    before = None if user.pk is None else User.objects.filter(pk=user.pk).first()
    user.is_staff = user.is_superuser = user.role == Role.ADMIN
    is_switched_off = before is not None and before.is_active and not user.is_active
    if is_switched_off:
        # Switched on again, it must not let in who was the reason for switching it off.
        user.session_generation += 1
    user.save()
    if before is None:
        rights = f"{user.role}, read-payloads" if user.reads_payloads else user.role
        account_change_note(user.username, What.CREATED, author=author, after=rights)
        return
    if before.is_active and before.role == Role.ADMIN and not _has_administrator():
        raise LastAdministrator(
            _("{username} is the last administrator whose account is on.").format(username=user.username)
        )
    for what, old, new in (
        (What.ROLE, before.role, user.role),
        (What.READS_PAYLOADS, before.reads_payloads, user.reads_payloads),
        (What.ACTIVE, before.is_active, user.is_active),
    ):
        if old != new:
            account_change_note(user.username, what, author=author, before=old, after=new)
            transaction.on_commit(wake_people)
    if before.password != user.password:
        account_change_note(user.username, What.PASSWORD, author=author)
        _login_links_end(user)
    if is_switched_off:
        _login_links_end(user)
        tokens_revoke(user, author=author)


@transaction.atomic
def user_update(
    username: str,
    *,
    role: Role | None = None,
    reads_payloads: bool | None = None,
    is_active: bool | None = None,
    author: User | None = None,
) -> User:
    """Change what is given of somebody's account. Raises `ObjectNotFound`, `LastAdministrator`."""
    user = user_named(username, locks=True)
    user.role = user.role if role is None else role
    user.reads_payloads = user.reads_payloads if reads_payloads is None else reads_payloads
    user.is_active = user.is_active if is_active is None else is_active
    user_save(user, author=author)
    return user


def password_set(
    username: str, *, current: str | None, new: str, has_link_proof: bool = False, ends_tokens: bool = False
) -> User:
    """Another password for oneself, or the first one; all sessions end, and unused login links.

    Args:
        username: whose.
        current: the password so far, as the proof that the person is who has logged in.
        new: the password to be.
        has_link_proof: whether a login link has just opened the session, which proves it as well.
        ends_tokens: whether the person's tokens are revoked too.

    Raises:
        MalformedRequest: `current` is wrong, there is no proof, or `new` is weak.
        TooManyAttempts: after too many wrong ones.
    """
    # Outside of the transaction that writes: a wrong attempt stays counted, and nothing is locked while it is hashed.
    user = user_named(username)
    if current is not None:
        if not is_own_password(user, current):
            raise _not_the_current_password()
    elif not has_link_proof:
        raise _not_the_current_password() if user.has_usable_password() else _no_proof()
    try:
        validate_password(new, user)
    except ValidationError as error:
        raise MalformedRequest(
            " ".join(error.messages),
            why=_("Such a password is found by trying."),
            cure=_("Choose another one."),
            pointer="/new_password",
        ) from None
    checked = user.password
    release_connection()
    hashed = make_password(new)
    with transaction.atomic():
        user = user_named(username, locks=True)
        if user.password != checked:
            raise _not_the_current_password()
        user.password = hashed
        user_save(user, author=user)
        if ends_tokens:
            tokens_revoke(user, author=user)
    return user


def _not_the_current_password() -> MalformedRequest:
    return MalformedRequest(
        _("The current password is not this one."),
        why=_("Whoever finds an open session must not be able to take the account over."),
        cure=_("Type the password with which you log in, or log in by a fresh login link and set another one at once."),
        pointer="/current_password",
    )


def _no_proof() -> MalformedRequest:
    return MalformedRequest(
        _("This session was not opened by a login link within the last {LINK_PROOF_MINUTES} minutes.").format(
            LINK_PROOF_MINUTES=LINK_PROOF_MINUTES
        ),
        why=_("Whoever finds an open session must not be able to take the account over."),
        cure=_("Have an administrator, or the server's command line, make a login link, and set the password at once."),
        pointer="/current_password",
    )


def preferences_set(user: User, changes: Mapping[str, str]) -> None:
    """Keep how somebody wants the pages: `language`, `time_zone`, `theme`; `MalformedRequest` for an unknown zone."""
    zone = changes.get("time_zone", UTC)
    if zone != BROWSER_ZONE and not is_time_zone(zone):
        raise MalformedRequest(
            _("'{zone}' is no time zone.").format(zone=zone),
            why=_("Time zones have the names of the IANA database, such as Europe/Paris."),
            cure=_("Choose one of them, UTC, or browser for the zone of each browser."),
            pointer="/time_zone",
        )
    for field, value in changes.items():
        setattr(user, field, value)
    user.save(update_fields=list(changes))


def is_time_zone(name: str) -> bool:
    """Whether the IANA database has a zone of this name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _has_administrator() -> bool:
    return User.objects.filter(role=Role.ADMIN, is_active=True).exists()


@transaction.atomic
def login_link_create(user: User, *, author: User | None = None) -> str:
    """The token of a new link for `user`, valid once and for `LOGIN_LINK_SECONDS`; it is not kept anywhere."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    now = timezone.now()
    LoginLink.objects.create(
        user=user,
        token_hash=_hash(token),
        created_at=now,
        expires_at=now + timedelta(seconds=settings.LOGIN_LINK_SECONDS),
    )
    account_change_note(user.username, What.LOGIN_LINK, author=author)
    return token


@transaction.atomic
def login_link_use(token: str) -> User:
    """The user whose link has this token; the link is used up. Raises `LoginLinkRefused`."""
    now = timezone.now()
    # One UPDATE decides: of two uses at the same moment exactly one finds the link unused.
    used = LoginLink.objects.filter(
        token_hash=_hash(token), used_at__isnull=True, expires_at__gt=now, user__is_active=True
    ).update(used_at=now)
    return (
        LoginLink.objects.select_related("user").get(token_hash=_hash(token)).user if used else login_link_user(token)
    )


def login_link_user(token: str) -> User:
    """Whom a link would log in; it stays unused. Raises `LoginLinkRefused`."""
    link = LoginLink.objects.select_related("user").filter(token_hash=_hash(token)).first()
    if link is None:
        raise LoginLinkRefused(LinkRefusal.UNKNOWN)
    if link.used_at is not None:
        raise LoginLinkRefused(LinkRefusal.USED)
    if not link.user.is_active:
        raise LoginLinkRefused(LinkRefusal.SWITCHED_OFF)
    if link.expires_at <= timezone.now():
        raise LoginLinkRefused(LinkRefusal.EXPIRED)
    return link.user


def _login_links_end(user: User) -> None:
    """Links that were not used yet expire."""
    now = timezone.now()
    LoginLink.objects.filter(user=user, used_at__isnull=True, expires_at__gt=now).update(expires_at=now)


def expired_logins_forget() -> None:
    """Remove sessions that have ended, and links and tokens that ended so long ago that nobody asks about them."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    long_ago = timezone.now() - timedelta(days=LINK_DAYS_KEPT)
    LoginLink.objects.filter(expires_at__lt=long_ago).delete()
    ApiToken.objects.filter(expires_at__lt=long_ago).delete()


def _hash(token: str) -> str:
    # A token is long and random, so a plain hash cannot be reversed by trying.
    return hashlib.sha256(token.encode()).hexdigest()
