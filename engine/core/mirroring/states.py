"""What is known of a mirrored route, as two tables (mirroring.md 3, 4). Every pair of state and input is in them.

`PARTNER_TRANSITIONS` holds for each of the two partners, `ROUTE_TRANSITIONS` for the route as a whole. The tables are
the code path: `next_partner_state` and `next_route_state` are the only ways to a new state.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from engine.core.vocabulary.mirrors import MirrorState, PartnerState


class Partner(StrEnum):
    """One of the two addresses of a mirrored route. They carry no order: either may be the principal."""

    ADDRESS = "A"
    MIRROR_ADDRESS = "M"

    @property
    def other(self) -> Partner:
        """The other one of the two."""
        return Partner.MIRROR_ADDRESS if self is Partner.ADDRESS else Partner.ADDRESS


class PartnerInput(StrEnum):
    """What can happen to one partner."""

    ASK = "ask"
    """We want to know its role."""
    CLAIM = "claim"
    """It says that it is the principal."""
    DENY = "deny"
    """It says that it is not."""
    LOSE = "lose"
    """It cannot be reached, or the connection to it broke."""
    REST = "rest"
    """Nobody wants to know any more, or the connection was closed without a fault."""


class RouteInput(StrEnum):
    """What can happen to a mirrored route as a whole."""

    CLAIM_OF_A = "claim of A"
    CLAIM_OF_M = "claim of M"
    NOBODY_CLAIMS = "nobody claims"
    """Each of the two is unreachable or has denied."""


_INACTIVE, _PROBING, _LOST = PartnerState.INACTIVE, PartnerState.PROBING, PartnerState.DISCONNECTED
_PRINCIPAL, _MIRROR = PartnerState.CONNECTED_PRINCIPAL, PartnerState.CONNECTED_MIRROR

PARTNER_TRANSITIONS: Final[Mapping[tuple[PartnerState, PartnerInput], PartnerState]] = {
    # A claim that nobody waits for, or that its own connection did not survive, is too old to be believed.
    (_INACTIVE, PartnerInput.ASK): _PROBING,
    (_INACTIVE, PartnerInput.CLAIM): _INACTIVE,
    (_INACTIVE, PartnerInput.DENY): _INACTIVE,
    (_INACTIVE, PartnerInput.LOSE): _INACTIVE,
    (_INACTIVE, PartnerInput.REST): _INACTIVE,
    (_PROBING, PartnerInput.ASK): _PROBING,
    (_PROBING, PartnerInput.CLAIM): _PRINCIPAL,
    (_PROBING, PartnerInput.DENY): _MIRROR,
    (_PROBING, PartnerInput.LOSE): _LOST,
    (_PROBING, PartnerInput.REST): _INACTIVE,
    (_PRINCIPAL, PartnerInput.ASK): _PROBING,
    (_PRINCIPAL, PartnerInput.CLAIM): _PRINCIPAL,
    (_PRINCIPAL, PartnerInput.DENY): _MIRROR,
    (_PRINCIPAL, PartnerInput.LOSE): _LOST,
    (_PRINCIPAL, PartnerInput.REST): _INACTIVE,
    (_MIRROR, PartnerInput.ASK): _PROBING,
    (_MIRROR, PartnerInput.CLAIM): _PRINCIPAL,
    (_MIRROR, PartnerInput.DENY): _MIRROR,
    (_MIRROR, PartnerInput.LOSE): _LOST,
    (_MIRROR, PartnerInput.REST): _INACTIVE,
    (_LOST, PartnerInput.ASK): _PROBING,
    (_LOST, PartnerInput.CLAIM): _LOST,
    (_LOST, PartnerInput.DENY): _LOST,
    (_LOST, PartnerInput.LOSE): _LOST,
    (_LOST, PartnerInput.REST): _INACTIVE,
}

_UNKNOWN, _SEARCHING = MirrorState.UNKNOWN, MirrorState.SEARCHING
_KNOWN_A, _KNOWN_M = MirrorState.KNOWN_A, MirrorState.KNOWN_M

ROUTE_TRANSITIONS: Final[Mapping[tuple[MirrorState, RouteInput], MirrorState]] = {
    (_UNKNOWN, RouteInput.CLAIM_OF_A): _KNOWN_A,
    (_UNKNOWN, RouteInput.CLAIM_OF_M): _KNOWN_M,
    (_UNKNOWN, RouteInput.NOBODY_CLAIMS): _SEARCHING,
    (_KNOWN_A, RouteInput.CLAIM_OF_A): _KNOWN_A,
    # Where both claim it, as after a forced service, the last claim is believed.
    (_KNOWN_A, RouteInput.CLAIM_OF_M): _KNOWN_M,
    (_KNOWN_A, RouteInput.NOBODY_CLAIMS): _SEARCHING,
    (_KNOWN_M, RouteInput.CLAIM_OF_A): _KNOWN_A,
    (_KNOWN_M, RouteInput.CLAIM_OF_M): _KNOWN_M,
    (_KNOWN_M, RouteInput.NOBODY_CLAIMS): _SEARCHING,
    (_SEARCHING, RouteInput.CLAIM_OF_A): _KNOWN_A,
    (_SEARCHING, RouteInput.CLAIM_OF_M): _KNOWN_M,
    (_SEARCHING, RouteInput.NOBODY_CLAIMS): _SEARCHING,
}

KNOWN_PARTNER: Final[Mapping[MirrorState, Partner]] = {
    _KNOWN_A: Partner.ADDRESS,
    _KNOWN_M: Partner.MIRROR_ADDRESS,
}
"""Whom a state believes to be the principal."""

CLAIM_OF: Final[Mapping[Partner, RouteInput]] = {
    Partner.ADDRESS: RouteInput.CLAIM_OF_A,
    Partner.MIRROR_ADDRESS: RouteInput.CLAIM_OF_M,
}


def next_partner_state(state: PartnerState, happened: PartnerInput) -> PartnerState:
    """What is known of a partner after an input."""
    return PARTNER_TRANSITIONS[state, happened]


def next_route_state(state: MirrorState, happened: RouteInput) -> MirrorState:
    """What is known of a route after an input."""
    return ROUTE_TRANSITIONS[state, happened]
