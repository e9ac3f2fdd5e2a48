"""Somebody between two instances: listens where one of them is looked for, on a thread and a loop of its own.

`Impostor` answers in the place of an instance with a certificate of its own. `Swapper` passes everything on and puts
its own TLS certificates into both offers, so that it can read and change what follows: what signatures are there for.
"""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self, TypeVar
from uuid import uuid4

import msgspec

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.frames import Hello, Welcome
from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.states import LinkRole
from engine.core.link.wire import Wire
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.settings import LinkSettings
from engine.hosting.clock import SystemClock
from engine.transport.tls import TlsCredential

_Introduction = TypeVar("_Introduction", Hello, Welcome)


class Listening(ABC):
    """A TCP listener on this machine; each connection is a task of `serve`."""

    def __init__(self) -> None:
        self.place = ("127.0.0.1", 0)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)

    def _run(self) -> None:
        server = self._loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.place = server.sockets[0].getsockname()[:2]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(_cancelled(asyncio.all_tasks(self._loop)))
        self._loop.close()

    @abstractmethod
    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What becomes of a caller."""


async def _cancelled(tasks: set[asyncio.Task[object]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


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
        inward = asyncio.create_task(_pump(reader, (far_writer, writer), middle.from_dialling))
        outward = asyncio.create_task(_pump(far_reader, (writer, far_writer), middle.from_accepting))
        await asyncio.wait({inward, outward}, return_when=asyncio.FIRST_COMPLETED)
        for stream in (writer, far_writer):
            stream.close()


async def _pump(
    reader: asyncio.StreamReader,
    writers: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
    passed: Callable[[bytes], tuple[bytes, bytes]],
) -> None:
    while data := await reader.read(65536):
        try:
            out = passed(data)
        except RemoteProtocolError:
            return
        for writer, each in zip(writers, out, strict=True):
            writer.write(each)
            await writer.drain()


class _Middle:
    """Two ends of its own: `_near` towards the dialling instance, `_far` towards the accepting one."""

    def __init__(self, passed: list[str]) -> None:
        self._passed = passed
        self._near_credential, self._far_credential = TlsCredential(), TlsCredential()
        self._near, self._far = (Wire(LinkSettings().frame_seconds) for _ in range(2))
        self._hello: Hello | None = None

    def from_dialling(self, data: bytes) -> tuple[bytes, bytes]:
        """What goes on to the accepting end, and back."""
        for frame in self._near.hear(data, Instant(0)):
            self._passed.append(type(frame).__name__)
            if isinstance(frame, Hello):
                self._hello = frame
                frame = _with_certificate(frame, self._far_credential)
            self._far.say(frame)
        return self._far.take(), self._near.take()

    def from_accepting(self, data: bytes) -> tuple[bytes, bytes]:
        """What goes on to the dialling end, and back."""
        for frame in self._far.hear(data, Instant(0)):
            self._passed.append(type(frame).__name__)
            if isinstance(frame, Welcome):
                self._pass_welcome(frame)
            else:
                self._near.say(frame)
        return self._near.take(), self._far.take()

    def _pass_welcome(self, welcome: Welcome) -> None:
        assert self._hello is not None
        self._near.say(_with_certificate(welcome, self._near_credential))
        dialling, accepting = self._hello.offer.tls_certificate, welcome.offer.tls_certificate
        assert dialling is not None
        assert accepting is not None
        self._near.enter(self._near_credential.tunnel(LinkRole.ACCEPTING, dialling))
        self._far.enter(self._far_credential.tunnel(LinkRole.DIALLING, accepting))


def _with_certificate(said: _Introduction, credential: TlsCredential) -> _Introduction:
    offer = msgspec.structs.replace(said.offer, tls_certificate=credential.certificate)
    return msgspec.structs.replace(said, offer=offer)
