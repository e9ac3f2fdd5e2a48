"""`ServiceQueue`: the messages of one queue, by conversation and conversation group (protocol.md 10, 12).

RECEIVE takes messages of one group: the group that holds the best message, by priority, then by age. A heap with
late deletion finds it; what the heap still remembers and the queue no longer has is thrown away when met, and what a
reader may not see is set aside until one comes who may.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Protocol

import msgspec

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, ERROR_TYPE
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle
from engine.core.vocabulary.limits import RECEIVE_BYTES_MAX
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus

_AHEAD = frozenset({DIALOG_TIMER_TYPE, ERROR_TYPE})
"""System messages that RECEIVE hands out before the numbered ones of their conversation."""


_READY, _DISABLED = QueueRowStatus.READY, QueueRowStatus.DISABLED

_BEST_SLACK = 64
"""Entries of messages that are gone the heap may hold beyond one for each ready message before it is rebuilt."""


class Reader(Protocol):
    """What one session may see of a queue; see `transactions.TransactionReader`."""

    def sees(self, group: ConversationGroupId, handle: ConversationHandle) -> bool:
        """Whether the group is free or the session's own, and the session has not ended the conversation."""
        ...

    def group_of(self, row: QueueRow) -> ConversationGroupId:
        """The group of a message's conversation, as the session has moved it."""
        ...

    def moved_to(self, group: ConversationGroupId) -> Iterable[ConversationHandle]:
        """Conversations that the session has moved into a group."""
        ...


class _EverybodyAtOnce:
    """Nobody has locked, ended or moved anything."""

    def sees(self, group: ConversationGroupId, handle: ConversationHandle) -> bool:
        return True

    def group_of(self, row: QueueRow) -> ConversationGroupId:
        return row.conversation_group_id

    def moved_to(self, group: ConversationGroupId) -> Iterable[ConversationHandle]:
        return ()


UNHINDERED: Reader = _EverybodyAtOnce()
"""The reader of a queue while no transaction is open."""


@dataclass(slots=True)
class _Conversation:
    """Places of one conversation's messages. Ordered dictionaries find their first entry at once, however many went."""

    handle: ConversationHandle
    group: ConversationGroupId
    priority: int
    ahead: OrderedDict[int, None] = field(default_factory=OrderedDict)
    in_order: OrderedDict[int, None] = field(default_factory=OrderedDict)
    disabled: OrderedDict[int, None] = field(default_factory=OrderedDict)
    taken: OrderedDict[int, None] = field(default_factory=OrderedDict)
    """Received by a transaction that is still open."""
    retained: OrderedDict[int, None] = field(default_factory=OrderedDict)
    """Received or sent, and kept until this side ends the conversation (protocol.md 15)."""

    def lanes(self) -> tuple[OrderedDict[int, None], ...]:
        return self.ahead, self.in_order, self.disabled, self.taken, self.retained

    def out_of_reach(self) -> tuple[OrderedDict[int, None], ...]:
        """Places of messages that no RECEIVE hands out."""
        return self.disabled, self.taken, self.retained

    def lane(self, row: QueueRow) -> OrderedDict[int, None]:
        return self.ahead if row.message_type_name in _AHEAD else self.in_order

    def eldest(self) -> int:
        return min(chain(islice(self.ahead, 1), islice(self.in_order, 1)))

    @property
    def has_ready(self) -> bool:
        return bool(self.ahead or self.in_order)


