"""Accounts over HTTP: the gate that every operation passes, sessions, one's own preferences and tokens, users."""

from __future__ import annotations

from brokerweb.accounts.api.gate import (
    administering,
    editing,
    known,
    operating,
    reading_payloads,
    require,
    signed_in,
    training,
    viewing,
)

__all__ = [
    "administering",
    "editing",
    "known",
    "operating",
    "reading_payloads",
    "require",
    "signed_in",
    "training",
    "viewing",
]
