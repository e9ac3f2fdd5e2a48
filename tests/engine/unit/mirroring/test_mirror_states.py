"""Every pair of state and input of the two tables of a mirrored route (mirroring.md 3, 4)."""

import pytest

from engine.core.mirroring.states import (
    PARTNER_TRANSITIONS,
    ROUTE_TRANSITIONS,
    Partner,
    PartnerInput,
    RouteInput,
    next_partner_state,
    next_route_state,
)
from engine.core.vocabulary.mirrors import MirrorState, PartnerState
from tests.support.each import for_each

# One row a state, one column an input, in the order of the enumerations.
PARTNER = """
                     ask      claim                deny              lose          rest
INACTIVE             PROBING  INACTIVE             INACTIVE          INACTIVE      INACTIVE
PROBING              PROBING  CONNECTED_PRINCIPAL  CONNECTED_MIRROR  DISCONNECTED  INACTIVE
CONNECTED_PRINCIPAL  PROBING  CONNECTED_PRINCIPAL  CONNECTED_MIRROR  DISCONNECTED  INACTIVE
CONNECTED_MIRROR     PROBING  CONNECTED_PRINCIPAL  CONNECTED_MIRROR  DISCONNECTED  INACTIVE
DISCONNECTED         PROBING  DISCONNECTED         DISCONNECTED      DISCONNECTED  INACTIVE
"""
ROUTE = """
           A         M         nobody
UNKNOWN    KNOWN(A)  KNOWN(M)  SEARCHING
KNOWN(A)   KNOWN(A)  KNOWN(M)  SEARCHING
KNOWN(M)   KNOWN(A)  KNOWN(M)  SEARCHING
SEARCHING  KNOWN(A)  KNOWN(M)  SEARCHING
"""


def pairs(table, state, happening):
    rows = [line.split() for line in table.strip().splitlines()[1:]]
    return [
        (state(row[0]), each, state(expected))
        for row in rows
        for each, expected in zip(happening, row[1:], strict=True)
    ]


PARTNER_PAIRS = pairs(PARTNER, PartnerState, PartnerInput)
ROUTE_PAIRS = pairs(ROUTE, MirrorState, RouteInput)


@for_each(("state", "happening", "expected"), PARTNER_PAIRS)
def test_a_partner_goes_by_the_table(state, happening, expected):
    assert next_partner_state(state, happening) is expected


@pytest.mark.parametrize(("state", "happening", "expected"), ROUTE_PAIRS)
def test_a_route_goes_by_the_table(state, happening, expected):
    assert next_route_state(state, happening) is expected


def test_every_pair_has_been_looked_at():
    assert {pair[:2] for pair in PARTNER_PAIRS} == set(PARTNER_TRANSITIONS)
    assert {pair[:2] for pair in ROUTE_PAIRS} == set(ROUTE_TRANSITIONS)
    assert len(PARTNER_TRANSITIONS) == len(PartnerState) * len(PartnerInput)
    assert len(ROUTE_TRANSITIONS) == len(MirrorState) * len(RouteInput)


def test_each_partner_has_the_other_one():
    assert [partner.other for partner in Partner] == [Partner.MIRROR_ADDRESS, Partner.ADDRESS]
