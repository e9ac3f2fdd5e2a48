"""Frames as bytes. Every frame is a header of twelve bytes and a payload in MessagePack.

    byte   0       1       2       3       4              8              12          12 + length
          +-------+-------+-------+-------+--------------+--------------+-----------+
          |  'S'  |  'B'  |version| kind  | payload      | CRC-32 of    | payload   |
          |       |       |       |       | length, u32  | all the rest |           |
          +-------+-------+-------+-------+--------------+--------------+-----------+
                                           big-endian     big-endian     MessagePack map

In a clear connection both ends sign once they have keys: `PROTECTED` (0x80) is added to the kind, and the payload ends
with a tag of sixteen bytes. In an encrypted one the frames travel as they are, inside of TLS.

          +--------------------+-----------+---------------------------------------+-----------+
          | header, bytes 0-7  | CRC-32    | payload                               | GCM tag   |
          | (covered by tag)   |           | (covered by tag)                      | 16 bytes  |
          +--------------------+-----------+---------------------------------------+-----------+

The nonce is the number of the frame in its direction, from 0, and does not travel. The version is that of this layout;
the meaning of the frames has its own version in `Hello`. Whatever does not fit is a `RemoteProtocolError` with a
number of protocol.md 19, never another exception: a peer is not trusted to be ours.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Generator
from typing import Final

import msgspec

from engine.core.link.frames import (
    Arbitration,
    Fragments,
    Frame,
    Goodbye,
    Hello,
    Proof,
    Refuse,
    RoleClaim,
    RoleRequest,
    Validation,
    Welcome,
)
from engine.core.link.keys import TAG_BYTES, FrameGuard
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.limits import FRAME_BYTES_MAX
from engine.core.vocabulary.messages import Acknowledgement, ForwardedMessage, Fragment

MAGIC: Final = b"SB"
LAYOUT_VERSION: Final = 1
HEADER: Final = struct.Struct(">2sBBI")
CHECKSUM: Final = struct.Struct(">I")
PREFIX_BYTES: Final = HEADER.size + CHECKSUM.size
PROTECTED: Final = 0x80
"""Added to the kind of a frame whose payload ends with a tag."""

NO_ADJACENT_HEADER: Final = 28001
ADJACENT_HEADER_UNREADABLE: Final = 28040
CHECKSUM_DIFFERS: Final = 11297
PAYLOAD_UNREADABLE: Final = 11281
NOT_PROTECTED: Final = 28061

KINDS: Final[tuple[type[Frame], ...]] = (
    Hello,
    Welcome,
    Refuse,
    Fragments,
    Goodbye,
    RoleRequest,
    RoleClaim,
    Proof,
    Validation,
    Arbitration,
)
"""Position is the kind byte, from 1. New kinds go to the end."""
_KIND_OF: Final = {frame: kind for kind, frame in enumerate(KINDS, start=1)}
_DECODERS: Final = {kind: msgspec.msgpack.Decoder(frame) for kind, frame in enumerate(KINDS, start=1)}
_ENCODER: Final = msgspec.msgpack.Encoder(uuid_format="bytes")

_NUMBER_MAX: Final = 2**62
"""Above every number that is ever counted to, below what a store can hold."""
_COUNTER_MAX: Final = 255
"""Hops and priority are one byte with the vendor."""


def encode(frame: Frame, guard: FrameGuard | None = None) -> bytes:
    """The bytes of a frame. The sender keeps its payload below `FRAME_BYTES_MAX`."""
    payload = _ENCODER.encode(frame)
    assert len(payload) <= FRAME_BYTES_MAX, "a frame outgrew its limit"
    kind = _KIND_OF[type(frame)]
    if guard is None:
        return framed(kind, payload)
    header = HEADER.pack(MAGIC, LAYOUT_VERSION, kind | PROTECTED, len(payload) + TAG_BYTES)
    return _checked(header, guard.close(header, payload))


def payload_of(frame: Frame) -> bytes:
    """The payload alone, as it travels unprotected."""
    return _ENCODER.encode(frame)


def framed(kind: int, payload: bytes) -> bytes:
    """A payload behind its header and checksum."""
    return _checked(HEADER.pack(MAGIC, LAYOUT_VERSION, kind, len(payload)), payload)


def _checked(header: bytes, payload: bytes) -> bytes:
    return header + CHECKSUM.pack(zlib.crc32(payload, zlib.crc32(header))) + payload


class FrameReader:
    """Cuts a stream of bytes into frames; keeps the unfinished rest, at most one frame of `bytes_max`.

    After a `RemoteProtocolError` the stream has lost its rhythm: the reader is of no further use.
    """

    def __init__(self, bytes_max: int = FRAME_BYTES_MAX) -> None:
        self.bytes_max = bytes_max
        """Largest payload; a stranger gets less room than a peer that is logged in."""
        self.guard: FrameGuard | None = None
        """Once set, every frame has to be protected under it."""
        self._buffer = bytearray()

    @property
    def is_amid_frame(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> Generator[Frame]:
        """The frames that `data` completes, one by one."""
        buffer = self._buffer
        buffer += data
        start = 0
        try:
            while len(buffer) - start >= PREFIX_BYTES:
                kind, length = _header(buffer, start, self.bytes_max)
                body, end = start + PREFIX_BYTES, start + PREFIX_BYTES + length
                if len(buffer) < end:
                    break
                with memoryview(buffer) as view:
                    header, payload = bytes(view[start : start + HEADER.size]), bytes(view[body:end])
                (checksum,) = CHECKSUM.unpack_from(buffer, start + HEADER.size)
                start = end
                if zlib.crc32(payload, zlib.crc32(header)) != checksum:
                    raise RemoteProtocolError(CHECKSUM_DIFFERS)
                yield _frame(kind & ~PROTECTED, self._opened(kind, header, payload))
        finally:
            del buffer[:start]

    def _opened(self, kind: int, header: bytes, payload: bytes) -> bytes:
        """The payload without its protection; both ends know from which frame on there has to be one."""
        if self.guard is None:
            if kind & PROTECTED:
                raise RemoteProtocolError(ADJACENT_HEADER_UNREADABLE)
            return payload
        if not kind & PROTECTED:
            raise RemoteProtocolError(NOT_PROTECTED)
        return self.guard.open(header, payload)


def _header(buffer: bytearray, start: int, bytes_max: int) -> tuple[int, int]:
    """Kind and length of the payload, both checked before the payload has come."""
    magic, version, kind, length = HEADER.unpack_from(buffer, start)
    if magic != MAGIC:
        raise RemoteProtocolError(NO_ADJACENT_HEADER)
    if version != LAYOUT_VERSION or kind & ~PROTECTED not in _DECODERS or length > bytes_max:
        raise RemoteProtocolError(ADJACENT_HEADER_UNREADABLE)
    return kind, length


def _frame(kind: int, payload: bytes) -> Frame:
    try:
        frame: Frame = _DECODERS[kind].decode(payload)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise RemoteProtocolError(PAYLOAD_UNREADABLE) from error
    if isinstance(frame, Fragments):
        for message in frame.messages:
            _check_numbers(message)
    return frame


def _check_numbers(forwarded: ForwardedMessage) -> None:
    """Right types are not enough: a number may be out of every range the core and the stores count in."""
    message = forwarded.message
    acknowledged = message.acknowledgement
    fits = (
        0 <= forwarded.hops_remaining <= _COUNTER_MAX
        and 0 <= message.priority <= _COUNTER_MAX
        and (message.sequence is None or 0 <= message.sequence <= _NUMBER_MAX)
        and (acknowledged is None or _counts(acknowledged))
        and (message.fragment is None or _is_piece(message.fragment))
        and forwarded.time_to_live >= 0
        and forwarded.time_consumed >= 0
        and math.isfinite(message.expires_at + forwarded.time_to_live + forwarded.time_consumed)
    )
    if not fits:
        raise RemoteProtocolError(PAYLOAD_UNREADABLE)


def _counts(acknowledged: Acknowledgement) -> bool:
    # That the two contradict each other is a fault of this message (28007), not of the connection.
    numbers = acknowledged.up_to, acknowledged.highest_seen
    in_range = min(numbers) >= -1 and max(numbers) <= _NUMBER_MAX
    pieces = min(acknowledged.fragments, acknowledged.highest_seen_fragment)
    return in_range and pieces >= 0 and max(acknowledged.fragments, acknowledged.highest_seen_fragment) <= _NUMBER_MAX


def _is_piece(fragment: Fragment) -> bool:
    return max(fragment.number, fragment.size, fragment.message_bytes) <= _NUMBER_MAX and fragment.is_possible
