"""What travels on /ws/live, protocol 2 (docs/live.md).

A frame of the server is a JSON array of messages; a frame of the browser is one message. A *subscription* is the
browser's number for a topic with parameters; a *stream* is the server's name for the follower behind it, shared by all
who subscribe to the same, so that what it tells is encoded once. Streams count single changes: a delta from `from` to
`to` fits a fold that stands at `from` - 1, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Final

import msgspec

from brokerweb.live.tables import Cells, Column, Ops, Table

PROTOCOL: Final = 2
HEARTBEAT_SECONDS: Final = 5.0
"""Two that a browser misses tell it within twelve seconds that it is cut off (journey 23)."""
SILENCE_SECONDS_MAX: Final = 30.0
"""How long a browser may say nothing."""
ACK_SECONDS: Final = 1.0
SUBSCRIPTIONS_MAX: Final = 64
SOCKETS_OF_ONE_MAX: Final = 64
"""Connections of one person to one process: each is a tab that shows something live."""
FRAME_CHARACTERS_MAX: Final = 1_000_000
"""Longest frame of a browser; the longest it has reason to send names every instance of a large estate."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
"""What a browser counts; beyond that it cannot."""


class Code(IntEnum):
    """Numbers of refusals: of the whole socket, where it is the close code too, or of one subscription."""

    MALFORMED = 4400
    UNAUTHENTICATED = 4401
    FORBIDDEN = 4403
    UNKNOWN_ESTATE = 4404
    UNKNOWN_TOPIC = 4406
    SILENT = 4408
    """The browser has said nothing for `SILENCE_SECONDS_MAX`."""
    ORIGIN = 4410
    """The page is of another site."""
    SANDBOX_OVER = 4411
    """The sandbox was there: its run has ended, or is not gone on with."""
    PARAMETERS = 4422
    PROTOCOL = 4426
    """The browser speaks another version: its page is older or newer than the server."""
    TOO_MANY = 4429
    FAILED = 4500
    """The server itself has failed; the browser comes again."""

    @property
    def reason(self) -> str:
        """The word beside the number, by which pages choose theirs."""
        return self.name.lower().replace("_", "-")


class Mode(StrEnum):
    """How a browser is served."""

    LIVE = "live"
    REDUCED = "reduced"
    """It reads too slowly: snapshots of what has changed, once a second at most, and after the last was acked."""


class ResyncReason(StrEnum):
    """Why a fold cannot go on from where it stands; a snapshot follows."""

    CURSOR_TOO_OLD = "cursor-too-old"
    TOO_MANY_CHANGES = "too-many-changes"
    OTHER_STREAM = "other-stream"
    """The stream has begun anew: another process serves it, or nobody followed it for long."""
    REDUCED = "reduced"


# ── browser to server ────────────────────────────────────────────────────────────────────────────────────────────────
class _ClientMessage(msgspec.Struct, frozen=True, tag_field="type"):
    """Common base; carries nothing."""


class Cursor(msgspec.Struct, frozen=True):
    """Where a fold stands."""

    stream: str
    seq: Count


class Hello(_ClientMessage, tag="hello"):
    """The first message."""

    protocol: int
    tab: str = ""
    """Names the tab, for logs."""


class Sub(_ClientMessage, tag="sub"):
    """Begin to follow; also to ask for a fresh snapshot of what is followed, by the same number without a cursor."""

    sub: Count
    estate: str
    topic: str
    params: dict[str, Any] = {}
    cursor: Cursor | None = None


class Unsub(_ClientMessage, tag="unsub"):
    """Follow no more; harmless for what is not followed."""

    sub: Count


class Ack(_ClientMessage, tag="ack"):
    """How many frames of this connection have been folded."""

    frames: Count


class ClientHeartbeat(_ClientMessage, tag="hb"):
    """I am still here."""


ClientMessage = Hello | Sub | Unsub | Ack | ClientHeartbeat


