"""`KeptHands`: a kept sandbox as a console session has it in hand. Time passes as its clock goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Final, TypeVar

import msgspec

from engine.core.exchange.commands import BeginTransaction
from engine.hosting.errors import EngineUnavailable
from engine.hosting.sandboxes.keeper import SandboxKeeper
from engine.sandbox.actions import Action, ActionOutcome, CommandsGiven
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown

POLL_SECONDS: Final = 0.05
"""How often somebody who waits looks, on the wall."""

UNFINISHED_MAX: Final = 10
"""So often a wait is stepped on that did not come to its end in one go; a processor works some seconds for it."""

Seen = TypeVar("Seen")


class KeptHands:
    """One sandbox, for one thread at a time. Every method may raise `InstanceDown`, also for want of the sandbox."""

    def __init__(self, keeper: SandboxKeeper, name: str) -> None:
        self._keeper = keeper
        self._name = name
        self._is_given_up: Final = Event()

    def give_up(self) -> None:
        """From another thread: whoever waits in `wait` waits no more."""
        self._is_given_up.set()

    def look(self, at: Callable[[Sandbox], Seen]) -> Seen:
        """What `at` sees in the sandbox as it is now."""
        with _as_down():
            return self._keeper.look(self._name, at)

    def perform(self, action: Action) -> ActionOutcome:
        """Do something, and have it in the log; of a transaction that is begun, with who has its session."""
        if isinstance(action, CommandsGiven) and any(isinstance(each, BeginTransaction) for each in action.commands):
            action = msgspec.structs.replace(action, host=self._keeper.host)
        with _as_down():
            return self._keeper.perform(self._name, action)

    def wait(self, seconds: float, until: Callable[[Sandbox], bool]) -> bool:
        """Wait for so much of the sandbox's time, or for something in it.

        While its clock stands still, waiting is a step: whoever gives a statement that waits wants time to pass. It
        ends early, and answers False, when that would take a processor too long, or no time passes any more. `give_up`
        ends it.
        """
        self._is_given_up.clear()
        unfinished = 0
        end = self.look(lambda sandbox: sandbox.seconds) + seconds

        def is_over(sandbox: Sandbox) -> bool:
            return self._is_given_up.is_set() or until(sandbox)

        while not self.look(lambda sandbox: is_over(sandbox) or sandbox.seconds >= end):
            with _as_down():
                if self._keeper.goes(self._name):
                    self._is_given_up.wait(POLL_SECONDS)
                else:
                    before = self.look(lambda sandbox: sandbox.seconds)
                    stepped = self._keeper.step_until(self._name, end - before, is_over)
                    unfinished += stepped.goal_seconds is not None
                    if stepped.seconds == before or unfinished >= UNFINISHED_MAX:
                        return False
        return True


@contextmanager
def _as_down() -> Iterator[None]:
    """Who cannot be asked is down."""
    try:
        yield
    except EngineUnavailable as error:
        raise InstanceDown(str(error)) from error
