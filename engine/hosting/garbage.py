"""`GarbagePolicy`: how a worker's garbage collector treats what lives long.

A full collection looks at every object, which for a hundred thousand conversations in memory takes half a second, and
comes again whenever a quarter as much is new. So what has survived one is left out of the next ones, until as much
again has been left out. Most garbage needs no collector: conversations that leave memory are free of reference cycles.
"""

from __future__ import annotations

import gc
from typing import Final, Literal

OBJECTS_MIN: Final = 200_000
"""Objects left out before all of them are looked at again: fewer are looked through in some 50 ms."""

_OLDEST: Final = 2


class GarbagePolicy:
    """Of this process, from `start` to `stop`; no two at once."""

    def __init__(self, objects_min: int = OBJECTS_MIN) -> None:
        self._objects_min = objects_min
        self._until_all = 0
        """Objects that may be left out before all of them are looked at again."""
        self._looks_at_all = True

    def start(self) -> None:
        """What is there now stays: it is looked at once, and then left out. Nothing happens where another one is."""
        if running_policy() is None:
            gc.callbacks.append(self._collected)
            gc.collect()

    def begin_again(self) -> None:
        """As at the start: everything is looked at now, and then left out until as much again has come."""
        self._looks_at_all = True
        gc.unfreeze()
        gc.collect()

    def leave_out(self) -> None:
        """Much has just been made that will live long: it is left out without being looked at."""
        if self._looks_at_all:
            return
        known = gc.get_freeze_count()
        gc.freeze()
        self._count(gc.get_freeze_count() - known)

    def stop(self) -> None:
        """As Python has it by itself; harmless when stopped."""
        if self._collected in gc.callbacks:
            gc.callbacks.remove(self._collected)
            gc.unfreeze()

    def _collected(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        if phase != "stop" or info["generation"] != _OLDEST:
            return
        survivors = 0 if self._looks_at_all else _survivors()
        gc.freeze()
        if self._looks_at_all:
            self._until_all = max(gc.get_freeze_count(), self._objects_min)
        self._looks_at_all = False
        self._count(survivors)

    def _count(self, left_out: int) -> None:
        """So many more are left out; when they are too many, the next full collection looks at all again."""
        self._until_all -= left_out
        if self._until_all < 0:
            self._looks_at_all = True
            gc.unfreeze()


def running_policy() -> GarbagePolicy | None:
    """The one that treats the objects of this process."""
    owners = (getattr(callback, "__self__", None) for callback in gc.callbacks)
    return next((owner for owner in owners if isinstance(owner, GarbagePolicy)), None)


def long_lived_begin() -> None:
    """What a server process has read for good is left out from now on. Takes one full collection, now."""
    known = running_policy()
    if known is None:
        GarbagePolicy().start()
    else:
        known.begin_again()


def long_lived_leave_out() -> None:
    """Full collections of this process leave out what there is now, where a policy treats them: after something large
    was made that is kept. It is looked at again when as much has come.
    """
    known = running_policy()
    if known is not None:
        known.leave_out()


def _survivors() -> int:
    """How many objects the oldest generation holds.

    In one step of the interpreter: were another thread let on while the list of them is there, the tuple that it is
    making would have a second owner, and CPython refuses to let such a tuple grow (SystemError).
    """
    return next(map(len, map(gc.get_objects, (_OLDEST,))))
