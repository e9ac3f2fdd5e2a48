"""Reads about people."""

from __future__ import annotations

from importlib import import_module

from channels.auth import get_user
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from brokerweb.accounts.models import User


async def session_user(session_key: str | None) -> User | AnonymousUser:
    """Whom a session belongs to *now*: nobody once it was closed, has expired, or its password was changed.

    A websocket outlives many requests, so what was true when it opened is asked anew.
    """
    if session_key is None:
        return AnonymousUser()
    store = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user: User | AnonymousUser = await get_user({"session": store})
    return user
