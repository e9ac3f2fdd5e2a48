"""Who am I and how do I want the pages, log in, log out."""

from __future__ import annotations

from typing import Literal

from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Field, Router, Status
from ninja.errors import HttpError
from ninja.utils import check_csrf
from pydantic import StrictBool

from brokerweb.accounts.api.gate import known, signed_in
from brokerweb.accounts.link_proof import has_link_proof, link_proof_take
from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.accounts.services import password_set, preferences_set
from brokerweb.common.api.shape import Request, Shape
from brokerweb.common.errors import Unauthenticated

router = Router(tags=["accounts"])


Language = Literal["en", "fr", "de"]
Theme = Literal["auto", "light", "dark"]
Layer = Literal["routes", "forwarding", "mirrors", "services", "findings", "live"]


class Preferences(Shape):
    """How somebody wants the pages."""

    language: Language | None
    """Null is the language of the browser."""
    time_zone: str
    """In which times are shown: a name of the IANA database, or `browser` for the zone of each browser."""
    theme: Theme
    """`auto` is as the system has it."""
    hidden_layers: list[Layer]
    """What the canvas leaves out."""


class PreferencesPatch(Request):
    """What is to be changed; what is not given stays."""

    takes_any_text = frozenset({"time_zone"})
    language: Language | None = None
    """Null is the language of the browser."""
    time_zone: str | None = Field(default=None, min_length=1, max_length=64)
    theme: Theme | None = None
    hidden_layers: list[Layer] | None = Field(default=None, max_length=6)


class Me(Shape):
    """The person behind the session, or the token."""

    username: str
    role: str
    rights: list[Right]
    preferences: Preferences


class PasswordIn(Request):
    current_password: str | None = Field(default=None, max_length=1000)
    """Null right after a login link has opened the session, which proves as much."""
    new_password: str = Field(min_length=1, max_length=1000)
    ends_tokens: StrictBool = False
    """Whether all tokens of the person are revoked too."""


class Credentials(Request):
    """A name and a password."""

    username: str
    password: str


def _me(user: User) -> Me:
    return Me(
        username=user.username,
        role=user.role,
        rights=[right for right in Right if right in user.rights],
        preferences=_preferences(user),
    )


def _preferences(user: User) -> Preferences:
    return Preferences(
        language=user.language or None,
        time_zone=user.time_zone,
        theme=user.theme,
        hidden_layers=user.hidden_layers,
    )


@router.get("/me", response={200: Me}, operation_id="me_read", auth=known)
def me_read(request: HttpRequest) -> Me:
    """Who is logged in, with which rights."""
    return _me(request.auth)


@router.patch("/me/preferences", response={200: Preferences}, operation_id="preferences_set", auth=signed_in)
def preferences_set_(request: HttpRequest, body: PreferencesPatch) -> Preferences:
    """Keep language, time zone, theme or hidden layers with the account."""
    given = body.dict(exclude_unset=True)
    changes = {field: value for field, value in given.items() if value is not None}
    if given.get("language", "") is None:
        changes["language"] = ""
    preferences_set(request.auth, changes)
    return _preferences(request.auth)


@router.post("/me/password", response={204: None}, operation_id="password_set", auth=signed_in)
def password_set_(request: HttpRequest, body: PasswordIn) -> Status:
    """Another password for oneself, or the first one. Other sessions of this person end, and unused login links."""
    user = password_set(
        request.auth.username,
        current=body.current_password,
        new=body.new_password,
        has_link_proof=has_link_proof(request),
        ends_tokens=body.ends_tokens,
    )
    link_proof_take(request)
    update_session_auth_hash(request, user)
    return Status(204, None)


@router.post("/login", response={200: Me}, operation_id="login")
def log_in(request: HttpRequest, credentials: Credentials) -> Me:
    """Open a session with name and password."""
    if check_csrf(request) is not None:
        raise HttpError(403, "CSRF")
    user = authenticate(request, username=credentials.username, password=credentials.password)
    if not isinstance(user, User):
        raise Unauthenticated(
            _("The name and the password do not fit, or the account is switched off."),
            cure=_("Check both and try again."),
        )
    login(request, user)
    return _me(user)


@router.post("/logout", response={204: None}, operation_id="logout", auth=signed_in)
def log_out(request: HttpRequest, response: HttpResponse) -> Status:
    """Close the session."""
    logout(request)
    return Status(204, None)
