"""What two adjacent brokers say to each other: ten frames, each a value.

A frame belongs to one connection and dies with it. Only `Fragments` carries traffic; seven frames open and close the
connection (protocol.md 7.1, 7.2), and two find the principal of a mirrored database (mirroring.md 3). The vendor's
wire format is unpublished, so these frames are our own.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec

from engine.core.link.negotiation import Offer
from engine.core.vocabulary.identifiers import BrokerInstanceId, EstateName, InstanceName
from engine.core.vocabulary.messages import ForwardedMessage

PROTOCOL_VERSION: Final = 4
"""What the frames mean; 2 came with the role frames, 3 with the login and with messages that are fragments, 4
with TLS.

The handshake refuses a peer that speaks another one (28027).
"""


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """First word of the side that connected: who it is and what it speaks."""

    protocol_version: int
    estate: EstateName
    """Instances of different estates are different networks and never talk."""
    instance: InstanceName
    arbitration_id: UUID
    """Made anew at each start of an instance; of two connections that of the lower one stays (protocol.md 7.1)."""
    offer: Offer = Offer()
    """Empty with peers of versions 1 and 2, which are refused."""
    listening_port: int | None = None
    """Where this side accepts connections, so that the peer knows that it is connected to that place already."""


class Welcome(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of the accepting side: who it is. Both sides have both offers now, and protect what follows."""

    instance: InstanceName
    arbitration_id: UUID
    offer: Offer = Offer()


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """Who this side is, proved: a certificate, and what was said so far signed with its key. Empty without a method."""

    certificate: bytes | None = None
    """DER."""
    signature: bytes | None = None


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """The dialling side believes the accepting one, and names what both have said."""

    digest: bytes
    """SHA-256 of `Hello` and `Welcome` as they travelled."""


class Arbitration(msgspec.Struct, frozen=True, kw_only=True):
    """Last word of the handshake: the accepting side keeps this connection, which is logged in."""


class Refuse(msgspec.Struct, frozen=True, kw_only=True):
    """No connection, and the numbered reason. The connection is closed after it."""

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
    """Either side asks: are you the principal of the database with this broker id?"""

    broker_instance: BrokerInstanceId


class RoleClaim(msgspec.Struct, frozen=True, kw_only=True):
    """Answers a `RoleRequest`, and tells unasked when the answer changes."""

    broker_instance: BrokerInstanceId
    is_principal: bool


Frame = Hello | Welcome | Refuse | Fragments | Goodbye | RoleRequest | RoleClaim | Proof | Validation | Arbitration
