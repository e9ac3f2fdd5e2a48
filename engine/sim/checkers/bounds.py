"""`Bounds`: nothing grows beyond its limit: windows, held messages, forwarders' memory, agenda, queues.

A broken duplicate check need not double anything: it may leak rows that nobody ever reads. So bounds are watched too.
"""

from __future__ import annotations

from collections import Counter as Count
from typing import Final

from engine.core.exchange.changes import AppendQueue
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, InstanceName
from engine.core.vocabulary.limits import HELD_MESSAGES_MAX, SEND_WINDOW_MESSAGES
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Measured, Transmitted
from engine.sim.ledger import Ledger, Place, Side
from engine.sim.scenario import Scenario

AGENDA_FACTOR: Final = 4
AGENDA_SLACK: Final = 256
"""Entries of the agenda for each conversation, and beyond that: overtaken ones are thrown away now and then."""


class Bounds(Checker):
    """Counts rows and memory against `vocabulary.limits`."""

    name = "bounds"
    watches = (Committed, Measured, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._in_queue: set[tuple[InstanceName, DatabaseName, ConversationHandle, int]] = set()
        """Messages that ever came into a queue."""
        self._since_looked: Count[Side] = Count()
        """Held messages at the last count, and all that came since: fewer than the bound cannot pass it."""
        self._addresses = len(scenario.instances)

    def observe(self, entry: Entry) -> None:
        """Count."""
        match entry:
            case Committed():
                for change in entry.changes:
                    if isinstance(change, AppendQueue):
                        self._appended(entry, change)
            case Transmitted() if entry.message.message.is_sequenced:
                self._transmitted(entry)
            case Measured():
                self._measured(entry)
            case _:
                pass

    def _appended(self, entry: Committed, change: AppendQueue) -> None:
        row = change.row
        side = (entry.instance, change.database, row.conversation_handle)
        self._since_looked[side] += 1
        place = (*side, row.message_sequence_number)
        if place in self._in_queue and row.message_sequence_number >= 0:
            messages = self.ledger.queues[side[:2]]
            twins = [each for _, each in messages.values() if (*side[:2], *_number(each)) == place]
            if len(twins) > 1:
                self.find(entry.at, side[0], f"message {place[3]} of {side[2]} is in the queue {len(twins)} times")
        self._in_queue.add(place)
        if self._since_looked[side] > HELD_MESSAGES_MAX:
            self._since_looked[side] = self._look_at_held(entry, side)

    def _look_at_held(self, entry: Committed, side: Side) -> int:
        messages = self.ledger.queues[side[:2]].values()
        held = sum(row.status is QueueRowStatus.DISABLED and row.conversation_handle == side[2] for _, row in messages)
        if held > HELD_MESSAGES_MAX:
            self.find(entry.at, side[0], f"{held} early messages of {side[2]} are held")
        return held

    def _transmitted(self, entry: Transmitted) -> None:
        message = entry.message.message
        for side in self.ledger.sides.get((message.conversation_id, message.from_initiator), []):
            waiting = self.ledger.transmission.get(side, {})
            number = message.sequence or 0
            if side[0] != entry.instance or number not in waiting:
                continue
            # Rows are appended by number, so the first is the lowest.
            in_flight = number - next(iter(waiting))
            if in_flight >= SEND_WINDOW_MESSAGES:
                self.find(entry.at, entry.instance, f"{in_flight + 1} messages of {side[2]} are in flight")

    def _measured(self, entry: Measured) -> None:
        stored = sum(side[0] == entry.instance for side in self.ledger.endpoints)
        if entry.conversations > stored:
            self.find(entry.at, entry.instance, f"{entry.conversations} conversations in memory, {stored} on disk")
        if entry.agenda > AGENDA_FACTOR * entry.conversations + AGENDA_SLACK:
            self.find(entry.at, entry.instance, f"{entry.agenda} deadlines for {entry.conversations} conversations")
        if entry.forwarding_bytes > entry.forwarding_bytes_max:
            self.find(entry.at, entry.instance, f"{entry.forwarding_bytes} bytes wait to be forwarded")
        if entry.destinations > self._addresses:
            self.find(entry.at, entry.instance, f"{entry.destinations} destinations of {self._addresses} that exist")

    def finish(self, at: float) -> None:
        """Rows without a conversation are never read."""
        orphans: Count[Place] = Count()
        for place, messages in self.ledger.queues.items():
            for _, row in messages.values():
                orphans[place] += (*place, row.conversation_handle) not in self.ledger.endpoints
        for (instance, database), count in orphans.items():
            if count:
                self.find(at, instance, f"{count} messages in {database} belong to no conversation")


def _number(row: QueueRow) -> tuple[ConversationHandle, int]:
    return row.conversation_handle, row.message_sequence_number
