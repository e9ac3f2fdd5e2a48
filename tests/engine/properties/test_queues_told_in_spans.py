"""A queue that a start has told of by places behaves as one whose messages are all in memory (ADR 20)."""

import random
from uuid import UUID

import msgspec

from engine.core.exchange.changes import AppendQueue, RemoveQueue, SetQueueRowGroup, SetQueueRowStatus
from engine.core.queues.queue import ServiceQueue
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName
from engine.core.vocabulary.limits import MESSAGES_READ_AT_ONCE
from engine.core.vocabulary.message_memory import MessageMemory, weight
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus
from engine.storage.memory import MemoryStore
from tests.support.each import for_each
from tests.support.thoroughness import share

DATABASE, QUEUE = DatabaseName("Ventes"), QueueName("dbo.Stock")
ERROR = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"
READY, DISABLED, RETAINED = QueueRowStatus.READY, QueueRowStatus.DISABLED, QueueRowStatus.RECEIVED_RETAINED


def message(order, conversation, number, **fields):
    row = QueueRow(
        queuing_order=order,
        status=READY,
        priority=1 + conversation % 3,
        conversation_group_id=UUID(int=conversation // 2 + 100),
        conversation_handle=UUID(int=conversation),
        message_sequence_number=number,
        service_name="Stock",
        service_contract_name="DEFAULT",
        message_type_name="DEFAULT",
        message_body=b"%d" % order,
        message_enqueue_time=0.0,
    )
    return msgspec.structs.replace(row, **fields)


def rows_of_a_queue(dice, conversations=9, messages=400):
    """Some messages have come early, some late; there are copies, errors, gaps, and what came while it was off."""
    numbers = [list(range(dice.choice((0, 1, 5, messages)))) for _ in range(conversations)]
    for each in numbers:
        for at in range(len(each) - 3):
            if dice.random() < 0.05:
                later = min(at + dice.choice((1, 2, 150)), len(each) - 1)
                each[at], each[later] = each[later], each[at]
    found = []
    while waiting := [conversation for conversation, left in enumerate(numbers) if left]:
        conversation = dice.choice(waiting)
        found.append(message(len(found) + 1, conversation, numbers[conversation].pop(0)))
        if dice.random() < 0.02:
            found.append(message(len(found) + 1, conversation, 10_000 + len(found), status=DISABLED))
        if dice.random() < 0.02:
            found.append(message(len(found) + 1, conversation, -1, status=RETAINED))
        if dice.random() < 0.01:
            found.append(message(len(found) + 1, conversation, -1, message_type_name=ERROR))
    for at in range(dice.choice((0, 30))):
        found.append(message(len(found) + 1, dice.randrange(conversations), 1_000 + at, awaits_queue=True))
    return found


class Sides:
    """The same queue twice: one that has read all rows, and one that was told of them, with little memory."""

    def __init__(self, rows, bytes_max=2_000):
        self.store = MemoryStore(InstanceName("PARIS"))
        self.append_all(rows)
        self.memory = MessageMemory(self.store, bytes_max)
        self.whole = ServiceQueue(rows)
        self.told = ServiceQueue((), DATABASE, self.memory)
        for piece in self.store.load(in_spans=True).databases:
            self.told.load_spans(piece.queue_spans.get(QUEUE, ()))
            self.told.load(piece.queues.get(QUEUE, ()))
        self.arrived: list[int] = []

    def append_all(self, rows):
        self.store.commit([AppendQueue(database=DATABASE, queue=QUEUE, row=row) for row in rows], [])

    def both(self, ask):
        first, second = ask(self.whole), ask(self.told)
        assert second == first
        return first

    def append(self, row):
        self.append_all([row])
        self.both(lambda queue: queue.append(row))
        self.arrived.append(row.queuing_order)

    def remove(self, orders):
        self.both(lambda queue: queue.remove(orders))
        self.store.commit([RemoveQueue(database=DATABASE, queue=QUEUE, queuing_orders=tuple(orders))], [])

    def regroup(self, handle, group):
        orders = tuple(sorted(self.whole.regroup(handle, group)))
        assert tuple(sorted(self.told.regroup(handle, group))) == orders
        change = SetQueueRowGroup(database=DATABASE, queue=QUEUE, queuing_orders=orders, conversation_group_id=group)
        self.store.commit([change], [])

    def retain(self, orders):
        kept = tuple(self.both(lambda queue: queue.retain(orders)))
        change = SetQueueRowStatus(database=DATABASE, queue=QUEUE, queuing_orders=kept, status=RETAINED)
        self.store.commit([change], [])

    def forget(self, handle):
        orders = sorted(self.whole.forget(handle))
        assert sorted(self.told.forget(handle)) == orders
        self.store.commit([RemoveQueue(database=DATABASE, queue=QUEUE, queuing_orders=tuple(orders))], [])

    def compare(self):
        self.both(lambda queue: (len(queue), queue.ready, queue.disabled, queue.awaiting, queue.unread))
        self.both(lambda queue: queue.best_group())
        self.both(lambda queue: queue.next_messages(1))

    def leave(self):
        if self.memory.bytes > self.memory.bytes_max:
            self.told.leave_behind(self.arrived)
        self.arrived.clear()


def step(dice, sides, order):
    handle, top, chance = UUID(int=dice.randrange(9)), dice.choice((1, 3, 70)), dice.random()
    taken = [row.queuing_order for row in sides.both(lambda queue: queue.next_messages(top))]
    if chance < 0.3:
        sides.remove(taken)
    elif chance < 0.4:
        sides.both(lambda queue: queue.take(taken))
        sides.compare()
        sides.both(lambda queue: queue.put_back(taken))
    elif chance < 0.45:
        sides.retain(taken)
    elif chance < 0.5:
        sides.regroup(handle, UUID(int=dice.randrange(100, 105)))
    elif chance < 0.53:
        sides.forget(handle)
    elif chance < 0.6:
        sides.both(lambda queue: [row.queuing_order for row in queue.next_messages(20, handle)])
    elif chance < 0.7:
        sides.both(lambda queue: queue.first(top))
        sides.both(lambda queue: queue.rows_of(handle))
    else:
        group = next((row.conversation_group_id for row in sides.whole.rows_of(handle)), handle)
        sides.append(message(order, handle.int, order * 1_000, conversation_group_id=group))


@for_each("bytes_max", [-1, 2_000, 10**9])
@for_each("seed", share(range(20), 7))
def test_whatever_happens_to_them(seed, bytes_max):
    dice = random.Random(seed)
    sides = Sides(rows_of_a_queue(dice), bytes_max)
    sides.both(lambda queue: list(queue.everything()))
    sides.compare()
    for order in range(10_000, 10_150):
        step(dice, sides, order)
        sides.compare()
        sides.leave()
    sides.both(lambda queue: list(queue.everything()))
    while taken := [row.queuing_order for row in sides.both(lambda queue: queue.next_messages(50))]:
        sides.remove(taken)
    for row in list(sides.whole.everything()):
        sides.forget(row.conversation_handle)
    assert sides.memory.bytes == 0
    assert not list(sides.told.everything())


def test_the_first_of_each_conversation_stays_until_memory_is_full_of_those():
    rows = [message(order, order % 5, order // 5) for order in range(1, 41)]
    for bytes_max, kept in ((4_000, 5), (1, 0)):
        sides = Sides([], bytes_max)
        for row in rows:
            sides.append(row)
        sides.leave()
        assert sides.memory.bytes == sum(map(weight, rows[:kept]))
        sides.both(lambda queue: queue.next_messages(100))


def test_a_message_of_a_dormant_conversation_is_put_behind_those_in_the_store():
    sides = Sides([message(order, 1, order) for order in (1, 2, 3)])
    sides.append(message(4, 1, 4))
    sides.append(message(5, 1, -1, message_type_name=ERROR))
    assert sides.memory.bytes == 2 * weight(message(4, 1, 4))
    assert [row.queuing_order for row in sides.both(lambda queue: queue.next_messages(100))] == [5, 1, 2, 3, 4]
    sides.regroup(UUID(int=1), UUID(int=9))
    assert {row.conversation_group_id for row in sides.both(lambda queue: queue.next_messages(100))} == {UUID(int=9)}


def test_looking_at_the_first_of_many_conversations_reads_no_more_than_is_shown():
    sides = Sides([message(order, order, 0) for order in range(1, 2_000)])
    asked: list[int] = []
    read = sides.store.queue_rows
    sides.store.queue_rows = lambda database, orders: asked.extend(orders) or read(database, orders)
    assert [row.queuing_order for row in sides.told.first(10)] == list(range(1, 11))
    assert len(asked) <= MESSAGES_READ_AT_ONCE
