"""`TransactionOwners`: which process has the sessions whose transactions are open in a sandbox.

A session lives in the memory of a process, what it has locked lives in the sandbox. When the process is killed nobody
is left to end the transaction, and whoever makes the sandbox anew has to know that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

import msgspec

from engine.core.exchange.replies import Reply, TransactionBegun
from engine.core.vocabulary.identifiers import InstanceName, TransactionId
from engine.sandbox.world import SandboxWorld


class OpenTransaction(msgspec.Struct, frozen=True):
    """One of a session."""

    host: UUID
    """The process."""
    instance: InstanceName
    transaction: TransactionId


class TransactionOwners:
    """Those that somebody has begun; not responsible for ending any."""

    def __init__(self, world: SandboxWorld) -> None:
        self._world: Final = world
        self._begun: list[OpenTransaction] = []

    def note(self, host: UUID, instance: InstanceName, replies: Iterable[Reply | None]) -> None:
        """A session of a process was answered."""
        self._begun = [
            *self.open(),
            *(
                OpenTransaction(host, instance, each.transaction)
                for each in replies
                if isinstance(each, TransactionBegun)
            ),
        ]

    def open(self) -> tuple[OpenTransaction, ...]:
        """Those that are open still; of an instance that has gone down none is."""
        servers = self._world.servers
        return tuple(
            each
            for each in self._begun
            if servers[each.instance].is_alive and servers[each.instance].instance.has_transaction(each.transaction)
        )
