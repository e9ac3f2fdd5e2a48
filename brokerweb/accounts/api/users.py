"""Users for administrators: who there is, with which role, who may read payloads, whose account is on."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Field, Query, Router, Status
from pydantic import StrictBool

from brokerweb.accounts.api.gate import administering
from brokerweb.accounts.changes import What, account_changes_page
from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right, Role
from brokerweb.accounts.selectors import user_named, user_page
from brokerweb.accounts.services import login_link_create, user_create, user_update
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.api.shape import Request, Shape
from brokerweb.common.errors import MalformedRequest

router = Router(tags=["accounts"])


class UserOut(Shape):
    username: str
    role: Role
    reads_payloads: bool
    """May read the bodies of messages."""
    is_active: bool
    rights: list[Right]
    """What role and person give together; none while the account is off."""
    has_password: bool
    """Without one only login links open the account."""
    last_login: datetime | None
    date_joined: datetime


class UserPage(Shape):
    total: int
    page: int
    users: list[UserOut]


class UsersAsked(Request):
    search: str | None = Field(default=None, max_length=150)
    """Part of the name."""
    page: int = Field(default=1, ge=1, le=1_000_000)
    rows: int = Field(default=100, ge=1, le=1000)


class UserIn(Request):
    username: str = Field(min_length=1, max_length=150)
    role: Role = Role.VIEWER
    reads_payloads: StrictBool = False


class UserPatch(Request):
    """What is to be changed; what is null or not given stays."""

    role: Role | None = None
    reads_payloads: StrictBool | None = None
    is_active: StrictBool | None = None


class LoginLinkOut(Shape):
    path: str
    """Address of the link on this server. It opens the account once; whoever has it is let in."""
    expires_at: datetime


class AccountChangeOut(Shape):
    id: int
    changed_at: datetime
    author: str
    """Empty when it was done on the server's command line."""
    username: str
    what: What
    before: str
    after: str
    client_address: str


class AccountChangePage(Shape):
    changes: list[AccountChangeOut]
    next_before: int | None
    """Where to go on reading; null at the end."""


class AccountChangesAsked(Request):
    username: str | None = Field(default=None, max_length=150)
    before: int | None = Field(default=None, ge=1, le=2**53)
    limit: int = Field(default=100, ge=1, le=1000)


@router.get("/users", response={200: UserPage}, operation_id="users_list", auth=administering)
def users_list(
    request: HttpRequest,
    asked: UsersAsked = Query(...),  # noqa: B008
) -> UserPage:
    """Users by name."""
    refuse_unknown(request, asked)
    found = user_page(asked.search, asked.page, asked.rows)
    return UserPage(total=found["total"], page=found["page"], users=[_picture(user) for user in found["users"]])


@router.post("/users", response={201: UserOut}, operation_id="user_create", auth=administering)
def user_create_(request: HttpRequest, body: UserIn) -> Status:
    """A new user without a password; a login link lets them in, and they may then set one."""
    user = user_create(body.username, body.role, reads_payloads=body.reads_payloads, author=request.auth)
    return Status(201, _picture(user))


@router.get("/users/{username}", response={200: UserOut}, operation_id="user_read", auth=administering)
def user_read(request: HttpRequest, username: str) -> UserOut:
    """One user."""
    return _picture(user_named(username))


@router.patch("/users/{username}", response={200: UserOut}, operation_id="user_update", auth=administering)
def user_update_(request: HttpRequest, username: str, body: UserPatch) -> UserOut:
    """Another role, the right to read payloads given or taken, the account switched on or off. It counts at once."""
    return _picture(user_update(username, author=request.auth, **body.dict()))


@router.post(
    "/users/{username}/login-link",
    response={201: LoginLinkOut},
    operation_id="login_link_create",
    auth=administering,
)
def login_link_create_(request: HttpRequest, username: str) -> Status:
    """A link that logs the user in once, to be handed over by a safe way."""
    user = user_named(username)
    if not user.is_active:
        raise MalformedRequest(
            _("The account of {username} is switched off, so no link would open it.").format(username=user.username),
            why=_("A link logs in whoever may log in."),
            cure=_("Switch the account on first."),
        )
    path = reverse("login-link", args=[login_link_create(user, author=request.auth)])
    expires_at = timezone.now() + timedelta(seconds=settings.LOGIN_LINK_SECONDS)
    return Status(201, LoginLinkOut(path=path, expires_at=expires_at))


@router.get(
    "/account-changes",
    response={200: AccountChangePage},
    operation_id="account_changes_list",
    auth=administering,
)
def account_changes_list(
    request: HttpRequest,
    asked: AccountChangesAsked = Query(...),  # noqa: B008
) -> AccountChangePage:
    """What was done to accounts and by whom, newest first."""
    refuse_unknown(request, asked)
    found = account_changes_page(asked.username, asked.before, asked.limit)
    return AccountChangePage(
        changes=[AccountChangeOut.from_orm(each) for each in found["changes"]], next_before=found["next_before"]
    )


def _picture(user: User) -> UserOut:
    return UserOut(
        username=user.username,
        role=Role(user.role),
        reads_payloads=user.reads_payloads,
        is_active=user.is_active,
        rights=[right for right in Right if right in user.rights],
        has_password=user.has_usable_password(),
        last_login=user.last_login,
        date_joined=user.date_joined,
    )
