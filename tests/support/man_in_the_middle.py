"""Somebody between two instances: listens where one of them is looked for, on a thread and a loop of its own.

`Impostor` answers in the place of an instance with a certificate of its own. `Swapper` passes everything on and puts
its own key share into both offers, so that it can read and change what follows: what signatures are there for.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self
from uuid import uuid4

import msgspec

from engine.core.link.codec import payload_of
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.frames import Frame, Hello, Welcome
from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.keys import FrameGuard, derived_key
from engine.core.link.negotiation import Protection
from engine.core.link.states import LinkRole
from engine.core.link.wire import Wire
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.settings import LinkSettings
from engine.hosting.clock import SystemClock
from engine.transport.certificates import CertificateStore


class Listening(ABC):
    """A TCP listener on this machine; each connection is a task of `serve`."""

    def __init__(self) -> None:
        self.place = ("127.0.0.1", 0)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        server = self._loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.place = server.sockets[0].getsockname()[:2]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    @abstractmethod
    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What becomes of a caller."""


class Impostor(Listening):
    """Says that it is another instance, and shows what it has."""

    def __init__(self, identity: LinkIdentity, terms: LoginTerms) -> None:
        super().__init__()
        self.heard = 0
        """Messages that somebody has entrusted to it."""
        self.refusals: list[int | None] = []
        self._identity = msgspec.structs.replace(identity, arbitration_id=uuid4())
        self._terms = terms

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        clock = SystemClock()
        connection = AdjacentBrokerConnection(
            LinkRole.ACCEPTING, self._identity, LinkSettings(), clock.now(), terms=self._terms
        )
        connection.opened(clock.now())
        while (data := await reader.read(65536)) and connection.state is not LinkState.CLOSED:
            self.heard += len(connection.receive_data(data, clock.now()))
            writer.write(connection.data_to_send())
        assert connection.closure is not None
        self.refusals.append(connection.closure.reason)
        writer.close()


class Swapper(Listening):
    """Passes frames on between whoever calls and the real instance, under keys that it shares with each of them."""

    def __init__(self, real: Callable[[], tuple[str, int]]) -> None:
        super().__init__()
        self.passed: list[str] = []
        """Kinds of the frames that it could read."""
        self._real = real

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._real())
        middle = _Middle(self.passed)
        inward = asyncio.create_task(_pump(reader, far_writer, middle.from_dialling))
        outward = asyncio.create_task(_pump(far_reader, writer, middle.from_accepting))
        await asyncio.wait({inward, outward}, return_when=asyncio.FIRST_COMPLETED)
        for stream in (writer, far_writer):
            stream.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passed: Callable[[bytes], bytes]) -> None:
    while data := await reader.read(65536):
        try:
            out = passed(data)
        except RemoteProtocolError:
            return
        writer.write(out)
        await writer.drain()


class _Middle:
    """Two ends of its own: `_near` towards the dialling instance, `_far` towards the accepting one."""

    def __init__(self, passed: list[str]) -> None:
        self._passed = passed
        self._cryptography = CertificateStore()
        self._near_share, self._far_share = (self._cryptography.new_key_share() for _ in range(2))
        self._near, self._far = Wire(), Wire()
        self._hellos: tuple[Hello, Hello] | None = None

    def from_dialling(self, data: bytes) -> bytes:
        for frame in self._near.hear(data):
            self._passed.append(type(frame).__name__)
            self._far.say(self._swapped_hello(frame) if isinstance(frame, Hello) else frame)
        return self._far.take()

    def from_accepting(self, data: bytes) -> bytes:
        for frame in self._far.hear(data):
            self._passed.append(type(frame).__name__)
            if isinstance(frame, Welcome):
                self._swap_welcome(frame)
            else:
                self._near.say(frame)
        return self._near.take()

    def _swapped_hello(self, hello: Hello) -> Frame:
        offer = msgspec.structs.replace(hello.offer, key_share=self._far_share.public)
        swapped = msgspec.structs.replace(hello, offer=offer)
        self._hellos = hello, swapped
        return swapped

    def _swap_welcome(self, welcome: Welcome) -> None:
        assert self._hellos is not None
        hello, swapped_hello = self._hellos
        offer = msgspec.structs.replace(welcome.offer, key_share=self._near_share.public)
        swapped = msgspec.structs.replace(welcome, offer=offer)
        self._near.say(swapped)
        assert hello.offer.key_share is not None
        assert welcome.offer.key_share is not None
        dialling, accepting = self._guards(self._near_share.agree(hello.offer.key_share), hello, swapped)
        self._near.protect(sending=accepting, receiving=dialling)
        dialling, accepting = self._guards(self._far_share.agree(welcome.offer.key_share), swapped_hello, welcome)
        self._far.protect(sending=dialling, receiving=accepting)

    def _guards(self, secret: bytes, hello: Hello, welcome: Welcome) -> tuple[FrameGuard, FrameGuard]:
        said = hashlib.sha256(payload_of(hello) + payload_of(welcome)).digest()
        dialling, accepting = (
            FrameGuard(self._cryptography.cipher(derived_key(secret, said, role.value)), Protection.AES)
            for role in (LinkRole.DIALLING, LinkRole.ACCEPTING)
        )
        return dialling, accepting
