"""`Holding`: an instance takes no turns as long as somebody copies its store, so that several are of one moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

HOLD_SECONDS_MAX: Final = 900.0
"""Whoever forgets it, stopped say, does not keep an instance for longer."""


class Holding:
    """Lives on the loop of its instance. What is asked of it meanwhile waits, and the network with it."""

    def __init__(self, go_on: Callable[[], None]) -> None:
        """`go_on` is called when nobody holds it any more."""
        self._go_on = go_on
        self._holders: dict[object, asyncio.TimerHandle] = {}

    @property
    def is_held(self) -> bool:
        """Whether no turn is to begin; no commit is made from then on."""
        return bool(self._holders)

    def hold(self, holder: object) -> None:
        """Take no turns from now on: between two turns nothing is half done."""
        if holder not in self._holders:
            self._holders[holder] = asyncio.get_running_loop().call_later(HOLD_SECONDS_MAX, self.release, holder)

    def release(self, holder: object) -> bool:
        """Let it go on; whether the holder has held it until now."""
        timer = self._holders.pop(holder, None)
        if timer is None:
            return False
        timer.cancel()
        if not self._holders:
            self._go_on()
        return True

    def end(self) -> None:
        """Nobody holds it any more: it is to be closed."""
        for holder in list(self._holders):
            self.release(holder)
