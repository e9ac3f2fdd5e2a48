"""Every pair of state and input of a conversation endpoint (protocol.md 8.2)."""

import re

import pytest

from engine.core.dialog.states import (
    ROWS_ELSEWHERE,
    TABLE,
    TRANSITIONS,
    DialogInput,
    allows,
    next_state,
    refusal,
)
from engine.core.vocabulary.rows import ConversationState
from tests.support.each import for_each

# One line an input, one column a state, "none" where there is no endpoint. An entry is the state afterwards, "gone" for
# an endpoint that is removed or not made, "=NUMBER" for an arrival that is discarded so; "-" is illegal.
LINES = """
                        none    SO    SI    CO    DI    DO    CD      ER
begin-dialog            SO      -     -     -     -     -     -       -
send                    -       CO    -     CO    -     -     -       -
receive-message         CO      -     CO    CO    -     DO    =11212  ER
receive-fragment        SI      -     SI    CO    -     DO    =11212  ER
receive-later-message   =11213  -     -     -     -     -     -       -
receive-reply           =11209  -     -     -     -     -     -       -
receive-end-dialog      -       -     -     DI    -     DO    =11212  ER
receive-error           CD      ER    ER    ER    ER    CD    =11212  ER
end-local               -       gone  DO    DO    CD    -     -       CD
end-with-error          -       gone  DO    DO    CD    -     -       CD
end-unheard             -       -     -     gone  -     -     -       -
end-with-cleanup        -       gone  gone  gone  gone  gone  gone    gone
end-acknowledged        -       -     -     -     -     CD    -       -
lifetime-expired        -       ER    ER    ER    ER    gone  -       -
broken-locally          -       ER    ER    ER    ER    gone  -       ER
service-dropped         -       gone  gone  gone  gone  gone  gone    gone
closed-as-initiator     -       -     -     -     -     -     gone    -
guard-over              -       -     -     -     -     -     gone    -
move                    -       SO    SI    CO    DI    -     -       ER
set-timer               -       SO    SI    CO    DI    -     -       ER
timer-fired             -       SO    SI    CO    DI    -     -       ER
"""
_HEAD, *_BODY = [line.split() for line in LINES.strip().splitlines()]
STATES = [None if name == "none" else ConversationState(name) for name in _HEAD]
PAIRS = [
    (state, DialogInput(line[0]), expected) for line in _BODY for state, expected in zip(STATES, line[1:], strict=True)
]


@for_each(("state", "happening", "expected"), PAIRS)
def test_the_table_says_what_the_protocol_says(state, happening, expected):
    assert allows(state, happening) == (expected != "-" and not expected.startswith("="))
    if expected == "-":
        assert refusal(state, happening) == 28004
        with pytest.raises(KeyError):
            next_state(state, happening)
    elif expected.startswith("="):
        assert refusal(state, happening) == int(expected[1:])
        assert next_state(state, happening) is state
    else:
        assert refusal(state, happening) is None
        after = next_state(state, happening)
        assert (after.value if after else "gone") == expected


def test_every_state_and_every_input_has_been_looked_at():
    seen = [(state, happening) for state, happening, _ in PAIRS]
    assert len(seen) == len(set(seen)) == (len(ConversationState) + 1) * len(DialogInput)
    assert set(TRANSITIONS) <= set(seen)


def test_no_pair_stands_in_the_table_twice():
    assert len(TRANSITIONS) == len(TABLE)


def test_all_thirty_rows_of_the_law_are_in_the_table_or_named_elsewhere():
    named = {int(row) for each in TABLE for row in re.findall(r"\d+", each.rows)}
    assert named | {int(row) for row in ROWS_ELSEWHERE} == set(range(1, 31))
    assert named.isdisjoint(int(row) for row in ROWS_ELSEWHERE)
