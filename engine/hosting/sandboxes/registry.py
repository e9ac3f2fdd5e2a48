"""Which estates are sandboxes, and who keeps them in this process.

The name says it: `~` in front, which no estate of people has. So whoever asks `engine.hosting.client` need not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.core.vocabulary.moment import UtcTime
from engine.hosting.clock import SystemClock
from engine.hosting.errors import EngineUnavailable
from engine.hosting.sandboxes.asked import KeptInstance
from engine.hosting.sandboxes.entry_log import EntryLog
from engine.hosting.sandboxes.keeper import REPLICAS_MAX, SandboxKeeper
from engine.sim.history import Observer

SANDBOX_PREFIX: Final = "~"

_keepers: list[SandboxKeeper] = []


def wall() -> UtcTime:
    """UTC seconds, as sandboxes are anchored to it."""
    return SystemClock().now().utc


def keep_sandboxes(
    log: EntryLog | None, replicas_max: int = REPLICAS_MAX, observe: Callable[[], Sequence[Observer]] = tuple
) -> None:
    """From now on this process answers for the sandboxes of a log; for none with None.

    `observe` makes observers for a replica, which find themselves in `Sandbox.observers`.
    """
    _keepers[:] = [] if log is None else [SandboxKeeper(log, wall, replicas_max, observe)]


def sandbox_keeper() -> SandboxKeeper:
    """Who keeps sandboxes here; `EngineUnavailable` when nobody does."""
    if not _keepers:
        raise EngineUnavailable("This program keeps no sandboxes.")
    return _keepers[0]


def is_sandbox(estate: str) -> bool:
    """Whether an estate is a sandbox, by its name."""
    return estate.startswith(SANDBOX_PREFIX)


def kept_instance(estate: str, instance: str) -> KeptInstance | None:
    """The instance, where the estate is a sandbox; None where it is one of people."""
    return KeptInstance(sandbox_keeper(), estate, instance) if is_sandbox(estate) else None
