"""What travels on /ws/console, protocol 1 (docs/sql-console.md).

A frame of the server is a JSON array of messages; a frame of the browser is one message. Everything that a script
answers carries the number that the browser has given the script.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Annotated, Any, Final, Literal

import msgspec

PROTOCOL: Final = 1
HEARTBEAT_SECONDS: Final = 5.0
SILENCE_SECONDS_MAX: Final = 30.0
"""How long a browser may say nothing, also while it is to acknowledge frames."""
FRAME_CHARACTERS_MAX: Final = 1_100_000
"""Longest frame of a browser: a script of the greatest length that a session runs, and what is around it."""
SENT_CHARACTERS_MAX: Final = 256_000
"""About how long a frame of the server gets; one row may be longer."""
UNACKED_MAX: Final = 8
"""Frames that may be on their way to a browser; a script that answers more waits until some have been taken."""

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
"""What a browser counts; beyond that it cannot."""
Name = Annotated[str, msgspec.Meta(max_length=400)]
Cell = None | int | float | str


class Code(IntEnum):
    """Numbers of refusals: of the whole socket, where it is the close code too, or of one script."""

    MALFORMED = 4400
    UNAUTHENTICATED = 4401
    FORBIDDEN = 4403
    UNKNOWN_PLACE = 4404
    SILENT = 4408
    """The browser has said or acknowledged nothing for `SILENCE_SECONDS_MAX`."""
    BUSY = 4409
    """A script is running already."""
    OVER = 4411
    """The run of the sandbox has ended, or its scenario is not what it was; 4410 is the origin's."""
    PROTOCOL = 4426
    TOO_MANY = 4429
    """So many sessions of this person, or of this server, are open."""
    FAILED = 4500
    """The server itself has failed; the session is gone."""

    @property
    def reason(self) -> str:
        """The word beside the number, by which pages choose theirs."""
        return self.name.lower().replace("_", "-")


# ── browser to server ────────────────────────────────────────────────────────────────────────────────────────────────
class _ClientMessage(msgspec.Struct, frozen=True, tag_field="type"):
    """Common base; carries nothing."""


class Hello(_ClientMessage, tag="hello"):
    """The first message: where the session is to be."""

    protocol: int
    estate: Name
    instance: Name
    database: Name
    language: Literal["en", "fr", "de"] = "en"
    """In which errors are told."""


class Run(_ClientMessage, tag="run"):
    """Run a script."""

    id: Number
    script: str


class Cancel(_ClientMessage, tag="cancel"):
    """End the script of this number; harmless when it has ended."""

    id: Number


class Complete(_ClientMessage, tag="complete"):
    """What may stand at a position of a script, counted as browsers do: in UTF-16."""

    id: Number
    script: Annotated[str, msgspec.Meta(max_length=200_000)]
    position: Number


class Ack(_ClientMessage, tag="ack"):
    """How many frames of this connection have been taken."""

    frames: Number


class ClientHeartbeat(_ClientMessage, tag="hb"):
    """I am still here."""


ClientMessage = Hello | Run | Cancel | Complete | Ack | ClientHeartbeat


# ── server to browser ────────────────────────────────────────────────────────────────────────────────────────────────
class _ServerMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Common base; carries nothing."""


class Welcome(_ServerMessage, tag="welcome"):
    """There is a session."""

    instance: str
    database: str
    heartbeat_seconds: float
    withholds_bodies: bool
    """Bodies of messages read as NULL."""
    may_define: bool
    """Whether DDL is carried out."""


class Column(msgspec.Struct, frozen=True):
    """A column of a result set; one without a name has an empty one."""

    name: str
    type: str


class ResultSet(_ServerMessage, tag="result-set"):
    """Rows, or the first of them; `rows` messages follow until one is whole."""

    id: int
    line: int
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    is_whole: bool


class Rows(_ServerMessage, tag="rows"):
    """More rows of the result set that came last."""

    id: int
    rows: Sequence[Sequence[Cell]]
    is_whole: bool


class Printed(_ServerMessage, tag="printed"):
    """PRINT and its kin."""

    id: int
    text: str
    line: int


class RowsAffected(_ServerMessage, tag="rows-affected"):
    """How many rows a statement read or wrote."""

    id: int
    count: int
    line: int


class Failed(_ServerMessage, tag="failed"):
    """An error with the vendor's number; its texts in the asker's language."""

    id: int
    number: int
    severity: int
    state: int
    line: int
    message: str
    why: str
    cure: str


class Done(_ServerMessage, tag="done"):
    """The script has ended, and how the session stands."""

    id: int
    outcome: str
    """`finished` or `cancelled`."""
    elapsed_seconds: float
    transaction_count: int
    """@@TRANCOUNT."""
    database: str


class Option(msgspec.Struct, frozen=True):
    """One thing that may stand there, and what is written for it."""

    label: str
    apply: str
    kind: str
    detail: str


class Completion(_ServerMessage, tag="completion"):
    """What may stand in the place of what stands between `begins_at` and the position; empty while a script runs."""

    id: int
    begins_at: int
    options: Sequence[Option]


class Denied(_ServerMessage, tag="denied"):
    """This script does not run; the session goes on."""

    id: int
    code: int
    reason: str
    detail: str


class Heartbeat(_ServerMessage, tag="hb"):
    """The server is there."""


class Refused(_ServerMessage, tag="refused"):
    """The connection ends."""

    code: int
    reason: str
    detail: str = ""


ServerMessage = (
    Welcome | ResultSet | Rows | Printed | RowsAffected | Failed | Done | Completion | Denied | Heartbeat | Refused
)

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(ClientMessage)


def encode(message: ServerMessage) -> str:
    """A message as a frame of its own."""
    return f"[{_encoder.encode(message).decode()}]"


def decode(text: str) -> ClientMessage:
    """A message of a browser; raises `msgspec.DecodeError` (or its `ValidationError`) for none, or one too long."""
    if len(text) > FRAME_CHARACTERS_MAX:
        raise msgspec.ValidationError(f"A frame has at most {FRAME_CHARACTERS_MAX:,} characters.")
    message: ClientMessage = _decoder.decode(text)
    return message
