"""`Hold`: keeps an instance from taking turns while its store is copied, so that several copies are of one moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

HOLD_SECONDS_MAX: Final = 900.0
"""A holder that is stopped or has hung keeps an instance no longer."""


class Hold:
    """The holders of one instance. Lives on the instance's event loop.

    Commands and messages that arrive meanwhile wait in the inbox.
    """

    def __init__(self, resume: Callable[[], None]) -> None:
        """`resume` is called when the last holder has released the instance."""
        self._resume = resume
        self._holders: dict[object, asyncio.TimerHandle] = {}

    @property
    def is_held(self) -> bool:
        """Whether no turn may begin, and so no commit."""
        return bool(self._holders)

    def hold(self, holder: object) -> None:
        """Take no turns from now on. Between two turns nothing is half done."""
        if holder not in self._holders:
            self._holders[holder] = asyncio.get_running_loop().call_later(HOLD_SECONDS_MAX, self.release, holder)

    def release(self, holder: object) -> bool:
        """Let the instance go on. Returns whether the holder has held it until now."""
        timer = self._holders.pop(holder, None)
        if timer is None:
            return False
        timer.cancel()
        if not self._holders:
            self._resume()
        return True

    def end(self) -> None:
        """Release all holders, because the instance is being closed."""
        for holder in list(self._holders):
            self.release(holder)
