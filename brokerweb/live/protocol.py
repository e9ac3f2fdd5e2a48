"""What travels on /ws/live, version 1.

Browser to server: `hello` with the protocol's version, then `subscribe` with an estate. Server to browser:
`welcome`, `instance` (a whole view, replacing the last), `topology` (how far the estate has come: whoever has read it
in another state reads it anew), `unavailable` (the engine does not answer for an instance), `heartbeat`, `refused` (the
connection ends).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from engine import api as engine

PROTOCOL: Final = 1


class Reason(StrEnum):
    """Why a connection is refused."""

    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    PROTOCOL = "protocol"
    """The browser speaks another version: its page is older or newer than the server."""
    MALFORMED = "malformed"
    UNKNOWN_ESTATE = "unknown-estate"


CLOSE_CODES: Final = {
    Reason.UNAUTHENTICATED: 4401,
    Reason.FORBIDDEN: 4403,
    Reason.PROTOCOL: 4426,
    Reason.MALFORMED: 4400,
    Reason.UNKNOWN_ESTATE: 4404,
}


class _ClientMessage(msgspec.Struct, frozen=True):
    """Common base; carries nothing."""


class Hello(_ClientMessage, tag="hello"):
    protocol: int


class Subscribe(_ClientMessage, tag="subscribe"):
    estate: str


ClientMessage = Hello | Subscribe


class _ServerMessage(msgspec.Struct, frozen=True):
    """Common base; carries nothing."""


class Welcome(_ServerMessage, tag="welcome"):
    server_time: float
    """Seconds since 1970, UTC."""
    heartbeat_seconds: float
    protocol: int = PROTOCOL


class InstanceMessage(_ServerMessage, tag="instance"):
    estate: str
    sequence: int
    """Number of the last event that `view` includes."""
    view: engine.InstanceView


class DraftTag(msgspec.Struct, frozen=True):
    """An open change set and how far it has come."""

    number: int
    sequence: int


class Behind(msgspec.Struct, frozen=True):
    """An instance that does not have what is wanted of it."""

    name: str
    applied_revision: int
    apply_error: str


class TopologyMessage(_ServerMessage, tag="topology"):
    revision: int
    state: str
    """The tag that the estate's answer over HTTP bears too."""
    behind: tuple[Behind, ...]
    """All others have what is wanted of them."""
    change_sets: tuple[DraftTag, ...]
    """Every open change set: one whose sequence has moved is to be read anew, one that is missing is closed."""


class Unavailable(_ServerMessage, tag="unavailable"):
    instance: str
    reason: str


class Heartbeat(_ServerMessage, tag="heartbeat"):
    server_time: float


class Refused(_ServerMessage, tag="refused"):
    reason: Reason


ServerMessage = Welcome | InstanceMessage | TopologyMessage | Unavailable | Heartbeat | Refused

_encoder = msgspec.json.Encoder(uuid_format="canonical")
_decoder = msgspec.json.Decoder(ClientMessage)


def encode(message: ServerMessage) -> str:
    """A message to a browser as text."""
    return _encoder.encode(message).decode()


def decode(text: str) -> ClientMessage:
    """A message of a browser; raises `msgspec.DecodeError` (or its `ValidationError`) for anything else."""
    return _decoder.decode(text)
