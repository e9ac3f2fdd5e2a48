"""What leaves first of what one input sends (protocol.md 11)."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from engine.core.transmission.send_order import SendOrder
from engine.core.vocabulary.limits import STARVATION_ELEVATION_EVERY


def order_of(*priorities):
    """The places, by priority, in which messages of these priorities leave; a message is its place here."""
    order = SendOrder()
    for place, priority in enumerate(priorities):
        order.add(UUID(int=place), priority)
    taken = [each.int for each in order.take()]
    assert order.take() == []
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
