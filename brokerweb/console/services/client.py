"""One browser with its session: from its hello to its end, when what is open is rolled back."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, Final

import msgspec

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.errors import ObjectNotFound, ScenarioChanged, TrainingOver
from brokerweb.common.origin import Origin
from brokerweb.console import protocol
from brokerweb.console.protocol import Cancel, ClientMessage, Code, Complete, Hello, Run
from brokerweb.console.services.grounds import right_needed
from brokerweb.console.services.work import Work
from brokerweb.live.services.doorman import Doorman
from engine import api as engine

logger = logging.getLogger(__name__)

SESSIONS_MAX: Final = 64
"""Open sockets of one server process: each may have a session, with a thread and a database in memory."""
SESSIONS_OF_ONE_MAX: Final = 8
"""Of one person."""

_open: Counter[int] = Counter()
"""Sessions by their person; a process has one event loop that serves."""


class ConsoleClient:
    """The state of one connection. Not responsible for the socket: it sends through the functions it is given."""

    def __init__(
        self,
        doorman: Doorman,
        *,
        session_key: str | None,
        origin: Origin,
        send: Callable[[str], Coroutine[Any, Any, None]],
        close: Callable[[int], Coroutine[Any, Any, None]],
    ) -> None:
        self._doorman = doorman
        self._session_key = session_key
        self._origin = origin
        self._send_frame = send
        self._close = close
        self._needs = Right.VIEW
        """Until it is said where the session is to be."""
        self._work: Work | None = None
        self._counted: int | None = None
        self._running: int | None = None
        self._is_completing = False
        self._ended = asyncio.Event()
        self._sent = 0
        self._acked = 0
        self._taken = asyncio.Event()
        self._heard_at = time.monotonic()
        self._is_over = False
        self._tasks: set[asyncio.Task[None]] = set()

    # ── the socket ───────────────────────────────────────────────────────────────────────────────────────────────
    async def opened(self) -> None:
        """The socket is open; it stays so only for somebody who is logged in."""
        person = await self._person()
        if person is None:
            return
        if _open[person.pk] >= SESSIONS_OF_ONE_MAX or _open.total() >= SESSIONS_MAX:
            most = SESSIONS_OF_ONE_MAX if _open[person.pk] >= SESSIONS_OF_ONE_MAX else SESSIONS_MAX
            await self.refuse(Code.TOO_MANY, f"{most} sessions are open, which is the most.")
            return
        self._counted = person.pk
        _open[person.pk] += 1
        self._start(self._beat())

    async def received(self, text: str) -> None:
        """A message of the browser."""
        self._heard_at = time.monotonic()
        if self._is_over:
            return
        try:
            message = protocol.decode(text)
        except msgspec.DecodeError as error:
            await self.refuse(Code.MALFORMED, str(error))
            return
        if isinstance(message, Hello) is (self._work is not None):
            await self.refuse(Code.MALFORMED, "The first message, and only that, is hello.")
            return
        await self._obey(message)

    async def closed(self) -> None:
        """The socket is gone: end what runs, roll back what is open, and wait for it."""
        self._is_over = True
        work, self._work = self._work, None
        self._taken.set()
        try:
            if work is not None and self._running is not None:
                await work.cancel(self._ended)
            tasks = [task for task in self._tasks if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            try:
                if work is not None:
                    await work.close()
            finally:
                self._uncount()

    async def failed(self, error: Exception) -> None:
        """Something has raised that should not have: the session ends, and its browser hears so."""
        logger.error("A console has stopped.", exc_info=error)
        if not self._is_over:
            self._is_over = True
            self._taken.set()
            await self._close(Code.FAILED)

    async def refuse(self, code: Code, detail: str = "") -> None:
        """Say why, and end."""
        if self._is_over:
            return
        self._is_over = True
        self._taken.set()
        refused = protocol.Refused(code=code, reason=code.reason, detail=engine.errors.shortened(detail))
        await self._send_frame(protocol.encode(refused))
        await self._close(code)

    # ── what is asked ────────────────────────────────────────────────────────────────────────────────────────────
    async def _obey(self, message: ClientMessage) -> None:
        match message:
            case Hello():
                await self._greet(message)
            case Run():
                await self._begin(message)
            case Cancel(id=number):
                if number == self._running and self._work is not None:
                    self._start(self._work.cancel(self._ended))
            case Complete():
                self._start(self._complete(message))
            case protocol.Ack(frames=frames):
                if frames > self._sent:
                    await self.refuse(Code.MALFORMED, "More frames are acknowledged than were sent.")
                self._acked = max(self._acked, frames)
                self._taken.set()
            case protocol.ClientHeartbeat():
                pass

    async def _greet(self, hello: Hello) -> None:
        if hello.protocol != protocol.PROTOCOL:
            await self.refuse(Code.PROTOCOL)
            return
        self._needs = right_needed(hello.estate)
        person = await self._person()
        if person is None:
            return
        work = self._work = Work(hello, self._origin)
        try:
            ground = await work.open(person)
        except ObjectNotFound as error:
            await self.refuse(Code.UNKNOWN_PLACE, error.detail)
            return
        except (TrainingOver, ScenarioChanged) as error:
            await self.refuse(Code.OVER, error.detail)
            return
        await self._say(
            protocol.Welcome(
                instance=ground.instance,
                database=ground.database,
                heartbeat_seconds=protocol.HEARTBEAT_SECONDS,
                withholds_bodies=ground.withholds_bodies(person),
                may_define=ground.may_define(person),
            )
        )

    async def _begin(self, asked: Run) -> None:
        if self._running is not None:
            detail = "A script is running in this session."
            await self._say(protocol.Denied(id=asked.id, code=Code.BUSY, reason=Code.BUSY.reason, detail=detail))
            return
        self._running = asked.id
        self._ended = asyncio.Event()
        # Beside the socket: while a script runs it is to hear that it is cancelled.
        self._start(self._run(asked, self._ended))

    async def _run(self, asked: Run, ended: asyncio.Event) -> None:
        work = self._work
        try:
            person = await self._person()
            if person is None or work is None:
                return
            async for message in work.messages(asked.id, asked.script, person):
                if isinstance(message, protocol.Done):
                    self._running = None
                if not self._is_over:
                    await self._say(message)
                    await self._until_taken()
        finally:
            ended.set()
            if self._ended is ended:
                # Else the browser, told that this one is done, has begun another one meanwhile.
                self._running = None
        await self._look_whether_over()

    async def _complete(self, asked: Complete) -> None:
        """One at a time, and none while the session's thread has a script to run: who types asks again."""
        work = self._work
        if work is None or self._is_completing or self._running is not None:
            await self._say(protocol.Completion(id=asked.id, begins_at=asked.position, options=()))
            return
        self._is_completing = True
        try:
            person = await self._person()
            if person is not None:
                await self._say(await work.completion(asked, person))
        finally:
            self._is_completing = False

    # ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────
    async def _say(self, message: protocol.ServerMessage) -> None:
        if not self._is_over:
            self._sent += 1
            await self._send_frame(protocol.encode(message))

    async def _until_taken(self) -> None:
        """Until not too many frames are on their way; a browser that takes none is let go."""
        while self._sent - self._acked > protocol.UNACKED_MAX and not self._is_over:
            self._taken.clear()
            try:
                async with asyncio.timeout(protocol.SILENCE_SECONDS_MAX):
                    await self._taken.wait()
            except TimeoutError:
                await self.refuse(Code.SILENT)

    # ── who is there ─────────────────────────────────────────────────────────────────────────────────────────────
    async def _beat(self) -> None:
        """Show the browser that we are there, and look whether its person still may operate."""
        while True:
            await asyncio.sleep(protocol.HEARTBEAT_SECONDS)
            if await self._person() is None:
                return
            await self._look_whether_over()
            if time.monotonic() - self._heard_at > protocol.SILENCE_SECONDS_MAX:
                await self.refuse(Code.SILENT)
                return
            await self._say(protocol.Heartbeat())

    async def _look_whether_over(self) -> None:
        """The connection ends where there can be no session any more: the run of a sandbox has ended."""
        why = None if self._work is None or self._is_over else await self._work.over()
        if why is not None:
            await self.refuse(Code.OVER, why)

    async def _person(self) -> User | None:
        """Who this is now; None, and the connection ends, when they may not have a session."""
        user = await self._doorman.user(self._session_key)
        if user is None:
            await self.refuse(Code.UNAUTHENTICATED)
            return None
        if self._needs not in user.rights:
            await self.refuse(Code.FORBIDDEN, f"A session needs the right {self._needs}.")
            return None
        return user

    def _uncount(self) -> None:
        if self._counted is not None:
            _open[self._counted] -= 1
            self._counted = None

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._start(self.failed(error))
