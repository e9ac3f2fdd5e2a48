"""The two halves of an endpoint on their own: window, deadlines, gaps, order, duplicates, acknowledgements."""

from itertools import pairwise
from uuid import UUID

import msgspec
import pytest

from engine.core.dialog.reassembly import Reassembly
from engine.core.dialog.receiver import Arrival, DialogReceiver
from engine.core.dialog.sender import DialogSender
from engine.core.vocabulary.limits import (
    ACKNOWLEDGE_AFTER_BYTES,
    ACKNOWLEDGE_AFTER_MESSAGES,
    HELD_BYTES_MAX,
    HELD_MESSAGES_MAX,
    SEND_WINDOW_MESSAGES,
)
from engine.core.vocabulary.messages import Fragment, MessageKind
from engine.core.vocabulary.passage import Passage
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
    assert owing.has_work
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


def test_an_acknowledgement_waits_for_a_tick_within_half_a_second_unless_much_is_owed():
    receiver = receiving(0)
    receiver.owe(10.05)
    due = receiver.acknowledge_at
    receiver.owe(10.2)
    assert receiver.acknowledge_at == due == pytest.approx(10.5)
    for _ in range(ACKNOWLEDGE_AFTER_MESSAGES):
        receiver.owe(10.3)
    assert receiver.acknowledge_at == 10.3
    receiver.acknowledged()
    assert receiver.acknowledge_at is None


def test_what_many_dialogs_owe_leaves_together():
    others = [receiving(0) for _ in range(40)]
    for number, receiver in enumerate(others):
        receiver.owe(10.005 + 0.01 * number)
    due = sorted({receiver.acknowledge_at for receiver in others})
    assert len(due) <= 5, "a tick every tenth of a second"
    assert all(10.4 + 0.01 * n <= receiver.acknowledge_at <= 10.505 + 0.01 * n for n, receiver in enumerate(others))


def large_sender(fragments):
    made = DialogSender(DialogSettings().retry_seconds, NumberedEntropy())
    made.enqueue(msgspec.structs.replace(row(0), message_body=bytes(1000 * fragments), fragment_bytes=1000))
    made.enqueue(row(1))
    return made


def positions(pieces):
    return [piece.position for piece in pieces]


def test_a_large_message_leaves_in_pieces_and_what_follows_comes_after_it():
    owing = large_sender(3)
    assert owing.fragment_count(0) == 3
    assert positions(owing.due(0.0)) == [(0, 0), (0, 1), (0, 2), (1, 0)]


def test_fragments_are_acknowledged_one_by_one_and_the_message_stays_until_all_are():
    owing = large_sender(3)
    owing.due(0.0)
    assert owing.acknowledge(-1, 2, (0, 1), 1.0)
    assert owing.holds(0)
    owing.start_over()
    assert positions(owing.due(2.0)) == [(0, 0), (0, 1), (0, 2), (1, 0)], "another target may know nothing of them"
    assert owing.acknowledge(0, 0, (0, 2), 3.0)
    assert not owing.holds(0)


def test_fragments_that_the_far_end_gave_up_go_again_once_waiting_was_in_vain():
    owing = large_sender(5)
    owing.due(0.0)
    owing.acknowledge(-1, 4, (0, 3), 1.0)
    owing.acknowledge(-1, 0, (0, 3), 1.1)
    assert positions(owing.due(1.1)) == [], "so far it may be an old acknowledgement that came late"
    assert positions(owing.due(100.0)) == [(0, 4)]
    owing.acknowledge(-1, 0, (0, 4), 100.1)
    assert positions(owing.due(100.1)) == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0)]


def test_a_gap_that_was_asked_for_is_no_waiting_in_vain():
    owing = large_sender(5)
    owing.due(0.0)
    owing.acknowledge(-1, 2, (0, 4), 1.0)
    assert positions(owing.due(1.0)) == [(0, 2)]
    owing.acknowledge(-1, 1, (0, 4), 1.1)
    assert positions(owing.due(1.1)) == []


def test_a_secured_message_is_cut_from_its_secured_bytes_which_are_made_once():
    made = []

    class Bodies:
        def secured_body(self, large):
            made.append(large.message_sequence_number)
            return b"s" * 2500

    owing = DialogSender(DialogSettings().retry_seconds, NumberedEntropy(), Bodies())
    owing.enqueue(msgspec.structs.replace(row(0), message_body=bytes(1999), fragment_bytes=1000))
    owing.enqueue(row(1))
    assert [(piece.position, piece.size) for piece in owing.due(0.0)] == [
        ((0, 0), 1000),
        ((0, 1), 1000),
        ((0, 2), 500),
        ((1, 0), 0),
    ]
    assert owing.fragment_count(0) == 3
    assert made == [0]


def test_an_acknowledgement_that_is_ahead_of_a_new_start_lets_what_it_names_be():
    owing = large_sender(300)
    owing.due(0.0)
    owing.start_over()
    owing.acknowledge(-1, 299, (0, 298), 1.0)
    assert positions(owing.due(1.0)) == [(0, 299), (1, 0)]


