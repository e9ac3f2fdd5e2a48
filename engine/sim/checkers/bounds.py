"""`Bounds`: nothing grows beyond its limit: windows, held messages, forwarders' memory, agenda, queues.

A broken duplicate check need not double anything: it may leak rows that nobody ever reads. So bounds are watched too.
"""

from __future__ import annotations

import itertools
from collections import Counter as Count
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from engine.core.exchange.changes import AppendQueue, DropDatabaseRows, DropEndpoint, PutEndpoint
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, InstanceName
from engine.core.vocabulary.limits import HELD_MESSAGES_MAX, SEND_WINDOW_MESSAGES
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Measured, Transmitted
from engine.sim.ledger import Ledger
from engine.sim.scenario import Place, Scenario, Side

AGENDA_FACTOR: Final = 4
AGENDA_SLACK: Final = 256
"""Entries of the agenda for each conversation, and beyond that: overtaken ones are thrown away now and then."""

_Number = tuple[ConversationHandle, int, int | None]
"""Conversation, number, and which piece of the message it is."""


class Bounds(Checker):
    """Counts rows and memory against `vocabulary.limits`."""

    name = "bounds"
    watches = (Committed, Measured, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._in_queue: set[tuple[Place, _Number]] = set()
        """Messages and fragments that ever came into a queue."""
        self._since_looked: Count[Side] = Count()
        """Held messages at the last count, and all that came since: fewer than the bound cannot pass it."""
        self._stored: defaultdict[InstanceName, set[tuple[DatabaseName, ConversationHandle]]] = defaultdict(set)
        """Endpoints on the disk of each instance."""
        named = (address for instance in scenario.instances for address in instance.all_addresses())
        self._addresses = len({*named, *(instance.address for instance in scenario.instances)})
        """Those that routes name, and those to which an operator sends them astray."""

    def observe(self, entry: Entry) -> None:
        """Count."""
        match entry:
            case Committed():
                self._count_endpoints(entry)
                for place, change in self.ledger.latest:
                    if isinstance(change, AppendQueue):
                        self._appended(entry, place, change)
            case Transmitted() if entry.message.message.is_sequenced:
                self._transmitted(entry)
            case Measured():
                self._measured(entry)
            case _:
                pass

    def _count_endpoints(self, entry: Committed) -> None:
        """On this disk, mirror copies and attached copies included."""
        stored = self._stored[entry.instance]
        for change in entry.changes:
            match change:
                case PutEndpoint():
                    stored.add((change.database, change.endpoint.conversation_handle))
                case DropEndpoint():
                    stored.discard((change.database, change.conversation_handle))
                case DropDatabaseRows():
                    stored -= {each for each in stored if each[0] == change.database}
                case _:
                    pass

    def _appended(self, entry: Committed, place: Place, change: AppendQueue) -> None:
        row = change.row
        side = (*place, row.conversation_handle)
        self._since_looked[side] += 1
        number = _number(row)
        if (place, number) in self._in_queue and row.message_sequence_number >= 0:
            twins = [each for _, each in self.ledger.queues[place].values() if _number(each) == number]
            if len(twins) > 1:
                piece = "" if number[2] is None else f"fragment {number[2]} of "
                text = f"{piece}message {number[1]} of {side[2]} is in the queue {len(twins)} times"
                self.find(entry.at, side[0], text)
        self._in_queue.add((place, number))
        if self._since_looked[side] > HELD_MESSAGES_MAX:
            self._since_looked[side] = self._look_at_held(entry, side)

    def _look_at_held(self, entry: Committed, side: Side) -> int:
        messages = self.ledger.queues[side[:2]].values()
        rows = [row for _, row in messages if row.conversation_handle == side[2]]
        held = sum(row.status is QueueRowStatus.DISABLED for row in rows) - self._in_turn(side, rows)
        if held > HELD_MESSAGES_MAX:
            self.find(entry.at, side[0], f"{held} early messages of {side[2]} are held")
        return held

    def _in_turn(self, side: Side, rows: Sequence[QueueRow]) -> int:
        """Fragments of the next message that are there without a hole: they are not early, and are acknowledged."""
        endpoint = self.ledger.endpoints.get(side)
        due = endpoint.receive_sequence if endpoint is not None else None
        there = {row.fragment_number for row in rows if row.message_sequence_number == due}
        return next(number for number in itertools.count() if number not in there)

    def _transmitted(self, entry: Transmitted) -> None:
        message = entry.message.message
        for side in self.ledger.sides.get((message.conversation_id, message.from_initiator), []):
            waiting = self.ledger.transmission.get(side, {})
            number = message.sequence or 0
            if not self.ledger.is_at(side, entry.instance) or number not in waiting:
                continue
            # Rows are appended by number, so the first is the lowest.
            in_flight = number - next(iter(waiting))
            if in_flight >= SEND_WINDOW_MESSAGES:
                self.find(entry.at, entry.instance, f"{in_flight + 1} messages of {side[2]} are in flight")

    def _measured(self, entry: Measured) -> None:
        stored = len(self._stored[entry.instance])
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


def _number(row: QueueRow) -> _Number:
    return row.conversation_handle, row.message_sequence_number, row.fragment_number
