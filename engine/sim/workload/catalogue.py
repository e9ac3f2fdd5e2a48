"""Every way to read a queue that a scenario may name. A new one is a class and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.sim.workload.readers import AutocommitReader, Reader, ReaderPlace
from engine.sim.workload.transactions import TransactionReader
from engine.sim.workload.waiting import WaitingReader

READERS: Final[dict[str, Callable[[ReaderPlace], Reader]]] = {
    "autocommit": AutocommitReader,
    "transactions": TransactionReader,
    "waitfor": WaitingReader,
}
"""By the name that a scenario gives."""
