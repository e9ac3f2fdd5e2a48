"""What two adjacent brokers say to each other: five frames, each a value.

A frame belongs to one connection and dies with it. Only `Fragments` carries traffic; the other four open and close
the connection (protocol.md 7.1, 7.2). The vendor's wire format is unpublished, so these frames are our own.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec

from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.messages import ForwardedMessage

PROTOCOL_VERSION: Final = 2
"""What the frames mean; since 2 a message may be a fragment. The handshake refuses a peer of another one (28027)."""


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


Frame = Hello | Welcome | Refuse | Fragments | Goodbye
