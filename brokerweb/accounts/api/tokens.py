"""One's own tokens, with which scripts use the API."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest
from ninja import Field, Router, Status
from pydantic import StrictInt

from brokerweb.accounts.api.gate import signed_in
from brokerweb.accounts.models import ApiToken
from brokerweb.accounts.rights import Right
from brokerweb.accounts.tokens import DAYS_MAX, token_create, token_list, token_revoke
from brokerweb.common.api.shape import Request, Shape

router = Router(tags=["accounts"])


class TokenIn(Request):
    name: str = Field(min_length=1, max_length=100)
    """What it is for."""
    scopes: list[Right] = Field(min_length=1, max_length=len(Right))
    """Rights that it carries; only those that its owner has, now and whenever it is used."""
    days: StrictInt = Field(default=90, ge=1, le=DAYS_MAX)
    """How long it is valid."""


class TokenOut(Shape):
    id: int
    name: str
    beginning: str
    """Its first characters."""
    scopes: list[Right]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    """To the minute; null when it was never used."""


class TokenMade(TokenOut):
    token: str
    """The token, shown this once."""


@router.get("/me/tokens", response={200: list[TokenOut]}, operation_id="tokens_list", auth=signed_in)
def tokens_list(request: HttpRequest) -> list[TokenOut]:
    """One's own tokens, newest first."""
    return [TokenOut(**_picture(token)) for token in token_list(request.auth)]


@router.post("/me/tokens", response={201: TokenMade}, operation_id="token_create", auth=signed_in)
def token_create_(request: HttpRequest, body: TokenIn) -> Status:
    """A token for a script. It is shown in this answer and never again."""
    token, text = token_create(request.auth, body.name, body.scopes, body.days)
    return Status(201, TokenMade(**_picture(token), token=text))


@router.delete("/me/tokens/{int:token}", response={204: None}, operation_id="token_revoke", auth=signed_in)
def token_revoke_(request: HttpRequest, token: int) -> Status:
    """Take a token back, at once."""
    token_revoke(request.auth, token, author=request.auth)
    return Status(204, None)


def _picture(token: ApiToken) -> dict[str, object]:
    fields = ("id", "name", "beginning", "scopes", "created_at", "expires_at", "last_used_at")
    return {field: getattr(token, field) for field in fields}
