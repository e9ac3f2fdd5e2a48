"""Who am I, log in, log out; and the gate that every other operation passes."""

from __future__ import annotations

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, HttpResponse
from ninja import Router, Status
from ninja.errors import HttpError
from ninja.security import APIKeyCookie
from ninja.utils import check_csrf

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right, roles_with
from brokerweb.common.api.errors import PROBLEMS
from brokerweb.common.api.shape import Request, Shape
from brokerweb.common.errors import RightMissing, Unauthenticated

router = Router(tags=["accounts"])


class Session(APIKeyCookie):
    """A session whose user has a right. Unsafe methods carry the CSRF token."""

    param_name = "brokerweb_session"
    openapi_name = "session"

    def __init__(self, right: Right | None) -> None:
        super().__init__(csrf=True)
        self._right = right

    def authenticate(self, request: HttpRequest, key: str | None) -> User | None:
        user = request.user
        if not isinstance(user, User):
            return None
        if self._right is not None and self._right not in user.rights:
            roles = ", ".join(roles_with(self._right))
            raise RightMissing(
                f"This needs the right {self._right}, which your role {user.role} does not include.",
                cure=f"Ask an administrator for one of the roles {roles}.",
            )
        return user


viewing = Session(Right.VIEW)
operating = Session(Right.OPERATE)
editing = Session(Right.EDIT)


class Me(Shape):
    """The person behind the session."""

    username: str
    role: str
    rights: list[str]


class Credentials(Request):
    """A name and a password."""

    username: str
    password: str


def _me(user: User) -> Me:
    return Me(username=user.username, role=user.role, rights=[right for right in Right if right in user.rights])


@router.get("/me", response={200: Me, **PROBLEMS}, operation_id="me_read", auth=Session(None))
def me_read(request: HttpRequest) -> Me:
    """Who is logged in, with which rights."""
    return _me(request.auth)


@router.post("/login", response={200: Me, **PROBLEMS}, operation_id="login")
def log_in(request: HttpRequest, credentials: Credentials) -> Me:
    """Open a session with name and password."""
    if check_csrf(request) is not None:
        raise HttpError(403, "CSRF")
    user = authenticate(request, username=credentials.username, password=credentials.password)
    if not isinstance(user, User):
        raise Unauthenticated(
            "The name and the password do not fit, or the account is switched off.", cure="Check both and try again."
        )
    login(request, user)
    return _me(user)


@router.post("/logout", response={204: None, **PROBLEMS}, operation_id="logout", auth=Session(None))
def log_out(request: HttpRequest, response: HttpResponse) -> Status:
    """Close the session."""
    logout(request)
    return Status(204, None)
