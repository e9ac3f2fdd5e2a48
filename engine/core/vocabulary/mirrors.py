"""Mirrored routes: what is known of their partners, and the questions and claims that it comes from (mirroring.md 3).

A *partner* is one of the two instances of a mirrored pair. Only the principal takes messages in; which of the two it
is has to be asked, because the addresses of a route carry no order.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from engine.core.vocabulary.identifiers import AskerId, BrokerInstanceId, ServiceName
from engine.core.vocabulary.messages import TcpAddress

NOBODY_CLAIMS: Final = 9787
"""The status while none of the two partners of a mirrored route says that it is the principal (mirroring.md 3)."""

NOBODY_CLAIMS_DETAIL: Final = "none of the two partners claims to be the principal"


class MirroringRole(StrEnum):
    """What a mirrored database is at its own instance (mirroring.md 3)."""

    PRINCIPAL = "principal"
    MIRROR = "mirror"
    """The copy: it takes nothing in and sends nothing."""


class PartnerState(StrEnum):
    """What is known of one partner (mirroring.md 4)."""

    INACTIVE = "INACTIVE"
    """Nobody has a question to it: no conversation uses the route, or the other partner is the principal."""
    PROBING = "PROBING"
    """Its role is being asked; no answer yet."""
    CONNECTED_PRINCIPAL = "CONNECTED_PRINCIPAL"
    CONNECTED_MIRROR = "CONNECTED_MIRROR"
    """Connected, and it does not claim to be the principal."""
    DISCONNECTED = "DISCONNECTED"
    """It cannot be reached."""


class MirrorState(StrEnum):
    """What is known of a mirrored route as a whole: A is its address, M its mirror address (mirroring.md 3)."""

    UNKNOWN = "UNKNOWN"
    """No partner has ever claimed to be the principal."""
    KNOWN_A = "KNOWN(A)"
    KNOWN_M = "KNOWN(M)"
    SEARCHING = "SEARCHING"
    """Both were asked and none claims it."""


class MirroredPair(msgspec.Struct, frozen=True):
    """What identifies a mirrored route for the search of its principal; routes that agree in it share the search."""

    service: ServiceName
    broker_instance: BrokerInstanceId
    address: TcpAddress
    mirror_address: TcpAddress


class RoleQuestion(msgspec.Struct, frozen=True):
    """We ask a partner, over a connection that is logged in."""

    address: TcpAddress
    broker_instance: BrokerInstanceId


class RoleAsked(msgspec.Struct, frozen=True):
    """A neighbour asks us."""

    asker: AskerId
    broker_instance: BrokerInstanceId


class RoleAnswer(msgspec.Struct, frozen=True):
    """We answer a neighbour, or tell it that an earlier answer holds no more."""

    asker: AskerId
    broker_instance: BrokerInstanceId
    is_principal: bool


class RoleClaimed(msgspec.Struct, frozen=True):
    """A partner answers us, or tells us that an earlier answer holds no more."""

    address: TcpAddress
    broker_instance: BrokerInstanceId
    is_principal: bool


class AskerGone(msgspec.Struct, frozen=True):
    """A connection over which we were asked is closed."""

    asker: AskerId
