"""`SessionServer`: receives the sessions of one instance, on the loop of its host.

It listens on this machine only. The plate beside the store says where, and holds the word that a session must say:
whoever may read the files of an instance may command it.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from engine.core.exchange.commands import Command
from engine.core.exchange.replies import Reply, refusal
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.limits import (
    SESSION_FRAME_BYTES_MAX,
    SESSION_HEARTBEAT_SECONDS,
    SESSION_HELLO_BYTES_MAX,
    SESSION_HELLO_SECONDS,
    SESSION_REQUESTS_MAX,
    SESSION_STRANGERS_MAX,
    SESSIONS_MAX,
)
from engine.hosting.envelope import SystemViewAnswer
from engine.hosting.errors import EngineUnavailable
from engine.hosting.hold import Hold
from engine.hosting.reader_tasks.calls import ReaderPass
from engine.hosting.session.protocol import (
    HEARTBEAT,
    VERSION,
    Answer,
    FrameReader,
    FrameTooLong,
    Plate,
    Request,
    framed,
    hello_decoder,
    request_decoder,
)
from engine.transport.listening import port_of, start_listening, stop_listening

HOST: Final = "127.0.0.1"

logger = logging.getLogger(__name__)

Execute = Callable[[Sequence[Command]], Awaitable[list[Reply]]]
ExecuteForReader = Callable[[ReaderPass, Sequence[Command]], Awaitable[list[Reply]]]


class SessionServer:
    """Listens from `start` to `stop`."""

    def __init__(
        self,
        plate: Path,
        execute: Execute,
        execute_for_reader: ExecuteForReader,
        reader_gone: Callable[[ReaderPass], None],
        read: Callable[[SystemViewQuery], SystemViewRows],
        hold: Hold,
    ) -> None:
        """`reader_gone` is told when the session of a reader has ended."""
        self._read = read
        self._hold = hold
        self._plate = plate
        self._execute = execute
        self._execute_for_reader = execute_for_reader
        self._reader_gone = reader_gone
        self._word = secrets.token_urlsafe()
        self._server: asyncio.Server | None = None
        self._is_wanted = False
        self._sessions: set[_Session] = set()
        self._strangers: dict[_Session, None] = {}
        """Who has connected and not said the word yet, oldest first."""
        self._heart: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Listen, and say where; harmless when it does or is stopped meanwhile. `OSError`: then nothing listens."""
        if self._server is not None:
            return
        self._is_wanted = True
        server = await start_listening(self._receive, HOST, lambda: self._is_wanted)
        if server is None:
            return
        try:
            _write(self._plate, Plate(host=HOST, port=port_of(server), word=self._word))
        except OSError:
            self._is_wanted = False
            stop_listening(server)
            raise
        self._server = server
        self._beat()

    def stop(self) -> None:
        """Receive nobody any more and let go of all; harmless when stopped."""
        self._is_wanted = False
        server, self._server = self._server, None
        if server is None:
            return
        stop_listening(server)
        # Another worker may have put up its own plate meanwhile.
        if _word_on(self._plate) == self._word:
            try:
                self._plate.unlink(missing_ok=True)
            except OSError as error:
                # It leads to a port that refuses.
                logger.warning("%s stays behind: %s", self._plate.name, error)
        if self._heart is not None:
            self._heart.cancel()
        for session in [*self._sessions, *self._strangers]:
            session.close()

    def _beat(self) -> None:
        for session in self._sessions:
            session.tell_life()
        self._heart = asyncio.get_running_loop().call_later(SESSION_HEARTBEAT_SECONDS, self._beat)

    @property
    def sessions(self) -> int:
        """How many are connected now."""
        return len(self._sessions)

    def _receive(self) -> _Session:
        return _Session(self, self._word)

    def met(self, stranger: _Session) -> None:
        """A program has connected. Of too many that say nothing the first one goes."""
        if not self._is_wanted:
            # Accepted in the turn in which we stopped.
            stranger.close()
            return
        if len(self._strangers) >= SESSION_STRANGERS_MAX:
            oldest = next(iter(self._strangers))
            self._strangers.pop(oldest)
            oldest.close()
        self._strangers[stranger] = None

    def add(self, session: _Session) -> bool:
        """A program has said the word; False when there are too many already."""
        self._strangers.pop(session, None)
        if len(self._sessions) >= SESSIONS_MAX:
            return False
        self._sessions.add(session)
        return True

    def remove(self, session: _Session) -> None:
        """A program has gone."""
        self._strangers.pop(session, None)
        self._sessions.discard(session)
        self._hold.release(session)
        if session.reader is not None:
            self._reader_gone(session.reader)

    async def execute(self, reader: ReaderPass | None, commands: Sequence[Command]) -> list[Reply]:
        """Carry out what a session asks for."""
        if reader is None:
            return await self._execute(commands)
        return await self._execute_for_reader(reader, commands)

    def hold(self, session: _Session, *, holds: bool) -> bool:
        """Have the instance take no turns, or go on. Returns whether it was held until now."""
        if not holds:
            return self._hold.release(session)
        self._hold.hold(session)
        return True

    def read(self, query: SystemViewQuery) -> SystemViewAnswer:
        """A page of a system view, or why there is none."""
        try:
            return SystemViewAnswer.of(self._read(query))
        except BrokerError as error:
            return SystemViewAnswer(refusal=refusal(error))


