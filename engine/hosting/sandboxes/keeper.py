"""`SandboxKeeper`: replicas of sandboxes in the memory of one process, each brought up to its log whenever it is asked.

Several processes may keep the same sandbox: a line is written with the number that follows what its writer has read,
and whoever comes second reads on and writes again. A replica that has let time pass beyond a line of another process is
thrown away and made anew; so is one that nobody has asked for while others were. The log is everything.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Final, TypeVar

from engine.hosting.errors import EngineUnavailable
from engine.hosting.sandboxes.entry_log import EntryLog
from engine.sandbox.actions import Action, ActionOutcome, ClockSet, Entry
from engine.sandbox.clock import LASTS_SECONDS_MAX, check_rate
from engine.sandbox.sandbox import OutOfOrder, Sandbox
from engine.sandbox.server import InstanceDown
from engine.sim.history import Observer

logger = logging.getLogger(__name__)

REPLICAS_MAX: Final = 64
ATTEMPTS_MAX: Final = 20
"""So often somebody else may write first before it is a fault."""
JUMP_SECONDS_MAX: Final = 86_400.0
STEP_SECONDS_MAX: Final = 6 * 3_600.0

Seen = TypeVar("Seen")


class _Replica:
    """A sandbox as far as this process has brought it. Whoever uses it holds the lock."""

    def __init__(self) -> None:
        self.lock: Final = RLock()
        self.sandbox: Sandbox | None = None


class SandboxKeeper:
    """All sandboxes of one process. Threads may use it at the same time; each sandbox is used by one at a time."""

    def __init__(
        self,
        log: EntryLog,
        wall: Callable[[], float],
        replicas_max: int = REPLICAS_MAX,
        observe: Callable[[], Sequence[Observer]] = tuple,
    ) -> None:
        """`wall` tells UTC seconds; `observe` makes who is told of everything that happens in a replica."""
        self._log = log
        self._wall = wall
        self._replicas_max = replicas_max
        self._observe = observe
        self._replicas: OrderedDict[str, _Replica] = OrderedDict()
        self._lock = Lock()
        self.rebuilt = 0
        """Replicas that were made since the start."""

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────
    def look(self, name: str, at: Callable[[Sandbox], Seen]) -> Seen:
        """What `at` sees in a sandbox as it is now. It changes nothing, and keeps nothing of it.

        Raises `EngineUnavailable` when there is no such sandbox, or the instance that `at` asks is down.
        """
        with self._held(name) as replica:
            sandbox = self._caught_up(name, replica)
            if sandbox.clock.wants_renewal(self._wall()):
                self._renew(name, replica, sandbox)
            try:
                return at(sandbox)
            except InstanceDown as error:
                raise EngineUnavailable(str(error)) from error

    def _renew(self, name: str, replica: _Replica, sandbox: Sandbox) -> None:
        """Its clock goes on as long as somebody looks. Where the log takes no more it will stand still in the end."""
        try:
            self._written(name, replica, sandbox, self._as_it_goes)
        except Exception:
            logger.info("The clock of sandbox %s was not set anew.", name, exc_info=True)
            replica.sandbox = sandbox

    def goes(self, name: str) -> bool:
        """Whether the clock of a sandbox runs, and has not run out."""
        return self.look(name, lambda sandbox: sandbox.clock.is_running and not sandbox.clock.has_run_out(self._wall()))

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────
    def perform(self, name: str, action: Action) -> ActionOutcome:
        """Do something in a sandbox, now. `EngineUnavailable` when there is no such sandbox."""
        return self._write(name, lambda sandbox: action)

    def set_rate(self, name: str, rate: float) -> ActionOutcome:
        """Have its time pass so many times as fast as the wall's, 0 for a pause. `BadSandbox` for another rate."""
        check_rate(rate)
        return self._write(name, lambda sandbox: ClockSet(wall_seconds=self._wall(), rate=rate))

    def step(self, name: str, seconds: float) -> ActionOutcome:
        """Let so much of its time pass at once; its clock goes on as it went."""
        return self._write(name, lambda sandbox: self._stepped(sandbox, seconds, lambda _: False))

    def step_until(self, name: str, seconds: float, until: Callable[[Sandbox], bool]) -> ActionOutcome:
        """As `step`, but no further than until something has come true."""
        return self._write(name, lambda sandbox: self._stepped(sandbox, seconds, until))

    def jump(self, name: str, seconds_max: float = JUMP_SECONDS_MAX) -> ActionOutcome:
        """Let its time pass until something happens that can be seen, at most so long."""

        def jumped(sandbox: Sandbox) -> Action:
            sandbox.advance_to_change(_bounded(sandbox, min(seconds_max, JUMP_SECONDS_MAX)))
            return self._as_it_goes(sandbox)

        return self._write(name, jumped)

    def forget(self, name: str) -> None:
        """Keep no replica of a sandbox any more; harmless when there is none."""
        with self._lock:
            self._replicas.pop(name, None)

    def _stepped(self, sandbox: Sandbox, seconds: float, until: Callable[[Sandbox], bool]) -> Action:
        end = _bounded(sandbox, min(seconds, STEP_SECONDS_MAX))
        while not until(sandbox) and sandbox.seconds < end:
            sandbox.advance_to_change(end)
        return self._as_it_goes(sandbox)

    def _as_it_goes(self, sandbox: Sandbox) -> ClockSet:
        """The clock set to the second that the sandbox has reached."""
        return ClockSet(wall_seconds=self._wall(), rate=sandbox.clock.rate)

    def _write(self, name: str, next_action: Callable[[Sandbox], Action]) -> ActionOutcome:
        with self._held(name) as replica:
            for _ in range(ATTEMPTS_MAX):
                sandbox = self._caught_up(name, replica)
                outcome = self._written(name, replica, sandbox, next_action)
                if outcome is not None:
                    return outcome
        raise EngineUnavailable(f"Too many write in sandbox {name} at the same time.")

    def _written(
        self, name: str, replica: _Replica, sandbox: Sandbox, next_action: Callable[[Sandbox], Action]
    ) -> ActionOutcome | None:
        """What came of an action; None when somebody else was first. A replica that has run ahead is not used again."""
        before, replica.sandbox = sandbox.seconds, None
        try:
            action = next_action(sandbox)
        except InstanceDown as error:
            raise EngineUnavailable(str(error)) from error
        is_ours = self._log.append(name, sandbox.entry(action))
        if is_ours or sandbox.seconds == before:
            replica.sandbox = sandbox
        return sandbox.perform(action) if is_ours else None

    # ── replicas ─────────────────────────────────────────────────────────────────────────────────────────────────
    @contextmanager
    def _held(self, name: str) -> Iterator[_Replica]:
        """The replica of a sandbox, nobody else's meanwhile."""
        with self._lock:
            replica = self._replicas.setdefault(name, _Replica())
            self._replicas.move_to_end(name)
            self._evict()
        with replica.lock:
            try:
                yield replica
            except BaseException:
                if replica.sandbox is None:
                    self.forget(name)
                raise

    def _evict(self) -> None:
        """The ones that were asked for the longest time ago; whoever still uses one has it to its end."""
        while len(self._replicas) > self._replicas_max:
            self._replicas.popitem(last=False)

    def _caught_up(self, name: str, replica: _Replica) -> Sandbox:
        """As far as the log and the clock say."""
        before, replica.sandbox = replica.sandbox, None
        sandbox = self._read_on(name, before or self._made(name))
        sandbox.advance(sandbox.clock.seconds_at(self._wall()))
        replica.sandbox = sandbox
        return sandbox

    def _read_on(self, name: str, sandbox: Sandbox) -> Sandbox:
        entries = self._log.read_after(name, sandbox.sequence)
        try:
            return _replayed(sandbox, entries)
        except OutOfOrder:
            return _replayed(self._made(name), self._log.read_after(name, 0))

    def _made(self, name: str) -> Sandbox:
        spec = self._log.spec(name)
        if spec is None:
            raise EngineUnavailable(f"There is no sandbox {name}.")
        self.rebuilt += 1
        return Sandbox(spec, self._observe())


def _bounded(sandbox: Sandbox, seconds: float) -> float:
    """The second that is so far away, within the day of a sandbox."""
    return max(sandbox.seconds, min(sandbox.seconds + seconds, LASTS_SECONDS_MAX))


def _replayed(sandbox: Sandbox, entries: Sequence[Entry]) -> Sandbox:
    sandbox.replay(entries)
    return sandbox
