"""The proof that a login link gives: for some minutes its session may set a password without the current one.

An open session alone proves nothing of the kind: somebody may have found it open.
"""

from __future__ import annotations

import time

from django.http import HttpRequest

LINK_PROOF_MINUTES = 15
_KEY = "opened_by_login_link_at"


def link_proof_give(request: HttpRequest) -> None:
    """Note in the session that a login link has opened it now."""
    request.session[_KEY] = time.time()


def link_proof_take(request: HttpRequest) -> None:
    """End the proof: it was used."""
    request.session.pop(_KEY, None)


def has_link_proof(request: HttpRequest) -> bool:
    """Whether a login link has opened the session within the last `LINK_PROOF_MINUTES`."""
    age = time.time() - float(request.session.get(_KEY, 0.0))
    return 0 <= age < LINK_PROOF_MINUTES * 60
