"""Sessions that wait in WAITFOR (RECEIVE …) or WAITFOR (GET CONVERSATION GROUP …), queue by queue (protocol.md 12).

They live in memory, as their callers do. Not responsible for finding anything: see `handlers.serving`.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass
from itertools import count

from engine.core.exchange.commands import Receive, WaitingStatement
from engine.core.vocabulary.identifiers import CommandId, DatabaseName, TransactionId
from engine.core.vocabulary.moment import Instant

QueueKey = tuple[DatabaseName, str]
"""A queue in any spelling of its name."""

_OVERTAKEN_MAX = 64
"""Deadlines of waiters that are gone, beyond one for each that waits, before the heap is rebuilt."""


@dataclass(slots=True, eq=False)
class Waiter:
    """One statement that waits, the queue it reads and when its patience ends; None for never."""

    command: WaitingStatement
    key: QueueKey
    ends_at: Instant | None

    @property
    def has_filter(self) -> bool:
        """Whether it has a WHERE, and so tells nothing of the whole queue."""
        command = self.command
        return isinstance(command, Receive) and (
            command.conversation_handle is not None or command.conversation_group_id is not None
        )

    @property
    def is_plain(self) -> bool:
        """Whether it sees what all others see that are plain: no WHERE and no transaction."""
        return self.command.transaction is None and not self.has_filter


class WaiterBook:
    """Everybody who waits, by queue in order of arrival: first come, first served."""

    def __init__(self) -> None:
        self._waiters: dict[CommandId, Waiter] = {}
        self._of_queue: dict[QueueKey, dict[CommandId, Waiter]] = {}
        self._ends: list[tuple[Instant, int, CommandId]] = []
        self._ticket = count()
        self._doubted: set[QueueKey] = set()

    def __len__(self) -> int:
        return len(self._waiters)

    def get(self, command_id: CommandId) -> Waiter | None:
        """Who waits with a command; None when it has its reply, or never came."""
        return self._waiters.get(command_id)

    def add(self, waiter: Waiter) -> None:
        """One more waits, behind all others."""
        command_id = waiter.command.command_id
        self._waiters[command_id] = waiter
        self._of_queue.setdefault(waiter.key, {})[command_id] = waiter
        if waiter.ends_at is not None:
            heapq.heappush(self._ends, (waiter.ends_at, next(self._ticket), command_id))

    def remove(self, waiter: Waiter) -> None:
        """It waits no more."""
        command_id = waiter.command.command_id
        del self._waiters[command_id]
        others = self._of_queue[waiter.key]
        del others[command_id]
        if not others:
            del self._of_queue[waiter.key]
            self._doubted.discard(waiter.key)
        if len(self._ends) > 2 * len(self._waiters) + _OVERTAKEN_MAX:
            self._ends = [entry for entry in self._ends if entry[2] in self._waiters]
            heapq.heapify(self._ends)

    def queues(self) -> Collection[QueueKey]:
        """Queues for which somebody waits."""
        return self._of_queue.keys()

    def of_queue(self, key: QueueKey) -> list[Waiter]:
        """Who waits for a queue, the first come first."""
        return list(self._of_queue.get(key, {}).values())

    def of_transaction(self, transaction: TransactionId) -> list[Waiter]:
        """Statements of a transaction that wait."""
        return [each for each in self._waiters.values() if each.command.transaction == transaction]

    def watches(self, key: QueueKey) -> bool:
        """Whether somebody without WHERE waits: whatever can be received is taken at once."""
        return any(not each.has_filter for each in self._of_queue.get(key, {}).values())

    def with_filter(self, database: DatabaseName) -> set[QueueKey]:
        """Queues of a database for whose conversations or groups somebody waits."""
        return {each.key for each in self._waiters.values() if each.has_filter and each.command.database == database}

    def doubt(self, key: QueueKey) -> None:
        """What its waiters wait for may be gone: they are to be asked again whether they may wait."""
        if key in self._of_queue:
            self._doubted.add(key)

    def settle_doubt(self, key: QueueKey) -> bool:
        """Whether there was a doubt, which is settled now."""
        is_doubted = key in self._doubted
        self._doubted.discard(key)
        return is_doubted

    def take_ended(self, now: Instant) -> list[Waiter]:
        """Those whose patience has ended; each of them is to be removed."""
        ended: list[Waiter] = []
        while self._ends and self._ends[0][0] <= now:
            waiter = self._waiters.get(heapq.heappop(self._ends)[2])
            if waiter is not None:
                ended.append(waiter)
        return ended

    def wake_at(self) -> Instant | None:
        """When the next one has to be answered."""
        while self._ends and self._ends[0][2] not in self._waiters:
            heapq.heappop(self._ends)
        return self._ends[0][0] if self._ends else None
