"""What travels between a session and its instance.

    0        4
    ┌────────┬─────────────────┐
    │ length │ MessagePack     │   length: of what follows, big-endian; at most FRAME_BYTES_MAX
    └────────┴─────────────────┘

The first frame of a session is its `Hello`; every other is a `Request`, and each is answered by one `Answer` with its
number, in any order: a WAITFOR does not hold up what was asked after it. Every few seconds the host says that it is
there, with an answer to nothing, so that nobody waits for a worker that was stopped.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import msgspec

from engine.contracts.codec import binary_encoder
from engine.core.exchange.commands import Command
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.vocabulary.limits import SESSION_FRAME_BYTES_MAX
from engine.hosting.envelope import SystemViewAnswer
from engine.hosting.reader_tasks.calls import ReaderPass

LENGTH_BYTES: Final = 4
VERSION: Final = 4

HEARTBEAT: Final = 0
"""Number of the answers that nobody asked for: the host is there."""


class Hello(msgspec.Struct, frozen=True, array_like=True):
    """Who asks: whoever can read the plate knows the word."""

    version: int
    word: str
    reader: ReaderPass | None = None
    """The run of an internal reader whose session it is; its requests are that reader's, its end is that reader's."""


class Request(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Commands to be carried out in their order, a system view to be read, or a turn to be held."""

    number: int
    commands: tuple[Command, ...]
    query: SystemViewQuery | None = None
    holds: bool | None = None
    """Whether the instance takes no turns from now on, or goes on; it goes on at the end of the session, too."""


class Answer(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A reply for each command of the request; or why there is none, and nobody knows what has happened."""

    number: int
    replies: tuple[Reply, ...] = ()
    failure: str = ""
    page: SystemViewAnswer | None = None
    """Of a system view that was asked for."""
    was_held: bool | None = None
    """Whether it was held, to the end where it goes on; None of a host that cannot."""


class Plate(msgspec.Struct, frozen=True, kw_only=True):
    """Where the sessions of an instance are received; a file beside its store, for those who may read that."""

    host: str
    port: int
    word: str


hello_decoder: Final = msgspec.msgpack.Decoder(Hello)
request_decoder: Final = msgspec.msgpack.Decoder(Request)
answer_decoder: Final = msgspec.msgpack.Decoder(Answer)
plate_decoder: Final = msgspec.json.Decoder(Plate)


class FrameTooLong(Exception):
    """The peer announces more than a frame may have."""


def framed(value: Hello | Request | Answer) -> bytes:
    """A value as it travels; `FrameTooLong` when it is too large to."""
    body = binary_encoder.encode(value)
    if len(body) > SESSION_FRAME_BYTES_MAX:
        raise FrameTooLong(f"{len(body)} bytes; a frame has at most {SESSION_FRAME_BYTES_MAX}")
    return len(body).to_bytes(LENGTH_BYTES) + body


class FrameReader:
    """Cuts what arrives into frames."""

    def __init__(self, bytes_max: int = SESSION_FRAME_BYTES_MAX) -> None:
        self.bytes_max = bytes_max
        """A stranger gets less room than a program that has said the word."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Generator[bytes]:
        """The frames that are complete with `data`, one by one; `FrameTooLong`, after which nothing can be read."""
        buffer = self._buffer
        buffer += data
        at = 0
        try:
            while len(buffer) - at >= LENGTH_BYTES:
                start = at + LENGTH_BYTES
                length = int.from_bytes(buffer[at:start])
                if length > self.bytes_max:
                    raise FrameTooLong(f"{length} bytes are announced; a frame has at most {self.bytes_max} here")
                if len(buffer) < start + length:
                    break
                at = start + length
                yield bytes(buffer[start:at])
        finally:
            del buffer[:at]
