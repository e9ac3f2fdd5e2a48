"""Waiting for what another thread does: until it is so, or until it is certain that something is wrong."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS_MAX = 60.0
"""Only what hangs takes so long, however busy the machine is."""


def until(condition: Callable[[], bool], what: str, seconds: float = SECONDS_MAX) -> None:
    """Return as soon as `condition` holds; fail with `what` when it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.01)
