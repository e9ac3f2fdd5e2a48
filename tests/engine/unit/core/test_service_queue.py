"""A queue hands out messages of one group, whole conversations one after another (protocol.md 12)."""

from uuid import UUID

import msgspec

from engine.core.queues.queue import ServiceQueue
from engine.core.vocabulary.limits import RECEIVE_BYTES_MAX
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus

ERROR = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"


def row(order, conversation=1, group=1, number=0, priority=5, status=QueueRowStatus.READY, message_type="DEFAULT"):
    return QueueRow(
        queuing_order=order,
        status=status,
        priority=priority,
        conversation_group_id=UUID(int=group),
        conversation_handle=UUID(int=conversation),
        message_sequence_number=number,
        service_name="S",
        service_contract_name="DEFAULT",
        message_type_name=message_type,
        message_body=None,
        message_enqueue_time=0.0,
    )


def orders(rows):
    return [each.queuing_order for each in rows]


def test_only_messages_of_one_group_are_taken():
    queue = ServiceQueue([row(1, 1, 1), row(2, 2, 2), row(3, 1, 1, 1)])
    assert orders(queue.next_messages(10)) == [1, 3]
    queue.remove([1, 3])
    assert orders(queue.next_messages(10)) == [2]


def test_a_higher_priority_comes_first_and_conversations_are_not_mixed():
    queue = ServiceQueue([row(1, 1, 1), row(2, 2, 1, priority=9), row(3, 1, 1, 1), row(4, 2, 1, 1, priority=9)])
    assert orders(queue.next_messages(10)) == [2, 4, 1, 3]


def test_a_receive_stops_when_it_holds_enough_bytes_but_hands_out_one_message_of_any_size():
    half, whole = bytes(RECEIVE_BYTES_MAX // 2), bytes(RECEIVE_BYTES_MAX + 1)
    bodies = [half, half, b"x", whole]
    queue = ServiceQueue(
        [msgspec.structs.replace(row(place, number=place), message_body=body) for place, body in enumerate(bodies)]
    )
    assert orders(queue.next_messages(10)) == [0, 1]
    queue.remove([0, 1, 2])
    assert orders(queue.next_messages(10)) == [3]


def test_an_error_is_read_before_the_numbered_messages_of_its_conversation():
    queue = ServiceQueue([row(1, number=0), row(2, number=1), row(3, number=-1, message_type=ERROR)])
    assert orders(queue.next_messages(2)) == [3, 1]


def test_an_early_message_is_not_received_until_its_gap_closes():
    queue = ServiceQueue([row(1, number=1, status=QueueRowStatus.DISABLED)])
    assert queue.next_messages(10) == []
    assert (queue.ready, queue.disabled) == (0, 1)
    queue.append(row(2, number=0))
    queue.make_ready(1)
    assert orders(queue.next_messages(10)) == [2, 1]
    assert (queue.ready, queue.disabled) == (2, 0)


def test_a_queue_loaded_from_disk_keeps_the_order_of_numbers_not_of_arrival():
    queue = ServiceQueue([row(1, number=1), row(2, number=0)])
    assert [each.message_sequence_number for each in queue.next_messages(10)] == [0, 1]


def test_everything_of_a_conversation_can_be_found_and_removed():
    queue = ServiceQueue([row(1), row(2, 2, 2), row(3, number=5, status=QueueRowStatus.DISABLED)])
    queue.remove(queue.of_conversation(UUID(int=1)))
    assert orders(queue.first(10)) == [2]
    queue.remove([2, 99])
    assert len(queue) == 0
    assert queue.next_messages(1) == []
