"""`SandboxSource`: makes sandboxes anew from their logs, from the nearest snapshot on, bit by bit and few at once.

A process that has just begun, with many runs under way, makes none of them before somebody asks for it. Whoever asks
works for it as long as one allowance lasts; when it is not there by then, the next who asks goes on.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Final

from engine.hosting.errors import EngineUnavailable, SandboxRestoring
from engine.hosting.sandboxes.entry_log import EntryLog
from engine.hosting.sandboxes.replicas import Replica
from engine.hosting.sandboxes.shelf import Shelf
from engine.sandbox.actions import Entry
from engine.sandbox.allowance import Allowance, Worked
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.snapshot import Snapshot
from engine.sim.history import Observer

READ_SECONDS: Final = 3.0
"""Of a processor: what one request may take to have a sandbox follow its log."""
ACT_SECONDS: Final = 1.0
"""Of a processor: what one request may take to let time pass, as the clock goes, and as much for a step."""
KEPT_AFTER_SECONDS: Final = 2.0
"""Work after which a snapshot is taken; it takes a fortieth to a tenth of that."""
AT_ONCE_MAX: Final = 2
"""Sandboxes that are made anew at the same time; the others wait their turn."""
TURN_SECONDS_MAX: Final = 2.0
"""So long somebody waits for a turn, on the wall."""
SHORT_SECONDS: Final = 60.0
"""Of a sandbox: what is as little as that behind its log needs no turn."""

Observe = Callable[[], Sequence[Observer]]
FOR_EVER: Final = sys.float_info.max


class SandboxSource:
    """For one process. Threads may use it at the same time, each with a replica that it holds."""

    def __init__(self, log: EntryLog, observe: Observe, worked: Worked = time.thread_time) -> None:
        self._log: Final = log
        self._observe: Final = observe
        self._worked: Final = worked
        self._shelf: Final = Shelf()
        self._turns: Final = BoundedSemaphore(AT_ONCE_MAX)
        self.rebuilt = 0
        """Sandboxes that were made from their first second, since the start."""
        self.copied = 0
        """Those that were made from a snapshot."""

    def allowance(self, seconds: float) -> Allowance:
        """For whoever asks now."""
        return Allowance(self._worked, seconds)

    def follow(
        self, name: str, replica: Replica, allowance: Allowance, sequence: int = sys.maxsize, seconds: float = FOR_EVER
    ) -> Sandbox:
        """The sandbox of a replica as its log has it, up to a line of it, and never later than a second.

        Raises `SandboxRestoring` when the allowance does not suffice: then the replica is as far as it has come. Raises
        `EngineUnavailable` when there is no such sandbox. A replica of which an error is raised otherwise has none.
        """
        sandbox, replica.sandbox = replica.sandbox, None
        entries: Sequence[Entry] | None = None
        if sandbox is not None and sandbox.sequence <= sequence and sandbox.seconds <= seconds:
            entries = self._going_on(name, sandbox, sequence)
        if sandbox is None or entries is None:
            sandbox, entries = self._start(name, sequence, seconds)
        is_done = self._followed(name, replica, sandbox, entries, allowance)
        replica.sandbox = sandbox
        self.keep(name, replica, allowance, at_once=not is_done)
        if not is_done:
            raise SandboxRestoring(name, _percent(sandbox, entries))
        return sandbox

    def keep(self, name: str, replica: Replica, allowance: Allowance, *, at_once: bool = False) -> None:
        """Take a snapshot of what was done under an allowance, at once or when it has become enough."""
        replica.unkept_seconds += allowance.spent
        if replica.sandbox is not None and (at_once or replica.unkept_seconds > KEPT_AFTER_SECONDS):
            replica.unkept_seconds = 0.0
            self._shelf.keep(name, replica.sandbox)

    def forget(self, name: str) -> None:
        """Keep nothing of a sandbox any more."""
        self._shelf.forget(name)

    def _followed(
        self, name: str, replica: Replica, sandbox: Sandbox, entries: Sequence[Entry], allowance: Allowance
    ) -> bool:
        if not entries or entries[-1].at_seconds - sandbox.seconds <= SHORT_SECONDS:
            return sandbox.follow(entries, allowance)
        with self._turn() as is_ours:
            if not is_ours:
                replica.sandbox = sandbox
                raise SandboxRestoring(name, _percent(sandbox, entries))
            return sandbox.follow(entries, allowance)

    @contextmanager
    def _turn(self) -> Iterator[bool]:
        is_ours = self._turns.acquire(timeout=TURN_SECONDS_MAX)
        try:
            yield is_ours
        finally:
            if is_ours:
                self._turns.release()

    def _start(self, name: str, sequence: int, seconds: float) -> tuple[Sandbox, Sequence[Entry]]:
        """One that is nowhere ahead of its log, and what is to be done in it."""
        while (snapshot := self._shelf.nearest(name, sequence, seconds)) is not None:
            entries = self._going_on(name, snapshot, sequence)
            if entries is not None:
                self.copied += 1
                return snapshot.copy(), entries
            self._shelf.drop(name, snapshot)
        spec = self._log.spec(name)
        if spec is None:
            raise EngineUnavailable(f"There is no sandbox {name}.")
        self.rebuilt += 1
        sandbox = Sandbox(spec, self._observe())
        return sandbox, self._going_on(name, sandbox, sequence) or ()

    def _going_on(self, name: str, place: Sandbox | Snapshot, sequence: int) -> Sequence[Entry] | None:
        """The lines that follow; None where somebody else has written one for a second that is past there."""
        entries = [each for each in self._log.read_after(name, place.sequence) if each.sequence <= sequence]
        return None if entries and entries[0].at_seconds < place.seconds else entries


def _percent(sandbox: Sandbox, entries: Sequence[Entry]) -> int:
    """How far it has come, by the time of the sandbox; never all of it."""
    last = entries[-1].at_seconds if entries else 0.0
    return min(int(100 * sandbox.seconds / last), 99) if last > 0 else 0
