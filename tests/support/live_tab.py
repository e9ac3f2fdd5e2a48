"""A browser's tab from outside: one websocket, many topics, folding, acknowledging, coming back as the page does."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import msgspec
from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol

from brokerweb.live.protocol import PROTOCOL, Cursor
from brokerweb.live.tables import Column, Ops, Table, fold

RETRY_SECONDS = 0.5
RETRY_SECONDS_MAX = 30.0
ACK_SECONDS = 1.0
RESYNC_SECONDS = 2.0
SILENCE_SECONDS_MAX = 11.0
FRAME_BYTES_MAX = 64 * 2**20


class _Message(msgspec.Struct, tag_field="type"):
    """Common base of what a tab understands."""


class Subscribed(_Message, tag="subscribed"):
    sub: int
    stream: str
    resumes: bool


class Snapshot(_Message, tag="snapshot"):
    stream: str
    seq: int
    events: dict[str, int]
    columns: tuple[Column, ...]
    keys: list[str]
    rows: list[tuple[Any, ...]]
    facts: dict[str, Any]


class Delta(_Message, tag="delta", rename={"from_": "from"}):
    stream: str
    from_: int
    to: int
    events: dict[str, int]
    ops: Ops


class Beat(_Message, tag="hb"):
    streams: dict[str, int]


class Welcome(_Message, tag="welcome"):
    server_time: float


class Resync(_Message, tag="resync"):
    stream: str
    reason: str


class Denied(_Message, tag="denied"):
    sub: int
    code: int
    detail: str


class Mode(_Message, tag="mode"):
    mode: str


class Rights(_Message, tag="rights"):
    pass


class Refused(_Message, tag="refused"):
    code: int
    reason: str


_decoder = msgspec.json.Decoder(
    list[Subscribed | Snapshot | Delta | Beat | Welcome | Resync | Denied | Mode | Rights | Refused]
)


@lru_cache(maxsize=64)
def _messages(frame: bytes) -> tuple[Any, ...]:
    """Tabs with the same page are sent the same bytes: in one process they are read once, as by as many machines."""
    return tuple(_decoder.decode(frame))


@lru_cache(maxsize=64)
def _folded(before: _Held, ops: _Told) -> Table:
    """As `_messages`: the same change of the same table."""
    return fold(before.table, ops.ops)


class _Same:
    """Equal to what holds the very same object."""

    def __init__(self, held: Any) -> None:
        self._held = held

    def __hash__(self) -> int:
        return id(self._held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._held is other._held


class _Held(_Same):
    @property
    def table(self) -> Table:
        return self._held


class _Told(_Same):
    @property
    def ops(self) -> Ops:
        return self._held


@lru_cache(maxsize=64)
def _table_of(snapshot: _Same) -> Table:
    message: Snapshot = snapshot._held
    return Table(message.columns, dict(zip(message.keys, message.rows, strict=True)), message.facts)


Heard = Callable[["Topic", dict[str, int]], None]


class Topic:
    """What is held of a topic."""

    def __init__(self, sub: int, estate: str, topic: str, params: dict[str, Any]) -> None:
        self.sub = sub
        self.estate = estate
        self.topic = topic
        self.params = params
        self.cursor: Cursor | None = None
        self.stream = ""
        self.table = Table()
        self.is_current = False
        self.resyncs = 0
        self._asked_at = 0.0

    def asks(self, *, afresh: bool = False) -> dict[str, Any]:
        """The message that subscribes to it."""
        cursor = None if afresh or self.cursor is None else msgspec.to_builtins(self.cursor)
        asked = {"estate": self.estate, "topic": self.topic, "params": self.params}
        return {"type": "sub", "sub": self.sub, "cursor": cursor, **asked}

    def take(self, message: Snapshot | Delta) -> bool:
        """Fold it in; False when it does not fit."""
        if isinstance(message, Snapshot):
            self.table = _table_of(_Same(message))
            self.cursor = Cursor(message.stream, message.seq)
            self.is_current = True
            return True
        if not self.is_current:
            return True
        if self.cursor is None or message.from_ != self.cursor.seq + 1:
            self.is_current = False
            return False
        self.table = _folded(_Held(self.table), _Told(message.ops))
        self.cursor = Cursor(message.stream, message.to)
        return True

    def may_ask(self) -> bool:
        """Whether it was not asked for anew just now."""
        now = time.monotonic()
        if now - self._asked_at < RESYNC_SECONDS:
            return False
        self._asked_at = now
        self.resyncs += 1
        return True


class LiveTab:
    """Runs until it is cancelled; `heard` is told of every snapshot and delta that was folded."""

    def __init__(self, address: str, cookie: str, topics: list[tuple[str, str, dict[str, Any]]], heard: Heard) -> None:
        parts = urlsplit(address)
        self._host, self._port, self._cookie, self._heard = parts.hostname, parts.port, cookie, heard
        self.topics = [Topic(number, *asked) for number, asked in enumerate(topics)]
        self.modes: list[str] = []
        self.refusals: list[str] = []
        self.frames = 0
        self.bytes = 0
        self.connections = 0
        self.is_slow = False
        self._socket: _Socket | None = None

    @property
    def is_current(self) -> bool:
        """Whether everything has come on the connection that is open."""
        return self._socket is not None and all(topic.is_current for topic in self.topics)

    async def run(self) -> None:
        """Connect, and connect again."""
        failures = 0
        while True:
            with suppress(OSError, ConnectionError, TimeoutError):
                socket = await self._connect()
                if await self._follow(socket):
                    failures = 0
            self._socket = None
            for topic in self.topics:
                topic.is_current = False
            failures += 1
            full = min(RETRY_SECONDS * 2**failures, RETRY_SECONDS_MAX)
            await asyncio.sleep(random.uniform(RETRY_SECONDS, max(full, RETRY_SECONDS)))

    async def _connect(self) -> _Socket:
        origin = f"http://{self._host}:{self._port}"
        factory = WebSocketClientFactory(f"ws://{self._host}:{self._port}/ws/live", origin=origin)
        factory.setProtocolOptions(utf8validateIncoming=False, maxFramePayloadSize=FRAME_BYTES_MAX)
        factory.headers = {"Cookie": self._cookie}
        factory.protocol = lambda: _Socket()
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(10):
            _, socket = await loop.create_connection(factory, self._host, self._port)
            await socket.opened
        return socket

    async def _follow(self, socket: _Socket) -> bool:
        """Until the connection ends; whether it was welcome."""
        self._socket = socket
        self.connections += 1
        was_welcome, frames, folded = False, 0, 0
        socket.say({"type": "hello", "protocol": PROTOCOL})
        acked_at = time.monotonic()
        while True:
            try:
                async with asyncio.timeout(ACK_SECONDS):
                    text = await socket.frames.get()
            except TimeoutError:
                text = b""
            if text is None:
                return was_welcome
            if text:
                frames += 1
                self.frames += 1
                self.bytes += len(text)
                if self.is_slow:
                    await asyncio.sleep(2.0)
                for message in _messages(text):
                    was_welcome |= isinstance(message, Welcome)
                    self._take(socket, message)
            now = time.monotonic()
            if now - acked_at >= ACK_SECONDS:
                acked_at = now
                socket.say({"type": "ack", "frames": frames} if frames > folded else {"type": "hb"})
                folded = frames
            if now - socket.heard_at > SILENCE_SECONDS_MAX:
                socket.dropConnection(abort=True)
                return was_welcome

    def _take(self, socket: _Socket, message: Any) -> None:
        match message:
            case Welcome():
                for topic in self.topics:
                    socket.say(topic.asks())
            case Subscribed(sub=sub, stream=stream, resumes=resumes):
                self.topics[sub].stream, self.topics[sub].is_current = stream, resumes
            case Snapshot(stream=stream) | Delta(stream=stream):
                for topic in self.topics:
                    if topic.stream == stream:
                        if topic.take(message):
                            self._heard(topic, message.events)
                        elif topic.may_ask():
                            socket.say(topic.asks(afresh=True))
            case Beat(streams=streams):
                for topic in self.topics:
                    is_behind = topic.cursor is not None and streams.get(topic.stream) not in (None, topic.cursor.seq)
                    if is_behind and topic.is_current and topic.may_ask():
                        topic.is_current = False
                        socket.say(topic.asks(afresh=True))
            case Resync(stream=stream):
                for topic in self.topics:
                    topic.is_current = topic.is_current and topic.stream != stream
            case Mode(mode=mode):
                self.modes.append(mode)
            case Denied(detail=detail):
                self.refusals.append(detail)
            case Refused(reason=reason):
                self.refusals.append(reason)


class _Socket(WebSocketClientProtocol):
    """Frames of one connection; None at its end."""

    def __init__(self) -> None:
        super().__init__()
        loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[None] = loop.create_future()
        self.frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.heard_at = time.monotonic()

    def onConnecting(self, transport_details: Any) -> Any:  # noqa: N802 - autobahn calls it so
        from autobahn.websocket.types import ConnectingRequest

        factory = self.factory
        return ConnectingRequest(
            host=factory.host,
            port=factory.port,
            resource=factory.resource,
            headers=factory.headers,
            origin=factory.origin,
        )

    def onOpen(self) -> None:  # noqa: N802 - autobahn calls it so
        if not self.opened.done():
            self.opened.set_result(None)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803
        self.heard_at = time.monotonic()
        self.frames.put_nowait(payload)

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:  # noqa: N802, N803
        if not self.opened.done():
            self.opened.set_exception(ConnectionError(reason or "closed"))
        self.frames.put_nowait(None)

    def say(self, message: dict[str, Any]) -> None:
        self.sendMessage(msgspec.json.encode(message))
