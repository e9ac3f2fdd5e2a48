"""The two halves of an endpoint on their own: window, deadlines, gaps, order, duplicates, acknowledgements."""

from itertools import pairwise
from uuid import UUID

from engine.core.dialog.reassembly import Reassembly
from engine.core.dialog.receiver import Arrival, DialogReceiver
from engine.core.dialog.sender import DialogSender
from engine.core.vocabulary.limits import ACKNOWLEDGE_AFTER_MESSAGES, HELD_MESSAGES_MAX, SEND_WINDOW_MESSAGES
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus, TransmissionRow
from engine.core.vocabulary.settings import DialogSettings
from tests.support.numbered_entropy import NumberedEntropy


def sender(messages):
    made = DialogSender(DialogSettings().retry_seconds, NumberedEntropy())
    for number in range(messages):
        made.enqueue(row(number))
    return made


def row(number):
    return TransmissionRow(
        conversation_handle=UUID(int=1),
        message_sequence_number=number,
        kind=MessageKind.USER,
        message_type_name="DEFAULT",
        message_body=None,
        enqueue_time=0.0,
    )


def receiving(next_number):
    return DialogReceiver(next_number, 0.5, Reassembly(1000))


def held(number, order):
    return QueueRow(
        queuing_order=order,
        status=QueueRowStatus.DISABLED,
        priority=5,
        conversation_group_id=UUID(int=2),
        conversation_handle=UUID(int=1),
        message_sequence_number=number,
        service_name="Stock",
        service_contract_name="DEFAULT",
        message_type_name="DEFAULT",
        message_body=None,
        message_enqueue_time=0.0,
    )


def numbers(rows):
    return [piece.position[0] for piece in rows]


def test_at_most_a_window_is_in_flight_and_acknowledgements_open_it():
    owing = sender(SEND_WINDOW_MESSAGES + 10)
    assert numbers(owing.due(0.0)) == list(range(SEND_WINDOW_MESSAGES))
    assert owing.due(0.0) == []
    owing.acknowledge(3, 0, (3, 0), 0.1)
    assert numbers(owing.due(0.1)) == list(range(SEND_WINDOW_MESSAGES, SEND_WINDOW_MESSAGES + 4))


def test_each_message_waits_on_its_own_and_twice_as_long_each_time():
    owing = sender(1)
    attempts, now = [], 0.0
    while len(attempts) < 7:
        if owing.due(now):
            attempts.append(now)
        now = owing.wake_at()
    waits = [later - earlier for earlier, later in pairwise(attempts)]
    assert waits == [4, 8, 16, 32, 64, 64]


def test_progress_lets_the_waits_start_again():
    owing = sender(2)
    for now in (0.0, 4.0, 12.0):
        assert owing.due(now)
    owing.acknowledge(0, 0, (0, 0), 13.0)
    assert numbers(owing.due(28.0)) == [1]
    assert owing.wake_at() == 28.0 + 8.0


def test_an_acknowledgement_does_not_send_anything_again_that_is_in_flight():
    owing = sender(100)
    owing.due(0.0)
    for up_to in range(0, 99, 10):
        owing.acknowledge(up_to, 0, (up_to, 0), 1.0)
        assert owing.due(1.0) == []


def test_a_gap_is_filled_at_once_and_only_once():
    owing = sender(10)
    owing.due(0.0)
    owing.acknowledge(2, 0, (9, 0), 1.0)
    assert numbers(owing.due(1.0)) == [3]
    owing.acknowledge(2, 0, (9, 0), 1.1)
    assert owing.due(1.1) == []


def test_a_new_connection_makes_everything_new():
    owing = sender(3)
    owing.due(0.0)
    owing.start_over()
    assert owing.has_new
    assert numbers(owing.due(0.5)) == [0, 1, 2]


def test_an_acknowledgement_beyond_everything_leaves_nothing():
    owing = sender(3)
    owing.due(0.0)
    assert owing.acknowledge(2, 0, (2, 0), 1.0)
    assert len(owing) == 0
    assert owing.wake_at() is None
    assert not owing.acknowledge(2, 0, (2, 0), 1.0)


def test_the_receiver_tells_next_early_and_duplicate_apart():
    receiver = receiving(5)
    assert receiver.classify(5) is Arrival.NEXT
    assert receiver.classify(4) is Arrival.DUPLICATE
    assert receiver.classify(7) is Arrival.EARLY
    receiver.hold(held(7, 70))
    assert receiver.classify(7) is Arrival.DUPLICATE
    assert receiver.classify(5 + HELD_MESSAGES_MAX + 1) is Arrival.TOO_EARLY
    assert (receiver.up_to, receiver.highest_seen) == (4, (7, 0))


def test_held_messages_come_out_in_order_when_the_gap_closes():
    receiver = receiving(0)
    receiver.hold(held(1, 10))
    receiver.hold(held(2, 20))
    assert receiver.release() is None
    receiver.advance()
    assert receiver.release() == 10
    receiver.advance()
    assert receiver.release() == 20
    receiver.advance()
    assert receiver.release() is None
    assert receiver.up_to == 2


def test_the_holding_area_is_bounded():
    receiver = receiving(0)
    for number in range(1, HELD_MESSAGES_MAX + 1):
        assert receiver.classify(number) is Arrival.EARLY
        receiver.hold(held(number, number))
    assert receiver.classify(HELD_MESSAGES_MAX + 1) is Arrival.TOO_EARLY


def test_an_acknowledgement_waits_half_a_second_unless_much_is_owed():
    receiver = receiving(0)
    receiver.owe(10.0)
    receiver.owe(10.2)
    assert receiver.acknowledge_at == 10.5
    for _ in range(ACKNOWLEDGE_AFTER_MESSAGES):
        receiver.owe(10.3)
    assert receiver.acknowledge_at == 10.3
    receiver.acknowledged()
    assert receiver.acknowledge_at is None
