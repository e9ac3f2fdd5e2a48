"""`SandboxPlayer`: sandboxes as they were, at any second of a log that is whole: a run that is played again.

It goes forward from the nearest snapshot, or from where somebody was before; so who goes through a run step by step
does each piece of work once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from engine.hosting.errors import SandboxRestoring
from engine.hosting.sandboxes.entry_log import EntryLog
from engine.hosting.sandboxes.replicas import Replicas
from engine.hosting.sandboxes.source import READ_SECONDS, Observe, SandboxSource
from engine.sandbox.allowance import Worked
from engine.sandbox.sandbox import Sandbox

PLAYED_MAX: Final = 16

Seen = TypeVar("Seen")


class SandboxPlayer:
    """For one process. Threads may use it at the same time; each sandbox is played for one at a time."""

    def __init__(self, log: EntryLog, observe: Observe = tuple, worked: Worked = time.thread_time) -> None:
        self.source: Final = SandboxSource(log, observe, worked)
        self._replicas: Final = Replicas(PLAYED_MAX)

    def look(self, name: str, sequence: int, seconds: float, at: Callable[[Sandbox], Seen]) -> Seen:
        """What `at` sees when a line of the log is done, at this second or the one of that line.

        Raises `EngineUnavailable` when there is no such sandbox, `SandboxRestoring` when it is to be asked again.
        """
        with self._replicas.held(name) as replica:
            allowance = self.source.allowance(READ_SECONDS)
            sandbox = self.source.follow(name, replica, allowance, sequence, seconds)
            replica.sandbox = None
            rest = self.source.allowance(READ_SECONDS)
            is_there = sandbox.advance(seconds, rest) or sandbox.is_worn_out
            replica.sandbox = sandbox
            self.source.keep(name, replica, rest, at_once=not is_there)
            if not is_there:
                raise SandboxRestoring(name, min(int(100 * sandbox.seconds / seconds), 99))
            return at(sandbox)