class _Session(asyncio.Protocol):
    """One connection. Its requests run side by side; when many do, no more of them are read."""

    def __init__(self, server: SessionServer, word: str) -> None:
        self.reader: ReaderPass | None = None
        """The reader whose session it is."""
        self._server = server
        self._word = word
        self._reader = FrameReader(SESSION_HELLO_BYTES_MAX)
        self._running: set[asyncio.Task[None]] = set()
        self._is_known = False
        self._is_stuffed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A program has connected."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.met(self)
        self._patience = asyncio.get_running_loop().call_later(SESSION_HELLO_SECONDS, self.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """The program has gone; what waits for it is given up."""
        self._patience.cancel()
        self._server.remove(self)
        for task in self._running:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        """Bytes of the program; a session that does not keep to the protocol ends."""
        try:
            for frame in self._reader.feed(data):
                self._take(frame)
        except (FrameTooLong, msgspec.MsgspecError) as error:
            self._say(Answer(-1, failure=f"This is no request: {error}."))
            self.close()

    def pause_writing(self) -> None:
        """The program does not read its answers: it is not read either."""
        self._is_stuffed = True
        self._follow()

    def resume_writing(self) -> None:
        """The program reads again."""
        self._is_stuffed = False
        self._follow()

    def tell_life(self) -> None:
        """Say that the host is there, to a program that reads."""
        if not self._is_stuffed:
            self._say(Answer(HEARTBEAT))

    def close(self) -> None:
        """End the session, after what was said."""
        self._transport.close()

    def _take(self, frame: bytes) -> None:
        if not self._is_known:
            hello = hello_decoder.decode(frame)
            if hello.version != VERSION or not hmac.compare_digest(hello.word.encode(), self._word.encode()):
                raise msgspec.ValidationError("the word or the version is not the one on the plate")
            self._patience.cancel()
            if not self._server.add(self):
                raise msgspec.ValidationError(f"{SESSIONS_MAX} programs are connected, which is the most")
            self._is_known = True
            self._reader.bytes_max = SESSION_FRAME_BYTES_MAX
            self.reader = hello.reader
            return
        request = request_decoder.decode(frame)
        task = asyncio.get_running_loop().create_task(self._answer(request))
        self._running.add(task)
        task.add_done_callback(self._ended)
        self._follow()

    async def _answer(self, request: Request) -> None:
        number = request.number
        # A reader speaks for its own transactions only.
        if request.holds is not None and self.reader is None:
            self._say(Answer(number, was_held=self._server.hold(self, holds=request.holds)))
            return
        try:
            page = None if request.query is None else self._server.read(request.query)
            replies = await self._server.execute(self.reader, request.commands) if page is None else []
        except EngineUnavailable as error:
            self._say(Answer(number, failure=str(error)))
        except Exception as error:
            logger.exception("A request of a session has failed.")
            self._say(Answer(number, failure=f"internal fault, {type(error).__name__}: {error}"))
        else:
            self._say(Answer(number, tuple(replies), page=page))

    def _say(self, answer: Answer) -> None:
        try:
            frame = framed(answer)
        except FrameTooLong as error:
            frame = framed(
                Answer(answer.number, failure=f"The answer is too large: {error}. It is kept; ask for less.")
            )
        self._transport.write(frame)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._follow()
        if not task.cancelled():
            # What nobody expected is the loop's to report, not to be swallowed here.
            task.result()

    def _follow(self) -> None:
        if self._is_stuffed or len(self._running) >= SESSION_REQUESTS_MAX:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()


def _write(path: Path, plate: Plate) -> None:
    """Whole or not at all, and for the owner's eyes only. The folder may be missing: stores need not be files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(msgspec.json.encode(plate))
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _word_on(path: Path) -> str | None:
    try:
        return str(msgspec.json.decode(path.read_bytes(), type=Plate).word)
    except (OSError, msgspec.MsgspecError):
        return None
