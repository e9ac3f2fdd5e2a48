"""What two adjacent brokers say to each other: seven frames, each a value.

A frame belongs to one connection and dies with it. Only `Fragments` carries traffic; four frames open and close the
connection (protocol.md 7.1, 7.2), and two find the principal of a mirrored database (mirroring.md 3). The vendor's wire
format is unpublished, so these frames are our own.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec

from engine.core.vocabulary.identifiers import BrokerInstanceId, EstateName, InstanceName
from engine.core.vocabulary.messages import ForwardedMessage

PROTOCOL_VERSION: Final = 2
"""What the frames mean; 2 came with the role frames. The handshake refuses a peer that speaks another one (28027)."""


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """First word of the side that connected: who it is and what it speaks."""

    protocol_version: int
    estate: EstateName
    """Instances of different estates are different networks and never talk."""
    instance: InstanceName
    arbitration_id: UUID
    """Made anew at each start of an instance; the handshake has a field for it (protocol.md 7.1, arbitration)."""


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of the accepting side: the connection is logged in."""

    instance: InstanceName
    arbitration_id: UUID


class Refuse(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of the accepting side: no connection, and the numbered reason. The connection is closed after it."""

    number: int
    text: str


class Fragments(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of any number of conversations, in the order in which they were sent."""

    messages: tuple[ForwardedMessage, ...]


class Goodbye(msgspec.Struct, frozen=True, kw_only=True):
    """Last word of either side: the connection is closed on purpose, for this numbered reason."""

    number: int
    text: str


class RoleRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The side that connected asks: are you the principal of the database with this broker id?"""

    broker_instance: BrokerInstanceId


class RoleClaim(msgspec.Struct, frozen=True, kw_only=True):
    """The accepting side answers a `RoleRequest`, and tells unasked when the answer changes."""

    broker_instance: BrokerInstanceId
    is_principal: bool


Frame = Hello | Welcome | Refuse | Fragments | Goodbye | RoleRequest | RoleClaim