# ── server to browser ────────────────────────────────────────────────────────────────────────────────────────────────
class _ServerMessage(msgspec.Struct, frozen=True, tag_field="type"):
    """Common base; carries nothing."""


class Welcome(_ServerMessage, tag="welcome"):
    """The answer to `hello`."""

    connection: str
    server_time: float
    """Seconds since 1970, UTC."""
    heartbeat_seconds: float = HEARTBEAT_SECONDS
    ack_seconds: float = ACK_SECONDS
    protocol: int = PROTOCOL


class Subscribed(_ServerMessage, tag="subscribed"):
    """A subscription has its stream. Where `resumes`, deltas go on from the cursor; else a snapshot follows."""

    sub: int
    stream: str
    resumes: bool


class Snapshot(_ServerMessage, tag="snapshot", omit_defaults=True):
    """A whole table; whatever was held of the stream is to be forgotten."""

    stream: str
    seq: int
    at: float
    """Server's time of the reading, UTC seconds."""
    events: Mapping[str, int]
    """Number of the newest event of each instance that it includes."""
    columns: Sequence[Column]
    keys: Sequence[str]
    rows: Sequence[Cells]
    facts: Mapping[str, Any]


class Delta(_ServerMessage, tag="delta", omit_defaults=True, rename={"from_": "from"}):
    """Changes; `ops` as `tables.Ops`. Without any, `to` is before `from`: what is held is right up to `events`."""

    stream: str
    from_: int
    to: int
    at: float
    events: Mapping[str, int]
    """As of a snapshot; only of instances that were read for it."""
    ops: Ops


class Heartbeat(_ServerMessage, tag="hb"):
    """The server is there. A fold that is not at `streams` has lost its tail."""

    server_time: float
    streams: Mapping[str, int]


class Resync(_ServerMessage, tag="resync"):
    """Deltas do not go on; a snapshot comes."""

    stream: str
    reason: ResyncReason


class Denied(_ServerMessage, tag="denied"):
    """One subscription is refused, or ends; `code` is ours or the engine's number."""

    sub: int
    code: int
    reason: str
    detail: str = ""


class ModeMessage(_ServerMessage, tag="mode"):
    """How this browser is served from now on."""

    mode: Mode
    reason: str = ""


class RightsChanged(_ServerMessage, tag="rights"):
    """What this person may do is not what it was: the page asks anew. The connection goes on."""


class Refused(_ServerMessage, tag="refused"):
    """The connection ends."""

    code: int
    reason: str


ServerMessage = (
    Welcome | Subscribed | Snapshot | Delta | Heartbeat | Resync | Denied | ModeMessage | RightsChanged | Refused
)

_encoder = msgspec.json.Encoder(uuid_format="canonical")
_decoder = msgspec.json.Decoder(ClientMessage)


def encode(message: ServerMessage) -> str:
    """A message as text, one element of a frame."""
    return _encoder.encode(message).decode()


def frame(messages: Sequence[str]) -> str:
    """Encoded messages as one frame."""
    return f"[{','.join(messages)}]"


def decode(text: str) -> ClientMessage:
    """A message of a browser; raises `msgspec.DecodeError` (or its `ValidationError`) for none, or one too long."""
    if len(text) > FRAME_CHARACTERS_MAX:
        raise msgspec.ValidationError(f"A frame has at most {FRAME_CHARACTERS_MAX:,} characters.")
    return _decoder.decode(text)


def snapshot_of(stream: str, seq: int, at: float, events: Mapping[str, int], table: Table) -> Snapshot:
    """A table as it travels."""
    return Snapshot(
        stream=stream,
        seq=seq,
        at=at,
        events=events,
        columns=table.columns,
        keys=tuple(table.rows),
        rows=tuple(table.rows.values()),
        facts=table.facts,
    )


def table_of(snapshot: Snapshot) -> Table:
    """The table that a snapshot shows."""
    return Table(tuple(snapshot.columns), dict(zip(snapshot.keys, snapshot.rows, strict=True)), snapshot.facts)
