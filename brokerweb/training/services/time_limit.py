"""`time_limit`: a script ends after so long on the wall, whether it computes or waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

REPEAT_SECONDS: Final = 0.5
"""How often what waits is told that nobody waits for it any more: it may just be about to."""


class TimeIsUp(Exception):
    """The script is not gone on with."""


@contextmanager
def time_limit(seconds: float, give_up: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """A check to be called between statements, which raises `TimeIsUp`; `give_up` ends what waits when time is up.

    `give_up` is called from a thread of its own. After the block the check passes.
    """
    end = time.monotonic() + seconds
    is_over = Event()

    def wake() -> None:
        left = seconds
        while not is_over.wait(left):
            give_up()
            left = REPEAT_SECONDS

    def check() -> None:
        if not is_over.is_set() and time.monotonic() >= end:
            raise TimeIsUp

    Thread(target=wake, name="time-limit", daemon=True).start()
    try:
        yield check
    finally:
        is_over.set()
