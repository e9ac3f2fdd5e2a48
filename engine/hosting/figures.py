"""What a host says of its instances when it renews their leases, at a price that nobody notices."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic, TypeVar

from engine.core.exchange.views import Backlog
from engine.core.instance import Instance
from engine.core.vocabulary.identifiers import EventSequence
from engine.core.vocabulary.moment import Duration, UtcTime
from engine.hosting.leases import InstanceFigures

T = TypeVar("T")

SHARE_MAX: Final = 0.01
"""Part of the loop's time that counting may take: who has a million conversations at work is counted less often."""


class Watch(Generic[T]):
    """Something of one instance that takes time to count, counted anew when the last count was cheap enough."""

    def __init__(self, count: Callable[[], T]) -> None:
        self._count = count
        self._last: T | None = None
        self._next_at = 0.0

    def now(self) -> T:
        """The newest count; at most a hundred times as old as counting takes, or as this is asked seldom."""
        began = time.monotonic()
        if self._last is None or began >= self._next_at:
            self._last = self._count()
            ended = time.monotonic()
            self._next_at = ended + (ended - began) / SHARE_MAX
        return self._last


def figures_of(
    instance: Instance, backlog: Backlog, *, last_event: EventSequence, inbox: int, worker_bytes: int, now: UtcTime
) -> InstanceFigures:
    """How an instance that works is."""
    return InstanceFigures(
        revision=instance.catalog.revision,
        last_event=last_event,
        inbox=inbox,
        transmission=backlog.transmission,
        oldest_seconds=age(backlog.oldest, now),
        ready=backlog.ready,
        worker_bytes=worker_bytes,
    )


def age(of: UtcTime | None, now: UtcTime) -> Duration | None:
    """How long ago something was, by one clock; None when it was not."""
    return None if of is None else Duration(max(now - of, 0.0))


def resident_bytes() -> int:
    """Memory of this process that is in RAM now; where the system does not tell, the most there ever was."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
