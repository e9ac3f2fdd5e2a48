"""Tokens of scripts: made, used, taken back. Who holds one acts for its owner, within its scopes."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.changes import What, account_change_note
from brokerweb.accounts.models import AccountChange, ApiToken, User
from brokerweb.accounts.rights import Right
from brokerweb.common.errors import MalformedRequest, ObjectNotFound, TooManyTokens

PREFIX = "bwt_"
"""By which secret scanners know a token."""
TOKEN_BYTES = 32
BEGINNING = len(PREFIX) + 6
"""Characters of a token that are kept."""
DAYS_MAX = 366
TOKENS_MAX = 50
"""Of one person, that have not expired."""
TOKENS_A_DAY_MAX = 100
"""Made by one person, revoked or not."""
USE_SECONDS = 60
"""How exactly the last use is known: a script that asks often must not write as often."""


@transaction.atomic
def token_create(user: User, name: str, scopes: Sequence[Right], days: int) -> tuple[ApiToken, str]:
    """A new token and its text, which is not kept. Raises `MalformedRequest` for a scope that the user has not."""
    missing = [scope for scope in scopes if scope not in user.rights]
    if missing:
        raise MalformedRequest(
            _("A token cannot have the scope {value}, because you do not have that right.").format(value=missing[0]),
            why=_("Whoever holds a token acts for you."),
            cure=_("Leave the scope out, or ask an administrator for the right."),
            pointer="/scopes",
        )
    now = timezone.now()
    if user.api_tokens.filter(expires_at__gt=now).count() >= TOKENS_MAX:
        raise TooManyTokens(
            _("You have {TOKENS_MAX} tokens already, the most that one person can have.").format(TOKENS_MAX=TOKENS_MAX)
        )
    made = AccountChange.objects.filter(username=user.username, what=What.TOKEN_CREATED)
    if made.filter(changed_at__gt=now - timedelta(days=1)).count() >= TOKENS_A_DAY_MAX:
        raise TooManyTokens(
            _("You have made {count} tokens within a day, the most that one person may.").format(
                count=TOKENS_A_DAY_MAX
            ),
            why=_("Each stands in the record of account changes, from which nothing is removed."),
            cure=_("Use one of your tokens for longer, or make the next one tomorrow."),
        )
    text = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        beginning=text[:BEGINNING],
        token_hash=_hash(text),
        scopes=[scope.value for scope in Right if scope in scopes],
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    account_change_note(user.username, What.TOKEN_CREATED, author=user, after=f"{token.beginning}… {name}")
    return token, text


@transaction.atomic
def token_revoke(user: User, token_id: int, *, author: User) -> None:
    """Take a token back; `ObjectNotFound` when the user has none of this number."""
    token = user.api_tokens.filter(pk=token_id).first()
    if token is None:
        raise ObjectNotFound(_("{username} has no token {token_id}.").format(username=user.username, token_id=token_id))
    _revoke(token, author)


@transaction.atomic
def tokens_revoke(user: User, *, author: User | None) -> None:
    """Take back every token of a person. Each is a row of the record."""
    for token in user.api_tokens.all():
        _revoke(token, author)


def token_list(user: User) -> list[ApiToken]:
    """The tokens of a person, newest first; expired ones too, until they are forgotten."""
    return list(user.api_tokens.all())


def token_user(text: str) -> User | None:
    """Whose token this is, narrowed to its scopes; None when it is unknown or expired, or its owner switched off."""
    now = timezone.now()
    token = (
        ApiToken.objects.select_related("user")
        .filter(token_hash=_hash(text), expires_at__gt=now, user__is_active=True)
        .first()
    )
    if token is None:
        return None
    _note_use(token, now)
    user: User = token.user
    user.scopes = frozenset(Right(scope) for scope in token.scopes)
    return user


def _revoke(token: ApiToken, author: User | None) -> None:
    token.delete()
    told = f"{token.beginning}… {token.name}"
    account_change_note(token.user.username, What.TOKEN_REVOKED, author=author, before=told)


def _note_use(token: ApiToken, now: datetime) -> None:
    if token.last_used_at is None or (now - token.last_used_at).total_seconds() >= USE_SECONDS:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def _hash(text: str) -> str:
    # A token is long and random, so a plain hash cannot be reversed by trying.
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
