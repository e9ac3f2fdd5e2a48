"""Which estates are sandboxes, and who keeps them in this process.

The name says it: `~` in front, which no estate of people has. So whoever asks `engine.hosting.client` need not know.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from engine.core.vocabulary.moment import UtcTime
from engine.hosting.clock import SystemClock
from engine.hosting.errors import EngineUnavailable
from engine.hosting.sandboxes.asked import KeptInstance
from engine.hosting.sandboxes.entry_log import EntryLog
from engine.hosting.sandboxes.keeper import REPLICAS_MAX, SandboxKeeper
from engine.hosting.sandboxes.player import SandboxPlayer
from engine.hosting.sandboxes.source import Observe
from engine.sandbox.allowance import Worked

SANDBOX_PREFIX: Final = "~"


class _Kept(NamedTuple):
    keeper: SandboxKeeper
    player: SandboxPlayer


_kept: list[_Kept] = []


def wall() -> UtcTime:
    """UTC seconds, as sandboxes are anchored to it."""
    return SystemClock().now().utc


def keep_sandboxes(
    log: EntryLog | None,
    replicas_max: int = REPLICAS_MAX,
    observe: Observe = tuple,
    worked: Worked = time.thread_time,
    *,
    is_alone: bool = False,
) -> None:
    """From now on this process answers for the sandboxes of a log; for none with None.

    `observe` makes observers for a replica, which find themselves in `Sandbox.observers`; `worked` tells how long a
    processor has worked for a thread. Who `is_alone` ends the transactions of a process before that was killed.
    """
    _kept.clear()
    if log is not None:
        keeper = SandboxKeeper(log, wall, replicas_max, observe, worked, is_alone=is_alone)
        _kept.append(_Kept(keeper, SandboxPlayer(log, observe, worked)))


@contextmanager
def keeping_sandboxes(
    log: EntryLog | None,
    replicas_max: int = REPLICAS_MAX,
    observe: Observe = tuple,
    worked: Worked = time.thread_time,
) -> Iterator[None]:
    """As `keep_sandboxes`, for a while: afterwards this process answers for what it answered for before."""
    before = list(_kept)
    keep_sandboxes(log, replicas_max, observe, worked)
    try:
        yield
    finally:
        _kept[:] = before


def let_sandboxes_go() -> None:
    """This process is about to end: it answers for none any more, and statements that wait in one end."""
    for kept in _kept:
        kept.keeper.retire()
    _kept.clear()


def sandbox_keeper() -> SandboxKeeper:
    """Who keeps sandboxes here; `EngineUnavailable` when nobody does."""
    return _present().keeper


def sandbox_player() -> SandboxPlayer:
    """Who plays their logs again here; `EngineUnavailable` when nobody does."""
    return _present().player


def _present() -> _Kept:
    if not _kept:
        raise EngineUnavailable("This program keeps no sandboxes.")
    return _kept[0]


def is_sandbox(estate: str) -> bool:
    """Whether an estate is a sandbox, by its name."""
    return estate.startswith(SANDBOX_PREFIX)


def kept_instance(estate: str, instance: str) -> KeptInstance | None:
    """The instance, where the estate is a sandbox; None where it is one of people."""
    return KeptInstance(sandbox_keeper(), estate, instance) if is_sandbox(estate) else None
