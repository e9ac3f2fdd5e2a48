"""What a run has used: two readings of the machine's counters, and in between the most memory that was seen."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Self

from tests.benchmarks.link import machine, processes

MEMORY_LOOK_SECONDS: Final = 0.5


@dataclass(frozen=True)
class Used:
    """What was used between two readings."""

    broker_cpu: float
    """Seconds."""
    resident: int
    """Bytes, shared pages counted several times."""
    proportional: int | None
    """Bytes, shared pages counted once; None where the system does not tell."""
    flushes: int | None
    foreign_cores: float


class Readings:
    """Reads when the `with` begins and when it ends; then `used` says what happened in between."""

    used: Used

    def __init__(self, brokers: Collection[int], disk: machine.BlockDevice) -> None:
        """`brokers` are the processes of the brokers; those that descend from them count with them."""
        self._brokers = brokers
        self._disk = disk
        self._memory: list[processes.Memory] = []
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look_at_memory, daemon=True)

    def __enter__(self) -> Self:
        self._looking.start()
        self._flushes = self._disk.flushes()
        self._own, self._busy = processes.cpu_seconds([os.getpid()]), machine.busy_seconds()
        self._cpu, self._began = processes.cpu_seconds(self._brokers), time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        cpu, seconds = processes.cpu_seconds(self._brokers) - self._cpu, time.monotonic() - self._began
        own = processes.cpu_seconds([os.getpid()]) - self._own
        busy = machine.busy_seconds() - self._busy
        flushes = self._disk.flushes()
        self._over.set()
        self._looking.join()
        shares = [each.proportional for each in self._memory]
        self.used = Used(
            broker_cpu=cpu,
            resident=max(each.resident for each in self._memory),
            proportional=None if None in shares else max(share or 0 for share in shares),
            flushes=None if flushes is None or self._flushes is None else flushes - self._flushes,
            # The processes of a pair are ours too: they descend from the frame.
            foreign_cores=max(busy - own, 0.0) / seconds,
        )

    def _look_at_memory(self) -> None:
        while True:
            self._memory.append(processes.memory(self._brokers))
            if self._over.wait(MEMORY_LOOK_SECONDS):
                return
