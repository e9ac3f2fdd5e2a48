"""Reads about people."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from channels.auth import get_user
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ObjectNotFound


async def session_user(session_key: str | None) -> User | AnonymousUser:
    """Whom a session belongs to *now*: nobody once it was closed, has expired, or its password was changed.

    A websocket outlives many requests, so what was true when it opened is asked anew.
    """
    if session_key is None:
        return AnonymousUser()
    store = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user: User | AnonymousUser = await get_user({"session": store})
    return user


def user_named(username: str, *, locks: bool = False) -> User:
    """The user of this name, locked until the transaction ends if that is wanted. Raises `ObjectNotFound`."""
    users = User.objects.select_for_update() if locks else User.objects.all()
    user = users.filter(username=username).first()
    if user is None:
        raise ObjectNotFound(_("There is no user {username}.").format(username=username))
    return user


def user_page(search: str | None, page: int, rows: int) -> dict[str, Any]:
    """Users by name, those whose name contains `search` if it is given, and how many there are altogether."""
    users = User.objects.order_by("username")
    if search:
        users = users.filter(username__icontains=search)
    begin = (page - 1) * rows
    return {"total": users.count(), "page": page, "users": list(users[begin : begin + rows])}
