"""`SandboxKeeper`: replicas of sandboxes in the memory of one process, each brought up to its log whenever it is asked.

Several processes may keep the same sandbox: a line is written with the number that follows what its writer has read,
and whoever comes second reads on and writes again. A replica that has let time pass beyond a line of another process is
thrown away and made anew; so is one that nobody has asked for while others were. The log is everything.

Whatever is asked takes a bounded time of a processor: a clock that a processor cannot keep up with comes late and says
so, a step ends early and says where it was to lead, a log that is long is read in several goes (`SandboxRestoring`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar
from uuid import uuid4

import msgspec

from engine.core.exchange.commands import RollbackTransaction
from engine.core.vocabulary.errors import LimitExceeded
from engine.core.vocabulary.identifiers import CommandId
from engine.hosting.errors import EngineUnavailable, SandboxClosed
from engine.hosting.sandboxes.entry_log import Append, EntryLog
from engine.hosting.sandboxes.replicas import Replica, Replicas
from engine.hosting.sandboxes.source import ACT_SECONDS, READ_SECONDS, Observe, SandboxSource
from engine.sandbox.actions import Action, ActionOutcome, ClockSet, CommandsGiven
from engine.sandbox.allowance import Allowance, Worked
from engine.sandbox.clock import LASTS_SECONDS_MAX, check_rate
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown

REPLICAS_MAX: Final = 64
ATTEMPTS_MAX: Final = 20
"""So often somebody else may write first before it is a fault."""
JUMP_SECONDS_MAX: Final = 86_400.0
NOTHING_DONE: Final = ActionOutcome()
LOG_FULL: Final = 9002

Seen = TypeVar("Seen")
NextAction = Callable[[Sandbox], Action]


class Stepped(msgspec.Struct, frozen=True, kw_only=True):
    """How far a step has come."""

    seconds: float
    """Of the sandbox, where it has ended."""
    goal_seconds: float | None
    """Where it was to lead, when the processor was wanted elsewhere before; whoever steps on comes further."""


class SandboxKeeper:
    """All sandboxes of one process. Threads may use it at the same time; each sandbox is used by one at a time."""

    def __init__(
        self,
        log: EntryLog,
        wall: Callable[[], float],
        replicas_max: int = REPLICAS_MAX,
        observe: Observe = tuple,
        worked: Worked = time.thread_time,
        *,
        is_alone: bool = False,
    ) -> None:
        """`wall` tells UTC seconds, `worked` those of a processor; `observe` makes who is told of what happens.

        Who `is_alone` keeps these sandboxes in the only process: sessions of any other one are of one that has gone.
        """
        self._log = log
        self._wall = wall
        self._has_retired = False
        self._is_alone = is_alone
        self._gap: tuple[float, float] | None = None
        """From when to when on the wall no process lived; None where that is not known."""
        self.host: Final = uuid4()
        """By which logs call this process."""
        self.source: Final = SandboxSource(log, observe, worked)
        self._replicas: Final = Replicas(replicas_max)

    @property
    def rebuilt(self) -> int:
        """Replicas that were made from their first second, since the start."""
        return self.source.rebuilt

    def stood_still(self, since: float) -> None:
        """From `since` on the wall until now nobody kept these sandboxes: what went then goes on from where it was."""
        self._gap = (since, self._wall())

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────
    def look(self, name: str, at: Callable[[Sandbox], Seen]) -> Seen:
        """What `at` sees in a sandbox as it is now. It changes nothing, and keeps nothing of it.

        `Sandbox.behind_seconds` tells how late its clock comes. Raises `EngineUnavailable` when there is no such
        sandbox, or the instance that `at` asks is down, `SandboxRestoring` when it is to be asked again.
        """
        with self._replicas.held(name) as replica:
            sandbox = self._caught_up(name, replica)
            if sandbox.clock.wants_renewal(self._wall()) and not sandbox.is_worn_out:
                # Its clock goes on as long as somebody looks. Where the log takes no more it stands still in the end.
                self._written(name, replica, sandbox, self._as_it_goes)
            self._roll_back_of_gone(name, replica, sandbox)
            try:
                return at(sandbox)
            except InstanceDown as error:
                raise EngineUnavailable(str(error)) from error

    def goes(self, name: str) -> bool:
        """Whether the clock of a sandbox runs, and has not run out."""
        return self.look(name, self._goes)

    def _goes(self, sandbox: Sandbox) -> bool:
        clock = sandbox.clock
        return clock.is_running and not clock.has_run_out(self._wall()) and not sandbox.is_worn_out

    # ── writing: all of it raises `SandboxClosed`, `SandboxRestoring`, and `LimitExceeded` 10928, 9002 ────────────────
    def perform(self, name: str, action: Action) -> ActionOutcome:
        """Do something in a sandbox, now. `EngineUnavailable` when there is no such sandbox."""
        return self._write(name, lambda sandbox: action)

    def set_rate(self, name: str, rate: float) -> ActionOutcome:
        """Have its time pass so many times as fast as the wall's, 0 for a pause. `BadSandbox` for another rate."""
        check_rate(rate)
        return self._write(name, lambda sandbox: ClockSet(wall_seconds=self._wall(), rate=rate))

    def step(self, name: str, seconds: float) -> Stepped:
        """Let so much of its time pass at once; its clock goes on as it went."""
        return self.step_until(name, seconds, None)

    def step_until(self, name: str, seconds: float, until: Callable[[Sandbox], bool] | None) -> Stepped:
        """As `step`, but no further than until something has come true."""

        def pass_time(sandbox: Sandbox, end: float, allowance: Allowance) -> bool:
            if until is None:
                return sandbox.advance(end, allowance)
            while sandbox.seconds < end and not until(sandbox):
                if not allowance.lasts or sandbox.is_worn_out:
                    return False
                sandbox.advance_to_change(end, allowance)
            return True

        return self._stepped(name, seconds, pass_time)

    def jump(self, name: str, seconds_max: float = JUMP_SECONDS_MAX) -> Stepped:
        """Let its time pass until something happens that can be seen, at most so long."""

        def pass_time(sandbox: Sandbox, end: float, allowance: Allowance) -> bool:
            return sandbox.advance_to_change(end, allowance) or sandbox.seconds >= end

        return self._stepped(name, seconds_max, pass_time)

    def retire(self) -> None:
        """Do nothing more: whoever asks from now on, and whoever waits, is told `EngineUnavailable`."""
        self._has_retired = True

    def ensure_keeps(self) -> None:
        """Raises `EngineUnavailable` when nothing more is done."""
        if self._has_retired:
            raise EngineUnavailable("The server is about to stop.")

    def forget(self, name: str) -> None:
        """Keep no replica of a sandbox any more; harmless when there is none."""
        self._replicas.forget(name)
        self.source.forget(name)

    def _stepped(self, name: str, seconds: float, pass_time: Callable[[Sandbox, float, Allowance], bool]) -> Stepped:
        done: list[Stepped] = []

        def stepped(sandbox: Sandbox) -> Action:
            end = max(sandbox.seconds, min(sandbox.seconds + seconds, LASTS_SECONDS_MAX))
            is_there = pass_time(sandbox, end, self.source.allowance(ACT_SECONDS)) or sandbox.is_worn_out
            done[:] = [Stepped(seconds=sandbox.seconds, goal_seconds=None if is_there else end)]
            return self._as_it_goes(sandbox)

        self._write(name, stepped)
        return done[0]

    def _roll_back_of_gone(self, name: str, replica: Replica, sandbox: Sandbox) -> None:
        """A process that was killed has ended none of its transactions, and nobody else can: what they lock is let go.

        Where the log takes no more, or somebody else was first, that is for whoever asks next.
        """
        if not self._is_alone or sandbox.is_worn_out:
            return
        for each in sandbox.open_transactions():
            if each.host != self.host:
                command = RollbackTransaction(command_id=CommandId(uuid4()), transaction=each.transaction)
                action = CommandsGiven(instance=each.instance, commands=(command,))
                if self._written(name, replica, sandbox, partial(_always, action))[0] is not Append.WRITTEN:
                    return

    def _as_it_goes(self, sandbox: Sandbox) -> ClockSet:
        """The clock set to the second that the sandbox has reached."""
        return ClockSet(wall_seconds=self._wall(), rate=sandbox.clock.rate)

    def _write(self, name: str, next_action: NextAction) -> ActionOutcome:
        with self._replicas.held(name) as replica:
            for _ in range(ATTEMPTS_MAX):
                sandbox = self._caught_up(name, replica)
                sandbox.refuse_if_worn_out()
                self._roll_back_of_gone(name, replica, sandbox)
                became, outcome = self._written(name, replica, sandbox, next_action)
                if became is Append.CLOSED:
                    raise SandboxClosed(name)
                if became is Append.FULL:
                    raise LimitExceeded(LOG_FULL, limit=self._log.bytes_max)
                if became is Append.WRITTEN:
                    return outcome
        raise EngineUnavailable(f"Too many write in sandbox {name} at the same time.")

    def _written(
        self, name: str, replica: Replica, sandbox: Sandbox, next_action: NextAction
    ) -> tuple[Append, ActionOutcome]:
        """What became of an action. A replica that has run ahead of what is written is not used again."""
        before, replica.sandbox = sandbox.seconds, None
        allowance = self.source.allowance(ACT_SECONDS)
        try:
            action = next_action(sandbox)
        except InstanceDown as error:
            raise EngineUnavailable(str(error)) from error
        became = self._log.append(name, sandbox.entry(action))
        if became is not Append.WRITTEN:
            replica.sandbox = sandbox if sandbox.seconds == before else None
            return became, NOTHING_DONE
        outcome = sandbox.perform(action)
        replica.sandbox = sandbox
        self.source.keep(name, replica, allowance)
        return became, outcome

    def _caught_up(self, name: str, replica: Replica) -> Sandbox:
        """As far as the log says, and as far as its clock says while an allowance lasts."""
        self.ensure_keeps()
        wall = self._wall()
        sandbox = self.source.follow(name, replica, self.source.allowance(READ_SECONDS))
        replica.sandbox = None
        late = self.source.allowance(ACT_SECONDS)
        gap = self._gap
        has_gap = gap is not None and sandbox.clock.is_running and sandbox.clock.wall_seconds < gap[1]
        is_there = sandbox.advance(sandbox.clock.seconds_at(gap[0] if gap is not None and has_gap else wall), late)
        replica.sandbox = sandbox
        self.source.keep(name, replica, late)
        if has_gap and is_there and not sandbox.is_worn_out:
            # Where the log takes no more, time stands still where it was.
            self._written(name, replica, sandbox, self._as_it_goes)
        return sandbox


def _always(action: Action, sandbox: Sandbox) -> Action:
    """An action, whatever there is meanwhile."""
    return action
