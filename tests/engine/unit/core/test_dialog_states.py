"""Every pair of state and input of a conversation endpoint (protocol.md 8.2)."""

import pytest

from engine.core.dialog.states import TRANSITIONS, DialogInput, allows, next_state
from engine.core.vocabulary.rows import ConversationState

# One row a state, one column an input, in the order of the enumerations; "-" is illegal, "gone" removes the endpoint.
TABLE = """
      send  receive  end   end-dialog  end-acked  error  expired  cleanup  move  timer  fired
SO    CO    -        gone  -           -          ER     ER       gone     SO    SO     SO
SI    -     CO       DO    -           -          ER     ER       gone     SI    SI     SI
CO    CO    CO       DO    DI          -          ER     ER       gone     CO    CO     CO
DI    -     -        CD    -           -          ER     ER       gone     DI    DI     DI
DO    -     DO       -     DO          CD         gone   gone     gone     -     -      -
CD    -     -        -     -           -          -      -        gone     -     -      -
ER    -     ER       CD    ER          -          ER     ER       gone     ER    ER     ER
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()[1:]]
PAIRS = [
    (ConversationState(row[0]), happening, expected)
    for row in ROWS
    for happening, expected in zip(DialogInput, row[1:], strict=True)
]


@pytest.mark.parametrize(("state", "happening", "expected"), PAIRS)
def test_the_table_says_what_the_protocol_says(state, happening, expected):
    assert allows(state, happening) == (expected != "-")
    if expected != "-":
        after = next_state(state, happening)
        assert (after.value if after else "gone") == expected


def test_every_state_and_every_input_has_been_looked_at():
    assert {(state, happening) for state, happening, _ in PAIRS} == {
        (state, happening) for state in ConversationState for happening in DialogInput
    }
    assert set(TRANSITIONS) <= {(state, happening) for state, happening, _ in PAIRS}


def test_an_illegal_pair_cannot_be_taken():
    with pytest.raises(KeyError):
        next_state(ConversationState.CLOSED, DialogInput.SEND)
