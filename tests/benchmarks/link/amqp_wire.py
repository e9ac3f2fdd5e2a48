"""AMQP 0-9-1, the little of it that a benchmark's client needs: frames built beforehand, read without objects.

A client library would spend more on a message than the broker does, and make it look slower than it is.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

METHOD, HEADER, BODY = 1, 2, 3
CONNECTION_OPEN_OK, CHANNEL_OPEN_OK, QUEUE_DECLARE_OK = (10, 41), (20, 11), (50, 11)
CONNECTION_START, CONNECTION_TUNE, CONNECTION_CLOSE, CHANNEL_CLOSE = (10, 10), (10, 30), (10, 50), (20, 40)
QOS_OK, CONSUME_OK, DELIVER, ACK, NACK, SELECT_OK = (60, 11), (60, 21), (60, 60), (60, 80), (60, 120), (85, 11)

ANSWER_SECONDS_MAX: Final = 30.0
PIECE_BYTES: Final = 256 * 1024
"""How much is read from the socket at once."""
_CHANNEL: Final = 1
_END: Final = 0xCE
_FRAME: Final = struct.Struct(">BHI")
_KIND: Final = struct.Struct(">HH")
_DELIVERY_TAG: Final = struct.Struct(">Q")
_PERSISTENT: Final = b"\x10\x00\x02"
"""Property flags with delivery-mode alone, and its value 2."""


class ProtocolFailed(Exception):
    """The broker has closed the connection or refused something; the message holds its reason."""


class Frame(NamedTuple):
    """One frame as it came."""

    type: int
    payload: bytes

    @property
    def kind(self) -> tuple[int, int]:
        """Class and method of a method frame."""
        class_id, method = _KIND.unpack_from(self.payload)
        return class_id, method


def frame(type_: int, payload: bytes, channel: int = _CHANNEL) -> bytes:
    """A frame as bytes."""
    return _FRAME.pack(type_, channel, len(payload)) + payload + bytes([_END])


def method(kind: tuple[int, int], arguments: bytes = b"", channel: int = _CHANNEL) -> bytes:
    """A method frame as bytes."""
    return frame(METHOD, _KIND.pack(*kind) + arguments, channel)


def short_string(text: str) -> bytes:
    """A string of at most 255 bytes."""
    raw = text.encode()
    return bytes([len(raw)]) + raw


def long_string(raw: bytes) -> bytes:
    """A string with a length of four bytes."""
    return struct.pack(">I", len(raw)) + raw


def table(entries: dict[str, str]) -> bytes:
    """A field table of strings."""
    return long_string(
        b"".join(short_string(name) + b"S" + long_string(value.encode()) for name, value in entries.items())
    )


def publish(queue: str, body: bytes) -> bytes:
    """One persistent message to a queue through the default exchange: three frames."""
    header = _KIND.pack(60, 0) + struct.pack(">Q", len(body)) + _PERSISTENT
    start = method((60, 40), b"\0\0" + short_string("") + short_string(queue) + b"\0")
    return start + frame(HEADER, header) + frame(BODY, body)


def acknowledge(tag: int) -> bytes:
    """Take everything up to a delivery tag for good."""
    return method(ACK, _DELIVERY_TAG.pack(tag) + b"\x01")


class Frames:
    """Cuts what arrives into frames; keeps what is not complete yet."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[Frame]:
        """The frames that are complete now."""
        data = self._rest + piece if self._rest else piece
        found: list[Frame] = []
        at, end = 0, len(data)
        while end - at >= _FRAME.size:
            type_, _, size = _FRAME.unpack_from(data, at)
            after = at + _FRAME.size + size + 1
            if after > end:
                break
            if data[after - 1] != _END:
                raise ProtocolFailed("a frame does not end where it should")
            found.append(Frame(type_, data[at + _FRAME.size : after - 1]))
            at = after
        self._rest = data[at:]
        return found


