"""`ServiceQueue`: the messages of one queue, by conversation and conversation group (protocol.md 10, 12).

RECEIVE takes messages of one group: the group that holds the best message, by priority, then by age. A heap with
late deletion finds it; what the heap still remembers and the queue no longer has is thrown away when met, and what a
reader may not see is set aside until one comes who may.

Of a long backlog, and after a start, the queue knows the places alone of most messages, and reads them from the store
when their turn comes (ADR 20).
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, filterfalse, islice
from operator import attrgetter
from typing import Any, Final

import msgspec

from engine.core.queues.awaiting import AwaitingPlaces
from engine.core.queues.groups import ConversationGroups
from engine.core.queues.message_rows import MessageRows
from engine.core.queues.places import AHEAD, NO_PLACES, ConversationPlaces, PlacesBeyond
from engine.core.queues.reader import UNHINDERED, Reader
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle, DatabaseName
from engine.core.vocabulary.limits import RECEIVE_BYTES_MAX
from engine.core.vocabulary.message_memory import ROW_BYTES, MessageMemory
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus, QueueSpan

_READY, _DISABLED = QueueRowStatus.READY, QueueRowStatus.DISABLED

NOWHERE: Final = DatabaseName("")

_BEST_SLACK = 64
"""Entries of messages that are gone the heap may hold beyond one for each ready message before it is rebuilt."""


class ServiceQueue(MessageRows):
    """Messages of one queue; every change here is recorded by the caller as a state change.

    `rows` are the stored messages in order of their places.
    """

    def __init__(
        self,
        rows: Iterable[QueueRow] = (),
        database: DatabaseName = NOWHERE,
        memory: MessageMemory | None = None,
    ) -> None:
        """Without a `memory` to count in, everything stays."""
        super().__init__(database, memory or MessageMemory())
        self._groups = ConversationGroups()
        self._aside: dict[tuple[ConversationGroupId, ConversationHandle], list[tuple[int, int]]] = {}
        """Entries of the heap that its last readers were not allowed to see."""
        self.ready = 0
        """Messages with status 1."""
        self.disabled = 0
        """Messages with status 2: they arrived early."""
        self.awaiting = 0
        """Messages that came while the queue was off: they are in the transmission queue of the database."""
        self.awaiting_places: Final = AwaitingPlaces()
        self.unread = 0
        """Messages that a RECEIVE could hand out, whoever has locked their group."""
        self.load(rows)

    def load(self, rows: Iterable[QueueRow]) -> None:
        """Stored messages, or the next of them, in order of their places."""
        disordered: dict[int, ConversationPlaces] = {}
        for row in rows:
            self.append(row)
            if row.status is _READY and row.message_type_name not in AHEAD:
                conversation = self._conversations[row.conversation_handle.int]
                if row.message_sequence_number < conversation.loaded:
                    disordered[conversation.handle.int] = conversation
                else:
                    conversation.loaded = row.message_sequence_number
        for conversation in disordered.values():
            self._sort(conversation)

    def load_spans(self, spans: Iterable[QueueSpan]) -> None:
        """Stored messages that stay in the store, or the next of them in order of their places; rows come after all."""
        for handle, group, priority, first, places in spans:
            conversation = self._conversations.get(handle.int)
            if conversation is None:
                conversation = self._enter(ConversationPlaces(handle, group, priority, NO_PLACES))
            if conversation.beyond is None:
                conversation.beyond = PlacesBeyond()
                self._dormant.load(priority, places[0], handle.int)
            number = len(places)
            conversation.beyond.extend(first, places)
            conversation.loaded = max(conversation.loaded, first + number - 1)
            self._left_behind += number
            self.ready += number
            self.unread += number

    def __len__(self) -> int:
        return len(self._rows) + self._left_behind - self.awaiting

    def _count(self, row: QueueRow, step: int) -> None:
        if row.awaits_queue:
            self.awaiting += step
            (self.awaiting_places.add if step > 0 else self.awaiting_places.remove)(row)
        elif row.status is _READY:
            self.ready += step
        elif row.status is _DISABLED:
            self.disabled += step

    def _revise(self, queuing_order: int, **fields: Any) -> QueueRow:
        """Replace fields of a message."""
        before = self._rows[queuing_order]
        after = msgspec.structs.replace(before, **fields)
        self._rows[queuing_order] = after
        self._count(before, -1)
        self._count(after, 1)
        return after

    def leave_behind(self, orders: Sequence[int]) -> None:
        super().leave_behind(orders)
        self._tidy()

    def append(self, row: QueueRow) -> None:
        """Put a message in."""
        order = row.queuing_order
        self._rows[order] = row
        self._memory.bytes += len(row.message_body or b"") + ROW_BYTES
        conversation = self._conversations.get(row.conversation_handle.int)
        if conversation is None:
            # All messages of a conversation are of its group.
            own = ConversationPlaces(row.conversation_handle, row.conversation_group_id, row.priority)
            conversation = self._enter(own)
        if row.status is _READY and not row.awaits_queue and row.message_type_name not in AHEAD:
            # By far the most.
            self.ready += 1
            self.unread += 1
            if conversation.beyond is not None:
                conversation.beyond.append(order)
                return
            conversation.in_order[order] = None
            heapq.heappush(self._best, (-row.priority, order))
            return
        conversation.unfold()
        self._count(row, 1)
        if row.status is _READY:
            conversation.join(row)
            self._remember(row)
        elif row.status is _DISABLED:
            conversation.disabled[order] = None
        else:
            conversation.retained[order] = None

    def _enter(self, conversation: ConversationPlaces) -> ConversationPlaces:
        """The first messages of a conversation have come."""
        self._conversations[conversation.handle.int] = conversation
        self._groups.join(conversation)
        return conversation

    def make_ready(self, queuing_order: int) -> QueueRow:
        """The gap before an early message closed; answers the message as it is now."""
        row = self._revise(queuing_order, status=QueueRowStatus.READY)
        conversation = self._conversations[row.conversation_handle.int]
        del conversation.disabled[queuing_order]
        conversation.join(row)
        self._remember(row)
        return row

    def _remember(self, row: QueueRow) -> None:
        self.unread += 1
        heapq.heappush(self._best, (-row.priority, row.queuing_order))

    def _tidy(self) -> None:
        """Throw away entries of messages that are gone, once they are more than the others."""
        if len(self._best) <= 2 * (self.unread - self._left_behind) + _BEST_SLACK:
            return
        unread = (each for each in self._rows.values() if self._is_unread(each))
        self._best = [(-each.priority, each.queuing_order) for each in unread]
        self._aside.clear()
        heapq.heapify(self._best)

    def _is_unread(self, row: QueueRow) -> bool:
        return self._conversations[row.conversation_handle.int].is_unread(row)

    def forget(self, handle: ConversationHandle) -> list[int]:
        """All messages of a conversation leave; answers their places."""
        conversation = self._conversations.get(handle.int)
        if conversation is None:
            return []
        orders = conversation.all()
        beyond, conversation.beyond = conversation.beyond, None
        conversation.unfold()
        for order in beyond or ():
            if order in self._rows:
                conversation.in_order[order] = None
            else:
                self._left_behind -= 1
                self.ready -= 1
                self.unread -= 1
        self.remove(orders)
        if self._conversations.pop(handle.int, None) is not None:
            # None of them was in memory.
            self._groups.leave(conversation)
        return orders

    def take(self, queuing_orders: Iterable[int]) -> None:
        """A transaction has received these messages: nobody receives them again unless it is rolled back."""
        for order in queuing_orders:
            conversation = self._conversations[self._rows[order].conversation_handle.int]
            conversation.unfold()
            del conversation.lane(self._rows[order])[order]
            conversation.taken[order] = None
            self.unread -= 1
            if not conversation.in_order and conversation.beyond is not None:
                self._bring_back(conversation)

    def put_back(self, queuing_orders: Sequence[int]) -> None:
        """The transaction was rolled back: its messages are where they were. Those that have gone are ignored."""
        for order in reversed(queuing_orders):
            row = self._rows.get(order)
            conversation = self._conversations.get(row.conversation_handle.int) if row is not None else None
            if row is None or conversation is None or order not in conversation.taken:
                continue
            del conversation.taken[order]
            lane = conversation.lane(row)
            lane[order] = None
            # They were the first of their lane when they were taken, and none came in front of them since.
            lane.move_to_end(order, last=False)
            self._remember(row)
        self._tidy()

    def regroup(self, handle: ConversationHandle, group: ConversationGroupId) -> list[int]:
        """A conversation was moved to another group; answers the places of its messages."""
        conversation = self._conversations.get(handle.int)
        if conversation is None:
            return []
        self._groups.leave(conversation)
        conversation.group = group
        self._groups.join(conversation)
        orders = self.of_conversation(handle)
        for order in orders:
            if order in self._rows:
                self._revise(order, conversation_group_id=group)
        return orders

    def retain(self, queuing_orders: Iterable[int]) -> list[int]:
        """Received messages stay with status 0; answers the places of those that are still there."""
        kept = [order for order in queuing_orders if order in self._rows]
        for order in kept:
            conversation = self._conversations[self._rows[order].conversation_handle.int]
            self.unread -= order in conversation.lane(self._rows[order])
            for lane in conversation.lanes():
                lane.pop(order, None)
            conversation.unfold()
            conversation.retained[order] = None
            self._revise(order, status=QueueRowStatus.RECEIVED_RETAINED)
            if not conversation.in_order and conversation.beyond is not None:
                self._bring_back(conversation)
        self._tidy()
        return kept

    def admit(self) -> list[QueueRow]:
        """The queue was switched on: what came meanwhile is in it; answers those messages."""
        return [self._revise(row.queuing_order, awaits_queue=False) for row in list(self.waiting())]

    def waiting(self) -> Iterator[QueueRow]:
        """Messages that came while the queue was off, in order of arrival."""
        return map(self._rows.__getitem__, self.awaiting_places)

    def remove(self, queuing_orders: Iterable[int]) -> None:
        """Take messages out; absent ones are ignored."""
        rows, conversations, freed = self._rows, self._conversations, 0
        for order in queuing_orders:
            row = rows.pop(order, None)
            if row is None:
                continue
            freed += len(row.message_body or b"") + ROW_BYTES
            if row.status is _READY and not row.awaits_queue:
                self.ready -= 1
            else:
                self._count(row, -1)
            conversation = conversations[row.conversation_handle.int]
            lane = conversation.ahead if row.message_type_name in AHEAD else conversation.in_order
            if order in lane:
                self.unread -= 1
                del lane[order]
                if lane:
                    continue
            else:
                for places in conversation.out_of_reach():
                    places.pop(order, None)
            if conversation.beyond is not None and not conversation.in_order:
                self._bring_back(conversation)
            elif not any(conversation.lanes()):
                del conversations[row.conversation_handle.int]
                self._groups.leave(conversation)
        self._memory.bytes -= freed
        self._tidy()

    def all(self) -> Iterator[QueueRow]:
        """Every message that is in the queue, in order of arrival."""
        rows = self._rows.values() if self._is_in_order and not self._left_behind else self.everything()
        # A generator expression would be run to its end at once by machine code of mypyc.
        return filterfalse(attrgetter("awaits_queue"), rows)

    def first(self, top: int) -> list[QueueRow]:
        """The first messages in order of arrival, as a SELECT would show them."""
        return list(islice(self.all(), top))

    def next_messages(
        self,
        top: int,
        handle: ConversationHandle | None = None,
        group: ConversationGroupId | None = None,
        reader: Reader = UNHINDERED,
    ) -> list[QueueRow]:
        """What a RECEIVE TOP (`top`) would take: of one group, whole conversations one after another."""
        if handle is not None:
            asked = self._conversations.get(handle.int)
            found = [asked] if asked is not None and self._is_seen(asked, reader) else []
        else:
            group = group if group is not None else self.best_group(reader)
            found = list(self._of_group(group, reader)) if group is not None else []
        conversations = [each for each in found if each.has_ready]
        if len(conversations) > 1:
            conversations.sort(key=lambda conversation: (-conversation.priority, conversation.eldest()))
        return self._first_of(conversations, top)

    def _first_of(self, conversations: Sequence[ConversationPlaces], top: int) -> list[QueueRow]:
        """As many as may leave at once and fit into an answer, the first in any case."""
        found: list[QueueRow] = []
        size = 0
        for conversation in conversations:
            if conversation.beyond is not None:
                self._bring_back(conversation, top - len(found))
            for order in chain(conversation.ahead, conversation.in_order):
                row = self._rows[order]
                size += len(row.message_body or b"")
                if len(found) == top or (found and size > RECEIVE_BYTES_MAX):
                    return found
                found.append(row)
        return found

    def _of_group(self, group: ConversationGroupId, reader: Reader) -> Collection[ConversationPlaces]:
        """The conversations of a group as the reader sees it."""
        members = self._groups.of(group)
        if reader is UNHINDERED:
            return members
        moved = [self._conversations.get(handle.int) for handle in reader.moved_to(group)]
        found = {each.handle.int: each for each in members if self._group_of(each, reader) == group}
        found |= {each.handle.int: each for each in moved if each is not None}
        return [each for each in found.values() if reader.sees(group, each.handle)]

    def _is_seen(self, conversation: ConversationPlaces, reader: Reader) -> bool:
        return reader.sees(self._group_of(conversation, reader), conversation.handle)

    def _group_of(self, conversation: ConversationPlaces, reader: Reader) -> ConversationGroupId:
        return reader.group_of(conversation.handle, conversation.group)

    def _wake_better(self) -> None:
        """Dormant conversations whose first messages come before all in memory are dormant no more."""
        best = self._dormant.best()
        while best is not None and (not self._best or best < self._best[0]):
            self._wake_next()
            best = self._dormant.best()

    def best_group(self, reader: Reader = UNHINDERED) -> ConversationGroupId | None:
        """The group of the best message that the reader may receive; None when there is none."""
        for key in [key for key in self._aside if reader.sees(*key)]:
            for entry in self._aside.pop(key):
                heapq.heappush(self._best, entry)
        while self._best or self._left_behind:
            if self._left_behind:
                self._wake_better()
                if not self._best:
                    break
            row = self._rows.get(self._best[0][1])
            if row is not None and self._is_unread(row):
                group = reader.group_of(row.conversation_handle, row.conversation_group_id)
                if reader.sees(group, row.conversation_handle):
                    return group
                self._aside.setdefault((group, row.conversation_handle), []).append(self._best[0])
            heapq.heappop(self._best)
        return None
