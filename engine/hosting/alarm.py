"""`InboxAlarm`: tells an instance, through its inbox, that the time has come which its driver has asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from engine.core.exchange.inputs import TIMER_FIRED, Input
from engine.core.vocabulary.moment import Instant
from engine.runtime.ports import Clock

RING: Final[Sequence[Input]] = (TIMER_FIRED,)


class InboxAlarm:
    """The alarm of a driver; on the loop of its host."""

    def __init__(self, clock: Clock, put: Callable[[Sequence[Input]], None]) -> None:
        """`put` lays `RING` into the inbox."""
        self._clock = clock
        self._put = put
        self._timer: asyncio.TimerHandle | None = None
        self._is_ringing = False
        """Whether the inbox has it."""
        self._is_silent = False

    def arm(self, at: Instant | None) -> None:
        """The driver wishes to be woken then and no more as it said before; None is never."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if at is None or self._is_silent:
            return
        delay = at - self._clock.now().monotonic
        if delay > 0:
            self._timer = asyncio.get_running_loop().call_later(delay, self._ring)
        elif not self._is_ringing:
            # A timer of the loop would be set anew by every turn, and never ring while the network keeps the loop busy.
            self._ring()

    def silence(self) -> None:
        """Never ring again: an instance that empties its inbox to close would not come to an end of it."""
        self._is_silent = True
        self.arm(None)

    def taken(self) -> None:
        """`RING` has left the inbox."""
        self._is_ringing = False

    def _ring(self) -> None:
        self._is_ringing = True
        self._put(RING)
