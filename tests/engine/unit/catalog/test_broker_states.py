"""Every pair of state and input of the delivery switch (identity.md 7)."""

from engine.core.catalog.broker_states import (
    BROKER_TRANSITIONS,
    BrokerInput,
    BrokerState,
    broker_state_of,
    next_broker_state,
)
from tests.support.each import for_each

# One row a state, one column an input, in the order of the enumerations.
TABLE = """
          enable    disable   new      error     done      twin
ENABLED   ENABLED   DISABLED  ENABLED  ERRORING  ENABLED   DISABLED
DISABLED  ENABLED   DISABLED  ENABLED  ERRORING  DISABLED  DISABLED
ERRORING  ERRORING  DISABLED  ENABLED  ERRORING  ENABLED   DISABLED
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()[1:]]
PAIRS = [
    (BrokerState(row[0]), happened, BrokerState(after))
    for row in ROWS
    for happened, after in zip(BrokerInput, row[1:], strict=True)
]


@for_each(("state", "happened", "after"), PAIRS)
def test_the_switch_goes_by_the_table(state, happened, after):
    assert next_broker_state(state, happened) is after


def test_every_pair_has_been_looked_at():
    assert {pair[:2] for pair in PAIRS} == set(BROKER_TRANSITIONS)
    assert len(PAIRS) == len(BrokerState) * len(BrokerInput)


def test_the_bit_of_the_catalog_stands_for_two_of_the_states():
    assert [broker_state_of(is_enabled=bit) for bit in (True, False)] == [BrokerState.ENABLED, BrokerState.DISABLED]
