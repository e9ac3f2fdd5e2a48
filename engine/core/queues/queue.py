"""`ServiceQueue`: the messages of one queue, by conversation and conversation group (protocol.md 10, 12).

RECEIVE takes messages of one group: the group that holds the best message, by priority, then by age. A heap with
late deletion finds it; what the heap still remembers and the queue no longer has is thrown away when met.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

import msgspec

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, ERROR_TYPE
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus

_AHEAD = frozenset({DIALOG_TIMER_TYPE, ERROR_TYPE})
"""System messages that RECEIVE hands out before the numbered ones of their conversation."""


_BEST_SLACK = 64
"""Entries of messages that are gone the heap may hold beyond one for each ready message before it is rebuilt."""


@dataclass(slots=True)
class _Conversation:
    """Places of one conversation's messages. Ordered dictionaries find their first entry at once, however many went."""

    priority: int
    ahead: OrderedDict[int, None] = field(default_factory=OrderedDict)
    in_order: OrderedDict[int, None] = field(default_factory=OrderedDict)
    disabled: OrderedDict[int, None] = field(default_factory=OrderedDict)

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
        self._rows: OrderedDict[int, QueueRow] = OrderedDict()
        self._conversations: dict[ConversationHandle, _Conversation] = {}
        self._groups: dict[ConversationGroupId, dict[ConversationHandle, None]] = {}
        self._best: list[tuple[int, int]] = []
        self.ready = 0
        for row in rows:
            self.append(row)
        for conversation in self._conversations.values():
            # A message that was early has an older place than the one whose gap it waited for.
            in_order = sorted(conversation.in_order, key=lambda order: self._rows[order].message_sequence_number)
            conversation.in_order = OrderedDict.fromkeys(in_order)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def disabled(self) -> int:
        """Messages with status 2: they arrived early."""
        return len(self._rows) - self.ready

    def append(self, row: QueueRow) -> None:
        """Put a message in."""
        self._rows[row.queuing_order] = row
        conversation = self._conversations.setdefault(row.conversation_handle, _Conversation(row.priority))
        self._groups.setdefault(row.conversation_group_id, {})[row.conversation_handle] = None
        if row.status is QueueRowStatus.READY:
            self._make_available(row, conversation)
        else:
            conversation.disabled[row.queuing_order] = None

    def make_ready(self, queuing_order: int) -> QueueRow:
        """The gap before an early message closed; answers the message as it is now."""
        row = msgspec.structs.replace(self._rows[queuing_order], status=QueueRowStatus.READY)
        self._rows[queuing_order] = row
        conversation = self._conversations[row.conversation_handle]
        del conversation.disabled[queuing_order]
        self._make_available(row, conversation)
        return row

    def _make_available(self, row: QueueRow, conversation: _Conversation) -> None:
        self.ready += 1
        places = conversation.ahead if row.message_type_name in _AHEAD else conversation.in_order
        places[row.queuing_order] = None
        heapq.heappush(self._best, (-row.priority, row.queuing_order))
        if len(self._best) > 2 * self.ready + _BEST_SLACK:
            ready = (each for each in self._rows.values() if each.status is QueueRowStatus.READY)
            self._best = [(-each.priority, each.queuing_order) for each in ready]
            heapq.heapify(self._best)

    def remove(self, queuing_orders: Iterable[int]) -> None:
        """Take messages out; absent ones are ignored."""
        for order in queuing_orders:
            row = self._rows.pop(order, None)
            if row is None:
                continue
            self.ready -= row.status is QueueRowStatus.READY
            conversation = self._conversations[row.conversation_handle]
            for places in (conversation.ahead, conversation.in_order, conversation.disabled):
                places.pop(order, None)
            if not conversation.has_ready and not conversation.disabled:
                self._forget(row)

    def _forget(self, row: QueueRow) -> None:
        del self._conversations[row.conversation_handle]
        group = self._groups[row.conversation_group_id]
        del group[row.conversation_handle]
        if not group:
            del self._groups[row.conversation_group_id]

    def of_conversation(self, handle: ConversationHandle) -> list[int]:
        """The places of all messages of a conversation, ready or not."""
        conversation = self._conversations.get(handle)
        if conversation is None:
            return []
        return [*conversation.ahead, *conversation.in_order, *conversation.disabled]

    def early_of(self, handle: ConversationHandle) -> list[int]:
        """The places of a conversation's messages with status 2."""
        conversation = self._conversations.get(handle)
        return list(conversation.disabled) if conversation is not None else []

    def rows_of(self, handle: ConversationHandle) -> list[QueueRow]:
        """All messages of a conversation, in order of their places."""
        return [self._rows[order] for order in sorted(self.of_conversation(handle))]

    def early(self) -> Iterator[QueueRow]:
        """The messages with status 2, from which receivers are rebuilt."""
        return (row for row in self._rows.values() if row.status is QueueRowStatus.DISABLED)

    def all(self) -> Iterator[QueueRow]:
        """Every message, in order of arrival."""
        return iter(self._rows.values())

    def first(self, top: int) -> list[QueueRow]:
        """The first messages in order of arrival, as a SELECT would show them."""
        return list(islice(self._rows.values(), top))

    def next_messages(
        self,
        top: int,
        handle: ConversationHandle | None = None,
        group: ConversationGroupId | None = None,
    ) -> list[QueueRow]:
        """What a RECEIVE TOP (`top`) would take: of one group, whole conversations one after another."""
        if handle is not None:
            handles = [handle] if handle in self._conversations else []
        else:
            group = group if group is not None else self._best_group()
            handles = list(self._groups.get(group, {})) if group is not None else []
        conversations = [self._conversations[each] for each in handles if self._conversations[each].has_ready]
        conversations.sort(key=lambda conversation: (-conversation.priority, conversation.eldest()))
        places = chain.from_iterable(chain(each.ahead, each.in_order) for each in conversations)
        return [self._rows[order] for order in islice(places, top)]

    def _best_group(self) -> ConversationGroupId | None:
        while self._best:
            row = self._rows.get(self._best[0][1])
            if row is not None:
                return row.conversation_group_id
            heapq.heappop(self._best)
        return None