class Confirms:
    """How many messages the broker has confirmed; it may confirm out of order, one by one or all up to a number."""

    def __init__(self) -> None:
        self._all_up_to = 0
        self._single: set[int] = set()

    @property
    def count(self) -> int:
        """Confirmed messages."""
        return self._all_up_to + len(self._single)

    def take(self, each: Frame) -> None:
        """A confirmation. `ProtocolFailed` when it is a refusal."""
        if each.kind != ACK:
            raise ProtocolFailed(f"the broker answers {each.kind} to a message")
        (tag,) = _DELIVERY_TAG.unpack_from(each.payload, 4)
        if each.payload[12] & 1:
            self._all_up_to = max(self._all_up_to, tag)
            self._single = {single for single in self._single if single > self._all_up_to}
        else:
            self._single.add(tag)
        while self._all_up_to + 1 in self._single:
            self._all_up_to += 1
            self._single.remove(self._all_up_to)


def delivery_tag(each: Frame) -> int:
    """The number of a delivery on its channel."""
    (tag,) = _DELIVERY_TAG.unpack_from(each.payload, 5 + each.payload[4])
    return int(tag)


class Connection:
    """A connection with one open channel."""

    def __init__(self, port: int, user: str = "guest", password: str = "guest") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS_MAX)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._frames = Frames()
        self._ahead: list[Frame] = []
        self._ask(b"AMQP\0\0\x09\x01", CONNECTION_START)
        response = long_string(f"\0{user}\0{password}".encode())
        start_ok = table({}) + short_string("PLAIN") + response + short_string("en_US")
        tune = self._ask(method((10, 11), start_ok, 0), CONNECTION_TUNE)
        channels, frame_bytes, _ = struct.unpack_from(">HIH", tune.payload, 4)
        # Heartbeats would only add frames; the benchmark has its own patience.
        self.socket.sendall(method((10, 31), struct.pack(">HIH", channels, frame_bytes, 0), 0))
        self._ask(method((10, 40), short_string("/") + b"\0\0", 0), CONNECTION_OPEN_OK)
        self._ask(method((20, 10), short_string("")), CHANNEL_OPEN_OK)

    def declare_queue(self, queue: str, arguments: dict[str, str]) -> None:
        """A durable queue; harmless when it is there with the same arguments."""
        self._ask(method((50, 10), b"\0\0" + short_string(queue) + b"\x02" + table(arguments)), QUEUE_DECLARE_OK)

    def waiting(self, queue: str) -> int:
        """Messages in a queue that nobody has taken; the queue is asked for, not made."""
        answer = self._ask(method((50, 10), b"\0\0" + short_string(queue) + b"\x01" + table({})), QUEUE_DECLARE_OK)
        (messages,) = struct.unpack_from(">I", answer.payload, 5 + answer.payload[4])
        return int(messages)

    def select_confirms(self) -> None:
        """Have every message confirmed that is published from now on."""
        self._ask(method((85, 10), b"\0"), SELECT_OK)

    def consume(self, queue: str, prefetch: int) -> None:
        """Have messages of a queue delivered, at most `prefetch` without acknowledgement."""
        self._ask(method((60, 10), struct.pack(">IHB", 0, prefetch, 0)), QOS_OK)
        self._ask(
            method((60, 20), b"\0\0" + short_string(queue) + short_string("bench") + b"\0" + table({})), CONSUME_OK
        )

    def read(self, seconds_max: float) -> Sequence[Frame]:
        """Frames that have arrived; empty when none comes in time. `ProtocolFailed` when the broker hangs up."""
        if self._ahead:
            ahead, self._ahead = self._ahead, []
            return ahead
        self.socket.settimeout(seconds_max)
        try:
            piece = self.socket.recv(PIECE_BYTES)
        except TimeoutError:
            return ()
        finally:
            self.socket.settimeout(ANSWER_SECONDS_MAX)
        if not piece:
            raise ProtocolFailed("the broker has closed the connection")
        found = self._frames.feed(piece)
        for each in found:
            if each.type == METHOD and each.kind in (CONNECTION_CLOSE, CHANNEL_CLOSE):
                raise ProtocolFailed(each.payload[7:].decode(errors="replace"))
        return found

    def _ask(self, request: bytes, wanted: tuple[int, int]) -> Frame:
        """Send a request and wait for its answer; what comes behind it is kept for `read`."""
        self.socket.sendall(request)
        while found := self.read(ANSWER_SECONDS_MAX):
            for at, each in enumerate(found):
                if each.type == METHOD and each.kind == wanted:
                    self._ahead = list(found[at + 1 :])
                    return each
        raise ProtocolFailed(f"no answer {wanted} within {ANSWER_SECONDS_MAX:g} s")

    def close(self) -> None:
        """Hang up."""
        self.socket.close()
