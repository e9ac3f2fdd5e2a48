"""`MessageRows`: the messages of one queue by their places, in memory or, of a long backlog, in the store alone.

A conversation of which the store alone has what could be received is dormant: the queue knows its places, and where it
stands in the line of those that come next.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, filterfalse, islice

import msgspec

from engine.core.queues.dormant import DormantLine, Entry, merge_in_turn
from engine.core.queues.places import ConversationPlaces, PlacesBeyond
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName
from engine.core.vocabulary.limits import MESSAGES_READ_AT_ONCE, RECEIVE_BYTES_MAX
from engine.core.vocabulary.message_memory import MessageMemory, weight
from engine.core.vocabulary.rows import QueueRow


class MessageRows:
    """Rows, counted in the memory of the instance. Not responsible for who may receive which."""

    def __init__(self, database: DatabaseName, memory: MessageMemory) -> None:
        self._database = database
        self._memory = memory
        self._rows: dict[int, QueueRow] = {}
        """Those in memory, in order of arrival until one has come back."""
        self._conversations: dict[int, ConversationPlaces] = {}
        """By the number of the handle: hashing a UUID runs Python code."""
        self._left_behind = 0
        """How many are in the store alone: ready messages, in the queue."""
        self._is_in_order = True
        """Whether none has come back."""
        self._best: list[tuple[int, int]] = []
        """A heap of the messages in memory that can be received, by priority and place."""
        self._dormant = DormantLine(self._is_dormant)

    def _is_dormant(self, entry: Entry) -> bool:
        conversation = self._conversations.get(entry[1])
        if conversation is None or conversation.in_order or conversation.beyond is None:
            return False
        return conversation.beyond.eldest() == entry[0]

    def leave_behind(self, orders: Sequence[int]) -> None:
        """Memory is short: these, which came last and are committed, leave it.

        The first of a conversation stays until memory is full once more with those.
        """
        left: dict[int, list[int]] = {}
        for order in reversed(orders):
            row = self._rows.get(order)
            if row is None or row.awaits_queue:
                continue
            handle = row.conversation_handle.int
            conversation = self._conversations[handle]
            lane, beyond = conversation.in_order, conversation.beyond
            if order in lane:
                if beyond is not None or next(reversed(lane)) != order or not self._may_leave(conversation):
                    continue
                del lane[order]
                left.setdefault(handle, []).append(order)
            elif beyond is None or order in beyond.early or any(order in each for each in conversation.lanes()):
                continue
            self._leave(row)
        for handle, places in left.items():
            conversation = self._conversations[handle]
            conversation.beyond = PlacesBeyond(reversed(places))
            if not conversation.in_order:
                conversation.fold()
                self._dormant.add(conversation.priority, places[-1], handle)
        self._dormant.clean()

    def _may_leave(self, conversation: ConversationPlaces) -> bool:
        """Whether the last ready message may: as the only one it leaves the conversation dormant."""
        if len(conversation.in_order) > 1:
            return True
        is_full = self._memory.bytes > 2 * self._memory.bytes_max
        return is_full and not conversation.ahead and not any(conversation.out_of_reach())

    def _wake_next(self) -> None:
        """The first messages of the dormant conversations that come next, as many as are read at once."""
        line = self._dormant.take(MESSAGES_READ_AT_ONCE)
        read = self._read([place for place, _ in line])
        for place, handle in line:
            conversation = self._conversations[handle]
            if place in read:
                self._come_back(read[place])
            elif place not in self._rows:
                self._dormant.add(conversation.priority, place, handle)
                continue
            self._bring_back(conversation, one=place)

    def _bring_back(self, conversation: ConversationPlaces, wanted: int = 1, one: int | None = None) -> None:
        """The first messages of a conversation that were left behind, until so many can be received at once.

        Of a dormant one only the first, if it is at the place `one` and so in memory already.
        """
        before = self._memory.bytes
        if conversation.is_dormant:
            self._unfold(conversation)
        while (beyond := conversation.beyond) is not None and len(conversation.in_order) < wanted:
            orders = beyond.first(MESSAGES_READ_AT_ONCE)
            if orders[0] == one:
                del orders[1:]
            read = self._read(orders)
            back = 0
            for order in orders:
                if order not in self._rows:
                    if order not in read:
                        break
                    self._come_back(read[order])
                conversation.in_order[order] = None
                heapq.heappush(self._best, (-conversation.priority, order))
                back += 1
            beyond.take_out(back)
            if not beyond:
                conversation.beyond = None
            if self._memory.bytes - before > RECEIVE_BYTES_MAX:
                return

    def _unfold(self, conversation: ConversationPlaces) -> None:
        """Those that were early are in memory, as they may be the best of the queue before their numbers come."""
        conversation.unfold()
        beyond = conversation.beyond
        if beyond is None or not beyond.early:
            return
        for row in list(self._look(sorted(order for order in beyond.early if order not in self._rows))):
            self._come_back(row)
        for order in beyond.early:
            heapq.heappush(self._best, (-conversation.priority, order))

    def _sort(self, conversation: ConversationPlaces) -> None:
        """A message that was early has an older place than the one whose gap it waited for."""
        places = chain(conversation.in_order, conversation.beyond or ())
        numbered = sorted((row.message_sequence_number, row.queuing_order) for row in self._look(places))
        if conversation.beyond is None:
            conversation.in_order = OrderedDict.fromkeys(order for _, order in numbered)
            return
        conversation.in_order.clear()
        conversation.beyond = PlacesBeyond(order for _, order in numbered)
        conversation.beyond.find_early()
        self._bring_back(conversation)

    def _read(self, orders: Sequence[int]) -> dict[int, QueueRow]:
        """Messages at these places that are in the store alone: the first of them, and as many as come with it."""
        missing = [order for order in orders if order not in self._rows]
        source = self._memory.source
        if not missing or source is None:
            return {}
        return {row.queuing_order: self._as_it_is(row) for row in source.queue_rows(self._database, missing)}

    def _as_it_is(self, row: QueueRow) -> QueueRow:
        """A conversation that is moved in this very turn is still in its old group on disk."""
        group = self._conversations[row.conversation_handle.int].group
        return (
            row
            if row.conversation_group_id.int == group.int
            else msgspec.structs.replace(row, conversation_group_id=group)
        )

    def _look(self, places: Iterable[int]) -> Iterator[QueueRow]:
        """Messages at these places, wherever they are; they stay there."""
        waiting = iter(places)
        orders: list[int] = []
        while orders or (orders := list(islice(waiting, MESSAGES_READ_AT_ONCE))):
            read = self._read(orders)
            shown = 0
            for order in orders:
                row = self._rows.get(order) or read.get(order)
                if row is None:
                    break
                yield row
                shown += 1
            orders = orders[shown:]

    def _left_places(self) -> Iterator[int]:
        """Places of messages that were left behind, in order; found as they are asked for."""
        # No generator expressions: machine code of mypyc runs them to their end at once.
        awake = [each.beyond for each in self._conversations.values() if each.in_order and each.beyond is not None]
        first = sorted([(each.eldest(), each.ascending()) for each in awake], key=_place)
        turns = heapq.merge(first, map(self._turn, self._dormant.by_age()), key=_place)
        return filterfalse(self._rows.__contains__, merge_in_turn(turns))

    def _turn(self, entry: Entry) -> tuple[int, Iterable[int]]:
        beyond = self._conversations[entry[1]].beyond
        assert beyond is not None, "a dormant conversation has messages"
        return entry[0], beyond.ascending()

    def _come_back(self, row: QueueRow) -> None:
        self._rows[row.queuing_order] = row
        self._memory.bytes += weight(row)
        self._left_behind -= 1
        self._is_in_order = False

    def _leave(self, row: QueueRow) -> None:
        del self._rows[row.queuing_order]
        self._memory.bytes -= weight(row)
        self._left_behind += 1

    def of_conversation(self, handle: ConversationHandle) -> list[int]:
        """The places of all messages of a conversation, ready or not."""
        conversation = self._conversations.get(handle.int)
        return conversation.all() if conversation is not None else []

    def early_of(self, handle: ConversationHandle) -> list[int]:
        """The places of a conversation's messages with status 2."""
        conversation = self._conversations.get(handle.int)
        return list(conversation.disabled) if conversation is not None else []

    def rows_of(self, handle: ConversationHandle) -> list[QueueRow]:
        """All messages of a conversation, in order of their places."""
        return list(self._look(sorted(self.of_conversation(handle))))

    def everything(self) -> Iterator[QueueRow]:
        """All messages in order of their places, also those that came while the queue was off."""
        return self._look(heapq.merge(sorted(self._rows), self._left_places()))

    def rows_at(self, queuing_orders: Iterable[int]) -> list[QueueRow]:
        """The messages at these places, fragments of one message for instance."""
        return [self._rows[order] for order in queuing_orders]

    def let_go(self) -> None:
        """The queue is gone: its messages take no memory any more."""
        self._memory.bytes -= sum(map(weight, self._rows.values()))


def _place(sequence: tuple[int, Iterable[int]]) -> int:
    return sequence[0]
