"""What leaves first of what one input sends (protocol.md 11)."""

from uuid import UUID

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.core.transmission.send_order import SendOrder
from engine.core.vocabulary.limits import STARVATION_ELEVATION_EVERY
from engine.core.vocabulary.messages import Fragment, Outbound, TcpAddress
from tests.support.wire_messages import message

PARIS = TcpAddress("paris", 4022)


def numbers(order):
    return [each.message.message.sequence for each in order.take()]


def order_of(*priorities):
    """The places, by priority, in which messages of these priorities leave; a message is its place here."""
    order = SendOrder()
    for place, priority in enumerate(priorities):
        order.add((Outbound(PARIS, message(place)),), priority)
    taken = numbers(order)
    assert numbers(order) == []
    return taken


def test_the_higher_priority_leaves_first_and_equals_keep_their_order():
    assert order_of(5, 5, 5) == [0, 1, 2]
    assert order_of(1, 10, 5, 10) == [1, 3, 2, 0]


def test_after_so_many_messages_the_oldest_of_a_lower_priority_is_elevated():
    """protocol.md 11: low-priority messages are occasionally elevated."""
    many = STARVATION_ELEVATION_EVERY
    taken = order_of(3, 1, *[10] * (3 * many))
    assert taken.index(0) == many
    assert taken.index(1) == 2 * many + 1


def fragment_of(conversation, number):
    """A fragment of a large message; its place among all is its number here."""
    piece = Fragment(number % 10, 10, 100)
    whole = message(number)
    changed = msgspec.structs.replace(whole.message, conversation_id=conversation, fragment=piece)
    return Outbound(PARIS, msgspec.structs.replace(whole, message=changed))


def test_fragments_of_one_priority_take_turns_and_the_higher_priority_goes_before_all_of_them():
    """protocol.md 3.3, 11: fragments let others pass, and never what is more urgent."""
    order = SendOrder()
    large, other, urgent = UUID(int=1), UUID(int=2), UUID(int=3)
    for number in (0, 1, 2):
        order.add((fragment_of(large, number),), 5)
    for number in (3, 4):
        order.add((fragment_of(other, number),), 5)
    for number in (5, 6):
        order.add((fragment_of(urgent, number),), 10)
    assert numbers(order) == [5, 6, 0, 3, 1, 4, 2]


def test_the_oldest_of_a_lower_priority_is_elevated_though_its_fragments_take_turns():
    many = STARVATION_ELEVATION_EVERY
    order = SendOrder()
    for number in (0, 1):
        order.add((fragment_of(UUID(int=1), number),), 1)
    order.add((fragment_of(UUID(int=2), 2),), 1)
    for number in range(3, 3 + 2 * many):
        order.add((fragment_of(UUID(int=3), number),), 10)
    taken = numbers(order)
    assert [number for number in taken if number < 3] == [0, 2, 1]
    assert (taken.index(0), taken.index(2)) == (many, 2 * many + 1)


@given(st.lists(st.integers(1, 10), max_size=200))
def test_everything_leaves_once_in_order_within_a_priority_and_nothing_waits_beyond_its_turn(priorities):
    taken = order_of(*priorities)
    assert sorted(taken) == list(range(len(priorities)))
    for level in set(priorities):
        places = [place for place in taken if priorities[place] == level]
        assert places == sorted(places)
    for position, place in enumerate(taken):
        passed_by = sum(priorities[each] > priorities[place] for each in taken[:position])
        older = sum(each < place and priorities[each] <= priorities[place] for each in range(len(priorities)))
        lower = sum(priorities[each] < max(priorities) for each in range(len(priorities)))
        assert passed_by <= (STARVATION_ELEVATION_EVERY + 1) * (lower + older + 1)
