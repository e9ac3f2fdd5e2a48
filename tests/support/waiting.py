"""Waiting for what another thread or process does: until it is so, or until it is certain that something is wrong."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS_MAX = 60.0
"""Only what hangs takes so long, however busy the machine is."""
PAUSE_SECONDS, PAUSE_SECONDS_MAX = 0.01, 0.25


def until(condition: Callable[[], bool], what: str, seconds: float = SECONDS_MAX) -> None:
    """Return as soon as `condition` holds; fail with `what` when it does not within `seconds`.

    A pause is three times as long as a look takes: what is waited for needs the processor more.
    """
    deadline = time.monotonic() + seconds
    while True:
        begun = time.monotonic()
        if condition():
            return
        looked = time.monotonic()
        assert looked < deadline, f"waited in vain until {what}"
        time.sleep(min(max(PAUSE_SECONDS, 3 * (looked - begun)), PAUSE_SECONDS_MAX))
