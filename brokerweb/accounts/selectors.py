"""Reads about people."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, load_backend
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.tokens import token_user
from brokerweb.common.errors import ObjectNotFound


def session_users(session_keys: Collection[str]) -> dict[str, User]:
    """Whom sessions belong to *now*; one that was closed, has expired, or whose password was changed is left out.

    A websocket outlives many requests, so what was true when it opened is asked anew, of all of them together: two
    questions to the database, however many there are.
    """
    store: SessionBase = import_module(settings.SESSION_ENGINE).SessionStore()
    open_now = store.model.objects.filter(session_key__in=session_keys, expire_date__gt=timezone.now())
    sessions = {each.session_key: store.decode(each.session_data) for each in open_now}
    users = User.objects.in_bulk({int(each[SESSION_KEY]) for each in sessions.values() if SESSION_KEY in each})
    found = {key: users.get(int(each.get(SESSION_KEY, 0))) for key, each in sessions.items()}
    return {key: user for key, user in found.items() if user is not None and _is_theirs(sessions[key], user)}


def is_person(session_key: str | None, token: str | None) -> bool:
    """Whether a session or a token is somebody's now: its account is on, and it has not ended."""
    if token is not None:
        return token_user(token) is not None
    return session_key is not None and session_key in session_users({session_key})


def _is_theirs(session: Mapping[str, Any], user: User) -> bool:
    """As `django.contrib.auth.get_user` decides: their account is on, and the password is that of the login."""
    path = session.get(BACKEND_SESSION_KEY)
    if path not in settings.AUTHENTICATION_BACKENDS or not load_backend(path).user_can_authenticate(user):
        return False
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(session.get(HASH_SESSION_KEY, ""), each) for each in hashes)


def user_named(username: str, *, locks: bool = False) -> User:
    """The user of this name. Raises `ObjectNotFound`.

    With `locks` the account is locked until the transaction ends, and with it those of all administrators, in the order
    of their keys. So two administrators who take each other's role do so one after the other, and one of them stays.
    """
    if locks:
        locked = User.objects.select_for_update().filter(Q(username=username) | Q(role=Role.ADMIN)).order_by("pk")
        user = next((each for each in locked if each.username == username), None)
    else:
        user = User.objects.filter(username=username).first()
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
