"""Instances that do not answer: found out by one reader, believed by the others for a moment.

Each topic of an instance has a follower with a reading of its own. If every one of them waited for an engine that is
gone, no thread would be left for those that answer.
"""

from __future__ import annotations

import threading
import time
from typing import Final

SILENCE_SECONDS: Final = 2.0
"""How long a silence is believed before somebody asks again."""


class Silence:
    """Which instances were silent lately. Used by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], tuple[float, str]] = {}

    def of(self, estate: str, instance: str) -> str | None:
        """Why not to ask it now; None for whoever may, who then counts as the one who finds out."""
        key = (estate, instance)
        with self._lock:
            known = self._known.get(key)
            if known is None:
                return None
            believed_until, reason = known
            now = time.monotonic()
            if now < believed_until:
                return reason
            self._known[key] = (now + SILENCE_SECONDS, reason)
            return None

    def note(self, estate: str, instance: str, reason: str) -> None:
        """It has not answered."""
        with self._lock:
            self._known[estate, instance] = (time.monotonic() + SILENCE_SECONDS, reason)

    def broken(self, estate: str, instance: str) -> None:
        """It has answered."""
        with self._lock:
            self._known.pop((estate, instance), None)
