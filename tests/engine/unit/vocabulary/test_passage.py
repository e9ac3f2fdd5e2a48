"""What may be under way to one broker at once: less when something is lost, more again when it arrives."""

from hypothesis import given
from hypothesis import strategies as st

from engine.core.vocabulary.limits import PASSAGE_BYTES_MAX, PASSAGE_BYTES_MIN
from engine.core.vocabulary.passage import Passage

PATIENCE = 4.0


def filled(width=1_000):
    passage = Passage(width)
    passage.has_left(1.0, width)
    return passage


def test_as_much_leaves_as_may_be_under_way():
    passage = Passage(1_000)
    passage.has_left(1.0, 600)
    assert passage.has_room
    passage.has_left(1.0, 600)
    assert (passage.bytes, passage.has_room) == (1_200, False)


def test_what_left_before_something_that_has_arrived_is_not_under_way_any_more():
    passage = Passage(1_000)
    for at, size in ((1.0, 300), (2.0, 200), (3.0, 500)):
        passage.has_left(at, size)
    passage.has_arrived(2.0, 4.0)
    assert passage.bytes == 500
    passage.has_arrived(1.0, 4.1)
    assert passage.bytes == 500, "old news"


def test_what_leaves_behind_the_news_of_its_own_moment_arrives_too():
    passage = Passage(1_000)
    for _ in range(3):
        passage.has_left(1.0, 1_000)
        assert not passage.has_room
        passage.has_arrived(1.0, 1.0)
        assert (passage.bytes, passage.has_room) == (0, True)


def test_without_any_news_what_is_under_way_counts_as_lost():
    passage = filled()
    assert passage.given_up_at(PATIENCE) == 5.0
    passage.give_up()
    assert (passage.has_room, passage.given_up_at(PATIENCE)) == (True, None)
    passage.has_left(6.0, 1_000)
    assert (passage.has_room, passage.given_up_at(PATIENCE)) == (False, 10.0)


def test_news_of_what_left_later_than_all_that_has_arrived_prolong_the_patience():
    passage = Passage(1_000)
    passage.has_left(1.0, 500)
    passage.has_left(2.0, 500)
    passage.has_arrived(1.0, 3.0)
    assert passage.given_up_at(PATIENCE) == 7.0
    passage.has_arrived(1.0, 6.0)
    assert passage.given_up_at(PATIENCE) == 7.0, "repeated news say nothing of the rest"


def test_of_one_line_that_was_too_long_all_that_is_lost_counts_once():
    passage = Passage()
    passage.has_left(1.0, 8 * 1024 * 1024)
    passage.was_lost(1.0, 2.0)
    passage.was_lost(1.5, 2.1)
    assert passage.width == 4 * 1024 * 1024
    passage.was_lost(2.5, 3.0)
    assert passage.width == 4 * 1024 * 1024, "no more than half of what is under way, and that was all"


def test_what_arrives_widens_the_way_again():
    passage = Passage()
    passage.has_left(1.0, PASSAGE_BYTES_MAX)
    passage.was_lost(1.0, 2.0)
    at = 3.0
    for _ in range(1_000):
        passage.has_left(at, PASSAGE_BYTES_MAX // 2)
        passage.has_arrived(at, at + 0.5)
        at += 1.0
    assert passage.width == PASSAGE_BYTES_MAX


@given(st.lists(st.tuples(st.sampled_from(["left", "arrived", "lost"]), st.integers(0, 9), st.integers(1, 10**7))))
def test_whatever_happens_the_way_stays_open_and_nobody_waits_for_ever(happenings):
    passage, now = Passage(), 0.0
    left_at = [0.0]
    for kind, back, size in happenings:
        now += 1.0
        then = left_at[max(0, len(left_at) - 1 - back)]
        if kind == "left":
            passage.has_left(now, size)
            left_at.append(now)
        elif kind == "arrived":
            passage.has_arrived(then, now)
        else:
            passage.was_lost(then, now)
        assert PASSAGE_BYTES_MIN <= passage.width <= PASSAGE_BYTES_MAX
        assert passage.bytes >= 0
        at = passage.given_up_at(PATIENCE)
        assert at is None or at <= now + PATIENCE
        assert passage.has_room or at is not None, "full for ever"
    passage.give_up()
    assert (passage.bytes, passage.has_room) == (0, True)