class ServiceQueue:
    """Messages of one queue in memory; every change here is recorded by the caller as a state change.

    `rows` are the stored messages in order of their places.
    """

    def __init__(self, rows: Iterable[QueueRow] = ()) -> None:
        self._rows: dict[int, QueueRow] = {}
        self._conversations: dict[int, _Conversation] = {}
        """By the number of the handle: hashing a UUID runs Python code."""
        self._groups: dict[int, dict[int, None]] = {}
        """Numbers of handles by the number of their group."""
        self._best: list[tuple[int, int]] = []
        self._aside: dict[tuple[ConversationGroupId, ConversationHandle], list[tuple[int, int]]] = {}
        """Entries of the heap that its last readers were not allowed to see."""
        self.ready = 0
        """Messages with status 1."""
        self.disabled = 0
        """Messages with status 2: they arrived early."""
        self.awaiting = 0
        """Messages that came while the queue was off: they are in the transmission queue of the database."""
        self.unread = 0
        """Messages that a RECEIVE could hand out, whoever has locked their group."""
        for row in rows:
            self.append(row)
        for conversation in self._conversations.values():
            # A message that was early has an older place than the one whose gap it waited for.
            in_order = sorted(conversation.in_order, key=lambda order: self._rows[order].message_sequence_number)
            conversation.in_order = OrderedDict.fromkeys(in_order)

    def __len__(self) -> int:
        return len(self._rows) - self.awaiting

    def _count(self, row: QueueRow, step: int) -> None:
        if row.awaits_queue:
            self.awaiting += step
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

    def append(self, row: QueueRow) -> None:
        """Put a message in."""
        order = row.queuing_order
        self._rows[order] = row
        conversation = self._conversations.get(row.conversation_handle.int)
        if conversation is None:
            conversation = self._enter(row)
        if row.status is _READY and not row.awaits_queue and row.message_type_name not in _AHEAD:
            # By far the most.
            self.ready += 1
            self.unread += 1
            conversation.in_order[order] = None
            heapq.heappush(self._best, (-row.priority, order))
            return
        self._count(row, 1)
        if row.status is _READY:
            conversation.lane(row)[order] = None
            self._remember(row)
        elif row.status is _DISABLED:
            conversation.disabled[order] = None
        else:
            conversation.retained[order] = None

    def _enter(self, row: QueueRow) -> _Conversation:
        """The first message of a conversation; all of them are of its group."""
        handle = row.conversation_handle
        conversation = self._conversations[handle.int] = _Conversation(handle, row.conversation_group_id, row.priority)
        self._groups.setdefault(row.conversation_group_id.int, {})[handle.int] = None
        return conversation

    def make_ready(self, queuing_order: int) -> QueueRow:
        """The gap before an early message closed; answers the message as it is now."""
        row = self._revise(queuing_order, status=QueueRowStatus.READY)
        conversation = self._conversations[row.conversation_handle.int]
        del conversation.disabled[queuing_order]
        conversation.lane(row)[queuing_order] = None
        self._remember(row)
        return row

    def _remember(self, row: QueueRow) -> None:
        self.unread += 1
        heapq.heappush(self._best, (-row.priority, row.queuing_order))

    def _tidy(self) -> None:
        """Throw away entries of messages that are gone, once they are more than the others."""
        if len(self._best) <= 2 * self.unread + _BEST_SLACK:
            return
        unread = (each for each in self._rows.values() if self._is_unread(each))
        self._best = [(-each.priority, each.queuing_order) for each in unread]
        self._aside.clear()
        heapq.heapify(self._best)

    def _is_unread(self, row: QueueRow) -> bool:
        return row.queuing_order in self._conversations[row.conversation_handle.int].lane(row)

    def take(self, queuing_orders: Iterable[int]) -> None:
        """A transaction has received these messages: nobody receives them again unless it is rolled back."""
        for order in queuing_orders:
            conversation = self._conversations[self._rows[order].conversation_handle.int]
            del conversation.lane(self._rows[order])[order]
            conversation.taken[order] = None
            self.unread -= 1

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
        self._leave_group(conversation)
        conversation.group = group
        self._groups.setdefault(group.int, {})[handle.int] = None
        orders = self.of_conversation(handle)
        for order in orders:
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
            conversation.retained[order] = None
            self._revise(order, status=QueueRowStatus.RECEIVED_RETAINED)
        self._tidy()
        return kept

    def admit(self) -> list[QueueRow]:
        """The queue was switched on: what came meanwhile is in it; answers those messages."""
        waiting = [order for order, row in self._rows.items() if row.awaits_queue] if self.awaiting else []
        return [self._revise(order, awaits_queue=False) for order in waiting]

    def waiting(self) -> Iterator[QueueRow]:
        """Messages that came while the queue was off, in order of arrival."""
        return (row for row in self._rows.values() if row.awaits_queue) if self.awaiting else iter(())

    def remove(self, queuing_orders: Iterable[int]) -> None:
        """Take messages out; absent ones are ignored."""
        rows, conversations = self._rows, self._conversations
        for order in queuing_orders:
            row = rows.pop(order, None)
            if row is None:
                continue
            if row.status is _READY and not row.awaits_queue:
                self.ready -= 1
            else:
                self._count(row, -1)
            conversation = conversations[row.conversation_handle.int]
            lane = conversation.ahead if row.message_type_name in _AHEAD else conversation.in_order
            if order in lane:
                self.unread -= 1
                del lane[order]
                if lane:
                    continue
            else:
                for places in conversation.out_of_reach():
                    places.pop(order, None)
            if not any(conversation.lanes()):
                del conversations[row.conversation_handle.int]
                self._leave_group(conversation)
        self._tidy()

    def _leave_group(self, conversation: _Conversation) -> None:
        group = self._groups[conversation.group.int]
        del group[conversation.handle.int]
        if not group:
            del self._groups[conversation.group.int]

    def of_conversation(self, handle: ConversationHandle) -> list[int]:
        """The places of all messages of a conversation, ready or not."""
        conversation = self._conversations.get(handle.int)
        if conversation is None:
            return []
        return list(chain.from_iterable(conversation.lanes()))

    def early_of(self, handle: ConversationHandle) -> list[int]:
        """The places of a conversation's messages with status 2."""
        conversation = self._conversations.get(handle.int)
        return list(conversation.disabled) if conversation is not None else []

    def rows_of(self, handle: ConversationHandle) -> list[QueueRow]:
        """All messages of a conversation, in order of their places."""
        return [self._rows[order] for order in sorted(self.of_conversation(handle))]

    def early(self) -> Iterator[QueueRow]:
        """The messages with status 2, from which receivers are rebuilt."""
        return (row for row in self._rows.values() if row.status is QueueRowStatus.DISABLED)

    def all(self) -> Iterator[QueueRow]:
        """Every message that is in the queue, in order of arrival."""
        return (row for row in self._rows.values() if not row.awaits_queue)

    def everything(self) -> list[QueueRow]:
        """All messages in order of their places, also those that came while the queue was off."""
        return [self._rows[order] for order in sorted(self._rows)]

    def rows_at(self, queuing_orders: Iterable[int]) -> list[QueueRow]:
        """The messages at these places, fragments of one message for instance."""
        return [self._rows[order] for order in queuing_orders]

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
            found = self._of_group(group, reader) if group is not None else []
        conversations = [each for each in found if each.has_ready]
        if len(conversations) > 1:
            conversations.sort(key=lambda conversation: (-conversation.priority, conversation.eldest()))
        return self._first_of(conversations, top)

    def _first_of(self, conversations: Sequence[_Conversation], top: int) -> list[QueueRow]:
        """As many as may leave at once and fit into an answer, the first in any case."""
        found: list[QueueRow] = []
        size = 0
        for conversation in conversations:
            for order in chain(conversation.ahead, conversation.in_order):
                row = self._rows[order]
                size += len(row.message_body or b"")
                if len(found) == top or (found and size > RECEIVE_BYTES_MAX):
                    return found
                found.append(row)
        return found

    def _of_group(self, group: ConversationGroupId, reader: Reader) -> list[_Conversation]:
        """The conversations of a group as the reader sees it."""
        members = [self._conversations[handle] for handle in self._groups.get(group.int, ())]
        if reader is UNHINDERED:
            return members
        moved = [self._conversations.get(handle.int) for handle in reader.moved_to(group)]
        found = {each.handle.int: each for each in members if self._group_of(each, reader) == group}
        found |= {each.handle.int: each for each in moved if each is not None}
        return [each for each in found.values() if reader.sees(group, each.handle)]

    def _is_seen(self, conversation: _Conversation, reader: Reader) -> bool:
        return reader.sees(self._group_of(conversation, reader), conversation.handle)

    def _group_of(self, conversation: _Conversation, reader: Reader) -> ConversationGroupId:
        any_place = next(chain.from_iterable(conversation.lanes()))
        return reader.group_of(self._rows[any_place])

    def best_group(self, reader: Reader = UNHINDERED) -> ConversationGroupId | None:
        """The group of the best message that the reader may receive; None when there is none."""
        for key in [key for key in self._aside if reader.sees(*key)]:
            for entry in self._aside.pop(key):
                heapq.heappush(self._best, entry)
        while self._best:
            row = self._rows.get(self._best[0][1])
            if row is not None and self._is_unread(row):
                group = reader.group_of(row)
                if reader.sees(group, row.conversation_handle):
                    return group
                self._aside.setdefault((group, row.conversation_handle), []).append(self._best[0])
            heapq.heappop(self._best)
        return None
