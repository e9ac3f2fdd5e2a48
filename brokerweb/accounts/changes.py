"""The record of what was done to accounts: who gave which role, who lets whom read payloads."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.utils import timezone

from brokerweb.accounts.models import AccountChange, User
from brokerweb.common.origin import current_origin


class What(StrEnum):
    """What was done."""

    CREATED = "created"
    ROLE = "role"
    READS_PAYLOADS = "reads-payloads"
    ACTIVE = "active"
    PASSWORD = "password"  # noqa: S105
    LOGIN_LINK = "login-link"
    TOKEN_CREATED = "token-created"  # noqa: S105
    TOKEN_REVOKED = "token-revoked"  # noqa: S105


TEXT_LENGTH_MAX = 150


def account_change_note(
    username: str, what: What, *, author: User | None, before: object = "", after: object = ""
) -> None:
    """Keep that somebody did something to an account; without an author it was the server's command line."""
    AccountChange.objects.create(
        changed_at=timezone.now(),
        author="" if author is None else author.username,
        username=username,
        what=what,
        before=_text(before),
        after=_text(after),
        client_address=current_origin().client_address,
    )


def account_changes_page(username: str | None, before: int | None, limit: int) -> dict[str, Any]:
    """Changes of accounts, newest first: of one person if one is named, older than the number `before` if one is."""
    rows = AccountChange.objects.all()
    if username is not None:
        rows = rows.filter(username=username)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: limit + 1])
    return {"changes": found[:limit], "next_before": found[limit - 1].pk if len(found) > limit else None}


def _text(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text[:TEXT_LENGTH_MAX]
