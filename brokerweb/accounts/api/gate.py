"""The gate that every operation passes: a session of the dashboard, or a token of a script, with the right it needs.

brokerweb/config/operation_rights.py lists which right each operation needs; a test holds the two together.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.security import APIKeyCookie, HttpBearer

from brokerweb.accounts.models import User
from brokerweb.accounts.required_rights import require
from brokerweb.accounts.rights import Right
from brokerweb.accounts.throttling import throttled_token_user
from brokerweb.common.errors import Unauthenticated
from brokerweb.common.request_line import place_is_of


class Session(APIKeyCookie):
    """A session whose user has a right. Unsafe methods carry the CSRF token."""

    param_name = "brokerweb_session"
    openapi_name = "session"

    def __init__(self, right: Right | None) -> None:
        super().__init__(csrf=True)
        self.right = right

    def authenticate(self, request: HttpRequest, key: str | None) -> User | None:
        user = request.user
        if not isinstance(user, User):
            return None
        return _with_right(user, self.right)


class Token(HttpBearer):
    """A token whose owner has a right that is among its scopes. No page can send it for somebody: no CSRF token."""

    openapi_name = "token"

    def __init__(self, right: Right | None) -> None:
        super().__init__()
        self.right = right

    def authenticate(self, request: HttpRequest, token: str) -> User:
        user = throttled_token_user(request, token)
        if user is None:
            raise Unauthenticated(
                _("The token is not known."),
                why=_(
                    "It has expired or was revoked, its owner is switched off, or it was cut off when it was copied."
                ),
                cure=_("Make another one under your name in the dashboard."),
            )
        return _with_right(user, self.right)


def _with_right(user: User, right: Right | None) -> User:
    place_is_of(f"person {user.pk}")
    if right is not None:
        require(user, right)
    return user


# The token goes first: a request with one is no request of a page, and is not asked for the page's proof.
viewing = [Token(Right.VIEW), Session(Right.VIEW)]
operating = [Token(Right.OPERATE), Session(Right.OPERATE)]
reading_payloads = [Token(Right.READ_PAYLOADS), Session(Right.READ_PAYLOADS)]
editing = [Token(Right.EDIT), Session(Right.EDIT)]
training = [Token(Right.TRAIN), Session(Right.TRAIN)]
administering = [Token(Right.ADMINISTER), Session(Right.ADMINISTER)]
known = [Token(None), Session(None)]
"""Anybody, whatever their rights."""
signed_in = Session(None)
"""Anybody at the dashboard; no script: what makes and ends ways in is not for those who hold one of them."""
