"""What CLOSED endpoints wait for, counted as time passes: the same as looking at each (protocol.md 8.5)."""

from hypothesis import given
from hypothesis import strategies as st

from engine.core.handlers.closed_counts import ClosedCounts
from engine.core.vocabulary.moment import NEVER_SET

GUARD = 1_800.0
TIMES = st.floats(1.0, 10_000.0)
ENDS = st.tuples(st.one_of(st.just(NEVER_SET), TIMES), TIMES)


def looked_at(ends, second):
    retained = overdue = leaked = 0
    for guard, lifetime in ends:
        if guard > 0:
            is_over, is_leak = guard <= second, False
        else:
            is_over, is_leak = lifetime + GUARD <= second, lifetime > second
        overdue += is_over
        leaked += is_leak
        retained += not is_over and not is_leak
    return retained, overdue, leaked


@given(st.lists(st.tuples(ENDS, st.floats(0.0, 500.0), st.booleans()), max_size=60))
def test_counts_are_those_of_looking_at_each(steps):
    counts, there, now = ClosedCounts(GUARD), [], 0.0
    for end, passes, leaves in steps:
        now += passes
        if leaves and there:
            counts.remove(*there.pop(0))
        else:
            counts.add(*end)
            there.append(end)
        assert counts.at(now) == looked_at(there, int(now))
    assert counts.at(50_000.0) == looked_at(there, 50_000)


def test_a_clock_that_steps_back_takes_nothing_back():
    counts = ClosedCounts(GUARD)
    counts.add(100.0, 5_000.0)
    assert counts.at(101.0) == (0, 1, 0)
    assert counts.at(50.0) == (0, 1, 0)
    counts.remove(100.0, 5_000.0)
    assert counts.at(50.0) == (0, 0, 0)