def test_while_nothing_comes_back_only_the_first_piece_is_repeated():
    owing = sender(10)
    owing.due(0.0)
    assert numbers(owing.due(100.0)) == [0]
    owing.acknowledge(0, 0, (0, 0), 101.0)
    assert numbers(owing.due(101.0)) == list(range(1, 10))


def test_what_was_seen_beyond_a_gap_is_not_repeated_on_its_own_account():
    owing = sender(10)
    owing.due(0.0)
    owing.acknowledge(2, 0, (6, 0), 1.0)
    assert numbers(owing.due(1.0)) == [3]
    owing.acknowledge(3, 0, (6, 0), 50.0)
    assert numbers(owing.due(50.0)) == [4, 5, 7, 8, 9], "the gap is wider; what is beyond everything seen is overdue"


def test_a_wide_gap_is_filled_in_doubling_steps():
    owing = sender(40)
    owing.due(0.0)
    filled, edge = [], 0
    while edge < 30:
        owing.acknowledge(edge - 1, 0, (39, 0), 1.0)
        pieces = numbers(owing.due(1.0))
        filled.append(len(pieces))
        edge = pieces[-1] + 1
    assert filled == [1, 2, 4, 8, 16]


def test_restored_messages_count_as_sent_new_ones_do_not():
    restored = DialogSender(DialogSettings().retry_seconds, NumberedEntropy())
    restored.restore(row(0))
    restored.enqueue(row(1))
    assert not restored.is_untouched(0)
    assert restored.is_untouched(1)


def test_room_for_a_large_message_is_reserved_at_its_first_fragment_and_given_back():
    reassembly = Reassembly(1000)
    receivers = [DialogReceiver(0, 0.5, reassembly) for _ in range(3)]
    first, second = Fragment(0, 600, 1200), Fragment(1, 600, 1200)
    assert receivers[0].classify(0, second, 600) is Arrival.EARLY
    assert reassembly.bytes == 1200
    assert receivers[1].classify(0, first, 600) is Arrival.NO_ROOM
    receivers[0].forget_held()
    assert reassembly.bytes == 0
    assert receivers[1].classify(0, first, 600) is Arrival.NEXT
    assert receivers[2].classify(5, first, 600) is Arrival.EARLY, "a later message takes no part in it yet"


def test_early_bytes_are_bounded_as_early_messages_are():
    receiver = receiving(0)
    assert receiver.classify(1, None, HELD_BYTES_MAX) is Arrival.EARLY
    assert receiver.classify(1, None, HELD_BYTES_MAX + 1) is Arrival.TOO_EARLY
    receiver.hold(msgspec.structs.replace(held(1, 1), message_body=b"x"))
    assert receiver.classify(2, None, HELD_BYTES_MAX) is Arrival.TOO_EARLY
    receiver.advance()
    assert receiver.release() == 1
    receiver.advance()
    assert receiver.classify(3, None, HELD_BYTES_MAX) is Arrival.EARLY


def test_much_in_bytes_is_acknowledged_at_once_as_much_in_messages_is():
    receiver = receiving(0)
    receiver.owe(10.0, ACKNOWLEDGE_AFTER_BYTES - 1)
    assert receiver.acknowledge_at >= 10.4
    receiver.owe(10.1, 1)
    assert receiver.acknowledge_at == 10.1


def test_out_of_order_lists_what_came_after_a_gap():
    receiver = DialogReceiver(0, 0.5, Reassembly(10_000))
    for number in (0, 1, 3):
        assert receiver.classify(0, Fragment(number, 100, 450), 100) in (Arrival.NEXT, Arrival.EARLY)
        receiver.hold(
            msgspec.structs.replace(
                held(0, number), message_body=bytes(100), fragment_number=number, fragment_bytes=100, message_bytes=450
            )
        )
    assert receiver.next_fragment == 2
    assert receiver.out_of_order() == [(0, 3)]
    assert receiver.highest_seen == (0, 3)
    assert receiver.places_of_fragments() == [0, 1, 3]


def one_behind_the_other():
    """Two dialogs whose messages have left over one connection, at 0 and at 1."""
    passage = Passage()
    first, second = sender(1), sender(1)
    for each in (first, second):
        each.passage = passage
    assert first.due(0.0)
    assert second.due(1.0)
    return first, second


def test_what_stands_in_a_line_behind_others_is_not_repeated_while_the_line_moves():
    first, second = one_behind_the_other()
    first.acknowledge(0, 0, (0, 0), 4.5)
    assert second.due(6.5) == [], "what left before it has just arrived"
    assert second.wake_at() == 8.5, "with no news until then the line stands still"
    assert numbers(second.due(8.5)) == [0]


def test_what_has_been_overtaken_on_its_way_is_missing():
    first, second = one_behind_the_other()
    second.acknowledge(0, 0, (0, 0), 5.4)
    assert numbers(first.due(5.5)) == [0]
