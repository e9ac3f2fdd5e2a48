"""Every pair of state and input of a queue monitor (protocol.md 17.1)."""

import pytest

from engine.core.queues.monitor import TRANSITIONS, MonitorInput, MonitorState, QueueMonitor, next_state

# One row a state, one column an input; "-" cannot happen.
TABLE = """
                    activated  receive             drained   lost
INACTIVE            NOTIFIED   INACTIVE            -         INACTIVE
NOTIFIED            -          RECEIVES_OCCURRING  -         RECEIVES_OCCURRING
RECEIVES_OCCURRING  NOTIFIED   RECEIVES_OCCURRING  INACTIVE  RECEIVES_OCCURRING
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()[1:]]
PAIRS = [
    (MonitorState(row[0]), happened, expected)
    for row in ROWS
    for happened, expected in zip(MonitorInput, row[1:], strict=True)
]


@pytest.mark.parametrize(("state", "happened", "expected"), PAIRS)
def test_the_table_says_what_the_law_says(state, happened, expected):
    if expected == "-":
        with pytest.raises(KeyError):
            next_state(state, happened)
    else:
        assert next_state(state, happened) == expected


def test_every_state_and_every_input_has_been_looked_at():
    assert {(state, happened) for state, happened, _ in PAIRS} == {
        (state, happened) for state in MonitorState for happened in MonitorInput
    }
    assert set(TRANSITIONS) <= {(state, happened) for state, happened, _ in PAIRS}


# (state, limit, readers, seconds since an empty RECEIVE, seconds since the last activation) -> seconds to wait
NEEDS = [
    (MonitorState.INACTIVE, 3, 0, None, None, 0),
    (MonitorState.INACTIVE, 3, 0, 1, 1, 0),
    (MonitorState.INACTIVE, None, 0, 1, 1, 0),
    (MonitorState.INACTIVE, 3, 1, None, 2, 3),
    (MonitorState.INACTIVE, 1, 1, None, 9, None),
    (MonitorState.NOTIFIED, 3, 0, None, 9, None),
    (MonitorState.RECEIVES_OCCURRING, 3, 0, None, 1, 0),
    (MonitorState.RECEIVES_OCCURRING, 3, 0, 1, 1, 4),
    (MonitorState.RECEIVES_OCCURRING, 3, 2, None, 1, 4),
    (MonitorState.RECEIVES_OCCURRING, 3, 2, 1, 4, 4),
    (MonitorState.RECEIVES_OCCURRING, 3, 2, 9, 9, 0),
    (MonitorState.RECEIVES_OCCURRING, 3, 3, 9, 9, None),
    (MonitorState.RECEIVES_OCCURRING, None, 0, 9, 2, 3),
]


@pytest.mark.parametrize(("state", "limit", "readers", "empty", "activated", "wait"), NEEDS)
def test_when_a_reader_is_needed(state, limit, readers, empty, activated, wait):
    """protocol.md 17.1 (a), (b): the first at once, one more per 5 s, none while RECEIVEs come back empty."""
    now = 100.0
    monitor = QueueMonitor("d", "dbo.q", limit, state)
    monitor.last_empty_at = None if empty is None else now - empty
    monitor.last_activated_at = None if activated is None else now - activated
    at = monitor.needs_reader_at(readers, now, 5.0)
    assert at == (None if wait is None else now + wait)
