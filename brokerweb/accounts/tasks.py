"""Celery tasks of the accounts: one line each."""

from __future__ import annotations

from brokerweb.accounts.services import expired_logins_forget
from brokerweb.common.database import borrowed_connections
from engine import api as engine

FORGET_TASK = "brokerweb.accounts.forget_expired_logins"


@engine.celery_app.task(name=FORGET_TASK, ignore_result=True)
def forget_expired_logins() -> None:
    """Remove sessions and login links that have ended."""
    with borrowed_connections():
        expired_logins_forget()
