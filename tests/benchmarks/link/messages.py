"""The messages of a run: 1 KiB, each with the run's key, its number and the time at which it was sent."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

BODY_BYTES: Final = 1024
_HEAD: Final = struct.Struct(">QQQ")
_FILLER: Final = bytes(range(256)) * 4
_REST: Final = _FILLER[: BODY_BYTES - _HEAD.size]


def body(run: int, number: int, sent_ns: int = 0) -> bytes:
    """Message `number` of run `run`, sent at this reading of `time.monotonic_ns`, which all processes share."""
    return _HEAD.pack(run, number, sent_ns) + _REST


class Tally:
    """Ticks off what has arrived."""

    def __init__(self, run: int, expected: int) -> None:
        self._run = run
        self._missing = bytearray(b"\x01" * expected)
        self.unique = 0
        self.repeated = 0
        self.foreign = 0
        """Messages that are none of this run, or damaged."""
        self.delays_ns: list[int] = []

    @property
    def is_complete(self) -> bool:
        """Whether every message has arrived."""
        return self.unique == len(self._missing)

    def take(self, bodies: Sequence[bytes], now_ns: int) -> None:
        """Tick off what arrived at `now_ns`, and keep how long each message took that says when it was sent."""
        for each in bodies:
            run, number, sent_ns = _HEAD.unpack_from(each)
            if run != self._run or number >= len(self._missing) or not each.endswith(_REST):
                self.foreign += 1
            elif self._missing[number]:
                self._missing[number] = 0
                self.unique += 1
                if sent_ns:
                    self.delays_ns.append(now_ns - sent_ns)
            else:
                self.repeated += 1
